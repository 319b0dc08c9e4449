/* Entries as records of a file: what is written is read back, what is wrong is named. */
#include "client/cli/record.h"
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/binary.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3000 };

static const char types_file[] =
    "types = ({ id = 1001; name = \"Thing\"; key = \"id\"; fields = (\n"
    "  { index = 0; name = \"id\"; type = \"string\"; },\n"
    "  { index = 1; name = \"count\"; type = \"int32\"; },\n"
    "  { index = 2; name = \"flag\"; type = \"bool\"; },\n"
    "  { index = 3; name = \"octet\"; type = \"octet\"; },\n"
    "  { index = 4; name = \"big\"; type = \"int64\"; },\n"
    "  { index = 5; name = \"real\"; type = \"float64\"; },\n"
    "  { index = 6; name = \"day\"; type = \"date\"; } ); } );\n"
    "views = ({ name = \"titled\"; types = ({ type = \"Thing\"; rename = [ \"id as title\" ];\n"
    "  omit = [ \"big\" ]; }); });\n";

static struct types *types;
static struct form any; /* nothing is known */
static struct form thing;
static char problem[RECORD_PROBLEM_MAX];

static int set_up(void **state)
{
    struct cfg_report report = {.error_count = 0};
    enum qn_status status = types_load_text(bytes_of_text(types_file), "types", &types, &report);

    (void)state;
    cfg_report_print(&report, stderr);
    cfg_report_fini(&report);
    if (status != QN_OK) {
        return -1;
    }
    any = form_of(NULL, NULL);
    thing = form_of(types, types_find(types, "Thing"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    types_free(types);
    return 0;
}

static bool reads(const struct form *form, const char *json)
{
    struct record record = {.key = {.size = 0}};
    bool right = record_read(&record, form, bytes_of_text(json), problem);

    record_fini(&record);
    return right;
}

static void expect_refused(const struct form *form, const char *json, const char *says)
{
    assert_false(reads(form, json));
    if (strstr(problem, says) == NULL) {
        fail_msg("'%s' does not say '%s'", problem, says);
    }
}

/* Write an entry, read it back, compare. */
static void expect_back(const struct form *form, struct bytes key, struct bytes value)
{
    struct record back = {.key = {.size = 0}};
    struct buf text = {.size = 0};
    bool exact = false;

    assert_int_equal(record_write(&text, form, key, value, &exact, problem), QN_OK);
    assert_true(exact);
    if (!record_read(&back, form, buf_bytes(&text), problem)) {
        fail_msg("%s: %.*s", problem, (int)text.size, (const char *)text.data);
    }
    assert_bytes_equal(buf_bytes(&back.key), key);
    assert_bytes_equal(buf_bytes(&back.value), value);
    record_fini(&back);
    buf_fini(&text);
}

/* Keys and values of any type come back octet for octet. */
static void values_of_any_type_come_back(void **state)
{
    struct dice dice = {51};
    struct record entry = {.key = {.size = 0}};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct pof_writer w;
        buf_clear(&entry.key);
        buf_clear(&entry.value);
        assert_int_equal(pof_binary_int64(&entry.key, round), QN_OK);
        pof_writer_init_binary(&w, &entry.value);
        pof_begin_collection(&w, POF_NEXT, 2); /* whose elements are in full form */
        pof_write_int64(&w, POF_NEXT, (int64_t)dice_below(&dice, 1000) - 500);
        pof_write_date(&w, POF_NEXT,
                       (struct pof_date){2024, 2, 1 + (int32_t)dice_below(&dice, 29)});
        pof_end(&w);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        expect_back(&any, buf_bytes(&entry.key), buf_bytes(&entry.value));
    }
    record_fini(&entry);
}

/* Objects of the type come back, with zeros that are there, properties that the type does not know,
 * and a version of their own. */
static void objects_of_the_type_come_back(void **state)
{
    static const char *const objects[] = {
        "{\"id\": \"a\", \"count\": 0, \"flag\": false, \"octet\": 0, \"big\": 0, \"real\": -0.0}",
        "{\"id\": \"b\", \"count\": -2147483648, \"big\": 9223372036854775807, \"octet\": 255}",
        "{\"id\": \"c\", \"count\": null, \"9\": {\"$date\": \"2024-02-29\"}}",
        "{\"id\": \"d\", \"$version\": 3, \"day\": \"0001-01-01\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct record record = {.key = {.size = 0}};
        if (!record_read(&record, &thing, bytes_of_text(objects[i]), problem)) {
            fail_msg("%s", problem);
        }
        expect_back(&thing, buf_bytes(&record.key), buf_bytes(&record.value));
        record_fini(&record);
    }
}

/* The octets are those of a user type in full form: 15, type id, version, properties, end. */
static void the_octets_are_those_of_a_user_type(void **state)
{
    static const uint8_t expected[] = {0x15, 0xa9, 0x0f, 0x00, 0x00, 0x4e, 0x01, 'a',
                                       0x01, 0x41, 0x00, 0x02, 0x4a, 0x01, 0x40};
    struct record record = {.key = {.size = 0}};
    const char *json = "{\"flag\":true,\"count\":0,\"id\":\"a\"}";

    (void)state;
    assert_true(record_read(&record, &thing, bytes_of_text(json), problem));
    assert_bytes_equal(buf_bytes(&record.value), bytes_of(expected, sizeof expected));
    record_fini(&record);
}

/* What is wrong with a record is said with the field's name, and the one that could be meant. */
static void mistakes_name_the_field(void **state)
{
    (void)state;
    expect_refused(&thing, "{\"id\": \"a\", \"coumt\": 1}", "did you mean \"count\"?");
    expect_refused(&thing, "{\"id\": \"a\", \"count\": \"x\"}", "count: \"x\" is not a whole");
    expect_refused(&thing, "{\"id\": \"a\", \"count\": 2147483648}", "count: 2147483648 is out");
    expect_refused(&thing, "{\"id\": \"a\", \"id\": \"b\"}", "id");
    expect_refused(&thing, "17", "17 is not an object");
    expect_refused(&thing, "{\"id\": \"a\"} x", "not JSON: expected ");
    expect_refused(&thing, "{\"id\": \"a\",}", "at column 12");
    expect_refused(&thing, "{\"id\":\n\"a\" \"b\"}", "at column 5 of its line 2");
    expect_refused(&thing, "{\"$type\": 7, \"0\": \"a\"}", "an object of type id 7, not 1001");
}

/* Keys are text or whole numbers; a record without one is refused. */
static void keys_are_taken_from_their_field(void **state)
{
    struct form form = thing;
    struct record record = {.key = {.size = 0}};
    int64_t number = 0;

    (void)state;
    expect_refused(&form, "{\"id\": \"\"}", "missing key: field 'id' is an empty string");
    expect_refused(&form, "{\"id\": null}", "missing key: field 'id' is empty");
    expect_refused(&form, "{\"count\": 1}", "missing key: field 'id' is empty");
    expect_refused(&form, "{\"id\": {\"$date\": \"2024-01-01\"}}", "neither text nor a whole");
    form.key = types_field_find(form.type, "octet");
    assert_true(record_read(&record, &form, bytes_of_text("{\"octet\": 255}"), problem));
    assert_int_equal(pof_binary_as_int64(buf_bytes(&record.key), &number), QN_OK);
    assert_int_equal(number, 255);
    record_fini(&record);
}

/* Of any type a record has "key" and "value", and others are told so. */
static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    assert_true(reads(&any, "{\"value\": null, \"key\": 1}"));
    expect_refused(&any, "{\"key\": 1}", "\"key\" and \"value\"");
    expect_refused(&any, "{\"key\": 1, \"value\": 2, \"more\": 3}", "--type NAME");
    expect_refused(&any, "{\"key\": 1, \"key\": 1, \"value\": 2}", "");
    expect_refused(&any, "[1]", "in braces");
    expect_refused(&any, "{\"key\": 1, \"value\": {\"$date\": \"x\"}}",
                   "value: \"x\" is not a date");
    expect_refused(&any, "{\"key\"", "expected a colon");
}

