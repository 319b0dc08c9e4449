/* The calls on one key that wait for their answer. */
#include "client/call.h"

/* ---- from a request to a call ---- */

static void answer_take(struct call *call, const qn_options *options, qn_value **value)
{
    qn_value **out = value ? value : options->old;

    if (out) {
        *out = call->value;
        call->value = NULL;
    }
    if (options->version && call->core.status == QN_OK) {
        *options->version = call->core.version;
    }
}

static enum qn_status encoded_run(const struct request *request, const struct encoded *encoded,
                                  qn_value **out, qn_error *err)
{
    qn_client *client = request->cache->client;
    const char *name = request->cache->name;
    const qn_options *options = &encoded->options;
    struct call call = {.core = request_op(request, encoded)};
    enum qn_status status = driver_enter(client, err);

    if (status != QN_OK) {
        return status;
    }
    call.core.flags |= options->old ? WIRE_RETURN_OLD : 0;
    call_run(client, &call, client_timeout_ms(client, options->timeout_ms));
    status = call_explain(&call, client, name, err);
    driver_leave(client);
    if (status >= 0) {
        status = call_unpack(&call, name, err);
    }
    answer_take(&call, options, out);
    call_fini(&call);
    return status;
}

/* Run a request; `value` gets the answer's value when it is not NULL. */
static enum qn_status request_run(const struct request *request, qn_value **value, qn_error *err)
{
    struct encoded encoded;
    enum qn_status status = request_encode(request, &encoded, err);

    if (status == QN_OK) {
        status = encoded_run(request, &encoded, value, err);
    }
    encoded_fini(&encoded);
    return status;
}

/* What the caller finds when the call fails. */
static void outputs_clear(const qn_options *options, qn_value **value)
{
    if (value) {
        *value = NULL;
    }
    if (options && options->old) {
        *options->old = NULL;
    }
}

/* ---- the calls ---- */

qn_status qn_get(qn_cache *cache, qn_arg key, const qn_options *options, qn_value **value,
                 qn_error *err)
{
    struct request request = {.cache = cache, .kind = WIRE_OP_GET, .key = key, .options = options};

    outputs_clear(options, value);
    if (!value) {
        return qn_error_set(err, QN_INVALID,
                            "get: no place for the value; qn_contains() asks "
                            "whether there is one");
    }
    enum qn_status status = request_run(&request, value, err);
    if (status == QN_OK && !*value) {
        return qn_error_set(err, QN_MALFORMED, "get: the node answered without a value");
    }
    return status;
}

qn_status qn_contains(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_CONTAINS, .key = key, .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}

qn_status qn_put(qn_cache *cache, qn_arg key, qn_arg value, const qn_options *options,
                 qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_PUT, .key = key, .value = value, .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}

qn_status qn_put_if_absent(qn_cache *cache, qn_arg key, qn_arg value, const qn_options *options,
                           qn_error *err)
{
    struct request request = {.cache = cache,
                              .kind = WIRE_OP_PUT_IF_ABSENT,
                              .key = key,
                              .value = value,
                              .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}

qn_status qn_replace(qn_cache *cache, qn_arg key, qn_arg value, uint64_t expected_version,
                     const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache,
                              .kind = WIRE_OP_REPLACE,
                              .key = key,
                              .value = value,
                              .expected_version = expected_version,
                              .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}

qn_status qn_remove(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_REMOVE, .key = key, .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}

qn_status qn_remove_if(qn_cache *cache, qn_arg key, uint64_t expected_version,
                       const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache,
                              .kind = WIRE_OP_REMOVE_IF,
                              .key = key,
                              .expected_version = expected_version,
                              .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}

qn_status qn_touch(qn_cache *cache, qn_arg key, int64_t ttl_ms, const qn_options *options,
                   qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_TOUCH, .key = key, .ttl_ms = ttl_ms, .options = options};

    outputs_clear(options, NULL);
    return request_run(&request, NULL, err);
}
