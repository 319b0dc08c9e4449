/* Decorations of Binaries: octets of the format's reference implementation (tests/vectors,
 * binary/...), and what is done with others. */
#include "tests/lib/check.h"
#include "wire/pof/binary.h"

#define OCTETS(text) bytes_of(text, sizeof(text) - 1)

#define PLAIN "\x15\xa8\x0f\x00\x00\x41\x05\x40"
#define DECORATED                                                                                  \
    "\x12\x87\x08" PLAIN "\x08\x00\x00\x01\x8f\x00\x00\x00\x00\x01\x01\x03\xaa\xbb\xcc"
#define EXTENDED                                                                                   \
    "\x13\x83\x80\x82\x80\x80\x80\x80\x80\x80\x01\x08" PLAIN "\x01\x00\x01\x1e\x02\x3f\x3f"

static void expect_pof(struct bytes binary, struct bytes expected)
{
    struct bytes pof;

    assert_int_equal(pof_binary_value(binary, &pof), QN_OK);
    assert_bytes_equal(pof, expected);
}

static void append(struct buf *out, struct bytes octets)
{
    assert_int_equal(buf_append(out, octets.data, octets.size), QN_OK);
}

static void expect_decorations(struct bytes binary, const struct pof_decoration *expected,
                               size_t count, enum qn_status last)
{
    struct pof_decorations decorations;
    struct pof_decoration found;
    struct bytes octets;

    assert_int_equal(pof_binary_decorations(binary, &decorations), QN_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pof_decorations_next(&decorations, &found), QN_OK);
        assert_int_equal(found.id, expected[i].id);
        assert_bytes_equal(found.octets, expected[i].octets);
        assert_int_equal(pof_binary_decoration(binary, found.id, &octets), QN_OK);
        assert_bytes_equal(octets, found.octets);
    }
    assert_int_equal(pof_decorations_next(&decorations, &found), last);
    assert_int_equal(pof_decorations_next(&decorations, &found), last);
}

/* One after the other and by id, the value among them. */
static void decorations_are_found(void **state)
{
    const struct pof_decoration few[] = {
        {POF_DECORATION_VALUE, OCTETS(PLAIN)},
        {POF_DECORATION_EXPIRY, OCTETS("\x00\x00\x01\x8f\x00\x00\x00\x00")},
        {POF_DECORATION_STORE, OCTETS("\x01")},
        {POF_DECORATION_CUSTOM, OCTETS("\xaa\xbb\xcc")},
    };
    const struct pof_decoration extended[] = {
        {0, OCTETS(PLAIN)}, {1, OCTETS("\x00")}, {14, OCTETS("\x1e")}, {62, OCTETS("\x3f\x3f")}};
    struct bytes octets;

    (void)state;
    expect_decorations(OCTETS(DECORATED), few, 4, QN_ABSENT);
    expect_decorations(OCTETS(EXTENDED), extended, 4, QN_ABSENT);
    expect_decorations(OCTETS(PLAIN), NULL, 0, QN_ABSENT);
    expect_decorations(OCTETS("\x0d\x05" DECORATED), NULL, 0, QN_ABSENT);
    expect_decorations(OCTETS("\x12\x00"), NULL, 0, QN_ABSENT);
    assert_int_equal(pof_binary_decoration(OCTETS(DECORATED), 3, &octets), QN_ABSENT);
    assert_int_equal(pof_binary_decoration(OCTETS(DECORATED), 64, &octets), QN_ABSENT);
    assert_int_equal(pof_binary_decoration(OCTETS(PLAIN), 0, &octets), QN_ABSENT);
}

/* The one that others should not write is read. */
static void decoration_63_is_found(void **state)
{
    struct bytes octets;

    (void)state;
    assert_int_equal(
        pof_binary_decoration(
            OCTETS("\x13\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x15\x6a\x01z"), 63, &octets),
        QN_OK);
    assert_bytes_equal(octets, bytes_of_text("z"));
}

