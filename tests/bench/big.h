/* The large object: 10,000 identifiers in a map and three lists, and what packs its octets. */
#ifndef QUOIN_TESTS_BENCH_BIG_H
#define QUOIN_TESTS_BENCH_BIG_H

#include <stdbool.h>

/* Check its octets in the four forms, then measure writing, reading and packing it. False: the
 * octets are not as many as the format's reference implementation writes. */
bool big_measure(bool json);

#endif
