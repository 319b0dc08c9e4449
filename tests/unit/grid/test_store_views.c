/* Views: what they show, what they keep, and that they keep no more. */
#include <stdio.h>

#include "tests/unit/grid/store_lab.h"

/* Before the first soft commit the published view shows nothing; then what is committed. */
static void the_published_view_is_the_state_of_the_soft_commit(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "one");
    assert_int_equal(store_view(f->store), 0);
    assert_null(lab_at(f, "k", 0));
    lab_publish(f);
    lab_put_final(f, "k", "two");
    lab_put_final(f, "new", "x");
    assert_int_equal(store_view(f->store), 1);
    assert_value(lab_at(f, "k", 1), "one");
    assert_null(lab_at(f, "new", 1));
    assert_int_equal(lab_walk_count(f, 1, SIZE_MAX), 1);
    assert_int_equal(store_cache_figures(f->store, CACHE).visible, 1);
    lab_publish(f);
    assert_value(lab_at(f, "k", 3), "two");
    assert_int_equal(lab_walk_count(f, 3, SIZE_MAX), 2);
    assert_int_equal(store_cache_figures(f->store, CACHE).visible, 2);
}

/* A removed entry stays in the views of the time before, whatever follows the removal. */
static void a_removed_entry_stays_in_older_views(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "one");
    lab_publish(f);
    lab_remove(f, "k");
    lab_commit(f);
    assert_int_equal(store_pin(f->store, 2), QN_OK);
    assert_value(lab_at(f, "k", 1), "one");
    assert_null(lab_at(f, "k", 2));
    lab_put_final(f, "k", "three");
    assert_value(lab_at(f, "k", 1), "one");
    assert_null(lab_at(f, "k", 2));
    lab_publish(f);
    assert_false(store_view_held(f->store, 1));
    assert_null(lab_at(f, "k", 2));
    assert_value(lab_at(f, "k", 3), "three");
    store_unpin(f->store, 2);
    assert_int_equal(store_history_bytes(f->store), 0);
}

/* However often a key is overwritten, each view costs one version of it. */
static void a_hot_key_costs_one_version_per_view(void **state)
{
    struct store_lab *f = *state;
    size_t version_bytes = ENTRY_HEADER_SIZE + 1 + 10;
    char value[16];

    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < 10000; i++) {
            (void)snprintf(value, sizeof value, "%010u", i + round);
            lab_put_final(f, "k", value);
        }
        lab_publish(f);
        assert_int_equal(store_pin(f->store, f->version), QN_OK);
        assert_true(f->memory.heap.bytes < 10000);
    }
    lab_put_final(f, "k", "last");
    assert_int_equal(store_history_bytes(f->store), 4 * version_bytes);
    for (unsigned round = 0; round < 4; round++) {
        (void)snprintf(value, sizeof value, "%010u", 9999 + round);
        assert_value(lab_at(f, "k", (round + 1) * 10000), value);
        store_unpin(f->store, (round + 1) * 10000);
    }
    lab_publish(f);
    assert_int_equal(store_history_bytes(f->store), 0);
}

/* A version in the middle goes when its view goes; older and newer ones stay. */
static void views_end_in_any_order(void **state)
{
    static const unsigned orders[][3] = {{1, 2, 3}, {3, 2, 1}, {2, 1, 3}, {2, 3, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        void *made = NULL;
        assert_int_equal(store_lab_setup(&made), 0);
        struct store_lab *f = made;
        for (unsigned view = 1; view <= 3; view++) {
            lab_put_final(f, "k", "v");
            assert_int_equal(store_pin(f->store, view), QN_OK);
        }
        lab_remove(f, "k");
        lab_commit(f);
        for (unsigned gone = 0; gone < 3; gone++) {
            for (unsigned j = gone; j < 3; j++) {
                assert_int_equal(lab_at(f, "k", orders[i][j])->version, orders[i][j]);
            }
            store_unpin(f->store, orders[i][gone]);
        }
        assert_int_equal(store_history_bytes(f->store), 0);
        assert_int_equal(store_lab_teardown(&made), 0);
    }
}

/* Pinned are the published view, the committed state and what is pinned already; holders count. */
static void only_what_is_there_can_be_pinned(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "1");
    lab_publish(f);
    lab_put_final(f, "k", "2");
    lab_put_final(f, "k", "3");
    assert_int_equal(store_pin(f->store, 2), QN_CURSOR_EXPIRED);
    assert_int_equal(store_pin(f->store, 4), QN_CURSOR_EXPIRED);
    assert_int_equal(store_pin(f->store, 1), QN_OK);
    assert_int_equal(store_pin(f->store, 3), QN_OK);
    lab_put_final(f, "k", "4");
    assert_int_equal(store_pin(f->store, 3), QN_OK);
    assert_int_equal(store_pin_count(f->store), 2);
    store_unpin(f->store, 3);
    assert_true(store_view_held(f->store, 3));
    store_unpin(f->store, 3);
    assert_false(store_view_held(f->store, 3));
    assert_int_equal(store_pin(f->store, 3), QN_CURSOR_EXPIRED);
    lab_publish(f);
    assert_true(store_view_held(f->store, 1));
    store_unpin(f->store, 1);
    assert_false(store_view_held(f->store, 1));
}

