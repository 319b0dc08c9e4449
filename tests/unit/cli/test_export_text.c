/* Entries as text, and that import makes the same octets of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/dice.h"
#include "client/cli/export_text.h"
#include "client/cli/pof_field.h"
#include "wire/pof/binary.h"

enum { ROUNDS = 3000, TEXT_MAX = 40 };

/* A type with a field of each kind. */
static const char types_file[] = "types = ({ id = 7; name = \"All\"; key = \"id\"; fields = (\n"
                                 "{ index = 0; name = \"id\"; type = \"string\"; },\n"
                                 "{ index = 1; name = \"yes\"; type = \"bool\"; },\n"
                                 "{ index = 2; name = \"octet\"; type = \"octet\"; },\n"
                                 "{ index = 3; name = \"char\"; type = \"char\"; },\n"
                                 "{ index = 4; name = \"short\"; type = \"int16\"; },\n"
                                 "{ index = 5; name = \"int\"; type = \"int32\"; },\n"
                                 "{ index = 6; name = \"long\"; type = \"int64\"; },\n"
                                 "{ index = 7; name = \"float\"; type = \"float32\"; },\n"
                                 "{ index = 8; name = \"double\"; type = \"float64\"; },\n"
                                 "{ index = 9; name = \"text\"; type = \"string\"; },\n"
                                 "{ index = 11; name = \"octets\"; type = \"octets\"; },\n"
                                 "{ index = 12; name = \"day\"; type = \"date\"; },\n"
                                 "{ index = 13; name = \"clock\"; type = \"time\"; },\n"
                                 "{ index = 14; name = \"moment\"; type = \"datetime\"; },\n"
                                 "{ index = 15; name = \"names\"; type = \"string[]\"; } ); },\n"
                                 "{ id = 8; name = \"Small\"; fields = (\n"
                                 "{ index = 0; name = \"id\"; type = \"int64\"; },\n"
                                 "{ index = 1; name = \"name\"; type = \"string\"; } ); } );\n"
                                 "caches = ({ name = \"all\"; type = \"All\"; });\n";

static struct types *types;

static int set_up(void **state)
{
    (void)state;
    struct cfg_report report = {.error_count = 0};
    enum qn_status status = types_load_text(bytes_of_text(types_file), "types", &types, &report);
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
    struct export_layout layout = {.format = format, .delimiter = ',', .types = types};
    if (type != NULL) {
        layout.type = types_find(types, type);
        assert_non_null(layout.type);
        layout.key = types_field_find(layout.type, "id");
    }
    return layout;
}

/* ---- made-up objects ---- */

/* Text from an alphabet that every format must escape somewhere. */
static struct bytes make_text(struct dice *dice, uint8_t *memory)
{
    static const char *const pieces[] = {"a",
                                         ",",
                                         ";",
                                         "\"",
                                         "\n",
                                         "\r",
                                         " ",
                                         "\\",
                                         "[",
                                         "{",
                                         "null",
                                         "\t",
                                         "'",
                                         "\xc3\xa4",
                                         "0x",
                                         "#",
                                         "\x01",
                                         "\x7f",
                                         "\xf0\x9f\x98\x80",
                                         "\xef\xbb\xbf"};
    size_t size = 0;
    for (uint64_t i = dice_below(dice, 8); i > 0; i--) {
        uint64_t which = dice_below(dice, sizeof pieces / sizeof *pieces + 1);
        const char *piece = which > 0 ? pieces[which - 1] : "";
        size_t length = which > 0 ? strlen(piece) : 1; /* a NUL */
        memcpy(memory + size, piece, length);
        size += length;
    }
    return bytes_of(memory, size);
}

static struct pof_date make_date(struct dice *dice)
{
    return (struct pof_date){.year = (int32_t)dice_below(dice, 10000),
                             .month = (int32_t)dice_below(dice, 12) + 1,
                             .day = (int32_t)dice_below(dice, 28) + 1};
}

static struct pof_time make_time(struct dice *dice)
{
    struct pof_time time = {.hour = (int32_t)dice_below(dice, 24),
                            .minute = (int32_t)dice_below(dice, 60),
                            .second = (int32_t)dice_below(dice, 60),
                            .zone = (enum pof_zone)dice_below(dice, 3)};
    time.nano = dice_below(dice, 2) == 0 ? 0 : (int32_t)dice_below(dice, 1000000000);
    if (time.zone == POF_ZONE_OFFSET) {
        time.zone_hour = (int32_t)dice_below(dice, 47) - 23;
        time.zone_minute = (int32_t)dice_below(dice, 60);
    }
    return time;
}

