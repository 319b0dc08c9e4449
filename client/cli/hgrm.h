/* A histogram as the text that plotters of HdrHistogram read (.hgrm). */
#ifndef QUOIN_CLIENT_CLI_HGRM_H
#define QUOIN_CLIENT_CLI_HGRM_H

#include <stdbool.h>
#include <stdio.h>

#include "client/cli/histogram.h"

/* Write a histogram of nanoseconds, in milliseconds: lines of value, part of the distribution,
 * count up to there and 1 / (1 - part), five for each halving of what remains, up to the largest
 * value; then the lines of mean and maximum. False: it could not be written. */
bool hgrm_write(const struct histogram *histogram, FILE *to);

#endif
