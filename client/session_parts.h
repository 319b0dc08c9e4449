/* What the files of the session share: its structures and the steps between them. Only session*.c
 * includes it. */
#ifndef QUOIN_CLIENT_SESSION_PARTS_H
#define QUOIN_CLIENT_SESSION_PARTS_H

#include "client/session.h"

enum {
    SESSION_WINDOW = 64,           /* open sequences per partition (B.10) */
    SESSION_RETRY_MAX_MS = 300000, /* half the life of a session (B.10) */
    SESSION_OPEN_REMAINING_MS = 15000,
    LANE_MESSAGES_MAX = 8, /* messages in flight per link and lane */
    LANE_READS_EAGER = 1,  /* so many of them may leave without company */
    LANE_CHANGES_EAGER = 4,
    LANE_GATHER_COUNT = 128, /* so many operations are worth a message of their own */
    LANE_GATHER_BYTES = 64 * 1024,
    LANE_LINGER_MS = 2,             /* the longest an operation waits for company */
    MESSAGE_BYTES_MAX = 256 * 1024, /* keys and values in one message; one larger travels alone */
    SILENCE_PROBE_MS = 250,         /* ask whether the node is there */
    HELLO_AGAIN_MS = 500,
    REFRESH_PAUSE_MS = 10, /* between two requests for the table */
    RESEND_MS = 1000,      /* first wait for an answer before sending again */
    RESEND_MAX_MS = 8000,
    RESEND_COMMIT_MS = 60000,
    BACKOFF_MS = 8,
    BACKOFF_MAX_MS = 500,
    CONTROL_MESSAGES_MAX = 64,
    LINK_DOWN_MS = 1000,  /* a node that does not answer for so long counts as down */
    WATCH_MS = 1000,      /* between two greetings that only ask whether a node is there */
    OUTCOMES_KEPT = 1024, /* found by the core for changes of unknown outcome */
    LINKS_MAX = 256,
    NODES_MAX = 128,
    SHARDS_MAX = 64,
    PARTITIONS_MAX = 65536,
    NO_LINK = -1,
};

/* Reads and changes travel apart: a read is answered at once and must not wait, in a message or
 * behind one, for the disk that changes wait for. */
enum lane_kind {
    LANE_READ,
    LANE_CHANGE,
    LANE_CONTROL,
    LANE_COUNT,
};

struct lane {
    struct list queue; /* operations QUEUED */
    size_t count;
    size_t bytes;
    size_t in_flight;         /* messages */
    int64_t waiting_since_ms; /* meaningful while count > 0 */
};

/* A message on its way: the operations in it that are not answered yet. */
struct message {
    struct list place; /* in its link */
    struct list ops;
    size_t remaining;
    uint64_t number;
    uint32_t link;
    enum lane_kind lane;
    int64_t sent_at_ms;
    int64_t resend_at_ms;
};

enum link_state {
    LINK_CLOSED,
    LINK_CONNECTING,
    LINK_GREETING,
    LINK_READY,
    LINK_LEAVING, /* its endpoint has left the table: to be disconnected */
    LINK_RETIRED,
};

struct link {
    char *endpoint;
    bool is_seed; /* stays, whatever the table says */
    enum link_state state;
    uint64_t incarnation; /* 0 = not known */
    bool hello_wanted;
    bool hello_out;
    uint64_t hello_number; /* correlation of the latest HELLO */
    int64_t hello_at_ms;   /* when the latest HELLO left */
    int64_t asked_at_ms;   /* when the first HELLO left that is not answered yet */
    int64_t heard_at_ms;
    int64_t open_at_ms;     /* CLOSED: not to be opened before; CONNECTING: opened then */
    uint32_t open_failures; /* in a row */
    bool is_down;           /* it does not answer */
    struct lane lanes[LANE_COUNT];
    struct list messages; /* oldest first */
};

struct node {
    uint32_t id;
    uint32_t shard_count;
    uint32_t links[SHARDS_MAX];
};

enum partition_session {
    PARTITION_NO_SESSION,
    PARTITION_OPENING,
    PARTITION_OPEN,
};

struct partition {
    uint64_t epoch;
    uint32_t lineage;
    uint32_t leader; /* 0 = none */
    uint32_t shard;
    enum partition_session state;
    uint64_t session;
    uint64_t next_sequence;
    uint64_t first_incomplete;
    uint64_t complete;   /* bit i: sequence first_incomplete + i is complete */
    uint64_t unknown;    /* bit i: it ended with an unknown outcome, which nobody has asked for */
    struct list waiting; /* changes WAITING for session or window */
};

/* The outcome of a change that ended as unknown. */
struct outcome {
    struct session_change change;
    enum qn_status status;
};

struct session {
    struct client_id client;
    uint64_t cluster; /* 0 = not known */
    int64_t now_ms;
    uint64_t prng;
    struct wheel wheel;
    struct link *links[LINKS_MAX];
    uint32_t link_count;
    struct node nodes[NODES_MAX];
    size_t node_count;
    struct partition *partitions; /* NULL = no table yet */
    uint32_t partition_count;
    uint32_t hash_partitions; /* partitions of one service */
    struct outcome *outcomes; /* a ring of OUTCOMES_KEPT, made when first needed */
    size_t outcome_count;     /* ever added */
    bool watching;
    bool reach_changed;
    enum session_reach reach;
    void (*trace)(void *arg, enum session_event event, uint32_t number);
    void *trace_arg;
    bool refresh_wanted;
    bool step_again;         /* an operation went to a link that this step may have passed */
    struct list unrouted;    /* operations UNROUTED */
    struct list backing_off; /* operations BACKING_OFF */
    struct list done;
    struct session_op **slots; /* by the low half of their id */
    uint32_t *free_slots;
    size_t slot_count;
    size_t free_count;
    uint32_t id_generation;
    uint64_t message_number;
    struct list free_messages;
    struct arena arena;
    struct wire_op *scratch; /* WIRE_BATCH_MAX operations being encoded */
    struct buf out;          /* frames of the latest step */
    struct session_action *actions;
    size_t action_count;
    size_t action_capacity;
    enum qn_status refusal;
    char refusal_text[200];
};

