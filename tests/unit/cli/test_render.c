/* Values of the grid as JSON and as text. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/json_value.h"
#include "client/cli/render.h"
#include "client/cli/text.h"

/* A Binary in hexadecimal and what it is shown as. */
struct render_case {
    const char *binary;
    const char *json;
};

static char *render(const char *hex, const struct types *types, enum qn_status *status)
{
    struct buf binary = {.size = 0};
    json_t *json = NULL;
    char *text = NULL;
    assert_int_equal(text_unhex(bytes_of_text(hex), &binary), QN_OK);
    *status = render_json(buf_bytes(&binary), types, &json);
    if (*status == QN_OK) {
        text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
        json_decref(json);
    }
    buf_fini(&binary);
    return text;
}

static void expect(const struct render_case *cases, size_t count, const struct types *types)
{
    for (size_t i = 0; i < count; i++) {
        enum qn_status status = QN_OK;
        char *text = render(cases[i].binary, types, &status);
        if (text == NULL || strcmp(text, cases[i].json) != 0) {
            fail_msg("%s: %s (%s)", cases[i].binary, text != NULL ? text : "nothing",
                     qn_status_text(status));
        }
        free(text);
    }
}

/* Scalars of every type. */
static void scalars_have_a_json_form(void **state)
{
    (void)state;
    static const struct render_case cases[] = {
        {"0x1564", "null"},
        {"0x1560", "false"},
        {"0x1561", "true"},
        {"0x154e0161", "\"a\""},
        {"0x154c0200ff", "\"0x00ff\""},
        {"0x154101", "1"},
        {"0x156a", "1"},
        {"0x1568", "-1"},
        {"0x154b07", "7"},
        {"0x154c00", "\"0x\""},
        {"0x1544"
         "3fc00000",
         "1.5"},
        {"0x1566", "\"-Infinity\""},
        {"0x154fa81f"
         "021d",
         "\"2024-02-29\""},
        {"0x1551"
         "0102030001",
         "\"01:02:03Z\""},
        {"0x154781"
         "0802",
         "\"5.13\""},
        {"0x154703"
         "03",
         "\"0.003\""},
        {"0x15470341", "\"3E2\""},
        {"0x155001"
         "02",
         "{\"years\":1,\"months\":2}"},
    };
    expect(cases, sizeof cases / sizeof *cases, NULL);
}

/* Containers, one in the other, and types without names. */
static void containers_have_a_json_form(void **state)
{
    (void)state;
    static const struct render_case cases[] = {
        {"0x1563", "[]"},
        {"0x1555026a64", "[1,null]"},
        {"0x15584e02016101"
         "62",
         "[\"a\",\"b\"]"},
        {"0x155b014e01616b", "{\"a\":2}"},
        {"0x155b016a6b", "[[1,2]]"},
        {"0x155b00", "{}"},
        {"0x1559"
         "03006a026b40",
         "{\"0\":1,\"2\":2}"},
        {"0x15a90f00004e016103a90f00016a4040",
         "{\"$type\":1001,\"0\":\"a\",\"3\":{\"$type\":1001,\"1\":1}}"},
    };
    expect(cases, sizeof cases / sizeof *cases, NULL);
}

/* With a types file, objects have the names of their fields; numbers become what the field is. */
static void known_types_have_names(void **state)
{
    (void)state;
    static const char text[] = "types = ( { id = 1001; name = \"T\"; fields = (\n"
                               "  { index = 0; name = \"name\"; type = \"string\"; },\n"
                               "  { index = 1; name = \"flag\"; type = \"bool\"; },\n"
                               "  { index = 2; name = \"letter\"; type = \"char\"; } ); } );\n";
    struct types *types = NULL;
    struct cfg_report report = {.error_count = 0};
    assert_int_equal(types_load_text(bytes_of_text(text), "test", &types, &report), QN_OK);
    cfg_report_fini(&report);
    static const struct render_case named[] = {
        {"0x15a90f00004e01610161026b40", "{\"name\":\"a\",\"flag\":true,\"letter\":\"\\u0002\"}"},
        {"0x15a90f00004e0161016a40", "{\"name\":\"a\",\"flag\":true}"},
        {"0x15a90f00006a076a40", "{\"name\":1,\"7\":1}"},
        {"0x15aa0f0040", "{\"$type\":1002}"},
    };
    expect(named, sizeof named / sizeof *named, types);
    types_free(types);
}

/* What cannot be read is refused. */
static void damaged_values_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"0x",     "0x15",       "0x154e05",
                                      "0x1555", "0x15555064", "0x15a90f000041"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        enum qn_status status = QN_OK;
        assert_null(render(bad[i], NULL, &status));
        assert_true(status < QN_OK);
    }
}

static char *print(const char *hex, enum qn_status *status)
{
    struct buf binary = {.size = 0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(text_unhex(bytes_of_text(hex), &binary), QN_OK);
    *status = render_print(buf_bytes(&binary), NULL, file);
    fclose(file);
    buf_fini(&binary);
    return text;
}

/* Numbers with a fraction are as short as they can be and mean the same. */
static void fractions_are_short_and_exact(void **state)
{
    (void)state;
    static const double reals[] = {0.1, 1.0 / 3, 1e300, -2.5e-310, 123456789.123456789};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        json_t *json = json_value_real(reals[i]);
        char *text =
            json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(json_value_digits(json)));
        double read = strtod(text, NULL);
        assert_memory_equal(&read, &reals[i], sizeof read);
        assert_true(i > 0 || strcmp(text, "0.1") == 0);
        free(text);
        json_decref(json);
    }
    json_t *json = json_value_float32(0.1F);
    assert_true(json_real_value(json) >= 0.1 && json_real_value(json) <= 0.1);
    json_decref(json);
}

/* For people, a string is what it says; what cannot be read is still shown. */
static void text_is_for_people(void **state)
{
    (void)state;
    static const struct render_case cases[] = {
        {"0x154e0161", "a\n"},
        {"0x154c0200ff", "0x00ff\n"},
        {"0x156a", "1\n"},
        {"0x154e05", "0x154e05\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum qn_status status = QN_OK;
        char *text = print(cases[i].binary, &status);
        assert_string_equal(text, cases[i].json);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_have_a_json_form),
        cmocka_unit_test(containers_have_a_json_form),
        cmocka_unit_test(known_types_have_names),
        cmocka_unit_test(damaged_values_are_refused),
        cmocka_unit_test(fractions_are_short_and_exact),
        cmocka_unit_test(text_is_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
