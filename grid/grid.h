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
    uint32_t partition_count; /* of the whole grid, > 0 */
    uint32_t lane;
    uint32_t lane_count;
    struct replica_limits limits; /* of each partition */
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
    size_t memory_bytes; /* everything allocated by the grid */
};

/* QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status grid_create(const struct grid_options *options, struct grid **grid);
void grid_destroy(struct grid *grid); /* NULL allowed */

/* Does this shard own the partition? */
bool grid_owns(const struct grid *grid, uint32_t partition);

/* Apply a record of the shard's own log at start, see `replica_recover`. QN_CORRUPT also when the
 * partition is not this shard's. */
QN_MUST_USE enum qn_status grid_recover(struct grid *grid, const struct record *record);

/* Step the partition that `event->partition` names, see `replica_step`. A request for a partition
 * of another shard, for none, or whose key belongs elsewhere is answered NOT_LEADER or INVALID. */
QN_MUST_USE enum qn_status grid_step(struct grid *grid, const struct replica_event *event,
                                     struct replica_actions *actions);

QN_MUST_USE enum qn_status grid_partition_stats(const struct grid *grid, uint32_t partition,
                                                struct replica_stats *stats);
void grid_stats(const struct grid *grid, struct grid_stats *stats);

#endif
