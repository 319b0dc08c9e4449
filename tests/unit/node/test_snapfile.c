/* The file of a snapshot: whole or not there, and every octet of it checked before it is used. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/snapshot/snapfile_format.h"
#include "node/snapshot/snapshot_io.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"
#include "wire/hash.h"

enum { OWNER = 99, BLOCKS = 6, BLOCK_MAX = 200000 };

static const struct snap_head head_used = {.partition = 12,
                                           .index = 345,
                                           .epoch = 6,
                                           .log_time_ms = -7,
                                           .wall_time_ms = 1700000000000,
                                           .epoch_began_ms = 8};

/* Octets of block `n`: every other one can be packed, the rest cannot. */
static size_t block_fill(size_t n, uint8_t *block)
{
    size_t size = n * n * 3000 + n;
    uint32_t noise = (uint32_t)n * 2654435761u + 1;

    for (size_t i = 0; i < size; i++) {
        noise = noise * 1664525u + 1013904223u;
        block[i] = n % 2 ? (uint8_t)(noise >> 24) : (uint8_t)(i % 17);
    }
    return size;
}

/* What a reading found. */
struct seen {
    struct snap_head head;
    size_t heads;
    size_t blocks;
    size_t stop_at; /* refuse this block; 0 = none */
    uint8_t *wanted;
};

static enum qn_status take_head(void *arg, const struct snap_head *head)
{
    struct seen *seen = arg;

    seen->head = *head;
    seen->heads++;
    return QN_OK;
}

static enum qn_status take_block(void *arg, struct bytes block)
{
    struct seen *seen = arg;

    assert_int_equal(seen->heads, 1);
    size_t size = block_fill(seen->blocks, seen->wanted);
    assert_int_equal(block.size, size);
    if (size > 0) {
        assert_memory_equal(block.data, seen->wanted, size);
    }
    seen->blocks++;
    return seen->blocks == seen->stop_at ? QN_CLOSED : QN_OK;
}

static enum qn_status snap_read(const char *path, struct seen *seen, uint64_t *size, qn_error *err)
{
    struct snap_visitor visitor = {.arg = seen, .head = take_head, .block = take_block};

    seen->wanted = malloc(BLOCK_MAX);
    assert_non_null(seen->wanted);
    enum qn_status status = snapfile_read(path, OWNER, &visitor, size, err);
    free(seen->wanted);
    return status;
}

static uint64_t snap_write(const struct folder *folder, const struct snap_head *head)
{
    struct snapfile *file = NULL;
    uint8_t *block = malloc(BLOCK_MAX);
    uint64_t size = 0;

    assert_non_null(block);
    assert_int_equal(snapfile_create(folder->path, OWNER, head, &file, NULL), QN_OK);
    for (size_t n = 0; n < BLOCKS; n++) {
        size_t block_size = block_fill(n, block);
        assert_int_equal(snapfile_add(file, bytes_of(block, block_size), NULL), QN_OK);
    }
    assert_int_equal(snapfile_finish(file, &size, NULL), QN_OK);
    free(block);
    return size;
}

static void snap_path(const struct folder *folder, const struct snap_head *head,
                      char path[PATH_MAX_SIZE])
{
    assert_true(snapfile_path(folder->path, head->partition, head->index, path, PATH_MAX_SIZE));
}

/* Head and blocks come back as they were given, packed or not, empty or not. */
static void what_is_written_is_read(void **state)
{
    struct folder folder;
    struct seen seen = {0};
    char path[PATH_MAX_SIZE];
    uint64_t size = 0;

    (void)state;
    folder_make(&folder);
    uint64_t written = snap_write(&folder, &head_used);
    snap_path(&folder, &head_used, path);
    assert_int_equal(snap_read(path, &seen, &size, NULL), QN_OK);
    assert_int_equal(size, written);
    assert_int_equal(seen.blocks, BLOCKS);
    assert_int_equal(seen.head.partition, head_used.partition);
    assert_int_equal(seen.head.index, head_used.index);
    assert_int_equal(seen.head.epoch, head_used.epoch);
    assert_int_equal(seen.head.log_time_ms, head_used.log_time_ms);
    assert_int_equal(seen.head.wall_time_ms, head_used.wall_time_ms);
    assert_int_equal(seen.head.epoch_began_ms, head_used.epoch_began_ms);
    /* Half of the octets can be packed to almost nothing. */
    assert_true(size < 3000u * (1 + 9 + 25) + 3000u * (4 + 16) / 10 + 1000);
    folder_remove(&folder);
}

