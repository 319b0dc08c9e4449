/* Containers that are uniform when they can be. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_tree.h"
#include "wire/pof/raw.h"
#include "wire/pof/uniform.h"

enum { NOBODYS_TYPE = 999999 };

static void begin(struct pof_writer *w, struct buf *out)
{
    buf_clear(out);
    pof_writer_init(w, out);
}

/* The calls since begin make exactly these octets. */
static void expect_octets(struct pof_writer *w, const char *octets, size_t size)
{
    assert_int_equal(pof_writer_finish(w), QN_OK);
    assert_bytes_equal(buf_bytes(w->out), bytes_of(octets, size));
}

static struct pof_container list(int32_t element_type, int32_t count)
{
    return (struct pof_container){
        .type = POF_UNIFORM_COLLECTION, .element_type = element_type, .count = count};
}

static struct pof_value string(const char *text)
{
    return (struct pof_value){
        .kind = POF_KIND_STRING, .type = POF_STRING, .as.text = bytes_of_text(text)};
}

static struct pof_value integer(int32_t number)
{
    return (struct pof_value){.kind = POF_KIND_INT32, .type = POF_INT32, .as.integer = number};
}

static const struct pof_value null = {.kind = POF_KIND_NULL, .type = POF_SMALL_NULL};

/* Elements of the declared type, or of one type when none is declared, make the uniform form. */
static void elements_of_one_type_make_the_uniform_form(void **state)
{
    const struct pof_value texts[] = {string("a"), string("b")};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_STRING, 2), texts, 2);
    expect_octets(&w, "\x56\x4e\x02\x01\x61\x01\x62", 7);
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 2), texts, 2);
    expect_octets(&w, "\x56\x4e\x02\x01\x61\x01\x62", 7);
    buf_fini(&out);
}

/* A null makes the plain form (vector collection/uniform-null-falls-back). */
static void a_null_makes_the_plain_form(void **state)
{
    const struct pof_value values[] = {string("a"), null, string("b")};
    const struct bytes texts[] = {bytes_of_text("a"), {NULL, 0}, bytes_of_text("b")};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_STRING, 3), values, 3);
    expect_octets(&w, "\x55\x03\x4e\x01\x61\x64\x4e\x01\x62", 9);
    begin(&w, &out);
    pof_write_strings(&w, POF_NEXT, POF_UNIFORM_COLLECTION, texts, 3);
    expect_octets(&w, "\x55\x03\x4e\x01\x61\x64\x4e\x01\x62", 9);
    begin(&w, &out);
    pof_write_strings(&w, POF_NEXT, POF_UNIFORM_ARRAY, texts, 1);
    expect_octets(&w, "\x58\x4e\x01\x01\x61", 5);
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 1), &null, 1);
    expect_octets(&w, "\x55\x01\x64", 3);
    buf_fini(&out);
}

/* So does an element of another type, the last one too. */
static void another_type_makes_the_plain_form(void **state)
{
    const struct pof_value values[] = {string("a"), integer(5)};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_STRING, 2), values, 2);
    expect_octets(&w, "\x55\x02\x4e\x01\x61\x41\x05", 7);
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 2), values, 2);
    expect_octets(&w, "\x55\x02\x4e\x01\x61\x41\x05", 7);
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_INT64, 1), values + 1, 1);
    expect_octets(&w, "\x55\x01\x41\x05", 4);
    buf_fini(&out);
}

/* Without elements a declared type stays, as in the reference implementations. */
static void no_elements_keep_the_declared_type(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_STRING, 0), NULL, 0);
    expect_octets(&w, "\x56\x4e\x00", 3);
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 0), NULL, 0);
    expect_octets(&w, "\x55\x00", 2);
    buf_fini(&out);
}