/* What is whole before the cut is found, and the rest is refused. */
static void cut_decorations_are_told(void **state)
{
    const struct pof_decoration value[] = {{0, OCTETS("\x15\x6a")}};
    const struct bytes cut[] = {OCTETS("\x12"), OCTETS("\x13"), OCTETS("\x13\x80")};
    struct pof_decorations decorations;
    struct bytes octets;
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        assert_int_equal(pof_binary_decorations(cut[i], &decorations), QN_MALFORMED);
        assert_int_equal(pof_binary_decoration(cut[i], 1, &octets), QN_MALFORMED);
        assert_int_equal(pof_binary_undecorated(cut[i], &octets), QN_MALFORMED);
    }
    expect_decorations(OCTETS("\x12\x03\x02\x15\x6a"), value, 1, QN_MALFORMED);
    expect_decorations(OCTETS("\x12\x03\x02\x15\x6a\x02x"), value, 1, QN_MALFORMED);
    expect_decorations(OCTETS("\x12\x03\x02\x15\x6a\x40"), value, 1, QN_MALFORMED);
    assert_int_equal(pof_binary_undecorate(&out, OCTETS("\x12\x03\x02\x15\x6a"), 1), QN_MALFORMED);
    assert_int_equal(pof_binary_undecorate(&out, OCTETS("\x12\x03\x02\x15\x6a"), 0), QN_INVALID);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

/* The value alone, without a copy. */
static void the_value_is_found_under_decorations(void **state)
{
    struct bytes value;

    (void)state;
    assert_int_equal(pof_binary_undecorated(OCTETS(DECORATED), &value), QN_OK);
    assert_bytes_equal(value, OCTETS(PLAIN));
    assert_int_equal(pof_binary_undecorated(OCTETS(PLAIN), &value), QN_OK);
    assert_bytes_equal(value, OCTETS(PLAIN));
    expect_pof(OCTETS(EXTENDED), bytes_of(&PLAIN[1], sizeof(PLAIN) - 2));
    expect_pof(OCTETS("\x12\x01\x04\x0d\x05\x15\x6a"), OCTETS("\x6a"));
    expect_pof(OCTETS("\x0d\x05\x12\x01\x02\x15\x6a"), OCTETS("\x6a"));
    assert_int_equal(pof_binary_undecorated(OCTETS("\x12\x02\x01x"), &value), QN_MALFORMED);
    assert_int_equal(pof_binary_value(OCTETS("\x12\x02\x01x"), &value), QN_MALFORMED);
}

/* Put `decoration` around `binary`. */
static void expect_decorated(struct bytes binary, struct pof_decoration decoration,
                             struct bytes expected)
{
    struct buf out = {0};
    struct bytes octets;

    append(&out, OCTETS("x"));
    assert_int_equal(pof_binary_decorate(&out, binary, &decoration, 1), QN_OK);
    assert_bytes_equal(bytes_of(out.data + 1, out.size - 1), expected);
    assert_int_equal(
        pof_binary_decoration(bytes_of(out.data + 1, out.size - 1), decoration.id, &octets), QN_OK);
    assert_bytes_equal(octets, decoration.octets);
    buf_fini(&out);
}

/* Into the decorations that are there, not around them: in the order of ids, in place of the one of
 * the same id. An id above 7 needs the extended form, which then stays. */
