/* Which type and key the records of a cache have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/record_type.h"

static const char file[] =
    "types = ({ id = 1; name = \"A\"; key = \"x\"; fields = (\n"
    "{ index = 0; name = \"x\"; type = \"string\"; },\n"
    "{ index = 1; name = \"y\"; type = \"int64\"; } ); },\n"
    "{ id = 2; name = \"B\"; fields = ({ index = 0; name = \"z\"; type = \"int32\"; }); });\n"
    "caches = ({ name = \"as\"; type = \"A\"; key = \"y\"; }, { name = \"bs\"; type = \"B\"; });\n";

static struct types *types;

static int set_up(void **state)
{
    (void)state;
    struct cfg_report report = {.error_count = 0};
    enum qn_status status = types_load_text(bytes_of_text(file), "types", &types, &report);
    cfg_report_fini(&report);
    return status == QN_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    types_free(types);
    return 0;
}

/* Look up by what a command line says; NULL = it does not. */
static void expect_found(const char *cache, const char *type, const char *key, enum cli_exit code,
                         const char *type_found, const char *key_found)
{
    struct cli cli = {.types = types};
    const struct pof_schema_type *type_of = NULL;
    const struct pof_schema_field *key_of = NULL;
    options_init(&cli.options);
    cli.options.cache = cache;
    cli.options.type = type;
    cli.options.key_field = key;
    assert_int_equal(record_type_find(&cli, &type_of, &key_of), code);
    if (code == CLI_DONE) {
        assert_string_equal(type_of != NULL ? type_of->name : "none", type_found);
        assert_string_equal(key_of != NULL ? key_of->name : "none", key_found);
    }
}

/* The types file knows the cache; its own key comes before that of the type. */
static void the_cache_says_both(void **state)
{
    (void)state;
    expect_found("as", NULL, NULL, CLI_DONE, "A", "y");
    expect_found("bs", NULL, NULL, CLI_DONE, "B", "none");
}

/* What the command line says comes first; the key of a cache is of no use with another type. */
static void options_come_first(void **state)
{
    (void)state;
    expect_found("as", "B", NULL, CLI_DONE, "B", "none");
    expect_found("bs", "A", NULL, CLI_DONE, "A", "x");
    expect_found("as", NULL, "x", CLI_DONE, "A", "x");
    expect_found("bs", NULL, "z", CLI_DONE, "B", "z");
}

/* A cache that the file does not know has no type, which is no mistake; a wrong name is one. */
static void unknown_caches_have_no_type(void **state)
{
    (void)state;
    expect_found("cs", NULL, NULL, CLI_DONE, "none", "none");
    expect_found("as", "C", NULL, CLI_USAGE, "", "");
    expect_found("as", NULL, "w", CLI_USAGE, "", "");
}

/* Without a types file nothing is known, and a type cannot be asked for. */
static void no_types_file_no_type(void **state)
{
    (void)state;
    struct cli cli = {.types = NULL};
    const struct pof_schema_type *type = NULL;
    const struct pof_schema_field *key = NULL;
    options_init(&cli.options);
    cli.options.cache = "as";
    assert_int_equal(record_type_find(&cli, &type, &key), CLI_DONE);
    assert_null(type);
    assert_null(key);
    cli.options.type = "A";
    assert_int_equal(record_type_find(&cli, &type, &key), CLI_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_says_both),
        cmocka_unit_test(options_come_first),
        cmocka_unit_test(unknown_caches_have_no_type),
        cmocka_unit_test(no_types_file_no_type),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
