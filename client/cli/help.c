#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"

enum { HELP_NAME_WIDTH = 28, HELP_LINE_MAX = 96 };

/* A name and what it is, in columns; a long name has a line of its own. */
static void print_row(const char *name, const char *text, FILE *to)
{
    bool fits = strlen(name) <= HELP_NAME_WIDTH;
    fprintf(to, "  %-*s%s%*s %s\n", HELP_NAME_WIDTH, name, fits ? "" : "\n  ",
            fits ? 0 : HELP_NAME_WIDTH, "", text);
}

static void print_options(const struct option_spec *options, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        char name[OPTION_SHOWN_MAX];
        print_row(option_shown(&options[i], name), options[i].text, to);
    }
}

/* Words in lines of at most HELP_LINE_MAX, an empty line between paragraphs. */
static void print_paragraphs(const char *text, FILE *to)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        bool wraps = column > 0 && column + 1 + length > HELP_LINE_MAX;
        fprintf(to, "%s%.*s", column == 0 ? "" : wraps ? "\n" : " ", (int)length, text);
        column = wraps || column == 0 ? length : column + 1 + length;
        text += length;
        if (*text == '\n') {
            fputs("\n\n", to);
            column = 0;
        }
        text += strspn(text, " \n");
    }
    fputc('\n', to);
}

static void print_global(FILE *to)
{
    fputs("\noptions of every command:\n", to);
    print_options(options_global, options_global_count, to);
}

static void print_command(const struct command *command, FILE *to)
{
    bool session = (command->traits & COMMAND_SESSION) != 0;
    const char *tool = session ? "" : "quoin ";
    fprintf(to, "%s%s: %s\n\nexamples:\n", tool, command->name, command->summary);
    for (const char *const *example = command->examples; *example != NULL; example++) {
        fprintf(to, "  %s\n", *example);
    }
    fprintf(to, "\nusage: %s%s %s%s[options]\n", tool, command->name, command->arguments,
            *command->arguments != '\0' ? " " : "");
    if (command->detail != NULL) {
        fputc('\n', to);
        print_paragraphs(command->detail, to);
    }
    if (command->option_count > 0) {
        fputs("\noptions:\n", to);
        print_options(command->options, command->option_count, to);
    }
    print_global(to);
}

static void print_group(const struct command_group *group, FILE *to)
{
    fprintf(to, "\n%s:\n", group->title);
    for (size_t i = 0; i < group->count; i++) {
        char name[OPTION_SHOWN_MAX];
        snprintf(name, sizeof name, "%s %s", group->rows[i].name, group->rows[i].arguments);
        print_row(name, group->rows[i].summary, to);
    }
}

static void print_exits(FILE *to)
{
    fputs("\nexit codes:", to);
    for (size_t i = 0; i < cli_exit_count; i++) {
        fprintf(to, "%s %d %s", i > 0 ? "," : "", (int)cli_exits[i], cli_exit_text(cli_exits[i]));
    }
    fputc('\n', to);
}

static void print_all(FILE *to)
{
    fputs("quoin: work with a Quoin data grid\n\nexamples:\n"
          "  quoin                               a shell\n"
          "  quoin put accounts alice 100\n"
          "  quoin get accounts alice\n"
          "  quoin import people.csv --cache people --types types.cfg\n"
          "  quoin status\n"
          "\nmore on a command: quoin help COMMAND\n",
          to);
    for (const struct command_group *const *group = command_groups; *group != NULL; group++) {
        print_group(*group, to);
    }
    print_global(to);
    print_exits(to);
}

void help_print(const struct command *command, FILE *to)
{
    if (command != NULL) {
        print_command(command, to);
    } else {
        print_all(to);
    }
}

/* Commands of two words of which the first is `name`. False: there are none. */
static bool print_below(const char *name, FILE *to)
{
    size_t length = strlen(name);
    const struct command *command = NULL;
    bool found = false;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strncmp(command->name, name, length) == 0 && command->name[length] == ' ') {
            print_row(command->name, command->summary, to);
            found = true;
        }
    }
    return found;
}

enum cli_exit run_help(struct cli *cli)
{
    if (cli->argument_count == 0) {
        help_print(NULL, stdout);
        return CLI_DONE;
    }
    int used = 0;
    const char *name = cli->arguments[0];
    const struct command *command = command_match(cli->arguments, cli->argument_count, &used);
    if (command != NULL) {
        help_print(command, stdout);
        return CLI_DONE;
    }
    if (print_below(name, stdout)) {
        return CLI_DONE;
    }
    const char *near = command_suggest(name);
    return cli_usage(cli, "no command is called %s%s%s%s", name,
                     near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                     near != NULL ? "?" : "");
}

enum cli_exit run_version(struct cli *cli)
{
    if (cli->options.json) {
        return cli_print_json(json_pack("{s:s}", "version", qn_version_text()));
    }
    printf("quoin %s\n", qn_version_text());
    return CLI_DONE;
}
