/* Views read: names as they are shown, and what is hidden stays. */
#include "tests/lib/check.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"
#include "wire/pof/writer.h"

/* make is called brand, price is not shown, the owner is flattened, and its name called that. */
static const struct pof_view_field car_rules[] = {
    {.index = 0, .name = "brand"},
    {.index = 5, .action = POF_VIEW_OMIT},
    {.index = 6, .action = POF_VIEW_FLATTEN, .name = "owner_"},
};
static const struct pof_view_field owner_rules[] = {{.index = 0, .name = "called"}};
static const struct pof_view_type shop_types[] = {
    {.type = 1000, .fields = car_rules, .field_count = 3},
    {.type = 1001, .fields = owner_rules, .field_count = 1},
};
static const struct pof_view shop = {.name = "shop", .types = shop_types, .type_count = 2};

/* The same, but of an owner the name only. */
static const struct pof_view_type short_types[] = {
    {.type = 1000, .fields = car_rules, .field_count = 3},
    {.type = 1001, .only_listed = true, .fields = owner_rules, .field_count = 1},
};
static const struct pof_view brief = {.name = "brief", .types = short_types, .type_count = 2};

static const struct pof_json_options unseen = {.schema = &schema, .shape = &shape_car};

/* The octets of an object that a text without any view means. */
static void object_of(struct buf *pof, const char *text)
{
    struct pof_json_problem problem = {.line = 0};

    if (pof_json_read(pof, bytes_of_text(text), &unseen, &problem) != QN_OK) {
        fail_msg("%s: %s", text, problem.text);
    }
}

/* A text read by a view, as a change of `base` (NULL: of nothing), means the same as the other text
 * without one. */
static void expect_same(const struct pof_view *view, const char *base, const char *text,
                        const char *plain)
{
    struct pof_json_options options = unseen;
    struct pof_json_problem problem = {.line = 0};
    struct buf before = {0}, pof = {0}, expected = {0};

    if (base) {
        object_of(&before, base);
        options.base = buf_bytes(&before);
    }
    options.view = view;
    if (pof_json_read(&pof, bytes_of_text(text), &options, &problem) != QN_OK) {
        fail_msg("%s: %s", text, problem.text);
    }
    object_of(&expected, plain);
    assert_bytes_equal(buf_bytes(&pof), buf_bytes(&expected));
    buf_fini(&before);
    buf_fini(&pof);
    buf_fini(&expected);
}

static void expect_problem(const struct pof_view *view, const char *base, const char *text,
                           enum qn_status status, const char *expected)
{
    struct pof_json_options options = unseen;
    struct pof_json_problem problem = {.line = 0};
    struct buf before = {0}, pof = {0};

    if (base) {
        object_of(&before, base);
        options.base = buf_bytes(&before);
    }
    options.view = view;
    assert_int_equal(pof_json_read(&pof, bytes_of_text(text), &options, NULL), status);
    assert_int_equal(pof_json_read(&pof, bytes_of_text(text), &options, &problem), status);
    assert_string_equal(problem.text, expected);
    assert_int_equal(pof.size, 0);
    buf_fini(&before);
    buf_fini(&pof);
}

/* Other names, and parts of an object among the members of the one around it, in any order. */
static void fields_have_the_names_that_the_view_gives(void **state)
{
    (void)state;
    expect_same(&shop, NULL, "{\"brand\": \"V\", \"year\": 2021}",
                "{\"make\": \"V\", \"year\": 2021}");
    expect_same(&shop, NULL,
                "{\"owner_age\": 36, \"year\": 2021, \"owner_called\": \"A\", \"3\": 7}",
                "{\"year\": 2021, \"3\": 7, \"owner\": {\"name\": \"A\", \"age\": 36}}");
    expect_same(&shop, NULL, "{\"\\u006fwner\\u005fage\": 36}", "{\"owner\": {\"age\": 36}}");
}

