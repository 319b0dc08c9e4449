/* What a data directory holds, file by file. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "node/log/segment_index.h"
#include "node/log/segment_list.h"
#include "node/log/segment_scan.h"
#include "node/log/txlog_read.h"
#include "node/offline/offline_dir.h"
#include "node/snapshot/snapfile.h"

struct inspection {
    struct offline_dir dir;
    const struct offline_options *options;
    struct offline_lane lane; /* the one at hand */
    const char *segment;      /* path of the one that is scanned */
};

static bool partition_wanted(const struct inspection *inspection, uint32_t partition)
{
    int64_t wanted = inspection->options->partition;

    return wanted < 0 || wanted == (int64_t)partition;
}

/* ---- snapshots ---- */

/* What a snapshot holds. */
struct contents {
    struct inspection *inspection;
    const char *path;
    struct snap_head head;
    uint64_t blocks;
    uint64_t plain;
};

static enum qn_status contents_head(void *arg, const struct snap_head *head)
{
    ((struct contents *)arg)->head = *head;
    return QN_OK;
}

static enum qn_status contents_block(void *arg, struct bytes block)
{
    struct contents *contents = arg;

    contents->blocks++;
    contents->plain += block.size;
    return QN_OK;
}

static void contents_damage(void *arg, uint64_t offset, const char *what)
{
    const struct contents *contents = arg;

    offline_damage(&contents->inspection->dir, contents->path, offset, what);
}

static void snapshot_tell(const struct inspection *inspection, const char *path,
                          const struct contents *contents, uint64_t size)
{
    offline_file(&inspection->dir, path,
                 "kind=snapshot partition=%" PRIu32 " index=%" PRIu64 " epoch=%" PRIu64
                 " blocks=%" PRIu64 " plain=%" PRIu64 " size=%" PRIu64 " ratio=%.2f",
                 contents->head.partition, contents->head.index, contents->head.epoch,
                 contents->blocks, contents->plain, size,
                 size > 0 ? (double)contents->plain / (double)size : 0);
}

static enum qn_status snapshot_inspect(struct inspection *inspection,
                                       const struct manifest_row *row)
{
    struct offline_dir *dir = &inspection->dir;
    char path[OFFLINE_PATH_SIZE];
    struct contents contents = {.inspection = inspection, .path = path};
    struct snap_visitor visitor = {.arg = &contents,
                                   .head = contents_head,
                                   .block = contents_block,
                                   .damage = contents_damage};
    uint64_t before = dir->damages;
    qn_error why = QN_ERROR_INIT;
    uint64_t size = 0;

    if (!snapfile_path(dir->path, row->partition, row->index, path, sizeof path)) {
        return qn_error_set(dir->err, QN_INVALID, "the path of the data directory is too long");
    }
    enum qn_status status = snapfile_read(path, dir->block.disk, &visitor, &size, &why);
    if (status == QN_CORRUPT || status == QN_ABSENT) {
        if (dir->damages == before) {
            offline_damage_of(dir, path, &why);
        }
        return QN_OK;
    }
    if (status != QN_OK) {
        return qn_error_set(dir->err, status, "%s", why.text);
    }
    snapshot_tell(inspection, path, &contents, size);
    return QN_OK;
}

static enum qn_status manifest_inspect(struct inspection *inspection)
{
    const struct manifest *manifest = &inspection->lane.manifest;
    char path[OFFLINE_PATH_SIZE];
    enum qn_status status = QN_OK;

    if (manifest->owner == 0) { /* there is none */
        return QN_OK;
    }
    (void)snprintf(path, sizeof path, "%.4000s/manifest", inspection->lane.path);
    offline_file(&inspection->dir, path,
                 "kind=manifest lane=%" PRIu32 " log-first=%" PRIu64 " log-end=%" PRIu64
                 " clean=%s snapshots=%zu",
                 inspection->lane.number, manifest->log_first, manifest->log_end,
                 manifest->clean ? "yes" : "no", manifest->row_count);
    for (size_t i = 0; i < manifest->row_count && status == QN_OK; i++) {
        if (manifest->rows[i].index > 0 &&
            partition_wanted(inspection, manifest->rows[i].partition)) {
            status = snapshot_inspect(inspection, &manifest->rows[i]);
        }
    }
    return status;
}

/* ---- segments ---- */

static void segment_tell(const struct inspection *inspection, const char *path,
                         const struct segment_file *file, const struct segment_index *index)
{
    int64_t partition = inspection->options->partition;
    const struct segment_index_row *row =
        partition < 0 ? NULL : segment_index_find(index, (uint32_t)partition);

    if (row) {
        offline_file(&inspection->dir, path,
                     "kind=segment lane=%" PRIu32 " first-lsn=%" PRIu64 " end-lsn=%" PRIu64
                     " partition=%" PRIu32 " records=%" PRIu32 " first-index=%" PRIu64
                     " last-index=%" PRIu64 " size=%" PRIu64,
                     inspection->lane.number, file->first_lsn, index->end_lsn, row->partition,
                     row->records, row->first_index, row->last_index, file->size);
    } else if (partition < 0) {
        offline_file(&inspection->dir, path,
                     "kind=segment lane=%" PRIu32 " first-lsn=%" PRIu64 " end-lsn=%" PRIu64
                     " records=%" PRIu64 " partitions=%zu size=%" PRIu64 " index=%s",
                     inspection->lane.number, file->first_lsn, index->end_lsn, index->records,
                     index->row_count, file->size, index->scanned ? "none" : "yes");
    }
}

