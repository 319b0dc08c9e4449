/* The command table: what it promises holds for every row. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/change.h"
#include "client/cli/commands.h"
#include "client/cli/words.h"

/* The words of an example, up to where a shell takes over; without the leading "quoin". */
static void example_words(const char *example, struct words *words)
{
    size_t used = 0;
    assert_int_equal(words_read(bytes_of_text(example), &used, words), WORDS_DONE);
    for (int i = 0; i < words->count; i++) {
        bool shell = strcmp(words->list[i], "&&") == 0 || strcmp(words->list[i], ">") == 0 ||
                     strcmp(words->list[i], "<") == 0;
        if (shell) {
            words->count = i;
            words->list[i] = NULL;
        }
    }
}

static void example_is_valid(const struct command *command, const char *example)
{
    struct words words;
    char problem[OPTIONS_PROBLEM_MAX] = "";
    struct options options;
    int used = 0;
    example_words(example, &words);
    int skip = strcmp(words.list[0], "quoin") == 0;
    char **list = words.list + skip;
    int count = words.count - skip;
    if (count > 0) { /* `quoin` alone is the shell */
        assert_ptr_equal(command_match(list, count, &used), command);
        list += used - 1;
        count -= used - 1;
        options_init(&options);
        int first = options_parse(count, list, true, command->options, command->option_count,
                                  &options, problem);
        assert_string_equal(problem, "");
        bool left_out = (command->traits & COMMAND_CACHE) != 0 && options.cache != NULL;
        assert_in_range(count - first + left_out, command->argument_min, command->argument_max);
    }
    words_free(&words);
}

/* The name of a change in the help of outcome is one that the client takes. */
static void the_example_of_a_change_is_one(void **state)
{
    (void)state;
    const struct command *command = command_find("outcome");
    struct change_id id;
    assert_non_null(command);
    for (size_t e = 0; command->examples[e] != NULL; e++) {
        assert_int_equal(change_parse(strrchr(command->examples[e], ' ') + 1, &id), QN_OK);
    }
}

/* Every example in the help is a command line that is understood. */
static void examples_are_valid(void **state)
{
    (void)state;
    const struct command *command = NULL;
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        assert_non_null(command->examples[0]);
        for (size_t e = 0; command->examples[e] != NULL; e++) {
            bool bare = strcmp(command->examples[e], "quoin < nightly.quoin") == 0;
            if (!bare) {
                example_is_valid(command, command->examples[e]);
            }
        }
    }
}

static int arguments_shown(const char *text, bool *optional)
{
    int count = *text != '\0';
    *optional = strchr(text, '[') != NULL;
    for (; *text != '\0'; text++) {
        count += *text == ' ';
    }
    return count;
}

/* A row says what it is, has something to run, and its numbers fit what usage shows. */
static void rows_are_complete(void **state)
{
    (void)state;
    const struct command *command = NULL;
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        bool optional = false;
        int shown = arguments_shown(command->arguments, &optional);
        assert_non_null(command->run);
        assert_true(*command->summary != '\0' &&
                    command->summary[strlen(command->summary) - 1] != '.');
        assert_true(command->argument_max >= shown);
        assert_true(command->argument_min <= shown);
        assert_true(!optional || command->argument_min < shown);
        const unsigned cache = COMMAND_CACHE | COMMAND_NAMED_CACHE | COMMAND_NEW_CACHE;
        bool says = strstr(command->arguments, "CACHE") != NULL;
        assert_int_equal(says, (command->traits & cache) != 0);
    }
}

/* No two rows have the same name, and no name is hidden by one of two words. */
static void names_are_unique(void **state)
{
    (void)state;
    const struct command *command = NULL;
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        for (size_t other = 0; other < c; other++) {
            assert_string_not_equal(command->name, command_at(other)->name);
        }
    }
}

/* A command has no option that every command has, and none twice: one of them would never be read.
 */
static void options_are_unique(void **state)
{
    (void)state;
    const struct command *command = NULL;
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        for (size_t i = 0; i < command->option_count; i++) {
            const struct option_spec *spec = &command->options[i];
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(spec->name, command->options[j].name);
            }
            for (size_t j = 0; j < options_global_count; j++) {
                assert_string_not_equal(spec->name, options_global[j].name);
            }
            assert_true((spec->argument == NULL) == (spec->kind == OPTION_FLAG));
        }
    }
}

/* What can be asked again and again is only asked: no command that changes something has --watch,
 * and what destroys asks for --yes. */
static void only_reads_are_watched(void **state)
{
    (void)state;
    static const char *const changing[] = {"put",    "remove", "touch",  "clear", "drop",
                                           "create", "commit", "import", "bench", "log set"};
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        const struct command *command = command_find(changing[i]);
        assert_non_null(command);
        for (size_t j = 0; j < command->option_count; j++) {
            assert_string_not_equal(command->options[j].name, "watch");
        }
    }
    assert_string_equal(command_find("clear")->options[0].name, "yes");
    assert_string_equal(command_find("drop")->options[0].name, "yes");
}

/* The longest name that the words begin with is the command. */
static void names_of_two_words_are_found(void **state)
{
    (void)state;
    int used = 0;
    char *set[] = {(char[]){"log"}, (char[]){"set"}, (char[]){"all"}, NULL};
    char *get[] = {(char[]){"get"}, (char[]){"set"}, NULL};
    char *log[] = {(char[]){"log"}, NULL};
    assert_string_equal(command_match(set, 3, &used)->name, "log set");
    assert_int_equal(used, 2);
    assert_string_equal(command_match(get, 2, &used)->name, "get");
    assert_int_equal(used, 1);
    assert_null(command_match(log, 1, &used));
    char list[128];
    assert_true(command_list_below("log", list, sizeof list));
    assert_non_null(strstr(list, "log levels, log set"));
    assert_false(command_list_below("get", list, sizeof list));
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

enum { HELP_MAX = 16384 };

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
    const struct command *command = NULL;
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        help_of(command, text);
        const char *examples = strstr(text, "\nexamples:\n");
        const char *usage = strstr(text, "\nusage: ");
        assert_true(examples != NULL && usage > examples);
        for (size_t i = 0; i < command->option_count; i++) {
            assert_non_null(strstr(text, command->options[i].text));
        }
    }
    help_of(NULL, text);
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        assert_non_null(strstr(text, command->summary));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_a_change_is_one),
        cmocka_unit_test(examples_are_valid),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(options_are_unique),
        cmocka_unit_test(only_reads_are_watched),
        cmocka_unit_test(names_of_two_words_are_found),
        cmocka_unit_test(commands_are_found),
        cmocka_unit_test(help_begins_with_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
