/* Completion for bash. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "client/cli/manual.h"

typedef void (*option_fn)(const struct option_spec *spec, FILE *to);

/* Is the name in the tables of the commands before number `before`, or of every command? */
static bool name_was(const char *name, size_t before)
{
    for (size_t i = 0; i < options_global_count && before > 0; i++) {
        if (strcmp(options_global[i].name, name) == 0) {
            return true;
        }
    }
    for (size_t c = 0; c + 1 < before; c++) {
        const struct command *command = command_at(c);
        for (size_t i = 0; i < command->option_count; i++) {
            if (strcmp(command->options[i].name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void each_new(const struct option_spec *options, size_t count, size_t before, option_fn fn,
                     FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        if (!name_was(options[i].name, before)) {
            fn(&options[i], to);
        }
    }
}

/* Call `fn` with the first option of each name. */
static void each_option(option_fn fn, FILE *to)
{
    const struct command *command = NULL;
    each_new(options_global, options_global_count, 0, fn, to);
    for (size_t c = 0; (command = command_at(c)) != NULL; c++) {
        each_new(command->options, command->option_count, c + 1, fn, to);
    }
}

/* "| --uri" of an option whose value is the next word. */
static void print_valued(const struct option_spec *spec, FILE *to)
{
    if (spec->argument != NULL && spec->bare == NULL) {
        fprintf(to, " | --%s", spec->name);
    }
}

static void print_value_case(const struct option_spec *spec, FILE *to)
{
    if (spec->argument == NULL || spec->bare != NULL) {
        return;
    }
    switch (manual_value_of(spec)) {
    case MANUAL_ANY:
        return;
    case MANUAL_FILE:
        fprintf(to, "    --%s) _quoin_files ;;\n", spec->name);
        break;
    case MANUAL_CACHE:
        fprintf(to, "    -c | --%s) _quoin_among \"$(_quoin_caches)\" ;;\n", spec->name);
        break;
    case MANUAL_CHOICES:
        fprintf(to, "    --%s) _quoin_among '", spec->name);
        manual_choices(spec->argument, to);
        fputs("' ;;\n", to);
        break;
    }
}

static void print_option_names(const struct option_spec *options, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(to, " --%s", options[i].name);
    }
}

static void print_option_case(const struct command *command, FILE *to)
{
    fprintf(to, "    '%s') echo '", command->name);
    print_option_names(command->options, command->option_count, to);
    fputs("' ;;\n", to);
}

/* First words of commands; each once. */
static void print_first_words(FILE *to)
{
    const struct command *command = NULL;
    const char *last = "";
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        size_t length = strcspn(command->name, " ");
        bool again = strncmp(last, command->name, length) == 0 && last[length] == ' ';
        if (manual_has_page(command) && !again) {
            fprintf(to, " %.*s", (int)length, command->name);
        }
        last = command->name;
    }
}

/* "log) among 'levels set'" for the first words of names of two. */
static void print_second_words(const struct command *first, FILE *to)
{
    size_t length = strcspn(first->name, " ");
    const struct command *command = NULL;
    fprintf(to, "    %.*s:0) _quoin_among '", (int)length, first->name);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strncmp(command->name, first->name, length + 1) == 0) {
            fprintf(to, " %s", command->name + length + 1);
        }
    }
    fputs("' ;;\n", to);
}

static bool is_first_of_two(const struct command *command, const struct command *before)
{
    size_t length = strcspn(command->name, " ");
    return command->name[length] == ' ' &&
           (before == NULL || strncmp(before->name, command->name, length + 1) != 0);
}

