#include "tests/lib/check.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

/* An object with a property of every kind that has a typed read, with gaps between. */
static void write_object(struct buf *out)
{
    struct pof_writer w;

    pof_writer_init(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 3);
    pof_write_string(&w, 0, bytes_of_text("first"));
    pof_write_int32(&w, 2, 0); /* left out */
    pof_write_bool(&w, 3, true);
    pof_write_octet(&w, 4, 255); /* small -1 */
    pof_write_char(&w, 5, 0xffff);
    pof_write_int16(&w, 6, -300);
    pof_write_int32(&w, 7, 22);
    pof_write_int64(&w, 8, INT64_MIN);
    pof_write_float32(&w, 9, 1.5f);
    pof_write_float64(&w, 10, -1.0); /* small */
    pof_write_octets(&w, 11, bytes_of("\x00\x01", 2));
    pof_write_date(&w, 12, (struct pof_date){2024, 2, 29});
    pof_write_time(&w, 13, (struct pof_time){.hour = 23, .nano = 1});
    pof_write_datetime(&w, 14,
                       (struct pof_datetime){{1999, 12, 31}, {.zone = POF_ZONE_UTC, .hour = 1}});
    pof_begin_uniform_array(&w, 20, POF_STRING, 2);
    pof_write_string(&w, POF_NEXT, bytes_of_text("a"));
    pof_write_string(&w, POF_NEXT, bytes_of_text("b"));
    pof_end(&w);
    pof_begin_user(&w, 21, 1001, 0);
    pof_write_int32(&w, 0, 77);
    pof_end(&w);
    pof_write_string(&w, 22, bytes_of_text("last"));
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* Stand in the one object in `pof`. */
static void enter(struct pof_reader *r, struct bytes pof)
{
    struct pof_value value;

    pof_reader_init(r, pof);
    assert_int_equal(pof_reader_next(r, &value), QN_OK);
    assert_int_equal(value.kind, POF_KIND_USER);
    assert_int_equal(pof_reader_enter(r), QN_OK);
}

/* Each property reads as it was written, though small values lost their type on the way. */
static void typed_reads_give_back_what_was_written(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    struct bytes text, octets;
    bool boolean = false;
    uint8_t octet = 0;
    uint16_t unit = 0;
    int16_t int16 = 0;
    int32_t int32 = 9;
    int64_t int64 = 0;
    float float32 = 0;
    double float64 = 0;
    struct pof_date date;
    struct pof_time time;
    struct pof_datetime datetime;

    (void)state;
    write_object(&out);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_read_string(&r, 0, &text), QN_OK);
    assert_bytes_equal(text, bytes_of_text("first"));
    assert_int_equal(pof_read_int32(&r, 2, &int32), QN_OK);
    assert_int_equal(int32, 0);
    assert_int_equal(pof_read_bool(&r, 3, &boolean), QN_OK);
    assert_true(boolean);
    assert_int_equal(pof_read_octet(&r, 4, &octet), QN_OK);
    assert_int_equal(octet, 255);
    assert_int_equal(pof_read_char(&r, 5, &unit), QN_OK);
    assert_int_equal(unit, 0xffff);
    assert_int_equal(pof_read_int16(&r, 6, &int16), QN_OK);
    assert_int_equal(int16, -300);
    assert_int_equal(pof_read_int32(&r, 7, &int32), QN_OK);
    assert_int_equal(int32, 22);
    assert_int_equal(pof_read_int64(&r, 8, &int64), QN_OK);
    assert_true(int64 == INT64_MIN);
    assert_int_equal(pof_read_float32(&r, 9, &float32), QN_OK);
    assert_true(float32 == 1.5f);
    assert_int_equal(pof_read_float64(&r, 10, &float64), QN_OK);
    assert_true(float64 == -1.0);
    assert_int_equal(pof_read_octets(&r, 11, &octets), QN_OK);
    assert_bytes_equal(octets, bytes_of("\x00\x01", 2));
    assert_int_equal(pof_read_date(&r, 12, &date), QN_OK);
    assert_int_equal(date.day, 29);
    assert_int_equal(pof_read_time(&r, 13, &time), QN_OK);
    assert_int_equal(time.nano, 1);
    assert_int_equal(pof_read_datetime(&r, 14, &datetime), QN_OK);
    assert_int_equal(datetime.time.zone, POF_ZONE_UTC);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
    buf_fini(&out);
}

/* Properties that are not there, before, between and behind, have their defaults. */
static void absent_properties_have_defaults(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    struct pof_value value;
    struct bytes text = bytes_of_text("x");
    int64_t number = 9;
    double real = 9;
    struct pof_date date = {1, 1, 1};

    (void)state;
    write_object(&out);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_read_string(&r, 1, &text), QN_OK);
    assert_null(text.data);
    assert_int_equal(pof_read_int64(&r, 15, &number), QN_OK);
    assert_int_equal(number, 0);
    assert_int_equal(pof_read_float64(&r, 16, &real), QN_OK);
    assert_true(real == 0);
    assert_int_equal(pof_reader_find(&r, 17, &value), QN_ABSENT);
    assert_int_equal(pof_read_string(&r, 22, &text), QN_OK);
    assert_bytes_equal(text, bytes_of_text("last"));
    assert_int_equal(pof_read_date(&r, 1000, &date), QN_OK);
    assert_int_equal(date.month, 0);
    buf_fini(&out);
}

