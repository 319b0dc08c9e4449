/* Staging, committing, rolling back: no view is published, nothing is cleared, nothing expires. */
#include <stdlib.h>

#include "tests/unit/grid/store_lab.h"
#include "wire/message/message.h"

/* A staged change is the newest version, and not the committed one. */
static void a_staged_change_is_not_committed(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "one");
    lab_put(f, "k", "two");
    lab_put(f, "k", "three");
    assert_value(lab_final(f, "k"), "one");
    assert_value(lab_newest(f, "k"), "three");
    store_commit(f->store, 2);
    assert_value(lab_final(f, "k"), "two");
    assert_int_equal(lab_final(f, "k")->version, 2);
    store_commit(f->store, 3);
    assert_value(lab_final(f, "k"), "three");
}

/* A new key is invisible until it is committed, and not counted. */
static void a_new_key_appears_when_committed(void **state)
{
    struct store_lab *f = *state;

    lab_put(f, "k", "v");
    assert_null(lab_final(f, "k"));
    assert_int_equal(lab_count(f, CACHE), 0);
    store_commit(f->store, 1);
    assert_non_null(lab_final(f, "k"));
    assert_int_equal(lab_count(f, CACHE), 1);
    assert_int_equal(lab_count(f, CACHE + 1), 0);
    assert_int_equal(store_count_all(f->store), 1);
}

/* A removed key stays readable until the removal is committed; then nothing of it is left. */
static void a_removal_shows_when_committed(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "v");
    lab_remove(f, "k");
    assert_non_null(lab_final(f, "k"));
    assert_null(lab_newest(f, "k"));
    lab_commit(f);
    assert_null(lab_final(f, "k"));
    assert_null(lab_newest(f, "k"));
    assert_int_equal(lab_count(f, CACHE), 0);
    assert_int_equal(store_history_bytes(f->store), 0);
}

/* Whoever finds no entry learns which record decided that, as long as it is not committed: an
 * answer that rests on it has to wait. */
static void the_newest_state_says_who_decided_it(void **state)
{
    struct store_lab *f = *state;
    struct table_key key = store_key(CACHE, bytes_of_text("k"));

    assert_int_equal(store_newest(f->store, &key).decided_by, 0);
    lab_put_final(f, "k", "v");
    assert_int_equal(store_newest(f->store, &key).decided_by, 1);
    lab_remove(f, "k");
    assert_int_equal(store_newest(f->store, &key).decided_by, 2);
    lab_put(f, "k", "v");
    lab_clear(f, CACHE);
    assert_null(store_newest(f->store, &key).entry);
    assert_int_equal(store_newest(f->store, &key).decided_by, 4);
    store_rollback(f->store, 3);
    assert_int_equal(store_newest(f->store, &key).decided_by, 3);
    assert_non_null(store_newest(f->store, &key).entry);
}

/* A key that is removed and put again before either is committed passes through all its states. */
static void a_key_is_removed_and_put_again(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "old");
    lab_remove(f, "k");
    lab_put(f, "k", "new");
    store_commit(f->store, 2);
    assert_null(lab_final(f, "k"));
    assert_non_null(lab_newest(f, "k"));
    assert_int_equal(lab_count(f, CACHE), 0);
    store_commit(f->store, 3);
    assert_value(lab_final(f, "k"), "new");
    assert_int_equal(lab_count(f, CACHE), 1);
}

/* Rolled back, a change has never been. */
static void a_rollback_restores_what_was(void **state)
{
    struct store_lab *f = *state;

    lab_put_final(f, "k", "one");
    lab_put(f, "k", "two");
    lab_remove(f, "k");
    lab_put(f, "other", "x");
    store_rollback(f->store, 2);
    assert_null(lab_newest(f, "other"));
    assert_value(lab_newest(f, "k"), "two");
    store_rollback(f->store, 1);
    assert_value(lab_newest(f, "k"), "one");
    assert_value(lab_final(f, "k"), "one");
}

/* A committed removal under a change that is rolled back leaves nothing behind. */
static void a_removal_is_gone_after_the_rollback_of_what_followed(void **state)
{
    struct store_lab *f = *state;
    struct table_key key = store_key(CACHE, bytes_of_text("k"));

    lab_put_final(f, "k", "one");
    lab_remove(f, "k");
    lab_put(f, "k", "two");
    store_commit(f->store, 2);
    store_rollback(f->store, 2);
    assert_null(store_newest(f->store, &key).entry);
    assert_int_equal(store_newest(f->store, &key).decided_by, 0);
    assert_int_equal(store_history_bytes(f->store), 0);
}

