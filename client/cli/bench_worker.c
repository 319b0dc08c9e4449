#define _GNU_SOURCE
#include "client/cli/bench_worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/cli/interrupt.h"
#include "client/cli/progress.h"
#include "wire/assert.h"

enum { BENCH_WAIT_MS = 100, BENCH_GIVE_UP_NS = 1000 * 1000 * 1000 };

/* A place for a request in flight. */
struct bench_slot {
    struct bench_slot *next; /* in the list of idle or done ones */
    struct bench_worker *worker;
    qn_op *op; /* NULL = idle */
    uint64_t began_ns;
    bool get;
};

/* What to ask next. The key and value are the worker's until the next one. */
struct bench_call {
    bool get;
    qn_arg key;
    qn_arg value;
};

bool bench_worker_init(struct bench_worker *worker, const struct bench_plan *plan,
                       qn_client *client, qn_cache *cache, uint64_t seed)
{
    memset(worker, 0, sizeof *worker);
    worker->plan = plan;
    worker->client = client;
    worker->cache = cache;
    worker->random = seed * 0x9e3779b97f4a7c15U | 1U;
    worker->result = calloc(1, sizeof *worker->result);
    worker->key = malloc(plan->key_size);
    worker->slots = calloc(plan->in_flight, sizeof *worker->slots);
    if (worker->result == NULL || worker->key == NULL || worker->slots == NULL) {
        return false;
    }
    for (size_t i = plan->in_flight; i-- > 0;) {
        worker->slots[i].worker = worker;
        worker->slots[i].next = worker->idle;
        worker->idle = &worker->slots[i];
    }
    return true;
}

void bench_worker_fini(struct bench_worker *worker)
{
    free(worker->result);
    free(worker->key);
    free(worker->slots);
}

void bench_key(uint64_t number, char *key, size_t size)
{
    for (size_t i = size; i-- > 0;) {
        key[i] = (char)('0' + number % 10);
        number /= 10;
    }
}

/* xorshift64*: quick, and good enough to choose keys. */
static uint64_t random_next(struct bench_worker *worker)
{
    uint64_t x = worker->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    worker->random = x;
    return x * 0x2545f4914f6cdd1dU;
}

/* Is there another request to begin? One that is not measured does not use up the count. */
static bool worker_more(struct bench_worker *worker, uint64_t now_ns)
{
    if (worker->remaining == 0 || now_ns >= worker->plan->end_ns || interrupted()) {
        return false;
    }
    if (worker->remaining != UINT64_MAX && now_ns >= worker->plan->measure_from_ns) {
        worker->remaining--;
    }
    return true;
}

static struct bench_call worker_next(struct bench_worker *worker)
{
    const struct bench_plan *plan = worker->plan;
    uint64_t random = random_next(worker);
    uint64_t number = plan->load ? worker->next_key++ : (random >> 16) % plan->key_count;
    bench_key(number, worker->key, plan->key_size);
    return (struct bench_call){
        .get = !plan->load && random % 100 < plan->gets_percent,
        .key = qn_text(worker->key, plan->key_size),
        .value = qn_bytes(plan->pool + (random >> 40) % BENCH_POOL, plan->value_size),
    };
}

static void count_failure(struct bench_result *result, qn_status status, const qn_error *err)
{
    size_t class = (size_t) - (int)status;
    result->errors[class < BENCH_STATUS_COUNT ? class : 0]++;
    result->error_count++;
    if (err != NULL) {
        result->unknown_count += err->certainty == QN_UNKNOWN;
        if (!qn_error_failed(&result->first_error)) {
            result->first_error = *err;
        }
    }
}

static void worker_count(struct bench_worker *worker, bool get, qn_status status,
                         const qn_error *err, uint64_t began_ns, uint64_t now_ns)
{
    struct bench_result *result = worker->result;
    atomic_fetch_add_explicit(&worker->counted, 1, memory_order_relaxed);
    if (began_ns < worker->plan->measure_from_ns) {
        return;
    }
    result->last_ns = now_ns;
    if (status < QN_OK) {
        count_failure(result, status, err);
        return;
    }
    result->absent_count += status == QN_ABSENT;
    histogram_record(get ? &result->gets : &result->puts, now_ns - began_ns);
}

/* ---- one in flight ---- */

static void run_waiting(struct bench_worker *worker)
{
    uint64_t now = progress_clock_ns();
    while (worker_more(worker, now)) {
        struct bench_call call = worker_next(worker);
        qn_error err = QN_ERROR_INIT;
        uint64_t began = progress_clock_ns();
        qn_status status;
        if (call.get) {
            qn_value *value = NULL;
            status = qn_get(worker->cache, call.key, NULL, &value, &err);
            qn_value_release(value);
        } else {
            status = qn_put(worker->cache, call.key, call.value, NULL, &err);
        }
        now = progress_clock_ns();
        worker_count(worker, call.get, status, &err, began, now);
    }
}

/* ---- many in flight ---- */

static void on_done(qn_op *op, void *arg)
{
    struct bench_slot *slot = arg;
    (void)op;
    slot->next = slot->worker->done;
    slot->worker->done = slot;
}

