/* The parts of the load generator that need no grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/bench_report.h"

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
    qn_error_set(&b->first_error, QN_DEADLINE, "late");
    bench_result_merge(a, b);
    assert_int_equal(a->gets.count, 2);
    assert_int_equal(a->puts.count, 1);
    assert_int_equal(a->errors[3], 2);
    assert_int_equal(a->error_count, 2);
    assert_int_equal(a->unknown_count, 1);
    assert_int_equal(a->last_ns, 7);
    assert_int_equal(a->first_error.status, QN_DEADLINE);
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
    struct bench_summary summary = {
        .cache = "test", .plan = &plan, .result = result, .seconds = 2, .thread_count = 1};
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
    json_decref(json);
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_digits_of_one_length),
        cmocka_unit_test(results_add_up),
        cmocka_unit_test(the_report_keeps_its_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
