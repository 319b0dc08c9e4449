/* Finding the elements of a JSON array and the lines of JSON lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "client/cli/json_split.h"

/* A text, the member to enter, and its elements as "line:text" with spaces between; "!" when it
 * ends badly,
 * "!!" when it cannot be entered. */
struct split_case {
    const char *text;
    const char *at;
    const char *elements;
};

static const struct split_case split_cases[] = {
    {"[]", NULL, ""},
    {"[1]", NULL, "1:1"},
    {" [ 1 , \"a,]\" ,\n {\"b\":[1,\"}\"]}, null ]", NULL,
     "1:1 1:\"a,]\" 2:{\"b\":[1,\"}\"]} 2:null"},
    {"\xef\xbb\xbf[true]", NULL, "1:true"},
    {"[\"\\\"]\"]", NULL, "1:\"\\\"]\""},
    {"{\"x\":[1,2]}", "x", "1:1 1:2"},
    {"{\"a\":{\"x\":[3]},\"b\":\"x\",\n\"x\":[1]}", "x", "2:1"},
    {"[1", NULL, "1:1 !"},
    {"[1 2]", NULL, "1:1 !"},
    {"[{\"a\":1]", NULL, "1:{\"a\":1] !"},
    {"[{\"a\":1", NULL, "!"},
    {"[,]", NULL, "!"},
    {"[1,]", NULL, "1:1 !"},
    {"[\"a", NULL, "!"},
    {"{\"x\":[1]}", NULL, "!!"},
    {"{\"x\":[1]}", "y", "!!"},
    {"{\"x\":1}", "x", "!!"},
    {"{\"x\" 1}", "x", "!!"},
    {"[1]", "x", "!!"},
    {"", NULL, "!!"},
    {"17", NULL, "!!"},
    {"{", "x", "!!"},
};

static void split_all(const struct split_case *c, char *out, size_t size)
{
    struct json_split split;
    struct bytes element = {.size = 0};
    uint64_t line = 0;
    json_split_init(&split, bytes_of_text(c->text));
    *out = '\0';
    if (!json_split_enter(&split, c->at)) {
        snprintf(out, size, "!!");
        return;
    }
    for (;;) {
        enum json_split_event event = json_split_next(&split, &element, &line);
        if (event == JSON_SPLIT_END) {
            return;
        }
        size_t length = strlen(out);
        const char *space = length > 0 ? " " : "";
        if (event == JSON_SPLIT_BROKEN) {
            snprintf(out + length, size - length, "%s!", space);
            return;
        }
        snprintf(out + length, size - length, "%s%d:%.*s", space, (int)line, (int)element.size,
                 (const char *)element.data);
    }
}

/* Elements are found without reading them; what does not end is a mistake with a line. */
static void elements_are_found(void **state)
{
    (void)state;
    char out[256];
    for (size_t i = 0; i < sizeof split_cases / sizeof *split_cases; i++) {
        split_all(&split_cases[i], out, sizeof out);
        assert_string_equal(out, split_cases[i].elements);
    }
}

/* A person who forgot --at is told what to write. */
static void the_array_that_could_be_meant_is_named(void **state)
{
    (void)state;
    struct json_split split;
    json_split_init(&split, bytes_of_text("{\"n\":1,\"639-3\":[1]}"));
    assert_false(json_split_enter(&split, NULL));
    assert_non_null(strstr(split.problem, "--at 639-3"));
    json_split_init(&split, bytes_of_text("{\"n\":1,\"639-3\":[1]}"));
    assert_false(json_split_enter(&split, "639"));
    assert_non_null(strstr(split.problem, "--at 639-3"));
}

/* Lines are what stands between line ends; blank ones do not count as records but as lines. */
static void lines_are_found(void **state)
{
    (void)state;
    struct json_split split;
    struct bytes element = {.size = 0};
    uint64_t line = 0;
    json_split_init(&split, bytes_of_text("{\"a\":1}\r\n\n  \n[2]\n3"));
    assert_int_equal(json_split_next_line(&split, &element, &line), JSON_SPLIT_ELEMENT);
    assert_true(bytes_equal(element, bytes_of_text("{\"a\":1}")));
    assert_int_equal(line, 1);
    assert_int_equal(json_split_next_line(&split, &element, &line), JSON_SPLIT_ELEMENT);
    assert_true(bytes_equal(element, bytes_of_text("[2]")));
    assert_int_equal(line, 4);
    assert_int_equal(json_split_next_line(&split, &element, &line), JSON_SPLIT_ELEMENT);
    assert_int_equal(line, 5);
    assert_int_equal(json_split_next_line(&split, &element, &line), JSON_SPLIT_END);
}

/* Members of an object are given as they stand, in their order. */
static void members_are_given_as_they_stand(void **state)
{
    (void)state;
    static const char *const expected[] = {"a", "1", "b\\\"", "{\"a\": [\"}\"]}", "", "\"x, y\""};
    struct json_split split;
    struct bytes name;
    struct bytes value;
    json_split_init(&split,
                    bytes_of_text(" {\"a\": 1, \"b\\\"\" :{\"a\": [\"}\"]} ,\"\":\"x, y\"} "));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i += 2) {
        assert_true(json_split_member(&split, &name, &value));
        assert_true(bytes_equal(name, bytes_of_text(expected[i])));
        assert_true(bytes_equal(value, bytes_of_text(expected[i + 1])));
    }
    assert_false(json_split_member(&split, &name, &value));
}

/* What is no object has no members, and one that is cut off has those before the cut. */
static void members_end_where_the_object_does(void **state)
{
    (void)state;
    static const char *const none[] = {"", "{}", "[1]", "17", "{\"a\"}", "{\"a\":", "{a: 1}"};
    struct bytes name;
    struct bytes value;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct json_split split;
        json_split_init(&split, bytes_of_text(none[i]));
        assert_false(json_split_member(&split, &name, &value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_found),
        cmocka_unit_test(the_array_that_could_be_meant_is_named),
        cmocka_unit_test(lines_are_found),
        cmocka_unit_test(members_are_given_as_they_stand),
        cmocka_unit_test(members_end_where_the_object_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
