#define _GNU_SOURCE
#include "client/cli/bench_compare.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/bench_report.h"
#include "client/cli/text.h"

enum { COMPARE_NAME_MAX = 24, COMPARE_DUMP = JSON_ENCODE_ANY | JSON_REAL_PRECISION(12) };

/* One figure of both runs and, where there are any, their intervals. */
struct figure {
    const char *unit;
    const json_t *a;
    const json_t *b;
    const json_t *interval_a;
    const json_t *interval_b;
};

static double bound(const json_t *interval, size_t which)
{
    return json_number_value(json_array_get(interval, which));
}

static bool overlap(const struct figure *figure)
{
    return bound(figure->interval_a, 0) <= bound(figure->interval_b, 1) &&
           bound(figure->interval_b, 0) <= bound(figure->interval_a, 1);
}

static void add_row(json_t *rows, const char *name, const struct figure *figure)
{
    if (!json_is_number(figure->a) || !json_is_number(figure->b)) {
        return;
    }
    double a = json_number_value(figure->a);
    double b = json_number_value(figure->b);
    json_t *row =
        json_pack("{s:s, s:s, s:f, s:f}", "figure", name, "unit", figure->unit, "a", a, "b", b);
    if (a > 0) {
        json_object_set_new(row, "ratio", json_real(b / a));
    }
    if (json_is_array(figure->interval_a) && json_is_array(figure->interval_b)) {
        json_object_set_new(row, "noise", json_boolean(overlap(figure)));
    }
    json_array_append_new(rows, row);
}

static void add_throughput(json_t *rows, const json_t *a, const json_t *b)
{
    const char *interval = "ops_per_second_interval";
    add_row(rows, "throughput",
            &(struct figure){"/s", json_object_get(a, "ops_per_second"),
                             json_object_get(b, "ops_per_second"), json_object_get(a, interval),
                             json_object_get(b, interval)});
}

/* The latencies of one kind of request, if both runs have any. */
static void add_latencies(json_t *rows, const char *kind, const json_t *a, const json_t *b)
{
    char name[COMPARE_NAME_MAX];
    const json_t *of_a = json_object_get(a, kind);
    const json_t *of_b = json_object_get(b, kind);
    if (json_integer_value(json_object_get(of_a, "count")) == 0 ||
        json_integer_value(json_object_get(of_b, "count")) == 0) {
        return;
    }
    for (size_t i = 0; i < bench_percentile_count; i++) {
        const char *field = bench_percentiles[i].name;
        snprintf(name, sizeof name, "%s %s", kind, bench_percentiles[i].title);
        add_row(rows, name,
                &(struct figure){"us", json_object_get(of_a, field), json_object_get(of_b, field),
                                 json_object_get(json_object_get(of_a, "intervals"), field),
                                 json_object_get(json_object_get(of_b, "intervals"), field)});
    }
    snprintf(name, sizeof name, "%s max", kind);
    add_row(rows, name,
            &(struct figure){"us", json_object_get(of_a, "max_us"), json_object_get(of_b, "max_us"),
                             NULL, NULL});
}

/* Settings in which the runs differ: then the figures say little about the grid. */
static json_t *unlike(const json_t *a, const json_t *b)
{
    static const char *const settings[] = {
        "loop",     "rate",       "in_flight",      "threads",      "clients", "keys",
        "key_size", "value_size", "value_size_min", "gets_percent", "load",    "zipf"};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        json_t *of_a = json_object_get(a, settings[i]);
        json_t *of_b = json_object_get(b, settings[i]);
        bool same = (of_a == NULL && of_b == NULL) || json_equal(of_a, of_b);
        if (!same) {
            json_array_append_new(array, json_pack("{s:s, s:O*, s:O*}", "setting", settings[i], "a",
                                                   of_a, "b", of_b));
        }
    }
    return array;
}

json_t *bench_compare_json(const json_t *a, const json_t *b)
{
    if (!json_is_number(json_object_get(a, "ops_per_second")) ||
        !json_is_number(json_object_get(b, "ops_per_second"))) {
        return NULL;
    }
    json_t *rows = json_array();
    add_throughput(rows, a, b);
    add_latencies(rows, "put", a, b);
    add_latencies(rows, "get", a, b);
    add_row(rows, "errors",
            &(struct figure){"", json_object_get(a, "errors_total"),
                             json_object_get(b, "errors_total"), NULL, NULL});
    return json_pack("{s:o, s:o}", "rows", rows, "unlike", unlike(a, b));
}

/* A figure with its unit: latencies as people read them. */
static const char *figure_text(const json_t *row, const char *side, char *text)
{
    double value = json_number_value(json_object_get(row, side));
    const char *unit = json_string_value(json_object_get(row, "unit"));
    if (strcmp(unit, "us") == 0) {
        return text_nanos((uint64_t)(value * 1000), text);
    }
    text_grouped((uint64_t)value, text);
    snprintf(text + strlen(text), TEXT_NUMBER_MAX - strlen(text), "%s", unit);
    return text;
}

static const char *verdict(const json_t *row)
{
    const json_t *noise = json_object_get(row, "noise");
    if (noise == NULL) {
        return "";
    }
    return json_is_true(noise) ? "within the noise" : "differs";
}

static void print_row(const json_t *row, FILE *to)
{
    char a[TEXT_NUMBER_MAX];
    char b[TEXT_NUMBER_MAX];
    char ratio[TEXT_NUMBER_MAX] = "";
    const json_t *quotient = json_object_get(row, "ratio");
    if (quotient != NULL) {
        snprintf(ratio, sizeof ratio, "%.3f", json_number_value(quotient));
    }
    fprintf(to, "%-12s %16s %16s %9s  %s\n", json_string_value(json_object_get(row, "figure")),
            figure_text(row, "a", a), figure_text(row, "b", b), ratio, verdict(row));
}

/* The end of a long name: files of one folder differ there. */
static const char *tail_of(const char *name)
{
    size_t length = strlen(name);
    return length > 16 ? name + length - 16 : name;
}

void bench_compare_print(const json_t *comparison, const char *a, const char *b, FILE *to)
{
    size_t i = 0;
    json_t *row = NULL;
    fprintf(to, "%-12s %16s %16s %9s\n", "", tail_of(a), tail_of(b), "b/a");
    json_array_foreach(json_object_get(comparison, "rows"), i, row)
    {
        print_row(row, to);
    }
    json_array_foreach(json_object_get(comparison, "unlike"), i, row)
    {
        char *of_a = json_dumps(json_object_get(row, "a"), COMPARE_DUMP);
        char *of_b = json_dumps(json_object_get(row, "b"), COMPARE_DUMP);
        fprintf(to, "the runs are not alike: %s is %s and %s\n",
                json_string_value(json_object_get(row, "setting")), of_a != NULL ? of_a : "none",
                of_b != NULL ? of_b : "none");
        free(of_a);
        free(of_b);
    }
}
