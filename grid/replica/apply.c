#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    FLIGHTS_KEPT_BYTES = 8192 /* of an empty ring of flights */
};

enum qn_status apply_reserve_flight(struct replica *replica)
{
    enum qn_status status = ring_reserve(&replica->flights, 1);

    /* Each flight may be answered in one and the same step, after what that step does itself. */
    return status == QN_OK ? actions_reserve(replica, replica->flights.count + 3) : status;
}

static struct flight *push(struct replica *replica, const struct stage_request *request)
{
    struct flight *flight = ring_push(&replica->flights);

    if (request && request->awaited) {
        flight->awaited = true;
        flight->route = request->route;
        flight->op_id = request->op_id;
        flight->deadline_ms = request->deadline_ms;
        if (request->deadline_ms < replica->next_deadline_ms) {
            replica->next_deadline_ms = request->deadline_ms;
        }
    }
    return flight;
}

static uint64_t next_ticket(const struct replica *replica)
{
    return replica->first_ticket + replica->flights.count;
}

struct flight *apply_flight(const struct replica *replica, uint64_t ticket)
{
    return ring_at(&replica->flights, (size_t)(ticket - replica->first_ticket));
}

/* Stage all effects or none. */
static enum qn_status stage_effects(struct replica *replica, const struct record *record)
{
    struct bytes left = record->effects;
    struct effect effect;
    enum qn_status status;

    while ((status = effect_next(&left, &effect)) == QN_OK) {
        status = effect.key.size > 0 ? store_stage(replica->store, &effect, record->index)
                                     : QN_MALFORMED;
        if (status != QN_OK) {
            break;
        }
    }
    if (status == QN_ABSENT) {
        return QN_OK;
    }
    store_rollback(replica->store, replica->last_index);
    return status == QN_MALFORMED ? QN_CORRUPT : status;
}

static enum qn_status stage_write(struct replica *replica, const struct record *record,
                                  struct session **session)
{
    struct sessions *sessions = &replica->sessions;
    struct session *found = sessions_find(sessions, &record->client, record->session);
    struct outcome *outcome;
    struct result result;

    if (!found || record->sequence == 0 || session_outcome(found, record->sequence) ||
        result_decode(record->result, &result) != QN_OK) {
        return QN_CORRUPT;
    }
    enum qn_status status = stage_effects(replica, record);
    if (status != QN_OK) {
        return status;
    }
    status = session_add_outcome(sessions, found, record->sequence, &result, &outcome);
    if (status != QN_OK) {
        store_rollback(replica->store, replica->last_index);
        return status;
    }
    outcome->index = record->index;
    outcome->epoch = record->epoch;
    outcome->version = record->index;
    outcome->logged = true;
    outcome->ticket = next_ticket(replica);
    session_advance(sessions, found, record->first_incomplete);
    sessions_touch(sessions, found, record->log_time_ms);
    *session = found;
    return QN_OK;
}

static enum qn_status stage_open(struct replica *replica, const struct record *record,
                                 struct session **session)
{
    enum qn_status status = sessions_add(&replica->sessions, &record->client, record->index,
                                         record->log_time_ms, session);

    if (status == QN_OK) {
        (*session)->ticket = next_ticket(replica);
    }
    return status;
}

static enum qn_status stage_end(struct replica *replica, const struct record *record,
                                struct session **session)
{
    struct session *found = sessions_find(&replica->sessions, &record->client, record->session);

    if (!found) {
        return QN_CORRUPT;
    }
    found->state = SESSION_ENDING;
    *session = found;
    return QN_OK;
}

static enum qn_status stage(struct replica *replica, const struct record *record,
                            struct session **session)
{
    switch ((enum record_type)record->type) {
    case RECORD_EPOCH_START:
        replica->epoch_began_ms = record->log_time_ms;
        sessions_forget_unlogged(&replica->sessions);
        return QN_OK;
    case RECORD_WRITE:
        return stage_write(replica, record, session);
    case RECORD_SESSION_OPEN:
        return stage_open(replica, record, session);
    case RECORD_SESSION_END:
        return stage_end(replica, record, session);
    }
    return QN_CORRUPT;
}

