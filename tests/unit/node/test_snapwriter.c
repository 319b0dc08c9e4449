/* The thread that writes snapshots, as the shard sees it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "node/snapshot/snapshot_io.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

enum { OWNER = 31, DISK = 77 };

/* A writer over an operating system that can be told to refuse or to wait. */
struct desk {
    struct folder data;
    char lane[PATH_MAX_SIZE * 2];
    struct snapwriter *writer;
    struct file_io io;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int notes;
    bool held;       /* writes wait */
    int writing;     /* that wait */
    int refuse;      /* error number of writes; 0 = none */
    int refuse_sync; /* the same of syncs */
};

static ssize_t desk_write_at(void *arg, int fd, const void *data, size_t size, off_t offset)
{
    struct desk *desk = arg;

    (void)pthread_mutex_lock(&desk->lock);
    desk->writing++;
    (void)pthread_cond_broadcast(&desk->moved);
    while (desk->held) {
        (void)pthread_cond_wait(&desk->moved, &desk->lock);
    }
    desk->writing--;
    int refuse = desk->refuse;
    (void)pthread_mutex_unlock(&desk->lock);
    errno = refuse;
    return refuse ? -1 : pwrite(fd, data, size, offset);
}

static int desk_sync(void *arg, int fd)
{
    struct desk *desk = arg;

    (void)fd;
    (void)pthread_mutex_lock(&desk->lock);
    int refuse = desk->refuse_sync;
    (void)pthread_mutex_unlock(&desk->lock);
    errno = refuse;
    return refuse ? -1 : 0;
}

static void desk_notify(void *arg)
{
    struct desk *desk = arg;

    (void)pthread_mutex_lock(&desk->lock);
    desk->notes++;
    (void)pthread_cond_broadcast(&desk->moved);
    (void)pthread_mutex_unlock(&desk->lock);
}

static void desk_open(struct desk *desk, uint64_t rate_max)
{
    *desk = (struct desk){.io = *file_io_system()};
    desk->io.arg = desk;
    desk->io.write_at = desk_write_at;
    desk->io.sync = desk_sync;
    folder_make(&desk->data);
    (void)snprintf(desk->lane, sizeof desk->lane, "%s/lane-0of1", desk->data.path);
    (void)pthread_mutex_init(&desk->lock, NULL);
    (void)pthread_cond_init(&desk->moved, NULL);
    struct snapwriter_options options = {.data = desk->data.path,
                                         .lane_dir = desk->lane,
                                         .disk = DISK,
                                         .manifest = {.owner = OWNER},
                                         .notify = desk_notify,
                                         .arg = desk,
                                         .rate_max = rate_max};
    assert_int_equal(snapwriter_open_with(&options, &desk->io, &desk->writer, NULL), QN_OK);
}

static void desk_close(struct desk *desk)
{
    snapwriter_close(desk->writer);
    folder_remove(&desk->data);
    (void)pthread_cond_destroy(&desk->moved);
    (void)pthread_mutex_destroy(&desk->lock);
}

static void desk_set(struct desk *desk, bool held, int refuse, int refuse_sync)
{
    (void)pthread_mutex_lock(&desk->lock);
    desk->held = held;
    desk->refuse = refuse;
    desk->refuse_sync = refuse_sync;
    (void)pthread_cond_broadcast(&desk->moved);
    (void)pthread_mutex_unlock(&desk->lock);
}

/* Until a write waits in the operating system. */
static void desk_await_write(struct desk *desk)
{
    (void)pthread_mutex_lock(&desk->lock);
    while (desk->writing == 0) {
        (void)pthread_cond_wait(&desk->moved, &desk->lock);
    }
    (void)pthread_mutex_unlock(&desk->lock);
}

/* Ask after each note of the thread, as a shard does. */
static struct snapwriter_result result_await(struct desk *desk)
{
    struct snapwriter_result result;

    for (;;) {
        (void)pthread_mutex_lock(&desk->lock);
        int notes = desk->notes;
        (void)pthread_mutex_unlock(&desk->lock);
        enum qn_status status = snapwriter_result(desk->writer, &result);
        assert_int_not_equal(status, QN_ABSENT);
        if (status == QN_OK) {
            return result;
        }
        (void)pthread_mutex_lock(&desk->lock);
        while (desk->notes == notes) {
            (void)pthread_cond_wait(&desk->moved, &desk->lock);
        }
        (void)pthread_mutex_unlock(&desk->lock);
    }
}

