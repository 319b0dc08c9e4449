/* Random values of the object format, the same for the same seed. */
#ifndef QUOIN_TESTS_LIB_POF_RANDOM_VALUE_H
#define QUOIN_TESTS_LIB_POF_RANDOM_VALUE_H

#include "wire/pof/writer.h"

struct dice {
    uint64_t state;
};

/* A number below `count`, which is > 0. */
uint32_t dice_below(struct dice *dice, uint32_t count);

/* Write one value of any kind at `index`: scalars, and containers of all forms with few values in
 * them, at most `depth` in each other. */
void random_value(struct pof_writer *w, struct dice *dice, int32_t index, unsigned depth);

#endif
