/* HTTP for operators: health and metrics, by libmicrohttpd on a thread of its own.
 *
 *     /livez     200 while the process and its threads respond
 *     /startedz  200 once recovery has finished
 *     /readyz    200 when every partition it should serve is served
 *     /safez     200 when stopping this node now would lose or block nothing
 *     /metrics   Prometheus text
 *
 * 503 otherwise, with the reason in the body; JSON with `?verbose`. The admin thread reads nothing
 * of the node's: it asks the snapshot function, which must be callable from any thread. */
#ifndef QUOIN_NODE_ADMIN_ADMIN_H
#define QUOIN_NODE_ADMIN_ADMIN_H

#include "wire/bytes.h"

struct admin;

enum {
    ADMIN_OP_MAX = 16,  /* operation kinds that are counted */
    ADMIN_BUCKETS = 20, /* latency buckets: bucket b counts up to 50 us * 2^b, the last is open */
    ADMIN_REASON_MAX = 200,
};

struct admin_op {
    const char *name; /* "get"; NULL = unused row */
    uint64_t ok;      /* answered >= 0 */
    uint64_t failed;
    uint64_t buckets[ADMIN_BUCKETS]; /* latency inside the node */
    uint64_t sum_ns;
};

/* The state of the node at one moment. */
struct admin_snapshot {
    const char *version;
    uint32_t node;
    bool live;
    bool started;
    bool ready;
    bool safe;
    char reason[ADMIN_REASON_MAX]; /* why not ready or not safe */
    uint32_t partitions;
    uint32_t partitions_leading;
    uint32_t partitions_faulted;
    uint64_t entries;
    uint64_t entry_bytes;
    uint64_t table_bytes;
    uint64_t uncommitted_bytes;
    uint64_t memory_bytes;
    uint64_t sessions;
    bool disk_full; /* no space for the next segment of the log */
    uint64_t log_bytes;
    uint64_t log_records;
    uint64_t log_syncs;
    uint64_t log_sync_ns;
    uint64_t frames_rejected;
    uint64_t recovery_ms;
    int64_t started_wall_ms;
    struct admin_op ops[ADMIN_OP_MAX];
};

struct admin_options {
    const char *bind; /* address */
    uint16_t port;    /* 0 = any free one */
    void (*snapshot)(void *arg, struct admin_snapshot *snapshot);
    void *arg;
};

/* QN_IO, QN_INVALID (not a numeric address): `err` names address and port and what to do. */
QN_MUST_USE enum qn_status admin_open(const struct admin_options *options, struct admin **admin,
                                      qn_error *err);
uint16_t admin_port(const struct admin *admin);
void admin_close(struct admin *admin); /* NULL allowed */

#endif
