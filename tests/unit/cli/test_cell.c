/* Cells of a CSV as JSON and back, by what their column holds. */
#include "client/cli/cell.h"
#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

struct row {
    enum pof_shape_kind kind;
    const char *cell;
    const char *json;
};

static void expect_json(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct pof_shape shape = {.kind = rows[i].kind};
        struct buf json = {.size = 0};
        assert_int_equal(cell_to_json(bytes_of_text(rows[i].cell), &shape, &json), QN_OK);
        if (!bytes_equal(buf_bytes(&json), bytes_of_text(rows[i].json))) {
            fail_msg("'%s': %.*s, not %s", rows[i].cell, (int)json.size, (const char *)json.data,
                     rows[i].json);
        }
        buf_fini(&json);
    }
}

/* A text is what it says, whatever it looks like. */
static void texts_are_quoted(void **state)
{
    static const struct row rows[] = {
        {POF_SHAPE_STRING, "17", "\"17\""},
        {POF_SHAPE_STRING, "null", "\"null\""},
        {POF_SHAPE_STRING, "a\"b\\c\n", "\"a\\\"b\\\\c\\n\""},
        {POF_SHAPE_STRING, "\xc3\xa4", "\"\xc3\xa4\""},
        {POF_SHAPE_CHAR, "x", "\"x\""},
        {POF_SHAPE_OCTETS, "AP8=", "\"AP8=\""},
        {POF_SHAPE_DATE, "2024-02-29", "\"2024-02-29\""},
        {POF_SHAPE_YEAR_MONTH, "P1Y2M", "\"P1Y2M\""},
        {POF_SHAPE_DATETIME, "2000-01-01T00:00", "\"2000-01-01T00:00\""},
        {POF_SHAPE_DATETIME, "2000-01-01 00:00", "\"2000-01-01T00:00\""},
        {POF_SHAPE_STRING, "2000-01-01 00:00", "\"2000-01-01 00:00\""},
    };

    (void)state;
    expect_json(rows, sizeof rows / sizeof *rows);
}

/* Numbers are written as JSON writes them, with all their digits; what is none stays text, which
 * the record's reader refuses. */
static void numbers_have_one_form(void **state)
{
    static const struct row rows[] = {
        {POF_SHAPE_INT32, "0", "0"},
        {POF_SHAPE_INT32, "-5", "-5"},
        {POF_SHAPE_INT32, "007", "7"},
        {POF_SHAPE_INT32, "+5", "5"},
        {POF_SHAPE_INT128, "170141183460469231731687303715884105727",
         "170141183460469231731687303715884105727"},
        {POF_SHAPE_FLOAT64, "-1.5e3", "-1.5e3"},
        {POF_SHAPE_FLOAT64, ".5", "0.5"},
        {POF_SHAPE_FLOAT64, "-.5E-7", "-0.5E-7"},
        {POF_SHAPE_FLOAT64, "5.", "5"},
        {POF_SHAPE_FLOAT64, "NaN", "\"NaN\""},
        {POF_SHAPE_FLOAT64, "-Infinity", "\"-Infinity\""},
        {POF_SHAPE_DECIMAL, "12.50", "12.50"},
        {POF_SHAPE_DECIMAL, "125E+5", "125E+5"},
        {POF_SHAPE_INT32, "many", "\"many\""},
        {POF_SHAPE_INT32, " 1", "\" 1\""},
        {POF_SHAPE_INT32, "1 ", "\"1 \""},
        {POF_SHAPE_INT32, "0x10", "\"0x10\""},
        {POF_SHAPE_INT32, "1, \"b\": 2", "\"1, \\\"b\\\": 2\""},
        {POF_SHAPE_FLOAT64, "1.2.3", "\"1.2.3\""},
        {POF_SHAPE_FLOAT64, "1e", "\"1e\""},
        {POF_SHAPE_FLOAT64, ".", "\".\""},
        {POF_SHAPE_FLOAT64, "-", "\"-\""},
        {POF_SHAPE_FLOAT64, "1e+", "\"1e+\""},
    };

    (void)state;
    expect_json(rows, sizeof rows / sizeof *rows);
}

static void words_become_bools(void **state)
{
    static const struct row rows[] = {
        {POF_SHAPE_BOOL, "true", "true"},
        {POF_SHAPE_BOOL, "No", "false"},
        {POF_SHAPE_BOOL, "1", "true"},
        {POF_SHAPE_BOOL, "maybe", "\"maybe\""},
        {POF_SHAPE_BOOL, "true, \"x\": 1", "\"true, \\\"x\\\": 1\""},
    };

    (void)state;
    expect_json(rows, sizeof rows / sizeof *rows);
}

