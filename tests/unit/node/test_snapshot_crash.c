/* Snapshots, manifest and log together, through a crash or a failure at each of their operations.
 *
 * A lane of a few partitions, whose state is one number each: records change it, snapshots hold it.
 * Whatever is found after the crash, a start must find every record that was reported durable, and
 * nothing that was not appended. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "node/log/txlog_io.h"
#include "node/snapshot/snapshot_io.h"
#include "tests/lib/check.h"
#include "tests/unit/node/crash_disk.h"

enum { PARTITIONS = 3, ROUNDS = 10, OWNER = 5, DISK = 6, BODY = 2500, RECORDS_MAX = 64 };

/* What a partition's record with this index makes of the state before it. */
static uint64_t state_next(uint64_t state, uint64_t index)
{
    return state * 1099511628211u + index;
}

static uint64_t state_at(uint64_t index)
{
    uint64_t state = 0;

    for (uint64_t i = 1; i <= index; i++) {
        state = state_next(state, i);
    }
    return state;
}

struct partition {
    uint64_t index; /* of the last record */
    uint64_t state;
    uint64_t acknowledged; /* index up to which records were reported durable */
    uint64_t in_snapshot;
    uint64_t lsn[RECORDS_MAX]; /* where record i begins */
    uint64_t end[RECORDS_MAX]; /* behind it */
};

struct lane {
    const char *data;
    char dir[PATH_MAX_SIZE * 2];
    char log_dir[PATH_MAX_SIZE * 2];
    struct partition partitions[PARTITIONS];
    uint64_t log_first, log_end, next_lsn;
    size_t damages;
    char damage[256];
    struct txlog *log;
    struct snapwriter *writer;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int notes;
};

/* ---- a start ---- */

static enum qn_status restore_head(void *arg, const struct snap_head *head)
{
    ((struct partition *)arg)->index = head->index;
    return QN_OK;
}

static enum qn_status restore_block(void *arg, struct bytes block)
{
    assert_int_equal(block.size, sizeof(uint64_t));
    ((struct partition *)arg)->state = get_u64(block.data);
    return QN_OK;
}

static enum qn_status recover_record(void *arg, const struct record *record)
{
    struct lane *lane = arg;
    struct partition *p = &lane->partitions[record->partition];

    if (record->index <= p->index) { /* in the snapshot */
        return QN_OK;
    }
    assert_int_equal(record->index, p->index + 1);
    p->index = record->index;
    p->state = state_next(p->state, record->index);
    return QN_OK;
}

static void recover_damage(void *arg, const struct txlog_damage *damage)
{
    struct lane *lane = arg;

    lane->damages++;
    (void)snprintf(lane->damage, sizeof lane->damage, "%.100s %" PRIu64 ": %.100s", damage->file,
                   damage->offset, damage->text);
}

static void snapshots_restore(struct lane *lane, const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->row_count; i++) {
        const struct manifest_row *row = &manifest->rows[i];
        struct partition *p = &lane->partitions[row->partition];
        struct snap_visitor visitor = {.arg = p, .head = restore_head, .block = restore_block};
        qn_error err = QN_ERROR_INIT;
        char path[PATH_MAX_SIZE];

        assert_true(snapfile_path(lane->data, row->partition, row->index, path, sizeof path));
        enum qn_status status = snapfile_read(path, DISK, &visitor, NULL, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(status, QN_OK);
        assert_int_equal(p->index, row->index);
        p->in_snapshot = row->index;
    }
}

/* Read what is there, as a start does. */
static void lane_recover(struct lane *lane, const char *data)
{
    struct manifest manifest = {0};
    struct txlog_report report = {0};
    qn_error err = QN_ERROR_INIT;

    *lane = (struct lane){.data = data};
    (void)snprintf(lane->dir, sizeof lane->dir, "%s/lane-0of1", data);
    (void)snprintf(lane->log_dir, sizeof lane->log_dir, "%s/lane-0of1/log", data);
    enum qn_status status = manifest_read(lane->dir, OWNER, &manifest, &err);
    assert_true(status == QN_OK || status == QN_ABSENT);
    snapshots_restore(lane, &manifest);
    struct txlog_visitor visitor = {.arg = lane,
                                    .owner = OWNER,
                                    .record = recover_record,
                                    .damage = recover_damage,
                                    .needed_from = manifest.log_first,
                                    .known_end = manifest.log_end};
    assert_int_equal(txlog_recover(lane->log_dir, &visitor, &report, &err), QN_OK);
    lane->next_lsn = report.next_lsn;
    lane->log_first = manifest.log_first;
    lane->log_end = report.next_lsn;
    manifest_fini(&manifest);
}

