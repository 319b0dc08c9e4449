/* Random values of the object format, the same for the same seed. */
#ifndef QUOIN_TESTS_LIB_POF_RANDOM_VALUE_H
#define QUOIN_TESTS_LIB_POF_RANDOM_VALUE_H

#include "wire/pof/value.h"

struct dice {
    uint64_t state;
};

/* A number below `count`, which is > 0. */
uint32_t dice_below(struct dice *dice, uint32_t count);

/* A scalar that its writer takes, of the type POF_INT16 to POF_DAY_TIME_INTERVAL: often at an edge
 * of the type or of the encoding, floats also infinite and NaN. Its texts and octets are constants.
 */
struct pof_value random_scalar(struct dice *dice, int32_t type);

/* One of those types. */
int32_t random_scalar_type(struct dice *dice);

/* Write one value of any kind at `index`: scalars, and containers of all forms with few values in
 * them, at most `depth` in each other. */
void random_value(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth);

#endif
