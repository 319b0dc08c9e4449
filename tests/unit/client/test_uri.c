/* Addresses of clusters as text. */
#include "client/uri.h"
#include "tests/lib/check.h"

static void refused(const char *text, const char *part)
{
    qn_error err = QN_ERROR_INIT;
    struct uri uri;

    assert_int_equal(uri_parse(text, &uri, &err), QN_INVALID);
    if (!strstr(err.text, part)) {
        fail_msg("%s: \"%s\" does not say \"%s\"", text, err.text, part);
    }
}

/* Hosts, ports and parameters, each with its default. */
static void addresses_are_parsed(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct uri uri;

    (void)state;
    assert_int_equal(uri_parse("quoin://localhost", &uri, &err), QN_OK);
    assert_int_equal(uri.seed_count, 1);
    assert_string_equal(uri.seeds[0], "tcp://localhost:7100");
    assert_int_equal(uri.timeout_ms, 15000);
    assert_int_equal(uri.in_flight_max, 4096);
    assert_int_equal(uri.in_flight_max_bytes, 64 << 20);
    assert_int_equal(uri_parse("quoin://a.example:1,[::1]:65535,b/"
                               "?timeout=500ms&in_flight=7&in_flight_bytes=2MiB",
                               &uri, &err),
                     QN_OK);
    assert_int_equal(uri.seed_count, 3);
    assert_string_equal(uri.seeds[0], "tcp://a.example:1");
    assert_string_equal(uri.seeds[1], "tcp://[::1]:65535");
    assert_string_equal(uri.seeds[2], "tcp://b:7100");
    assert_int_equal(uri.timeout_ms, 500);
    assert_int_equal(uri.in_flight_max, 7);
    assert_int_equal(uri.in_flight_max_bytes, 2 << 20);
    assert_int_equal(uri_parse("quoin://h?timeout=2min", &uri, &err), QN_OK);
    assert_int_equal(uri.timeout_ms, 120000);
}

/* What is wrong is said with its place. */
static void wrong_addresses_are_explained(void **state)
{
    (void)state;
    refused("", "character 1: expected quoin://");
    refused("http://x", "character 1: expected quoin://");
    refused("quoin://", "character 9: expected a host");
    refused("quoin://:7100", "character 9: expected a host");
    refused("quoin://a,,b", "character 11: expected a host");
    refused("quoin://a:0", "character 11: expected a port");
    refused("quoin://a:70000", "expected a port");
    refused("quoin://a:7100x", "character 15: expected ','");
    refused("quoin://[::1", "expected ']'");
    refused("quoin://a/path", "character 11: expected ','");
    refused("quoin://a?", "unknown parameter \"\"");
    refused("quoin://a?timeuot=5s", "did you mean \"timeout\"?");
    refused("quoin://a?in_fligth=5", "did you mean \"in_flight\"?");
    refused("quoin://a?colour=red", "there are timeout, in_flight, in_flight_bytes");
    refused("quoin://a?timeout", "expected '='");
    refused("quoin://a?timeout=5", "a number with its unit");
    refused("quoin://a?timeout=5 s", "as in timeout=500ms");
    refused("quoin://a?timeout=0ms", "from 1 to 3600000ms");
    refused("quoin://a?timeout=99999999999999999999ms", "timeout wants");
    refused("quoin://a?in_flight=5ms", "in_flight wants");
    refused("quoin://a?timeout=5s&timeout=6s", "given twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_parsed),
        cmocka_unit_test(wrong_addresses_are_explained),
    };

    return RUN_TESTS(tests);
}
