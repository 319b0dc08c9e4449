/* The hash table alone, with tags made up for the purpose. */
#include <stdlib.h>

#include "grid/store/table.h"
#include "tests/lib/check.h"
#include "tests/unit/grid/lab_alloc.h"

enum { CACHE = 5, ENTRIES_MAX = 3000 };

struct fixture {
    struct lab_alloc memory;
    struct table table;
    struct entry *entries[ENTRIES_MAX];
    uint32_t tags[ENTRIES_MAX]; /* 0: not in the table */
    size_t count;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    lab_alloc_init(&f->memory);
    table_init(&f->table, &f->memory.alloc);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    table_fini(&f->table);
    assert_int_equal(f->memory.heap.bytes, 0);
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        free(f->entries[i]);
    }
    free(f);
    return 0;
}

static struct table_key key_of(const struct fixture *f, size_t i)
{
    return (struct table_key){.tag = f->tags[i], .cache = CACHE, .key = entry_key(f->entries[i])};
}

/* Put entry number `i` in under a tag. */
static void put(struct fixture *f, size_t i, uint32_t tag)
{
    if (!f->entries[i]) {
        f->entries[i] = calloc(1, sizeof(struct entry) + 8);
        assert_non_null(f->entries[i]);
        f->entries[i]->cache = CACHE;
        f->entries[i]->key_size = 4;
        put_u32(f->entries[i]->octets, (uint32_t)i);
    }
    f->tags[i] = tag;
    struct table_key key = key_of(f, i);
    assert_int_equal(table_reserve(&f->table, tag), QN_OK);
    assert_null(table_put(&f->table, &key, f->entries[i]));
    f->count++;
}

static void take_out(struct fixture *f, size_t i)
{
    struct table_key key = key_of(f, i);

    table_remove(&f->table, &key);
    assert_null(table_find(&f->table, &key));
    f->tags[i] = 0;
    f->count--;
}

/* A walk from `from` on meets every entry with at least that tag once, in the order of tags. */
static void check_walk(const struct fixture *f, uint64_t from)
{
    bool met[ENTRIES_MAX] = {false};
    struct table_walk walk = {0};
    uint64_t last = from;
    size_t count = 0;

    table_walk_begin(&walk, &f->table, from);
    for (; table_walk_tag(&walk) < TABLE_WALK_END; count++) {
        uint64_t tag = table_walk_tag(&walk);
        const struct entry *entry = table_walk_step(&walk);
        size_t i = get_u32(entry->octets);
        assert_true(tag >= last && tag == f->tags[i] && !met[i]);
        last = tag;
        met[i] = true;
    }
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        assert_int_equal(met[i], f->tags[i] != 0 && f->tags[i] >= from);
    }
    assert_int_equal(walk.looked, count);
}

/* The runs are in order, cover all tags, and have nothing outside their range. */
static void check_runs(const struct fixture *f)
{
    for (size_t i = 0; i < f->table.run_count; i++) {
        const struct table_run *run = &f->table.runs[i];
        bool last = i + 1 == f->table.run_count;
        assert_true(i > 0 ? run->first > run[-1].first : run->first == 0);
        assert_true(run->count > 0 && run->count <= run->capacity);
        assert_true(run->tags[0] >= run->first);
        assert_true(last || run->tags[run->count - 1] < run[1].first);
    }
}

static void check(const struct fixture *f, const uint32_t *tags, size_t tag_count)
{
    assert_int_equal(table_count(&f->table), f->count);
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        if (f->tags[i] != 0) {
            struct table_key key = key_of(f, i);
            assert_ptr_equal(table_find(&f->table, &key), f->entries[i]);
        }
    }
    check_runs(f);
    check_walk(f, 0);
    for (size_t i = 0; i < tag_count; i++) {
        check_walk(f, tags[i]);
        check_walk(f, (uint64_t)tags[i] + 1);
    }
}

/* Different keys with one and the same tag are kept apart, removed in any order. */
static void keys_with_equal_tags_are_kept_apart(void **state)
{
    static const uint32_t tags[] = {1, UINT32_MAX, UINT32_MAX / 2}; /* ends and middle */
    enum { EQUAL = 600 }; /* more than a run has otherwise */
    struct fixture *f = *state;

    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < EQUAL; i++) {
            put(f, i, tags[t]);
            check(f, tags, i % 32 == 0 ? 3 : 0);
        }
        for (size_t n = 0; n < EQUAL; n++) {
            take_out(f, n * 37 % EQUAL);
            check(f, tags, n % 32 == 0 ? 3 : 0);
        }
    }
}

