/* The command table: what it promises holds for every row. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/commands.h"

/* Split an example into words, apostrophes kept together and dropped. */
static int words_of(char *text, char **words, int max)
{
    int count = 0;
    while (*text != '\0' && count < max) {
        char end = *text == '\'' ? '\'' : ' ';
        text += end == '\'';
        words[count++] = text;
        text = strchrnul(text, end);
        if (*text != '\0') {
            *text++ = '\0';
        }
        text += *text == ' ' && end == '\'';
    }
    return count;
}

/* Every example in the help is a command line that is understood. */
static void examples_are_valid(void **state)
{
    (void)state;
    for (size_t c = 0; c < command_count; c++) {
        const struct command *command = &commands[c];
        assert_non_null(command->examples[0]);
        for (size_t e = 0; command->examples[e] != NULL; e++) {
            char text[256];
            char *words[32];
            char problem[OPTIONS_PROBLEM_MAX] = "";
            struct options options;
            snprintf(text, sizeof text, "%s", command->examples[e]);
            char *shell = strstr(text, " && ");
            if (shell != NULL) {
                *shell = '\0';
            }
            int count = words_of(text, words, 32);
            assert_string_equal(words[0], "quoin");
            assert_string_equal(words[1], command->name);
            options_init(&options);
            int first = options_parse(count - 1, words + 1, true, command->options,
                                      command->option_count, &options, problem);
            assert_string_equal(problem, "");
            int arguments = count - 1 - first;
            assert_in_range(arguments, command->argument_min, command->argument_max);
        }
    }
}

/* Commands are found by name, and a name that is nearly one leads to it. */
static void commands_are_found(void **state)
{
    (void)state;
    assert_non_null(command_find("import"));
    assert_null(command_find("imprt"));
    assert_string_equal(command_suggest("imprt"), "import");
    assert_string_equal(command_suggest("stauts"), "status");
    assert_null(command_suggest("xyzzyplugh"));
}

enum { HELP_MAX = 8192 };

static void help_of(const struct command *command, char *text)
{
    FILE *file = fmemopen(text, HELP_MAX, "w");
    assert_non_null(file);
    help_print(command, file);
    fclose(file);
}

/* Help shows examples before options, and every option. */
static void help_begins_with_examples(void **state)
{
    (void)state;
    char text[HELP_MAX];
    for (size_t c = 0; c < command_count; c++) {
        help_of(&commands[c], text);
        const char *examples = strstr(text, "\nexamples:\n");
        const char *usage = strstr(text, "\nusage: ");
        assert_true(examples != NULL && usage > examples);
        for (size_t i = 0; i < commands[c].option_count; i++) {
            assert_non_null(strstr(text, commands[c].options[i].text));
        }
    }
    help_of(NULL, text);
    for (size_t c = 0; c < command_count; c++) {
        assert_non_null(strstr(text, commands[c].summary));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_valid),
        cmocka_unit_test(commands_are_found),
        cmocka_unit_test(help_begins_with_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
