#include "tests/lib/check.h"
#include "wire/pof/binary.h"

/* The octets of keys are a contract: clients hash and compare them. */
static void keys_have_fixed_octets(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_int_equal(pof_binary_string(&out, bytes_of_text("hi")), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x15\x4e\x02hi", 5));
    buf_clear(&out);
    assert_int_equal(pof_binary_int64(&out, 5), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x15\x42\x05", 3));
    buf_clear(&out);
    assert_int_equal(pof_binary_octets(&out, bytes_of("\0\1", 2)), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x15\x4c\x02\0\1", 5));
    buf_fini(&out);
}

static void keys_read_back(void **state)
{
    struct buf out = {0};
    struct bytes found;
    int64_t number = 0;

    (void)state;
    assert_int_equal(pof_binary_string(&out, bytes_of_text("")), QN_OK);
    assert_int_equal(pof_binary_as_string(buf_bytes(&out), &found), QN_OK);
    assert_int_equal(found.size, 0);
    buf_clear(&out);
    assert_int_equal(pof_binary_int64(&out, INT64_MIN), QN_OK);
    assert_int_equal(pof_binary_as_int64(buf_bytes(&out), &number), QN_OK);
    assert_true(number == INT64_MIN);
    buf_clear(&out);
    assert_int_equal(pof_binary_octets(&out, bytes_of_text("raw")), QN_OK);
    assert_int_equal(pof_binary_as_octets(buf_bytes(&out), &found), QN_OK);
    assert_bytes_equal(found, bytes_of_text("raw"));
    buf_fini(&out);
}

/* A key of another program may be any whole number. */
static void any_whole_number_is_an_int64(void **state)
{
    int64_t number = 0;

    (void)state;
    assert_int_equal(pof_binary_as_int64(bytes_of("\x15\x6e", 2), &number), QN_OK);
    assert_int_equal(number, 5);
    assert_int_equal(pof_binary_as_int64(bytes_of("\x15\x40\x41", 3), &number), QN_OK);
    assert_int_equal(number, -2);
}

static void another_type_is_told(void **state)
{
    struct bytes found;
    int64_t number;

    (void)state;
    assert_int_equal(pof_binary_as_int64(bytes_of("\x15\x4e\x00", 3), &number), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_int64(bytes_of("\x15\x61", 2), &number), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_string(bytes_of("\x15\x4c\x00", 3), &found), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_string(bytes_of("\x15\x64", 2), &found), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_string(bytes_of("\x15\x55\x00", 3), &found), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_octets(bytes_of("\x15\x4e\x00", 3), &found), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_string(bytes_of("\x06\x00", 2), &found), QN_WRONG_TYPE);
    assert_int_equal(pof_binary_as_string(bytes_of("\x15", 1), &found), QN_MALFORMED);
    assert_int_equal(pof_binary_as_string(bytes_of(NULL, 0), &found), QN_MALFORMED);
}

/* Text that is not UTF-8 is no key, and the buffer stays as it was. */
static void a_string_key_is_utf8(void **state)
{
    struct buf out = {0};

    (void)state;
    assert_int_equal(buf_append(&out, "x", 1), QN_OK);
    assert_int_equal(pof_binary_string(&out, bytes_of_text("a\xff")), QN_MALFORMED);
    assert_int_equal(pof_binary_string(&out, bytes_of_text("\xed\xa0\xbd")), QN_MALFORMED);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text("x"));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_fixed_octets),       cmocka_unit_test(keys_read_back),
        cmocka_unit_test(any_whole_number_is_an_int64), cmocka_unit_test(another_type_is_told),
        cmocka_unit_test(a_string_key_is_utf8),
    };

    return RUN_TESTS(tests);
}
