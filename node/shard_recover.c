#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "node/shard_internal.h"

/* The partition is damaged: it refuses everything, and its part of the log is kept. */
static void fault(struct shard *shard, uint32_t partition)
{
    struct replica_event event = {.kind = REPLICA_FAULT, .partition = partition};

    plan_appended(&shard->checkpoint.plan, partition, shard->checkpoint.log_first);
    plan_fault(&shard->checkpoint.plan, partition);
    shard_step(shard, &event);
}

static void fault_lane(struct shard *shard)
{
    uint32_t count = shard_partitions_all(shard);

    for (uint32_t p = shard->options.lane; p < count; p += shard->options.lane_count) {
        fault(shard, p);
    }
}

/* -- snapshots -- */

static enum qn_status restore_head(void *arg, const struct snap_head *head)
{
    struct shard *shard = arg;
    struct replica_snapshot snapshot = {
        .partition = head->partition,
        .index = head->index,
        .epoch = head->epoch,
        .log_time_ms = head->log_time_ms,
        .wall_time_ms = head->wall_time_ms,
        .epoch_began_ms = head->epoch_began_ms,
    };

    if (atomic_load_explicit(&shard->stopping, memory_order_relaxed)) {
        return QN_CLOSED;
    }
    if (head->partition != shard->restoring.partition || head->index != shard->restoring.index) {
        return QN_CORRUPT;
    }
    shard->recovered_epoch =
        head->epoch > shard->recovered_epoch ? head->epoch : shard->recovered_epoch;
    return grid_restore(shard->grid, &snapshot);
}

static enum qn_status restore_block(void *arg, struct bytes block)
{
    struct shard *shard = arg;

    if (atomic_load_explicit(&shard->stopping, memory_order_relaxed)) {
        return QN_CLOSED;
    }
    return grid_restore_part(shard->grid, shard->restoring.partition, block);
}

static void snapshot_damaged(struct shard *shard, const struct manifest_row *row, const char *why)
{
    shard->damages++;
    logger_write(shard->options.logger, LOG_LEVEL_ERROR, "checkpoint", "snapshot_damaged",
                 "lane=%u partition=%u index=%" PRIu64 " reason=\"%s\" action=\"the partition "
                 "refuses all requests; restore the data directory from a backup\"",
                 shard->options.lane, row->partition, row->index, why);
    fault(shard, row->partition);
}

static enum qn_status snapshot_restore(struct shard *shard, const struct manifest_row *row,
                                       qn_error *err)
{
    const char *data = shard->options.cfg->node_data_dir;
    struct snap_visitor visitor = {.arg = shard, .head = restore_head, .block = restore_block};
    qn_error why = QN_ERROR_INIT;
    char path[SHARD_PATH_MAX];
    uint64_t size = 0;

    shard->restoring = *row;
    if (!grid_owns(shard->grid, row->partition) ||
        !snapfile_path(data, row->partition, row->index, path, sizeof path)) {
        return qn_error_set(err, QN_CORRUPT,
                            "the manifest in %s names partition %u, which is not of this lane: "
                            "restore the data directory from a backup",
                            shard->lane_dir, row->partition);
    }
    enum qn_status status = snapfile_read(path, shard->options.disk, &visitor, &size, &why);
    figure_add(&shard->figures.recovered_bytes, size);
    if (status == QN_CORRUPT || status == QN_ABSENT) {
        snapshot_damaged(shard, row,
                         status == QN_ABSENT   ? "the file is missing"
                         : why.text[0] != '\0' ? why.text
                                               : "its contents make no sense");
        return QN_OK;
    }
    return status == QN_OK ? status
                           : qn_error_set(err, status, "cannot read the snapshot %s: %s", path,
                                          why.text[0] ? why.text : qn_status_text(status));
}

static enum qn_status snapshots_restore(struct shard *shard, const struct manifest *manifest,
                                        qn_error *err)
{
    int64_t started_ms = clock_now_ms();
    enum qn_status status = QN_OK;
    uint64_t count = 0;

    for (size_t i = 0; i < manifest->row_count && status == QN_OK; i++) {
        if (manifest->rows[i].index > 0) {
            status = snapshot_restore(shard, &manifest->rows[i], err);
            count++;
        }
    }
    if (status == QN_OK && count > 0) {
        logger_write(shard->options.logger, LOG_LEVEL_INFO, "checkpoint", "restored",
                     "lane=%u snapshots=%" PRIu64 " bytes=%" PRIu64 " ms=%" PRId64,
                     shard->options.lane, count, figure_get(&shard->figures.recovered_bytes),
                     clock_now_ms() - started_ms);
    }
    return status;
}

/* -- the log -- */

