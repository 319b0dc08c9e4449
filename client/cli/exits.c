#include "client/cli/exits.h"

const enum cli_exit cli_exits[] = {
    CLI_DONE,    CLI_NO,      CLI_USAGE, CLI_UNREACHABLE,
    CLI_UNKNOWN, CLI_REFUSED, CLI_INPUT, CLI_INTERRUPTED,
};
const size_t cli_exit_count = sizeof cli_exits / sizeof *cli_exits;

const char *cli_exit_text(enum cli_exit code)
{
    switch (code) {
    case CLI_DONE:
        return "done";
    case CLI_NO:
        return "the answer is no";
    case CLI_USAGE:
        return "usage";
    case CLI_UNREACHABLE:
        return "unreachable or no leader";
    case CLI_UNKNOWN:
        return "outcome unknown";
    case CLI_REFUSED:
        return "refused";
    case CLI_INPUT:
        return "input had errors";
    case CLI_INTERRUPTED:
        return "interrupted";
    }
    return "?";
}

/* A failure that left nothing behind: is it the moment or the request that is wrong? */
static enum cli_exit exit_of_failure(enum qn_status status)
{
    return qn_status_retry(status) || status == QN_CLOSED ? CLI_UNREACHABLE : CLI_REFUSED;
}

enum cli_exit cli_exit_of(enum qn_status status, enum qn_certainty certainty)
{
    if (status == QN_OK) {
        return CLI_DONE;
    }
    if (status > QN_OK) {
        return CLI_NO;
    }
    if (certainty == QN_UNKNOWN) {
        return CLI_UNKNOWN;
    }
    /* Damage, a full disk and full memory may be retried elsewhere, but here the node said no. */
    if (status == QN_CORRUPT || status == QN_DISK_FULL || status == QN_MEMORY_FULL) {
        return CLI_REFUSED;
    }
    return exit_of_failure(status);
}
