#include "tests/lib/check.h"
#include "wire/compress.h"

enum { SIZE = 4096 };

/* Octets of text-like repetition, or of noise. */
static void fill(uint8_t *octets, size_t size, bool noise)
{
    uint32_t x = 1;

    for (size_t i = 0; i < size; i++) {
        x = x * 1664525 + 1013904223;
        octets[i] = noise ? (uint8_t)(x >> 24) : (uint8_t)("a quoin locks "[i % 14]);
    }
}

/* What pays is packed and comes back, behind what the buffer held already. */
static void text_is_packed_and_comes_back(void **state)
{
    uint8_t plain[SIZE];
    struct buf packed = {0}, out = {0};
    size_t size;

    (void)state;
    fill(plain, SIZE, false);
    assert_int_equal(buf_append(&packed, (const uint8_t *)"head", 4), QN_OK);
    assert_int_equal(compress(bytes_of(plain, SIZE), &packed), QN_OK);
    assert_true(packed.size < SIZE / 2);
    struct bytes block = bytes_of(packed.data + 4, packed.size - 4);
    assert_int_equal(decompress_size(block, &size), QN_OK);
    assert_int_equal(size, SIZE);
    assert_int_equal(decompress(block, SIZE, &out), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of(plain, SIZE));
    buf_fini(&packed);
    buf_fini(&out);
}

/* Noise and tiny values do not pay: nothing is appended. */
static void what_does_not_pay_is_left_alone(void **state)
{
    uint8_t plain[SIZE];
    struct buf packed = {0};

    (void)state;
    fill(plain, SIZE, true);
    assert_int_equal(compress(bytes_of(plain, SIZE), &packed), QN_ABSENT);
    for (size_t size = 0; size < 12; size++) {
        assert_int_equal(compress(bytes_of("aaaaaaaaaaaaaaaa", size), &packed), QN_ABSENT);
    }
    assert_int_equal(packed.size, 0);
    buf_fini(&packed);
}

/* A size over the limit, or one that no block of these octets can have, is refused before memory is
 * taken for it. */
static void a_size_that_cannot_be_is_refused(void **state)
{
    uint8_t packed[12] = {0};
    struct buf out = {0};

    (void)state;
    put_u32(packed, 1000);
    assert_int_equal(decompress(bytes_of(packed, sizeof packed), 999, &out), QN_TOO_LARGE);
    put_u32(packed, 64 * 1024 * 1024);
    assert_int_equal(decompress(bytes_of(packed, sizeof packed), SIZE_MAX, &out), QN_MALFORMED);
    assert_int_equal(decompress(bytes_of(packed, 3), SIZE_MAX, &out), QN_MALFORMED);
    assert_int_equal(out.capacity, 0);
    buf_fini(&out);
}

/* Any octet of a block may be wrong: it is refused or gives the size it claims, never more. */
static void damaged_blocks_do_no_harm(void **state)
{
    uint8_t plain[SIZE];
    struct buf packed = {0};

    (void)state;
    fill(plain, SIZE, false);
    assert_int_equal(compress(bytes_of(plain, SIZE), &packed), QN_OK);
    for (size_t at = 0; at < packed.size; at++) {
        struct buf out = {0};
        size_t size;
        packed.data[at] ^= 0x5a;
        assert_int_equal(decompress_size(buf_bytes(&packed), &size), QN_OK);
        enum qn_status status = decompress(buf_bytes(&packed), SIZE, &out);
        assert_int_equal(out.size, status == QN_OK ? size : 0);
        packed.data[at] ^= 0x5a;
        buf_fini(&out);
    }
    buf_fini(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_packed_and_comes_back),
        cmocka_unit_test(what_does_not_pay_is_left_alone),
        cmocka_unit_test(a_size_that_cannot_be_is_refused),
        cmocka_unit_test(damaged_blocks_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
