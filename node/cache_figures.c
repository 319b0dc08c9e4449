#include "node/cache_figures.h"

#include <stdlib.h>

struct cache_figures {
    struct id_table rows;
};

/* Only the shard's thread writes: no read-modify-write is needed. */
static void set(atomic_uint_least64_t *figure, uint64_t value)
{
    atomic_store_explicit(figure, value, memory_order_relaxed);
}

static void add_one(atomic_uint_least64_t *figure)
{
    set(figure, atomic_load_explicit(figure, memory_order_relaxed) + 1);
}

struct cache_figures *cache_figures_create(void)
{
    return calloc(1, sizeof(struct cache_figures));
}

void cache_figures_destroy(struct cache_figures *figures)
{
    if (!figures) {
        return;
    }
    for (uint32_t id = 0; id < id_table_end(&figures->rows); id++) {
        struct cache_row *row = id_table_get(&figures->rows, id);
        if (row) {
            free(atomic_load_explicit(&row->ops, memory_order_relaxed));
            free(row);
        }
    }
    id_table_fini(&figures->rows);
    free(figures);
}

const struct cache_row *cache_figures_get(const struct cache_figures *figures, uint32_t cache)
{
    return id_table_get(&figures->rows, cache);
}

struct cache_row *cache_figures_room(struct cache_figures *figures, uint32_t cache)
{
    struct cache_row *row = id_table_get(&figures->rows, cache);

    if (row || id_table_reserve(&figures->rows, cache) != QN_OK) {
        return row;
    }
    row = calloc(1, sizeof *row);
    if (row) {
        id_table_set(&figures->rows, cache, row);
    }
    return row;
}

/* The counters of operations of a row, made when there are none; NULL without memory. */
static struct cache_ops *ops_room(struct cache_row *row)
{
    struct cache_ops *ops = atomic_load_explicit(&row->ops, memory_order_relaxed);

    if (!ops) {
        ops = calloc(1, sizeof *ops);
        atomic_store_explicit(&row->ops, ops, memory_order_release);
    }
    return ops;
}

static enum cache_result result_of(enum qn_status status)
{
    if (status == QN_OK) {
        return CACHE_RESULT_OK;
    }
    return status > 0 ? CACHE_RESULT_NO : CACHE_RESULT_FAILED;
}

/* What an operation that was answered means for the cache. */
static void effect_count(struct cache_row *row, enum wire_op_kind op, bool ok)
{
    switch (op) {
    case WIRE_OP_GET:
    case WIRE_OP_CONTAINS:
        add_one(ok ? &row->hits : &row->misses);
        return;
    case WIRE_OP_PUT:
    case WIRE_OP_PUT_IF_ABSENT:
    case WIRE_OP_REPLACE:
        if (ok) {
            add_one(&row->puts);
        }
        return;
    case WIRE_OP_REMOVE:
    case WIRE_OP_REMOVE_IF:
        if (ok) {
            add_one(&row->removes);
        }
        return;
    case WIRE_OP_COUNT:
    case WIRE_OP_SESSION_OPEN:
    case WIRE_OP_TOUCH:
    case WIRE_OP_CLEAR:
    case WIRE_OP_OUTCOME:
    case WIRE_OP_SCAN:
    case WIRE_OPS:
        return;
    }
}

void cache_figures_op(struct cache_figures *figures, uint32_t cache, uint32_t op,
                      enum qn_status status)
{
    struct cache_row *row = op < WIRE_OPS ? cache_figures_room(figures, cache) : NULL;
    enum cache_result result = result_of(status);

    if (!row) {
        return;
    }
    struct cache_ops *ops = ops_room(row);
    if (ops) {
        add_one(&ops->count[op][result]);
    }
    if (result != CACHE_RESULT_FAILED) {
        effect_count(row, (enum wire_op_kind)op, result == CACHE_RESULT_OK);
    }
}

void cache_figures_set(struct cache_figures *figures, uint32_t cache, uint64_t entries,
                       uint64_t bytes, uint64_t expired)
{
    struct cache_row *row = cache_figures_room(figures, cache);

    if (row) {
        set(&row->entries, entries);
        set(&row->bytes, bytes);
        set(&row->expired, expired);
    }
}

uint64_t cache_figures_ops(const struct cache_row *row, uint32_t op, enum cache_result result)
{
    struct cache_ops *ops = row ? atomic_load_explicit(&row->ops, memory_order_acquire) : NULL;

    return ops && op < WIRE_OPS
               ? atomic_load_explicit(&ops->count[op][result], memory_order_relaxed)
               : 0;
}

uint32_t cache_figures_end(const struct cache_figures *figures)
{
    return id_table_end(&figures->rows);
}
