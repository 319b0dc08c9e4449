/* What recovery makes of a log that a crash cut short or that the disk damaged. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/log/txlog_format.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"
#include "wire/hash.h"

enum { SMALL = TXLOG_SEGMENT_MIN, BATCHES = 12, ENDS_MAX = 64 };

/* A log as a killed process leaves it, with the offset behind each batch of its last segment. */
struct killed {
    struct folder folder;
    struct folder work; /* for the copy that a test harms */
    char path[PATH_MAX_SIZE];
    struct buf image; /* of the last segment */
    size_t before;    /* records in the segments before it */
    size_t ends[ENDS_MAX];
    size_t count; /* batches in the last segment */
};

static size_t batch_ends(struct bytes image, size_t *ends)
{
    struct segment_header segment;
    struct batch_header batch;
    size_t at = SEGMENT_HEADER_SIZE, count = 0;

    assert_int_equal(segment_header_decode(image, &segment), QN_OK);
    while (batch_header_decode(bytes_of(image.data + at, image.size - at), segment.salt, &batch) ==
           QN_OK) {
        at += BATCH_HEADER_SIZE + batch.size;
        assert_true(count < ENDS_MAX);
        ends[count++] = at;
    }
    return count;
}

/* `before` records in a segment of their own, then BATCHES batches of one record each. */
static void killed_make(struct killed *k, size_t before, bool clean_stop)
{
    struct fixture f;
    struct found found;

    *k = (struct killed){.before = before};
    folder_make(&k->folder);
    folder_make(&k->work);
    fixture_open(&f, SMALL);
    for (size_t i = 0; i < before; i++) {
        fixture_put(&f, (uint32_t)i % 8, 50);
    }
    if (before > 0) {
        assert_int_equal(txlog_close(f.log), QN_OK);
        assert_int_equal(recover(&f.folder, &found), QN_OK);
        found_fini(&found);
        fixture_reopen(&f, SMALL, found.report.next_lsn);
    }
    for (size_t i = 0; i < BATCHES; i++) {
        fixture_put(&f, (uint32_t)i % 4, i * 9);
    }
    if (clean_stop) {
        assert_int_equal(txlog_close(f.log), QN_OK);
        f.log = NULL;
    }
    folder_copy(&f.folder, &k->folder);
    fixture_close(&f);
    folder_segment(&k->folder, before > 0, k->path);
    file_load(k->path, &k->image);
    k->count = batch_ends(buf_bytes(&k->image), k->ends);
    assert_int_equal(k->count, BATCHES + (clean_stop ? 1 : 0));
}

static void killed_fini(struct killed *k)
{
    folder_remove(&k->folder);
    folder_remove(&k->work);
    buf_fini(&k->image);
}

/* Put a fresh copy into `work`, its last segment replaced. */
static void work_set(struct killed *k, struct bytes image)
{
    char path[PATH_MAX_SIZE];

    folder_copy(&k->folder, &k->work);
    folder_segment(&k->work, k->before > 0, path);
    file_store(path, image);
}

/* Batches that lie wholly before `cut`. */
static size_t batches_before(const struct killed *k, size_t cut)
{
    size_t count = 0;

    while (count < k->count && k->ends[count] <= cut) {
        count++;
    }
    return count;
}

/* Recovery finds `count` records and no damage; so does a second one, which cuts nothing. */
static void check_cut(struct killed *k, size_t count)
{
    struct found found;
    uint64_t next_lsn = 0;

    for (int round = 0; round < 2; round++) {
        assert_int_equal(recover(&k->work, &found), QN_OK);
        assert_int_equal(found.count, k->before + count);
        assert_int_equal(found.report.damages, 0);
        if (round == 1) {
            assert_int_equal(found.report.torn_bytes, 0);
            assert_int_equal(found.report.next_lsn, next_lsn);
        }
        next_lsn = found.report.next_lsn;
        found_fini(&found);
    }
}

/* The kill came while the last two batches were on their way: whatever of them reached the disk,
 * what lay before is found and the rest is cut, for good. At every offset; the octets that did not
 * arrive are zeros, rubbish, or the file ends. */
