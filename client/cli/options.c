#define _GNU_SOURCE
#include "client/cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/value.h"
#include "wire/assert.h"
#include "wire/suggest.h"

enum { OPTION_TABLE_MAX = 64, OPTION_FIRST = 1000, OPTION_LETTERS_MAX = 32 };

#define OPTION_PLACE(field) offsetof(struct options, field)

#define GLOBAL_TEXT(name_, letter_, argument_, field, text_)                                       \
    {                                                                                              \
        .name = name_, .letter = letter_, .argument = argument_, .text = text_,                    \
        .kind = OPTION_TEXT, .place = OPTION_PLACE(field)                                          \
    }
#define GLOBAL_FLAG(name_, letter_, field, text_)                                                  \
    {                                                                                              \
        .name = name_, .letter = letter_, .text = text_, .kind = OPTION_FLAG,                      \
        .place = OPTION_PLACE(field)                                                               \
    }

const struct option_spec options_global[] = {
    GLOBAL_TEXT("uri", 0, "URI", uri,
                "nodes to connect to (default: $QUOIN_URI, else quoin://127.0.0.1:7100)"),
    GLOBAL_TEXT("cache", 'c', "NAME", cache,
                "the current cache: the argument CACHE is left out (default: $QUOIN_CACHE)"),
    {.name = "timeout",
     .argument = "DURATION",
     .text = "of each call, such as 500ms or 10s (default: 15s)",
     .kind = OPTION_DURATION,
     .place = OPTION_PLACE(timeout_ms),
     .min = 1,
     .max = 86400000},
    GLOBAL_TEXT("types", 0, "FILE", types_file,
                "names of types and fields (default: $QUOIN_TYPES)"),
    GLOBAL_FLAG("json", 0, json, "print one JSON document, or one a line"),
    GLOBAL_FLAG("help", 'h', help, "explain the command"),
    GLOBAL_FLAG("version", 0, version, "print the version"),
};
const size_t options_global_count = sizeof options_global / sizeof *options_global;

/* Both tables of a parse as one, numbered through. */
struct option_tables {
    const struct option_spec *specs[OPTION_TABLE_MAX];
    struct option names[OPTION_TABLE_MAX + 1]; /* as getopt wants them */
    int count;
    char letters[OPTION_LETTERS_MAX]; /* ":hc:" */
};

void options_init(struct options *options)
{
    *options = (struct options){
        .timeout_ms = -1,
        .partition = -1,
        .if_version = -1,
        .ttl_ms = -1,
        .limit = -1,
        .in_flight = -1,
        .request_count = -1,
        .time_ms = -1,
        .key_count = 100000,
        .key_size = 16,
        .value_size = "100",
        .seed = -1,
        .gets_percent = 50,
        .thread_count = 1,
    };
}

const char *option_shown(const struct option_spec *spec, char *text)
{
    const char letter[] = {'-', spec->letter, ',', ' ', '\0'};
    const char *before = spec->argument == NULL ? "" : spec->bare != NULL ? "[=" : " ";
    snprintf(text, OPTION_SHOWN_MAX, "%s--%s%s%s%s", spec->letter != 0 ? letter : "", spec->name,
             before, spec->argument != NULL ? spec->argument : "",
             spec->argument != NULL && spec->bare != NULL ? "]" : "");
    return text;
}

static void letters_add(struct option_tables *tables, const struct option_spec *spec)
{
    if (spec->letter != 0) {
        size_t used = strlen(tables->letters);
        snprintf(tables->letters + used, sizeof tables->letters - used, "%c%s", spec->letter,
                 spec->kind == OPTION_FLAG ? "" : ":");
    }
}

/* The option of a letter; NULL = none has it. */
static const struct option_spec *letter_find(const struct option_tables *tables, int letter)
{
    for (int i = 0; i < tables->count; i++) {
        if (letter != 0 && tables->specs[i]->letter == letter) {
            return tables->specs[i];
        }
    }
    return NULL;
}

static int argument_of(const struct option_spec *spec)
{
    if (spec->kind == OPTION_FLAG) {
        return no_argument;
    }
    return spec->bare != NULL ? optional_argument : required_argument;
}

static void tables_add(struct option_tables *tables, const struct option_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        qn_assert(tables->count < OPTION_TABLE_MAX);
        tables->specs[tables->count] = &specs[i];
        tables->names[tables->count] = (struct option){
            .name = specs[i].name,
            .has_arg = argument_of(&specs[i]),
            .val = OPTION_FIRST + tables->count,
        };
        letters_add(tables, &specs[i]);
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

/* "never", or a duration. */
static bool ttl_parse(const char *text, int64_t *value, const char **problem)
{
    if (strcmp(text, "never") == 0) {
        *value = OPTIONS_NEVER;
        return true;
    }
    return value_duration_parse(text, value, problem);
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
    case OPTION_TTL:
        return ttl_parse(text, value, problem);
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
    bool never = spec->kind == OPTION_TTL && value == OPTIONS_NEVER;
    if (!never && (value < spec->min || value > spec->max)) {
        const char *unit = spec->kind == OPTION_DURATION || spec->kind == OPTION_TTL ? " ms" : "";
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
    const struct option_spec *spec = known ? tables->specs[number] : letter_find(tables, optopt);
    if (kind == ':' && spec != NULL) {
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
    snprintf(tables.letters, sizeof tables.letters, "%s:", permute ? "" : "+");
    tables_add(&tables, options_global, options_global_count);
    tables_add(&tables, own, own_count);
    optind = 0; /* getopt of glibc: forget the parse before this one */
    opterr = 0;
    for (;;) {
        int kind = getopt_long(argc, argv, tables.letters, tables.names, NULL);
        if (kind == -1) {
            return optind;
        }
        const struct option_spec *spec =
            kind >= OPTION_FIRST ? tables.specs[kind - OPTION_FIRST] : letter_find(&tables, kind);
        if (spec == NULL) {
            problem_of_word(&tables, kind, argv[optind - 1], problem);
            return -1;
        }
        if (!option_set(spec, optarg != NULL ? optarg : spec->bare, options, problem)) {
            return -1;
        }
    }
}
