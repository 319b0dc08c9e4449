/* Views: the same object, shown otherwise. */
#include "tests/lib/check.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"
#include "wire/pof/writer.h"

static void write_car(struct buf *out)
{
    struct pof_writer w;

    pof_writer_init(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 1);
    pof_write_string(&w, 0, bytes_of_text("Volvo"));
    pof_write_int64(&w, 2, 2021);
    pof_begin_user(&w, 6, 1001, 0);
    pof_write_string(&w, 0, bytes_of_text("Ada"));
    pof_write_int32(&w, 1, 36);
    pof_end(&w);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

static void expect_view(const struct pof_view_type *rules, size_t count, const char *expected)
{
    const struct pof_view view = {.name = "test", .types = rules, .type_count = count};
    const struct pof_json_options options = {
        .schema = &schema, .shape = &shape_car, .view = &view, .lossy = true};
    struct buf pof = {0};
    struct buf out = {0};

    assert_null(pof_view_check(&view, &schema));
    write_car(&pof);
    assert_int_equal(pof_json_write(&out, buf_bytes(&pof), &options), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text(expected));
    buf_fini(&pof);
    buf_fini(&out);
}

/* One field gets another name, one is not shown. */
static void fields_are_renamed_and_omitted(void **state)
{
    static const struct pof_view_field fields[] = {
        {.index = 0, .name = "brand"},
        {.index = 6, .action = POF_VIEW_OMIT},
    };
    static const struct pof_view_type rules[] = {
        {.type = 1000, .fields = fields, .field_count = 2}};

    (void)state;
    expect_view(rules, 1, "{\"brand\": \"Volvo\", \"year\": 2021}");
}

/* Only what is listed. */
static void a_filter_shows_what_is_listed(void **state)
{
    static const struct pof_view_field fields[] = {{.index = 2}};
    static const struct pof_view_type rules[] = {
        {.type = 1000, .only_listed = true, .fields = fields, .field_count = 1}};

    (void)state;
    expect_view(rules, 1, "{\"year\": 2021}");
}

/* The fields of the object in it stand in its place, and have rules of their own. */
static void an_object_is_flattened_into_its_parent(void **state)
{
    static const struct pof_view_field fields[] = {
        {.index = 6, .action = POF_VIEW_FLATTEN, .name = "owner_"}};
    static const struct pof_view_field inner[] = {{.index = 1, .name = "years"}};
    static const struct pof_view_type rules[] = {
        {.type = 1000, .fields = fields, .field_count = 1},
        {.type = 1001, .fields = inner, .field_count = 1},
    };

    (void)state;
    expect_view(rules, 2,
                "{\"make\": \"Volvo\", \"year\": 2021, \"owner_name\": \"Ada\", "
                "\"owner_years\": 36}");
}

static const char *problem_of(const struct pof_view_field *field, size_t count, int32_t type)
{
    const struct pof_view_type rules = {.type = type, .fields = field, .field_count = count};
    const struct pof_view view = {.types = &rules, .type_count = 1};

    return pof_view_check(&view, &schema);
}

/* Rules that make two fields one, or name what is not there, are found before anything is shown. */
static void a_view_that_makes_no_sense_is_found(void **state)
{
    (void)state;
    assert_non_null(problem_of(&(struct pof_view_field){.index = 0, .name = "year"}, 1, 1000));
    assert_non_null(problem_of(&(struct pof_view_field){.index = 99}, 1, 1000));
    assert_non_null(problem_of(&(struct pof_view_field){.index = 0}, 1, 5));
    assert_non_null(
        problem_of(&(struct pof_view_field){.index = 0, .action = POF_VIEW_FLATTEN}, 1, 1000));
    assert_non_null(
        problem_of((const struct pof_view_field[]){{.index = 0, .name = "name"},
                                                   {.index = 6, .action = POF_VIEW_FLATTEN}},
                   2, 1000));
    assert_null(
        problem_of(&(struct pof_view_field){.index = 6, .action = POF_VIEW_FLATTEN}, 1, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_renamed_and_omitted),
        cmocka_unit_test(a_filter_shows_what_is_listed),
        cmocka_unit_test(an_object_is_flattened_into_its_parent),
        cmocka_unit_test(a_view_that_makes_no_sense_is_found),
    };

    return RUN_TESTS(tests);
}
