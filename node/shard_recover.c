#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "node/shard_internal.h"
#include "wire/hash.h"

enum { PATH_SIZE = 4096 };

static void fault_lane(struct shard *shard)
{
    uint32_t count = shard->options.directory->partition_count;

    for (uint32_t p = shard->options.lane; p < count; p += shard->options.lane_count) {
        struct replica_event event = {.kind = REPLICA_FAULT, .partition = p};
        shard_step(shard, &event);
    }
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
    if (status != QN_CORRUPT) {
        return status;
    }
    /* Sound octets that do not follow each other: the partition's log has a hole. */
    if (!grid_owns(shard->grid, record->partition)) {
        fault_lane(shard); /* the log of another lane: ours is missing */
    } else {
        struct replica_event event = {.kind = REPLICA_FAULT, .partition = record->partition};
        shard_step(shard, &event);
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
    struct replica_event event = {.kind = REPLICA_FAULT, .partition = damage->partition};
    if (grid_owns(shard->grid, damage->partition)) {
        shard_step(shard, &event);
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

/* Disk and lane in one number: neither a log of another directory nor of another lane is ours. */
static uint64_t log_owner(const struct shard_options *options)
{
    uint8_t both[12];

    put_u64(both, options->disk);
    put_u32(both + 8, options->lane);
    return hash_bytes(bytes_of(both, sizeof both));
}

/* Partitions were opened before, so there was a segment: none is damage, not an empty lane. */
static void missing_check(struct shard *shard, const char *dir, struct txlog_report *report)
{
    struct txlog_damage missing = {
        .file = dir, .whole_lane = true, .text = "the log is missing, yet partitions were opened"};

    if (shard->options.log_expected && report->segments == 0 && shard->damages == 0) {
        recover_damage(shard, &missing);
        report->next_lsn = 1; /* so that the first segment is missing at the next start, too */
    }
}

enum qn_status shard_recover(struct shard *shard, qn_error *err)
{
    char dir[PATH_SIZE];
    struct txlog_report report = {0};
    uint64_t owner = log_owner(&shard->options);
    struct txlog_visitor visitor = {.arg = shard,
                                    .owner = owner,
                                    .record = recover_record,
                                    .damage = recover_damage,
                                    .progress = recover_progress};
    int64_t started_ms = clock_now_ms();

    (void)snprintf(dir, sizeof dir, "%s/lane-%u/log", shard->options.cfg->node_data_dir,
                   shard->options.lane);
    enum qn_status status = txlog_recover(dir, &visitor, &report, err);
    if (status != QN_OK) {
        return qn_error_failed(err) ? status
                                    : qn_error_set(err, status, "cannot read the log in %s: %s",
                                                   dir, qn_status_text(status));
    }
    missing_check(shard, dir, &report);
    logger_write(shard->options.logger, LOG_LEVEL_INFO, "log", "recovered",
                 "lane=%u records=%" PRIu64 " bytes=%" PRIu64 " torn_bytes=%" PRIu64
                 " damages=%" PRIu64 " segments=%u ms=%" PRId64,
                 shard->options.lane, report.records, report.bytes, report.torn_bytes,
                 shard->damages, report.segments, clock_now_ms() - started_ms);
    struct txlog_options options = {.dir = dir,
                                    .segment_size_bytes =
                                        shard->options.cfg->log_segment_size_bytes,
                                    .next_lsn = report.next_lsn,
                                    .owner = owner,
                                    .notify = log_notify,
                                    .arg = shard};
    return txlog_open(&options, &shard->log, err);
}
