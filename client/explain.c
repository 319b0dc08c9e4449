/* Failures in words: what was asked, what happened, what it means for the data.
 *
 *  */
#define _GNU_SOURCE
#include <stdio.h>

#include "client/call.h"
#include "client/change.h"

/* "accounts/"alice"", or only one of both, or nothing. */
void call_subject(const struct call *call, const char *cache, char *out, size_t size)
{
    char key[64] = "";
    bool has_key = call->core.kind < SESSION_OP_CONNECT && call->core.key.size > 0;

    if (has_key) {
        key_describe(call->core.key, key, sizeof key);
    }
    (void)snprintf(out, size, "%s%.60s%s%s", cache ? " " : "", cache ? cache : "",
                   has_key ? "/" : "", key);
}

/* "no node answers at a, b" */
static void seeds_write(const qn_client *client, char *out, size_t size)
{
    const struct uri *address = &client->settings.address;
    size_t used = 0;

    for (size_t i = 0; i < address->seed_count && used + 1 < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                         address->seeds[i] + strlen("tcp://"));
        used += n > 0 ? (size_t)n : 0;
    }
}

static bool is_to_node(const struct session_op *op)
{
    return op->kind >= SESSION_OP_STATUS;
}

/* Where an operation goes: "node 2 (partition 17)". */
static void place_write(const struct session_op *op, char *out, size_t size)
{
    if (is_to_node(op)) {
        (void)snprintf(out, size, " from node %u (shard %u)", op->node, op->shard);
    } else if (op->kind < SESSION_OP_CONNECT) {
        (void)snprintf(out, size, " from node %u (partition %u)", op->node, op->partition);
    } else {
        out[0] = '\0';
    }
}

static const char *endpoint_of(const qn_client *client, const struct session_op *op)
{
    struct session_place place = {0};
    struct session_shard shard = {0};

    if (!is_to_node(op)) {
        bool is_known = session_place(client->session, op->partition, &place);
        return is_known && place.endpoint ? place.endpoint + strlen("tcp://")
                                          : "an unknown address";
    }
    for (size_t i = 0; session_shard_at(client->session, i, &shard); i++) {
        if (shard.node == op->node && shard.shard == op->shard) {
            return shard.endpoint + strlen("tcp://");
        }
    }
    return "an unknown address";
}

static void unreachable_write(const struct call *call, const qn_client *client, char *out,
                              size_t size)
{
    const struct session_op *op = &call->core;
    char seeds[120];
    int64_t waited_ms = op->deadline_ms - call->started_at_ms;

    if (session_partition_count(client->session) == 0 ||
        (op->kind >= SESSION_OP_CONNECT && !is_to_node(op))) {
        seeds_write(client, seeds, sizeof seeds);
        (void)snprintf(out, size,
                       "no node answers at %.110s within %lld ms: is quoind running there?", seeds,
                       (long long)waited_ms);
    } else {
        (void)snprintf(out, size, "no connection to node %u at %.80s (%s %u) within %lld ms",
                       op->node, endpoint_of(client, op), is_to_node(op) ? "shard" : "partition",
                       is_to_node(op) ? op->shard : op->partition, (long long)waited_ms);
    }
}

static void failure_write(const struct call *call, const qn_client *client, char *out, size_t size)
{
    const struct session_op *op = &call->core;
    enum qn_status refusal = QN_OK;
    const char *reason = session_refusal(client->session, &refusal);
    char place[60];

    place_write(op, place, sizeof place);
    if (op->status == QN_UNREACHABLE) {
        unreachable_write(call, client, out, size);
    } else if (op->status == QN_DEADLINE && op->server_status != QN_DEADLINE) {
        (void)snprintf(out, size, "no answer%s within %lld ms", place,
                       (long long)(op->deadline_ms - call->started_at_ms));
    } else if (reason && refusal == op->status) {
        (void)snprintf(out, size, "%.150s", reason);
    } else if (op->text) {
        (void)snprintf(out, size, "%.180s", op->text);
    } else if (op->server_status < 0) {
        (void)snprintf(out, size, "%s:%s", qn_status_text(op->status), place);
    } else {
        (void)snprintf(out, size, "%s", qn_status_text(op->status));
    }
}

/* What a failure means for the data; `change_id` "" = it can not be asked for.
 *
 *  */
static void consequence_write(const struct session_op *op, const char *change_id, char *out,
                              size_t size)
{
    out[0] = '\0';
    if (!session_op_is_numbered(op)) {
        return;
    }
    switch (op->certainty) {
    case QN_NOT_APPLIED:
        (void)snprintf(out, size, "; nothing was changed");
        break;
    case QN_APPLIED:
        (void)snprintf(out, size, "; the write was applied");
        break;
    case QN_UNKNOWN:
        (void)snprintf(out, size, "; the write may have been applied%s%s",
                       change_id[0] ? ": qn_outcome() tells, or: quoin outcome " : "", change_id);
        break;
    }
}

bool call_change_id(const struct call *call, struct client_id client, char text[QN_CHANGE_ID_MAX])
{
    const struct session_op *op = &call->core;
    struct change_id id = {.client = client, .change = {op->partition, op->session, op->sequence}};

    text[0] = '\0';
    if (op->status >= 0 || op->certainty != QN_UNKNOWN || !session_op_is_numbered(op) ||
        op->sequence == 0) {
        return false;
    }
    change_print(&id, text);
    return true;
}

enum qn_status call_explain(const struct call *call, const qn_client *client, const char *cache,
                            qn_error *err)
{
    const struct session_op *op = &call->core;
    char subject[100];
    char failure[200];
    char change_id[QN_CHANGE_ID_MAX];
    char consequence[100 + QN_CHANGE_ID_MAX];

    if (op->status >= 0 || !err || qn_error_failed(err)) {
        return op->status;
    }
    call_subject(call, cache, subject, sizeof subject);
    failure_write(call, client, failure, sizeof failure);
    bool has_change = call_change_id(call, session_client(client->session), change_id);
    consequence_write(op, change_id, consequence, sizeof consequence);
    /* The consequence stands at the end and is worth more than the end of what failed. */
    int room = QN_ERROR_TEXT_MAX - 1 - (int)strlen(consequence) - (int)strlen(subject) - 16;
    (void)qn_error_set(err, op->status, "%s%s: %.*s%s", call_verb(op->kind), subject,
                       room > 0 ? room : 0, failure, consequence);
    err->certainty = op->certainty;
    err->server_status = op->server_status;
    err->node = op->node;
    err->partition = op->kind < SESSION_OP_CONNECT ? (int32_t)op->partition : -1;
    if (has_change) {
        qn_error_set_change(err, change_id);
    }
    return op->status;
}
