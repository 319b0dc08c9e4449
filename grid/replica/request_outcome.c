#include "grid/replica/request.h"

#include "wire/assert.h"

/* Whose change is asked about: the client of the message, or another one named in the value. */
static struct client_id client_of(const struct request *request)
{
    struct client_id client = request->event->client;

    if (request->op->value.size == CLIENT_ID_SIZE) {
        memcpy(client.octets, request->op->value.data, CLIENT_ID_SIZE);
    }
    return client;
}

/* On its way: whoever sent the change is told, and so is the one who asks. */
static void ask(struct replica *replica, const struct request *request)
{
    struct asker asker = request_asker(request);

    if (apply_reserve_flight(replica) != QN_OK) {
        request_refuse(replica, request, QN_MEMORY_FULL, "no memory to wait for the outcome");
        return;
    }
    apply_ask(replica, request->session, request->op->sequence, &asker);
}

/* Never arrived, and must not be executed if it arrives later: a record without effects takes its
 * place (B.10). */
static void withdraw(struct replica *replica, const struct request *request)
{
    struct result result = {.status = QN_WITHDRAWN};
    struct record record = replica_next_record(replica, RECORD_WRITE, request->event);
    struct asker asker = request_asker(request);

    if (request_table_full(replica, request, 0)) {
        return;
    }
    if (request->event->space != QN_OK) {
        request_refuse_space(replica, request);
        return;
    }
    if (scratch_reserve(replica, RESULT_HEADER_SIZE) != QN_OK ||
        result_encode(&result, &replica->scratch) != QN_OK) {
        request_refuse(replica, request, QN_MEMORY_FULL, "no memory to settle the outcome");
        return;
    }
    record.client = request->session->client;
    record.session = request->session->id;
    record.sequence = request->op->sequence;
    record.first_incomplete = request->session->first_incomplete;
    record.result = buf_bytes(&replica->scratch);
    if (request_append(replica, request, &record, NULL)) {
        /* If the change arrives now, the record's flight will answer it; so this one asks. */
        apply_ask(replica, request->session, record.sequence, &asker);
    }
}

void request_outcome(struct replica *replica, struct request *request)
{
    const struct wire_op *op = request->op;
    struct client_id client = client_of(request);
    struct session *session = sessions_find(&replica->sessions, &client, op->session);

    if (!session) {
        request_refuse(replica, request, QN_SESSION_EXPIRED,
                       "the session has ended, so nobody knows the outcome: read the entry");
        return;
    }
    const struct outcome *outcome = session_outcome(session, op->sequence);
    request->session = session;
    if (op->sequence < session->first_incomplete) {
        request_refuse(replica, request, QN_STALE_SEQ, "the client has already taken this answer");
    } else if (!outcome) {
        withdraw(replica, request);
    } else if (outcome->waiting) {
        ask(replica, request);
    } else {
        apply_reply_outcome(replica, request->event->route, op->id, outcome);
    }
}
