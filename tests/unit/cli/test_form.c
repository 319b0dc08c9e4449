/* Which type, key and view the entries of a cache have. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/form.h"

static const char types_file[] =
    "types = ({ id = 1; name = \"Alpha\"; key = \"name\"; fields = (\n"
    "{ index = 0; name = \"name\"; type = \"string\"; },\n"
    "{ index = 1; name = \"number\"; type = \"int64\"; },\n"
    "{ index = 2; name = \"price\"; type = \"decimal\"; } ); },\n"
    "{ id = 2; name = \"Beta\"; fields = ({ index = 0; name = \"zone\"; type = \"int32\"; }); });\n"
    "views = ({ name = \"public\"; types = ({ type = \"Alpha\"; omit = [ \"price\" ]; }); },\n"
    "{ name = \"short\"; types = ({ type = \"Alpha\"; only = [ \"name\" ]; }); },\n"
    "{ name = \"keyless\"; types = ({ type = \"Alpha\"; omit = [ \"name\" ]; }); },\n"
    "{ name = \"renamed\"; types = ({ type = \"Alpha\"; rename = [ \"name as title\" ]; }); });\n"
    "caches = ({ name = \"as\"; type = \"Alpha\"; key = \"number\"; view = \"public\"; },\n"
    "{ name = \"bs\"; type = \"Beta\"; });\n";

static struct types *types;

static int set_up(void **state)
{
    (void)state;
    struct cfg_report report = {.error_count = 0};
    enum qn_status status = types_load_text(bytes_of_text(types_file), "types", &types, &report);
    cfg_report_print(&report, stderr);
    cfg_report_fini(&report);
    return status == QN_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    types_free(types);
    return 0;
}

/* What a command line says; NULL = it does not. */
struct line {
    const char *cache;
    const char *type;
    const char *key;
    const char *view;
};

static struct cli cli_of(struct line line)
{
    struct cli cli = {.types = types};
    options_init(&cli.options);
    cli.options.type = line.type;
    cli.options.key_field = line.key;
    cli.options.view = line.view;
    return cli;
}

static void expect_found(struct line line, const char *type, const char *key, const char *view)
{
    struct cli cli = cli_of(line);
    struct form form;
    assert_int_equal(form_find(&cli, line.cache, &form), CLI_DONE);
    assert_string_equal(form.type != NULL ? form.type->name : "none", type);
    assert_string_equal(form.key != NULL ? form.key->name : "none", key);
    assert_string_equal(form.view != NULL ? form.view->name : "none", view);
}

