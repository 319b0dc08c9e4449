/* The folders of lanes: what they are called, and which of them are removed. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/lane.h"
#include "tests/lib/check.h"
#include "tests/unit/node/log_fixture.h"

/* The number of lanes is part of the name; a path that does not fit is noticed. */
static void paths_name_lane_and_number(void **state)
{
    char path[64];

    (void)state;
    assert_true(lane_path("/data", 2, 5, path, sizeof path));
    assert_string_equal(path, "/data/lane-2of5");
    assert_true(lane_log_path("/data", 0, 1, path, sizeof path));
    assert_string_equal(path, "/data/lane-0of1/log");
    assert_true(lane_path("/data", 2, 5, path, 16));
    assert_false(lane_path("/data", 2, 5, path, 15));
    assert_false(lane_log_path("/data", 2, 5, path, 19));
}

/* No lane is taken for another: not of another number, not of another disk. */
static void owners_differ(void **state)
{
    uint64_t owners[3 * 4 * 4];
    size_t count = 0;

    (void)state;
    for (uint64_t disk = 1; disk <= 3; disk++) {
        for (uint32_t lanes = 1; lanes <= 4; lanes++) {
            for (uint32_t lane = 0; lane < lanes; lane++) {
                owners[count++] = lane_owner(disk, lane, lanes);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(owners[i] != owners[j]);
        }
    }
}

static bool there(const struct folder *data, const char *name)
{
    char path[PATH_MAX_SIZE * 2];

    (void)snprintf(path, sizeof path, "%s/%s", data->path, name);
    return access(path, F_OK) == 0;
}

static void folder_put(const struct folder *data, const char *name)
{
    char path[PATH_MAX_SIZE * 2];

    (void)snprintf(path, sizeof path, "%s/%s", data->path, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void file_put(const struct folder *data, const char *name)
{
    char path[PATH_MAX_SIZE * 2];

    (void)snprintf(path, sizeof path, "%s/%s", data->path, name);
    file_store(path, bytes_of_text("content"));
}

/* Lanes of another number go with all that is in them; those of this number stay, and so does
 * whatever is called only nearly so. */
static void only_lanes_of_another_number_are_removed(void **state)
{
    static const char *const kept[] = {
        "lane-0of3",     "lane-2of3",  "lane-0",           "lane-1of",   "lane-of2",
        "lane-1of2x",    "xlane-1of2", "lane-01of2",       "lane--1of2", "lane-2of2",
        "lane-1of2.old", "p1of2",      "lane-1of20000000", "lane-+1of2"};
    static const char *const removed[] = {"lane-0of2", "lane-1of2", "lane-0of1", "lane-200of256"};
    struct folder data;
    char name[64];

    (void)state;
    folder_make(&data);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        folder_put(&data, kept[i]);
    }
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        folder_put(&data, removed[i]);
        (void)snprintf(name, sizeof name, "%s/log", removed[i]);
        folder_put(&data, name);
        (void)snprintf(name, sizeof name, "%s/log/00000000000000000000.log", removed[i]);
        file_put(&data, name);
        (void)snprintf(name, sizeof name, "%s/manifest", removed[i]);
        file_put(&data, name);
        (void)snprintf(name, sizeof name, "%s/manifest.tmp", removed[i]);
        file_put(&data, name);
    }
    lanes_clean(data.path, 3);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_true(there(&data, kept[i]));
    }
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        assert_false(there(&data, removed[i]));
    }
    lanes_clean("/nonexistent", 3);
    folder_remove(&data);
}

/* A link in place of a lane is not followed: what it leads to is not ours to remove. */
static void links_are_not_followed(void **state)
{
    struct folder data;
    char path[PATH_MAX_SIZE * 2], target[PATH_MAX_SIZE * 2];

    (void)state;
    folder_make(&data);
    folder_put(&data, "elsewhere");
    file_put(&data, "elsewhere/manifest");
    (void)snprintf(target, sizeof target, "%s/elsewhere", data.path);
    (void)snprintf(path, sizeof path, "%s/lane-0of2", data.path);
    assert_int_equal(symlink(target, path), 0);
    lanes_clean(data.path, 3);
    assert_true(there(&data, "elsewhere/manifest"));
    folder_remove(&data);
}

/* Making a lane twice is fine. */
static void lanes_are_made(void **state)
{
    struct folder data;
    char wide[5000];

    (void)state;
    folder_make(&data);
    assert_int_equal(lane_make(data.path, 1, 2, NULL), QN_OK);
    assert_int_equal(lane_make(data.path, 1, 2, NULL), QN_OK);
    assert_true(there(&data, "lane-1of2"));
    memset(wide, 'x', sizeof wide);
    wide[sizeof wide - 1] = '\0';
    assert_int_equal(lane_make(wide, 1, 2, NULL), QN_INVALID);
    folder_remove(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_name_lane_and_number),
        cmocka_unit_test(owners_differ),
        cmocka_unit_test(only_lanes_of_another_number_are_removed),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(lanes_are_made),
    };

    return RUN_TESTS(tests);
}
