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

/* What a file with one field of a type says of its shape. */
static char *shape_again(const char *shape)
{
    char text[512];
    struct buf again = {0};

    snprintf(text, sizeof text,
             "types = ( { id = 1; name = \"T\"; fields = ( { index = 0; name = \"f\"; type = "
             "\"%s\"; } ); } );",
             shape);
    struct types *types = good_load(text);
    assert_int_equal(types_shape_text(types->schema.types[0].fields[0].shape, &again), QN_OK);
    assert_int_equal(buf_append(&again, "", 1), QN_OK);
    types_free(types);
    return (char *)again.data;
}

/* A shape is read as it is written, however deep; blanks do not matter. */
static void shapes_read_as_they_are_written(void **state)
{
    static const char *const shapes[][2] = {
        {"any", "any"},
        {"int128", "int128"},
        {"decimal", "decimal"},
        {"float128", "float128"},
        {"year_month", "year_month"},
        {"time_interval", "time_interval"},
        {"day_time", "day_time"},
        {"T", "T"},
        {"T[]", "T[]"},
        {"int32[][]", "int32[][]"},
        {" list < string > ", "list<string>"},
        {"sparse<T>", "sparse<T>"},
        {"map<string,list<T[]>>", "map<string, list<T[]>>"},
        {"plain list<any>", "plain list<any>"},
        {"plain string[]", "plain string[]"},
        {"map<string, plain int32[]>", "map<string, plain int32[]>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char *again = shape_again(shapes[i][0]);
        assert_string_equal(again, shapes[i][1]);
        free(again);
    }
}

/* Types refer to each other in any order, and to themselves. */
static void types_refer_forward_and_to_themselves(void **state)
{
    struct types *types =
        good_load("types = ( { id = 2; name = \"A\"; class = \"org.A\"; shared = true; fields = (\n"
                  "  { index = 0; name = \"b\"; type = \"B\"; },\n"
                  "  { index = 1; name = \"next\"; type = \"A\"; } ); },\n"
                  "{ id = 1; name = \"B\"; fields = ( { index = 0; name = \"as\"; type = "
                  "\"list<A>\"; } ); } );");
    const struct pof_schema_type *a = types_find(types, "A"), *b = types_find(types, "B");

    (void)state;
    assert_string_equal(a->class_name, "org.A");
    assert_true(a->shared && !b->shared);
    assert_ptr_equal(a->fields[0].shape->user, b);
    assert_ptr_equal(a->fields[1].shape->user, a);
    assert_ptr_equal(b->fields[0].shape->element->user, a);
    assert_ptr_equal(types->schema.by_id[0], b);
    assert_ptr_equal(pof_schema_find_id(&types->schema, 2), a);
    assert_null(pof_schema_find_id(&types->schema, 3));
    types_free(types);
}

/* Defaults are kept as text; optional and since say what they say. */
static void fields_have_since_optional_and_default(void **state)
{
    struct types *types = good_load(
        "types = ( { id = 1; name = \"T\"; version = 2; fields = (\n"
        "{ index = 0; name = \"a\"; type = \"int16\"; default = -5; },\n"
        "{ index = 1; name = \"b\"; type = \"bool\"; default = true; since = 1; },\n"
        "{ index = 3; name = \"c\"; type = \"float64\"; default = 0.5; since = 2; },\n"
        "{ index = 4; name = \"d\"; type = \"string\"; default = \"\"; since = 2; },\n"
        "{ index = 9; name = \"e\"; type = \"int64\"; optional = true; since = 2; } ); } );");
    const struct pof_schema_field *fields = types->schema.types[0].fields;

    (void)state;
    assert_string_equal(fields[0].default_text, "-5");
    assert_string_equal(fields[1].default_text, "true");
    assert_string_equal(fields[2].default_text, "0.5");
    assert_string_equal(fields[3].default_text, "");
    assert_null(fields[4].default_text);
    assert_true(fields[4].optional);
    assert_int_equal(fields[4].since, 2);
    assert_ptr_equal(pof_schema_field_at(&types->schema.types[0], 9), &fields[4]);
    assert_null(pof_schema_field_at(&types->schema.types[0], 2));
    types_free(types);
}

/* A view names what it does with fields; the rest is as it is. */
static void views_rename_omit_select_and_flatten(void **state)
{
    struct types *types = good_load(
        "types = ( { id = 5; name = \"Car\"; fields = (\n"
        "{ index = 0; name = \"make\"; type = \"string\"; },\n"
        "{ index = 1; name = \"price\"; type = \"int32\"; },\n"
        "{ index = 2; name = \"owner\"; type = \"Owner\"; } ); },\n"
        "{ id = 4; name = \"Owner\"; fields = ( { index = 0; name = \"name\"; type = \"string\"; } "
        "); } );\n"
        "views = ( { name = \"web\"; types = ( { type = \"Car\"; flatten = [ \"owner as owner_\" "
        "]; omit = [ \"price\" ]; rename = [ \"make as brand\" ]; },\n"
        "{ type = \"Owner\"; only = [ \"name\" ]; } ); } );\n"
        "caches = ( { name = \"cars\"; type = \"Car\"; view = \"web\"; } );");
    const struct pof_view *view = pof_schema_view(&types->schema, "web");

    (void)state;
    assert_ptr_equal(types_cache_find(types, "cars")->view, view);
    assert_int_equal(view->type_count, 2);
    assert_int_equal(view->types[0].type, 4);
    assert_true(view->types[0].only_listed);
    const struct pof_view_type *car = &view->types[1];
    assert_false(car->only_listed);
    assert_int_equal(car->field_count, 3);
    assert_int_equal(car->fields[0].action, POF_VIEW_SHOW);
    assert_string_equal(car->fields[0].name, "brand");
    assert_int_equal(car->fields[1].action, POF_VIEW_OMIT);
    assert_int_equal(car->fields[2].action, POF_VIEW_FLATTEN);
    assert_string_equal(car->fields[2].name, "owner_");
    assert_null(pof_schema_view(&types->schema, "none"));
    types_free(types);
}

#define TYPE(attributes, fields)                                                                   \
    "types = ( { id = 1; name = \"T\"; " attributes " fields = (" fields "); } );"
#define FIELD(type, more) "{ index = 0; name = \"f\"; type = \"" type "\"; " more " }"
#define VIEW(type)                                                                                 \
    TYPE("", FIELD("T", "") ", { index = 1; name = \"g\"; type = \"int32\"; }")                    \
    "\nviews = ( { name = \"v\"; types = ( { type = " type " } ); } );"

struct row {
    const char *text;
    const char *message; /* the only line begins so */
};

static const struct row bad_files[] = {
    {TYPE("", FIELD("list", "")), "t.cfg:1: type \"list\": say what it holds: list<any>"},
    {TYPE("", FIELD("list<", "")), "t.cfg:1: type \"list<\": the name of a type is missing"},
    {TYPE("", FIELD("list<int32", "")), "t.cfg:1: type \"list<int32\": a > is missing"},
    {TYPE("", FIELD("map<string>", "")), "t.cfg:1: type \"map<string>\": a map has two parts"},
    {TYPE("", FIELD("int32]", "")), "t.cfg:1: type \"int32]\": there is something behind its end"},
    {TYPE("", FIELD("plain int32", "")), "t.cfg:1: type \"plain int32\": only arrays, lists"},
    {TYPE("", FIELD("list<Tt>", "")), "t.cfg:1: unknown field type Tt: did you mean T?"},
    {TYPE("", FIELD("int32[][][][][][][][][][][][][][][][][][]", "")),
     "t.cfg:1: type \"int32[][][][][][][][][][][][][][][][][][]\": too many containers"},
    {TYPE("", FIELD("int32", "since = 1;")),
     "t.cfg:1: field f is there since version 1, but type T has version 0: give the type version"},
    {TYPE("version = 1;",
          FIELD("int32", "since = 1;") ",\n{ index = 1; name = \"g\"; type = \"bool\"; }"),
     "t.cfg:1: field f (since version 1) has a lower index than the older field g"},
    {TYPE("", FIELD("octet", "default = 256;")),
     "t.cfg:1: the default of f, a field of type octet, must be a whole number from 0 to 255"},
    {TYPE("", FIELD("int16", "default = 40000;")), "t.cfg:1: the default of f, a field of type"},
    {TYPE("", FIELD("int32", "default = \"12a\";")), "t.cfg:1: the default of f"},
    {TYPE("", FIELD("int64", "default = 1.5;")), "t.cfg:1: the default of f"},
    {TYPE("", FIELD("bool", "default = 1;")), "t.cfg:1: the default of f, a field of type bool, "
                                              "must be true or false"},
    {TYPE("", FIELD("float32", "default = 1e39;")), "t.cfg:1: the default of f"},
    {TYPE("", FIELD("date", "default = \"2021-02-28\";")),
     "t.cfg:1: the default of f, a field of type date, must be left out"},
    {TYPE("", FIELD("int32", "default = [1];")), "t.cfg:1: the default of f"},
    {TYPE("", FIELD("int32", "default = 1; optional = true;")),
     "t.cfg:1: f is optional, so it is null by default: remove one of the two"},
    {TYPE("", FIELD("int32", "optional = 1;")), "t.cfg:1: optional must be true or false"},
    {"types = ( { id = 1; name = \"map\"; fields = ( ); } );",
     "t.cfg:1: map has a meaning already: give the type another name"},
    {"types = ( { id = 1; name = \"a b\"; fields = ( ); } );", "t.cfg:1: type a b: a name has no"},
    {"types = ( { id = 1; name = \"12\"; fields = ( ); } );", "t.cfg:1: type 12: a name is UTF-8"},
    {TYPE("", "{ index = 0; name = \"$f\"; type = \"bool\"; }"),
     "t.cfg:1: field $f: a name is UTF-8, no number, and does not begin with $"},
    {TYPE("", "{ index = 0; name = \"7\"; type = \"bool\"; }"),
     "t.cfg:1: field 7: a name is UTF-8"},
    {TYPE("", "{ index = 0; name = \"\xff\"; type = \"bool\"; }"),
     "t.cfg:1: field \xff: a name is"},
    {VIEW("\"T\"; rename = [ \"g as $x\" ]; omit = [ \"f\" ];"),
     "t.cfg:2: view v shows a field of type T as \"$x\": give it a name in UTF-8"},
    {VIEW("\"T\"; flatten = [ \"f as f_\" ]; rename = [ \"g as f\" ];"), "t.cfg:2: type T: view v"},
    {"types = ( ); include = 1;", "t.cfg:1: include must be a list of texts"},
    {"types = ( ); include = [ 1 ];", "t.cfg:1: include must be a list of texts"},
    {VIEW("\"t\";"), "t.cfg:2: unknown type t: did you mean T?"},
    {VIEW("\"T\"; only = [ \"h\" ];"), "t.cfg:2: unknown field h: did you mean"},
    {VIEW("\"T\"; rename = [ \"f\" ];"), "t.cfg:2: say what f is called: \"f as NAME\""},
    {VIEW("\"T\"; omit = [ \"f as g\" ];"), "t.cfg:2: f is not shown"},
    {VIEW("\"T\"; omit = [ \"f\" ]; only = [ \"f\" ];"), "t.cfg:2: f is listed twice"},
    {VIEW("\"T\"; flatten = [ \"g\" ];"), "t.cfg:2: g is no object of a known type"},
    {VIEW("\"T\"; flatten = [ \"f\" ];"), "t.cfg:2: type T: view v flattens objects in objects"},
    {VIEW("\"T\"; rename = [ \"f as g\" ];"), "t.cfg:2: two fields of type T are shown as g"},
    {VIEW("\"T\"; }, { type = \"T\";"), "t.cfg:2: type T is already in view v"},
    {"types = ( { id = 1; name = \"T\"; fields = (" FIELD(
         "U",
         "") ", { index = 1; name = \"g\"; type = \"int32\"; } ); },\n"
             "{ id = 2; name = \"U\"; fields = ( { index = 0; name = \"g\"; type = \"int32\"; } ); "
             "} );\n"
             "views = ( { name = \"v\"; types = ( { type = \"T\"; flatten = [ \"f\" ]; } ); } );",
     "t.cfg:3: two fields of type T are shown as g"},
    {TYPE("", "") "\nviews = ( { name = \"v\"; types = ( ); },\n{ name = \"v\"; types = ( ); } );",
     "t.cfg:3: there is already a view v"},
    {TYPE("", "") "\ncaches = ( { name = \"c\"; type = \"T\"; view = \"v\"; } );",
     "t.cfg:2: unknown view v"},
};

/* Each mistake is one line with its place. */
static void each_mistake_says_where_and_what_to_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        struct types *types = NULL;
        struct cfg_report report = {0};
        enum qn_status status =
            types_load_text(bytes_of_text(bad_files[i].text), "t.cfg", &types, &report);

        print_message("%s", cfg_report_text(&report));
        assert_int_equal(status, QN_INVALID);
        assert_null(types);
        if (report.error_count != 1 || strncmp(cfg_report_text(&report), bad_files[i].message,
                                               strlen(bad_files[i].message)) != 0) {
            fail_msg("wanted: %s", bad_files[i].message);
        }
        cfg_report_fini(&report);
    }
}