static void a_tail_torn_at_any_offset_is_cut(void **state)
{
    struct killed k;
    struct buf torn = {0};

    (void)state;
    killed_make(&k, 3, false);
    size_t from = k.ends[BATCHES - 3], end = k.ends[BATCHES - 1];
    for (size_t cut = from; cut <= end; cut++) {
        size_t count = batches_before(&k, cut);
        buf_clear(&torn);
        assert_int_equal(buf_append(&torn, k.image.data, k.image.size), QN_OK);
        memset(torn.data + cut, 0, torn.size - cut);
        work_set(&k, buf_bytes(&torn));
        check_cut(&k, count);

        for (size_t i = cut; i < end; i++) {
            torn.data[i] = (uint8_t)~k.image.data[i];
        }
        work_set(&k, buf_bytes(&torn));
        check_cut(&k, count);

        work_set(&k, bytes_of(k.image.data, cut));
        check_cut(&k, count);
    }
    buf_fini(&torn);
    killed_fini(&k);
}

/* Pages reach the disk in any order: the last batch is there but for one octet. */
static void a_hole_in_the_last_batch_is_a_torn_tail(void **state)
{
    struct killed k;

    (void)state;
    killed_make(&k, 0, false);
    for (size_t at = k.ends[BATCHES - 2]; at < k.ends[BATCHES - 1]; at++) {
        k.image.data[at] ^= 0x10;
        work_set(&k, buf_bytes(&k.image));
        check_cut(&k, BATCHES - 1);
        k.image.data[at] ^= 0x10;
    }
    killed_fini(&k);
}

/* Records of other partitions than the damaged one: none may be missing. */
static void check_others(const struct killed *k, const struct found *found)
{
    for (uint32_t p = 0; p < 4; p++) {
        size_t all = BATCHES / 4;
        if (p == found->damaged_partition) {
            assert_int_equal(found->per_partition[p], all - 1);
        } else {
            assert_int_equal(found->per_partition[p], all);
        }
    }
    assert_int_equal(k->before, 0);
}

static void check_damage(struct killed *k, size_t at)
{
    struct found found;
    char path[PATH_MAX_SIZE];

    folder_segment(&k->work, 0, path);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(recover(&k->work, &found), QN_OK);
        assert_int_equal(found.damages, 1);
        assert_int_equal(found.report.damages, 1);
        assert_string_equal(found.damage_file, path);
        assert_true(found.damage_offset <= at);
        assert_true(found.damage_offset + BATCH_HEADER_SIZE + RECORD_HEADER_SIZE + 200 > at);
        if (!found.whole_lane) {
            check_others(k, &found);
        } else {
            /* Nothing behind it is handed out, and new records go behind all that may be there. */
            assert_int_equal(found.count, batches_before(k, at));
            assert_true(found.report.next_lsn >= k->ends[BATCHES - 1]);
        }
        found_fini(&found);
    }
}

/* An octet below what a later batch says was on disk is damage, wherever it lies: it is told with
 * file and offset, never cut, and told again by the next start. A body concerns its partition
 * alone. */
static void a_flipped_bit_below_the_durable_lsn_is_damage(void **state)
{
    struct killed k;

    (void)state;
    killed_make(&k, 0, false);
    for (size_t at = SEGMENT_HEADER_SIZE; at < k.ends[BATCHES - 2]; at++) {
        uint8_t bit = (uint8_t)(1u << (at * 5 % 8));
        k.image.data[at] ^= bit;
        work_set(&k, buf_bytes(&k.image));
        check_damage(&k, at);
        k.image.data[at] ^= bit;
    }
    killed_fini(&k);
}

/* A flipped bit in a body faults one partition, with the offset of its record. */
static void a_bad_body_faults_its_partition_only(void **state)
{
    struct killed k;
    struct found found;

    (void)state;
    killed_make(&k, 0, false);
    k.image.data[k.ends[5] - 1] ^= 1; /* batch 5 holds a record of partition 1 */
    work_set(&k, buf_bytes(&k.image));
    assert_int_equal(recover(&k.work, &found), QN_OK);
    assert_int_equal(found.damages, 1);
    assert_false(found.whole_lane);
    assert_int_equal(found.damaged_partition, 1);
    assert_int_equal(found.damage_offset, k.ends[4] + BATCH_HEADER_SIZE);
    assert_int_equal(found.count, BATCHES - 1);
    found_fini(&found);
    killed_fini(&k);
}

