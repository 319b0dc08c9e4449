/* Values as JSON, by example. */
#include <math.h>

#include "tests/lib/check.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"
#include "wire/pof/writer.h"

/* What one value looks like. */
static void expect_text(const struct buf *pof, const struct pof_json_options *options,
                        const char *expected)
{
    struct buf out = {0};

    assert_int_equal(pof_json_write(&out, buf_bytes(pof), options), QN_OK);
    assert_int_equal(buf_append(&out, "", 1), QN_OK);
    assert_string_equal((const char *)out.data, expected);
    buf_fini(&out);
}

#define EXPECT(options, expected, ...)                                                             \
    do {                                                                                           \
        struct buf pof_ = {0};                                                                     \
        struct pof_writer w;                                                                       \
        pof_writer_init(&w, &pof_);                                                                \
        pof_writer_full(&w);                                                                       \
        __VA_ARGS__;                                                                               \
        assert_int_equal(pof_writer_finish(&w), QN_OK);                                            \
        expect_text(&pof_, options, expected);                                                     \
        buf_fini(&pof_);                                                                           \
    } while (0)

static const struct pof_json_options plain = {.schema = NULL};
static const struct pof_json_options lossy = {.lossy = true};

/* What JSON has a word for stands as it is. */
static void common_values_speak_for_themselves(void **state)
{
    (void)state;
    EXPECT(&plain, "null", pof_write_null(&w, POF_NEXT));
    EXPECT(&plain, "true", pof_write_bool(&w, POF_NEXT, true));
    EXPECT(&plain, "-5", pof_write_int32(&w, POF_NEXT, -5));
    EXPECT(&plain, "2147483648", pof_write_int64(&w, POF_NEXT, 2147483648));
    EXPECT(&plain, "170141183460469231731687303715884105727",
           pof_write_int128(&w, POF_NEXT, (struct pof_int128){UINT64_MAX, INT64_MAX}));
    EXPECT(&plain, "\"a\\\"\\\\\\n\\u0001\xc3\xbc\"",
           pof_write_string(&w, POF_NEXT, bytes_of_text("a\"\\\n\x01\xc3\xbc")));
    EXPECT(&plain, "[]", pof_begin_collection(&w, POF_NEXT, 0); pof_end(&w));
}

/* Everything else carries its kind, unless nobody wants to read it back. */
static void other_values_carry_their_kind(void **state)
{
    const struct pof_date date = {2024, 2, 29};

    (void)state;
    EXPECT(&plain, "{\"$int64\": 5}", pof_write_int64(&w, POF_NEXT, 5));
    EXPECT(&lossy, "5", pof_write_int64(&w, POF_NEXT, 5));
    EXPECT(&plain, "{\"$int16\": 5}", pof_write_int16(&w, POF_NEXT, 5));
    EXPECT(&plain, "{\"$octet\": 255}", pof_write_octet(&w, POF_NEXT, 255));
    EXPECT(&plain, "{\"$char\": \"a\"}", pof_write_char(&w, POF_NEXT, 'a'));
    EXPECT(&plain, "{\"$float32\": 0.1}", pof_write_float32(&w, POF_NEXT, 0.1f));
    EXPECT(&plain, "{\"$date\": \"2024-02-29\"}", pof_write_date(&w, POF_NEXT, date));
    EXPECT(&lossy, "\"2024-02-29\"", pof_write_date(&w, POF_NEXT, date));
    EXPECT(&plain, "{\"$octets\": \"AP8Q\"}",
           pof_write_octets(&w, POF_NEXT, bytes_of("\x00\xff\x10", 3)));
    EXPECT(&plain, "{\"$octets\": \"AP8=\"}",
           pof_write_octets(&w, POF_NEXT, bytes_of("\x00\xff", 2)));
    EXPECT(&plain, "{\"$octets\": \"AA==\"}", pof_write_octets(&w, POF_NEXT, bytes_of("\x00", 1)));
    EXPECT(&plain, "{\"$float128\": \"3fff0000000000000000000000000000\"}",
           pof_write_float128(&w, POF_NEXT, (const uint8_t[16]){0x3f, 0xff}));
}

