#include "tests/bench/spread.h"

enum { WIDTH = 1 << SPREAD_BITS };

/* Below WIDTH a class of its own; from there on WIDTH classes to each power of two. */
static size_t class_of(uint64_t value)
{
    size_t shift = 0;

    while (value >> shift >= 2 * WIDTH) {
        shift++;
    }
    return (shift << SPREAD_BITS) + (size_t)(value >> shift);
}

/* The middle of a class. */
static uint64_t value_of(size_t class)
{
    if (class < 2 * WIDTH) {
        return class;
    }
    size_t shift = (class >> SPREAD_BITS) - 1;
    uint64_t low = (uint64_t)(class - (shift << SPREAD_BITS)) << shift;
    return low + ((uint64_t)1 << shift) / 2;
}

void spread_add(struct spread *spread, uint64_t value)
{
    spread->classes[class_of(value)]++;
    spread->count++;
}

void spread_merge(struct spread *into, const struct spread *from)
{
    for (size_t i = 0; i < SPREAD_CLASSES; i++) {
        into->classes[i] += from->classes[i];
    }
    into->count += from->count;
}

uint64_t spread_percentile(const struct spread *spread, double percent)
{
    uint64_t below = 0;

    for (size_t i = 0; i < SPREAD_CLASSES; i++) {
        below += spread->classes[i];
        if (below > 0 && (double)below >= (double)spread->count * percent / 100) {
            return value_of(i);
        }
    }
    return 0;
}
