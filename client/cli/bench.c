/* `quoin bench`: closed-loop load, measured. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "client/cli/bench_report.h"
#include "client/cli/bench_worker.h"
#include "client/cli/commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"
#include "client/cli/text.h"

enum { BENCH_REQUESTS = 100000, BENCH_SPARE_IN_FLIGHT = 64, BENCH_IN_FLIGHT_DEFAULT = 4096 };

struct bench_thread {
    struct bench_worker worker;
    pthread_t thread;
    bool started;
};

struct bench {
    struct cli *cli;
    struct bench_plan plan;
    unsigned thread_count;
    unsigned client_count;
    qn_client **clients;
    qn_cache **caches; /* by client */
    uint8_t *pool;
    struct bench_thread *threads;
    struct bench_result *result;
    uint64_t request_count; /* of all; 0 = as many as the time allows */
    uint64_t began_ns;
};

/* How many digits the largest key number has. */
static int64_t digits(int64_t key_count)
{
    int64_t count = 1;
    for (int64_t n = key_count - 1; n >= 10; n /= 10) {
        count++;
    }
    return count;
}

static enum cli_exit check_options(const struct cli *cli)
{
    const struct options *options = &cli->options;
    if (options->request_count > 0 && options->time_ms > 0) {
        return cli_usage(cli, "--requests and --time exclude each other");
    }
    if (options->load &&
        (options->request_count > 0 || options->time_ms > 0 || options->warm_up_ms > 0)) {
        return cli_usage(cli, "--load puts each of --keys once; --requests, --time and --warm-up "
                              "have no place beside it");
    }
    if (options->key_size < digits(options->key_count)) {
        return cli_usage(cli, "--key-size %lld is too short for %lld different keys",
                         (long long)options->key_size, (long long)options->key_count);
    }
    if (options->client_count > options->thread_count) {
        return cli_usage(cli, "--clients %lld is more than --threads %lld",
                         (long long)options->client_count, (long long)options->thread_count);
    }
    return CLI_DONE;
}

static void plan_fill(struct bench *bench)
{
    const struct options *options = &bench->cli->options;
    bench->thread_count = (unsigned)options->thread_count;
    bench->client_count = options->client_count > 0 ? (unsigned)options->client_count : 1;
    bench->plan = (struct bench_plan){
        .key_count = (uint64_t)options->key_count,
        .key_size = (size_t)options->key_size,
        .value_size = (size_t)options->value_size,
        .gets_percent = (unsigned)options->gets_percent,
        .in_flight = options->in_flight > 0 ? (size_t)options->in_flight : 1,
        .load = options->load,
        .dispatch = bench->client_count == bench->thread_count,
        .end_ns = UINT64_MAX,
    };
}

/* Octets to cut values from; not compressible, the same in each run. */
static bool pool_fill(struct bench *bench)
{
    size_t size = bench->plan.value_size + BENCH_POOL;
    bench->pool = malloc(size);
    if (bench->pool == NULL) {
        return false;
    }
    uint64_t x = 88172645463325252U;
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bench->pool[i] = (uint8_t)(x >> 56);
    }
    bench->plan.pool = bench->pool;
    return true;
}

/* The URI, with room for as many in flight as one client will have. */
static char *bench_uri(const struct bench *bench)
{
    unsigned per_client = (bench->thread_count + bench->client_count - 1) / bench->client_count;
    size_t need = bench->plan.in_flight * per_client + BENCH_SPARE_IN_FLIGHT;
    char *uri = cli_uri(bench->cli);
    if (uri == NULL || need <= BENCH_IN_FLIGHT_DEFAULT) {
        return uri;
    }
    char value[TEXT_NUMBER_MAX];
    snprintf(value, sizeof value, "%zu", need);
    char *wider = text_uri_with(uri, "in_flight", value);
    free(uri);
    return wider;
}

static enum cli_exit out_of_memory(const struct bench *bench)
{
    cli_say(bench->cli, "out of memory");
    return CLI_REFUSED;
}

static enum cli_exit connect_one(struct bench *bench, const char *uri, unsigned number)
{
    struct cli *cli = bench->cli;
    const char *name = cli->arguments[0];
    qn_error err = QN_ERROR_INIT;
    bench->clients[number] = qn_connect(uri, &err);
    if (bench->clients[number] != NULL) {
        bench->caches[number] = cli->options.create
                                    ? qn_open_create(bench->clients[number], name, &err)
                                    : qn_open(bench->clients[number], name, &err);
    }
    return bench->caches[number] != NULL ? CLI_DONE : cli_fail(cli, &err);
}

static enum cli_exit connect_all(struct bench *bench)
{
    bench->clients = calloc(bench->client_count, sizeof(qn_client *));
    bench->caches = calloc(bench->client_count, sizeof(qn_cache *));
    char *uri = bench_uri(bench);
    if (bench->clients == NULL || bench->caches == NULL || uri == NULL) {
        free(uri);
        return out_of_memory(bench);
    }
    enum cli_exit code = CLI_DONE;
    for (unsigned i = 0; i < bench->client_count && code == CLI_DONE; i++) {
        code = connect_one(bench, uri, i);
    }
    free(uri);
    return code;
}

/* How many requests worker `number` has to begin, of the whole number. */
static uint64_t share(const struct bench *bench, uint64_t whole, unsigned number)
{
    return whole / bench->thread_count + (number < whole % bench->thread_count);
}