/* The complaint on stderr. */
static void expect_refused(enum cli_exit (*act)(const struct cli *cli, const char *cache),
                           struct cli cli, const char *cache, const char *says)
{
    char text[1024];
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    enum cli_exit code = act(&cli, cache);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(code, CLI_USAGE);
    if (strstr(text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", text, says);
    }
}

static enum cli_exit find(const struct cli *cli, const char *cache)
{
    struct form form;
    return form_find(cli, cache, &form);
}

static enum cli_exit check_reading(const struct cli *cli, const char *cache)
{
    struct form form;
    assert_int_equal(form_find(cli, cache, &form), CLI_DONE);
    return form_check_reading(cli, &form);
}

/* The types file knows the cache; its own key comes before that of the type. */
static void the_cache_says_all(void **state)
{
    (void)state;
    expect_found((struct line){.cache = "as"}, "Alpha", "number", "public");
    expect_found((struct line){.cache = "bs"}, "Beta", "none", "none");
}

/* What the command line says comes first; the key of a cache is of no use with another type. */
static void options_come_first(void **state)
{
    (void)state;
    expect_found((struct line){.cache = "as", .type = "Beta"}, "Beta", "none", "public");
    expect_found((struct line){.cache = "bs", .type = "Alpha"}, "Alpha", "name", "none");
    expect_found((struct line){.cache = "as", .key = "name"}, "Alpha", "name", "public");
    expect_found((struct line){.cache = "bs", .key = "zone"}, "Beta", "zone", "none");
    expect_found((struct line){.cache = "as", .view = "short"}, "Alpha", "number", "short");
    expect_found((struct line){.cache = "as", .view = ""}, "Alpha", "number", "none");
}

/* A cache that the file does not know has no type, which is no mistake. */
static void unknown_caches_have_no_type(void **state)
{
    (void)state;
    expect_found((struct line){.cache = "cs"}, "none", "none", "none");
    expect_found((struct line){.cache = "cs", .view = "public"}, "none", "none", "public");
}

/* A name that does not exist is refused, with the one that could be meant. */
static void unknown_names_are_suggested(void **state)
{
    (void)state;
    struct line type = {.type = "Alhpa"};
    struct line far = {.type = "Xyz"};
    struct line key = {.key = "numbr"};
    struct line view = {.view = "pubic"};
    struct line untyped = {.key = "name"};
    expect_refused(find, cli_of(type), "as", "no type of this name; did you mean Alpha?");
    expect_refused(find, cli_of(far), "as", "no type of this name\n");
    expect_refused(find, cli_of(key), "as", "no field of this name; did you mean number?");
    expect_refused(find, cli_of(view), "as", "no view of this name; did you mean public?");
    expect_refused(find, cli_of(untyped), "cs", "of which type?");
}

/* Without a types file nothing is known, and nothing of it can be asked for. */
static void no_types_file_no_type(void **state)
{
    (void)state;
    struct cli cli = cli_of((struct line){.view = ""});
    struct form form;
    cli.types = NULL;
    assert_int_equal(form_find(&cli, "as", &form), CLI_DONE);
    assert_null(form.type);
    assert_null(form.schema);
    cli.options.type = "Alpha";
    expect_refused(find, cli, "as", "--type needs a types file");
    cli.options.type = NULL;
    cli.options.view = "public";
    expect_refused(find, cli, "as", "--view needs a types file");
}

/* A view reads when it says what objects are made of; what it hides is said. */
static void views_that_cannot_read_are_refused(void **state)
{
    (void)state;
    struct line good[] = {{.cache = "as"}, {.cache = "as", .view = "renamed"}, {.cache = "cs"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct cli cli = cli_of(good[i]);
        assert_int_equal(check_reading(&cli, good[i].cache), CLI_DONE);
    }
    struct line only = {.view = "short"};
    struct line keyless = {.key = "name", .view = "keyless"};
    expect_refused(check_reading, cli_of(only), "as", "shows only some fields of Alpha");
    expect_refused(check_reading, cli_of(keyless), "as", "hides the key field 'name'");
}

static bool hides(const char *view)
{
    struct cli cli = cli_of((struct line){.view = view});
    struct form form;
    assert_int_equal(form_find(&cli, "as", &form), CLI_DONE);
    return form_hides(&form);
}

/* A view that leaves fields out is one that a copy must be warned of. */
static void what_a_view_hides_is_known(void **state)
{
    (void)state;
    assert_true(hides("public"));
    assert_true(hides("short"));
    assert_false(hides("renamed"));
    assert_false(hides(""));
}

/* Strings and whole numbers can be keys. */
static void keys_are_text_or_whole_numbers(void **state)
{
    (void)state;
    const struct pof_schema_type *type = types_find(types, "Alpha");
    assert_true(form_key_fits(types_field_find(type, "name")));
    assert_false(form_key_is_whole(types_field_find(type, "name")));
    assert_true(form_key_is_whole(types_field_find(type, "number")));
    assert_false(form_key_fits(types_field_find(type, "price")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_says_all),
        cmocka_unit_test(options_come_first),
        cmocka_unit_test(unknown_caches_have_no_type),
        cmocka_unit_test(unknown_names_are_suggested),
        cmocka_unit_test(no_types_file_no_type),
        cmocka_unit_test(views_that_cannot_read_are_refused),
        cmocka_unit_test(what_a_view_hides_is_known),
        cmocka_unit_test(keys_are_text_or_whole_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
