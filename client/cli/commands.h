/* The commands of the tool: their table, and what runs each. */
#ifndef QUOIN_CLIENT_CLI_COMMANDS_H
#define QUOIN_CLIENT_CLI_COMMANDS_H

#include "client/cli/cli.h"

extern const struct command commands[];
extern const size_t command_count;

/* NULL when there is none of this name. */
const struct command *command_find(const char *name);

/* The known name nearest to `name`, or NULL. */
const char *command_suggest(const char *name);

/* What each does stands in its row of the table. Options and number of arguments have been checked.
 */
enum cli_exit run_put(struct cli *cli);
enum cli_exit run_get(struct cli *cli);
enum cli_exit run_remove(struct cli *cli);
enum cli_exit run_contains(struct cli *cli);
enum cli_exit run_count(struct cli *cli);
enum cli_exit run_import(struct cli *cli);
enum cli_exit run_status(struct cli *cli);
enum cli_exit run_ping(struct cli *cli);
enum cli_exit run_bench(struct cli *cli);
enum cli_exit run_help(struct cli *cli);
enum cli_exit run_version(struct cli *cli);

/* Help on one command, examples first; on all of them when NULL. */
void help_print(const struct command *command, FILE *to);

#endif
