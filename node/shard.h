/* A shard: a thread that owns a lane of partitions, their log and their door.
 *
 * Life: `shard_start` (binds its endpoint, then reads its log), `shard_wait_recovered`,
 * `shard_serve` (opens its partitions and answers), `shard_stop`, `shard_join`. The main thread
 * calls these; figures may be read by any thread. Nothing blocks a serving shard: it waits for
 * frames and for its log writer, and for nothing else. */
#ifndef QUOIN_NODE_SHARD_H
#define QUOIN_NODE_SHARD_H

#include <stdatomic.h>

#include "config/cfg.h"
#include "grid/grid.h"
#include "node/admin/histogram.h"
#include "node/cache_figures.h"
#include "node/clerk.h"
#include "node/directory.h"
#include "node/logger.h"
#include "node/memory.h"
#include "wire/bytes.h"

struct shard;

enum {
    SHARD_OPS = WIRE_OPS,  /* one row per enum wire_op_kind; 0 counts unknown ones */
    SHARD_REFUSALS = 64,   /* by status: row -status */
    SHARD_FACTS_MAX = 256, /* of a STATUS or CONFIG answer */
};

/* Figures, written by the shard and read by anybody. */
struct shard_histogram {
    atomic_uint_least64_t buckets[ADMIN_BUCKETS];
    atomic_uint_least64_t sum_ns;
};

struct shard_op_figures {
    atomic_uint_least64_t ok; /* answered >= 0 */
    atomic_uint_least64_t failed;
    struct shard_histogram duration; /* from the frame's arrival to the answer's departure */
};

struct shard_figures {
    struct shard_op_figures ops[SHARD_OPS];
    atomic_uint_least64_t refused[SHARD_REFUSALS];
    atomic_uint_least64_t inflight; /* changes that wait for the disk */
    atomic_uint_least64_t frames;
    atomic_uint_least64_t frames_rejected;
    atomic_uint_least64_t replies_dropped;
    atomic_uint_least64_t partitions;
    atomic_uint_least64_t leading;
    atomic_uint_least64_t faulted;
    atomic_uint_least64_t entries;
    atomic_uint_least64_t entry_bytes;
    atomic_uint_least64_t table_bytes;
    atomic_uint_least64_t uncommitted_bytes;
    atomic_uint_least64_t memory_bytes;
    atomic_uint_least64_t sessions;
    atomic_uint_least64_t pins;
    atomic_uint_least64_t history_bytes;
    atomic_uint_least64_t expired;
    atomic_uint_least64_t cursors_expired;
    struct shard_histogram soft_commits;
    struct shard_histogram hard_commits;
    atomic_uint_least64_t snapshots;
    atomic_uint_least64_t snapshot_bytes;
    atomic_uint_least64_t snapshots_failed;
    atomic_uint_least64_t checkpoint_at_ms; /* monotonic: end of the last checkpoint; 0 = none */
    atomic_uint_least64_t log_used;         /* octets that a start would have to read */
    atomic_uint_least64_t log_disk_bytes;
    atomic_uint_least64_t log_buffer_bytes;
    struct shard_histogram log_appends;
    struct shard_histogram log_fsyncs;
    atomic_uint_least64_t disk_full; /* 1 while there is no space for the next segment of the log */
    atomic_uint_least64_t log_bytes;
    atomic_uint_least64_t log_records;
    atomic_uint_least64_t log_syncs;
    atomic_uint_least64_t recovered_records;
    atomic_uint_least64_t recovered_bytes;
    atomic_uint_least64_t recovery_total_bytes;
    atomic_int_least64_t last_round_ms; /* monotonic: when the loop last went round */
};

static inline uint64_t figure_get(const atomic_uint_least64_t *figure)
{
    return atomic_load_explicit(figure, memory_order_relaxed);
}

/* What a shard asks of its node; called on the shard's thread. */
struct shard_host {
    void *arg;
    /* It can not go on: the node must stop. */
    void (*failed)(void *arg);
    /* Facts for STATUS, the settings for CONFIG: how many of `facts` (SHARD_FACTS_MAX) were filled.
     */
    size_t (*facts)(void *arg, struct arena *arena, struct wire_fact *facts);
    size_t (*settings)(void *arg, struct arena *arena, struct wire_fact *facts);
    /* Every cache with its figures over all shards. NULL: no memory. */
    struct wire_cache *(*caches)(void *arg, struct arena *arena, size_t *count);
};

struct shard_options {
    uint32_t lane;
    uint32_t lane_count;
    uint64_t disk;     /* id of the data directory: a log of another one is refused */
    bool log_expected; /* partitions were opened before: a lane without log is damage */
    const struct cfg *cfg;
    struct directory *directory;
    struct clerk *clerk;
    struct memory_budget *memory;
    const struct logger *logger;
    struct shard_host host;
};

/* What the settings say of a partition. */
struct replica_limits shard_limits(const struct cfg *cfg);

/* Start the thread and wait until it listens. QN_IO, QN_MEMORY_FULL: nothing runs. */
QN_MUST_USE enum qn_status shard_start(const struct shard_options *options, struct shard **shard,
                                       qn_error *err);

/* Where it listens: "tcp://host:port" with the port filled in. */
const char *shard_endpoint(const struct shard *shard);

/* Wait until the log has been read. `*epoch` becomes the highest epoch in it. On failure the thread
 * has ended; join it. */
QN_MUST_USE enum qn_status shard_wait_recovered(struct shard *shard, uint64_t *epoch,
                                                qn_error *err);

/* The directory is published: open the partitions and serve. */
void shard_serve(struct shard *shard);

/* Ask it to end: no new changes, those in the log are made durable and answered. */
void shard_stop(struct shard *shard);

/* The clerk has done a job for this shard (its thread). */
void shard_clerk_done(struct shard *shard, const struct clerk_result *result);

/* Wait for its end and close what it held; the figures stay. `err` (NULL allowed) says what failed.
 */
enum qn_status shard_join(struct shard *shard, qn_error *err);

/* After `shard_join`. */
void shard_destroy(struct shard *shard);

struct shard_figures *shard_figures(struct shard *shard);

/* Figures of the caches in this shard. Any thread. */
const struct cache_figures *shard_cache_figures(const struct shard *shard);

#endif
