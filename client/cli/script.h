/* Commands of a text, one after the other. Knows nothing of what they do. */
#ifndef QUOIN_CLIENT_CLI_SCRIPT_H
#define QUOIN_CLIENT_CLI_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "client/cli/exits.h"
#include "wire/bytes.h"

/* How a script goes on after a command. */
enum script_wish {
    SCRIPT_GOES_ON,
    SCRIPT_LEAVES,      /* no more of them, as the script said */
    SCRIPT_INTERRUPTED, /* no more of them, as the user wishes */
};

struct script {
    const char *name; /* for complaints: "nightly.quoin" */
    bool keep_going;  /* after a failure */
    /* Run one command; `words` is NULL after the last and may be put into another order. */
    enum cli_exit (*run)(void *arg, int count, char **words);
    enum script_wish (*wish)(void *arg); /* asked after each command */
    void *arg;
    FILE *complaints;
};

/* Run them all. The code of the first failure, or CLI_DONE. A failure is a code other than
 * CLI_DONE; in a line that begins with `?` CLI_NO is none. Text that ends within a command is
 * CLI_USAGE. After an interrupt it is said how far the script has got: CLI_INTERRUPTED. */
enum cli_exit script_run(const struct script *script, struct bytes text);

#endif
