#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/value.h"

typedef bool parse_fn(const char *text, int64_t *value, const char **problem);

struct row {
    parse_fn *parse;
    const char *text;
    int64_t value; /* -7 = refused */
};

enum { REFUSED = -7 };

static const struct row rows[] = {
    {value_count_parse, "0", 0},
    {value_count_parse, "65535", 65535},
    {value_count_parse, "-1", -1},
    {value_count_parse, "9223372036854775807", INT64_MAX},
    {value_count_parse, "9223372036854775808", REFUSED},
    {value_count_parse, "", REFUSED},
    {value_count_parse, "-", REFUSED},
    {value_count_parse, "1 ", REFUSED},
    {value_count_parse, "0x10", REFUSED},
    {value_size_parse, "512B", 512},
    {value_size_parse, "64KiB", 65536},
    {value_size_parse, "16GiB", INT64_C(17179869184)},
    {value_size_parse, "1TiB", INT64_C(1) << 40},
    {value_size_parse, "0B", 0},
    {value_size_parse, "64", REFUSED},
    {value_size_parse, "64KB", REFUSED},
    {value_size_parse, "64 KiB", REFUSED},
    {value_size_parse, "-1KiB", REFUSED},
    {value_size_parse, "KiB", REFUSED},
    {value_size_parse, "8388608TiB", REFUSED},
    {value_duration_parse, "250ms", 250},
    {value_duration_parse, "2s", 2000},
    {value_duration_parse, "10m", 600000},
    {value_duration_parse, "1h", 3600000},
    {value_duration_parse, "7d", 604800000},
    {value_duration_parse, "10", REFUSED},
    {value_duration_parse, "10min", REFUSED},
    {value_duration_parse, "106751991168d", REFUSED},
};

/* Digits and a unit of the table are read exactly; all else is refused, with a reason, and leaves
 * the value alone. */
static void quantities_are_read_exactly_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value = REFUSED;
        const char *problem = NULL;
        bool read = rows[i].parse(rows[i].text, &value, &problem);

        print_message("%s\n", rows[i].text);
        assert_int_equal(value, rows[i].value);
        assert_int_equal(read, rows[i].value != REFUSED);
        assert_int_equal(problem != NULL, !read);
    }
}

/* The words for true and false are those people type; letter case does not matter. */
static void truth_values_have_four_words_each(void **state)
{
    static const char *const yes[] = {"true", "YES", "On", "1"};
    static const char *const no[] = {"false", "no", "OFF", "0"};
    const char *problem = NULL;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        bool value = false;
        assert_true(value_bool_parse(yes[i], &value, &problem));
        assert_true(value);
        assert_true(value_bool_parse(no[i], &value, &problem));
        assert_false(value);
    }
    bool value = true;
    assert_false(value_bool_parse("maybe", &value, &problem));
    assert_non_null(problem);
}

/* What is printed can be read back, and is in the largest unit that is exact. */
static void prints_use_the_largest_exact_unit(void **state)
{
    char text[VALUE_TEXT_MAX];

    (void)state;
    assert_string_equal(value_size_print(0, text), "0B");
    assert_string_equal(value_size_print(1023, text), "1023B");
    assert_string_equal(value_size_print(65536, text), "64KiB");
    assert_string_equal(value_size_print(INT64_C(3) << 30, text), "3GiB");
    assert_string_equal(value_duration_print(0, text), "0ms");
    assert_string_equal(value_duration_print(1500, text), "1500ms");
    assert_string_equal(value_duration_print(600000, text), "10m");
    assert_string_equal(value_duration_print(INT64_MAX, text), "9223372036854775807ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_read_exactly_or_refused),
        cmocka_unit_test(truth_values_have_four_words_each),
        cmocka_unit_test(prints_use_the_largest_exact_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
