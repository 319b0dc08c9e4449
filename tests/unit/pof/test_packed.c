#include "tests/lib/check.h"
#include "wire/pof/packed.h"

/* Write a number and read it back; returns the octets it took. */
static size_t round_trip(int64_t value)
{
    uint8_t octets[PACKED_SIZE_MAX];
    uint8_t wide[PACKED_SIZE_MAX];
    int64_t back = 0;
    size_t size = packed_put(octets, value);
    struct bytes in = bytes_of(octets, size);
    struct pof_int128 wider = {.low = (uint64_t)value, .high = value < 0 ? UINT64_MAX : 0};

    assert_int_equal(packed_take64(&in, &back), QN_OK);
    assert_int_equal(back, value);
    assert_int_equal(in.size, 0);
    /* All widths share the encoding. */
    assert_int_equal(packed_put128(wide, wider), size);
    assert_memory_equal(wide, octets, size);
    return size;
}

/* One octet holds 6 bits, each further one 7. */
static void every_size_begins_and_ends_where_it_should(void **state)
{
    (void)state;
    assert_int_equal(round_trip(0), 1);
    assert_int_equal(round_trip(-1), 1);
    for (unsigned size = 1; size < 10; size++) {
        int64_t first_beyond = (int64_t)1 << (7 * size - 1);
        assert_int_equal(round_trip(first_beyond - 1), size);
        assert_int_equal(round_trip(first_beyond), size + 1);
        assert_int_equal(round_trip(-first_beyond), size);
        assert_int_equal(round_trip(-first_beyond - 1), size + 1);
    }
    assert_int_equal(round_trip(INT64_MAX), 10);
    assert_int_equal(round_trip(INT64_MIN), 10);
}

static enum qn_status take32(const char *octets, size_t size, int32_t *value)
{
    struct bytes in = bytes_of(octets, size);

    return packed_take32(&in, value);
}

/* Padding with zeros is read up to PACKED_SIZE_MAX octets, whatever the width. */
static void zero_padding_is_taken_up_to_the_limit(void **state)
{
    uint8_t octets[PACKED_SIZE_MAX + 1];
    struct bytes in = bytes_of(octets, PACKED_SIZE_MAX);
    int32_t value = 7;

    (void)state;
    memset(octets, 0x80, sizeof octets);
    octets[PACKED_SIZE_MAX - 1] = 0;
    assert_int_equal(packed_take32(&in, &value), QN_OK);
    assert_int_equal(value, 0);
    octets[PACKED_SIZE_MAX - 1] = 0x80;
    octets[PACKED_SIZE_MAX] = 0;
    in = bytes_of(octets, sizeof octets);
    assert_int_equal(packed_take32(&in, &value), QN_MALFORMED);
    assert_int_equal(in.size, sizeof octets);
}

/* A number that does not fit is refused, not cut, and the octets stay. */
static void what_does_not_fit_is_refused(void **state)
{
    static const uint8_t beyond32[] = {0x80, 0x80, 0x80, 0x80, 0x10};
    static const uint8_t beyond64[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02};
    int32_t narrow = 5;
    int64_t wide = 5;
    struct bytes in = bytes_of(beyond32, sizeof beyond32);

    (void)state;
    assert_int_equal(packed_take32(&in, &narrow), QN_MALFORMED);
    assert_int_equal(in.size, sizeof beyond32);
    assert_int_equal(narrow, 5);
    assert_int_equal(packed_take64(&in, &wide), QN_OK);
    assert_int_equal(wide, (int64_t)1 << 31);
    in = bytes_of(beyond64, sizeof beyond64);
    assert_int_equal(packed_take64(&in, &wide), QN_MALFORMED);
}

static void a_cut_number_is_refused(void **state)
{
    int32_t value;

    (void)state;
    assert_int_equal(take32("", 0, &value), QN_MALFORMED);
    assert_int_equal(take32("\x80", 1, &value), QN_MALFORMED);
    assert_int_equal(take32("\xff\xff", 2, &value), QN_MALFORMED);
}

/* 128 bits at their ends, and one bit beyond. */
static void numbers_of_128_bits_reach_their_ends(void **state)
{
    const struct pof_int128 ends[] = {{.low = UINT64_MAX, .high = INT64_MAX},
                                      {.low = 0, .high = (uint64_t)1 << 63},
                                      {.low = 0, .high = 1}};
    uint8_t octets[PACKED_SIZE_MAX];
    struct pof_int128 back;

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t size = packed_put128(octets, ends[i]);
        struct bytes in = bytes_of(octets, size);
        assert_int_equal(packed_take128(&in, &back), QN_OK);
        assert_true(back.low == ends[i].low && back.high == ends[i].high);
    }
    memset(octets, 0x80, sizeof octets);
    octets[PACKED_SIZE_MAX - 1] = 0x04; /* bit 127 of the magnitude */
    struct bytes in = bytes_of(octets, sizeof octets);
    assert_int_equal(packed_take128(&in, &back), QN_MALFORMED);
    octets[PACKED_SIZE_MAX - 1] = 0x08; /* bit 128 */
    in = bytes_of(octets, sizeof octets);
    assert_int_equal(packed_take128(&in, &back), QN_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_begins_and_ends_where_it_should),
        cmocka_unit_test(zero_padding_is_taken_up_to_the_limit),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_cut_number_is_refused),
        cmocka_unit_test(numbers_of_128_bits_reach_their_ends),
    };

    return RUN_TESTS(tests);
}
