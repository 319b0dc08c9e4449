/* Typed reads of the types that C has none for. */
#include "tests/lib/check.h"
#include "wire/pof/typed_wide.h"
#include "wire/pof/writer.h"

static const uint8_t quad[16] = {0x3f, 0xff, [15] = 1};

enum { INT128, DECIMAL, QUAD, YEAR_MONTH, TIME_INTERVAL, DAY_TIME, TIME, DATETIME, TEXT, ALL };

/* An object with a property of each type; then one of nulls. */
static void write_object(struct pof_writer *w, bool nulls)
{
    pof_begin_user(w, POF_NEXT, 1000, 0);
    for (int32_t i = 0; nulls && i < ALL; i++) {
        pof_writer_full(w);
        pof_write_null(w, i);
    }
    if (!nulls) {
        pof_write_int128(w, INT128, (struct pof_int128){.low = 5, .high = UINT64_MAX});
        pof_write_decimal(w, DECIMAL, (struct pof_decimal){.unscaled = {.low = 1280}, .scale = 2});
        pof_write_float128(w, QUAD, quad);
        pof_write_year_month(w, YEAR_MONTH, (struct pof_year_month){-3, 11});
        pof_write_time_interval(w, TIME_INTERVAL, (struct pof_day_time){.hours = -1, .nanos = 9});
        pof_write_day_time(w, DAY_TIME, (struct pof_day_time){.days = INT32_MIN, .minutes = 59});
        pof_write_time(w, TIME,
                       (struct pof_time){.hour = 23,
                                         .nano = 1,
                                         .zone = POF_ZONE_OFFSET,
                                         .zone_hour = -3,
                                         .zone_minute = 30});
        pof_write_datetime(w, DATETIME,
                           (struct pof_datetime){{2024, 2, 29}, {.zone = POF_ZONE_UTC, .hour = 4}});
        pof_write_string(w, TEXT, bytes_of_text("text"));
    }
    pof_end(w);
}

static void enter(struct pof_reader *r, struct buf *out, bool nulls)
{
    struct pof_writer w;
    struct pof_value value;

    buf_clear(out);
    pof_writer_init(&w, out);
    write_object(&w, nulls);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    pof_reader_init(r, buf_bytes(out));
    assert_int_equal(pof_reader_next(r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(r), QN_OK);
}

/* Each property reads as it was written. */
static void each_type_reads_as_it_was_written(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    struct pof_int128 wide;
    struct pof_decimal decimal;
    uint8_t float128[16];
    struct pof_year_month year_month;
    struct pof_day_time interval;

    (void)state;
    enter(&r, &out, false);
    assert_int_equal(pof_read_int128(&r, INT128, &wide), QN_OK);
    assert_true(wide.low == 5 && wide.high == UINT64_MAX);
    assert_int_equal(pof_read_decimal(&r, DECIMAL, &decimal), QN_OK);
    assert_true(decimal.unscaled.low == 1280 && decimal.scale == 2);
    assert_int_equal(pof_read_float128(&r, QUAD, float128), QN_OK);
    assert_memory_equal(float128, quad, sizeof quad);
    assert_int_equal(pof_read_year_month(&r, YEAR_MONTH, &year_month), QN_OK);
    assert_true(year_month.years == -3 && year_month.months == 11);
    assert_int_equal(pof_read_time_interval(&r, TIME_INTERVAL, &interval), QN_OK);
    assert_true(interval.days == 0 && interval.hours == -1 && interval.nanos == 9);
    assert_int_equal(pof_read_day_time(&r, DAY_TIME, &interval), QN_OK);
    assert_true(interval.days == INT32_MIN && interval.minutes == 59 && interval.nanos == 0);
    buf_fini(&out);
}

/* The zone comes with times and datetimes: none, UTC, or an offset whose hour carries the sign. */
static void times_keep_their_zone(void **state)
{
    struct buf out = {0};
    struct pof_reader r;
    struct pof_time time;
    struct pof_datetime datetime;

    (void)state;
    enter(&r, &out, false);
    assert_int_equal(pof_read_time(&r, TIME, &time), QN_OK);
    assert_int_equal(time.zone, POF_ZONE_OFFSET);
    assert_int_equal(time.zone_hour, -3);
    assert_int_equal(time.zone_minute, 30);
    assert_int_equal(pof_read_datetime(&r, DATETIME, &datetime), QN_OK);
    assert_int_equal(datetime.time.zone, POF_ZONE_UTC);
    assert_int_equal(datetime.time.zone_hour, 0);
    buf_fini(&out);
}

static void expect_zeros(struct pof_reader *r, int32_t index)
{
    static const uint8_t zeros[sizeof(struct pof_decimal)] = {0};
    struct pof_int128 wide = {1, 1};
    struct pof_decimal decimal = {{1, 1}, 1};
    uint8_t float128[16] = {1};
    struct pof_year_month year_month = {1, 1};
    struct pof_day_time time = {1, 1, 1, 1, 1};
    struct pof_day_time day = {1, 1, 1, 1, 1};

    assert_int_equal(pof_read_int128(r, index + INT128, &wide), QN_OK);
    assert_memory_equal(&wide, zeros, sizeof wide);
    assert_int_equal(pof_read_decimal(r, index + DECIMAL, &decimal), QN_OK);
    assert_true(decimal.unscaled.low == 0 && decimal.unscaled.high == 0 && decimal.scale == 0);
    assert_int_equal(pof_read_float128(r, index + QUAD, float128), QN_OK);
    assert_memory_equal(float128, zeros, sizeof float128);
    assert_int_equal(pof_read_year_month(r, index + YEAR_MONTH, &year_month), QN_OK);
    assert_memory_equal(&year_month, zeros, sizeof year_month);
    assert_int_equal(pof_read_time_interval(r, index + TIME_INTERVAL, &time), QN_OK);
    assert_memory_equal(&time, zeros, sizeof time);
    assert_int_equal(pof_read_day_time(r, index + DAY_TIME, &day), QN_OK);
    assert_memory_equal(&day, zeros, sizeof day);
}

/* What is absent or null reads as zeros. */
static void absent_and_null_are_zeros(void **state)
{
    struct buf out = {0};
    struct pof_reader r;

    (void)state;
    enter(&r, &out, false);
    expect_zeros(&r, 100);
    enter(&r, &out, true);
    expect_zeros(&r, 0);
    buf_fini(&out);
}

/* A text is none of these types; the next property can still be read. */
static void another_type_is_told(void **state)
{
    static const uint8_t nothing[16] = {0};
    struct buf out = {0};
    struct pof_reader r;
    struct pof_int128 wide = {7, 7};
    struct pof_decimal decimal = {{7, 7}, 7};
    uint8_t float128[16] = {0};
    struct pof_year_month year_month;
    struct pof_day_time interval;
    struct bytes text;

    (void)state;
    enter(&r, &out, false);
    assert_int_equal(pof_read_day_time(&r, INT128, &interval), QN_WRONG_TYPE);
    assert_int_equal(pof_read_year_month(&r, DECIMAL, &year_month), QN_WRONG_TYPE);
    assert_int_equal(pof_read_int128(&r, QUAD, &wide), QN_WRONG_TYPE);
    assert_int_equal(pof_read_decimal(&r, YEAR_MONTH, &decimal), QN_WRONG_TYPE);
    assert_int_equal(pof_read_day_time(&r, TIME_INTERVAL, &interval), QN_WRONG_TYPE);
    assert_int_equal(pof_read_time_interval(&r, DAY_TIME, &interval), QN_WRONG_TYPE);
    assert_int_equal(pof_read_float128(&r, TIME, float128), QN_WRONG_TYPE);
    assert_int_equal(pof_read_string(&r, TEXT, &text), QN_OK);
    assert_true(wide.low == 7 && decimal.scale == 7);
    assert_memory_equal(float128, nothing, sizeof nothing);
    buf_fini(&out);
}

/* The one value in `pof`. */
static struct pof_value value_of(const char *pof, size_t size)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, bytes_of(pof, size));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    return value;
}

