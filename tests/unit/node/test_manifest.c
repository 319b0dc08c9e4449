/* The manifest of a lane: all of it or none, and nothing that is not ours. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/coord/file.h"
#include "node/snapshot/snapshot_io.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { OWNER = 4711 };

static void row_set(struct manifest *manifest, uint32_t partition, uint64_t index)
{
    struct manifest_row row = {.partition = partition,
                               .index = index,
                               .epoch = index / 10 + 1,
                               .size = index * 100,
                               .taken_wall_ms = 1700000000000 + (int64_t)index};

    assert_int_equal(manifest_set(manifest, &row), QN_OK);
}

/* Rows set in any order, some twice. */
static struct manifest manifest_make(uint32_t rows)
{
    struct manifest made = {.owner = OWNER, .log_first = 1000, .log_end = 5000, .clean = rows % 2};

    for (uint32_t i = 0; i < rows; i++) {
        row_set(&made, i * 37 % 101, 5);
        row_set(&made, i * 37 % 101, i + 7);
    }
    return made;
}

static void check_equal(const struct manifest *a, const struct manifest *b)
{
    assert_int_equal(a->owner, b->owner);
    assert_int_equal(a->log_first, b->log_first);
    assert_int_equal(a->log_end, b->log_end);
    assert_int_equal(a->clean, b->clean);
    assert_int_equal(a->row_count, b->row_count);
    for (size_t i = 0; i < a->row_count; i++) {
        assert_int_equal(a->rows[i].partition, b->rows[i].partition);
        assert_int_equal(a->rows[i].index, b->rows[i].index);
        assert_int_equal(a->rows[i].epoch, b->rows[i].epoch);
        assert_int_equal(a->rows[i].size, b->rows[i].size);
        assert_int_equal(a->rows[i].taken_wall_ms, b->rows[i].taken_wall_ms);
    }
}

/* What is written is what is read, however many rows there are. */
static void what_is_written_is_read(void **state)
{
    struct folder folder;

    (void)state;
    folder_make(&folder);
    for (uint32_t rows = 0; rows <= 101; rows += 20) {
        struct manifest written = manifest_make(rows), found = {0};
        assert_int_equal(manifest_write(folder.path, &written, NULL), QN_OK);
        assert_int_equal(manifest_read(folder.path, OWNER, &found, NULL), QN_OK);
        check_equal(&written, &found);
        manifest_fini(&written);
        manifest_fini(&found);
    }
    assert_int_equal(folder_count(&folder, ".tmp"), 0);
    folder_remove(&folder);
}

/* Rows ascend by partition, and each partition has one at most. */
static void a_partition_has_one_row(void **state)
{
    struct manifest manifest = manifest_make(100);

    (void)state;
    assert_int_equal(manifest.row_count, 100);
    for (size_t i = 1; i < manifest.row_count; i++) {
        assert_true(manifest.rows[i].partition > manifest.rows[i - 1].partition);
    }
    assert_int_equal(manifest_find(&manifest, 37)->index, 8);
    assert_null(manifest_find(&manifest, 5000));
    manifest_fini(&manifest);
}

/* No manifest is an answer, not an error; the folder is made by the first that is written. */
static void a_lane_without_manifest_has_none(void **state)
{
    struct folder folder, lane;
    struct manifest manifest = {0};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    folder_make(&folder);
    (void)snprintf(lane.path, sizeof lane.path, "%.400s/lane-0of1", folder.path);
    assert_int_equal(manifest_read(lane.path, OWNER, &manifest, &err), QN_ABSENT);
    assert_false(qn_error_failed(&err));
    manifest.owner = OWNER;
    assert_int_equal(manifest_write(lane.path, &manifest, &err), QN_OK);
    assert_int_equal(manifest_read(lane.path, OWNER, &manifest, &err), QN_OK);
    manifest_fini(&manifest);
    folder_remove(&folder);
}

static void manifest_path(const struct folder *folder, char path[PATH_MAX_SIZE])
{
    (void)snprintf(path, PATH_MAX_SIZE, "%.400s/manifest", folder->path);
}

static void check_corrupt(const struct folder *folder, const char *text)
{
    struct manifest manifest = {0};
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(manifest_read(folder->path, OWNER, &manifest, &err), QN_CORRUPT);
    assert_non_null(strstr(err.text, folder->path));
    assert_non_null(strstr(err.text, text));
    assert_int_equal(manifest.row_count, 0);
    assert_null(manifest.rows);
}

/* Any flipped octet is noticed, and any cut. */
static void any_flipped_octet_or_cut_is_noticed(void **state)
{
    struct folder folder;
    struct manifest manifest = manifest_make(20);
    struct buf image = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    manifest_path(&folder, path);
    assert_int_equal(manifest_write(folder.path, &manifest, NULL), QN_OK);
    file_load(path, &image);
    for (size_t at = 0; at < image.size; at++) {
        image.data[at] ^= 1;
        file_store(path, buf_bytes(&image));
        check_corrupt(&folder, "is damaged");
        image.data[at] ^= 1;
        file_store(path, bytes_of(image.data, at));
        check_corrupt(&folder, "is damaged");
    }
    buf_fini(&image);
    manifest_fini(&manifest);
    folder_remove(&folder);
}

