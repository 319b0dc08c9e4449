#define _GNU_SOURCE
#include "node/relane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/log/txlog.h"
#include "node/relane_internal.h"
#include "node/snapshot/snapfile.h"
#include "wire/assert.h"

void relane_tell(struct relane *relane)
{
    if (relane->options.progress) {
        relane->options.progress(relane->options.arg, &relane->progress);
    }
}

bool relane_stopped(const struct relane *relane)
{
    return relane->options.stop && relane->options.stop(relane->options.arg);
}

static uint32_t partition_count(const struct relane *relane)
{
    return relane->block.partitions * relane->options.service_count;
}

static enum qn_status path_too_long(const struct relane *relane, qn_error *err)
{
    return qn_error_set(err, QN_INVALID, "the path of the data directory is too long: %.160s",
                        relane->options.data);
}

/* What an earlier attempt left must be gone: a log found there would be taken for the new one. */
static enum qn_status place_clear(const struct relane *relane, qn_error *err)
{
    char path[RELANE_PATH_SIZE];

    lanes_clean(relane->options.data, relane->block.lanes);
    for (uint32_t lane = 0; lane < relane->options.lanes; lane++) {
        if (!lane_path(relane->options.data, lane, relane->options.lanes, path, sizeof path)) {
            return path_too_long(relane, err);
        }
        if (access(path, F_OK) == 0) {
            return qn_error_set(err, QN_IO,
                                "%.160s is left over and cannot be removed: remove it, then start "
                                "again",
                                path);
        }
    }
    return QN_OK;
}

enum qn_status relane_open(const struct relane_options *options, struct relane **relane,
                           qn_error *err)
{
    struct relane *made = calloc(1, sizeof *made);

    qn_assert(options->lanes > 0);
    qn_assert(options->lanes != options->block->lanes);
    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->options = *options;
    made->block = *options->block;
    made->progress.lanes_from = options->block->lanes;
    made->progress.lanes_to = options->lanes;
    enum qn_status status = place_clear(made, err);
    if (status != QN_OK) {
        free(made);
        return status;
    }
    *relane = made;
    return QN_OK;
}

enum qn_status relane_lane(struct relane *relane, uint32_t lane, qn_error *err)
{
    struct grid *grid;

    relane->progress.lane = lane;
    relane->progress.done_bytes = 0;
    relane->progress.total_bytes = 0;
    relane_tell(relane);
    enum qn_status status = relane_read(relane, lane, &grid, err);
    if (status != QN_OK) {
        return status;
    }
    for (uint32_t p = lane; p < partition_count(relane) && status == QN_OK;
         p += relane->block.lanes) {
        status = relane_stopped(relane) ? qn_error_set(err, QN_CLOSED, "stopped")
                                        : relane_write(relane, grid, p, err);
        relane->progress.partitions += status == QN_OK;
        relane_tell(relane);
    }
    grid_destroy(grid);
    if (status != QN_OK && !qn_error_failed(err)) {
        return qn_error_set(err, status, "cannot write the snapshots of lane %" PRIu32 ": %s", lane,
                            qn_status_text(status));
    }
    return status;
}

/* Nobody waits for what a log without records has on disk. */
static void nobody(void *arg)
{
    (void)arg;
}

/* An empty log: a lane in use always has one, so that one that is missing is noticed. */
static enum qn_status log_create(const struct relane *relane, uint32_t lane, qn_error *err)
{
    char dir[RELANE_PATH_SIZE];
    struct txlog *log;
    struct txlog_options options = {.dir = dir,
                                    .segment_size_bytes = TXLOG_SEGMENT_MIN,
                                    .owner =
                                        lane_owner(relane->block.disk, lane, relane->options.lanes),
                                    .notify = nobody};

