/* One thread of `quoin bench`: asks by the plan and counts what it gets.
 *
 * Closed loop: a request begins when another one ends, and its latency is measured from there. Open
 * loop: each request has a time at which it is due, by the rate alone, and its latency is measured
 * from that time, whenever it could leave. Everything in a worker belongs to its thread until that
 * is joined, but for `counted` and `finished`. */
#ifndef QUOIN_CLIENT_CLI_BENCH_WORKER_H
#define QUOIN_CLIENT_CLI_BENCH_WORKER_H

#include <stdatomic.h>

#include "client/cli/bench_plan.h"
#include "client/cli/histogram.h"

enum {
    BENCH_STATUS_COUNT = 64,
    BENCH_SECONDS_MAX = 3600,   /* seconds whose throughput is kept */
    BENCH_LATE_NS = 1000 * 1000 /* a request that leaves later than this is a late one */
};

struct bench_result {
    struct histogram gets; /* nanoseconds of those answered */
    struct histogram puts;
    uint64_t absent_count;
    uint64_t error_count;
    uint64_t unknown_count;              /* of them: the outcome is unknown */
    uint64_t errors[BENCH_STATUS_COUNT]; /* by -status; 0 = a status this version does not know */
    qn_error first_error;
    uint64_t last_ns;                    /* when the last one ended */
    uint32_t seconds[BENCH_SECONDS_MAX]; /* answers in each second since measure_from_ns */

    /* Open loop only. */
    uint64_t queued_count; /* left after they were due, since as many as allowed were in flight */
    uint64_t late_count;   /* left late for no such reason: the load generator was the bottleneck */
    uint64_t late_max_ns;
    uint64_t unsent_count; /* due before the end, and never sent */
};

struct bench_slot;

struct bench_worker {
    const struct bench_plan *plan;
    unsigned number; /* from 0 */
    qn_client *client;
    qn_cache *cache;
    struct dice dice;
    uint64_t
        remaining; /* measured requests still to begin; UINT64_MAX = until the end of the time */
    uint64_t next_key; /* load: the next one to put */
    struct bench_result *result;
    char *key;                /* key_size octets */
    struct bench_slot *slots; /* in_flight of them */
    struct bench_slot *idle;
    struct bench_slot *done;
    size_t busy_count;            /* slots in flight */
    atomic_uint_fast64_t counted; /* requests ended so far, for the progress line */
    atomic_bool finished;
};

/* What to ask next. The key and value are the worker's until the next one. */
struct bench_call {
    bool get;
    qn_arg key;
    qn_arg value;
};

/* Get what the worker needs; the plan, client and cache are borrowed. False: no memory. */
bool bench_worker_init(struct bench_worker *worker, const struct bench_plan *plan, unsigned number,
                       qn_client *client, qn_cache *cache);
void bench_worker_fini(struct bench_worker *worker);

/* Run to the end of the plan, or until interrupted(). */
void bench_worker_run(struct bench_worker *worker);

/* Is there another request to begin, at `at_ns` (in an open loop: due then)? One that is not
 * measured does not use up the count. */
bool bench_worker_more(struct bench_worker *worker, uint64_t at_ns);

/* Choose the next request. */
struct bench_call bench_worker_next(struct bench_worker *worker);

/* Count one that ended at `now_ns`; `from_ns` is what its latency is measured from. */
void bench_worker_count(struct bench_worker *worker, bool get, qn_status status,
                        const qn_error *err, uint64_t from_ns, uint64_t now_ns);

/* Write the key `number` into `key`: digits, filled with zeros from the left to `size`. */
void bench_key(uint64_t number, char *key, size_t size);

/* Add what `from` counted to `to`. */
void bench_result_merge(struct bench_result *to, const struct bench_result *from);

#endif
