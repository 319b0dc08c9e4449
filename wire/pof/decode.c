#include "wire/pof/decode.h"

#include <math.h>

#include "wire/assert.h"
#include "wire/pof/packed.h"
#include "wire/pof/temporal.h"
#include "wire/pof/text.h"

enum { NANOS_PER_MILLI = 1000000, NANOS_MAX = 999999999 };

struct type_row {
    enum pof_kind kind;
    uint8_t size_min; /* octets of the encoding */
    bool fixed;       /* never more than that */
};

/* Row n is type id -1 - n, down to the last id that is not an integer. */
static const struct type_row types[] = {
    {POF_KIND_INT16, 1, false},         {POF_KIND_INT32, 1, false},
    {POF_KIND_INT64, 1, false},         {POF_KIND_INT128, 1, false},
    {POF_KIND_FLOAT32, 4, true},        {POF_KIND_FLOAT64, 8, true},
    {POF_KIND_FLOAT128, 16, true},      {POF_KIND_DECIMAL, 2, false},
    {POF_KIND_DECIMAL, 2, false},       {POF_KIND_DECIMAL, 2, false},
    {POF_KIND_BOOL, 1, false},          {POF_KIND_OCTET, 1, true},
    {POF_KIND_OCTETS, 1, false},        {POF_KIND_CHAR, 1, false},
    {POF_KIND_STRING, 1, false},        {POF_KIND_DATE, 3, false},
    {POF_KIND_YEAR_MONTH, 2, false},    {POF_KIND_TIME, 5, false},
    {POF_KIND_TIME_INTERVAL, 4, false}, {POF_KIND_DATETIME, 8, false},
    {POF_KIND_DAY_TIME, 5, false},      {POF_KIND_COLLECTION, 1, false},
    {POF_KIND_COLLECTION, 2, false},    {POF_KIND_ARRAY, 1, false},
    {POF_KIND_ARRAY, 2, false},         {POF_KIND_SPARSE_ARRAY, 2, false},
    {POF_KIND_SPARSE_ARRAY, 3, false},  {POF_KIND_MAP, 1, false},
    {POF_KIND_MAP, 2, false},           {POF_KIND_MAP, 3, false},
    {POF_KIND_NULL, 2, false}, /* identity: a prefix, see pof_decode_kind */
    {POF_KIND_REFERENCE, 1, false},     {POF_KIND_BOOL, 0, true},
    {POF_KIND_BOOL, 0, true},           {POF_KIND_STRING, 0, true},
    {POF_KIND_COLLECTION, 0, false},    {POF_KIND_NULL, 0, true},
    {POF_KIND_FLOAT64, 0, true},        {POF_KIND_FLOAT64, 0, true},
    {POF_KIND_FLOAT64, 0, true},
};
_Static_assert(sizeof types / sizeof types[0] == -POF_SMALL_NAN, "one row for each type id");

/* Small integers share a row, as do user types. An object takes two octets, version and end mark,
 * but in a uniform container one octet may stand for it: the identity of an earlier object. */
static struct type_row row_of(int32_t type)
{
    if (type >= 0) {
        return (struct type_row){POF_KIND_USER, 1, false};
    }
    if (type <= POF_SMALL_MINUS_ONE) {
        return (struct type_row){POF_KIND_INT32, 0, true};
    }
    return types[-1 - type];
}

bool pof_decode_kind(int32_t type, enum pof_kind *kind)
{
    if (type < POF_SMALL_TWENTY_TWO || type == POF_IDENTITY) {
        return false;
    }
    *kind = row_of(type).kind;
    return true;
}

size_t pof_decode_size_min(int32_t type)
{
    return row_of(type).size_min;
}

bool pof_decode_size_is_fixed(int32_t type)
{
    return row_of(type).fixed;
}

static enum qn_status take_octets(struct bytes *in, size_t size, struct bytes *octets)
{
    if (size > in->size) {
        return QN_MALFORMED;
    }
    *octets = bytes_of(in->data, size);
    *in = bytes_of(in->data + size, in->size - size);
    return QN_OK;
}

static enum qn_status take_big_endian(struct bytes *in, size_t size, uint64_t *bits)
{
    struct bytes octets;
    enum qn_status status = take_octets(in, size, &octets);

