/* What is asked of every partition of a cache: its count, and to be cleared. */
#include <stdlib.h>

#include "client/call.h"

enum { AT_ONCE = 256, CLEARS_AT_ONCE = 64 };

/* One call for each partition of the cache's service. */
struct sweep {
    struct call *calls;
    uint32_t count;
};

static enum qn_status sweep_make(const qn_cache *cache, const struct session_op *op,
                                 struct sweep *sweep)
{
    sweep->count = session_partition_count(cache->client->session);
    sweep->calls = malloc(sweep->count * sizeof *sweep->calls);
    if (!sweep->calls) {
        return QN_MEMORY_FULL;
    }
    for (uint32_t p = 0; p < sweep->count; p++) {
        sweep->calls[p] = (struct call){.core = *op};
        sweep->calls[p].core.cache = cache->id;
        sweep->calls[p].core.partition = cache->service * sweep->count + p;
    }
    return QN_OK;
}

/* Run some of the calls, and wait for all of these. */
static void slice_run(qn_client *client, struct call *calls, uint32_t count, int64_t deadline_ms)
{
    struct waiter waiter;
    int64_t now_ms = clock_now_ms();
    int64_t left_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;

    waiter_init(client, &waiter, count);
    for (uint32_t i = 0; i < count; i++) {
        calls[i].waiter = &waiter;
        call_begin(&calls[i], now_ms, left_ms);
        driver_submit(client, &calls[i]);
    }
    (void)driver_wait(client, &waiter, INT64_MAX);
    waiter_fini(&waiter);
}

static void sweep_run(qn_client *client, struct sweep *sweep, uint32_t at_once, int64_t timeout_ms)
{
    int64_t deadline_ms = deadline_after(clock_now_ms(), timeout_ms);

    for (uint32_t first = 0; first < sweep->count; first += at_once) {
        uint32_t left = sweep->count - first;
        slice_run(client, sweep->calls + first, left < at_once ? left : at_once, deadline_ms);
    }
}

static void sweep_fini(struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->count; i++) {
        call_fini(&sweep->calls[i]);
    }
    free(sweep->calls);
}

/* The first that failed; NULL: none did. */
static const struct call *sweep_failure(const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->count; i++) {
        if (sweep->calls[i].core.status < 0) {
            return &sweep->calls[i];
        }
    }
    return NULL;
}

/* Wait for the table, make the calls and run them. Mutex held. On QN_OK, `sweep_fini` is due. */
static enum qn_status cache_sweep(qn_cache *cache, const struct session_op *op, uint32_t at_once,
                                  int64_t timeout_ms, struct sweep *sweep, qn_error *err)
{
    enum qn_status status = table_await(cache->client, timeout_ms, err);

    if (status != QN_OK) {
        return status;
    }
    if (sweep_make(cache, op, sweep) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "%s %s: out of memory", call_verb(op->kind),
                            cache->name);
    }
    sweep_run(cache->client, sweep, at_once, timeout_ms);
    return QN_OK;
}

/* ---- counting ---- */

static enum qn_status count_run(qn_cache *cache, uint64_t *count, const qn_options *options,
                                qn_error *err)
{
    struct sweep asked;
    uint64_t sum = 0;
    int64_t timeout_ms = client_timeout_ms(cache->client, options->timeout_ms);
    struct session_op op = {.kind = WIRE_OP_COUNT,
                            .view_min = options->wait_visible ? UINT64_MAX : 0};
    enum qn_status status = cache_sweep(cache, &op, AT_ONCE, timeout_ms, &asked, err);

    if (status != QN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < asked.count; i++) {
        sum += asked.calls[i].core.number;
    }
    const struct call *failure = sweep_failure(&asked);
    if (failure) {
        status = call_explain(failure, cache->client, cache->name, err);
    } else {
        *count = sum;
    }
    sweep_fini(&asked);
    return status;
}

qn_status qn_count(qn_cache *cache, uint64_t *count, const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache, .kind = WIRE_OP_COUNT, .options = options};
    qn_options known;
    enum qn_status status = request_check(&request, &known, err);

    if (status == QN_OK && !count) {
        status = qn_error_set(err, QN_INVALID, "count %s: no place for the number", cache->name);
    }
    if (status == QN_OK) {
        status = driver_enter(cache->client, err);
    }
    if (status != QN_OK) {
        return status;
    }
    status = count_run(cache, count, &known, err);
    driver_leave(cache->client);
    return status;
}

/* ---- clearing ---- */

/* Some partitions may be cleared, and others not. */
static enum qn_status clear_explain(const qn_cache *cache, const struct sweep *cleared,
                                    qn_error *err)
{
    qn_error first = QN_ERROR_INIT;
    uint32_t done = 0;
    bool maybe = false;

    for (uint32_t i = 0; i < cleared->count; i++) {
        const struct session_op *op = &cleared->calls[i].core;
        done += op->status >= 0;
        maybe = maybe || (op->status < 0 && op->certainty != QN_NOT_APPLIED);
    }
    if (done == cleared->count) {
        return QN_OK;
    }
    const struct call *failure = sweep_failure(cleared);
    enum qn_status status = call_explain(failure, cache->client, NULL, &first);
    (void)qn_error_set(err, status,
                       "clear %.60s: %u of %u partitions are cleared; it may be "
                       "asked for again: "
                       "%.160s",
                       cache->name, done, cleared->count, first.text);
    if (err) {
        err->certainty = done > 0 || maybe ? QN_UNKNOWN : QN_NOT_APPLIED;
        err->server_status = first.server_status;
        err->node = first.node;
        err->partition = first.partition;
    }
    return status;
}

static enum qn_status clear_run(qn_cache *cache, const qn_options *options, qn_error *err)
{
    struct sweep cleared;
    int64_t timeout_ms = client_timeout_ms(cache->client, options->timeout_ms);
    struct session_op op = {
        .kind = WIRE_OP_CLEAR,
        .flags = options->wait_visible ? WIRE_VISIBLE : 0,
        .commit_within_ms = (uint32_t)options->commit_within_ms,
    };
    enum qn_status status = cache_sweep(cache, &op, CLEARS_AT_ONCE, timeout_ms, &cleared, err);

    if (status != QN_OK) {
        return status;
    }
    status = clear_explain(cache, &cleared, err);
    sweep_fini(&cleared);
    return status;
}

qn_status qn_clear(qn_cache *cache, const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache, .kind = WIRE_OP_CLEAR, .options = options};
    qn_options known;
    enum qn_status status = request_check(&request, &known, err);

    if (status == QN_OK) {
        status = driver_enter(cache->client, err);
    }
    if (status != QN_OK) {
        return status;
    }
    status = clear_run(cache, &known, err);
    driver_leave(cache->client);
    return status;
}
