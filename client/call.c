#define _GNU_SOURCE
#include "client/call.h"
#include "client/value.h"

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
    case WIRE_OP_TOUCH:
        return "touch";
    case WIRE_OP_CLEAR:
        return "clear";
    case WIRE_OP_OUTCOME:
        return "outcome";
    case WIRE_OP_SCAN:
        return "scan";
    case SESSION_OP_CONNECT:
        return "connect";
    case SESSION_OP_CACHE_OPEN:
        return "open";
    case SESSION_OP_CACHE_DROP:
        return "drop";
    case SESSION_OP_STATUS:
        return "status";
    case SESSION_OP_COMMIT:
        return "commit";
    case SESSION_OP_CACHES:
        return "caches";
    case SESSION_OP_CONFIG:
        return "config";
    case SESSION_OP_LOG_LEVEL:
        return "log";
    default:
        return "call";
    }
}

bool request_has_value(uint32_t kind)
{
    return kind == WIRE_OP_PUT || kind == WIRE_OP_PUT_IF_ABSENT || kind == WIRE_OP_REPLACE;
}

/* ---- requests ---- */

qn_options options_known(const qn_options *given)
{
    const size_t first_version = offsetof(qn_options, ttl_ms);
    qn_options known = QN_OPTIONS_INIT;

    if (given) {
        size_t size = given->size < first_version ? first_version : given->size;
        memcpy(&known, given, size < sizeof known ? size : sizeof known);
    }
    return known;
}

static const char *options_wrong(const qn_options *options)
{
    if (options->timeout_ms < 0) {
        return "timeout_ms is negative";
    }
    if (options->ttl_ms < QN_TTL_NEVER) {
        return "ttl_ms is negative, and not QN_TTL_NEVER";
    }
    if (options->commit_within_ms < 0 || options->commit_within_ms > UINT32_MAX) {
        return "commit_within_ms is out of range";
    }
    return NULL;
}

enum qn_status request_check(const struct request *request, qn_options *options, qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!request->cache) {
        return qn_error_set(err, QN_INVALID, "%s: no cache: open it first, and check its error",
                            call_verb(request->kind));
    }
    *options = options_known(request->options);
    const char *wrong = options_wrong(options);
    if (!wrong && request->ttl_ms < QN_TTL_NEVER) {
        wrong = "ttl_ms is negative, and not QN_TTL_NEVER";
    }
    if (wrong) {
        return qn_error_set(err, QN_INVALID, "%s %s: %s", call_verb(request->kind),
                            request->cache->name, wrong);
    }
    return QN_OK;
}

enum qn_status request_encode(const struct request *request, struct encoded *encoded, qn_error *err)
{
    const char *verb = call_verb(request->kind);

    *encoded = (struct encoded){0};
    enum qn_status status = request_check(request, &encoded->options, err);
    if (status == QN_OK) {
        status = arg_encode(&encoded->key, request->key, WIRE_KEY_MAX, verb, "key", err);
    }
    if (status == QN_OK && request_has_value(request->kind)) {
        status = arg_encode(&encoded->value, request->value, WIRE_VALUE_MAX, verb, "value", err);
    }
    if (status == QN_OK && request_has_value(request->kind)) {
        arg_compress(&encoded->value, request->cache->client);
    }
    return status;
}

void encoded_fini(struct encoded *encoded)
{
    arg_fini(&encoded->key);
    arg_fini(&encoded->value);
}

struct session_op request_op(const struct request *request, const struct encoded *encoded)
{
    const qn_options *options = &encoded->options;
    struct session_op op = {
        .kind = request->kind,
        .cache = request->cache->id,
        .service = request->cache->service,
        .key = encoded->key.binary,
        .value = encoded->value.binary,
        .value_flags = encoded->value.flags,
        .expected_version = request->expected_version,
    };

    if (session_op_is_change(&op)) {
        op.flags = options->wait_visible ? WIRE_VISIBLE : 0;
        op.commit_within_ms = (uint32_t)options->commit_within_ms;
        op.ttl_ms = request->kind == WIRE_OP_TOUCH     ? request->ttl_ms
                    : request_has_value(request->kind) ? options->ttl_ms
                                                       : 0;
    }
    return op;
}

/* ---- answers ---- */

void call_spoil(struct call *call, enum qn_status status)
{
    bool was_applied = session_op_is_change(&call->core) && call->core.status == QN_OK;

    qn_value_release(call->value);
    call->value = NULL;
    call->core.status = status;
    call->core.certainty = was_applied ? QN_APPLIED : QN_NOT_APPLIED;
}

enum qn_status call_unpack(struct call *call, const char *cache, qn_error *err)
{
    char subject[100];
    enum qn_status status = value_unpack(call->value);

    if (status == QN_OK) {
        return call->core.status;
    }
    call_spoil(call, status);
    call_subject(call, cache, subject, sizeof subject);
    (void)qn_error_set(err, status, "%s%s: %s%s", call_verb(call->core.kind), subject,
                       status == QN_CORRUPT ? "the value is damaged: it can not be unpacked"
                                            : "no memory to unpack the value",
                       call->core.certainty == QN_APPLIED ? "; the write was applied" : "");
    if (err) {
        err->certainty = call->core.certainty;
    }
    return status;
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

enum qn_status table_await(qn_client *client, int64_t timeout_ms, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_CONNECT}};

    if (session_partition_count(client->session) > 0) {
        return QN_OK;
    }
    call_run(client, &call, timeout_ms);
    enum qn_status status = call_explain(&call, client, NULL, err);
    call_fini(&call);
    return status;
}

void call_fini(struct call *call)
{
    qn_value_release(call->value);
    call->value = NULL;
    session_op_fini(&call->core);
}
