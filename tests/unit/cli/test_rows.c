/* Records of all formats, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/rows.h"

static char problem[QN_ERROR_TEXT_MAX];

static struct rows *open_rows(const char *text, struct rows_options options)
{
    if (options.delimiter == '\0') {
        options.delimiter = ',';
    }
    return rows_open(bytes_of_text(text), &options, problem);
}

static void expect_cell(const struct row *row, size_t number, const char *name, const char *text)
{
    assert_null(row->problem);
    assert_true(number < row->cell_count);
    const struct cell *cell = &row->cells[number];
    assert_true(bytes_equal(cell->name, bytes_of_text(name)));
    assert_true(bytes_equal(cell->text, bytes_of_text(text)));
}

/* The first line of a CSV names the columns. */
static void the_header_names_the_columns(void **state)
{
    (void)state;
    struct rows *rows = open_rows("id, name\n1,x\n", (struct rows_options){.format = ROWS_CSV});
    struct row row;
    assert_non_null(rows);
    assert_int_equal(rows_column_count(rows), 2);
    assert_true(bytes_equal(rows_column(rows, 1), bytes_of_text("name")));
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_int_equal(row.line, 2);
    assert_true(bytes_equal(row.raw, bytes_of_text("1,x\n")));
    expect_cell(&row, 0, "id", "1");
    expect_cell(&row, 1, "name", "x");
    assert_int_equal(rows_next(rows, &row), ROWS_END);
    rows_close(rows);
}

/* Without a header the names are given, and the first line is a record. */
static void given_names_stand_for_the_header(void **state)
{
    (void)state;
    struct rows *rows = open_rows("1;x;y\n", (struct rows_options){.format = ROWS_CSV,
                                                                   .delimiter = ';',
                                                                   .no_header = true,
                                                                   .fields = "id,,name"});
    struct row row;
    assert_non_null(rows);
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_int_equal(row.line, 1);
    expect_cell(&row, 0, "id", "1");
    expect_cell(&row, 1, "", "x");
    expect_cell(&row, 2, "name", "y");
    rows_close(rows);
}

/* A record with another number of columns is bad, and the next one is read. */
static void a_ragged_record_is_rejected_alone(void **state)
{
    (void)state;
    struct rows *rows = open_rows("a,b\n1\n2,3\n", (struct rows_options){.format = ROWS_CSV});
    struct row row;
    assert_non_null(rows);
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_string_equal(row.problem, "1 columns where 2 were expected");
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    expect_cell(&row, 1, "b", "3");
    rows_close(rows);
}

static void expect_raw(struct rows *rows, uint64_t line, const char *text)
{
    struct row row;
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_null(row.problem);
    assert_int_equal(row.line, line);
    assert_true(bytes_equal(row.raw, bytes_of_text(text)));
}

/* Elements of a JSON array are records, as they stand. */
static void json_elements_are_records(void **state)
{
    (void)state;
    struct rows *rows = open_rows("{\"x\":[{\"b\":\"1\",\"a\":\"2\"},\n{\"a\": \"3\"}]}",
                                  (struct rows_options){.format = ROWS_JSON, .at = "x"});
    struct row row;
    assert_non_null(rows);
    expect_raw(rows, 1, "{\"b\":\"1\",\"a\":\"2\"}");
    expect_raw(rows, 2, "{\"a\": \"3\"}");
    assert_int_equal(rows_next(rows, &row), ROWS_END);
    rows_close(rows);
}

/* Lines are records, whatever is in them: one that is no JSON spoils no other. */
static void json_lines_are_records(void **state)
{
    (void)state;
    struct rows *rows = open_rows("{\"a\":}\r\n\n17\n{\"a\":1} x\n{\"a\":\"1\"}",
                                  (struct rows_options){.format = ROWS_JSON_LINES});
    assert_non_null(rows);
    expect_raw(rows, 1, "{\"a\":}");
    expect_raw(rows, 3, "17");
    expect_raw(rows, 4, "{\"a\":1} x");
    expect_raw(rows, 5, "{\"a\":\"1\"}");
    rows_close(rows);
}

/* An array that does not end says on which line it broke, after the records before were given. */
static void a_broken_array_says_where(void **state)
{
    (void)state;
    struct rows *rows =
        open_rows("[{\"a\":\"1\"}\n{}]", (struct rows_options){.format = ROWS_JSON});
    struct row row;
    assert_non_null(rows);
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_int_equal(rows_next(rows, &row), ROWS_BROKEN);
    assert_non_null(strstr(rows_problem(rows), "line 2"));
    rows_close(rows);
}

/* What cannot be begun is explained. */
static void a_wrong_beginning_is_explained(void **state)
{
    (void)state;
    assert_null(open_rows("", (struct rows_options){.format = ROWS_CSV}));
    assert_non_null(strstr(problem, "empty"));
    assert_null(open_rows("{\"n\":[]}", (struct rows_options){.format = ROWS_JSON}));
    assert_non_null(strstr(problem, "--at n"));
}

