#include <stdio.h>
#include <stdlib.h>

#include "grid/store/store.h"
#include "tests/lib/check.h"
#include "tests/unit/grid/lab_alloc.h"
#include "wire/message/message.h"

enum { CACHE = 5 };

struct fixture {
    struct lab_alloc memory;
    struct store *store;
    uint64_t version;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    lab_alloc_init(&f->memory);
    assert_int_equal(store_create(&f->memory.alloc, &f->store), QN_OK);
    *state = f;
    return 0;
}

/* Every test ends with the books closed: what was handed out came back. */
static int teardown(void **state)
{
    struct fixture *f = *state;

    store_destroy(f->store);
    assert_int_equal(f->memory.heap.bytes, 0);
    free(f);
    return 0;
}

static enum qn_status stage(struct fixture *f, uint8_t kind, const char *key, const char *value)
{
    struct effect effect = {
        .kind = kind,
        .cache = CACHE,
        .expires_at_ms = INT64_MAX,
        .key = bytes_of_text(key),
        .value = bytes_of_text(value),
    };
    enum qn_status status = store_stage(f->store, &effect, f->version + 1);

    f->version += status == QN_OK;
    return status;
}

static void put(struct fixture *f, const char *key, const char *value)
{
    assert_int_equal(stage(f, EFFECT_PUT, key, value), QN_OK);
}

static void put_final(struct fixture *f, const char *key, const char *value)
{
    put(f, key, value);
    store_commit(f->store, f->version);
}

static void drop(struct fixture *f, const char *key)
{
    assert_int_equal(stage(f, EFFECT_REMOVE, key, ""), QN_OK);
}

static const struct entry * final(struct fixture *f, const char *text)
{
    struct table_key key = store_key(CACHE, bytes_of_text(text));

    return store_committed(f->store, &key);
}

static const struct entry *newest(struct fixture *f, const char *text)
{
    struct table_key key = store_key(CACHE, bytes_of_text(text));

    return store_newest(f->store, &key);
}

/* A staged change is the newest version, and not the committed one. */
static void a_staged_change_is_not_committed(void **state)
{
    struct fixture *f = *state;

    put_final(f, "k", "one");
    put(f, "k", "two");
    put(f, "k", "three");
    assert_bytes_equal(entry_value(final(f, "k")), bytes_of_text("one"));
    assert_bytes_equal(entry_value(newest(f, "k")), bytes_of_text("three"));
    store_commit(f->store, 2);
    assert_bytes_equal(entry_value(final(f, "k")), bytes_of_text("two"));
    assert_int_equal(final(f, "k")->version, 2);
    store_commit(f->store, 3);
    assert_bytes_equal(entry_value(final(f, "k")), bytes_of_text("three"));
}

/* A new key is invisible until it is committed, and not counted. */
static void a_new_key_appears_when_committed(void **state)
{
    struct fixture *f = *state;

    put(f, "k", "v");
    assert_null(final(f, "k"));
    assert_int_equal(store_count(f->store, CACHE), 0);
    store_commit(f->store, 1);
    assert_non_null(final(f, "k"));
    assert_int_equal(store_count(f->store, CACHE), 1);
    assert_int_equal(store_count(f->store, CACHE + 1), 0);
    assert_int_equal(store_count_all(f->store), 1);
}

/* A removed key stays readable until the removal is committed; then nothing of it is left. */
static void a_removal_shows_when_committed(void **state)
{
    struct fixture *f = *state;

    put_final(f, "k", "v");
    drop(f, "k");
    assert_non_null(final(f, "k"));
    assert_false(entry_live(newest(f, "k")));
    store_commit(f->store, f->version);
    assert_null(final(f, "k"));
    assert_null(newest(f, "k"));
    assert_int_equal(store_count(f->store, CACHE), 0);
}

/* A key that is removed and put again before either is committed passes through all its states. */
static void a_key_is_removed_and_put_again(void **state)
{
    struct fixture *f = *state;

    put_final(f, "k", "old");
    drop(f, "k");
    put(f, "k", "new");
    store_commit(f->store, 2);
    assert_null(final(f, "k"));
    assert_true(entry_live(newest(f, "k")));
    assert_int_equal(store_count(f->store, CACHE), 0);
    store_commit(f->store, 3);
    assert_bytes_equal(entry_value(final(f, "k")), bytes_of_text("new"));
    assert_int_equal(store_count(f->store, CACHE), 1);
}

