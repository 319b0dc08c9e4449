/* What the tool's exit code says, and which status gets which. A contract with scripts. */
#ifndef QUOIN_CLIENT_CLI_EXITS_H
#define QUOIN_CLIENT_CLI_EXITS_H

#include <stddef.h>

#include "wire/status.h"

enum cli_exit {
    CLI_DONE = 0,
    CLI_NO = 1,          /* the answer is no: absent, another version, already there, not ready */
    CLI_USAGE = 2,       /* the command line is wrong */
    CLI_UNREACHABLE = 3, /* no node, no leader, or too busy: trying again later may help */
    CLI_UNKNOWN = 4,     /* a change may or may not have been applied */
    CLI_REFUSED = 5,     /* understood and refused; trying again will not help */
    CLI_INPUT = 6,       /* some of the input was rejected */
    CLI_INTERRUPTED = 130,
};

/* Every code, in the order of the numbers. */
extern const enum cli_exit cli_exits[];
extern const size_t cli_exit_count;

/* What a code says, in a few words. */
const char *cli_exit_text(enum cli_exit code);

/* The exit code for a status and, when it is a failure, its certainty. */
enum cli_exit cli_exit_of(enum qn_status status, enum qn_certainty certainty);

#endif