/* ---- a run ---- */

static void lane_notify(void *arg)
{
    struct lane *lane = arg;

    (void)pthread_mutex_lock(&lane->lock);
    lane->notes++;
    (void)pthread_cond_broadcast(&lane->moved);
    (void)pthread_mutex_unlock(&lane->lock);
}

/* False: it could not be opened, because the disk refused. */
static bool lane_open(struct lane *lane, const struct file_io *io)
{
    struct txlog_options log = {.dir = lane->log_dir,
                                .segment_size_bytes = TXLOG_SEGMENT_MIN,
                                .next_lsn = lane->next_lsn,
                                .owner = OWNER,
                                .notify = lane_notify,
                                .arg = lane};
    struct snapwriter_options writer = {.data = lane->data,
                                        .lane_dir = lane->dir,
                                        .disk = DISK,
                                        .manifest = {.owner = OWNER},
                                        .notify = lane_notify,
                                        .arg = lane};

    (void)pthread_mutex_init(&lane->lock, NULL);
    (void)pthread_cond_init(&lane->moved, NULL);
    enum qn_status status = txlog_open_with(&log, io, 1, &lane->log, NULL);
    if (status == QN_OK) {
        /* What is in force; a fresh lane has none. */
        enum qn_status found = manifest_read(lane->dir, OWNER, &writer.manifest, NULL);
        assert_true(found == QN_OK || found == QN_ABSENT);
        assert_int_equal(snapwriter_open_with(&writer, io, &lane->writer, NULL), QN_OK);
    }
    return status == QN_OK;
}

static void lane_close(struct lane *lane)
{
    snapwriter_close(lane->writer);
    (void)txlog_close(lane->log);
    (void)pthread_cond_destroy(&lane->moved);
    (void)pthread_mutex_destroy(&lane->lock);
}

static bool append(struct lane *lane, uint32_t number)
{
    static const uint8_t body[BODY] = {7};
    struct partition *p = &lane->partitions[number];
    struct record record = {.type = RECORD_WRITE,
                            .partition = number,
                            .epoch = 1,
                            .index = p->index + 1,
                            .effects = bytes_of(body, sizeof body)};
    uint64_t begins = txlog_next(lane->log), lsn;

    assert_true(p->index + 1 < RECORDS_MAX);
    if (txlog_append(lane->log, &record, &lsn) != QN_OK) {
        return false;
    }
    p->index++;
    p->state = state_next(p->state, p->index);
    p->lsn[p->index] = begins;
    p->end[p->index] = lsn;
    return true;
}

static void acknowledge(struct lane *lane)
{
    uint64_t durable = txlog_durable(lane->log);

    for (uint32_t i = 0; i < PARTITIONS; i++) {
        struct partition *p = &lane->partitions[i];
        while (p->acknowledged < p->index && p->end[p->acknowledged + 1] <= durable) {
            p->acknowledged++;
        }
    }
}

/* Until all that was appended is durable. False: the log has failed. */
static bool durable_await(struct lane *lane)
{
    txlog_flush(lane->log);
    (void)pthread_mutex_lock(&lane->lock);
    while (txlog_durable(lane->log) < txlog_next(lane->log) && !txlog_failed(lane->log, NULL)) {
        (void)pthread_cond_wait(&lane->moved, &lane->lock);
    }
    (void)pthread_mutex_unlock(&lane->lock);
    acknowledge(lane);
    return !txlog_failed(lane->log, NULL);
}

static struct snapwriter_result result_await(struct lane *lane)
{
    struct snapwriter_result result;

