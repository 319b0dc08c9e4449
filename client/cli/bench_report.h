/* What `quoin bench` prints. */
#ifndef QUOIN_CLIENT_CLI_BENCH_REPORT_H
#define QUOIN_CLIENT_CLI_BENCH_REPORT_H

#include <jansson.h>

#include "client/cli/bench_worker.h"

struct bench_summary {
    const char *cache;
    const struct bench_plan *plan;
    const struct bench_result *result; /* of all workers together */
    unsigned thread_count;
    unsigned client_count;
    double seconds; /* measured */
    bool interrupted;
};

/* For people, on several lines. */
void bench_report_print(const struct bench_summary *summary, FILE *to);

/* The same as a document; times in microseconds. NULL = no memory. The caller owns it. */
json_t *bench_report_json(const struct bench_summary *summary);

#endif
