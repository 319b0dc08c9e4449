/* What `quoin bench` prints. */
#ifndef QUOIN_CLIENT_CLI_BENCH_REPORT_H
#define QUOIN_CLIENT_CLI_BENCH_REPORT_H

#include <jansson.h>

#include "client/cli/bench_worker.h"

struct bench_summary {
    const char *cache;
    const struct bench_plan *plan;
    const struct bench_result *result; /* of all workers together */
    double seconds;                    /* measured */
    bool interrupted;
};

/* The percentiles that are shown: name in JSON, title in tables. */
struct bench_percentile {
    const char *name;
    const char *title;
    double percent;
};

extern const struct bench_percentile bench_percentiles[];
extern const size_t bench_percentile_count;

/* For people, on several lines. */
void bench_report_print(const struct bench_summary *summary, FILE *to);

/* The same as a document; times in microseconds. NULL = no memory. The caller owns it. */
json_t *bench_report_json(const struct bench_summary *summary);

#endif