/* The same key in two caches is two entries. */
static void caches_do_not_share_keys(void **state)
{
    struct store_lab *f = *state;
    struct effect effect = {.kind = EFFECT_PUT,
                            .cache = 9,
                            .flags = VALUE_COMPRESSED,
                            .expires_at_ms = 1234,
                            .key = bytes_of_text("k"),
                            .value = bytes_of_text("nine")};
    struct table_key key = store_key(9, bytes_of_text("k"));

    lab_put_final(f, "k", "five");
    assert_int_equal(lab_stage(f, &effect), QN_OK);
    lab_commit(f);
    assert_value(lab_final(f, "k"), "five");
    const struct entry *entry = store_committed(f->store, &key);
    assert_value(entry, "nine");
    assert_bytes_equal(entry_key(entry), bytes_of_text("k"));
    assert_int_equal(entry->flags, VALUE_COMPRESSED);
    assert_int_equal(entry_expires_at_ms(entry), 1234);
    assert_int_equal(entry_expires_at_ms(lab_final(f, "k")), INT64_MAX);
    assert_int_equal(lab_count(f, 9), 1);
}

/* A touch changes the time of expiry and nothing else; without an entry it is refused. */
static void a_touch_keeps_the_value(void **state)
{
    struct store_lab *f = *state;
    struct effect effect = {.kind = EFFECT_PUT,
                            .cache = CACHE,
                            .flags = VALUE_COMPRESSED,
                            .expires_at_ms = 100,
                            .key = bytes_of_text("k"),
                            .value = bytes_of_text("v")};

    assert_int_equal(lab_touch(f, "k", 1), QN_ABSENT);
    assert_int_equal(lab_stage(f, &effect), QN_OK);
    assert_int_equal(lab_touch(f, "k", 200), QN_OK);
    lab_commit(f);
    assert_value(lab_final(f, "k"), "v");
    assert_int_equal(lab_final(f, "k")->flags, VALUE_COMPRESSED);
    assert_int_equal(lab_final(f, "k")->version, 2);
    assert_int_equal(entry_expires_at_ms(lab_final(f, "k")), 200);
    lab_remove(f, "k");
    assert_int_equal(lab_touch(f, "k", 300), QN_ABSENT);
    assert_int_equal(f->version, 3);
}

/* The figures of a cache are those of its committed entries; the caches come by id. */
static void figures_are_kept_per_cache(void **state)
{
    struct store_lab *f = *state;
    struct effect effect = {.kind = EFFECT_PUT,
                            .cache = 3,
                            .expires_at_ms = INT64_MAX,
                            .key = bytes_of_text("key"),
                            .value = bytes_of_text("value")};
    struct store_cache figures;

    lab_put_final(f, "k", "12345");
    lab_put_final(f, "k", "1234");
    assert_int_equal(lab_stage(f, &effect), QN_OK);
    lab_commit(f);
    assert_true(store_cache_at(f->store, 0, &figures));
    assert_int_equal(figures.cache, 3);
    assert_int_equal(figures.bytes, ENTRY_HEADER_SIZE + 3 + 5);
    assert_true(store_cache_at(f->store, 1, &figures));
    assert_int_equal(figures.cache, CACHE);
    assert_int_equal(figures.entries, 1);
    assert_int_equal(figures.bytes, ENTRY_HEADER_SIZE + 1 + 4);
    assert_int_equal(figures.visible, 0);
    assert_false(store_cache_at(f->store, 2, &figures));
    lab_remove(f, "k");
    lab_publish(f);
    figures = store_cache_figures(f->store, CACHE);
    assert_int_equal(figures.entries + figures.bytes + figures.visible, 0);
    assert_int_equal(store_cache_figures(f->store, 3).visible, 1);
}

/* Each cache has its own count, and they come by id, whatever order they appear in. */
static void many_caches_are_kept_apart(void **state)
{
    struct store_lab *f = *state;
    struct effect effect = {.kind = EFFECT_PUT, .expires_at_ms = INT64_MAX};
    struct store_cache figures;
    char key[24];

    for (uint32_t i = 0; i < 50; i++) {
        effect.cache = (i * 37) % 50 + 1;
        for (unsigned n = 0; n < effect.cache; n++) {
            lab_number_key(key, n);
            effect.key = bytes_of_text(key);
            assert_int_equal(lab_stage(f, &effect), QN_OK);
        }
    }
    lab_commit(f);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(store_cache_at(f->store, i, &figures));
        assert_int_equal(figures.cache, i + 1);
        assert_int_equal(figures.entries, i + 1);
    }
    assert_int_equal(store_cache_figures(f->store, 51).entries, 0);
    assert_false(store_cache_at(f->store, 50, &figures));
}

