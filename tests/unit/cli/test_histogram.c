/* The histogram of durations: three significant digits, exact counts, merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client/cli/histogram.h"

static struct histogram *new_histogram(void)
{
    struct histogram *histogram = calloc(1, sizeof *histogram);
    assert_non_null(histogram);
    return histogram;
}

/* Each value falls into the counter whose bounds hold it, and the bounds are 1/1024 apart at most.
 */
static void every_value_has_a_counter_that_is_near(void **state)
{
    (void)state;
    for (uint64_t value = 1; value < (uint64_t)1 << HISTOGRAM_VALUE_BITS; value += value / 7 + 1) {
        size_t index = histogram_index(value);
        assert_true(index < HISTOGRAM_COUNTERS);
        assert_true(histogram_upper(index) >= value);
        assert_true(histogram_upper(index) - value <= value / 1024);
        assert_true(histogram_upper(index - 1) < value);
    }
}

/* Small values are exact, and percentiles are the smallest value that so many do not exceed. */
static void percentiles_of_small_values_are_exact(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    for (uint64_t value = 1; value <= 1000; value++) {
        histogram_record(h, value);
    }
    assert_int_equal(histogram_percentile(h, 0), 1);
    assert_int_equal(histogram_percentile(h, 50), 500);
    assert_int_equal(histogram_percentile(h, 99), 990);
    assert_int_equal(histogram_percentile(h, 99.9), 999);
    assert_int_equal(histogram_percentile(h, 99.99), 1000);
    assert_int_equal(histogram_percentile(h, 100), 1000);
    assert_true(histogram_mean(h) > 500.4 && histogram_mean(h) < 500.6);
    free(h);
}

/* A percentile never exceeds the largest value recorded. */
static void the_largest_value_bounds_all(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    histogram_record(h, 123456789);
    assert_int_equal(histogram_percentile(h, 50), 123456789);
    assert_int_equal(histogram_percentile(h, 100), 123456789);
    free(h);
}

/* Nothing recorded: everything is 0. */
static void an_empty_histogram_answers_zero(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    assert_int_equal(histogram_percentile(h, 99), 0);
    assert_true(histogram_mean(h) < 0.1);
    free(h);
}

/* What does not fit counts as the largest value there is. */
static void too_large_values_count_as_the_largest(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    histogram_record(h, UINT64_MAX);
    assert_int_equal(h->max, ((uint64_t)1 << HISTOGRAM_VALUE_BITS) - 1);
    assert_int_equal(h->counters[HISTOGRAM_COUNTERS - 1], 1);
    free(h);
}

/* Merged histograms are the histogram of all values. */
static void merging_is_recording_in_one(void **state)
{
    (void)state;
    struct histogram *parts[2] = {new_histogram(), new_histogram()};
    struct histogram *whole = new_histogram();
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t value = i * i + 3;
        histogram_record(parts[i % 2], value);
        histogram_record(whole, value);
    }
    histogram_merge(parts[0], parts[1]);
    assert_memory_equal(parts[0], whole, sizeof *whole);
    free(parts[0]);
    free(parts[1]);
    free(whole);
}

/* The median of 1000 samples lies, with 95 % certainty, between the samples of rank 469 and 531;
 * the interval holds the percentile, and no end of it leaves what was recorded. */
static void percentiles_have_intervals(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    uint64_t low = 1;
    uint64_t high = 1;
    histogram_interval(h, 50, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, 0);
    for (uint64_t value = 1; value <= 1000; value++) {
        histogram_record(h, value);
    }
    histogram_interval(h, 50, &low, &high);
    assert_int_equal(low, 469);
    assert_int_equal(high, 531);
    histogram_interval(h, 99.99, &low, &high);
    assert_true(low <= 1000 && low > 990);
    assert_int_equal(high, 1000);
    histogram_interval(h, 0.01, &low, &high);
    assert_int_equal(low, 1);
    assert_int_equal(histogram_at_rank(h, 7), 7);
    assert_int_equal(histogram_at_rank(h, 5000), 1000);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_a_counter_that_is_near),
        cmocka_unit_test(percentiles_of_small_values_are_exact),
        cmocka_unit_test(the_largest_value_bounds_all),
        cmocka_unit_test(an_empty_histogram_answers_zero),
        cmocka_unit_test(too_large_values_count_as_the_largest),
        cmocka_unit_test(merging_is_recording_in_one),
        cmocka_unit_test(percentiles_have_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
