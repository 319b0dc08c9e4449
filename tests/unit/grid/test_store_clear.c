/* Clearing a cache: at once for every reader, the memory later. */
#include <stdlib.h>

#include "tests/unit/grid/store_lab.h"

static void fill(struct store_lab *f, unsigned count)
{
    char key[24];

    for (unsigned i = 0; i < count; i++) {
        lab_number_key(key, i);
        lab_put(f, key, "v");
    }
    lab_commit(f);
}

static void sweep(struct store_lab *f)
{
    while (store_sweep(f->store, 10)) {
    }
}

/* A clear ends what was there, first for the newest state, when committed for readers, when
 * published for the view; older views go on showing it. */
static void a_clear_shows_like_any_change(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "v");
    lab_publish(f);
    lab_clear(f, CACHE);
    assert_null(lab_newest(f, "k"));
    assert_non_null(lab_final(f, "k"));
    lab_commit(f);
    assert_null(lab_final(f, "k"));
    assert_int_equal(lab_count(f, CACHE), 0);
    assert_int_equal(store_cache_figures(f->store, CACHE).bytes, 0);
    assert_int_equal(store_cache_figures(f->store, CACHE).visible, 1);
    assert_non_null(lab_at(f, "k", 1));
    assert_int_equal(lab_walk_count(f, 1, 1), 1);
    lab_publish(f);
    assert_null(lab_at(f, "k", 2));
    assert_int_equal(lab_walk_count(f, 2, 1), 0);
    assert_int_equal(store_cache_figures(f->store, CACHE).visible, 0);
}

/* Other caches are not touched. */
static void a_clear_concerns_one_cache(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "v");
    lab_clear(f, CACHE + 1);
    lab_publish(f);
    sweep(f);
    assert_non_null(lab_final(f, "k"));
    assert_int_equal(store_count_all(f->store), 1);
}

/* A key that was cleared is a new one: it is counted as one, and cannot be touched before. */
static void a_cleared_key_is_not_known(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "one");
    lab_clear(f, CACHE);
    assert_int_equal(lab_touch(f, "k", 5), QN_ABSENT);
    lab_put(f, "k", "two");
    lab_commit(f);
    assert_int_equal(lab_count(f, CACHE), 1);
    assert_value(lab_final(f, "k"), "two");
    assert_int_equal(store_history_bytes(f->store), 0);
    lab_remove(f, "k");
    lab_commit(f);
    assert_int_equal(lab_count(f, CACHE), 0);
}

/* A clear that is rolled back ended nothing, and one under it goes on. */
static void a_clear_is_rolled_back(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "v");
    lab_clear(f, CACHE);
    lab_put(f, "other", "v");
    lab_clear(f, CACHE);
    store_rollback(f->store, 3);
    assert_null(lab_newest(f, "k"));
    assert_non_null(lab_newest(f, "other"));
    store_rollback(f->store, 1);
    assert_non_null(lab_newest(f, "k"));
    assert_null(lab_newest(f, "other"));
}

/* What a record does besides a clear outlives the clear, on whichever side of it it stands. */
static void changes_of_the_same_record_outlive_its_clear(void **state)
{
    struct store_lab *f = *state;
    struct effect put = {.kind = EFFECT_PUT, .cache = CACHE, .expires_at_ms = INT64_MAX};
    struct effect clear = {.kind = EFFECT_CLEAR, .cache = CACHE};

    lab_put_final(f, "old", "v");
    put.key = bytes_of_text("before");
    assert_int_equal(store_stage(f->store, &put, 2), QN_OK);
    assert_int_equal(store_stage(f->store, &clear, 2), QN_OK);
    put.key = bytes_of_text("after");
    assert_int_equal(store_stage(f->store, &put, 2), QN_OK);
    assert_null(lab_newest(f, "old"));
    assert_non_null(lab_newest(f, "before"));
    store_commit(f->store, 2);
    assert_null(lab_final(f, "old"));
    assert_non_null(lab_final(f, "before"));
    assert_non_null(lab_final(f, "after"));
    assert_int_equal(lab_count(f, CACHE), 2);
    assert_int_equal(store_count_all(f->store), 2);
}

/* The memory of cleared entries comes back a few slots at a time. */
static void a_sweep_gives_the_memory_back(void **state)
{
    struct store_lab *f = *state;
    size_t empty_bytes = f->memory.heap.bytes;
    unsigned calls = 0;

    fill(f, 5000);
    lab_clear(f, CACHE);
    lab_put(f, "stays", "v");
    lab_publish(f);
    size_t before = f->memory.heap.bytes;
    assert_true(store_sweep(f->store, 10));
    assert_true(f->memory.heap.bytes >= before - 10 * 64);
    for (; store_sweep(f->store, 10); calls++) {
    }
    assert_true(calls > 100);
    assert_non_null(lab_final(f, "stays"));
    assert_int_equal(lab_count(f, CACHE), 1);
    lab_remove(f, "stays");
    lab_publish(f);
    assert_true(f->memory.heap.bytes < empty_bytes + 4096);
    assert_false(store_sweep(f->store, 10));
}

/* What a view shows is not swept; when the view has gone, it is. */
static void a_sweep_waits_for_views(void **state)
{
    struct store_lab *f = *state;

    fill(f, 100);
    lab_publish(f);
    assert_int_equal(store_pin(f->store, 100), QN_OK);
    lab_clear(f, CACHE);
    lab_publish(f);
    size_t before = f->memory.heap.bytes;
    sweep(f);
    assert_int_equal(f->memory.heap.bytes, before);
    assert_int_equal(lab_walk_count(f, 100, 5), 100);
    store_unpin(f->store, 100);
    sweep(f);
    assert_true(f->memory.heap.bytes < before - 100 * 32);
}

