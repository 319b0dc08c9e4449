#include "node/checkpoint_plan.h"
#include "tests/lib/check.h"

/* Partitions 1, 4, 7, 10 of a lane, nothing in the log yet. */
static struct checkpoint_plan plan_of_four(void)
{
    struct checkpoint_plan plan;

    assert_int_equal(plan_init(&plan, 1, 3, 12), QN_OK);
    assert_int_equal(plan.count, 4);
    return plan;
}

static uint32_t next_of(struct checkpoint_plan *plan, uint64_t target)
{
    uint32_t partition = 99;

    assert_true(plan_next(plan, target, &partition));
    return partition;
}

/* The partition with the oldest record that is in no snapshot goes first, and only below the target
 * (B.21). */
static void the_oldest_goes_first(void **state)
{
    struct checkpoint_plan plan = plan_of_four();
    uint32_t partition;

    (void)state;
    assert_false(plan_next(&plan, UINT64_MAX - 1, &partition));
    plan_appended(&plan, 7, 100);
    plan_appended(&plan, 4, 50);
    plan_appended(&plan, 4, 200);
    plan_appended(&plan, 1, 70);
    assert_int_equal(next_of(&plan, 1000), 4);
    assert_false(plan_next(&plan, 50, &partition));
    assert_int_equal(next_of(&plan, 51), 4);
    plan_fini(&plan);
}

/* The log is needed from the oldest record on; not at all when all is in snapshots. */
static void the_log_is_needed_from_the_oldest_record_on(void **state)
{
    struct checkpoint_plan plan = plan_of_four();

    (void)state;
    assert_int_equal(plan_needed(&plan, 500), 500);
    plan_appended(&plan, 10, 300);
    plan_appended(&plan, 1, 400);
    assert_int_equal(plan_needed(&plan, 500), 300);
    plan_begin(&plan, 10);
    assert_int_equal(plan_needed(&plan, 500), 300);
    assert_int_equal(plan_needed_after(&plan, 500), 400);
    plan_done(&plan);
    assert_int_equal(plan_needed(&plan, 500), 400);
    plan_fini(&plan);
}

/* What is appended while its partition is walked is not in the snapshot. */
static void what_comes_during_a_walk_is_not_in_the_snapshot(void **state)
{
    struct checkpoint_plan plan = plan_of_four();

    (void)state;
    plan_appended(&plan, 4, 10);
    plan_begin(&plan, 4);
    plan_appended(&plan, 4, 60);
    assert_int_equal(plan_needed_after(&plan, 100), 60);
    plan_done(&plan);
    assert_int_equal(plan_needed(&plan, 100), 60);
    assert_int_equal(next_of(&plan, 100), 4);
    plan_fini(&plan);
}

/* A snapshot that failed has changed nothing. */
static void a_failed_snapshot_changes_nothing(void **state)
{
    struct checkpoint_plan plan = plan_of_four();

    (void)state;
    plan_appended(&plan, 4, 10);
    plan_begin(&plan, 4);
    plan_appended(&plan, 4, 60);
    plan_failed(&plan);
    assert_int_equal(plan_needed(&plan, 100), 10);
    assert_int_equal(next_of(&plan, 100), 4);
    plan_begin(&plan, 4);
    plan_failed(&plan);
    assert_int_equal(plan_needed(&plan, 100), 10);
    plan_fini(&plan);
}

/* A partition whose snapshot fails does not hold the others up: they come first, then it again. */
static void a_failed_snapshot_lets_the_others_go_first(void **state)
{
    struct checkpoint_plan plan = plan_of_four();

    (void)state;
    plan_appended(&plan, 4, 10);
    plan_appended(&plan, 7, 20);
    plan_begin(&plan, 4);
    plan_failed(&plan);
    assert_int_equal(next_of(&plan, 100), 7);
    plan_begin(&plan, 7);
    plan_done(&plan);
    assert_int_equal(next_of(&plan, 100), 4);
    assert_int_equal(plan_needed(&plan, 100), 10);
    plan_fini(&plan);
}

/* A damaged partition keeps its log and is passed over; the others go on, and what they hold back
 * is told without it. */
static void a_damaged_partition_keeps_its_log(void **state)
{
    struct checkpoint_plan plan = plan_of_four();

    (void)state;
    plan_appended(&plan, 1, 10);
    plan_appended(&plan, 7, 40);
    plan_fault(&plan, 1);
    assert_int_equal(next_of(&plan, 100), 7);
    assert_int_equal(plan_needed(&plan, 100), 10);
    assert_int_equal(plan_wanted(&plan, 100), 40);
    plan_begin(&plan, 7);
    assert_int_equal(plan_wanted(&plan, 100), 40);
    plan_done(&plan);
    assert_int_equal(plan_wanted(&plan, 100), 100);
    plan_fini(&plan);
}

/* A shard may own no partition at all. */
static void an_empty_lane_needs_nothing(void **state)
{
    struct checkpoint_plan plan;
    uint32_t partition;

    (void)state;
    assert_int_equal(plan_init(&plan, 5, 8, 3), QN_OK);
    assert_int_equal(plan.count, 0);
    assert_false(plan_next(&plan, 1000, &partition));
    assert_int_equal(plan_needed(&plan, 7), 7);
    plan_fini(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_goes_first),
        cmocka_unit_test(the_log_is_needed_from_the_oldest_record_on),
        cmocka_unit_test(what_comes_during_a_walk_is_not_in_the_snapshot),
        cmocka_unit_test(a_failed_snapshot_changes_nothing),
        cmocka_unit_test(a_failed_snapshot_lets_the_others_go_first),
        cmocka_unit_test(a_damaged_partition_keeps_its_log),
        cmocka_unit_test(an_empty_lane_needs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