    for (;;) {
        (void)pthread_mutex_lock(&lane->lock);
        int notes = lane->notes;
        (void)pthread_mutex_unlock(&lane->lock);
        if (snapwriter_result(lane->writer, &result) == QN_OK) {
            return result;
        }
        (void)pthread_mutex_lock(&lane->lock);
        while (lane->notes == notes) {
            (void)pthread_cond_wait(&lane->moved, &lane->lock);
        }
        (void)pthread_mutex_unlock(&lane->lock);
    }
}

/* From where on the log is needed when `number` has the snapshot that is being taken. */
static uint64_t log_needed(const struct lane *lane, uint32_t number, uint64_t index)
{
    uint64_t needed = txlog_durable(lane->log);

    for (uint32_t i = 0; i < PARTITIONS; i++) {
        const struct partition *p = &lane->partitions[i];
        uint64_t held = i == number ? index : p->in_snapshot;
        if (held < p->index && p->lsn[held + 1] < needed) {
            needed = p->lsn[held + 1];
        }
    }
    return needed;
}

/* A checkpoint of a partition; records go on meanwhile. False: the log has failed. */
static bool checkpoint(struct lane *lane, uint32_t number)
{
    struct partition *p = &lane->partitions[number];
    struct snap_head head = {.partition = number, .index = p->index, .epoch = 1};
    struct buf block = {0};
    uint8_t *at;

    if (p->index == p->in_snapshot) {
        return true;
    }
    snapwriter_begin(lane->writer, &head);
    assert_int_equal(buf_extend(&block, sizeof(uint64_t), &at), QN_OK);
    put_u64(at, p->state);
    snapwriter_put(lane->writer, &block);
    bool going = append(lane, (number + 1) % PARTITIONS) && durable_await(lane);
    uint64_t log_first = log_needed(lane, number, head.index);
    snapwriter_finish(lane->writer, log_first, txlog_durable(lane->log));
    struct snapwriter_result result = result_await(lane);
    buf_fini(&block);
    if (result.status == QN_OK) {
        p->in_snapshot = head.index;
        txlog_truncate(lane->log, log_first);
    }
    return going;
}

static void run(struct lane *lane, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < PARTITIONS; i++) {
            if (!append(lane, i) || !durable_await(lane)) {
                return;
            }
        }
        if (!checkpoint(lane, (uint32_t)round % PARTITIONS)) {
            return;
        }
    }
}

/* ---- what must hold ---- */

static void check_state(const struct lane *before, const struct lane *after)
{
    if (after->damages > 0) {
        fail_msg("damage: %s", after->damage);
    }
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        const struct partition *was = &before->partitions[i], *is = &after->partitions[i];
        assert_true(is->index >= was->acknowledged);
        assert_true(is->index <= was->index);
        assert_int_equal(is->state, state_at(is->index));
    }
}

static bool owns_all(void *arg, uint32_t partition)
{
    (void)arg;
    return partition < PARTITIONS;
}

/* A start finds the right state, a second one the same; then life goes on, and a clean stop keeps
 * all of it. */
static void check_restart(const struct crash_disk *disk, const struct lane *before,
                          enum crash_kind kind, uint32_t seed)
{
    struct lane *lane = malloc(sizeof *lane), *again = malloc(sizeof *again);
    struct folder folder;
    struct manifest manifest = {0};

    assert_true(lane && again);
    folder_make(&folder);
    crash_disk_restart(disk, kind, seed, &folder);
    lane_recover(lane, folder.path);
    check_state(before, lane);
    lane_recover(again, folder.path);
    check_state(lane, again);

