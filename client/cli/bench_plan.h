/* What `quoin bench` is to do: the plan that all its workers follow. */
#ifndef QUOIN_CLIENT_CLI_BENCH_PLAN_H
#define QUOIN_CLIENT_CLI_BENCH_PLAN_H

#include "client/cli/options.h"
#include "client/cli/zipf.h"
#include "client/quoin.h"

enum { BENCH_POOL = 4096, BENCH_PROBLEM_MAX = 200 };

struct bench_plan {
    uint64_t key_count;
    size_t key_size;
    size_t value_min; /* octets of a value, all sizes between alike */
    size_t value_max;
    struct zipf zipf; /* how keys are chosen; count 0 = all alike */
    unsigned gets_percent;
    size_t in_flight; /* of each worker */
    unsigned thread_count;
    unsigned client_count;
    bool load;     /* put each key once, in order, instead of random ones */
    bool dispatch; /* each worker has a client of its own: wait with qn_fd and qn_dispatch */
    double rate;   /* open loop: requests due a second, of all workers; 0 = closed loop */
    uint64_t seed;
    uint64_t request_count; /* of all that are measured; 0 = as many as the time allows */
    uint64_t time_ms;       /* 0 = no bound */
    uint64_t warm_up_ms;
    qn_options put; /* of each put */

    /* Set when it begins. */
    uint64_t start_ns;
    uint64_t measure_from_ns; /* what begins, or is due, before is not counted: warm-up */
    uint64_t end_ns;          /* nothing begins after it; UINT64_MAX = no such time */
    const uint8_t *pool;      /* value_max + BENCH_POOL octets: values are cut from it */
};

/* Make the plan that the options ask for. False: `problem` (BENCH_PROBLEM_MAX octets) names the
 * option that is wrong, and what would be right. */
bool bench_plan_make(const struct options *options, struct bench_plan *plan, char *problem);

/* When, in nanoseconds after the start, the `n`th request (from 0) of worker `number` is due. Only
 * with a rate. The workers take turns. */
uint64_t bench_plan_due_ns(const struct bench_plan *plan, unsigned number, uint64_t n);

#endif
