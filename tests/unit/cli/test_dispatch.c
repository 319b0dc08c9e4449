/* From words to a command, as far as no grid is needed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/commands.h"
#include "client/cli/dispatch.h"
#include "client/cli/words.h"

/* A run of the tool with the words of `line`; `*complaint` is what it said on stderr. */
static enum cli_exit run_line(struct cli *cli, const char *line, char *complaint, size_t size)
{
    struct words words;
    size_t used = 0;
    assert_int_equal(words_read(bytes_of_text(line), &used, &words), WORDS_DONE);
    FILE *before = stderr;
    memset(complaint, 0, size);
    FILE *captured = fmemopen(complaint, size, "w");
    assert_non_null(captured);
    stderr = captured; /* glibc: a variable */
    enum cli_exit code = dispatch_line(cli, words.count, words.list);
    stderr = before;
    fclose(captured);
    words_free(&words);
    return code;
}

static void expect(struct cli *cli, const char *line, enum cli_exit code, const char *says)
{
    char complaint[1024];
    enum cli_exit got = run_line(cli, line, complaint, sizeof complaint);
    if (got != code || strstr(complaint, says) == NULL) {
        fail_msg("%s: exit code %d, says '%s'", line, (int)got, complaint);
    }
    assert_null(cli->command);
    assert_null(cli->arguments);
}

static struct cli *new_cli(struct cli *cli, enum cli_place place)
{
    *cli = (struct cli){.place = place};
    options_init(&cli->base);
    options_init(&cli->options);
    return cli;
}

/* Mistakes of a line are explained and are exit code 2. */
static void mistakes_are_usage(void **state)
{
    (void)state;
    struct cli cli;
    new_cli(&cli, CLI_SCRIPT);
    expect(&cli, "gett a b", CLI_USAGE, "did you mean get?");
    expect(&cli, "log", CLI_USAGE, "log what? There is log levels, log set");
    expect(&cli, "get accounts", CLI_USAGE, "an argument is missing");
    expect(&cli, "get accounts a b", CLI_USAGE, "one argument too many: b");
    expect(&cli, "get accounts a --csv --raw", CLI_USAGE, "exclude each other");
    expect(&cli, "get accounts a --watch=soon", CLI_USAGE, "--watch soon");
    expect(&cli, "put accounts a b --watch", CLI_USAGE, "unknown option --watch");
    expect(&cli, "timing maybe", CLI_USAGE, "timing is on or off");
    cli_fini(&cli);
}

/* With a current cache the argument is left out, always; so what is too much is found. */
static void the_current_cache_is_left_out(void **state)
{
    (void)state;
    struct cli cli;
    new_cli(&cli, CLI_SCRIPT);
    assert_true(cli_use(&cli, "accounts"));
    expect(&cli, "get", CLI_USAGE, "an argument is missing");
    expect(&cli, "get accounts alice", CLI_USAGE, "the cache is accounts already");
    expect(&cli, "get -c other accounts alice", CLI_USAGE, "the cache is other already");
    expect(&cli, "count accounts", CLI_USAGE, "one argument too many: accounts");
    assert_true(cli_use(&cli, NULL));
    expect(&cli, "get alice", CLI_USAGE, "an argument is missing");
    expect(&cli, "get --cache accounts", CLI_USAGE, "an argument is missing");
    cli_fini(&cli);
}

/* What destroys names its cache: the current one is not meant by accident. */
static void what_destroys_names_its_cache(void **state)
{
    (void)state;
    struct cli cli;
    new_cli(&cli, CLI_SCRIPT);
    assert_true(cli_use(&cli, "accounts"));
    expect(&cli, "clear", CLI_USAGE, "an argument is missing");
    expect(&cli, "drop --yes", CLI_USAGE, "an argument is missing");
    expect(&cli, "drop x --cache accounts", CLI_USAGE, "the cache is an argument here");
    cli_fini(&cli);
}

/* Some commands make sense in one place only. */
static void commands_know_their_place(void **state)
{
    (void)state;
    struct cli cli;
    new_cli(&cli, CLI_ONCE);
    expect(&cli, "use accounts", CLI_USAGE, "a command of the shell and of scripts");
    expect(&cli, "exit", CLI_USAGE, "a command of the shell and of scripts");
    assert_false(cli.leaving);
    new_cli(&cli, CLI_SCRIPT);
    expect(&cli, "shell", CLI_USAGE, "not from within");
    expect(&cli, "history", CLI_USAGE, "a script has no history");
    expect(&cli, "quoin exit", CLI_DONE, "");
    assert_true(cli.leaving);
    cli_fini(&cli);
}

/* Options of one command are not those of the next. */
static void options_end_with_their_command(void **state)
{
    (void)state;
    struct cli cli;
    new_cli(&cli, CLI_SCRIPT);
    expect(&cli, "get a b c --json", CLI_USAGE, "one argument too many");
    assert_false(cli.options.json);
    cli.base.json = true;
    expect(&cli, "get a b c --csv", CLI_USAGE, "one argument too many: c");
    expect(&cli, "get a b --csv", CLI_USAGE, "--json, --csv and --raw exclude each other");
    cli_fini(&cli);
}

/* Without a terminal nothing is asked, so nothing is destroyed; --yes is an answer. */
static void without_a_terminal_nothing_is_asked(void **state)
{
    (void)state;
    struct cli cli;
    new_cli(&cli, CLI_SCRIPT);
    assert_non_null(freopen("/dev/null", "r", stdin));
    assert_int_equal(cli_ask(&cli, "remove everything"), CLI_USAGE);
    cli.options.yes = true;
    assert_int_equal(cli_ask(&cli, "remove everything"), CLI_DONE);
    cli_fini(&cli);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_usage),
        cmocka_unit_test(the_current_cache_is_left_out),
        cmocka_unit_test(what_destroys_names_its_cache),
        cmocka_unit_test(commands_know_their_place),
        cmocka_unit_test(options_end_with_their_command),
        cmocka_unit_test(without_a_terminal_nothing_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
