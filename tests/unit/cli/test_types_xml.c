#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/types_xml.h"
#include "config/types.h"
#include "tests/unit/config/folder.h"

/* The content of an XML file with these user types and includes. */
#define CONFIG(list)                                                                               \
    "<?xml version=\"1.0\"?>\n<pof-config><user-type-list>" list "</user-type-list></pof-config>"
#define TYPE(id, name)                                                                             \
    "<user-type><type-id>" id "</type-id><class-name> " name " </class-name>"                      \
    "<serializer><class-name>other.Serializer</class-name></serializer></user-type>"
#define BARE(name)    "<user-type><class-name>" name "</class-name></user-type>"
#define INCLUDE(path) "<include>" path "</include>"

/* Import `top` with `other` beside it as other.xml. */
static enum qn_status import(const char *top, const char *other, struct buf *out,
                             struct cfg_report *report)
{
    struct folder folder;

    folder_create(&folder);
    folder_write(&folder, "top.xml", top);
    folder_write(&folder, "other.xml", other);
    enum qn_status status = types_xml_import(folder_path(&folder, "top.xml"), out, report);
    print_message("%s", cfg_report_text(report));
    folder_remove(&folder);
    return status;
}

/* The types file that an import gives, loaded. */
static struct types *import_types(const char *top, const char *other, size_t notes)
{
    struct types *types = NULL;
    struct cfg_report report = {0};
    struct buf out = {0};

    assert_int_equal(import(top, other, &out, &report), QN_OK);
    assert_int_equal(report.note_count, notes);
    enum qn_status status = types_load_text(buf_bytes(&out), "out", &types, &report);
    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    cfg_report_fini(&report);
    buf_fini(&out);
    return types;
}

/* Ids and classes come from the file itself and from those it includes, each read once. */
static void ids_and_classes_come_from_all_files(void **state)
{
    struct types *types =
        import_types(CONFIG(INCLUDE("other.xml") TYPE("1000", "com.example.Car")
                                TYPE("1001", "com.example.Car$Owner")),
                     CONFIG(INCLUDE("top.xml") TYPE("14", "com.tangosol.util.UUID")), 0);

    (void)state;
    assert_int_equal(types->schema.type_count, 3);
    assert_int_equal(types_find(types, "Car")->id, 1000);
    assert_string_equal(types_find(types, "Car")->class_name, "com.example.Car");
    assert_int_equal(types_find(types, "Owner")->id, 1001);
    assert_int_equal(types->schema.types[2].id, 14);
    types_free(types);
}

/* Without ids, types are numbered as they stand, those of included files behind. */
static void types_without_ids_are_numbered(void **state)
{
    struct types *types =
        import_types(CONFIG(INCLUDE("other.xml") BARE("a.B") BARE("a.C")), CONFIG(BARE("a.D")), 0);

    (void)state;
    assert_int_equal(types_find(types, "B")->id, 0);
    assert_int_equal(types_find(types, "C")->id, 1);
    assert_int_equal(types_find(types, "D")->id, 2);
    types_free(types);
}

/* Classes of one short name keep apart by their ids. */
static void equal_short_names_get_the_id(void **state)
{
    struct types *types = import_types(CONFIG(TYPE("5", "a.Car") TYPE("6", "b.Car")), "", 0);

    (void)state;
    assert_int_equal(types_find(types, "Car")->id, 5);
    assert_int_equal(types_find(types, "Car_6")->id, 6);
    types_free(types);
}

/* A resource that is not beside the file is a note, and no mistake. */
static void missing_resources_are_notes(void **state)
{
    struct types *types =
        import_types(CONFIG(INCLUDE("coherence-pof-config.xml") TYPE("5", "a.Car")), "", 1);

    (void)state;
    assert_int_equal(types->schema.type_count, 1);
    types_free(types);
}

struct row {
    const char *text;
    const char *message;
};

static const struct row bad_files[] = {
    {"", "this is not XML"},
    {"<pof-config>", "this is not XML"},
    {"<html></html>", "its outermost element is not pof-config"},
    {CONFIG(TYPE("5", "a.A") BARE("a.B")), "top.xml:2: a.B has no type-id, and others have"},
    {CONFIG(TYPE("5", "a.A") TYPE("5", "a.B")), "id 5 is that of a."},
    {CONFIG(TYPE("-1", "a.A")), "type-id is not a whole number"},
    {CONFIG(TYPE("x", "a.A")), "type-id is not a whole number"},
    {CONFIG(TYPE("2147483648", "a.A")), "type-id is not a whole number"},
    {CONFIG("<user-type><type-id>1</type-id></user-type>"), "a user-type has no class-name"},
    {"<!DOCTYPE p [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" CONFIG(TYPE("&b;", "a.A")),
     "it declares an entity"},
    {"<!DOCTYPE p [<!ENTITY a \"aaaa\">]><pof-config>&a;</pof-config>", "it declares an entity"},
    {"<pof-config><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"
     "<a><a><a><a><a><a><a><a></a>",
     "elements in elements"},
};

/* What is wrong is said with file and line; nothing is printed. */
static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        struct cfg_report report = {0};
        struct buf out = {0};

        assert_int_equal(import(bad_files[i].text, "", &out, &report), QN_INVALID);
        assert_int_equal(out.size, 0);
        if (!strstr(cfg_report_text(&report), bad_files[i].message)) {
            fail_msg("wanted: %s", bad_files[i].message);
        }
        cfg_report_fini(&report);
    }
}

/* A file that is not there is said so. */
static void absent_file_is_told(void **state)
{
    struct cfg_report report = {0};
    struct buf out = {0};

    (void)state;
    assert_int_equal(types_xml_import("no-such.xml", &out, &report), QN_IO);
    assert_non_null(strstr(cfg_report_text(&report), "cannot be read: No such file"));
    cfg_report_fini(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_and_classes_come_from_all_files),
        cmocka_unit_test(types_without_ids_are_numbered),
        cmocka_unit_test(equal_short_names_get_the_id),
        cmocka_unit_test(missing_resources_are_notes),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(absent_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
