/* The client table of a partition: who has an open session, and what became of their changes.
 *
 * A session is named by (client, session id), where the id is the index of the record that opened
 * it, so nothing delayed past a session's life can be taken for part of a later one (B.10). A
 * session keeps an *outcome* per sequence number that its client still waits for. Outcomes of
 * logged changes come from the log; outcomes without effects (CONFLICT, EXISTS, ABSENT) are kept in
 * memory only.
 *
 * Sessions stand in the order of their last traffic, so that the idle ones are found at the front.
 */
#ifndef QUOIN_GRID_REPLICA_SESSIONS_H
#define QUOIN_GRID_REPLICA_SESSIONS_H

#include "grid/base/alloc.h"
#include "grid/replica/result.h"
#include "wire/record.h"

struct outcome {
    uint64_t sequence;
    uint64_t index;   /* of the token: of the record, or what the decision rested on */
    uint64_t epoch;   /* of the token */
    uint64_t version; /* of the entry, 0 when there is none */
    uint64_t ticket;  /* of the flight that will settle it, while `waiting` */
    int32_t status;
    uint32_t value_size;
    uint8_t *value; /* owned copy of the old value; NULL when empty */
    uint8_t value_flags;
    bool has_value;
    bool waiting; /* not committed yet */
    bool logged;  /* has a record */
};

enum session_state {
    SESSION_OPENING, /* its record is not committed yet */
    SESSION_OPEN,
    SESSION_ENDING, /* the record of its end is not committed yet; takes no more changes */
};

struct session {
    struct session *next_in_bucket;
    struct session *older; /* by traffic; NULL at the front */
    struct session *newer;
    struct client_id client;
    uint64_t id;
    enum session_state state;
    int64_t traffic_ms;        /* log time of its last change */
    uint64_t first_incomplete; /* highest one seen */
    uint64_t ticket;           /* of the flight that opens it, while OPENING */
    struct outcome *outcomes;  /* by sequence, ascending */
    size_t outcome_count;
    size_t outcome_capacity;
    size_t value_bytes; /* of all outcomes */
};

struct sessions {
    struct alloc *alloc;
    struct session **buckets; /* by client */
    size_t bucket_count;      /* 0 or a power of two */
    struct session *oldest;
    struct session *newest;
    size_t count;
};

void sessions_init(struct sessions *sessions, struct alloc *alloc);
void sessions_fini(struct sessions *sessions);

/* The session `id` of `client` that takes changes; NULL when there is none, or not any more. */
struct session *sessions_find(const struct sessions *sessions, const struct client_id *client,
                              uint64_t id);

/* The session of `client` that is open or being opened; NULL when there is none. */
struct session *sessions_find_any(const struct sessions *sessions, const struct client_id *client);

/* A new session, OPENING. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status sessions_add(struct sessions *sessions, const struct client_id *client,
                                        uint64_t id, int64_t log_time_ms, struct session **session);

/* Free a session with all its outcomes. */
void sessions_remove(struct sessions *sessions, struct session *session);

/* There was traffic at `log_time_ms`: move it to the back. */
void sessions_touch(struct sessions *sessions, struct session *session, int64_t log_time_ms);

/* The client waits for nothing below `first_incomplete` any more: drop settled outcomes below it.
 */
void session_advance(struct sessions *sessions, struct session *session, uint64_t first_incomplete);

/* A new epoch has begun: drop the settled outcomes that are in no log. Late frames of the old epoch
 * are refused for their epoch, and who asks in the new one gets a decision of the new one (B.10).
 */
void sessions_forget_unlogged(struct sessions *sessions);

/* Outcome of a sequence, NULL when there is none. Lives until the next add or advance. */
struct outcome *session_outcome(const struct session *session, uint64_t sequence);

/* Add a waiting outcome for a sequence that has none, with a copy of the result's value.
 * QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status session_add_outcome(struct sessions *sessions, struct session *session,
                                               uint64_t sequence, const struct result *result,
                                               struct outcome **outcome);

/* Drop the outcome of this sequence, which must exist. */
void session_drop_outcome(struct sessions *sessions, struct session *session, uint64_t sequence);

#endif