/* A flattened object may also stand there itself: null, empty, or with marks. */
static void a_flattened_object_may_stand_there_itself(void **state)
{
    (void)state;
    expect_same(&shop, NULL, "{\"owner\": null}", "{\"owner\": null}");
    expect_same(&shop, NULL, "{\"owner\": {}}", "{\"owner\": {}}");
    expect_same(&shop, NULL, "{\"owner\": {\"$version\": 4, \"called\": \"A\"}}",
                "{\"owner\": {\"$version\": 4, \"name\": \"A\"}}");
    expect_problem(&shop, NULL, "{\"owner_age\": 1, \"owner\": {}}", QN_INVALID,
                   "owner: stands there twice");
    expect_problem(&shop, NULL, "{\"owner\": {}, \"owner_age\": 1}", QN_INVALID,
                   "owner_age: stands there twice");
    expect_problem(&shop, NULL, "{\"owner_age\": 1, \"year\": 1, \"owner_age\": 2}", QN_INVALID,
                   "owner_age: stands there twice");
}

/* What is hidden has its default in a new object, and stays in one that is changed. */
static void what_is_hidden_stays(void **state)
{
    static const char base[] = "{\"make\": \"V\", \"year\": 1, \"price\": 9.5, \"3\": 8, "
                               "\"owner\": {\"name\": \"A\", \"age\": 36}}";

    (void)state;
    expect_same(&shop, NULL, "{\"year\": 2}", "{\"year\": 2}");
    expect_same(&shop, base, "{\"year\": 2}", "{\"year\": 2, \"price\": 9.5}");
    expect_same(&brief, base, "{\"owner_called\": \"B\"}",
                "{\"price\": 9.5, \"owner\": {\"name\": \"B\", \"age\": 36}}");
    expect_same(&brief, base, "{\"owner\": {\"called\": \"B\"}}",
                "{\"price\": 9.5, \"owner\": {\"name\": \"B\", \"age\": 36}}");
    expect_same(&brief, base, "{}", "{\"price\": 9.5}");
    expect_same(&shop, "{\"$type\": \"Owner\"}", "{\"year\": 2}", "{\"year\": 2}");
}

/* The version is the higher one of type and base, unless the text says it. */
static void a_changed_object_keeps_its_version(void **state)
{
    (void)state;
    expect_same(&shop, "{\"$version\": 5}", "{}", "{\"$version\": 5}");
    expect_same(&shop, "{\"$version\": 0}", "{}", "{}");
    expect_same(&shop, "{\"$version\": 5}", "{\"$version\": 3}", "{\"$version\": 3}");
    expect_same(&shop, "{\"owner\": {\"$version\": 4}}", "{\"owner_age\": 1}",
                "{\"owner\": {\"$version\": 4, \"age\": 1}}");
}

/* A name that the view does not show cannot be set, and the text says why. */
static void what_is_hidden_cannot_be_set(void **state)
{
    (void)state;
    expect_problem(&shop, NULL, "{\"price\": 1.5}", QN_INVALID,
                   "\"price\" is not shown by view shop, so it cannot be set through it");
    expect_problem(&shop, NULL, "{\"5\": 1.5}", QN_INVALID,
                   "\"5\" is not shown by view shop, so it cannot be set through it");
    expect_problem(&shop, NULL, "{\"make\": \"V\"}", QN_INVALID,
                   "\"make\" is called \"brand\" in view shop");
    expect_problem(&shop, NULL, "{\"owner_caled\": \"A\"}", QN_INVALID,
                   "\"owner_caled\" is no field of Car: did you mean \"owner_called\"?");
    expect_problem(&shop, NULL, "{\"owner_age\": \"A\"}", QN_INVALID,
                   "owner_age: \"A\" is not a whole number");
}

/* A view that shows only some fields cannot make an object: the rest would be lost. */
static void a_view_of_some_fields_needs_what_it_changes(void **state)
{
    (void)state;
    expect_problem(
        &brief, NULL, "{\"owner_called\": \"A\"}", QN_UNSUPPORTED,
        "view brief does not show age of Owner, which would be lost: write it without the "
        "view");
    expect_problem(&brief, "{\"owner\": null}", "{\"owner\": {}}", QN_UNSUPPORTED,
                   "owner: view brief does not show age of Owner, which would be lost: write it "
                   "without the view");
    expect_same(&brief, NULL, "{\"year\": 2}", "{\"year\": 2}");
}