/* Properties are asked for strictly forward, present or not. */
static void going_back_is_invalid(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    int32_t number = 0;

    (void)state;
    write_object(&out);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_read_int32(&r, 7, &number), QN_OK);
    assert_int_equal(pof_read_int32(&r, 7, &number), QN_INVALID);
    assert_int_equal(pof_read_int32(&r, 3, &number), QN_INVALID);
    assert_int_equal(pof_read_int32(&r, 18, &number), QN_OK);
    assert_int_equal(pof_read_int32(&r, 18, &number), QN_INVALID);
    assert_int_equal(pof_read_int32(&r, 17, &number), QN_INVALID);
    buf_fini(&out);
}

/* A wrong type is told, and the next property can still be read. */
static void another_type_is_told_and_passed(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    int32_t number = 5;
    int16_t small = 5;
    struct bytes text;

    (void)state;
    write_object(&out);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_read_int32(&r, 0, &number), QN_WRONG_TYPE);
    assert_int_equal(pof_read_string(&r, 7, &text), QN_WRONG_TYPE);
    assert_int_equal(pof_read_int16(&r, 8, &small), QN_WRONG_TYPE); /* does not fit */
    assert_int_equal(small, 5);
    assert_int_equal(pof_read_int32(&r, 20, &number), QN_WRONG_TYPE);
    assert_int_equal(pof_read_string(&r, 22, &text), QN_OK);
    assert_bytes_equal(text, bytes_of_text("last"));
    buf_fini(&out);
}

/* A container is entered, or skipped by not entering it; leaving early skips the rest. */
static void containers_are_entered_or_skipped(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    struct pof_value value;
    int32_t number = 0;

    (void)state;
    write_object(&out);
    enter(&r, buf_bytes(&out));
    assert_int_equal(pof_reader_find(&r, 20, &value), QN_OK);
    assert_int_equal(value.kind, POF_KIND_ARRAY);
    assert_int_equal(value.as.items.count, 2);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_bytes_equal(value.as.text, bytes_of_text("a"));
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(pof_reader_find(&r, 21, &value), QN_OK);
    assert_int_equal(value.type, 1001);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_read_int32(&r, 0, &number), QN_OK);
    assert_int_equal(number, 77);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(value.index, 22);
    assert_int_equal(pof_reader_enter(&r), QN_WRONG_TYPE);
    assert_int_equal(pof_reader_next(&r, &value), QN_ABSENT);
    assert_int_equal(pof_reader_next(&r, &value), QN_ABSENT);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(pof_reader_leave(&r), QN_INVALID);
    buf_fini(&out);
}

/* A map gives key and value in turn; both can be containers. */
static void a_map_gives_keys_and_values_in_turn(void **state)
{
    struct buf out = {0};
    struct pof_writer w;
    struct pof_reader r;
    struct pof_value value;

    (void)state;
    pof_writer_init(&w, &out);
    pof_begin_map(&w, POF_NEXT, 2);
    pof_begin_array(&w, POF_NEXT, 0);
    pof_end(&w);
    pof_write_int32(&w, POF_NEXT, 1);
    pof_write_string(&w, POF_NEXT, bytes_of_text("k"));
    pof_write_null(&w, POF_NEXT);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);

    pof_reader_init(&r, buf_bytes(&out));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    static const enum pof_kind kinds[] = {POF_KIND_ARRAY, POF_KIND_INT32, POF_KIND_STRING,
                                          POF_KIND_NULL};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pof_reader_next(&r, &value), QN_OK);
        assert_int_equal(value.kind, kinds[i]);
        assert_int_equal(value.is_key, i % 2 == 0);
        assert_int_equal(value.index, i / 2);
    }
    assert_int_equal(pof_reader_next(&r, &value), QN_ABSENT);
    buf_fini(&out);
}

/* An old program that rewrites a newer object keeps what it does not know (section "Evolvable" of
 * the format; vector evolvable/v2-read-and-rewritten-by-v1). */
static void unknown_properties_survive_a_rewrite(void **state)
{
    static const char source[] = "\xa8\x0f\x02\x00\x4e\x03"
                                 "Bea\x02\x4e\x0f"
                                 "bea@example.org\x03\x56\x4e\x02\x01x\x01y\x40";
    static const char rewritten[] = "\xa8\x0f\x02\x00\x4e\x03"
                                    "Bea\x01\x41\x29\x02\x4e\x0f"
                                    "bea@example.org\x03\x56\x4e\x02\x01x\x01y\x40";
    struct buf out = {0};
    struct pof_reader r;
    struct pof_writer w;
    struct pof_value value;
    struct bytes name, remainder;
    int32_t age = 9;

    (void)state;
    pof_reader_init(&r, bytes_of(source, sizeof source - 1));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(value.as.items.version, 2);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_read_string(&r, 0, &name), QN_OK);
    assert_int_equal(pof_read_int32(&r, 1, &age), QN_OK);
    assert_int_equal(age, 0);
    assert_int_equal(pof_read_remainder(&r, &remainder), QN_OK);
    assert_int_equal(pof_reader_leave(&r), QN_OK);

    pof_writer_init(&w, &out);
    pof_begin_user(&w, POF_NEXT, value.type, value.as.items.version);
    pof_write_string(&w, 0, name);
    pof_write_int32(&w, 1, 41);
    pof_write_remainder(&w, remainder);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of(rewritten, sizeof rewritten - 1));
    buf_fini(&out);
}

