/* Whichever request for memory is refused: the change is refused whole, nothing leaks, and what was
 * there is there. */
#include "tests/unit/grid/store_lab.h"

enum { KEYS = 200, RECORDS = 600 };

/* Effect number `i` of a sequence with a bit of everything. */
static struct effect effect_of(unsigned i, char key[24])
{
    static const uint8_t kinds[] = {EFFECT_PUT, EFFECT_PUT, EFFECT_TOUCH, EFFECT_PUT,
                                    EFFECT_REMOVE};
    struct effect effect = {.kind = kinds[i % 5],
                            .cache = 1 + i / 97 % 9,
                            .expires_at_ms = i % 3 ? INT64_MAX : (int64_t)i};

    lab_number_key(key, i % 2 ? i % 31 : i % KEYS);
    effect.key = bytes_of_text(key);
    if (i % 97 == 96) {
        effect.kind = EFFECT_CLEAR;
    } else if (effect.kind == EFFECT_PUT) {
        effect.value = bytes_of_text("value");
    }
    return effect;
}

/* The sequence up to the first refusal; the number of effects tried. */
static unsigned run(struct store_lab *f)
{
    char key[24];

    for (unsigned i = 0; i < RECORDS; i++) {
        struct effect effect = effect_of(i, key);
        struct table_key found = store_key(effect.cache, effect.key);
        struct store_found before = store_newest(f->store, &found);
        enum qn_status status = lab_stage(f, &effect);
        if (status == QN_MEMORY_FULL) {
            struct store_found after = store_newest(f->store, &found);
            assert_ptr_equal(after.entry, before.entry);
            assert_int_equal(after.decided_by, before.decided_by);
            return i;
        }
        assert_true(status == QN_OK || effect.kind == EFFECT_TOUCH);
        if (i % 11 == 10) {
            lab_commit(f);
        }
        if (i % 50 == 49) {
            lab_publish(f);
        }
    }
    return RECORDS;
}

static uint64_t digest(const struct store *store)
{
    struct store_cache figures;
    uint64_t sum = 0;

    for (size_t i = 0; store_cache_at(store, i, &figures); i++) {
        sum += (figures.cache + 31) * (figures.entries * 7 + figures.bytes);
    }
    return sum + store_history_bytes(store);
}

/* What the first `count` effects give when memory is plenty. */
static uint64_t expected(unsigned count)
{
    void *made = NULL;
    char key[24];

    assert_int_equal(store_lab_setup(&made), 0);
    struct store_lab *f = made;
    for (unsigned i = 0; i < count; i++) {
        struct effect effect = effect_of(i, key);
        (void)(lab_stage(f, &effect) == QN_OK);
    }
    lab_publish(f);
    uint64_t sum = digest(f->store);
    assert_int_equal(store_lab_teardown(&made), 0);
    return sum;
}

/* The n-th request is refused, for every n; commits, roll-backs and views need no memory. */
static void a_refused_request_for_memory_changes_nothing(void **state)
{
    (void)state;
    for (size_t grants = 0; grants < 700; grants++) {
        struct store_lab f = {0};

        lab_alloc_init(&f.memory);
        f.memory.grants = grants;
        if (store_create(&f.memory.alloc, &f.store) != QN_OK) {
            assert_int_equal(f.memory.heap.bytes, 0);
            continue;
        }
        unsigned done = run(&f);
        f.memory.grants = 0;
        store_rollback(f.store, f.version - (f.version > 0 && done == RECORDS));
        lab_commit(&f);
        assert_int_equal(store_pin(f.store, f.version), QN_OK);
        store_publish(f.store, f.version);
        store_unpin(f.store, f.version);
        while (store_sweep(f.store, 8)) {
        }
        if (done < RECORDS) {
            assert_int_equal(digest(f.store), expected(done));
        }
        f.memory.grants = SIZE_MAX;
        lab_put_final(&f, "later", "v");
        assert_non_null(lab_final(&f, "later"));
        store_destroy(f.store);
        assert_int_equal(f.memory.heap.bytes, 0);
    }
}

/* An entry that cannot be restored is not there. */
static void a_refused_restore_changes_nothing(void **state)
{
    (void)state;
    for (size_t grants = 1; grants < 60; grants++) {
        struct store_lab f = {0};
        char key[24];
        unsigned done = 0;

        lab_alloc_init(&f.memory);
        f.memory.grants = grants;
        assert_int_equal(store_create(&f.memory.alloc, &f.store), QN_OK);
        for (; done < 100; done++) {
            lab_number_key(key, done);
            struct effect effect = {.kind = EFFECT_PUT,
                                    .cache = CACHE,
                                    .expires_at_ms = done,
                                    .key = bytes_of_text(key)};
            if (store_restore(f.store, &effect, done + 1) != QN_OK) {
                break;
            }
        }
        assert_true(done < 100);
        assert_null(lab_final(&f, key));
        assert_int_equal(store_count_all(f.store), done);
        assert_int_equal(store_next_expiry_ms(f.store), done > 0 ? 0 : INT64_MAX);
        store_destroy(f.store);
        assert_int_equal(f.memory.heap.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_request_for_memory_changes_nothing),
        cmocka_unit_test(a_refused_restore_changes_nothing),
    };
    return RUN_TESTS(tests);
}
