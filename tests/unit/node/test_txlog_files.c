/* Which segments a log keeps, what recovery makes of a log that was truncated, and the figures. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "node/log/segment_index.h"
#include "node/log/segment_list.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { SMALL = TXLOG_SEGMENT_MIN, BODY = 5000, RECORDS = 12 }; /* two records to a segment */

/* A log of RECORDS records in as many halves of segments. `ends[i]` is the LSN behind record i. */
static void log_make(struct fixture *f, uint64_t ends[RECORDS])
{
    fixture_open(f, SMALL);
    for (int i = 0; i < RECORDS; i++) {
        fixture_put(f, (uint32_t)i % 4, BODY);
        ends[i] = f->lsn;
    }
}

static void log_close(struct fixture *f)
{
    assert_int_equal(txlog_close(f->log), QN_OK);
    f->log = NULL;
}

static enum qn_status recover_known(struct fixture *f, uint64_t needed_from, uint64_t known_end,
                                    bool read_only, struct found *found)
{
    return recover_with(
        &f->folder,
        &(struct known){.needed_from = needed_from, .known_end = known_end, .read_only = read_only},
        found);
}

/* Segments wholly below the point of truncation go, with their indexes; the others stay, and so
 * does every record above. */
static void truncating_removes_what_lies_wholly_below(void **state)
{
    (void)state;
    for (int keep = 0; keep < RECORDS; keep++) {
        struct fixture f;
        struct found found;
        struct txlog_stats stats;
        uint64_t ends[RECORDS];

        log_make(&f, ends);
        uint64_t from = keep > 0 ? ends[keep - 1] : 0;
        txlog_truncate(f.log, from);
        log_close(&f);
        assert_int_equal(folder_count(&f.folder, ".log"), (RECORDS - keep + 1) / 2);
        assert_int_equal(folder_count(&f.folder, ".idx"), (RECORDS - keep + 1) / 2);
        assert_int_equal(recover_known(&f, from, f.lsn, false, &found), QN_OK);
        assert_int_equal(found.damages, 0);
        assert_int_equal(found.count, RECORDS - keep);
        assert_int_equal(found.indexes[0], keep + 1);
        assert_int_equal(found.report.next_lsn, f.lsn);
        found_fini(&found);

        fixture_reopen(&f, SMALL, f.lsn);
        txlog_stats(f.log, &stats);
        assert_true(stats.first_lsn <= from);
        assert_true(stats.disk_bytes >= SMALL);
        fixture_close(&f);
    }
}

/* The current segment stays, whatever the point of truncation: where the log goes on is known from
 * it. */
static void the_current_segment_is_never_removed(void **state)
{
    struct fixture f;
    struct found found;
    uint64_t ends[RECORDS];

    (void)state;
    log_make(&f, ends);
    txlog_truncate(f.log, f.lsn);
    log_close(&f);
    assert_int_equal(folder_count(&f.folder, ".log"), 1);
    assert_int_equal(recover_known(&f, f.lsn, f.lsn, false, &found), QN_OK);
    assert_int_equal(found.damages, 0);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.report.next_lsn, f.lsn);
    found_fini(&found);
    fixture_close(&f);
}

static void wait_removed(struct fixture *f, uint64_t count)
{
    struct txlog_stats stats;

    do {
        txlog_stats(f->log, &stats);
        (void)sched_yield();
    } while (stats.removed < count && !txlog_failed(f->log, NULL));
    assert_int_equal(stats.removed, count);
}

/* Removing needs no append, and the figures follow it. */
static void truncating_an_idle_log_is_done_soon(void **state)
{
    struct fixture f;
    struct txlog_stats before, after;
    uint64_t ends[RECORDS];

    (void)state;
    log_make(&f, ends);
    txlog_stats(f.log, &before);
    txlog_truncate(f.log, ends[5]);
    wait_removed(&f, 3);
    txlog_stats(f.log, &after);
    assert_int_equal(before.first_lsn, 0);
    assert_int_equal(after.first_lsn, ends[5]);
    /* Six segments, three of them now gone, and the next one if it has been prepared yet. */
    assert_true(before.disk_bytes == 6 * SMALL || before.disk_bytes == 7 * SMALL);
    assert_true(after.disk_bytes == 3 * SMALL || after.disk_bytes == 4 * SMALL);
    txlog_truncate(f.log, ends[2]); /* backwards: nothing */
    fixture_put(&f, 0, 10);
    txlog_stats(f.log, &after);
    assert_int_equal(after.first_lsn, ends[5]);
    fixture_close(&f);
}