/* A clear in the middle of the sweep of another one: both are swept. */
static void a_clear_during_a_sweep_begins_it_anew(void **state)
{
    struct store_lab *f = *state;
    size_t empty_bytes = f->memory.heap.bytes;

    fill(f, 1000);
    lab_clear(f, CACHE);
    lab_publish(f);
    assert_true(store_sweep(f->store, 700));
    fill(f, 500);
    lab_clear(f, CACHE);
    lab_publish(f);
    sweep(f);
    lab_publish(f);
    assert_true(f->memory.heap.bytes < empty_bytes + 8192);
}

/* A cleared entry that comes back into the table by a roll-back is swept, too, even if the sweep
 * had passed by. */
static void a_sweep_does_not_miss_what_a_rollback_uncovers(void **state)
{
    struct store_lab *f = *state;
    struct table_key key = store_key(CACHE, bytes_of_text("k"));

    lab_put_final(f, "k", "v");
    lab_clear(f, CACHE);
    lab_commit(f);
    lab_put(f, "k", "staged");
    sweep(f);
    store_rollback(f->store, 2);
    assert_int_equal(store_newest(f->store, &key).decided_by, 2);
    sweep(f);
    assert_int_equal(store_newest(f->store, &key).decided_by, 0);
}

/* The same when the sweep is still under way. */
static void a_sweep_begins_anew_when_a_rollback_uncovers_something(void **state)
{
    struct store_lab *f = *state;
    char key[24];

    fill(f, 300);
    lab_clear(f, CACHE);
    lab_commit(f);
    for (unsigned i = 0; i < 300; i++) {
        lab_number_key(key, i);
        lab_put(f, key, "staged");
    }
    assert_true(store_sweep(f->store, 200));
    store_rollback(f->store, 301);
    f->version = 301;
    sweep(f);
    for (unsigned i = 0; i < 300; i++) {
        lab_number_key(key, i);
        struct table_key found = store_key(CACHE, bytes_of_text(key));
        assert_int_equal(store_newest(f->store, &found).decided_by, 0);
    }
}

struct tagged {
    uint32_t tag;
    unsigned number;
};

static int compare_tags(const void *left, const void *right)
{
    const struct tagged *a = left;
    const struct tagged *b = right;

    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Numbers of two keys with one tag. */
static void find_twins(unsigned twins[2])
{
    enum { TRIED = 400000 };
    struct tagged *tagged = calloc(TRIED, sizeof *tagged);
    char key[24];

    assert_non_null(tagged);
    for (unsigned i = 0; i < TRIED; i++) {
        lab_number_key(key, i);
        tagged[i] = (struct tagged){.tag = store_key(CACHE, bytes_of_text(key)).tag, .number = i};
    }
    qsort(tagged, TRIED, sizeof *tagged, compare_tags);
    size_t at = 1;
    while (at < TRIED && tagged[at].tag != tagged[at - 1].tag) {
        at++;
    }
    assert_true(at < TRIED);
    twins[0] = tagged[at - 1].number;
    twins[1] = tagged[at].number;
    free(tagged);
}

/* A sweep in the smallest steps gets past keys with one tag that stay. */
static void a_sweep_gets_past_keys_of_one_tag(void **state)
{
    struct store_lab *f = *state;
    unsigned twins[2];
    unsigned calls = 0;
    char key[24];

    find_twins(twins);
    fill(f, 20);
    lab_clear(f, CACHE);
    for (unsigned i = 0; i < 2; i++) {
        lab_number_key(key, twins[i]);
        lab_put(f, key, "stays");
    }
    lab_commit(f);
    while (store_sweep(f->store, 1)) {
        assert_true(++calls < 100);
    }
    assert_int_equal(lab_count(f, CACHE), 2);
    assert_non_null(lab_final(f, key));
}

/* A thousand clears under a few views leave a few marks, not a thousand. */
static void clears_do_not_pile_up(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "v");
    lab_publish(f);
    assert_int_equal(store_pin(f->store, 1), QN_OK);
    size_t before = f->memory.heap.bytes;
    for (unsigned i = 0; i < 1000; i++) {
        lab_put(f, "k", "v");
        lab_clear(f, CACHE);
        lab_commit(f);
        if (i % 7 == 0) {
            lab_publish(f);
        }
        sweep(f);
    }
    assert_non_null(lab_at(f, "k", 1));
    assert_true(f->memory.heap.bytes < before + 1024);
    store_unpin(f->store, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_clear_shows_like_any_change),
        STORE_TEST(a_clear_concerns_one_cache),
        STORE_TEST(a_cleared_key_is_not_known),
        STORE_TEST(a_clear_is_rolled_back),
        STORE_TEST(changes_of_the_same_record_outlive_its_clear),
        STORE_TEST(a_sweep_gives_the_memory_back),
        STORE_TEST(a_sweep_waits_for_views),
        STORE_TEST(a_clear_during_a_sweep_begins_it_anew),
        STORE_TEST(a_sweep_does_not_miss_what_a_rollback_uncovers),
        STORE_TEST(a_sweep_begins_anew_when_a_rollback_uncovers_something),
        STORE_TEST(a_sweep_gets_past_keys_of_one_tag),
        STORE_TEST(clears_do_not_pile_up),
    };
    return RUN_TESTS(tests);
}