/* Any double or float, special ones often. */
static double make_real(struct dice *dice, bool narrow)
{
    static const double special[] = {0.0, -0.0, 1.0, 0.1, -1e300, 5e-324, 1.7976931348623157e308};
    uint64_t bits = dice_next(dice);
    double wide = 0;
    float thin = 0;
    uint64_t which = dice_below(dice, 12);
    if (which < sizeof special / sizeof *special && !narrow) {
        return special[which];
    }
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&thin, &bits, sizeof thin);
    return narrow ? (double)thin : wide;
}

static int64_t make_number(struct dice *dice, enum types_kind kind)
{
    switch (kind) {
    case TYPES_BOOL:
        return (int64_t)dice_below(dice, 2);
    case TYPES_OCTET:
        return (int64_t)dice_below(dice, 256);
    case TYPES_CHAR:
        return (int64_t)dice_below(dice, 0xd800);
    case TYPES_INT16:
        return (int16_t)dice_next(dice);
    case TYPES_INT32:
        return (int32_t)dice_next(dice);
    case TYPES_INT64:
        return (int64_t)dice_next(dice);
    case TYPES_FLOAT32:
    case TYPES_FLOAT64:
    case TYPES_STRING:
    case TYPES_OCTETS:
    case TYPES_DATE:
    case TYPES_TIME:
    case TYPES_DATETIME:
    case TYPES_STRINGS:
    case TYPES_OTHER:
        break;
    }
    return 0;
}

static void make_items(struct dice *dice, struct arena *arena, struct field_value *value)
{
    size_t count = (size_t)dice_below(dice, 4);
    struct bytes *items = arena_calloc(arena, count + 1, sizeof *items);
    assert_non_null(items);
    for (size_t i = 0; i < count; i++) {
        items[i] = make_text(dice, arena_alloc(arena, TEXT_MAX));
    }
    value->items = items;
    value->item_count = count;
}

static void make_value(struct dice *dice, struct arena *arena, struct field_value *value)
{
    value->present = dice_below(dice, 4) > 0;
    value->number = dice_below(dice, 4) > 0 ? make_number(dice, value->kind) : 0;
    value->real = make_real(dice, value->kind == TYPES_FLOAT32);
    value->text = make_text(dice, arena_alloc(arena, TEXT_MAX));
    value->date = make_date(dice);
    value->time = make_time(dice);
    value->datetime = (struct pof_datetime){.date = make_date(dice), .time = make_time(dice)};
    make_items(dice, arena, value);
}

/* The Binaries of a made-up object and of its key. */
static void make_entry(struct dice *dice, struct object *object, struct buf *key, struct buf *value)
{
    arena_reset(&object->arena);
    char *id = arena_alloc(&object->arena, TEXT_MAX);
    assert_non_null(id);
    snprintf(id, TEXT_MAX, "\"k%llu\n", (unsigned long long)dice_next(dice));
    for (size_t i = 0; i < object->type->field_count; i++) {
        object->values[i] =
            (struct field_value){.kind = types_kind_of(object->type->fields[i].shape)};
        make_value(dice, &object->arena, &object->values[i]);
    }
    object->values[0].present = true;
    object->values[0].text = bytes_of_text(id);
    buf_clear(key);
    buf_clear(value);
    assert_int_equal(object_encode(object, value), QN_OK);
    assert_int_equal(pof_binary_string(key, bytes_of_text(id)), QN_OK);
}

/* ---- round trips ---- */

/* A number of made-up objects, the same each time, and memory for one of them. */
struct series {
    struct dice dice;
    struct object object;
    struct buf key;
    struct buf value;
};

static void series_init(struct series *series)
{
    *series = (struct series){.dice = dice_of(11)};
    assert_true(object_init(&series->object, types_find(types, "All")));
}

static void series_next(struct series *series)
{
    make_entry(&series->dice, &series->object, &series->key, &series->value);
}

static void series_fini(struct series *series)
{
    object_fini(&series->object);
    buf_fini(&series->key);
    buf_fini(&series->value);
}

