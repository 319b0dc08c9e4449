/* Three copies of a partition. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/replica/world.h"

static struct world *calm(void)
{
    return world_create(&(struct world_options){.seed = 1, .min_isr = 2, .lease = true});
}

static void run(struct world *world, int64_t ms)
{
    if (!world_run(world, ms)) {
        fail_msg("%s", world_violation(world));
    }
}

static void three_copies_take_the_same_writes(void **state)
{
    struct world *world = calm();

    (void)state;
    run(world, 10000);
    assert_true(world_figures(world).writes > 100);
    assert_true(world_figures(world).reads > 100);
    assert_int_equal(world_figures(world).epochs, 1);
    world_destroy(world);
}

/* One seed after the other, with every fault there is; then peace, progress, and equal copies. */
static void storm(const struct world_options *options, uint64_t seeds)
{
    struct world_figures sum = {0};

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct world_options of_seed = *options;
        of_seed.seed = seed;
        struct world *world = world_create(&of_seed);
        run(world, 30000);
        uint64_t before = world_figures(world).writes;
        world_heal(world);
        run(world, 20000);
        struct world_figures figures = world_figures(world);
        if (figures.writes < before + 10) {
            fail_msg("seed %llu: no progress after all faults were mended",
                     (unsigned long long)seed);
        }
        world_rest(world);
        run(world, 3000);
        if (!world_equal(world)) {
            fail_msg("seed %llu: the copies differ", (unsigned long long)seed);
        }
        sum.writes += figures.writes;
        sum.reads += figures.reads;
        sum.epochs += figures.epochs;
        sum.crashes += figures.crashes;
        sum.transfers += figures.transfers;
        world_destroy(world);
    }
    print_message(
        "%llu seeds: %llu writes, %llu reads, %llu epochs, %llu crashes, %llu transfers\n",
        (unsigned long long)seeds, (unsigned long long)sum.writes, (unsigned long long)sum.reads,
        (unsigned long long)sum.epochs, (unsigned long long)sum.crashes,
        (unsigned long long)sum.transfers);
}

static uint64_t seeds(void)
{
    const char *text = getenv("QUOIN_TEST_SEEDS");

    return text ? strtoull(text, NULL, 10) : 10;
}

static void nothing_is_lost_in_a_storm_with_leases(void **state)
{
    (void)state;
    storm(&(struct world_options){.min_isr = 2, .lease = true, .faults = true}, seeds());
}

static void nothing_is_lost_in_a_storm_without_leases(void **state)
{
    (void)state;
    storm(&(struct world_options){.min_isr = 2, .faults = true}, seeds());
}

/* Copies that were away for long get a snapshot, and know by its history where logs part. */
static void nothing_is_lost_when_logs_are_cut_behind_snapshots(void **state)
{
    (void)state;
    storm(&(struct world_options){.min_isr = 2, .lease = true, .trims = true, .faults = true},
          seeds());
}

static void one_copy_may_acknowledge_when_that_is_allowed(void **state)
{
    (void)state;
    storm(&(struct world_options){.min_isr = 1, .lease = true, .faults = true}, seeds());
}

static void acknowledged_from_memory_it_survives_the_loss_of_one(void **state)
{
    (void)state;
    storm(&(struct world_options){.min_isr = 2, .lease = true, .memory = true, .faults = true},
          seeds());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_copies_take_the_same_writes),
        cmocka_unit_test(nothing_is_lost_in_a_storm_with_leases),
        cmocka_unit_test(nothing_is_lost_in_a_storm_without_leases),
        cmocka_unit_test(nothing_is_lost_when_logs_are_cut_behind_snapshots),
        cmocka_unit_test(one_copy_may_acknowledge_when_that_is_allowed),
        cmocka_unit_test(acknowledged_from_memory_it_survives_the_loss_of_one),
    };

    return RUN_TESTS(tests);
}