/* Rolled back, a change has never been. */
static void a_rollback_restores_what_was(void **state)
{
    struct fixture *f = *state;

    put_final(f, "k", "one");
    put(f, "k", "two");
    drop(f, "k");
    put(f, "other", "x");
    store_rollback(f->store, 2);
    assert_null(newest(f, "other"));
    assert_bytes_equal(entry_value(newest(f, "k")), bytes_of_text("two"));
    store_rollback(f->store, 1);
    assert_bytes_equal(entry_value(newest(f, "k")), bytes_of_text("one"));
    assert_bytes_equal(entry_value(final(f, "k")), bytes_of_text("one"));
}

/* The same key in two caches is two entries. */
static void caches_do_not_share_keys(void **state)
{
    struct fixture *f = *state;
    struct effect effect = {.kind = EFFECT_PUT,
                            .cache = 9,
                            .flags = VALUE_COMPRESSED,
                            .expires_at_ms = 1234,
                            .key = bytes_of_text("k"),
                            .value = bytes_of_text("nine")};
    struct table_key key = store_key(9, bytes_of_text("k"));

    put_final(f, "k", "five");
    assert_int_equal(store_stage(f->store, &effect, ++f->version), QN_OK);
    store_commit(f->store, f->version);
    assert_bytes_equal(entry_value(final(f, "k")), bytes_of_text("five"));
    const struct entry *entry = store_committed(f->store, &key);
    assert_bytes_equal(entry_value(entry), bytes_of_text("nine"));
    assert_bytes_equal(entry_key(entry), bytes_of_text("k"));
    assert_int_equal(entry->flags, VALUE_COMPRESSED);
    assert_int_equal(entry_expires_at_ms(entry), 1234);
    assert_int_equal(entry_expires_at_ms(final(f, "k")), INT64_MAX);
    assert_int_equal(store_count(f->store, 9), 1);
}

static void count_visit(void *context, const struct entry *entry)
{
    *(uint64_t *)context += entry->version;
}

/* A walk sees every committed entry once, as committed. */
static void a_walk_sees_committed_entries(void **state)
{
    struct fixture *f = *state;
    uint64_t sum = 0;

    put_final(f, "a", "1");
    put_final(f, "b", "1");
    put(f, "a", "2");
    put(f, "c", "1");
    store_each(f->store, count_visit, &sum);
    assert_int_equal(sum, 1 + 2);
}

enum { KEYS = 200000, OPS = 700000 };

static void number_key(char *key, unsigned number)
{
    (void)snprintf(key, 24, "key-%08u", number);
}

static void check_all(struct fixture *f, const uint64_t *model)
{
    char key[24];
    uint64_t count = 0;

    for (unsigned i = 0; i < KEYS; i++) {
        number_key(key, i);
        const struct entry *entry = final(f, key);
        count += model[i] > 0;
        assert_true(model[i] > 0 ? entry && entry->version == model[i] : !entry);
    }
    assert_int_equal(store_count(f->store, CACHE), count);
}

/* 200,000 keys come and go in random order, and at every size the store agrees with an array of
 * versions; the table gives its slots back when the keys have gone. */
static void many_keys_come_and_go(void **state)
{
    struct fixture *f = *state;
    uint64_t *model = calloc(KEYS, sizeof *model);
    uint64_t random = 7;
    size_t empty_bytes = f->memory.heap.bytes;
    char key[24];

    assert_non_null(model);
    for (unsigned i = 0; i < OPS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned number = (unsigned)(random >> 33) % KEYS;
        /* first mostly puts, then mostly removals */
        bool removal = (random >> 20 & 7) < (i < OPS / 2 ? 1 : 6);
        number_key(key, number);
        if (removal) {
            drop(f, key);
        } else {
            put(f, key, "value");
        }
        model[number] = removal ? 0 : f->version;
        if (i % 3 == 0) {
            store_commit(f->store, f->version);
        }
    }
    store_commit(f->store, f->version);
    check_all(f, model);
    for (unsigned i = 0; i < KEYS; i++) {
        number_key(key, i);
        if (model[i] > 0) {
            drop(f, key);
            store_commit(f->store, f->version);
        }
    }
    assert_int_equal(store_count_all(f->store), 0);
    assert_true(f->memory.heap.bytes < empty_bytes + 20000);
    free(model);
}

