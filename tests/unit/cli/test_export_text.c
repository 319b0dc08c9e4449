/* Entries as text, and that import makes the same octets of it. */
#include "client/cli/export_text.h"
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/binary.h"
#include "wire/pof/value.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 2000, ID_MAX = 40 };

/* A type with a field of each kind. */
static const char types_file[] =
    "types = ({ id = 7; name = \"All\"; key = \"id\"; fields = (\n"
    "{ index = 0; name = \"id\"; type = \"string\"; },\n"
    "{ index = 1; name = \"yes\"; type = \"bool\"; },\n"
    "{ index = 2; name = \"octet\"; type = \"octet\"; },\n"
    "{ index = 3; name = \"char\"; type = \"char\"; },\n"
    "{ index = 4; name = \"short\"; type = \"int16\"; },\n"
    "{ index = 5; name = \"int\"; type = \"int32\"; },\n"
    "{ index = 6; name = \"long\"; type = \"int64\"; },\n"
    "{ index = 7; name = \"huge\"; type = \"int128\"; },\n"
    "{ index = 8; name = \"float\"; type = \"float32\"; },\n"
    "{ index = 9; name = \"double\"; type = \"float64\"; },\n"
    "{ index = 11; name = \"text\"; type = \"string\"; },\n"
    "{ index = 12; name = \"octets\"; type = \"octets\"; },\n"
    "{ index = 13; name = \"day\"; type = \"date\"; },\n"
    "{ index = 14; name = \"clock\"; type = \"time\"; },\n"
    "{ index = 15; name = \"moment\"; type = \"datetime\"; },\n"
    "{ index = 16; name = \"months\"; type = \"year_month\"; },\n"
    "{ index = 17; name = \"span\"; type = \"day_time\"; },\n"
    "{ index = 18; name = \"names\"; type = \"string[]\"; },\n"
    "{ index = 19; name = \"small\"; type = \"Small\"; },\n"
    "{ index = 20; name = \"whatever\"; type = \"any\"; } ); },\n"
    "{ id = 8; name = \"Small\"; key = \"id\"; fields = (\n"
    "{ index = 0; name = \"id\"; type = \"int64\"; },\n"
    "{ index = 1; name = \"name\"; type = \"string\"; } ); } );\n"
    "views = ({ name = \"flat\"; types = ({ type = \"All\"; rename = [ \"id as key\" ];\n"
    "  flatten = [ \"small as small_\" ]; }); });\n";

/* What random scalar a field gets; fields of several parts are written by hand. */
static const struct {
    int32_t index;
    int32_t type;
} scalars[] = {
    {1, POF_BOOL},
    {2, POF_OCTET},
    {3, POF_CHAR},
    {4, POF_INT16},
    {5, POF_INT32},
    {6, POF_INT64},
    {7, POF_INT128},
    {8, POF_FLOAT32},
    {9, POF_FLOAT64},
    {11, POF_STRING},
    {12, POF_OCTETS},
    {13, POF_DATE},
    {14, POF_TIME},
    {15, POF_DATETIME},
    {16, POF_YEAR_MONTH_INTERVAL},
    {17, POF_DAY_TIME_INTERVAL},
};

static struct types *types;

static int set_up(void **state)
{
    struct cfg_report report = {.error_count = 0};
    enum qn_status status = types_load_text(bytes_of_text(types_file), "types", &types, &report);

    (void)state;
    cfg_report_print(&report, stderr);
    cfg_report_fini(&report);
    return status == QN_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    types_free(types);
    return 0;
}

static struct export_layout layout_of(const char *type, enum rows_format format)
{
    return (struct export_layout){
        .format = format,
        .delimiter = ',',
        .form = form_of(types, type != NULL ? types_find(types, type) : NULL)};
}

/* ---- made-up objects ---- */

