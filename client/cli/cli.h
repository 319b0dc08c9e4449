/* What a run of the tool has at hand, and the steps that commands share.
 *
 * One thread but where a command says otherwise. Data goes to stdout, everything else to stderr. */
#ifndef QUOIN_CLIENT_CLI_CLI_H
#define QUOIN_CLIENT_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "client/cli/exits.h"
#include "client/cli/options.h"
#include "client/quoin.h"
#include "config/types.h"

struct cli;

/* One row of the command table: drives dispatch, help and usage. */
struct command {
    const char *name;
    const char *arguments; /* as usage shows them: "CACHE KEY" */
    int argument_min;
    int argument_max;
    const char *summary;         /* one line */
    const char *const *examples; /* NULL at the end */
    const struct option_spec *options;
    size_t option_count;
    enum cli_exit (*run)(struct cli *cli);
};

struct cli {
    const struct command *command;
    struct options options;
    char **arguments; /* those that are no options */
    int argument_count;
    bool terminal; /* stderr is one: progress may be shown */
    bool color;    /* stdout is a terminal and NO_COLOR is not set */
    qn_client *client;
    struct types *types; /* NULL = no types file was given */
};

/* ---- complaints: one line on stderr, `quoin: ...` ---- */

__attribute__((format(printf, 2, 3))) void cli_say(const struct cli *cli, const char *format, ...);

/* The same, where help is, and CLI_USAGE. */
__attribute__((format(printf, 2, 3))) enum cli_exit cli_usage(const struct cli *cli,
                                                              const char *format, ...);

/* Explain a failure; returns its exit code. */
enum cli_exit cli_fail(const struct cli *cli, const qn_error *err);

/* ---- shared steps; each returns CLI_DONE or has complained and returns the exit code ---- */

/* The URI of --uri or QUOIN_URI with --timeout in it. NULL = no memory. The caller frees it. */
char *cli_uri(const struct cli *cli);

/* Connect into `cli->client`. */
enum cli_exit cli_connect(struct cli *cli);

/* Connect when there is no connection yet, and open a cache; created with --create. */
enum cli_exit cli_open(struct cli *cli, const char *name, qn_cache **cache);

/* Read the types file, if one is given. */
enum cli_exit cli_types(struct cli *cli);

/* Read a key of the command line: an int64 with --key-int or when the types file says that the keys
 * of this cache are whole numbers, else a string. Call cli_types before. */
enum cli_exit cli_key(const struct cli *cli, const char *cache, const char *text, qn_arg *key);

/* Print a document on one line of stdout and give it back. CLI_REFUSED when stdout takes nothing.
 */
enum cli_exit cli_print_json(json_t *document);

/* The same for measurements: numbers with a fraction are cut to nine digits. */
enum cli_exit cli_print_measured(json_t *document);

/* Give back what the run holds. Waits for nothing. */
void cli_fini(struct cli *cli);

#endif
