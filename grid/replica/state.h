/* Inside of a replica, for the files of this folder only.
 *
 * A *flight* is what waits for the log: a record that was appended, or a decision without effects
 * that rests on changes not committed yet. Flights stand in the order in which they will be
 * settled; a ticket is a flight's number for life. */
#ifndef QUOIN_GRID_REPLICA_STATE_H
#define QUOIN_GRID_REPLICA_STATE_H

#include "grid/base/mutants.h"
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
    FLIGHT_EXPIRE = RECORD_EXPIRE,
    FLIGHT_CLEAR = RECORD_CLEAR,
    FLIGHT_QUESTION, /* no record: somebody asks what becomes of a change on its way */
    FLIGHT_VOID,     /* was one of those without record when the leadership ended */
};

/* Whom to answer, and what the answer waits for besides the commit. */
struct asker {
    bool awaited; /* somebody waits for the answer: the three below are set */
    uint64_t route;
    uint64_t op_id;
    int64_t deadline_ms;
    bool visible;          /* the view must show it before the answer */
    int64_t visible_by_ms; /* the view must show it by then; INT64_MAX = when it comes */
    uint64_t count;        /* goes into the answer: entries that were cleared */
};

/* What the log says of time after a record. */
struct log_point {
    uint64_t epoch;
    int64_t log_time_ms;
    int64_t wall_time_ms;
    int64_t epoch_began_ms; /* log time of the last EPOCH_START: traffic of every session */
};

struct flight {
    enum flight_kind kind;
    uint32_t cache;      /* of its last effect */
    uint8_t last_effect; /* enum effect_kind; 0 = no effects */
    uint64_t index;      /* settled when this is committed */
    size_t bytes;        /* of its record; 0 when there is none */
    struct session *session;
    uint64_t sequence;
    struct asker asker;
    struct log_point point; /* when there is a record */
};

/* A view that cursors read. */
struct pinned {
    uint64_t view;
    int64_t deadline_ms; /* without use it goes then */
    uint32_t cursors;
};

struct views {
    struct pinned pinned[STORE_PINS_MAX]; /* in the order of their last use */
    uint32_t pinned_count;
    int64_t published_at_ms;
    int64_t publish_by_ms; /* somebody wants a change to be visible by then; INT64_MAX = nobody */
    uint64_t published;
    uint64_t cursors_expired;
};

/* Expired entries of a cache. */
struct expired_cache {
    uint32_t cache;
    uint64_t count;
};

struct expired {
    struct alloc *alloc;
    struct ring runs;             /* those in EXPIRE records not committed yet */
    struct expired_cache *caches; /* ascending by id */
    size_t cache_count;
    size_t cache_capacity;
    uint64_t count; /* of all caches */
};

/* The state as octets on its way out. */
struct snapshot_walk {
    bool begun;
    uint64_t view;
    uint32_t tag;   /* where it stands */
    uint32_t cache; /* with `key` */
    uint8_t *key;   /* owned */
    size_t key_size;
    size_t key_capacity;
    uint64_t items;
    uint64_t digest;
};

/* And on its way in. */
struct restore {
    bool begun; /* and not finished */
    struct replica_snapshot snapshot;
    struct session *session; /* the last one */
    uint64_t items;
    uint64_t digest;
};

/* -- replication -- */

/* Which epochs the log has records of, and the index each began with (B.5): the newest. */
struct epochs {
    struct alloc *alloc;
    struct wire_epoch *list; /* ascending */
    size_t count;
    size_t capacity;
};

/* Newest records of a leader's log, encoded back to back, for those that follow closely. A cache:
 * who needs older ones reads the log. */
struct tail {
    struct alloc *alloc;
    uint8_t *data;
    size_t begin; /* of the first record's octets in `data` */
    size_t end;
    size_t capacity;
    uint64_t first;   /* its index; the others follow */
    struct ring ends; /* uint64_t: offsets behind each record, counted on and on */
    uint64_t base;    /* such an offset of `data[begin]` */
};

