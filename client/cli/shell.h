/* The shell: commands from a terminal, over one connection. */
#ifndef QUOIN_CLIENT_CLI_SHELL_H
#define QUOIN_CLIENT_CLI_SHELL_H

#include <stdio.h>

struct shell;

/* Print the lines entered so far. */
void shell_history(struct shell *shell, FILE *to);

#endif
