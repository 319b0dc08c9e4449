/* The parser of separated values: what RFC 4180 says, what real files do, and what is a mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/cli/csv.h"

/* A file, and its records with '|' between fields and '/' between records; "!" is a bad one. */
struct csv_case {
    const char *text;
    const char *records;
};

static const struct csv_case csv_cases[] = {
    {"", ""},
    {"a", "a"},
    {"a\n", "a"},
    {"a,b\nc,d\n", "a|b/c|d"},
    {"a,b\r\nc,d\r\n", "a|b/c|d"},
    {",", "|"},
    {",\n,\n", "|/|"},
    {"a,\r\n", "a|"},
    {"\n\na\n\r\n\nb\n", "a/b"},
    {"\xef\xbb\xbf"
     "a,b\n",
     "a|b"},
    {"\xef\xbb\xbf", ""},
    {"\xef\xbb\xae,b\n", "\xef\xbb\xae|b"},
    {"\"a,b\",c\n", "a,b|c"},
    {"\"a\nb\",c\n", "a\nb|c"},
    {"\"a\r\nb\"\r\n", "a\r\nb"},
    {"\"say \"\"hi\"\"\"\n", "say \"hi\""},
    {"\"\"\n", ""},
    {"\"\",\"\"\n", "|"},
    {"x\"y,z\n", "x\"y|z"},
    {"\"a\"b,c\nd\n", "!/d"},
    {"\"a", "!"},
    {"\"a\"", "a"},
    {"a\r,b\n", "a\r|b"},
};

static void append(char *out, struct bytes field)
{
    size_t length = strlen(out);
    memcpy(out + length, field.data, field.size);
    out[length + field.size] = '\0';
}

/* Read `text` in pieces of `piece` octets and write the records as csv_case has them. */
static void csv_read_all(const char *text, size_t piece, char delimiter, char *out)
{
    struct csv csv;
    csv_init(&csv, delimiter);
    size_t size = strlen(text);
    size_t at = 0;
    bool first = true;
    *out = '\0';
    for (;;) {
        enum csv_event event = csv_next(&csv, at == size);
        if (event == CSV_MORE && at == size) {
            break;
        }
        if (event == CSV_MORE) {
            size_t take = size - at < piece ? size - at : piece;
            csv_push(&csv, bytes_of(text + at, take));
            at += take;
            continue;
        }
        assert_true(event == CSV_RECORD || event == CSV_BAD);
        append(out, bytes_of_text(first ? "" : "/"));
        first = false;
        if (event == CSV_BAD) {
            append(out, bytes_of_text("!"));
            continue;
        }
        for (size_t i = 0; i < csv_field_count(&csv); i++) {
            append(out, bytes_of_text(i > 0 ? "|" : ""));
            append(out, csv_field(&csv, i));
        }
    }
    csv_fini(&csv);
}

/* The records of a file do not depend on the pieces it arrives in. */
static void records_are_read_whatever_the_pieces(void **state)
{
    (void)state;
    char out[256];
    for (size_t i = 0; i < sizeof csv_cases / sizeof *csv_cases; i++) {
        for (size_t piece = 1; piece <= 64; piece++) {
            csv_read_all(csv_cases[i].text, piece, ',', out);
            assert_string_equal(out, csv_cases[i].records);
        }
    }
}

/* Any octet but a quote and a line end can be the delimiter. */
static void the_delimiter_can_be_chosen(void **state)
{
    (void)state;
    char out[256];
    csv_read_all("a,b;c\n", 64, ';', out);
    assert_string_equal(out, "a,b|c");
    csv_read_all("a\tb\n", 64, '\t', out);
    assert_string_equal(out, "a|b");
}

/* A record's line is the one it begins on, line ends in quotes and empty lines counted. */
static void a_record_knows_its_line(void **state)
{
    (void)state;
    struct csv csv;
    csv_init(&csv, ',');
    csv_push(&csv, bytes_of_text("a\n\n\"b\nc\"\nd\n"));
    static const uint64_t lines[] = {1, 3, 5};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(csv_next(&csv, true), CSV_RECORD);
        assert_int_equal(csv_line(&csv), lines[i]);
    }
    assert_int_equal(csv_next(&csv, true), CSV_MORE);
    csv_fini(&csv);
}

