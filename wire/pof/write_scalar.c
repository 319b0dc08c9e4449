/* The scalars of the writer: each asks for its place and writes itself in the form it is told. */
#include <math.h>

#include "wire/pof/packed.h"
#include "wire/pof/temporal.h"
#include "wire/pof/text.h"
#include "wire/pof/writer_parts.h"

enum { SMALL_MIN = -1, SMALL_MAX = 22 };

static bool is_small(int64_t value)
{
    return value >= SMALL_MIN && value <= SMALL_MAX;
}

static void put_small(struct pof_writer *w, int64_t value)
{
    pof_writer_put_packed(w, POF_SMALL_ZERO - value);
}

static void put_big_endian(struct pof_writer *w, uint64_t bits, unsigned size)
{
    uint8_t octets[8];

    for (unsigned i = 0; i < size; i++) {
        octets[i] = (uint8_t)(bits >> (8 * (size - 1 - i)));
    }
    pof_writer_put(w, octets, size);
}

void pof_write_null(struct pof_writer *w, int32_t index)
{
    if (pof_writer_place(w, index, POF_SMALL_NULL, true) != POF_FORM_NOTHING) {
        pof_writer_put_packed(w, POF_SMALL_NULL);
    }
}

void pof_write_bool(struct pof_writer *w, int32_t index, bool value)
{
    enum pof_form form = pof_writer_place(w, index, POF_BOOL, !value);

    if (form == POF_FORM_SMALL) {
        pof_writer_put_packed(w, value ? POF_SMALL_TRUE : POF_SMALL_FALSE);
    } else if (form != POF_FORM_NOTHING) {
        pof_writer_put_type(w, form, POF_BOOL);
        pof_writer_put_packed(w, value ? 1 : 0);
    }
}

void pof_write_octet(struct pof_writer *w, int32_t index, uint8_t value)
{
    enum pof_form form = pof_writer_place(w, index, POF_OCTET, value == 0);
    int as_signed = value == UINT8_MAX ? -1 : value;

    if (form == POF_FORM_SMALL && is_small(as_signed)) {
        put_small(w, as_signed);
    } else if (form != POF_FORM_NOTHING) {
        pof_writer_put_type(w, form, POF_OCTET);
        pof_writer_put(w, &value, 1);
    }
}

void pof_write_char(struct pof_writer *w, int32_t index, uint16_t utf16_unit)
{
    enum pof_form form = pof_writer_place(w, index, POF_CHAR, utf16_unit == 0);
    int as_signed = utf16_unit == UINT16_MAX ? -1 : utf16_unit;
    uint8_t octets[3];

    if (form == POF_FORM_SMALL && is_small(as_signed)) {
        put_small(w, as_signed);
    } else if (form != POF_FORM_NOTHING) {
        pof_writer_put_type(w, form, POF_CHAR);
        pof_writer_put(w, octets, pof_text_put_unit(octets, utf16_unit));
    }
}

static void write_integer(struct pof_writer *w, int32_t index, int32_t type, int64_t value)
{
    enum pof_form form = pof_writer_place(w, index, type, value == 0);

    if (form == POF_FORM_SMALL && is_small(value)) {
        put_small(w, value);
    } else if (form != POF_FORM_NOTHING) {
        pof_writer_put_type(w, form, type);
        pof_writer_put_packed(w, value);
    }
}

void pof_write_int16(struct pof_writer *w, int32_t index, int16_t value)
{
    write_integer(w, index, POF_INT16, value);
}

void pof_write_int32(struct pof_writer *w, int32_t index, int32_t value)
{
    write_integer(w, index, POF_INT32, value);
}

void pof_write_int64(struct pof_writer *w, int32_t index, int64_t value)
{
    write_integer(w, index, POF_INT64, value);
}

static void put_packed128(struct pof_writer *w, struct pof_int128 value)
{
    uint8_t octets[PACKED_SIZE_MAX];

    pof_writer_put(w, octets, packed_put128(octets, value));
}

/* Place and type id of a value that is never small and never left out. False: write nothing. */
static bool begin_full(struct pof_writer *w, int32_t index, int32_t type)
{
    enum pof_form form = pof_writer_place(w, index, type, false);

    pof_writer_put_type(w, form, type);
    return w->status == QN_OK;
}

void pof_write_int128(struct pof_writer *w, int32_t index, struct pof_int128 value)
{
    if (begin_full(w, index, POF_INT128)) {
        put_packed128(w, value);
    }
}

/* The type id that stands for a float, 0 when there is none. */
static int32_t small_float(double value)
{
    if (isnan(value)) {
        return POF_SMALL_NAN;
    }
    if (isinf(value)) {
        return value > 0 ? POF_SMALL_INFINITY : POF_SMALL_MINUS_INFINITY;
    }
    if (value < SMALL_MIN || value > SMALL_MAX || (value == 0 && signbit(value))) {
        return 0;
    }
    int32_t whole = (int32_t)value;
    return value == whole ? POF_SMALL_ZERO - whole : 0;
}

void pof_write_float32(struct pof_writer *w, int32_t index, float value)
{
    enum pof_form form = pof_writer_place(w, index, POF_FLOAT32, value == 0);
    int32_t small = small_float(value);
    uint32_t bits;

    if (form == POF_FORM_SMALL && small != 0) {
        pof_writer_put_packed(w, small);
    } else if (form != POF_FORM_NOTHING) {
        memcpy(&bits, &value, sizeof bits);
        pof_writer_put_type(w, form, POF_FLOAT32);
        put_big_endian(w, isnan(value) ? 0x7fc00000u : bits, sizeof bits);
    }
}

