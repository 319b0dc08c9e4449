/* Inside of a replica, for the files of this folder only.
 *
 * A *flight* is what waits for the log: a record that was appended, or a decision without effects
 * that rests on changes not committed yet. Flights stand in the order in which they will be
 * settled; a ticket is a flight's number for life. */
#ifndef QUOIN_GRID_REPLICA_STATE_H
#define QUOIN_GRID_REPLICA_STATE_H

#include "grid/base/ring.h"
#include "grid/base/tally.h"
#include "grid/replica/replica.h"
#include "grid/replica/sessions.h"
#include "grid/store/store.h"

enum flight_kind {
    FLIGHT_DECISION = 0, /* no record: an outcome without effects */
    FLIGHT_EPOCH_START = RECORD_EPOCH_START,
    FLIGHT_WRITE = RECORD_WRITE,
    FLIGHT_SESSION_OPEN = RECORD_SESSION_OPEN,
    FLIGHT_SESSION_END = RECORD_SESSION_END,
};

struct flight {
    enum flight_kind kind;
    bool awaited;   /* somebody waits for the answer */
    uint64_t index; /* settled when this is committed */
    size_t bytes;   /* of its record; 0 for a decision */
    struct session *session;
    uint64_t sequence;
    /* whom to answer, when `awaited` */
    uint64_t route;
    uint64_t op_id;
    int64_t deadline_ms;
};

struct replica {
    struct replica_options options;
    struct tally entry_memory;
    struct tally table_memory;
    struct store *store;
    struct sessions sessions;
    struct ring flights;
    uint64_t first_ticket; /* of the front flight */

    struct replica_action *actions;
    size_t action_count;
    size_t action_capacity;
    struct buf scratch; /* effects and result of the record appended in this step */

    enum replica_role role;
    uint64_t epoch; /* of the newest configuration or record */
    uint32_t lineage;
    uint32_t leader;       /* 0 = none known */
    uint64_t record_epoch; /* of the last record */
    uint64_t last_index;
    uint64_t commit_index;
    uint64_t durable_index;
    uint64_t opened_index; /* of this epoch's EPOCH_START */
    size_t uncommitted_bytes;

    /* Log time runs from `log_base_ms`, which stands for the moment `opened_at_ms`. */
    int64_t log_base_ms;
    int64_t opened_at_ms;
    int64_t log_time_ms;      /* of the last record */
    int64_t wall_time_ms;     /* of the last record */
    int64_t epoch_began_ms;   /* log time of the last EPOCH_START: traffic of every session */
    int64_t next_deadline_ms; /* no awaited flight is due before */
};

/* -- actions.c: what a step hands out -- */

/* Make sure that `more` actions can be added. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status actions_reserve(struct replica *replica, size_t more);

/* Begin a step: forget the actions and octets of the last one, give large blocks back. */
void actions_begin(struct replica *replica);

/* Room for `size` octets in the empty scratch. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status scratch_reserve(struct replica *replica, size_t size);
void scratch_release(struct replica *replica);

/* Add an action; room must have been reserved. */
void actions_append(struct replica *replica, const struct record *record);
struct wire_result *actions_reply(struct replica *replica, uint64_t route, uint64_t op_id,
                                  enum qn_status status);

/* -- apply.c: what records do, on the leader and in recovery alike -- */

/* What a staged record will settle, beyond the record itself. */
struct stage_request {
    bool awaited;
    uint64_t route;
    uint64_t op_id;
    int64_t deadline_ms;
};

/* Take a record as the next one of the log, not committed yet. Afterwards its commit and the answer
 * to `request` (NULL: nobody waits) need no memory.
 *
 * QN_CORRUPT      it makes no sense after the records before it; nothing changed
 * QN_MEMORY_FULL  nothing changed */
QN_MUST_USE enum qn_status apply_stage(struct replica *replica, const struct record *record,
                                       const struct stage_request *request);

/* Wait with a decision until everything staged so far is committed. Reserve with
 * `apply_reserve_flight`. */
QN_MUST_USE enum qn_status apply_reserve_flight(struct replica *replica);
void apply_wait(struct replica *replica, struct session *session, struct outcome *outcome,
                const struct stage_request *request);

/* Everything up to `index` is committed: apply, then answer. Needs no memory. */
void apply_commit(struct replica *replica, uint64_t index);

/* The flight of a ticket. */
struct flight *apply_flight(const struct replica *replica, uint64_t ticket);

/* Answer a settled outcome. */
void apply_reply_outcome(struct replica *replica, uint64_t route, uint64_t op_id,
                         const struct outcome *outcome);

/* Answer INDETERMINATE to every awaited flight whose deadline is at or before `now_ms`. */
void apply_give_up(struct replica *replica, int64_t now_ms, const char *why);

/* -- request_check.c -- */

/* May this request be looked at at all? In the order of B.7.1: role, epoch, form, identity,
 * deadline. Otherwise the status to refuse it with, and in `*text` why and what to do. */
QN_MUST_USE enum qn_status request_check(const struct replica *replica,
                                         const struct replica_event *event, const char **text);

/* -- request.c -- */

/* One operation of a client; always adds a reply or something that will be answered. */
void request_step(struct replica *replica, const struct replica_event *event);

/* -- replica.c -- */

/* Time of the log at the moment `now_ms`. */
int64_t replica_log_time(const struct replica *replica, int64_t now_ms);

/* The next record of this replica's log, without body. */
struct record replica_next_record(const struct replica *replica, enum record_type type,
                                  const struct replica_event *event);

#endif
