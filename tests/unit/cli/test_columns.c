/* Objects as rows of a CSV: which columns there are, and that rows and records are the same. */
#include "client/cli/columns.h"
#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

static const char types_file[] =
    "types = ({ id = 1; name = \"Car\"; fields = (\n"
    "  { index = 0; name = \"make\"; type = \"string\"; },\n"
    "  { index = 1; name = \"price\"; type = \"decimal\"; },\n"
    "  { index = 2; name = \"owner\"; type = \"Owner\"; },\n"
    "  { index = 3; name = \"tags\"; type = \"list<string>\"; },\n"
    "  { index = 4; name = \"quo\\\"ted\"; type = \"int32\"; } ); },\n"
    "{ id = 2; name = \"Owner\"; key = \"name\"; fields = (\n"
    "  { index = 0; name = \"name\"; type = \"string\"; },\n"
    "  { index = 1; name = \"age\"; type = \"int32\"; } ); });\n"
    "views = ({ name = \"flat\"; types = ({ type = \"Car\"; rename = [ \"make as brand\" ];\n"
    "  omit = [ \"price\" ]; flatten = [ \"owner as owner_\" ]; }); });\n";

struct fixture {
    struct types *types;
    struct form form; /* of Car */
    struct form flat; /* by the view */
    struct columns columns;
    char problem[COLUMNS_PROBLEM_MAX];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    struct cfg_report report = {.error_count = 0};

    if (types_load_text(bytes_of_text(types_file), "types", &fixture.types, &report) != QN_OK) {
        cfg_report_print(&report, stderr);
        return -1;
    }
    cfg_report_fini(&report);
    fixture.form = form_of(fixture.types, types_find(fixture.types, "Car"));
    fixture.flat = fixture.form;
    fixture.flat.view = pof_schema_view(fixture.form.schema, "flat");
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    types_free(fixture->types);
    return 0;
}

static void expect_head(const struct form *form, bool key_alone, const char *head)
{
    struct columns columns;
    struct buf out = {.size = 0};

    assert_true(columns_init(&columns, form, key_alone));
    assert_int_equal(columns_head(&columns, ';', &out), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text(head));
    columns_fini(&columns);
    buf_fini(&out);
}

/* Fields are columns, under the names that the view gives; those of a flattened object stand in its
 * place. */
static void columns_are_what_the_view_shows(void **state)
{
    struct fixture *fixture = *state;
    struct form owner = form_of(fixture->types, types_find(fixture->types, "Owner"));

    expect_head(&fixture->form, false, "make;price;owner;tags;\"quo\"\"ted\"");
    expect_head(&fixture->flat, false, "brand;owner_name;owner_age;tags;\"quo\"\"ted\"");
    expect_head(&owner, true, "name");
}

static void expect_cells(const struct form *form, const char *json, const char *cells, bool exact)
{
    struct columns columns;
    struct buf out = {.size = 0};
    bool found = true;

    assert_true(columns_init(&columns, form, false));
    assert_int_equal(columns_cells(&columns, bytes_of_text(json), ',', &out, &found), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text(cells));
    assert_int_equal(found, exact);
    columns_fini(&columns);
    buf_fini(&out);
}

/* Members may come in any order; each goes into its column, and absent ones are empty. */
static void members_become_cells(void **state)
{
    struct fixture *fixture = *state;

    expect_cells(&fixture->form, "{\"make\": \"Volvo\", \"price\": 12.50}", "Volvo,12.50,,,", true);
    expect_cells(&fixture->form, "{\"quo\\\"ted\": 7, \"make\": \"a,b\"}", "\"a,b\",,,,7", true);
    expect_cells(&fixture->form, "{\"owner\": {\"name\": \"x\"}, \"tags\": [\"a\"]}",
                 ",,\"{\"\"name\"\": \"\"x\"\"}\",\"[\"\"a\"\"]\",", true);
    expect_cells(&fixture->flat, "{\"brand\": \"\", \"owner_age\": 5}", "\"\",,5,,", true);
    expect_cells(&fixture->form, "{}", ",,,,", true);
}

/* What has no column is not there, and that is told. */
static void what_has_no_column_is_told(void **state)
{
    struct fixture *fixture = *state;

    expect_cells(&fixture->form, "{\"make\": \"Volvo\", \"9\": 1}", "Volvo,,,,", false);
    expect_cells(&fixture->form, "{\"$version\": 2, \"make\": \"Volvo\"}", "Volvo,,,,", false);
    expect_cells(&fixture->flat, "{\"owner\": null}", ",,,,", false);
    expect_cells(&fixture->form, "{\"make\": null}", ",,,,", false);
}

/* A row of the CSV `text` as JSON, or NULL: see the problem. */
static const char *record_of(struct fixture *fixture, const struct form *form, const char *text)
{
    static char json[512];
    const struct rows_options options = {.format = ROWS_CSV, .delimiter = ','};
    struct rows *rows = rows_open(bytes_of_text(text), &options, fixture->problem);
    struct columns columns;
    struct buf out = {.size = 0};
    struct row row;

    assert_non_null(rows);
    assert_true(columns_init(&columns, form, false));
    assert_int_equal(rows_next(rows, &row), ROWS_ROW);
    bool made = columns_record(&columns, &row, &out, fixture->problem);
    snprintf(json, sizeof json, "%.*s", (int)out.size, (const char *)out.data);
    buf_fini(&out);
    columns_fini(&columns);
    rows_close(rows);
    return made ? json : NULL;
}

/* Cells become members by what their column holds; empty ones are none. */
static void cells_become_members(void **state)
{
    struct fixture *fixture = *state;

    assert_string_equal(record_of(fixture, &fixture->form, "price,make\n12.50,17\n"),
                        "{\"price\": 12.50, \"make\": \"17\"}");
    assert_string_equal(record_of(fixture, &fixture->form, "make,,tags\n\"\",x,[]\n"),
                        "{\"make\": \"\", \"tags\": []}");
    assert_string_equal(record_of(fixture, &fixture->flat, "brand,owner_age\nx,5\n"),
                        "{\"brand\": \"x\", \"owner_age\": 5}");
    assert_string_equal(record_of(fixture, &fixture->form, "make,price\n,\n"), "{}");
}

/* A cell that cannot be one is refused with its column. */
static void mistakes_name_the_column(void **state)
{
    struct fixture *fixture = *state;

    assert_null(record_of(fixture, &fixture->form, "make\n\xff\n"));
    assert_string_equal(fixture->problem,
                        "make: invalid UTF-8: convert the file first, for instance with iconv");
    assert_null(record_of(fixture, &fixture->form, "brand\nx\n"));
    assert_string_equal(fixture->problem, "brand: no column of this name");
}

/* A name that is none may be near to one. */
static void names_are_suggested(void **state)
{
    struct fixture *fixture = *state;
    struct columns columns;

    assert_true(columns_init(&columns, &fixture->flat, false));
    assert_int_equal(columns_find(&columns, bytes_of_text("owner_age"), 4), 2);
    assert_int_equal(columns_find(&columns, bytes_of_text("make"), 0), columns.count);
    assert_string_equal(columns_suggest(&columns, bytes_of_text("owner_nam")), "owner_name");
    assert_null(columns_suggest(&columns, bytes_of_text("quantity")));
    columns_fini(&columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_what_the_view_shows), cmocka_unit_test(members_become_cells),
        cmocka_unit_test(what_has_no_column_is_told),      cmocka_unit_test(cells_become_members),
        cmocka_unit_test(mistakes_name_the_column),        cmocka_unit_test(names_are_suggested),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
