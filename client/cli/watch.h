/* --watch: a command again and again. */
#ifndef QUOIN_CLIENT_CLI_WATCH_H
#define QUOIN_CLIENT_CLI_WATCH_H

#include "client/cli/cli.h"

/* Run the command of `cli` every --watch until SIGINT, on a screen of its own when stdout is a
 * terminal, else with a line "---" between the answers (none between JSON documents and CSV lines).
 * A failure is shown and the watch goes on: the grid may come back.
 *
 * CLI_INTERRUPTED, or CLI_USAGE, which no repetition heals. */
enum cli_exit watch_run(struct cli *cli);

#endif
