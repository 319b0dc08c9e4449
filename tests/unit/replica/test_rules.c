/* Each rule is needed: without it the world breaks within a few hundred seeds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grid/base/mutants.h"
#include "tests/lib/check.h"
#include "tests/unit/replica/world.h"

int quoin_mutant;

enum { SEEDS_MAX = 400 };

struct rule {
    enum quoin_mutant mutant;
    struct world_options options;
    uint64_t first; /* seed; found by trying, so that the test is short */
};

/* The worlds in which each mutant is caught soonest. */
static const struct rule rules[] = {
    {MUTANT_NOUNION, {.min_isr = 1, .faults = true}, 5},
    {MUTANT_EXPANDEARLY, {.min_isr = 2, .lease = true, .memory = true, .faults = true}, 30},
    {MUTANT_NOFENCE, {.min_isr = 2, .faults = true}, 47},
    {MUTANT_RESUME, {.min_isr = 2, .lease = true, .faults = true}, 3},
    {MUTANT_TRUNCOMMIT, {.min_isr = 1, .lease = true, .faults = true}, 23},
    {MUTANT_ELRKEEP, {.min_isr = 1, .lease = true, .faults = true}, 1},
    {MUTANT_READNOSTART, {.min_isr = 2, .faults = true}, 4},
    {MUTANT_ACKEARLY, {.min_isr = 2, .faults = true}, 24},
    {MUTANT_DIRTYREAD, {.min_isr = 1, .lease = true, .faults = true}, 2},
};

/* In a process of its own: a broken rule may also end in an assertion. */
static bool breaks(const struct rule *rule, uint64_t seed)
{
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) {
            _exit(0);
        }
        quoin_mutant = (int)rule->mutant;
        struct world_options options = rule->options;
        options.seed = seed;
        struct world *world = world_create(&options);
        bool sound = world_run(world, 30000);
        if (sound) {
            world_heal(world);
            sound = world_run(world, 10000);
        }
        _exit(sound ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void every_rule_is_needed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        uint64_t seed = rules[i].first;
        uint64_t end = seed + SEEDS_MAX;
        while (seed < end && !breaks(&rules[i], seed)) {
            seed++;
        }
        if (seed == end) {
            fail_msg("mutant %d is not noticed within %d seeds", (int)rules[i].mutant, SEEDS_MAX);
        }
        print_message("mutant %d: seed %llu\n", (int)rules[i].mutant, (unsigned long long)seed);
    }
}

/* And with all of them nothing breaks: the same seeds, the same build. */
static void with_all_rules_nothing_breaks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct rule none = rules[i];
        none.mutant = MUTANT_NONE;
        for (uint64_t seed = 1; seed <= 5; seed++) {
            assert_false(breaks(&none, seed));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_needed),
        cmocka_unit_test(with_all_rules_nothing_breaks),
    };

    return RUN_TESTS(tests);
}