static void room_await(struct desk *desk)
{
    for (;;) {
        (void)pthread_mutex_lock(&desk->lock);
        int notes = desk->notes;
        (void)pthread_mutex_unlock(&desk->lock);
        if (snapwriter_room(desk->writer)) {
            return;
        }
        (void)pthread_mutex_lock(&desk->lock);
        while (desk->notes == notes) {
            (void)pthread_cond_wait(&desk->moved, &desk->lock);
        }
        (void)pthread_mutex_unlock(&desk->lock);
    }
}

static void put_text(struct desk *desk, struct buf *block, const char *text)
{
    assert_int_equal(block->size, 0);
    assert_int_equal(buf_append(block, text, strlen(text)), QN_OK);
    snapwriter_put(desk->writer, block);
}

static void begin(struct desk *desk, uint32_t partition, uint64_t index)
{
    snapwriter_begin(desk->writer,
                     &(struct snap_head){.partition = partition, .index = index, .epoch = 2});
}

/* A snapshot of two blocks, from begin to result. */
static struct snapwriter_result snapshot(struct desk *desk, uint32_t partition, uint64_t index)
{
    struct buf block = {0};

    begin(desk, partition, index);
    for (int i = 0; i < 2 && snapwriter_room(desk->writer); i++) {
        put_text(desk, &block, "a block");
    }
    snapwriter_finish(desk->writer, index * 10, index * 20);
    buf_fini(&block);
    return result_await(desk);
}

static enum qn_status add_block(void *arg, struct bytes block)
{
    return buf_append(arg, block.data, block.size);
}

static enum qn_status any_head(void *arg, const struct snap_head *head)
{
    (void)arg;
    (void)head;
    return QN_OK;
}

static bool there(const struct desk *desk, uint32_t partition, uint64_t index)
{
    char path[PATH_MAX_SIZE];

    assert_true(snapfile_path(desk->data.path, partition, index, path, sizeof path));
    return access(path, F_OK) == 0;
}

/* The manifest on disk has this snapshot (0: none) and this beginning of the log. */
static void check_manifest(const struct desk *desk, uint32_t partition, uint64_t index,
                           uint64_t log_first)
{
    struct manifest manifest = {0};

    enum qn_status status = manifest_read(desk->lane, OWNER, &manifest, NULL);
    assert_int_equal(status, index > 0 || log_first > 0 ? QN_OK : QN_ABSENT);
    const struct manifest_row *row = manifest_find(&manifest, partition);
    assert_int_equal(row ? row->index : 0, index);
    assert_int_equal(manifest.log_first, log_first);
    manifest_fini(&manifest);
}

/* Begin, blocks, finish: the file is whole, the manifest names it, the one before is gone. */
static void a_snapshot_replaces_the_one_before(void **state)
{
    struct desk desk;
    struct buf found = {0};
    struct snap_visitor visitor = {.arg = &found, .head = any_head, .block = add_block};
    char path[PATH_MAX_SIZE];
    uint64_t size;

    (void)state;
    desk_open(&desk, 0);
    for (uint64_t index = 5; index <= 7; index++) {
        struct snapwriter_result result = snapshot(&desk, 3, index);
        assert_int_equal(result.status, QN_OK);
        assert_int_equal(result.plain, 14);
        check_manifest(&desk, 3, index, index * 10);
        assert_true(there(&desk, 3, index));
        assert_false(there(&desk, 3, index - 1));
        assert_true(snapfile_path(desk.data.path, 3, index, path, sizeof path));
        buf_clear(&found);
        assert_int_equal(snapfile_read(path, DISK, &visitor, &size, NULL), QN_OK);
        assert_int_equal(size, result.size);
        assert_bytes_equal(buf_bytes(&found), bytes_of_text("a blocka block"));
    }
    assert_int_equal(snapshot(&desk, 4, 1).status, QN_OK);
    check_manifest(&desk, 3, 7, 10);
    check_manifest(&desk, 4, 1, 10);
    buf_fini(&found);
    desk_close(&desk);
}

/* A partition that holds nothing has a snapshot, too. */
static void a_snapshot_without_blocks_is_one(void **state)
{
    struct desk desk;

    (void)state;
    desk_open(&desk, 0);
    begin(&desk, 1, 9);
    snapwriter_finish(desk.writer, 1, 2);
    struct snapwriter_result result = result_await(&desk);
    assert_int_equal(result.status, QN_OK);
    assert_int_equal(result.plain, 0);
    check_manifest(&desk, 1, 9, 1);
    desk_close(&desk);
}