    *bits = 0;
    for (size_t i = 0; status == QN_OK && i < size; i++) {
        *bits = *bits << 8 | octets.data[i];
    }
    return status;
}

static enum qn_status take_float32(struct bytes *in, float *value)
{
    uint64_t wide;
    enum qn_status status = take_big_endian(in, sizeof *value, &wide);
    uint32_t bits = (uint32_t)wide;

    memcpy(value, &bits, sizeof *value);
    return status;
}

static enum qn_status take_float64(struct bytes *in, double *value)
{
    uint64_t bits;
    enum qn_status status = take_big_endian(in, sizeof *value, &bits);

    memcpy(value, &bits, sizeof *value);
    return status;
}

static enum qn_status take_float128(struct bytes *in, uint8_t *value)
{
    struct bytes octets;
    enum qn_status status = take_octets(in, 16, &octets);

    if (status == QN_OK) {
        memcpy(value, octets.data, octets.size);
    }
    return status;
}

static enum qn_status take_decimal(struct bytes *in, struct pof_decimal *value)
{
    enum qn_status status = packed_take128(in, &value->unscaled);

    return status == QN_OK ? packed_take32(in, &value->scale) : status;
}

/* A length and that many octets. A negative length of a string means null, which some have written;
 * of an octet string it is an error. */
static enum qn_status take_sized(struct bytes *in, struct pof_value *value)
{
    int32_t size;
    enum qn_status status = packed_take_index(in, &size);

    if (status != QN_OK) {
        return status;
    }
    if (size < 0) {
        bool null = value->kind == POF_KIND_STRING;
        value->kind = POF_KIND_NULL;
        return null ? QN_OK : QN_MALFORMED;
    }
    return take_octets(in, (size_t)size,
                       value->kind == POF_KIND_STRING ? &value->as.text : &value->as.octets);
}

/* Packed integers into 32-bit fields, one after the other. */
static enum qn_status take_fields(struct bytes *in, int32_t *const fields[], size_t count)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && i < count; i++) {
        status = packed_take32(in, fields[i]);
    }
    return status;
}

static enum qn_status take_date(struct bytes *in, struct pof_date *date)
{
    return take_fields(in, (int32_t *const[]){&date->year, &date->month, &date->day}, 3);
}

static enum qn_status take_zone(struct bytes *in, struct pof_time *time)
{
    struct bytes octet;
    enum qn_status status = take_octets(in, 1, &octet);

    if (status != QN_OK) {
        return status;
    }
    if (octet.data[0] > POF_ZONE_OFFSET) {
        return QN_MALFORMED;
    }
    time->zone = (enum pof_zone)octet.data[0];
    if (time->zone != POF_ZONE_OFFSET) {
        return QN_OK;
    }
    return take_fields(in, (int32_t *const[]){&time->zone_hour, &time->zone_minute}, 2);
}

static enum qn_status take_time(struct bytes *in, struct pof_time *time)
{
    int32_t fraction;
    enum qn_status status = take_fields(
        in, (int32_t *const[]){&time->hour, &time->minute, &time->second, &fraction}, 4);

    if (status != QN_OK) {
        return status;
    }
    /* Positive: milliseconds; negative: nanoseconds. */
    int64_t nanos = fraction > 0 ? (int64_t)fraction * NANOS_PER_MILLI : -(int64_t)fraction;
    if (nanos > NANOS_MAX) {
        return QN_MALFORMED;
    }
    time->nano = (int32_t)nanos;
    return take_zone(in, time);
}

static enum qn_status take_datetime(struct bytes *in, struct pof_datetime *value)
{
    enum qn_status status = take_date(in, &value->date);

    return status == QN_OK ? take_time(in, &value->time) : status;
}

static enum qn_status take_day_time(struct bytes *in, bool with_days, struct pof_day_time *value)
{
    int32_t *const fields[] = {&value->days, &value->hours, &value->minutes, &value->seconds,
                               &value->nanos};
    size_t first = with_days ? 0 : 1;

    return take_fields(in, fields + first, 5 - first);
}

static enum qn_status take_integer(struct bytes *in, struct pof_value *value)
{
    int32_t number;

