/* Objects that are met again: identities, references, where they lead. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

#define OCTETS(text) bytes_of(text, sizeof text - 1)

/* Stand in front of the value in `pof`, with a table. */
static void begin(struct pof_reader *r, struct bytes pof, struct buf *table)
{
    buf_clear(table);
    pof_reader_init(r, pof);
    pof_reader_track_identities(r, table);
}

static struct pof_value next(struct pof_reader *r)
{
    struct pof_value value;

    assert_int_equal(pof_reader_next(r, &value), QN_OK);
    return value;
}

static struct pof_value next_entered(struct pof_reader *r)
{
    struct pof_value value = next(r);

    assert_int_equal(pof_reader_enter(r), QN_OK);
    return value;
}

/* The object that `reference` names has this identity, type and int32 as property 0. */
static void expect_object(const struct pof_reader *r, const struct pof_value *reference,
                          int32_t identity, int32_t type, int32_t number)
{
    struct pof_reader to;
    int32_t found = -1;

    assert_int_equal(reference->kind, POF_KIND_REFERENCE);
    assert_int_equal(pof_reader_follow(r, reference, &to), QN_OK);
    struct pof_value object = next_entered(&to);
    assert_int_equal(object.kind, POF_KIND_USER);
    assert_int_equal(object.identity, identity);
    assert_int_equal(object.type, type);
    assert_int_equal(pof_read_int32(&to, 0, &found), QN_OK);
    assert_int_equal(found, number);
    assert_int_equal(pof_reader_leave(&to), QN_OK);
    struct pof_value nothing;
    assert_int_equal(pof_reader_next(&to, &nothing), QN_ABSENT);
}

/* A reference leads to the value, in a plain container and in a uniform one, as often as one likes.
 */
static void a_reference_leads_to_the_object(void **state)
{
    static const char plain[] = "\x55\x02\x5e\x01\x07\x00\x00\x41\x05\x40\x5f\x01";
    static const char uniform[] = "\x56\x07\x02\x5e\x01\x00\x00\x41\x05\x40\x01";
    struct buf table = {0};
    struct pof_reader r;

    (void)state;
    for (int i = 0; i < 2; i++) {
        begin(&r, i == 0 ? OCTETS(plain) : OCTETS(uniform), &table);
        next_entered(&r);
        assert_int_equal(next(&r).identity, 1);
        struct pof_value reference = next(&r);
        expect_object(&r, &reference, 1, 7, 5);
        expect_object(&r, &reference, 1, 7, 5);
        assert_int_equal(pof_reader_leave(&r), QN_OK);
        assert_int_equal(r.rest.size, 0);
    }
    buf_fini(&table);
}

/* Identities in what was skipped are known as well; the reference implementations lose them. */
static void what_was_skipped_can_be_referred_to(void **state)
{
    static const char object[] =
        "\x01\x00\x00\x55\x01\x5e\x03\x07\x00\x00\x41\x05\x40\x01\x5f\x03\x40";
    struct buf table = {0};
    struct pof_reader r;
    struct pof_value reference;

    (void)state;
    begin(&r, OCTETS(object), &table);
    next_entered(&r);
    assert_int_equal(pof_reader_find(&r, 1, &reference), QN_OK);
    expect_object(&r, &reference, 3, 7, 5);
    buf_fini(&table);
}

/* An object can refer to one that is not at its end yet: a cycle, which can be followed for ever,
 * without harm but for the time. */
static void cycles_can_be_followed(void **state)
{
    static const char object[] = "\x5e\x01\x07\x00\x00\x41\x05\x01\x5f\x01\x40";
    struct buf table = {0};
    struct pof_reader r, to;
    struct pof_value reference;

    (void)state;
    begin(&r, OCTETS(object), &table);
    next_entered(&r);
    for (int round = 0; round < 1000; round++) {
        assert_int_equal(pof_reader_find(&r, 1, &reference), QN_OK);
        expect_object(&r, &reference, 1, 7, 5);
        assert_int_equal(pof_reader_follow(&r, &reference, &to), QN_OK);
        next_entered(&to);
        r = to;
    }
    assert_int_equal(table.size, 2 * 16);
    buf_fini(&table);
}

