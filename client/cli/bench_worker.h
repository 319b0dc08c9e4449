/* One thread of `quoin bench`: keeps a number of requests in flight and measures each of them.
 *
 * Closed loop: a request begins when another one ends. With one in flight the worker uses the calls
 * that wait; with more, those that do not. Everything in a worker belongs to its thread until that
 * is joined, but for `counted` and `finished`. */
#ifndef QUOIN_CLIENT_CLI_BENCH_WORKER_H
#define QUOIN_CLIENT_CLI_BENCH_WORKER_H

#include <stdatomic.h>

#include "client/cli/histogram.h"
#include "client/quoin.h"

enum { BENCH_STATUS_COUNT = 64, BENCH_POOL = 4096 };

/* What all workers do. */
struct bench_plan {
    uint64_t key_count;
    size_t key_size;
    size_t value_size;
    unsigned gets_percent;
    size_t in_flight; /* of each worker */
    bool load;        /* put each key once, in order, instead of random ones */
    bool dispatch;    /* each worker has a client of its own: wait with qn_fd and qn_dispatch */
    uint64_t measure_from_ns; /* what begins before is not counted: warm-up */
    uint64_t end_ns;          /* nothing begins after it; UINT64_MAX = no such time */
    const uint8_t *pool;      /* value_size + BENCH_POOL octets: values are cut from it */
};

struct bench_result {
    struct histogram gets; /* nanoseconds of those answered */
    struct histogram puts;
    uint64_t absent_count;
    uint64_t error_count;
    uint64_t unknown_count;              /* of them: the outcome is unknown */
    uint64_t errors[BENCH_STATUS_COUNT]; /* by -status; 0 = a status this version does not know */
    qn_error first_error;
    uint64_t last_ns; /* when the last one ended */
};

struct bench_slot;

struct bench_worker {
    const struct bench_plan *plan;
    qn_client *client;
    qn_cache *cache;
    uint64_t random; /* state of its generator, not 0 */
    uint64_t
        remaining; /* measured requests still to begin; UINT64_MAX = until the end of the time */
    uint64_t next_key; /* load: the next one to put */
    struct bench_result *result;
    char *key;                /* key_size octets */
    struct bench_slot *slots; /* in_flight of them, when more than one */
    struct bench_slot *idle;
    struct bench_slot *done;
    atomic_uint_fast64_t counted; /* requests ended so far, for the progress line */
    atomic_bool finished;
};

/* Get what the worker needs; the plan, client and cache are borrowed. False: no memory. */
bool bench_worker_init(struct bench_worker *worker, const struct bench_plan *plan,
                       qn_client *client, qn_cache *cache, uint64_t seed);
void bench_worker_fini(struct bench_worker *worker);

/* Run to the end of the plan, or until interrupted(). */
void bench_worker_run(struct bench_worker *worker);

/* Write the key `number` into `key`: digits, filled with zeros from the left to `size`. */
void bench_key(uint64_t number, char *key, size_t size);

/* Add what `from` counted to `to`. */
void bench_result_merge(struct bench_result *to, const struct bench_result *from);

#endif
