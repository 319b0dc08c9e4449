/* The index of a segment, and reading one partition with its help. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "node/log/segment_index.h"
#include "node/log/segment_list.h"
#include "node/log/txlog_read.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { SMALL = TXLOG_SEGMENT_MIN, PARTITIONS = 5, RECORDS = 400 };

/* What a reading handed out. */
struct read {
    uint32_t partition;
    uint64_t last_index;
    size_t count;
    qn_error err;
};

static enum qn_status take(void *arg, const char *path, uint64_t offset,
                           const struct record *record)
{
    struct read *read = arg;

    assert_true(strlen(path) > 0);
    assert_true(offset > SEGMENT_HEADER_SIZE);
    assert_int_equal(record->partition, read->partition);
    assert_true(record->index > read->last_index);
    read->last_index = record->index;
    read->count++;
    return QN_OK;
}

static enum qn_status partition_read(const struct folder *folder, uint32_t partition,
                                     uint64_t from_index, uint64_t end_lsn, struct read *read)
{
    struct txlog_query query = {
        .dir = folder->path, .partition = partition, .from_index = from_index, .end_lsn = end_lsn};
    struct txlog_query_visitor visitor = {.arg = read, .record = take};

    *read = (struct read){.partition = partition, .err = QN_ERROR_INIT};
    return txlog_partition_read(&query, &visitor, &read->err);
}

/* Records of PARTITIONS partitions in turn, several to a batch, over many segments. As the fixture
 * counts, the indexes of a partition have gaps. */
static void log_make(struct fixture *f)
{
    fixture_open(f, SMALL);
    for (int i = 0; i < RECORDS; i++) {
        assert_int_equal(fixture_append(f, (uint32_t)(i % PARTITIONS), (size_t)(i * 13) % 300),
                         QN_OK);
        if (i % 6 == 0) {
            fixture_wait(f);
        }
    }
    fixture_wait(f);
}

static void log_close(struct fixture *f)
{
    assert_int_equal(txlog_close(f->log), QN_OK);
    f->log = NULL;
}

/* Records of the partition from that index on: the fixture numbers them 1, 2, ... */
static size_t expected(uint32_t partition, uint64_t from_index)
{
    size_t count = 0;

    for (uint64_t index = 1; index <= RECORDS; index++) {
        count += (index - 1) % PARTITIONS == partition && index >= from_index;
    }
    return count;
}

static void check_reads(const struct fixture *f)
{
    struct read read;

    for (uint32_t p = 0; p < PARTITIONS; p++) {
        for (uint64_t from = 0; from <= RECORDS + 1; from += 7) {
            assert_int_equal(partition_read(&f->folder, p, from, UINT64_MAX, &read), QN_OK);
            assert_int_equal(read.count, expected(p, from));
        }
    }
    assert_int_equal(partition_read(&f->folder, 77, 0, UINT64_MAX, &read), QN_OK);
    assert_int_equal(read.count, 0);
}

static void index_path(const struct folder *folder, size_t n, char path[PATH_MAX_SIZE])
{
    folder_segment(folder, n, path);
    memcpy(path + strlen(path) - 4, ".idx", 4);
}

/* Whatever part of the indexes is there, the same records are found: with all, with none, with some
 * damaged. */
static void one_partition_is_read_with_and_without_indexes(void **state)
{
    struct fixture f;
    char path[PATH_MAX_SIZE];

    (void)state;
    log_make(&f);
    check_reads(&f); /* while it is open: the current segment has none yet */
    log_close(&f);
    size_t count = folder_count(&f.folder, ".log");
    assert_int_equal(folder_count(&f.folder, ".idx"), count);
    check_reads(&f);
    for (size_t i = 0; i < count; i++) {
        index_path(&f.folder, i, path);
        assert_int_equal(i % 2 ? unlink(path) : truncate(path, (off_t)i * 11), 0);
    }
    check_reads(&f);
    fixture_close(&f);
}

static void index_get(const struct folder *folder, uint64_t first_lsn, bool scanned,
                      struct segment_index *index)
{
    qn_error err = QN_ERROR_INIT;

    *index = (struct segment_index){0};
    assert_int_equal(segment_index_read(folder->path, 0, first_lsn, UINT64_MAX, index, &err),
                     QN_OK);
    assert_int_equal(index->scanned, scanned);
    assert_false(index->damaged);
}

