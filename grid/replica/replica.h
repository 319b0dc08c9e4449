/* One copy of one partition: the replication protocol as a function.
 *
 * Events go in, ordered actions come out (protocol part B). No I/O, no clock, no threads: the
 * caller passes time and carries actions out in the order given.
 *
 *     SCAN --configuration--> FOLLOWER --named leader of a new epoch--> OPENING(e) --> LEADING(e)
 *                                ^                                         |              |
 *                                +-------- another leader, or lost it -----+--------------+
 *
 * An unclean copy waits in WAIT_ADMIT before it may follow; FAULTED is reached from everywhere and
 * left by nothing but `replica_reset`. With one copy (ISR = {me}) the same rules commit what the
 * own log has on disk.
 *
 * Life of a replica: `replica_create`, `replica_restore` and `replica_recover` for what is on its
 * disk, in order, then `replica_step` with events. Belongs to its shard's thread. */
#ifndef QUOIN_GRID_REPLICA_REPLICA_H
#define QUOIN_GRID_REPLICA_REPLICA_H

#include "grid/base/alloc.h"
#include "grid/control/configuration.h"
#include "wire/message/message.h"
#include "wire/record.h"

struct replica;

enum replica_role {
    REPLICA_SCAN,       /* its own log is being read, or nobody has named its configuration yet */
    REPLICA_FOLLOWER,   /* takes records of the leader of the highest epoch it has promised */
    REPLICA_OPENING,    /* leads an epoch that is not open: EPOCH_START not committed, or a grant to
                           an older leader still runs (B.9) */
    REPLICA_LEADING,    /* serves reads and writes of its epoch */
    REPLICA_WAIT_ADMIT, /* unclean, and still named by some ISR, ELR or as leader (B.15) */
    REPLICA_FAULTED,    /* damaged log or broken invariant: answers CORRUPT, changes nothing */
};

/* Times of the protocol (B.21), milliseconds. Relations between them are checked by the settings.
 */
struct replica_times {
    int64_t lag_max_ms;      /* an in-sync member without progress for so long is to be removed */
    int64_t refuse_after_ms; /* L: without acknowledgement for so long, new writes are refused */
    int64_t resend_ms;       /* no answer: send it again */
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
    uint32_t incarnation; /* of this process; leads only where this one is named */
    unsigned min_isr;     /* least members of the ISR for an acknowledgement, >= 1 */
    bool alone;           /* no other copy will ever be: what the own log has is committed */
    bool durable;         /* of the disk service: own records count when they are on disk. Of the
                             memory service they count at once */
    bool unclean;         /* begins in WAIT_ADMIT: what it has acknowledged may be missing */
    struct replica_times times;
    struct replica_limits limits;
    struct alloc *alloc; /* borrowed; outlives the replica */
};

enum replica_event_kind {
    REPLICA_CONFIGURATION, /* a configuration: adopted when its version is higher than the known */
    REPLICA_REQUEST,       /* one operation of a client */
    REPLICA_PEER,          /* one operation of another node's copy */
    REPLICA_DURABLE,       /* the log has the record (`durable_epoch`, `durable_index`), and all
                              before it, on disk */
    REPLICA_PROMISED,      /* the log has the PROMISE of `durable_epoch` on disk */
    REPLICA_RECORDS,       /* answer to READ: records of the own log, or why not */
    REPLICA_PROPOSED,      /* how the change that was PROPOSEd ended, see `status` */
    REPLICA_CONFIRMED,     /* answer to CONFIRM: `configuration` was read after it was asked */
    REPLICA_TRANSFERRED,   /* a transfer to `from` has ended without success: probe it again */
    REPLICA_NODE,          /* node `from` runs as `from_incarnation` now: what an earlier process of
                              it acknowledged says nothing of this one's memory */
    REPLICA_FLUSH,         /* end of a round: send what the steps before it left to be sent */
    REPLICA_TICK,          /* time has passed: deadlines, ends of sessions, expiry, views, lag */
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
    /* What the host knows at this moment, in every event (grid/lease). */
    int64_t lease_until_ms;   /* least end of the leases that all members named by the last LEASE
                                 action have given; INT64_MIN = one has given none */
    int64_t granted_until_ms; /* end of the latest lease this node has given to another leader of
                                 this partition, or of the time after its start in which it may
                                 have forgotten one */
    uint64_t proof_index;     /* a copy that has applied this was as new as its leader ... */
    int64_t proof_ms;         /* ... at this moment; INT64_MIN = nothing is proved */
    bool coordinator_away;    /* and the policy is to refuse writes without it (B.16) */
    /* CONFIGURATION, CONFIRMED */
    const struct configuration *configuration;
    bool fresh; /* read after a `sync` that began in this session */
    /* PEER, RECORDS, TRANSFERRED, NODE: the other node */
    uint32_t from;
    uint32_t from_incarnation;    /* PEER, NODE */
    const struct wire_peer *peer; /* PEER */
    /* RECORDS: whole records from `first` on, at least one; QN_ABSENT: the log does not reach down
     * to it, a snapshot is needed. PROPOSED: QN_OK (its configuration comes by CONFIGURATION),
     * QN_CONFLICT (another came first), QN_INDETERMINATE (keep the union until one comes) */
    enum qn_status status;
    uint64_t first;
    struct bytes records;
    uint64_t round; /* CONFIRMED: of the CONFIRM action */
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
    /* DURABLE, PROMISED */
    uint64_t durable_index;
    uint64_t durable_epoch;
};

