/* The file of an export: under its name only when it is complete. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/export_file.h"

static char folder[] = "/tmp/quoin-export-file-XXXXXX";
static char path[256];
static char part[300];

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(part, sizeof part, "%s.part", path);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    unlink(path);
    unlink(part);
    return 0;
}

static int tear_down(void **state)
{
    (void)clean(state);
    return rmdir(folder);
}

static void touch(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fclose(file);
}

/* Written under another name, renamed at the end. */
static void the_name_comes_last(void **state)
{
    (void)state;
    struct export_file file;
    uint64_t size = 0;
    assert_true(export_file_open(&file, path, false));
    assert_true(export_file_write(&file, bytes_of_text("hello")));
    assert_true(export_file_write(&file, bytes_of(NULL, 0)));
    assert_true(export_file_sync(&file, &size));
    assert_int_equal(size, 5);
    assert_int_equal(access(path, F_OK), -1);
    assert_true(export_file_finish(&file));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(access(part, F_OK), -1);
    export_file_close(&file);
}

/* Somebody takes the name while it is written: theirs stays, and ours is still there. */
static void a_name_taken_meanwhile_stays_theirs(void **state)
{
    (void)state;
    struct export_file file;
    assert_true(export_file_open(&file, path, false));
    assert_true(export_file_write(&file, bytes_of_text("ours")));
    touch(path);
    assert_false(export_file_finish(&file));
    assert_int_equal(errno, EEXIST);
    assert_int_equal(access(part, F_OK), 0);
    export_file_close(&file);
}

/* A part that is there is begun anew only when the caller knows it. */
static void a_part_is_begun_anew_on_demand(void **state)
{
    (void)state;
    struct export_file file;
    touch(part);
    assert_false(export_file_open(&file, path, false));
    assert_int_equal(errno, EEXIST);
    assert_true(export_file_open(&file, path, true));
    export_file_drop(&file);
    assert_int_equal(access(part, F_OK), -1);
    assert_false(export_file_go_on(&file, path, 0));
    assert_int_equal(errno, ENOENT);
    export_file_drop(&file);
}

/* What cannot be written says so. */
static void failures_are_said(void **state)
{
    (void)state;
    struct export_file file;
    char long_name[EXPORT_PATH_MAX + 1];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_false(export_file_open(&file, "/no/such/folder/file", false));
    assert_int_equal(errno, ENOENT);
    assert_false(export_file_open(&file, long_name, false));
    assert_int_equal(errno, ENAMETOOLONG);
    export_file_close(&file);
    assert_true(export_file_open(&file, path, false));
    uint64_t size = 0;
    FILE *before = file.to;
    file.to = fopen("/dev/full", "w");
    assert_non_null(file.to);
    assert_true(export_file_write(&file, bytes_of_text("x")));
    assert_false(export_file_sync(&file, &size));
    assert_int_equal(errno, ENOSPC);
    assert_false(export_file_finish(&file));
    file.to = before;
    export_file_drop(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_name_comes_last, clean),
        cmocka_unit_test_teardown(a_name_taken_meanwhile_stays_theirs, clean),
        cmocka_unit_test_teardown(a_part_is_begun_anew_on_demand, clean),
        cmocka_unit_test_teardown(failures_are_said, clean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
