#include "client/cli/exits.h"

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