/* Sparse arrays keep their indexes in either form. */
static void a_sparse_array_is_uniform_or_plain(void **state)
{
    struct pof_container sparse = {
        .type = POF_UNIFORM_SPARSE_ARRAY, .element_type = POF_ANY_TYPE, .count = 9};
    struct pof_value values[] = {integer(1), integer(2)};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    values[0].index = 3;
    values[1].index = 8;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, sparse, values, 2);
    expect_octets(&w, "\x5a\x41\x09\x03\x01\x08\x02\x40", 8);
    values[1] = null;
    values[1].index = 8;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, sparse, values, 2);
    expect_octets(&w, "\x59\x09\x03\x41\x01\x08\x64\x40", 8);
    buf_fini(&out);
}

/* A map has uniform keys, or keys and values, or neither (vector
 * map/uniform-null-value-falls-back). */
static void a_map_is_uniform_or_plain_as_a_whole(void **state)
{
    struct pof_container map = {
        .type = POF_UNIFORM_MAP, .key_type = POF_STRING, .element_type = POF_INT32, .count = 2};
    struct pof_value pairs[] = {string("a"), integer(1), string("b"), integer(2)};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, map, pairs, 4);
    expect_octets(&w, "\x5d\x4e\x41\x02\x01\x61\x01\x01\x62\x02", 10);
    pairs[3] = null;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, map, pairs, 4);
    expect_octets(&w, "\x5b\x02\x4e\x01\x61\x41\x01\x4e\x01\x62\x64", 11);
    map.type = POF_UNIFORM_KEYS_MAP;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, map, pairs, 4);
    expect_octets(&w, "\x5c\x4e\x02\x01\x61\x41\x01\x01\x62\x64", 10);
    pairs[2] = null;
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, map, pairs, 4);
    expect_octets(&w, "\x5b\x02\x4e\x01\x61\x41\x01\x64\x64", 9);
    buf_fini(&out);
}

/* A head with long type ids still fits in front of one short element. */
static void long_type_ids_fit_in_front_of_short_elements(void **state)
{
    struct pof_container map = {.type = POF_UNIFORM_MAP,
                                .key_type = POF_ANY_TYPE,
                                .element_type = POF_ANY_TYPE,
                                .count = 1};
    struct pof_uniform u;
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_begin_user(&w, POF_NEXT, 1, 0);
    pof_uniform_begin(&u, &w, 0, map);
    pof_begin_user(&w, POF_NEXT, INT32_MAX, 0);
    pof_end(&w);
    pof_begin_user(&w, POF_NEXT, INT32_MAX, 0);
    pof_end(&w);
    pof_uniform_end(&u);
    pof_write_int32(&w, 1, 70); /* full: it follows an object without properties */
    pof_end(&w);
    expect_octets(&w,
                  "\x01\x00\x00\x5d\xbf\xff\xff\xff\x0f\xbf\xff\xff\xff\x0f\x01\x00\x40\x00\x40"
                  "\x01\x41\x86\x01\x40",
                  24);
    buf_fini(&out);
}

/* Two objects of one type, the second written again by reference, or by its own. */
static void write_objects(struct pof_writer *w, int32_t second_type, bool reference)
{
    struct pof_uniform u;

    pof_writer_enable_references(w);
    pof_uniform_begin(&u, w, POF_NEXT, list(POF_ANY_TYPE, 2));
    pof_begin_user(w, POF_NEXT, 7, 0);
    pof_end(w);
    if (reference) {
        pof_write_reference(w, POF_NEXT, 1);
    } else {
        pof_begin_user(w, POF_NEXT, second_type, 0);
        pof_end(w);
    }
    pof_uniform_end(&u);
}

/* First appearances keep their identity in the uniform form; a reference, of whatever type, makes
 * the plain one. */
static void a_reference_makes_the_plain_form(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    write_objects(&w, 7, false);
    expect_octets(&w, "\x56\x07\x02\x5e\x01\x00\x40\x5e\x02\x00\x40", 11);
    begin(&w, &out);
    write_objects(&w, 8, false);
    expect_octets(&w, "\x55\x02\x5e\x01\x07\x00\x40\x5e\x02\x08\x00\x40", 12);
    begin(&w, &out);
    write_objects(&w, 7, true);
    expect_octets(&w, "\x55\x02\x5e\x01\x07\x00\x40\x5f\x01", 9);
    buf_fini(&out);
}

/* An object without identity in a value that has some: its version must not pass for a reference.
 */
