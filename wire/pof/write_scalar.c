/* The scalars of the writer: each asks for its place and writes itself in the form it is told. */
#include <math.h>

#include "wire/pof/packed.h"
#include "wire/pof/temporal.h"
#include "wire/pof/text.h"
#include "wire/pof/writer_parts.h"

enum {
    SMALL_MIN = -1,
    SMALL_MAX = 22,
    NO_SMALL = 0, /* a type id that is nobody's small value */
    /* Index, type id and encoding of a number. */
    NUMBER_SIZE_MAX = 3 * PACKED_64_SIZE_MAX,
    TEMPORAL_SIZE_MAX = 10 * PACKED_64_SIZE_MAX,
};

/* The type id that stands for a whole number, or NO_SMALL. */
static int32_t small_integer(int64_t value)
{
    return value >= SMALL_MIN && value <= SMALL_MAX ? (int32_t)(POF_SMALL_ZERO - value) : NO_SMALL;
}

static uint8_t *begin_number_slow(struct pof_writer *w, int32_t index, int32_t type, int32_t small,
                                  bool is_default)
{
    enum pof_form form = pof_writer_place(w, index, type, is_default);
    uint8_t *at = form == POF_FORM_NOTHING ? NULL : pof_writer_room(w, NUMBER_SIZE_MAX);

    if (at && form == POF_FORM_SMALL && small != NO_SMALL) {
        *at = pof_type_octet(small);
        w->at = at + 1;
        return NULL;
    }
    return at && form != POF_FORM_BARE ? pof_put_packed(at, type) : at;
}

/* Place and type id of a number, bool or char with room for its encoding; or the one octet of the
 * small value `small`, or nothing at all, and NULL. */
static inline uint8_t *begin_number(struct pof_writer *w, int32_t index, int32_t type,
                                    int32_t small, bool is_default)
{
    if (!pof_writer_is_next_property(w, index) || (size_t)(w->end - w->at) < NUMBER_SIZE_MAX) {
        return begin_number_slow(w, index, type, small, is_default);
    }
    bool full = w->full;
    w->top->last_index = index;
    if (is_default && !full) {
        return NULL;
    }
    uint8_t *at = w->at;
    w->full = false;
    at[0] = (uint8_t)index;
    if (small != NO_SMALL && !full) {
        at[1] = pof_type_octet(small);
        w->at = at + 2;
        return NULL;
    }
    at[1] = pof_type_octet(type);
    return at + 2;
}

void pof_write_null(struct pof_writer *w, int32_t index)
{
    uint8_t *at = begin_number(w, index, POF_SMALL_NULL, POF_SMALL_NULL, true);

    if (at) {
        w->at = at;
    }
}

void pof_write_bool(struct pof_writer *w, int32_t index, bool value)
{
    uint8_t *at =
        begin_number(w, index, POF_BOOL, value ? POF_SMALL_TRUE : POF_SMALL_FALSE, !value);

    if (at) {
        *at = value ? 1 : 0;
        w->at = at + 1;
    }
}

void pof_write_octet(struct pof_writer *w, int32_t index, uint8_t value)
{
    int as_signed = value == UINT8_MAX ? -1 : value;
    uint8_t *at = begin_number(w, index, POF_OCTET, small_integer(as_signed), value == 0);

    if (at) {
        *at = value;
        w->at = at + 1;
    }
}

void pof_write_char(struct pof_writer *w, int32_t index, uint16_t utf16_unit)
{
    int as_signed = utf16_unit == UINT16_MAX ? -1 : utf16_unit;
    uint8_t *at = begin_number(w, index, POF_CHAR, small_integer(as_signed), utf16_unit == 0);

    if (at) {
        w->at = at + pof_text_put_unit(at, utf16_unit);
    }
}