/* NaNs are all one in text, and half a pair of surrogates is a number. */
static bool has_a_text(const struct pof_value *value)
{
    if (value->kind == POF_KIND_FLOAT32) {
        return value->as.float32 == value->as.float32;
    }
    if (value->kind == POF_KIND_FLOAT64) {
        return value->as.float64 == value->as.float64;
    }
    return value->kind != POF_KIND_CHAR || value->as.character < 0xd800 ||
           value->as.character > 0xdfff;
}

static void write_scalars(struct pof_writer *w, struct dice *dice)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        struct pof_value value = random_scalar(dice, scalars[i].type);
        if (has_a_text(&value) && dice_below(dice, 4) > 0) {
            pof_writer_full(w);
            pof_write_value(w, scalars[i].index, &value);
        }
    }
}

/* Texts that a CSV must quote and JSON must escape. */
static void write_names(struct pof_writer *w, struct dice *dice)
{
    static const char *const names[] = {"", "a,b", "\"", "\n", "\\", "]", "\xc3\xa4", " "};
    int32_t count = (int32_t)dice_below(dice, 4);

    pof_writer_full(w);
    pof_begin_uniform_array(w, 18, POF_STRING, count);
    for (int32_t i = 0; i < count; i++) {
        pof_writer_full(w);
        pof_write_string(w, POF_NEXT, bytes_of_text(names[dice_below(dice, 8)]));
    }
    pof_end(w);
}

static void write_small(struct pof_writer *w, struct dice *dice)
{
    pof_writer_full(w);
    pof_begin_nested(w, 19, 8, 0);
    pof_writer_full(w);
    pof_write_int64(w, 0, (int64_t)dice_below(dice, 3));
    pof_writer_full(w);
    pof_write_string(w, 1, bytes_of_text(dice_below(dice, 2) == 0 ? "" : "x;y"));
    pof_end(w);
}

static void write_object(struct buf *value, const char *id, struct dice *dice)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, value);
    pof_begin_user(&w, POF_NEXT, 7, 0);
    pof_writer_full(&w);
    pof_write_string(&w, 0, bytes_of_text(id));
    write_scalars(&w, dice);
    write_names(&w, dice);
    if (dice_below(dice, 2) == 0) {
        write_small(&w, dice);
    }
    if (dice_below(dice, 2) == 0) {
        pof_writer_full(&w);
        pof_write_date(&w, 20, (struct pof_date){2024, 2, 29});
    }
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* The Binaries of a made-up object and of its key. */
static void make_entry(struct dice *dice, struct record *entry)
{
    char id[ID_MAX];

    snprintf(id, sizeof id, "\"k,%u\n", (unsigned)dice_below(dice, 1000000));
    buf_clear(&entry->key);
    buf_clear(&entry->value);
    write_object(&entry->value, id, dice);
    assert_int_equal(pof_binary_string(&entry->key, bytes_of_text(id)), QN_OK);
}

/* ---- round trips ---- */

static void write_series(const struct export_layout *layout, struct buf *out)
{
    struct dice dice = {11};
    struct record entry = {.key = {.size = 0}};
    struct export_text text;
    char problem[RECORD_PROBLEM_MAX];

    assert_true(export_text_init(&text, layout, 0));
    assert_int_equal(export_text_head(&text, out), QN_OK);
    for (int i = 0; i < ROUNDS; i++) {
        make_entry(&dice, &entry);
        const struct export_entry as = {buf_bytes(&entry.key), buf_bytes(&entry.value)};
        assert_int_equal(export_text_entry(&text, &as, out, problem), EXPORT_WRITTEN);
        assert_int_equal(text.inexact_count, 0);
    }
    assert_int_equal(export_text_tail(&text, out), QN_OK);
    assert_int_equal(text.record_count, ROUNDS);
    assert_int_equal(text.other_key_count, 0);
    record_fini(&entry);
    export_text_fini(&text);
}

