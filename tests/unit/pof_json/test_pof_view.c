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

    assert_int_equal(pof_view_check(&view, &schema, NULL), QN_OK);
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

/* A car, and what of it is shown when its owner is flattened. */
static void expect_owner(void (*write)(struct pof_writer *w), const char *expected)
{
    static const struct pof_view_field fields[] = {{.index = 6, .action = POF_VIEW_FLATTEN}};
    static const struct pof_view_type rules[] = {
        {.type = 1000, .only_listed = true, .fields = fields, .field_count = 1}};
    const struct pof_view view = {.name = "test", .types = rules, .type_count = 1};
    const struct pof_json_options options = {.schema = &schema, .shape = &shape_car, .view = &view};
    struct buf pof = {0};
    struct buf out = {0};
    struct buf types = {0};
    struct pof_writer w;

    pof_writer_init(&w, &pof);
    pof_writer_enable_references(&w);
    pof_writer_track_identities(&w, &types);
    pof_begin_nested(&w, POF_NEXT, 1000, 1);
    write(&w);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_int_equal(pof_json_write(&out, buf_bytes(&pof), &options), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text(expected));
    buf_fini(&pof);
    buf_fini(&out);
    buf_fini(&types);
}

static void plain_owner(struct pof_writer *w)
{
    pof_begin_nested(w, 6, 1001, 0);
    pof_write_int32(w, 1, 36);
    pof_end(w);
}

static void no_owner(struct pof_writer *w)
{
    pof_write_null(w, 6);
}

static void empty_owner(struct pof_writer *w)
{
    pof_begin_nested(w, 6, 1001, 0);
    pof_end(w);
}

static void shared_owner(struct pof_writer *w)
{
    pof_begin_user(w, 6, 1001, 0);
    pof_write_int32(w, 1, 36);
    pof_end(w);
}

static void newer_owner(struct pof_writer *w)
{
    pof_begin_nested(w, 6, 1001, 3);
    pof_write_int32(w, 1, 36);
    pof_end(w);
}

static void owner_with_more(struct pof_writer *w)
{
    pof_begin_nested(w, 6, 1001, 0);
    pof_write_int32(w, 7, 36);
    pof_end(w);
}

/* Without the identities before them, references in a uniform list cannot be told from versions. */
static void owner_with_references_and_more(struct pof_writer *w)
{
    pof_begin_nested(w, 6, 1001, 0);
    pof_begin_user(w, 0, 1000, 1);
    pof_end(w);
    pof_begin_uniform_collection(w, 1, 1000, 1);
    pof_write_reference(w, POF_NEXT, 1);
    pof_end(w);
    pof_write_int32(w, 7, 36);
    pof_end(w);
}

static void other_owner(struct pof_writer *w)
{
    pof_begin_nested(w, 6, 1000, 1);
    pof_end(w);
}

/* Members cannot say everything of the object that they are parts of: then it stands there. */
static void an_object_is_flattened_when_its_members_tell_all(void **state)
{
    (void)state;
    expect_owner(plain_owner, "{\"age\": 36}");
    expect_owner(no_owner, "{\"owner\": null}");
    expect_owner(empty_owner, "{\"owner\": {}}");
    expect_owner(shared_owner, "{\"owner\": {\"$id\": 1, \"age\": 36}}");
    expect_owner(newer_owner, "{\"owner\": {\"$version\": 3, \"age\": 36}}");
    expect_owner(owner_with_more, "{\"owner\": {\"7\": 36}}");
    expect_owner(owner_with_references_and_more,
                 "{\"owner\": {\"name\": {\"$id\": 1, \"$type\": \"Car\"}, "
                 "\"age\": {\"$list\": [{\"$ref\": 1}], \"$of\": \"Car\"}, \"7\": 36}}");
    expect_owner(other_owner, "{\"owner\": {\"$type\": \"Car\"}}");
}

static void expect_problem(const struct pof_view_field *fields, size_t count, int32_t type,
                           const char *text)
{
    const struct pof_view_type rules = {.type = type, .fields = fields, .field_count = count};
    const struct pof_view view = {.name = "v", .types = &rules, .type_count = 1};
    struct pof_view_problem problem;

    assert_int_equal(pof_view_check(&view, &schema, NULL), QN_INVALID);
    assert_int_equal(pof_view_check(&view, &schema, &problem), QN_INVALID);
    assert_string_equal(problem.text, text);
    assert_int_equal(pof_view_check_reading(&view, &schema, NULL), QN_INVALID);
}

/* Rules that make two fields one, or name what is not there, are found before anything is shown. */
static void a_view_that_makes_no_sense_is_found(void **state)
{
    (void)state;
    expect_problem(&(struct pof_view_field){.index = 0, .name = "year"}, 1, 1000,
                   "two fields of type Car are shown as year: rename or omit one in view v");
    expect_problem(&(struct pof_view_field){.index = 99}, 1, 1000,
                   "view v has a rule for property 99, but type Car has none");
    expect_problem(&(struct pof_view_field){.index = 0}, 1, 5,
                   "view v has rules for type 5, which does not exist");
    expect_problem(&(struct pof_view_field){.index = 0, .action = POF_VIEW_FLATTEN}, 1, 1000,
                   "view v flattens make of type Car, which is no object of a known type");
    expect_problem((const struct pof_view_field[]){{.index = 0, .name = "name"},
                                                   {.index = 6, .action = POF_VIEW_FLATTEN}},
                   2, 1000,
                   "two fields of type Car are shown as name: rename or omit one in view v");
    expect_problem((const struct pof_view_field[]){{.index = 2}, {.index = 0}}, 2, 1000,
                   "view v: the rules of type Car are not by ascending index");
    expect_problem(
        &(struct pof_view_field){.index = 0, .name = "$id"}, 1, 1000,
        "view v shows a field of type Car as \"$id\": give it a name in UTF-8 that is no "
        "number and does not begin with $");
    expect_problem(&(struct pof_view_field){.index = 0, .name = "12"}, 1, 1000,
                   "view v shows a field of type Car as \"12\": give it a name in UTF-8 that is no "
                   "number and does not begin with $");
}

