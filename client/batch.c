/* Many keys in one call. */
#include <stdio.h>
#include <stdlib.h>

#include "client/call.h"

enum { BATCH_STRIDE = 1024 }; /* operations handed over before others get a moment */

struct qn_batch {
    qn_cache *cache;
    struct call *calls;
    size_t count;
    size_t capacity;
    struct arena memory;        /* keys and values */
    struct client_id client_id; /* that the changes were made under */
};

qn_batch *qn_batch_new(qn_cache *cache, qn_error *err)
{
    if (qn_error_failed(err)) {
        return NULL;
    }
    if (!cache) {
        (void)qn_error_set(err, QN_INVALID, "batch: no cache: open it first, and check its error");
        return NULL;
    }
    qn_batch *batch = calloc(1, sizeof *batch);
    if (!batch) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "batch %s: out of memory", cache->name);
        return NULL;
    }
    batch->cache = cache;
    arena_init(&batch->memory, SIZE_MAX);
    return batch;
}

void qn_batch_clear(qn_batch *batch)
{
    if (batch) {
        for (size_t i = 0; i < batch->count; i++) {
            call_fini(&batch->calls[i]);
        }
        batch->count = 0;
        arena_reset(&batch->memory);
    }
}

void qn_batch_free(qn_batch *batch)
{
    if (batch) {
        qn_batch_clear(batch);
        arena_fini(&batch->memory);
        free(batch->calls);
        free(batch);
    }
}

/* ---- filling ---- */

static bool calls_reserve(qn_batch *batch)
{
    if (batch->count < batch->capacity) {
        return true;
    }
    size_t capacity = batch->capacity ? batch->capacity * 2 : 64;
    struct call *calls = realloc(batch->calls, capacity * sizeof *calls);
    if (!calls) {
        return false;
    }
    batch->calls = calls;
    batch->capacity = capacity;
    return true;
}

/* Encode an argument and keep it in the batch's memory. */
static enum qn_status arg_keep(qn_batch *batch, qn_arg given, bool is_value, struct session_op *op,
                               qn_error *err)
{
    struct arg arg;
    size_t size_max = is_value ? (size_t)WIRE_VALUE_MAX : (size_t)WIRE_KEY_MAX;
    enum qn_status status =
        arg_encode(&arg, given, size_max, call_verb(op->kind), is_value ? "value" : "key", err);

    if (status == QN_OK && is_value) {
        arg_compress(&arg, batch->cache->client);
        op->value_flags = arg.flags;
    }
    if (status == QN_OK) {
        uint8_t *memory = arena_alloc(&batch->memory, arg.binary.size);
        if (memory) {
            memcpy(memory, arg.binary.data, arg.binary.size);
            *(is_value ? &op->value : &op->key) = bytes_of(memory, arg.binary.size);
        } else {
            status = qn_error_set(err, QN_MEMORY_FULL, "batch: out of memory");
        }
    }
    arg_fini(&arg);
    return status;
}

static size_t entry_add(qn_batch *batch, uint32_t kind, qn_arg key, qn_arg value, qn_error *err)
{
    struct call call = {.core = {.kind = kind, .status = QN_BUSY}};

    if (qn_error_failed(err)) {
        return SIZE_MAX;
    }
    if (!batch) {
        (void)qn_error_set(err, QN_INVALID, "%s: no batch", call_verb(kind));
        return SIZE_MAX;
    }
    if (!calls_reserve(batch)) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "batch: out of memory");
        return SIZE_MAX;
    }
    if (arg_keep(batch, key, false, &call.core, err) != QN_OK ||
        (request_has_value(kind) && arg_keep(batch, value, true, &call.core, err) != QN_OK)) {
        return SIZE_MAX;
    }
    call.core.cache = batch->cache->id;
    call.core.service = batch->cache->service;
    batch->calls[batch->count] = call;
    return batch->count++;
}

size_t qn_batch_get(qn_batch *batch, qn_arg key, qn_error *err)
{
    return entry_add(batch, WIRE_OP_GET, key, qn_int(0), err);
}

size_t qn_batch_put(qn_batch *batch, qn_arg key, qn_arg value, qn_error *err)
{
    return entry_add(batch, WIRE_OP_PUT, key, value, err);
}

size_t qn_batch_remove(qn_batch *batch, qn_arg key, qn_error *err)
{
    return entry_add(batch, WIRE_OP_REMOVE, key, qn_int(0), err);
}

