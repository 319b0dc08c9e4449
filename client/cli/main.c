/* The tool `quoin`: finds the command, reads its options, runs it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"

static enum cli_exit unknown_command(const struct cli *cli, const char *name)
{
    const char *near = command_suggest(name);
    if (near != NULL) {
        return cli_usage(cli, "no command is called %s; did you mean %s?", name, near);
    }
    return cli_usage(cli, "no command is called %s", name);
}

static enum cli_exit check_arguments(const struct cli *cli)
{
    if (cli->argument_count < cli->command->argument_min) {
        return cli_usage(cli, "an argument is missing");
    }
    if (cli->argument_count > cli->command->argument_max) {
        return cli_usage(cli, "one argument too many: %s",
                         cli->arguments[cli->command->argument_max]);
    }
    return CLI_DONE;
}

/* `argv[0]` is the command's name. */
static enum cli_exit run_command(struct cli *cli, int argc, char **argv)
{
    char problem[OPTIONS_PROBLEM_MAX];
    cli->command = command_find(argv[0]);
    if (cli->command == NULL) {
        return unknown_command(cli, argv[0]);
    }
    int first = options_parse(argc, argv, true, cli->command->options, cli->command->option_count,
                              &cli->options, problem);
    if (first < 0) {
        return cli_usage(cli, "%s", problem);
    }
    if (cli->options.help) {
        help_print(cli->command, stdout);
        return CLI_DONE;
    }
    cli->arguments = argv + first;
    cli->argument_count = argc - first;
    enum cli_exit code = check_arguments(cli);
    return code == CLI_DONE ? cli->command->run(cli) : code;
}

/* Options before the command, then the command. */
static enum cli_exit run(struct cli *cli, int argc, char **argv)
{
    char problem[OPTIONS_PROBLEM_MAX];
    options_init(&cli->options);
    int first = options_parse(argc, argv, false, NULL, 0, &cli->options, problem);
    if (first < 0) {
        return cli_usage(cli, "%s", problem);
    }
    if (cli->options.version) {
        return run_version(cli);
    }
    if (first >= argc) {
        help_print(NULL, cli->options.help ? stdout : stderr);
        return cli->options.help ? CLI_DONE : CLI_USAGE;
    }
    return run_command(cli, argc - first, argv + first);
}

int main(int argc, char **argv)
{
    const char *no_color = getenv("NO_COLOR");
    struct cli cli = {
        .terminal = isatty(STDERR_FILENO) == 1,
        .color = isatty(STDOUT_FILENO) == 1 && (no_color == NULL || *no_color == '\0'),
    };
    enum cli_exit code = run(&cli, argc, argv);
    cli_fini(&cli);
    if (fflush(stdout) != 0 && code == CLI_DONE) {
        cli_say(&cli, "cannot write to stdout");
        code = CLI_REFUSED;
    }
    return (int)code;
}
