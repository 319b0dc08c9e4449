/* Reading one field of a CSV or JSON record by its kind: what is taken, what is refused, and the
 * limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/field.h"

static char problem[FIELD_PROBLEM_MAX];

/* Show what was read as JSON, or "!" and why it was not. `json` NULL = the cell is text. */
static char *read_and_show(enum types_kind kind, struct bytes text, const json_t *json)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct cell cell = {.text = text, .json = json};
    struct field_value value;
    char *shown = NULL;
    if (field_read(&cell, kind, &arena, &value, problem)) {
        json_t *out = field_json(&value);
        shown = json_dumps(out, JSON_COMPACT | JSON_ENCODE_ANY);
        json_decref(out);
    }
    arena_fini(&arena);
    return shown;
}

static char *read_text(enum types_kind kind, const char *text)
{
    return read_and_show(kind, bytes_of_text(text), NULL);
}

static char *read_json(enum types_kind kind, const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_non_null(json);
    char *shown = read_and_show(kind, bytes_of_text(""), json);
    json_decref(json);
    return shown;
}

struct good {
    enum types_kind kind;
    const char *cell;
    const char *json;
};

/* What a CSV cell can hold. */
static void cells_are_read_by_kind(void **state)
{
    (void)state;
    static const struct good cases[] = {
        {TYPES_STRING, "17", "\"17\""},
        {TYPES_STRING, "", "null"},
        {TYPES_STRING, "\xc3\xa4", "\"\xc3\xa4\""},
        {TYPES_BOOL, "true", "true"},
        {TYPES_BOOL, "no", "false"},
        {TYPES_OCTET, "0", "0"},
        {TYPES_OCTET, "255", "255"},
        {TYPES_INT16, "-32768", "-32768"},
        {TYPES_INT16, "32767", "32767"},
        {TYPES_INT32, "-2147483648", "-2147483648"},
        {TYPES_INT32, "2147483647", "2147483647"},
        {TYPES_INT64, "-9223372036854775808", "-9223372036854775808"},
        {TYPES_INT64, "9223372036854775807", "9223372036854775807"},
        {TYPES_FLOAT64, "-1.5e3", "-1500.0"},
        {TYPES_FLOAT32, "0.5", "0.5"},
        {TYPES_CHAR, "x", "\"x\""},
        {TYPES_CHAR, "\xe2\x82\xac", "\"\xe2\x82\xac\""},
        {TYPES_OCTETS, "0x00fF", "\"0x00ff\""},
        {TYPES_OCTETS, "0x", "\"0x\""},
        {TYPES_DATE, "2024-02-29", "\"2024-02-29\""},
        {TYPES_TIME, "23:59", "\"23:59:00\""},
        {TYPES_TIME, "23:59:60", "\"23:59:60\""},
        {TYPES_TIME, "01:02:03.500Z", "\"01:02:03.5Z\""},
        {TYPES_TIME, "01:02:03.000000001-03:30", "\"01:02:03.000000001-03:30\""},
        {TYPES_DATETIME, "2000-01-01 00:00", "\"2000-01-01T00:00:00\""},
        {TYPES_DATETIME, "2000-01-01T10:20:30+01:00", "\"2000-01-01T10:20:30+01:00\""},
        {TYPES_STRINGS, "[\"a\",\"\"]", "[\"a\",\"\"]"},
        {TYPES_INT32, "", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *shown = read_text(cases[i].kind, cases[i].cell);
        if (shown == NULL || strcmp(shown, cases[i].json) != 0) {
            fail_msg("'%s': %s", cases[i].cell, shown != NULL ? shown : problem);
        }
        free(shown);
    }
}

/* What a JSON member can hold. */
static void members_are_read_by_kind(void **state)
{
    (void)state;
    static const struct good cases[] = {
        {TYPES_STRING, "\"\"", "\"\""},
        {TYPES_STRING, "null", "null"},
        {TYPES_STRING, "\"a\\u0000b\"", "\"a\\u0000b\""},
        {TYPES_BOOL, "false", "false"},
        {TYPES_INT64, "-9223372036854775808", "-9223372036854775808"},
        {TYPES_FLOAT64, "3", "3.0"},
        {TYPES_FLOAT64, "2.5", "2.5"},
        {TYPES_OCTETS, "\"0xff\"", "\"0xff\""},
        {TYPES_DATE, "\"0001-01-01\"", "\"0001-01-01\""},
        {TYPES_STRINGS, "[]", "[]"},
        {TYPES_STRINGS, "[\"x\"]", "[\"x\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *shown = read_json(cases[i].kind, cases[i].cell);
        assert_non_null(shown);
        assert_string_equal(shown, cases[i].json);
        free(shown);
    }
}

struct bad {
    enum types_kind kind;
    const char *cell;
    const char *says;
};

/* What does not fit is refused with a reason. */
static void wrong_cells_are_explained(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {TYPES_OCTET, "256", "out of range: 256 is not from 0 to 255 (octet)"},
        {TYPES_OCTET, "-1", "out of range"},
        {TYPES_INT16, "32768", "out of range"},
        {TYPES_INT32, "2147483648", "out of range"},
        {TYPES_INT64, "9223372036854775808", "not a whole number of 64 bits"},
        {TYPES_INT32, "1.0", "not a whole number"},
        {TYPES_INT32, " 1", "not a whole number"},
        {TYPES_INT32, "0x10", "not a whole number"},
        {TYPES_FLOAT32, "1e39", "out of range"},
        {TYPES_FLOAT64, "1e999", "out of range"},
        {TYPES_FLOAT64, "nan", "not a number"},
        {TYPES_FLOAT64, "0x1p3", "not a number"},
        {TYPES_FLOAT64, "1.2.3", "not a number"},
        {TYPES_BOOL, "maybe", "not true or false"},
        {TYPES_CHAR, "xy", "not one character"},
        {TYPES_CHAR, "\xf0\x9f\x98\x80", "not one character"},
        {TYPES_STRING, "\xff", "invalid UTF-8"},
        {TYPES_STRING, "\xed\xa0\x80", "invalid UTF-8"},
        {TYPES_OCTETS, "00ff", "0x00ff"},
        {TYPES_OCTETS, "0x0", "0x00ff"},
        {TYPES_DATE, "2023-02-29", "a date such as"},
        {TYPES_DATE, "2023-13-01", "a date such as"},
        {TYPES_DATE, "2023-1-1", "a date such as"},
        {TYPES_DATE, "2023-01-01x", "a date such as"},
        {TYPES_TIME, "24:00", "a time such as"},
        {TYPES_TIME, "23:59:60.5", "a time such as"},
        {TYPES_TIME, "10:00-00:30", "a time such as"},
        {TYPES_TIME, "10:00+24:00", "a time such as"},
        {TYPES_DATETIME, "2023-01-01", "a date and time"},
        {TYPES_STRINGS, "a,b", "an array such as"},
        {TYPES_STRINGS, "[1]", "element 0 of the array is a whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *shown = read_text(cases[i].kind, cases[i].cell);
        if (shown != NULL || strstr(problem, cases[i].says) == NULL) {
            fail_msg("'%s': %s", cases[i].cell, shown != NULL ? shown : problem);
        }
    }
}

/* JSON has types of its own: nothing is guessed. */
static void json_types_are_not_bent(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {TYPES_STRING, "17", "wrong type: a whole number where a string was expected (string)"},
        {TYPES_INT32, "\"17\"", "wrong type: a string where a whole number was expected"},
        {TYPES_INT32, "1.5", "a number with a fraction"},
        {TYPES_INT32, "2147483648", "out of range"},
        {TYPES_BOOL, "1", "wrong type"},
        {TYPES_FLOAT64, "\"1\"", "wrong type"},
        {TYPES_STRING, "{}", "wrong type: an object"},
        {TYPES_STRINGS, "\"x\"", "wrong type: a string where an array of strings"},
        {TYPES_STRINGS, "[null]", "element 0 of the array is null"},
        {TYPES_DATE, "20240101", "wrong type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *shown = read_json(cases[i].kind, cases[i].cell);
        if (shown != NULL || strstr(problem, cases[i].says) == NULL) {
            fail_msg("'%s': %s", cases[i].cell, shown != NULL ? shown : problem);
        }
    }
}

/* Absent equals absent and nothing else; -0.0 is not 0.0. */
static void values_are_compared_exactly(void **state)
{
    (void)state;
    struct field_value absent = {.kind = TYPES_INT32};
    struct field_value zero = {.kind = TYPES_INT32, .present = true};
    struct field_value positive = {.kind = TYPES_FLOAT64, .present = true, .real = 0.0};
    struct field_value negative = {.kind = TYPES_FLOAT64, .present = true, .real = -0.0};
    assert_true(field_equal(&absent, &absent));
    assert_false(field_equal(&absent, &zero));
    assert_false(field_equal(&zero, &positive));
    assert_false(field_equal(&positive, &negative));
}

/* What no decimal number says has words, in a cell and in JSON alike; nothing else is bent. */
static void special_numbers_have_words(void **state)
{
    (void)state;
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char quoted[16];
        snprintf(quoted, sizeof quoted, "\"%s\"", words[i]);
        char *of_cell = read_text(TYPES_FLOAT64, words[i]);
        char *of_json = read_json(TYPES_FLOAT32, quoted);
        assert_string_equal(of_cell, quoted);
        assert_string_equal(of_json, quoted);
        free(of_cell);
        free(of_json);
    }
    assert_null(read_text(TYPES_FLOAT64, "nan"));
    assert_non_null(strstr(problem, "is not a number"));
    assert_null(read_text(TYPES_FLOAT64, "1e999"));
    assert_non_null(strstr(problem, "out of range"));
    assert_null(read_json(TYPES_INT32, "\"NaN\""));
    assert_non_null(strstr(problem, "wrong type"));
}

/* An empty cell in quotes is an empty string where the field is one, and absent elsewhere. */
static void empty_quotes_are_an_empty_string(void **state)
{
    (void)state;
    struct arena arena;
    struct field_value value;
    struct cell cell = {.text = bytes_of("", 0), .quoted = true};
    arena_init(&arena, 0);
    assert_true(field_read(&cell, TYPES_STRING, &arena, &value, problem));
    assert_true(value.present);
    assert_int_equal(value.text.size, 0);
    assert_true(field_read(&cell, TYPES_INT32, &arena, &value, problem));
    assert_false(value.present);
    cell.quoted = false;
    assert_true(field_read(&cell, TYPES_STRING, &arena, &value, problem));
    assert_false(value.present);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_read_by_kind),
        cmocka_unit_test(members_are_read_by_kind),
        cmocka_unit_test(wrong_cells_are_explained),
        cmocka_unit_test(json_types_are_not_bent),
        cmocka_unit_test(values_are_compared_exactly),
        cmocka_unit_test(special_numbers_have_words),
        cmocka_unit_test(empty_quotes_are_an_empty_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
