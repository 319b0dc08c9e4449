/* Addresses of clusters as text. */
#include "client/settings.h"
#include "tests/lib/check.h"

static enum qn_status parse(const char *text, struct settings *settings, qn_error *err)
{
    settings_init(settings);
    return uri_parse(text, &settings->address, settings_take_address, settings, err);
}

static void refused(const char *text, const char *part)
{
    qn_error err = QN_ERROR_INIT;
    struct settings settings;

    assert_int_equal(parse(text, &settings, &err), QN_INVALID);
    if (!strstr(err.text, part)) {
        fail_msg("%s: \"%s\" does not say \"%s\"", text, err.text, part);
    }
}

/* Hosts, ports and parameters, each with its default. */
static void addresses_are_parsed(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct settings settings;
    const struct uri *uri = &settings.address;

    (void)state;
    assert_int_equal(parse("quoin://localhost", &settings, &err), QN_OK);
    assert_int_equal(uri->seed_count, 1);
    assert_string_equal(uri->seeds[0], "tcp://localhost:7100");
    assert_int_equal(setting_number(&settings, PROPERTY_TIMEOUT), 15000);
    assert_int_equal(setting_number(&settings, PROPERTY_IN_FLIGHT), 4096);
    assert_int_equal(setting_number(&settings, PROPERTY_IN_FLIGHT_BYTES), 64 << 20);
    assert_int_equal(parse("quoin://a.example:1,[::1]:65535,b/"
                           "?timeout=500ms&in_flight=7&in_flight_bytes=2MiB",
                           &settings, &err),
                     QN_OK);
    assert_int_equal(uri->seed_count, 3);
    assert_string_equal(uri->seeds[0], "tcp://a.example:1");
    assert_string_equal(uri->seeds[1], "tcp://[::1]:65535");
    assert_string_equal(uri->seeds[2], "tcp://b:7100");
    assert_int_equal(setting_number(&settings, PROPERTY_TIMEOUT), 500);
    assert_int_equal(setting_number(&settings, PROPERTY_IN_FLIGHT), 7);
    assert_int_equal(setting_number(&settings, PROPERTY_IN_FLIGHT_BYTES), 2 << 20);
    assert_int_equal(parse("quoin://h?timeout=2min", &settings, &err), QN_OK);
    assert_int_equal(setting_number(&settings, PROPERTY_TIMEOUT), 120000);
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
    refused("quoin://a?colour=red", "there are timeout, in_flight and others");
    refused("quoin://a?timeout", "expected '='");
    refused("quoin://a?timeout=5", "a number with its unit");
    refused("quoin://a?timeout=5 s", "as in timeout=15s");
    refused("quoin://a?timeout=0ms", "from 1ms to 1h");
    refused("quoin://a?timeout=99999999999999999999ms", "timeout wants");
    refused("quoin://a?in_flight=5ms", "in_flight wants");
    refused("quoin://a?timeout=5s&timeout=6s", "given twice");
    refused("quoin://a?timeout=5s&in_flight=2&timeout=6s", "character 34: this parameter");
    refused("quoin://a?uri=quoin://b", "can not be given in an address");
    refused("quoin://a?log_level=loud", "one of error, warn, info, debug, off");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_parsed),
        cmocka_unit_test(wrong_addresses_are_explained),
    };

    return RUN_TESTS(tests);
}