    if (value->kind == POF_KIND_INT64) {
        return packed_take64(in, &value->as.integer);
    }
    enum qn_status status = packed_take32(in, &number);
    /* Nobody checks the width of 16 bits when writing; everybody drops the rest when reading. */
    value->as.integer = value->kind == POF_KIND_INT16 ? (int16_t)(uint16_t)number : number;
    return status;
}

static enum qn_status take_bool(struct bytes *in, bool *value)
{
    int32_t number = 0;
    enum qn_status status = packed_take32(in, &number);

    *value = number != 0;
    return status;
}

/* A value that is its type id. */
static void fill_small(int32_t type, struct bytes in, struct pof_value *value)
{
    if (type <= POF_SMALL_MINUS_ONE) {
        value->as.integer = POF_SMALL_ZERO - type;
    } else if (value->kind == POF_KIND_BOOL) {
        value->as.boolean = type == POF_SMALL_TRUE;
    } else if (value->kind == POF_KIND_STRING) {
        value->as.text = bytes_of(in.data, 0);
    } else if (value->kind == POF_KIND_FLOAT64) {
        value->as.float64 = type == POF_SMALL_INFINITY         ? (double)INFINITY
                            : type == POF_SMALL_MINUS_INFINITY ? -(double)INFINITY
                                                               : (double)NAN;
    }
}

enum qn_status pof_decode_scalar(struct bytes *in, int32_t type, struct pof_value *value)
{
    qn_assert(!pof_kind_is_container(value->kind));
    if (type <= POF_SMALL_FALSE) {
        fill_small(type, *in, value);
        return QN_OK;
    }
    switch (value->kind) {
    case POF_KIND_BOOL:
        return take_bool(in, &value->as.boolean);
    case POF_KIND_OCTET: {
        struct bytes octet;
        enum qn_status status = take_octets(in, 1, &octet);
        value->as.octet = status == QN_OK ? octet.data[0] : 0;
        return status;
    }
    case POF_KIND_CHAR:
        return pof_text_take_unit(in, &value->as.character);
    case POF_KIND_INT16:
    case POF_KIND_INT32:
    case POF_KIND_INT64:
        return take_integer(in, value);
    case POF_KIND_INT128:
        return packed_take128(in, &value->as.int128);
    case POF_KIND_FLOAT32:
        return take_float32(in, &value->as.float32);
    case POF_KIND_FLOAT64:
        return take_float64(in, &value->as.float64);
    case POF_KIND_FLOAT128:
        return take_float128(in, value->as.float128);
    case POF_KIND_DECIMAL:
        return take_decimal(in, &value->as.decimal);
    case POF_KIND_STRING:
    case POF_KIND_OCTETS:
        return take_sized(in, value);
    case POF_KIND_DATE:
        return take_date(in, &value->as.date);
    case POF_KIND_TIME:
        return take_time(in, &value->as.time);
    case POF_KIND_DATETIME:
        return take_datetime(in, &value->as.datetime);
    case POF_KIND_YEAR_MONTH:
        return take_fields(
            in, (int32_t *const[]){&value->as.year_month.years, &value->as.year_month.months}, 2);
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
        return take_day_time(in, value->kind == POF_KIND_DAY_TIME, &value->as.day_time);
    case POF_KIND_REFERENCE:
        return packed_take32(in, &value->as.reference);
    case POF_KIND_NULL:
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        break;
    }
    return QN_MALFORMED;
}

bool pof_decode_valid(const struct pof_value *value)
{
    if (value->kind == POF_KIND_STRING) {
        return pof_text_check(value->as.text) != POF_TEXT_BROKEN;
    }
    if (value->kind == POF_KIND_DATE) {
        return pof_date_exists(&value->as.date);
    }
    if (value->kind == POF_KIND_TIME) {
        return pof_time_exists(&value->as.time);
    }
    if (value->kind == POF_KIND_DATETIME) {
        return pof_date_exists(&value->as.datetime.date) &&
               pof_time_exists(&value->as.datetime.time);
    }
    if (value->kind == POF_KIND_YEAR_MONTH) {
        return pof_year_month_exists(&value->as.year_month);
    }
    if (value->kind == POF_KIND_TIME_INTERVAL || value->kind == POF_KIND_DAY_TIME) {
        return pof_day_time_exists(&value->as.day_time);
    }
    return value->kind != POF_KIND_REFERENCE || value->as.reference >= 0;
}
