/* How sure a measured figure is. Pure. */
#ifndef QUOIN_CLIENT_CLI_BENCH_STATS_H
#define QUOIN_CLIENT_CLI_BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Mean of a figure taken each second, and how far the true one may be off with 95 % certainty, as
 * if the seconds were independent of each other. */
struct bench_spread {
    size_t count; /* seconds; below 2 there is no interval */
    double mean;
    double half_width; /* of the interval around the mean */
};

struct bench_spread bench_spread_of(const uint32_t *seconds, size_t count);

#endif