/* ---- files that include others ---- */

struct include_row {
    const char *files[3]; /* contents of a.cfg, b.cfg, c.cfg */
    const char *message;  /* somewhere in the report; NULL = it is right */
};

#define A                                                                                          \
    "types = ( { id = 1; name = \"A\"; fields = ( { index = 0; name = \"b\"; type = \"B\"; } ); "  \
    "} );"
#define B "types = ( { id = 2; name = \"B\"; fields = ( ); } );"

static const struct include_row include_rows[] = {
    {{A "include = [ \"b.cfg\" ];", B, ""}, NULL},
    {{A "include = [ \"c.cfg\", \"b.cfg\" ];", B, "include = [ \"b.cfg\" ];"}, NULL},
    {{"@include \"b.cfg\"\n", A "include = [ \"c.cfg\" ];", B}, NULL},
    {{A "include = [ \"a.cfg\" ];", "", ""}, "a.cfg includes itself by way of this file"},
    {{A "include = [ \"b.cfg\" ];", B "include = [ \"a.cfg\" ];", ""}, "b.cfg:1: "},
    {{A "\ninclude = [ \"d.cfg\" ];", "", ""}, "a.cfg:2: this include leads nowhere"},
    {{A "include = [ \"b.cfg\" ];", "types = (", ""}, "b.cfg:1: syntax error"},
    {{A "include = [ \"b.cfg\" ];", A, ""}, "b.cfg:1: id 1 is already that of type A"},
    {{A, B, ""}, "a.cfg:1: unknown field type B"},
};