enum member_state {
    MEMBER_PROBING,  /* has not answered NEW_EPOCH of this epoch */
    MEMBER_SENDING,  /* gets records from the tail */
    MEMBER_READING,  /* too far behind: the host reads the log for it */
    MEMBER_SNAPSHOT, /* further behind than the log reaches */
};

/* Another copy, as its leader knows it. */
struct member {
    uint32_t node;
    uint32_t incarnation; /* that answered NEW_EPOCH */
    enum member_state state;
    uint64_t match;      /* durable there, under this epoch and incarnation */
    uint64_t next;       /* to be sent */
    uint64_t told;       /* commit index that was sent last */
    uint64_t read_round; /* highest READ_INDEX it has confirmed */
    int64_t moved_ms;    /* had everything, or made progress */
    int64_t sent_ms;
    int64_t backoff_ms; /* before it may be added again */
    int64_t rejoin_ms;
    bool faulty; /* disk full or damaged: remove it at once */
};

/* A read that waits until the leadership is confirmed. */
struct reading {
    uint64_t round;
    uint64_t route;
    uint64_t op_id;
    int64_t since_ms;
    int64_t deadline_ms;
    uint32_t kind; /* GET or CONTAINS; otherwise a decision without effects */
    uint32_t cache;
    uint8_t *key; /* owned */
    size_t key_size;
    struct client_id client; /* of the decision */
    uint64_t session;
    uint64_t sequence;
};

/* What only a leader has. */
struct lead {
    struct member members[CONFIGURATION_REPLICAS_MAX]; /* by place in the configuration */
    struct tail tail;
    replica_set pending; /* being added: counts like the ISR until another configuration comes */
    bool proposing;      /* a change is on its way */
    int64_t proposed_ms;
    bool start_durable; /* its EPOCH_START is on disk: others may be told of the epoch */
    bool released;      /* the leader before has said that it answers nothing more */
    struct ring reads;
    uint64_t round;         /* of READ_INDEX, sent last */
    uint64_t confirm_round; /* asked of the coordination service and not answered; 0 = none */
    int64_t round_ms;
};

/* What only a follower has. */
struct follow {
    uint64_t synced; /* the log is a prefix of that of this epoch's leader; 0 = not known */
    uint32_t leader; /* who sends */
    uint32_t leader_incarnation;
    uint64_t promising; /* this epoch's PROMISE is not on disk yet */
    bool ack_epoch;     /* answer NEW_EPOCH once it is */
    bool needs_snapshot;
    bool ack; /* tell the leader how far it is */
};

struct replica {
    struct replica_options options;
    struct tally entry_memory;
    struct tally table_memory;
    struct store *store;
    struct sessions sessions;
    struct ring flights;
    uint64_t first_ticket; /* of the front flight */
    struct views views;
    struct expired expired;
    struct snapshot_walk walk;
    struct restore restore;

    struct replica_action *actions;
    size_t action_count;
    size_t action_capacity;
    struct buf scratch; /* octets that the actions of this step point to */

    enum replica_role role;
    uint64_t epoch; /* of the newest configuration or record */
    uint32_t lineage;
    uint32_t leader; /* 0 = none known */
    struct configuration configuration;
    uint64_t promised; /* nothing of a lower epoch is taken */
    struct epochs epochs;
    struct lead *lead; /* OPENING and LEADING; otherwise NULL */
    struct follow follow;
    int64_t lease_until_ms; /* of this step */
    int64_t granted_until_ms;
    bool coordinator_away;
    /* How new the state is (B.12): proofs that were, and is not yet, reached by what is applied. */
    int64_t proved_ms;
    uint64_t proof_index;
    int64_t proof_ms;
    const char *alarm; /* why it is FAULTED */
    uint64_t last_index;
    uint64_t commit_index;
    uint64_t durable_index;
    uint64_t opened_index;   /* of this epoch's EPOCH_START */
    uint64_t restored_index; /* the records up to it are those of a snapshot */
    size_t uncommitted_bytes;

