/* What a text could not bring back is not written, unless for a person to look at. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"

enum { ROUNDS = 20000 };

static const struct pof_json_options exact = {.schema = &schema, .shape = &shape_car};
static const struct pof_json_options lossy = {.schema = &schema, .lossy = true};

static void expect_loss(const char *octets, size_t size, const char *shown)
{
    const struct bytes pof = bytes_of(octets, size);
    struct buf out = {0};

    assert_int_equal(pof_json_write(&out, pof, &exact), QN_UNSUPPORTED);
    assert_int_equal(out.size, 0);
    assert_int_equal(pof_json_write(&out, pof, &lossy), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text(shown));
    buf_fini(&out);
}

/* Decimals that no type of decimal holds: too great a scale, too many digits. */
static void decimals_beyond_all_ranges_are_a_loss(void **state)
{
    (void)state;
    expect_loss("\x47\x05\xbf\xbf\x01", 5, "5E-12287");
    expect_loss(
        "\x49\xbf\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03\x00", 21,
        "170141183460469231731687303715884105727");
}

/* The order of a sparse array and entries that stand there twice. */
static void indexes_that_do_not_ascend_are_a_loss(void **state)
{
    (void)state;
    expect_loss("\x5a\x41\x03\x02\x07\x01\x08\x40", 8, "{\"2\": 7, \"1\": 8}");
    expect_loss("\x5a\x41\x03\x02\x07\x02\x08\x40", 8, "{\"2\": 7, \"2\": 8}");
}

/* Half a pair of surrogates, in a value and in a name. */
static void half_a_pair_of_surrogates_is_a_loss(void **state)
{
    (void)state;
    expect_loss("\x4e\x04"
                "a\xed\xa0\x80",
                6, "\"a\xef\xbf\xbd\"");
    expect_loss("\x5b\x01\x4e\x03\xed\xa0\x80\x41\x01", 9, "{\"\xef\xbf\xbd\": 1}");
}

/* U+FFFD itself is a character as any other. */
static void the_replacement_character_is_no_loss(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_int_equal(pof_json_write(&out, bytes_of("\x4e\x03\xef\xbf\xbd", 5), &exact), QN_OK);
    buf_fini(&out);
}

/* A list of lists of strings with a null in one of them: no writer has a form for that. */
static void a_null_in_a_list_that_must_be_uniform_is_a_loss(void **state)
{
    (void)state;
    expect_loss("\x58\x58\x01\x4e\x02\x01\x61\x40", 8, "[[\"a\", null]]");
}

/* A list has no "$id", so nothing can refer to it. */
static void a_reference_to_no_object_is_a_loss(void **state)
{
    (void)state;
    expect_loss("\x55\x02\x5e\x01\x55\x00\x5f\x01", 8, "[[], {\"$ref\": 1}]");
}

/* Nor to an object that the view hides. */
static void a_reference_to_what_is_hidden_is_a_loss(void **state)
{
    static const char octets[] = "\xa8\x0f\x01\x06\x5e\x01\xa9\x0f\x00\x40\x09\x5f\x01\x40";
    static const struct pof_view_field fields[] = {{.index = 6, .action = POF_VIEW_OMIT}};
    static const struct pof_view_type rules[] = {
        {.type = 1000, .fields = fields, .field_count = 1}};
    const struct pof_view view = {.name = "v", .types = rules, .type_count = 1};
    struct pof_json_options options = exact;
    struct buf out = {0};

    (void)state;
    assert_int_equal(pof_json_write(&out, bytes_of(octets, 14), &options), QN_OK);
    assert_bytes_equal(buf_bytes(&out),
                       bytes_of_text("{\"owner\": {\"$id\": 1}, \"more\": {\"$ref\": 1}}"));
    options.view = &view;
    assert_int_equal(pof_json_write(&out, bytes_of(octets, 14), &options), QN_UNSUPPORTED);
    buf_fini(&out);
}

