/* What the commands on one entry share. */
#ifndef QUOIN_CLIENT_CLI_ENTRY_H
#define QUOIN_CLIENT_CLI_ENTRY_H

#include "client/cli/form.h"

/* A cache and a key of the command line. Begins with the `cli` alone. */
struct entry_call {
    struct cli *cli;
    struct form form; /* of the cache's entries */
    qn_cache *cache;
    qn_arg key;
    struct buf key_octets; /* what `key` may point into; buf_fini at the end */
};

/* Read the key and open the cache. Types have been read. */
enum cli_exit entry_open(struct entry_call *call);

/* A whole command: types, form, key, connection, cache, then `act`. */
enum cli_exit entry_run(struct cli *cli, enum cli_exit (*act)(const struct entry_call *call));

/* What a change is told besides what it changes: --wait-visible, --commit-within. */
qn_options entry_change_options(const struct cli *cli);

/* --ttl as the client takes it: 0 = what the cache says. */
int64_t entry_ttl(const struct cli *cli);

/* Append the key as JSON. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status entry_key_json(const struct entry_call *call, struct buf *out);

/* Print an answer without a value: the word `done` and the version (0 = none) for people, a
 * document for programs. Returns the exit code of `status`. */
enum cli_exit entry_answer(const struct entry_call *call, qn_status status, uint64_t version,
                           const char *done);

#endif