/* The same but for batch marks behind the last record. */
static void check_same(const struct segment_index *a, const struct segment_index *b)
{
    assert_int_equal(a->first_lsn, b->first_lsn);
    assert_int_equal(a->end_lsn, b->end_lsn);
    assert_int_equal(a->salt, b->salt);
    assert_int_equal(a->end_offset, b->end_offset);
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->stride, b->stride);
    assert_int_equal(a->row_count, b->row_count);
    assert_int_equal(a->place_count, b->place_count);
    for (size_t i = 0; i < a->row_count; i++) {
        assert_int_equal(a->rows[i].partition, b->rows[i].partition);
        assert_int_equal(a->rows[i].place_first, b->rows[i].place_first);
        assert_int_equal(a->rows[i].place_count, b->rows[i].place_count);
        assert_int_equal(a->rows[i].records, b->rows[i].records);
        assert_int_equal(a->rows[i].first_index, b->rows[i].first_index);
        assert_int_equal(a->rows[i].last_index, b->rows[i].last_index);
    }
    assert_memory_equal(a->places, b->places, a->place_count * sizeof *a->places);
}

/* What the writer notes as it goes is what a scan of the finished segment finds. */
static void the_written_index_equals_the_scanned_one(void **state)
{
    struct fixture f;
    struct segment_list list = {0};
    char path[PATH_MAX_SIZE];
    uint64_t records = 0;

    (void)state;
    log_make(&f);
    log_close(&f);
    assert_int_equal(segment_list_read(f.folder.path, &list, NULL), QN_OK);
    for (size_t i = 0; i < list.count; i++) {
        struct segment_index written, scanned;
        index_get(&f.folder, list.files[i].first_lsn, false, &written);
        index_path(&f.folder, i, path);
        assert_int_equal(unlink(path), 0);
        index_get(&f.folder, list.files[i].first_lsn, true, &scanned);
        check_same(&written, &scanned);
        records += written.records;
        segment_index_fini(&written);
        segment_index_fini(&scanned);
    }
    assert_int_equal(records, RECORDS);
    segment_list_fini(&list);
    fixture_close(&f);
}

/* An index is believed only when its checksum holds and it is of this very segment: any flipped
 * octet leads to a scan, never to another answer. */
static void a_damaged_index_is_not_believed(void **state)
{
    struct fixture f;
    struct segment_index sound, found;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    log_make(&f);
    log_close(&f);
    index_get(&f.folder, 0, false, &sound);
    index_path(&f.folder, 0, path);
    file_load(path, &image);
    for (size_t at = 0; at < image.size; at++) {
        image.data[at] ^= 0x20;
        file_store(path, buf_bytes(&image));
        index_get(&f.folder, 0, true, &found);
        check_same(&sound, &found);
        segment_index_fini(&found);
        image.data[at] ^= 0x20;
    }
    segment_index_fini(&sound);
    buf_fini(&image);
    fixture_close(&f);
}

/* The index of a segment that stood under the same name before is not taken for its successor's. */
static void an_index_of_another_segment_is_not_believed(void **state)
{
    struct fixture a, b;
    struct segment_index index;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    log_make(&a);
    log_close(&a);
    log_make(&b);
    log_close(&b);
    index_path(&a.folder, 0, path);
    file_load(path, &image);
    index_path(&b.folder, 0, path);
    file_store(path, buf_bytes(&image));
    index_get(&b.folder, 0, true, &index);
    segment_index_fini(&index);
    buf_fini(&image);
    fixture_close(&a);
    fixture_close(&b);
}

/* Of a log that is open only what the caller knows to be durable is handed out. */
static void a_reading_stops_at_its_end(void **state)
{
    struct fixture f;
    struct read read;

    (void)state;
    fixture_open(&f, 1 << 20);
    fixture_put(&f, 1, 50);
    uint64_t end = f.lsn;
    for (int i = 0; i < 60; i++) {
        fixture_put(&f, 1, 500);
    }
    assert_int_equal(partition_read(&f.folder, 1, 0, end, &read), QN_OK);
    assert_int_equal(read.count, 1);
    assert_int_equal(partition_read(&f.folder, 1, 0, txlog_durable(f.log), &read), QN_OK);
    assert_int_equal(read.count, 61);
    fixture_close(&f);
}

