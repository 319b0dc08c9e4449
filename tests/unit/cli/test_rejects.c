/* The side file of rejected records. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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
    assert_true(rejects_init(&rejects, NULL, "some/where/in.csv"));
    assert_true(rejects_close(&rejects));
    assert_int_equal(access("in.csv.rejected", F_OK), -1);
}

/* A second import does not overwrite the file of the first. */
static void nothing_is_overwritten(void **state)
{
    (void)state;
    for (int i = 1; i <= 2; i++) {
        struct rejects rejects;
        assert_true(rejects_init(&rejects, NULL, "some/where/in.csv"));
        assert_true(rejects_add(&rejects, (uint64_t)i, "why \"so\"", bytes_of_text("a,b\r\n")));
        assert_true(rejects_close(&rejects));
    }
    expect_content("in.csv.rejected",
                   "{\"line\":1,\"reason\":\"why \\\"so\\\"\",\"record\":\"a,b\"}\n");
    expect_content("in.csv.rejected.2",
                   "{\"line\":2,\"reason\":\"why \\\"so\\\"\",\"record\":\"a,b\"}\n");
}

/* A file that the caller names must not exist, neither at the beginning nor when it is needed. */
static void a_chosen_file_must_be_new(void **state)
{
    (void)state;
    struct rejects rejects;
    assert_true(rejects_init(&rejects, "chosen", "in.csv"));
    FILE *file = fopen("chosen", "w");
    assert_non_null(file);
    fclose(file);
    assert_false(rejects_add(&rejects, 1, "why", bytes_of_text("a")));
    assert_true(rejects_close(&rejects));
    assert_false(rejects_init(&rejects, "chosen", "in.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_reject_no_file),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(a_chosen_file_must_be_new),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