/* Memory is bounded: while the disk is busy four blocks wait and no more. */
static void at_most_four_blocks_wait(void **state)
{
    struct desk desk;
    struct buf block = {0};
    int count = 0;

    (void)state;
    desk_open(&desk, 0);
    desk_set(&desk, true, 0, 0);
    begin(&desk, 1, 1);
    desk_await_write(&desk);
    while (snapwriter_room(desk.writer)) {
        put_text(&desk, &block, "block");
        count++;
    }
    assert_int_equal(count, SNAPWRITER_BLOCKS);
    desk_set(&desk, false, 0, 0);
    room_await(&desk);
    put_text(&desk, &block, "block");
    snapwriter_finish(desk.writer, 1, 1);
    assert_int_equal(result_await(&desk).plain, 5 * 5);
    buf_fini(&block);
    desk_close(&desk);
}

/* Blocks' memory goes round: after the first ones nothing is allocated any more. */
static void memory_of_blocks_is_used_again(void **state)
{
    struct desk desk;
    struct buf block = {0};
    int empty = 0;

    (void)state;
    desk_open(&desk, 0);
    begin(&desk, 1, 1);
    for (int i = 0; i < 100; i++) {
        room_await(&desk);
        empty += block.capacity == 0;
        put_text(&desk, &block, "some octets of a block");
    }
    snapwriter_finish(desk.writer, 1, 1);
    assert_int_equal(result_await(&desk).status, QN_OK);
    assert_true(empty <= SNAPWRITER_BLOCKS + 2);
    buf_fini(&block);
    desk_close(&desk);
}

/* A full disk is a result: the snapshot and the manifest before it stay in force, nothing is left
 * of the attempt, and the next one succeeds. */
static void a_failure_leaves_the_one_before_in_force(void **state)
{
    static const struct {
        int write, sync;
        enum qn_status status;
    } rows[] = {{ENOSPC, 0, QN_DISK_FULL}, {EIO, 0, QN_IO}, {0, EIO, QN_IO}};
    struct desk desk;

    (void)state;
    desk_open(&desk, 0);
    assert_int_equal(snapshot(&desk, 3, 5).status, QN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        desk_set(&desk, false, rows[i].write, rows[i].sync);
        struct snapwriter_result result = snapshot(&desk, 3, 8);
        assert_int_equal(result.status, rows[i].status);
        assert_non_null(strstr(result.error.text, desk.data.path));
        assert_int_equal(result.size, 0);
        check_manifest(&desk, 3, 5, 50);
        assert_true(there(&desk, 3, 5));
        assert_false(there(&desk, 3, 8));
        assert_int_equal(snapwriter_result(desk.writer, &result), QN_ABSENT);
    }
    desk_set(&desk, false, 0, 0);
    assert_int_equal(snapshot(&desk, 3, 9).status, QN_OK);
    check_manifest(&desk, 3, 9, 90);
    assert_false(there(&desk, 3, 5));
    desk_close(&desk);
}

/* A failure on the way shows at once: there is no room any more, and blocks that still come are
 * dropped. */
static void after_a_failure_there_is_no_room(void **state)
{
    struct desk desk;
    struct buf block = {0};

    (void)state;
    desk_open(&desk, 0);
    begin(&desk, 1, 1);
    desk_set(&desk, false, ENOSPC, 0);
    while (snapwriter_room(desk.writer)) {
        put_text(&desk, &block, "block");
    }
    struct snapwriter_result result = result_await(&desk);
    assert_int_equal(result.status, QN_DISK_FULL);
    assert_false(snapwriter_room(desk.writer));
    buf_fini(&block);
    desk_close(&desk);
}

/* What is given up leaves nothing, and the next one can begin at once, even while the disk is still
 * busy with the last. */