/* In a uniform container of identities the type stands behind each of them. */
static void identities_as_element_type_can_be_followed(void **state)
{
    static const char list[] = "\x55\x02\x56\x5e\x01\x01\x4e\x01\x61\x5f\x01";
    struct buf table = {0};
    struct pof_reader r, to;

    (void)state;
    begin(&r, OCTETS(list), &table);
    next_entered(&r);
    next(&r);
    struct pof_value reference = next(&r);
    assert_int_equal(pof_reader_follow(&r, &reference, &to), QN_OK);
    struct pof_value text = next(&to);
    assert_int_equal(text.kind, POF_KIND_STRING);
    assert_bytes_equal(text.as.text, bytes_of_text("a"));
    buf_fini(&table);
}

/* There a version is one, whatever identities there are. */
static void a_version_behind_its_type_is_no_reference(void **state)
{
    static const char list[] = "\x56\x5e\x02\x01\x07\x00\x40\x02\x07\x01\x40";
    struct buf table = {0};
    struct pof_reader r;

    (void)state;
    begin(&r, OCTETS(list), &table);
    next_entered(&r);
    next(&r);
    struct pof_value second = next(&r);
    assert_int_equal(second.kind, POF_KIND_USER);
    assert_int_equal(second.identity, 2);
    assert_int_equal(second.as.items.version, 1);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
    buf_fini(&table);
}

/* A reference names an earlier value, also when the octets are read again and the table knows the
 * later ones. */
static void a_later_value_is_never_referred_to(void **state)
{
    /* Identity 1: a list of an object of type 7 whose version is 2, before identity 2 is given to
     * one. */
    static const char list[] = "\x55\x03\x5e\x01\x56\x07\x01\x02\x40\x5e\x02\x07\x00\x40\x5f\x01";
    static const char forward[] = "\x55\x02\x5e\x01\x55\x01\x5f\x02\x5e\x02\x07\x00\x40";
    struct buf table = {0};
    struct pof_reader r, to;
    struct pof_value value;

    (void)state;
    begin(&r, OCTETS(list), &table);
    next_entered(&r);
    next_entered(&r);
    value = next(&r);
    assert_int_equal(value.kind, POF_KIND_USER);
    assert_int_equal(value.as.items.version, 2);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    next(&r);
    value = next(&r);
    assert_int_equal(pof_reader_follow(&r, &value, &to), QN_OK);
    next_entered(&to);
    value = next(&to);
    assert_int_equal(value.kind, POF_KIND_USER);
    assert_int_equal(value.as.items.version, 2);
    begin(&r, OCTETS(forward), &table);
    next_entered(&r);
    next_entered(&r);
    assert_int_equal(pof_reader_next(&r, &value), QN_MALFORMED);
    buf_fini(&table);
}

/* An identity belongs to one value: given to another it is refused, read again it is not. */
static void an_identity_belongs_to_one_value(void **state)
{
    static const char twice[] = "\x55\x03\x5e\x01\x07\x00\x40\x5f\x01\x5e\x01\x07\x00\x40";
    struct buf table = {0};
    struct pof_reader r, to;
    struct pof_value value;

    (void)state;
    begin(&r, OCTETS(twice), &table);
    next_entered(&r);
    next(&r);
    value = next(&r);
    assert_int_equal(pof_reader_follow(&r, &value, &to), QN_OK);
    assert_int_equal(next(&to).identity, 1);
    assert_int_equal(pof_reader_next(&r, &value), QN_MALFORMED);
    buf_fini(&table);
}

