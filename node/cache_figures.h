/* What happened to each cache in one shard, in numbers.
 *
 * The shard's thread makes the rows and adds to them, any thread reads them: relaxed atomics, no
 * locks. A cache costs nothing until it is used; a row is never taken away. */
#ifndef QUOIN_NODE_CACHE_FIGURES_H
#define QUOIN_NODE_CACHE_FIGURES_H

#include "node/id_table.h"
#include "wire/message/message.h"

/* How an operation ended. */
enum cache_result {
    CACHE_RESULT_OK,
    CACHE_RESULT_NO,     /* answered, but not as hoped: a status > 0 (absent, exists, conflict) */
    CACHE_RESULT_FAILED, /* a status < 0 */
    CACHE_RESULTS,
};

struct cache_ops {
    atomic_uint_least64_t count[WIRE_OPS][CACHE_RESULTS];
};

struct cache_row {
    atomic_uint_least64_t entries; /* in the partitions of this shard */
    atomic_uint_least64_t bytes;
    atomic_uint_least64_t hits; /* GET and CONTAINS that found an entry */
    atomic_uint_least64_t misses;
    atomic_uint_least64_t puts;    /* PUT, PUT_IF_ABSENT and REPLACE that took effect */
    atomic_uint_least64_t removes; /* REMOVE and REMOVE_IF that took effect */
    atomic_uint_least64_t expired;
    _Atomic(struct cache_ops *) ops; /* NULL until an operation was counted */
};

struct cache_figures;

/* NULL: no memory. */
struct cache_figures *cache_figures_create(void);
void cache_figures_destroy(struct cache_figures *figures); /* NULL allowed */

/* The row of a cache; NULL when nothing was ever noted. Any thread. */
const struct cache_row *cache_figures_get(const struct cache_figures *figures, uint32_t cache);

/* The same for the shard's thread, which makes it; NULL without memory or for an id that cannot be:
 * then it is not counted. */
struct cache_row *cache_figures_room(struct cache_figures *figures, uint32_t cache);

/* Count an operation of kind `op` (enum wire_op_kind) and what follows from it: hit or miss, put,
 * remove. The shard's thread. An unknown kind is not counted. */
void cache_figures_op(struct cache_figures *figures, uint32_t cache, uint32_t op,
                      enum qn_status status);

/* Set what the grid says (`grid_caches`). The shard's thread. */
void cache_figures_set(struct cache_figures *figures, uint32_t cache, uint64_t entries,
                       uint64_t bytes, uint64_t expired);

/* How often operations of kind `op` ended so; 0 for NULL. Any thread. */
uint64_t cache_figures_ops(const struct cache_row *row, uint32_t op, enum cache_result result);

/* Ids from here on have no row. Any thread. */
uint32_t cache_figures_end(const struct cache_figures *figures);

#endif