/* The small value that is an empty container is one of those that are declared. */
static void an_empty_container_is_what_is_declared(void **state)
{
    static const struct pof_shape sparse = {.kind = POF_SHAPE_SPARSE, .element = &shape_string};
    const struct pof_shape *const shapes[] = {&shape_strings, &shape_counts, &sparse};
    static const char *const texts[] = {"[]", "{}", "{}"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct pof_json_options options = {.shape = shapes[i]};
        struct buf text = {0}, again = {0};
        assert_int_equal(pof_json_write(&text, bytes_of("\x63", 1), &options), QN_OK);
        assert_bytes_equal(buf_bytes(&text), bytes_of_text(texts[i]));
        assert_int_equal(pof_json_read(&again, buf_bytes(&text), &options, NULL), QN_OK);
        buf_fini(&text);
        buf_fini(&again);
    }
}

/* A null in a uniform list, as others write it: its text is one of a plain list. */
static void a_null_of_no_length_makes_a_list_plain(void **state)
{
    static const struct pof_json_options plain = {.indent = 0};
    struct buf text = {0};

    (void)state;
    assert_int_equal(pof_json_write(&text, bytes_of("\x58\x4e\x02\x01\x61\x40", 6), &plain), QN_OK);
    assert_bytes_equal(buf_bytes(&text), bytes_of_text("{\"$array\": [\"a\", null]}"));
    buf_fini(&text);
}

/* What is written can be read, and is the same text then; but for the numbers of identities, which
 * are the same from then on. */
static void check_readable(struct bytes pof, bool numbered)
{
    struct pof_json_problem problem = {.line = 0};
    struct buf text = {0}, again = {0}, text_again = {0};

    enum qn_status status = pof_json_write(&text, pof, &exact);
    if (status == QN_OK) {
        if (pof_json_read(&again, buf_bytes(&text), &exact, &problem) != QN_OK) {
            fail_msg("%s in %.*s", problem.text, (int)text.size, (const char *)text.data);
        }
        assert_int_equal(pof_json_write(&text_again, buf_bytes(&again), &exact), QN_OK);
        if (!numbered) {
            assert_bytes_equal(buf_bytes(&text_again), buf_bytes(&text));
        } else {
            check_readable(buf_bytes(&again), false);
        }
    }
    buf_fini(&text);
    buf_fini(&again);
    buf_fini(&text_again);
}

/* Octets of which some were changed: what nobody wrote is not shown, or read. */
static void whatever_is_shown_can_be_read(void **state)
{
    struct dice dice = {47};
    struct buf pof = {0};
    struct pof_writer w;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        buf_clear(&pof);
        pof_writer_init(&w, &pof);
        if (round % 3 == 0) {
            pof_writer_enable_references(&w);
        }
        random_value(&w, &dice, POF_NEXT, 4);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        for (uint32_t changes = 1 + dice_below(&dice, 3); changes > 0; changes--) {
            pof.data[dice_below(&dice, (uint32_t)pof.size)] = (uint8_t)dice_below(&dice, 256);
        }
        check_readable(buf_bytes(&pof), true);
    }
    buf_fini(&pof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_beyond_all_ranges_are_a_loss),
        cmocka_unit_test(indexes_that_do_not_ascend_are_a_loss),
        cmocka_unit_test(half_a_pair_of_surrogates_is_a_loss),
        cmocka_unit_test(the_replacement_character_is_no_loss),
        cmocka_unit_test(a_null_in_a_list_that_must_be_uniform_is_a_loss),
        cmocka_unit_test(a_reference_to_no_object_is_a_loss),
        cmocka_unit_test(a_reference_to_what_is_hidden_is_a_loss),
        cmocka_unit_test(an_empty_container_is_what_is_declared),
        cmocka_unit_test(a_null_of_no_length_makes_a_list_plain),
        cmocka_unit_test(whatever_is_shown_can_be_read),
    };

    return RUN_TESTS(tests);
}