static void write_series(enum rows_format format, struct buf *file)
{
    struct export_layout layout = layout_of("All", format);
    struct export_text text;
    struct series series;
    char problem[OBJECT_PROBLEM_MAX];
    assert_true(export_text_init(&text, &layout, 0));
    series_init(&series);
    assert_int_equal(export_text_head(&text, file), QN_OK);
    for (int i = 0; i < ROUNDS; i++) {
        series_next(&series);
        const struct export_entry entry = {.key = buf_bytes(&series.key),
                                           .value = buf_bytes(&series.value)};
        assert_int_equal(export_text_entry(&text, &entry, file, problem), EXPORT_WRITTEN);
    }
    assert_int_equal(export_text_tail(&text, file), QN_OK);
    assert_int_equal(text.record_count, ROUNDS);
    assert_int_equal(text.inexact_count, 0);
    assert_int_equal(text.other_key_count, 0);
    series_fini(&series);
    export_text_fini(&text);
}

/* Import the file, and compare the octets of every value. */
static void read_series(enum rows_format format, struct bytes file)
{
    struct rows_options options = {.format = format, .delimiter = ','};
    char problem[OBJECT_PROBLEM_MAX];
    struct rows *rows = rows_open(file, &options, problem);
    struct object object;
    struct series series;
    struct buf again = {.size = 0};
    struct row row;
    assert_non_null(rows);
    assert_true(object_init(&object, types_find(types, "All")));
    series_init(&series);
    for (int i = 0; i < ROUNDS; i++) {
        series_next(&series);
        assert_int_equal(rows_next(rows, &row), ROWS_ROW);
        assert_null(row.problem);
        if (!object_read(&object, &row, problem)) {
            fail_msg("%s", problem);
        }
        buf_clear(&again);
        assert_int_equal(object_encode(&object, &again), QN_OK);
        assert_true(bytes_equal(buf_bytes(&again), buf_bytes(&series.value)));
    }
    assert_int_equal(rows_next(rows, &row), ROWS_END);
    rows_close(rows);
    series_fini(&series);
    object_fini(&object);
    buf_fini(&again);
}

static void expect_round_trip(enum rows_format format)
{
    struct buf file = {.size = 0};
    write_series(format, &file);
    read_series(format, buf_bytes(&file));
    buf_fini(&file);
}

/* What export writes, import makes the same octets of: all kinds, all formats. */
static void csv_comes_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_CSV);
}

static void json_lines_come_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_JSON_LINES);
}

static void a_json_array_comes_back_octet_for_octet(void **state)
{
    (void)state;
    expect_round_trip(ROWS_JSON);
}

/* ---- layouts ---- */

static struct export_entry small_entry(struct buf *memory, int64_t id, const char *name)
{
    struct object object;
    assert_true(object_init(&object, types_find(types, "Small")));
    object.values[0] = (struct field_value){.present = true, .kind = TYPES_INT64, .number = id};
    object.values[1] = (struct field_value){
        .present = name != NULL, .kind = TYPES_STRING, .text = bytes_of_text(name ? name : "")};
    assert_int_equal(pof_binary_int64(memory, id), QN_OK);
    size_t size = memory->size;
    assert_int_equal(object_encode(&object, memory), QN_OK);
    object_fini(&object);
    return (struct export_entry){.key = bytes_of(memory->data, size),
                                 .value = bytes_of(memory->data + size, memory->size - size)};
}

/* Export one or two entries and compare the whole file. */
static void expect_file(const struct export_layout *layout, const char *expected)
{
    struct export_text text;
    struct buf file = {.size = 0};
    char problem[OBJECT_PROBLEM_MAX];
    assert_true(export_text_init(&text, layout, 0));
    assert_int_equal(export_text_head(&text, &file), QN_OK);
    for (int i = 1; i <= 2; i++) {
        struct buf memory = {.size = 0};
        struct export_entry entry = small_entry(&memory, i, i == 1 ? "a,b" : NULL);
        assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
        buf_fini(&memory);
    }
    assert_int_equal(export_text_tail(&text, &file), QN_OK);
    assert_int_equal(buf_append(&file, "", 1), QN_OK);
    assert_string_equal((const char *)file.data, expected);
    export_text_fini(&text);
    buf_fini(&file);
}