/* Of several parts: one JSON value as it is. What is none, or more than one, is a text: a cell
 * cannot add members to its record. */
static void values_of_parts_are_json(void **state)
{
    static const struct row rows[] = {
        {POF_SHAPE_LIST, "[1, 2]", "[1, 2]"},
        {POF_SHAPE_USER, "{\"a\": {\"$date\": \"2024-01-01\"}}",
         "{\"a\": {\"$date\": \"2024-01-01\"}}"},
        {POF_SHAPE_ANY, "5", "5"},
        {POF_SHAPE_ANY, "five", "\"five\""},
        {POF_SHAPE_LIST, "[1, 2", "\"[1, 2\""},
        {POF_SHAPE_LIST, "[1], \"key\": 7", "\"[1], \\\"key\\\": 7\""},
        {POF_SHAPE_ANY, "1}", "\"1}\""},
    };

    (void)state;
    expect_json(rows, sizeof rows / sizeof *rows);
}

/* An empty cell says nothing; in quotes it is an empty text where one can be meant. */
static void empty_quotes_are_an_empty_text(void **state)
{
    const struct pof_shape string = {.kind = POF_SHAPE_STRING};
    const struct pof_shape octets = {.kind = POF_SHAPE_OCTETS};
    const struct pof_shape number = {.kind = POF_SHAPE_INT32};
    const struct bytes empty = bytes_of_text("");

    (void)state;
    assert_true(cell_is_absent(empty, false, &string));
    assert_false(cell_is_absent(empty, true, &string));
    assert_false(cell_is_absent(empty, true, &octets));
    assert_true(cell_is_absent(empty, true, &number));
    assert_false(cell_is_absent(bytes_of_text("0"), false, &number));
}

/* Text must be UTF-8, and nothing half done stays behind. */
static void other_encodings_are_refused(void **state)
{
    static const char *const bad[] = {"\xff", "\xed\xa0\x80", "\xc0\x80"};
    const struct pof_shape shape = {.kind = POF_SHAPE_STRING};
    struct buf json = {.size = 0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cell_to_json(bytes_of_text(bad[i]), &shape, &json), QN_MALFORMED);
        assert_int_equal(json.size, 0);
    }
    buf_fini(&json);
}

static void expect_cell(const struct row *rows, size_t count, bool exact)
{
    for (size_t i = 0; i < count; i++) {
        const struct pof_shape shape = {.kind = rows[i].kind};
        struct buf text = {.size = 0};
        bool found = true;
        assert_int_equal(cell_of_json(bytes_of_text(rows[i].json), &shape, &text, &found), QN_OK);
        assert_bytes_equal(buf_bytes(&text), bytes_of_text(rows[i].cell));
        assert_int_equal(found, exact);
        buf_fini(&text);
    }
}

/* The way back: text without quotes, the rest as JSON. */
static void json_becomes_a_cell(void **state)
{
    static const struct row rows[] = {
        {POF_SHAPE_STRING, "a\"\n\xe2\x82\xac", "\"a\\\"\\n\\u20ac\""},
        {POF_SHAPE_STRING, "", "\"\""},
        {POF_SHAPE_INT64, "-7", "-7"},
        {POF_SHAPE_FLOAT64, "NaN", "\"NaN\""},
        {POF_SHAPE_BOOL, "true", "true"},
        {POF_SHAPE_LIST, "[\"a\"]", "[\"a\"]"},
        {POF_SHAPE_ANY, "\"five\"", "\"five\""},
    };

    (void)state;
    expect_cell(rows, sizeof rows / sizeof *rows, true);
    expect_json(&rows[2], 5);
}

/* What the cell does not tell is told: null, marks, half a pair of surrogates. */
static void losses_are_told(void **state)
{
    static const struct row rows[] = {
        {POF_SHAPE_STRING, "", "null"},
        {POF_SHAPE_STRING, "{\"$int64\": 5}", "{\"$int64\": 5}"},
        {POF_SHAPE_INT32, "{\"$float64\": 5.0}", "{\"$float64\": 5.0}"},
        {POF_SHAPE_CHAR, "55357", "55357"},
        {POF_SHAPE_BOOL, "1", "1"},
    };

    (void)state;
    expect_cell(rows, sizeof rows / sizeof *rows, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_quoted),
        cmocka_unit_test(numbers_have_one_form),
        cmocka_unit_test(words_become_bools),
        cmocka_unit_test(values_of_parts_are_json),
        cmocka_unit_test(empty_quotes_are_an_empty_text),
        cmocka_unit_test(other_encodings_are_refused),
        cmocka_unit_test(json_becomes_a_cell),
        cmocka_unit_test(losses_are_told),
    };

    return RUN_TESTS(tests);
}
