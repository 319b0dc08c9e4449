#define _GNU_SOURCE
#include "client/cli/bench_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "client/cli/text.h"

struct percentile {
    const char *name; /* in JSON */
    const char *title;
    double percent;
};

static const struct percentile percentiles[] = {
    {"p50_us", "p50", 50},      {"p90_us", "p90", 90},         {"p99_us", "p99", 99},
    {"p999_us", "p99.9", 99.9}, {"p9999_us", "p99.99", 99.99},
};
enum { PERCENTILE_COUNT = sizeof percentiles / sizeof *percentiles };

static uint64_t answered(const struct bench_result *result)
{
    return result->gets.count + result->puts.count;
}

static uint64_t per_second(const struct bench_summary *summary)
{
    return summary->seconds > 0 ? (uint64_t)((double)answered(summary->result) / summary->seconds)
                                : 0;
}

static void print_latencies(const char *name, const struct histogram *histogram, FILE *to)
{
    char text[TEXT_NUMBER_MAX];
    if (histogram->count == 0) {
        return;
    }
    fprintf(to, "%-4s %12s", name, text_grouped(histogram->count, text));
    for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
        uint64_t value = histogram_percentile(histogram, percentiles[i].percent);
        fprintf(to, " %10s", text_nanos(value, text));
    }
    fprintf(to, " %10s\n", text_nanos(histogram->max, text));
}

static void print_table(const struct bench_result *result, FILE *to)
{
    fprintf(to, "%-4s %12s", "", "answered");
    for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
        fprintf(to, " %10s", percentiles[i].title);
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

void bench_report_print(const struct bench_summary *summary, FILE *to)
{
    char count[TEXT_NUMBER_MAX];
    char rate[TEXT_NUMBER_MAX];
    fprintf(to, "%s requests in %.2f s: %s/s%s\n", text_grouped(answered(summary->result), count),
            summary->seconds, text_grouped(per_second(summary), rate),
            summary->interrupted ? " (interrupted)" : "");
    fprintf(to,
            "cache %s, %zu in flight x %u threads, %u clients, %zu-octet keys, %zu-octet values\n",
            summary->cache, summary->plan->in_flight, summary->thread_count, summary->client_count,
            summary->plan->key_size, summary->plan->value_size);
    print_table(summary->result, to);
    if (summary->result->absent_count > 0) {
        fprintf(to, "%s gets found no entry (put all keys first: --load)\n",
                text_grouped(summary->result->absent_count, count));
    }
    print_errors(summary->result, to);
}

static double micros(uint64_t nanos)
{
    return (double)nanos / 1000;
}

static json_t *latencies_json(const struct histogram *histogram)
{
    json_t *document = json_object();
    json_object_set_new(document, "count", json_integer((json_int_t)histogram->count));
    json_object_set_new(document, "mean_us", json_real(histogram_mean(histogram) / 1000));
    for (size_t i = 0; i < PERCENTILE_COUNT; i++) {
        uint64_t value = histogram_percentile(histogram, percentiles[i].percent);
        json_object_set_new(document, percentiles[i].name, json_real(micros(value)));
    }
    json_object_set_new(document, "max_us", json_real(micros(histogram->max)));
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

json_t *bench_report_json(const struct bench_summary *summary)
{
    const struct bench_plan *plan = summary->plan;
    const struct bench_result *result = summary->result;
    return json_pack(
        "{s:s, s:b, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:I, s:I, "
        "s:I, "
        "s:o}",
        "cache", summary->cache, "interrupted", summary->interrupted, "requests",
        (json_int_t)answered(result), "seconds", summary->seconds, "ops_per_second",
        (json_int_t)per_second(summary), "in_flight", (json_int_t)plan->in_flight, "threads",
        (json_int_t)summary->thread_count, "clients", (json_int_t)summary->client_count, "keys",
        (json_int_t)plan->key_count, "key_size", (json_int_t)plan->key_size, "value_size",
        (json_int_t)plan->value_size, "gets_percent", (json_int_t)plan->gets_percent, "load",
        plan->load, "put", latencies_json(&result->puts), "get", latencies_json(&result->gets),
        "absent", (json_int_t)result->absent_count, "errors_total", (json_int_t)result->error_count,
        "unknown", (json_int_t)result->unknown_count, "errors", errors_json(result));
}
