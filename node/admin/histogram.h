/* How long things take: the one layout of buckets that all histograms of a node have.
 *
 * Bucket b counts what took up to 50 us * 2^b, the last one whatever took longer (13 s). Who
 * measures keeps such counts in atomics of its own and uses `admin_bucket` to find the place. */
#ifndef QUOIN_NODE_ADMIN_HISTOGRAM_H
#define QUOIN_NODE_ADMIN_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    ADMIN_BUCKETS = 20,
    ADMIN_BUCKET_FIRST_NS = 50000,
};

/* Not cumulative; the count of all is the sum of the buckets. */
struct admin_histogram {
    uint64_t buckets[ADMIN_BUCKETS];
    uint64_t sum_ns;
};

/* The largest duration that bucket `b` counts; the last bucket has none. */
static inline uint64_t admin_bucket_bound_ns(size_t b)
{
    return (uint64_t)ADMIN_BUCKET_FIRST_NS << b;
}

/* The bucket that counts a duration. */
static inline size_t admin_bucket(uint64_t ns)
{
    size_t b = 0;

    while (b < ADMIN_BUCKETS - 1 && ns > admin_bucket_bound_ns(b)) {
        b++;
    }
    return b;
}

/* Count one duration. For histograms of one thread. */
static inline void admin_histogram_add(struct admin_histogram *histogram, uint64_t ns)
{
    histogram->buckets[admin_bucket(ns)]++;
    histogram->sum_ns += ns;
}

#endif