static void a_decoration_is_added_to_those_there(void **state)
{
    struct bytes one = OCTETS("\x12\x05\x02\x15\x6a\x01s");

    (void)state;
    expect_decorated(OCTETS("\x15\x6a"), (struct pof_decoration){2, OCTETS("s")}, one);
    expect_decorated(one, (struct pof_decoration){1, OCTETS("ee")},
                     OCTETS("\x12\x07\x02\x15\x6a\x02"
                            "ee\x01s"));
    expect_decorated(one, (struct pof_decoration){7, OCTETS("")},
                     OCTETS("\x12\x85\x02\x15\x6a\x01s\x00"));
    expect_decorated(one, (struct pof_decoration){2, OCTETS("new")},
                     OCTETS("\x12\x05\x02\x15\x6a\x03new"));
    expect_decorated(one, (struct pof_decoration){8, OCTETS("m")},
                     OCTETS("\x13\x85\x04\x02\x15\x6a\x01s\x01m"));
    expect_decorated(OCTETS("\x13\x81\x80\x01\x02\x15\x6a\x01m"),
                     (struct pof_decoration){1, OCTETS("e")},
                     OCTETS("\x13\x83\x80\x01\x02\x15\x6a\x01"
                            "e\x01m"));
    expect_decorated(OCTETS("\x13\x01\x02\x15\x6a"), (struct pof_decoration){1, OCTETS("e")},
                     OCTETS("\x13\x03\x02\x15\x6a\x01"
                            "e"));
    expect_decorated(OCTETS("\x0d\x05\x15\x6a"), (struct pof_decoration){1, OCTETS("e")},
                     OCTETS("\x12\x03\x04\x0d\x05\x15\x6a\x01"
                            "e"));
}

/* The same octets as all at once. */
static void decorations_may_come_one_by_one(void **state)
{
    const struct pof_decoration all[] = {
        {1, OCTETS("\x00")}, {14, OCTETS("\x1e")}, {62, OCTETS("\x3f\x3f")}};
    struct buf binary = {0};
    struct buf next = {0};

    (void)state;
    assert_int_equal(pof_binary_decorate(&next, OCTETS(PLAIN), all, 3), QN_OK);
    assert_bytes_equal(buf_bytes(&next), OCTETS(EXTENDED));
    append(&binary, OCTETS(PLAIN));
    for (int i = 2; i >= 0; i--) {
        buf_clear(&next);
        assert_int_equal(pof_binary_decorate(&next, buf_bytes(&binary), &all[i], 1), QN_OK);
        buf_clear(&binary);
        append(&binary, buf_bytes(&next));
    }
    assert_bytes_equal(buf_bytes(&binary), OCTETS(EXTENDED));
    buf_fini(&binary);
    buf_fini(&next);
}

