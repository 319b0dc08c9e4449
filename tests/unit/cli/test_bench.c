/* The parts of the load generator that need no grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/bench_flight.h"
#include "client/cli/bench_report.h"
#include "client/cli/progress.h"

/* Keys are digits of a fixed length, different for different numbers. */
static void keys_are_digits_of_one_length(void **state)
{
    (void)state;
    char key[8];
    bench_key(0, key, sizeof key);
    assert_memory_equal(key, "00000000", sizeof key);
    bench_key(1234567, key, sizeof key);
    assert_memory_equal(key, "01234567", sizeof key);
    bench_key(9, key, 1);
    assert_memory_equal(key, "9", 1);
}

static struct bench_result *new_result(void)
{
    struct bench_result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    return result;
}

/* Results of several threads add up; the first error and the latest end are kept. */
static void results_add_up(void **state)
{
    (void)state;
    struct bench_result *a = new_result();
    struct bench_result *b = new_result();
    histogram_record(&a->gets, 1000);
    histogram_record(&b->gets, 3000);
    histogram_record(&b->puts, 5000);
    b->errors[3] = 2;
    b->error_count = 2;
    b->unknown_count = 1;
    b->last_ns = 7;
    a->seconds[1] = 5;
    b->seconds[1] = 6;
    a->late_count = 1;
    b->late_count = 2;
    a->late_max_ns = 9;
    b->late_max_ns = 8;
    b->queued_count = 3;
    b->unsent_count = 4;
    qn_error_set(&b->first_error, QN_DEADLINE, "late");
    bench_result_merge(a, b);
    assert_int_equal(a->gets.count, 2);
    assert_int_equal(a->puts.count, 1);
    assert_int_equal(a->errors[3], 2);
    assert_int_equal(a->error_count, 2);
    assert_int_equal(a->unknown_count, 1);
    assert_int_equal(a->last_ns, 7);
    assert_int_equal(a->first_error.status, QN_DEADLINE);
    assert_int_equal(a->seconds[1], 11);
    assert_int_equal(a->late_count, 3);
    assert_int_equal(a->late_max_ns, 9);
    assert_int_equal(a->queued_count, 3);
    assert_int_equal(a->unsent_count, 4);
    free(a);
    free(b);
}

/* The document has the names that scripts read. */
static void the_report_keeps_its_names(void **state)
{
    (void)state;
    struct bench_plan plan = {.key_count = 10, .key_size = 16, .in_flight = 5};
    struct bench_result *result = new_result();
    for (uint64_t i = 1; i <= 1000; i++) {
        histogram_record(&result->puts, i * 1000);
    }
    result->errors[3] = 1;
    result->error_count = 1;
    struct bench_summary summary = {.cache = "test", .plan = &plan, .result = result, .seconds = 2};
    json_t *json = bench_report_json(&summary);
    assert_non_null(json);
    assert_int_equal(json_integer_value(json_object_get(json, "ops_per_second")), 500);
    json_t *put = json_object_get(json, "put");
    assert_int_equal(json_integer_value(json_object_get(put, "count")), 1000);
    assert_true(json_real_value(json_object_get(put, "p50_us")) >= 500);
    assert_true(json_real_value(json_object_get(put, "p99_us")) <= 991);
    assert_non_null(json_object_get(put, "p999_us"));
    json_t *errors = json_object_get(json, "errors");
    assert_int_equal(json_integer_value(json_object_get(errors, "QN_DEADLINE")), 1);
    assert_string_equal(json_string_value(json_object_get(json, "loop")), "closed");
    assert_int_equal(json_array_size(json_object_get(json, "per_second")), 2);
    assert_int_equal(json_array_size(json_object_get(json, "ops_per_second_interval")), 2);
    const json_t *interval = json_object_get(json_object_get(put, "intervals"), "p50_us");
    assert_true(json_real_value(json_array_get(interval, 0)) <= 500);
    assert_true(json_real_value(json_array_get(interval, 1)) >= 501);
    assert_null(json_object_get(json, "late"));
    json_decref(json);
    free(result);
}

/* An open loop tells who was late: before there was room in flight, the grid; else the generator,
 * once it is more than a millisecond. */
