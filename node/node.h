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

struct node_options {
    const struct cfg *cfg; /* borrowed, like the logger, for the node's life */
    const struct logger *logger;
    int stop_fd; /* polled during recovery: readable = give it up; -1 = none */
    /* Called several times a second until the node serves: how much has been read. May be NULL. */
    void (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
    void *arg;
};

/* QN_OK: it serves. Otherwise everything is closed again and `err` says what to do. QN_CLOSED: it
 * was stopped during recovery. */
QN_MUST_USE enum qn_status node_open(const struct node_options *options, struct node **node,
                                     qn_error *err);

/* Take over from `fresh` what may change while the node runs, into `running`: the settings it was
 * opened with. See cfg_reload. */
size_t node_reload(struct node *node, const struct cfg *fresh, struct cfg *running,
                   struct cfg_report *report);

enum { NODE_TEND_MS = 250 };

/* What must be done now and then: measure memory, tell of log lines left out. Every NODE_TEND_MS.
 */
void node_tend(struct node *node);

/* Do its threads move? */
bool node_moves(struct node *node);

/* Where clients reach shard `s` of this node. */
const char *node_endpoint(const struct node *node, uint32_t s);

/* Readable once a shard can not go on. */
int node_failed_fd(const struct node *node);

/* Stop serving, make durable what was appended, close. QN_OK, or what failed. NULL allowed. */
enum qn_status node_close(struct node *node, qn_error *err);

#endif