/* On a full disk, what a truncation frees is used at once. */
static void truncating_makes_space_on_a_full_disk(void **state)
{
    struct fixture f;
    uint64_t ends[RECORDS];

    (void)state;
    log_make(&f, ends);
    (void)pthread_mutex_lock(&f.lock);
    f.full_until_removed = true;
    (void)pthread_mutex_unlock(&f.lock);
    for (int i = 0; i < 8; i++) { /* more than the two segments that were prepared can take */
        assert_int_equal(fixture_append(&f, 0, BODY), QN_OK);
    }
    txlog_flush(f.log);
    txlog_truncate(f.log, ends[9]);
    fixture_wait(&f);
    assert_int_equal(txlog_durable(f.log), f.lsn);
    fixture_close(&f);
}

/* A directory that cannot be synced after a removal fails the log: a failed sync is never repeated.
 */
static void a_failed_sync_of_the_directory_fails_the_log(void **state)
{
    struct fixture f;
    uint64_t ends[RECORDS];

    (void)state;
    log_make(&f, ends);
    (void)pthread_mutex_lock(&f.lock);
    f.fail_sync_dir = true;
    (void)pthread_mutex_unlock(&f.lock);
    txlog_truncate(f.log, ends[5]);
    (void)pthread_mutex_lock(&f.lock);
    while (!txlog_failed(f.log, NULL)) {
        (void)pthread_cond_wait(&f.moved, &f.lock);
    }
    (void)pthread_mutex_unlock(&f.lock);
    assert_int_equal(txlog_close(f.log), QN_IO);
    f.log = NULL;
    fixture_close(&f);
}

/* Segments below what is needed are passed over, be they sound, damaged or half removed; the next
 * truncation takes them away. */