static enum qn_status count_block(void *arg, struct bytes block)
{
    *(size_t *)arg += block.size;
    return QN_OK;
}

static enum qn_status any_head(void *arg, const struct snap_head *head)
{
    (void)arg;
    (void)head;
    return QN_OK;
}

/* Large ones too: the hints to the system on the way, in steps of some MiB, change nothing. */
static void a_large_snapshot_is_read_whole(void **state)
{
    struct folder folder;
    struct snapfile *file = NULL;
    size_t given = 0, found = 0;
    struct snap_visitor visitor = {.arg = &found, .head = any_head, .block = count_block};
    uint8_t *block = malloc(BLOCK_MAX);
    char path[PATH_MAX_SIZE];
    uint64_t size;

    (void)state;
    assert_non_null(block);
    folder_make(&folder);
    assert_int_equal(snapfile_create(folder.path, OWNER, &head_used, &file, NULL), QN_OK);
    for (size_t n = 0; n < 160; n++) {
        size_t block_size = block_fill(7, block); /* does not pack: 147 KB */
        assert_int_equal(snapfile_add(file, bytes_of(block, block_size), NULL), QN_OK);
        given += block_size;
    }
    assert_int_equal(snapfile_finish(file, &size, NULL), QN_OK);
    snap_path(&folder, &head_used, path);
    assert_int_equal(snapfile_read(path, OWNER, &visitor, NULL, NULL), QN_OK);
    assert_int_equal(found, given);
    assert_true(size > 20u << 20);
    free(block);
    folder_remove(&folder);
}

static void check_corrupt(const char *path)
{
    struct seen seen = {0};
    qn_error err = QN_ERROR_INIT;
    uint64_t size = 77;

    assert_int_equal(snap_read(path, &seen, &size, &err), QN_CORRUPT);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(size, 77);
}

/* A small snapshot in a folder of its own. */
static void small_make(struct folder *folder, char path[PATH_MAX_SIZE], struct buf *image)
{
    struct snapfile *file = NULL;
    uint8_t block[4096];
    uint64_t size;

    folder_make(folder);
    assert_int_equal(snapfile_create(folder->path, OWNER, &head_used, &file, NULL), QN_OK);
    for (size_t n = 0; n < 2; n++) {
        size_t block_size = block_fill(n, block);
        assert_int_equal(snapfile_add(file, bytes_of(block, block_size), NULL), QN_OK);
    }
    assert_int_equal(snapfile_finish(file, &size, NULL), QN_OK);
    snap_path(folder, &head_used, path);
    file_load(path, image);
}

/* Any flipped bit is noticed before what it stands in is handed out. */
static void any_flipped_bit_is_noticed(void **state)
{
    struct folder folder;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    small_make(&folder, path, &image);
    for (size_t at = 0; at < image.size; at++) {
        uint8_t bit = (uint8_t)(1u << (at * 3 % 8));
        image.data[at] ^= bit;
        file_store(path, buf_bytes(&image));
        check_corrupt(path);
        image.data[at] ^= bit;
    }
    buf_fini(&image);
    folder_remove(&folder);
}

/* So is any cut, and what stands behind the end. */
static void any_cut_is_noticed(void **state)
{
    struct folder folder;
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    small_make(&folder, path, &image);
    for (size_t cut = 0; cut < image.size; cut++) {
        file_store(path, bytes_of(image.data, cut));
        check_corrupt(path);
    }
    assert_int_equal(buf_append(&image, "x", 1), QN_OK);
    file_store(path, buf_bytes(&image));
    check_corrupt(path);
    buf_fini(&image);
    folder_remove(&folder);
}

