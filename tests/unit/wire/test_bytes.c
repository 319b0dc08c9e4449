#include "tests/lib/check.h"
#include "wire/arena.h"

/* Appending keeps what was there, whatever the growth. */
static void a_buffer_grows_and_keeps_its_octets(void **state)
{
    struct buf buf = {0};

    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        uint8_t octet = (uint8_t)(i * 7);
        assert_int_equal(buf_append(&buf, &octet, 1), QN_OK);
    }
    assert_int_equal(buf.size, 10000);
    for (unsigned i = 0; i < 10000; i++) {
        assert_int_equal(buf.data[i], (uint8_t)(i * 7));
    }
    buf_fini(&buf);
    assert_null(buf.data);
}

/* A size that can not exist is refused, not wrapped around. */
static void a_buffer_refuses_an_impossible_size(void **state)
{
    struct buf buf = {0};

    (void)state;
    assert_int_equal(buf_append(&buf, "x", 1), QN_OK);
    assert_int_equal(buf_reserve(&buf, SIZE_MAX), QN_MEMORY_FULL);
    assert_int_equal(buf_reserve(&buf, SIZE_MAX / 2), QN_MEMORY_FULL);
    assert_int_equal(buf.size, 1);
    buf_fini(&buf);
}

/* Octets are equal by content and size. */
static void bytes_are_equal_by_content(void **state)
{
    (void)state;
    assert_true(bytes_equal(bytes_of(NULL, 0), bytes_of_text("")));
    assert_false(bytes_equal(bytes_of_text("a"), bytes_of_text("ab")));
    assert_true(bytes_equal(bytes_of_text("same"), bytes_of_text("same")));
    assert_false(bytes_equal(bytes_of_text("same"), bytes_of_text("sane")));
}

/* Numbers are little-endian, whatever the machine. */
static void numbers_are_little_endian(void **state)
{
    uint8_t at[8];

    (void)state;
    put_u64(at, 0x0102030405060708u);
    assert_int_equal(at[0], 8);
    assert_int_equal(at[7], 1);
    assert_int_equal(get_u64(at), 0x0102030405060708u);
    assert_int_equal(get_u32(at), 0x05060708u);
    assert_int_equal(get_u16(at), 0x0708u);
}

/* An arena hands out aligned memory up to its bound, and all of it again after a reset. */
static void an_arena_is_bounded(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena, 100000);
    for (int round = 0; round < 3; round++) {
        size_t got = 0;
        void *place;
        while ((place = arena_alloc(&arena, 1000)) != NULL) {
            assert_int_equal((uintptr_t)place % _Alignof(max_align_t), 0);
            memset(place, 0xff, 1000);
            got++;
        }
        assert_in_range(got, 90, 100);
        arena_reset(&arena);
    }
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_calloc(&arena, SIZE_MAX / 4, 16));
    assert_non_null(arena_alloc(&arena, 0));
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_grows_and_keeps_its_octets),
        cmocka_unit_test(a_buffer_refuses_an_impossible_size),
        cmocka_unit_test(bytes_are_equal_by_content),
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(an_arena_is_bounded),
    };
    return RUN_TESTS(tests);
}