/* After a clean stop the last batch was certainly on disk: a bad octet in it is damage. */
static void after_a_clean_stop_nothing_passes_for_a_torn_tail(void **state)
{
    struct killed k;

    (void)state;
    killed_make(&k, 0, true);
    for (size_t at = k.ends[BATCHES - 2]; at < k.ends[BATCHES - 1]; at++) {
        k.image.data[at] ^= 1;
        work_set(&k, buf_bytes(&k.image));
        check_damage(&k, at);
        k.image.data[at] ^= 1;
    }
    killed_fini(&k);
}

/* That there is a later segment proves that all before it was on disk: the end of a segment that is
 * not the last is damage, whole. */
static void a_cut_in_a_segment_before_the_last_is_damage(void **state)
{
    struct killed k;
    struct found found;
    char path[PATH_MAX_SIZE];
    struct buf first = {0};

    (void)state;
    killed_make(&k, 3, false);
    folder_copy(&k.folder, &k.work);
    folder_segment(&k.work, 0, path);
    file_load(path, &first);
    file_store(path, bytes_of(first.data, SEGMENT_HEADER_SIZE + 100));
    assert_int_equal(recover(&k.work, &found), QN_OK);
    assert_true(found.whole_lane);
    assert_string_equal(found.damage_file, path);
    assert_int_equal(found.damage_offset, SEGMENT_HEADER_SIZE);
    assert_int_equal(found.count, 0);
    found_fini(&found);
    buf_fini(&first);
    killed_fini(&k);
}

static void many_segments(struct fixture *f, int count)
{
    fixture_open(f, SMALL);
    for (int i = 0; i < count; i++) {
        fixture_put(f, (uint32_t)i % 8, 5000);
    }
    assert_int_equal(txlog_close(f->log), QN_OK);
    f->log = NULL;
}

/* A segment that is gone is damage, not absence: the first one, or one in the middle. */
static void a_missing_segment_is_damage(void **state)
{
    struct fixture f;
    struct found found;
    char path[PATH_MAX_SIZE];

    (void)state;
    for (size_t missing = 0; missing < 3; missing += 2) {
        many_segments(&f, 9);
        folder_segment(&f.folder, missing, path);
        assert_int_equal(unlink(path), 0);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(recover(&f.folder, &found), QN_OK);
            assert_int_equal(found.damages, 1);
            assert_true(found.whole_lane);
            assert_int_equal(found.count, missing * 2);
            assert_true(found.report.next_lsn >= f.lsn);
            found_fini(&found);
            if (round == 0) { /* appending goes on behind; the damage stays known */
                fixture_reopen(&f, SMALL, found.report.next_lsn);
                fixture_put(&f, 0, 10);
                assert_int_equal(txlog_close(f.log), QN_OK);
                f.log = NULL;
            }
        }
        fixture_close(&f);
    }
}

/* A bad segment header is damage of the lane, and the file is not replaced by the next start: not
 * even when nothing is left of it. */
static void a_bad_segment_header_is_damage_and_stays(void **state)
{
    struct fixture f;
    struct found found;
    char path[PATH_MAX_SIZE];

    (void)state;
    many_segments(&f, 2);
    fixture_reopen(&f, SMALL, f.lsn);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    folder_segment(&f.folder, 1, path);
    assert_int_equal(truncate(path, 0), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(recover(&f.folder, &found), QN_OK);
        assert_true(found.whole_lane);
        assert_string_equal(found.damage_file, path);
        assert_int_equal(found.damage_offset, 0);
        found_fini(&found);
        fixture_reopen(&f, SMALL, found.report.next_lsn);
        assert_int_equal(txlog_close(f.log), QN_OK);
        f.log = NULL;
    }
    fixture_close(&f);
}

static void foreign_damage(void *arg, const struct txlog_damage *damage)
{
    *(bool *)arg = damage->whole_lane;
}

static enum qn_status foreign_record(void *arg, const struct record *record)
{
    (void)arg;
    (void)record;
    fail_msg("a record of somebody else was handed out");
    return QN_OK;
}

/* A segment that another lane or another disk wrote is damage of the lane: none of its records
 * count. */
