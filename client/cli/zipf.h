/* Numbers of a Zipf distribution: few come often, most seldom.
 *
 * Of the numbers 0 to count - 1, number k comes with a probability in proportion to
 * 1 / (k + 1)^exponent. Drawn in constant time and without a table, by rejection-inversion
 * (W. Hoermann, G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
 * distributions", 1996). Immutable once it is made. */
#ifndef QUOIN_CLIENT_CLI_ZIPF_H
#define QUOIN_CLIENT_CLI_ZIPF_H

#include "client/cli/dice.h"

/* The area under the hull of the distribution, as the method needs it; internal. */
struct zipf {
    uint64_t count;
    double exponent;
    double area_first;
    double area_last;
    double squeeze; /* at this distance or nearer a number is taken without a look */
};

/* `count` >= 1, `exponent` > 0. */
struct zipf zipf_of(uint64_t count, double exponent);

uint64_t zipf_next(const struct zipf *zipf, struct dice *dice);

#endif