/* What is in no snapshot yet will have to go into one. Where the record stands is counted from the
 * beginning of what is read: behind damage that is too low, and so on the safe side. */
static void recovered_note(struct shard *shard, const struct record *record)
{
    struct checkpoint *c = &shard->checkpoint;

    if (grid_owns(shard->grid, record->partition) &&
        record->index > checkpoint_index(c, record->partition)) {
        plan_appended(&c->plan, record->partition, shard->recovered_lsn);
    }
    shard->recovered_lsn += record_size(record);
}

static enum qn_status recover_record(void *arg, const struct record *record)
{
    struct shard *shard = arg;

    if (atomic_load_explicit(&shard->stopping, memory_order_relaxed)) {
        return QN_CLOSED;
    }
    enum qn_status status = grid_recover(shard->grid, record);
    if (record->epoch > shard->recovered_epoch) {
        shard->recovered_epoch = record->epoch;
    }
    figure_add(&shard->figures.recovered_records, 1);
    recovered_note(shard, record);
    if (status != QN_CORRUPT) {
        return status;
    }
    /* Sound octets that do not follow each other: the partition's log has a hole. */
    if (!grid_owns(shard->grid, record->partition)) {
        fault_lane(shard); /* the log of another lane: ours is missing */
    } else {
        fault(shard, record->partition);
    }
    if (shard->damages++ == 0) {
        logger_write(shard->options.logger, LOG_LEVEL_ERROR, "log", "sequence_broken",
                     "lane=%u partition=%u index=%" PRIu64 " action=\"restore the data directory "
                     "from a backup\"",
                     shard->options.lane, record->partition, record->index);
    }
    return QN_OK;
}

static void recover_damage(void *arg, const struct txlog_damage *damage)
{
    struct shard *shard = arg;

    shard->damages++;
    logger_write(shard->options.logger, LOG_LEVEL_ERROR, "log", "damaged",
                 "lane=%u file=\"%s\" offset=%" PRIu64 " scope=%s partition=%" PRId64
                 " reason=\"%s\" action=\"the partition refuses all requests; restore the data "
                 "directory from a backup\"",
                 shard->options.lane, damage->file, damage->offset,
                 damage->whole_lane ? "lane" : "partition",
                 damage->whole_lane ? (int64_t)-1 : (int64_t)damage->partition, damage->text);
    if (damage->whole_lane) {
        fault_lane(shard);
        return;
    }
    if (grid_owns(shard->grid, damage->partition)) {
        fault(shard, damage->partition);
    }
}

static void recover_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
    struct shard *shard = arg;

    figure_set(&shard->figures.recovered_bytes, done_bytes);
    figure_set(&shard->figures.recovery_total_bytes, total_bytes);
    logger_write(shard->options.logger, LOG_LEVEL_INFO, "log", "recovering",
                 "lane=%u done_mib=%" PRIu64 " total_mib=%" PRIu64 " percent=%" PRIu64,
                 shard->options.lane, done_bytes >> 20, total_bytes >> 20,
                 total_bytes ? done_bytes * 100 / total_bytes : 100);
}

static void log_notify(void *arg)
{
    const struct shard *shard = arg;

    eventfd_signal(shard->wake_fd);
}

/* Partitions were opened before, so there was a log: none is damage, not an empty lane. */
static void missing_check(struct shard *shard, const char *dir, bool manifest_found,
                          struct txlog_report *report)
{
    struct txlog_damage missing = {
        .file = dir, .whole_lane = true, .text = "the log is missing, yet partitions were opened"};

    if (shard->options.log_expected && report->segments == 0 && shard->damages == 0 &&
        !manifest_found) {
        recover_damage(shard, &missing);
        report->next_lsn = 1; /* so that the first segment is missing at the next start, too */
    }
}

static enum qn_status log_recover(struct shard *shard, const char *dir,
                                  const struct manifest *manifest, struct txlog_report *report,
                                  qn_error *err)
{
    struct txlog_visitor visitor = {.arg = shard,
                                    .owner = manifest->owner,
                                    .record = recover_record,
                                    .damage = recover_damage,
                                    .progress = recover_progress,
                                    .needed_from = manifest->log_first,
                                    .known_end = manifest->log_end};
    int64_t started_ms = clock_now_ms();

    shard->recovered_lsn = manifest->log_first;
    enum qn_status status = txlog_recover(dir, &visitor, report, err);

    if (status != QN_OK) {
        return qn_error_failed(err) ? status
                                    : qn_error_set(err, status, "cannot read the log in %s: %s",
                                                   dir, qn_status_text(status));
    }
    missing_check(shard, dir, manifest->log_end > 0 || manifest->row_count > 0, report);
    logger_write(shard->options.logger, LOG_LEVEL_INFO, "log", "recovered",
                 "lane=%u records=%" PRIu64 " bytes=%" PRIu64 " torn_bytes=%" PRIu64
                 " damages=%" PRIu64 " segments=%u ms=%" PRId64,
                 shard->options.lane, report->records, report->bytes, report->torn_bytes,
                 shard->damages, report->segments, clock_now_ms() - started_ms);
    return QN_OK;
}