static void decorations_ascend_and_are_not_the_value(void **state)
{
    const struct pof_decoration descending[] = {{2, {NULL, 0}}, {1, {NULL, 0}}};
    const struct pof_decoration value[] = {{0, {NULL, 0}}};
    const struct pof_decoration beyond[] = {{63, {NULL, 0}}};
    struct buf out = {0};

    (void)state;
    assert_int_equal(pof_binary_decorate(&out, OCTETS(PLAIN), descending, 2), QN_INVALID);
    assert_int_equal(pof_binary_decorate(&out, OCTETS(PLAIN), value, 1), QN_INVALID);
    assert_int_equal(pof_binary_decorate(&out, OCTETS(PLAIN), beyond, 1), QN_INVALID);
    assert_int_equal(pof_binary_decorate(&out, OCTETS(PLAIN), NULL, 0), QN_INVALID);
    assert_int_equal(pof_binary_decorate(&out, OCTETS("\x12\x03\x02\x15\x6a"), descending + 1, 1),
                     QN_MALFORMED);
    assert_int_equal(pof_binary_decorate(&out, OCTETS("\x12\x02\x01x"), descending, 1),
                     QN_MALFORMED);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

static void expect_removed(struct bytes binary, uint32_t id, struct bytes expected)
{
    struct buf out = {0};

    append(&out, OCTETS("x"));
    assert_int_equal(pof_binary_undecorate(&out, binary, id), QN_OK);
    assert_bytes_equal(bytes_of(out.data + 1, out.size - 1), expected);
    buf_fini(&out);
}

/* What is left has the shortest form: no extended mask without need, the value alone when there is
 * nothing beside it. */
static void a_removed_decoration_leaves_the_shortest_form(void **state)
{
    struct buf out = {0};

    (void)state;
    expect_removed(OCTETS("\x12\x07\x02\x15\x6a\x02"
                          "ee\x01s"),
                   1, OCTETS("\x12\x05\x02\x15\x6a\x01s"));
    expect_removed(OCTETS("\x12\x05\x02\x15\x6a\x01s"), 2, OCTETS("\x15\x6a"));
    expect_removed(OCTETS("\x13\x85\x04\x02\x15\x6a\x01s\x01m"), 8,
                   OCTETS("\x12\x05\x02\x15\x6a\x01s"));
    expect_removed(OCTETS("\x13\x85\x04\x02\x15\x6a\x01s\x01m"), 2,
                   OCTETS("\x13\x81\x04\x02\x15\x6a\x01m"));
    expect_removed(OCTETS("\x12\x03\x04\x0d\x05\x15\x6a\x01"
                          "e"),
                   1, OCTETS("\x0d\x05\x15\x6a"));
    assert_int_equal(pof_binary_undecorate(&out, OCTETS(DECORATED), 3), QN_ABSENT);
    assert_int_equal(pof_binary_undecorate(&out, OCTETS(DECORATED), 64), QN_ABSENT);
    assert_int_equal(pof_binary_undecorate(&out, OCTETS(PLAIN), 1), QN_ABSENT);
    assert_int_equal(pof_binary_undecorate(&out, OCTETS(PLAIN), 0), QN_INVALID);
    assert_int_equal(pof_binary_undecorate(&out, OCTETS("\x12\x02\x01x"), 1), QN_MALFORMED);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

/* The number in front of a key, of every sign and size. */
static void an_int_decoration_is_read(void **state)
{
    int32_t number = 7;
    struct bytes rest;

    (void)state;
    assert_int_equal(pof_binary_int_decoration(OCTETS("\x0d\xa0\x9a\x0c\x15\x6a"), &number), QN_OK);
    assert_int_equal(number, 100000);
    assert_int_equal(pof_binary_int_decoration(OCTETS("\x0d\x40\x15\x6a"), &number), QN_OK);
    assert_int_equal(number, -1);
    assert_int_equal(pof_binary_int_undecorated(OCTETS("\x0d\xa0\x9a\x0c\x15\x6a"), &rest), QN_OK);
    assert_bytes_equal(rest, OCTETS("\x15\x6a"));
    assert_int_equal(pof_binary_int_undecorated(OCTETS("\x15\x6a"), &rest), QN_OK);
    assert_bytes_equal(rest, OCTETS("\x15\x6a"));
    assert_int_equal(pof_binary_int_decoration(OCTETS("\x15\x6a"), &number), QN_ABSENT);
    assert_int_equal(pof_binary_int_decoration(OCTETS("\x12\x01\x04\x0d\x05\x15\x6a"), &number),
                     QN_ABSENT);
    assert_int_equal(pof_binary_int_decoration(bytes_of(NULL, 0), &number), QN_ABSENT);
}

/* It is a number of 32 bits, padded with zeros up to 19 octets at most; another is refused wherever
 * it stands. */
static void an_int_decoration_is_a_number(void **state)
{
    const struct bytes wrong[] = {
        OCTETS("\x0d"), OCTETS("\x0d\x80"),
        OCTETS("\x0d\x80\x80\x80\x80\x20\x15\x6a"), /* 33 bits */
        OCTETS(
            "\x0d\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"
            "\x15\x6a"), /* 20 octets */
    };
    struct bytes rest;
    int32_t number;
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(pof_binary_value(wrong[i], &rest), QN_MALFORMED);
        assert_int_equal(pof_binary_int_decoration(wrong[i], &number), QN_MALFORMED);
        assert_int_equal(pof_binary_int_undecorated(wrong[i], &rest), QN_MALFORMED);
        assert_int_equal(pof_binary_decorate_int(&out, wrong[i], 1), QN_MALFORMED);
    }
    expect_pof(OCTETS("\x0d\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
                      "\x00\x15\x6a"),
               OCTETS("\x6a"));
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

static void expect_int_decorated(struct bytes binary, int32_t number, struct bytes expected)
{
    struct buf out = {0};
    int32_t found;

    append(&out, OCTETS("x"));
    assert_int_equal(pof_binary_decorate_int(&out, binary, number), QN_OK);
    struct bytes decorated = bytes_of(out.data + 1, out.size - 1);
    assert_bytes_equal(decorated, expected);
    assert_int_equal(pof_binary_int_decoration(decorated, &found), QN_OK);
    assert_int_equal(found, number);
    buf_fini(&out);
}

/* Two of them nobody reads: the new one takes the place of the old. */
static void an_int_decoration_replaces_the_one_before(void **state)
{
    struct buf out = {0};
    struct bytes pof;

    (void)state;
    expect_int_decorated(OCTETS("\x15\x6a"), 100000, OCTETS("\x0d\xa0\x9a\x0c\x15\x6a"));
    expect_int_decorated(OCTETS("\x0d\xa0\x9a\x0c\x15\x6a"), 5, OCTETS("\x0d\x05\x15\x6a"));
    expect_int_decorated(OCTETS("\x0d\x05\x15\x6a"), INT32_MIN,
                         OCTETS("\x0d\xff\xff\xff\xff\x0f\x15\x6a"));
    expect_int_decorated(OCTETS("\x12\x01\x02\x15\x6a"), 5, OCTETS("\x0d\x05\x12\x01\x02\x15\x6a"));
    /* Within decorations it cannot be replaced from outside, and twice it cannot be read. */
    assert_int_equal(pof_binary_value(OCTETS("\x0d\x05\x0d\x06\x15\x6a"), &pof), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_decorate_int(&out, OCTETS("\x0d\x05\x0d\x06\x15\x6a"), 1),
                     QN_INVALID);
    assert_int_equal(pof_binary_decorate_int(&out, OCTETS("\x12\x01\x04\x0d\x05\x15\x6a"), 1),
                     QN_INVALID);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

/* Decorations and int decoration come and go; the value stays. */
static void what_is_put_around_can_be_taken_off(void **state)
{
    struct buf first = {0};
    struct buf second = {0};
    struct bytes value;

    (void)state;
    for (uint32_t id = 1; id <= POF_DECORATION_ID_MAX; id++) {
        const struct pof_decoration some = {id, OCTETS("some octets")};
        buf_clear(&first);
        buf_clear(&second);
        assert_int_equal(pof_binary_decorate(&first, OCTETS(DECORATED), &some, 1), QN_OK);
        assert_int_equal(pof_binary_undecorated(buf_bytes(&first), &value), QN_OK);
        assert_bytes_equal(value, OCTETS(PLAIN));
        assert_int_equal(pof_binary_undecorate(&second, buf_bytes(&first), id), QN_OK);
        if (id > POF_DECORATION_CUSTOM) {
            assert_bytes_equal(buf_bytes(&second), OCTETS(DECORATED));
        }
    }
    buf_fini(&first);
    buf_fini(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decorations_are_found),
        cmocka_unit_test(decoration_63_is_found),
        cmocka_unit_test(cut_decorations_are_told),
        cmocka_unit_test(the_value_is_found_under_decorations),
        cmocka_unit_test(a_decoration_is_added_to_those_there),
        cmocka_unit_test(decorations_may_come_one_by_one),
        cmocka_unit_test(decorations_ascend_and_are_not_the_value),
        cmocka_unit_test(a_removed_decoration_leaves_the_shortest_form),
        cmocka_unit_test(an_int_decoration_is_read),
        cmocka_unit_test(an_int_decoration_is_a_number),
        cmocka_unit_test(an_int_decoration_replaces_the_one_before),
        cmocka_unit_test(what_is_put_around_can_be_taken_off),
    };

    return RUN_TESTS(tests);
}
