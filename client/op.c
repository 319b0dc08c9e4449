/* Operations that nobody waits for: `*_start`, `qn_op_*`, dispatching. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "client/call.h"

/* References: one of the caller, one of the client until the operation is done and its callback, if
 * any, has run. What is below `call` is guarded by the client's mutex until `done` is set. */
struct qn_op {
    struct call call;
    qn_cache *cache;
    pid_t pid;              /* of the process that started it */
    struct encoded encoded; /* what the operation's key and value point to */
    qn_error error;
    atomic_uint references;
    atomic_bool done;
    struct list place; /* in the client's `callbacks` */
    void (*fn)(qn_op *op, void *arg);
    void *arg;
};

/* ---- creation and end ---- */

static void op_destroy(qn_op *op)
{
    encoded_fini(&op->encoded);
    call_fini(&op->call);
    free(op);
}

static void op_unref(qn_op *op)
{
    if (atomic_fetch_sub_explicit(&op->references, 1, memory_order_acq_rel) == 1) {
        op_destroy(op);
    }
}

/* Callbacks wait: `qn_fd` is readable. */
static void callback_queue(qn_client *client, qn_op *op)
{
    bool is_first = list_empty(&client->callbacks);

    list_push_back(&client->callbacks, &op->place);
    if (is_first) {
        driver_done_signal(client);
    }
}

void op_finished(qn_op *op)
{
    qn_client *client = op->cache->client;

    op->call.waiter = NULL;
    if (call_explain(&op->call, client, op->cache->name, &op->error) >= 0) {
        (void)call_unpack(&op->call, op->cache->name, &op->error);
    }
    bool has_callback = op->fn != NULL;
    if (has_callback) {
        callback_queue(client, op);
    }
    atomic_store_explicit(&op->done, true, memory_order_release);
    if (!has_callback) {
        op_unref(op);
    }
}

static enum qn_status op_fill(qn_op *op, const struct request *request, qn_error *err)
{
    struct encoded *encoded = &op->encoded;
    enum qn_status status = request_encode(request, encoded, err);

    if (status == QN_OK && (arg_own(&encoded->key) != QN_OK || arg_own(&encoded->value) != QN_OK)) {
        status = qn_error_set(err, QN_MEMORY_FULL, "%s: out of memory", call_verb(request->kind));
    }
    if (status == QN_OK) {
        op->call.core = request_op(request, encoded);
    }
    return status;
}

static qn_op *op_create(const struct request *request, qn_error *err)
{
    qn_op *op = calloc(1, sizeof *op);

    if (!op) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "%s: out of memory", call_verb(request->kind));
        return NULL;
    }
    op->call.op = op;
    op->cache = request->cache;
    op->pid = getpid();
    op->error = (qn_error)QN_ERROR_INIT;
    list_init(&op->place);
    atomic_init(&op->references, 2);
    atomic_init(&op->done, false);
    if (op_fill(op, request, err) != QN_OK) {
        op_destroy(op);
        return NULL;
    }
    return op;
}

static enum qn_status busy_explain(const qn_client *client, const qn_op *op, qn_error *err)
{
    return qn_error_set(err, QN_BUSY,
                        "%s %s: %zu operations of %zu octets are in flight (in_flight=%lld, "
                        "in_flight_bytes=%lld); wait for some or raise the limit",
                        call_verb(op->call.core.kind), op->cache->name, client->in_flight,
                        client->in_flight_bytes,
                        (long long)setting_number(&client->settings, PROPERTY_IN_FLIGHT),
                        (long long)setting_number(&client->settings, PROPERTY_IN_FLIGHT_BYTES));
}

static enum qn_status op_submit(qn_client *client, qn_op *op, qn_error *err)
{
    enum qn_status status = driver_enter(client, err);

    if (status != QN_OK) {
        return status;
    }
    status = driver_thread_start(client, err);
    if (status == QN_OK) {
        call_begin(&op->call, clock_now_ms(),
                   client_timeout_ms(client, op->encoded.options.timeout_ms));
        status = driver_charge(client, &op->call);
        if (status == QN_OK) {
            driver_submit(client, &op->call);
        } else {
            client->counters.busy++;
            (void)busy_explain(client, op, err);
        }
    }
    driver_leave(client);
    return status;
}

static qn_op *request_start(const struct request *request, qn_error *err)
{
    qn_options options;

    if (request_check(request, &options, err) != QN_OK) {
        return NULL;
    }
    qn_op *op = op_create(request, err);
    if (!op) {
        return NULL;
    }
    if (op_submit(request->cache->client, op, err) != QN_OK) {
        op_destroy(op);
        return NULL;
    }
    return op;
}

qn_op *qn_get_start(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache, .kind = WIRE_OP_GET, .key = key, .options = options};

    return request_start(&request, err);
}

qn_op *qn_contains_start(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_CONTAINS, .key = key, .options = options};

    return request_start(&request, err);
}

qn_op *qn_put_start(qn_cache *cache, qn_arg key, qn_arg value, const qn_options *options,
                    qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_PUT, .key = key, .value = value, .options = options};

    return request_start(&request, err);
}

qn_op *qn_put_if_absent_start(qn_cache *cache, qn_arg key, qn_arg value, const qn_options *options,
                              qn_error *err)
{
    struct request request = {.cache = cache,
                              .kind = WIRE_OP_PUT_IF_ABSENT,
                              .key = key,
                              .value = value,
                              .options = options};

    return request_start(&request, err);
}

qn_op *qn_replace_start(qn_cache *cache, qn_arg key, qn_arg value, uint64_t expected_version,
                        const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache,
                              .kind = WIRE_OP_REPLACE,
                              .key = key,
                              .value = value,
                              .expected_version = expected_version,
                              .options = options};

    return request_start(&request, err);
}

