/* The budget: what is counted, when it is refused; and what there is to have. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "node/coord/file.h"
#include "node/memory.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { MIB = 1024 * 1024 };

/* What is charged of whatever kind counts; what is given back does not. */
static void charges_add_up(void **state)
{
    struct memory_budget budget;
    uint64_t log = 0;

    (void)state;
    memory_budget_init(&budget, 100 * MIB);
    assert_int_equal(memory_total(&budget), 0);
    memory_charge(&budget, MEMORY_PAGES, 5 * MIB);
    memory_charge(&budget, MEMORY_TRANSPORT, 2 * MIB);
    memory_charge_to(&budget, MEMORY_LOG, &log, 3 * MIB);
    memory_charge_to(&budget, MEMORY_LOG, &log, MIB);
    memory_charge(&budget, MEMORY_PAGES, -MIB);
    assert_int_equal(memory_used(&budget, MEMORY_PAGES), 4 * MIB);
    assert_int_equal(memory_used(&budget, MEMORY_LOG), MIB);
    assert_int_equal(memory_used(&budget, MEMORY_OTHER), 0);
    assert_int_equal(memory_total(&budget), 7 * MIB);
    memory_charge_to(&budget, MEMORY_LOG, &log, 0);
    assert_int_equal(memory_used(&budget, MEMORY_LOG), 0);
}

/* What was given back before it is seen to be charged is nothing, not very much. */
static void a_kind_is_never_less_than_nothing(void **state)
{
    struct memory_budget budget;

    (void)state;
    memory_budget_init(&budget, 100 * MIB);
    memory_charge(&budget, MEMORY_TRANSPORT, -5);
    assert_int_equal(memory_used(&budget, MEMORY_TRANSPORT), 0);
    assert_int_equal(memory_total(&budget), 0);
    memory_charge(&budget, MEMORY_TRANSPORT, 5);
    assert_int_equal(memory_used(&budget, MEMORY_TRANSPORT), 0);
}

/* Changes that add are refused 3 % below the limit; the last line of defence is 3 % above it. */
static void the_reserve_is_kept(void **state)
{
    struct memory_budget budget;
    const uint64_t limit = 100 * MIB;

    (void)state;
    memory_budget_init(&budget, limit);
    memory_charge(&budget, MEMORY_PAGES, (int64_t)(limit - budget.reserve_bytes - 1));
    assert_int_equal(memory_status(&budget), QN_OK);
    memory_charge(&budget, MEMORY_OTHER, 1);
    assert_int_equal(memory_status(&budget), QN_MEMORY_FULL);
    assert_true(memory_allows(&budget, 2 * budget.reserve_bytes));
    assert_false(memory_allows(&budget, 2 * budget.reserve_bytes + 1));
    atomic_store(&budget.overhead_bytes, limit); /* stops what adds, not what takes away */
    assert_int_equal(memory_status(&budget), QN_MEMORY_FULL);
    assert_true(memory_allows(&budget, 2 * budget.reserve_bytes));
    atomic_store(&budget.overhead_bytes, 0);
    memory_charge(&budget, MEMORY_OTHER, -1);
    assert_int_equal(memory_status(&budget), QN_OK);
}

/* What the process uses and nobody has charged counts as well. */
static void the_overhead_is_measured(void **state)
{
    struct memory_budget budget;

    (void)state;
    memory_budget_init(&budget, 100 * MIB);
    assert_true(budget.baseline_bytes > 0);
    assert_true(memory_resident() > 100 * 1024);
    budget.baseline_bytes = 0; /* as if all of the process had come later */
    assert_int_equal(memory_sample(&budget), QN_OK);
    uint64_t resident = atomic_load(&budget.resident_bytes);
    assert_true(resident > 0);
    assert_int_equal(memory_total(&budget), resident);
    memory_charge(&budget, MEMORY_PAGES, 4096);
    assert_int_equal(memory_sample(&budget), QN_OK);
    assert_int_equal(memory_total(&budget), atomic_load(&budget.resident_bytes));
    /* More charged than resident: pages that nobody has touched yet. */
    memory_charge(&budget, MEMORY_PAGES, (int64_t)1 << 40);
    assert_int_equal(memory_sample(&budget), QN_OK);
    assert_int_equal(atomic_load(&budget.overhead_bytes), 0);
}

enum { THREADS = 4, ROUNDS = 10000 };

static void *charge_and_give_back(void *arg)
{
    struct memory_budget *budget = arg;

    for (int i = 0; i < ROUNDS; i++) {
        memory_charge(budget, MEMORY_PAGES, 64);
        (void)memory_status(budget);
        memory_charge(budget, MEMORY_PAGES, -63);
    }
    return NULL;
}

