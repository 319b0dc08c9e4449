/* The set of states met so far, by their fingerprints of 128 bits.
 *
 * Two states with one fingerprint would be taken for the same, and what follows from the second
 * would not be searched. Among n states that happens with a probability of about n * n / 2^129: for
 * 50 million states, 4e-24. */
#ifndef QUOIN_TESTS_MODEL_SEEN_H
#define QUOIN_TESTS_MODEL_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/memory.h"

struct fingerprint {
    uint64_t low; /* never 0 */
    uint64_t high;
};

struct seen {
    struct memory *memory;     /* borrowed for the life of the set */
    struct fingerprint *slots; /* owned; open addressing; low 0 = free */
    size_t capacity;           /* slots, a power of two */
    size_t count;
};

enum seen_result { SEEN_NEW, SEEN_BEFORE, SEEN_NO_MEMORY };

/* Of `size` octets, a multiple of 8. */
struct fingerprint fingerprint_of(const void *octets, size_t size);

/* False if there is no memory. */
bool seen_init(struct seen *seen, struct memory *memory);
void seen_fini(struct seen *seen);

/* To grow it takes memory for the larger table while it still holds the smaller one. */
enum seen_result seen_add(struct seen *seen, struct fingerprint fingerprint);

#endif
