/* Counts of durations, exact to three significant digits, of one size whatever was recorded.
 *
 * Log-linear: values below 2048 each have a counter; every further power of two has 1024 of them,
 * so a value is known to one part in 1024. Histograms of several threads are merged by adding. One
 * owner. */
#ifndef QUOIN_CLIENT_CLI_HISTOGRAM_H
#define QUOIN_CLIENT_CLI_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 10,   /* 1024 counters for each power of two */
    HISTOGRAM_VALUE_BITS = 42, /* the largest value is 2^42-1: 73 minutes in nanoseconds */
    HISTOGRAM_COUNTERS = (HISTOGRAM_VALUE_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS,
};

/* All zero is a valid empty histogram; large (some 270 KiB), so allocate it. */
struct histogram {
    uint64_t count;
    uint64_t sum;
    uint64_t min; /* meaningless while count is 0 */
    uint64_t max;
    uint64_t counters[HISTOGRAM_COUNTERS];
};

/* Count a value; larger ones than the largest count as the largest. */
void histogram_record(struct histogram *histogram, uint64_t value);

/* Add the counts of `from` to `to`. */
void histogram_merge(struct histogram *to, const struct histogram *from);

/* The value that `percent` (0 to 100) of the recorded values do not exceed: the upper end of its
 * counter, but never more than the largest recorded. 0 when empty. */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

/* The value of the `rank`th recorded one, from 1 in ascending order, as exact as the counters are.
 * Beyond the last: the largest. */
uint64_t histogram_at_rank(const struct histogram *histogram, uint64_t rank);

/* Between which values the percentile of what was sampled lies with 95 % certainty: by order
 * statistics, with no assumption about the distribution, but as if every sample were independent
 * of the one before. Both 0 when empty. */
void histogram_interval(const struct histogram *histogram, double percent, uint64_t *low,
                        uint64_t *high);

/* 0 when empty. */
double histogram_mean(const struct histogram *histogram);

/* Bounds of one counter, for tests and exports: index of a value, and the largest value of an
 * index. */
size_t histogram_index(uint64_t value);
uint64_t histogram_upper(size_t index);

#endif
