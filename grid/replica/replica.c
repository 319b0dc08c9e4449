#include "grid/replica/replica.h"

#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    SESSION_ENDS_MAX = 64, /* per TICK, so that many idle clients do not hold the others up */
};

static void move(struct replica *replica, enum replica_role to)
{
    static const unsigned allowed[] = {
        [REPLICA_SCAN] = 1u << REPLICA_SCAN | 1u << REPLICA_OPENING | 1u << REPLICA_FAULTED,
        [REPLICA_OPENING] = 1u << REPLICA_OPENING | 1u << REPLICA_LEADING | 1u << REPLICA_SCAN |
                            1u << REPLICA_FAULTED,
        [REPLICA_LEADING] = 1u << REPLICA_OPENING | 1u << REPLICA_SCAN | 1u << REPLICA_FAULTED,
        [REPLICA_FAULTED] = 1u << REPLICA_FAULTED,
    };

    qn_assert(allowed[replica->role] & 1u << to);
    replica->role = to;
}

int64_t replica_log_time(const struct replica *replica, int64_t now_ms)
{
    int64_t log_ms = replica->log_base_ms + (now_ms - replica->opened_at_ms);

    return log_ms > replica->log_time_ms ? log_ms : replica->log_time_ms;
}

struct record replica_next_record(const struct replica *replica, enum record_type type,
                                  const struct replica_event *event)
{
    return (struct record){
        .type = (uint8_t)type,
        .partition = replica->options.partition,
        .epoch = replica->epoch,
        .index = replica->last_index + 1,
        .prev_epoch = replica->record_epoch,
        .log_time_ms = replica_log_time(replica, event->now_ms),
        .wall_time_ms =
            event->wall_ms > replica->wall_time_ms ? event->wall_ms : replica->wall_time_ms,
    };
}

enum qn_status replica_create(const struct replica_options *options, struct replica **replica)
{
    struct replica *made = alloc_get_zeroed(options->alloc, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->options = *options;
    made->next_deadline_ms = INT64_MAX;
    made->wall_time_ms = INT64_MIN;
    tally_init(&made->entry_memory, options->alloc);
    tally_init(&made->table_memory, options->alloc);
    sessions_init(&made->sessions, &made->table_memory.alloc);
    ring_init(&made->flights, options->alloc, sizeof(struct flight));
    if (store_create(&made->entry_memory.alloc, &made->store) != QN_OK ||
        actions_reserve(made, 1) != QN_OK) {
        goto fail;
    }
    *replica = made;
    return QN_OK;

fail:
    replica_destroy(made);
    return QN_MEMORY_FULL;
}

void replica_destroy(struct replica *replica)
{
    if (!replica) {
        return;
    }
    struct alloc *alloc = replica->options.alloc;
    store_destroy(replica->store);
    sessions_fini(&replica->sessions);
    ring_fini(&replica->flights);
    scratch_release(replica);
    alloc_put(alloc, replica->actions, replica->action_capacity * sizeof *replica->actions);
    qn_assert(replica->entry_memory.alloc.bytes == 0);
    qn_assert(replica->table_memory.alloc.bytes == 0);
    alloc_put(alloc, replica, sizeof *replica);
}

/* Is it the one record that may come next? */
static bool continues(const struct replica *replica, const struct record *record)
{
    bool begins = record->type == RECORD_EPOCH_START;

    return record->partition == replica->options.partition &&
           record->index == replica->last_index + 1 &&
           record->prev_epoch == replica->record_epoch &&
           (begins ? record->epoch > replica->record_epoch
                   : record->epoch == replica->record_epoch && record->epoch > 0) &&
           record->log_time_ms >= replica->log_time_ms &&
           record->wall_time_ms >= replica->wall_time_ms;
}

enum qn_status replica_recover(struct replica *replica, const struct record *record)
{
    qn_assert(replica->role == REPLICA_FAULTED || replica->leader == 0);
    actions_begin(replica);
    if (replica->role == REPLICA_FAULTED || !continues(replica, record)) {
        return QN_CORRUPT;
    }
    enum qn_status status = apply_stage(replica, record, NULL);
    if (status != QN_OK) {
        return status;
    }
    /* A single copy: what its own log has on disk is committed. */
    replica->durable_index = record->index;
    replica->epoch = record->epoch;
    replica->log_base_ms = record->log_time_ms;
    apply_commit(replica, record->index);
    return QN_OK;
}

/* -- events -- */

/* B.9, steps 2 to 4, for a single copy. */
static enum qn_status open_epoch(struct replica *replica, const struct replica_event *event)
{
    struct record record = replica_next_record(replica, RECORD_EPOCH_START, event);

