#define _GNU_SOURCE
#include "client/cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "wire/suggest.h"

enum { COMMAND_NAME_MAX = 64 };

const struct command_group *const command_groups[] = {
    &commands_data,  &commands_caches, &commands_files,
    &commands_types, &commands_grid,   &commands_disk,
    &commands_bench, &commands_shell,  NULL,
};

const struct command *command_at(size_t number)
{
    for (const struct command_group *const *group = command_groups; *group != NULL; group++) {
        if (number < (*group)->count) {
            return &(*group)->rows[number];
        }
        number -= (*group)->count;
    }
    return NULL;
}

const struct command *command_find(const char *name)
{
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

const struct command *command_match(char *const *words, int count, int *used)
{
    if (count > 1) {
        char name[COMMAND_NAME_MAX];
        snprintf(name, sizeof name, "%s %s", words[0], words[1]);
        *used = 2;
        const struct command *command = command_find(name);
        if (command != NULL) {
            return command;
        }
    }
    *used = 1;
    return count > 0 ? command_find(words[0]) : NULL;
}

bool command_list_below(const char *name, char *list, size_t size)
{
    size_t length = strlen(name);
    const struct command *command = NULL;
    list[0] = '\0';
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strncmp(command->name, name, length) == 0 && command->name[length] == ' ') {
            size_t used = strlen(list);
            snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", command->name);
        }
    }
    return list[0] != '\0';
}

const char *command_suggest(const char *name)
{
    struct suggest suggest = {.word = name};
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        suggest_offer(&suggest, command->name);
    }
    return suggest.nearest;
}
