/* Reading the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/options.h"

static const struct option_spec own[] = {
    {"load", NULL, "", OPTION_FLAG, offsetof(struct options, load), 0, 0},
    {"keys", "N", "", OPTION_COUNT, offsetof(struct options, key_count), 1, 1000},
    {"key-size", "SIZE", "", OPTION_SIZE, offsetof(struct options, key_size), 1, 65536},
    {"time", "DURATION", "", OPTION_DURATION, offsetof(struct options, time_ms), 1, 60000},
    {"cache", "NAME", "", OPTION_TEXT, offsetof(struct options, cache), 0, 0},
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
    int first = parse(&line, true, "bench a --load b --keys=7 --cache x");
    assert_int_equal(first, 5);
    assert_string_equal(line.argv[5], "a");
    assert_string_equal(line.argv[6], "b");
    assert_true(line.options.load);
    assert_int_equal(line.options.key_count, 7);
    assert_string_equal(line.options.cache, "x");
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
        cmocka_unit_test(options_stand_anywhere), cmocka_unit_test(reading_stops_at_the_command),
        cmocka_unit_test(dashes_end_the_options), cmocka_unit_test(values_are_converted),
        cmocka_unit_test(mistakes_are_explained), cmocka_unit_test(help_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