static void an_abandoned_snapshot_makes_way_at_once(void **state)
{
    struct desk desk;
    struct buf block = {0};
    struct snapwriter_result result;

    (void)state;
    desk_open(&desk, 0);
    for (uint64_t i = 1; i <= 20; i++) {
        desk_set(&desk, true, 0, 0);
        begin(&desk, 1, i);
        if (i % 2) {
            desk_await_write(&desk);
        }
        put_text(&desk, &block, "not wanted");
        snapwriter_abandon(desk.writer);
        assert_int_equal(snapwriter_result(desk.writer, &result), QN_ABSENT);
        begin(&desk, 2, i);
        put_text(&desk, &block, "wanted");
        snapwriter_finish(desk.writer, i, i);
        snapwriter_abandon(desk.writer); /* it is finishing: its result comes */
        desk_set(&desk, false, 0, 0);
        result = result_await(&desk);
        assert_int_equal(result.status, QN_OK);
        assert_int_equal(result.plain, 6);
        check_manifest(&desk, 2, i, i);
        check_manifest(&desk, 1, 0, i);
        assert_false(there(&desk, 1, i));
    }
    buf_fini(&block);
    desk_close(&desk);
}

/* The manifest alone: a clean stop says so. */
static void the_manifest_can_be_written_alone(void **state)
{
    struct desk desk;
    struct manifest manifest = {0};

    (void)state;
    desk_open(&desk, 0);
    assert_int_equal(snapshot(&desk, 3, 5).status, QN_OK);
    snapwriter_manifest(desk.writer, 60, 70, true);
    struct snapwriter_result result = result_await(&desk);
    assert_int_equal(result.status, QN_OK);
    assert_int_equal(result.size, 0);
    assert_int_equal(manifest_read(desk.lane, OWNER, &manifest, NULL), QN_OK);
    assert_true(manifest.clean);
    assert_int_equal(manifest.log_first, 60);
    assert_int_equal(manifest.log_end, 70);
    assert_int_equal(manifest_find(&manifest, 3)->index, 5);
    manifest_fini(&manifest);
    assert_int_equal(snapshot(&desk, 3, 6).status, QN_OK);
    assert_int_equal(manifest_read(desk.lane, OWNER, &manifest, NULL), QN_OK);
    assert_false(manifest.clean);
    manifest_fini(&manifest);
    desk_close(&desk);
}

/* Closing in the middle gives up what is open, and is not held up by a limit of the rate. */
static void closing_gives_up_what_is_open(void **state)
{
    struct desk desk;
    struct buf block = {0};
    struct folder sub;

    (void)state;
    desk_open(&desk, 1); /* an octet a second */
    begin(&desk, 1, 1);
    for (int i = 0; i < 3; i++) {
        put_text(&desk, &block, "these octets would take a minute");
    }
    snapwriter_close(desk.writer);
    desk.writer = NULL;
    check_manifest(&desk, 1, 0, 0);
    (void)snprintf(sub.path, sizeof sub.path, "%.400s/p1", desk.data.path);
    if (access(sub.path, F_OK) == 0) { /* it may not have come to that */
        assert_int_equal(folder_count(&sub, ".snap"), 0);
        assert_int_equal(folder_count(&sub, ".tmp"), 0);
    }
    buf_fini(&block);
    desk_close(&desk); /* NULL can be closed */
}

/* With a limit the blocks take at least as long as it says. */
static void the_rate_is_kept(void **state)
{
    struct desk desk;
    struct buf block = {0};
    struct timespec before, after;

    (void)state;
    desk_open(&desk, 1000);
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    begin(&desk, 1, 1);
    for (int i = 0; i < 6; i++) {
        room_await(&desk);
        put_text(&desk, &block, "twenty octets, twice twenty octets, twice");
    }
    snapwriter_finish(desk.writer, 1, 1);
    assert_int_equal(result_await(&desk).status, QN_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    int64_t took_ms =
        (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    assert_true(took_ms >= 5 * 41 - 1); /* the first block need not wait */
    buf_fini(&block);
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_replaces_the_one_before),
        cmocka_unit_test(a_snapshot_without_blocks_is_one),
        cmocka_unit_test(at_most_four_blocks_wait),
        cmocka_unit_test(memory_of_blocks_is_used_again),
        cmocka_unit_test(a_failure_leaves_the_one_before_in_force),
        cmocka_unit_test(after_a_failure_there_is_no_room),
        cmocka_unit_test(an_abandoned_snapshot_makes_way_at_once),
        cmocka_unit_test(the_manifest_can_be_written_alone),
        cmocka_unit_test(closing_gives_up_what_is_open),
        cmocka_unit_test(the_rate_is_kept),
    };

    return RUN_TESTS(tests);
}
