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

struct command;
struct guard;
struct shell;

/* Where commands come from. */
enum cli_place {
    CLI_ONCE,   /* one command line */
    CLI_SCRIPT, /* a file */
    CLI_SHELL,  /* a person at a terminal */
};

/* A run of the tool. */
struct cli {
    /* of the command that runs */
    const struct command *command; /* NULL = none yet */
    struct options options;
    char **arguments; /* those that are no options; the cache first where the command has one */
    int argument_count;
    struct types *types; /* NULL = no types file was given */

    /* of all commands */
    enum cli_place place;
    bool terminal;       /* stderr is one: progress may be shown */
    bool color;          /* stdout is a terminal and NO_COLOR is not set */
    struct options base; /* what stood before the first command */
    char *current;       /* name of the current cache, or NULL; owned */
    qn_client *client;   /* NULL = not connected */
    char *client_uri;    /* where to; owned */
    qn_cache **opened;   /* handles of this connection, which live as long as it does */
    size_t opened_count;
    bool timing;         /* say how long a command took */
    bool leaving;        /* no more commands */
    int depth;           /* scripts in scripts */
    struct guard *guard; /* ends a call on Ctrl-C; NULL = the signal ends the process */
    struct shell *shell; /* NULL = there is none */
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

/* Connect into `cli->client`; nothing to do where the connection is there and the URI the same. */
enum cli_exit cli_connect(struct cli *cli);

/* The same without a complaint. False: `err` says why. */
bool cli_connect_quiet(struct cli *cli, qn_error *err);

/* Connect, and open a cache; created with --create. One that was opened before is not asked for
 * again.
 */
enum cli_exit cli_open(struct cli *cli, const char *name, qn_cache **cache);

/* Ask for caches again: one of them may be gone. */
void cli_forget_caches(struct cli *cli);

/* Read the types file, if one is given and unless it has been read. */
enum cli_exit cli_types(struct cli *cli);

/* Read a key of the command line: octets with --key-octets, which are kept in `memory`; an int64
 * with
 * --key-int or when the types file says that the keys of this cache are whole numbers; else a
 * string. Call cli_types before; buf_fini(memory) at the end, in any case. */
enum cli_exit cli_key(const struct cli *cli, const char *cache, const char *text,
                      struct buf *memory, qn_arg *key);

/* Make a cache the current one, NULL = none; the name is copied. False: no memory, and no change.
 */
bool cli_use(struct cli *cli, const char *name);

/* May a command that destroys something go on? `what` says what it will do, as a sentence without
 * its end: "remove all 7,910 entries of the cache languages". Asks at the terminal unless --yes was
 * given.
 *
 * CLI_DONE = yes; CLI_NO; CLI_USAGE: there is no terminal to ask at; CLI_INTERRUPTED. */
enum cli_exit cli_ask(const struct cli *cli, const char *what);

/* The user wants the command to end: say so. CLI_INTERRUPTED. */
enum cli_exit cli_interrupted(const struct cli *cli);

/* Print a document on one line of stdout and give it back; numbers with a fraction, which are
 * measurements, are cut to nine digits. CLI_REFUSED when stdout takes nothing. */
enum cli_exit cli_print_json(json_t *document);

/* The same for one that was written as text up to its last brace, and given back in any case.
 * `status` other than QN_OK: making it has failed, which is a complaint. */
enum cli_exit cli_print_document(const struct cli *cli, enum qn_status status,
                                 struct buf *document);

/* Give back what the run holds, resp. close the connection. Waits for nothing. */
void cli_disconnect(struct cli *cli);
void cli_fini(struct cli *cli);

#endif
