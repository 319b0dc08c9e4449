#include "grid/base/ring.h"

#include "wire/assert.h"

enum { CAPACITY_MIN = 8 };

void ring_init(struct ring *ring, struct alloc *alloc, size_t element_size)
{
    *ring = (struct ring){.alloc = alloc, .element_size = element_size};
}

void ring_fini(struct ring *ring)
{
    alloc_put(ring->alloc, ring->data, ring->capacity * ring->element_size);
    ring_init(ring, ring->alloc, ring->element_size);
}

static uint8_t *place(const struct ring *ring, size_t position)
{
    return ring->data + ((ring->first + position) & (ring->capacity - 1)) * ring->element_size;
}

enum qn_status ring_reserve(struct ring *ring, size_t more)
{
    size_t capacity = ring->capacity > 0 ? ring->capacity : CAPACITY_MIN;

    if (ring->count + more <= ring->capacity) {
        return QN_OK;
    }
    while (capacity < ring->count + more) {
        capacity *= 2;
    }
    uint8_t *data = alloc_get(ring->alloc, capacity * ring->element_size);
    if (!data) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < ring->count; i++) {
        memcpy(data + i * ring->element_size, place(ring, i), ring->element_size);
    }
    alloc_put(ring->alloc, ring->data, ring->capacity * ring->element_size);
    ring->data = data;
    ring->capacity = capacity;
    ring->first = 0;
    return QN_OK;
}

void *ring_push(struct ring *ring)
{
    qn_assert(ring->count < ring->capacity);
    ring->count++;
    return memset(place(ring, ring->count - 1), 0, ring->element_size);
}

void *ring_at(const struct ring *ring, size_t position)
{
    qn_assert(position < ring->count);
    return place(ring, position);
}

void ring_pop_front(struct ring *ring)
{
    qn_assert(ring->count > 0);
    ring->first = (ring->first + 1) & (ring->capacity - 1);
    ring->count--;
}

void ring_pop_back(struct ring *ring)
{
    qn_assert(ring->count > 0);
    ring->count--;
}

void ring_trim(struct ring *ring, size_t size_max)
{
    if (ring->count == 0 && ring->capacity * ring->element_size > size_max) {
        ring_fini(ring);
    }
}
