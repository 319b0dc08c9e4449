/* Records to objects and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/cli/object.h"

static const char types_text[] =
    "types = (\n"
    "  { id = 1001; name = \"Thing\"; key = \"id\"; fields = (\n"
    "      { index = 0; name = \"id\"; type = \"string\"; },\n"
    "      { index = 1; name = \"count\"; type = \"int32\"; },\n"
    "      { index = 2; name = \"flag\"; type = \"bool\"; },\n"
    "      { index = 3; name = \"octet\"; type = \"octet\"; },\n"
    "      { index = 4; name = \"letter\"; type = \"char\"; },\n"
    "      { index = 5; name = \"small\"; type = \"int16\"; },\n"
    "      { index = 6; name = \"big\"; type = \"int64\"; },\n"
    "      { index = 7; name = \"ratio\"; type = \"float32\"; },\n"
    "      { index = 8; name = \"real\"; type = \"float64\"; },\n"
    "      { index = 9; name = \"raw\"; type = \"octets\"; },\n"
    "      { index = 10; name = \"day\"; type = \"date\"; },\n"
    "      { index = 11; name = \"at\"; type = \"time\"; },\n"
    "      { index = 12; name = \"when\"; type = \"datetime\"; },\n"
    "      { index = 13; name = \"tags\"; type = \"string[]\"; } ); },\n"
    "  { id = 1002; name = \"Numbered\"; key = \"no\"; fields = (\n"
    "      { index = 0; name = \"no\"; type = \"int64\"; } ); }\n"
    ");\n";

struct fixture {
    struct types *types;
    struct object object;
    struct object other;
    char problem[OBJECT_PROBLEM_MAX];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    struct cfg_report report = {.error_count = 0};
    if (types_load_text(bytes_of_text(types_text), "test", &fixture.types, &report) != QN_OK) {
        cfg_report_print(&report, stderr);
        return -1;
    }
    cfg_report_fini(&report);
    const struct pof_schema_type *type = types_find(fixture.types, "Thing");
    *state = &fixture;
    return object_init(&fixture.object, type) && object_init(&fixture.other, type) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    object_fini(&fixture->object);
    object_fini(&fixture->other);
    types_free(fixture->types);
    return 0;
}

/* Read one JSON object. The rows stay open, since texts are borrowed from them. */
static struct rows *read_json(struct fixture *fixture, struct object *object, const char *json,
                              bool *read)
{
    struct rows_options options = {.format = ROWS_JSON_LINES};
    struct rows *rows = rows_open(bytes_of_text(json), &options, fixture->problem);
    struct row row;
    assert_non_null(rows);
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    assert_null(row.problem);
    *read = object_read(object, &row, fixture->problem);
    return rows;
}

/* What is written is read back field by field, at the edges of each kind, too. */
static void objects_are_read_back(void **state)
{
    static const char *const objects[] = {
        "{\"id\":\"a\",\"count\":0,\"flag\":false,\"octet\":0,\"letter\":\"\\u0000\",\"small\":0,"
        "\"big\":0,\"ratio\":0,\"real\":-0.0,\"raw\":\"0x\",\"tags\":[]}",
        "{\"id\":\"\",\"count\":22,\"flag\":true,\"octet\":255,\"letter\":\"\xef\xbf\xbf\","
        "\"small\":-1,\"big\":-9223372036854775808,\"ratio\":1.5,\"real\":1e-300,"
        "\"raw\":\"0x00\",\"day\":\"2024-02-29\",\"at\":\"23:59:60Z\","
        "\"when\":\"0001-01-01T00:00:00.000000001-03:30\",\"tags\":[\"\",\"b\"]}",
        "{\"count\":-2147483648,\"big\":9223372036854775807,\"ratio\":-1,\"real\":22}",
        "{}",
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        bool read = false;
        struct buf binary = {.size = 0};
        struct rows *rows = read_json(fixture, &fixture->object, objects[i], &read);
        assert_true(read);
        assert_int_equal(object_encode(&fixture->object, &binary), QN_OK);
        assert_true(object_decode(&fixture->other, buf_bytes(&binary), fixture->problem));
        size_t count = fixture->object.type->field_count;
        assert_int_equal(object_difference(&fixture->object, &fixture->other, 0), count);
        buf_fini(&binary);
        rows_close(rows);
    }
}

