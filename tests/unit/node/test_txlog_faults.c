/* What the log does when the operating system refuses something. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "node/log/txlog_format.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { SMALL = TXLOG_SEGMENT_MIN };

static void set(struct fixture *f, int *order, int value)
{
    (void)pthread_mutex_lock(&f->lock);
    *order = value;
    (void)pthread_mutex_unlock(&f->lock);
}

static int get(struct fixture *f, const int *count)
{
    (void)pthread_mutex_lock(&f->lock);
    int value = *count;
    (void)pthread_mutex_unlock(&f->lock);
    return value;
}

static void full_set(struct fixture *f, bool full)
{
    (void)pthread_mutex_lock(&f->lock);
    f->full = full;
    (void)pthread_mutex_unlock(&f->lock);
}

/* Has the log failed, said why, and does it refuse everything from now on? */
static void check_failed(struct fixture *f, uint64_t durable)
{
    qn_error err = QN_ERROR_INIT;
    int writes = get(f, &f->writes), syncs = get(f, &f->syncs);

    assert_true(txlog_failed(f->log, &err));
    assert_int_equal(err.status, QN_IO);
    assert_non_null(strstr(err.text, f->folder.path));
    assert_int_equal(txlog_durable(f->log), durable);
    assert_int_equal(fixture_append(f, 0, 100), QN_IO);
    assert_int_equal(txlog_reserve(f->log, 100), QN_IO);
    txlog_flush(f->log);
    assert_int_equal(txlog_close(f->log), QN_IO);
    f->log = NULL;
    assert_int_equal(get(f, &f->writes), writes);
    assert_int_equal(get(f, &f->syncs), syncs);
}

/* A failed fdatasync fails the log for good: nothing is reported durable, nothing is retried, not
 * even at the end. */
static void a_failed_sync_is_never_retried(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    fixture_put(&f, 0, 100);
    uint64_t durable = f.lsn;
    set(&f, &f.fail_sync_at, get(&f, &f.syncs) + 1);
    assert_int_equal(fixture_append(&f, 0, 100), QN_OK);
    fixture_wait(&f);
    check_failed(&f, durable);
    fixture_close(&f);
}

/* So does a failed write. */
static void a_failed_write_fails_the_log(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    for (int i = 0; i < 40; i++) { /* until the next segment is full of zeros */
        fixture_put(&f, 0, 100);
    }
    uint64_t durable = f.lsn;
    set(&f, &f.fail_write_at, get(&f, &f.writes) + 1);
    assert_int_equal(fixture_append(&f, 0, 100), QN_OK);
    fixture_wait(&f);
    check_failed(&f, durable);
    fixture_close(&f);
}

/* Whichever write or sync fails, what was reported durable before is found again. (A write may be
 * that of an index, which the log does without.) */
static void what_was_durable_survives_any_failure(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n++) {
        struct fixture f;
        struct found found;
        uint64_t durable_records = 0;

        fixture_open(&f, SMALL);
        set(&f, n % 2 ? &f.fail_write_at : &f.fail_sync_at, 3 + n);
        for (int i = 0; i < 60 && !txlog_failed(f.log, NULL); i++) {
            if (fixture_append(&f, (uint32_t)i % 8, 900) != QN_OK) {
                break;
            }
            fixture_wait(&f);
            durable_records += txlog_durable(f.log) == f.lsn ? 1 : 0;
        }
        bool failed = txlog_failed(f.log, NULL);
        assert_true(failed || (n % 2 && durable_records == 60));
        assert_int_equal(txlog_close(f.log), failed ? QN_IO : QN_OK);
        f.log = NULL;
        assert_int_equal(recover(&f.folder, &found), QN_OK);
        assert_int_equal(found.damages, 0);
        assert_true(found.count >= durable_records);
        found_fini(&found);
        fixture_close(&f);
    }
}

/* A full disk is no failure: requests are refused while there is no space for the next segment,
 * what was appended waits, and all goes on once there is space. */
