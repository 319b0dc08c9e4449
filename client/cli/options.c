#define _GNU_SOURCE
#include "client/cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/suggest.h"
#include "config/value.h"
#include "wire/assert.h"

enum { OPTION_TABLE_MAX = 48, OPTION_FIRST = 1000 };

#define OPTION_PLACE(field) offsetof(struct options, field)

const struct option_spec options_global[] = {
    {"uri", "URI", "nodes to connect to (default: $QUOIN_URI, else quoin://127.0.0.1:7100)",
     OPTION_TEXT, OPTION_PLACE(uri), 0, 0},
    {"timeout", "DURATION", "of each call, such as 500ms or 10s (default: 15s)", OPTION_DURATION,
     OPTION_PLACE(timeout_ms), 1, 86400000},
    {"types", "FILE", "names of types and fields (default: $QUOIN_TYPES)", OPTION_TEXT,
     OPTION_PLACE(types_file), 0, 0},
    {"json", NULL, "print one JSON document", OPTION_FLAG, OPTION_PLACE(json), 0, 0},
    {"help", NULL, "explain the command", OPTION_FLAG, OPTION_PLACE(help), 0, 0},
    {"version", NULL, "print the version", OPTION_FLAG, OPTION_PLACE(version), 0, 0},
};
const size_t options_global_count = sizeof options_global / sizeof *options_global;

/* Both tables of a parse as one, numbered through. */
struct option_tables {
    const struct option_spec *specs[OPTION_TABLE_MAX];
    struct option names[OPTION_TABLE_MAX + 1]; /* as getopt wants them */
    int count;
};

void options_init(struct options *options)
{
    *options = (struct options){
        .timeout_ms = -1,
        .if_version = -1,
        .in_flight = -1,
        .request_count = -1,
        .time_ms = -1,
        .key_count = 100000,
        .key_size = 16,
        .value_size = 100,
        .gets_percent = 50,
        .thread_count = 1,
    };
}

static void tables_add(struct option_tables *tables, const struct option_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        qn_assert(tables->count < OPTION_TABLE_MAX);
        tables->specs[tables->count] = &specs[i];
        tables->names[tables->count] = (struct option){
            .name = specs[i].name,
            .has_arg = specs[i].kind == OPTION_FLAG ? no_argument : required_argument,
            .val = OPTION_FIRST + tables->count,
        };
        tables->count++;
    }
}

__attribute__((format(printf, 2, 3))) static bool problem_set(char *problem, const char *format,
                                                              ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, OPTIONS_PROBLEM_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* A size may also be a plain number of octets. */
static bool size_parse(const char *text, int64_t *value, const char **problem)
{
    return value_count_parse(text, value, problem) || value_size_parse(text, value, problem);
}

static bool number_parse(enum option_kind kind, const char *text, int64_t *value,
                         const char **problem)
{
    switch (kind) {
    case OPTION_COUNT:
        return value_count_parse(text, value, problem);
    case OPTION_SIZE:
        return size_parse(text, value, problem);
    case OPTION_DURATION:
        return value_duration_parse(text, value, problem);
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return false;
}

static bool option_set_number(const struct option_spec *spec, const char *text, int64_t *place,
                              char *problem)
{
    int64_t value = 0;
    const char *why = "";
    if (!number_parse(spec->kind, text, &value, &why)) {
        return problem_set(problem, "--%s %s: %s", spec->name, text, why);
    }
    if (value < spec->min || value > spec->max) {
        const char *unit = spec->kind == OPTION_DURATION ? " ms" : "";
        return problem_set(problem, "--%s %s: must be from %lld to %lld%s", spec->name, text,
                           (long long)spec->min, (long long)spec->max, unit);
    }
    *place = value;
    return true;
}

static bool option_set(const struct option_spec *spec, const char *text, struct options *options,
                       char *problem)
{
    void *place = (char *)options + spec->place;
    if (spec->kind == OPTION_FLAG) {
        *(bool *)place = true;
        return true;
    }
    if (spec->kind == OPTION_TEXT) {
        *(const char **)place = text;
        return true;
    }
    return option_set_number(spec, text, place, problem);
}

/* `word` is "--name" or "--name=value". */
static bool problem_unknown(const struct option_tables *tables, const char *word, char *problem)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct suggest suggest = {.word = name};
    for (int i = 0; i < tables->count; i++) {
        suggest_offer(&suggest, tables->specs[i]->name);
    }
    if (suggest.nearest != NULL) {
        return problem_set(problem, "unknown option --%s; did you mean --%s?", name,
                           suggest.nearest);
    }
    return problem_set(problem, "unknown option --%s", name);
}

/* What getopt did not like about argv[at]. */
static bool problem_of_word(const struct option_tables *tables, int kind, const char *word,
                            char *problem)
{
    int number = optopt - OPTION_FIRST;
    bool known = number >= 0 && number < tables->count;
    if (kind == ':' && known) {
        const struct option_spec *spec = tables->specs[number];
        return problem_set(problem, "--%s needs a value: --%s %s", spec->name, spec->name,
                           spec->argument);
    }
    if (known) {
        return problem_set(problem, "--%s takes no value", tables->specs[number]->name);
    }
    if (optopt != 0) {
        return problem_set(problem, "unknown option -%c (put -- before a value that begins with -)",
                           optopt);
    }
    return problem_unknown(tables, word, problem);
}

int options_parse(int argc, char **argv, bool permute, const struct option_spec *own,
                  size_t own_count, struct options *options, char *problem)
{
    struct option_tables tables = {.count = 0};
    tables_add(&tables, options_global, options_global_count);
    tables_add(&tables, own, own_count);
    optind = 0; /* getopt of glibc: forget the parse before this one */
    opterr = 0;
    for (;;) {
        int kind = getopt_long(argc, argv, permute ? ":h" : "+:h", tables.names, NULL);
        if (kind == -1) {
            return optind;
        }
        if (kind == 'h') {
            options->help = true;
        } else if (kind >= OPTION_FIRST) {
            if (!option_set(tables.specs[kind - OPTION_FIRST], optarg, options, problem)) {
                return -1;
            }
        } else {
            problem_of_word(&tables, kind, argv[optind - 1], problem);
            return -1;
        }
    }
}