    struct log_point last;      /* after record `last_index` */
    struct log_point committed; /* after record `commit_index` */
    /* Log time runs from `log_base_ms`, which stands for the moment `opened_at_ms`. */
    int64_t log_base_ms;
    int64_t opened_at_ms;
    int64_t now_ms;           /* of this step */
    int64_t next_deadline_ms; /* no awaited flight is due before */
};

/* -- actions.c: what a step hands out -- */

/* Make sure that `more` actions can be added. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status actions_reserve(struct replica *replica, size_t more);

/* Begin a step: forget the actions and octets of the last one, give large blocks back. */
void actions_begin(struct replica *replica);

/* The step has ended: point to the octets of records that a leader appended. */
void actions_finish(struct replica *replica);

/* Room for `size` octets in the empty scratch. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status scratch_reserve(struct replica *replica, size_t size);
void scratch_release(struct replica *replica);

/* Add an action; room must have been reserved. */
void actions_append(struct replica *replica, const struct record *record);
struct wire_result *actions_reply(struct replica *replica, uint64_t route, uint64_t op_id,
                                  enum qn_status status);

/* Add an action; false without memory. What must not fail is reserved before. */
struct replica_action *actions_add(struct replica *replica, enum replica_action_kind kind);
void actions_send(struct replica *replica, uint32_t to, uint32_t to_incarnation,
                  const struct wire_peer *peer);

/* -- epochs.c -- */

void epochs_init(struct epochs *epochs, struct alloc *alloc);
void epochs_fini(struct epochs *epochs);
QN_MUST_USE enum qn_status epochs_reserve(struct epochs *epochs);
void epochs_note(struct epochs *epochs, uint64_t epoch, uint64_t first);
void epochs_cut(struct epochs *epochs, uint64_t last); /* the log ends with record `last` */

/* Epoch of a record; 0 for index 0, UINT64_MAX when it is older than what is kept. */
uint64_t epochs_at(const struct epochs *epochs, uint64_t index);

/* Up to which record two logs are the same (B.9): they part behind it. `last` and `other_last` are
 * their ends. UINT64_MAX: what is kept of them does not tell. */
uint64_t epochs_common(const struct epochs *epochs, uint64_t last, const struct wire_epoch *other,
                       size_t other_count, uint64_t other_last);

/* -- tail.c -- */

void tail_init(struct tail *tail, struct alloc *alloc, uint64_t next);
void tail_fini(struct tail *tail);

/* Encode the next record behind the others. False: no memory, the tail begins anew behind it. */
bool tail_add(struct tail *tail, const struct record *record, struct bytes *octets);

/* Octets of records from `index` on, as many as fit into `size_max` but at least one; `*last` the
 * last of them. Empty when the tail does not have `index`. */
struct bytes tail_records(const struct tail *tail, uint64_t index, size_t size_max, uint64_t *last);

/* Records up to `index` may go, once the tail is large. */
void tail_trim(struct tail *tail, uint64_t index);

/* -- undo.c -- */

/* Records above `index` never happened: at or above what is committed. */
void undo_to(struct replica *replica, uint64_t index);

/* Whoever waits is told that nobody knows; what has no record is forgotten. */
void undo_leadership(struct replica *replica, const char *why);

/* -- configure.c -- */

QN_MUST_USE enum qn_status configure_step(struct replica *replica,
                                          const struct replica_event *event);

/* Lead no more. */
void configure_step_down(struct replica *replica, const char *why);

/* Tell the host what grants/leases rest on. Reserve one action. */
void configure_lease(struct replica *replica);

/* Stop for good; `why` is for people. */
void replica_fail(struct replica *replica, const char *why);

/* -- lead.c -- */

