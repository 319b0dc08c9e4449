#define _GNU_SOURCE
#include <stdio.h>

#include "client/cli/commands.h"

enum { HELP_NAME_WIDTH = 24 };

static void print_options(const struct option_spec *options, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        const char *argument = options[i].argument != NULL ? options[i].argument : "";
        snprintf(name, sizeof name, "--%s %s", options[i].name, argument);
        fprintf(to, "  %-*s %s\n", HELP_NAME_WIDTH, name, options[i].text);
    }
}

static void print_global(FILE *to)
{
    fputs("\noptions of every command:\n", to);
    print_options(options_global, options_global_count, to);
}

static void print_command(const struct command *command, FILE *to)
{
    fprintf(to, "quoin %s: %s\n\nexamples:\n", command->name, command->summary);
    for (const char *const *example = command->examples; *example != NULL; example++) {
        fprintf(to, "  %s\n", *example);
    }
    fprintf(to, "\nusage: quoin %s %s%s[options]\n", command->name, command->arguments,
            *command->arguments != '\0' ? " " : "");
    if (command->option_count > 0) {
        fputs("\noptions:\n", to);
        print_options(command->options, command->option_count, to);
    }
    print_global(to);
}

static void print_all(FILE *to)
{
    fputs("quoin: work with a Quoin data grid\n\nexamples:\n"
          "  quoin put accounts alice 100\n"
          "  quoin get accounts alice\n"
          "  quoin import people.csv --cache people --types types.cfg\n"
          "  quoin status\n"
          "\ncommands (more with: quoin help COMMAND):\n",
          to);
    for (size_t i = 0; i < command_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", commands[i].name, commands[i].arguments);
        fprintf(to, "  %-*s %s\n", HELP_NAME_WIDTH, name, commands[i].summary);
    }
    print_global(to);
    fputs("\nexit codes: 0 done, 1 the answer is no, 2 usage, 3 unreachable or no leader,\n"
          "  4 outcome unknown, 5 refused, 6 input had errors, 130 interrupted\n",
          to);
}

void help_print(const struct command *command, FILE *to)
{
    if (command != NULL) {
        print_command(command, to);
    } else {
        print_all(to);
    }
}

enum cli_exit run_help(struct cli *cli)
{
    if (cli->argument_count == 0) {
        help_print(NULL, stdout);
        return CLI_DONE;
    }
    const struct command *command = command_find(cli->arguments[0]);
    if (command == NULL) {
        const char *near = command_suggest(cli->arguments[0]);
        return cli_usage(cli, "no command is called %s%s%s%s", cli->arguments[0],
                         near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                         near != NULL ? "?" : "");
    }
    help_print(command, stdout);
    return CLI_DONE;
}

enum cli_exit run_version(struct cli *cli)
{
    if (cli->options.json) {
        return cli_print_json(json_pack("{s:s}", "version", qn_version_text()));
    }
    printf("quoin %s\n", qn_version_text());
    return CLI_DONE;
}