static inline void write_integer(struct pof_writer *w, int32_t index, int32_t type, int64_t value)
{
    uint8_t *at = begin_number(w, index, type, small_integer(value), value == 0);

    if (at) {
        w->at = pof_put_packed(at, value);
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

void pof_write_int128(struct pof_writer *w, int32_t index, struct pof_int128 value)
{
    uint8_t *at = pof_writer_begin(w, index, POF_INT128, PACKED_SIZE_MAX);

    if (at) {
        w->at = at + packed_put128(at, value);
    }
}

/* The type id that stands for a float, or NO_SMALL. */
static int32_t small_float(double value)
{
    if (isnan(value)) {
        return POF_SMALL_NAN;
    }
    if (isinf(value)) {
        return value > 0 ? POF_SMALL_INFINITY : POF_SMALL_MINUS_INFINITY;
    }
    if (value < SMALL_MIN || value > SMALL_MAX || (value == 0 && signbit(value))) {
        return NO_SMALL;
    }
    int32_t whole = (int32_t)value;
    return value == whole ? POF_SMALL_ZERO - whole : NO_SMALL;
}

void pof_write_float32(struct pof_writer *w, int32_t index, float value)
{
    uint8_t *at = begin_number(w, index, POF_FLOAT32, small_float((double)value), value == 0);

    if (at) {
        w->at = pof_put_float32(at, value);
    }
}

void pof_write_float64(struct pof_writer *w, int32_t index, double value)
{
    uint8_t *at = begin_number(w, index, POF_FLOAT64, small_float(value), value == 0);

    if (at) {
        w->at = pof_put_float64(at, value);
    }
}

void pof_write_float128(struct pof_writer *w, int32_t index, const uint8_t big_endian[16])
{
    uint8_t *at = pof_writer_begin(w, index, POF_FLOAT128, 16);

    if (at) {
        memcpy(at, big_endian, 16);
        w->at = at + 16;
    }
}

void pof_write_decimal(struct pof_writer *w, int32_t index, struct pof_decimal value)
{
    int32_t type = pof_decimal_type(&value);

    if (type == 0) {
        pof_writer_fail(w, QN_INVALID);
        return;
    }
    uint8_t *at = pof_writer_begin(w, index, type, PACKED_SIZE_MAX + PACKED_64_SIZE_MAX);
    if (at) {
        at += packed_put128(at, value.unscaled);
        w->at = pof_put_packed(at, value.scale);
    }
}

/* Copy octets, most of which are short: a call of memcpy takes longer than the copy. */
static inline void copy(uint8_t *to, struct bytes from)
{
    uint64_t first;
    uint64_t last;

    if (from.size < 8 || from.size > 16) {
        if (from.size > 0) {
            memcpy(to, from.data, from.size);
        }
        return;
    }
    memcpy(&first, from.data, sizeof first);
    memcpy(&last, from.data + from.size - 8, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + from.size - 8, &last, sizeof last);
}

/* `prefix`: an element type in front of the length, or 0. */
static inline void write_sized(struct pof_writer *w, int32_t index, int32_t type, int32_t prefix,
                               struct bytes octets)
{
    if (octets.size > INT32_MAX) {
        pof_writer_fail(w, QN_TOO_LARGE);
        return;
    }
    uint8_t *at = pof_writer_begin(w, index, type, octets.size + 2 * PACKED_64_SIZE_MAX);
    if (!at) {
        return;
    }
    at = prefix != 0 ? pof_put_packed(at, prefix) : at;
    at = pof_put_packed(at, (int64_t)octets.size);
    copy(at, octets);
    w->at = at + octets.size;
}

static inline uint64_t eight_at(const uint8_t *at)
{
    uint64_t eight;

    memcpy(&eight, at, sizeof eight);
    return eight;
}

static inline uint32_t four_at(const uint8_t *at)
{
    uint32_t four;

    memcpy(&four, at, sizeof four);
    return four;
}

static const uint64_t HIGH_BITS = UINT64_C(0x8080808080808080);

/* Copy a short text (4 to 32 octets) by words that overlap; false: not all of it is ASCII. */
static inline bool copy_short_ascii(uint8_t *to, struct bytes text)
{
    if (text.size < 8) {
        uint32_t first = four_at(text.data);
        uint32_t last = four_at(text.data + text.size - 4);
        memcpy(to, &first, sizeof first);
        memcpy(to + text.size - 4, &last, sizeof last);
        return ((first | last) & HIGH_BITS) == 0;
    }
    uint64_t bits = eight_at(text.data) | eight_at(text.data + text.size - 8);
    if (text.size > 16) {
        bits |= eight_at(text.data + 8) | eight_at(text.data + text.size - 16);
        memcpy(to + 8, text.data + 8, 8);
        memcpy(to + text.size - 16, text.data + text.size - 16, 8);
    }
    memcpy(to, text.data, 8);
    memcpy(to + text.size - 8, text.data + text.size - 8, 8);
    return (bits & HIGH_BITS) == 0;
}

/* Most texts are short and ASCII: they are checked while they are copied. */
void pof_write_string(struct pof_writer *w, int32_t index, struct bytes utf8)
{
    bool is_short = utf8.size >= 4 && utf8.size <= 32;

    if (is_short) {
        uint8_t *at = pof_writer_begin(w, index, POF_STRING, utf8.size + PACKED_64_SIZE_MAX);
        if (!at) {
            return;
        }
        *at = (uint8_t)utf8.size; /* below 64: one octet */
        w->at = at + 1 + utf8.size;
        if (copy_short_ascii(at + 1, utf8) || pof_text_check(utf8) == POF_TEXT_STANDARD) {
            return;
        }
        pof_writer_fail(w, QN_MALFORMED);
    } else if (!pof_text_is_ascii(utf8) && pof_text_check(utf8) != POF_TEXT_STANDARD) {
        pof_writer_fail(w, QN_MALFORMED);
    } else {
        write_sized(w, index, POF_STRING, 0, utf8);
    }
}

void pof_write_octets(struct pof_writer *w, int32_t index, struct bytes octets)
{
    write_sized(w, index, POF_OCTETS, 0, octets);
}

void pof_write_octet_array(struct pof_writer *w, int32_t index, struct bytes octets)
{
    write_sized(w, index, POF_UNIFORM_ARRAY, POF_OCTET, octets);
}

static uint8_t *put_date(uint8_t *at, const struct pof_date *date)
{
    at = pof_put_packed(at, date->year);
    at = pof_put_packed(at, date->month);
    return pof_put_packed(at, date->day);
}

/* The fraction is whole milliseconds when it can be, else nanoseconds, told apart by the sign. */
static uint8_t *put_time(uint8_t *at, const struct pof_time *time)
{
    bool whole_millis = time->nano % 1000000 == 0;

    at = pof_put_packed(at, time->hour);
    at = pof_put_packed(at, time->minute);
    at = pof_put_packed(at, time->second);
    at = pof_put_packed(at, whole_millis ? time->nano / 1000000 : -time->nano);
    *at++ = (uint8_t)time->zone;
    if (time->zone == POF_ZONE_OFFSET) {
        at = pof_put_packed(at, time->zone_hour);
        at = pof_put_packed(at, time->zone_minute);
    }
    return at;
}

/* Begin a date, time or interval, when there is such a one. */
static uint8_t *begin_temporal(struct pof_writer *w, int32_t index, int32_t type, bool exists)
{
    if (!exists) {
        pof_writer_fail(w, QN_INVALID);
        return NULL;
    }
    return pof_writer_begin(w, index, type, TEMPORAL_SIZE_MAX);
}

void pof_write_date(struct pof_writer *w, int32_t index, struct pof_date value)
{
    uint8_t *at = begin_temporal(w, index, POF_DATE, pof_date_exists(&value));

    if (at) {
        w->at = put_date(at, &value);
    }
}

void pof_write_time(struct pof_writer *w, int32_t index, struct pof_time value)
{
    uint8_t *at = begin_temporal(w, index, POF_TIME, pof_time_exists(&value));

    if (at) {
        w->at = put_time(at, &value);
    }
}

void pof_write_datetime(struct pof_writer *w, int32_t index, struct pof_datetime value)
{
    bool exists = pof_date_exists(&value.date) && pof_time_exists(&value.time);
    uint8_t *at = begin_temporal(w, index, POF_DATETIME, exists);

    if (at) {
        w->at = put_time(put_date(at, &value.date), &value.time);
    }
}

void pof_write_year_month(struct pof_writer *w, int32_t index, struct pof_year_month value)
{
    uint8_t *at = begin_temporal(w, index, POF_YEAR_MONTH_INTERVAL, pof_year_month_exists(&value));

    if (at) {
        w->at = pof_put_packed(pof_put_packed(at, value.years), value.months);
    }
}

static uint8_t *put_time_interval(uint8_t *at, const struct pof_day_time *value)
{
    at = pof_put_packed(at, value->hours);
    at = pof_put_packed(at, value->minutes);
    at = pof_put_packed(at, value->seconds);
    return pof_put_packed(at, value->nanos);
}

void pof_write_time_interval(struct pof_writer *w, int32_t index, struct pof_day_time value)
{
    bool exists = value.days == 0 && pof_day_time_exists(&value);
    uint8_t *at = begin_temporal(w, index, POF_TIME_INTERVAL, exists);

    if (at) {
        w->at = put_time_interval(at, &value);
    }
}

void pof_write_day_time(struct pof_writer *w, int32_t index, struct pof_day_time value)
{
    uint8_t *at = begin_temporal(w, index, POF_DAY_TIME_INTERVAL, pof_day_time_exists(&value));

    if (at) {
        w->at = put_time_interval(pof_put_packed(at, value.days), &value);
    }
}