/* With a type, the fields; absent ones are empty or left out. */
static void fields_stand_under_their_names(void **state)
{
    (void)state;
    struct export_layout layout = layout_of("Small", ROWS_CSV);
    expect_file(&layout, "id,name\n1,\"a,b\"\n2,\n");
    layout.delimiter = ';';
    expect_file(&layout, "id;name\n1;a,b\n2;\n");
    layout.format = ROWS_JSON_LINES;
    expect_file(&layout, "{\"id\":1,\"name\":\"a,b\"}\n{\"id\":2}\n");
    layout.format = ROWS_JSON;
    expect_file(&layout, "[\n{\"id\":1,\"name\":\"a,b\"},\n{\"id\":2}\n]\n");
}

/* Without values, only the key; it stands under the name of its field where that is known. */
static void keys_alone_are_exported(void **state)
{
    (void)state;
    struct export_layout layout = layout_of("Small", ROWS_CSV);
    layout.keys_only = true;
    expect_file(&layout, "id\n1\n2\n");
    layout.format = ROWS_JSON_LINES;
    expect_file(&layout, "{\"id\":1}\n{\"id\":2}\n");
    layout.type = NULL;
    expect_file(&layout, "{\"key\": {\"$int64\": 1}}\n{\"key\": {\"$int64\": 2}}\n");
    layout.format = ROWS_CSV;
    expect_file(&layout, "key\n1\n2\n");
}

/* Without a type, key and value as they are shown. */
static void any_value_has_a_form(void **state)
{
    (void)state;
    struct export_layout layout = layout_of(NULL, ROWS_JSON_LINES);
    layout.types = NULL;
    expect_file(&layout, "{\"key\": {\"$int64\": 1}, "
                         "\"value\": {\"$type\": 8, \"0\": {\"$int64\": 1}, \"1\": \"a,b\"}}\n"
                         "{\"key\": {\"$int64\": 2}, "
                         "\"value\": {\"$type\": 8, \"0\": {\"$int64\": 2}}}\n");
    layout.types = types;
    layout.format = ROWS_CSV;
    expect_file(&layout, "key,value\n1,\"{\"\"id\"\":1,\"\"name\"\":\"\"a,b\"\"}\"\n"
                         "2,\"{\"\"id\"\":2}\"\n");
}

/* An empty file is one, in every format. */
static void no_entries_make_a_file(void **state)
{
    (void)state;
    static const struct {
        enum rows_format format;
        const char *content;
    } files[] = {{ROWS_CSV, "id,name\n"}, {ROWS_JSON_LINES, ""}, {ROWS_JSON, "[]\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct export_layout layout = layout_of("Small", files[i].format);
        struct export_text text;
        struct buf file = {.size = 0};
        assert_true(export_text_init(&text, &layout, 0));
        assert_int_equal(export_text_head(&text, &file), QN_OK);
        assert_int_equal(export_text_tail(&text, &file), QN_OK);
        assert_int_equal(buf_append(&file, "", 1), QN_OK);
        assert_string_equal((const char *)file.data, files[i].content);
        export_text_fini(&text);
        buf_fini(&file);
    }
}

/* ---- what does not fit ---- */

/* An entry that is no object of the type is rejected with a reason, and leaves no trace. */
static void what_is_no_object_is_rejected(void **state)
{
    (void)state;
    struct export_layout layout = layout_of("Small", ROWS_JSON);
    struct export_text text;
    struct buf file = {.size = 0};
    struct buf key = {.size = 0};
    char problem[OBJECT_PROBLEM_MAX];
    assert_true(export_text_init(&text, &layout, 0));
    assert_int_equal(pof_binary_string(&key, bytes_of_text("k")), QN_OK);
    struct export_entry entry = {.key = buf_bytes(&key), .value = buf_bytes(&key)};
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_REJECTED);
    assert_non_null(strstr(problem, "an object of type id"));
    entry.value = bytes_of("\x15", 1);
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_REJECTED);
    assert_int_equal(file.size, 0);
    assert_int_equal(text.record_count, 0);
    export_text_fini(&text);

    layout.keys_only = true;
    assert_true(export_text_init(&text, &layout, 0));
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_REJECTED);
    assert_non_null(strstr(problem, "its key is no int64"));
    export_text_fini(&text);
    buf_fini(&key);
    buf_fini(&file);
}

