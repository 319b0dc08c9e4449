/* Finding what is due. */
#include "tests/unit/grid/store_lab.h"

/* Stage the removal of what is due at `time_ms`; the number of entries. */
static unsigned expire(struct store_lab *f, int64_t time_ms)
{
    const struct entry *entry;
    int64_t last_ms = INT64_MIN;
    unsigned count = 0;

    while ((entry = store_expired(f->store, time_ms)) != NULL) {
        struct effect effect = {.kind = EFFECT_REMOVE, .cache = entry->cache};
        assert_true(entry_expires_at_ms(entry) <= time_ms);
        assert_true(entry_expires_at_ms(entry) >= last_ms);
        last_ms = entry_expires_at_ms(entry);
        effect.key = entry_key(entry);
        assert_int_equal(lab_stage(f, &effect), QN_OK);
        count++;
    }
    return count;
}

/* Entries become due at their time, the earliest first; those that never expire do not. */
static void entries_are_due_at_their_time(void **state)
{
    struct store_lab *f = *state;

    assert_int_equal(store_next_expiry_ms(f->store), INT64_MAX);
    lab_put_expiring(f, "b", 20);
    lab_put_expiring(f, "a", 10);
    lab_put(f, "never", "v");
    lab_put_expiring(f, "c", 30);
    assert_int_equal(store_next_expiry_ms(f->store), 10);
    assert_null(store_expired(f->store, 9));
    assert_int_equal(expire(f, 10), 1);
    assert_int_equal(expire(f, 1000), 2);
    assert_int_equal(store_next_expiry_ms(f->store), INT64_MAX);
    lab_commit(f);
    assert_int_equal(store_count_all(f->store), 1);
}

/* Only the newest version counts: a put or a touch sets another time, or none. */
static void a_later_time_replaces_an_earlier_one(void **state)
{
    struct store_lab *f = *state;

    lab_put_expiring(f, "a", 10);
    lab_put_expiring(f, "b", 10);
    lab_put_expiring(f, "c", 10);
    assert_int_equal(lab_touch(f, "a", 50), QN_OK);
    assert_int_equal(lab_touch(f, "b", INT64_MAX), QN_OK);
    lab_put_expiring(f, "c", 5);
    assert_int_equal(expire(f, 10), 1);
    assert_int_equal(expire(f, 49), 0);
    assert_int_equal(expire(f, 50), 1);
}

/* An entry whose removal was rolled back is due again. */
static void a_removal_rolled_back_is_due_again(void **state)
{
    struct store_lab *f = *state;

    lab_put_expiring(f, "a", 10);
    lab_put_expiring(f, "b", 10);
    lab_commit(f);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(expire(f, 10), 2);
        assert_int_equal(store_next_expiry_ms(f->store), INT64_MAX);
        f->memory.grants = 0; /* taking back needs no memory */
        store_rollback(f->store, 2);
        f->memory.grants = SIZE_MAX;
        f->version = 2;
        assert_int_equal(store_next_expiry_ms(f->store), 10);
    }
    assert_int_equal(expire(f, 10), 2);
}

/* An entry that a staged clear ends is not told, and is not forgotten if the clear is rolled back.
 */
static void a_staged_clear_holds_expiry_back(void **state)
{
    struct store_lab *f = *state;

    lab_put_expiring(f, "a", 10);
    lab_commit(f);
    lab_clear(f, CACHE);
    assert_null(store_expired(f->store, 10));
    store_rollback(f->store, 1);
    f->version = 1;
    assert_non_null(store_expired(f->store, 10));
    lab_clear(f, CACHE);
    lab_commit(f);
    assert_null(store_expired(f->store, 10));
    assert_int_equal(store_next_expiry_ms(f->store), INT64_MAX);
}

/* A key touched a million times costs the memory of one, whether the time is always another one or
 * always the same. */
static void touching_does_not_pile_up(void **state)
{
    struct store_lab *f = *state;

    lab_put_expiring(f, "other", 1);
    for (int64_t i = 0; i < 500000; i++) {
        lab_put_expiring(f, "k", 1000 + i % 1000);
        lab_commit(f);
    }
    assert_true(f->memory.heap.bytes < 16 * 1024);
    for (int64_t i = 0; i < 500000; i++) {
        assert_int_equal(lab_touch(f, "k", 5000), QN_OK);
        lab_commit(f);
    }
    assert_true(f->memory.heap.bytes < 16 * 1024);
    assert_int_equal(store_next_expiry_ms(f->store), 1);
    assert_int_equal(expire(f, 5000), 2);
}

/* Times of entries that are long gone do not hold memory. */
static void times_of_removed_entries_go(void **state)
{
    struct store_lab *f = *state;
    size_t empty_bytes = f->memory.heap.bytes;
    char key[24];

    for (unsigned i = 0; i < 20000; i++) {
        lab_number_key(key, i);
        lab_put_expiring(f, key, 1000 + i);
    }
    lab_publish(f);
    assert_true(f->memory.heap.bytes > empty_bytes + 20000 * 16);
    for (unsigned i = 0; i < 20000; i++) {
        lab_number_key(key, i);
        lab_remove(f, key);
    }
    lab_publish(f);
    lab_publish(f);
    assert_true(f->memory.heap.bytes < empty_bytes + 4096);
}

/* Thousands of entries in random order come out in the order of their times. */
static void many_entries_come_in_order(void **state)
{
    struct store_lab *f = *state;
    char key[24];

    for (unsigned i = 0; i < 5000; i++) {
        lab_number_key(key, i);
        lab_put_expiring(f, key, (int64_t)(i * 7919 % 5000));
    }
    lab_commit(f);
    assert_int_equal(expire(f, 2499), 2500);
    lab_commit(f);
    assert_int_equal(store_next_expiry_ms(f->store), 2500);
    assert_int_equal(expire(f, 9999), 2500);
    lab_commit(f);
    assert_int_equal(store_count_all(f->store), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(entries_are_due_at_their_time),
        STORE_TEST(a_later_time_replaces_an_earlier_one),
        STORE_TEST(a_removal_rolled_back_is_due_again),
        STORE_TEST(a_staged_clear_holds_expiry_back),
        STORE_TEST(touching_does_not_pile_up),
        STORE_TEST(times_of_removed_entries_go),
        STORE_TEST(many_entries_come_in_order),
    };
    return RUN_TESTS(tests);
}
