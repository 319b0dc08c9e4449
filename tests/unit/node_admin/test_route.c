#include <string.h>

#include "node/admin/route.h"
#include "tests/lib/check.h"

static void check_page(const char *target, enum route_page page)
{
    struct route route = route_of("GET", target);

    if (route.page != page) {
        fail_msg("\"%s\" leads to page %d and not %d", target, (int)route.page, (int)page);
    }
}

static void check_health(const char *target, enum health_question question, bool verbose)
{
    struct route route = route_of("GET", target);

    check_page(target, ROUTE_HEALTH);
    assert_int_equal(route.question, question);
    if (route.verbose != verbose) {
        fail_msg("\"%s\" is verbose: %d", target, (int)route.verbose);
    }
}

/* Each page has one path, letter by letter. */
static void pages_have_their_paths(void **state)
{
    static const char *const unknown[] = {
        "",          "/livez/",  "/livezz", "/live",     "/LIVEZ",       "livez",     "//livez",
        "/../livez", "/healthz", "*",       "/metrics/", "/favicon.ico", "/;verbose", " /livez",
    };

    (void)state;
    check_health("/livez", HEALTH_LIVE, false);
    check_health("/startedz", HEALTH_STARTED, false);
    check_health("/readyz", HEALTH_READY, false);
    check_health("/safez", HEALTH_SAFE, false);
    check_page("/metrics", ROUTE_METRICS);
    check_page("/", ROUTE_INDEX);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        check_page(unknown[i], ROUTE_NOT_FOUND);
    }
}

/* GET and HEAD read; every other method is refused, whatever it is for. */
static void only_get_and_head_are_taken(void **state)
{
    static const char *const refused[] = {"POST",  "PUT",     "DELETE", "PATCH", "OPTIONS",
                                          "TRACE", "CONNECT", "get",    "",      "GETS"};

    (void)state;
    assert_int_equal(route_of("HEAD", "/livez").page, ROUTE_HEALTH);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(route_of(refused[i], "/livez").page, ROUTE_REFUSED);
        assert_int_equal(route_of(refused[i], "/nowhere").page, ROUTE_REFUSED);
    }
}

/* `verbose` anywhere in the query, with or without a value, but for an express no. */
static void verbose_is_found_in_the_query(void **state)
{
    static const char *const yes[] = {"?verbose",     "?verbose=",           "?verbose=1",
                                      "?verbose=yes", "?a=b&verbose",        "?verbose&a=b",
                                      "?&&verbose",   "?verbose=1&verbose=0"};
    static const char *const no[] = {
        "",          "?",          "?verbose=0", "?verbose=false", "?verbose=no", "?verbos",
        "?verbosez", "?a=verbose", "?=verbose",  "?Verbose",       "?a&b=1&",     "??verbose"};
    char target[64];

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        (void)strcpy(target, "/livez");
        check_health(strcat(target, yes[i]), HEALTH_LIVE, true);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        (void)strcpy(target, "/livez");
        check_health(strcat(target, no[i]), HEALTH_LIVE, false);
    }
    check_page("/metrics?verbose", ROUTE_METRICS);
    check_page("/?verbose", ROUTE_INDEX);
}

/* A proxy may put scheme and host before the path. */
static void a_host_before_the_path_is_skipped(void **state)
{
    (void)state;
    check_health("http://node-1:7180/readyz?verbose", HEALTH_READY, true);
    check_page("http://node-1/", ROUTE_INDEX);
    check_page("http://node-1", ROUTE_NOT_FOUND);
    check_page("http://", ROUTE_NOT_FOUND);
    check_page("ftp://node-1/readyz", ROUTE_NOT_FOUND);
}

/* An octet may be written as an escape; what is none stands for itself. */
static void escapes_in_the_path_are_read(void **state)
{
    (void)state;
    check_health("/live%7A", HEALTH_LIVE, false);
    check_health("%2flivez", HEALTH_LIVE, false);
    check_health("/%6c%69%76%65%7a?verbose", HEALTH_LIVE, true);
    check_page("/livez%00", ROUTE_NOT_FOUND);
    check_page("/livez%", ROUTE_NOT_FOUND);
    check_page("/live%7", ROUTE_NOT_FOUND);
    check_page("/live%zz", ROUTE_NOT_FOUND);
    check_page("/livez%3fverbose", ROUTE_NOT_FOUND);
}

/* The index names every page. */
static void the_index_lists_the_pages(void **state)
{
    static const char *const pages[] = {"/livez", "/startedz", "/readyz", "/safez", "/metrics"};

    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        assert_non_null(strstr(route_index, pages[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_their_paths),
        cmocka_unit_test(only_get_and_head_are_taken),
        cmocka_unit_test(verbose_is_found_in_the_query),
        cmocka_unit_test(a_host_before_the_path_is_skipped),
        cmocka_unit_test(escapes_in_the_path_are_read),
        cmocka_unit_test(the_index_lists_the_pages),
    };

    return RUN_TESTS(tests);
}
