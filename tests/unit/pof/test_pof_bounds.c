/* What octets may ask for at most: each bound of the reader, just kept and just broken. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

/* Go through the value that `r` stands in front of and everything in it; the status that ended it,
 * QN_OK for a whole one. */
static enum qn_status walk(struct pof_reader *r)
{
    struct pof_value value;

    for (;;) {
        enum qn_status status = pof_reader_next(r, &value);
        if (status == QN_ABSENT && r->depth == 0) {
            return QN_OK;
        }
        if (status == QN_ABSENT) {
            status = pof_reader_leave(r);
        } else if (status == QN_OK && pof_kind_is_container(value.kind)) {
            status = pof_reader_enter(r);
        }
        if (status != QN_OK) {
            return status;
        }
    }
}

static enum qn_status walk_over(struct bytes pof)
{
    struct pof_reader r;

    pof_reader_init(&r, pof);
    return walk(&r);
}

static enum qn_status skip_over(struct bytes pof)
{
    return pof_skip(&pof);
}

/* The same object again takes one octet in a uniform list, its identity, so a list may have nearly
 * as many elements as octets. */
static void a_uniform_list_may_repeat_an_object_in_one_octet_each(void **state)
{
    static const uint8_t list[] = {0x56, 1, 6, 0x5e, 1, 0, 0x40, 1, 1, 1, 1, 1};
    static const uint8_t map[] = {0x5d, 1, 1, 2, 0x5e, 1, 0, 0x40, 1, 1, 1};
    struct pof_reader r;
    struct buf table = {0};

    (void)state;
    pof_reader_init(&r, bytes_of(list, sizeof list));
    pof_reader_track_identities(&r, &table);
    assert_int_equal(walk(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
    buf_clear(&table);
    pof_reader_init(&r, bytes_of(map, sizeof map));
    pof_reader_track_identities(&r, &table);
    assert_int_equal(walk(&r), QN_OK);
    assert_int_equal(walk_over(bytes_of("\x56\x01\x02\x00", 4)), QN_MALFORMED);
    assert_int_equal(skip_over(bytes_of("\x56\x01\x02\x00", 4)), QN_MALFORMED);
    buf_fini(&table);
}

static enum qn_status walk_within(const void *pof, size_t size, struct pof_limits limits)
{
    struct pof_reader r;

    pof_reader_init_limited(&r, bytes_of(pof, size), limits);
    return walk(&r);
}

/* Limits of 0 are the defaults: no difference to a reader without limits. */
static void no_limit_given_is_the_default_limit(void **state)
{
    static const uint8_t just[] = {0x56, 0x64, 0x80, 0x80, 0x08};   /* 65536 nulls */
    static const uint8_t beyond[] = {0x56, 0x64, 0x81, 0x80, 0x08}; /* 65537 nulls */

    (void)state;
    assert_int_equal(walk_within(just, sizeof just, (struct pof_limits){0}), QN_OK);
    assert_int_equal(walk_within(beyond, sizeof beyond, (struct pof_limits){0}), QN_TOO_LARGE);
}

/* Depth: an array in an array in an array. A higher limit than POF_DEPTH_MAX is that one. */
static void depth_has_a_limit(void **state)
{
    static const char nest[] = "\x55\x01\x55\x01\x55\x01\x6a";
    uint8_t deep[2 * (POF_DEPTH_MAX + 1) + 1];

    (void)state;
    assert_int_equal(walk_within(nest, 7, (struct pof_limits){.depth_max = 3}), QN_OK);
    assert_int_equal(walk_within(nest, 7, (struct pof_limits){.depth_max = 2}), QN_TOO_LARGE);
    for (size_t i = 0; i < sizeof deep; i++) {
        deep[i] = i % 2 == 0 ? 0x55 : 1;
    }
    deep[sizeof deep - 1] = 0x6a;
    assert_int_equal(walk_within(deep, sizeof deep, (struct pof_limits){.depth_max = 9999}),
                     QN_TOO_LARGE);
    assert_int_equal(walk_within(deep + 2, sizeof deep - 2, (struct pof_limits){.depth_max = 9999}),
                     QN_OK);
}

/* A plain list at the limit is refused by the short way of skipping as well. */
static void a_list_too_deep_is_refused_when_skipped(void **state)
{
    struct buf out = {0};
    struct bytes pof;

    (void)state;
    for (int i = 0; i < POF_DEPTH_MAX; i++) { /* an object in each other's property 0 */
        assert_int_equal(buf_append(&out, i == 0 ? "\x01\x00" : "\x00\x01\x00", i == 0 ? 2 : 3),
                         QN_OK);
    }
    assert_int_equal(buf_append(&out, "\x00\x56\x41\x01\x05", 5), QN_OK);
    for (int i = 0; i < POF_DEPTH_MAX; i++) {
        assert_int_equal(buf_append(&out, "\x40", 1), QN_OK);
    }
    pof = buf_bytes(&out);
    assert_int_equal(walk_over(pof), QN_TOO_LARGE);
    assert_int_equal(skip_over(pof), QN_TOO_LARGE);
    memcpy(out.data + 3 * POF_DEPTH_MAX, "\x41\x05\x01\x6a", 4); /* two numbers in its place */
    assert_int_equal(walk_over(pof), QN_OK);
    assert_int_equal(skip_over(pof), QN_OK);
    buf_fini(&out);
}

/* Elements: every value counts but the outermost, whatever it stands in. */
static void elements_have_a_limit_over_all_containers(void **state)
{
    static const struct {
        const char *pof;
        size_t size;
        uint64_t elements;
    } values[] = {
        {"\x55\x03\x6a\x6b\x6c", 5, 3},
        {"\x58\x41\x03\x01\x02\x03", 6, 3},
        {"\x5b\x02\x6a\x6b\x6c\x6d", 6, 4},
        {"\x56\x64\x07", 3, 7},
        {"\x59\x09\x00\x6a\x08\x6b\x40", 7, 2},
        {"\x01\x00\x00\x41\x05\x01\x4e\x01\x61\x40", 10, 2},
        {"\x55\x02\x55\x01\x6a\x58\x4e\x01\x00", 9, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct pof_limits just = {.elements_max = values[i].elements};
        struct pof_limits less = {.elements_max = values[i].elements - 1};
        assert_int_equal(walk_within(values[i].pof, values[i].size, just), QN_OK);
        assert_int_equal(walk_within(values[i].pof, values[i].size, less), QN_TOO_LARGE);
    }
}

/* A count beyond the limit is refused at the head, before anyone makes room for it. */
static void a_count_is_refused_before_its_elements_are_read(void **state)
{
    struct pof_reader r;
    struct pof_value value;

    (void)state;
    pof_reader_init_limited(&r, bytes_of("\x56\x64\x08", 3),
                            (struct pof_limits){.elements_max = 7});
    assert_int_equal(pof_reader_next(&r, &value), QN_TOO_LARGE);
    pof_reader_init_limited(&r, bytes_of("\x56\x64\x08", 3), (struct pof_limits){.empty_max = 7});
    assert_int_equal(pof_reader_next(&r, &value), QN_TOO_LARGE);
    pof_reader_init_limited(&r, bytes_of("\x56\x64\x08", 3), (struct pof_limits){.empty_max = 8});
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
}

/* Typed reads and skipping count, too: they have ways of their own. */
static void limits_hold_for_typed_reads_and_for_skipping(void **state)
{
    static const char object[] = "\x01\x00\x00\x41\x05\x01\x4e\x02\x61\x61\x02\x41\x07\x40";
    struct bytes pof = bytes_of(object, sizeof object - 1);
    struct pof_reader r;
    struct pof_value value;
    struct bytes text;
    int32_t number = 0;

    (void)state;
    pof_reader_init_limited(&r, pof, (struct pof_limits){.elements_max = 2});
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_read_int32(&r, 0, &number), QN_OK);
    assert_int_equal(number, 5);
    assert_int_equal(pof_read_int32(&r, 2, &number), QN_TOO_LARGE);
    pof_reader_init_limited(&r, pof, (struct pof_limits){.elements_max = 2});
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_next(&r, &value), QN_TOO_LARGE);
    pof_reader_init_limited(&r, pof, (struct pof_limits){.length_max = 1});
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_read_string(&r, 1, &text), QN_TOO_LARGE);
}

