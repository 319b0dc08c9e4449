/* What is counted of each cache. */
#include <pthread.h>

#include "node/cache_figures.h"
#include "tests/lib/check.h"

static uint64_t get(const atomic_uint_least64_t *figure)
{
    return atomic_load_explicit(figure, memory_order_relaxed);
}

/* What nothing happened to has no row and costs nothing. */
static void an_unused_cache_has_no_row(void **state)
{
    struct cache_figures *figures = cache_figures_create();

    (void)state;
    assert_non_null(figures);
    assert_null(cache_figures_get(figures, 1));
    assert_null(cache_figures_get(figures, UINT32_MAX));
    assert_null(cache_figures_room(figures, UINT32_MAX));
    cache_figures_op(figures, UINT32_MAX, WIRE_OP_GET, QN_OK);
    assert_int_equal(cache_figures_end(figures), 0);
    assert_int_equal(cache_figures_ops(NULL, WIRE_OP_GET, CACHE_RESULT_OK), 0);
    cache_figures_destroy(figures);
    cache_figures_destroy(NULL);
}

/* Each operation counts under its result, and as what it means. */
static void operations_count_as_what_they_mean(void **state)
{
    struct cache_figures *figures = cache_figures_create();

    (void)state;
    cache_figures_op(figures, 5, WIRE_OP_GET, QN_OK);
    cache_figures_op(figures, 5, WIRE_OP_CONTAINS, QN_OK);
    cache_figures_op(figures, 5, WIRE_OP_GET, QN_ABSENT);
    cache_figures_op(figures, 5, WIRE_OP_GET, QN_NOT_LEADER);
    cache_figures_op(figures, 5, WIRE_OP_PUT, QN_OK);
    cache_figures_op(figures, 5, WIRE_OP_PUT_IF_ABSENT, QN_EXISTS);
    cache_figures_op(figures, 5, WIRE_OP_REPLACE, QN_CONFLICT);
    cache_figures_op(figures, 5, WIRE_OP_PUT, QN_MEMORY_FULL);
    cache_figures_op(figures, 5, WIRE_OP_REMOVE, QN_OK);
    cache_figures_op(figures, 5, WIRE_OP_REMOVE, QN_ABSENT);
    cache_figures_op(figures, 5, WIRE_OP_SCAN, QN_OK);
    cache_figures_op(figures, 5, WIRE_OPS + 3, QN_OK);
    const struct cache_row *row = cache_figures_get(figures, 5);
    assert_non_null(row);
    assert_int_equal(get(&row->hits), 2);
    assert_int_equal(get(&row->misses), 1);
    assert_int_equal(get(&row->puts), 1);
    assert_int_equal(get(&row->removes), 1);
    assert_int_equal(cache_figures_ops(row, WIRE_OP_GET, CACHE_RESULT_OK), 1);
    assert_int_equal(cache_figures_ops(row, WIRE_OP_GET, CACHE_RESULT_NO), 1);
    assert_int_equal(cache_figures_ops(row, WIRE_OP_GET, CACHE_RESULT_FAILED), 1);
    assert_int_equal(cache_figures_ops(row, WIRE_OP_PUT, CACHE_RESULT_FAILED), 1);
    assert_int_equal(cache_figures_ops(row, WIRE_OP_SCAN, CACHE_RESULT_OK), 1);
    assert_int_equal(cache_figures_ops(row, WIRE_OPS + 3, CACHE_RESULT_OK), 0);
    assert_null(cache_figures_get(figures, 4));
    assert_int_equal(cache_figures_end(figures), 6);
    cache_figures_destroy(figures);
}

/* What the grid says replaces what it said before, and needs no counters of operations. */
static void sizes_are_replaced(void **state)
{
    struct cache_figures *figures = cache_figures_create();

    (void)state;
    cache_figures_set(figures, 300, 10, 1000, 1);
    cache_figures_set(figures, 300, 9, 900, 2);
    const struct cache_row *row = cache_figures_get(figures, 300);
    assert_int_equal(get(&row->entries), 9);
    assert_int_equal(get(&row->bytes), 900);
    assert_int_equal(get(&row->expired), 2);
    assert_null(atomic_load(&row->ops));
    assert_int_equal(cache_figures_ops(row, WIRE_OP_GET, CACHE_RESULT_OK), 0);
    cache_figures_destroy(figures);
}

enum { ROUNDS = 20000 };

static void *read_rows(void *arg)
{
    const struct cache_figures *figures = arg;
    uint64_t seen = 0;

    while (seen < ROUNDS) {
        const struct cache_row *row = cache_figures_get(figures, 3);
        uint64_t now = row ? get(&row->hits) : 0;
        assert_true(now >= seen);
        assert_true(cache_figures_ops(row, WIRE_OP_GET, CACHE_RESULT_OK) <= ROUNDS);
        seen = now;
    }
    return NULL;
}

/* Anybody may read while the shard counts; a count never goes back. */
static void others_read_meanwhile(void **state)
{
    struct cache_figures *figures = cache_figures_create();
    pthread_t reader;

    (void)state;
    assert_int_equal(pthread_create(&reader, NULL, read_rows, figures), 0);
    for (int i = 0; i < ROUNDS; i++) {
        cache_figures_op(figures, 3, WIRE_OP_GET, QN_OK);
        cache_figures_set(figures, (uint32_t)i % 1000, 1, 1, 0);
    }
    assert_int_equal(pthread_join(reader, NULL), 0);
    cache_figures_destroy(figures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unused_cache_has_no_row),
        cmocka_unit_test(operations_count_as_what_they_mean),
        cmocka_unit_test(sizes_are_replaced),
        cmocka_unit_test(others_read_meanwhile),
    };

    return RUN_TESTS(tests);
}
