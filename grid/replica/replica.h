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
    int64_t soft_commit_ms;       /* a view is published so often; 0 = on request only */
    uint32_t pins_max;            /* views pinned by cursors, at most STORE_PINS_MAX - 1 */
    int64_t pin_ttl_ms;           /* a cursor that rests longer loses its view */
    size_t history_max_bytes;     /* of versions that only views need; beyond it a newer view is
                                     published, then cursors lose theirs, longest unused first */
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
    REPLICA_TICK,          /* time has passed: deadlines, ends of sessions, expiry, views */
    REPLICA_FAULT,         /* the log is damaged: become FAULTED */
    REPLICA_PUBLISH,       /* soft commit: everything committed becomes visible to queries */
    REPLICA_DROP,          /* the cache `cache` does not exist any more: clear it, if it has
                              entries and this replica leads. Repeat it as long as it has some:
                              before it leads, or without `append`, nothing happens */
};

/* What the operations do that is not plain from their names:
 *
 * - GET and CONTAINS take an entry whose time has come by the committed partition time for none;
 *   changes go by the time of the last record, committed or not. Entries are removed by EXPIRE
 *   records, which a leader writes at TICKs.
 * - PUT, PUT_IF_ABSENT and REPLACE give the entry the cache's time to live unless they name one.
 * - CLEAR answers OK, with the committed entries it found in `count`; a repetition is told 0.
 * - OUTCOME is answered as a repetition of the change would be, once that is settled. A change that
 *   never arrived is settled as WITHDRAWN, and is told so if it arrives later.
 * - WIRE_VISIBLE and `commit_within_ms` concern changes with effects. Below 250 ms the view is
 *   published when the change commits, otherwise with the first TICK at or after that time.
 * - COUNT and SCAN read the published view, which is as old as the last soft commit at most. A SCAN
 *   leaves out what has expired by now; COUNT counts it until its EXPIRE record is in the view.
 * - SCAN: an answer may hold no rows and still lead on. A view is held between two answers, for
 *   `pin_ttl_ms`. CURSOR_EXPIRED: it is gone; the same token with view 0 goes on in a newer one. */

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
    uint64_t route;        /* handed back with the reply; means nothing here */
    enum qn_status space;  /* has the log room for a record of this request? Otherwise why not */
    enum qn_status memory; /* is there memory for more entries? Otherwise QN_MEMORY_FULL: changes
                              that add are refused, those that take away are not */
    int64_t cache_ttl_ms;  /* of entries of `op->cache` that do not say otherwise; 0 = for ever */
    /* TICK, DROP */
    bool append; /* has the log room for records of the replica's own, such as EXPIRE? */
    /* DROP */
    uint32_t cache;
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
    uint64_t view; /* index of the record that the published view ends with */
    uint32_t pins;
    size_t history_bytes;      /* of versions that only views need */
    uint64_t published;        /* views, since it was created */
    uint64_t expired;          /* entries, since it was created */
    uint64_t cursors_expired;  /* views that were taken from their cursors */
    int64_t partition_time_ms; /* of the last committed record */
};

/* QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status replica_create(const struct replica_options *options,
                                          struct replica **replica);
void replica_destroy(struct replica *replica); /* NULL allowed */

/* -- snapshots: the committed state in octets that only the replica understands -- */

/* Which state a snapshot holds. */
struct replica_snapshot {
    uint32_t partition;
    uint64_t index; /* the state after this record */
    uint64_t epoch; /* of that record */
    int64_t log_time_ms;
    int64_t wall_time_ms;
    int64_t epoch_began_ms;
};

/* Begin to walk the committed state, one snapshot at a time: pins it, and takes down the client
 * table, which it appends to `out`.
 *
 * QN_ABSENT       there is nothing new since `index_known`
 * QN_OVERLOADED   too many views are pinned; try again later
 * QN_CORRUPT      the replica is FAULTED
 * QN_MEMORY_FULL  nothing was begun, `out` is as before */
QN_MUST_USE enum qn_status replica_snapshot_begin(struct replica *replica, uint64_t index_known,
                                                  struct replica_snapshot *snapshot,
                                                  struct buf *out);

/* Append entries to `out`, looking at `slots_max` slots and stopping once `out` holds `size_max`
 * octets (one entry may go beyond). `*done`: that was the last. QN_MEMORY_FULL: `out` is as before;
 * call it again or end it. Changes of the replica may happen between calls. */
QN_MUST_USE enum qn_status replica_snapshot_next(struct replica *replica, size_t slots_max,
                                                 size_t size_max, struct buf *out, bool *done);

/* Finished or given up: let go of the view. Nothing happens when none was begun. */
void replica_snapshot_end(struct replica *replica);

/* Take over the state of a snapshot, before anything else: `restore` once, then `restore_part` with
 * the octets of begin and next, a call's worth of them or several together, in order. QN_CORRUPT:
 * they make no sense, and QN_MEMORY_FULL: the replica is FAULTED then. */
QN_MUST_USE enum qn_status replica_restore(struct replica *replica,
                                           const struct replica_snapshot *snapshot);
QN_MUST_USE enum qn_status replica_restore_part(struct replica *replica, struct bytes part);

/* Apply one record of the replica's own log, in order, before the first configuration. Records that
 * the snapshot holds already are passed over.
 *
 * QN_CORRUPT      it does not follow the one before it (index, epoch) or its effects are malformed;
 *                 nothing changed
 * QN_MEMORY_FULL  nothing changed */
QN_MUST_USE enum qn_status replica_recover(struct replica *replica, const struct record *record);

/* One step. Requests are always answered, now or by a later step: refusals are replies, too.
 *
 * QN_OK           `actions` is set
 * QN_MEMORY_FULL  of CONFIGURATION and DROP: the replica is as before, do it again later */
QN_MUST_USE enum qn_status replica_step(struct replica *replica, const struct replica_event *event,
                                        struct replica_actions *actions);

/* Give back what the answer of the last step took, if that was much: its actions end with it. */
void replica_rest(struct replica *replica);

/* Give back memory of cleared entries: looks at `slots_max` (> 0) slots. True: there is more. */
bool replica_sweep(struct replica *replica, size_t slots_max);

void replica_stats(const struct replica *replica, struct replica_stats *stats);

/* Figures of a cache in this partition. */
struct replica_cache {
    uint32_t cache;
    uint64_t entries; /* committed */
    uint64_t bytes;   /* of their blocks: header, key, value */
    uint64_t expired; /* since the replica was created */
};

/* Octets of the entries of one cache, committed ones. */
uint64_t replica_cache_bytes(const struct replica *replica, uint32_t cache);

/* Those of the `i`th cache seen, ascending by id; false behind the last. */
bool replica_cache_at(const struct replica *replica, size_t i, struct replica_cache *figures);

#endif
