/* The grid of one shard: its partitions, and the only door to them.
 *
 * Shard `lane` of `lane_count` owns the partitions p with p % lane_count == lane. Routes events to
 * their partition and hands the actions out. No I/O, no clock, no threads; belongs to one thread.
 */
#ifndef QUOIN_GRID_GRID_H
#define QUOIN_GRID_GRID_H

#include "grid/replica/replica.h"

struct grid;

struct grid_options {
    uint32_t node;
    uint32_t partition_count; /* P of the grid, > 0: keys are hashed modulo P */
    uint32_t service_count;   /* services of P partitions each, > 0: numbers s * P + p */
    uint32_t lane;
    uint32_t lane_count;
    uint32_t incarnation; /* of this process */
    unsigned min_isr;     /* 0 is taken for 1 */
    bool alone;           /* no other node will ever have copies */
    bool unclean;         /* the last run did not end cleanly: of the memory service copies may lack
                             what they acknowledged */
    bool empty; /* the data directory is new where another one is known: so may all copies */
    struct replica_times times;
    struct replica_limits limits; /* of each partition */
    struct alloc *pages;          /* where memory comes from, in pages (grid/base/slab.h); borrowed.
                                     NULL: malloc */
};

/* Sums over the partitions of the shard. */
struct grid_stats {
    uint32_t partitions;
    uint32_t leading;
    uint32_t faulted;
    uint64_t entries;
    size_t entry_bytes;
    size_t table_bytes;
    size_t uncommitted_bytes;
    uint64_t sessions;
    size_t memory_bytes; /* everything allocated by the grid, in whole pages */
    uint32_t pins;
    size_t history_bytes;
    uint64_t published;
    uint64_t expired;
    uint64_t cursors_expired;
};

/* QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status grid_create(const struct grid_options *options, struct grid **grid);
void grid_destroy(struct grid *grid); /* NULL allowed */

/* Does this shard own the partition? */
bool grid_owns(const struct grid *grid, uint32_t partition);

/* Apply a record of the shard's own log at start, see `replica_recover`. QN_CORRUPT also when the
 * partition is not this shard's. */
QN_MUST_USE enum qn_status grid_recover(struct grid *grid, const struct record *record);

/* Step the partition that `event->partition` names, see `replica_step`. The actions are valid until
 * the next step of any partition. A request for a partition of another shard, for none, or whose
 * key belongs elsewhere is answered NOT_LEADER or INVALID. */
QN_MUST_USE enum qn_status grid_step(struct grid *grid, const struct replica_event *event,
                                     struct replica_actions *actions);

/* Snapshots of a partition of this shard, see `replica_snapshot_begin` and on. QN_INVALID: it is
 * another's. */
QN_MUST_USE enum qn_status grid_snapshot_begin(struct grid *grid, uint32_t partition,
                                               uint64_t index_known,
                                               struct replica_snapshot *snapshot, struct buf *out);
QN_MUST_USE enum qn_status grid_snapshot_next(struct grid *grid, uint32_t partition,
                                              size_t slots_max, size_t size_max, struct buf *out,
                                              bool *done);
void grid_snapshot_end(struct grid *grid, uint32_t partition);
QN_MUST_USE enum qn_status grid_restore(struct grid *grid, const struct replica_snapshot *snapshot);
QN_MUST_USE enum qn_status grid_restore_part(struct grid *grid, uint32_t partition,
                                             struct bytes part);

/* Give back memory of cleared entries: about `slots_max` slots of work. True: there is more. */
bool grid_sweep(struct grid *grid, size_t slots_max);

/* Call `visit` with the figures of each cache, summed over the partitions of the shard, ascending
 * by id. Takes time with partitions times caches. QN_MEMORY_FULL: not all were visited. */
QN_MUST_USE enum qn_status
grid_caches(const struct grid *grid,
            void (*visit)(void *context, const struct replica_cache *figures), void *context);

/* Octets of the committed entries of one cache in this shard, exactly. Some microseconds. */
uint64_t grid_cache_bytes(const struct grid *grid, uint32_t cache);

/* Hash of the whole committed state of the partitions of this shard, independent of how they are
 * spread over shards and of the order in memory: add up those of all shards. Epochs are left out,
 * since each start begins new ones. */
uint64_t grid_state_hash(const struct grid *grid);

QN_MUST_USE enum qn_status grid_partition_stats(const struct grid *grid, uint32_t partition,
                                                struct replica_stats *stats);
void grid_stats(const struct grid *grid, struct grid_stats *stats);

#endif
