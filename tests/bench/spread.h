/* Durations counted in classes that are at most 1/32 wide: small, quick, good for percentiles. */
#ifndef QUOIN_TESTS_BENCH_SPREAD_H
#define QUOIN_TESTS_BENCH_SPREAD_H

#include <stddef.h>
#include <stdint.h>

enum { SPREAD_BITS = 5, SPREAD_CLASSES = (64 - SPREAD_BITS + 1) << SPREAD_BITS };

/* All zero is an empty spread. */
struct spread {
    uint64_t count;
    uint64_t classes[SPREAD_CLASSES];
};

void spread_add(struct spread *spread, uint64_t value);
void spread_merge(struct spread *into, const struct spread *from);

/* The value that `percent` of all (0 to 100) do not exceed; 0 when there are none. */
uint64_t spread_percentile(const struct spread *spread, double percent);

#endif