/* The length of strings and octet strings, alone and in lists. */
static void lengths_have_a_limit(void **state)
{
    static const struct {
        const char *pof;
        size_t size;
    } values[] = {
        {"\x4e\x02\x61\x62", 4},
        {"\x4c\x02\x61\x62", 4},
        {"\x56\x4e\x01\x02\x61\x62", 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct pof_limits just = {.length_max = 2};
        struct pof_limits less = {.length_max = 1};
        assert_int_equal(walk_within(values[i].pof, values[i].size, just), QN_OK);
        assert_int_equal(walk_within(values[i].pof, values[i].size, less), QN_TOO_LARGE);
    }
}

static enum qn_status walk_identities(struct bytes pof, struct pof_limits limits,
                                      size_t *table_size)
{
    struct pof_reader r;
    struct buf table = {0};

    pof_reader_init_limited(&r, pof, limits);
    pof_reader_track_identities(&r, &table);
    enum qn_status status = walk(&r);
    *table_size = table.capacity;
    buf_fini(&table);
    return status;
}

/* An identity names a row of a table, so a high one must not make few octets a large table. */
static void identities_have_a_limit_and_are_in_proportion_to_the_octets(void **state)
{
    static const uint8_t free_one[] = {0x5e, 0xbf, 0x0f, 0x6a};   /* 1023 */
    static const uint8_t beyond[] = {0x5e, 0x80, 0x10, 0x6a};     /* 1024 */
    static const uint8_t most[] = {0x5e, 0xbf, 0xff, 0x0f, 0x6a}; /* POF_IDENTITY_MAX */
    struct buf padded = {0};
    uint8_t *place;
    size_t size;

    (void)state;
    assert_int_equal(walk_identities(bytes_of(free_one, 4), (struct pof_limits){0}, &size), QN_OK);
    assert_int_equal(walk_identities(bytes_of(beyond, 4), (struct pof_limits){0}, &size),
                     QN_TOO_LARGE);
    assert_int_equal(size, 0);
    assert_int_equal(
        walk_identities(bytes_of(free_one, 4), (struct pof_limits){.identity_max = 1022}, &size),
        QN_TOO_LARGE);
    assert_int_equal(buf_append(&padded, "\x55\x02", 2), QN_OK);
    assert_int_equal(buf_append(&padded, most, sizeof most), QN_OK);
    assert_int_equal(buf_append(&padded, "\x4c\x80\x80\x10", 4), QN_OK); /* 131072 octets follow */
    assert_int_equal(buf_extend(&padded, POF_IDENTITY_MAX + 1, &place), QN_OK);
    memset(place, 0, POF_IDENTITY_MAX + 1);
    assert_int_equal(walk_identities(buf_bytes(&padded), (struct pof_limits){0}, &size), QN_OK);
    buf_fini(&padded);
}

/* A number of the wrong width is refused by the short way of skipping as by the long one. */
static void skipping_refuses_numbers_that_do_not_fit(void **state)
{
    static const struct {
        const char *pof;
        size_t size;
        bool fits;
    } objects[] = {
        {"\x01\x00\x00\x41\xbf\xff\xff\xff\x0f\x40", 10, true},  /* 2^31 - 1 */
        {"\x01\x00\x00\x41\x80\x80\x80\x80\x10\x40", 10, false}, /* 2^31 */
        {"\x01\x00\x00\x4a\x80\x80\x80\x80\x10\x40", 10, false},
        {"\x01\x00\x00\x42\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x01\x40", 15, true}, /* 2^63 - 1 */
        {"\x01\x00\x00\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\x40", 15, false},
        {"\x01\x00\x00\x56\x41\x01\x80\x80\x80\x80\x10\x40", 12, false},
        {"\x56\x41\x01\x80\x80\x80\x80\x10", 8, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        struct bytes pof = bytes_of(objects[i].pof, objects[i].size);
        enum qn_status expected = objects[i].fits ? QN_OK : QN_MALFORMED;
        assert_int_equal(walk_over(pof), expected);
        assert_int_equal(skip_over(pof), expected);
    }
}

/* Read everything; how many values that were. */
static uint32_t count_values(struct pof_reader *r)
{
    struct pof_value value;
    uint32_t count = 0;

    for (;;) {
        enum qn_status status = pof_reader_next(r, &value);
        count += status == QN_OK ? 1 : 0;
        if (status == QN_ABSENT) {
            status = r->depth == 0 ? QN_ABSENT : pof_reader_leave(r);
        } else if (status == QN_OK && pof_kind_is_container(value.kind)) {
            assert_true(value.kind == POF_KIND_SPARSE_ARRAY ||
                        value.as.items.count <= POF_EMPTY_MAX);
            status = pof_reader_enter(r);
        }
        if (status != QN_OK) {
            return count;
        }
    }
}

/* Whatever six octets are, what they ask for is bounded: values to go through, room for elements,
 * rows of a table. */
static void six_octets_are_little_work(void **state)
{
    enum { ROUNDS = 300000, TABLE_MAX = 64 * 1024 };
    static const uint8_t likely[] = {0x55, 0x56, 0x58, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e,
                                     0x64, 0x6e, 0x80, 0xbf, 0xff, 0x0f, 0x07, 0x01};
    struct dice dice = {1};
    uint8_t octets[6];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct pof_reader r;
        struct buf table = {0};
        for (size_t i = 0; i < sizeof octets; i++) {
            octets[i] = dice_below(&dice, 4) ? likely[dice_below(&dice, sizeof likely)]
                                             : (uint8_t)dice_below(&dice, 256);
        }
        pof_reader_init(&r, bytes_of(octets, sizeof octets));
        pof_reader_track_identities(&r, &table);
        assert_true(count_values(&r) <= POF_EMPTY_MAX + sizeof octets);
        assert_true(table.capacity <= TABLE_MAX);
        buf_fini(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_limit_given_is_the_default_limit),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(a_list_too_deep_is_refused_when_skipped),
        cmocka_unit_test(elements_have_a_limit_over_all_containers),
        cmocka_unit_test(a_count_is_refused_before_its_elements_are_read),
        cmocka_unit_test(limits_hold_for_typed_reads_and_for_skipping),
        cmocka_unit_test(lengths_have_a_limit),
        cmocka_unit_test(identities_have_a_limit_and_are_in_proportion_to_the_octets),
        cmocka_unit_test(skipping_refuses_numbers_that_do_not_fit),
        cmocka_unit_test(six_octets_are_little_work),
        cmocka_unit_test(a_uniform_list_may_repeat_an_object_in_one_octet_each),
    };

    return RUN_TESTS(tests);
}