/* Nothing left is a remainder of nothing; another end mark than -1 is refused here. */
static void an_empty_remainder_has_no_octets(void **state)
{
    struct pof_reader r;
    struct bytes remainder = bytes_of_text("x");

    (void)state;
    enter(&r, bytes_of("\x01\x00\x40", 3));
    assert_int_equal(pof_read_remainder(&r, &remainder), QN_OK);
    assert_null(remainder.data);
    enter(&r, bytes_of("\x01\x00\x00\x6a\x41", 5));
    assert_int_equal(pof_read_remainder(&r, &remainder), QN_MALFORMED);
}

static enum qn_status int64_of(const char *pof, size_t size, int64_t *number)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, bytes_of(pof, size));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    return pof_value_int64(&value, number);
}

/* Whole numbers come from any number that fits; fractions are cut off. */
static void numbers_convert_when_they_fit(void **state)
{
    int64_t number = 0;

    (void)state;
    assert_int_equal(int64_of("\x61", 1, &number), QN_OK); /* true */
    assert_int_equal(number, 1);
    assert_int_equal(int64_of("\x4d\xc3\xa9", 3, &number), QN_OK); /* a char */
    assert_int_equal(number, 0xe9);
    assert_int_equal(int64_of("\x44\xc0\x20\x00\x00", 5, &number), QN_OK); /* -2.5 */
    assert_int_equal(number, -2);
    assert_int_equal(int64_of("\x47\x80\x02\x01", 4, &number), QN_OK); /* 12.8 */
    assert_int_equal(number, 12);
    assert_int_equal(int64_of("\x47\x0c\x41", 3, &number), QN_OK); /* 12 * 10^2 */
    assert_int_equal(number, 1200);
    assert_int_equal(int64_of("\x47\x0c\x7f", 3, &number), QN_WRONG_TYPE); /* 12 * 10^64 */
    assert_int_equal(int64_of("\x43\x41", 2, &number), QN_OK);             /* int128 -2 */
    assert_int_equal(number, -2);
    assert_int_equal(int64_of("\x43\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 11, &number),
                     QN_WRONG_TYPE);                               /* 2^63 */
    assert_int_equal(int64_of("\x65", 1, &number), QN_WRONG_TYPE); /* infinity */
    assert_int_equal(int64_of("\x67", 1, &number), QN_WRONG_TYPE); /* NaN */
    assert_int_equal(int64_of("\x64", 1, &number), QN_WRONG_TYPE); /* null */
}

/* References are given as they come; with a table of identities, unknown ones are refused. */
static void references_are_checked_against_the_table(void **state)
{
    static const char known[] = "\x55\x02\x5e\x01\x01\x00\x40\x5f\x01";
    static const char unknown[] = "\x55\x02\x5e\x01\x01\x00\x40\x5f\x02";
    struct pof_reader r;
    struct pof_value value;
    struct buf table = {0};

    (void)state;
    for (int i = 0; i < 4; i++) {
        bool track = i >= 2;
        buf_clear(&table);
        pof_reader_init(&r, bytes_of(i % 2 ? unknown : known, sizeof known - 1));
        if (track) {
            pof_reader_track_identities(&r, &table);
        }
        assert_int_equal(pof_reader_next(&r, &value), QN_OK);
        assert_int_equal(pof_reader_enter(&r), QN_OK);
        assert_int_equal(pof_reader_next(&r, &value), QN_OK);
        assert_int_equal(value.identity, 1);
        enum qn_status expected = track && i % 2 ? QN_MALFORMED : QN_OK;
        assert_int_equal(pof_reader_next(&r, &value), expected);
        if (expected == QN_OK) {
            assert_int_equal(value.kind, POF_KIND_REFERENCE);
            assert_int_equal(value.as.reference, i % 2 + 1);
        }
    }
    buf_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_reads_give_back_what_was_written),
        cmocka_unit_test(absent_properties_have_defaults),
        cmocka_unit_test(going_back_is_invalid),
        cmocka_unit_test(another_type_is_told_and_passed),
        cmocka_unit_test(containers_are_entered_or_skipped),
        cmocka_unit_test(a_map_gives_keys_and_values_in_turn),
        cmocka_unit_test(unknown_properties_survive_a_rewrite),
        cmocka_unit_test(an_empty_remainder_has_no_octets),
        cmocka_unit_test(numbers_convert_when_they_fit),
        cmocka_unit_test(references_are_checked_against_the_table),
    };

    return RUN_TESTS(tests);
}