/* The octets are those of a user type: 15, type id, version, properties, end. */
static void the_octets_are_those_of_a_user_type(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t expected[] = {0x15, 0xa9, 0x0f, 0x00, 0x00, 0x4e, 0x01,
                                       'a',  0x01, 0x41, 0x00, 0x02, 0x61, 0x40};
    bool read = false;
    struct buf binary = {.size = 0};
    struct rows *rows =
        read_json(fixture, &fixture->object, "{\"flag\":true,\"count\":0,\"id\":\"a\"}", &read);
    assert_true(read);
    assert_int_equal(object_encode(&fixture->object, &binary), QN_OK);
    assert_int_equal(binary.size, sizeof expected);
    assert_memory_equal(binary.data, expected, sizeof expected);
    buf_fini(&binary);
    rows_close(rows);
}

/* A difference names its field. */
static void differences_name_the_field(void **state)
{
    struct fixture *fixture = *state;
    bool read = false;
    struct rows *a = read_json(fixture, &fixture->object, "{\"id\":\"a\",\"count\":1}", &read);
    struct rows *b = read_json(fixture, &fixture->other, "{\"id\":\"a\",\"big\":1}", &read);
    assert_int_equal(object_difference(&fixture->object, &fixture->other, 0), 1);
    assert_int_equal(object_difference(&fixture->object, &fixture->other, 2), 6);
    rows_close(a);
    rows_close(b);
}

/* A field that the type does not have is refused, with the name that could be meant. */
static void unknown_fields_are_refused(void **state)
{
    struct fixture *fixture = *state;
    bool read = true;
    struct rows *rows = read_json(fixture, &fixture->object, "{\"coumt\":1}", &read);
    assert_false(read);
    assert_non_null(strstr(fixture->problem, "did you mean 'count'?"));
    rows_close(rows);
    rows = read_json(fixture, &fixture->object, "{\"zzz\":1}", &read);
    assert_false(read);
    assert_non_null(strstr(fixture->problem, "unknown field 'zzz'"));
    rows_close(rows);
    rows = read_json(fixture, &fixture->object, "{\"count\":\"x\"}", &read);
    assert_false(read);
    assert_non_null(strstr(fixture->problem, "field 'count': wrong type"));
    rows_close(rows);
}

/* Keys are strings or whole numbers; a record without one is refused. */
static void keys_are_taken_from_their_field(void **state)
{
    struct fixture *fixture = *state;
    const struct pof_schema_type *type = fixture->object.type;
    const struct pof_schema_field *id = types_field_find(type, "id");
    const struct pof_schema_field *count = types_field_find(type, "count");
    qn_arg key;
    bool read = false;
    struct rows *rows = read_json(fixture, &fixture->object, "{\"id\":\"a\",\"count\":-7}", &read);
    assert_true(object_key(&fixture->object, id, &key, fixture->problem));
    assert_int_equal(key.kind, QN_ARG_STRING);
    assert_int_equal(key.size, 1);
    assert_true(object_key(&fixture->object, count, &key, fixture->problem));
    assert_int_equal(key.kind, QN_ARG_INT);
    assert_int_equal(key.number, -7);
    rows_close(rows);
    rows = read_json(fixture, &fixture->object, "{\"id\":\"\"}", &read);
    assert_false(object_key(&fixture->object, id, &key, fixture->problem));
    assert_string_equal(fixture->problem, "missing key: field 'id' is an empty string");
    assert_false(object_key(&fixture->object, count, &key, fixture->problem));
    assert_string_equal(fixture->problem, "missing key: field 'count' is empty");
    rows_close(rows);
    assert_false(object_key_fits(TYPES_FLOAT64));
}

/* Octets that are no such object are refused with what they are instead. */
static void other_octets_are_refused(void **state)
{
    struct fixture *fixture = *state;
    static const struct bytes bad[] = {
        {(const uint8_t *)"", 0},
        {(const uint8_t *)"\x15", 1},
        {(const uint8_t *)"\x15\x4e\x01\x61", 4},
        {(const uint8_t *)"\x15\xaa\x0f\x00\x40", 5},
        {(const uint8_t *)"\x15\xa9\x0f\x00", 4},
        {(const uint8_t *)"\x15\xa9\x0f\x00\x00\x41\x07\x40", 8},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        *fixture->problem = '\0';
        assert_false(object_decode(&fixture->object, bad[i], fixture->problem));
        assert_true(strlen(fixture->problem) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_read_back),
        cmocka_unit_test(the_octets_are_those_of_a_user_type),
        cmocka_unit_test(differences_name_the_field),
        cmocka_unit_test(unknown_fields_are_refused),
        cmocka_unit_test(keys_are_taken_from_their_field),
        cmocka_unit_test(other_octets_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