static void a_version_that_looks_like_a_reference_makes_the_plain_form(void **state)
{
    struct pof_uniform u;
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    for (int32_t version = 0; version < 2; version++) {
        begin(&w, &out);
        pof_writer_enable_references(&w);
        pof_uniform_begin(&u, &w, POF_NEXT, list(7, 2));
        pof_begin_user(&w, POF_NEXT, 7, 0);
        pof_end(&w);
        pof_begin_nested(&w, POF_NEXT, 7, version);
        pof_end(&w);
        pof_uniform_end(&u);
        if (version == 0) {
            expect_octets(&w, "\x56\x07\x02\x5e\x01\x00\x40\x00\x40", 9);
        } else {
            expect_octets(&w, "\x55\x02\x5e\x01\x07\x00\x40\x07\x01\x40", 10);
        }
    }
    buf_fini(&out);
}

/* A number with an identity, which somebody else wrote: in a uniform container it would have no
 * place. */
static void a_number_with_an_identity_makes_the_plain_form(void **state)
{
    struct pof_uniform u;
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_uniform_begin(&u, &w, POF_NEXT, list(POF_ANY_TYPE, 1));
    pof_write_raw(&w, POF_NEXT,
                  bytes_of("\x5e\x40\x41\x05", 4)); /* of a negative one, which means nothing */
    pof_uniform_end(&u);
    expect_octets(&w, "\x55\x01\x5e\x40\x41\x05", 6);
    buf_fini(&out);
}

/* Decimals of several widths are one type, the widest. */
static void decimals_of_all_widths_are_one_type(void **state)
{
    struct pof_value values[] = {{.kind = POF_KIND_DECIMAL}, {.kind = POF_KIND_DECIMAL}};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    values[0].as.decimal.unscaled.low = 5;
    values[1].as.decimal = (struct pof_decimal){.unscaled = {.low = 6}, .scale = 200};
    begin(&w, &out);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 2), values, 2);
    expect_octets(&w, "\x56\x48\x02\x05\x00\x06\x88\x03", 8);
    buf_fini(&out);
}

/* In a uniform container the form is that of all: another cannot be chosen. */
static void in_a_uniform_container_the_form_is_given(void **state)
{
    const struct pof_value number = integer(5);
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_begin_uniform_array(&w, POF_NEXT, POF_COLLECTION, 1);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 1), &number, 1);
    pof_end(&w);
    expect_octets(&w, "\x58\x55\x01\x01\x41\x05", 6);
    begin(&w, &out);
    pof_begin_uniform_array(&w, POF_NEXT, POF_UNIFORM_COLLECTION, 1);
    pof_write_uniform(&w, POF_NEXT, list(POF_INT32, 1), &number, 1);
    pof_end(&w);
    expect_octets(&w, "\x58\x56\x01\x41\x01\x05", 6);
    begin(&w, &out);
    pof_begin_uniform_array(&w, POF_NEXT, POF_UNIFORM_COLLECTION, 1);
    pof_write_uniform(&w, POF_NEXT, list(POF_ANY_TYPE, 1), &number, 1);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_INVALID);
    buf_fini(&out);
}

/* Promises that are not kept are failures here as elsewhere, and leave the buffer as it was. */
static void a_wrong_count_or_form_fails(void **state)
{
    const struct pof_value values[] = {integer(1), integer(2)};
    struct pof_container plain = {.type = POF_COLLECTION, .count = 2};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    assert_int_equal(buf_append(&out, "before", 6), QN_OK);
    for (int i = 0; i < 4; i++) {
        pof_writer_init(&w, &out);
        if (i < 2) {
            pof_write_uniform(&w, POF_NEXT, list(POF_INT32, i == 0 ? 1 : 3), values, 2);
        } else if (i == 2) {
            pof_write_uniform(&w, POF_NEXT, plain, values, 2);
        } else {
            pof_write_strings(&w, POF_NEXT, POF_UNIFORM_MAP, NULL, 0);
        }
        assert_int_equal(pof_writer_finish(&w), QN_INVALID);
        assert_bytes_equal(buf_bytes(&out), bytes_of_text("before"));
    }
    buf_fini(&out);
}

