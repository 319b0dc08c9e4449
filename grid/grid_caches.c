#include "grid/grid.h"

#include "grid/grid_internal.h"

enum { CACHES_MIN = 16 };

/* Figures being summed up, ascending by id. */
struct sums {
    struct alloc *alloc;
    struct replica_cache *list;
    size_t count;
    size_t capacity;
};

static enum qn_status grow(struct sums *sums)
{
    size_t capacity = sums->capacity > 0 ? sums->capacity * 2 : CACHES_MIN;

    if (sums->count < sums->capacity) {
        return QN_OK;
    }
    struct replica_cache *list = alloc_get(sums->alloc, capacity * sizeof *list);
    if (!list) {
        return QN_MEMORY_FULL;
    }
    if (sums->count > 0) {
        memcpy(list, sums->list, sums->count * sizeof *list);
    }
    alloc_put(sums->alloc, sums->list, sums->capacity * sizeof *list);
    sums->list = list;
    sums->capacity = capacity;
    return QN_OK;
}

/* The first cache whose id is not below this one's. */
static size_t position(const struct sums *sums, uint32_t cache)
{
    size_t low = 0;
    size_t high = sums->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums->list[middle].cache < cache) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static enum qn_status add(struct sums *sums, const struct replica_cache *figures)
{
    size_t at = position(sums, figures->cache);

    if (at < sums->count && sums->list[at].cache == figures->cache) {
        sums->list[at].entries += figures->entries;
        sums->list[at].bytes += figures->bytes;
        sums->list[at].expired += figures->expired;
        return QN_OK;
    }
    enum qn_status status = grow(sums);
    if (status == QN_OK) {
        memmove(&sums->list[at + 1], &sums->list[at], (sums->count - at) * sizeof *sums->list);
        sums->list[at] = *figures;
        sums->count++;
    }
    return status;
}

static enum qn_status add_replica(struct sums *sums, const struct replica *replica)
{
    struct replica_cache figures;
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && replica_cache_at(replica, i, &figures); i++) {
        status = add(sums, &figures);
    }
    return status;
}

enum qn_status grid_caches(const struct grid *grid,
                           void (*visit)(void *context, const struct replica_cache *figures),
                           void *context)
{
    struct sums sums = {.alloc = grid->alloc};
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && i < grid->replica_count; i++) {
        status = add_replica(&sums, grid->replicas[i]);
    }
    for (size_t i = 0; status == QN_OK && i < sums.count; i++) {
        visit(context, &sums.list[i]);
    }
    alloc_put(sums.alloc, sums.list, sums.capacity * sizeof *sums.list);
    return status;
}

uint64_t grid_cache_bytes(const struct grid *grid, uint32_t cache)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < grid->replica_count; i++) {
        bytes += replica_cache_bytes(grid->replicas[i], cache);
    }
    return bytes;
}