static void slot_end(struct bench_slot *slot, uint64_t now_ns)
{
    struct bench_worker *worker = slot->worker;
    worker_count(worker, slot->get, qn_op_status(slot->op), qn_op_error(slot->op), slot->began_ns,
                 now_ns);
    qn_op_release(slot->op);
    slot->op = NULL;
    slot->next = worker->idle;
    worker->idle = slot;
}

/* A request that could not even begin counts as failed; the pause keeps a dead grid from being
 * asked millions of times. */
static void slot_refused(struct bench_worker *worker, bool get, const qn_error *err,
                         uint64_t now_ns)
{
    worker_count(worker, get, err->status, err, now_ns, now_ns);
    struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
}

/* Begin one request. Returns whether it is in flight. */
static bool slot_begin(struct bench_worker *worker, uint64_t now_ns)
{
    struct bench_slot *slot = worker->idle;
    struct bench_call call = worker_next(worker);
    qn_error err = QN_ERROR_INIT;
    slot->get = call.get;
    slot->began_ns = now_ns;
    slot->op = call.get ? qn_get_start(worker->cache, call.key, NULL, &err)
                        : qn_put_start(worker->cache, call.key, call.value, NULL, &err);
    if (slot->op == NULL) {
        slot_refused(worker, call.get, &err, now_ns);
        return false;
    }
    worker->idle = slot->next;
    if (worker->plan->dispatch) {
        qn_op_on_done(slot->op, on_done, slot);
    }
    return true;
}

/* Wait for some to end, with the descriptor of a client that is this worker's alone. Returns how
 * many. */
static size_t reap_dispatched(struct bench_worker *worker)
{
    struct pollfd descriptor = {.fd = qn_fd(worker->client), .events = POLLIN};
    if (poll(&descriptor, 1, BENCH_WAIT_MS) < 0 && errno != EINTR) {
        return 0;
    }
    qn_dispatch(worker->client, 0);
    uint64_t now = progress_clock_ns();
    size_t count = 0;
    while (worker->done != NULL) {
        struct bench_slot *slot = worker->done;
        worker->done = slot->next;
        slot_end(slot, now);
        count++;
    }
    return count;
}

/* Wait for some to end, of a client that several workers use: for the one begun first, then look at
 * all. */
static size_t reap_shared(struct bench_worker *worker)
{
    struct bench_slot *oldest = NULL;
    for (size_t i = 0; i < worker->plan->in_flight; i++) {
        struct bench_slot *slot = &worker->slots[i];
        if (slot->op != NULL && (oldest == NULL || slot->began_ns < oldest->began_ns)) {
            oldest = slot;
        }
    }
    if (oldest != NULL) {
        (void)qn_op_wait(oldest->op, BENCH_WAIT_MS);
    }
    uint64_t now = progress_clock_ns();
    size_t count = 0;
    for (size_t i = 0; i < worker->plan->in_flight; i++) {
        struct bench_slot *slot = &worker->slots[i];
        if (slot->op != NULL && qn_op_done(slot->op)) {
            slot_end(slot, now);
            count++;
        }
    }
    return count;
}

/* Nobody waits for what is still in flight after an interrupt. */
static void abandon(struct bench_worker *worker)
{
    for (size_t i = 0; i < worker->plan->in_flight; i++) {
        if (worker->slots[i].op != NULL) {
            qn_op_cancel(worker->slots[i].op);
            qn_op_release(worker->slots[i].op);
            worker->slots[i].op = NULL;
        }
    }
}

static void run_in_flight(struct bench_worker *worker)
{
    size_t in_flight = 0;
    uint64_t give_up_ns = UINT64_MAX;
    for (;;) {
        uint64_t now = progress_clock_ns();
        while (worker->idle != NULL && worker_more(worker, now) && slot_begin(worker, now)) {
            in_flight++;
            now = progress_clock_ns();
        }
        if (interrupted() && give_up_ns == UINT64_MAX) {
            give_up_ns = now + BENCH_GIVE_UP_NS;
        }
        if (in_flight == 0 || now > give_up_ns) {
            break;
        }
        in_flight -= worker->plan->dispatch ? reap_dispatched(worker) : reap_shared(worker);
    }
    abandon(worker);
}

void bench_worker_run(struct bench_worker *worker)
{
    if (worker->plan->in_flight == 1) {
        run_waiting(worker);
    } else {
        run_in_flight(worker);
    }
    atomic_store(&worker->finished, true);
}

void bench_result_merge(struct bench_result *to, const struct bench_result *from)
{
    histogram_merge(&to->gets, &from->gets);
    histogram_merge(&to->puts, &from->puts);
    to->absent_count += from->absent_count;
    to->error_count += from->error_count;
    to->unknown_count += from->unknown_count;
    for (size_t i = 0; i < BENCH_STATUS_COUNT; i++) {
        to->errors[i] += from->errors[i];
    }
    if (!qn_error_failed(&to->first_error)) {
        to->first_error = from->first_error;
    }
    to->last_ns = from->last_ns > to->last_ns ? from->last_ns : to->last_ns;
}
