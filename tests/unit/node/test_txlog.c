/* The transaction log as its users see it: append, group commit, segments, a second start. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "node/log/txlog_format.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { SMALL = TXLOG_SEGMENT_MIN };

static void check_all(const struct folder *folder, uint64_t count)
{
    struct found found;

    assert_int_equal(recover(folder, &found), QN_OK);
    assert_int_equal(found.count, count);
    assert_int_equal(found.report.records, count);
    assert_int_equal(found.report.damages, 0);
    assert_int_equal(found.report.torn_bytes, 0);
    found_fini(&found);
}

/* A lane that was never written is an empty log, not an error. */
static void a_directory_that_is_not_there_is_an_empty_log(void **state)
{
    struct folder folder = {.path = "/nonexistent/quoin/lane-0/log"};
    struct found found;

    (void)state;
    assert_int_equal(recover(&folder, &found), QN_OK);
    assert_int_equal(found.report.next_lsn, 0);
    assert_int_equal(found.report.segments, 0);
}

/* The log creates its directory and what is missing above it, for the owner only. */
static void opening_creates_the_directory(void **state)
{
    char path[PATH_MAX_SIZE + 32];
    struct stat st;
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    assert_int_equal(txlog_close(f.log), QN_OK);
    struct folder base = f.folder;
    (void)snprintf(f.folder.path, sizeof f.folder.path, "%.400s/lane-0/log", base.path);
    fixture_reopen(&f, SMALL, 0);
    fixture_put(&f, 0, 10);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    check_all(&f.folder, 1);
    (void)snprintf(path, sizeof path, "%s/lane-0", base.path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    f.folder = base;
    fixture_close(&f);
}

/* Records come back in order, octet for octet, across segments. */
static void records_come_back_across_many_segments(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    for (int i = 0; i < 600; i++) {
        assert_int_equal(fixture_append(&f, (uint32_t)i % 8, (size_t)(i * 37) % 700), QN_OK);
        if (i % 7 == 0) {
            fixture_wait(&f);
        }
    }
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    assert_true(folder_count(&f.folder, ".log") > 10);
    assert_int_equal(folder_count(&f.folder, ".tmp"), 0);
    check_all(&f.folder, 600);
    fixture_close(&f);
}

/* A record larger than a segment gets a segment of its own size. */
static void a_record_larger_than_a_segment_is_kept(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    fixture_put(&f, 1, 100);
    fixture_put(&f, 2, 3 * SMALL);
    fixture_put(&f, 3, 100);
    assert_int_equal(fixture_append(&f, 4, SMALL - SEGMENT_HEADER_SIZE), QN_OK);
    assert_int_equal(fixture_append(&f, 5, 10), QN_OK);
    fixture_wait(&f);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    check_all(&f.folder, 5);
    fixture_close(&f);
}

/* Starts follow each other: each goes on where recovery ended, and none leaves an empty file. */
static void every_start_goes_on_where_the_last_one_ended(void **state)
{
    struct fixture f;
    struct found found;

    (void)state;
    fixture_open(&f, SMALL);
    for (int start = 0; start < 5; start++) {
        if (start != 2) { /* one start appends nothing */
            fixture_put(&f, 0, 200);
        }
        assert_int_equal(txlog_close(f.log), QN_OK);
        assert_int_equal(recover(&f.folder, &found), QN_OK);
        assert_int_equal(found.report.next_lsn, f.lsn);
        found_fini(&found);
        fixture_reopen(&f, SMALL, found.report.next_lsn);
    }
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    check_all(&f.folder, 4);
    assert_int_equal(folder_count(&f.folder, ".log"), 5);
    fixture_close(&f);
}

/* What arrives during a sync is made durable by the next one, together. */
static void records_gather_while_the_disk_is_busy(void **state)
{
    struct fixture f;
    struct txlog_stats stats;

    (void)state;
    fixture_open(&f, 1 << 20);
    fixture_hold(&f, true);
    assert_int_equal(fixture_append(&f, 0, 100), QN_OK);
    uint64_t first = f.lsn;
    txlog_flush(f.log);
    (void)pthread_mutex_lock(&f.lock);
    int syncs = f.syncs;
    while (f.syncs < 2) { /* the one that named the segment, then ours */
        (void)pthread_cond_wait(&f.moved, &f.lock);
    }
    (void)pthread_mutex_unlock(&f.lock);
    assert_true(syncs >= 1);

    for (int i = 0; i < 50; i++) {
        assert_int_equal(fixture_append(&f, 0, 100), QN_OK);
    }
    assert_int_equal(txlog_durable(f.log), 0);
    fixture_hold(&f, false);
    fixture_wait(&f);
    assert_true(f.lsn > first);
    txlog_stats(f.log, &stats);
    assert_int_equal(stats.syncs, 2);
    assert_int_equal(stats.records, 51);
    fixture_close(&f);
}

/* The LSN of a record is that of the octet behind it; records without batch headers count. */
static void an_lsn_counts_octets_of_records(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    fixture_put(&f, 0, 10);
    assert_int_equal(f.lsn, RECORD_HEADER_SIZE + 10);
    fixture_put(&f, 0, 20);
    assert_int_equal(f.lsn, 2 * RECORD_HEADER_SIZE + 30);
    assert_int_equal(txlog_durable(f.log), f.lsn);
    fixture_close(&f);
}

/* A write that the system does in part, or interrupts, is completed: that is no failure. */
static void short_writes_are_completed(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    (void)pthread_mutex_lock(&f.lock);
    f.short_writes = true;
    (void)pthread_mutex_unlock(&f.lock);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fixture_append(&f, 0, 300), QN_OK);
    }
    fixture_wait(&f);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    check_all(&f.folder, 100);
    fixture_close(&f);
}

