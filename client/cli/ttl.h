/* What --ttl says, as the client's calls take it. */
#ifndef QUOIN_CLIENT_CLI_TTL_H
#define QUOIN_CLIENT_CLI_TTL_H

#include "client/cli/options.h"
#include "client/quoin.h"

/* Milliseconds, QN_TTL_NEVER, or 0 = not given: what the cache says. */
static inline int64_t ttl_of(const struct options *options)
{
    if (options->ttl_ms == OPTIONS_NEVER) {
        return QN_TTL_NEVER;
    }
    return options->ttl_ms > 0 ? options->ttl_ms : 0;
}

#endif