/* The format is guessed by the name, then by the first letter. */
static void the_format_is_guessed(void **state)
{
    (void)state;
    struct bytes none = bytes_of_text("");
    assert_int_equal(rows_guess("x.JSON", none, false), ROWS_JSON);
    assert_int_equal(rows_guess("x.ndjson", none, false), ROWS_JSON_LINES);
    assert_int_equal(rows_guess("x.csv", bytes_of_text("["), false), ROWS_CSV);
    assert_int_equal(rows_guess("x", bytes_of_text(" [1"), false), ROWS_JSON);
    assert_int_equal(rows_guess("x", bytes_of_text("{\"a\""), false), ROWS_JSON_LINES);
    assert_int_equal(rows_guess("x", bytes_of_text("{\"a\""), true), ROWS_JSON);
    assert_int_equal(rows_guess("x.txt", bytes_of_text("0041;A"), false), ROWS_CSV);
}

/* A column that stands twice would give a field two values: refused, with what to do. Columns
 * that are skipped have no name and may stand often. */
static void columns_must_differ(void **state)
{
    (void)state;
    assert_null(open_rows("id,name, id \n1,2,3\n", (struct rows_options){.format = ROWS_CSV}));
    assert_non_null(strstr(problem, "columns 1 and 3 are both called 'id'"));
    assert_null(open_rows(
        "1,2\n", (struct rows_options){.format = ROWS_CSV, .no_header = true, .fields = "a,a"}));
    assert_non_null(strstr(problem, "--fields"));
    struct rows *rows = open_rows("id,,\n1,2,3\n", (struct rows_options){.format = ROWS_CSV});
    assert_non_null(rows);
    rows_close(rows);
}

static void expect_same_row(const struct row *a, const struct row *b)
{
    assert_int_equal(a->line, b->line);
    assert_true(bytes_equal(a->raw, b->raw));
    assert_int_equal(a->cell_count, b->cell_count);
    assert_int_equal(a->problem == NULL, b->problem == NULL);
}

/* Whoever goes on after any row reads what the first reader reads. */
static void expect_going_on(const char *text, struct rows_options options, size_t row_count)
{
    for (size_t stop = 0; stop <= row_count; stop++) {
        struct rows *first = open_rows(text, options);
        struct rows *second = open_rows(text, options);
        struct row a;
        struct row b;
        assert_non_null(first);
        assert_non_null(second);
        for (size_t i = 0; i < stop; i++) {
            assert_int_equal(rows_next(first, &a), ROWS_ROW);
        }
        struct rows_position position = rows_tell(first);
        if (stop > 0) {
            assert_true(rows_seek(second, position));
        }
        for (size_t i = stop; i < row_count; i++) {
            assert_int_equal(rows_next(first, &a), ROWS_ROW);
            assert_int_equal(rows_next(second, &b), ROWS_ROW);
            expect_same_row(&a, &b);
        }
        assert_int_equal(rows_next(first, &a), ROWS_END);
        assert_int_equal(rows_next(second, &b), ROWS_END);
        position.offset = strlen(text) + 1;
        assert_false(rows_seek(second, position));
        rows_close(first);
        rows_close(second);
    }
}

/* All formats can go on between any two rows, bad ones included. */
static void reading_goes_on_after_any_row(void **state)
{
    (void)state;
    expect_going_on("a,b\r\n1,2\r\n\r\n\"x\ny\",\"z\"\"\"\r\nbad\r\n\"q\"q,1\r\n3,4",
                    (struct rows_options){.format = ROWS_CSV}, 5);
    expect_going_on("{\"a\":1}\n\n{bad\n{\"a\":\"\\n\"}\r\n{\"a\":2}",
                    (struct rows_options){.format = ROWS_JSON_LINES}, 4);
    expect_going_on("{\"v\":1,\"x\":[{\"a\":[1,2]} ,\n {\"b\":\"]\"},3,\n\n{}\n]}",
                    (struct rows_options){.format = ROWS_JSON, .at = "x"}, 4);
}

/* Words for formats and delimiters, and what the name of a file tells. */
static void formats_are_told_by_word_and_name(void **state)
{
    (void)state;
    enum rows_format format;
    char delimiter = '\0';
    assert_true(rows_format_parse("jsonl", &format));
    assert_int_equal(format, ROWS_JSON_LINES);
    assert_false(rows_format_parse("xml", &format));
    assert_true(rows_format_of_name("a/b.TSV", &format));
    assert_int_equal(format, ROWS_CSV);
    assert_true(rows_format_of_name("b.json", &format));
    assert_int_equal(format, ROWS_JSON);
    assert_false(rows_format_of_name("-", &format));
    assert_true(rows_delimiter_parse("\\t", &delimiter));
    assert_int_equal(delimiter, '\t');
    assert_true(rows_delimiter_parse(";", &delimiter));
    assert_int_equal(delimiter, ';');
    assert_false(rows_delimiter_parse("", &delimiter));
    assert_false(rows_delimiter_parse("\"", &delimiter));
    assert_false(rows_delimiter_parse(";;", &delimiter));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_names_the_columns),
        cmocka_unit_test(given_names_stand_for_the_header),
        cmocka_unit_test(a_ragged_record_is_rejected_alone),
        cmocka_unit_test(json_elements_are_records),
        cmocka_unit_test(json_lines_are_records),
        cmocka_unit_test(a_broken_array_says_where),
        cmocka_unit_test(a_wrong_beginning_is_explained),
        cmocka_unit_test(the_format_is_guessed),
        cmocka_unit_test(columns_must_differ),
        cmocka_unit_test(reading_goes_on_after_any_row),
        cmocka_unit_test(formats_are_told_by_word_and_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
