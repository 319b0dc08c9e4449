/* Reading the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/options.h"

#define FIELD(field) .place = offsetof(struct options, field)

static const struct option_spec own[] = {
    {.name = "load", .text = "", .kind = OPTION_FLAG, FIELD(load)},
    {.name = "keys",
     .argument = "N",
     .kind = OPTION_COUNT,
     FIELD(key_count),
     .min = 1,
     .max = 1000},
    {.name = "key-size",
     .argument = "SIZE",
     .kind = OPTION_SIZE,
     FIELD(key_size),
     .min = 1,
     .max = 65536},
    {.name = "time",
     .argument = "DURATION",
     .kind = OPTION_DURATION,
     FIELD(time_ms),
     .min = 1,
     .max = 60000},
    {.name = "format", .letter = 'f', .argument = "NAME", .kind = OPTION_TEXT, FIELD(format)},
    {.name = "watch",
     .argument = "DURATION",
     .bare = "2s",
     .kind = OPTION_DURATION,
     FIELD(watch_ms),
     .min = 100,
     .max = 60000},
    {.name = "ttl",
     .argument = "DURATION",
     .kind = OPTION_TTL,
     FIELD(ttl_ms),
     .min = 1,
     .max = 60000},
};

enum { WORDS_MAX = 8 };

/* A command line of up to WORDS_MAX words. */
struct line {
    char words[WORDS_MAX][32];
    char *argv[WORDS_MAX + 1];
    int argc;
    struct options options;
    char problem[OPTIONS_PROBLEM_MAX];
};

static int parse(struct line *line, bool permute, const char *text)
{
    *line = (struct line){.argc = 0};
    options_init(&line->options);
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        memcpy(line->words[line->argc], text, length);
        line->argv[line->argc] = line->words[line->argc];
        line->argc++;
        text += length + (text[length] == ' ');
    }
    return options_parse(line->argc, line->argv, permute, own, sizeof own / sizeof *own,
                         &line->options, line->problem);
}

/* Options are read wherever they stand; the other arguments come out in their order. */
static void options_stand_anywhere(void **state)
{
    (void)state;
    struct line line;
    int first = parse(&line, true, "bench a --load b --keys=7 --format x");
    assert_int_equal(first, 5);
    assert_string_equal(line.argv[5], "a");
    assert_string_equal(line.argv[6], "b");
    assert_true(line.options.load);
    assert_int_equal(line.options.key_count, 7);
    assert_string_equal(line.options.format, "x");
}

/* Before the command only its own options are read: reading stops at the first other word. */
static void reading_stops_at_the_command(void **state)
{
    (void)state;
    struct line line;
    assert_int_equal(parse(&line, false, "quoin --json get --load"), 2);
    assert_true(line.options.json);
    assert_false(line.options.load);
}

/* After -- everything is an argument. */
static void dashes_end_the_options(void **state)
{
    (void)state;
    struct line line;
    int first = parse(&line, true, "put -- -5");
    assert_int_equal(first, 2);
    assert_string_equal(line.argv[2], "-5");
}

/* Values have units, and land in the unit of their field. */
static void values_are_converted(void **state)
{
    (void)state;
    struct line line;
    assert_true(parse(&line, true, "b --key-size 2KiB --time 3s --timeout 250ms") > 0);
    assert_int_equal(line.options.key_size, 2048);
    assert_int_equal(line.options.time_ms, 3000);
    assert_int_equal(line.options.timeout_ms, 250);
    assert_true(parse(&line, true, "b --key-size 100") > 0);
    assert_int_equal(line.options.key_size, 100);
}

/* An option with a value of its own stands alone, and takes another one only behind '='. */
static void a_bare_option_has_its_value(void **state)
{
    (void)state;
    struct line line;
    assert_int_equal(parse(&line, true, "count a"), 1);
    assert_int_equal(line.options.watch_ms, 0);
    assert_int_equal(parse(&line, true, "count --watch a"), 2);
    assert_int_equal(line.options.watch_ms, 2000);
    assert_string_equal(line.argv[2], "a");
    assert_int_equal(parse(&line, true, "count --watch=500ms a"), 2);
    assert_int_equal(line.options.watch_ms, 500);
}

/* A letter stands for its option, with the value behind it or in the same word. */
static void letters_are_options(void **state)
{
    (void)state;
    struct line line;
    assert_int_equal(parse(&line, true, "get -c accounts -fx a"), 4);
    assert_string_equal(line.options.cache, "accounts");
    assert_string_equal(line.options.format, "x");
    assert_int_equal(parse(&line, true, "get a -c"), -1);
    assert_non_null(strstr(line.problem, "--cache needs a value"));
}

/* A time to live is a duration or never. */
static void a_time_to_live_may_be_never(void **state)
{
    (void)state;
    struct line line;
    assert_true(parse(&line, true, "put") > 0);
    assert_int_equal(line.options.ttl_ms, -1);
    assert_true(parse(&line, true, "put --ttl 3s") > 0);
    assert_int_equal(line.options.ttl_ms, 3000);
    assert_true(parse(&line, true, "put --ttl never") > 0);
    assert_true(line.options.ttl_ms == OPTIONS_NEVER);
    assert_int_equal(parse(&line, true, "put --ttl 2m"), -1);
    assert_int_equal(parse(&line, true, "put --ttl often"), -1);
}

/* Help shows letter, name, argument and that it may be left out. */
static void an_option_is_shown_as_it_is_written(void **state)
{
    (void)state;
    char text[OPTION_SHOWN_MAX];
    assert_string_equal(option_shown(&own[0], text), "--load");
    assert_string_equal(option_shown(&own[1], text), "--keys N");
    assert_string_equal(option_shown(&own[4], text), "-f, --format NAME");
    assert_string_equal(option_shown(&own[5], text), "--watch[=DURATION]");
}

struct mistake {
    const char *line;
    const char *says;
};

/* Each mistake is explained, with the name that was meant where it can be guessed. */
static void mistakes_are_explained(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"b --kays 3", "did you mean --keys?"},
        {"b --timout=3s", "did you mean --timeout?"},
        {"b --zzzzzzzz", "unknown option --zzzzzzzz"},
        {"b --keys", "--keys needs a value: --keys N"},
        {"b --keys 0", "must be from 1 to 1000"},
        {"b --keys 1001", "must be from 1 to 1000"},
        {"b --keys x", "--keys x: "},
        {"b --time 5", "--time 5: "},
        {"b --time 2m", "must be from 1 to 60000 ms"},
        {"b --load=yes", "--load takes no value"},
        {"b -5", "unknown option -5 (put --"},
    };
    struct line line;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assert_int_equal(parse(&line, true, mistakes[i].line), -1);
        if (strstr(line.problem, mistakes[i].says) == NULL) {
            fail_msg("%s: says '%s'", mistakes[i].line, line.problem);
        }
    }
}

/* -h and --help ask for help. */
static void help_is_asked_for(void **state)
{
    (void)state;
    struct line line;
    assert_true(parse(&line, true, "b -h") > 0);
    assert_true(line.options.help);
    assert_true(parse(&line, true, "b --help") > 0);
    assert_true(line.options.help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_stand_anywhere),
        cmocka_unit_test(reading_stops_at_the_command),
        cmocka_unit_test(dashes_end_the_options),
        cmocka_unit_test(values_are_converted),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(a_bare_option_has_its_value),
        cmocka_unit_test(letters_are_options),
        cmocka_unit_test(a_time_to_live_may_be_never),
        cmocka_unit_test(an_option_is_shown_as_it_is_written),
        cmocka_unit_test(help_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