/* ---- running ---- */

/* As new, but for what is asked: a batch may run again. */
static void call_reset(struct call *call)
{
    struct session_op asked = call->core;

    call_fini(call);
    *call = (struct call){.core = {
                              .kind = asked.kind,
                              .cache = asked.cache,
                              .service = asked.service,
                              .value_flags = asked.value_flags,
                              .key = asked.key,
                              .value = asked.value,
                          }};
}

static void calls_submit(qn_batch *batch, struct waiter *waiter, int64_t timeout_ms)
{
    qn_client *client = batch->cache->client;
    int64_t now_ms = clock_now_ms();

    for (size_t i = 0; i < batch->count; i++) {
        struct call *call = &batch->calls[i];
        call_reset(call);
        call->waiter = waiter;
        call_begin(call, now_ms, timeout_ms);
        driver_submit(client, call);
        if (i % BATCH_STRIDE == BATCH_STRIDE - 1) {
            driver_yield(client);
        }
    }
}

static enum qn_status first_failure(const qn_batch *batch, qn_error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->calls[i].core.status < 0) {
            return call_explain(&batch->calls[i], batch->cache->client, batch->cache->name, err);
        }
    }
    return QN_OK;
}

/* Outside of the mutex: it takes time. */
static enum qn_status values_unpack(qn_batch *batch, qn_error *err)
{
    enum qn_status first = QN_OK;

    for (size_t i = 0; i < batch->count; i++) {
        struct call *call = &batch->calls[i];
        if (call->value && call_unpack(call, batch->cache->name, first == QN_OK ? err : NULL) < 0 &&
            first == QN_OK) {
            first = call->core.status;
        }
    }
    return first;
}

static enum qn_status batch_run(qn_batch *batch, int64_t timeout_ms, qn_error *err)
{
    qn_client *client = batch->cache->client;
    struct waiter waiter;
    enum qn_status status = driver_enter(client, err);

    if (status != QN_OK) {
        return status;
    }
    waiter_init(client, &waiter, batch->count);
    calls_submit(batch, &waiter, client_timeout_ms(client, timeout_ms));
    (void)driver_wait(client, &waiter, INT64_MAX);
    waiter_fini(&waiter);
    status = first_failure(batch, err);
    batch->client_id = session_client(client->session);
    driver_leave(client);
    enum qn_status unpacked = values_unpack(batch, err);
    return status == QN_OK ? unpacked : status;
}

qn_status qn_batch_run(qn_batch *batch, int64_t timeout_ms, qn_error *err)
{
    if (qn_error_failed(err)) {
        return err->status;
    }
    if (!batch || timeout_ms < 0) {
        return qn_error_set(err, QN_INVALID, "batch: %s",
                            batch ? "timeout_ms is negative" : "there is none");
    }
    return batch_run(batch, timeout_ms, err);
}

/* ---- results ---- */

static const struct call *entry_find(const qn_batch *batch, size_t number)
{
    return batch && number < batch->count ? &batch->calls[number] : NULL;
}

size_t qn_batch_size(const qn_batch *batch)
{
    return batch ? batch->count : 0;
}

qn_status qn_batch_status(const qn_batch *batch, size_t number)
{
    const struct call *call = entry_find(batch, number);

    return call ? call->core.status : QN_INVALID;
}

enum qn_certainty qn_batch_certainty(const qn_batch *batch, size_t number)
{
    const struct call *call = entry_find(batch, number);

    return call ? call->core.certainty : QN_NOT_APPLIED;
}

qn_value *qn_batch_value(const qn_batch *batch, size_t number)
{
    const struct call *call = entry_find(batch, number);

    return call ? call->value : NULL;
}

uint64_t qn_batch_version(const qn_batch *batch, size_t number)
{
    const struct call *call = entry_find(batch, number);

    return call ? call->core.version : 0;
}

size_t qn_batch_change_id(const qn_batch *batch, size_t number, char *text, size_t size)
{
    const struct call *call = entry_find(batch, number);
    char id[QN_CHANGE_ID_MAX] = "";

    if (call) {
        (void)call_change_id(call, batch->client_id, id);
    }
    if (size > 0) {
        (void)snprintf(text, size, "%s", id);
    }
    return strlen(id) + 1;
}
