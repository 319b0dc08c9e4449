#include "wire/assert.h"

#include "grid/replica/state.h"

enum qn_status apply_reserve_flight(struct replica *replica)
{
    /* One, and one that asks what becomes of it. */
    enum qn_status status = ring_reserve(&replica->flights, 2);

    /* Each flight may be answered in one and the same step, after what that step does itself. */
    return status == QN_OK ? actions_reserve(replica, replica->flights.count + 4) : status;
}

void apply_attach(struct replica *replica, struct flight *flight, const struct asker *asker)
{
    struct asker before = flight->asker;

    flight->asker = *asker;
    flight->asker.count = before.count;
    flight->asker.visible |= before.visible;
    if (before.visible_by_ms < asker->visible_by_ms) {
        flight->asker.visible_by_ms = before.visible_by_ms;
    }
    if (asker->awaited && asker->deadline_ms < replica->next_deadline_ms) {
        replica->next_deadline_ms = asker->deadline_ms;
    }
}

static struct flight *push(struct replica *replica, enum flight_kind kind, uint64_t index,
                           const struct asker *asker)
{
    struct flight *flight = ring_push(&replica->flights);

    flight->kind = kind;
    flight->index = index;
    flight->asker.visible_by_ms = INT64_MAX;
    if (asker) {
        flight->asker.count = asker->count;
        apply_attach(replica, flight, asker);
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

/* May a record of this type have this effect? */
static bool fits(const struct record *record, const struct effect *effect)
{
    bool clear = effect->kind == EFFECT_CLEAR;

    if (clear != (effect->key.size == 0) || effect->cache == 0) {
        return false;
    }
    switch ((enum record_type)record->type) {
    case RECORD_EXPIRE:
        return effect->kind == EFFECT_REMOVE;
    case RECORD_CLEAR:
        return clear;
    case RECORD_WRITE:
        return true;
    case RECORD_EPOCH_START:
    case RECORD_SESSION_OPEN:
    case RECORD_SESSION_END:
    case RECORD_PROMISE:
    case RECORD_TRUNCATE:
    case RECORD_INSTALLED:
        break;
    }
    return false;
}

static enum qn_status stage_effect(struct replica *replica, const struct record *record,
                                   const struct effect *effect)
{
    enum qn_status status = QN_CORRUPT;

    if (fits(record, effect)) {
        status = store_stage(replica->store, effect, record->index);
    }
    return status == QN_ABSENT ? QN_CORRUPT : status; /* TOUCH of nothing */
}

/* Stage all effects or none. */
static enum qn_status stage_effects(struct replica *replica, const struct record *record,
                                    struct effect *last)
{
    struct bytes left = record->effects;
    enum qn_status status;

    while ((status = effect_next(&left, last)) == QN_OK) {
        status = stage_effect(replica, record, last);
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

/* The session that a record names. Its own record may not be committed yet: only the leader waits
 * for that. */
static struct session *session_of(const struct replica *replica, const struct record *record)
{
    struct session *found = sessions_find_any(&replica->sessions, &record->client);

    return found && found->id == record->session ? found : NULL;
}

static enum qn_status stage_write(struct replica *replica, const struct record *record,
                                  struct effect *last, struct session **session)
{
    struct sessions *sessions = &replica->sessions;
    struct session *found = session_of(replica, record);
    struct outcome *outcome;
    struct result result;

    if (!found || record->sequence == 0 || session_outcome(found, record->sequence) ||
        result_decode(record->result, &result) != QN_OK) {
        return QN_CORRUPT;
    }
    enum qn_status status = stage_effects(replica, record, last);
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
    outcome->version = result.status == QN_OK ? record->index : 0;
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
    struct session *found = session_of(replica, record);

    if (!found) {
        return QN_CORRUPT;
    }
    found->state = SESSION_ENDING;
    *session = found;
    return QN_OK;
}

static enum qn_status stage(struct replica *replica, const struct record *record,
                            struct effect *last, struct session **session)
{
    switch ((enum record_type)record->type) {
    case RECORD_EPOCH_START:
        sessions_forget_unlogged(&replica->sessions);
        return QN_OK;
    case RECORD_WRITE:
        return stage_write(replica, record, last, session);
    case RECORD_SESSION_OPEN:
        return stage_open(replica, record, session);
    case RECORD_SESSION_END:
        return stage_end(replica, record, session);
    case RECORD_EXPIRE:
    case RECORD_CLEAR:
        return stage_effects(replica, record, last);
    case RECORD_PROMISE:
    case RECORD_TRUNCATE:
    case RECORD_INSTALLED:
        break;
    }
    return QN_CORRUPT;
}

struct flight *apply_staged(struct replica *replica, const struct record *record,
                            const struct asker *asker)
{
    struct flight *flight = push(replica, (enum flight_kind)record->type, record->index, asker);

    flight->bytes = record_size(record);
    flight->sequence = record->sequence;
    flight->point = (struct log_point){
        .epoch = record->epoch,
        .log_time_ms = record->log_time_ms,
        .wall_time_ms = record->wall_time_ms,
        .epoch_began_ms =
            record->type == RECORD_EPOCH_START ? record->log_time_ms : replica->last.epoch_began_ms,
    };
    replica->uncommitted_bytes += flight->bytes;
    replica->last_index = record->index;
    replica->last = flight->point;
    return flight;
}

enum qn_status apply_stage(struct replica *replica, const struct record *record,
                           const struct asker *asker)
{
    struct session *session = NULL;
    struct effect last = {0};
    enum qn_status status = apply_reserve_flight(replica);

    if (status == QN_OK && record->type == RECORD_EPOCH_START) {
        status = epochs_reserve(&replica->epochs);
    }
    if (status == QN_OK) {
        status = stage(replica, record, &last, &session);
    }
    if (status != QN_OK) {
        return status;
    }
    if (record->type == RECORD_EPOCH_START) {
        epochs_note(&replica->epochs, record->epoch, record->index);
    }
    struct flight *flight = apply_staged(replica, record, asker);
    flight->session = session;
    flight->cache = last.cache;
    flight->last_effect = last.kind;
    return QN_OK;
}

void apply_wait(struct replica *replica, struct session *session, struct outcome *outcome,
                const struct asker *asker)
{
    outcome->ticket = next_ticket(replica);
    struct flight *flight = push(replica, FLIGHT_DECISION, replica->last_index, asker);
    flight->session = session;
    flight->sequence = outcome->sequence;
}

void apply_ask(struct replica *replica, struct session *session, uint64_t sequence,
               const struct asker *asker)
{
    struct flight *flight = push(replica, FLIGHT_QUESTION, replica->last_index, asker);

    flight->session = session;
    flight->sequence = sequence;
}
