#include "tests/lib/check.h"
#include "wire/rows.h"

static struct buf two_rows(void)
{
    struct row rows[] = {
        {.flags = 1,
         .version = UINT64_MAX,
         .ttl_ms = 5000,
         .key = bytes_of_text("a"),
         .value = bytes_of_text("one")},
        {.version = 2, .key = bytes_of_text("bb")},
    };
    struct buf out = {0};

    for (size_t i = 0; i < 2; i++) {
        size_t before = out.size;
        assert_int_equal(row_encode(&rows[i], &out), QN_OK);
        assert_int_equal(out.size - before, row_size(&rows[i]));
    }
    return out;
}

/* What was put in comes out, in order, and then there is no more. */
static void rows_come_back(void **state)
{
    struct buf encoded = two_rows();
    struct bytes left = buf_bytes(&encoded);
    struct row row;

    (void)state;
    assert_int_equal(row_next(&left, &row), QN_OK);
    assert_int_equal(row.flags, 1);
    assert_true(row.version == UINT64_MAX);
    assert_int_equal(row.ttl_ms, 5000);
    assert_bytes_equal(row.key, bytes_of_text("a"));
    assert_bytes_equal(row.value, bytes_of_text("one"));
    assert_int_equal(row_next(&left, &row), QN_OK);
    assert_bytes_equal(row.key, bytes_of_text("bb"));
    assert_int_equal(row.value.size, 0);
    assert_int_equal(row_next(&left, &row), QN_ABSENT);
    buf_fini(&encoded);
}

/* Rows that are cut off anywhere are refused, and nothing beyond their end is read. */
static void cut_rows_are_malformed(void **state)
{
    struct buf encoded = two_rows();
    size_t first = ROW_HEADER_SIZE + 4;
    struct row row;

    (void)state;
    for (size_t size = 1; size < encoded.size; size++) {
        struct bytes left = bytes_of(encoded.data, size);
        enum qn_status status;
        while ((status = row_next(&left, &row)) == QN_OK) {
        }
        assert_int_equal(status, size == first ? QN_ABSENT : QN_MALFORMED);
    }
    buf_fini(&encoded);
}

/* Sizes that add up to more than there is do not wrap around. */
static void impossible_sizes_are_malformed(void **state)
{
    uint8_t octets[ROW_HEADER_SIZE] = {0};
    struct bytes left = bytes_of(octets, sizeof octets);
    struct row row;

    (void)state;
    put_u32(octets, UINT32_MAX);
    put_u32(octets + 4, UINT32_MAX);
    assert_int_equal(row_next(&left, &row), QN_MALFORMED);
    assert_int_equal(left.size, sizeof octets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back),
        cmocka_unit_test(cut_rows_are_malformed),
        cmocka_unit_test(impossible_sizes_are_malformed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
