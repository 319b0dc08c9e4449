/* Two results side by side, and what a difference between them is worth. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/bench_compare.h"
#include "client/cli/bench_report.h"
#include "client/cli/bench_stats.h"

/* A result whose latencies are `scale` times 1 to 1000 us, and whose seconds scatter. */
static json_t *result_of(uint64_t scale, uint32_t base, size_t value_size)
{
    struct bench_result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    struct bench_plan plan = {.key_count = 10,
                              .key_size = 16,
                              .in_flight = 5,
                              .value_max = value_size,
                              .value_min = value_size,
                              .thread_count = 1};
    for (int round = 0; round < 100; round++) {
        for (uint64_t i = 1; i <= 1000; i++) {
            histogram_record(&result->puts, i * 1000 * scale);
        }
    }
    for (uint32_t i = 0; i < 10; i++) {
        result->seconds[i] = base + i % 3;
    }
    struct bench_summary summary = {
        .cache = "test", .plan = &plan, .result = result, .seconds = 10.5};
    json_t *json = bench_report_json(&summary);
    assert_non_null(json);
    free(result);
    return json;
}

static const json_t *row_of(const json_t *comparison, const char *figure)
{
    size_t i = 0;
    json_t *row = NULL;
    json_array_foreach(json_object_get(comparison, "rows"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "figure")), figure) == 0) {
            return row;
        }
    }
    return NULL;
}

/* The interval around a mean is Student's: for 1, 2, 3 that is 2 give or take 2.48. */
static void the_interval_is_students(void **state)
{
    (void)state;
    const uint32_t seconds[] = {1, 2, 3};
    struct bench_spread spread = bench_spread_of(seconds, 3);
    assert_true(fabs(spread.mean - 2) < 1e-9);
    assert_true(fabs(spread.half_width - 2.4843) < 1e-3);
    assert_int_equal(bench_spread_of(seconds, 1).count, 1);
    assert_true(bench_spread_of(seconds, 1).half_width <= 0);
    assert_true(bench_spread_of(seconds, 0).mean <= 0);
}

/* Many seconds approach the normal distribution without a jump. */
static void many_seconds_approach_the_normal_distribution(void **state)
{
    (void)state;
    uint32_t seconds[400];
    for (size_t i = 0; i < 400; i++) {
        seconds[i] = i % 2 == 0 ? 90 : 110;
    }
    double before = 1000;
    for (size_t count = 2; count <= 400; count += 2) {
        struct bench_spread spread = bench_spread_of(seconds, count);
        assert_true(spread.half_width < before);
        before = spread.half_width;
    }
    assert_true(fabs(before - 1.966 * 10.0125 / 20) < 0.001);
}

/* A run compared with itself differs in nothing. */
static void a_run_equals_itself(void **state)
{
    (void)state;
    json_t *a = result_of(1, 1000, 100);
    json_t *comparison = bench_compare_json(a, a);
    assert_non_null(comparison);
    assert_true(json_is_true(json_object_get(row_of(comparison, "throughput"), "noise")));
    const json_t *row = row_of(comparison, "put p99");
    assert_true(json_is_true(json_object_get(row, "noise")));
    assert_true(fabs(json_real_value(json_object_get(row, "ratio")) - 1) < 1e-9);
    assert_int_equal(json_array_size(json_object_get(comparison, "unlike")), 0);
    json_decref(comparison);
    json_decref(a);
}

/* Intervals apart from each other are no noise, and the ratio is b to a. */
static void a_real_difference_is_told(void **state)
{
    (void)state;
    json_t *a = result_of(1, 1000, 100);
    json_t *b = result_of(2, 900, 100);
    json_t *comparison = bench_compare_json(a, b);
    assert_non_null(comparison);
    assert_true(json_is_false(json_object_get(row_of(comparison, "throughput"), "noise")));
    const json_t *row = row_of(comparison, "put p50");
    assert_true(json_is_false(json_object_get(row, "noise")));
    assert_true(fabs(json_real_value(json_object_get(row, "ratio")) - 2) < 0.01);
    /* A maximum is one request: it has no interval. */
    assert_null(json_object_get(row_of(comparison, "put max"), "noise"));
    /* Kinds of requests that a run lacks are left out. */
    assert_null(row_of(comparison, "get p50"));
    json_decref(comparison);
    json_decref(a);
    json_decref(b);
}

/* Different settings are named: the figures then say little. */
static void unlike_settings_are_named(void **state)
{
    (void)state;
    json_t *a = result_of(1, 1000, 100);
    json_t *b = result_of(1, 1000, 200);
    json_object_set_new(b, "zipf", json_real(0.99));
    json_t *comparison = bench_compare_json(a, b);
    json_t *unlike = json_object_get(comparison, "unlike");
    assert_int_equal(json_array_size(unlike), 3); /* value_size, value_size_min, zipf */
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    bench_compare_print(comparison, "some/long/folder/name/a.json", "b.json", file);
    fclose(file);
    assert_non_null(strstr(text, "the runs are not alike: value_size is 100 and 200\n"));
    assert_non_null(strstr(text, "the runs are not alike: zipf is none and 0.99\n"));
    assert_non_null(strstr(text, "within the noise"));
    assert_non_null(strstr(text, "throughput"));
    free(text);
    json_decref(comparison);
    json_decref(a);
    json_decref(b);
}

/* What is no result of bench is not compared. */
static void other_documents_are_refused(void **state)
{
    (void)state;
    json_t *a = result_of(1, 1000, 100);
    json_t *other = json_pack("{s:s}", "ops_per_second", "many");
    assert_null(bench_compare_json(a, other));
    assert_null(bench_compare_json(other, a));
    json_t *array = json_array();
    assert_null(bench_compare_json(array, a));
    json_decref(array);
    json_decref(other);
    json_decref(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_is_students),
        cmocka_unit_test(many_seconds_approach_the_normal_distribution),
        cmocka_unit_test(a_run_equals_itself),
        cmocka_unit_test(a_real_difference_is_told),
        cmocka_unit_test(unlike_settings_are_named),
        cmocka_unit_test(other_documents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