/* A view has its own names, both ways; the key is found whatever it is called. */
static void a_view_is_read_and_written(void **state)
{
    struct form form = thing;
    struct record record = {.key = {.size = 0}};
    struct buf text = {.size = 0};
    bool exact = true;

    (void)state;
    form.view = pof_schema_view(form.schema, "titled");
    assert_non_null(form.view);
    assert_string_equal(record_name(&form, form.key), "title");
    assert_true(record_read(&record, &form, bytes_of_text("{\"title\": \"a\"}"), problem));
    expect_back(&form, buf_bytes(&record.key), buf_bytes(&record.value));
    expect_refused(&form, "{\"id\": \"a\"}", "is called \"title\" in view titled");
    expect_refused(&form, "{\"title\": \"a\", \"big\": 1}", "is not shown by view titled");
    assert_int_equal(record_write_key(&text, &form, buf_bytes(&record.key), &exact), QN_OK);
    assert_bytes_equal(buf_bytes(&text), bytes_of_text("{\"title\": \"a\"}"));
    buf_fini(&text);
    record_fini(&record);
}

/* What is no object of the type is not written as one; what cannot be read is shown as octets. */
static void what_does_not_fit_is_told(void **state)
{
    struct buf text = {.size = 0};
    struct buf key = {.size = 0};
    struct bytes broken = bytes_of("\x15\x4e\x05", 3);
    bool exact = true;

    (void)state;
    assert_int_equal(pof_binary_string(&key, bytes_of_text("k")), QN_OK);
    assert_int_equal(record_write(&text, &thing, buf_bytes(&key), buf_bytes(&key), &exact, problem),
                     QN_INVALID);
    assert_string_equal(problem, "not an object of type Thing");
    assert_int_equal(record_write(&text, &thing, buf_bytes(&key), broken, &exact, problem),
                     QN_INVALID);
    struct bytes damaged = bytes_of("\x15\xa9\x0f\x00\x00\x4e\x05\x61", 8);
    assert_int_equal(record_write(&text, &thing, buf_bytes(&key), damaged, &exact, problem),
                     QN_INVALID);
    assert_non_null(strstr(problem, "cannot be read as Thing: "));
    assert_int_equal(text.size, 0);
    assert_int_equal(record_write(&text, &any, buf_bytes(&key), broken, &exact, problem), QN_OK);
    assert_false(exact);
    assert_bytes_equal(buf_bytes(&text),
                       bytes_of_text("{\"key\": \"k\", \"value\": \"0x154e05\"}"));
    buf_fini(&text);
    buf_fini(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_any_type_come_back),
        cmocka_unit_test(objects_of_the_type_come_back),
        cmocka_unit_test(the_octets_are_those_of_a_user_type),
        cmocka_unit_test(mistakes_name_the_field),
        cmocka_unit_test(keys_are_taken_from_their_field),
        cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(a_view_is_read_and_written),
        cmocka_unit_test(what_does_not_fit_is_told),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
