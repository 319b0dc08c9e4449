/* Numbers and texts as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client/cli/text.h"

/* Thousands are grouped. */
static void numbers_are_grouped(void **state)
{
    (void)state;
    char text[TEXT_NUMBER_MAX];
    assert_string_equal(text_grouped(0, text), "0");
    assert_string_equal(text_grouped(999, text), "999");
    assert_string_equal(text_grouped(1000, text), "1,000");
    assert_string_equal(text_grouped(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

/* Sizes and times use the unit that fits. */
static void units_fit_the_amount(void **state)
{
    (void)state;
    char text[TEXT_NUMBER_MAX];
    assert_string_equal(text_size(1023, text), "1023 B");
    assert_string_equal(text_size(1536, text), "1.5 KiB");
    assert_string_equal(text_size((uint64_t)3 << 40, text), "3.0 TiB");
    assert_string_equal(text_nanos(850, text), "850 ns");
    assert_string_equal(text_nanos(21400, text), "21.4 us");
    assert_string_equal(text_nanos(3210000, text), "3.21 ms");
    assert_string_equal(text_nanos(12300000000, text), "12.30 s");
    assert_string_equal(text_uptime(45000, text), "45 s");
    assert_string_equal(text_uptime(192000, text), "3 m 12 s");
    assert_string_equal(text_uptime(7500000, text), "2 h 5 m");
    assert_string_equal(text_uptime(370800000, text), "4 d 7 h");
}

/* Whole numbers have 64 bits and nothing around them. */
static void whole_numbers_are_exact(void **state)
{
    (void)state;
    int64_t number = 7;
    assert_true(text_to_int(bytes_of_text("0"), &number) && number == 0);
    assert_true(text_to_int(bytes_of_text("-0"), &number) && number == 0);
    assert_true(text_to_int(bytes_of_text("-17"), &number) && number == -17);
    assert_true(text_to_int(bytes_of_text("9223372036854775807"), &number));
    assert_true(number == INT64_MAX);
    assert_true(text_to_int(bytes_of_text("-9223372036854775808"), &number));
    assert_true(number == INT64_MIN);
    static const char *const bad[] = {"",
                                      "-",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "0x1",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(text_to_int(bytes_of_text(bad[i]), &number));
    }
}

/* Octets as text are read back; what is no such text is refused and leaves nothing behind. */
static void hex_goes_both_ways(void **state)
{
    (void)state;
    struct buf text = {.size = 0};
    struct buf octets = {.size = 0};
    assert_int_equal(text_hex(bytes_of("\x00\xa5\xff", 3), &text), QN_OK);
    assert_true(bytes_equal(buf_bytes(&text), bytes_of_text("0x00a5ff")));
    assert_int_equal(text_unhex(buf_bytes(&text), &octets), QN_OK);
    assert_true(bytes_equal(buf_bytes(&octets), bytes_of("\x00\xa5\xff", 3)));
    static const char *const bad[] = {"", "0", "0x1", "1234", "0x1g", "0X12"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(text_unhex(bytes_of_text(bad[i]), &octets), QN_MALFORMED);
        assert_int_equal(octets.size, 3);
    }
    buf_fini(&text);
    buf_fini(&octets);
}

struct octets_case {
    const char *text;
    const char *octets;
    size_t size;
};

/* Octets on a command line are hex or base64 (RFC 4648, 4); anything else is refused whole. */
static void octets_are_hex_or_base64(void **state)
{
    (void)state;
    static const struct octets_case cases[] = {
        {"0x00ff", "\x00\xff", 2},
        {"0x", "", 0},
        {"b64:", "", 0},
        {"b64:AP8=", "\x00\xff", 2},
        {"b64:Zg==", "f", 1},
        {"b64:Zm9v", "foo", 3},
        {"b64:Zm9vYmE=", "fooba", 5},
        {"b64:+/+/", "\xfb\xff\xbf", 3},
    };
    static const char *const bad[] = {"",         "abc",      "0x0",         "b64:A",
                                      "b64:AP8",  "b64:====", "b64:A===",    "b64:AP=8",
                                      "b64:AP9=", "b64:A P8", "b64:Zg==Zg=="};
    struct buf out = {.size = 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&out);
        assert_int_equal(text_to_octets(bytes_of_text(cases[i].text), &out), QN_OK);
        assert_int_equal(out.size, cases[i].size);
        assert_memory_equal(out.size > 0 ? (const char *)out.data : "", cases[i].octets, out.size);
    }
    assert_int_equal(buf_append(&out, "x", 1), QN_OK);
    size_t before = out.size;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(text_to_octets(bytes_of_text(bad[i]), &out), QN_MALFORMED);
        assert_int_equal(out.size, before);
    }
    buf_fini(&out);
}

struct uri_case {
    const char *uri;
    const char *result;
};

/* A property of the URI is added, or replaces the one that was there. */
static void a_uri_gets_a_property(void **state)
{
    (void)state;
    static const struct uri_case cases[] = {
        {"quoin://a:1", "quoin://a:1/?timeout=5ms"},
        {"quoin://a:1/", "quoin://a:1/?timeout=5ms"},
        {"quoin://a:1,b:2/?", "quoin://a:1,b:2/?timeout=5ms"},
        {"quoin://a/?timeout=1s", "quoin://a/?timeout=5ms"},
        {"quoin://a/?timeout=1s&in_flight=3", "quoin://a/?in_flight=3&timeout=5ms"},
        {"quoin://a/?in_flight=3&timeout=1s", "quoin://a/?in_flight=3&timeout=5ms"},
        {"quoin://a/?timeouts=1s", "quoin://a/?timeouts=1s&timeout=5ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *uri = text_uri_with(cases[i].uri, "timeout", "5ms");
        assert_non_null(uri);
        assert_string_equal(uri, cases[i].result);
        free(uri);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_grouped),      cmocka_unit_test(units_fit_the_amount),
        cmocka_unit_test(whole_numbers_are_exact),  cmocka_unit_test(hex_goes_both_ways),
        cmocka_unit_test(octets_are_hex_or_base64), cmocka_unit_test(a_uri_gets_a_property),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
