/* A listening TCP socket, with errors that say what to do. */
#ifndef QUOIN_NODE_ADMIN_LISTENER_H
#define QUOIN_NODE_ADMIN_LISTENER_H

#include "wire/bytes.h"

/* Listen on `bind` and `port` (0 = any free one). `bind` is an IPv4 or IPv6 address, the latter
 * with or without brackets; "*" and "0.0.0.0" are every IPv4 address, "::" every address of both
 * kinds. The caller closes `*fd`.
 *
 * QN_INVALID  `bind` is no address.
 * QN_IO       the address is not ours, the port is taken, or there are no descriptors left. */
QN_MUST_USE enum qn_status listener_open(const char *bind, uint16_t port, int *fd, qn_error *err);

/* The port `fd` listens on; 0 when the system does not say. */
uint16_t listener_port(int fd);

#endif
