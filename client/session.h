/* The core of the client: operations and frames in, frames and finished operations out.
 *
 * Routes operations to the shard that leads their partition, keeps a session per partition
 * (protocol B.10), repeats what was refused or lost under the same sequence number until the
 * deadline, knows what is certain about each, and gathers operations to one shard into one message.
 * No I/O, no clock, no threads, no locks: the caller passes the time and carries the actions out.
 *
 * A link is the way to one endpoint of a node:
 *
 *     CLOSED --open--> CONNECTING --writable--> GREETING --HELLO_ACK--> READY
 *        ^                 |   ^                    |                     |
 *        +-- open failed --+   +---- send refused --+---------------------+
 *
 * An endpoint that has left the table is disconnected: LEAVING, then RETIRED, until its place is
 * taken by another one.
 *
 * A turn of the caller's loop: `session_start` for new operations, `session_receive` for frames
 * that came, `session_step` and its actions, `session_take_done` until it gives NULL (after each
 * call that can finish operations). */
#ifndef QUOIN_CLIENT_SESSION_H
#define QUOIN_CLIENT_SESSION_H

#include "client/list.h"
#include "client/wheel.h"
#include "wire/message/message.h"

struct session;
struct message; /* that an operation travels in */

/* Kinds of operations beside those of `enum wire_op_kind`. */
enum session_op_kind {
    SESSION_OP_CONNECT = 1000, /* done when the partition table is known */
    SESSION_OP_CACHE_OPEN,     /* `key` is the cache's name; the frame holds its definition */
    SESSION_OP_CACHE_DROP,     /* `key` is the cache's name */
    /* These go to shard `shard` of node `node`; what it says is in the frame that answers. */
    SESSION_OP_STATUS,
    SESSION_OP_COMMIT, /* `level` */
    SESSION_OP_CACHES,
    SESSION_OP_CONFIG,
    SESSION_OP_LOG_LEVEL, /* `key` is the module, `value` the level */
};

enum session_op_state {
    OP_IDLE,        /* not started */
    OP_UNROUTED,    /* waits for a table or a greeted link */
    OP_WAITING,     /* waits for its partition's session or window */
    OP_QUEUED,      /* waits to be put into a message */
    OP_SENT,        /* has left */
    OP_BACKING_OFF, /* was refused; waits to try again */
    OP_DONE,
};

enum session_op_flags {
    SESSION_CREATE = 1 << 16,  /* CACHE_OPEN: create it */
    SESSION_DEFINED = 1 << 17, /* with the definition `service`, `ttl_ms`, `size_max` */
};

/* One operation. Memory of the caller, who lets it be until the operation is done. Zero it, then
 * fill in the first part. */
struct session_op {
    /* given */
    uint32_t kind;  /* enum wire_op_kind or enum session_op_kind */
    uint32_t flags; /* enum wire_op_flags and enum session_op_flags */
    uint32_t cache;
    uint32_t service;   /* of the cache: enum wire_service */
    uint32_t partition; /* found from `key` when the operation is about one; else given */
    uint32_t node;      /* of those to a node; else the node last asked, for error texts */
    uint32_t shard;     /* of `node` */
    uint32_t level;     /* COMMIT */
    uint32_t value_flags;
    uint32_t commit_within_ms;
    struct bytes key;   /* borrowed until done */
    struct bytes value; /* borrowed until done */
    uint64_t expected_version;
    int64_t ttl_ms;
    uint64_t view;
    uint64_t view_min;
    uint64_t size_max; /* SCAN: octets; CACHE_OPEN: of its entries on each node */
    uint64_t session;  /* OUTCOME: of the change in question; else the core's own */
    uint64_t sequence; /* the same */
    int64_t deadline_ms;

    /* the answer, once done */
    enum qn_status status;
    enum qn_certainty certainty; /* of a failure */
    int32_t server_status;       /* what the node said last, 0 = nothing */
    uint32_t result_flags;       /* of `result` */
    uint64_t version;
    uint64_t number; /* COUNT, SESSION_OPEN */
    uint64_t result_view;
    int64_t result_ttl_ms;
    bool has_value;
    bool more;           /* SCAN: `token` leads to what follows */
    struct bytes result; /* lives as long as the frame that brought it */
    struct buf token;    /* of SCAN; `session_op_fini` frees it */
    char *text;          /* the node's explanation or NULL; `session_op_fini` frees it */

    /* the core's own */
    enum session_op_state state;
    struct list place; /* in the queue that `state` says */
    struct wheel_timer timer;
    uint64_t id;
    uint64_t key_hash;
    uint64_t attempt_epoch; /* of the latest attempt */
    uint32_t attempts;
    uint32_t refusals;       /* in a row */
    uint32_t losses;         /* attempts that got no answer */
    bool maybe;              /* an attempt may have taken effect, or may still */
    bool is_capped;          /* its deadline was moved to half a session's life */
    bool internal;           /* made by the core, never handed out */
    struct message *message; /* SENT: that it travels in */
    uint32_t link;           /* QUEUED, SENT */
};

/* What happens to the client, beside its operations. */
enum session_event {
    SESSION_LINK_UP,      /* a node answers at a link, for the first time */
    SESSION_LINK_BACK,    /* it does so again, after its connection was lost or it was silent */
    SESSION_LINK_DOWN,    /* it has not answered for a second */
    SESSION_ENDED,        /* a session of a partition has ended at the node: a new one begins */
    SESSION_NODE_REFUSED, /* a node can not be used: see session_refusal */
};

