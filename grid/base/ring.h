/* A queue of equal elements in one block: in at the back, out at either end.
 *
 * Making room and putting in are two calls, so that a caller can gather all the memory a change
 * needs before it begins the change. Pointers to elements live until the next `ring_reserve` or
 * `ring_trim`. */
#ifndef QUOIN_GRID_BASE_RING_H
#define QUOIN_GRID_BASE_RING_H

#include "grid/base/alloc.h"
#include "wire/bytes.h"

struct ring {
    struct alloc *alloc;
    uint8_t *data;
    size_t element_size;
    size_t capacity; /* elements; 0 or a power of two */
    size_t first;    /* position of the front */
    size_t count;
};

void ring_init(struct ring *ring, struct alloc *alloc, size_t element_size);
void ring_fini(struct ring *ring);

/* Make sure that the next `more` pushes succeed. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status ring_reserve(struct ring *ring, size_t more);

/* The new last element, zeroed. Room must have been reserved. */
void *ring_push(struct ring *ring);

/* Element `position` from the front; it must exist. */
void *ring_at(const struct ring *ring, size_t position);

void ring_pop_front(struct ring *ring);
void ring_pop_back(struct ring *ring);

/* Give the block back if the ring is empty and the block is larger than `size_max` octets. */
void ring_trim(struct ring *ring, size_t size_max);

#endif
