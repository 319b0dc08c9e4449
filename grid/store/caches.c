#include "grid/store/caches.h"

#include "wire/assert.h"

enum { CAPACITY_MIN = 4 };

void caches_init(struct caches *caches, struct alloc *alloc)
{
    *caches = (struct caches){.alloc = alloc};
}

void caches_fini(struct caches *caches)
{
    for (size_t i = 0; i < caches->count; i++) {
        struct cache *cache = &caches->list[i];
        alloc_put(caches->alloc, cache->clears, cache->clear_capacity * sizeof *cache->clears);
    }
    alloc_put(caches->alloc, caches->list, caches->capacity * sizeof *caches->list);
    caches_init(caches, caches->alloc);
}

/* First position whose cache is not below `id`. */
static size_t position(const struct caches *caches, uint32_t id)
{
    size_t low = 0;
    size_t high = caches->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (caches->list[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct cache *caches_find(const struct caches *caches, uint32_t id)
{
    size_t at = position(caches, id);

    return at < caches->count && caches->list[at].id == id ? &caches->list[at] : NULL;
}

/* A block of twice the room for elements of `size` octets, in the place of `*data`. */
static enum qn_status grow(struct alloc *alloc, void **data, size_t *capacity, size_t size)
{
    size_t more = *capacity > 0 ? *capacity * 2 : (size_t)CAPACITY_MIN;
    void *block = alloc_get(alloc, more * size);

    if (!block) {
        return QN_MEMORY_FULL;
    }
    if (*capacity > 0) {
        memcpy(block, *data, *capacity * size);
    }
    alloc_put(alloc, *data, *capacity * size);
    *data = block;
    *capacity = more;
    return QN_OK;
}

static enum qn_status add(struct caches *caches, uint32_t id)
{
    if (caches->count == caches->capacity) {
        void *list = caches->list;
        enum qn_status status = grow(caches->alloc, &list, &caches->capacity, sizeof *caches->list);
        if (status != QN_OK) {
            return status;
        }
        caches->list = list;
    }
    size_t at = position(caches, id);
    memmove(&caches->list[at + 1], &caches->list[at], (caches->count - at) * sizeof *caches->list);
    caches->list[at] = (struct cache){.id = id};
    caches->count++;
    return QN_OK;
}

enum qn_status caches_reserve(struct caches *caches, uint32_t id, size_t clears)
{
    struct cache *cache = caches_find(caches, id);

    if (!cache) {
        enum qn_status status = add(caches, id);
        if (status != QN_OK) {
            return status;
        }
        cache = caches_find(caches, id);
    }
    qn_assert(cache);
    while (cache->clear_capacity - cache->clear_count < clears) {
        void *list = cache->clears;
        enum qn_status status =
            grow(caches->alloc, &list, &cache->clear_capacity, sizeof *cache->clears);
        if (status != QN_OK) {
            return status;
        }
        cache->clears = list;
    }
    return QN_OK;
}

uint64_t cache_cleared(const struct cache *cache, uint64_t version)
{
    if (!cache) {
        return 0;
    }
    for (size_t i = cache->clear_count; i > 0; i--) { /* few, and the last is asked for most */
        if (cache->clears[i - 1] <= version) {
            return cache->clears[i - 1];
        }
    }
    return 0;
}

void cache_clear_push(struct cache *cache, uint64_t version)
{
    qn_assert(cache->clear_count < cache->clear_capacity);
    qn_assert(cache_cleared(cache, UINT64_MAX) <= version);
    cache->clears[cache->clear_count++] = version;
}

void cache_clear_pop(struct cache *cache)
{
    qn_assert(cache->clear_count > 0);
    cache->clear_count--;
}

void cache_clears_prune(struct cache *cache, uint64_t committed,
                        bool (*needed)(const void *context, uint64_t from, uint64_t to),
                        const void *context)
{
    size_t kept = 0;

    for (size_t i = 0; i < cache->clear_count; i++) {
        bool last = i + 1 == cache->clear_count || cache->clears[i + 1] > committed;
        if (last || needed(context, cache->clears[i], cache->clears[i + 1])) {
            cache->clears[kept++] = cache->clears[i];
        }
    }
    cache->clear_count = kept;
}
