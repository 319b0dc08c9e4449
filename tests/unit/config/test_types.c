#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/types.h"
#include "tests/unit/config/folder.h"

/* Load a text that must be right. */
static struct types *good_load(const char *text)
{
    struct types *types = NULL;
    struct cfg_report report = {0};
    enum qn_status status = types_load_text(bytes_of_text(text), "t.cfg", &types, &report);

    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    cfg_report_fini(&report);
    return types;
}

/* Everything that is written is found again, by name and by number. */
static void types_are_found_by_name_and_number(void **state)
{
    struct types *types =
        good_load("types = ( { id = 7; name = \"Point\"; version = 2; key = \"y\"; fields = (\n"
                  "    { index = 4; name = \"y\"; type = \"int32\"; },\n"
                  "    { index = 0; name = \"x\"; type = \"float64\"; } ); },\n"
                  "  { id = 0; name = \"Empty\"; fields = ( ); } );\n"
                  "caches = ( { name = \"points\"; type = \"Point\"; },\n"
                  "  { name = \"byx\"; type = \"Point\"; key = \"x\"; },\n"
                  "  { name = \"empties\"; type = \"Empty\"; } );\n");
    const struct pof_schema_type *point = types_find(types, "Point");

    (void)state;
    assert_non_null(point);
    assert_int_equal(point->id, 7);
    assert_int_equal(point->version, 2);
    assert_int_equal(point->field_count, 2);
    assert_string_equal(point->fields[0].name, "x");
    assert_int_equal(point->fields[0].shape->kind, POF_SHAPE_FLOAT64);
    assert_int_equal(point->fields[1].index, 4);
    assert_ptr_equal(point->key, &point->fields[1]);
    assert_ptr_equal(pof_schema_find_id(&types->schema, 7), point);
    assert_ptr_equal(types_field_find(point, "y"), &point->fields[1]);
    assert_ptr_equal(pof_schema_field_at(point, 4), &point->fields[1]);
    assert_null(types_find(types, "point"));
    assert_null(pof_schema_find_id(&types->schema, 1));
    assert_null(types_field_find(point, "z"));
    assert_null(pof_schema_field_at(point, 1));
    assert_int_equal(types_find(types, "Empty")->version, 0);
    assert_ptr_equal(types_cache_find(types, "points")->type, point);
    assert_ptr_equal(types_cache_find(types, "points")->key, point->key);
    assert_string_equal(types_cache_find(types, "byx")->key->name, "x");
    assert_null(types_cache_find(types, "empties")->key);
    assert_null(types_cache_find(types, "none"));
    types_free(types);
}

#define TYPE(attributes, fields) "types = ( {" attributes " fields = (" fields "); } );"
#define NAMED                    " id = 1; name = \"T\"; "
#define FIELD                    " { index = 0; name = \"a\"; type = \"string\"; } "

struct row {
    const char *text;
    const char *message; /* the only line begins so */
};

static const struct row bad_files[] = {
    {"", "t.cfg: the file has no types"},
    {"types = 1;", "t.cfg:1: types must be a list of groups: types = ( { ... }, { ... } );"},
    {"types = ( 1 );", "t.cfg:1: a type must be a group { }, not a whole number"},
    {"types = ( ); cache = ( );", "t.cfg:1: unknown attribute cache: did you mean caches?"},
    {"types = ( { id = 1; name = \"T\"; } );", "t.cfg:1: a type has no fields"},
    {TYPE("\nname = \"T\";", ""), "t.cfg:1: a type has no id"},
    {TYPE("id = 1;", ""), "t.cfg:1: a type has no name"},
    {TYPE("\n\nid = -1; name = \"T\";", ""),
     "t.cfg:3: id must be a whole number from 0 to 2147483647"},
    {TYPE("id = \"1\"; name = \"T\";", ""), "t.cfg:1: id must be a whole number"},
    {TYPE("id = 5000000000; name = \"T\";", ""), "t.cfg:1: the number is too large"},
    {TYPE("id = 1; name = \"\";", ""), "t.cfg:1: name must be a text in quotes, and not empty"},
    {TYPE(NAMED "versoin = 1;", ""), "t.cfg:1: unknown attribute versoin: did you mean version?"},
    {TYPE(NAMED "version = -1;", ""), "t.cfg:1: version must be a whole number"},
    {TYPE(NAMED, "1"), "t.cfg:1: a field must be a group { }"},
    {TYPE(NAMED, "{ name = \"a\"; type = \"string\"; }"), "t.cfg:1: a field has no index"},
    {TYPE(NAMED, "{ index = -1; name = \"a\"; type = \"string\"; }"),
     "t.cfg:1: index must be a whole number"},
    {TYPE(NAMED, "{ index = 0; name = \"a\"; type = \"strnig\"; }"),
     "t.cfg:1: unknown field type strnig: did you mean string?"},
    {TYPE(NAMED, "{ index = 0; name = \"a\"; type = \"map\"; }"),
     "t.cfg:1: type \"map\": say what a map holds: map<string, any>"},
    {TYPE(NAMED, FIELD ",\n{ index = 0; name = \"b\"; type = \"string\"; }"),
     "t.cfg:2: index 0 is already that of field a"},
    {TYPE(NAMED, FIELD ",\n{ index = 1; name = \"a\"; type = \"string\"; }"),
     "t.cfg:2: there is already a field a in type T"},
    {TYPE(NAMED "key = \"aa\";", FIELD), "t.cfg:1: unknown field aa: did you mean a?"},
    {"types = ( {" NAMED "fields = ( ); },\n{ id = 1; name = \"U\"; fields = ( ); } );",
     "t.cfg:2: id 1 is already that of type T"},
    {"types = ( {" NAMED "fields = ( ); },\n{ id = 2; name = \"T\"; fields = ( ); } );",
     "t.cfg:2: there is already a type T"},
    {TYPE(NAMED, FIELD) "\ncaches = ( { type = \"T\"; } );", "t.cfg:2: a cache has no name"},
    {TYPE(NAMED, FIELD) "\ncaches = ( { name = \"c\"; type = \"t\"; } );",
     "t.cfg:2: unknown type t: did you mean T?"},
    {TYPE(NAMED, FIELD) "\ncaches = ( { name = \"c\"; type = \"T\"; key = \"k\"; } );",
     "t.cfg:2: unknown field k"},
    {TYPE(NAMED, FIELD) "\ncaches = ( { name = \"c\"; type = \"T\"; },\n"
                        "{ name = \"c\"; type = \"T\"; } );",
     "t.cfg:3: there is already a cache c"},
};