static void leftovers_below_what_is_needed_do_not_matter(void **state)
{
    struct fixture f;
    struct found found;
    uint64_t ends[RECORDS];
    char path[PATH_MAX_SIZE];

    (void)state;
    log_make(&f, ends);
    log_close(&f);
    folder_segment(&f.folder, 1, path);
    assert_int_equal(truncate(path, 100), 0);
    folder_segment(&f.folder, 2, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(recover_known(&f, ends[6], f.lsn, false, &found), QN_OK);
    assert_int_equal(found.damages, 0);
    assert_int_equal(found.count, RECORDS - 7);
    assert_int_equal(found.indexes[0], 8);
    assert_int_equal(found.report.first_lsn, 0);
    assert_int_equal(found.report.segments, 3);
    found_fini(&found);

    fixture_reopen(&f, SMALL, f.lsn);
    txlog_truncate(f.log, ends[6]);
    log_close(&f);
    assert_int_equal(folder_count(&f.folder, ".log"), 4); /* three, and the one of this start */
    fixture_close(&f);
}

/* A record below what is needed is passed over even when its body is bad; the one after it is not.
 */
static void a_bad_record_that_is_not_needed_is_no_damage(void **state)
{
    struct fixture f;
    struct found found;
    uint64_t ends[RECORDS];
    char path[PATH_MAX_SIZE];
    struct buf image = {0};

    (void)state;
    log_make(&f, ends);
    log_close(&f);
    folder_segment(&f.folder, 2, path);
    file_load(path, &image);
    image.data[SEGMENT_HEADER_SIZE + BATCH_HEADER_SIZE + RECORD_HEADER_SIZE + 7] ^= 1;
    file_store(path, buf_bytes(&image));
    assert_int_equal(recover_known(&f, ends[4], f.lsn, false, &found), QN_OK);
    assert_int_equal(found.damages, 0);
    assert_int_equal(found.indexes[0], 6);
    found_fini(&found);
    assert_int_equal(recover_known(&f, ends[4] - 1, f.lsn, false, &found), QN_OK);
    assert_int_equal(found.damages, 1);
    assert_false(found.whole_lane);
    found_fini(&found);
    buf_fini(&image);
    fixture_close(&f);
}

/* Nor is a batch whose header is bad, wherever a snapshot holds all of it: the reading goes on at
 * the next one. */
static void a_bad_batch_that_is_not_needed_is_no_damage(void **state)
{
    struct fixture f;
    struct found found;
    uint64_t ends[8];
    char path[PATH_MAX_SIZE];
    struct buf image = {0};

    (void)state;
    fixture_open(&f, 1 << 20);
    for (int i = 0; i < 8; i++) {
        fixture_put(&f, 0, 100);
        ends[i] = f.lsn;
    }
    log_close(&f);
    folder_segment(&f.folder, 0, path);
    file_load(path, &image);
    size_t batch = BATCH_HEADER_SIZE + RECORD_HEADER_SIZE + 100;
    for (size_t bad = 0; bad < 8; bad++) {
        image.data[SEGMENT_HEADER_SIZE + bad * batch + 9] ^= 1;
        file_store(path, buf_bytes(&image));
        for (size_t held = 0; held < 8; held++) { /* the first so many records are in snapshots */
            uint64_t needed_from = held > 0 ? ends[held - 1] : 0;
            assert_int_equal(recover_known(&f, needed_from, f.lsn, true, &found), QN_OK);
            assert_int_equal(found.damages, bad < held ? 0 : 1);
            assert_int_equal(found.count, bad < held ? 8 - held : bad - held);
            found_fini(&found);
        }
        image.data[SEGMENT_HEADER_SIZE + bad * batch + 9] ^= 1;
    }
    buf_fini(&image);
    fixture_close(&f);
}

/* The lane is damaged, and stays so through the next start. */
static void check_lane_damaged(struct fixture *f, uint64_t needed_from, uint64_t known_end)
{
    struct found found;

    for (int round = 0; round < 3; round++) {
        assert_int_equal(recover_known(f, needed_from, known_end, false, &found), QN_OK);
        assert_int_equal(found.damages, 1);
        assert_true(found.whole_lane);
        assert_true(found.report.next_lsn > known_end);
        found_fini(&found);
        if (round == 1) {
            fixture_reopen(f, SMALL, found.report.next_lsn);
            fixture_put(f, 0, 10);
            log_close(f);
        }
    }
}

/* The end of a log that the manifest knows is missing: whole segments, at any count. */
static void segments_missing_at_the_end_are_damage(void **state)
{
    (void)state;
    for (size_t left = 0; left < RECORDS / 2; left++) {
        struct fixture f;
        uint64_t ends[RECORDS];
        char path[PATH_MAX_SIZE];

        log_make(&f, ends);
        log_close(&f);
        for (size_t i = RECORDS / 2; i > left; i--) {
            folder_segment(&f.folder, i - 1, path);
            assert_int_equal(unlink(path), 0);
        }
        check_lane_damaged(&f, 0, ends[RECORDS - 1]);
        fixture_close(&f);
    }
}

/* The same when the last segment was cut, however far; above what the manifest knows a cut is a
 * torn tail. */
static void a_cut_below_the_known_end_is_damage(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 2 * BODY; cut += 611) {
        struct fixture f;
        struct found found;
        uint64_t ends[RECORDS];
        char path[PATH_MAX_SIZE];

        log_make(&f, ends);
        log_close(&f);
        folder_segment(&f.folder, RECORDS / 2 - 1, path);
        assert_int_equal(truncate(path, (off_t)(SEGMENT_HEADER_SIZE + cut)), 0);
        check_lane_damaged(&f, 0, ends[RECORDS - 1]);
        fixture_close(&f);

        log_make(&f, ends);
        log_close(&f);
        folder_segment(&f.folder, RECORDS / 2 - 1, path);
        assert_int_equal(truncate(path, (off_t)(SEGMENT_HEADER_SIZE + cut)), 0);
        assert_int_equal(recover_known(&f, 0, ends[RECORDS - 3], false, &found), QN_OK);
        assert_int_equal(found.damages, 0);
        assert_true(found.count >= RECORDS - 2);
        found_fini(&found);
        fixture_close(&f);
    }
}

