#include "tests/unit/grid/store_lab.h"

#include <stdio.h>
#include <stdlib.h>

int store_lab_setup(void **state)
{
    struct store_lab *lab = calloc(1, sizeof *lab);

    assert_non_null(lab);
    lab_alloc_init(&lab->memory);
    assert_int_equal(store_create(&lab->memory.alloc, &lab->store), QN_OK);
    *state = lab;
    return 0;
}

int store_lab_teardown(void **state)
{
    struct store_lab *lab = *state;

    store_destroy(lab->store);
    assert_int_equal(lab->memory.heap.bytes, 0);
    free(lab);
    return 0;
}

enum qn_status lab_stage(struct store_lab *lab, const struct effect *effect)
{
    enum qn_status status = store_stage(lab->store, effect, lab->version + 1);

    lab->version += status == QN_OK;
    return status;
}

static enum qn_status stage(struct store_lab *lab, uint8_t kind, const char *key, const char *value,
                            int64_t expires_at_ms)
{
    struct effect effect = {
        .kind = kind,
        .cache = CACHE,
        .expires_at_ms = expires_at_ms,
        .key = bytes_of_text(key),
        .value = bytes_of_text(value),
    };

    return lab_stage(lab, &effect);
}

void lab_put(struct store_lab *lab, const char *key, const char *value)
{
    assert_int_equal(stage(lab, EFFECT_PUT, key, value, INT64_MAX), QN_OK);
}

void lab_put_expiring(struct store_lab *lab, const char *key, int64_t expires_at_ms)
{
    assert_int_equal(stage(lab, EFFECT_PUT, key, "v", expires_at_ms), QN_OK);
}

void lab_remove(struct store_lab *lab, const char *key)
{
    assert_int_equal(stage(lab, EFFECT_REMOVE, key, "", INT64_MAX), QN_OK);
}

void lab_clear(struct store_lab *lab, uint32_t cache)
{
    struct effect effect = {.kind = EFFECT_CLEAR, .cache = cache, .expires_at_ms = INT64_MAX};

    assert_int_equal(lab_stage(lab, &effect), QN_OK);
}

enum qn_status lab_touch(struct store_lab *lab, const char *key, int64_t expires_at_ms)
{
    return stage(lab, EFFECT_TOUCH, key, "", expires_at_ms);
}

void lab_commit(struct store_lab *lab)
{
    store_commit(lab->store, lab->version);
}

void lab_publish(struct store_lab *lab)
{
    lab_commit(lab);
    store_publish(lab->store, lab->version);
}

void lab_put_final(struct store_lab *lab, const char *key, const char *value)
{
    lab_put(lab, key, value);
    lab_commit(lab);
}

const struct entry *lab_newest(const struct store_lab *lab, const char *key)
{
    struct table_key found = store_key(CACHE, bytes_of_text(key));

    return store_newest(lab->store, &found).entry;
}

const struct entry *lab_final(const struct store_lab *lab, const char *key)
{
    struct table_key found = store_key(CACHE, bytes_of_text(key));

    return store_committed(lab->store, &found);
}

const struct entry *lab_at(const struct store_lab *lab, const char *key, uint64_t view)
{
    struct table_key found = store_key(CACHE, bytes_of_text(key));

    return store_at(lab->store, &found, view);
}

uint64_t lab_count(const struct store_lab *lab, uint32_t cache)
{
    return store_cache_figures(lab->store, cache).entries;
}

static bool count_visit(void *context, const struct entry *entry)
{
    *(size_t *)context += entry_live(entry);
    return true;
}

size_t lab_walk_count(const struct store_lab *lab, uint64_t view, size_t slots_max)
{
    struct store_place place = {0};
    size_t count = 0;

    while (!store_walk(lab->store, view, &place, slots_max, count_visit, &count)) {
    }
    return count;
}

void lab_number_key(char key[24], unsigned number)
{
    (void)snprintf(key, 24, "key-%08u", number);
}
