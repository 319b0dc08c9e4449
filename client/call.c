#define _GNU_SOURCE
#include "client/call.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- operations and their names ---- */

const char *call_verb(uint32_t kind)
{
    switch (kind) {
    case WIRE_OP_GET:
        return "get";
    case WIRE_OP_CONTAINS:
        return "contains";
    case WIRE_OP_COUNT:
        return "count";
    case WIRE_OP_PUT:
        return "put";
    case WIRE_OP_PUT_IF_ABSENT:
        return "put_if_absent";
    case WIRE_OP_REPLACE:
        return "replace";
    case WIRE_OP_REMOVE:
        return "remove";
    case WIRE_OP_REMOVE_IF:
        return "remove_if";
    case SESSION_OP_CACHE_OPEN:
        return "open";
    case SESSION_OP_NODE_STATUS:
        return "status";
    case SESSION_OP_CONNECT:
        return "connect";
    default:
        return "call";
    }
}

bool request_has_value(uint32_t kind)
{
    return kind == WIRE_OP_PUT || kind == WIRE_OP_PUT_IF_ABSENT || kind == WIRE_OP_REPLACE;
}

enum qn_status request_check(const struct request *request, qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!request->cache) {
        return qn_error_set(err, QN_INVALID, "%s: no cache: open it first, and check its error",
                            call_verb(request->kind));
    }
    if (request->options && request->options->timeout_ms < 0) {
        return qn_error_set(err, QN_INVALID, "%s %s: timeout_ms is negative",
                            call_verb(request->kind), request->cache->name);
    }
    return QN_OK;
}

int64_t options_timeout_ms(const qn_options *options, const qn_client *client)
{
    return options && options->timeout_ms > 0 ? options->timeout_ms : client->uri.timeout_ms;
}

/* ---- explaining ---- */

/* "accounts/"alice"", or only one of both, or nothing. */
static void subject_write(const struct call *call, const char *cache, char *out, size_t size)
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
    size_t used = 0;

    for (size_t i = 0; i < client->uri.seed_count && used + 1 < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                         client->uri.seeds[i] + strlen("tcp://"));
        used += n > 0 ? (size_t)n : 0;
    }
}

static const char *endpoint_of(const qn_client *client, uint32_t partition)
{
    struct session_place place;

    if (!session_place(client->session, partition, &place) || !place.endpoint) {
        return "an unknown address";
    }
    return place.endpoint + strlen("tcp://");
}

static void silence_write(const struct session_op *op, int64_t waited_ms, char *out, size_t size)
{
    if (op->kind >= SESSION_OP_CONNECT) {
        (void)snprintf(out, size, "no answer within %lld ms", (long long)waited_ms);
    } else {
        (void)snprintf(out, size, "no answer from node %u (partition %u) within %lld ms", op->node,
                       op->partition, (long long)waited_ms);
    }
}

static void unreachable_write(const struct call *call, const qn_client *client, char *out,
                              size_t size)
{
    char seeds[120];
    int64_t waited_ms = call->core.deadline_ms - call->started_at_ms;

    if (session_partition_count(client->session) == 0) {
        seeds_write(client, seeds, sizeof seeds);
        (void)snprintf(out, size,
                       "no node answers at %.110s within %lld ms: is quoind running there?", seeds,
                       (long long)waited_ms);
    } else {
        (void)snprintf(out, size, "no connection to node %u at %.80s (partition %u) within %lld ms",
                       call->core.node, endpoint_of(client, call->core.partition),
                       call->core.partition, (long long)waited_ms);
    }
}

static void failure_write(const struct call *call, const qn_client *client, char *out, size_t size)
{
    const struct session_op *op = &call->core;
    enum qn_status refusal = QN_OK;
    const char *reason = session_refusal(client->session, &refusal);

    if (op->status == QN_UNREACHABLE) {
        unreachable_write(call, client, out, size);
    } else if (op->status == QN_DEADLINE && op->server_status != QN_DEADLINE) {
        silence_write(op, op->deadline_ms - call->started_at_ms, out, size);
    } else if (reason && refusal == op->status) {
        (void)snprintf(out, size, "%.150s", reason);
    } else if (op->text) {
        (void)snprintf(out, size, "%.180s", op->text);
    } else if (op->server_status < 0) {
        (void)snprintf(out, size, "%s (node %u, partition %u)", qn_status_text(op->status),
                       op->node, op->partition);
    } else {
        (void)snprintf(out, size, "%s", qn_status_text(op->status));
    }
}

static const char *consequence(const struct session_op *op)
{
    if (!session_op_is_change(op)) {
        return "";
    }
    switch (op->certainty) {
    case QN_NOT_APPLIED:
        return "; nothing was changed";
    case QN_APPLIED:
        return "; the write was applied";
    case QN_UNKNOWN:
        break;
    }
    return "; the write may have been applied";
}

enum qn_status call_explain(const struct call *call, const qn_client *client, const char *cache,
                            qn_error *err)
{
    const struct session_op *op = &call->core;
    char subject[140];
    char failure[200];

    if (op->status >= 0 || !err || qn_error_failed(err)) {
        return op->status;
    }
    subject_write(call, cache, subject, sizeof subject);
    failure_write(call, client, failure, sizeof failure);
    (void)qn_error_set(err, op->status, "%s%.128s: %s%s", call_verb(op->kind), subject, failure,
                       consequence(op));
    err->certainty = op->certainty;
    err->server_status = op->server_status;
    err->node = op->node;
    err->partition = op->kind < SESSION_OP_CONNECT ? (int32_t)op->partition : -1;
    return op->status;
}

/* ---- running ---- */

void call_begin(struct call *call, int64_t now_ms, int64_t timeout_ms)
{
    call->started_at_ms = now_ms;
    call->core.deadline_ms = deadline_after(now_ms, timeout_ms);
    call->charge_bytes = call->core.key.size + call->core.value.size;
}

void call_run(qn_client *client, struct call *call, int64_t timeout_ms)
{
    struct waiter waiter;

    call_begin(call, clock_now_ms(), timeout_ms);
    enum qn_status status = driver_charge_wait(client, call, call->core.deadline_ms);
    if (status != QN_OK) {
        call->core.status = status;
        return;
    }
    waiter_init(client, &waiter, 1);
    call->waiter = &waiter;
    driver_submit(client, call);
    (void)driver_wait(client, &waiter, INT64_MAX);
    waiter_fini(&waiter);
}

void call_fini(struct call *call)
{
    qn_value_release(call->value);
    call->value = NULL;
    session_op_fini(&call->core);
}
