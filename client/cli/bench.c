/* `quoin bench`: load, measured; and two such measurements compared. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/bench_compare.h"
#include "client/cli/bench_report.h"
#include "client/cli/bench_worker.h"
#include "client/cli/commands.h"
#include "client/cli/hgrm.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"
#include "client/cli/text.h"

/* Threads of an open loop get time to start before the first request is due. */
enum { BENCH_HEAD_START_MS = 10 };

enum { BENCH_SPARE_IN_FLIGHT = 64, BENCH_IN_FLIGHT_DEFAULT = 4096, BENCH_MS = 1000 * 1000 };

struct bench_thread {
    struct bench_worker worker;
    pthread_t thread;
    bool started;
};

struct bench {
    struct cli *cli;
    struct bench_plan plan;
    qn_client **clients;
    qn_cache **caches; /* by client */
    uint8_t *pool;
    struct bench_thread *threads;
    struct bench_result *result;
    FILE *hgrm; /* NULL = not asked for */
    bool hgrm_written;
};

/* Octets to cut values from; not compressible, the same in each run. */
static bool pool_fill(struct bench *bench)
{
    size_t size = bench->plan.value_max + BENCH_POOL;
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
    const struct bench_plan *plan = &bench->plan;
    unsigned per_client = (plan->thread_count + plan->client_count - 1) / plan->client_count;
    size_t need = plan->in_flight * per_client + BENCH_SPARE_IN_FLIGHT;
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
    bench->clients = calloc(bench->plan.client_count, sizeof(qn_client *));
    bench->caches = calloc(bench->plan.client_count, sizeof(qn_cache *));
    char *uri = bench_uri(bench);
    if (bench->clients == NULL || bench->caches == NULL || uri == NULL) {
        free(uri);
        return out_of_memory(bench);
    }
    enum cli_exit code = CLI_DONE;
    for (unsigned i = 0; i < bench->plan.client_count && code == CLI_DONE; i++) {
        code = connect_one(bench, uri, i);
    }
    free(uri);
    return code;
}

/* How many requests worker `number` has to begin, of the whole number. */
static uint64_t share(const struct bench *bench, uint64_t whole, unsigned number)
{
    return whole / bench->plan.thread_count + (number < whole % bench->plan.thread_count);
}

