/* Lines from a terminal: editing, history, completion. The only file that sees libedit. One thread.
 */
#ifndef QUOIN_CLIENT_CLI_EDITOR_H
#define QUOIN_CLIENT_CLI_EDITOR_H

#include <stdio.h>

#include "client/cli/complete.h"

struct editor;

struct editor_options {
    const char *history_path; /* NULL = nothing is kept */
    /* What may stand where `line` ends; `line` is everything up to the cursor. */
    void (*complete)(void *arg, struct bytes line, complete_offer offer, void *offer_arg);
    void *arg;
};

enum editor_result {
    EDITOR_LINE,
    EDITOR_END,         /* Ctrl-D, or the terminal is gone */
    EDITOR_INTERRUPTED, /* Ctrl-C: the line is to be forgotten */
};

/* NULL: no memory. The history is read; it need not be there. */
struct editor *editor_open(const struct editor_options *options);
void editor_close(struct editor *editor); /* NULL allowed */

/* Read a line, with its line end, valid until the next call. SIGINT has a handler that lets read()
 * end (interrupt_session). */
enum editor_result editor_read(struct editor *editor, const char *prompt, const char **line);

/* Add a command to the history and to its file. The file gets mode 0600; where it cannot be
 * written, nothing is kept. Commands of several lines are kept for this session only. */
void editor_remember(struct editor *editor, const char *text);

/* Print the history, the oldest line first. */
void editor_history(struct editor *editor, FILE *to);

#endif
