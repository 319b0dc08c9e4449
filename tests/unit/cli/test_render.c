/* Values of the grid as JSON and as text. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/render.h"
#include "client/cli/text.h"

/* A Binary in hexadecimal and what it is shown as. */
struct render_case {
    const char *binary;
    const char *json;
};

/* As text that ends with NUL; NULL: not shown. */
static char *text_of(struct buf *text, bool made)
{
    char *copy = made ? strndup((const char *)text->data, text->size) : NULL;
    buf_fini(text);
    return copy;
}

static char *render(const char *hex, const struct types *types, enum qn_status *status)
{
    const struct form form = form_of(types, NULL);
    struct buf binary = {.size = 0};
    struct buf text = {.size = 0};
    assert_int_equal(text_unhex(bytes_of_text(hex), &binary), QN_OK);
    *status = render_json(&text, buf_bytes(&binary), &form);
    buf_fini(&binary);
    return text_of(&text, *status == QN_OK);
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
        {"0x154c0200ff", "\"AP8=\""},
        {"0x154101", "1"},
        {"0x156a", "1"},
        {"0x1568", "-1"},
        {"0x154b07", "7"},
        {"0x154c00", "\"\""},
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
         "5.13"},
        {"0x154703"
         "03",
         "0.003"},
        {"0x15470341", "3E+2"},
        {"0x155001"
         "02",
         "\"P1Y2M\""},
    };
    expect(cases, sizeof cases / sizeof *cases, NULL);
}

/* Containers, one in the other, and types without names. */
static void containers_have_a_json_form(void **state)
{
    (void)state;
    static const struct render_case cases[] = {
        {"0x1563", "[]"},
        {"0x1555026a64", "[1, null]"},
        {"0x15584e02016101"
         "62",
         "[\"a\", \"b\"]"},
        {"0x155b014e01616b", "{\"a\": 2}"},
        {"0x155b016a6b", "[[1, 2]]"},
        {"0x155b00", "{}"},
        {"0x1559"
         "03006a026b40",
         "{\"0\": 1, \"2\": 2}"},
        {"0x15a90f00004e016103a90f00016a4040",
         "{\"$type\": 1001, \"0\": \"a\", \"3\": {\"$type\": 1001, \"1\": 1}}"},
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
        {"0x15a90f00004e01610161026b40",
         "{\"name\": \"a\", \"flag\": true, \"letter\": \"\\u0002\"}"},
        {"0x15a90f00004e0161016140", "{\"name\": \"a\", \"flag\": true}"},
        {"0x15a90f00006a076a40", "{\"name\": 1, \"7\": 1}"},
        {"0x15aa0f0040", "{\"$type\": 1002}"},
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
    const struct form form = form_of(NULL, NULL);
    struct buf binary = {.size = 0};
    struct buf text = {.size = 0};
    assert_int_equal(text_unhex(bytes_of_text(hex), &binary), QN_OK);
    *status = render_text(&text, buf_bytes(&binary), &form);
    buf_fini(&binary);
    return text_of(&text, true);
}

/* A text as JSON, such as a line of a file that was rejected: what is no text is its octets. */
static void any_octets_become_a_json_string(void **state)
{
    (void)state;
    static const struct render_case cases[] = {
        {"a\"b\n", "\"a\\\"b\\n\""}, {"", "\"\""}, {"\xff", "\"0xff\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {.size = 0};
        assert_int_equal(render_string(&out, bytes_of_text(cases[i].binary)), QN_OK);
        char *text = text_of(&out, true);
        assert_string_equal(text, cases[i].json);
        free(text);
    }
}

/* For people, a string is what it says; what cannot be read is still shown. */
static void text_is_for_people(void **state)
{
    (void)state;
    static const struct render_case cases[] = {
        {"0x154e0161", "a"},
        {"0x154c0200ff", "0x00ff"},
        {"0x156a", "1"},
        {"0x154e05", "0x154e05"},
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
        cmocka_unit_test(any_octets_become_a_json_string),
        cmocka_unit_test(text_is_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