/* A damaged record of the partition ends the reading with file and offset; that of another one does
 * not matter. */
static void damage_is_told_with_file_and_offset(void **state)
{
    struct fixture f;
    struct read read;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    log_make(&f);
    log_close(&f);
    folder_segment(&f.folder, 0, path);
    file_load(path, &image);
    /* The second record is the first of partition 1; its body begins behind two batch headers. */
    image.data[SEGMENT_HEADER_SIZE + 2 * BATCH_HEADER_SIZE + 2 * RECORD_HEADER_SIZE + 3] ^= 1;
    file_store(path, buf_bytes(&image));
    assert_int_equal(partition_read(&f.folder, 1, 0, UINT64_MAX, &read), QN_CORRUPT);
    assert_non_null(strstr(read.err.text, path));
    assert_non_null(strstr(read.err.text, "offset"));
    assert_int_equal(partition_read(&f.folder, 2, 0, UINT64_MAX, &read), QN_OK);
    assert_int_equal(read.count, expected(2, 0));
    assert_int_equal(partition_read(&f.folder, 1, 50, UINT64_MAX, &read), QN_OK);
    buf_fini(&image);
    fixture_close(&f);
}

/* Memory is bounded: with more records than there may be places, places get sparse, and what is
 * between them is found all the same. */
static void many_records_make_places_sparse(void **state)
{
    struct segment_index_builder builder = {0};
    enum { MANY = 3 * SEGMENT_INDEX_PLACES_MAX };
    size_t places = 0;

    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        segment_index_note(&builder, i % 7, 100 + i / 7, SEGMENT_HEADER_SIZE + (uint64_t)i * 120);
    }
    assert_false(builder.given_up);
    assert_int_equal(builder.stride, 4);
    assert_true(builder.place_count <= SEGMENT_INDEX_PLACES_MAX);
    assert_true(segment_index_builder_memory(&builder) <= 4u << 20);
    for (size_t i = 0; i < builder.row_count; i++) {
        assert_int_equal(builder.rows[i].first_index, 100);
        assert_int_equal(builder.rows[i].place_count, (builder.rows[i].records + 3) / 4);
        places += builder.rows[i].place_count;
    }
    assert_int_equal(places, builder.place_count);
    for (size_t i = 0; i < builder.place_count; i++) {
        uint64_t n = (builder.places[i].offset - SEGMENT_HEADER_SIZE) / 120;
        assert_int_equal(n / 7 % 4, 0);
    }
    segment_index_builder_fini(&builder);
}

static enum qn_status take_one(void *arg, const char *path, uint64_t offset,
                               const struct record *record)
{
    uint64_t *last = arg;

    (void)path;
    (void)offset;
    assert_int_equal(record->index, *last + 1);
    *last = record->index;
    return QN_OK;
}

/* The same through files: a segment of more records than places, read from many indexes on. */
static void a_sparse_index_finds_every_record(void **state)
{
    struct fixture f;
    enum { MANY = SEGMENT_INDEX_PLACES_MAX + 1000 };

    (void)state;
    fixture_open(&f, 64 << 20);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(fixture_append(&f, 3, 0), QN_OK);
        if (i % 10000 == 0) {
            fixture_wait(&f);
        }
    }
    fixture_wait(&f);
    log_close(&f);
    for (uint64_t from = 1; from < MANY; from += MANY / 4 + 1) {
        uint64_t last = from - 1;
        struct txlog_query query = {
            .dir = f.folder.path, .partition = 3, .from_index = from, .end_lsn = UINT64_MAX};
        struct txlog_query_visitor visitor = {.arg = &last, .record = take_one};
        assert_int_equal(txlog_partition_read(&query, &visitor, NULL), QN_OK);
        assert_int_equal(last, MANY);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_partition_is_read_with_and_without_indexes),
        cmocka_unit_test(the_written_index_equals_the_scanned_one),
        cmocka_unit_test(a_damaged_index_is_not_believed),
        cmocka_unit_test(an_index_of_another_segment_is_not_believed),
        cmocka_unit_test(a_reading_stops_at_its_end),
        cmocka_unit_test(damage_is_told_with_file_and_offset),
        cmocka_unit_test(many_records_make_places_sparse),
        cmocka_unit_test(a_sparse_index_finds_every_record),
    };

    return RUN_TESTS(tests);
}