/* A bad record says why, and on which line it begins. */
static void a_bad_record_says_why(void **state)
{
    (void)state;
    struct csv csv;
    csv_init(&csv, ',');
    csv_push(&csv, bytes_of_text("a\n\"b\nc\n"));
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_int_equal(csv_next(&csv, true), CSV_BAD);
    assert_int_equal(csv_line(&csv), 2);
    assert_non_null(strstr(csv.problem, "not closed"));
    csv_fini(&csv);
}

/* Too many fields are a bad record, not a growing one. */
static void a_record_has_a_bounded_number_of_fields(void **state)
{
    (void)state;
    static char text[CSV_FIELDS_MAX + 8];
    memset(text, ',', CSV_FIELDS_MAX + 2);
    memcpy(text + CSV_FIELDS_MAX + 2, "\nx\n", 4);
    struct csv csv;
    csv_init(&csv, ',');
    csv_push(&csv, bytes_of_text(text));
    assert_int_equal(csv_next(&csv, true), CSV_BAD);
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_int_equal(csv_field_count(&csv), 1);
    csv_fini(&csv);
}

/* What csv_quote writes is read back as it was. */
static void quoted_fields_are_read_back(void **state)
{
    (void)state;
    static const char *const fields[] = {"plain", "a,b", "say \"hi\"", "two\nlines", "\r", ""};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct buf out = {.size = 0};
        assert_int_equal(buf_append(&out, "x,", 2), QN_OK);
        assert_int_equal(csv_quote(bytes_of_text(fields[i]), ',', &out), QN_OK);
        struct csv csv;
        csv_init(&csv, ',');
        csv_push(&csv, buf_bytes(&out));
        assert_int_equal(csv_next(&csv, true), CSV_RECORD);
        assert_true(bytes_equal(csv_field(&csv, 1), bytes_of_text(fields[i])));
        csv_fini(&csv);
        buf_fini(&out);
    }
}

/* Nothing and nothing in quotes are told apart: one is absent, the other an empty string. */
static void quotes_are_remembered(void **state)
{
    (void)state;
    struct csv csv;
    csv_init(&csv, ',');
    csv_push(&csv, bytes_of_text(",\"\",\"a\",b\n\"\"\n,\n"));
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_int_equal(csv_field_count(&csv), 4);
    assert_false(csv_field_quoted(&csv, 0));
    assert_true(csv_field_quoted(&csv, 1));
    assert_int_equal(csv_field(&csv, 1).size, 0);
    assert_true(csv_field_quoted(&csv, 2));
    assert_false(csv_field_quoted(&csv, 3));
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_true(csv_field_quoted(&csv, 0));
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_false(csv_field_quoted(&csv, 0));
    csv_fini(&csv);
}

/* Reading goes on between two records as if the text had begun there, but for the line number and
 * the byte order mark, which only the beginning of a file can have. */
static void reading_goes_on_between_records(void **state)
{
    (void)state;
    static const char text[] = "a,b\n\"c\nd\",e\n\xef\xbb\xbfg,h\n";
    struct csv csv;
    csv_init(&csv, ',');
    csv_push(&csv, bytes_of_text(text));
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    size_t offset = sizeof text - 1 - csv.rest.size;
    uint64_t line = csv.line;
    assert_int_equal(line, 4);
    csv_go_on(&csv, line);
    csv_push(&csv, bytes_of_text(text + offset));
    assert_int_equal(csv_next(&csv, true), CSV_RECORD);
    assert_int_equal(csv_line(&csv), 4);
    assert_true(bytes_equal(csv_field(&csv, 0), bytes_of_text("\xef\xbb\xbfg")));
    assert_int_equal(csv_next(&csv, true), CSV_MORE);
    csv_fini(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_whatever_the_pieces),
        cmocka_unit_test(the_delimiter_can_be_chosen),
        cmocka_unit_test(a_record_knows_its_line),
        cmocka_unit_test(a_bad_record_says_why),
        cmocka_unit_test(a_record_has_a_bounded_number_of_fields),
        cmocka_unit_test(quoted_fields_are_read_back),
        cmocka_unit_test(quotes_are_remembered),
        cmocka_unit_test(reading_goes_on_between_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
