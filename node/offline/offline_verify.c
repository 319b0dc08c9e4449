/* Everything of a data directory, read as a start reads it. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "grid/grid.h"
#include "node/coord/coord.h"
#include "node/log/txlog.h"
#include "node/offline/offline_dir.h"
#include "node/snapshot/snapfile.h"

struct verification {
    struct offline_dir dir;
    struct offline_verdict verdict;
    struct offline_lane lane; /* the one at hand */
    struct grid *grid;        /* its partitions */
    bool *faulted;            /* by partition: told already, and not to be told at each record */
    char place_file[OFFLINE_PATH_SIZE]; /* of the record at hand */
    uint64_t place_offset;
    uint64_t snapshot_bytes; /* of the lane, read so far */
};

/* None of these limits what was accepted once: they count where requests are served. */
static const struct replica_limits limits = {.key_size_max_bytes = RECORD_BODY_MAX,
                                             .value_size_max_bytes = RECORD_BODY_MAX,
                                             .uncommitted_max_bytes = RECORD_BODY_MAX,
                                             .session_ttl_ms = INT64_MAX,
                                             .session_results_max = UINT32_MAX,
                                             .session_bytes_max = SIZE_MAX,
                                             .pins_max = 1};

static void progress_tell(const struct verification *v, uint64_t done, uint64_t total)
{
    const struct offline_visitor *visitor = v->dir.visitor;

    if (visitor->progress) {
        visitor->progress(visitor->arg, done, total);
    }
}

/* Tell of a partition once; what follows in it is the consequence. */
static void partition_damage(struct verification *v, uint32_t partition, const char *path,
                             uint64_t offset, const char *what)
{
    bool known = partition < v->dir.partition_count && v->faulted[partition];

    if (partition < v->dir.partition_count) {
        v->faulted[partition] = true;
    }
    if (!known) {
        offline_damage(&v->dir, path, offset, what);
    }
}

/* ---- snapshots ---- */

/* The partition at hand. */
struct restoring {
    struct verification *v;
    uint32_t partition;
    const char *path;
};

static enum qn_status restoring_head(void *arg, const struct snap_head *head)
{
    const struct restoring *restoring = arg;
    struct replica_snapshot snapshot = {.partition = head->partition,
                                        .index = head->index,
                                        .epoch = head->epoch,
                                        .log_time_ms = head->log_time_ms,
                                        .wall_time_ms = head->wall_time_ms,
                                        .epoch_began_ms = head->epoch_began_ms};

    return grid_restore(restoring->v->grid, &snapshot);
}

static enum qn_status restoring_block(void *arg, struct bytes block)
{
    const struct restoring *restoring = arg;

    return grid_restore_part(restoring->v->grid, restoring->partition, block);
}

static void restoring_damage(void *arg, uint64_t offset, const char *what)
{
    const struct restoring *restoring = arg;

    partition_damage(restoring->v, restoring->partition, restoring->path, offset, what);
}

static enum qn_status snapshot_verify(struct verification *v, const struct manifest_row *row)
{
    char path[OFFLINE_PATH_SIZE];
    struct restoring restoring = {.v = v, .partition = row->partition, .path = path};
    struct snap_visitor visitor = {.arg = &restoring,
                                   .head = restoring_head,
                                   .block = restoring_block,
                                   .damage = restoring_damage};
    qn_error why = QN_ERROR_INIT;
    uint64_t size = 0;

    if (!snapfile_path(v->dir.path, row->partition, row->index, path, sizeof path)) {
        return qn_error_set(v->dir.err, QN_INVALID, "the path of the data directory is too long");
    }
    if (!grid_owns(v->grid, row->partition)) {
        offline_damage(&v->dir, v->lane.path, 0, "the manifest names a partition of another lane");
        return QN_OK;
    }
    enum qn_status status = snapfile_read(path, v->dir.block.disk, &visitor, &size, &why);
    v->verdict.snapshots++;
    v->snapshot_bytes += size;
    progress_tell(v, v->snapshot_bytes, 0);
    if (status == QN_CORRUPT || status == QN_ABSENT) {
        partition_damage(v, row->partition, path, 0,
                         why.text[0] ? why.text : "its contents make no sense");
        return QN_OK;
    }
    return status == QN_OK ? QN_OK
                           : qn_error_set(v->dir.err, status, "cannot read %.200s: %s", path,
                                          why.text[0] ? why.text : qn_status_text(status));
}

/* ---- the log ---- */

static void log_place(void *arg, const char *file, uint64_t offset, uint64_t lsn)
{
    struct verification *v = arg;

    (void)lsn;
    (void)snprintf(v->place_file, sizeof v->place_file, "%s", file);
    v->place_offset = offset;
}