static inline void session_trace(const struct session *s, enum session_event event, uint32_t number)
{
    if (s->trace) {
        s->trace(s->trace_arg, event, number);
    }
}

/* ---- session_op.c: the life of an operation ---- */

/* Give it an id. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status op_admit(struct session *s, struct session_op *op);

/* Wake it up at `due_ms`; INT64_MAX = never. */
void op_timer_set(struct session *s, struct session_op *op, int64_t due_ms);

/* Send all that wait in `list` on their way. */
void ops_route(struct session *s, struct list *list);

/* Send it on its way: to a lane, or where it waits for what is missing. */
void op_route(struct session *s, struct session_op *op);

/* It has its answer, or never will. */
void op_complete(struct session *s, struct session_op *op, enum qn_status status);

/* How long to wait after so many failures in a row, with a random spread. */
int64_t backoff_ms(struct session *s, uint32_t failures);

/* It was refused for now: try again in `after_ms` (0 = by the number of refusals). */
void op_back_off(struct session *s, struct session_op *op, enum qn_status why, uint32_t after_ms);

/* Keep the node's explanation. */
void op_explain(struct session_op *op, struct bytes text);

/* Take it out of the queue or message it is in. */
void op_detach(struct session *s, struct session_op *op);

struct session_op *op_find(const struct session *s, uint64_t id);

/* ---- session_partition.c: sessions and sequence numbers ---- */

void partition_init(struct partition *p);

/* Put a change in line for a sequence number and send what may go. */
void partition_enqueue(struct session *s, struct session_op *op);

/* A change has ended: its number is done with, unless its outcome is unknown.
 *
 *  */
void partition_settle(struct session *s, struct session_op *op);

/* The answer to an OUTCOME came, or never will: the number that it asked for is done with. */
void partition_decide(struct session *s, const struct session_op *op);

/* The node keeps too many results of ours: find out the outcomes that nobody has asked for, so that
 * their numbers can be let go. */
void partition_relieve(struct session *s, uint32_t partition);

/* An operation of the core's own is done. Frees `op`. */
void partition_internal_done(struct session *s, struct session_op *op);

/* The node does not know the session that `op` used: begin another. */
void partition_session_lost(struct session *s, const struct session_op *op);

/* ---- session_link.c: links ---- */

/* The node at a link answers: for the first time, or again. */
void link_mark_up(struct session *s, uint32_t link, bool is_again);

/* The link to an endpoint, made if need be; NO_LINK when there are too many or memory is short. */
int32_t link_find_or_add(struct session *s, struct bytes endpoint);
void link_destroy(struct link *link);

/* Let go of links that are neither seeds nor in the table. */
void links_retire(struct session *s);

/* Queue an operation on a link. */
void link_enqueue(struct session *s, uint32_t link, struct session_op *op, bool in_front);

/* Take an operation out of the queue of its link. */
void link_dequeue(struct session *s, struct session_op *op);

/* Put everything that was sent by the link back into its queues: it may be lost. */
void link_resend(struct session *s, uint32_t link);

/* An operation leaves its message. */
void message_leave(struct session *s, struct session_op *op);

/* Queued operations that no greeted link stands for: find their way anew. */
void links_reroute(struct session *s);

/* The link's HELLO was answered by a node that may be used. */
void link_greeted(struct session *s, uint32_t link, uint64_t incarnation);

/* The message with this number among those in flight; NULL when there is none. */
struct message *message_find(struct link *link, uint64_t number);

/* Everything a link has to do now; returns when it wants to be looked at again. */
int64_t link_step(struct session *s, uint32_t link);

/* Any link that was greeted; NO_LINK when there is none. */
int32_t link_ready_any(const struct session *s);

/* ---- session_message.c: messages ---- */

/* What it counts for in a message: octets of key and value, or those that a scan brings back. */
size_t op_bytes(const struct session_op *op);

/* All that is left of a message goes back into the queue, in front and in order. `was_sent`: it may
 * have arrived. */
void message_requeue(struct session *s, struct message *message, bool was_sent);

/* Room for one more action; false when memory is short. */
bool action_room(struct session *s);

/* Encode `m` and add the action that sends it. */
QN_MUST_USE enum qn_status frame_add(struct session *s, uint32_t link, uint64_t number,
                                     struct wire_message *m);

/* Send one message from the front of a lane; false when none could be formed. */
bool requests_send(struct session *s, uint32_t link, enum lane_kind kind);
bool control_send(struct session *s, uint32_t link);

/* ---- session_table.c: nodes and partitions ---- */

/* Adopt the table of a HELLO_ACK or TABLE_ACK. */
void table_adopt(struct session *s, const struct wire_message *message);

/* Link of the leader of a partition; NO_LINK when it has none. */
int32_t table_link(const struct session *s, uint32_t partition);
const struct node *table_node(const struct session *s, uint32_t id);

/* Remember why a node can not be used. */
void table_refuse(struct session *s, enum qn_status status, struct bytes text);

#endif