/* Only a reference leads somewhere, and only with a table. */
static void without_a_table_nothing_is_followed(void **state)
{
    static const char list[] = "\x55\x02\x5e\x01\x07\x00\x40\x5f\x01";
    struct buf table = {0};
    struct pof_reader r, to;
    struct pof_value value;

    (void)state;
    begin(&r, OCTETS(list), &table);
    next_entered(&r);
    value = next(&r);
    assert_int_equal(pof_reader_follow(&r, &value, &to), QN_WRONG_TYPE);
    pof_reader_init(&r, OCTETS(list));
    next_entered(&r);
    next(&r);
    value = next(&r);
    assert_int_equal(value.as.reference, 1);
    assert_int_equal(pof_reader_follow(&r, &value, &to), QN_UNSUPPORTED);
    buf_fini(&table);
}

/* A reader that follows keeps the limits of the one it comes from. */
static void limits_hold_for_what_is_followed(void **state)
{
    static const char list[] = "\x55\x02\x5e\x01\x07\x00\x00\x41\x05\x01\x41\x06\x40\x5f\x01";
    struct pof_limits limits = {.elements_max = 5};
    struct buf table = {0};
    struct pof_reader r, to;
    int32_t number;

    (void)state;
    pof_reader_init_limited(&r, OCTETS(list), limits);
    pof_reader_track_identities(&r, &table);
    next_entered(&r);
    next_entered(&r); /* two elements, of which one property is read */
    assert_int_equal(pof_read_int32(&r, 0, &number), QN_OK);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    struct pof_value reference = next(&r);
    assert_int_equal(pof_reader_follow(&r, &reference, &to), QN_OK);
    next_entered(&to);
    assert_int_equal(pof_read_int32(&to, 0, &number), QN_OK);
    assert_int_equal(pof_read_int32(&to, 1, &number), QN_TOO_LARGE);
    buf_fini(&table);
}

/* Two objects, then a uniform list of the second's type with a reference to `identity` in it. */
static enum qn_status write_list(int32_t identity, bool track, struct buf *out)
{
    struct pof_writer w;
    struct buf types = {0};

    buf_clear(out);
    pof_writer_init(&w, out);
    pof_writer_enable_references(&w);
    if (track) {
        pof_writer_track_identities(&w, &types);
    }
    pof_begin_array(&w, POF_NEXT, 3);
    for (int32_t i = 0; i < 2; i++) {
        pof_begin_user(&w, POF_NEXT, 7 + i, 0);
        pof_end(&w);
    }
    pof_begin_uniform_array(&w, POF_NEXT, 8, 1);
    pof_write_reference(&w, POF_NEXT, identity);
    pof_end(&w);
    pof_end(&w);
    enum qn_status status = pof_writer_finish(&w);
    buf_fini(&types);
    return status;
}

/* In a uniform container a reference to an object of another type would be read as a version: it is
 * not written. */
static void a_uniform_container_takes_references_to_its_type_only(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_int_equal(write_list(2, true, &out), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x57\x03\x5e\x01\x07\x00\x40\x5e\x02\x08\x00\x40"
                                               "\x58\x08\x01\x02"));
    assert_int_equal(write_list(1, true, &out), QN_INVALID);
    assert_int_equal(write_list(3, true, &out), QN_INVALID);
    assert_int_equal(write_list(2, false, &out), QN_INVALID);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

/* Nor is the other way round: a version that would be read as a reference. */
static void a_uniform_container_takes_no_version_that_looks_like_a_reference(void **state)
{
    static const struct {
        int32_t version;
        int32_t type;
        bool track;
        enum qn_status status;
    } objects[] = {
        {0, 7, false, QN_OK},      {1, 7, true, QN_INVALID}, {2, 7, true, QN_OK},
        {1, 7, false, QN_INVALID}, {1, 8, true, QN_OK},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        struct pof_writer w;
        struct buf types = {0};
        pof_writer_init(&w, &out);
        pof_writer_enable_references(&w);
        if (objects[i].track) {
            pof_writer_track_identities(&w, &types);
        }
        pof_begin_array(&w, POF_NEXT, 2);
        pof_begin_user(&w, POF_NEXT, 7, 0);
        pof_end(&w);
        pof_begin_uniform_array(&w, POF_NEXT, objects[i].type, 1);
        pof_begin_nested(&w, POF_NEXT, objects[i].type, objects[i].version);
        pof_end(&w);
        pof_end(&w);
        pof_end(&w);
        assert_int_equal(pof_writer_finish(&w), objects[i].status);
        buf_fini(&types);
    }
    buf_fini(&out);
}

