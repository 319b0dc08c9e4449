/* The address of a cluster as text:
 *
 *     quoin://host[:port][,host[:port]...][/][?name=value[&name=value...]]
 *
 * Hosts are names, IPv4 addresses or IPv6 addresses in brackets. Pure functions. */
#ifndef QUOIN_CLIENT_URI_H
#define QUOIN_CLIENT_URI_H

#include "wire/bytes.h"

enum {
    URI_SEEDS_MAX = 16,
    URI_ENDPOINT_MAX = 280, /* octets of "tcp://host:port" with its NUL */
    URI_PORT_DEFAULT = 7100,
};

struct uri {
    char seeds[URI_SEEDS_MAX][URI_ENDPOINT_MAX]; /* "tcp://host:port" */
    size_t seed_count;
    int64_t timeout_ms;         /* "timeout": 1 ms to 1 h; 15 s */
    size_t in_flight_max;       /* "in_flight": operations, 1 to 1048576; 4096 */
    size_t in_flight_max_bytes; /* "in_flight_bytes": their keys and values; 64 MiB */
};

/* QN_INVALID: `err` says what is wrong, and at which character of `text`. */
QN_MUST_USE enum qn_status uri_parse(const char *text, struct uri *uri, qn_error *err);

#endif