struct session_options {
    struct client_id client;
    const char *const *seeds; /* "tcp://host:port"; copied */
    size_t seed_count;
    int64_t now_ms;
    uint64_t prng_seed; /* for the spread of back-off times */
    /* Told at once; `number` is a link, or a partition for ENDED. May be NULL; must not call back.
     */
    void (*trace)(void *arg, enum session_event event, uint32_t number);
    void *trace_arg;
};

enum session_action_kind {
    SESSION_CONNECT,    /* open the link `link` to `endpoint` */
    SESSION_DISCONNECT, /* close it: nobody stands for it any more */
    SESSION_SEND,       /* send `frame` by the link; on refusal call `session_unsent` */
};

struct session_action {
    enum session_action_kind kind;
    uint32_t link;
    const char *endpoint; /* CONNECT */
    uint64_t message;     /* SEND: its number */
    struct bytes frame;   /* SEND */
};

/* What to do, in this order. Valid until the next step. */
struct session_actions {
    const struct session_action *list;
    size_t count;
    int64_t wake_at_ms; /* step again then at the latest; INT64_MAX = no need */
};

/* QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status session_create(const struct session_options *options,
                                          struct session **session);

/* Every operation must be done. NULL allowed. */
void session_destroy(struct session *session);

/* Take an operation in. It may be done at once (QN_MEMORY_FULL). */
void session_start(struct session *session, struct session_op *op, int64_t now_ms);

/* End an operation now with `status`; its certainty is what is known at this moment. Nothing
 * happens when it is done already. */
void session_give_up(struct session *session, struct session_op *op, enum qn_status status);

/* The same for every operation. */
void session_give_up_all(struct session *session, enum qn_status status);

/* A frame has come by a link. Results in operations it finishes point into it. Frames that are not
 * ours are dropped. */
void session_receive(struct session *session, uint32_t link, struct bytes frame, int64_t now_ms);

/* Time has passed or something was started: what is to be done now? */
void session_step(struct session *session, int64_t now_ms, struct session_actions *actions);

/* A SEND was refused: the link is not connected or its queue is full. Wait until it is writable. */
void session_unsent(struct session *session, uint32_t link, uint64_t message);

/* A CONNECT failed: the link is closed again, and is opened anew after a while if it is needed.
 * Returns when to step at the latest for that. */
QN_MUST_USE int64_t session_unopened(struct session *session, uint32_t link);

/* The link takes frames (again). What had been sent by it before may be lost. */
void session_writable(struct session *session, uint32_t link, int64_t now_ms);

/* Does the link wait to become writable? */
bool session_link_blocked(const struct session *session, uint32_t link);

/* Next finished operation, or NULL. It is the caller's again. */
struct session_op *session_take_done(struct session *session);

/* Release what a finished operation holds. */
void session_op_fini(struct session_op *op);

/* Does an operation of this kind change data? */
static inline bool session_op_is_change(const struct session_op *op)
{
    return wire_op_is_change(op->kind);
}

/* Is it a change under a sequence number of this client? */
static inline bool session_op_is_numbered(const struct session_op *op)
{
    return session_op_is_change(op) && op->kind != WIRE_OP_SESSION_OPEN &&
           op->kind != WIRE_OP_OUTCOME;
}

/* Is it about one key? */
static inline bool session_op_has_key(const struct session_op *op)
{
    return op->kind < SESSION_OP_CONNECT && op->kind != WIRE_OP_COUNT &&
           op->kind != WIRE_OP_SESSION_OPEN && op->kind != WIRE_OP_CLEAR &&
           op->kind != WIRE_OP_OUTCOME && op->kind != WIRE_OP_SCAN;
}

/* ---- changes of unknown outcome ----
 *
 * The number of such a change stays open, so that its outcome can be asked for. When its place in
 * the window is needed the core asks by itself, and remembers the answer for a while. */

struct session_change {
    uint32_t partition;
    uint64_t session;
    uint64_t sequence;
};

/* The id under which this client makes changes. */
struct client_id session_client(const struct session *session);

/* Has the outcome of a change of this client been found? Then it is in `*status`. */
QN_MUST_USE bool session_outcome(const struct session *session, const struct session_change *change,
                                 enum qn_status *status);

/* ---- what is known about the grid ---- */

/* Partitions that keys of one service are hashed to; 0 = no table yet. */
uint32_t session_partition_count(const struct session *session);

/* A partition's place; NULL = no such partition. Valid until the next frame. */
struct session_place {
    uint64_t epoch;
    uint32_t leader; /* 0 = none */
    uint32_t shard;
    const char *endpoint; /* of that shard; NULL when it is not known */
};
QN_MUST_USE bool session_place(const struct session *session, uint32_t partition,
                               struct session_place *place);

/* Number `i` of the shards of all nodes. False: there are no more. */
struct session_shard {
    uint32_t node;
    uint32_t shard;
    const char *endpoint;
};
QN_MUST_USE bool session_shard_at(const struct session *session, size_t i,
                                  struct session_shard *shard);

/* Can work be done? Cheap unless something has changed since the last time. */
enum session_reach {
    SESSION_REACH_ALL,
    SESSION_REACH_SOME, /* some partitions have no leader, or one that does not answer */
    SESSION_REACH_NONE,
};
enum session_reach session_reach(struct session *session);

/* From now on greet nodes also while there is nothing else to say, to learn when they go away. */
void session_watch(struct session *session);

/* Why no node could be used (another cluster, another version); NULL when there is no such reason.
 */
const char *session_refusal(const struct session *session, enum qn_status *status);

/* Endpoint of a link, for error texts. */
const char *session_link_endpoint(const struct session *session, uint32_t link);

#endif
