#include <string.h>

#include "node/admin/escape.h"
#include "tests/lib/check.h"

static void check_octets(const char *in, size_t size, enum escape_style style, const char *expected)
{
    struct bytes rest = bytes_of(in, size);
    char got[512] = "";
    size_t length = 0;

    while (rest.size > 0) {
        char out[ESCAPE_MAX];
        size_t wrote = escape_next(&rest, style, out);
        assert_in_range(wrote, 1, ESCAPE_MAX);
        assert_true(length + wrote < sizeof got);
        memcpy(got + length, out, wrote);
        length += wrote;
    }
    got[length] = '\0';
    assert_string_equal(got, expected);
}

static void check(const char *in, enum escape_style style, const char *expected)
{
    check_octets(in, strlen(in), style, expected);
}

/* What can be read stays as it is, in whatever script. */
static void text_stays(void **state)
{
    static const char text[] = "abc ~ \xc3\xa9 \xe2\x82\xac \xe6\xbc\xa2 \xf0\x9f\x98\x80";

    (void)state;
    for (int style = ESCAPE_PLAIN; style <= ESCAPE_LABEL; style++) {
        check(text, (enum escape_style)style, text);
    }
}

/* Quotes and backslashes are escaped wherever text stands in quotes. */
static void quotes_are_escaped(void **state)
{
    (void)state;
    check("a\"b\\", ESCAPE_PLAIN, "a\"b\\");
    check("a\"b\\", ESCAPE_TEXT, "a\\\"b\\\\");
    check("a\"b\\", ESCAPE_JSON, "a\\\"b\\\\");
    check("a\"b\\", ESCAPE_LABEL, "a\\\"b\\\\");
}

/* No control octet passes: one text stays one line, and a terminal obeys nobody. */
static void controls_are_escaped(void **state)
{
    (void)state;
    check_octets("\n\r\t\0\x1b[2J\x7f", 9, ESCAPE_TEXT, "\\n\\r\\t\\x00\\x1b[2J\\x7f");
    check_octets("\n\r\t\0\x1b", 5, ESCAPE_JSON, "\\n\\r\\t\\u0000\\u001b");
    check_octets("\n\r\t\0\x1b", 5, ESCAPE_LABEL, "\\n????");
}

/* Line separators, C1 controls, changes of direction and invisible marks are shown as octets. */
static void deceptive_characters_are_escaped(void **state)
{
    (void)state;
    check("\xe2\x80\xa8", ESCAPE_TEXT, "\\xe2\\x80\\xa8");
    check("\xe2\x80\xae", ESCAPE_TEXT, "\\xe2\\x80\\xae");
    check("\xc2\x85", ESCAPE_TEXT, "\\xc2\\x85");
    check("\xef\xbb\xbf", ESCAPE_JSON, "\\\\xef\\\\xbb\\\\xbf");
    check("\xc2\xa0", ESCAPE_TEXT, "\xc2\xa0");
}

/* What is not UTF-8 is escaped octet by octet: stray, cut, overlong, surrogate, out of range. */
static void broken_utf8_is_escaped(void **state)
{
    (void)state;
    check("\xff", ESCAPE_TEXT, "\\xff");
    check("\xff", ESCAPE_JSON, "\\\\xff");
    check("\xff", ESCAPE_LABEL, "?");
    check("\x80z", ESCAPE_TEXT, "\\x80z");
    check("\xe2\x82", ESCAPE_TEXT, "\\xe2\\x82");
    check("\xe2\x82z", ESCAPE_TEXT, "\\xe2\\x82z");
    check("\xc0\xaf", ESCAPE_TEXT, "\\xc0\\xaf");
    check("\xe0\x80\xaf", ESCAPE_TEXT, "\\xe0\\x80\\xaf");
    check("\xf0\x80\x80\xaf", ESCAPE_TEXT, "\\xf0\\x80\\x80\\xaf");
    check("\xed\xa0\x80", ESCAPE_TEXT, "\\xed\\xa0\\x80");
    check("\xf4\x90\x80\x80", ESCAPE_TEXT, "\\xf4\\x90\\x80\\x80");
    check("\xf4\x8f\xbf\xbd", ESCAPE_TEXT, "\xf4\x8f\xbf\xbd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_stays),
        cmocka_unit_test(quotes_are_escaped),
        cmocka_unit_test(controls_are_escaped),
        cmocka_unit_test(deceptive_characters_are_escaped),
        cmocka_unit_test(broken_utf8_is_escaped),
    };

    return RUN_TESTS(tests);
}
