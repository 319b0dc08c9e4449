/* Completion for zsh. */
#define _GNU_SOURCE
#include <string.h>

#include "client/cli/manual.h"

/* Text within the brackets of _arguments and within '...': colons and brackets are escaped. */
static void print_text(const char *text, FILE *to)
{
    for (; *text != '\0'; text++) {
        const char piece[] = {*text, '\0'};
        if (strchr("[]:\\", *text) != NULL) {
            fputc('\\', to);
        }
        manual_quoted(piece, to);
    }
}

static void print_value(const struct option_spec *spec, FILE *to)
{
    fprintf(to, "%s:%s:", spec->bare != NULL ? ":" : "", spec->argument);
    switch (manual_value_of(spec)) {
    case MANUAL_ANY:
        fputc(' ', to);
        break;
    case MANUAL_FILE:
        fputs("_files", to);
        break;
    case MANUAL_CACHE:
        fputs("_quoin_caches", to);
        break;
    case MANUAL_CHOICES:
        fputc('(', to);
        manual_choices(spec->argument, to);
        fputc(')', to);
        break;
    }
}

static void print_options(const struct option_spec *options, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        const char *equals = options[i].argument == NULL ? ""
                             : options[i].bare != NULL   ? "=-"
                                                         : "=";
        fprintf(to, " \\\n        '--%s%s[", options[i].name, equals);
        print_text(options[i].text, to);
        fputc(']', to);
        if (options[i].argument != NULL) {
            print_value(&options[i], to);
        }
        fputc('\'', to);
    }
}

static void print_arguments(const struct command *command, FILE *to)
{
    for (int i = 0; i < command->argument_max; i++) {
        const unsigned cache = COMMAND_CACHE | COMMAND_NAMED_CACHE;
        fprintf(to, " \\\n        '%d:argument:", i + 1);
        if (i == 0 && (command->traits & cache) != 0) {
            fputs("_quoin_caches", to);
        } else if (i == 0 && (command->traits & COMMAND_FILE) != 0) {
            fputs("_files", to);
        } else if (i == 0 && (command->traits & COMMAND_COMMAND) != 0) {
            fputs("_quoin_commands", to);
        } else {
            fputc('(', to);
            (void)manual_argument_choices(command, i, to);
            fputc(')', to);
        }
        fputc('\'', to);
    }
}

static void print_command(const struct command *command, FILE *to)
{
    fprintf(to, "    '%s')\n        _arguments -s $global", command->name);
    print_options(command->options, command->option_count, to);
    print_arguments(command, to);
    fputs("\n        ;;\n", to);
}

/* 'get:print the value of a key', names of two words by their first one. */
static void print_names(FILE *to)
{
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (manual_has_page(command)) {
            size_t length = strcspn(command->name, " ");
            fprintf(to, "        '%.*s:", (int)length, command->name);
            print_text(command->summary, to);
            fputs("'\n", to);
        }
    }
}

static void print_second_names(FILE *to)
{
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        size_t length = strcspn(command->name, " ");
        if (command->name[length] == ' ') {
            fprintf(to, "    seconds[%.*s]+=' %s'\n", (int)length, command->name,
                    command->name + length + 1);
        }
    }
}

void manual_zsh(FILE *to)
{
    const struct command *command = NULL;
    fputs("#compdef quoin\n"
          "# zsh completion for quoin, written by quoin-gen-docs from the command table.\n\n"
          "_quoin_caches() {\n"
          "    local -a caches\n"
          "    caches=(${(f)\"$(quoin caches --raw --timeout 1s 2>/dev/null </dev/null)\"})\n"
          "    compadd -a caches\n"
          "}\n\n"
          "_quoin_commands() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          to);
    print_names(to);
    fputs("    )\n"
          "    _describe command commands\n"
          "}\n\n"
          "_quoin() {\n"
          "    local name=$words[2]\n"
          "    local -A seconds\n"
          "    local -a global\n"
          "    global=(",
          to);
    print_options(options_global, options_global_count, to);
    fputs("\n    )\n", to);
    print_second_names(to);
    fputs("    if (( CURRENT == 2 )); then\n"
          "        _quoin_commands\n"
          "        return\n"
          "    fi\n"
          "    if [[ -n $seconds[$name] ]]; then\n"
          "        if (( CURRENT == 3 )); then\n"
          "            compadd ${=seconds[$name]}\n"
          "            return\n"
          "        fi\n"
          "        name=\"$name $words[3]\"\n"
          "        shift words\n"
          "        (( CURRENT-- ))\n"
          "    fi\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case \"$name\" in\n",
          to);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (manual_has_page(command)) {
            print_command(command, to);
        }
    }
    fputs("    esac\n}\n\n_quoin \"$@\"\n", to);
}
