/* How long a value is, found by another program than the one under test: plain recursion over
 * pof-spec's grammar, without frames and short ways. */
#ifndef QUOIN_TESTS_LIB_POF_MEASURE_H
#define QUOIN_TESTS_LIB_POF_MEASURE_H

#include "wire/bytes.h"

/* The octets of the value at the front of `pof`; 0: it is none, or beyond the limits of a reader
 * that has no limits of its own and no table of identities. Texts, dates and the like are not
 * looked into, as pof_skip does not. */
size_t measure(struct bytes pof);

#endif
