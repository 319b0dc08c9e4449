#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/types_check.h"

/* What a comparison reported: the last change, and how many there were. */
struct told {
    size_t count;
    bool new_reads_old;
    bool old_reads_new;
    char text[TYPES_CHANGE_MAX];
};

static void keep(void *context, const struct types_change *change)
{
    struct told *told = context;

    print_message("%s.%s: %s\n", change->type, change->field ? change->field : "", change->text);
    told->count++;
    told->new_reads_old = change->new_reads_old;
    told->old_reads_new = change->old_reads_new;
    snprintf(told->text, sizeof told->text, "%s", change->text);
}

static struct types *load(const char *text)
{
    struct types *types = NULL;
    struct cfg_report report = {0};
    enum qn_status status = types_load_text(bytes_of_text(text), "t", &types, &report);

    print_message("%s", cfg_report_text(&report));
    assert_int_equal(status, QN_OK);
    cfg_report_fini(&report);
    return types;
}

/* Two fields, a and b, of the type T in version 1, and what is left of its fields. */
#define T(fields)                                                                                  \
    "types = ( { id = 1; name = \"T\"; version = 1; fields = (" fields "); },"                     \
    "{ id = 2; name = \"U\"; fields = ( ); } );"
#define A       "{ index = 0; name = \"a\"; type = \"int32\"; }"
#define B(type) "{ index = 3; name = \"b\"; type = \"" type "\"; }"
#define AB      T(A "," B("int32"))
#define T2(more)                                                                                   \
    "types = ( { id = 1; name = \"T\"; version = 2; fields = (" A                                  \
    "," B("int32") "," more "); }, { id = 2; name = \"U\"; fields = ( ); } );"

struct row {
    const char *old;
    const char *new;
    bool new_reads_old;
    bool old_reads_new;
    const char *text; /* in the one change reported; NULL = there is none */
};

static const struct row rows[] = {
    {AB, AB, true, true, NULL},
    {AB, T(A), false, false, "is gone: old programs find its default"},
    {AB, T(A "," B("string")), false, false, "index 3 was int32 and is string"},
    {AB, T(A "," B("int64")), true, true, "was int32 and is int64, which holds more"},
    {AB, T(A "," B("int16")), false, true, "was int32 and is int16, which holds less"},
    {AB, T(A "," B("float64")), false, false, "index 3 was int32 and is float64"},
    {T(A "," B("float32")), T(A "," B("float64")), true, true, "which holds more"},
    {T(A "," B("int32[]")), T(A "," B("plain list<int32>")), true, true, "read alike"},
    {T(A "," B("int32[]")), T(A "," B("int64[]")), true, true, "which holds more"},
    {T(A "," B("U")), T(A "," B("T")), false, false, "index 3 was U and is T"},
    {T(A "," B("U")), T(A "," B("any")), true, true, "was U and is any"},
    {T(A "," B("map<int32, int32>")), T(A "," B("map<int64, int16>")), false, false, "index 3"},
    {AB, T(A ", { index = 4; name = \"b\"; type = \"int32\"; }"), false, false,
     "had index 3 and has 4"},
    {AB, T(A ", { index = 3; name = \"c\"; type = \"int32\"; }"), true, true, "was called b"},
    {AB, T(A "," B("int32") ", { index = 5; name = \"c\"; type = \"int32\"; }"), true, false,
     "is new, but type T still has version 1"},
    {AB, T2("{ index = 1; name = \"c\"; type = \"int32\"; }"), true, false,
     "is new and has index 1, below 3"},
    {AB, T2("{ index = 5; name = \"c\"; type = \"int32\"; }"), true, true, "since = 2 would say"},
    {AB, T2("{ index = 5; name = \"c\"; type = \"int32\"; since = 2; }"), true, true, "is new: "},
    {AB, T(A ", { index = 3; name = \"b\"; type = \"int32\"; since = 1; }"), false, true,
     "since was 0 and is 1"},
    {T(A ", { index = 3; name = \"b\"; type = \"int32\"; since = 1; }"), AB, true, true,
     "since was 1 and is 0"},
    {AB, T(A ", { index = 3; name = \"b\"; type = \"int32\"; default = 5; }"), true, true,
     "its default was zero and is 5"},
    {AB, T(A ", { index = 3; name = \"b\"; type = \"int32\"; optional = true; }"), true, true,
     "is optional now"},
    {"types = ( { id = 1; name = \"T\"; fields = ( ); } );",
     "types = ( { id = 4; name = \"T\"; fields = ( ); } );", false, false, "had id 1 and has 4"},
    {"types = ( { id = 1; name = \"T\"; fields = ( ); } );", "types = ( );", false, true,
     "is gone: new programs can not read"},
    {"types = ( );", "types = ( { id = 1; name = \"T\"; fields = ( ); } );", true, true, "is new"},
    {"types = ( { id = 1; name = \"T\"; fields = ( ); } );",
     "types = ( { id = 1; name = \"S\"; fields = ( ); } );", true, true, "was called T"},
    {"types = ( { id = 1; name = \"T\"; version = 3; fields = ( ); } );",
     "types = ( { id = 1; name = \"T\"; version = 2; fields = ( ); } );", false, true,
     "its version was 3 and is 2"},
    {"types = ( { id = 1; name = \"T\"; fields = ( ); } );",
     "types = ( { id = 1; name = \"T\"; class = \"a.T\"; fields = ( ); } );", true, true,
     "its class was none and is a.T"},
    {"types = ( { id = 1; name = \"T\"; fields = ( ); } );",
     "types = ( { id = 1; name = \"T\"; shared = true; fields = ( ); } );", true, false,
     "is shared now"},
    {"types = ( { id = 1; name = \"T\"; shared = true; fields = ( ); } );",
     "types = ( { id = 1; name = \"T\"; fields = ( ); } );", false, true, "is no longer shared"},
};

/* Each kind of change is judged for both directions, and says what to do. */
static void each_change_is_judged_for_both_directions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct types *old = load(rows[i].old), *new = load(rows[i].new);
        struct told told = {.new_reads_old = true, .old_reads_new = true};
        size_t breaks = types_compare(&old->schema, &new->schema, keep, &told);
        bool right = rows[i].new_reads_old && rows[i].old_reads_new;

        assert_int_equal(told.count, rows[i].text ? 1 : 0);
        assert_int_equal(told.new_reads_old, rows[i].new_reads_old);
        assert_int_equal(told.old_reads_new, rows[i].old_reads_new);
        assert_int_equal(breaks, right ? 0 : 1);
        if (rows[i].text && !strstr(told.text, rows[i].text)) {
            fail_msg("wanted: %s", rows[i].text);
        }
        types_free(old);
        types_free(new);
    }
}

/* Two fields that changed places break both ways, and are told as moved, not as gone and new. */
static void exchanged_indexes_are_moves(void **state)
{
    struct types *old = load(AB);
    struct types *new = load(T("{ index = 0; name = \"b\"; type = \"int32\"; },"
                               "{ index = 3; name = \"a\"; type = \"int32\"; }"));
    struct told told = {0};

    (void)state;
    assert_int_equal(types_compare(&old->schema, &new->schema, keep, &told), 2);
    assert_int_equal(told.count, 2);
    assert_non_null(strstr(told.text, "had index 3 and has 0"));
    types_free(old);
    types_free(new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_is_judged_for_both_directions),
        cmocka_unit_test(exchanged_indexes_are_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