/* A sound block in the wrong place is no sound block: left out, twice, or of another file. */
static void blocks_are_tied_to_their_place(void **state)
{
    struct folder folder;
    struct buf image = {0}, made = {0};
    char path[PATH_MAX_SIZE];
    size_t first = SNAP_BLOCK_HEADER_SIZE; /* block 0 is empty */

    (void)state;
    small_make(&folder, path, &image);
    /* Without block 0. */
    assert_int_equal(buf_append(&made, image.data, SNAP_HEADER_SIZE), QN_OK);
    assert_int_equal(buf_append(&made, image.data + SNAP_HEADER_SIZE + first,
                                image.size - SNAP_HEADER_SIZE - first),
                     QN_OK);
    file_store(path, buf_bytes(&made));
    check_corrupt(path);
    /* With it twice. */
    buf_clear(&made);
    assert_int_equal(buf_append(&made, image.data, SNAP_HEADER_SIZE + first), QN_OK);
    assert_int_equal(
        buf_append(&made, image.data + SNAP_HEADER_SIZE, image.size - SNAP_HEADER_SIZE), QN_OK);
    file_store(path, buf_bytes(&made));
    check_corrupt(path);
    /* Under the header of another snapshot of the same partition. */
    struct snap_head other = head_used;
    other.epoch++;
    (void)snap_header_encode(OWNER, &other, image.data);
    file_store(path, buf_bytes(&image));
    check_corrupt(path);
    buf_fini(&image);
    buf_fini(&made);
    folder_remove(&folder);
}

/* A whole snapshot that belongs elsewhere is refused: of another disk, under the name of another
 * index, in the folder of another partition. */
static void a_snapshot_of_something_else_is_refused(void **state)
{
    struct folder folder;
    struct buf image = {0};
    struct snap_head other = head_used;
    struct snap_visitor nothing = {.arg = NULL, .head = NULL, .block = NULL};
    char path[PATH_MAX_SIZE], dir[PATH_MAX_SIZE * 2];
    qn_error err = QN_ERROR_INIT;

    (void)state;
    small_make(&folder, path, &image);
    assert_int_equal(snapfile_read(path, OWNER + 1, &nothing, NULL, &err), QN_CORRUPT);
    assert_non_null(strstr(err.text, "another disk"));
    other.index++;
    snap_path(&folder, &other, path);
    file_store(path, buf_bytes(&image));
    check_corrupt(path);
    other = head_used;
    other.partition = 112;
    (void)snprintf(dir, sizeof dir, "%s/p112", folder.path);
    assert_int_equal(mkdir(dir, 0700), 0);
    snap_path(&folder, &other, path);
    file_store(path, buf_bytes(&image));
    check_corrupt(path);
    buf_fini(&image);
    folder_remove(&folder);
}

/* A newer format is refused with what to do. */
static void a_newer_format_is_refused(void **state)
{
    struct folder folder;
    struct buf image = {0};
    struct seen seen = {0};
    char path[PATH_MAX_SIZE];
    qn_error err = QN_ERROR_INIT;

    (void)state;
    small_make(&folder, path, &image);
    put_u32(image.data + 8, SNAPFILE_FORMAT + 1);
    put_u32(image.data + SNAP_HEADER_SIZE - 4,
            crc32c(0, bytes_of(image.data, SNAP_HEADER_SIZE - 4)));
    file_store(path, buf_bytes(&image));
    assert_int_equal(snap_read(path, &seen, NULL, &err), QN_CORRUPT);
    assert_non_null(strstr(err.text, "newer format"));
    buf_fini(&image);
    folder_remove(&folder);
}

/* What is missing is said to be missing. */
static void a_missing_file_is_absent(void **state)
{
    struct seen seen = {0};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    assert_int_equal(snap_read("/nonexistent/p1/00000000000000000001.snap", &seen, NULL, &err),
                     QN_ABSENT);
    assert_non_null(strstr(err.text, "missing"));
}

/* A visitor ends the reading with its own status. */
static void a_visitor_can_end_the_reading(void **state)
{
    struct folder folder;
    struct seen seen = {.stop_at = 3};
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    (void)snap_write(&folder, &head_used);
    snap_path(&folder, &head_used, path);
    assert_int_equal(snap_read(path, &seen, NULL, NULL), QN_CLOSED);
    assert_int_equal(seen.blocks, 3);
    folder_remove(&folder);
}

