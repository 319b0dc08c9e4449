#include <stdlib.h>

#include "tests/lib/check.h"
#include "wire/record.h"

static struct record sample(void)
{
    return (struct record){
        .type = RECORD_WRITE,
        .partition = 7,
        .epoch = 3,
        .index = 1234567890123,
        .prev_epoch = 2,
        .log_time_ms = 42,
        .wall_time_ms = 1700000000000,
        .client = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
        .session = 99,
        .sequence = 5,
        .first_incomplete = 4,
        .effects = bytes_of_text("effects"),
        .result = bytes_of_text("res"),
    };
}

/* What was encoded is decoded, field by field, and several follow each other. */
static void a_record_comes_back(void **state)
{
    struct record in = sample(), out;
    struct buf buf = {0};
    size_t size;

    (void)state;
    assert_int_equal(record_encode(&in, &buf), QN_OK);
    assert_int_equal(record_encode(&in, &buf), QN_OK);
    assert_int_equal(record_decode(buf_bytes(&buf), &out, &size), QN_OK);
    assert_int_equal(size, record_size(&in));
    assert_int_equal(2 * size, buf.size);
    assert_int_equal(out.type, in.type);
    assert_int_equal(out.partition, in.partition);
    assert_int_equal(out.epoch, in.epoch);
    assert_int_equal(out.index, in.index);
    assert_int_equal(out.prev_epoch, in.prev_epoch);
    assert_int_equal(out.log_time_ms, in.log_time_ms);
    assert_int_equal(out.wall_time_ms, in.wall_time_ms);
    assert_true(client_id_equal(out.client, in.client));
    assert_int_equal(out.session, in.session);
    assert_int_equal(out.sequence, in.sequence);
    assert_int_equal(out.first_incomplete, in.first_incomplete);
    assert_bytes_equal(out.effects, in.effects);
    assert_bytes_equal(out.result, in.result);
    buf_fini(&buf);
}

/* Any single flipped bit is noticed: as MALFORMED in the header, as CORRUPT in the body. */
static void every_flipped_bit_is_noticed(void **state)
{
    struct record in = sample(), out;
    struct buf buf = {0};
    size_t size;

    (void)state;
    assert_int_equal(record_encode(&in, &buf), QN_OK);
    for (size_t bit = 0; bit < 8 * buf.size; bit++) {
        buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum qn_status expected = bit / 8 < RECORD_HEADER_SIZE ? QN_MALFORMED : QN_CORRUPT;
        assert_int_equal(record_decode(buf_bytes(&buf), &out, &size), expected);
        buf.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    buf_fini(&buf);
}

/* A record that is cut off is never taken for a whole one. */
static void every_cut_is_noticed(void **state)
{
    struct record in = sample(), out;
    struct buf buf = {0};
    size_t size;

    (void)state;
    assert_int_equal(record_encode(&in, &buf), QN_OK);
    for (size_t cut = 0; cut < buf.size; cut++) {
        uint8_t *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, buf.data, cut);
        assert_int_not_equal(record_decode(bytes_of(copy, cut), &out, &size), QN_OK);
        free(copy);
    }
    buf_fini(&buf);
}

/* A body over its limit is refused and leaves the buffer alone. */
static void a_huge_body_is_refused(void **state)
{
    static const uint8_t octet;
    struct record in = sample();
    struct buf buf = {0};

    (void)state;
    in.effects = bytes_of(&octet, (size_t)RECORD_BODY_MAX + 1);
    assert_int_equal(record_encode(&in, &buf), QN_TOO_LARGE);
    assert_int_equal(buf.size, 0);
    buf_fini(&buf);
}

/* Effects are walked in order; a truncated list is malformed, never read beyond its end. */
static void effects_come_back_in_order(void **state)
{
    struct effect put = {.kind = EFFECT_PUT,
                         .flags = 1,
                         .cache = 3,
                         .expires_at_ms = INT64_MAX,
                         .key = bytes_of_text("key"),
                         .value = bytes_of_text("value")};
    struct effect remove = {.kind = EFFECT_REMOVE, .cache = 4, .key = bytes_of_text("other")};
    struct effect got;
    struct buf buf = {0};

    (void)state;
    assert_int_equal(effect_encode(&put, &buf), QN_OK);
    assert_int_equal(effect_encode(&remove, &buf), QN_OK);
    struct bytes list = buf_bytes(&buf);
    assert_int_equal(effect_next(&list, &got), QN_OK);
    assert_int_equal(got.kind, EFFECT_PUT);
    assert_int_equal(got.cache, 3);
    assert_int_equal(got.expires_at_ms, INT64_MAX);
    assert_bytes_equal(got.key, put.key);
    assert_bytes_equal(got.value, put.value);
    assert_int_equal(effect_next(&list, &got), QN_OK);
    assert_int_equal(got.kind, EFFECT_REMOVE);
    assert_bytes_equal(got.key, remove.key);
    assert_int_equal(effect_next(&list, &got), QN_ABSENT);

    list = bytes_of(buf.data, buf.size - 1);
    assert_int_equal(effect_next(&list, &got), QN_OK);
    assert_int_equal(effect_next(&list, &got), QN_MALFORMED);
    buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_comes_back),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(a_huge_body_is_refused),
        cmocka_unit_test(effects_come_back_in_order),
    };
    return RUN_TESTS(tests);
}