/* Each mistake gives one line that begins with file and line; nothing is handed out. */
static void each_mistake_is_one_line_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        struct types *types = NULL;
        struct cfg_report report = {0};
        enum qn_status status =
            types_load_text(bytes_of_text(bad_files[i].text), "t.cfg", &types, &report);

        print_message("%s", cfg_report_text(&report));
        assert_int_equal(status, QN_INVALID);
        assert_int_equal(report.error_count, 1);
        assert_null(types);
        if (strncmp(cfg_report_text(&report), bad_files[i].message, strlen(bad_files[i].message)) !=
            0) {
            fail_msg("wanted: %s", bad_files[i].message);
        }
        cfg_report_fini(&report);
    }
}

/* One run shows all mistakes. */
static void all_mistakes_are_reported_at_once(void **state)
{
    struct types *types = NULL;
    struct cfg_report report = {0};

    (void)state;
    enum qn_status status = types_load_text(
        bytes_of_text("types = ( { id = -1; nam = \"T\"; }, 7,\n"
                      " { id = 1; name = \"T\"; fields = ( { index = 0; name = \"a\"; type = "
                      "\"strin\"; }, 5 ); } );\n"),
        "t.cfg", &types, &report);
    assert_int_equal(status, QN_INVALID);
    print_message("%s", cfg_report_text(&report));
    assert_int_equal(report.error_count, 7);
    cfg_report_fini(&report);
}

/* The file that is delivered describes the four data sets of the quickstart. */
static void delivered_types_describe_the_open_data(void **state)
{
    struct types *types = NULL;
    struct cfg_report report = {0};

    (void)state;
    enum qn_status status = types_load("config/types.cfg", &types, &report);
    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    assert_string_equal(types_cache_find(types, "languages")->key->name, "alpha_3");
    assert_string_equal(types_cache_find(types, "countries")->key->name, "alpha_2");
    assert_string_equal(types_cache_find(types, "subdivisions")->key->name, "code");
    assert_string_equal(types_cache_find(types, "characters")->key->name, "code_point");
    const struct pof_schema_type *character = types_find(types, "Character");
    assert_int_equal(character->field_count, 15);
    for (int32_t i = 0; i < 15; i++) {
        assert_int_equal(character->fields[i].index, i);
    }
    types_free(types);
}

/* A file that cannot be read says why. */
static void unreadable_file_says_why(void **state)
{
    struct types *types = NULL;
    struct cfg_report report = {0};
    struct folder folder;

    (void)state;
    folder_create(&folder);
    assert_int_equal(types_load(folder_path(&folder, "t.cfg"), &types, &report), QN_IO);
    assert_non_null(strstr(cfg_report_text(&report), "cannot be read: No such file"));
    assert_null(types);
    types_free(NULL);
    cfg_report_fini(&report);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_found_by_name_and_number),
        cmocka_unit_test(each_mistake_is_one_line_with_its_place),
        cmocka_unit_test(all_mistakes_are_reported_at_once),
        cmocka_unit_test(delivered_types_describe_the_open_data),
        cmocka_unit_test(unreadable_file_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
