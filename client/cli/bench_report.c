#define _GNU_SOURCE
#include "client/cli/bench_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "client/cli/bench_stats.h"
#include "client/cli/text.h"

const struct bench_percentile bench_percentiles[] = {
    {"p50_us", "p50", 50},      {"p90_us", "p90", 90},         {"p99_us", "p99", 99},
    {"p999_us", "p99.9", 99.9}, {"p9999_us", "p99.99", 99.99},
};
const size_t bench_percentile_count = sizeof bench_percentiles / sizeof *bench_percentiles;

static uint64_t answered(const struct bench_result *result)
{
    return result->gets.count + result->puts.count;
}

static uint64_t per_second(const struct bench_summary *summary)
{
    return summary->seconds > 0 ? (uint64_t)((double)answered(summary->result) / summary->seconds)
                                : 0;
}

/* Of the whole seconds; a last one that was only begun would pull the mean down. */
static struct bench_spread spread_of(const struct bench_summary *summary)
{
    size_t count =
        (size_t)(summary->seconds + 0.01); /* the last answer comes just before the end */
    return bench_spread_of(summary->result->seconds,
                           count < BENCH_SECONDS_MAX ? count : BENCH_SECONDS_MAX);
}

/* ---- for people ---- */

static void print_latencies(const char *name, const struct histogram *histogram, FILE *to)
{
    char text[TEXT_NUMBER_MAX];
    if (histogram->count == 0) {
        return;
    }
    fprintf(to, "%-4s %12s", name, text_grouped(histogram->count, text));
    for (size_t i = 0; i < bench_percentile_count; i++) {
        uint64_t value = histogram_percentile(histogram, bench_percentiles[i].percent);
        fprintf(to, " %10s", text_nanos(value, text));
    }
    fprintf(to, " %10s\n", text_nanos(histogram->max, text));
}

static void print_table(const struct bench_result *result, FILE *to)
{
    fprintf(to, "%-4s %12s", "", "answered");
    for (size_t i = 0; i < bench_percentile_count; i++) {
        fprintf(to, " %10s", bench_percentiles[i].title);
    }
    fprintf(to, " %10s\n", "max");
    print_latencies("put", &result->puts, to);
    print_latencies("get", &result->gets, to);
}

static void print_errors(const struct bench_result *result, FILE *to)
{
    char text[TEXT_NUMBER_MAX];
    if (result->error_count == 0) {
        fputs("no errors\n", to);
        return;
    }
    fprintf(to, "%s errors", text_grouped(result->error_count, text));
    fprintf(to, ", %s of unknown outcome:\n", text_grouped(result->unknown_count, text));
    for (int i = 0; i < BENCH_STATUS_COUNT; i++) {
        if (result->errors[i] > 0) {
            enum qn_status status = (enum qn_status) - i;
            fprintf(to, "  %12s %s (%s)\n", text_grouped(result->errors[i], text),
                    qn_status_name(status), qn_status_text(status));
        }
    }
    fprintf(to, "  first: %s\n", qn_explain(&result->first_error));
}

static void print_throughput(const struct bench_summary *summary, FILE *to)
{
    char count[TEXT_NUMBER_MAX];
    char rate[TEXT_NUMBER_MAX];
    char width[TEXT_NUMBER_MAX];
    struct bench_spread spread = spread_of(summary);
    fprintf(to, "%s requests in %.2f s: %s/s", text_grouped(answered(summary->result), count),
            summary->seconds, text_grouped(per_second(summary), rate));
    if (spread.count >= 2) {
        fprintf(to, " (%s/s over %zu s, give or take %s)",
                text_grouped((uint64_t)spread.mean, rate), spread.count,
                text_grouped((uint64_t)spread.half_width, width));
    }
    fputs(summary->interrupted ? ", interrupted\n" : "\n", to);
}

static void print_plan(const struct bench_summary *summary, FILE *to)
{
    const struct bench_plan *plan = summary->plan;
    char rate[TEXT_NUMBER_MAX];
    if (plan->rate > 0) {
        fprintf(to, "open loop, %s/s due, latency from when a request was due\n",
                text_grouped((uint64_t)plan->rate, rate));
    } else {
        fputs("closed loop, latency from when a request began (--rate N/s: an open loop)\n", to);
    }
    fprintf(to, "cache %s, %s%zu in flight x %u threads, %u clients, %zu-octet keys, ",
            summary->cache, plan->rate > 0 ? "up to " : "", plan->in_flight, plan->thread_count,
            plan->client_count, plan->key_size);
    if (plan->value_min == plan->value_max) {
        fprintf(to, "%zu-octet values", plan->value_max);
    } else {
        fprintf(to, "values of %zu to %zu octets", plan->value_min, plan->value_max);
    }
    if (plan->zipf.count > 0) {
        fprintf(to, ", zipf %g", plan->zipf.exponent);
    }
    fputc('\n', to);
}

/* What an open loop could not do as it was told, and whose fault it is. */
static void print_lateness(const struct bench_result *result, FILE *to)
{
    char text[TEXT_NUMBER_MAX];
    if (result->late_count > 0) {
        fprintf(to, "%s requests left late by the load generator itself, ",
                text_grouped(result->late_count, text));
        fprintf(to, "up to %s: it was the bottleneck then (more --threads, or another machine)\n",
                text_nanos(result->late_max_ns, text));
    }
    if (result->queued_count > 0) {
        fprintf(to,
                "%s requests had to wait for others to end: the grid was slower than the rate "
                "(or --in-flight is too low)\n",
                text_grouped(result->queued_count, text));
    }
    if (result->unsent_count > 0) {
        fprintf(to, "%s requests were due and never left; the latencies lack them\n",
                text_grouped(result->unsent_count, text));
    }
}