static void lateness_has_a_cause(void **state)
{
    (void)state;
    struct bench_result *result = new_result();
    bench_flight_count_late(result, 1000, 1000, 0);
    bench_flight_count_late(result, 1000, 1000 + BENCH_LATE_NS, 0);
    assert_int_equal(result->late_count, 0);
    bench_flight_count_late(result, 1000, 1001 + BENCH_LATE_NS, 0);
    bench_flight_count_late(result, 1000, 1005 + BENCH_LATE_NS, 1000);
    assert_int_equal(result->late_count, 2);
    assert_int_equal(result->late_max_ns, BENCH_LATE_NS + 5);
    assert_int_equal(result->queued_count, 0);
    bench_flight_count_late(result, 1000, 1001, 1001);
    assert_int_equal(result->queued_count, 1);
    assert_int_equal(result->late_count, 2);
    free(result);
}

static struct bench_plan open_plan(const uint8_t *pool)
{
    return (struct bench_plan){
        .key_count = 10,
        .key_size = 4,
        .value_min = 1,
        .value_max = 3,
        .gets_percent = 50,
        .in_flight = 4,
        .thread_count = 1,
        .dispatch = true,
        .rate = 1e6,
        .start_ns = progress_clock_ns(),
        .end_ns = UINT64_MAX,
        .pool = pool,
        .put = QN_OPTIONS_INIT,
    };
}

/* Requests that cannot even begin (here: there is no cache) are all counted, each once. */
static void an_open_loop_ends_by_its_count(void **state)
{
    (void)state;
    static uint8_t pool[BENCH_POOL + 3];
    struct bench_plan plan = open_plan(pool);
    struct bench_worker worker;
    assert_true(bench_worker_init(&worker, &plan, 0, NULL, NULL));
    worker.remaining = 20;
    bench_worker_run(&worker);
    assert_int_equal(worker.result->error_count, 20);
    assert_int_equal(worker.result->unsent_count, 0);
    assert_int_equal(worker.busy_count, 0);
    assert_true(atomic_load(&worker.finished));
    bench_worker_fini(&worker);
}

/* What was due before the end and did not leave counts as unsent, so that nothing is lost. */
static void an_open_loop_counts_what_never_left(void **state)
{
    (void)state;
    static uint8_t pool[BENCH_POOL + 3];
    struct bench_plan plan = open_plan(pool);
    plan.end_ns = plan.start_ns + 5000000; /* 5000 are due by then; a refused one takes 1 ms */
    struct bench_worker worker;
    assert_true(bench_worker_init(&worker, &plan, 0, NULL, NULL));
    worker.remaining = UINT64_MAX;
    bench_worker_run(&worker);
    uint64_t all = worker.result->error_count + worker.result->unsent_count;
    assert_true(all >= 4999 && all <= 5001);
    assert_true(worker.result->unsent_count > 4000);
    bench_worker_fini(&worker);
}

/* Sizes of values stay in their range and reach both of its ends; the seed decides everything. */
static void requests_follow_the_seed(void **state)
{
    (void)state;
    static uint8_t pool[BENCH_POOL + 3];
    struct bench_plan plan = open_plan(pool);
    struct bench_worker a;
    struct bench_worker b;
    size_t sizes[4] = {0};
    int gets = 0;
    assert_true(bench_worker_init(&a, &plan, 1, NULL, NULL));
    assert_true(bench_worker_init(&b, &plan, 1, NULL, NULL));
    for (int i = 0; i < 1000; i++) {
        struct bench_call of_a = bench_worker_next(&a);
        struct bench_call of_b = bench_worker_next(&b);
        assert_memory_equal(of_a.key.data, of_b.key.data, plan.key_size);
        assert_int_equal(of_a.value.size, of_b.value.size);
        assert_int_equal(of_a.get, of_b.get);
        assert_in_range(of_a.value.size, 1, 3);
        sizes[of_a.value.size]++;
        gets += of_a.get;
    }
    assert_true(sizes[1] > 250 && sizes[2] > 250 && sizes[3] > 250);
    assert_in_range(gets, 400, 600);
    bench_worker_fini(&a);
    bench_worker_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_digits_of_one_length),
        cmocka_unit_test(results_add_up),
        cmocka_unit_test(the_report_keeps_its_names),
        cmocka_unit_test(lateness_has_a_cause),
        cmocka_unit_test(an_open_loop_ends_by_its_count),
        cmocka_unit_test(an_open_loop_counts_what_never_left),
        cmocka_unit_test(requests_follow_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