/* Wide numbers come from narrow ones, small ones too; a decimal not from a float. */
static void wide_numbers_come_from_narrow_ones(void **state)
{
    struct pof_value small = value_of("\x68", 1);                /* -1 */
    struct pof_value price = value_of("\x47\x80\x02\x01", 4);    /* 12.8 */
    struct pof_value half = value_of("\x44\x3f\x00\x00\x00", 5); /* 0.5 */
    struct pof_value null = value_of("\x64", 1);
    struct pof_int128 wide;
    struct pof_decimal decimal;

    (void)state;
    assert_int_equal(pof_value_int128(&small, &wide), QN_OK);
    assert_true(wide.low == UINT64_MAX && wide.high == UINT64_MAX);
    assert_int_equal(pof_value_decimal(&small, &decimal), QN_OK);
    assert_true(decimal.unscaled.low == UINT64_MAX && decimal.scale == 0);
    assert_int_equal(pof_value_int128(&price, &wide), QN_OK);
    assert_true(wide.low == 12);
    assert_int_equal(pof_value_int128(&half, &wide), QN_OK);
    assert_true(wide.low == 0);
    assert_int_equal(pof_value_decimal(&half, &decimal), QN_WRONG_TYPE);
    assert_int_equal(pof_value_int128(&null, &wide), QN_WRONG_TYPE);
    assert_int_equal(pof_value_decimal(&null, &decimal), QN_WRONG_TYPE);
}

/* Present, null and absent are told apart; the property stays to be read, lower ones do not. */
static void an_absent_property_is_told_from_a_default_one(void **state)
{
    static const char object[] = "\x01\x00\x00\x41\x00\x02\x64\x05\x6a\x40";
    struct pof_reader r;
    struct pof_value value;
    int32_t number = 9;

    (void)state;
    pof_reader_init(&r, bytes_of(object, sizeof object - 1));
    assert_int_equal(pof_reader_has(&r, 0), QN_INVALID);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_reader_has(&r, 0), QN_OK);
    assert_int_equal(pof_reader_has(&r, 0), QN_OK);
    assert_int_equal(pof_read_int32(&r, 0, &number), QN_OK);
    assert_int_equal(number, 0);
    assert_int_equal(pof_reader_has(&r, 0), QN_INVALID);
    assert_int_equal(pof_reader_has(&r, 1), QN_ABSENT);
    assert_int_equal(pof_read_int32(&r, 1, &number), QN_OK);
    assert_int_equal(pof_reader_has(&r, 2), QN_OK);
    assert_int_equal(pof_reader_find(&r, 2, &value), QN_OK);
    assert_int_equal(value.kind, POF_KIND_NULL);
    assert_int_equal(pof_reader_has(&r, 5), QN_OK);
    assert_int_equal(pof_read_int32(&r, 4, &number), QN_INVALID);
    assert_int_equal(pof_read_int32(&r, 5, &number), QN_OK);
    assert_int_equal(number, 1);
    assert_int_equal(pof_reader_has(&r, 6), QN_ABSENT);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_reads_as_it_was_written),
        cmocka_unit_test(times_keep_their_zone),
        cmocka_unit_test(absent_and_null_are_zeros),
        cmocka_unit_test(another_type_is_told),
        cmocka_unit_test(wide_numbers_come_from_narrow_ones),
        cmocka_unit_test(an_absent_property_is_told_from_a_default_one),
    };

    return RUN_TESTS(tests);
}