    enum qn_status status = manifest_read(lane->dir, OWNER, &manifest, NULL);
    manifest.owner = OWNER;
    manifest.log_end = lane->next_lsn;
    assert_true(status == QN_OK || status == QN_ABSENT);
    assert_int_equal(
        snapshot_leftovers_remove(folder.path, lane->dir, &manifest, owns_all, NULL, NULL), QN_OK);
    manifest_fini(&manifest);
    lane_recover(lane, folder.path);
    check_state(again, lane);
    for (uint32_t i = 0; i < PARTITIONS; i++) { /* where records begin is not known any more */
        lane->partitions[i].acknowledged = lane->partitions[i].index;
        for (uint64_t k = 0; k <= lane->partitions[i].index; k++) {
            lane->partitions[i].lsn[k] = lane->log_first;
        }
    }
    assert_true(lane_open(lane, file_io_system()));
    run(lane, 3);
    lane_close(lane);
    lane_recover(again, folder.path);
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        assert_int_equal(again->partitions[i].index, lane->partitions[i].index);
    }
    check_state(lane, again);
    folder_remove(&folder);
    free(lane);
    free(again);
}

/* One run on a disk with orders. Returns how many operations there were. */
static int disk_run(struct crash_disk *disk, struct lane *lane, int crash_at, int fail_at,
                    int fail_number)
{
    crash_disk_init(disk);
    disk->crash_at = crash_at;
    disk->fail_at = fail_at;
    disk->fail_number = fail_number;
    lane_recover(lane, disk->folder.path);
    if (lane_open(lane, &disk->io)) {
        run(lane, ROUNDS);
    }
    lane_close(lane);
    return disk->operations;
}

/* The power goes before any of the operations, or the process is killed: what was acknowledged is
 * found, whatever of the rest reached the disk. */
static void a_crash_at_any_operation_loses_nothing(void **state)
{
    struct lane *lane = malloc(sizeof *lane);
    int operations = 1;

    (void)state;
    assert_non_null(lane);
    for (int n = 1; n <= operations + 1; n++) {
        struct crash_disk disk;
        int done = disk_run(&disk, lane, n, 0, 0);
        operations = done > operations ? done : operations;
        check_restart(&disk, lane, CRASH_KEEP, 0);
        check_restart(&disk, lane, CRASH_LOSE, 0);
        for (uint32_t seed = 1; seed <= 3; seed++) {
            check_restart(&disk, lane, CRASH_MIX, seed * 1000 + (uint32_t)n);
        }
        crash_disk_fini(&disk);
    }
    assert_true(operations > 100);
    free(lane);
}

/* Any one operation fails: that is a failed snapshot, or a failed log that stops the node, never a
 * wrong state. Nor is it when the power goes afterwards. */
static void a_failure_of_any_operation_loses_nothing(void **state)
{
    static const int numbers[] = {ENOSPC, EIO};
    struct lane *lane = malloc(sizeof *lane);
    int operations = 1;

    (void)state;
    assert_non_null(lane);
    for (int n = 1; n <= operations; n++) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            struct crash_disk disk;
            int done = disk_run(&disk, lane, 0, n, numbers[i]);
            operations = done > operations ? done : operations;
            check_restart(&disk, lane, CRASH_KEEP, 0);
            check_restart(&disk, lane, CRASH_LOSE, 0);
            check_restart(&disk, lane, CRASH_MIX, (uint32_t)n);
            crash_disk_fini(&disk);
        }
    }
    free(lane);
}

/* Without any failure the log stays short: what snapshots hold is removed. */
static void checkpoints_keep_the_log_short(void **state)
{
    struct lane *lane = malloc(sizeof *lane);
    struct crash_disk disk;
    struct folder log;

    (void)state;
    assert_non_null(lane);
    (void)disk_run(&disk, lane, 0, 0, 0);
    (void)snprintf(log.path, sizeof log.path, "%.400s/lane-0of1/log", disk.folder.path);
    assert_true(folder_count(&log, ".log") <= 5);
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        struct folder sub;
        (void)snprintf(sub.path, sizeof sub.path, "%.400s/p%" PRIu32, disk.folder.path, i);
        assert_int_equal(folder_count(&sub, ".snap"), 1);
        assert_int_equal(folder_count(&sub, ".tmp"), 0);
    }
    crash_disk_fini(&disk);
    free(lane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_keep_the_log_short),
        cmocka_unit_test(a_crash_at_any_operation_loses_nothing),
        cmocka_unit_test(a_failure_of_any_operation_loses_nothing),
    };

    return RUN_TESTS(tests);
}
