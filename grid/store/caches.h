/* What the store knows of each cache: figures, and when it was cleared. A short list, sorted by id.
 *
 * A clear is a version, like that of an entry: what was written before is *dead* in every state
 * from there on, wherever it still stands. */
#ifndef QUOIN_GRID_STORE_CACHES_H
#define QUOIN_GRID_STORE_CACHES_H

#include "grid/base/alloc.h"
#include "wire/bytes.h"

struct cache {
    uint32_t id;
    bool unswept;     /* dead entries may stand in the table */
    bool sweeping;    /* the sweep that is under way takes them out */
    uint64_t entries; /* committed */
    uint64_t bytes;   /* of their blocks */
    uint64_t visible; /* entries in the published view */
    uint64_t *clears; /* ascending: those that a held view needs, the last committed, the staged */
    size_t clear_count;
    size_t clear_capacity;
};

struct caches {
    struct alloc *alloc;
    struct cache *list; /* by id, ascending */
    size_t count;
    size_t capacity;
};

void caches_init(struct caches *caches, struct alloc *alloc);
void caches_fini(struct caches *caches);

/* The cache `id`, NULL when it was never seen. Valid until the next `caches_reserve`. */
struct cache *caches_find(const struct caches *caches, uint32_t id);

/* Have a place for cache `id`, with room for `clears` more clears. QN_MEMORY_FULL: at most that
 * cache was added, with figures of 0. */
QN_MUST_USE enum qn_status caches_reserve(struct caches *caches, uint32_t id, size_t clears);

/* The last clear up to `version`; 0 when there is none. NULL allowed. */
uint64_t cache_cleared(const struct cache *cache, uint64_t version);

/* Add a clear, not below those before; room must have been reserved. */
void cache_clear_push(struct cache *cache, uint64_t version);

/* Take the last one back. */
void cache_clear_pop(struct cache *cache);

/* Forget clears up to `committed` for which `needed(context, from, to)` is false: no view from
 * `from` up to, but not including `to` is held. The last one stays. */
void cache_clears_prune(struct cache *cache, uint64_t committed,
                        bool (*needed)(const void *context, uint64_t from, uint64_t to),
                        const void *context);

#endif
