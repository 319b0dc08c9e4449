/* JSON to octets, by example, and what is said of texts that are wrong. */
#include "tests/lib/check.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"
#include "wire/pof/writer.h"

static const struct pof_json_options plain = {.indent = 0};
static const struct pof_json_options car = {.schema = &schema, .shape = &shape_car};

static void expect_octets(const char *json, const struct pof_json_options *options,
                          const char *octets, size_t size)
{
    struct buf out = {0};
    struct pof_json_problem problem = {.line = 0};

    if (pof_json_read(&out, bytes_of_text(json), options, &problem) != QN_OK) {
        fail_msg("%s: %s", json, problem.text);
    }
    assert_bytes_equal(buf_bytes(&out), bytes_of(octets, size));
    buf_fini(&out);
}

/* What is not declared is what it looks like. */
static void undeclared_values_are_what_they_look_like(void **state)
{
    (void)state;
    expect_octets("null", &plain, "\x64", 1);
    expect_octets(" true ", &plain, "\x4a\x01", 2);
    expect_octets("5", &plain, "\x41\x05", 2);
    expect_octets("2147483648", &plain, "\x42\x80\x80\x80\x80\x10", 6);
    expect_octets("1.0", &plain, "\x45\x3f\xf0\0\0\0\0\0\0", 9);
    expect_octets("\"a\\u00fc\\ud83d\\ude97\\n\"", &plain,
                  "\x4e\x08"
                  "a\xc3\xbc\xf0\x9f\x9a\x97\n",
                  10);
    expect_octets("[1, null]", &plain, "\x55\x02\x41\x01\x64", 5);
    expect_octets("{\"a\": 1}", &plain,
                  "\x5b\x01\x4e\x01"
                  "a\x41\x01",
                  7);
    expect_octets("{}", &plain, "\x5b\x00", 2);
}

/* A mark says what it is instead. */
static void marks_are_heeded(void **state)
{
    (void)state;
    expect_octets("{\"$int16\": 5}", &plain, "\x40\x05", 2);
    expect_octets("{\"$octets\": \"AP8=\"}", &plain, "\x4c\x02\x00\xff", 4);
    expect_octets("{\"$array\": [1, 2], \"$of\": \"int64\"}", &plain, "\x58\x42\x02\x01\x02", 5);
    expect_octets("{\"$sparse\": {\"7\": 1, \"0\": 2}}", &plain,
                  "\x59\x08\x00\x41\x02\x07\x41\x01\x40", 9);
    expect_octets("{\"$map\": [[1, 2]]}", &plain, "\x5b\x01\x41\x01\x41\x02", 6);
    expect_octets("{\"$type\": 7, \"$version\": 2, \"1\": 0}", &plain, "\x07\x02\x01\x41\x00\x40",
                  6);
    expect_octets("{\"$id\": 9, \"$type\": 7, \"0\": {\"$ref\": 9}}", &plain,
                  "\x5e\x01\x07\x00\x00\x5f\x01\x40", 8);
    expect_octets("{\"$list\": [0.5], \"$of\": \"decimal64\"}", &plain, "\x56\x48\x01\x05\x01", 5);
    expect_octets("{\"$decimal\": -12.50}", &plain, "\x47\xe1\x13\x02", 4);
    expect_octets("{\"$float64\": \"NaN\"}", &plain, "\x45\x7f\xf8\0\0\0\0\0\0", 9);
}

/* By the schema, members in any order, zeros in full. */
static void declared_objects_are_read_by_name(void **state)
{
    (void)state;
    expect_octets(
        "{\"year\": 0, \"make\": \"V\", \"options\": [\"x\"], \"built\": \"2021-01-02\"}", &car,
        "\xa8\x0f\x01\x00\x4e\x01V\x02\x42\x00\x04\x56\x4e\x01\x01x\x08\x4f\xa5\x1f\x01\x02\x40",
        23);
    expect_octets("{\"options\": [\"x\", null]}", &car, "\xa8\x0f\x01\x04\x55\x02\x4e\x01x\x64\x40",
                  11);
    expect_octets("{\"owner\": {\"name\": null}, \"3\": 1}", &car,
                  "\xa8\x0f\x01\x03\x41\x01\x06\xa9\x0f\x00\x00\x64\x40\x40", 14);
    expect_octets("{\"$type\": \"Owner\", \"age\": 1}",
                  &(struct pof_json_options){.schema = &schema}, "\xa9\x0f\x00\x01\x41\x01\x40", 7);
}

static void expect_problem(const char *json, const struct pof_json_options *options,
                           enum qn_status status, uint32_t line, uint32_t column, const char *text)
{
    struct buf out = {0};
    struct pof_json_problem problem = {.line = 0};

    assert_int_equal(buf_append(&out, "kept", 4), QN_OK);
    assert_int_equal(pof_json_read(&out, bytes_of_text(json), options, &problem), status);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text("kept"));
    assert_int_equal(problem.line, line);
    assert_int_equal(problem.column, column);
    assert_string_equal(problem.text, text);
    assert_int_equal(pof_json_read(&out, bytes_of_text(json), options, NULL), status);
    buf_fini(&out);
}

