/* Misspelt variables of the environment. */
#define _GNU_SOURCE
#include "client/cli/environment.h"
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

static void expect_said(const char *variable, const char *expected)
{
    const char *const environ[] = {"HOME=/", variable, NULL};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    environment_check(environ, file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

/* A name that is near to one that is read is said, with the one that is meant. */
static void misspelt_variables_are_said(void **state)
{
    (void)state;
    expect_said("QUOIN_URL=quoin://x", "quoin: the environment variable QUOIN_URL is not read; did "
                                       "you mean QUOIN_URI?\n");
    expect_said("QUOIN_uri=quoin://x", "quoin: the environment variable QUOIN_uri is not read; did "
                                       "you mean QUOIN_URI?\n");
    expect_said("QUOIN_CACHES=a", "quoin: the environment variable QUOIN_CACHES is not read; did "
                                  "you mean QUOIN_CACHE?\n");
    expect_said("QUOIN_TIMOUT=", "quoin: the environment variable QUOIN_TIMOUT is not read; did "
                                 "you mean QUOIN_TIMEOUT?\n");
}

/* Those that are read, those of nodes and of others are no matter. */
static void other_variables_are_no_matter(void **state)
{
    static const char *const fine[] = {
        "QUOIN_URI=x",           "QUOIN_CACHE=a",         "QUOIN_TYPES=t", "QUOIN_TIMEOUT=1s",
        "QUOIN_IN_FLIGHT=4",     "QUOIN_NODE__ID=1",      "QUOIN_BUILD=b", "QUOIN_=",
        "QUOIN_FUZZ_SECONDS=10", "QUOIN_NODE__TIMOUT=1s", "QUOIN",         "NOT_QUOIN_URL=x"};

    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        expect_said(fine[i], "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misspelt_variables_are_said),
        cmocka_unit_test(other_variables_are_no_matter),
    };

    return RUN_TESTS(tests);
}