/* Memory beyond the entries themselves. */
static double cost(const struct fixture *f)
{
    return (double)f->memory.heap.bytes / (double)f->count;
}

/* Runs of different tags are neither long nor, when there are many entries, short. */
static void check_run_sizes(const struct fixture *f)
{
    for (size_t i = 0; i < f->table.run_count; i++) {
        assert_true(f->table.runs[i].count <= 340);
    }
    assert_true(f->table.run_count <= f->count / 30 + 2);
}

/* Tag number `i` of evenly spread ones, in one of three orders: as they come, up, down. */
static uint32_t spread_tag(size_t i, unsigned order)
{
    uint32_t step = UINT32_MAX / ENTRIES_MAX;
    size_t place = order == 0 ? i * 1777 % ENTRIES_MAX : order == 1 ? i : ENTRIES_MAX - 1 - i;

    return 1 + (uint32_t)place * step;
}

/* In whatever order entries come and go, the order of their hash included, nothing is lost and no
 * more than 15 octets are paid for each of many. */
static void the_order_of_changes_does_not_matter(void **state)
{
    static const uint32_t tags[] = {1, 0x10000000, UINT32_MAX};
    struct fixture *f = *state;

    for (unsigned order = 0; order < 9; order++) {
        for (size_t i = 0; i < ENTRIES_MAX; i++) {
            put(f, i, spread_tag(i, order % 3));
            if (i % 50 == 0) {
                check(f, tags, 3);
                check_run_sizes(f);
            }
            assert_true(f->count < 500 || cost(f) < 15);
        }
        for (size_t n = 0; n < ENTRIES_MAX; n++) {
            size_t i = n;
            while (f->tags[i] == 0 || f->tags[i] != spread_tag(n, order / 3)) {
                i = (i + 1) % ENTRIES_MAX;
            }
            take_out(f, i);
            if (n % 50 == 0) {
                check(f, tags, 3);
                check_run_sizes(f);
            }
            assert_true(f->count < 500 || cost(f) < 24);
        }
        assert_int_equal(f->memory.heap.bytes, 0);
    }
}

/* Entries come and go at random; tags gather at the end, and many are equal. */
static void uneven_tags_are_no_matter(void **state)
{
    static const uint32_t tags[] = {1, 0x10000000, 0x80000000, 0xff000000, UINT32_MAX};
    struct fixture *f = *state;
    uint64_t random = 11;

    for (unsigned step = 0; step < 30000; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t i = (size_t)(random >> 40) % ENTRIES_MAX;
        unsigned wish = (unsigned)(random >> 30) % 8;
        uint32_t spread = (uint32_t)(random >> 33) | 1;
        uint32_t tag = wish & 1 ? spread | 0xff000000 : wish & 2 ? 0xff000000 + wish : spread;
        bool grows = step / 7500 % 2 == 0;
        if (f->tags[i] == 0 && (grows || wish < 2)) {
            put(f, i, tag);
        } else if (f->tags[i] != 0 && (!grows || wish < 2)) {
            take_out(f, i);
        }
        if (step % 64 == 0) {
            check(f, tags, 5);
        }
    }
}

/* Removal needs no memory; room that cannot be made changes nothing. */
static void memory_that_is_refused_changes_nothing(void **state)
{
    static const uint32_t tags[] = {1, UINT32_MAX};
    struct fixture *f = *state;
    unsigned refused = 0;

    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        uint32_t tag = spread_tag(i, 0);
        for (size_t grants = 0; grants < 4; grants++) { /* first none, then one more each time */
            f->memory.grants = grants;
            if (table_reserve(&f->table, tag) == QN_OK) {
                break;
            }
            refused++;
            assert_int_equal(table_count(&f->table), i);
        }
        f->memory.grants = 0;
        put(f, i, tag);
    }
    assert_true(refused > 20);
    check(f, tags, 2);
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        take_out(f, i);
    }
    assert_int_equal(f->memory.heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_with_equal_tags_are_kept_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(the_order_of_changes_does_not_matter, setup, teardown),
        cmocka_unit_test_setup_teardown(uneven_tags_are_no_matter, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_that_is_refused_changes_nothing, setup, teardown),
    };
    return RUN_TESTS(tests);
}
