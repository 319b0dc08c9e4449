#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/scan.h"

struct row {
    const char *text;
    const char *message; /* part of the report; NULL = none */
};

static const struct row rows[] = {
    {"", NULL},
    {"a = 2147483647;", NULL},
    {"a = -2147483648;", NULL},
    {"a = 2147483648;", "f:1: the number is too large (beyond 2147483647)"},
    {"\n\na = 5000000000;", "f:3: the number is too large"},
    {"a = -2147483649;", "f:1: the number is too large"},
    {"a = 0x7fffffff;", NULL},
    {"a = 0x80000000;", "f:1: the number is too large"},
    {"a = 5000000000L;", NULL},
    {"a = 9223372036854775807LL;", NULL},
    {"a = 9223372036854775808L;", "f:1: the number is too large"},
    {"a = 99999999999999999999999999L;", "f:1: the number is too large"},
    {"a = 5000000000.0;", NULL},
    {"a = 1e10;", NULL},
    {"a = .5;", NULL},
    {"# 5000000000", NULL},
    {"// 10m\n", NULL},
    {"/* 5000000000\n10m */ a = 1;", NULL},
    {"a = \"5000000000 \\\" 10m\";", NULL},
    {"a5000000000 = 1;", NULL},
    {"a = 10m;", "f:1: 10m: a number with a unit stands in quotes: \"10m\""},
    {"a = 16GiB;", "f:1: 16GiB: a number with a unit"},
    {"node.id = 1;", "f:1: a dot in a name"},
    {"a = \"open\nb = 1;", "f:1: the text that begins here has no closing"},
    {"a = 1;\n/* open\n", "f:2: the comment that begins here does not end"},
    {"a = \"x\\", "f:1: the text that begins here has no closing"},
};

/* What libconfig would lose or could not explain is found, with its line; strings and comments are
 * skipped. */
static void losses_are_found_outside_of_strings_and_comments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cfg_report report = {0};

        scan_text(bytes_of_text(rows[i].text), "f", NULL, NULL, &report);
        print_message("%s => %s\n", rows[i].text, cfg_report_text(&report));
        assert_int_equal(report.error_count, rows[i].message ? 1 : 0);
        if (rows[i].message) {
            assert_non_null(strstr(cfg_report_text(&report), rows[i].message));
        }
        cfg_report_fini(&report);
    }
}

/* A NUL would silently end the text for libconfig. */
static void nul_is_refused(void **state)
{
    struct cfg_report report = {0};

    (void)state;
    scan_text(bytes_of("a = 1;\0b = 2;", 13), "f", NULL, NULL, &report);
    assert_non_null(strstr(cfg_report_text(&report), "f: contains a NUL"));
    cfg_report_fini(&report);
}

static void include_count(void *context, struct bytes path, unsigned line)
{
    size_t *count = context;

    (*count)++;
    assert_true(bytes_equal(path, bytes_of_text("other.cfg")));
    assert_int_equal(line, 2);
}

/* An include counts at the beginning of a line only, as for libconfig. */
static void includes_are_found_at_the_beginning_of_a_line(void **state)
{
    size_t count = 0;
    struct cfg_report report = {0};

    (void)state;
    scan_text(bytes_of_text("a = 1;\n  @include \"other.cfg\"\nb = { @include \"no.cfg\"\n};\n"
                            "# @include \"no.cfg\"\n/*\n@include \"no.cfg\"\n*/"),
              "f", include_count, &count, &report);
    assert_int_equal(count, 1);
    assert_int_equal(report.error_count, 0);
    cfg_report_fini(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_found_outside_of_strings_and_comments),
        cmocka_unit_test(nul_is_refused),
        cmocka_unit_test(includes_are_found_at_the_beginning_of_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