/* A mistake is told with its place and its field. */
static void mistakes_name_the_field_and_the_place(void **state)
{
    (void)state;
    expect_problem("{\"owner\": {\"age\":\n 3.5}}", &car, QN_INVALID, 2, 2,
                   "owner.age: 3.5 is not a whole number");
    expect_problem("{\"owner\": {\"age\": 3000000000}}", &car, QN_INVALID, 1, 19,
                   "owner.age: 3000000000 is out of the range of its type");
    expect_problem("{\"options\": [\"a\", 5]}", &car, QN_INVALID, 1, 19,
                   "options[1]: 5 is not a text in quotes");
    expect_problem("{\"owner\": {\"x\": 1}}", &car, QN_INVALID, 1, 12,
                   "owner: \"x\" is no field of Owner, which has: name age");
    expect_problem("{\"make\": \"a\", \"0\": \"b\"}", &car, QN_INVALID, 1, 20,
                   "0: stands there twice");
    expect_problem("{\"built\": \"2021-02-30\"}", &car, QN_INVALID, 1, 11,
                   "built: \"2021-02-30\" is not a date like \"2024-02-29\"");
    expect_problem("[1, {\"$int64\": \"x\"}]", &plain, QN_INVALID, 1, 16,
                   "[1]: \"x\" is not a whole number");
    expect_problem("{\"$ref\": 3}", &plain, QN_INVALID, 1, 10,
                   "3 is the \"$id\" of no object before this one");
    expect_problem("{\"$array\": [300], \"$of\": \"octet\"}", &plain, QN_INVALID, 1, 13,
                   "[0]: 300 is out of the range of its type");
    expect_problem("\"\\ud800\"", &plain, QN_INVALID, 1, 1,
                   "\"\\ud800\" has half of a pair of surrogates");
}

/* A name that is nearly one that is known is asked for. */
static void misspelt_names_get_a_suggestion(void **state)
{
    (void)state;
    expect_problem("{\"owner\": {\"nmae\": 1}}", &car, QN_INVALID, 1, 12,
                   "owner: \"nmae\" is no field of Owner: did you mean \"name\"?");
    expect_problem("{\"more\": {\"$type\": \"Onwer\"}}", &car, QN_INVALID, 1, 20,
                   "more: \"Onwer\" is no type that the schema knows: did you mean \"Owner\"?");
    expect_problem("{\"$type\": \"Bus\"}", &car, QN_INVALID, 1, 11,
                   "\"Bus\" is no type that the schema knows");
    expect_problem("{\"$type\": \"com.example.Owner\"}", &car, QN_INVALID, 1, 11,
                   "\"com.example.Owner\" is the class of a type: write its name, \"Owner\"");
    expect_problem("{\"$array\": [1], \"$of\": \"itn64\"}", &plain, QN_INVALID, 1, 24,
                   "\"itn64\" is no type that the schema knows: did you mean \"int64\"?");
    expect_problem("[{\"$in64\": 1}]", &plain, QN_INVALID, 1, 3,
                   "[0]: \"$in64\" is no mark of an object ($type, $version, $id): did you mean "
                   "\"$int64\"?");
    expect_problem("{\"$type\": \"Owner\", \"$vresion\": 1}", &car, QN_INVALID, 1, 20,
                   "\"$vresion\" is no mark of an object ($type, $version, $id): did you mean "
                   "\"$version\"?");
    expect_problem("{\"$list\": [], \"$off\": \"int64\"}", &plain, QN_INVALID, 1, 15,
                   "\"$off\" does not stand beside a mark ($of and $keys do)");
}

/* The name of a type counts to its end. */
static void a_type_is_found_by_its_whole_name(void **state)
{
    (void)state;
    expect_problem("{\"$type\": \"Owner\\u0000\"}", &car, QN_INVALID, 1, 11,
                   "\"Owner\\u0000\" is no type that the schema knows: did you mean \"Owner\"?");
}

/* What is not JSON is refused, and why. */
static void what_is_not_json_is_refused(void **state)
{
    static const char *const texts[] = {
        "",         "{",         "[1,]",       "[1 2]",    "{\"a\" 1}", "{a: 1}", "01",
        "1.",       ".5",        "+1",         "1e",       "nul",       "\"a",    "\"\\x\"",
        "\"\t\"",   "\"\\u12\"", "[1] 2",      "{\"a\":}", "]",         "[}",     "{\"a\":1,}",
        "\"\xff\"", "-",         "[\"\xc3\"]", "NaN",      "'a'",       "/**/ 1", "tru",
    };
    struct buf out = {0};
    struct pof_json_problem problem;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (pof_json_read(&out, bytes_of_text(texts[i]), &plain, &problem) != QN_MALFORMED) {
            fail_msg("%s was taken", texts[i]);
        }
        assert_int_equal(out.size, 0);
    }
    expect_problem("[1,\n 2", &plain, QN_MALFORMED, 2, 3, "expected a comma or ]");
    buf_fini(&out);
}

/* As deep as values may be, and no deeper. */
static void depth_is_bounded(void **state)
{
    char text[2 * 400];
    struct buf out = {0};

    (void)state;
    memset(text, '[', 256);
    memset(text + 256, ']', 256);
    assert_int_equal(pof_json_read(&out, bytes_of(text, 512), &plain, NULL), QN_OK);
    buf_clear(&out);
    memset(text, '[', 257);
    memset(text + 257, ']', 257);
    assert_int_equal(pof_json_read(&out, bytes_of(text, 514), &plain, NULL), QN_TOO_LARGE);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undeclared_values_are_what_they_look_like),
        cmocka_unit_test(marks_are_heeded),
        cmocka_unit_test(declared_objects_are_read_by_name),
        cmocka_unit_test(mistakes_name_the_field_and_the_place),
        cmocka_unit_test(misspelt_names_get_a_suggestion),
        cmocka_unit_test(a_type_is_found_by_its_whole_name),
        cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(depth_is_bounded),
    };

    return RUN_TESTS(tests);
}