/* As import reads one row. */
static void read_entry(const struct export_layout *layout, const struct columns *columns,
                       struct rows *rows, struct record *record)
{
    char problem[RECORD_PROBLEM_MAX];
    struct row row;
    struct buf json = {.size = 0};

    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_null(row.problem);
    bool csv = layout->format == ROWS_CSV;
    bool read = (!csv || columns_record(columns, &row, &json, problem)) &&
                record_read(record, &layout->form, csv ? buf_bytes(&json) : row.raw, problem);
    if (!read) {
        fail_msg("%s: %.*s", problem, (int)row.raw.size, (const char *)row.raw.data);
    }
    buf_fini(&json);
}

/* Import the file, and compare the octets of every entry. */
static void read_series(const struct export_layout *layout, struct bytes text)
{
    const struct rows_options options = {.format = layout->format, .delimiter = ','};
    struct dice dice = {11};
    struct record entry = {.key = {.size = 0}};
    struct record again = {.key = {.size = 0}};
    struct columns columns;
    char problem[QN_ERROR_TEXT_MAX];
    struct rows *rows = rows_open(text, &options, problem);
    struct row row;

    assert_non_null(rows);
    assert_true(columns_init(&columns, &layout->form, false));
    for (int i = 0; i < ROUNDS; i++) {
        make_entry(&dice, &entry);
        read_entry(layout, &columns, rows, &again);
        assert_bytes_equal(buf_bytes(&again.key), buf_bytes(&entry.key));
        assert_bytes_equal(buf_bytes(&again.value), buf_bytes(&entry.value));
    }
    assert_int_equal(rows_next(rows, &row), ROWS_END);
    rows_close(rows);
    columns_fini(&columns);
    record_fini(&entry);
    record_fini(&again);
}

static void expect_round_trip(enum rows_format format, const char *view)
{
    struct export_layout layout = layout_of("All", format);
    struct buf file = {.size = 0};

    layout.form.view = view != NULL ? pof_schema_view(layout.form.schema, view) : NULL;
    write_series(&layout, &file);
    read_series(&layout, buf_bytes(&file));
    buf_fini(&file);
}

/* What export writes, import makes the same octets of: all kinds, all formats, and by a view, too.
 */
static void csv_comes_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_CSV, NULL);
}

static void json_lines_come_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_JSON_LINES, NULL);
}

static void a_json_array_comes_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_JSON, NULL);
}

static void what_a_view_shows_comes_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_JSON_LINES, "flat");
    expect_round_trip(ROWS_CSV, "flat");
}

/* ---- layouts ---- */

static struct export_entry small_entry(struct buf *memory, int64_t id, const char *name)
{
    struct pof_writer w;

    assert_int_equal(pof_binary_int64(memory, id), QN_OK);
    size_t size = memory->size;
    pof_writer_init_binary(&w, memory);
    pof_begin_user(&w, POF_NEXT, 8, 0);
    pof_write_int64(&w, 0, id);
    if (name != NULL) {
        pof_write_string(&w, 1, bytes_of_text(name));
    }
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    return (struct export_entry){.key = bytes_of(memory->data, size),
                                 .value = bytes_of(memory->data + size, memory->size - size)};
}

/* Export two entries and compare the whole file. */
static void expect_file(const struct export_layout *layout, const char *expected)
{
    struct export_text text;
    struct buf file = {.size = 0};
    char problem[RECORD_PROBLEM_MAX];

    assert_true(export_text_init(&text, layout, 0));
    assert_int_equal(export_text_head(&text, &file), QN_OK);
    for (int i = 1; i <= 2; i++) {
        struct buf memory = {.size = 0};
        struct export_entry entry = small_entry(&memory, i, i == 1 ? "a,b" : NULL);
        assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
        buf_fini(&memory);
    }
    assert_int_equal(export_text_tail(&text, &file), QN_OK);
    assert_bytes_equal(buf_bytes(&file), bytes_of_text(expected));
    export_text_fini(&text);
    buf_fini(&file);
}