enum replica_action_kind {
    REPLICA_APPEND,   /* put `record` in the log; tell DURABLE of its epoch and index when it is on
                         disk (of the memory service: only of EPOCH_STARTs). `octets`, when there
                         are any, are its encoding */
    REPLICA_PROMISE,  /* put PROMISE(`epoch`) in the log; tell PROMISED when it is on disk */
    REPLICA_TRUNCATE, /* put TRUNCATE(`index`) in the log */
    REPLICA_REPLY,    /* send `result` to `route` */
    REPLICA_SEND,     /* send `peer` to node `to` (`to_incarnation` 0: whichever lives) */
    REPLICA_READ,     /* read records of the own log from `index` on, up to `size` octets (at least
                         one record), for `to`; tell RECORDS */
    REPLICA_TRANSFER, /* the log does not reach down to what `to` lacks: send it a snapshot; tell
                         TRANSFERRED when that has failed */
    REPLICA_PROPOSE,  /* write `configuration` if the version before it still stands; when
                         `to` > 0 only if its incarnation still is `to_incarnation`; tell PROPOSED */
    REPLICA_CONFIRM,  /* `sync` and read the configuration; tell CONFIRMED with `round` */
    REPLICA_LEASE,    /* grants_note (grid/lease): promised `epoch`, `lease`. Before anything that
                         follows */
    REPLICA_RELEASED, /* grants_released up to `epoch`: the old leader answers nothing more */
    REPLICA_ALARM,    /* FAULTED: `text` says why, for people */
};

/* Of LEASE. */
struct replica_lease {
    uint64_t leading; /* epoch that it leads; 0 = it does not */
    uint32_t lineage;
    uint8_t member_count;
    uint32_t members[CONFIGURATION_REPLICAS_MAX]; /* node ids: a lease takes all of theirs */
};

struct replica_action {
    enum replica_action_kind kind;
    uint32_t to;
    uint32_t to_incarnation;
    uint64_t epoch;
    uint64_t index;
    union {
        uint64_t route; /* REPLY */
        size_t size;    /* READ */
        uint64_t round; /* CONFIRM */
    };
    struct bytes octets; /* APPEND */
    union {
        struct wire_result result;          /* REPLY */
        struct record record;               /* APPEND */
        struct wire_peer peer;              /* SEND */
        struct configuration configuration; /* PROPOSE */
        struct replica_lease lease;         /* LEASE */
        const char *text;                   /* ALARM */
    };
};

/* What to do, in this order. Valid until the next step of the same replica. */
struct replica_actions {
    const struct replica_action *list;
    size_t count;
};

/* Figures for status and metrics. */
struct replica_stats {
    enum replica_role role;
    uint64_t epoch;    /* of the configuration it knows */
    uint64_t promised; /* follows no lower one */
    uint32_t lineage;
    uint32_t leader; /* node id */
    struct configuration configuration;
    uint64_t match[CONFIGURATION_REPLICAS_MAX]; /* LEADING: durable at each copy, by its place */
    enum qn_status write;  /* why a write would be refused now; QN_OK: it would not */
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

/* Take one record of the replica's own log, in order, before the first configuration. Records that
 * the snapshot holds already are passed over; PROMISE and TRUNCATE records are taken, too. What the
 * records themselves tell to be committed is applied; the rest waits for a leader to tell.
 *
 * QN_CORRUPT      it does not follow the one before it (index, epoch) or its effects are malformed;
 *                 nothing changed
 * QN_MEMORY_FULL  nothing changed */
QN_MUST_USE enum qn_status replica_recover(struct replica *replica, const struct record *record);

/* What was promised before the first record of the log, from the manifest; before `recover`. */
void replica_recover_promise(struct replica *replica, uint64_t epoch);

/* Forget everything but promise and configuration: a snapshot of the leader comes. `restore` and
 * `restore_part` are next, then events again. A FAULTED replica may come back this way. */
void replica_reset(struct replica *replica);

/* Epochs of its log, ascending: which index each began with (B.5). Valid until the next step. */
const struct wire_epoch *replica_history(const struct replica *replica, size_t *count);

/* One step. Requests are always answered, now or by a later step: refusals are replies, too.
 *
 * QN_OK           `actions` is set
 * QN_MEMORY_FULL  the replica is as before: give it CONFIGURATION and DROP again later, others may
 * be dropped as if the network had lost them. Never of REQUEST, DURABLE, PROMISED, PROPOSED, TICK,
 * FAULT, PUBLISH */
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