static void a_segment_of_somebody_else_is_damage(void **state)
{
    struct fixture f;
    struct txlog_report report;
    bool whole_lane = false;
    struct txlog_visitor visitor = {
        .arg = &whole_lane, .owner = 4711, .record = foreign_record, .damage = foreign_damage};

    (void)state;
    many_segments(&f, 9);
    assert_int_equal(txlog_recover(f.folder.path, &visitor, &report, NULL), QN_OK);
    assert_true(whole_lane);
    assert_int_equal(report.records, 0);
    folder_remove(&f.folder);
}

/* A segment without an octet is damage as well, not the end of the world. */
static void an_empty_file_is_damage(void **state)
{
    struct folder folder;
    struct found found;
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    (void)snprintf(path, sizeof path, "%.400s/00000000000000000000.log", folder.path);
    file_store(path, bytes_of("", 0));
    assert_int_equal(recover(&folder, &found), QN_OK);
    assert_int_equal(found.damages, 1);
    assert_true(found.whole_lane);
    assert_string_equal(found.damage_file, path);
    found_fini(&found);
    folder_remove(&folder);
}

/* A newer format is refused with the file and what to do; it is not damage. */
static void a_newer_format_is_refused(void **state)
{
    struct fixture f;
    struct found found;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    many_segments(&f, 1);
    folder_segment(&f.folder, 0, path);
    file_load(path, &image);
    put_u32(image.data + 8, TXLOG_FORMAT + 1);
    put_u32(image.data + 60, crc32c(0, bytes_of(image.data, 60)));
    file_store(path, buf_bytes(&image));
    assert_int_equal(recover(&f.folder, &found), QN_CORRUPT);
    assert_non_null(strstr(found.err.text, path));
    assert_non_null(strstr(found.err.text, "newer format"));
    assert_int_equal(found.damages, 0);
    buf_fini(&image);
    fixture_close(&f);
}

/* A log of one small record, then three batches; a copy of it as it stands on disk. */
static void three_batches_make(struct folder *copy, struct buf *image, char *path)
{
    struct fixture f;

    folder_make(copy);
    fixture_open(&f, 16 << 20);
    fixture_put(&f, 0, 100);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(fixture_append(&f, i, 3 << 20), QN_OK);
    }
    fixture_wait(&f);
    folder_copy(&f.folder, copy);
    folder_segment(copy, 0, path);
    file_load(path, image);
    fixture_close(&f);
}

/* Were the last three batches written together? Then the last knows as durable what lay before all
 * of them. The writer may also have been awake, and have taken one or two of them first. */
static bool one_group(struct bytes image, const size_t *ends)
{
    struct segment_header segment;
    struct batch_header first, last;

    assert_int_equal(segment_header_decode(image, &segment), QN_OK);
    assert_int_equal(batch_header_decode(bytes_of(image.data + ends[0], image.size - ends[0]),
                                         segment.salt, &first),
                     QN_OK);
    assert_int_equal(batch_header_decode(bytes_of(image.data + ends[2], image.size - ends[2]),
                                         segment.salt, &last),
                     QN_OK);
    return last.durable_lsn == first.lsn;
}

/* Batches of one group vouch for nothing but what lay before the group: when the first of them did
 * not arrive, the later ones are torn with it. */
static void a_group_of_several_batches_is_torn_as_one(void **state)
{
    struct found found;
    struct buf image = {0};
    struct folder copy;
    char path[PATH_MAX_SIZE];
    size_t ends[ENDS_MAX];

    (void)state;
    three_batches_make(&copy, &image, path);
    assert_int_equal(batch_ends(buf_bytes(&image), ends), 4);
    while (!one_group(buf_bytes(&image), ends)) {
        buf_fini(&image);
        folder_remove(&copy);
        three_batches_make(&copy, &image, path);
        assert_int_equal(batch_ends(buf_bytes(&image), ends), 4);
    }
    memset(image.data + ends[0], 0, 4096);
    file_store(path, buf_bytes(&image));
    assert_int_equal(recover(&copy, &found), QN_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.damages, 0);
    assert_int_equal(found.report.torn_bytes, ends[3] - ends[0]);
    found_fini(&found);
    buf_fini(&image);
    folder_remove(&copy);
}