/* Floats are the shortest text that reads back, with a point, so that they are no whole numbers. */
static void floats_are_short_and_exact(void **state)
{
    (void)state;
    EXPECT(&plain, "5.0", pof_write_float64(&w, POF_NEXT, 5));
    EXPECT(&plain, "0.1", pof_write_float64(&w, POF_NEXT, 0.1));
    EXPECT(&plain, "0.30000000000000004", pof_write_float64(&w, POF_NEXT, 0.1 + 0.2));
    EXPECT(&plain, "1e+300", pof_write_float64(&w, POF_NEXT, 1e300));
    EXPECT(&plain, "-0.0", pof_write_float64(&w, POF_NEXT, -0.0));
    EXPECT(&plain, "5e-324", pof_write_float64(&w, POF_NEXT, 5e-324));
    EXPECT(&plain, "{\"$float64\": \"NaN\"}", pof_write_float64(&w, POF_NEXT, NAN));
    EXPECT(&plain, "{\"$float64\": \"-Infinity\"}", pof_write_float64(&w, POF_NEXT, -INFINITY));
}

static struct pof_decimal decimal(uint64_t unscaled, int32_t scale)
{
    return (struct pof_decimal){.unscaled = {unscaled, 0}, .scale = scale};
}

/* Decimals keep their digits, zeros at the end too. */
static void decimals_keep_their_digits(void **state)
{
    (void)state;
    EXPECT(&lossy, "12.50", pof_write_decimal(&w, POF_NEXT, decimal(1250, 2)));
    EXPECT(&lossy, "0.05", pof_write_decimal(&w, POF_NEXT, decimal(5, 2)));
    EXPECT(&lossy, "0.00", pof_write_decimal(&w, POF_NEXT, decimal(0, 2)));
    EXPECT(&lossy, "7", pof_write_decimal(&w, POF_NEXT, decimal(7, 0)));
    EXPECT(&lossy, "125E+5", pof_write_decimal(&w, POF_NEXT, decimal(125, -5)));
    EXPECT(&lossy, "1E-50", pof_write_decimal(&w, POF_NEXT, decimal(1, 50)));
    EXPECT(&lossy, "-0.1",
           pof_write_decimal(&w, POF_NEXT, (struct pof_decimal){{UINT64_MAX, UINT64_MAX}, 1}));
    EXPECT(&plain, "{\"$decimal\": 1.0}", pof_write_decimal(&w, POF_NEXT, decimal(10, 1)));
}

/* ISO 8601, with what it has for years beyond four digits and for signs in durations. */
static void dates_and_times_are_iso_8601(void **state)
{
    const struct pof_time utc = {.hour = 13, .minute = 5, .nano = 500000000, .zone = POF_ZONE_UTC};
    const struct pof_time offset = {
        .hour = 1, .second = 60, .zone = POF_ZONE_OFFSET, .zone_hour = -3, .zone_minute = 30};

    (void)state;
    EXPECT(&lossy, "\"-0044-03-15\"", pof_write_date(&w, POF_NEXT, (struct pof_date){-44, 3, 15}));
    EXPECT(&lossy, "\"+12345-01-01\"",
           pof_write_date(&w, POF_NEXT, (struct pof_date){12345, 1, 1}));
    EXPECT(&lossy, "\"0001-01-01\"", pof_write_date(&w, POF_NEXT, (struct pof_date){1, 1, 1}));
    EXPECT(&lossy, "\"13:05:00.5Z\"", pof_write_time(&w, POF_NEXT, utc));
    EXPECT(&lossy, "\"01:00:60-03:30\"", pof_write_time(&w, POF_NEXT, offset));
    EXPECT(&lossy, "\"2024-02-29T13:05:00.5Z\"",
           pof_write_datetime(&w, POF_NEXT, (struct pof_datetime){{2024, 2, 29}, utc}));
    EXPECT(&lossy, "\"P1Y2M\"", pof_write_year_month(&w, POF_NEXT, (struct pof_year_month){1, 2}));
    EXPECT(&lossy, "\"P0M\"", pof_write_year_month(&w, POF_NEXT, (struct pof_year_month){0, 0}));
    EXPECT(&lossy, "\"PT1H0.000000007S\"",
           pof_write_time_interval(&w, POF_NEXT, (struct pof_day_time){.hours = 1, .nanos = 7}));
    EXPECT(&lossy, "\"PT-0.5S\"",
           pof_write_time_interval(&w, POF_NEXT, (struct pof_day_time){.nanos = -500000000}));
    EXPECT(&lossy, "\"P3D\"", pof_write_day_time(&w, POF_NEXT, (struct pof_day_time){.days = 3}));
    EXPECT(&lossy, "\"P-3DT4H\"",
           pof_write_day_time(&w, POF_NEXT, (struct pof_day_time){.days = -3, .hours = 4}));
    EXPECT(&lossy, "\"PT0S\"", pof_write_day_time(&w, POF_NEXT, (struct pof_day_time){.days = 0}));
}

