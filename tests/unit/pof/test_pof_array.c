/* Arrays of numbers, bools and chars in one call. */
#include <math.h>

#include "tests/lib/check.h"
#include "wire/pof/array.h"

enum { COUNT = 5 };

static const bool bools[COUNT] = {true, false, true, true, false};
static const uint8_t octets[COUNT] = {0, 1, 127, 128, 255};
static const uint16_t units[COUNT] = {0, 'a', 0xe9, 0xd800, 0xffff};
static const int16_t shorts[COUNT] = {0, -1, 63, INT16_MIN, INT16_MAX};
static const int32_t ints[COUNT] = {0, -65, 64, INT32_MIN, INT32_MAX};
static const int64_t longs[COUNT] = {0, -1, 1000, INT64_MIN, INT64_MAX};
static const float floats[COUNT] = {0, -0.0f, 1.5f, INFINITY, -3.4e38f};
static const double doubles[COUNT] = {0, 22, -0.1, -INFINITY, 5e-324};

static void write_all(struct pof_writer *w)
{
    pof_write_bool_array(w, 0, bools, COUNT);
    pof_write_octet_array(w, 1, bytes_of(octets, COUNT));
    pof_write_char_array(w, 2, units, COUNT);
    pof_write_int16_array(w, 3, shorts, COUNT);
    pof_write_int32_array(w, 4, ints, COUNT);
    pof_write_int64_array(w, 5, longs, COUNT);
    pof_write_float32_array(w, 6, floats, COUNT);
    pof_write_float64_array(w, 7, doubles, COUNT);
}

static void write_all_by_element(struct pof_writer *w)
{
    static const enum pof_type types[] = {POF_BOOL,  POF_OCTET, POF_CHAR,    POF_INT16,
                                          POF_INT32, POF_INT64, POF_FLOAT32, POF_FLOAT64};

    for (int32_t t = 0; t < 8; t++) {
        pof_begin_uniform_array(w, t, types[t], COUNT);
        for (int i = 0; i < COUNT; i++) {
            switch (t) {
            case 0:
                pof_write_bool(w, POF_NEXT, bools[i]);
                break;
            case 1:
                pof_write_octet(w, POF_NEXT, octets[i]);
                break;
            case 2:
                pof_write_char(w, POF_NEXT, units[i]);
                break;
            case 3:
                pof_write_int16(w, POF_NEXT, shorts[i]);
                break;
            case 4:
                pof_write_int32(w, POF_NEXT, ints[i]);
                break;
            case 5:
                pof_write_int64(w, POF_NEXT, longs[i]);
                break;
            case 6:
                pof_write_float32(w, POF_NEXT, floats[i]);
                break;
            case 7:
                pof_write_float64(w, POF_NEXT, doubles[i]);
                break;
            }
        }
        pof_end(w);
    }
}

