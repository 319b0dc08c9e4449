/* What became of a change whose outcome was unknown. */
#include "client/call.h"
#include "client/change.h"

/* What the caller would have been told stands in the log or is remembered; everything else is about
 * the question. */
static bool is_decided(enum qn_status status)
{
    return status >= 0 || status == QN_WITHDRAWN || status == QN_EP_FAILED ||
           status == QN_EP_TIMEOUT;
}

static bool is_too_late(enum qn_status status)
{
    return status == QN_SESSION_EXPIRED || status == QN_STALE_SEQ || status == QN_LINEAGE_CHANGED;
}

/* The node's word on it, in `call->core.status`. */
static enum qn_status outcome_run(qn_client *client, const struct change_id *id, int64_t timeout_ms,
                                  struct call *call, qn_error *err)
{
    enum qn_status status = table_await(client, timeout_ms, err);

    if (status != QN_OK) {
        return status;
    }
    call->core = (struct session_op){
        .kind = WIRE_OP_OUTCOME,
        .partition = id->change.partition,
        .session = id->change.session,
        .sequence = id->change.sequence,
        .value = bytes_of(id->client.octets, sizeof id->client.octets),
    };
    call_run(client, call, timeout_ms);
    return QN_OK;
}

static enum qn_status outcome_explain(const struct call *call, const qn_client *client,
                                      qn_error *err)
{
    if (is_too_late(call->core.status)) {
        return qn_error_set(err, QN_SESSION_EXPIRED,
                            "outcome: too late: the grid has forgotten this change; look at the "
                            "entry itself");
    }
    if (call->core.status == QN_INVALID && call->core.attempts == 0) {
        return qn_error_set(err, QN_INVALID,
                            "outcome: the change is of another grid: there is no "
                            "partition %u here",
                            call->core.partition);
    }
    return call_explain(call, client, NULL, err);
}

static enum qn_status outcome_find(qn_client *client, const struct change_id *id,
                                   int64_t timeout_ms, enum qn_status *found, qn_error *err)
{
    struct call call = {0};
    bool is_ours = client_id_equal(id->client, session_client(client->session));

    if (is_ours && session_outcome(client->session, &id->change, found)) {
        return QN_OK;
    }
    enum qn_status status = outcome_run(client, id, timeout_ms, &call, err);
    if (status == QN_OK && is_decided(call.core.status)) {
        *found = call.core.status;
    } else if (status == QN_OK && is_ours && session_outcome(client->session, &id->change, found)) {
        status = QN_OK; /* found meanwhile, by the session itself */
    } else if (status == QN_OK) {
        status = outcome_explain(&call, client, err);
    }
    call_fini(&call);
    return status;
}

qn_status qn_outcome(qn_client *client, const char *change_id, int64_t timeout_ms,
                     enum qn_certainty *certainty, qn_status *status, qn_error *err)
{
    struct change_id id;
    enum qn_status found = QN_OK;

    if (certainty) {
        *certainty = QN_UNKNOWN;
    }
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!certainty || timeout_ms < 0 || !change_id || change_parse(change_id, &id) != QN_OK) {
        return qn_error_set(err, QN_INVALID, "outcome: %s",
                            !certainty       ? "no place for the answer"
                            : timeout_ms < 0 ? "timeout_ms is negative"
                                             : "that is not the name of a change: take it as a "
                                               "whole from the error that gave it");
    }
    enum qn_status asked = driver_enter(client, err);
    if (asked != QN_OK) {
        return asked;
    }
    asked = outcome_find(client, &id, client_timeout_ms(client, timeout_ms), &found, err);
    driver_leave(client);
    if (asked == QN_OK) {
        *certainty = found == QN_OK ? QN_APPLIED : QN_NOT_APPLIED;
        if (status) {
            *status = found;
        }
    }
    return asked;
}
