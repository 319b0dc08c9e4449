/* The number of lanes changes at a start, and whatever happens meanwhile, nothing is lost. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/log/txlog_format.h"
#include "node/relane.h"
#include "node/snapshot/snapfile.h"
#include "tests/lib/check.h"
#include "tests/unit/node/lane_fixture.h"

enum { KEYS = 40, NEVER = -1 };

/* How a change goes. */
struct watch {
    struct relane_progress last;
    size_t told;
    int stop_after; /* questions whether to stop, until the answer is yes */
};

static void watch_progress(void *arg, const struct relane_progress *progress)
{
    struct watch *watch = arg;

    watch->last = *progress;
    watch->told++;
}

static bool watch_stop(void *arg)
{
    struct watch *watch = arg;

    return watch->stop_after != NEVER && watch->stop_after-- == 0;
}

static struct relane_options options_of(const struct lanes *lanes, uint32_t to, struct watch *watch)
{
    return (struct relane_options){.data = lanes->folder.path,
                                   .block = &lanes->block,
                                   .lanes = to,
                                   .service_count = LANES_SERVICES,
                                   .log_expected = true,
                                   .limits = lanes_limits(),
                                   .wall_ms = 1700000000000,
                                   .progress = watch_progress,
                                   .stop = watch_stop,
                                   .arg = watch};
}

static enum qn_status change(struct lanes *lanes, uint32_t to, qn_error *err)
{
    struct watch watch = {.stop_after = NEVER};
    struct relane_options options = options_of(lanes, to, &watch);

    return relane(&options, lanes->datadir, err);
}