/* Lists of every form; uniform ones say of what. */
static void lists_say_what_they_are(void **state)
{
    (void)state;
    EXPECT(&plain, "[1, \"a\"]", pof_begin_collection(&w, POF_NEXT, 2);
           pof_write_int32(&w, POF_NEXT, 1); pof_write_string(&w, POF_NEXT, bytes_of_text("a"));
           pof_end(&w));
    EXPECT(&plain, "{\"$array\": [1]}", pof_begin_array(&w, POF_NEXT, 1);
           pof_write_int32(&w, POF_NEXT, 1); pof_end(&w));
    EXPECT(&plain, "{\"$array\": [1], \"$of\": \"int64\"}",
           pof_begin_uniform_array(&w, POF_NEXT, POF_INT64, 1);
           pof_write_int64(&w, POF_NEXT, 1); pof_end(&w));
    EXPECT(&lossy, "[1]", pof_begin_uniform_array(&w, POF_NEXT, POF_INT64, 1);
           pof_write_int64(&w, POF_NEXT, 1); pof_end(&w));
    EXPECT(&plain, "{\"$sparse\": {\"0\": 1, \"7\": \"b\"}}",
           pof_begin_container(&w, POF_NEXT,
                               (struct pof_container){.type = POF_SPARSE_ARRAY, .count = 8});
           pof_write_int32(&w, 0, 1); pof_write_string(&w, 7, bytes_of_text("b")); pof_end(&w));
}

/* Maps are objects when their keys are names that cannot be taken for marks, else pairs. */
static void maps_are_objects_when_keys_are_names(void **state)
{
    (void)state;
    EXPECT(&plain, "{\"a\": 1}", pof_begin_map(&w, POF_NEXT, 1);
           pof_write_string(&w, POF_NEXT, bytes_of_text("a")); pof_write_int32(&w, POF_NEXT, 1);
           pof_end(&w));
    EXPECT(&plain, "{\"$map\": [[\"$id\", 1]]}", pof_begin_map(&w, POF_NEXT, 1);
           pof_write_string(&w, POF_NEXT, bytes_of_text("$id")); pof_write_int32(&w, POF_NEXT, 1);
           pof_end(&w));
    EXPECT(&plain, "{\"$map\": [[2, {\"$map\": [[3, 4]]}]]}", pof_begin_map(&w, POF_NEXT, 1);
           pof_write_int32(&w, POF_NEXT, 2); pof_begin_map(&w, POF_NEXT, 1);
           pof_write_int32(&w, POF_NEXT, 3); pof_write_int32(&w, POF_NEXT, 4); pof_end(&w);
           pof_end(&w));
    EXPECT(&plain, "{\"$map\": [[\"a\", 1]], \"$keys\": \"string\", \"$of\": \"int32\"}",
           pof_begin_container(&w, POF_NEXT,
                               (struct pof_container){.type = POF_UNIFORM_MAP,
                                                      .key_type = POF_STRING,
                                                      .element_type = POF_INT32,
                                                      .count = 1});
           pof_write_string(&w, POF_NEXT, bytes_of_text("a")); pof_write_int32(&w, POF_NEXT, 1);
           pof_end(&w));
}

/* Objects by number without a schema. */
static void unknown_objects_show_their_numbers(void **state)
{
    (void)state;
    EXPECT(&plain, "{\"$type\": 7, \"$version\": 2, \"0\": \"x\", \"90\": 1}",
           pof_begin_user(&w, POF_NEXT, 7, 2);
           pof_write_string(&w, 0, bytes_of_text("x")); pof_write_int32(&w, 90, 1); pof_end(&w));
    EXPECT(&lossy, "{\"$type\": 7}", pof_begin_user(&w, POF_NEXT, 7, 2); pof_end(&w));
}

static void write_car(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1000, 1);
    pof_write_string(w, 0, bytes_of_text("Volvo"));
    pof_write_int64(w, 2, 21); /* small: it reads as an int32 */
    pof_write_octets(w, 3, bytes_of("?", 1));
    pof_begin_uniform_collection(w, 4, POF_STRING, 1);
    pof_write_string(w, POF_NEXT, bytes_of_text("tow bar"));
    pof_end(w);
    pof_write_float64(w, 5, 22);
    pof_begin_user(w, 6, 1001, 0);
    pof_write_string(w, 0, bytes_of_text("Ada"));
    pof_write_int64(w, 1, 1L << 40);
    pof_end(w);
    pof_begin_container(w, 7,
                        (struct pof_container){.type = POF_UNIFORM_MAP,
                                               .key_type = POF_STRING,
                                               .element_type = POF_INT64,
                                               .count = 1});
    pof_write_string(w, POF_NEXT, bytes_of_text("wheels"));
    pof_write_int64(w, POF_NEXT, 4);
    pof_end(w);
    pof_write_date(w, 8, (struct pof_date){2021, 1, 2});
    pof_begin_user(w, 9, 1001, 3);
    pof_end(w);
    pof_end(w);
}