void bench_report_print(const struct bench_summary *summary, FILE *to)
{
    char count[TEXT_NUMBER_MAX];
    print_throughput(summary, to);
    print_plan(summary, to);
    print_table(summary->result, to);
    if (summary->result->absent_count > 0) {
        fprintf(to, "%s gets found no entry (put all keys first: --load)\n",
                text_grouped(summary->result->absent_count, count));
    }
    print_lateness(summary->result, to);
    print_errors(summary->result, to);
}

/* ---- for programs ---- */

static double micros(uint64_t nanos)
{
    return (double)nanos / 1000;
}

/* The interval of each percentile: that of its rank, but not narrower, in proportion, than that of
 * the throughput. Requests that follow each other are alike, which the former does not see. */
static json_t *intervals_json(const struct histogram *histogram, double relative)
{
    json_t *document = json_object();
    for (size_t i = 0; i < bench_percentile_count; i++) {
        double percent = bench_percentiles[i].percent;
        double value = micros(histogram_percentile(histogram, percent));
        uint64_t low = 0;
        uint64_t high = 0;
        histogram_interval(histogram, percent, &low, &high);
        double least = value * (1 - relative);
        double most = value * (1 + relative);
        least = micros(low) < least ? micros(low) : least;
        most = micros(high) > most ? micros(high) : most;
        json_object_set_new(document, bench_percentiles[i].name, json_pack("[f, f]", least, most));
    }
    return document;
}

static json_t *latencies_json(const struct histogram *histogram, double relative)
{
    json_t *document = json_object();
    json_object_set_new(document, "count", json_integer((json_int_t)histogram->count));
    json_object_set_new(document, "mean_us", json_real(histogram_mean(histogram) / 1000));
    for (size_t i = 0; i < bench_percentile_count; i++) {
        uint64_t value = histogram_percentile(histogram, bench_percentiles[i].percent);
        json_object_set_new(document, bench_percentiles[i].name, json_real(micros(value)));
    }
    json_object_set_new(document, "max_us", json_real(micros(histogram->max)));
    if (histogram->count > 0) {
        json_object_set_new(document, "intervals", intervals_json(histogram, relative));
    }
    return document;
}

static json_t *errors_json(const struct bench_result *result)
{
    json_t *document = json_object();
    for (int i = 0; i < BENCH_STATUS_COUNT; i++) {
        if (result->errors[i] > 0) {
            json_object_set_new(document, qn_status_name((enum qn_status) - i),
                                json_integer((json_int_t)result->errors[i]));
        }
    }
    return document;
}

static json_t *seconds_json(const struct bench_summary *summary, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, json_integer((json_int_t)summary->result->seconds[i]));
    }
    return array;
}

static json_t *plan_json(const struct bench_plan *plan)
{
    json_t *document = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I}", "loop",
        plan->rate > 0 ? "open" : "closed", "in_flight", (json_int_t)plan->in_flight, "threads",
        (json_int_t)plan->thread_count, "clients", (json_int_t)plan->client_count, "keys",
        (json_int_t)plan->key_count, "key_size", (json_int_t)plan->key_size, "value_size",
        (json_int_t)plan->value_max, "value_size_min", (json_int_t)plan->value_min, "gets_percent",
        (json_int_t)plan->gets_percent, "load", plan->load, "seed", (json_int_t)plan->seed);
    if (plan->rate > 0) {
        json_object_set_new(document, "rate", json_real(plan->rate));
    }
    if (plan->zipf.count > 0) {
        json_object_set_new(document, "zipf", json_real(plan->zipf.exponent));
    }
    return document;
}

static json_t *lateness_json(const struct bench_result *result)
{
    return json_pack("{s:I, s:f, s:I, s:I}", "late", (json_int_t)result->late_count, "late_max_us",
                     micros(result->late_max_ns), "queued", (json_int_t)result->queued_count,
                     "unsent", (json_int_t)result->unsent_count);
}

json_t *bench_report_json(const struct bench_summary *summary)
{
    const struct bench_result *result = summary->result;
    struct bench_spread spread = spread_of(summary);
    double relative = spread.mean > 0 ? spread.half_width / spread.mean : 0;
    json_t *document = json_pack(
        "{s:s, s:b, s:I, s:f, s:I, s:o, s:o, s:I, s:I, s:I, s:o}", "cache", summary->cache,
        "interrupted", summary->interrupted, "requests", (json_int_t)answered(result), "seconds",
        summary->seconds, "ops_per_second", (json_int_t)per_second(summary), "put",
        latencies_json(&result->puts, relative), "get", latencies_json(&result->gets, relative),
        "absent", (json_int_t)result->absent_count, "errors_total", (json_int_t)result->error_count,
        "unknown", (json_int_t)result->unknown_count, "errors", errors_json(result));
    json_object_update_new(document, plan_json(summary->plan));
    json_object_set_new(document, "per_second", seconds_json(summary, spread.count));
    if (spread.count >= 2) {
        json_object_set_new(
            document, "ops_per_second_interval",
            json_pack("[f, f]", spread.mean - spread.half_width, spread.mean + spread.half_width));
    }
    if (summary->plan->rate > 0) {
        json_object_update_new(document, lateness_json(result));
    }
    return document;
}