/* A body over the limit is refused, and nothing of it stays in the log. */
static void a_body_over_the_limit_leaves_no_trace(void **state)
{
    struct fixture f;
    uint64_t lsn = 7;
    uint8_t *body = calloc(1, RECORD_BODY_MAX + 1u);

    (void)state;
    assert_non_null(body);
    fixture_open(&f, SMALL);
    struct record record = {.type = RECORD_WRITE, .effects = bytes_of(body, RECORD_BODY_MAX + 1u)};
    assert_int_equal(txlog_append(f.log, &record, &lsn), QN_TOO_LARGE);
    assert_int_equal(lsn, 7);
    fixture_put(&f, 0, 10);
    assert_int_equal(txlog_append(f.log, &record, &lsn), QN_TOO_LARGE);
    fixture_put(&f, 0, 10);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    check_all(&f.folder, 2);
    fixture_close(&f);
    free(body);
}

/* More than a segment can hold is refused while it waits, and accepted when it is written. */
static void reserve_refuses_what_the_files_cannot_take(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SMALL);
    fixture_put(&f, 0, 10);
    fixture_put(&f, 0, 10); /* by now the next segment has been prepared */
    fixture_hold(&f, true);
    assert_int_equal(txlog_reserve(f.log, 5000), QN_OK);
    assert_int_equal(fixture_append(&f, 0, 5000), QN_OK);
    assert_int_equal(txlog_reserve(f.log, 5000), QN_OK);
    assert_int_equal(fixture_append(&f, 0, 5000), QN_OK);
    assert_int_equal(txlog_reserve(f.log, 5000), QN_OVERLOADED);
    fixture_hold(&f, false);
    fixture_wait(&f);
    assert_int_equal(txlog_reserve(f.log, (size_t)300 << 20), QN_OVERLOADED);
    assert_int_equal(txlog_reserve(f.log, 2 * SMALL), QN_OK);
    fixture_close(&f);
}

/* Closing a log that was never opened is allowed, as for every destroy. */
static void null_can_be_closed(void **state)
{
    (void)state;
    assert_int_equal(txlog_close(NULL), QN_OK);
}

/* The names of segments sort as their LSNs; nothing else passes for one. */
static void only_twenty_digits_name_a_segment(void **state)
{
    char name[SEGMENT_NAME_SIZE];
    uint64_t lsn = 5;

    (void)state;
    segment_name_format(UINT64_MAX, name);
    assert_string_equal(name, "18446744073709551615.log");
    assert_true(segment_name_parse(name, &lsn));
    assert_true(lsn == UINT64_MAX);
    assert_true(segment_name_parse("00000000000000000042.log", &lsn));
    assert_int_equal(lsn, 42);
    assert_false(segment_name_parse("18446744073709551616.log", &lsn));
    assert_false(segment_name_parse("0000000000000000042.log", &lsn));
    assert_false(segment_name_parse("00000000000000000042.log~", &lsn));
    assert_false(segment_name_parse("00000000000000000042", &lsn));
    assert_false(segment_name_parse("next.tmp", &lsn));
    assert_false(segment_name_parse("", &lsn));
    assert_int_equal(lsn, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_that_is_not_there_is_an_empty_log),
        cmocka_unit_test(opening_creates_the_directory),
        cmocka_unit_test(records_come_back_across_many_segments),
        cmocka_unit_test(a_record_larger_than_a_segment_is_kept),
        cmocka_unit_test(every_start_goes_on_where_the_last_one_ended),
        cmocka_unit_test(records_gather_while_the_disk_is_busy),
        cmocka_unit_test(an_lsn_counts_octets_of_records),
        cmocka_unit_test(short_writes_are_completed),
        cmocka_unit_test(a_body_over_the_limit_leaves_no_trace),
        cmocka_unit_test(reserve_refuses_what_the_files_cannot_take),
        cmocka_unit_test(null_can_be_closed),
        cmocka_unit_test(only_twenty_digits_name_a_segment),
    };

    return RUN_TESTS(tests);
}
