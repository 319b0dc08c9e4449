/* A map from small numbers to pointers that one thread extends while others read it.
 *
 * Made for the ids of caches: dense, assigned in order, never reused. Readers take no lock and
 * never wait: a pointer is published with release and read with acquire, and neither it nor a block
 * of the table moves or goes before the end. Memory follows the ids in use. */
#ifndef QUOIN_NODE_ID_TABLE_H
#define QUOIN_NODE_ID_TABLE_H

#include <stdatomic.h>

#include "wire/bytes.h"

enum {
    ID_TABLE_BLOCK = 256,
    ID_TABLE_BLOCKS = 4096,
    ID_TABLE_MAX = ID_TABLE_BLOCK * ID_TABLE_BLOCKS, /* ids are below */
};

struct id_block;

/* All zero is an empty table; it stays where it is. */
struct id_table {
    _Atomic(struct id_block *) blocks[ID_TABLE_BLOCKS];
    atomic_uint end; /* ids from here on have no pointer */
};

/* Free the blocks, not what they point to. Nobody reads any more. */
void id_table_fini(struct id_table *table);

/* The pointer of `id`, NULL = none, also for an id that cannot be. Any thread. */
void *id_table_get(const struct id_table *table, uint32_t id);

/* Ids from here on have no pointer. Any thread. */
uint32_t id_table_end(const struct id_table *table);

/* Make room, so that `id_table_set` of this id does not fail. QN_MEMORY_FULL; QN_INVALID: the id is
 * too high. */
QN_MUST_USE enum qn_status id_table_reserve(struct id_table *table, uint32_t id);

/* Publish `pointer` (not NULL) under `id`, which was reserved and has none yet. One thread at a
 * time. */
void id_table_set(struct id_table *table, uint32_t id, void *pointer);

#endif
