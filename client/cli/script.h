/* Commands of a text, one after the other. Knows nothing of what they do. */
#ifndef QUOIN_CLIENT_CLI_SCRIPT_H
#define QUOIN_CLIENT_CLI_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "client/cli/exits.h"
#include "wire/bytes.h"

struct script {
    const char *name; /* for complaints: "nightly.quoin" */
    bool keep_going;  /* after a failure */
    /* Run one command; `words` is NULL after the last and may be put into another order. */
    enum cli_exit (*run)(void *arg, int count, char **words);
    bool (*ended)(void *arg); /* asked after each command: no more of them? */
    void *arg;
    FILE *complaints;
};

/* Run them all. The code of the first failure, or CLI_DONE. A failure is a code other than
 * CLI_DONE; in a line that begins with `?` CLI_NO is none. Text that ends within a command is
 * CLI_USAGE. */
enum cli_exit script_run(const struct script *script, struct bytes text);

#endif