QN_MUST_USE enum qn_status lead_create(struct replica *replica, struct lead **lead);
void lead_destroy(struct replica *replica);
/* Members as the configuration has them now; those that stay keep what is known of them. */
void lead_remap(struct replica *replica, const struct configuration *before);
void lead_durable(struct replica *replica, uint64_t epoch, uint64_t index);
/* B.7.5, and open when all is there. */
void lead_advance(struct replica *replica);
void lead_flush(struct replica *replica);
void lead_tick(struct replica *replica);
void lead_receive(struct replica *replica, const struct replica_event *event);
void lead_records(struct replica *replica, const struct replica_event *event);
/* A process with this incarnation has begun on that node: probe it. */
void lead_restarted(struct replica *replica, uint32_t node, uint32_t incarnation);
/* Probe the members that were being added: they may be others than thought. */
void lead_probe_pending(struct replica *replica);
void lead_transferred(struct replica *replica, uint32_t node);
/* Why a write is refused before it is appended (B.7.3); QN_OK: it is not. */
enum qn_status lead_refuses(const struct replica *replica, const char **text);
/* No lease that this node has given to an older leader can run any more (B.9.5). */
bool lead_has_waited(const struct replica *replica);
/* Everybody who could be elected next, without this copy (B.12). */
replica_set lead_electors(const struct replica *replica, bool for_lease);

/* -- propose.c: changes of the configuration that a leader wants -- */

void propose_tick(struct replica *replica);
void propose_ended(struct replica *replica, enum qn_status status);

/* -- confirm.c: reads that must be the latest -- */

bool confirm_leased(const struct replica *replica);
/* QN_OVERLOADED, QN_MEMORY_FULL: it does not wait. */
QN_MUST_USE enum qn_status confirm_wait(struct replica *replica, const struct reading *reading,
                                        struct bytes key);
void confirm_received(struct replica *replica, uint32_t node, uint64_t round);
void confirm_answered(struct replica *replica, const struct replica_event *event);
void confirm_flush(struct replica *replica);
void confirm_tick(struct replica *replica);
void confirm_end(struct replica *replica, enum qn_status status, const char *why);

/* -- follow.c -- */

void follow_receive(struct replica *replica, const struct replica_event *event);
void follow_promised(struct replica *replica, uint64_t epoch);
void follow_flush(struct replica *replica);

/* -- request.c -- */

/* Answer a GET or CONTAINS from the committed state. */
void request_answer(struct replica *replica, uint64_t route, uint64_t op_id, uint32_t kind,
                    uint32_t cache, struct bytes key);

/* -- apply.c: what records do, on the leader and in recovery alike -- */

/* Take a record as the next one of the log, not committed yet. Afterwards its commit and the answer
 * to `asker` (NULL: nobody waits) need no memory.
 *
 * QN_CORRUPT      it makes no sense after the records before it; nothing changed
 * QN_MEMORY_FULL  nothing changed */
QN_MUST_USE enum qn_status apply_stage(struct replica *replica, const struct record *record,
                                       const struct asker *asker);

/* The same for a record whose effects are staged already, after `apply_reserve_flight`: never
 * fails. Its flight. */
struct flight *apply_staged(struct replica *replica, const struct record *record,
                            const struct asker *asker);

/* Wait with a decision until everything staged so far is committed. Reserve with
 * `apply_reserve_flight`. */
QN_MUST_USE enum qn_status apply_reserve_flight(struct replica *replica);
void apply_wait(struct replica *replica, struct session *session, struct outcome *outcome,
                const struct asker *asker);

/* Tell the asker what becomes of a waiting outcome, beside whoever is told already. Reserve with
 * `apply_reserve_flight`. */
void apply_ask(struct replica *replica, struct session *session, uint64_t sequence,
               const struct asker *asker);

/* The flight of a ticket. */
struct flight *apply_flight(const struct replica *replica, uint64_t ticket);

/* An asker joins a flight: the latest one gets the answer. */
void apply_attach(struct replica *replica, struct flight *flight, const struct asker *asker);

/* -- settle.c: what commits do -- */

/* Everything up to `index` is committed: apply, then answer. Needs no memory. */
void apply_commit(struct replica *replica, uint64_t index);

/* Answer a settled outcome. */
void apply_reply_outcome(struct replica *replica, uint64_t route, uint64_t op_id,
                         const struct outcome *outcome);

/* Answer a decision without effects: at once while a lease holds, else when it is confirmed that
 * this copy still leads. */