    record.epoch = event->epoch;
    if (replica->role == REPLICA_SCAN) {
        /* The log's time stood still while there was no leader. */
        record.log_time_ms = replica->log_time_ms;
    }
    enum qn_status status = apply_stage(replica, &record, NULL);
    if (status != QN_OK) {
        return status;
    }
    move(replica, REPLICA_OPENING);
    replica->opened_index = record.index;
    replica->log_base_ms = record.log_time_ms;
    replica->opened_at_ms = event->now_ms;
    actions_append(replica, &record);
    return QN_OK;
}

static enum qn_status on_configuration(struct replica *replica, const struct replica_event *event)
{
    enum qn_status status = QN_OK;

    if (event->epoch <= replica->epoch) {
        return QN_OK;
    }
    if (replica->role == REPLICA_FAULTED) {
        /* Takes no part, but its refusals are stamped with the epoch in force: clients ignore older
         * ones. */
    } else if (event->leader == replica->options.node) {
        status = open_epoch(replica, event);
    } else {
        /* Nothing commits here any more, so nobody can be told how it ended. */
        move(replica, REPLICA_SCAN);
        apply_give_up(replica, INT64_MAX, "the partition has another leader now: ask again");
    }
    if (status == QN_OK) {
        replica->epoch = event->epoch;
        replica->lineage = event->lineage;
        replica->leader = event->leader;
    }
    return status;
}

/* B.7.5 with ISR = {me}. */
static void on_durable(struct replica *replica, uint64_t index)
{
    qn_assert(index <= replica->last_index);
    if (index > replica->durable_index) {
        replica->durable_index = index;
    }
    if (replica->role != REPLICA_OPENING && replica->role != REPLICA_LEADING) {
        return;
    }
    if (replica->durable_index < replica->opened_index ||
        replica->durable_index == replica->commit_index) {
        return;
    }
    apply_commit(replica, replica->durable_index);
    if (replica->role == REPLICA_OPENING) {
        move(replica, REPLICA_LEADING);
    }
}

static bool has_waiting(const struct session *session)
{
    for (size_t i = 0; i < session->outcome_count; i++) {
        if (session->outcomes[i].waiting) {
            return true;
        }
    }
    return false;
}

static bool idle(const struct replica *replica, const struct session *session, int64_t log_ms)
{
    int64_t since_ms = session->traffic_ms > replica->epoch_began_ms ? session->traffic_ms
                                                                     : replica->epoch_began_ms;

    return log_ms - since_ms >= replica->options.limits.session_ttl_ms;
}

/* Append the end of one session. False: no memory now, the next TICK tries again. */
static bool end_session(struct replica *replica, const struct session *session,
                        const struct replica_event *event)
{
    struct record record = replica_next_record(replica, RECORD_SESSION_END, event);

    record.client = session->client;
    record.session = session->id;
    if (apply_stage(replica, &record, NULL) != QN_OK) {
        return false;
    }
    actions_append(replica, &record);
    return true;
}

static void end_idle_sessions(struct replica *replica, const struct replica_event *event)
{
    int64_t log_ms = replica_log_time(replica, event->now_ms);
    int left = SESSION_ENDS_MAX;

    for (struct session *s = replica->sessions.oldest, *newer; s && left > 0; s = newer) {
        newer = s->newer;
        if (!idle(replica, s, log_ms)) {
            return;
        }
        if (s->state == SESSION_OPEN && !has_waiting(s)) {
            left--;
            if (!end_session(replica, s, event)) {
                return;
            }
        }
    }
}

static void on_tick(struct replica *replica, const struct replica_event *event)
{
    apply_give_up(replica, event->now_ms,
                  "not on disk before the deadline: repeat it under the same sequence number");
    if (replica->role == REPLICA_LEADING) {
        end_idle_sessions(replica, event);
    }
}

static void on_fault(struct replica *replica)
{
    move(replica, REPLICA_FAULTED);
    apply_give_up(replica, INT64_MAX, "the partition's log failed before the answer");
}

enum qn_status replica_step(struct replica *replica, const struct replica_event *event,
                            struct replica_actions *actions)
{
    enum qn_status status = QN_OK;

    actions_begin(replica);
    switch (event->kind) {
    case REPLICA_CONFIGURATION:
        status = on_configuration(replica, event);
        break;
    case REPLICA_REQUEST:
        request_step(replica, event);
        break;
    case REPLICA_DURABLE:
        on_durable(replica, event->durable_index);
        break;
    case REPLICA_TICK:
        on_tick(replica, event);
        break;
    case REPLICA_FAULT:
        on_fault(replica);
        break;
    }
    if (status == QN_OK) {
        *actions =
            (struct replica_actions){.list = replica->actions, .count = replica->action_count};
    }
    return status;
}

void replica_stats(const struct replica *replica, struct replica_stats *stats)
{
    *stats = (struct replica_stats){
        .role = replica->role,
        .epoch = replica->epoch,
        .lineage = replica->lineage,
        .last_index = replica->last_index,
        .commit_index = replica->commit_index,
        .entries = store_count_all(replica->store),
        .entry_bytes = replica->entry_memory.alloc.bytes,
        .table_bytes = replica->table_memory.alloc.bytes,
        .uncommitted_bytes = replica->uncommitted_bytes,
        .sessions = replica->sessions.count,
    };
}
