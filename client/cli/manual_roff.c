/* Manual pages, in the man(7) macros. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/manual.h"

/* Of the pages; to be changed with what they say. */
static const char manual_date[] = "2026-12-01";

/* Text as roff prints it. A line end begins a new line, which must not look like a request. */
static void print_text(const char *text, FILE *to)
{
    bool line_begins = true;
    for (; *text != '\0'; text++) {
        if (line_begins && (*text == '.' || *text == '\'')) {
            fputs("\\&", to);
        }
        line_begins = *text == '\n';
        switch (*text) {
        case '\\':
            fputs("\\e", to);
            break;
        case '-':
            fputs("\\-", to);
            break;
        case '\'':
            fputs("\\(aq", to);
            break;
        case '^':
            fputs("\\(ha", to);
            break;
        case '~':
            fputs("\\(ti", to);
            break;
        case '`':
            fputs("\\(ga", to);
            break;
        default:
            fputc(*text, to);
        }
    }
}

static void print_line(const char *text, FILE *to)
{
    print_text(text, to);
    fputc('\n', to);
}

static void print_paragraphs(const char *text, FILE *to)
{
    for (const char *end = NULL; (end = strstr(text, "\n\n")) != NULL; text = end + 2) {
        char *paragraph = strndup(text, (size_t)(end - text));
        print_line(paragraph != NULL ? paragraph : "", to);
        fputs(".PP\n", to);
        free(paragraph);
    }
    print_line(text, to);
}

static void print_options(const struct option_spec *options, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        char shown[OPTION_SHOWN_MAX];
        fputs(".TP\n\\fB", to);
        print_text(option_shown(&options[i], shown), to);
        fputs("\\fR\n", to);
        print_line(options[i].text, to);
    }
}

static void print_head(const struct command *command, const char *summary, FILE *to)
{
    char name[OPTION_SHOWN_MAX];
    char upper[OPTION_SHOWN_MAX];
    manual_page_name(command, name);
    size_t i = 0;
    for (; name[i] != '\0'; i++) {
        upper[i] = (char)toupper((unsigned char)name[i]);
    }
    upper[i] = '\0';
    fprintf(to, ".\\\" Written by quoin-gen-docs from the command table.\n.TH ");
    print_text(upper, to);
    fprintf(to, " 1 \"%s\" \"Quoin %s\" \"Quoin\"\n.SH NAME\n", manual_date, qn_version_text());
    print_text(name, to);
    fputs(" \\- ", to);
    print_line(summary, to);
}

static void print_examples(const struct command *command, FILE *to)
{
    fputs(".SH EXAMPLES\n.nf\n", to);
    for (const char *const *example = command->examples; *example != NULL; example++) {
        print_line(*example, to);
    }
    fputs(".fi\n", to);
}

static void print_global(FILE *to)
{
    fputs(".SH OPTIONS OF EVERY COMMAND\n", to);
    print_options(options_global, options_global_count, to);
}

static void print_exits(FILE *to)
{
    fputs(".SH EXIT STATUS\n", to);
    for (size_t i = 0; i < cli_exit_count; i++) {
        fprintf(to, ".TP\n%d\n", (int)cli_exits[i]);
        print_line(cli_exit_text(cli_exits[i]), to);
    }
}

static void print_synopsis(const struct command *command, FILE *to)
{
    fputs(".SH SYNOPSIS\n\\fBquoin ", to);
    print_text(command->name, to);
    fputs("\\fR \\fI", to);
    print_text(command->arguments, to);
    fputs("\\fR [options]\n", to);
}

/* The commands that only the shell and scripts have, in the page of `shell`. */
static void print_session_commands(FILE *to)
{
    const struct command *command = NULL;
    fputs(".SH COMMANDS OF THE SHELL AND OF SCRIPTS\n", to);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if ((command->traits & COMMAND_SESSION) == 0) {
            continue;
        }
        fputs(".TP\n\\fB", to);
        print_text(command->name, to);
        fputs("\\fR \\fI", to);
        print_text(command->arguments, to);
        fputs("\\fR\n", to);
        print_line(command->summary, to);
        if (command->detail != NULL) {
            fputs(".IP\n", to);
            print_line(command->detail, to);
        }
    }
}

static void print_command(const struct command *command, FILE *to)
{
    print_head(command, command->summary, to);
    print_examples(command, to);
    print_synopsis(command, to);
    if (command->detail != NULL) {
        fputs(".SH DESCRIPTION\n", to);
        print_paragraphs(command->detail, to);
    }
    if (command->option_count > 0) {
        fputs(".SH OPTIONS\n", to);
        print_options(command->options, command->option_count, to);
    }
    if ((command->traits & COMMAND_ONCE) != 0) {
        print_session_commands(to);
    }
    print_global(to);
    print_exits(to);
    fputs(".SH SEE ALSO\n.BR quoin (1)\n", to);
}

static void print_row(const struct command *command, FILE *to)
{
    char name[OPTION_SHOWN_MAX];
    if (manual_has_page(command)) {
        fputs(".TP\n.BR ", to);
        print_text(manual_page_name(command, name), to);
        fputs(" (1)\n", to);
        print_line(command->summary, to);
    }
}

static void print_tool(FILE *to)
{
    print_head(NULL, "work with a Quoin data grid", to);
    fputs(
        ".SH EXAMPLES\n.nf\n"
        "quoin\n"
        "quoin put accounts alice 100\n"
        "quoin get accounts alice\n"
        "quoin run nightly.quoin\n"
        ".fi\n"
        ".SH SYNOPSIS\n"
        "\\fBquoin\\fR [options]\n.br\n"
        "\\fBquoin\\fR [options] \\fICOMMAND\\fR [arguments] [options]\n"
        ".SH DESCRIPTION\n"
        "Without a command, \\fBquoin\\fR is a shell on a terminal; elsewhere it runs the commands "
        "of its standard input.\n"
        "Data goes to standard output, everything else to standard error.\n",
        to);
    const struct command *command = NULL;
    fputs(".SH COMMANDS\n", to);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        print_row(command, to);
    }
    print_global(to);
    fputs(".SH ENVIRONMENT\n"
          ".TP\n.B QUOIN_URI\nnodes to connect to, as \\-\\-uri\n"
          ".TP\n.B QUOIN_CACHE\nthe current cache, as \\-\\-cache\n"
          ".TP\n.B QUOIN_TYPES\nthe types file, as \\-\\-types\n"
          ".TP\n.B NO_COLOR\nwhen it is not empty, nothing is coloured\n"
          ".TP\n.B XDG_STATE_HOME\nthe history of the shell is kept in quoin/history below it\n",
          to);
    print_exits(to);
}

void manual_page(const struct command *command, FILE *to)
{
    if (command != NULL) {
        print_command(command, to);
    } else {
        print_tool(to);
    }
}
