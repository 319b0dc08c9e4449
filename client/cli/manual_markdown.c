/* docs/cli.md. */
#define _GNU_SOURCE
#include <string.h>

#include "client/cli/manual.h"

static void print_options(const struct option_spec *options, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        char shown[OPTION_SHOWN_MAX];
        fprintf(to, "- `%s` - %s\n", option_shown(&options[i], shown), options[i].text);
    }
}

/* "log set" is the heading #log-set, "get" is #get. */
static void print_link(const struct command *command, FILE *to)
{
    char name[OPTION_SHOWN_MAX];
    manual_page_name(command, name);
    fprintf(to, "[`%s`](#%s)", command->name, name + strlen("quoin-"));
}

static void print_contents(FILE *to)
{
    for (const struct command_group *const *group = command_groups; *group != NULL; group++) {
        fprintf(to, "\n%s:", (*group)->title);
        for (size_t i = 0; i < (*group)->count; i++) {
            fputs(i > 0 ? ", " : " ", to);
            print_link(&(*group)->rows[i], to);
        }
        fputs(".\n", to);
    }
}

static void print_command(const struct command *command, FILE *to)
{
    bool session = (command->traits & COMMAND_SESSION) != 0;
    fprintf(to, "\n### %s\n\n%s%s\n\n```sh\n", command->name, command->summary,
            session ? " (only in the shell and in scripts)" : "");
    for (const char *const *example = command->examples; *example != NULL; example++) {
        fprintf(to, "%s\n", *example);
    }
    fprintf(to, "```\n\nUsage: `%s%s%s%s [options]`\n", session ? "" : "quoin ", command->name,
            *command->arguments != '\0' ? " " : "", command->arguments);
    if (command->detail != NULL) {
        fprintf(to, "\n%s\n", command->detail);
    }
    if (command->option_count > 0) {
        fputc('\n', to);
        print_options(command->options, command->option_count, to);
    }
}

static void print_exits(FILE *to)
{
    fputs("\n## Exit codes\n\n", to);
    for (size_t i = 0; i < cli_exit_count; i++) {
        fprintf(to, "- `%d` - %s\n", (int)cli_exits[i], cli_exit_text(cli_exits[i]));
    }
}

void manual_markdown(FILE *to)
{
    fputs("# The tool quoin\n\n"
          "Written by `quoin-gen-docs` from the command table; a test compares the two. The same "
          "is in "
          "`quoin help`\nand in the manual pages.\n\n"
          "Everything works three ways: as `quoin COMMAND ...`; in the shell, which is `quoin` "
          "alone on "
          "a terminal;\nand from a file, with `quoin run FILE` or `quoin < FILE`. Data goes to "
          "stdout, "
          "everything else to stderr.\n\n"
          "Where there is a current cache - from `--cache`, `QUOIN_CACHE` or `use` - the argument "
          "`CACHE` is left out,\nalways: `quoin -c accounts get alice`. Commands on caches as such "
          "(`create`, `clear`, `drop`) name theirs\nin any case.\n",
          to);
    print_contents(to);
    fputs("\n## Options of every command\n\n", to);
    print_options(options_global, options_global_count, to);
    print_exits(to);
    for (const struct command_group *const *group = command_groups; *group != NULL; group++) {
        fprintf(to, "\n## Commands: %s\n", (*group)->title);
        for (size_t i = 0; i < (*group)->count; i++) {
            print_command(&(*group)->rows[i], to);
        }
    }
}
