/* What is written from the command table besides help: manual pages, docs/cli.md, completion files.
 *
 * For quoin-gen-docs; the tool itself does not have it. */
#ifndef QUOIN_CLIENT_CLI_MANUAL_H
#define QUOIN_CLIENT_CLI_MANUAL_H

#include <stdio.h>

#include "client/cli/commands.h"

/* Has a command a page of its own? Those of the shell stand in the page of `shell`. */
bool manual_has_page(const struct command *command);

/* "quoin-log-set" of "log set", "quoin" of NULL. Into `name` (OPTION_SHOWN_MAX octets), returned.
 */
const char *manual_page_name(const struct command *command, char *name);

/* A page for man(1); NULL = quoin.1. */
void manual_page(const struct command *command, FILE *to);

/* All of it as one Markdown document. */
void manual_markdown(FILE *to);

/* Completion for three shells. They ask `quoin caches` for the names of caches. */
void manual_bash(FILE *to);
void manual_zsh(FILE *to);
void manual_fish(FILE *to);

/* ---- shared by the completion files ---- */

/* What an option's value or an argument is. */
enum manual_value {
    MANUAL_ANY,
    MANUAL_FILE,
    MANUAL_CACHE,
    MANUAL_CHOICES, /* the words between | */
};

enum manual_value manual_value_of(const struct option_spec *spec);

/* The words of "disk|memory" with blanks between them; what is in capitals is left out. */
void manual_choices(const char *list, FILE *to);

/* The same of a command's argument `number` (0 = the first), the cache counted; false = it has
 * none. */
bool manual_argument_choices(const struct command *command, int number, FILE *to);

/* Text for '...' of a shell: apostrophes are taken care of. */
void manual_quoted(const char *text, FILE *to);

#endif