/* Lines with a sound checksum that make no sense. */
static void sealed_nonsense_is_refused(void **state)
{
    static const char *const nonsense[] = {
        "quoin-manifest 1\n",
        "quoin-manifest 1\nowner 4711\nlog-first 9\nlog-end 8\nclean 0\nsnapshots 0\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 2\nsnapshots 0\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots 1\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots 0\nmore 1\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots 1\nsnapshot 1 2 "
        "3 4\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots 1\nsnapshot 1 2 "
        "3 4 5 6\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots 1\nsnapshot "
        "4294967296 2 3 4 5\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots 2\nsnapshot 2 2 "
        "3 4 5\nsnapshot 2 2 3 4 5\n",
        "quoin-manifest 1\nowner 4711\nlog-first 1\nlog-end 8\nclean 0\nsnapshots "
        "18446744073709551615\nsnapshot 2 2 3 4 5\n",
    };
    struct folder folder;
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    manifest_path(&folder, path);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        struct buf text = {0};
        assert_int_equal(buf_append(&text, nonsense[i], strlen(nonsense[i])), QN_OK);
        assert_int_equal(lines_seal(&text), QN_OK);
        file_store(path, buf_bytes(&text));
        check_corrupt(&folder, "is damaged");
        buf_fini(&text);
    }
    folder_remove(&folder);
}

/* That of another lane, another disk or a newer format is refused, with what to do. */
static void that_of_another_lane_or_version_is_refused(void **state)
{
    struct folder folder;
    struct manifest manifest = {.owner = OWNER + 1};
    struct buf text = {0};
    char path[PATH_MAX_SIZE];

    (void)state;
    folder_make(&folder);
    assert_int_equal(manifest_write(folder.path, &manifest, NULL), QN_OK);
    check_corrupt(&folder, "another lane");
    assert_int_equal(lines_add_number(&text, "quoin-manifest", MANIFEST_FORMAT + 1), QN_OK);
    assert_int_equal(lines_seal(&text), QN_OK);
    manifest_path(&folder, path);
    file_store(path, buf_bytes(&text));
    check_corrupt(&folder, "format 2");
    buf_fini(&text);
    folder_remove(&folder);
}

/* An operating system that refuses the n-th call. */
struct refusing {
    struct file_io io;
    int calls;
    int refuse_at;
    int number;
};

static bool refused(void *arg)
{
    struct refusing *r = arg;

    errno = r->number;
    return ++r->calls == r->refuse_at;
}

static int refuse_create(void *arg, int dir_fd, const char *name)
{
    return refused(arg) ? -1 : file_io_system()->create(NULL, dir_fd, name);
}

static ssize_t refuse_write(void *arg, int fd, const void *data, size_t size, off_t offset)
{
    return refused(arg) ? -1 : file_io_system()->write_at(NULL, fd, data, size, offset);
}

static int refuse_sync(void *arg, int fd)
{
    (void)fd;
    return refused(arg) ? -1 : 0;
}

static int refuse_rename(void *arg, int dir_fd, const char *from, const char *to)
{
    return refused(arg) ? -1 : file_io_system()->rename(NULL, dir_fd, from, to);
}

/* Whichever step fails, the old one or the new one is there whole, never anything else, and only
 * the failure of the last step (the folder's sync) may show the new one. */
static void a_failure_leaves_the_old_one_or_the_new_one(void **state)
{
    struct folder folder;

    (void)state;
    folder_make(&folder);
    for (int n = 1; n <= 5; n++) {
        struct refusing r = {.io = *file_io_system(), .refuse_at = n, .number = ENOSPC};
        struct manifest before = manifest_make(3), after = manifest_make(9), found = {0};
        qn_error err = QN_ERROR_INIT;

        r.io.arg = &r;
        r.io.create = refuse_create;
        r.io.write_at = refuse_write;
        r.io.sync = refuse_sync;
        r.io.sync_dir = refuse_sync;
        r.io.rename = refuse_rename;
        assert_int_equal(manifest_write(folder.path, &before, NULL), QN_OK);
        assert_int_equal(manifest_write_with(&r.io, folder.path, &after, &err), QN_DISK_FULL);
        assert_non_null(strstr(err.text, "make space"));
        assert_int_equal(manifest_read(folder.path, OWNER, &found, NULL), QN_OK);
        check_equal(&found, n == 5 ? &after : &before);
        manifest_fini(&before);
        manifest_fini(&after);
        manifest_fini(&found);
    }
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_partition_has_one_row),
        cmocka_unit_test(a_lane_without_manifest_has_none),
        cmocka_unit_test(any_flipped_octet_or_cut_is_noticed),
        cmocka_unit_test(sealed_nonsense_is_refused),
        cmocka_unit_test(that_of_another_lane_or_version_is_refused),
        cmocka_unit_test(a_failure_leaves_the_old_one_or_the_new_one),
    };

    return RUN_TESTS(tests);
}
