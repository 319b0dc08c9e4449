#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    FLIGHTS_KEPT_BYTES = 8192 /* of an empty ring of flights */
};

static const char *text_of(int32_t status)
{
    switch (status) {
    case QN_TOO_LARGE:
        return "the old value is too large to be returned: read it with get, then change the entry "
               "without asking for the old value";
    case QN_WITHDRAWN:
        return "somebody asked for the outcome before the change arrived, so it never takes "
               "effect: send it as a new change";
    default:
        return "";
    }
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
    result->text = bytes_of_text(text_of(outcome->status));
}

void apply_tell_decision(struct replica *replica, const struct session *session,
                         const struct outcome *outcome, const struct asker *asker)
{
    struct reading reading = {
        .route = asker->route,
        .op_id = asker->op_id,
        .deadline_ms = asker->deadline_ms,
        .client = session->client,
        .session = session->id,
        .sequence = outcome->sequence,
    };

    if (confirm_leased(replica)) {
        apply_reply_outcome(replica, asker->route, asker->op_id, outcome);
        return;
    }
    enum qn_status status = confirm_wait(replica, &reading, bytes_of(NULL, 0));
    if (status != QN_OK) {
        actions_reply(replica, asker->route, asker->op_id, status)->text =
            bytes_of_text("too many reads wait for a confirmation: slow down");
    }
}

/* What the flight's change asked of the view. */
static void show(struct replica *replica, const struct flight *flight)
{
    if (flight->asker.visible) {
        views_show(replica, flight->index);
    } else if (flight->asker.visible_by_ms != INT64_MAX) {
        views_show_by(replica, flight->asker.visible_by_ms);
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
    show(replica, flight);
    if (flight->asker.awaited && !outcome->logged) {
        apply_tell_decision(replica, flight->session, outcome, &flight->asker);
    } else if (flight->asker.awaited) {
        apply_reply_outcome(replica, flight->asker.route, flight->asker.op_id, outcome);
        replica->actions[replica->action_count - 1].result.count = flight->asker.count;
    } else if (flight->sequence < flight->session->first_incomplete) {
        session_drop_outcome(&replica->sessions, flight->session, flight->sequence);
    }
}

/* Somebody else asked for the outcome. Its session stands: it can not have ended before this. */
static void settle_question(struct replica *replica, const struct flight *flight)
{
    const struct outcome *outcome = session_outcome(flight->session, flight->sequence);
    const struct asker *asker = &flight->asker;

    if (asker->awaited && outcome) {
        apply_reply_outcome(replica, asker->route, asker->op_id, outcome);
    } else if (asker->awaited) {
        actions_reply(replica, asker->route, asker->op_id, QN_STALE_SEQ)->text =
            bytes_of_text("the client has taken the answer");
    }
}

static void settle_open(struct replica *replica, const struct flight *flight)
{
    if (flight->session->state == SESSION_OPENING) { /* its end may be staged already */
        flight->session->state = SESSION_OPEN;
    }
    if (flight->asker.awaited) {
        actions_reply(replica, flight->asker.route, flight->asker.op_id, QN_OK)->session =
            flight->session->id;
    }
}

static void settle(struct replica *replica, const struct flight *flight)
{
    switch (flight->kind) {
    case FLIGHT_EPOCH_START:
    case FLIGHT_CLEAR:
    case FLIGHT_VOID:
        break;
    case FLIGHT_EXPIRE:
        expired_commit(&replica->expired, flight->index);
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
    case FLIGHT_QUESTION:
        settle_question(replica, flight);
        break;
    }
    qn_assert(replica->uncommitted_bytes >= flight->bytes);
    replica->uncommitted_bytes -= flight->bytes;
    if (flight->bytes > 0) {
        replica->committed = flight->point;
    }
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
        struct asker *asker = &flight->asker;
        if (asker->awaited && asker->deadline_ms <= now_ms) {
            asker->awaited = false;
            actions_reply(replica, asker->route, asker->op_id, QN_INDETERMINATE)->text =
                bytes_of_text(why);
        } else if (asker->awaited && asker->deadline_ms < next_ms) {
            next_ms = asker->deadline_ms;
        }
    }
    replica->next_deadline_ms = next_ms;
}