/* Threads charge at the same time, and nothing is lost. */
static void threads_charge_together(void **state)
{
    struct memory_budget budget;
    pthread_t threads[THREADS];

    (void)state;
    memory_budget_init(&budget, 100 * MIB);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, charge_and_give_back, &budget), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(memory_used(&budget, MEMORY_PAGES), THREADS * ROUNDS);
}

/* Without a limit in the settings three quarters of what there is. */
static void the_default_follows_the_machine(void **state)
{
    struct memory_budget budget;
    uint64_t limit = memory_limit_default();

    (void)state;
    memory_budget_init(&budget, 0);
    assert_true(limit > 0);
    assert_int_equal(budget.limit_bytes, limit);
    assert_true(limit <= memory_cgroup_limit("") / 4 * 3);
}

/* A system made of files. */
static void system_write(const struct folder *root, const char *dir, const char *name,
                         const char *text)
{
    char path[PATH_MAX_SIZE * 2];

    (void)snprintf(path, sizeof path, "%s%s", root->path, dir);
    assert_int_equal(file_dir_make(path, NULL), QN_OK);
    (void)snprintf(path, sizeof path, "%s%s/%s", root->path, dir, name);
    file_store(path, bytes_of_text(text));
}

/* Version 2: the least of the group's limit and those around it; "max" is none. */
static void limits_of_cgroups_2_are_read(void **state)
{
    struct folder root;

    (void)state;
    folder_make(&root);
    assert_true(memory_cgroup_limit(root.path) == UINT64_MAX);
    system_write(&root, "/proc/self", "cgroup", "0::/a.slice/b.service\n");
    assert_true(memory_cgroup_limit(root.path) == UINT64_MAX);
    system_write(&root, "/sys/fs/cgroup/a.slice/b.service", "memory.max", "max\n");
    assert_true(memory_cgroup_limit(root.path) == UINT64_MAX);
    system_write(&root, "/sys/fs/cgroup/a.slice", "memory.max", "1073741824\n");
    assert_int_equal(memory_cgroup_limit(root.path), 1073741824);
    system_write(&root, "/sys/fs/cgroup/a.slice/b.service", "memory.max", "536870912\n");
    assert_int_equal(memory_cgroup_limit(root.path), 536870912);
    /* In a container the group is the root of what can be seen. */
    system_write(&root, "/proc/self", "cgroup", "0::/\n");
    system_write(&root, "/sys/fs/cgroup", "memory.max", "268435456\n");
    assert_int_equal(memory_cgroup_limit(root.path), 268435456);
    folder_remove(&root);
}

/* Version 1, also where both are there; a container does not see the path that it is told. */
static void limits_of_cgroups_1_are_read(void **state)
{
    struct folder root;

    (void)state;
    folder_make(&root);
    system_write(&root, "/proc/self", "cgroup",
                 "12:cpu,cpuacct:/x\n5:hugetlb,memory:/docker/abc\n4:memoryless:/y\n0::/x\n");
    system_write(&root, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(memory_cgroup_limit(root.path) == 9223372036854771712u);
    system_write(&root, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "2147483648\n");
    assert_int_equal(memory_cgroup_limit(root.path), 2147483648);
    system_write(&root, "/sys/fs/cgroup/memory/docker/abc", "memory.limit_in_bytes", "1048576\n");
    assert_int_equal(memory_cgroup_limit(root.path), 1048576);
    folder_remove(&root);
}

/* Lines that make no sense are no limits. */
static void nonsense_is_no_limit(void **state)
{
    static const char *const texts[] = {
        "", "\n", "0", "0:", "::", "0::", "x:memory", ":memory:\n", "9:,,:/a\n"};
    struct folder root;

    (void)state;
    folder_make(&root);
    system_write(&root, "/sys/fs/cgroup", "memory.max", "many\n");
    system_write(&root, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "-\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        system_write(&root, "/proc/self", "cgroup", texts[i]);
        assert_true(memory_cgroup_limit(root.path) == UINT64_MAX);
    }
    folder_remove(&root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_add_up),
        cmocka_unit_test(a_kind_is_never_less_than_nothing),
        cmocka_unit_test(the_reserve_is_kept),
        cmocka_unit_test(the_overhead_is_measured),
        cmocka_unit_test(threads_charge_together),
        cmocka_unit_test(the_default_follows_the_machine),
        cmocka_unit_test(limits_of_cgroups_2_are_read),
        cmocka_unit_test(limits_of_cgroups_1_are_read),
        cmocka_unit_test(nonsense_is_no_limit),
    };

    memory_tune();
    return RUN_TESTS(tests);
}
