/* Completion for fish. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "client/cli/manual.h"

/* "-n '...'": where the words of a command's name have been seen. */
static void print_condition(const struct command *command, FILE *to)
{
    if (command == NULL) {
        return;
    }
    const char *blank = strchr(command->name, ' ');
    if (blank == NULL) {
        fprintf(to, " -n '__fish_seen_subcommand_from %s'", command->name);
    } else {
        fprintf(to, " -n '__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s'",
                (int)(blank - command->name), command->name, blank + 1);
    }
}

static void print_value(const struct option_spec *spec, FILE *to)
{
    switch (manual_value_of(spec)) {
    case MANUAL_ANY:
        fputs(" -x", to);
        break;
    case MANUAL_FILE:
        fputs(" -r -F", to);
        break;
    case MANUAL_CACHE:
        fputs(" -x -a '(__quoin_caches)'", to);
        break;
    case MANUAL_CHOICES:
        fputs(" -x -a '", to);
        manual_choices(spec->argument, to);
        fputc('\'', to);
        break;
    }
}

static void print_options(const struct command *command, const struct option_spec *options,
                          size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        fputs("complete -c quoin", to);
        print_condition(command, to);
        if (options[i].letter != 0) {
            fprintf(to, " -s %c", options[i].letter);
        }
        fprintf(to, " -l %s", options[i].name);
        if (options[i].argument != NULL && options[i].bare == NULL) {
            print_value(&options[i], to);
        }
        fputs(" -d '", to);
        manual_quoted(options[i].text, to);
        fputs("'\n", to);
    }
}

/* "levels set": the second words behind a first one of `length` octets. */
static void print_seconds(const char *first, int length, FILE *to)
{
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strncmp(command->name, first, (size_t)length + 1) == 0) {
            fprintf(to, " %s", command->name + length + 1);
        }
    }
}

static void print_name(const struct command *command, FILE *to)
{
    const char *blank = strchr(command->name, ' ');
    if (blank == NULL) {
        fprintf(to, "complete -c quoin -n __fish_use_subcommand -a %s", command->name);
    } else {
        int length = (int)(blank - command->name);
        fprintf(to, "complete -c quoin -n __fish_use_subcommand -a %.*s\n", length, command->name);
        fprintf(to, "complete -c quoin -n '__fish_seen_subcommand_from %.*s", length,
                command->name);
        fputs("; and not __fish_seen_subcommand_from", to);
        print_seconds(command->name, length, to);
        fprintf(to, "' -a %s", blank + 1);
    }
    fputs(" -d '", to);
    manual_quoted(command->summary, to);
    fputs("'\n", to);
}

/* An argument that is one of some words. */
static void print_choices(const struct command *command, int number, FILE *to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    bool some = memory != NULL && manual_argument_choices(command, number, memory);
    if (memory != NULL) {
        fclose(memory);
    }
    if (some) {
        fputs("complete -c quoin", to);
        print_condition(command, to);
        fprintf(to, " -a '%s'\n", text);
    }
    free(text);
}

static void print_argument(const struct command *command, FILE *to)
{
    const unsigned cache = COMMAND_CACHE | COMMAND_NAMED_CACHE;
    const char *what = NULL;
    for (int i = 0; i < command->argument_max; i++) {
        print_choices(command, i, to);
    }
    if ((command->traits & cache) != 0) {
        what = " -a '(__quoin_caches)'\n";
    } else if ((command->traits & COMMAND_FILE) != 0) {
        what = " -F\n";
    }
    if (what != NULL) {
        fputs("complete -c quoin", to);
        print_condition(command, to);
        fputs(what, to);
    }
}

void manual_fish(FILE *to)
{
    const struct command *command = NULL;
    fputs("# fish completion for quoin, written by quoin-gen-docs from the command table.\n\n"
          "function __quoin_caches\n"
          "    quoin caches --raw --timeout 1s 2>/dev/null </dev/null\n"
          "end\n\n"
          "complete -c quoin -f\n",
          to);
    print_options(NULL, options_global, options_global_count, to);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (manual_has_page(command)) {
            print_name(command, to);
            print_argument(command, to);
            print_options(command, command->options, command->option_count, to);
        }
    }
}