/* What stands under its own name when it cannot be flattened must not meet another field. */
static void a_flattened_field_keeps_its_own_name_free(void **state)
{
    (void)state;
    expect_problem(
        (const struct pof_view_field[]){{.index = 0, .name = "owner"},
                                        {.index = 6, .action = POF_VIEW_FLATTEN, .name = "owner_"}},
        2, 1000, "two fields of type Car are shown as owner: rename or omit one in view v");
}

enum { CHAIN_MAX = POF_FLATTEN_DEPTH_MAX + 2 };

/* Types that hold each the next, all flattened. The last holds itself when `ring`. */
struct chain {
    struct pof_schema_type types[CHAIN_MAX];
    const struct pof_schema_type *by_id[CHAIN_MAX];
    struct pof_schema_field fields[CHAIN_MAX];
    struct pof_shape shapes[CHAIN_MAX];
    struct pof_view_field rules[CHAIN_MAX];
    struct pof_view_type view_types[CHAIN_MAX];
    char names[CHAIN_MAX][8];
    struct pof_schema schema;
    struct pof_view view;
};

static void chain_init(struct chain *chain, size_t count, bool ring)
{
    *chain = (struct chain){.schema = {.type_count = count}, .view = {.type_count = count}};
    chain->schema.types = chain->types;
    chain->schema.by_id = chain->by_id;
    chain->view.types = chain->view_types;
    for (size_t i = 0; i < count; i++) {
        const size_t next = i + 1 < count ? i + 1 : i;
        const bool holds = i + 1 < count || ring;
        chain->names[i][0] = (char)('a' + i);
        chain->shapes[i] = (struct pof_shape){.kind = holds ? POF_SHAPE_USER : POF_SHAPE_INT32,
                                              .user = holds ? &chain->types[next] : NULL};
        chain->fields[i] =
            (struct pof_schema_field){.name = chain->names[i], .shape = &chain->shapes[i]};
        chain->types[i] = (struct pof_schema_type){.id = (int32_t)i,
                                                   .name = chain->names[i],
                                                   .fields = &chain->fields[i],
                                                   .field_count = 1};
        chain->by_id[i] = &chain->types[i];
        chain->rules[i].action = holds ? POF_VIEW_FLATTEN : POF_VIEW_SHOW;
        chain->view_types[i] = (struct pof_view_type){
            .type = (int32_t)i, .fields = &chain->rules[i], .field_count = 1};
    }
}

/* Eight objects in each other can be flattened, not nine, and none into itself. */
static void flattening_has_a_depth(void **state)
{
    static const struct pof_json_options none = {.indent = 0};
    struct pof_json_options options = none;
    struct chain chain;
    struct buf out = {0};

    (void)state;
    chain_init(&chain, POF_FLATTEN_DEPTH_MAX + 1, false);
    assert_int_equal(pof_view_check(&chain.view, &chain.schema, NULL), QN_OK);
    chain_init(&chain, POF_FLATTEN_DEPTH_MAX + 2, false);
    assert_int_equal(pof_view_check(&chain.view, &chain.schema, NULL), QN_INVALID);
    chain_init(&chain, 1, true);
    assert_int_equal(pof_view_check(&chain.view, &chain.schema, NULL), QN_INVALID);
    options.schema = &chain.schema; /* nobody asked whether the view is good */
    options.view = &chain.view;
    options.shape = &chain.shapes[0];
    assert_int_equal(pof_json_read(&out, bytes_of_text("{\"x\": 1}"), &options, NULL), QN_INVALID);
    buf_fini(&out);
}

/* A view says before it is used whether it reads new objects. */
static void a_view_with_only_some_fields_reads_no_new_objects(void **state)
{
    static const struct pof_view_field fields[] = {{.index = 0, .action = POF_VIEW_OMIT},
                                                   {.index = 1}};
    struct pof_view_type rules = {.type = 1001, .fields = fields, .field_count = 2};
    const struct pof_view view = {.name = "v", .types = &rules, .type_count = 1};
    struct pof_view_problem problem;

    (void)state;
    assert_int_equal(pof_view_check_reading(&view, &schema, NULL), QN_OK);
    rules.only_listed = true;
    assert_int_equal(pof_view_check_reading(&view, &schema, NULL), QN_OK);
    rules.fields++;
    rules.field_count--;
    assert_int_equal(pof_view_check(&view, &schema, NULL), QN_OK);
    assert_int_equal(pof_view_check_reading(&view, &schema, &problem), QN_UNSUPPORTED);
    assert_string_equal(problem.text,
                        "view v shows only some fields of type Owner: name would be lost, so it "
                        "reads changes of an object, but no new one");
    assert_int_equal(pof_view_check_reading(&view, &schema, NULL), QN_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_renamed_and_omitted),
        cmocka_unit_test(a_filter_shows_what_is_listed),
        cmocka_unit_test(an_object_is_flattened_into_its_parent),
        cmocka_unit_test(an_object_is_flattened_when_its_members_tell_all),
        cmocka_unit_test(a_view_that_makes_no_sense_is_found),
        cmocka_unit_test(a_flattened_field_keeps_its_own_name_free),
        cmocka_unit_test(flattening_has_a_depth),
        cmocka_unit_test(a_view_with_only_some_fields_reads_no_new_objects),
    };

    return RUN_TESTS(tests);
}
