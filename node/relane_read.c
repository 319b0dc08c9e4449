/* An old lane, as a start would read it; but here every damage ends the matter. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "node/log/txlog.h"
#include "node/relane_internal.h"
#include "node/snapshot/snapfile.h"

/* A reading under way. */
struct reading {
    struct relane *relane;
    struct grid *grid;
    const struct manifest_row *row; /* of the snapshot at hand */
    uint32_t lane;
    uint32_t records; /* since it was last asked whether to stop */
    qn_error *err;
    enum qn_status failed; /* what a callback that returns nothing has found */
};

enum { STOP_EVERY = 1024 };

static enum qn_status damaged(struct reading *reading, const char *file, uint64_t offset,
                              const char *what)
{
    return qn_error_set(reading->err, QN_CORRUPT,
                        "%.120s at %" PRIu64 ": %.60s: a damaged lane cannot be divided anew: set "
                        "node.shards = %" PRIu32 ", or restore the data directory from a backup",
                        file, offset, what, reading->relane->block.lanes);
}

static enum qn_status snapshot_head(void *arg, const struct snap_head *head)
{
    struct reading *reading = arg;
    struct replica_snapshot snapshot = {.partition = head->partition,
                                        .index = head->index,
                                        .epoch = head->epoch,
                                        .log_time_ms = head->log_time_ms,
                                        .wall_time_ms = head->wall_time_ms,
                                        .epoch_began_ms = head->epoch_began_ms};

    if (head->partition != reading->row->partition || head->index != reading->row->index) {
        return QN_CORRUPT;
    }
    return grid_restore(reading->grid, &snapshot);
}

static enum qn_status snapshot_block(void *arg, struct bytes block)
{
    const struct reading *reading = arg;

    return grid_restore_part(reading->grid, reading->row->partition, block);
}

static enum qn_status snapshot_read(struct reading *reading, const struct manifest_row *row)
{
    struct relane *relane = reading->relane;
    struct snap_visitor visitor = {.arg = reading, .head = snapshot_head, .block = snapshot_block};
    char path[RELANE_PATH_SIZE];
    uint64_t size;

    if (!snapfile_path(relane->options.data, row->partition, row->index, path, sizeof path)) {
        return qn_error_set(reading->err, QN_INVALID,
                            "the path of the data directory is too long: %.160s",
                            relane->options.data);
    }
    reading->row = row;
    qn_error why = QN_ERROR_INIT;
    enum qn_status status = snapfile_read(path, relane->block.disk, &visitor, &size, &why);
    if (status == QN_ABSENT) {
        return damaged(reading, path, 0, "the snapshot is missing");
    }
    if (status == QN_CORRUPT && !qn_error_failed(&why)) {
        return damaged(reading, path, 0, "the snapshot makes no sense");
    }
    if (status == QN_CORRUPT) {
        return qn_error_set(reading->err, status, "%.200s, or set node.shards = %" PRIu32, why.text,
                            relane->block.lanes);
    }
    return qn_error_failed(&why) ? qn_error_set(reading->err, status, "%s", why.text) : status;
}

/* The snapshots of the lane's manifest; a lane that has none has all in its log. */
static enum qn_status snapshots_read(struct reading *reading, const struct manifest *manifest)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; i < manifest->row_count && status == QN_OK; i++) {
        const struct manifest_row *row = &manifest->rows[i];
        if (relane_stopped(reading->relane)) {
            return qn_error_set(reading->err, QN_CLOSED, "stopped");
        }
        if (row->index > 0) {
            status = snapshot_read(reading, row);
        }
        if (status == QN_OK) {
            status = manifest_set(&reading->relane->old, row);
        }
    }
    return status;
}

static enum qn_status log_record(void *arg, const struct record *record)
{
    struct reading *reading = arg;

    if (reading->records++ % STOP_EVERY == 0 && relane_stopped(reading->relane)) {
        return qn_error_set(reading->err, QN_CLOSED, "stopped");
    }
    enum qn_status status = grid_recover(reading->grid, record);
    if (status == QN_CORRUPT) {
        return damaged(reading, "the log", record->index,
                       "a record does not follow the one before");
    }
    return status;
}

static void log_damage(void *arg, const struct txlog_damage *damage)
{
    struct reading *reading = arg;

    reading->failed = damaged(reading, damage->file, damage->offset, damage->text);
}

static void log_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    const struct reading *reading = arg;

    reading->relane->progress.done_bytes = done_bytes;
    reading->relane->progress.total_bytes = total_bytes;
    relane_tell(reading->relane);
}

static enum qn_status log_read(struct reading *reading, const struct manifest *manifest,
                               const char *dir)
{
    const struct relane *relane = reading->relane;
    struct txlog_report report = {0};
    struct txlog_visitor visitor = {
        .arg = reading,
        .owner = lane_owner(relane->block.disk, reading->lane, relane->block.lanes),
        .record = log_record,
        .damage = log_damage,
        .progress = log_progress,
        .needed_from = manifest->log_first,
        .known_end = manifest->log_end,
        .read_only = true};
    enum qn_status status = txlog_recover(dir, &visitor, &report, reading->err);

    if (status == QN_OK) {
        status = reading->failed;
    }
    if (status == QN_OK && report.segments == 0 && relane->options.log_expected) {
        status = damaged(reading, dir, 0, "the log is missing, yet partitions were opened");
    }
    return status;
}

static enum qn_status parts_read(struct reading *reading)
{
    const struct relane *relane = reading->relane;
    uint32_t lanes = relane->block.lanes;
    struct manifest manifest = {0};
    char dir[RELANE_PATH_SIZE], log_dir[RELANE_PATH_SIZE];

    if (!lane_path(relane->options.data, reading->lane, lanes, dir, sizeof dir) ||
        !lane_log_path(relane->options.data, reading->lane, lanes, log_dir, sizeof log_dir)) {
        return qn_error_set(reading->err, QN_INVALID,
                            "the path of the data directory is too long: %.160s",
                            relane->options.data);
    }
    enum qn_status status = manifest_read(dir, lane_owner(relane->block.disk, reading->lane, lanes),
                                          &manifest, reading->err);
    if (status == QN_OK || status == QN_ABSENT) {
        status = snapshots_read(reading, &manifest);
    }
    if (status == QN_OK) {
        status = log_read(reading, &manifest, log_dir);
    }
    manifest_fini(&manifest);
    return status;
}

enum qn_status relane_read(struct relane *relane, uint32_t lane, struct grid **grid, qn_error *err)
{
    struct grid_options options = {.node = relane->block.node,
                                   .partition_count = relane->block.partitions,
                                   .service_count = relane->options.service_count,
                                   .lane = lane,
                                   .lane_count = relane->block.lanes,
                                   .alone = true,
                                   .limits = relane->options.limits,
                                   .pages = relane->options.pages};
    struct reading reading = {.relane = relane, .lane = lane, .err = err};
    enum qn_status status = grid_create(&options, &reading.grid);

    if (status == QN_OK) {
        status = parts_read(&reading);
    }
    if (status != QN_OK) {
        grid_destroy(reading.grid);
        return qn_error_failed(err)
                   ? status
                   : qn_error_set(err, status, "cannot read lane %" PRIu32 " of %" PRIu32 ": %s",
                                  lane, relane->block.lanes, qn_status_text(status));
    }
    *grid = reading.grid;
    return QN_OK;
}
