/* The progress line as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/progress.h"

/* With a known total there is a bar; it never runs over. */
static void a_known_total_gives_a_bar(void **state)
{
    (void)state;
    struct progress progress = {.what = "imported", .total = 1000};
    char line[PROGRESS_LINE_MAX];
    progress_format(&progress, 5000, 500, 2000000000, line);
    assert_string_equal(line, "[##########..........]  50%  5,000 imported, 2,500/s, 2 s left");
    progress_format(&progress, 5000, 2000, 1000000000, line);
    assert_string_equal(line, "[####################] 100%  5,000 imported, 5,000/s");
}

/* What goes on where it was interrupted has the speed of the rest, not of the whole. */
static void a_rest_has_its_own_speed(void **state)
{
    (void)state;
    struct progress progress = {.what = "imported", .total = 1000};
    char line[PROGRESS_LINE_MAX];
    progress_go_on(&progress, 4000, 400);
    progress_format(&progress, 5000, 500, 10000000000, line);
    assert_string_equal(line, "[##########..........]  50%  5,000 imported, 100/s, 50 s left");
    progress_format(&progress, 4000, 400, 10000000000, line);
    assert_string_equal(line, "[########............]  40%  4,000 imported, 0/s");
}

/* The longest line there can be fits. */
static void the_longest_line_fits(void **state)
{
    (void)state;
    struct progress progress = {.what = "imported", .total = UINT64_MAX};
    char line[PROGRESS_LINE_MAX];
    progress_format(&progress, UINT64_MAX, UINT64_MAX / 3 * 2, 1000000000000, line);
    assert_non_null(strstr(line, " left"));
}

/* Without a total there is a count. */
static void an_unknown_total_gives_a_count(void **state)
{
    (void)state;
    struct progress progress = {.what = "requests", .total = 0};
    char line[PROGRESS_LINE_MAX];
    progress_format(&progress, 12345, 0, 0, line);
    assert_string_equal(line, "12,345 requests, 0/s");
}

/* When stderr is no terminal, nothing is written. */
static void no_terminal_no_animation(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    struct progress progress;
    progress_init(&progress, file, false, "requests", 10);
    progress_show(&progress, 1, 1);
    progress_end(&progress);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_total_gives_a_bar),
        cmocka_unit_test(a_rest_has_its_own_speed),
        cmocka_unit_test(the_longest_line_fits),
        cmocka_unit_test(an_unknown_total_gives_a_count),
        cmocka_unit_test(no_terminal_no_animation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
