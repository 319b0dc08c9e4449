#include "wire/assert.h"

#include "grid/replica/state.h"

static void answer_unknown(struct replica *replica, struct asker *asker, const char *why)
{
    if (asker->awaited) {
        asker->awaited = false;
        actions_reply(replica, asker->route, asker->op_id, QN_INDETERMINATE)->text =
            bytes_of_text(why);
    }
}

static void forget_outcome(struct replica *replica, const struct flight *flight)
{
    if (session_outcome(flight->session, flight->sequence)) {
        session_drop_outcome(&replica->sessions, flight->session, flight->sequence);
    }
}

static void undo_flight(struct replica *replica, struct flight *flight)
{
    answer_unknown(replica, &flight->asker, "another leader has taken over: ask again");
    switch (flight->kind) {
    case FLIGHT_WRITE:
    case FLIGHT_DECISION:
        forget_outcome(replica, flight);
        break;
    case FLIGHT_SESSION_OPEN:
        sessions_remove(&replica->sessions, flight->session);
        break;
    case FLIGHT_SESSION_END:
        flight->session->state =
            flight->session->id > replica->commit_index ? SESSION_OPENING : SESSION_OPEN;
        break;
    case FLIGHT_EPOCH_START:
    case FLIGHT_EXPIRE:
    case FLIGHT_CLEAR:
    case FLIGHT_QUESTION:
    case FLIGHT_VOID:
        break;
    }
    qn_assert(replica->uncommitted_bytes >= flight->bytes);
    replica->uncommitted_bytes -= flight->bytes;
}

/* What the log says of time after its last record. */
static struct log_point last_point(const struct replica *replica)
{
    for (size_t i = replica->flights.count; i > 0; i--) {
        const struct flight *flight = ring_at(&replica->flights, i - 1);
        if (flight->bytes > 0) {
            return flight->point;
        }
    }
    return replica->committed;
}

void undo_to(struct replica *replica, uint64_t index)
{
    qn_assert(index >= replica->commit_index && index <= replica->last_index);
    while (replica->flights.count > 0) {
        struct flight *flight = ring_at(&replica->flights, replica->flights.count - 1);
        if (flight->index <= index) {
            break;
        }
        undo_flight(replica, flight);
        ring_pop_back(&replica->flights);
    }
    store_rollback(replica->store, index);
    expired_undo(&replica->expired, index);
    epochs_cut(&replica->epochs, index);
    replica->last_index = index;
    replica->last = last_point(replica);
    if (replica->durable_index > index) {
        replica->durable_index = index;
    }
}

void undo_leadership(struct replica *replica, const char *why)
{
    for (size_t i = 0; i < replica->flights.count; i++) {
        struct flight *flight = ring_at(&replica->flights, i);
        answer_unknown(replica, &flight->asker, why);
        if (flight->kind == FLIGHT_DECISION) {
            forget_outcome(replica, flight);
        }
        if (flight->kind == FLIGHT_DECISION || flight->kind == FLIGHT_QUESTION) {
            flight->kind = FLIGHT_VOID;
        }
    }
    replica->next_deadline_ms = INT64_MAX;
}
