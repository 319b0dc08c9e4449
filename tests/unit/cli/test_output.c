/* Forms of output: CSV, octets, tables. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/output.h"
#include "client/cli/table.h"
#include "wire/pof/binary.h"

/* What a test prints. */
struct printed {
    FILE *file;
    char *text;
    size_t size;
};

static void printed_begin(struct printed *printed)
{
    *printed = (struct printed){.text = NULL};
    printed->file = open_memstream(&printed->text, &printed->size);
    assert_non_null(printed->file);
}

static void printed_expect(struct printed *printed, const char *text, size_t size)
{
    fclose(printed->file);
    assert_int_equal(printed->size, size);
    assert_memory_equal(printed->text, text, size);
    free(printed->text);
}

/* A cell is quoted where it would be misread, and only there (RFC 4180, 2). */
static void cells_are_quoted_where_needed(void **state)
{
    (void)state;
    struct printed printed;
    static const char *const cells[] = {"plain", "", "a,b", "say \"no\"", "two\nlines", " blanks "};
    static const char expected[] = "plain;;\"a,b\";\"say \"\"no\"\"\";\"two\nlines\"; blanks ;";
    printed_begin(&printed);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        output_csv_cell(bytes_of_text(cells[i]), printed.file);
        fputc(';', printed.file);
    }
    printed_expect(&printed, expected, sizeof expected - 1);
}

/* A value in a cell: a string as it is, a number as its digits. */
static void values_become_cells(void **state)
{
    (void)state;
    const struct form form = form_of(NULL, NULL);
    struct printed printed;
    struct buf text = {.size = 0};
    struct buf number = {.size = 0};
    assert_int_equal(pof_binary_string(&text, bytes_of_text("a,b")), QN_OK);
    assert_int_equal(pof_binary_int64(&number, -5), QN_OK);
    printed_begin(&printed);
    assert_int_equal(output_csv_value(buf_bytes(&text), &form, printed.file), QN_OK);
    fputc(',', printed.file);
    assert_int_equal(output_csv_value(buf_bytes(&number), &form, printed.file), QN_OK);
    printed_expect(&printed, "\"a,b\",-5", 8);
    printed_begin(&printed);
    assert_int_equal(output_text(buf_bytes(&text), &form, 5, printed.file), QN_OK);
    assert_int_equal(output_text(buf_bytes(&number), &form, 0, printed.file), QN_OK);
    printed_expect(&printed, "a,b  -5", 7);
    buf_fini(&text);
    buf_fini(&number);
}

/* Raw is the content of strings and octets and nothing around it; of the rest the whole Binary. */
static void raw_is_the_octets_themselves(void **state)
{
    (void)state;
    struct printed printed;
    struct buf binary = {.size = 0};
    assert_int_equal(pof_binary_string(&binary, bytes_of_text("gr\xc3\xbc\xc3\x9f\n")), QN_OK);
    printed_begin(&printed);
    output_raw_value(buf_bytes(&binary), printed.file);
    printed_expect(&printed, "gr\xc3\xbc\xc3\x9f\n", 7);
    buf_clear(&binary);
    assert_int_equal(pof_binary_octets(&binary, bytes_of("\0\xff\n", 3)), QN_OK);
    printed_begin(&printed);
    output_raw_value(buf_bytes(&binary), printed.file);
    printed_expect(&printed, "\0\xff\n", 3);
    buf_clear(&binary);
    assert_int_equal(pof_binary_int64(&binary, 7), QN_OK);
    printed_begin(&printed);
    output_raw_value(buf_bytes(&binary), printed.file);
    printed_expect(&printed, (const char *)binary.data, binary.size);
    buf_fini(&binary);
}

/* The form is what the options ask for; without one it is for people. */
static void the_form_follows_the_options(void **state)
{
    (void)state;
    struct options options;
    options_init(&options);
    assert_int_equal(output_form_of(&options), OUTPUT_TEXT);
    options.raw = true;
    assert_int_equal(output_form_of(&options), OUTPUT_RAW);
    options.raw = false;
    options.csv = true;
    assert_int_equal(output_form_of(&options), OUTPUT_CSV);
    options.csv = false;
    options.json = true;
    assert_int_equal(output_form_of(&options), OUTPUT_JSON);
}

/* ---- tables ---- */

static const char *const columns[] = {"name", "entries"};

static void table_expect(enum output_form form, bool rows, const char *expected)
{
    struct printed printed;
    struct table table = {.name = "caches", .columns = columns, .column_count = 2};
    if (rows) {
        table_text(&table, "a,b");
        table_number(&table, 12345);
        table_text(&table, "languages");
        table_cell(&table, json_integer(7), "few");
    }
    printed_begin(&printed);
    assert_true(table_print(&table, form, printed.file));
    printed_expect(&printed, expected, strlen(expected));
    table_fini(&table);
}

/* People get columns, with numbers to the right and grouped; programs get numbers as they are. */
static void a_table_has_four_forms(void **state)
{
    (void)state;
    table_expect(OUTPUT_TEXT, true,
                 "name       entries\n"
                 "a,b         12,345\n"
                 "languages      few\n");
    table_expect(OUTPUT_JSON, true,
                 "{\"caches\":[{\"name\":\"a,b\",\"entries\":12345},"
                 "{\"name\":\"languages\",\"entries\":7}]}\n");
    table_expect(OUTPUT_CSV, true, "name,entries\n\"a,b\",12345\nlanguages,7\n");
    table_expect(OUTPUT_RAW, true, "a,b\nlanguages\n");
}

/* Without rows there is still a table. */
static void a_table_may_be_empty(void **state)
{
    (void)state;
    table_expect(OUTPUT_TEXT, false, "name  entries\n");
    table_expect(OUTPUT_JSON, false, "{\"caches\":[]}\n");
    table_expect(OUTPUT_CSV, false, "name,entries\n");
    table_expect(OUTPUT_RAW, false, "");
}

/* A cell that no memory was left for is not passed over. */
static void a_missing_cell_shows(void **state)
{
    (void)state;
    struct table table = {.name = "caches", .columns = columns, .column_count = 2};
    table_text(&table, "a");
    table_cell(&table, NULL, "1");
    assert_false(table_print(&table, OUTPUT_JSON, stdout));
    table_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_quoted_where_needed),
        cmocka_unit_test(values_become_cells),
        cmocka_unit_test(raw_is_the_octets_themselves),
        cmocka_unit_test(the_form_follows_the_options),
        cmocka_unit_test(a_table_has_four_forms),
        cmocka_unit_test(a_table_may_be_empty),
        cmocka_unit_test(a_missing_cell_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