static void a_full_disk_is_waited_out(void **state)
{
    struct fixture f;
    struct found found;
    enum qn_status status;
    uint64_t accepted = 0;

    (void)state;
    fixture_open(&f, SMALL);
    full_set(&f, true);
    for (;;) {
        status = txlog_reserve(f.log, 1000);
        if (status != QN_OK) {
            break;
        }
        fixture_put(&f, 0, 1000 - RECORD_HEADER_SIZE);
        accepted++;
    }
    assert_int_equal(status, QN_DISK_FULL);
    assert_true(accepted >= 10);

    /* What comes without a reservation is accepted, and waits. */
    uint64_t durable = txlog_durable(f.log);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fixture_append(&f, 0, 1000), QN_OK);
    }
    txlog_flush(f.log);
    (void)pthread_mutex_lock(&f.lock);
    int looks = f.allocations;
    while (f.allocations < looks + 3) {
        (void)pthread_cond_wait(&f.moved, &f.lock);
    }
    (void)pthread_mutex_unlock(&f.lock);
    assert_false(txlog_failed(f.log, NULL));
    assert_true(txlog_durable(f.log) < f.lsn);
    assert_true(txlog_durable(f.log) >= durable);
    assert_int_equal(txlog_reserve(f.log, 1000), QN_DISK_FULL);

    full_set(&f, false);
    fixture_wait(&f);
    assert_int_equal(txlog_durable(f.log), f.lsn);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    assert_int_equal(recover(&f.folder, &found), QN_OK);
    assert_int_equal(found.count, accepted + 5);
    assert_int_equal(found.damages, 0);
    found_fini(&found);
    fixture_close(&f);
}

/* A log can be closed while the disk is full: it says that what waited was not written. */
static void closing_does_not_wait_for_space(void **state)
{
    struct fixture f;
    qn_error err = QN_ERROR_INIT;

    (void)state;
    fixture_open(&f, SMALL);
    full_set(&f, true);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fixture_append(&f, 0, SMALL / 2), QN_OK);
    }
    assert_false(txlog_failed(f.log, &err));
    assert_int_equal(txlog_close(f.log), QN_DISK_FULL);
    f.log = NULL;
    fixture_close(&f);
}

/* A log opens on a full disk: what there is was read before, requests are refused, and all goes on
 * by itself once there is space. */
static void a_log_opens_on_a_full_disk(void **state)
{
    struct fixture f;
    struct txlog_stats stats;
    struct found found;

    (void)state;
    fixture_open(&f, SMALL);
    fixture_put(&f, 0, 100);
    assert_int_equal(txlog_close(f.log), QN_OK);
    full_set(&f, true);
    fixture_reopen(&f, SMALL, f.lsn);
    txlog_stats(f.log, &stats);
    assert_true(stats.space_short);
    assert_false(stats.files_short);
    assert_int_equal(stats.segments, 0);
    assert_int_equal(stats.first_lsn, 0);
    assert_int_equal(txlog_reserve(f.log, 100), QN_DISK_FULL);
    assert_int_equal(txlog_durable(f.log), f.lsn);

    full_set(&f, false);
    fixture_put(&f, 0, 100);
    txlog_stats(f.log, &stats);
    assert_false(stats.space_short);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    assert_int_equal(recover(&f.folder, &found), QN_OK);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.damages, 0);
    found_fini(&found);
    fixture_close(&f);
}

/* A log that opened on a full disk and got no space is closed without harm. */
static void a_log_without_space_closes_cleanly(void **state)
{
    struct fixture f;
    struct found found;

    (void)state;
    fixture_open(&f, SMALL);
    fixture_put(&f, 0, 100);
    assert_int_equal(txlog_close(f.log), QN_OK);
    full_set(&f, true);
    fixture_reopen(&f, SMALL, f.lsn);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    assert_int_equal(folder_count(&f.folder, ".tmp"), 0);
    assert_int_equal(folder_count(&f.folder, ".log"), 1);
    assert_int_equal(recover(&f.folder, &found), QN_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.report.next_lsn, f.lsn);
    found_fini(&found);
    fixture_close(&f);
}

/* That no file descriptor is left is no failure either, and not a full disk: another thing must be
 * done about it. */
