/* Where the grid's memory comes from: given at creation, so that it can be counted, bounded and, in
 * a test, refused. One owner (a shard's thread), no locks. */
#ifndef QUOIN_GRID_BASE_ALLOC_H
#define QUOIN_GRID_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

struct alloc {
    void *(*allocate)(struct alloc *alloc, size_t size);             /* NULL when refused */
    void (*release)(struct alloc *alloc, void *memory, size_t size); /* `size` as allocated */
    size_t bytes;      /* handed out and not yet released */
    size_t bytes_peak; /* highest `bytes` so far */
};

/* malloc and free, counted. A block of SLAB_PAGE_SIZE is aligned to its size. */
void alloc_init(struct alloc *alloc);

static inline void *alloc_get(struct alloc *alloc, size_t size)
{
    return alloc->allocate(alloc, size);
}

/* Zeroed. */
void *alloc_get_zeroed(struct alloc *alloc, size_t size);

static inline void alloc_put(struct alloc *alloc, void *memory, size_t size)
{
    if (memory) {
        alloc->release(alloc, memory, size);
    }
}

#endif
