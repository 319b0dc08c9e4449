#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    CACHES_MIN = 4,
    RUNS_KEPT_BYTES = 1024, /* of an empty ring */
};

/* Entries of one cache that follow each other in an EXPIRE record. */
struct run {
    uint64_t index;
    uint32_t cache;
    uint32_t count;
};

void expired_init(struct expired *expired, struct alloc *alloc)
{
    *expired = (struct expired){.alloc = alloc};
    ring_init(&expired->runs, alloc, sizeof(struct run));
}

void expired_fini(struct expired *expired)
{
    ring_fini(&expired->runs);
    alloc_put(expired->alloc, expired->caches, expired->cache_capacity * sizeof *expired->caches);
}

/* The first cache whose id is not below this one's. */
static size_t position(const struct expired *expired, uint32_t cache)
{
    size_t low = 0;
    size_t high = expired->cache_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (expired->caches[middle].cache < cache) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool known(const struct expired *expired, size_t at, uint32_t cache)
{
    return at < expired->cache_count && expired->caches[at].cache == cache;
}

static enum qn_status grow(struct expired *expired)
{
    size_t capacity = expired->cache_capacity > 0 ? expired->cache_capacity * 2 : CACHES_MIN;

    if (expired->cache_count < expired->cache_capacity) {
        return QN_OK;
    }
    struct expired_cache *caches = alloc_get(expired->alloc, capacity * sizeof *caches);
    if (!caches) {
        return QN_MEMORY_FULL;
    }
    if (expired->cache_count > 0) {
        memcpy(caches, expired->caches, expired->cache_count * sizeof *caches);
    }
    alloc_put(expired->alloc, expired->caches, expired->cache_capacity * sizeof *caches);
    expired->caches = caches;
    expired->cache_capacity = capacity;
    return QN_OK;
}

enum qn_status expired_reserve(struct expired *expired, uint32_t cache)
{
    size_t at = position(expired, cache);

    if (ring_reserve(&expired->runs, 1) != QN_OK) {
        return QN_MEMORY_FULL;
    }
    if (known(expired, at, cache)) {
        return QN_OK;
    }
    if (grow(expired) != QN_OK) {
        return QN_MEMORY_FULL;
    }
    struct expired_cache *made = &expired->caches[at];
    memmove(made + 1, made, (expired->cache_count - at) * sizeof *made);
    *made = (struct expired_cache){.cache = cache};
    expired->cache_count++;
    return QN_OK;
}

void expired_stage(struct expired *expired, uint64_t index, uint32_t cache)
{
    size_t count = expired->runs.count;
    struct run *run = count > 0 ? ring_at(&expired->runs, count - 1) : NULL;

    if (!run || run->index != index || run->cache != cache) {
        run = ring_push(&expired->runs);
        *run = (struct run){.index = index, .cache = cache};
    }
    run->count++;
}

void expired_commit(struct expired *expired, uint64_t index)
{
    while (expired->runs.count > 0) {
        const struct run *run = ring_at(&expired->runs, 0);
        if (run->index > index) {
            return;
        }
        size_t at = position(expired, run->cache);
        qn_assert(known(expired, at, run->cache));
        expired->caches[at].count += run->count;
        expired->count += run->count;
        ring_pop_front(&expired->runs);
    }
    ring_trim(&expired->runs, RUNS_KEPT_BYTES);
}

void expired_undo(struct expired *expired, uint64_t index)
{
    while (expired->runs.count > 0) {
        const struct run *run = ring_at(&expired->runs, expired->runs.count - 1);
        if (run->index <= index) {
            return;
        }
        ring_pop_back(&expired->runs);
    }
}

uint64_t expired_count(const struct expired *expired, uint32_t cache)
{
    size_t at = position(expired, cache);

    return known(expired, at, cache) ? expired->caches[at].count : 0;
}