    if (!lane_log_path(relane->options.data, lane, relane->options.lanes, dir, sizeof dir)) {
        return path_too_long(relane, err);
    }
    enum qn_status status = txlog_open(&options, &log, err);
    if (status != QN_OK) {
        return status;
    }
    /* On a full disk it opens without a segment. */
    struct txlog_stats stats;
    txlog_stats(log, &stats);
    status = txlog_close(log);
    if (status == QN_OK && stats.disk_bytes == 0) {
        status = QN_DISK_FULL;
    }
    return status == QN_OK
               ? QN_OK
               : qn_error_set(err, status, "cannot write %.160s: %s", dir, qn_status_text(status));
}

static enum qn_status manifest_create(const struct relane *relane, uint32_t lane, qn_error *err)
{
    uint32_t lanes = relane->options.lanes;
    struct manifest manifest = {.owner = lane_owner(relane->block.disk, lane, lanes)};
    char dir[RELANE_PATH_SIZE];
    enum qn_status status = QN_OK;

    if (!lane_path(relane->options.data, lane, lanes, dir, sizeof dir)) {
        return path_too_long(relane, err);
    }
    for (size_t i = 0; i < relane->fresh.row_count && status == QN_OK; i++) {
        if (relane->fresh.rows[i].partition % lanes == lane) {
            status = manifest_set(&manifest, &relane->fresh.rows[i]);
        }
    }
    if (status == QN_OK) {
        status = manifest_write(dir, &manifest, err);
    } else {
        status = qn_error_set(err, status, "out of memory");
    }
    manifest_fini(&manifest);
    return status;
}

enum qn_status relane_prepare(struct relane *relane, qn_error *err)
{
    enum qn_status status = QN_OK;

    for (uint32_t lane = 0; lane < relane->options.lanes && status == QN_OK; lane++) {
        status = lane_make(relane->options.data, lane, relane->options.lanes, err);
        if (status == QN_OK) {
            status = log_create(relane, lane, err);
        }
        if (status == QN_OK) {
            status = manifest_create(relane, lane, err);
        }
    }
    return status;
}

enum qn_status relane_switch(struct relane *relane, struct datadir *datadir, qn_error *err)
{
    enum qn_status status = superblock_lanes_set(datadir, relane->options.lanes, err);

    /* Also when it may have been done: then nothing may be removed. */
    relane->switched = status != QN_MEMORY_FULL;
    return status;
}

static void snapshots_clean(const struct relane *relane, const struct manifest *kept)
{
    for (uint32_t p = 0; p < partition_count(relane); p++) {
        const struct manifest_row *row = manifest_find(kept, p);
        snapfile_clean(relane->options.data, p, row ? row->index : 0);
    }
}

void relane_finish(struct relane *relane)
{
    lanes_clean(relane->options.data, relane->options.lanes);
    snapshots_clean(relane, &relane->fresh);
}

/* Nothing came of it: give the space back. */
static void undo(const struct relane *relane)
{
    lanes_clean(relane->options.data, relane->block.lanes);
    for (size_t i = 0; i < relane->fresh.row_count; i++) {
        const struct manifest_row *fresh = &relane->fresh.rows[i];
        const struct manifest_row *old = manifest_find(&relane->old, fresh->partition);
        snapfile_clean(relane->options.data, fresh->partition, old ? old->index : 0);
    }
}

void relane_abandon(struct relane *relane)
{
    manifest_fini(&relane->old);
    manifest_fini(&relane->fresh);
    free(relane);
}

void relane_close(struct relane *relane)
{
    if (!relane) {
        return;
    }
    if (!relane->switched) {
        undo(relane);
    }
    relane_abandon(relane);
}

enum qn_status relane(const struct relane_options *options, struct datadir *datadir, qn_error *err)
{
    struct relane *work;
    enum qn_status status = relane_open(options, &work, err);

    if (status != QN_OK) {
        return status;
    }
    for (uint32_t lane = 0; lane < options->block->lanes && status == QN_OK; lane++) {
        status = relane_lane(work, lane, err);
    }
    if (status == QN_OK) {
        status = relane_prepare(work, err);
    }
    if (status == QN_OK) {
        status = relane_switch(work, datadir, err);
    }
    if (status == QN_OK) {
        relane_finish(work);
    }
    relane_close(work);
    return status;
}
