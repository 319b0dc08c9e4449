/* Any text as a file to import: CSV, JSON lines or a JSON array, of a type that has all kinds of
 * fields, by its own names or by a view that flattens one. Never a crash; and what was read, export
 * writes so that it is read again as the same octets. Going on between two records gives the same
 * records as reading on.
 *
 * The first octet chooses the format and the view, the second the delimiter and whether there is a
 * header. */
#include <stdlib.h>

#include "client/cli/export_text.h"
#include "wire/assert.h"
#include "wire/pof/binary.h"

static const char types_file[] =
    "types = ({ id = 7; name = \"All\"; key = \"a\"; fields = (\n"
    "{ index = 0; name = \"a\"; type = \"string\"; }, { index = 1; name = \"b\"; type = \"bool\"; "
    "},\n"
    "{ index = 2; name = \"c\"; type = \"octet\"; }, { index = 3; name = \"d\"; type = \"char\"; "
    "},\n"
    "{ index = 4; name = \"e\"; type = \"int16\"; }, { index = 5; name = \"f\"; type = \"int32\"; "
    "},\n"
    "{ index = 6; name = \"g\"; type = \"int64\"; }, { index = 7; name = \"h\"; type = "
    "\"float32\"; },\n"
    "{ index = 8; name = \"i\"; type = \"float64\"; }, { index = 9; name = \"j\"; type = "
    "\"octets\"; },\n"
    "{ index = 10; name = \"k\"; type = \"date\"; }, { index = 11; name = \"l\"; type = \"time\"; "
    "},\n"
    "{ index = 12; name = \"m\"; type = \"datetime\"; },\n"
    "{ index = 13; name = \"n\"; type = \"string[]\"; },\n"
    "{ index = 14; name = \"o\"; type = \"decimal\"; }, { index = 15; name = \"p\"; type = "
    "\"int128\"; },\n"
    "{ index = 16; name = \"q\"; type = \"Part\"; }, { index = 17; name = \"r\"; type = \"any\"; "
    "},\n"
    "{ index = 18; name = \"s\"; type = \"map<string, int32>\"; },\n"
    "{ index = 19; name = \"t\"; type = \"year_month\"; } ); },\n"
    "{ id = 8; name = \"Part\"; fields = ({ index = 0; name = \"x\"; type = \"string\"; },\n"
    "{ index = 1; name = \"y\"; type = \"int32\"; } ); });\n"
    "views = ({ name = \"flat\"; types = ({ type = \"All\"; rename = [ \"b as yes\" ];\n"
    "  flatten = [ \"q as q_\" ]; }); });\n";

static const char all_fields[] = "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t";

/* A row as import takes it: the value of its record. */
static bool row_read(const struct row *row, enum rows_format format, const struct form *form,
                     struct columns *columns, struct buf *value)
{
    char problem[RECORD_PROBLEM_MAX];
    struct buf json = {.size = 0};
    struct bytes text = row->raw;
    bool read = row->problem == NULL;
    if (read && format == ROWS_CSV) {
        read = columns_record(columns, row, &json, problem);
        text = buf_bytes(&json);
    }
    read = read && record_read_value(value, form, text, problem);
    buf_fini(&json);
    return read;
}

/* Read the single record of a file and check that it makes the octets `expected`. */
static void check_again(struct bytes text, enum rows_format format, struct bytes expected,
                        const struct form *form, struct columns *columns)
{
    const struct rows_options options = {.format = format, .delimiter = ','};
    char problem[QN_ERROR_TEXT_MAX];
    struct row row;
    struct buf value = {.size = 0};
    struct rows *rows = rows_open(text, &options, problem);
    qn_assert(rows != NULL);
    qn_assert(rows_next(rows, &row) == ROWS_ROW);
    qn_assert(row_read(&row, format, form, columns, &value));
    qn_assert(bytes_equal(buf_bytes(&value), expected));
    buf_fini(&value);
    rows_close(rows);
}

/* Write an object as export does and read it back. */
static void check_export(struct bytes value, enum rows_format format, const struct form *form,
                         struct columns *columns)
{
    const struct export_layout layout = {.format = format, .delimiter = ',', .form = *form};
    const struct export_entry entry = {.key = value, .value = value};
    struct export_text text;
    struct buf out = {.size = 0};
    char problem[RECORD_PROBLEM_MAX];
    qn_assert(export_text_init(&text, &layout, 0));
    qn_assert(export_text_head(&text, &out) == QN_OK);
    qn_assert(export_text_entry(&text, &entry, &out, problem) == EXPORT_WRITTEN);
    if (text.inexact_count == 0) {
        check_again(buf_bytes(&out), format, value, form, columns);
    }
    export_text_fini(&text);
    buf_fini(&out);
}

static void check_row(const struct row *row, enum rows_format format, const struct form *form,
                      struct columns *columns)
{
    struct buf value = {.size = 0};
    if (row_read(row, format, form, columns, &value)) {
        check_export(buf_bytes(&value), ROWS_CSV, form, columns);
        check_export(buf_bytes(&value), ROWS_JSON_LINES, form, columns);
    }
    buf_fini(&value);
}

/* A reader that goes on where `rows` stands finds the row that `rows` finds. */
static void check_going_on(struct bytes text, const struct rows_options *options,
                           struct rows_position position, const struct row *row)
{
    char problem[QN_ERROR_TEXT_MAX];
    struct row other;
    struct rows *rows = rows_open(text, options, problem);
    qn_assert(rows != NULL);
    qn_assert(rows_seek(rows, position));
    qn_assert(rows_next(rows, &other) == ROWS_ROW);
    qn_assert(other.line == row->line);
    qn_assert(bytes_equal(other.raw, row->raw));
    qn_assert(other.cell_count == row->cell_count);
    rows_close(rows);
}

static void read_all(struct bytes text, const struct rows_options *options, const struct form *form)
{
    enum { CHECKED_MAX = 8 };
    char problem[QN_ERROR_TEXT_MAX];
    struct columns columns;
    struct row row;
    struct rows *rows = rows_open(text, options, problem);
    if (rows == NULL) {
        return;
    }
    qn_assert(columns_init(&columns, form, false));
    struct rows_position position = rows_tell(rows);
    for (int i = 0; rows_next(rows, &row) == ROWS_ROW; i++) {
        qn_assert(position.offset <= text.size);
        check_row(&row, options->format, form, &columns);
        if (i > 0 && i < CHECKED_MAX) {
            check_going_on(text, options, position, &row);
        }
        position = rows_tell(rows);
    }
    columns_fini(&columns);
    rows_close(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char delimiters[] = {',', ';', '\t', ' '};
    struct types *types = NULL;
    struct cfg_report report = {.error_count = 0};
    if (size < 2) {
        return 0;
    }
    qn_assert(types_load_text(bytes_of_text(types_file), "types", &types, &report) == QN_OK);
    struct form form = form_of(types, &types->schema.types[0]);
    form.view = (data[0] & 8) != 0 ? pof_schema_view(form.schema, "flat") : NULL;
    bool bare = (data[1] & 4) != 0;
    struct rows_options options = {
        .format = (enum rows_format)(data[0] % 3),
        .at = (data[0] & 4) != 0 ? "x" : NULL,
        .delimiter = delimiters[data[1] % 4],
        .no_header = bare,
        .fields = bare ? all_fields : NULL,
    };
    read_all(bytes_of(data + 2, size - 2), &options, &form);
    types_free(types);
    cfg_report_fini(&report);
    return 0;
}
