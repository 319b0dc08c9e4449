#define _GNU_SOURCE
#include "client/cli/manual.h"

#include <ctype.h>
#include <string.h>

bool manual_has_page(const struct command *command)
{
    return (command->traits & COMMAND_SESSION) == 0;
}

const char *manual_page_name(const struct command *command, char *name)
{
    snprintf(name, OPTION_SHOWN_MAX, "quoin%s%s", command != NULL ? "-" : "",
             command != NULL ? command->name : "");
    for (char *at = name; (at = strchr(at, ' ')) != NULL;) {
        *at = '-';
    }
    return name;
}

enum manual_value manual_value_of(const struct option_spec *spec)
{
    if (strcmp(spec->argument, "FILE") == 0) {
        return MANUAL_FILE;
    }
    if (strcmp(spec->name, "cache") == 0) {
        return MANUAL_CACHE;
    }
    return strchr(spec->argument, '|') != NULL ? MANUAL_CHOICES : MANUAL_ANY;
}

static void print_choices(const char *list, size_t size, FILE *to)
{
    const char *end = list + size;
    bool first = true;
    while (list < end) {
        const char *next = memchr(list, '|', (size_t)(end - list));
        size_t length = (size_t)((next != NULL ? next : end) - list);
        if (islower((unsigned char)*list)) {
            fprintf(to, "%s%.*s", first ? "" : " ", (int)length, list);
            first = false;
        }
        list += length + 1;
    }
}

void manual_choices(const char *list, FILE *to)
{
    print_choices(list, strlen(list), to);
}

bool manual_argument_choices(const struct command *command, int number, FILE *to)
{
    const char *shown = command->arguments;
    for (; number > 0; number--) {
        shown += strcspn(shown, " ");
        shown += strspn(shown, " ");
    }
    size_t length = strcspn(shown, " ");
    if (memchr(shown, '|', length) == NULL) {
        return false;
    }
    print_choices(shown, length, to);
    return true;
}

void manual_quoted(const char *text, FILE *to)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", to);
        } else {
            fputc(*text, to);
        }
    }
}