/* With a type, the fields; absent ones are empty or left out. */
static void fields_stand_under_their_names(void **state)
{
    struct export_layout layout = layout_of("Small", ROWS_CSV);

    (void)state;
    expect_file(&layout, "id,name\n1,\"a,b\"\n2,\n");
    layout.delimiter = ';';
    expect_file(&layout, "id;name\n1;a,b\n2;\n");
    layout.format = ROWS_JSON_LINES;
    expect_file(&layout, "{\"id\": 1, \"name\": \"a,b\"}\n{\"id\": 2}\n");
    layout.format = ROWS_JSON;
    expect_file(&layout, "[\n{\"id\": 1, \"name\": \"a,b\"},\n{\"id\": 2}\n]\n");
}

/* Without values, only the key; it stands under the name of its field where that is known. */
static void keys_alone_are_exported(void **state)
{
    struct export_layout layout = layout_of("Small", ROWS_CSV);

    (void)state;
    layout.keys_only = true;
    expect_file(&layout, "id\n1\n2\n");
    layout.format = ROWS_JSON_LINES;
    expect_file(&layout, "{\"id\": 1}\n{\"id\": 2}\n");
    layout = layout_of(NULL, ROWS_JSON_LINES);
    layout.keys_only = true;
    expect_file(&layout, "{\"key\": {\"$int64\": 1}}\n{\"key\": {\"$int64\": 2}}\n");
    layout.format = ROWS_CSV;
    expect_file(&layout, "key\n1\n2\n");
}

/* Without a type, key and value; in CSV as people see them. */
static void any_value_has_a_form(void **state)
{
    struct export_layout layout = layout_of(NULL, ROWS_JSON_LINES);

    (void)state;
    layout.form = form_of(NULL, NULL);
    expect_file(&layout, "{\"key\": {\"$int64\": 1}, "
                         "\"value\": {\"$type\": 8, \"0\": {\"$int64\": 1}, \"1\": \"a,b\"}}\n"
                         "{\"key\": {\"$int64\": 2}, "
                         "\"value\": {\"$type\": 8, \"0\": {\"$int64\": 2}}}\n");
    layout = layout_of(NULL, ROWS_CSV);
    expect_file(&layout, "key,value\n1,\"{\"\"id\"\": 1, \"\"name\"\": \"\"a,b\"\"}\"\n"
                         "2,\"{\"\"id\"\": 2}\"\n");
}

/* An empty file is one, in every format. */
static void no_entries_make_a_file(void **state)
{
    static const struct {
        enum rows_format format;
        const char *content;
    } files[] = {{ROWS_CSV, "id,name\n"}, {ROWS_JSON_LINES, ""}, {ROWS_JSON, "[]\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct export_layout layout = layout_of("Small", files[i].format);
        struct export_text text;
        struct buf file = {.size = 0};
        assert_true(export_text_init(&text, &layout, 0));
        assert_int_equal(export_text_head(&text, &file), QN_OK);
        assert_int_equal(export_text_tail(&text, &file), QN_OK);
        assert_bytes_equal(buf_bytes(&file), bytes_of_text(files[i].content));
        export_text_fini(&text);
        buf_fini(&file);
    }
}

/* ---- what does not fit ---- */

/* An entry that is no object of the type is rejected with a reason, and leaves no trace. */
static void what_is_no_object_is_rejected(void **state)
{
    static const enum rows_format formats[] = {ROWS_JSON, ROWS_CSV};
    struct buf key = {.size = 0};

    (void)state;
    assert_int_equal(pof_binary_string(&key, bytes_of_text("k")), QN_OK);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct export_layout layout = layout_of("Small", formats[i]);
        const struct export_entry entry = {.key = buf_bytes(&key), .value = buf_bytes(&key)};
        struct export_text text;
        struct buf file = {.size = 0};
        char problem[RECORD_PROBLEM_MAX];
        assert_true(export_text_init(&text, &layout, 0));
        assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_REJECTED);
        assert_string_equal(problem, "not an object of type Small");
        assert_int_equal(file.size, 0);
        assert_int_equal(text.record_count, 0);
        export_text_fini(&text);
        buf_fini(&file);
    }
    buf_fini(&key);
}

/* How many records of one entry say less than it holds, and how many are stored under another key.
 */
