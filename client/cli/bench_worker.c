#define _GNU_SOURCE
#include "client/cli/bench_worker.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/bench_flight.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"

enum { BENCH_SECOND_NS = 1000 * 1000 * 1000 };

bool bench_worker_init(struct bench_worker *worker, const struct bench_plan *plan, unsigned number,
                       qn_client *client, qn_cache *cache)
{
    memset(worker, 0, sizeof *worker);
    worker->plan = plan;
    worker->number = number;
    worker->client = client;
    worker->cache = cache;
    worker->dice = dice_of(plan->seed * UINT32_MAX + number);
    worker->result = calloc(1, sizeof *worker->result);
    worker->key = malloc(plan->key_size);
    return worker->result != NULL && worker->key != NULL && bench_flight_init(worker);
}

void bench_worker_fini(struct bench_worker *worker)
{
    bench_flight_fini(worker);
    free(worker->result);
    free(worker->key);
}

void bench_key(uint64_t number, char *key, size_t size)
{
    for (size_t i = size; i-- > 0;) {
        key[i] = (char)('0' + number % 10);
        number /= 10;
    }
}

bool bench_worker_more(struct bench_worker *worker, uint64_t at_ns)
{
    if (worker->remaining == 0 || at_ns >= worker->plan->end_ns || interrupted()) {
        return false;
    }
    if (worker->remaining != UINT64_MAX && at_ns >= worker->plan->measure_from_ns) {
        worker->remaining--;
    }
    return true;
}

static uint64_t choose_key(struct bench_worker *worker)
{
    const struct bench_plan *plan = worker->plan;
    if (plan->load) {
        return worker->next_key++;
    }
    return plan->zipf.count > 0 ? zipf_next(&plan->zipf, &worker->dice)
                                : dice_below(&worker->dice, plan->key_count);
}

struct bench_call bench_worker_next(struct bench_worker *worker)
{
    const struct bench_plan *plan = worker->plan;
    bench_key(choose_key(worker), worker->key, plan->key_size);
    uint64_t random = dice_next(&worker->dice);
    size_t spread = plan->value_max - plan->value_min + 1;
    size_t size = plan->value_min + (size_t)((random >> 8 & UINT32_MAX) % spread);
    return (struct bench_call){
        .get = random % 100 < plan->gets_percent,
        .key = qn_text(worker->key, plan->key_size),
        .value = qn_bytes(plan->pool + (random >> 40) % BENCH_POOL, size),
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

/* In which second it ended. */
static void count_second(struct bench_worker *worker, uint64_t now_ns)
{
    uint64_t second = (now_ns - worker->plan->measure_from_ns) / BENCH_SECOND_NS;
    if (second < BENCH_SECONDS_MAX) {
        worker->result->seconds[second]++;
    }
}

void bench_worker_count(struct bench_worker *worker, bool get, qn_status status,
                        const qn_error *err, uint64_t from_ns, uint64_t now_ns)
{
    struct bench_result *result = worker->result;
    atomic_fetch_add_explicit(&worker->counted, 1, memory_order_relaxed);
    if (from_ns < worker->plan->measure_from_ns) {
        return;
    }
    result->last_ns = now_ns;
    if (status < QN_OK) {
        count_failure(result, status, err);
        return;
    }
    result->absent_count += status == QN_ABSENT;
    histogram_record(get ? &result->gets : &result->puts, now_ns - from_ns);
    count_second(worker, now_ns);
}

/* One in flight, by the calls that wait: no hop between threads is measured with them. */
static void run_waiting(struct bench_worker *worker)
{
    uint64_t now = progress_clock_ns();
    while (bench_worker_more(worker, now)) {
        struct bench_call call = bench_worker_next(worker);
        qn_error err = QN_ERROR_INIT;
        uint64_t began = progress_clock_ns();
        qn_status status;
        if (call.get) {
            qn_value *value = NULL;
            status = qn_get(worker->cache, call.key, NULL, &value, &err);
            qn_value_release(value);
        } else {
            status = qn_put(worker->cache, call.key, call.value, &worker->plan->put, &err);
        }
        now = progress_clock_ns();
        bench_worker_count(worker, call.get, status, &err, began, now);
    }
}

void bench_worker_run(struct bench_worker *worker)
{
    if (worker->plan->rate > 0) {
        bench_flight_run_open(worker);
    } else if (worker->plan->in_flight == 1) {
        run_waiting(worker);
    } else {
        bench_flight_run_closed(worker);
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
    for (size_t i = 0; i < BENCH_SECONDS_MAX; i++) {
        to->seconds[i] += from->seconds[i];
    }
    to->queued_count += from->queued_count;
    to->late_count += from->late_count;
    to->late_max_ns = from->late_max_ns > to->late_max_ns ? from->late_max_ns : to->late_max_ns;
    to->unsent_count += from->unsent_count;
}
