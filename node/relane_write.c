/* Snapshots of the partitions of an old lane. */
#include "node/relane_internal.h"
#include "node/snapshot/snapfile.h"

enum {
    BLOCK_SIZE = 256 * 1024,
    SLOTS = 4096, /* looked at in one go */
};

static enum qn_status blocks_write(struct grid *grid, uint32_t partition, struct snapfile *file,
                                   struct buf *block, qn_error *err)
{
    bool done = false;

    while (!done) {
        enum qn_status status =
            grid_snapshot_next(grid, partition, SLOTS, BLOCK_SIZE, block, &done);
        if (status != QN_OK) {
            return qn_error_set(err, status, "cannot take a snapshot of partition %u: %s",
                                (unsigned)partition, qn_status_text(status));
        }
        if (block->size >= BLOCK_SIZE || (done && block->size > 0)) {
            status = snapfile_add(file, buf_bytes(block), err);
            buf_clear(block);
        }
        if (status != QN_OK) {
            return status;
        }
    }
    return QN_OK;
}

static enum qn_status file_write(struct relane *relane, struct grid *grid,
                                 const struct replica_snapshot *snapshot, struct buf *block,
                                 uint64_t *size, qn_error *err)
{
    struct snap_head head = {.partition = snapshot->partition,
                             .index = snapshot->index,
                             .epoch = snapshot->epoch,
                             .log_time_ms = snapshot->log_time_ms,
                             .wall_time_ms = snapshot->wall_time_ms,
                             .epoch_began_ms = snapshot->epoch_began_ms};
    struct snapfile *file;
    enum qn_status status =
        snapfile_create(relane->options.data, relane->block.disk, &head, &file, err);

    if (status != QN_OK) {
        return status;
    }
    status = blocks_write(grid, snapshot->partition, file, block, err);
    if (status != QN_OK) {
        snapfile_abandon(file);
        return status;
    }
    return snapfile_finish(file, size, err);
}

enum qn_status relane_write(struct relane *relane, struct grid *grid, uint32_t partition,
                            qn_error *err)
{
    const struct manifest_row *old = manifest_find(&relane->old, partition);
    struct manifest_row row = {.partition = partition, .taken_wall_ms = relane->options.wall_ms};
    struct replica_snapshot snapshot;
    struct buf block = {0};
    enum qn_status status =
        grid_snapshot_begin(grid, partition, old ? old->index : 0, &snapshot, &block);

    if (status == QN_ABSENT) {
        /* Nothing has happened since the last one, or ever. */
        return old ? manifest_set(&relane->fresh, old) : QN_OK;
    }
    if (status == QN_OK) {
        row.index = snapshot.index;
        row.epoch = snapshot.epoch;
        status = file_write(relane, grid, &snapshot, &block, &row.size, err);
        grid_snapshot_end(grid, partition);
    }
    if (status == QN_OK) {
        status = manifest_set(&relane->fresh, &row);
    }
    buf_fini(&block);
    return status;
}