qn_op *qn_remove_start(qn_cache *cache, qn_arg key, const qn_options *options, qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_REMOVE, .key = key, .options = options};

    return request_start(&request, err);
}

qn_op *qn_remove_if_start(qn_cache *cache, qn_arg key, uint64_t expected_version,
                          const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache,
                              .kind = WIRE_OP_REMOVE_IF,
                              .key = key,
                              .expected_version = expected_version,
                              .options = options};

    return request_start(&request, err);
}

qn_op *qn_touch_start(qn_cache *cache, qn_arg key, int64_t ttl_ms, const qn_options *options,
                      qn_error *err)
{
    struct request request = {
        .cache = cache, .kind = WIRE_OP_TOUCH, .key = key, .ttl_ms = ttl_ms, .options = options};

    return request_start(&request, err);
}

/* ---- asking ---- */

bool qn_op_done(const qn_op *op)
{
    return op && atomic_load_explicit(&op->done, memory_order_acquire);
}

static void op_wait_locked(qn_client *client, qn_op *op, int64_t until_ms)
{
    struct waiter waiter;

    if (qn_op_done(op) || op->call.waiter) {
        return; /* one thread waits at a time */
    }
    waiter_init(client, &waiter, 1);
    op->call.waiter = &waiter;
    (void)driver_wait(client, &waiter, until_ms);
    if (!qn_op_done(op)) {
        op->call.waiter = NULL;
    }
    waiter_fini(&waiter);
}

bool qn_op_wait(qn_op *op, int64_t ms)
{
    if (!op) {
        return false;
    }
    if (qn_op_done(op) || driver_enter(op->cache->client, NULL) != QN_OK) {
        return qn_op_done(op);
    }
    op_wait_locked(op->cache->client, op, ms < 0 ? INT64_MAX : deadline_after(clock_now_ms(), ms));
    driver_leave(op->cache->client);
    return qn_op_done(op);
}

qn_status qn_op_status(const qn_op *op)
{
    if (!op) {
        return QN_INVALID;
    }
    if (qn_op_done(op)) {
        return op->call.core.status;
    }
    /* In the child of a fork it never will be done. */
    return op->pid == getpid() ? QN_BUSY : QN_FORKED;
}

const qn_error *qn_op_error(const qn_op *op)
{
    return qn_op_done(op) ? &op->error : NULL;
}

qn_value *qn_op_value(const qn_op *op)
{
    return qn_op_done(op) ? op->call.value : NULL;
}

uint64_t qn_op_version(const qn_op *op)
{
    return qn_op_done(op) ? op->call.core.version : 0;
}

void qn_op_on_done(qn_op *op, void (*fn)(qn_op *op, void *arg), void *arg)
{
    if (!op || !fn || op->fn || driver_enter(op->cache->client, NULL) != QN_OK) {
        return;
    }
    op->arg = arg;
    op->fn = fn;
    if (qn_op_done(op)) {
        atomic_fetch_add_explicit(&op->references, 1, memory_order_relaxed);
        callback_queue(op->cache->client, op);
    }
    driver_leave(op->cache->client);
}

void qn_op_cancel(qn_op *op)
{
    if (!op || qn_op_done(op) || driver_enter(op->cache->client, NULL) != QN_OK) {
        return;
    }
    if (!qn_op_done(op)) {
        session_give_up(op->cache->client->session, &op->call.core, QN_CLOSED);
        driver_deliver(op->cache->client);
    }
    driver_leave(op->cache->client);
}

void qn_op_release(qn_op *op)
{
    if (op) {
        op_unref(op);
    }
}

/* ---- callbacks ---- */

int qn_fd(qn_client *client)
{
    int fd = -1;

    if (driver_enter(client, NULL) != QN_OK) {
        return -1;
    }
    if (driver_thread_start(client, NULL) == QN_OK) {
        fd = client->done_fd;
    }
    driver_leave(client);
    return fd;
}

static bool state_is_pending(const qn_client *client)
{
    return client->state_fn && client->state_told != client->state;
}

/* Move up to `max` (0 = all) finished operations to `taken`; the descriptor tells whether some are
 * left. */
static void callbacks_take(qn_client *client, size_t max, struct list *taken)
{
    uint64_t ignored;

    for (size_t i = 0; (max == 0 || i < max) && !list_empty(&client->callbacks); i++) {
        list_push_back(taken, list_pop_front(&client->callbacks));
    }
    bool is_empty = list_empty(&client->callbacks) && !state_is_pending(client);
    if (is_empty && read(client->done_fd, &ignored, sizeof ignored) < 0) {
        return; /* it was not readable */
    }
}

size_t qn_dispatch(qn_client *client, size_t max)
{
    struct list taken;
    size_t count = 0;

    list_init(&taken);
    if (driver_enter(client, NULL) != QN_OK) {
        return 0;
    }
    bool tell_state = state_is_pending(client);
    void (*state_fn)(void *arg, enum qn_state state) = client->state_fn;
    void *state_arg = client->state_arg;
    enum qn_state state = client->state;
    client->state_told = state;
    callbacks_take(client, max, &taken);
    driver_leave(client);
    if (tell_state) {
        state_fn(state_arg, state);
        count++;
    }
    for (struct list *at = list_pop_front(&taken); at; at = list_pop_front(&taken)) {
        qn_op *op = LIST_OWNER(at, struct qn_op, place);
        op->fn(op, op->arg);
        op_unref(op);
        count++;
    }
    return count;
}

void ops_forget(qn_client *client)
{
    for (struct list *at = list_pop_front(&client->callbacks); at;
         at = list_pop_front(&client->callbacks)) {
        op_unref(LIST_OWNER(at, struct qn_op, place));
    }
}