/* A restored entry is committed at once, with its own version. */
static void a_restored_entry_is_committed(void **state)
{
    struct store_lab *f = *state;
    struct effect effect = {.kind = EFFECT_PUT,
                            .cache = CACHE,
                            .expires_at_ms = 50,
                            .key = bytes_of_text("k"),
                            .value = bytes_of_text("v")};

    assert_int_equal(store_restore(f->store, &effect, 70), QN_OK);
    assert_int_equal(store_restore(f->store, &effect, 71), QN_CORRUPT);
    assert_int_equal(lab_final(f, "k")->version, 70);
    assert_int_equal(lab_count(f, CACHE), 1);
    assert_int_equal(store_next_expiry_ms(f->store), 50);
    assert_int_equal(store_cache_figures(f->store, CACHE).visible, 0);
    store_publish(f->store, 80);
    assert_int_equal(store_cache_figures(f->store, CACHE).visible, 1);
    assert_int_equal(lab_walk_count(f, 80, SIZE_MAX), 1);
}

enum { KEYS = 200000, OPS = 700000 };

static void check_all(struct store_lab *f, const uint64_t *model)
{
    char key[24];
    uint64_t count = 0;

    for (unsigned i = 0; i < KEYS; i++) {
        lab_number_key(key, i);
        const struct entry *entry = lab_final(f, key);
        count += model[i] > 0;
        assert_true(model[i] > 0 ? entry && entry->version == model[i] : !entry);
    }
    assert_int_equal(lab_count(f, CACHE), count);
}

static void change_at_random(struct store_lab *f, uint64_t *model)
{
    uint64_t random = 7;
    char key[24];

    for (unsigned i = 0; i < OPS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned number = (unsigned)(random >> 33) % KEYS;
        /* first mostly puts, then mostly removals */
        bool removal = (random >> 20 & 7) < (i < OPS / 2 ? 1 : 6);
        lab_number_key(key, number);
        if (removal) {
            lab_remove(f, key);
        } else {
            lab_put(f, key, "value");
        }
        model[number] = removal ? 0 : f->version;
        if (i % 3 == 0) {
            lab_commit(f);
        }
        if (i % 10000 == 0) {
            lab_publish(f);
        }
    }
}

/* 200,000 keys come and go in random order, and at every size the store agrees with an array of
 * versions; the table gives its slots back when the keys have gone. */
static void many_keys_come_and_go(void **state)
{
    struct store_lab *f = *state;
    uint64_t *model = calloc(KEYS, sizeof *model);
    size_t empty_bytes = f->memory.heap.bytes;
    char key[24];

    assert_non_null(model);
    change_at_random(f, model);
    lab_commit(f);
    check_all(f, model);
    for (unsigned i = 0; i < KEYS; i++) {
        lab_number_key(key, i);
        if (model[i] > 0) {
            lab_remove(f, key);
            lab_commit(f);
        }
    }
    lab_publish(f);
    assert_int_equal(store_count_all(f->store), 0);
    assert_true(f->memory.heap.bytes < empty_bytes + 20000);
    free(model);
}

/* Every entry that was put while the table grows and shrinks stays findable at every step. */
static void no_key_is_lost_while_the_table_moves(void **state)
{
    struct store_lab *f = *state;
    char key[24];

    for (unsigned i = 0; i < 2000; i++) {
        lab_number_key(key, i);
        lab_put_final(f, key, "v");
        for (unsigned j = 0; j <= i; j += 1 + i / 50) {
            lab_number_key(key, j);
            assert_non_null(lab_final(f, key));
        }
    }
    for (unsigned i = 0; i < 2000; i++) {
        lab_number_key(key, i);
        lab_remove(f, key);
        lab_commit(f);
        assert_null(lab_final(f, key));
        for (unsigned j = i + 1; j < 2000; j += 1 + (2000 - i) / 50) {
            lab_number_key(key, j);
            assert_non_null(lab_final(f, key));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_staged_change_is_not_committed),
        STORE_TEST(a_new_key_appears_when_committed),
        STORE_TEST(a_removal_shows_when_committed),
        STORE_TEST(the_newest_state_says_who_decided_it),
        STORE_TEST(a_key_is_removed_and_put_again),
        STORE_TEST(a_rollback_restores_what_was),
        STORE_TEST(a_removal_is_gone_after_the_rollback_of_what_followed),
        STORE_TEST(caches_do_not_share_keys),
        STORE_TEST(a_touch_keeps_the_value),
        STORE_TEST(figures_are_kept_per_cache),
        STORE_TEST(many_caches_are_kept_apart),
        STORE_TEST(a_restored_entry_is_committed),
        STORE_TEST(many_keys_come_and_go),
        STORE_TEST(no_key_is_lost_while_the_table_moves),
    };
    return RUN_TESTS(tests);
}