static size_t files_in(const struct folder *folder, const char *suffix)
{
    struct folder sub;

    (void)snprintf(sub.path, sizeof sub.path, "%.400s/p12", folder->path);
    return folder_count(&sub, suffix);
}

/* Until it is finished a snapshot has no name; given up, it leaves nothing. */
static void an_abandoned_snapshot_leaves_nothing(void **state)
{
    struct folder folder;
    struct snapfile *file = NULL;

    (void)state;
    folder_make(&folder);
    assert_int_equal(snapfile_create(folder.path, OWNER, &head_used, &file, NULL), QN_OK);
    assert_int_equal(snapfile_add(file, bytes_of_text("some octets"), NULL), QN_OK);
    assert_int_equal(files_in(&folder, ".snap"), 0);
    assert_int_equal(files_in(&folder, ".tmp"), 1);
    snapfile_abandon(file);
    assert_int_equal(files_in(&folder, ".tmp"), 0);
    snapfile_abandon(NULL);
    folder_remove(&folder);
}

/* Cleaning keeps the one that counts and what is none of ours. */
static void cleaning_keeps_what_counts(void **state)
{
    struct folder folder;
    char path[PATH_MAX_SIZE];
    struct snap_head head = head_used;

    (void)state;
    folder_make(&folder);
    for (head.index = 1; head.index <= 4; head.index++) {
        (void)snap_write(&folder, &head);
    }
    (void)snprintf(path, sizeof path, "%.400s/p12/notes.txt", folder.path);
    file_store(path, bytes_of_text("mine"));
    (void)snprintf(path, sizeof path, "%.400s/p12/next.tmp", folder.path);
    file_store(path, bytes_of_text("left"));
    snapfile_clean(folder.path, 12, 3);
    assert_int_equal(files_in(&folder, ".snap"), 1);
    assert_int_equal(files_in(&folder, ".tmp"), 0);
    assert_int_equal(files_in(&folder, ".txt"), 1);
    head.index = 3;
    snap_path(&folder, &head, path);
    assert_int_equal(access(path, R_OK), 0);
    snapfile_clean(folder.path, 12, 0);
    assert_int_equal(files_in(&folder, ".snap"), 0);
    snapfile_clean(folder.path, 13, 0); /* not there: nothing */
    folder_remove(&folder);
}

static bool owns_even(void *arg, uint32_t partition)
{
    (void)arg;
    return partition % 2 == 0;
}

/* What a crash left is removed at the next start: of the partitions of the lane only, and of none
 * the one that counts. */
static void leftovers_of_the_lane_are_removed(void **state)
{
    struct folder folder;
    struct manifest manifest = {.owner = 1}, found = {0};
    struct manifest_row row = {.partition = 12, .index = 5};
    char path[PATH_MAX_SIZE], lane[PATH_MAX_SIZE * 2];

    (void)state;
    folder_make(&folder);
    for (uint32_t p = 11; p <= 14; p++) {
        for (uint64_t i = 5; i <= 6; i++) {
            (void)snap_write(&folder, &(struct snap_head){.partition = p, .index = i});
        }
    }
    assert_int_equal(manifest_set(&manifest, &row), QN_OK);
    (void)snprintf(lane, sizeof lane, "%s/lane-0of2", folder.path);
    assert_int_equal(snapshot_leftovers_remove(folder.path, lane, &manifest, owns_even, NULL, NULL),
                     QN_OK);
    for (uint32_t p = 11; p <= 14; p++) {
        for (uint64_t i = 5; i <= 6; i++) {
            bool stays = p % 2 == 1 || (p == 12 && i == 5);
            assert_true(snapfile_path(folder.path, p, i, path, sizeof path));
            assert_int_equal(access(path, R_OK) == 0, stays);
        }
    }
    assert_int_equal(manifest_read(lane, 1, &found, NULL), QN_OK); /* durable before */
    assert_int_equal(found.row_count, 1);
    manifest_fini(&found);
    manifest_fini(&manifest);
    folder_remove(&folder);
}