static void files_write(struct folder *folder, const char *const *texts)
{
    static const char *const names[] = {"a.cfg", "b.cfg", "c.cfg"};

    for (size_t i = 0; i < 3; i++) {
        folder_write(folder, names[i], texts[i]);
    }
}

/* Included files are read once each; cycles and files that are not there are mistakes. */
static void includes_are_read_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof include_rows / sizeof *include_rows; i++) {
        struct types *types = NULL;
        struct cfg_report report = {0};
        struct folder folder;
        const char *message = include_rows[i].message;

        folder_create(&folder);
        files_write(&folder, include_rows[i].files);
        enum qn_status status = types_load(folder_path(&folder, "a.cfg"), &types, &report);
        print_message("%s", cfg_report_text(&report));
        assert_int_equal(status, message ? QN_INVALID : QN_OK);
        if (message) {
            assert_non_null(strstr(cfg_report_text(&report), message));
        } else {
            assert_int_equal(types->schema.type_count, 2);
        }
        types_free(types);
        cfg_report_fini(&report);
        folder_remove(&folder);
    }
}

/* The example of docs/types.md is a types file, and says what the page says. */
static void the_example_of_the_manual_loads(void **state)
{
    struct types *types = NULL;
    struct cfg_report report = {0};
    char *page = calloc(1, 64 * 1024);
    FILE *file = fopen("docs/types.md", "r");

    (void)state;
    assert_non_null(page);
    assert_non_null(file);
    size_t size = fread(page, 1, 64 * 1024 - 1, file);
    fclose(file);
    assert_true(size > 0);
    char *begin = strstr(page, "```cfg\n");
    assert_non_null(begin);
    begin += strlen("```cfg\n");
    char *end = strstr(begin, "```");
    assert_non_null(end);
    *end = '\0';
    enum qn_status status = types_load_text(bytes_of_text(begin), "example", &types, &report);
    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    assert_non_null(types_cache_find(types, "cars")->view);
    types_free(types);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_read_as_they_are_written),
        cmocka_unit_test(types_refer_forward_and_to_themselves),
        cmocka_unit_test(fields_have_since_optional_and_default),
        cmocka_unit_test(views_rename_omit_select_and_flatten),
        cmocka_unit_test(each_mistake_says_where_and_what_to_do),
        cmocka_unit_test(includes_are_read_once),
        cmocka_unit_test(the_example_of_the_manual_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