/* -- random graphs -- */

enum { OBJECTS_MAX = 40, REFERENCES_MAX = 3 };

/* Object n has the number n as property 0, then objects or references to those that are begun. */
struct graph {
    struct dice dice;
    struct pof_writer w;
    int32_t count; /* objects so far: identity n is object n */
};

static void write_object(struct graph *g, int32_t index, unsigned depth)
{
    int32_t number = ++g->count;

    pof_begin_user(&g->w, index, 7 + number % 3, 0);
    pof_write_int32(&g->w, 0, number);
    for (int32_t i = 1; i <= REFERENCES_MAX; i++) {
        if (depth > 0 && g->count < OBJECTS_MAX && dice_below(&g->dice, 2)) {
            write_object(g, i, depth - 1);
        } else {
            pof_write_reference(&g->w, i, 1 + (int32_t)dice_below(&g->dice, (uint32_t)g->count));
        }
    }
    pof_end(&g->w);
}

/* Go through the object that the reader has gone into, and look at what each reference leads to. */
static int read_object(struct pof_reader *r)
{
    struct pof_value value;
    int references = 0;

    while (pof_reader_next(r, &value) == QN_OK) {
        if (value.kind == POF_KIND_REFERENCE) {
            int32_t identity = value.as.reference;
            expect_object(r, &value, identity, 7 + identity % 3, identity);
            references++;
        } else if (value.kind == POF_KIND_USER) {
            assert_int_equal(pof_reader_enter(r), QN_OK);
            references += read_object(r);
            assert_int_equal(pof_reader_leave(r), QN_OK);
        }
    }
    assert_int_equal(r->status, QN_OK);
    return references;
}

/* Whatever the graph, each reference leads to the object that was meant. */
static void references_in_random_graphs_lead_where_they_should(void **state)
{
    enum { ROUNDS = 500 };
    struct buf out = {0}, table = {0};
    struct pof_reader r;
    int references = 0;

    (void)state;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        struct graph g = {.dice = {round * 0x9e3779b97f4a7c15u}};
        buf_clear(&out);
        pof_writer_init(&g.w, &out);
        pof_writer_enable_references(&g.w);
        write_object(&g, POF_NEXT, 5);
        assert_int_equal(pof_writer_finish(&g.w), QN_OK);
        begin(&r, buf_bytes(&out), &table);
        next_entered(&r);
        references += read_object(&r);
    }
    assert_true(references > ROUNDS);
    buf_fini(&out);
    buf_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_leads_to_the_object),
        cmocka_unit_test(what_was_skipped_can_be_referred_to),
        cmocka_unit_test(cycles_can_be_followed),
        cmocka_unit_test(identities_as_element_type_can_be_followed),
        cmocka_unit_test(a_version_behind_its_type_is_no_reference),
        cmocka_unit_test(a_later_value_is_never_referred_to),
        cmocka_unit_test(an_identity_belongs_to_one_value),
        cmocka_unit_test(without_a_table_nothing_is_followed),
        cmocka_unit_test(limits_hold_for_what_is_followed),
        cmocka_unit_test(a_uniform_container_takes_references_to_its_type_only),
        cmocka_unit_test(a_uniform_container_takes_no_version_that_looks_like_a_reference),
        cmocka_unit_test(references_in_random_graphs_lead_where_they_should),
    };

    return RUN_TESTS(tests);
}