static void expect_losses(const struct export_layout *layout, struct bytes key, struct bytes value,
                          uint64_t inexact, uint64_t other_keys)
{
    const struct export_entry entry = {.key = key, .value = value};
    struct export_text text;
    struct buf file = {.size = 0};
    char problem[RECORD_PROBLEM_MAX];

    assert_true(export_text_init(&text, layout, 0));
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
    assert_int_equal(text.inexact_count, inexact);
    assert_int_equal(text.other_key_count, other_keys);
    export_text_fini(&text);
    buf_fini(&file);
}

/* A property that the type does not know stands in JSON under its number; a CSV has no column for
 * it, and says so. A key that is not the field is counted in both. */
static void losses_are_counted(void **state)
{
    const struct export_layout json = layout_of("Small", ROWS_JSON_LINES);
    const struct export_layout csv = layout_of("Small", ROWS_CSV);
    struct buf key = {.size = 0};
    struct buf memory = {.size = 0};
    struct buf more = {.size = 0};
    struct pof_writer w;

    (void)state;
    struct export_entry entry = small_entry(&memory, 5, "x");
    expect_losses(&json, entry.key, entry.value, 0, 0);
    expect_losses(&csv, entry.key, entry.value, 0, 0);
    assert_int_equal(pof_binary_int64(&key, 6), QN_OK);
    expect_losses(&json, buf_bytes(&key), entry.value, 0, 1);
    pof_writer_init_binary(&w, &more);
    pof_begin_user(&w, POF_NEXT, 8, 0);
    pof_write_int64(&w, 0, 6);
    pof_write_string(&w, 9, bytes_of_text("of a newer version"));
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    expect_losses(&json, buf_bytes(&key), buf_bytes(&more), 0, 0);
    expect_losses(&csv, buf_bytes(&key), buf_bytes(&more), 1, 0);
    buf_fini(&key);
    buf_fini(&memory);
    buf_fini(&more);
}

/* Half a pair of surrogates is a number in JSON, and has no cell that import reads back. */
static void characters_without_a_text_are_counted(void **state)
{
    const struct export_layout json = layout_of("All", ROWS_JSON_LINES);
    const struct export_layout csv = layout_of("All", ROWS_CSV);
    struct buf key = {.size = 0};
    struct buf value = {.size = 0};
    struct pof_writer w;

    (void)state;
    assert_int_equal(pof_binary_string(&key, bytes_of_text("k")), QN_OK);
    pof_writer_init_binary(&w, &value);
    pof_begin_user(&w, POF_NEXT, 7, 0);
    pof_write_string(&w, 0, bytes_of_text("k"));
    pof_writer_full(&w);
    pof_write_char(&w, 3, 0xd83d);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    expect_losses(&json, buf_bytes(&key), buf_bytes(&value), 0, 0);
    expect_losses(&csv, buf_bytes(&key), buf_bytes(&value), 1, 0);
    buf_fini(&key);
    buf_fini(&value);
}

/* Octets that cannot be read are exported as octets where no type is asked for, and counted. */
static void damaged_values_are_octets(void **state)
{
    const struct export_layout layout = layout_of(NULL, ROWS_JSON_LINES);

    (void)state;
    expect_losses(&layout, bytes_of("\x15", 1), bytes_of("\x07\xff", 2), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_comes_back_octet_for_octet),
        cmocka_unit_test(json_lines_come_back_octet_for_octet),
        cmocka_unit_test(a_json_array_comes_back_octet_for_octet),
        cmocka_unit_test(what_a_view_shows_comes_back_octet_for_octet),
        cmocka_unit_test(fields_stand_under_their_names),
        cmocka_unit_test(keys_alone_are_exported),
        cmocka_unit_test(any_value_has_a_form),
        cmocka_unit_test(no_entries_make_a_file),
        cmocka_unit_test(what_is_no_object_is_rejected),
        cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(characters_without_a_text_are_counted),
        cmocka_unit_test(damaged_values_are_octets),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