/* The first segment that is needed is missing. */
static void a_log_that_does_not_reach_down_is_damage(void **state)
{
    struct fixture f;
    uint64_t ends[RECORDS];
    char path[PATH_MAX_SIZE];

    (void)state;
    log_make(&f, ends);
    log_close(&f);
    for (int i = 0; i < 3; i++) {
        folder_segment(&f.folder, 0, path);
        assert_int_equal(unlink(path), 0);
    }
    check_lane_damaged(&f, ends[4], ends[RECORDS - 1]);
    fixture_close(&f);
}

/* A look at a log changes no file, and sees what a start would: also the torn tail. */
static void a_look_changes_nothing(void **state)
{
    struct fixture f;
    struct found found, again;
    uint64_t ends[RECORDS];
    char path[PATH_MAX_SIZE];
    struct buf before = {0}, after = {0};

    (void)state;
    log_make(&f, ends);
    log_close(&f);
    folder_segment(&f.folder, RECORDS / 2 - 1, path);
    file_load(path, &before);
    before.size = SEGMENT_HEADER_SIZE + BODY + BODY / 2;
    file_store(path, buf_bytes(&before));
    assert_int_equal(recover_known(&f, 0, 0, true, &found), QN_OK);
    assert_int_equal(found.count, RECORDS - 1);
    assert_true(found.report.torn_bytes > 0);
    file_load(path, &after);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    assert_int_equal(recover_known(&f, 0, 0, false, &again), QN_OK);
    assert_int_equal(found.report.torn_bytes, again.report.torn_bytes);
    assert_int_equal(found.report.next_lsn, again.report.next_lsn);
    found_fini(&found);
    found_fini(&again);
    buf_fini(&before);
    buf_fini(&after);
    fixture_close(&f);
}

static uint64_t sum(const uint64_t buckets[TXLOG_BUCKETS])
{
    uint64_t all = 0;

    for (int i = 0; i < TXLOG_BUCKETS; i++) {
        all += buckets[i];
    }
    return all;
}

/* Every record is counted once by how long it waited, every sync by how long it took. */
static void the_histograms_count_everything_once(void **state)
{
    struct fixture f;
    struct txlog_stats stats;

    (void)state;
    fixture_open(&f, SMALL);
    for (int i = 0; i < 3000; i++) { /* more rounds than marks are kept for */
        assert_int_equal(fixture_append(&f, 0, 20), QN_OK);
        if (i % 2) {
            txlog_flush(f.log);
        }
    }
    fixture_wait(&f);
    txlog_stats(f.log, &stats);
    assert_int_equal(stats.records, 3000);
    assert_int_equal(sum(stats.append_buckets), 3000);
    assert_int_equal(sum(stats.sync_buckets), stats.syncs);
    assert_true(stats.append_ns > 0);
    assert_true(stats.buffer_bytes > 0);
    fixture_close(&f);
}

/* The next LSN is told without asking the writer. */
static void the_next_lsn_follows_appends(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    assert_int_equal(txlog_next(f.log), 0);
    assert_int_equal(fixture_append(&f, 0, 10), QN_OK);
    assert_int_equal(txlog_next(f.log), f.lsn);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncating_removes_what_lies_wholly_below),
        cmocka_unit_test(the_current_segment_is_never_removed),
        cmocka_unit_test(truncating_an_idle_log_is_done_soon),
        cmocka_unit_test(truncating_makes_space_on_a_full_disk),
        cmocka_unit_test(a_failed_sync_of_the_directory_fails_the_log),
        cmocka_unit_test(leftovers_below_what_is_needed_do_not_matter),
        cmocka_unit_test(a_bad_record_that_is_not_needed_is_no_damage),
        cmocka_unit_test(a_bad_batch_that_is_not_needed_is_no_damage),
        cmocka_unit_test(segments_missing_at_the_end_are_damage),
        cmocka_unit_test(a_cut_below_the_known_end_is_damage),
        cmocka_unit_test(a_log_that_does_not_reach_down_is_damage),
        cmocka_unit_test(a_look_changes_nothing),
        cmocka_unit_test(the_histograms_count_everything_once),
        cmocka_unit_test(the_next_lsn_follows_appends),
    };

    return RUN_TESTS(tests);
}