void apply_tell_decision(struct replica *replica, const struct session *session,
                         const struct outcome *outcome, const struct asker *asker);

/* Answer INDETERMINATE to every awaited flight whose deadline is at or before `now_ms`. */
void apply_give_up(struct replica *replica, int64_t now_ms, const char *why);

/* -- request_check.c, request.c -- */

/* May this request be looked at at all? In the order of B.7.1: role, epoch, form, identity,
 * deadline. Otherwise the status to refuse it with, and in `*text` why and what to do. */
QN_MUST_USE enum qn_status request_check(const struct replica *replica,
                                         const struct replica_event *event, const char **text);

/* One operation of a client; always adds a reply or something that will be answered. */
void request_step(struct replica *replica, const struct replica_event *event);

/* -- upkeep.c: records that a leader writes of its own -- */

/* End idle sessions, remove expired entries. Stops early without memory: the next TICK goes on. */
void upkeep_tick(struct replica *replica, const struct replica_event *event);

/* A cache does not exist any more: clear what it has. QN_MEMORY_FULL: nothing was done. */
QN_MUST_USE enum qn_status upkeep_drop(struct replica *replica, const struct replica_event *event);

/* -- expired.c: how many entries of which cache have expired -- */

void expired_init(struct expired *expired, struct alloc *alloc);
void expired_fini(struct expired *expired);

/* Make room to count one more entry. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status expired_reserve(struct expired *expired, uint32_t cache);

/* Record `index` removes an entry of `cache`; room was reserved. */
void expired_stage(struct expired *expired, uint64_t index, uint32_t cache);

/* Everything up to record `index` is committed. */
void expired_commit(struct expired *expired, uint64_t index);

/* The records above `index` never happened. */
void expired_undo(struct expired *expired, uint64_t index);

uint64_t expired_count(const struct expired *expired, uint32_t cache);

/* -- views.c -- */

/* Soft commit: show everything committed. Needs no memory. */
void views_publish(struct replica *replica);

/* The same if the view does not show record `index`. */
void views_show(struct replica *replica, uint64_t index);

/* Somebody wants everything committed now to be visible by then. */
void views_show_by(struct replica *replica, int64_t by_ms);

/* Publish what is due, let go of views that rest too long or cost too much. */
void views_tick(struct replica *replica);

/* Let go of views that rest too long. */
void views_expire(struct replica *replica);

/* Hold a readable view for the next answer of a cursor. `fresh`: this is its first. QN_OVERLOADED:
 * too many others are held. */
QN_MUST_USE enum qn_status views_keep(struct replica *replica, uint64_t view, bool fresh);

/* Forget all of them: the store is emptied. */
void views_fini(struct replica *replica);

/* A cursor that held this view has reached the end. */
void views_leave(struct replica *replica, uint64_t view);

/* -- replica.c -- */

/* Is it the one record that may come next? */
bool replica_continues(const struct replica *replica, const struct record *record);

/* How old this state may be at most, milliseconds; -1 = not known (B.12). */
int64_t replica_staleness_ms(const struct replica *replica);

/* Change the role; the transition must be one of the drawing in replica.h. */
void replica_move(struct replica *replica, enum replica_role to);

/* Too much on its way to disk for `more` octets? A record larger than the limit passes alone. */
bool replica_over_limit(const struct replica *replica, size_t more);

/* Has this entry's time come at a partition time? NULL allowed: no. */
static inline bool replica_expired(const struct entry *entry, int64_t wall_time_ms)
{
    return entry && entry_expires_at_ms(entry) <= wall_time_ms;
}

/* Milliseconds until an entry expires, at least 1; 0 = never. */
int64_t replica_ttl_left(const struct replica *replica, const struct entry *entry);

/* Time of the log at the moment `now_ms`. */
int64_t replica_log_time(const struct replica *replica, int64_t now_ms);

/* The next record of this replica's log, without body. */
struct record replica_next_record(const struct replica *replica, enum record_type type,
                                  const struct replica_event *event);

#endif
