/* One copy of one partition: the replication protocol as a function.
 *
 * Events go in, ordered actions come out (protocol part B). No I/O, no clock, no threads: the
 * caller passes time and carries actions out in the order given. In this form a partition has a
 * single copy: it commits when its own log has the record on disk (B.7.5 with ISR = {me}).
 *
 *     SCAN --configuration naming me--> OPENING(e) --EPOCH_START committed--> LEADING(e)
 *      ^                                 |   ^                                  |  |
 *      +---- another leader is named ----+---|----------------------------------+  |
 *                                            +------- a higher epoch of mine ------+
 *
 * and from each of them to FAULTED, which nothing leaves.
 *
 * Life of a replica: `replica_create`, `replica_recover` for each record of its log in order, then
 * `replica_step` with events. Belongs to its shard's thread. */
#ifndef QUOIN_GRID_REPLICA_REPLICA_H
#define QUOIN_GRID_REPLICA_REPLICA_H

#include "grid/base/alloc.h"
#include "wire/message/message.h"
#include "wire/record.h"

struct replica;

enum replica_role {
    REPLICA_SCAN,    /* its own log is being read */
    REPLICA_OPENING, /* EPOCH_START is in the log, not committed yet */
    REPLICA_LEADING, /* serves reads and writes of its epoch */
    REPLICA_FAULTED, /* damaged log or broken invariant: answers CORRUPT, changes nothing */
};

/* Bounds; 0 is not a default but a limit of nothing, so fill in all. */
struct replica_limits {
    size_t key_size_max_bytes;
    size_t value_size_max_bytes;
    size_t uncommitted_max_bytes; /* of one partition; beyond it writes are OVERLOADED */
    int64_t session_ttl_ms;       /* of log time without traffic (B.10) */
    uint32_t session_results_max; /* stored results per client and partition */
    size_t session_bytes_max;     /* octets of stored results per client and partition */
};

struct replica_options {
    uint32_t partition;
    uint32_t node;
    struct replica_limits limits;
    struct alloc *alloc; /* borrowed; outlives the replica */
};

enum replica_event_kind {
    REPLICA_CONFIGURATION, /* who leads, in which epoch */
    REPLICA_REQUEST,       /* one operation of a client */
    REPLICA_DURABLE,       /* the log has everything up to `durable_index` on disk */
    REPLICA_TICK,          /* time has passed: deadlines, ends of sessions */
    REPLICA_FAULT,         /* the log is damaged: become FAULTED */
};

/* Something that happened. All memory is borrowed for the call. */
struct replica_event {
    enum replica_event_kind kind;
    uint32_t partition;
    int64_t now_ms;  /* monotonic; the replica knows no other clock */
    int64_t wall_ms; /* wall clock; partition time follows it, but never goes back (B.11) */
    /* CONFIGURATION */
    uint64_t epoch;
    uint32_t lineage;
    uint32_t leader;
    /* REQUEST */
    const struct wire_op *op;
    struct client_id client;
    uint64_t route;       /* handed back with the reply; means nothing here */
    enum qn_status space; /* has the log room for a record of this request? Otherwise why not */
    /* DURABLE */
    uint64_t durable_index;
};

enum replica_action_kind {
    REPLICA_APPEND, /* put `record` in the log; tell DURABLE when it is on disk */
    REPLICA_REPLY,  /* send `result` to `route` */
};

struct replica_action {
    enum replica_action_kind kind;
    uint64_t route;            /* REPLY */
    struct wire_result result; /* REPLY */
    struct record record;      /* APPEND */
};

/* What to do, in this order. Valid until the next step of the same replica. */
struct replica_actions {
    const struct replica_action *list;
    size_t count;
};

/* Figures for status and metrics. */
struct replica_stats {
    enum replica_role role;
    uint64_t epoch;
    uint32_t lineage;
    uint64_t last_index;   /* in the log */
    uint64_t commit_index; /* applied */
    uint64_t entries;
    size_t entry_bytes; /* of the store, everything included */
    size_t table_bytes; /* of the client table */
    size_t uncommitted_bytes;
    uint64_t sessions;
};

/* QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status replica_create(const struct replica_options *options,
                                          struct replica **replica);
void replica_destroy(struct replica *replica); /* NULL allowed */

/* Apply one record of the replica's own log, in order, before the first configuration.
 *
 * QN_CORRUPT      it does not follow the one before it (index, epoch) or its effects are malformed;
 *                 nothing changed
 * QN_MEMORY_FULL  nothing changed */
QN_MUST_USE enum qn_status replica_recover(struct replica *replica, const struct record *record);

/* One step. Requests are always answered, now or by a later step: refusals are replies, too.
 *
 * QN_OK           `actions` is set
 * QN_MEMORY_FULL  only when not even a refusal could be formed; the replica is as before */
QN_MUST_USE enum qn_status replica_step(struct replica *replica, const struct replica_event *event,
                                        struct replica_actions *actions);

void replica_stats(const struct replica *replica, struct replica_stats *stats);

#endif
