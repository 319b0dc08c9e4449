/* The side file of rejected records. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/rejects.h"

static char folder[] = "/tmp/quoin-rejects-XXXXXX";
static char before[4096];

static int set_up(void **state)
{
    (void)state;
    bool ready = getcwd(before, sizeof before) != NULL && mkdtemp(folder) != NULL;
    return ready && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink("in.csv.rejected");
    unlink("in.csv.rejected.2");
    unlink("chosen");
    return chdir(before) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void expect_content(const char *path, const char *text)
{
    char content[512];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(content, 1, sizeof content - 1, file);
    content[size] = '\0';
    fclose(file);
    assert_string_equal(content, text);
}

/* Nothing rejected, no file. */
static void no_reject_no_file(void **state)
{
    (void)state;
    struct rejects rejects;
    assert_true(rejects_init(&rejects, NULL, "in.csv"));
    assert_true(rejects_close(&rejects));
    assert_int_equal(access("in.csv.rejected", F_OK), -1);
}

/* A second import does not overwrite the file of the first. */
static void nothing_is_overwritten(void **state)
{
    (void)state;
    for (int i = 1; i <= 2; i++) {
        struct rejects rejects;
        assert_true(rejects_init(&rejects, NULL, "in.csv"));
        assert_true(rejects_add(&rejects, (uint64_t)i, "why \"so\"", bytes_of_text("a,b\r\n")));
        assert_true(rejects_close(&rejects));
    }
    expect_content("in.csv.rejected",
                   "{\"line\":1,\"reason\":\"why \\\"so\\\"\",\"record\":\"a,b\"}\n");
    expect_content("in.csv.rejected.2",
                   "{\"line\":2,\"reason\":\"why \\\"so\\\"\",\"record\":\"a,b\"}\n");
}

/* It lies beside the input, wherever that is, and in the current folder for stdin. */
static void it_lies_beside_the_input(void **state)
{
    (void)state;
    static const char *const inputs[][2] = {{"data/in.csv", "data/in.csv.rejected"},
                                            {"-", "stdin.rejected"}};
    assert_int_equal(mkdir("data", 0777), 0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        struct rejects rejects;
        assert_true(rejects_init(&rejects, NULL, inputs[i][0]));
        assert_true(rejects_add(&rejects, 1, "why", bytes_of_text("a")));
        assert_true(rejects_close(&rejects));
        assert_string_equal(rejects.path, inputs[i][1]);
        assert_int_equal(unlink(inputs[i][1]), 0);
    }
    assert_int_equal(rmdir("data"), 0);
}

/* Beside an input where nothing can be created, it lies in the current folder. */
static void nothing_is_written_where_nothing_can_be(void **state)
{
    (void)state;
    struct rejects rejects;
    if (access("/sys", F_OK) != 0) {
        skip(); /* the one folder where root cannot create anything either */
    }
    assert_true(rejects_init(&rejects, NULL, "/sys/other.csv"));
    assert_true(rejects_add(&rejects, 1, "why", bytes_of_text("a")));
    assert_true(rejects_close(&rejects));
    assert_string_equal(rejects.path, "other.csv.rejected");
    assert_int_equal(unlink("other.csv.rejected"), 0);
}

/* A file that the caller names is created at once and must be new: nobody imports for an hour to
 * learn that. */
static void a_chosen_file_is_created_at_once(void **state)
{
    (void)state;
    struct rejects rejects;
    assert_true(rejects_init(&rejects, "chosen", "in.csv"));
    assert_int_equal(access("chosen", F_OK), 0);
    struct rejects other;
    assert_false(rejects_init(&other, "chosen", "in.csv"));
    assert_int_equal(errno, EEXIST);
    assert_true(rejects_add(&rejects, 1, "why", bytes_of_text("a")));
    assert_true(rejects_close(&rejects));
    expect_content("chosen", "{\"line\":1,\"reason\":\"why\",\"record\":\"a\"}\n");
    assert_false(rejects_init(&rejects, "no/such/folder", "in.csv"));
    assert_int_equal(errno, ENOENT);
    unlink("chosen");
}

/* It goes again when nothing was rejected. */
static void an_empty_chosen_file_goes(void **state)
{
    (void)state;
    struct rejects rejects;
    assert_true(rejects_init(&rejects, "chosen", "in.csv"));
    assert_true(rejects_close(&rejects));
    assert_int_equal(access("chosen", F_OK), -1);
}

/* Going on, the file is cut back to what is known to belong to the settled records: none stands in
 * it twice. */
static void going_on_cuts_back(void **state)
{
    (void)state;
    struct rejects rejects;
    uint64_t size = 1;
    assert_true(rejects_init(&rejects, "chosen", "in.csv"));
    assert_true(rejects_sync(&rejects, &size));
    assert_int_equal(size, 0);
    assert_true(rejects_add(&rejects, 1, "w", bytes_of_text("a")));
    assert_true(rejects_sync(&rejects, &size));
    assert_true(rejects_add(&rejects, 2, "w", bytes_of_text("b")));
    assert_true(rejects_close(&rejects));
    assert_true(rejects_go_on(&rejects, "chosen", size, 1));
    assert_int_equal(rejects.count, 1);
    assert_true(rejects_add(&rejects, 3, "w", bytes_of_text("c")));
    uint64_t after = 0;
    assert_true(rejects_sync(&rejects, &after));
    assert_int_equal(after, 2 * size);
    assert_true(rejects_close(&rejects));
    expect_content("chosen", "{\"line\":1,\"reason\":\"w\",\"record\":\"a\"}\n"
                             "{\"line\":3,\"reason\":\"w\",\"record\":\"c\"}\n");
    assert_false(rejects_go_on(&rejects, "chosen", 10 * size, 1));
    assert_false(rejects_go_on(&rejects, "nothing", 0, 0));
    unlink("chosen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_reject_no_file),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(it_lies_beside_the_input),
        cmocka_unit_test(nothing_is_written_where_nothing_can_be),
        cmocka_unit_test(a_chosen_file_is_created_at_once),
        cmocka_unit_test(an_empty_chosen_file_goes),
        cmocka_unit_test(going_on_cuts_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