static enum cli_exit prepare_workers(struct bench *bench)
{
    const struct bench_plan *plan = &bench->plan;
    uint64_t next_key = 0;
    bench->threads = calloc(plan->thread_count, sizeof *bench->threads);
    bench->result = calloc(1, sizeof *bench->result);
    if (bench->threads == NULL || bench->result == NULL) {
        return out_of_memory(bench);
    }
    for (unsigned i = 0; i < plan->thread_count; i++) {
        struct bench_worker *worker = &bench->threads[i].worker;
        unsigned client = i % plan->client_count;
        if (!bench_worker_init(worker, plan, i, bench->clients[client], bench->caches[client])) {
            return out_of_memory(bench);
        }
        worker->remaining =
            plan->request_count > 0 ? share(bench, plan->request_count, i) : UINT64_MAX;
        worker->next_key = next_key;
        next_key += share(bench, plan->request_count, i);
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
    struct bench_plan *plan = &bench->plan;
    plan->start_ns = progress_clock_ns() + (plan->rate > 0 ? BENCH_HEAD_START_MS * BENCH_MS : 0);
    plan->measure_from_ns = plan->start_ns + plan->warm_up_ms * BENCH_MS;
    if (plan->time_ms > 0) {
        plan->end_ns = plan->measure_from_ns + plan->time_ms * BENCH_MS;
    }
    for (unsigned i = 0; i < bench->plan.thread_count; i++) {
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

/* How many requests have ended. False: some workers still run. */
static bool look_at_threads(struct bench *bench, uint64_t *counted)
{
    bool finished = true;
    *counted = 0;
    for (unsigned i = 0; i < bench->plan.thread_count; i++) {
        struct bench_worker *worker = &bench->threads[i].worker;
        *counted += atomic_load_explicit(&worker->counted, memory_order_relaxed);
        finished = finished && atomic_load(&worker->finished);
    }
    return finished;
}

/* Show how far they are until all have finished: by time when that ends them, else by requests. */
static void watch_threads(struct bench *bench)
{
    const struct bench_plan *plan = &bench->plan;
    uint64_t time_ms = plan->time_ms > 0 ? plan->warm_up_ms + plan->time_ms : 0;
    struct progress progress;
    progress_init(&progress, stderr, bench->cli->terminal, "requests",
                  time_ms > 0 ? time_ms : plan->request_count);
    uint64_t counted = 0;
    while (!look_at_threads(bench, &counted)) {
        uint64_t now = progress_clock_ns();
        uint64_t passed_ms = now > plan->start_ns ? (now - plan->start_ns) / BENCH_MS : 0;
        progress_show(&progress, counted, time_ms > 0 ? passed_ms : counted);
        struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
        nanosleep(&pause, NULL);
    }
    progress_end(&progress);
}

static void join_threads(struct bench *bench)
{
    for (unsigned i = 0; i < bench->plan.thread_count; i++) {
        if (bench->threads[i].started) {
            pthread_join(bench->threads[i].thread, NULL);
            bench_result_merge(bench->result, bench->threads[i].worker.result);
        }
    }
}

/* All latencies, of gets and puts, in one file. */
static enum cli_exit write_hgrm(struct bench *bench)
{
    if (bench->hgrm == NULL) {
        return CLI_DONE;
    }
    struct histogram *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return out_of_memory(bench);
    }
    histogram_merge(all, &bench->result->gets);
    histogram_merge(all, &bench->result->puts);
    bench->hgrm_written = hgrm_write(all, bench->hgrm) && fflush(bench->hgrm) == 0;
    free(all);
    if (!bench->hgrm_written) {
        cli_say(bench->cli, "cannot write %s: %s", bench->cli->options.hgrm_file, strerror(errno));
    }
    return bench->hgrm_written ? CLI_DONE : CLI_REFUSED;
}

static enum cli_exit exit_of(const struct bench *bench)
{
    const struct bench_result *result = bench->result;
    if (interrupted()) {
        return CLI_INTERRUPTED;
    }
    if (result->unknown_count > 0) {
        return CLI_UNKNOWN;
    }
    return result->error_count > 0
               ? cli_exit_of(result->first_error.status, result->first_error.certainty)
               : CLI_DONE;
}

static enum cli_exit report(struct bench *bench)
{
    const struct bench_result *result = bench->result;
    uint64_t began_ns = bench->plan.measure_from_ns;
    uint64_t elapsed_ns = result->last_ns > began_ns ? result->last_ns - began_ns : 0;
    struct bench_summary summary = {
        .cache = bench->cli->arguments[0],
        .plan = &bench->plan,
        .result = result,
        .seconds = (double)elapsed_ns / 1e9,
        .interrupted = interrupted(),
    };
    enum cli_exit code = write_hgrm(bench);
    if (!bench->cli->options.json) {
        bench_report_print(&summary, stdout);
    } else if (code == CLI_DONE) {
        code = cli_print_json(bench_report_json(&summary));
    }
    enum cli_exit told = exit_of(bench);
    return told != CLI_DONE ? told : code;
}

static void bench_fini(struct bench *bench)
{
    for (unsigned i = 0; i < bench->plan.thread_count && bench->threads != NULL; i++) {
        bench_worker_fini(&bench->threads[i].worker);
    }
    for (unsigned i = 0; i < bench->plan.client_count && bench->clients != NULL; i++) {
        (void)qn_close_within(bench->clients[i], 1000);
    }
    free(bench->threads);
    free(bench->clients);
    free(bench->caches);
    free(bench->pool);
    free(bench->result);
    if (bench->hgrm != NULL) {
        fclose(bench->hgrm);
    }
    if (bench->hgrm != NULL && !bench->hgrm_written) {
        (void)unlink(bench->cli->options.hgrm_file); /* it was created here and says nothing */
    }
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

/* Opened before the work: a run of an hour must not end with a file that cannot be written. */
static enum cli_exit open_hgrm(struct bench *bench)
{
    const char *path = bench->cli->options.hgrm_file;
    if (path != NULL) {
        bench->hgrm = fopen(path, "wx");
    }
    return path == NULL || bench->hgrm != NULL
               ? CLI_DONE
               : cli_usage(bench->cli, "--hgrm %s: %s; give the name of a new file", path,
                           strerror(errno));
}

static enum cli_exit measure(struct bench *bench)
{
    enum cli_exit code = open_hgrm(bench);
    if (code == CLI_DONE && !pool_fill(bench)) {
        return out_of_memory(bench);
    }
    code = code == CLI_DONE ? connect_all(bench) : code;
    code = code == CLI_DONE ? prepare_workers(bench) : code;
    return code == CLI_DONE ? run_threads(bench) : code;
}

/* ---- comparing ---- */

static json_t *load_result(const struct cli *cli, const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    if (document == NULL) {
        cli_say(cli, "%s: %s (a result is what quoin bench --json prints)", path, error.text);
    }
    return document;
}

static enum cli_exit compare(const struct cli *cli, const char *path_a, const char *path_b)
{
    json_t *a = load_result(cli, path_a);
    json_t *b = a != NULL ? load_result(cli, path_b) : NULL;
    json_t *comparison = b != NULL ? bench_compare_json(a, b) : NULL;
    enum cli_exit code = CLI_DONE;
    if (comparison == NULL) {
        if (b != NULL) {
            cli_say(cli, "%s and %s: not both are results of quoin bench --json", path_a, path_b);
        }
        code = CLI_USAGE;
    } else if (cli->options.json) {
        code = cli_print_json(json_incref(comparison));
    } else {
        bench_compare_print(comparison, path_a, path_b, stdout);
    }
    json_decref(a);
    json_decref(b);
    json_decref(comparison);
    return code;
}

enum cli_exit run_bench(struct cli *cli)
{
    bool comparing = cli->options.compare != NULL;
    int expected = comparing && cli->options.cache != NULL ? 2 : 1;
    if (cli->argument_count != expected) {
        return cli_usage(cli, "%s",
                         comparing ? "two results are compared: --compare A.json B.json"
                                   : "only one cache can be measured at a time");
    }
    if (comparing) {
        return compare(cli, cli->options.compare, cli->arguments[expected - 1]);
    }
    struct bench bench = {.cli = cli};
    char problem[BENCH_PROBLEM_MAX];
    if (!bench_plan_make(&cli->options, &bench.plan, problem)) {
        return cli_usage(cli, "%s", problem);
    }
    enum cli_exit code = measure(&bench);
    bench_fini(&bench);
    return code;
}
