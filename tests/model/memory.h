/* The memory that a search may take, counted before it is taken.
 *
 * All zero but `max_bytes` to begin with. Whoever takes gives back, with the same size. */
#ifndef QUOIN_TESTS_MODEL_MEMORY_H
#define QUOIN_TESTS_MODEL_MEMORY_H

#include <stddef.h>

struct memory {
    size_t used_bytes;
    size_t max_bytes;
};

/* Zeroed; NULL if the limit or the machine has no more. */
void *memory_take(struct memory *memory, size_t bytes);

/* NULL is fine. */
void memory_give(struct memory *memory, void *taken, size_t bytes);

#endif