/* More than a block may hold is refused, not cut. */
static void a_block_that_is_too_large_is_refused(void **state)
{
    struct folder folder;
    struct snapfile *file = NULL;
    uint8_t *block = calloc(1, SNAP_BLOCK_MAX + 1u);
    struct snap_head head = {.partition = 1, .index = 1};
    uint64_t size;

    (void)state;
    assert_non_null(block);
    folder_make(&folder);
    assert_int_equal(snapfile_create(folder.path, OWNER, &head, &file, NULL), QN_OK);
    assert_int_equal(snapfile_add(file, bytes_of(block, SNAP_BLOCK_MAX + 1u), NULL), QN_TOO_LARGE);
    assert_int_equal(snapfile_add(file, bytes_of(block, SNAP_BLOCK_MAX), NULL), QN_OK);
    assert_int_equal(snapfile_finish(file, &size, NULL), QN_OK);
    assert_true(size < 1u << 20);
    free(block);
    folder_remove(&folder);
}

/* A packed block of no octets, or of no fewer than it has when unpacked, is none that was ever
 * written: refused before anything is made of it. */
static void impossible_sizes_are_refused(void **state)
{
    static const struct snap_block impossible[] = {
        {.kind = SNAP_BLOCK_PACKED, .plain = 100, .stored = 0},
        {.kind = SNAP_BLOCK_PACKED, .plain = 100, .stored = 100},
        {.kind = SNAP_BLOCK_PACKED, .plain = SNAP_BLOCK_MAX + 1u, .stored = 100},
        {.kind = SNAP_BLOCK_PLAIN, .plain = SNAP_BLOCK_MAX + 1u, .stored = SNAP_BLOCK_MAX + 1u},
        {.kind = SNAP_BLOCK_PLAIN, .plain = 100, .stored = 99},
        {.kind = SNAP_BLOCK_END, .plain = SNAP_END_SIZE, .stored = 8},
        {.kind = 4, .plain = 100, .stored = 100},
    };
    uint8_t octets[SNAP_BLOCK_HEADER_SIZE];
    struct snap_block found;

    (void)state;
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        snap_block_encode(&impossible[i], 5, octets);
        assert_int_equal(snap_block_decode(bytes_of(octets, sizeof octets), 5, &found),
                         QN_MALFORMED);
    }
}

/* Names sort as their indexes; nothing else passes for one. */
static void only_twenty_digits_name_a_snapshot(void **state)
{
    char name[SNAP_NAME_SIZE], path[40];
    uint64_t index = 5;

    (void)state;
    snap_name_format(UINT64_MAX, name);
    assert_string_equal(name, "18446744073709551615.snap");
    assert_true(snap_name_parse(name, &index));
    assert_true(index == UINT64_MAX);
    assert_false(snap_name_parse("18446744073709551616.snap", &index));
    assert_false(snap_name_parse("00000000000000000001.snapx", &index));
    assert_false(snap_name_parse("next.tmp", &index));
    assert_false(snap_name_parse("", &index));
    assert_false(snapfile_path("/a/long/directory/name", 1, 1, path, sizeof path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_large_snapshot_is_read_whole),
        cmocka_unit_test(any_flipped_bit_is_noticed),
        cmocka_unit_test(any_cut_is_noticed),
        cmocka_unit_test(blocks_are_tied_to_their_place),
        cmocka_unit_test(a_snapshot_of_something_else_is_refused),
        cmocka_unit_test(a_newer_format_is_refused),
        cmocka_unit_test(a_missing_file_is_absent),
        cmocka_unit_test(a_visitor_can_end_the_reading),
        cmocka_unit_test(an_abandoned_snapshot_leaves_nothing),
        cmocka_unit_test(cleaning_keeps_what_counts),
        cmocka_unit_test(leftovers_of_the_lane_are_removed),
        cmocka_unit_test(a_block_that_is_too_large_is_refused),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(only_twenty_digits_name_a_snapshot),
    };

    return RUN_TESTS(tests);
}