enum qn_status apply_stage(struct replica *replica, const struct record *record,
                           const struct stage_request *request)
{
    struct session *session = NULL;
    enum qn_status status = apply_reserve_flight(replica);

    if (status == QN_OK) {
        status = stage(replica, record, &session);
    }
    if (status != QN_OK) {
        return status;
    }
    struct flight *flight = push(replica, request);
    flight->kind = (enum flight_kind)record->type;
    flight->index = record->index;
    flight->bytes = record_size(record);
    flight->session = session;
    flight->sequence = record->sequence;
    replica->uncommitted_bytes += flight->bytes;
    replica->last_index = record->index;
    replica->record_epoch = record->epoch;
    replica->log_time_ms = record->log_time_ms;
    replica->wall_time_ms = record->wall_time_ms;
    return QN_OK;
}

void apply_wait(struct replica *replica, struct session *session, struct outcome *outcome,
                const struct stage_request *request)
{
    outcome->ticket = next_ticket(replica);
    struct flight *flight = push(replica, request);
    flight->kind = FLIGHT_DECISION;
    flight->index = replica->last_index;
    flight->session = session;
    flight->sequence = outcome->sequence;
}

void apply_reply_outcome(struct replica *replica, uint64_t route, uint64_t op_id,
                         const struct outcome *outcome)
{
    struct wire_result *result =
        actions_reply(replica, route, op_id, (enum qn_status)outcome->status);

    result->epoch = outcome->epoch;
    result->index = outcome->index;
    result->version = outcome->version;
    result->has_value = outcome->has_value;
    result->value_flags = outcome->value_flags;
    result->value = bytes_of(outcome->value, outcome->value_size);
    if (outcome->status == QN_TOO_LARGE) {
        result->text = bytes_of_text("the old value is too large to be returned: read it with get, "
                                     "then change the entry without asking for the old value");
    }
}

static void settle_outcome(struct replica *replica, const struct flight *flight)
{
    struct outcome *outcome = session_outcome(flight->session, flight->sequence);

    qn_assert(outcome && outcome->waiting);
    outcome->waiting = false;
    if (!outcome->logged) {
        outcome->index = replica->commit_index;
        outcome->epoch = replica->epoch;
    }
    if (flight->awaited) {
        apply_reply_outcome(replica, flight->route, flight->op_id, outcome);
    } else if (flight->sequence < flight->session->first_incomplete) {
        session_drop_outcome(&replica->sessions, flight->session, flight->sequence);
    }
}

static void settle_open(struct replica *replica, const struct flight *flight)
{
    flight->session->state = SESSION_OPEN;
    if (flight->awaited) {
        actions_reply(replica, flight->route, flight->op_id, QN_OK)->session = flight->session->id;
    }
}

static void settle(struct replica *replica, const struct flight *flight)
{
    switch (flight->kind) {
    case FLIGHT_EPOCH_START:
        break;
    case FLIGHT_WRITE:
    case FLIGHT_DECISION:
        settle_outcome(replica, flight);
        break;
    case FLIGHT_SESSION_OPEN:
        settle_open(replica, flight);
        break;
    case FLIGHT_SESSION_END:
        sessions_remove(&replica->sessions, flight->session);
        break;
    }
    qn_assert(replica->uncommitted_bytes >= flight->bytes);
    replica->uncommitted_bytes -= flight->bytes;
}

void apply_commit(struct replica *replica, uint64_t index)
{
    qn_assert(index >= replica->commit_index && index <= replica->last_index);
    replica->commit_index = index;
    store_commit(replica->store, index);
    while (replica->flights.count > 0) {
        const struct flight *flight = ring_at(&replica->flights, 0);
        if (flight->index > index) {
            return;
        }
        settle(replica, flight);
        ring_pop_front(&replica->flights);
        replica->first_ticket++;
    }
    ring_trim(&replica->flights, FLIGHTS_KEPT_BYTES);
}

void apply_give_up(struct replica *replica, int64_t now_ms, const char *why)
{
    int64_t next_ms = INT64_MAX;

    if (now_ms < replica->next_deadline_ms) {
        return;
    }
    for (size_t i = 0; i < replica->flights.count; i++) {
        struct flight *flight = ring_at(&replica->flights, i);
        if (flight->awaited && flight->deadline_ms <= now_ms) {
            flight->awaited = false;
            actions_reply(replica, flight->route, flight->op_id, QN_INDETERMINATE)->text =
                bytes_of_text(why);
        } else if (flight->awaited && flight->deadline_ms < next_ms) {
            next_ms = flight->deadline_ms;
        }
    }
    replica->next_deadline_ms = next_ms;
}