/* A value that looks like a batch (of another segment, say) changes nothing: the salt differs. */
static void a_value_that_holds_a_batch_is_not_one(void **state)
{
    struct killed k;
    struct batch_header forged = {.salt = 1, .lsn = 1 << 30, .durable_lsn = 1 << 30};

    (void)state;
    killed_make(&k, 0, false);
    memset(k.image.data + k.ends[BATCHES - 2], 0xff, k.image.size - k.ends[BATCHES - 2]);
    batch_header_encode(&forged, k.image.data + k.ends[BATCHES - 2] + 100);
    work_set(&k, buf_bytes(&k.image));
    check_cut(&k, BATCHES - 1);
    killed_fini(&k);
}

/* After a torn tail the log goes on in a new segment, and neither start nor crash brings the old
 * octets back. */
static void appending_goes_on_behind_a_cut(void **state)
{
    struct killed k;
    struct fixture f;
    struct found found;

    (void)state;
    killed_make(&k, 3, false);
    k.image.data[k.ends[BATCHES - 1] - 1] ^= 1;
    work_set(&k, buf_bytes(&k.image));
    assert_int_equal(recover(&k.work, &found), QN_OK);
    assert_int_equal(found.report.torn_bytes, k.ends[BATCHES - 1] - k.ends[BATCHES - 2]);
    found_fini(&found);

    fixture_open(&f, SMALL);
    assert_int_equal(txlog_close(f.log), QN_OK);
    folder_remove(&f.folder);
    f.folder = k.work;
    f.index = 100;
    fixture_reopen(&f, SMALL, found.report.next_lsn);
    fixture_put(&f, 5, 77);
    assert_int_equal(txlog_close(f.log), QN_OK);
    f.log = NULL;
    assert_int_equal(recover(&k.work, &found), QN_OK);
    assert_int_equal(found.count, 3 + BATCHES - 1 + 1);
    assert_int_equal(found.indexes[found.count - 1], 101);
    assert_int_equal(found.damages, 0);
    found_fini(&found);
    fixture_close(&f); /* removes k.work */
    folder_make(&k.work);
    killed_fini(&k);
}

/* The visitor may end recovery with a status of its own. */
static enum qn_status refuse(void *arg, const struct record *record)
{
    (void)record;
    ++*(int *)arg;
    return QN_CLOSED;
}

static void unexpected(void *arg, const struct txlog_damage *damage)
{
    (void)arg;
    fail_msg("damage at %llu", (unsigned long long)damage->offset);
}

static void a_visitor_can_end_recovery(void **state)
{
    struct fixture f;
    struct txlog_report report = {.records = 77};
    int calls = 0;
    struct txlog_visitor visitor = {.arg = &calls, .record = refuse, .damage = unexpected};

    (void)state;
    many_segments(&f, 3);
    assert_int_equal(txlog_recover(f.folder.path, &visitor, &report, NULL), QN_CLOSED);
    assert_int_equal(calls, 1);
    assert_int_equal(report.records, 77);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tail_torn_at_any_offset_is_cut),
        cmocka_unit_test(a_hole_in_the_last_batch_is_a_torn_tail),
        cmocka_unit_test(a_flipped_bit_below_the_durable_lsn_is_damage),
        cmocka_unit_test(a_bad_body_faults_its_partition_only),
        cmocka_unit_test(after_a_clean_stop_nothing_passes_for_a_torn_tail),
        cmocka_unit_test(a_cut_in_a_segment_before_the_last_is_damage),
        cmocka_unit_test(a_missing_segment_is_damage),
        cmocka_unit_test(a_bad_segment_header_is_damage_and_stays),
        cmocka_unit_test(a_segment_of_somebody_else_is_damage),
        cmocka_unit_test(an_empty_file_is_damage),
        cmocka_unit_test(a_newer_format_is_refused),
        cmocka_unit_test(a_group_of_several_batches_is_torn_as_one),
        cmocka_unit_test(a_value_that_holds_a_batch_is_not_one),
        cmocka_unit_test(appending_goes_on_behind_a_cut),
        cmocka_unit_test(a_visitor_can_end_recovery),
    };

    return RUN_TESTS(tests);
}