static void change_done(struct lanes *lanes, uint32_t to)
{
    qn_error err = QN_ERROR_INIT;
    enum qn_status status = change(lanes, to, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(status, QN_OK);
    lanes_reopen(lanes);
    assert_int_equal(lanes->block.lanes, to);
}

static void assert_same(struct lanes_state found, struct lanes_state wanted)
{
    assert_true(found.hash == wanted.hash);
    assert_int_equal(found.entries, wanted.entries);
    assert_int_equal(found.sessions, wanted.sessions);
}

/* Three lanes become two, then five, then one; what is written between the changes counts as well.
 * After a change all is in snapshots, the logs are empty, and only the new folders are there. */
static void the_state_survives_every_change(void **state)
{
    static const uint32_t numbers[] = {2, 5, 1, 3};
    struct lanes lanes;

    (void)state;
    lanes_make(&lanes, 3);
    lanes_write(&lanes, KEYS, 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct lanes_state before = lanes_read(&lanes);
        assert_true(before.entries > LANES_PARTITIONS);
        assert_true(before.log_records > 0);
        change_done(&lanes, numbers[i]);
        struct lanes_state after = lanes_read(&lanes);
        assert_same(after, before);
        assert_int_equal(after.log_records, 0);
        assert_int_equal(lanes_folders(&lanes), numbers[i]);
        lanes_write(&lanes, KEYS / 2, 100 + i);
        assert_true(lanes_read(&lanes).hash != before.hash);
    }
    lanes_remove(&lanes);
}

/* A second change without anything new takes over the snapshots that are there. */
static void a_change_without_news_writes_no_snapshots(void **state)
{
    struct lanes lanes;
    struct stat before, after;
    char path[600];

    (void)state;
    lanes_make(&lanes, 2);
    lanes_write(&lanes, KEYS, 2);
    change_done(&lanes, 3);
    (void)snprintf(path, sizeof path, "%.400s/p5", lanes.folder.path);
    assert_int_equal(stat(path, &before), 0);
    struct lanes_state wanted = lanes_read(&lanes);
    change_done(&lanes, 4);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_same(lanes_read(&lanes), wanted);
    lanes_remove(&lanes);
}

/* A directory in which nothing was ever written can be divided anew as well. */
static void an_empty_directory_changes_at_once(void **state)
{
    struct lanes lanes;
    struct watch watch = {.stop_after = NEVER};

    (void)state;
    lanes_make(&lanes, 2);
    struct relane_options options = options_of(&lanes, 3, &watch);
    options.log_expected = false;
    assert_int_equal(relane(&options, lanes.datadir, NULL), QN_OK);
    lanes_reopen(&lanes);
    assert_int_equal(lanes.block.lanes, 3);
    assert_int_equal(lanes_read(&lanes).entries, 0);
    lanes_remove(&lanes);
}

/* The steps that are made before the process dies. */
enum { OPENED, FIRST_LANE, ALL_LANES, PREPARED, SWITCHED, FINISHED, STEPS };

/* Make the steps up to `last`, then leave everything as a dead process would: nothing is undone. */
static void die_after(struct lanes *lanes, uint32_t to, int last)
{
    struct watch watch = {.stop_after = NEVER};
    struct relane_options options = options_of(lanes, to, &watch);
    struct relane *work;

    assert_int_equal(relane_open(&options, &work, NULL), QN_OK);
    for (uint32_t lane = 0; lane < lanes->block.lanes && last >= FIRST_LANE; lane++) {
        if (lane == 0 || last >= ALL_LANES) {
            assert_int_equal(relane_lane(work, lane, NULL), QN_OK);
        }
    }
    if (last >= PREPARED) {
        assert_int_equal(relane_prepare(work, NULL), QN_OK);
    }
    if (last >= SWITCHED) {
        assert_int_equal(relane_switch(work, lanes->datadir, NULL), QN_OK);
    }
    if (last >= FINISHED) {
        relane_finish(work);
    }
    relane_abandon(work);
}

/* Wherever the process dies, the next start finds the old or the new arrangement, whole, and can
 * make the change then. */
static void a_crash_leaves_one_whole_arrangement(void **state)
{
    (void)state;
    for (int last = OPENED; last < STEPS; last++) {
        struct lanes lanes;
        lanes_make(&lanes, 3);
        lanes_write(&lanes, KEYS, 3);
        struct lanes_state wanted = lanes_read(&lanes);
        die_after(&lanes, 2, last);
        lanes_reopen(&lanes);
        assert_int_equal(lanes.block.lanes, last >= SWITCHED ? 2 : 3);
        assert_int_equal(lanes_folders(&lanes), lanes.block.lanes);
        assert_same(lanes_read(&lanes), wanted);
        change_done(&lanes, 4);
        assert_same(lanes_read(&lanes), wanted);
        lanes_remove(&lanes);
    }
}

/* After a crash the node may go on with the old number, write, and change later: what the dead
 * attempt left is not taken for the truth. */
static void what_a_dead_attempt_left_is_not_used(void **state)
{
    struct lanes lanes;

    (void)state;
    lanes_make(&lanes, 3);
    lanes_write(&lanes, KEYS, 4);
    die_after(&lanes, 2, PREPARED);
    lanes_reopen(&lanes);
    lanes_write(&lanes, KEYS, 5);
    struct lanes_state wanted = lanes_read(&lanes);
    change_done(&lanes, 2);
    assert_same(lanes_read(&lanes), wanted);
    lanes_remove(&lanes);
}

/* A change that is stopped leaves no trace, however far it has come. */
static void a_stopped_change_leaves_the_old_number(void **state)
{
    struct lanes lanes;
    enum qn_status status = QN_CLOSED;
    uint32_t stopped = 0;

    (void)state;
    lanes_make(&lanes, 2);
    lanes_write(&lanes, 4, 6);
    struct lanes_state wanted = lanes_read(&lanes);
    for (int after = 0; status == QN_CLOSED; after++) {
        struct watch watch = {.stop_after = after};
        struct relane_options options = options_of(&lanes, 3, &watch);
        status = relane(&options, lanes.datadir, NULL);
        assert_true(status == QN_CLOSED || status == QN_OK);
        lanes_reopen(&lanes);
        assert_int_equal(lanes.block.lanes, status == QN_OK ? 3 : 2);
        assert_int_equal(lanes_folders(&lanes), lanes.block.lanes);
        assert_same(lanes_read(&lanes), wanted);
        stopped++;
    }
    assert_true(stopped > LANES_PARTITIONS);
    lanes_remove(&lanes);
}

/* Flip a bit at an offset, or in the middle of the file. */
static void damage(const char *path, size_t offset)
{
    struct buf image = {0};

    file_load(path, &image);
    image.data[offset > 0 ? offset : image.size / 2] ^= 1;
    file_store(path, buf_bytes(&image));
    buf_fini(&image);
}

static void check_refused(struct lanes *lanes, const char *word)
{
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(change(lanes, 2, &err), QN_CORRUPT);
    print_message("%s\n", err.text);
    assert_non_null(strstr(err.text, word));
    assert_non_null(strstr(err.text, "node.shards = 3"));
    lanes_reopen(lanes);
    assert_int_equal(lanes->block.lanes, 3);
    assert_int_equal(lanes_folders(lanes), 3);
}

/* A damaged log refuses the change, with the place; damaged is never taken for absent. */
static void a_damaged_log_refuses_the_change(void **state)
{
    struct lanes lanes;
    struct folder log;
    char path[PATH_MAX_SIZE];

    (void)state;
    lanes_make(&lanes, 3);
    lanes_write(&lanes, KEYS * 4, 7);
    assert_true(lane_log_path(lanes.folder.path, 1, 3, log.path, sizeof log.path));
    folder_segment(&log, 0, path);
    damage(path, SEGMENT_HEADER_SIZE + BATCH_HEADER_SIZE + RECORD_HEADER_SIZE / 2);
    check_refused(&lanes, "lane-1of3/log");
    lanes_remove(&lanes);
}

/* A log that is missing altogether refuses it, too. */
static void a_missing_log_refuses_the_change(void **state)
{
    struct lanes lanes;
    struct folder log;

    (void)state;
    lanes_make(&lanes, 3);
    lanes_write(&lanes, KEYS, 8);
    assert_true(lane_log_path(lanes.folder.path, 2, 3, log.path, sizeof log.path));
    folder_remove(&log);
    check_refused(&lanes, "missing");
    lanes_remove(&lanes);
}

/* So does a snapshot that is damaged, or missing. */
static void a_bad_snapshot_refuses_the_change(void **state)
{
    struct lanes lanes;
    struct folder partition;
    char path[PATH_MAX_SIZE];
    struct lanes_state kept;

    (void)state;
    lanes_make(&lanes, 1);
    lanes_write(&lanes, KEYS, 9);
    change_done(&lanes, 3);
    kept = lanes_read(&lanes);
    assert_true(kept.entries > 0);
    (void)snprintf(partition.path, sizeof partition.path, "%.400s/p4", lanes.folder.path);
    assert_int_equal(folder_count(&partition, ".snap"), 1);
    for (uint64_t index = 1; index < 10 * KEYS; index++) {
        assert_true(snapfile_path(lanes.folder.path, 4, index, path, sizeof path));
        if (access(path, F_OK) == 0) {
            break;
        }
    }
    damage(path, 0);
    check_refused(&lanes, "/p4/");
    assert_int_equal(unlink(path), 0);
    check_refused(&lanes, "snapshot is missing");
    lanes_remove(&lanes);
}

/* The caller is told how far it is, up to the end. */
static void progress_is_told(void **state)
{
    struct lanes lanes;
    struct watch watch = {.stop_after = NEVER};

    (void)state;
    lanes_make(&lanes, 3);
    lanes_write(&lanes, KEYS, 10);
    struct relane_options options = options_of(&lanes, 2, &watch);
    assert_int_equal(relane(&options, lanes.datadir, NULL), QN_OK);
    assert_true(watch.told >= 6);
    assert_int_equal(watch.last.lanes_from, 3);
    assert_int_equal(watch.last.lanes_to, 2);
    assert_int_equal(watch.last.lane, 2);
    assert_int_equal(watch.last.partitions, LANES_PARTITIONS * LANES_SERVICES);
    lanes_remove(&lanes);
}

static void *refuse(struct alloc *alloc, size_t size)
{
    (void)alloc;
    (void)size;
    return NULL;
}

/* Memory from the node's pages: when there is not enough, the old number stays. */
static void a_change_without_memory_leaves_the_old_number(void **state)
{
    struct lanes lanes;
    struct alloc none = {.allocate = refuse};
    struct watch watch = {.stop_after = NEVER};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    lanes_make(&lanes, 3);
    lanes_write(&lanes, KEYS, 11);
    struct lanes_state wanted = lanes_read(&lanes);
    struct relane_options options = options_of(&lanes, 2, &watch);
    options.pages = &none;
    assert_int_equal(relane(&options, lanes.datadir, &err), QN_MEMORY_FULL);
    assert_non_null(strstr(err.text, "lane 0"));
    lanes_reopen(&lanes);
    assert_int_equal(lanes.block.lanes, 3);
    assert_same(lanes_read(&lanes), wanted);
    lanes_remove(&lanes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_state_survives_every_change),
        cmocka_unit_test(a_change_without_news_writes_no_snapshots),
        cmocka_unit_test(an_empty_directory_changes_at_once),
        cmocka_unit_test(a_crash_leaves_one_whole_arrangement),
        cmocka_unit_test(what_a_dead_attempt_left_is_not_used),
        cmocka_unit_test(a_stopped_change_leaves_the_old_number),
        cmocka_unit_test(a_damaged_log_refuses_the_change),
        cmocka_unit_test(a_missing_log_refuses_the_change),
        cmocka_unit_test(a_bad_snapshot_refuses_the_change),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(a_change_without_memory_leaves_the_old_number),
    };

    return RUN_TESTS(tests);
}
