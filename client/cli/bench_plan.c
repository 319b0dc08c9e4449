#define _GNU_SOURCE
#include "client/cli/bench_plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/ttl.h"
#include "config/value.h"

enum {
    BENCH_REQUESTS = 100000,
    BENCH_OPEN_IN_FLIGHT = 1000,
    BENCH_VALUE_MAX = 16 * 1024 * 1024,
    BENCH_SIZE_TEXT_MAX = 24
};

#define BENCH_RATE_MAX 1e8
#define BENCH_ZIPF_MAX 10.0

__attribute__((format(printf, 2, 3))) static bool wrong(char *problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, BENCH_PROBLEM_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* A positive decimal number, up to `max`, with `tail` or nothing behind it. */
static bool number_parse(const char *text, double max, const char *tail, double *number)
{
    char *end = NULL;
    if (strspn(text, "0123456789") == 0) {
        return false;
    }
    double value = strtod(text, &end);
    if ((*end != '\0' && strcmp(end, tail) != 0) || !(value > 0) || !(value <= max)) {
        return false;
    }
    *number = value;
    return true;
}

static bool size_parse(const char *text, size_t length, size_t *size)
{
    char copy[BENCH_SIZE_TEXT_MAX];
    const char *problem = NULL;
    int64_t value = -1;
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!value_count_parse(copy, &value, &problem) && !value_size_parse(copy, &value, &problem)) {
        return false;
    }
    *size = (size_t)value;
    return value >= 0 && value <= BENCH_VALUE_MAX;
}

/* "100", "64-4KiB" */
static bool sizes_parse(const char *text, struct bench_plan *plan)
{
    size_t length = strcspn(text, "-");
    if (!size_parse(text, length, &plan->value_min)) {
        return false;
    }
    plan->value_max = plan->value_min;
    return text[length] == '\0' ||
           (size_parse(text + length + 1, strlen(text + length + 1), &plan->value_max) &&
            plan->value_max >= plan->value_min);
}

/* How many digits the largest key number has. */
static int64_t digits(int64_t key_count)
{
    int64_t count = 1;
    for (int64_t n = key_count - 1; n >= 10; n /= 10) {
        count++;
    }
    return count;
}

static bool check_loop(const struct options *options, char *problem)
{
    bool open = options->rate != NULL;
    if (open && options->closed) {
        return wrong(problem, "--rate and --closed exclude each other: an open loop has a rate");
    }
    if (open && options->client_count > 0 && options->client_count != options->thread_count) {
        return wrong(problem, "with --rate each thread has a client of its own: leave --clients "
                              "out");
    }
    if (options->client_count > options->thread_count) {
        return wrong(problem, "--clients %lld is more than --threads %lld",
                     (long long)options->client_count, (long long)options->thread_count);
    }
    return true;
}

static bool check_amount(const struct options *options, char *problem)
{
    if (options->request_count > 0 && options->time_ms > 0) {
        return wrong(problem, "--requests and --time exclude each other");
    }
    bool bounded = options->request_count > 0 || options->time_ms > 0 || options->warm_up_ms > 0;
    if (options->load && (bounded || options->zipf != NULL)) {
        return wrong(problem, "--load puts each of --keys once; --requests, --time, --warm-up and "
                              "--zipf have no place beside it");
    }
    if (options->key_size < digits(options->key_count)) {
        return wrong(problem, "--key-size %lld is too short for %lld different keys",
                     (long long)options->key_size, (long long)options->key_count);
    }
    return true;
}

static bool parse_texts(const struct options *options, struct bench_plan *plan, char *problem)
{
    double exponent = 0;
    if (options->rate != NULL && !number_parse(options->rate, BENCH_RATE_MAX, "/s", &plan->rate)) {
        return wrong(problem, "--rate %s: must be requests a second, such as 5000/s",
                     options->rate);
    }
    if (options->zipf != NULL && !number_parse(options->zipf, BENCH_ZIPF_MAX, "", &exponent)) {
        return wrong(problem, "--zipf %s: must be a number above 0, up to 10, such as 0.99",
                     options->zipf);
    }
    if (options->zipf != NULL) {
        plan->zipf = zipf_of((uint64_t)options->key_count, exponent);
    }
    if (!sizes_parse(options->value_size, plan)) {
        return wrong(problem,
                     "--value-size %s: must be octets up to 16MiB, such as 100, 4KiB or 64-4KiB",
                     options->value_size);
    }
    return true;
}

static uint64_t request_count(const struct options *options)
{
    if (options->load) {
        return (uint64_t)options->key_count;
    }
    if (options->time_ms > 0) {
        return 0;
    }
    return options->request_count > 0 ? (uint64_t)options->request_count : BENCH_REQUESTS;
}

static size_t in_flight(const struct options *options)
{
    if (options->in_flight > 0) {
        return (size_t)options->in_flight;
    }
    return options->rate != NULL ? BENCH_OPEN_IN_FLIGHT : 1;
}

bool bench_plan_make(const struct options *options, struct bench_plan *plan, char *problem)
{
    if (!check_loop(options, problem) || !check_amount(options, problem)) {
        return false;
    }
    unsigned threads = (unsigned)options->thread_count;
    unsigned clients = options->client_count > 0 ? (unsigned)options->client_count : 1;
    clients = options->rate != NULL ? threads : clients;
    *plan = (struct bench_plan){
        .key_count = (uint64_t)options->key_count,
        .key_size = (size_t)options->key_size,
        .gets_percent = options->load ? 0 : (unsigned)options->gets_percent,
        .in_flight = in_flight(options),
        .thread_count = threads,
        .client_count = clients,
        .load = options->load,
        .dispatch = clients == threads,
        .seed = options->seed >= 0 ? (uint64_t)options->seed : 1,
        .request_count = request_count(options),
        .time_ms = options->time_ms > 0 ? (uint64_t)options->time_ms : 0,
        .warm_up_ms = options->warm_up_ms > 0 ? (uint64_t)options->warm_up_ms : 0,
        .put = QN_OPTIONS_INIT,
        .end_ns = UINT64_MAX,
    };
    plan->put.ttl_ms = ttl_of(options);
    return parse_texts(options, plan, problem);
}

uint64_t bench_plan_due_ns(const struct bench_plan *plan, unsigned number, uint64_t n)
{
    uint64_t position = n * plan->thread_count + number;
    return (uint64_t)((double)position / plan->rate * 1e9);
}