/* Octets that cannot be read are exported as octets where no type is asked for. */
static void damaged_values_are_octets(void **state)
{
    (void)state;
    struct export_layout layout = layout_of(NULL, ROWS_JSON_LINES);
    struct export_text text;
    struct buf file = {.size = 0};
    char problem[OBJECT_PROBLEM_MAX];
    assert_true(export_text_init(&text, &layout, 0));
    struct export_entry entry = {.key = bytes_of("\x15", 1), .value = bytes_of("\x07\xff", 2)};
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
    assert_int_equal(buf_append(&file, "", 1), QN_OK);
    assert_string_equal((const char *)file.data, "{\"key\": \"0x15\", \"value\": \"0x07ff\"}\n");
    export_text_fini(&text);
    buf_fini(&file);
}

/* What import would not give back as it is, is counted: other keys, fields that the types file does
 * not know, characters without a text form. */
static void losses_are_counted(void **state)
{
    (void)state;
    struct export_layout layout = layout_of("Small", ROWS_JSON_LINES);
    struct export_text text;
    struct buf file = {.size = 0};
    struct buf memory = {.size = 0};
    struct buf more = {.size = 0};
    char problem[OBJECT_PROBLEM_MAX];
    assert_true(export_text_init(&text, &layout, 0));
    struct export_entry entry = small_entry(&memory, 5, "x");
    struct buf key = {.size = 0};
    assert_int_equal(pof_binary_int64(&key, 6), QN_OK);
    entry.key = buf_bytes(&key);
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
    assert_int_equal(text.other_key_count, 1);
    assert_int_equal(text.inexact_count, 0);

    struct pof_writer writer;
    pof_writer_init_binary(&writer, &more);
    pof_begin_user(&writer, POF_NEXT, 8, 0);
    pof_write_int64(&writer, 0, 6);
    pof_write_string(&writer, 9, bytes_of_text("of a newer version"));
    pof_end(&writer);
    assert_int_equal(pof_writer_finish(&writer), QN_OK);
    entry.value = buf_bytes(&more);
    assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
    assert_int_equal(text.other_key_count, 1);
    assert_int_equal(text.inexact_count, 1);
    export_text_fini(&text);
    buf_fini(&file);
    buf_fini(&memory);
    buf_fini(&more);
    buf_fini(&key);
}

/* Half of a surrogate pair and years beyond four digits have no text that import reads back. */
static void values_without_a_text_are_counted(void **state)
{
    (void)state;
    struct export_layout layout = layout_of("All", ROWS_CSV);
    for (int which = 0; which < 2; which++) {
        struct export_text text;
        struct object object;
        struct buf key = {.size = 0};
        struct buf value = {.size = 0};
        struct buf file = {.size = 0};
        struct dice dice = dice_of(5);
        char problem[OBJECT_PROBLEM_MAX];
        assert_true(export_text_init(&text, &layout, 0));
        assert_true(object_init(&object, layout.type));
        make_entry(&dice, &object, &key, &value);
        object.values[which == 0 ? 3 : 11] = (struct field_value){
            .present = true,
            .kind = which == 0 ? TYPES_CHAR : TYPES_DATE,
            .number = 0xd83d,
            .date = {.year = 12024, .month = 1, .day = 1},
        };
        buf_clear(&value);
        assert_int_equal(object_encode(&object, &value), QN_OK);
        struct export_entry entry = {.key = buf_bytes(&key), .value = buf_bytes(&value)};
        assert_int_equal(export_text_entry(&text, &entry, &file, problem), EXPORT_WRITTEN);
        assert_int_equal(text.inexact_count, 1);
        export_text_fini(&text);
        object_fini(&object);
        buf_fini(&key);
        buf_fini(&value);
        buf_fini(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_comes_back_octet_for_octet),
        cmocka_unit_test(json_lines_come_back_octet_for_octet),
        cmocka_unit_test(a_json_array_comes_back_octet_for_octet),
        cmocka_unit_test(fields_stand_under_their_names),
        cmocka_unit_test(keys_alone_are_exported),
        cmocka_unit_test(any_value_has_a_form),
        cmocka_unit_test(no_entries_make_a_file),
        cmocka_unit_test(what_is_no_object_is_rejected),
        cmocka_unit_test(damaged_values_are_octets),
        cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(values_without_a_text_are_counted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
