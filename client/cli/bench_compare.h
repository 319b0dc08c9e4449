/* Two results of `quoin bench --json` side by side. Pure. */
#ifndef QUOIN_CLIENT_CLI_BENCH_COMPARE_H
#define QUOIN_CLIENT_CLI_BENCH_COMPARE_H

#include <jansson.h>
#include <stdio.h>

/* Compare two documents that bench_report_json made: a document of
 *
 *     {"rows":[{"figure":"put p99","unit":"us","a":1.5,"b":1.2,"ratio":0.8,"noise":true}],
 *      "unlike":[{"setting":"value_size","a":100,"b":200}]}
 *
 * "noise" says that the intervals of both runs overlap; it is missing where there are none. NULL:
 * one of them is no such document. The caller owns it. */
json_t *bench_compare_json(const json_t *a, const json_t *b);

/* The same as a table, whose columns are called `a` and `b`. */
void bench_compare_print(const json_t *comparison, const char *a, const char *b, FILE *to);

#endif