/* -- random trees: each container once more by way of these calls -- */

/* The uniform form of a container, with the types that it has, or with one that nobody has. */
static struct pof_container wanted(const struct pof_value *value, int32_t nobodys)
{
    static const enum pof_type uniform_of[] = {
        [POF_COLLECTION - POF_COLLECTION] = POF_UNIFORM_COLLECTION,
        [POF_COLLECTION - POF_ARRAY] = POF_UNIFORM_ARRAY,
        [POF_COLLECTION - POF_SPARSE_ARRAY] = POF_UNIFORM_SPARSE_ARRAY,
        [POF_COLLECTION - POF_MAP] = POF_UNIFORM_MAP,
    };
    const struct pof_items *items = &value->as.items;
    bool plain = !items->uniform && !items->uniform_keys;

    return (struct pof_container){.type = plain ? uniform_of[POF_COLLECTION - value->type]
                                                : (enum pof_type)value->type,
                                  .key_type = plain ? nobodys : items->key_type,
                                  .element_type = plain ? nobodys : items->element_type,
                                  .count = items->count};
}

static int32_t write_node(const struct tree *tree, int32_t at, struct pof_writer *w, int32_t index)
{
    const struct tree_node *node = &tree->nodes[at];
    const struct pof_value *value = &node->value;
    bool container = pof_kind_is_container(value->kind);
    bool indexed = value->kind == POF_KIND_USER || value->kind == POF_KIND_SPARSE_ARRAY;
    bool helped = container && value->kind != POF_KIND_USER && node->parts > 0;
    struct pof_uniform u;

    pof_writer_full(w);
    if (helped) {
        pof_uniform_begin(&u, w, index, wanted(value, NOBODYS_TYPE));
    } else {
        pof_write_value(w, index, value);
    }
    at++;
    for (int32_t i = 0; i < node->parts; i++) {
        at = write_node(tree, at, w, indexed ? tree->nodes[at].value.index : POF_NEXT);
    }
    if (helped) {
        pof_uniform_end(&u);
    } else if (container) {
        pof_end(w);
    }
    return at;
}

/* Where all elements have the declared type, the octets are those of the uniform form, else those
 * of the plain one, in each other too. */
static void random_containers_get_the_form_that_fits(void **state)
{
    enum { ROUNDS = 20000, DEPTH = 4 };
    struct tree *tree = test_malloc(sizeof *tree);
    struct buf plain = {0}, helped = {0};
    struct pof_writer w;

    (void)state;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        struct dice dice = {round * 0x9e3779b97f4a7c15u};
        tree_grow(tree, &dice, tree_type(&dice, DEPTH), DEPTH);
        begin(&w, &plain);
        tree_write(tree, &w, true);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        begin(&w, &helped);
        write_node(tree, 0, &w, POF_NEXT);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        assert_bytes_equal(buf_bytes(&plain), buf_bytes(&helped));
    }
    buf_fini(&plain);
    buf_fini(&helped);
    test_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_one_type_make_the_uniform_form),
        cmocka_unit_test(a_null_makes_the_plain_form),
        cmocka_unit_test(another_type_makes_the_plain_form),
        cmocka_unit_test(no_elements_keep_the_declared_type),
        cmocka_unit_test(a_sparse_array_is_uniform_or_plain),
        cmocka_unit_test(a_map_is_uniform_or_plain_as_a_whole),
        cmocka_unit_test(long_type_ids_fit_in_front_of_short_elements),
        cmocka_unit_test(a_reference_makes_the_plain_form),
        cmocka_unit_test(a_version_that_looks_like_a_reference_makes_the_plain_form),
        cmocka_unit_test(a_number_with_an_identity_makes_the_plain_form),
        cmocka_unit_test(decimals_of_all_widths_are_one_type),
        cmocka_unit_test(in_a_uniform_container_the_form_is_given),
        cmocka_unit_test(a_wrong_count_or_form_fails),
        cmocka_unit_test(random_containers_get_the_form_that_fits),
    };

    return RUN_TESTS(tests);
}
