/* What the options of bench mean, and which of them contradict each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/bench_plan.h"

static char problem[BENCH_PROBLEM_MAX];

static struct options defaults(void)
{
    struct options options;
    options_init(&options);
    return options;
}

static void expect_wrong(const struct options *options, const char *part)
{
    struct bench_plan plan;
    assert_false(bench_plan_make(options, &plan, problem));
    assert_non_null(strstr(problem, part));
}

static struct bench_plan expect_plan(const struct options *options)
{
    struct bench_plan plan;
    assert_true(bench_plan_make(options, &plan, problem));
    return plan;
}

/* Without a rate the loop is closed: one in flight, 100,000 requests. */
static void no_rate_is_a_closed_loop(void **state)
{
    (void)state;
    struct options options = defaults();
    struct bench_plan plan = expect_plan(&options);
    assert_true(plan.rate <= 0);
    assert_int_equal(plan.in_flight, 1);
    assert_int_equal(plan.request_count, 100000);
    assert_int_equal(plan.value_min, 100);
    assert_int_equal(plan.value_max, 100);
    assert_int_equal(plan.seed, 1);
    assert_int_equal(plan.zipf.count, 0);
    options.closed = true;
    assert_true(expect_plan(&options).rate <= 0);
}

/* With a rate it is open: room for many in flight, and a client for each thread. */
static void a_rate_is_an_open_loop(void **state)
{
    (void)state;
    struct options options = defaults();
    options.rate = "5000/s";
    options.thread_count = 3;
    struct bench_plan plan = expect_plan(&options);
    assert_true(plan.rate > 4999.9 && plan.rate < 5000.1);
    assert_int_equal(plan.in_flight, 1000);
    assert_int_equal(plan.client_count, 3);
    assert_true(plan.dispatch);
    options.rate = "0.5";
    assert_true(expect_plan(&options).rate < 0.51);
    options.closed = true;
    expect_wrong(&options, "exclude each other");
    options.closed = false;
    options.client_count = 1;
    expect_wrong(&options, "leave --clients out");
}

/* What is no rate is refused, with an example. */
static void wrong_rates_are_refused(void **state)
{
    (void)state;
    static const char *const rates[] = {"", "0", "-5", "5/m", "x", "nan", "inf", "1e300", "5/s/s"};
    struct options options = defaults();
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        options.rate = rates[i];
        expect_wrong(&options, "such as 5000/s");
    }
}

/* Values have one size, or all between two. */
static void value_sizes_are_one_or_a_range(void **state)
{
    (void)state;
    struct options options = defaults();
    options.value_size = "0";
    assert_int_equal(expect_plan(&options).value_max, 0);
    options.value_size = "64-4KiB";
    struct bench_plan plan = expect_plan(&options);
    assert_int_equal(plan.value_min, 64);
    assert_int_equal(plan.value_max, 4096);
    static const char *const sizes[] = {"", "-", "5-", "-5", "9-8", "17MiB", "1-2-3", "x", "1-x"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        options.value_size = sizes[i];
        expect_wrong(&options, "such as 100, 4KiB or 64-4KiB");
    }
}

/* The exponent of Zipf is a number above 0. */
static void an_exponent_chooses_zipf(void **state)
{
    (void)state;
    struct options options = defaults();
    options.zipf = "0.99";
    struct bench_plan plan = expect_plan(&options);
    assert_int_equal(plan.zipf.count, 100000);
    assert_true(plan.zipf.exponent > 0.98 && plan.zipf.exponent < 1);
    options.zipf = "0";
    expect_wrong(&options, "such as 0.99");
    options.zipf = "11";
    expect_wrong(&options, "such as 0.99");
}

/* A load puts each key once: it needs no gets and takes no bound. */
static void a_load_puts_each_key_once(void **state)
{
    (void)state;
    struct options options = defaults();
    options.load = true;
    options.key_count = 77;
    struct bench_plan plan = expect_plan(&options);
    assert_int_equal(plan.request_count, 77);
    assert_int_equal(plan.gets_percent, 0);
    options.zipf = "1";
    expect_wrong(&options, "--load puts each of --keys once");
    options.zipf = NULL;
    options.time_ms = 5;
    expect_wrong(&options, "--load puts each of --keys once");
}

/* Contradictions are named before anything begins. */
static void contradictions_are_named(void **state)
{
    (void)state;
    struct options options = defaults();
    options.request_count = 5;
    options.time_ms = 5;
    expect_wrong(&options, "--requests and --time exclude each other");
    options = defaults();
    options.key_size = 2;
    expect_wrong(&options, "too short for 100000 different keys");
    options = defaults();
    options.client_count = 2;
    expect_wrong(&options, "more than --threads 1");
}

/* Workers take turns: together their requests are due at even distances. */
static void workers_take_turns(void **state)
{
    (void)state;
    struct bench_plan plan = {.rate = 1000, .thread_count = 4};
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t due = bench_plan_due_ns(&plan, (unsigned)(i % 4), i / 4);
        assert_int_equal(due / 1000, i * 1000);
    }
    /* After a day at a high rate the times are still exact to the microsecond. */
    plan.rate = 1e6;
    uint64_t day = UINT64_C(86400) * 1000000;
    uint64_t due = bench_plan_due_ns(&plan, 1, day / 4);
    assert_true(due > day * 1000 && due <= day * 1000 + 1001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rate_is_a_closed_loop),
        cmocka_unit_test(a_rate_is_an_open_loop),
        cmocka_unit_test(wrong_rates_are_refused),
        cmocka_unit_test(value_sizes_are_one_or_a_range),
        cmocka_unit_test(an_exponent_chooses_zipf),
        cmocka_unit_test(a_load_puts_each_key_once),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(workers_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