void pof_write_float64(struct pof_writer *w, int32_t index, double value)
{
    enum pof_form form = pof_writer_place(w, index, POF_FLOAT64, value == 0);
    int32_t small = small_float(value);
    uint64_t bits;

    if (form == POF_FORM_SMALL && small != 0) {
        pof_writer_put_packed(w, small);
    } else if (form != POF_FORM_NOTHING) {
        memcpy(&bits, &value, sizeof bits);
        pof_writer_put_type(w, form, POF_FLOAT64);
        put_big_endian(w, isnan(value) ? 0x7ff8000000000000u : bits, sizeof bits);
    }
}

void pof_write_float128(struct pof_writer *w, int32_t index, const uint8_t big_endian[16])
{
    if (begin_full(w, index, POF_FLOAT128)) {
        pof_writer_put(w, big_endian, 16);
    }
}

void pof_write_decimal(struct pof_writer *w, int32_t index, struct pof_decimal value)
{
    int32_t type = pof_decimal_type(&value);

    if (type == 0) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, type)) {
        put_packed128(w, value.unscaled);
        pof_writer_put_packed(w, value.scale);
    }
}

static void put_sized(struct pof_writer *w, struct bytes octets)
{
    if (octets.size > INT32_MAX) {
        pof_writer_fail(w, QN_TOO_LARGE);
        return;
    }
    pof_writer_put_packed(w, (int64_t)octets.size);
    pof_writer_put(w, octets.data, octets.size);
}

void pof_write_string(struct pof_writer *w, int32_t index, struct bytes utf8)
{
    if (pof_text_check(utf8) != POF_TEXT_STANDARD) {
        pof_writer_fail(w, QN_MALFORMED);
    } else if (begin_full(w, index, POF_STRING)) {
        put_sized(w, utf8);
    }
}

void pof_write_octets(struct pof_writer *w, int32_t index, struct bytes octets)
{
    if (begin_full(w, index, POF_OCTETS)) {
        put_sized(w, octets);
    }
}

void pof_write_octet_array(struct pof_writer *w, int32_t index, struct bytes octets)
{
    if (begin_full(w, index, POF_UNIFORM_ARRAY)) {
        pof_writer_put_packed(w, POF_OCTET);
        put_sized(w, octets);
    }
}

static void put_date(struct pof_writer *w, const struct pof_date *date)
{
    pof_writer_put_packed(w, date->year);
    pof_writer_put_packed(w, date->month);
    pof_writer_put_packed(w, date->day);
}

/* The fraction is whole milliseconds when it can be, else nanoseconds, told apart by the sign. */
static void put_time(struct pof_writer *w, const struct pof_time *time)
{
    uint8_t zone = (uint8_t)time->zone;
    bool whole_millis = time->nano % 1000000 == 0;

    pof_writer_put_packed(w, time->hour);
    pof_writer_put_packed(w, time->minute);
    pof_writer_put_packed(w, time->second);
    pof_writer_put_packed(w, whole_millis ? time->nano / 1000000 : -time->nano);
    pof_writer_put(w, &zone, 1);
    if (time->zone == POF_ZONE_OFFSET) {
        pof_writer_put_packed(w, time->zone_hour);
        pof_writer_put_packed(w, time->zone_minute);
    }
}

void pof_write_date(struct pof_writer *w, int32_t index, struct pof_date value)
{
    if (!pof_date_exists(&value)) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, POF_DATE)) {
        put_date(w, &value);
    }
}

void pof_write_time(struct pof_writer *w, int32_t index, struct pof_time value)
{
    if (!pof_time_exists(&value)) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, POF_TIME)) {
        put_time(w, &value);
    }
}

void pof_write_datetime(struct pof_writer *w, int32_t index, struct pof_datetime value)
{
    if (!pof_date_exists(&value.date) || !pof_time_exists(&value.time)) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, POF_DATETIME)) {
        put_date(w, &value.date);
        put_time(w, &value.time);
    }
}

void pof_write_year_month(struct pof_writer *w, int32_t index, struct pof_year_month value)
{
    if (!pof_year_month_exists(&value)) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, POF_YEAR_MONTH_INTERVAL)) {
        pof_writer_put_packed(w, value.years);
        pof_writer_put_packed(w, value.months);
    }
}

static void put_time_interval(struct pof_writer *w, const struct pof_day_time *value)
{
    pof_writer_put_packed(w, value->hours);
    pof_writer_put_packed(w, value->minutes);
    pof_writer_put_packed(w, value->seconds);
    pof_writer_put_packed(w, value->nanos);
}

void pof_write_time_interval(struct pof_writer *w, int32_t index, struct pof_day_time value)
{
    if (value.days != 0 || !pof_day_time_exists(&value)) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, POF_TIME_INTERVAL)) {
        put_time_interval(w, &value);
    }
}

void pof_write_day_time(struct pof_writer *w, int32_t index, struct pof_day_time value)
{
    if (!pof_day_time_exists(&value)) {
        pof_writer_fail(w, QN_INVALID);
    } else if (begin_full(w, index, POF_DAY_TIME_INTERVAL)) {
        pof_writer_put_packed(w, value.days);
        put_time_interval(w, &value);
    }
}