/* Every entry that was put while the table grows and shrinks stays findable at every step. */
static void no_key_is_lost_while_the_table_moves(void **state)
{
    struct fixture *f = *state;
    char key[24];

    for (unsigned i = 0; i < 2000; i++) {
        number_key(key, i);
        put_final(f, key, "v");
        for (unsigned j = 0; j <= i; j += 1 + i / 50) {
            number_key(key, j);
            assert_non_null(final(f, key));
        }
    }
    for (unsigned i = 0; i < 2000; i++) {
        number_key(key, i);
        drop(f, key);
        store_commit(f->store, f->version);
        assert_null(final(f, key));
        for (unsigned j = i + 1; j < 2000; j += 1 + (2000 - i) / 50) {
            number_key(key, j);
            assert_non_null(final(f, key));
        }
    }
}

/* Different keys with one and the same tag are kept apart, removed in any order. */
static void keys_with_equal_tags_are_kept_apart(void **state)
{
    struct fixture *f = *state;
    struct table table;
    struct entry *entries[100];
    struct table_key keys[100];
    static const uint32_t tag = UINT32_MAX - 1; /* home at the very end: goes round it */

    table_init(&table, &f->memory.alloc);
    for (uint32_t i = 0; i < 100; i++) {
        entries[i] = calloc(1, sizeof(struct entry) + 8);
        assert_non_null(entries[i]);
        entries[i]->cache = CACHE;
        entries[i]->key_size = 4;
        put_u32(entries[i]->octets, i);
        keys[i] = (struct table_key){.tag = tag, .cache = CACHE, .key = entry_key(entries[i])};
        assert_int_equal(table_reserve(&table), QN_OK);
        assert_null(table_put(&table, &keys[i], entries[i]));
    }
    for (uint32_t i = 0; i < 100; i++) {
        assert_ptr_equal(table_find(&table, &keys[i]), entries[i]);
    }
    for (uint32_t n = 0; n < 100; n++) {
        uint32_t i = n * 37 % 100;
        table_remove(&table, &keys[i]);
        assert_null(table_find(&table, &keys[i]));
        uint32_t other = (i + 37) % 100;
        assert_ptr_equal(table_find(&table, &keys[other]), n < 99 ? entries[other] : NULL);
    }
    for (uint32_t i = 0; i < 100; i++) {
        free(entries[i]);
    }
    table_fini(&table);
}

/* Whichever request for memory is refused: the change is refused whole, nothing leaks, and what was
 * there is there. */
static void a_refused_request_for_memory_changes_nothing(void **state)
{
    (void)state;
    for (size_t grants = 0; grants < 400; grants++) {
        struct fixture f = {0};
        char key[24];
        unsigned done = 0;

        lab_alloc_init(&f.memory);
        f.memory.grants = grants;
        if (store_create(&f.memory.alloc, &f.store) != QN_OK) {
            assert_int_equal(f.memory.heap.bytes, 0);
            continue;
        }
        for (; done < 200; done++) {
            number_key(key, done);
            if (stage(&f, EFFECT_PUT, key, "v") != QN_OK) {
                break;
            }
        }
        assert_null(done < 200 ? newest(&f, key) : NULL);
        store_commit(f.store, f.version);
        assert_int_equal(store_count_all(f.store), done);
        f.memory.grants = SIZE_MAX;
        for (unsigned i = 0; i < done; i++) {
            number_key(key, i);
            assert_non_null(final(&f, key));
        }
        put_final(&f, "later", "v");
        assert_int_equal(store_count_all(f.store), done + 1);
        store_destroy(f.store);
        assert_int_equal(f.memory.heap.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_staged_change_is_not_committed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_new_key_appears_when_committed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_removal_shows_when_committed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_is_removed_and_put_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_rollback_restores_what_was, setup, teardown),
        cmocka_unit_test_setup_teardown(caches_do_not_share_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(a_walk_sees_committed_entries, setup, teardown),
        cmocka_unit_test_setup_teardown(many_keys_come_and_go, setup, teardown),
        cmocka_unit_test_setup_teardown(no_key_is_lost_while_the_table_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_with_equal_tags_are_kept_apart, setup, teardown),
        cmocka_unit_test(a_refused_request_for_memory_changes_nothing),
    };
    return RUN_TESTS(tests);
}