static void print_argument_cases(const struct command *command, FILE *to)
{
    if ((command->traits & COMMAND_CACHE) != 0) {
        fprintf(to, "    '%s:0') [[ -n $cache ]] || _quoin_among \"$(_quoin_caches)\" ;;\n",
                command->name);
    } else if ((command->traits & COMMAND_NAMED_CACHE) != 0) {
        fprintf(to, "    '%s:0') _quoin_among \"$(_quoin_caches)\" ;;\n", command->name);
    } else if ((command->traits & COMMAND_FILE) != 0) {
        fprintf(to, "    '%s:0') _quoin_files ;;\n", command->name);
    } else if ((command->traits & COMMAND_COMMAND) != 0) {
        fprintf(to, "    '%s:0') _quoin_among \"$commands\" ;;\n", command->name);
    }
    for (int i = 0; i < command->argument_max; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&text, &size);
        if (memory != NULL && manual_argument_choices(command, i, memory)) {
            fflush(memory);
            fprintf(to, "    '%s:%d') _quoin_among '%s' ;;\n", command->name, i, text);
        }
        if (memory != NULL) {
            fclose(memory);
        }
        free(text);
    }
}

static void print_tables(FILE *to)
{
    const struct command *command = NULL;
    fputs("_quoin_options() {\n    case \"$1\" in\n", to);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (manual_has_page(command)) {
            print_option_case(command, to);
        }
    }
    fputs("    esac\n    echo '", to);
    print_option_names(options_global, options_global_count, to);
    fputs("'\n}\n\n"
          "# The value of the option $1. False: it has none that are known.\n"
          "_quoin_value() {\n    case \"$1\" in\n",
          to);
    each_option(print_value_case, to);
    fputs("    *) return 1 ;;\n    esac\n}\n\n"
          "# The argument $2 (0 = the first) of the command $1.\n"
          "_quoin_argument() {\n    case \"$1:$2\" in\n",
          to);
    const struct command *before = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (is_first_of_two(command, before)) {
            print_second_words(command, to);
        }
        if (manual_has_page(command)) {
            print_argument_cases(command, to);
        }
        before = command;
    }
    fputs("    esac\n}\n\n", to);
}

static void print_two_words(FILE *to)
{
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strchr(command->name, ' ') != NULL) {
            fprintf(to, " | '%s'", command->name);
        }
    }
}

void manual_bash(FILE *to)
{
    fputs("# bash completion for quoin, written by quoin-gen-docs from the command table.\n\n"
          "_quoin_among() {\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n"
          "}\n\n"
          "_quoin_files() {\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
          "}\n\n"
          "_quoin_caches() {\n"
          "    quoin caches --raw --timeout 1s 2>/dev/null </dev/null\n"
          "}\n\n",
          to);
    print_tables(to);
    fputs("_quoin() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command='' cache=${QUOIN_CACHE-} number=0 i word\n"
          "    local commands='",
          to);
    print_first_words(to);
    fputs("'\n"
          "    COMPREPLY=()\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        word=${COMP_WORDS[i]}\n"
          "        case \"$word\" in\n"
          "        -c",
          to);
    each_option(print_valued, to);
    fputs(")\n"
          "            ((i++))\n"
          "            [[ $word != -c && $word != --cache ]] || cache=given\n"
          "            ;;\n"
          "        -*) ;;\n"
          "        *)\n"
          "            case \"$command $word\" in\n"
          "            ''",
          to);
    print_two_words(to);
    fputs(") command=\"$command $word\" ;;\n"
          "            *) if [[ -z $command ]]; then command=$word; else ((number++)); fi ;;\n"
          "            esac\n"
          "            ;;\n"
          "        esac\n"
          "    done\n"
          "    if [[ $current == -* ]]; then\n"
          "        _quoin_among \"$(_quoin_options \"$command\")\"\n"
          "    elif _quoin_value \"$before\"; then\n"
          "        :\n"
          "    elif [[ -z $command ]]; then\n"
          "        _quoin_among \"$commands\"\n"
          "    else\n"
          "        _quoin_argument \"$command\" \"$number\"\n"
          "    fi\n"
          "}\n\n"
          "complete -F _quoin quoin\n",
          to);
}
