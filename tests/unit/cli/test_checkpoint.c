/* The file that says where a copy stands. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/checkpoint.h"

static char folder[] = "/tmp/quoin-checkpoint-XXXXXX";
static char path[CHECKPOINT_PATH_MAX];

static int set_up(void **state)
{
    (void)state;
    char file[256];
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(file, sizeof file, "%s/in.csv", folder);
    return checkpoint_path(path, NULL, file) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_file(const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

/* The file stands beside the input, unless another place was chosen; names have an end. */
static void the_path_is_beside_the_file(void **state)
{
    (void)state;
    char other[CHECKPOINT_PATH_MAX];
    char long_name[CHECKPOINT_PATH_MAX + 1];
    assert_string_equal(path + strlen(folder), "/in.csv.progress");
    assert_true(checkpoint_path(other, "chosen", "in.csv"));
    assert_string_equal(other, "chosen");
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_false(checkpoint_path(other, NULL, long_name));
    assert_false(checkpoint_path(other, long_name, "in.csv"));
    assert_false(checkpoint_path(other, "", "in.csv"));
}

/* What was saved is loaded; the last one counts. */
static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    json_t *found = NULL;
    assert_int_equal(checkpoint_load(path, "import", &found), CHECKPOINT_ABSENT);
    for (int i = 1; i <= 3; i++) {
        json_t *saved = json_pack("{s:i, s:s}", "line", i, "text", "a\"b");
        assert_true(checkpoint_save(path, "import", saved));
        json_decref(saved);
    }
    assert_int_equal(checkpoint_load(path, "import", &found), CHECKPOINT_OURS);
    assert_int_equal(json_integer_value(json_object_get(found, "line")), 3);
    assert_string_equal(json_string_value(json_object_get(found, "text")), "a\"b");
    json_decref(found);
    checkpoint_remove(path);
    assert_int_equal(access(path, F_OK), -1);
    checkpoint_remove(path);
}

/* Nothing else is left in the folder: what it was written under is gone. */
static void no_other_file_is_left(void **state)
{
    (void)state;
    json_t *saved = json_pack("{s:i}", "line", 1);
    assert_true(checkpoint_save(path, "import", saved));
    json_decref(saved);
    checkpoint_remove(path);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

/* What is of another kind, damaged or no JSON at all is foreign. */
static void other_files_are_foreign(void **state)
{
    (void)state;
    static const char *const contents[] = {"",
                                           "hello",
                                           "[1]",
                                           "{}",
                                           "{\"quoin\":\"export\"}",
                                           "{\"quoin\":1}",
                                           "{\"quoin\":\"import\"",
                                           "\"import\""};
    json_t *found = NULL;
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        write_file(contents[i]);
        assert_int_equal(checkpoint_load(path, "import", &found), CHECKPOINT_FOREIGN);
        assert_null(found);
    }
    unlink(path);
}

/* A place that cannot be written is said, and what stood there before still does. */
static void failures_are_said(void **state)
{
    (void)state;
    char nowhere[CHECKPOINT_PATH_MAX];
    json_t *saved = json_pack("{s:i}", "line", 1);
    snprintf(nowhere, sizeof nowhere, "%.200s/no/such", folder);
    assert_false(checkpoint_save(nowhere, "import", saved));
    assert_false(checkpoint_save("/proc/none", "import", saved));
    json_decref(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_is_beside_the_file), cmocka_unit_test(what_is_saved_is_loaded),
        cmocka_unit_test(no_other_file_is_left),       cmocka_unit_test(other_files_are_foreign),
        cmocka_unit_test(failures_are_said),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
