/* The address of a cluster as text:
 *
 *     quoin://host[:port][,host[:port]...][/][?name=value[&name=value...]]
 *
 * Hosts are names, IPv4 addresses or IPv6 addresses in brackets; names are
 * those of properties. Pure functions. */
#ifndef QUOIN_CLIENT_URI_H
#define QUOIN_CLIENT_URI_H

#include "client/property.h"

enum {
    URI_SEEDS_MAX = 16,
    URI_ENDPOINT_MAX = 280, /* octets of "tcp://host:port" with its NUL */
    URI_PORT_DEFAULT = 7100,
};

struct uri {
    char seeds[URI_SEEDS_MAX][URI_ENDPOINT_MAX]; /* "tcp://host:port" */
    size_t seed_count;
};

/* Takes one `name=value`. QN_INVALID: `why` says what is wrong. */
typedef enum qn_status (*uri_take_fn)(void *arg, struct bytes name, struct bytes value,
                                      char why[PROPERTY_WHY_MAX]);

/* QN_INVALID: `err` says what is wrong, and at which character of `text`. */
QN_MUST_USE enum qn_status uri_parse(const char *text, struct uri *uri, uri_take_fn take, void *arg,
                                     qn_error *err);

#endif