/* STORE_PINS_MAX views, and no more; one that is pinned already can be pinned again. */
static void pins_are_limited(void **state)
{
    struct store_lab *f = *state;

    for (unsigned i = 1; i <= STORE_PINS_MAX; i++) {
        lab_put_final(f, "k", "v");
        assert_int_equal(store_pin(f->store, i), QN_OK);
    }
    lab_put_final(f, "k", "v");
    assert_int_equal(store_pin(f->store, f->version), QN_OVERLOADED);
    assert_int_equal(store_pin(f->store, 1), QN_OK);
    store_unpin(f->store, 5);
    assert_int_equal(store_pin(f->store, f->version), QN_OK);
}

/* What happens to a staged change does not touch what views show. */
static void a_rollback_leaves_views_alone(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "one");
    lab_publish(f);
    lab_put_final(f, "k", "two");
    lab_remove(f, "k");
    lab_put(f, "k", "four");
    store_rollback(f->store, 2);
    assert_value(lab_at(f, "k", 1), "one");
    assert_value(lab_final(f, "k"), "two");
}

/* Under one old view and steady writes to other keys, the changes kept do not pile up: memory is
 * bounded by what the views show. */
static void memory_is_bounded_while_an_old_view_is_held(void **state)
{
    struct store_lab *f = *state;
    size_t bytes_max = 0;
    char key[24];

    for (unsigned i = 0; i < 1000; i++) {
        lab_number_key(key, i);
        lab_put_final(f, key, "v");
    }
    assert_int_equal(store_pin(f->store, f->version), QN_OK);
    size_t before = f->memory.heap.bytes;
    for (unsigned i = 0; i < 300000; i++) {
        lab_number_key(key, i * 7 % 1000);
        lab_put_final(f, key, "w");
        if (i % 500 == 0) {
            lab_publish(f);
        }
        size_t bytes = f->memory.heap.bytes;
        bytes_max = bytes > bytes_max ? bytes : bytes_max;
    }
    /* two kept versions of each key, and the ring that links them */
    assert_true(bytes_max < before + 2 * 1000 * 40 + 8192 * 32);
    lab_publish(f);
    store_unpin(f->store, 1000);
    assert_int_equal(store_history_bytes(f->store), 0);
    assert_true(f->memory.heap.bytes < before + 8192);
}

struct slice {
    unsigned visits_max;
    unsigned visits;
    uint64_t versions;
};

static bool take(void *context, const struct entry *entry)
{
    struct slice *slice = context;

    slice->versions += entry->version;
    return ++slice->visits % slice->visits_max != 0;
}

/* A walk can stop after any entry and go on, though the table has grown, shrunk and moved: it sees
 * the entries of its view, each once. */
static void a_walk_goes_on_after_any_change(void **state)
{
    struct store_lab *f = *state;
    struct store_place place = {0};
    struct slice slice = {.visits_max = 3};
    char key[24];
    uint8_t octets[24];
    unsigned round = 0;

    for (unsigned i = 0; i < 600; i++) {
        lab_number_key(key, i);
        lab_put_final(f, key, "v");
    }
    lab_publish(f);
    assert_int_equal(store_pin(f->store, 600), QN_OK);
    while (!store_walk(f->store, 600, &place, 7, take, &slice)) {
        if (place.key.size > 0) {
            memcpy(octets, place.key.data, place.key.size);
            place.key.data = octets;
        }
        for (unsigned i = 0; i < 40; i++) { /* first many more keys, then none */
            lab_number_key(key, round < 100 ? 600 + round * 40 + i : (round - 100) * 40 + i);
            if (round < 100) {
                lab_put(f, key, "w");
            } else {
                lab_remove(f, key);
            }
        }
        lab_publish(f);
        round++;
    }
    assert_true(round > 150);
    assert_int_equal(slice.visits, 600);
    assert_int_equal(slice.versions, 600 * 601 / 2);
    store_unpin(f->store, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(the_published_view_is_the_state_of_the_soft_commit),
        STORE_TEST(a_removed_entry_stays_in_older_views),
        STORE_TEST(a_hot_key_costs_one_version_per_view),
        cmocka_unit_test(views_end_in_any_order),
        STORE_TEST(only_what_is_there_can_be_pinned),
        STORE_TEST(pins_are_limited),
        STORE_TEST(a_rollback_leaves_views_alone),
        STORE_TEST(memory_is_bounded_while_an_old_view_is_held),
        STORE_TEST(a_walk_goes_on_after_any_change),
    };
    return RUN_TESTS(tests);
}
