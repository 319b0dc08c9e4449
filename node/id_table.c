#include "node/id_table.h"

#include <stdlib.h>

#include "wire/assert.h"

struct id_block {
    _Atomic(void *) list[ID_TABLE_BLOCK];
};

static struct id_block *block_of(const struct id_table *table, uint32_t id)
{
    return id < ID_TABLE_MAX
               ? atomic_load_explicit(&table->blocks[id / ID_TABLE_BLOCK], memory_order_acquire)
               : NULL;
}

void id_table_fini(struct id_table *table)
{
    for (size_t i = 0; i < ID_TABLE_BLOCKS; i++) {
        free(atomic_load_explicit(&table->blocks[i], memory_order_relaxed));
        atomic_store_explicit(&table->blocks[i], NULL, memory_order_relaxed);
    }
    atomic_store_explicit(&table->end, 0, memory_order_relaxed);
}

void *id_table_get(const struct id_table *table, uint32_t id)
{
    struct id_block *block = block_of(table, id);

    return block ? atomic_load_explicit(&block->list[id % ID_TABLE_BLOCK], memory_order_acquire)
                 : NULL;
}

uint32_t id_table_end(const struct id_table *table)
{
    return atomic_load_explicit(&table->end, memory_order_acquire);
}

enum qn_status id_table_reserve(struct id_table *table, uint32_t id)
{
    if (id >= ID_TABLE_MAX) {
        return QN_INVALID;
    }
    if (block_of(table, id)) {
        return QN_OK;
    }
    struct id_block *block = malloc(sizeof *block);
    if (!block) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < ID_TABLE_BLOCK; i++) {
        atomic_init(&block->list[i], NULL);
    }
    atomic_store_explicit(&table->blocks[id / ID_TABLE_BLOCK], block, memory_order_release);
    return QN_OK;
}

void id_table_set(struct id_table *table, uint32_t id, void *pointer)
{
    struct id_block *block = block_of(table, id);

    qn_assert(pointer);
    qn_assert(block);
    qn_assert(!atomic_load_explicit(&block->list[id % ID_TABLE_BLOCK], memory_order_relaxed));
    atomic_store_explicit(&block->list[id % ID_TABLE_BLOCK], pointer, memory_order_release);
    if (id >= id_table_end(table)) {
        atomic_store_explicit(&table->end, id + 1, memory_order_release);
    }
}