static void too_many_open_files_is_not_a_full_disk(void **state)
{
    struct fixture f;
    struct txlog_stats stats;

    (void)state;
    fixture_open(&f, SMALL);
    (void)pthread_mutex_lock(&f.lock);
    f.no_files = true;
    (void)pthread_mutex_unlock(&f.lock);
    for (;;) {
        enum qn_status status = txlog_reserve(f.log, 1000);
        txlog_stats(f.log, &stats);
        if (status != QN_OK && stats.files_short) {
            assert_int_equal(status, QN_OVERLOADED);
            break;
        }
        fixture_put(&f, 0, 1000 - RECORD_HEADER_SIZE);
        if (stats.segments > 2) {
            fail_msg("it went on without a file");
        }
    }
    assert_false(stats.space_short);
    assert_false(txlog_failed(f.log, NULL));
    (void)pthread_mutex_lock(&f.lock);
    f.no_files = false;
    (void)pthread_mutex_unlock(&f.lock);
    fixture_put(&f, 0, 12000);
    fixture_close(&f);
}

/* What each error number becomes: lack of space and lack of descriptors have their own status, and
 * the text says what to do. */
static void error_numbers_say_what_to_do(void **state)
{
    static const struct {
        int number;
        enum qn_status status;
        const char *advice;
    } rows[] = {
        {ENOSPC, QN_DISK_FULL, "make space"}, {EDQUOT, QN_DISK_FULL, "make space"},
        {EMFILE, QN_OVERLOADED, "ulimit -n"}, {ENFILE, QN_OVERLOADED, "ulimit -n"},
        {EIO, QN_IO, "check the disk"},       {EROFS, QN_IO, "check the disk"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        qn_error err = QN_ERROR_INIT;
        assert_int_equal(file_io_failed("create", "/some/where", "file", rows[i].number, &err),
                         rows[i].status);
        assert_non_null(strstr(err.text, rows[i].advice));
        assert_non_null(strstr(err.text, "/some/where/file"));
    }
}

/* A directory that cannot be one is an error that names it. */
static void a_file_in_the_place_of_the_directory_is_an_error(void **state)
{
    struct fixture f;
    struct txlog *log = NULL;
    qn_error err = QN_ERROR_INIT;
    char path[PATH_MAX_SIZE];

    (void)state;
    fixture_open(&f, SMALL);
    (void)snprintf(path, sizeof path, "%.400s/file", f.folder.path);
    file_store(path, bytes_of_text("x"));
    struct txlog_options options = {.dir = path, .segment_size_bytes = SMALL};
    assert_int_equal(txlog_open(&options, &log, &err), QN_IO);
    assert_non_null(strstr(err.text, path));
    fixture_close(&f);
}

/* One thread appends while another reads the figures, many times over: for the thread sanitizer.
 * Returns its argument; NULL when the durable LSN went back. */
static void *figures_read(void *arg)
{
    struct fixture *f = arg;
    struct txlog_stats stats = {0};

    while (stats.records < 20000 && !txlog_failed(f->log, NULL)) {
        uint64_t durable = txlog_durable(f->log);
        txlog_stats(f->log, &stats);
        if (txlog_durable(f->log) < durable) {
            return NULL;
        }
        (void)sched_yield();
    }
    return f;
}

static void figures_can_be_read_by_any_thread(void **state)
{
    struct fixture f;
    pthread_t reader;
    struct txlog_stats stats;

    (void)state;
    fixture_open(&f, 1 << 20);
    assert_int_equal(pthread_create(&reader, NULL, figures_read, &f), 0);
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(fixture_append(&f, 0, 60), QN_OK);
        if (i % 16 == 0) {
            txlog_flush(f.log);
        }
    }
    fixture_wait(&f);
    void *result = NULL;
    (void)pthread_join(reader, &result);
    assert_ptr_equal(result, &f);
    txlog_stats(f.log, &stats);
    assert_int_equal(stats.records, 20000);
    assert_true(stats.segments > 3);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_sync_is_never_retried),
        cmocka_unit_test(a_failed_write_fails_the_log),
        cmocka_unit_test(what_was_durable_survives_any_failure),
        cmocka_unit_test(a_full_disk_is_waited_out),
        cmocka_unit_test(closing_does_not_wait_for_space),
        cmocka_unit_test(a_log_opens_on_a_full_disk),
        cmocka_unit_test(a_log_without_space_closes_cleanly),
        cmocka_unit_test(too_many_open_files_is_not_a_full_disk),
        cmocka_unit_test(error_numbers_say_what_to_do),
        cmocka_unit_test(a_file_in_the_place_of_the_directory_is_an_error),
        cmocka_unit_test(figures_can_be_read_by_any_thread),
    };

    return RUN_TESTS(tests);
}