static enum qn_status log_record(void *arg, const struct record *record)
{
    struct verification *v = arg;
    char text[OFFLINE_TEXT_SIZE];
    enum qn_status status = grid_recover(v->grid, record);

    if (status == QN_CORRUPT) {
        (void)snprintf(text, sizeof text,
                       "record %" PRIu64 " of partition %" PRIu32
                       " does not follow the one before it",
                       record->index, record->partition);
        partition_damage(v, record->partition, v->place_file, v->place_offset, text);
        return QN_OK;
    }
    return status;
}

static void log_damage(void *arg, const struct txlog_damage *damage)
{
    struct verification *v = arg;
    char text[OFFLINE_TEXT_SIZE];

    if (damage->whole_lane) {
        (void)snprintf(text, sizeof text, "%s (all partitions of lane %" PRIu32 ")", damage->text,
                       v->lane.number);
        offline_damage(&v->dir, damage->file, damage->offset, text);
        return;
    }
    (void)snprintf(text, sizeof text, "%s (partition %" PRIu32 ")", damage->text,
                   damage->partition);
    partition_damage(v, damage->partition, damage->file, damage->offset, text);
}

static void log_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    progress_tell(arg, done_bytes, total_bytes);
}

static enum qn_status log_verify(struct verification *v)
{
    struct txlog_visitor visitor = {.arg = v,
                                    .owner = v->lane.owner,
                                    .record = log_record,
                                    .place = log_place,
                                    .damage = log_damage,
                                    .progress = log_progress,
                                    .needed_from = v->lane.manifest.log_first,
                                    .known_end = v->lane.manifest.log_end,
                                    .read_only = true};
    struct txlog_report report = {0};
    qn_error why = QN_ERROR_INIT;
    enum qn_status status = txlog_recover(v->lane.log_path, &visitor, &report, &why);

    if (status == QN_CORRUPT) { /* a newer format */
        offline_damage_of(&v->dir, v->lane.log_path, &why);
        return QN_OK;
    }
    if (status != QN_OK) {
        return qn_error_set(v->dir.err, status, "%s",
                            why.text[0] ? why.text : qn_status_text(status));
    }
    v->verdict.records += report.records;
    v->verdict.torn_bytes += report.torn_bytes;
    return QN_OK;
}

/* ---- all of it ---- */

static enum qn_status lane_read(struct verification *v)
{
    const struct manifest *manifest = &v->lane.manifest;
    struct grid_stats stats;
    enum qn_status status = QN_OK;

    v->snapshot_bytes = 0;
    for (size_t i = 0; i < manifest->row_count && status == QN_OK; i++) {
        if (manifest->rows[i].index > 0) {
            status = snapshot_verify(v, &manifest->rows[i]);
        }
    }
    if (status == QN_OK) {
        status = log_verify(v);
    }
    if (status == QN_OK) {
        grid_stats(v->grid, &stats);
        v->verdict.entries += stats.entries;
        v->verdict.state_hash += grid_state_hash(v->grid);
    }
    return status;
}

static enum qn_status lane_verify(struct verification *v, uint32_t number)
{
    struct grid_options options = {.node = v->dir.block.node,
                                   .partition_count = v->dir.block.partitions,
                                   .service_count = COORD_SERVICES,
                                   .lane = number,
                                   .lane_count = v->dir.block.lanes,
                                   .alone = true,
                                   .limits = limits};
    enum qn_status status = offline_lane_open(&v->dir, number, &v->lane);

    if (status == QN_OK && grid_create(&options, &v->grid) != QN_OK) {
        status = qn_error_set(v->dir.err, QN_MEMORY_FULL, "no memory for the partitions");
    }
    if (status == QN_OK) {
        status = lane_read(v);
    }
    grid_destroy(v->grid);
    v->grid = NULL;
    offline_lane_close(&v->lane);
    return status;
}

enum qn_status offline_verify(const char *dir, const struct offline_visitor *visitor,
                              struct offline_verdict *verdict, qn_error *err)
{
    struct verification *v = calloc(1, sizeof *v);

    if (!v) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    v->dir = (struct offline_dir){.path = dir, .visitor = visitor};
    enum qn_status status = offline_dir_open(&v->dir, err);
    bool readable = status == QN_OK;
    if (readable) {
        v->faulted = calloc(v->dir.partition_count + 1, sizeof *v->faulted);
        status = v->faulted ? QN_OK : qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    for (uint32_t lane = 0; readable && lane < v->dir.block.lanes && status == QN_OK; lane++) {
        status = lane_verify(v, lane);
    }
    if (status == QN_OK || status == QN_CORRUPT) {
        v->verdict.damages = v->dir.damages;
        *verdict = v->verdict;
        status = QN_OK;
    }
    free(v->faulted);
    free(v);
    return status;
}