static void write_object(struct buf *out, void (*write)(struct pof_writer *))
{
    struct pof_writer w;

    buf_clear(out);
    pof_writer_init(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 0);
    write(&w);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* Stand in the one object in `pof`. */
static void enter(struct pof_reader *r, struct bytes pof)
{
    struct pof_value value;

    pof_reader_init(r, pof);
    assert_int_equal(pof_reader_next(r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(r), QN_OK);
}

/* One call makes the octets of a call for each element. */
static void one_call_writes_what_many_calls_do(void **state)
{
    struct buf at_once = {0}, by_element = {0};

    (void)state;
    write_object(&at_once, write_all);
    write_object(&by_element, write_all_by_element);
    assert_bytes_equal(buf_bytes(&at_once), buf_bytes(&by_element));
    buf_fini(&at_once);
    buf_fini(&by_element);
}

#define EXPECT_READ(r, name, index, expected)                                                      \
    do {                                                                                           \
        size_t count_ = COUNT;                                                                     \
        memset(room, 0xee, sizeof room);                                                           \
        assert_int_equal(pof_read_##name##_array(r, index, (void *)room, &count_), QN_OK);         \
        assert_int_equal(count_, COUNT);                                                           \
        assert_memory_equal(room, expected, sizeof expected);                                      \
        assert_int_equal(room[sizeof expected], 0xee);                                             \
    } while (0)

/* Each array reads as it was written, by index. */
static void each_type_reads_as_it_was_written(void **state)
{
    _Alignas(8) uint8_t room[sizeof doubles + 1];
    struct buf out = {0};
    struct pof_reader r;

    (void)state;
    write_object(&out, write_all);
    enter(&r, buf_bytes(&out));
    EXPECT_READ(&r, bool, 0, bools);
    EXPECT_READ(&r, octet, 1, octets);
    EXPECT_READ(&r, char, 2, units);
    EXPECT_READ(&r, int16, 3, shorts);
    EXPECT_READ(&r, int32, 4, ints);
    EXPECT_READ(&r, int64, 5, longs);
    EXPECT_READ(&r, float32, 6, floats);
    EXPECT_READ(&r, float64, 7, doubles);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
    buf_fini(&out);
}

/* The same for a value at hand, as a generic read gives it. */
static void a_value_at_hand_reads_the_same(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    struct pof_value value;
    int64_t room[COUNT];
    struct pof_array array = {POF_INT64, room, COUNT - 1};

    (void)state;
    write_object(&out, write_all);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_reader_find(&r, 5, &value), QN_OK);
    assert_int_equal(pof_value_array(&r, &value, &array), QN_TOO_LARGE);
    assert_int_equal(array.count, COUNT);
    assert_int_equal(pof_value_array(&r, &value, &array), QN_OK);
    assert_memory_equal(room, longs, sizeof longs);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(value.index, 6);
    buf_fini(&out);
}

/* Without room the count is told, and the property can be read once there is. */
static void too_little_room_says_how_much_is_needed(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    int32_t room[COUNT];
    size_t count = 0;

    (void)state;
    write_object(&out, write_all);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_read_int32_array(&r, 4, NULL, &count), QN_TOO_LARGE);
    assert_int_equal(count, COUNT);
    assert_int_equal(pof_read_int32_array(&r, 4, room, &count), QN_OK);
    assert_memory_equal(room, ints, sizeof ints);
    assert_int_equal(pof_read_int32_array(&r, 4, room, &count), QN_INVALID);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    buf_fini(&out);
}

/* `pof` is property 0 of an object; read it as an array of int16. */
static enum qn_status read_shorts(const char *pof, size_t size, int16_t *room, size_t *count)
{
    struct pof_reader r;
    struct buf out = {0};

    assert_int_equal(buf_append(&out, "\x01\x00\x00", 3), QN_OK);
    assert_int_equal(buf_append(&out, pof, size), QN_OK);
    assert_int_equal(buf_append(&out, "\x05\x6a\x40", 3), QN_OK);
    enter(&r, buf_bytes(&out));
    enum qn_status status = pof_read_int16_array(&r, 0, room, count);
    if (r.status == QN_OK &&
        status != QN_TOO_LARGE) { /* the next property stands where it should */
        int32_t number = 0;
        assert_int_equal(pof_read_int32(&r, 5, &number), QN_OK);
        assert_int_equal(number, 1);
        assert_int_equal(pof_reader_leave(&r), QN_OK);
        assert_int_equal(r.rest.size, 0);
    }
    buf_fini(&out);
    return status;
}

/* Any list of numbers that fit is an array: plain, small, of other widths, sparse. */
static void any_list_of_numbers_is_an_array(void **state)
{
    static const struct {
        const char *pof;
        size_t size;
        size_t count;
        int16_t values[4];
    } lists[] = {
        {"\x55\x03\x6a\x41\x07\x64", 6, 3, {1, 7, 0}},
        {"\x57\x02\x45\x40\x04\x00\x00\x00\x00\x00\x00\x61", 12, 2, {2, 1}},
        {"\x56\x40\x02\x05\x06", 5, 2, {5, 6}},
        {"\x58\x42\x02\x05\x46", 5, 2, {5, -7}},
        {"\x56\x6e\x03", 3, 3, {5, 5, 5}},
        {"\x58\x4b\x02\xff\x01", 5, 2, {255, 1}},
        {"\x59\x04\x01\x6a\x03\x41\x08\x40", 8, 4, {0, 1, 0, 8}},
        {"\x5a\x41\x03\x02\x09\x40", 6, 3, {0, 0, 9}},
        {"\x63", 1, 0, {0}},
        {"\x64", 1, 0, {0}},
        {"\x58\x41\x00", 3, 0, {0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        int16_t room[4] = {-9, -9, -9, -9};
        size_t count = 4;
        assert_int_equal(read_shorts(lists[i].pof, lists[i].size, room, &count), QN_OK);
        assert_int_equal(count, lists[i].count);
        assert_memory_equal(room, lists[i].values, count * sizeof room[0]);
    }
}

/* What does not fit is told; what is broken, too. */
static void what_is_no_array_of_the_type_is_refused(void **state)
{
    static const struct {
        const char *pof;
        size_t size;
        enum qn_status status;
    } lists[] = {
        {"\x4e\x01\x61", 3, QN_WRONG_TYPE},
        {"\x6a", 1, QN_WRONG_TYPE},
        {"\x5b\x01\x6a\x6a", 4, QN_WRONG_TYPE},
        {"\x58\x41\x02\x05\x80\x80\x04", 7, QN_WRONG_TYPE}, /* 2^15 */
        {"\x55\x02\x4e\x01\x61\x6a", 6, QN_WRONG_TYPE},
        {"\x55\x01\x55\x00", 4, QN_WRONG_TYPE},
        {"\x59\x01\x03\x6a\x40", 5, QN_WRONG_TYPE}, /* an index beyond the size */
        {"\x5a\x41\x01\x03\x05\x40", 6, QN_MALFORMED},
        {"\x58\x41\x01\x80\x80\x80\x80\x10", 8, QN_MALFORMED},
        {"\x58\x41\x05\x01\x01\x01\x01\x01", 8, QN_TOO_LARGE},
        {"\x59\xbf\xff\xff\xff\x0f\x40", 7, QN_TOO_LARGE},
        {"\x59\x40\x40", 3, QN_TOO_LARGE}, /* a negative size */
    };

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        int16_t room[4];
        size_t count = 4;
        assert_int_equal(read_shorts(lists[i].pof, lists[i].size, room, &count), lists[i].status);
        if (lists[i].status == QN_TOO_LARGE) { /* a size that no octets stand behind is not told */
            assert_int_equal(count, (uint8_t)lists[i].pof[0] == 0x59 ? 0 : 5);
        }
    }
}

/* Octets come from an octet string as well; absent is no octets. */
static void octets_come_from_an_octet_string_too(void **state)
{
    static const char object[] = "\x01\x00\x00\x4c\x02\x07\xff\x01\x62\x40";
    struct pof_reader r;
    uint8_t room[2] = {0};
    size_t count = 1;

    (void)state;
    enter(&r, bytes_of(object, sizeof object - 1));
    assert_int_equal(pof_read_octet_array(&r, 0, room, &count), QN_TOO_LARGE);
    assert_int_equal(count, 2);
    assert_int_equal(pof_read_octet_array(&r, 0, room, &count), QN_OK);
    assert_memory_equal(room, "\x07\xff", 2);
    assert_int_equal(pof_read_octet_array(&r, 9, room, &count), QN_OK);
    assert_int_equal(count, 0);
}

/* An array is written where a uniform container of arrays has its type, and above the limit not at
 * all. */
static void an_array_keeps_to_its_container(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    pof_writer_init(&w, &out);
    pof_begin_uniform_array(&w, POF_NEXT, POF_UNIFORM_ARRAY, 2);
    pof_write_int32_array(&w, POF_NEXT, ints, 2);
    pof_write_bool_array(&w, POF_NEXT, NULL, 0);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x58\x58\x02\x41\x02\x00\xc0\x01\x4a\x00", 10));
    buf_clear(&out);
    pof_writer_init(&w, &out);
    pof_write_int32_array(&w, POF_NEXT, NULL, (size_t)INT32_MAX + 1);
    assert_int_equal(pof_writer_finish(&w), QN_TOO_LARGE);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_writes_what_many_calls_do),
        cmocka_unit_test(each_type_reads_as_it_was_written),
        cmocka_unit_test(a_value_at_hand_reads_the_same),
        cmocka_unit_test(too_little_room_says_how_much_is_needed),
        cmocka_unit_test(any_list_of_numbers_is_an_array),
        cmocka_unit_test(what_is_no_array_of_the_type_is_refused),
        cmocka_unit_test(octets_come_from_an_octet_string_too),
        cmocka_unit_test(an_array_keeps_to_its_container),
    };

    return RUN_TESTS(tests);
}
