/* From words to a command: finds it, reads its options, runs it. The same for a command line, a
 * script and the shell. */
#ifndef QUOIN_CLIENT_CLI_DISPATCH_H
#define QUOIN_CLIENT_CLI_DISPATCH_H

#include "client/cli/cli.h"

/* Run the command that `words` (NULL after the last; `count` > 0) begin with, and forget what
 * belongs to it alone. Puts `words` into another order. */
enum cli_exit dispatch(struct cli *cli, int count, char **words);

/* The same for words of the shell and of scripts: a leading "quoin" is left out. */
enum cli_exit dispatch_line(struct cli *cli, int count, char **words);

#endif