/* With a schema objects have names, and marks stand only where something is not as declared. */
static void declared_objects_need_no_marks(void **state)
{
    const struct pof_json_options options = {.schema = &schema, .shape = &shape_car};
    const struct pof_json_options undeclared = {.schema = &schema};

    (void)state;
    EXPECT(&options,
           "{\"make\": \"Volvo\", \"year\": 21, \"3\": {\"$octets\": \"Pw==\"}, "
           "\"options\": [\"tow bar\"], \"price\": 22.0, "
           "\"owner\": {\"name\": \"Ada\", \"age\": {\"$int64\": 1099511627776}}, "
           "\"counts\": {\"wheels\": 4}, \"built\": \"2021-01-02\", "
           "\"more\": {\"$type\": \"Owner\", \"$version\": 3}}",
           write_car(&w));
    EXPECT(&undeclared, "{\"$type\": \"Owner\", \"name\": \"Ada\"}",
           pof_begin_user(&w, POF_NEXT, 1001, 0);
           pof_write_string(&w, 0, bytes_of_text("Ada")); pof_end(&w));
}

/* A null makes a uniform list or map plain, for the format has no other form. That is no mark
 * worth.
 */
static void a_null_in_a_list_needs_no_mark(void **state)
{
    const struct pof_json_options strings = {.shape = &shape_strings};
    const struct pof_json_options counts = {.shape = &shape_counts};

    (void)state;
    EXPECT(&strings, "[null, \"a\"]", pof_begin_collection(&w, POF_NEXT, 2);
           pof_write_null(&w, POF_NEXT); pof_write_string(&w, POF_NEXT, bytes_of_text("a"));
           pof_end(&w));
    EXPECT(&strings, "{\"$list\": [\"a\"]}", pof_begin_collection(&w, POF_NEXT, 1);
           pof_write_string(&w, POF_NEXT, bytes_of_text("a")); pof_end(&w));
    EXPECT(&counts, "{\"a\": null, \"b\": 5}",
           pof_begin_container(&w, POF_NEXT,
                               (struct pof_container){.type = POF_UNIFORM_KEYS_MAP,
                                                      .key_type = POF_STRING,
                                                      .count = 2});
           pof_write_string(&w, POF_NEXT, bytes_of_text("a")); pof_write_null(&w, POF_NEXT);
           pof_write_string(&w, POF_NEXT, bytes_of_text("b")); pof_write_int64(&w, POF_NEXT, 5);
           pof_end(&w));
}

/* Where other keys are declared, strings are no names. */
static void names_are_keys_only_where_strings_may_be(void **state)
{
    static const struct pof_shape by_number = {
        .kind = POF_SHAPE_MAP_OF, .plain = true, .key = &shape_int32, .element = &shape_any};
    const struct pof_json_options options = {.shape = &by_number};

    (void)state;
    EXPECT(&options, "[[{\"$string\": \"a\"}, 1]]", pof_begin_map(&w, POF_NEXT, 1);
           pof_write_string(&w, POF_NEXT, bytes_of_text("a")); pof_write_int32(&w, POF_NEXT, 1);
           pof_end(&w));
}

/* Decimals have three widths: uniform lists of the narrower ones say which. */
static void uniform_decimals_keep_their_width(void **state)
{
    static const struct pof_shape shape_decimal = {.kind = POF_SHAPE_DECIMAL};
    static const struct pof_shape prices = {.kind = POF_SHAPE_LIST, .element = &shape_decimal};
    const struct pof_json_options options = {.shape = &prices};

    (void)state;
    EXPECT(&options, "[1.5]", pof_begin_uniform_collection(&w, POF_NEXT, POF_DECIMAL128, 1);
           pof_write_decimal(&w, POF_NEXT, decimal(15, 1)); pof_end(&w));
    EXPECT(&options, "{\"$list\": [1.5], \"$of\": \"decimal32\"}",
           pof_begin_uniform_collection(&w, POF_NEXT, POF_DECIMAL32, 1);
           pof_write_decimal(&w, POF_NEXT, decimal(15, 1)); pof_end(&w));
}