static enum cli_exit prepare_workers(struct bench *bench)
{
    const struct options *options = &bench->cli->options;
    uint64_t whole = options->request_count > 0 ? (uint64_t)options->request_count : BENCH_REQUESTS;
    whole = options->load ? (uint64_t)options->key_count : whole;
    uint64_t next_key = 0;
    bench->request_count = options->time_ms > 0 ? 0 : whole;
    bench->threads = calloc(bench->thread_count, sizeof *bench->threads);
    bench->result = calloc(1, sizeof *bench->result);
    if (bench->threads == NULL || bench->result == NULL) {
        return out_of_memory(bench);
    }
    for (unsigned i = 0; i < bench->thread_count; i++) {
        struct bench_worker *worker = &bench->threads[i].worker;
        unsigned client = i % bench->client_count;
        if (!bench_worker_init(worker, &bench->plan, bench->clients[client], bench->caches[client],
                               i + 1)) {
            return out_of_memory(bench);
        }
        worker->remaining = options->time_ms > 0 ? UINT64_MAX : share(bench, whole, i);
        worker->next_key = next_key;
        next_key += share(bench, whole, i);
    }
    return CLI_DONE;
}

static void *thread_main(void *arg)
{
    struct bench_thread *thread = arg;
    bench_worker_run(&thread->worker);
    return NULL;
}

static enum cli_exit start_threads(struct bench *bench)
{
    const struct options *options = &bench->cli->options;
    uint64_t now = progress_clock_ns();
    bench->plan.measure_from_ns = now + (uint64_t)options->warm_up_ms * 1000000U;
    bench->began_ns = bench->plan.measure_from_ns;
    if (options->time_ms > 0) {
        bench->plan.end_ns = bench->plan.measure_from_ns + (uint64_t)options->time_ms * 1000000U;
    }
    for (unsigned i = 0; i < bench->thread_count; i++) {
        struct bench_thread *thread = &bench->threads[i];
        thread->started = pthread_create(&thread->thread, NULL, thread_main, thread) == 0;
        if (!thread->started) {
            raise(SIGINT); /* stops those that run */
            cli_say(bench->cli, "cannot start thread %u; lower --threads", i + 1);
            return CLI_REFUSED;
        }
    }
    return CLI_DONE;
}

/* Show how far they are until all have finished. */
static void watch_threads(struct bench *bench)
{
    struct progress progress;
    progress_init(&progress, stderr, bench->cli->terminal, "requests", bench->request_count);
    for (;;) {
        uint64_t counted = 0;
        bool finished = true;
        for (unsigned i = 0; i < bench->thread_count; i++) {
            struct bench_worker *worker = &bench->threads[i].worker;
            counted += atomic_load_explicit(&worker->counted, memory_order_relaxed);
            finished = finished && atomic_load(&worker->finished);
        }
        if (finished) {
            break;
        }
        progress_show(&progress, counted, counted);
        struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
        nanosleep(&pause, NULL);
    }
    progress_end(&progress);
}

static void join_threads(struct bench *bench)
{
    for (unsigned i = 0; i < bench->thread_count; i++) {
        if (bench->threads[i].started) {
            pthread_join(bench->threads[i].thread, NULL);
            bench_result_merge(bench->result, bench->threads[i].worker.result);
        }
    }
}

static enum cli_exit report(const struct bench *bench)
{
    const struct bench_result *result = bench->result;
    uint64_t elapsed = result->last_ns > bench->began_ns ? result->last_ns - bench->began_ns : 0;
    struct bench_summary summary = {
        .cache = bench->cli->arguments[0],
        .plan = &bench->plan,
        .result = result,
        .thread_count = bench->thread_count,
        .client_count = bench->client_count,
        .seconds = (double)elapsed / 1e9,
        .interrupted = interrupted(),
    };
    enum cli_exit code = CLI_DONE;
    if (bench->cli->options.json) {
        code = cli_print_measured(bench_report_json(&summary));
    } else {
        bench_report_print(&summary, stdout);
    }
    if (interrupted()) {
        return CLI_INTERRUPTED;
    }
    if (result->error_count > 0) {
        return result->unknown_count > 0
                   ? CLI_UNKNOWN
                   : cli_exit_of(result->first_error.status, result->first_error.certainty);
    }
    return code;
}

static void bench_fini(struct bench *bench)
{
    for (unsigned i = 0; i < bench->thread_count && bench->threads != NULL; i++) {
        bench_worker_fini(&bench->threads[i].worker);
    }
    for (unsigned i = 0; i < bench->client_count && bench->clients != NULL; i++) {
        (void)qn_close_within(bench->clients[i], 1000);
    }
    free(bench->threads);
    free(bench->clients);
    free(bench->caches);
    free(bench->pool);
    free(bench->result);
}

static enum cli_exit run_threads(struct bench *bench)
{
    interrupt_watch();
    enum cli_exit code = start_threads(bench);
    if (code == CLI_DONE) {
        watch_threads(bench);
    }
    join_threads(bench);
    return code == CLI_DONE ? report(bench) : code;
}

enum cli_exit run_bench(struct cli *cli)
{
    enum cli_exit code = check_options(cli);
    if (code != CLI_DONE) {
        return code;
    }
    struct bench bench = {.cli = cli};
    plan_fill(&bench);
    if (!pool_fill(&bench)) {
        return out_of_memory(&bench);
    }
    code = connect_all(&bench);
    if (code == CLI_DONE) {
        code = prepare_workers(&bench);
    }
    if (code == CLI_DONE) {
        code = run_threads(&bench);
    }
    bench_fini(&bench);
    return code;
}
