#include "tests/lib/check.h"
#include "wire/hash.h"

/* The hash of a key decides where it lives: a contract on wire and disk, pinned here. */
static void key_hashes_are_pinned(void **state)
{
    uint8_t all[513] = {0x15};

    (void)state;
    for (size_t i = 0; i < 512; i++) {
        all[1 + i] = (uint8_t)i;
    }
    assert_int_equal(hash_bytes(bytes_of(NULL, 0)), 0x2d06800538d394c2);
    assert_int_equal(hash_key(bytes_of("\x15\x4e\x05"
                                       "alice",
                                       8)),
                     0x6c2fe086eba54c64);
    assert_int_equal(hash_key(bytes_of("\x15\x41\x05", 3)), 0x2a6d9188509ea0e7);
    assert_int_equal(hash_key(bytes_of("\x15\x42\x2a", 3)), 0xfd8b5d9c94147f01);
    assert_int_equal(hash_key(bytes_of("\x15\x4e\x10"
                                       "0123456789abcdef",
                                       19)),
                     0xd6448b3419061172);
    assert_int_equal(hash_key(bytes_of(all, sizeof all)), 0x379fc2ad0c76b136);
}

static void partitions_are_pinned(void **state)
{
    (void)state;
    assert_int_equal(hash_partition(0x6c2fe086eba54c64, 271), 85);
    assert_int_equal(hash_partition(0xd6448b3419061172, 271), 36);
    assert_int_equal(hash_partition(0xfd8b5d9c94147f01, 1), 0);
}

/* An int decoration in front of a key is no part of it; broken ones are hashed whole. */
static void a_decoration_does_not_move_a_key(void **state)
{
    struct bytes plain = bytes_of("\x15\x41\x05", 3);

    (void)state;
    assert_int_equal(hash_key(bytes_of("\x0d\x07\x15\x41\x05", 5)), hash_key(plain));
    assert_int_equal(hash_key(bytes_of("\x0d\x97\xc7\xc6\x88\x0e\x15\x41\x05", 9)),
                     hash_key(plain));
    assert_int_equal(hash_key(bytes_of("\x0d\x80\x80", 3)),
                     hash_bytes(bytes_of("\x0d\x80\x80", 3)));
    assert_int_equal(hash_key(bytes_of("\x0d\x07", 2)), hash_bytes(bytes_of("\x0d\x07", 2)));
    assert_int_equal(hash_key(bytes_of("\x0d\x07\x16", 3)),
                     hash_bytes(bytes_of("\x0d\x07\x16", 3)));
}

/* CRC-32C with its published check value; in pieces as in one. */
static void checksums_are_crc32c(void **state)
{
    (void)state;
    assert_int_equal(crc32c(0, bytes_of_text("123456789")), 0xe3069283);
    assert_int_equal(crc32c(crc32c(0, bytes_of_text("1234")), bytes_of_text("56789")), 0xe3069283);
    assert_int_equal(crc32c(0, bytes_of(NULL, 0)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_hashes_are_pinned),
        cmocka_unit_test(partitions_are_pinned),
        cmocka_unit_test(a_decoration_does_not_move_a_key),
        cmocka_unit_test(checksums_are_crc32c),
    };
    return RUN_TESTS(tests);
}
