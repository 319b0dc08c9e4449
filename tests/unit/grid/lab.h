/* A replica on a bench: a log that is durable when the test says so, a clock that the test moves,
 * and all replies kept. */
#ifndef QUOIN_TESTS_UNIT_GRID_LAB_H
#define QUOIN_TESTS_UNIT_GRID_LAB_H

#include "grid/replica/inspect.h"
#include "grid/replica/replica.h"
#include "tests/unit/grid/lab_alloc.h"

enum {
    LAB_PARTITION = 3,
    LAB_NODE = 1,
    LAB_CACHE = 5,
    LAB_TTL_MS = 600000,
    LAB_PIN_TTL_MS = 30000,
};

struct lab_reply {
    uint64_t route;
    struct wire_result result; /* what it points to are copies of the lab's */
    struct buf value;
    struct buf text;
    struct buf token;
};

struct lab {
    struct lab_alloc memory;
    struct replica_options options;
    struct replica *replica;
    struct buf *log; /* record i + 1 of the partition, encoded, at i */
    size_t log_count;
    size_t log_capacity;
    size_t durable; /* records on disk */
    struct lab_reply *replies;
    size_t reply_count;
    size_t reply_capacity;
    int64_t now_ms;
    int64_t wall_ms;
    uint64_t epoch;
    uint64_t next_route;
    enum qn_status space;         /* what requests are told of the log */
    enum qn_status memory_status; /* what requests are told of memory */
    bool no_append;               /* what TICK and DROP are told of the log */
    int64_t cache_ttl_ms;         /* of every cache */
    struct replica_snapshot
        snapshot; /* with its octets: a start begins with it, when there is one */
    struct buf snapshot_octets;
};

/* A replica that leads epoch 1, with its EPOCH_START durable. */
struct lab *lab_create(void);
/* The same with other limits; not opened yet. */
struct lab *lab_create_closed(const struct replica_limits *limits);
void lab_destroy(struct lab *lab);

struct replica_limits lab_limits(void);

/* Step with an event whose partition and times are filled in; carries out the actions. */
enum qn_status lab_step(struct lab *lab, struct replica_event event);
void lab_configure(struct lab *lab, uint64_t epoch);
void lab_tick(struct lab *lab, int64_t after_ms);
/* Everything appended so far is on disk. */
void lab_sync(struct lab *lab);
void lab_sync_to(struct lab *lab, size_t index);
/* Lose what is not on disk, start again from snapshot and log; leads the next epoch when `reopen`.
 */
void lab_crash(struct lab *lab, bool reopen);

struct client_id lab_client(unsigned number);

/* Send an operation; epoch, lineage, cache and time left are filled in unless set. Its route. */
uint64_t lab_send(struct lab *lab, unsigned client, struct wire_op op);
/* The same by a kind, a key and a value, under a session and a sequence number. */
struct wire_op lab_change(uint32_t kind, uint64_t session, uint64_t sequence, const char *key,
                          const char *value);
/* Send a change and put it on disk: its answer. */
const struct wire_result *lab_done(struct lab *lab, unsigned client, struct wire_op op);
/* A session of this client, open and on disk. */
uint64_t lab_session(struct lab *lab, unsigned client);

/* The last reply to a route, NULL when there is none; how many there were. */
const struct lab_reply *lab_reply(const struct lab *lab, uint64_t route);
size_t lab_replies_to(const struct lab *lab, uint64_t route);
/* Status of that reply; fails the test when there is none. */
int lab_status(const struct lab *lab, uint64_t route);

/* Committed value of a key: read through the replica. */
const struct lab_reply *lab_get(struct lab *lab, const char *key);

/* Take a whole snapshot into the lab, or none when there is nothing new. */
void lab_snapshot(struct lab *lab);

/* Give an encoded record of the log to a replica, as at a start. */
enum qn_status lab_recover(struct lab *lab, size_t index);

struct replica_digest lab_digest(const struct lab *lab);
struct replica_stats lab_stats(const struct lab *lab);

#endif
