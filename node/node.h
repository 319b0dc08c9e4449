/* A node: the parts of the process quoind, put together.
 *
 * `node_open` opens the data directory, starts the shards and the admin thread, waits for recovery
 * and opens all partitions. Then the caller waits for a signal, or for `node_failed_fd`, and closes
 * it. Main thread only. */
#ifndef QUOIN_NODE_NODE_H
#define QUOIN_NODE_NODE_H

#include "config/cfg.h"
#include "node/logger.h"

struct node;

/* QN_OK: it serves. Otherwise everything is closed again and `err` says what to do. `stop_fd` is
 * polled during recovery: when it becomes readable, recovery is given up (QN_CLOSED). */
QN_MUST_USE enum qn_status node_open(const struct cfg *cfg, const struct logger *logger,
                                     int stop_fd, struct node **node, qn_error *err);

/* Where clients reach shard `s` of this node. */
const char *node_endpoint(const struct node *node, uint32_t s);

/* Readable once a shard can not go on. */
int node_failed_fd(const struct node *node);

/* Stop serving, make durable what was appended, close. QN_OK, or what failed. NULL allowed. */
enum qn_status node_close(struct node *node, qn_error *err);

#endif