/* Elements of a list are not known again, so what is hidden of them cannot be kept. */
static void hidden_fields_in_lists_are_not_lost(void **state)
{
    static const char text[] = "{\"more\": [{\"$type\": \"Car\", \"year\": 2}]}";

    (void)state;
    expect_same(&shop, NULL, text, text);
    expect_same(&shop, "{\"more\": []}", text, text);
    expect_same(&shop, "{\"more\": 5}", text, text);
    expect_problem(&shop, text, text, QN_UNSUPPORTED,
                   "more[0]: view shop does not show price of Car, which would be lost: objects in "
                   "a list have no names to find them by");
}

/* Octets with identities cannot be copied into another object. */
static void hidden_fields_of_shared_objects_are_not_lost(void **state)
{
    (void)state;
    expect_problem(&shop, "{\"more\": {\"$id\": 1, \"$type\": \"Owner\"}}", "{}", QN_UNSUPPORTED,
                   "view shop does not show price of Car, which would be lost: the object that is "
                   "changed shares objects");
}

/* Properties that nobody knows are hidden, too, when only what is listed is shown. */
static void unknown_properties_are_not_lost(void **state)
{
    static const struct pof_view_field all[] = {{.index = 0}, {.index = 1}};
    static const struct pof_view_type rules[] = {
        {.type = 1001, .only_listed = true, .fields = all, .field_count = 2}};
    static const struct pof_view view = {.name = "all", .types = rules, .type_count = 1};

    (void)state;
    expect_same(&view, NULL, "{\"owner\": {\"age\": 1}}", "{\"owner\": {\"age\": 1}}");
    expect_same(&view, "{\"owner\": {\"7\": 9}}", "{\"owner\": {\"age\": 1}}",
                "{\"owner\": {\"age\": 1, \"7\": 9}}");
    expect_problem(&view, "{\"more\": [{\"$type\": \"Owner\", \"7\": 9}]}",
                   "{\"more\": [{\"$type\": \"Owner\"}]}", QN_UNSUPPORTED,
                   "more[0]: view all does not show what is not listed of Owner, which would be "
                   "lost: objects in a list have no names to find them by");
}

/* A view works without its types as far as it can: by numbers, but for the names it gives. */
static void a_view_names_fields_of_unknown_types(void **state)
{
    static const struct pof_json_options none = {.view = &shop};
    struct buf pof = {0}, text = {0}, again = {0};

    (void)state;
    object_of(&pof, "{\"make\": \"V\", \"price\": 1.5, \"3\": 7}");
    assert_int_equal(pof_json_write(&text, buf_bytes(&pof), &none), QN_OK);
    assert_bytes_equal(buf_bytes(&text), bytes_of_text("{\"$type\": 1000, \"$version\": 1, "
                                                       "\"brand\": \"V\", \"3\": 7}"));
    struct pof_json_options change = none;
    change.base = buf_bytes(&pof);
    assert_int_equal(pof_json_read(&again, buf_bytes(&text), &change, NULL), QN_OK);
    assert_bytes_equal(buf_bytes(&again), buf_bytes(&pof));
    buf_fini(&pof);
    buf_fini(&text);
    buf_fini(&again);
}

/* A base that is no value is told, whatever the text. */
static void a_broken_base_is_refused(void **state)
{
    struct pof_json_options options = unseen;
    struct pof_json_problem problem = {.line = 0};
    struct buf pof = {0};

    (void)state;
    options.view = &shop;
    options.base = bytes_of("\xa8\x0f\x01\x00\x4e\x05V", 7);
    assert_int_equal(pof_json_read(&pof, bytes_of_text("{}"), &options, &problem), QN_MALFORMED);
    assert_string_equal(problem.text, "the object that is to be changed cannot be read");
    assert_int_equal(pof.size, 0);
    buf_fini(&pof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_the_names_that_the_view_gives),
        cmocka_unit_test(a_flattened_object_may_stand_there_itself),
        cmocka_unit_test(what_is_hidden_stays),
        cmocka_unit_test(a_changed_object_keeps_its_version),
        cmocka_unit_test(what_is_hidden_cannot_be_set),
        cmocka_unit_test(a_view_of_some_fields_needs_what_it_changes),
        cmocka_unit_test(hidden_fields_in_lists_are_not_lost),
        cmocka_unit_test(hidden_fields_of_shared_objects_are_not_lost),
        cmocka_unit_test(unknown_properties_are_not_lost),
        cmocka_unit_test(a_view_names_fields_of_unknown_types),
        cmocka_unit_test(a_broken_base_is_refused),
    };

    return RUN_TESTS(tests);
}