static enum qn_status segment_inspect(struct inspection *inspection,
                                      const struct segment_file *file)
{
    const struct offline_lane *lane = &inspection->lane;
    struct segment_index index = {0};
    char name[SEGMENT_NAME_SIZE], path[OFFLINE_PATH_SIZE];
    qn_error why = QN_ERROR_INIT;

    segment_name_format(file->first_lsn, name);
    (void)snprintf(path, sizeof path, "%.4000s/%s", lane->log_path, name);
    enum qn_status status =
        segment_index_read(lane->log_path, lane->owner, file->first_lsn, UINT64_MAX, &index, &why);
    if (status == QN_CORRUPT || status == QN_ABSENT) {
        offline_damage_of(&inspection->dir, path, &why);
        return QN_OK;
    }
    if (status != QN_OK) {
        return qn_error_set(inspection->dir.err, status, "%s", why.text);
    }
    segment_tell(inspection, path, file, &index);
    segment_index_fini(&index);
    return QN_OK;
}

/* ---- records ---- */

static enum qn_status scanned_record(void *arg, uint64_t offset, const struct record *record)
{
    const struct inspection *inspection = arg;
    const struct offline_visitor *visitor = inspection->dir.visitor;

    visitor->record(visitor->arg, inspection->segment, offset, record);
    return QN_OK;
}

/* Whether what is unsound at the end of the last segment is damage or was torn, a verification
 * tells. */
static void scanned_damage(void *arg, uint64_t offset, const char *text)
{
    struct inspection *inspection = arg;

    offline_damage(&inspection->dir, inspection->segment, offset, text);
}

static enum qn_status segment_records(struct inspection *inspection, uint64_t first_lsn)
{
    const struct offline_lane *lane = &inspection->lane;
    struct segment_scan_visitor visitor = {
        .arg = inspection, .record = scanned_record, .damage = scanned_damage};
    struct segment_reader reader = {.fd = -1};
    struct segment_scan_end end;
    uint64_t salt;
    qn_error *err = inspection->dir.err;
    enum qn_status status = segment_reader_open(&reader, lane->log_path, first_lsn, false, err);

    if (status == QN_OK) {
        inspection->segment = reader.path;
        status = segment_header_read(&reader, lane->owner, first_lsn, &salt, NULL);
    }
    if (status == QN_OK) {
        status = segment_scan(&reader, salt, first_lsn, UINT64_MAX, &visitor, &end, err);
    }
    segment_reader_fini(&reader);
    return status == QN_CORRUPT ? QN_OK : status; /* its header: told already */
}

static enum qn_status partition_record(void *arg, const char *path, uint64_t offset,
                                       const struct record *record)
{
    const struct offline_visitor *visitor = arg;

    visitor->record(visitor->arg, path, offset, record);
    return QN_OK;
}

static enum qn_status partition_records(struct inspection *inspection)
{
    const struct offline_lane *lane = &inspection->lane;
    struct txlog_query query = {.dir = lane->log_path,
                                .owner = lane->owner,
                                .partition = (uint32_t)inspection->options->partition,
                                .end_lsn = UINT64_MAX};
    struct offline_visitor visitor = *inspection->dir.visitor;
    struct txlog_query_visitor records = {.arg = &visitor, .record = partition_record};
    qn_error why = QN_ERROR_INIT;
    enum qn_status status = txlog_partition_read(&query, &records, &why);

    if (status == QN_CORRUPT) {
        offline_damage_of(&inspection->dir, lane->log_path, &why);
        return QN_OK;
    }
    return status == QN_OK ? QN_OK : qn_error_set(inspection->dir.err, status, "%s", why.text);
}

/* ---- all of it ---- */

static enum qn_status log_inspect(struct inspection *inspection)
{
    bool all_records = inspection->options->records && inspection->options->partition < 0;
    struct segment_list list = {0};
    enum qn_status status =
        segment_list_read(inspection->lane.log_path, &list, inspection->dir.err);

    for (size_t i = 0; i < list.count && status == QN_OK; i++) {
        status = segment_inspect(inspection, &list.files[i]);
        if (status == QN_OK && all_records) {
            status = segment_records(inspection, list.files[i].first_lsn);
        }
    }
    segment_list_fini(&list);
    if (status == QN_OK && inspection->options->records && !all_records) {
        status = partition_records(inspection);
    }
    return status;
}

static enum qn_status lane_inspect(struct inspection *inspection, uint32_t number)
{
    enum qn_status status = offline_lane_open(&inspection->dir, number, &inspection->lane);

    if (status == QN_OK) {
        status = manifest_inspect(inspection);
    }
    if (status == QN_OK) {
        status = log_inspect(inspection);
    }
    offline_lane_close(&inspection->lane);
    return status;
}

enum qn_status offline_inspect(const char *dir, const struct offline_options *options,
                               const struct offline_visitor *visitor, qn_error *err)
{
    struct inspection inspection = {.dir = {.path = dir, .visitor = visitor}, .options = options};
    enum qn_status status = offline_dir_open(&inspection.dir, err);
    int64_t partition = options->partition;

    if (status == QN_CORRUPT) {
        return QN_OK;
    }
    if (status == QN_OK && partition >= (int64_t)inspection.dir.partition_count) {
        return qn_error_set(err, QN_INVALID,
                            "there is no partition %" PRId64 ": they are numbered 0 to %" PRIu32,
                            partition, inspection.dir.partition_count - 1);
    }
    for (uint32_t lane = 0; lane < inspection.dir.block.lanes && status == QN_OK; lane++) {
        if (partition < 0 || (uint64_t)partition % inspection.dir.block.lanes == lane) {
            status = lane_inspect(&inspection, lane);
        }
    }
    return status;
}
