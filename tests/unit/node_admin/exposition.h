/* A small checker of Prometheus' text format, for tests. */
#ifndef QUOIN_TESTS_EXPOSITION_H
#define QUOIN_TESTS_EXPOSITION_H

#include <stddef.h>

enum {
    EXPOSITION_FAMILIES = 96,
    EXPOSITION_SERIES = 4096,
    EXPOSITION_PROBLEM = 256,
};

/* Does `text` keep to the format? HELP and TYPE once and before the samples of a family, families
 * in one piece, names and labels well formed, values numbers, no series twice, counters called
 * _total, histograms with growing bounds, cumulative counts, +Inf and a count that agrees with it.
 * Returns true, or false with what is wrong in `problem`. */
_Bool exposition_check(const char *text, char problem[EXPOSITION_PROBLEM]);

/* The value of a series, written as in the text ("a_total{op=\"get\"}"); NAN if there is none. */
double exposition_value(const char *text, const char *series);

/* How many series there are. */
size_t exposition_series(const char *text);

#endif