/* What is declared brings its names along, be there a schema or not. */
static void a_declared_type_needs_no_schema(void **state)
{
    const struct pof_json_options options = {.shape = &shape_owner};

    (void)state;
    EXPECT(&options, "{\"age\": 36}", pof_begin_user(&w, POF_NEXT, 1001, 0);
           pof_write_int32(&w, 1, 36); pof_end(&w));
}

/* Indented, for people. */
static void indent_breaks_lines(void **state)
{
    const struct pof_json_options options = {.indent = 2, .lossy = true};

    (void)state;
    EXPECT(&options, "{\n  \"a\": [\n    1,\n    []\n  ]\n}", pof_begin_map(&w, POF_NEXT, 1);
           pof_write_string(&w, POF_NEXT, bytes_of_text("a"));
           pof_begin_collection(&w, POF_NEXT, 2); pof_write_int32(&w, POF_NEXT, 1);
           pof_begin_collection(&w, POF_NEXT, 0); pof_end(&w); pof_end(&w); pof_end(&w));
}

/* A recursive object is written once, and then named. */
static void shared_objects_have_identities(void **state)
{
    static const uint8_t recursive[] = {0x5e, 0x01, 0x07, 0x00, 0x00, 0x5f, 0x01, 0x40};
    const struct buf pof = {.data = (uint8_t *)(uintptr_t)recursive, .size = sizeof recursive};

    (void)state;
    expect_text(&pof, &plain, "{\"$id\": 1, \"$type\": 7, \"0\": {\"$ref\": 1}}");
}

static enum qn_status collect(void *context, struct bytes text)
{
    return buf_append(context, text.data, text.size);
}

static enum qn_status refuse(void *context, struct bytes text)
{
    (void)context;
    (void)text;
    return QN_IO;
}

/* A large value goes through the buffer in pieces, and is the same text. */
static void a_large_value_flows_through_the_buffer(void **state)
{
    struct buf all = {0};
    struct buf pieces = {0};
    struct buf rest = {0};
    struct buf pof = {0};
    const struct pof_json_options flowing = {.flush = collect, .context = &pieces};
    const struct pof_json_options refused = {.flush = refuse};
    struct pof_writer w;

    (void)state;
    pof_writer_init(&w, &pof);
    pof_begin_collection(&w, POF_NEXT, 100000);
    for (int i = 0; i < 100000; i++) {
        pof_write_int32(&w, POF_NEXT, i);
    }
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_int_equal(pof_json_write(&all, buf_bytes(&pof), &plain), QN_OK);
    assert_int_equal(pof_json_write(&rest, buf_bytes(&pof), &flowing), QN_OK);
    assert_true(rest.capacity <= 256 * 1024 && pieces.size > 0);
    assert_int_equal(buf_append(&pieces, rest.data, rest.size), QN_OK);
    assert_bytes_equal(buf_bytes(&pieces), buf_bytes(&all));
    assert_int_equal(pof_json_write(&rest, buf_bytes(&pof), &refused), QN_IO);
    buf_fini(&all);
    buf_fini(&pieces);
    buf_fini(&rest);
    buf_fini(&pof);
}

/* Broken octets leave the buffer as it was. */
static void broken_octets_leave_no_text(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_int_equal(buf_append(&out, "before", 6), QN_OK);
    assert_int_equal(pof_json_write(&out, bytes_of("\x55\x02\x6a", 3), &plain), QN_MALFORMED);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text("before"));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_values_speak_for_themselves),
        cmocka_unit_test(other_values_carry_their_kind),
        cmocka_unit_test(floats_are_short_and_exact),
        cmocka_unit_test(decimals_keep_their_digits),
        cmocka_unit_test(dates_and_times_are_iso_8601),
        cmocka_unit_test(lists_say_what_they_are),
        cmocka_unit_test(maps_are_objects_when_keys_are_names),
        cmocka_unit_test(unknown_objects_show_their_numbers),
        cmocka_unit_test(declared_objects_need_no_marks),
        cmocka_unit_test(a_null_in_a_list_needs_no_mark),
        cmocka_unit_test(names_are_keys_only_where_strings_may_be),
        cmocka_unit_test(uniform_decimals_keep_their_width),
        cmocka_unit_test(a_declared_type_needs_no_schema),
        cmocka_unit_test(indent_breaks_lines),
        cmocka_unit_test(shared_objects_have_identities),
        cmocka_unit_test(a_large_value_flows_through_the_buffer),
        cmocka_unit_test(broken_octets_leave_no_text),
    };

    return RUN_TESTS(tests);
}
