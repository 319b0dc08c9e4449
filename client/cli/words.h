/* The words of a command, as sh takes them apart. Pure.
 *
 * Words are separated by blanks. Within '...' everything stands for itself; within "..." a
 * backslash takes the meaning from ", \ and a line end; elsewhere from any octet. A # at the
 * beginning of a word begins a comment. A line end ends the command unless it stands in quotes or
 * behind a backslash, where it is dropped. */
#ifndef QUOIN_CLIENT_CLI_WORDS_H
#define QUOIN_CLIENT_CLI_WORDS_H

#include "wire/bytes.h"

enum words_result {
    WORDS_DONE,
    WORDS_MORE,     /* the text ends within the command: in quotes or behind a backslash */
    WORDS_NO_MEMORY /* there are no words then */
};

/* All zero is a valid empty list. */
struct words {
    char **list; /* NULL after the last */
    int count;
    bool open;  /* the text ended within the last word or right after it */
    char quote; /* that is open at the end of the text; 0 = none */
    char *memory;
};

/* Read one command from the beginning of `text`, and into `*used` how many octets it takes, the
 * line end with it. No words: an empty line or a comment. words_free at the end, whatever the
 * result. */
enum words_result words_read(struct bytes text, size_t *used, struct words *words);
void words_free(struct words *words);

#endif