/* A manifest that cannot be believed is damage of the lane: which snapshots count, and how far the
 * log came, is not known. It stays as it is, for whoever repairs it. */
static void manifest_damaged(struct shard *shard, const qn_error *why)
{
    struct txlog_damage damage = {.file = shard->lane_dir, .whole_lane = true, .text = why->text};

    shard->checkpoint.manifest_lost = true;
    recover_damage(shard, &damage);
}

static enum qn_status manifest_load(struct shard *shard, struct manifest *manifest, qn_error *err)
{
    const struct shard_options *o = &shard->options;
    uint64_t owner = lane_owner(o->disk, o->lane, o->lane_count);
    qn_error why = QN_ERROR_INIT;
    enum qn_status status = manifest_read(shard->lane_dir, owner, manifest, &why);

    if (status == QN_CORRUPT) {
        manifest_damaged(shard, &why);
    }
    if (status == QN_ABSENT || status == QN_CORRUPT) {
        manifest_fini(manifest);
        *manifest = (struct manifest){.owner = owner};
        return QN_OK;
    }
    return status == QN_OK ? QN_OK : qn_error_set(err, status, "%s", why.text);
}

static bool lane_owns(void *arg, uint32_t partition)
{
    const struct shard *shard = arg;

    return grid_owns(shard->grid, partition);
}

/* Say durably that the lane is in use and how far its log reaches, before anything is added; then
 * remove what a crash left. On a full disk what stands there goes on to hold: it is less, not
 * wrong.
 */
static enum qn_status manifest_renew(struct shard *shard, struct manifest *manifest,
                                     const struct txlog_report *report, qn_error *err)
{
    qn_error why = QN_ERROR_INIT;

    if (shard->damages > 0) {
        return QN_OK;
    }
    manifest->clean = false;
    manifest->log_end = report->next_lsn;
    enum qn_status status = snapshot_leftovers_remove(
        shard->options.cfg->node_data_dir, shard->lane_dir, manifest, lane_owns, shard, &why);
    return status == QN_OK || status == QN_DISK_FULL || status == QN_OVERLOADED
               ? QN_OK
               : qn_error_set(err, status, "%s", why.text);
}

static enum qn_status lane_recover(struct shard *shard, struct manifest *manifest, qn_error *err)
{
    const struct shard_options *o = &shard->options;
    struct txlog_report report = {0};
    char dir[SHARD_PATH_MAX];
    enum qn_status status = manifest_load(shard, manifest, err);

    if (status == QN_OK) {
        status = checkpoint_begin(shard, manifest, err);
    }
    if (status == QN_OK) {
        status = snapshots_restore(shard, manifest, err);
    }
    if (status == QN_OK &&
        !lane_log_path(o->cfg->node_data_dir, o->lane, o->lane_count, dir, sizeof dir)) {
        return qn_error_set(err, QN_INVALID, "the path of node.data_dir is too long");
    }
    if (status == QN_OK) {
        status = log_recover(shard, dir, manifest, &report, err);
    }
    if (status == QN_OK) {
        status = manifest_renew(shard, manifest, &report, err);
    }
    if (status == QN_OK) {
        struct txlog_options options = {.dir = dir,
                                        .segment_size_bytes = o->cfg->log_segment_size_bytes,
                                        .next_lsn = report.next_lsn,
                                        .owner = manifest->owner,
                                        .notify = log_notify,
                                        .arg = shard};
        status = txlog_open(&options, &shard->log, err);
    }
    return status == QN_OK ? checkpoint_open(shard, manifest, err) : status;
}

enum qn_status shard_recover(struct shard *shard, qn_error *err)
{
    const struct shard_options *o = &shard->options;
    struct manifest manifest = {0};

    if (!lane_path(o->cfg->node_data_dir, o->lane, o->lane_count, shard->lane_dir,
                   sizeof shard->lane_dir)) {
        return qn_error_set(err, QN_INVALID, "the path of node.data_dir is too long");
    }
    enum qn_status status = lane_make(o->cfg->node_data_dir, o->lane, o->lane_count, err);
    if (status == QN_OK || status == QN_DISK_FULL) {
        status = lane_recover(shard, &manifest, err);
    }
    manifest_fini(&manifest);
    return status;
}
