#define _GNU_SOURCE
#include "client/cli/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/guard.h"
#include "client/cli/progress.h"
#include "client/cli/text.h"
#include "client/cli/watch.h"

enum { DISPATCH_LIST_MAX = 256 };

static enum cli_exit unknown_command(const struct cli *cli, const char *name)
{
    char below[DISPATCH_LIST_MAX];
    if (command_list_below(name, below, sizeof below)) {
        return cli_usage(cli, "%s what? There is %s", name, below);
    }
    const char *near = command_suggest(name);
    if (near != NULL) {
        return cli_usage(cli, "no command is called %s; did you mean %s?", name, near);
    }
    return cli_usage(cli, "no command is called %s", name);
}

static enum cli_exit check_place(const struct cli *cli)
{
    unsigned traits = cli->command->traits;
    if ((traits & COMMAND_SESSION) != 0 && cli->place == CLI_ONCE) {
        return cli_usage(cli, "this is a command of the shell and of scripts");
    }
    if ((traits & COMMAND_ONCE) != 0 && cli->place != CLI_ONCE) {
        return cli_usage(cli, "not from within the shell or a script");
    }
    return CLI_DONE;
}

/* What names its cache takes no other one. */
static enum cli_exit check_cache(const struct cli *cli)
{
    const unsigned named = COMMAND_NAMED_CACHE | COMMAND_NEW_CACHE;
    if ((cli->command->traits & named) != 0 && cli->options.cache != NULL) {
        return cli_usage(cli, "the cache is an argument here, and not --cache %s",
                         cli->options.cache);
    }
    return CLI_DONE;
}

static enum cli_exit check_output(const struct cli *cli)
{
    const struct options *options = &cli->options;
    if (options->json + options->csv + options->raw > 1) {
        return cli_usage(cli, "--json, --csv and --raw exclude each other");
    }
    return CLI_DONE;
}

/* The cache that stands in no argument: of the option, else the current one. */
static void cache_settle(struct cli *cli)
{
    if (cli->options.cache == NULL || *cli->options.cache == '\0') {
        cli->options.cache = cli->current;
    }
}

static bool cache_is_left_out(const struct cli *cli)
{
    return (cli->command->traits & COMMAND_CACHE) != 0 && cli->options.cache != NULL;
}

static enum cli_exit check_count(const struct cli *cli)
{
    const struct command *command = cli->command;
    bool left_out = cache_is_left_out(cli);
    if (cli->argument_count < command->argument_min) {
        return cli_usage(cli, "an argument is missing");
    }
    if (cli->argument_count > command->argument_max) {
        return cli_usage(cli, "one argument too many: %s%s%s%s",
                         cli->arguments[command->argument_max], left_out ? " (the cache is " : "",
                         left_out ? cli->options.cache : "",
                         left_out ? " already; the argument CACHE is left out then)" : "");
    }
    return CLI_DONE;
}

/* The arguments, with the cache in front where it was left out. NULL = no memory. */
static char **arguments_make(struct cli *cli, int count, char **words)
{
    char **arguments = calloc((size_t)count + 2, sizeof *arguments);
    if (arguments == NULL) {
        return NULL;
    }
    int at = 0;
    if (cache_is_left_out(cli)) {
        char *name = strdup(cli->options.cache);
        if (name == NULL) {
            free(arguments);
            return NULL;
        }
        arguments[at++] = name;
    }
    memcpy(arguments + at, words, (size_t)count * sizeof *words);
    cli->argument_count = at + count;
    return arguments;
}

static void arguments_free(struct cli *cli)
{
    if (cli->arguments != NULL && cache_is_left_out(cli)) {
        free(cli->arguments[0]);
    }
    free(cli->arguments);
    cli->arguments = NULL;
    cli->argument_count = 0;
}

static enum cli_exit run_checked(struct cli *cli, int count, char **words)
{
    enum cli_exit code = check_cache(cli);
    if (code != CLI_DONE) {
        return code;
    }
    cache_settle(cli);
    cli->arguments = arguments_make(cli, count, words);
    if (cli->arguments == NULL) {
        cli_say(cli, "out of memory");
        return CLI_REFUSED;
    }
    code = check_count(cli);
    code = code == CLI_DONE ? check_output(cli) : code;
    if (code != CLI_DONE) {
        return code;
    }
    return cli->options.watch_ms > 0 ? watch_run(cli) : cli->command->run(cli);
}

static enum cli_exit run_words(struct cli *cli, int count, char **words)
{
    int used = 0;
    cli->command = command_match(words, count, &used);
    if (cli->command == NULL) {
        return unknown_command(cli, words[0]);
    }
    enum cli_exit code = check_place(cli);
    if (code != CLI_DONE) {
        return code;
    }
    char problem[OPTIONS_PROBLEM_MAX];
    words += used - 1;
    count -= used - 1;
    int first = options_parse(count, words, true, cli->command->options, cli->command->option_count,
                              &cli->options, problem);
    if (first < 0) {
        return cli_usage(cli, "%s", problem);
    }
    if (cli->options.help) {
        help_print(cli->command, stdout);
        return CLI_DONE;
    }
    return run_checked(cli, count - first, words + first);
}

static enum cli_exit stdout_check(const struct cli *cli, enum cli_exit code)
{
    if (fflush(stdout) == 0 || code != CLI_DONE) {
        return code;
    }
    cli_say(cli, "cannot write to stdout");
    return CLI_REFUSED;
}

static void command_forget(struct cli *cli)
{
    arguments_free(cli);
    types_free(cli->types);
    cli->types = NULL;
    cli->command = NULL;
}

enum cli_exit dispatch(struct cli *cli, int count, char **words)
{
    const struct command *outer = cli->command; /* `run` within a shell: a command within one */
    struct options outer_options = cli->options;
    char **outer_arguments = cli->arguments;
    int outer_count = cli->argument_count;
    cli->options = cli->base;
    cli->arguments = NULL;
    enum cli_exit code = stdout_check(cli, run_words(cli, count, words));
    command_forget(cli);
    if (code != CLI_DONE && code != CLI_NO) {
        cli_forget_caches(cli);
    }
    cli->command = outer;
    cli->options = outer_options;
    cli->arguments = outer_arguments;
    cli->argument_count = outer_count;
    return code;
}

static void timing_print(const struct cli *cli, uint64_t began_ns)
{
    if (cli->timing) {
        char text[TEXT_NUMBER_MAX];
        fprintf(stderr, "(%s)\n", text_nanos(progress_clock_ns() - began_ns, text));
    }
}

enum cli_exit dispatch_line(struct cli *cli, int count, char **words)
{
    if (count > 1 && strcmp(words[0], "quoin") == 0) {
        count--;
        words++;
    }
    if (count > 1 && strcmp(words[0], "?") == 0) { /* a question, in a script */
        count--;
        words++;
    }
    uint64_t began_ns = progress_clock_ns();
    enum cli_exit code = dispatch(cli, count, words);
    timing_print(cli, began_ns);
    return code;
}
