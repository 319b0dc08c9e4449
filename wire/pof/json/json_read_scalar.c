#include "wire/pof/json/json_parse.h"
#include "wire/pof/json/json_read_parts.h"
#include "wire/pof/temporal.h"
#include "wire/pof/text.h"

bool pjson_is_null(const struct pjson_reader *j, size_t at)
{
    return j->text.data[at] == 'n';
}

/* A whole number within the bounds of a type. */
static bool take_integer(struct pjson_reader *j, size_t at, int64_t least, int64_t most,
                         int64_t *number)
{
    struct pof_int128 wide;

    if (pjson_is_string(j, at) || !pjson_parse_int128(pjson_token(j, at), &wide)) {
        pjson_wrong_value(j, at, "is not a whole number");
        return false;
    }
    memcpy(number, &wide.low, sizeof *number);
    if (wide.high != (wide.low >> 63 != 0 ? UINT64_MAX : 0) || *number < least || *number > most) {
        pjson_wrong_value(j, at, "is out of the range of its type");
        return false;
    }
    return true;
}

static void read_char(struct pjson_reader *j, size_t at, int32_t index)
{
    struct bytes text;
    struct bytes rest;
    uint16_t unit;
    int64_t number;

    if (!pjson_is_string(j, at)) { /* half a pair of surrogates */
        if (take_integer(j, at, 0, UINT16_MAX, &number)) {
            pof_write_char(&j->w, index, (uint16_t)number);
        }
    } else if (pjson_string(j, at, &text)) {
        rest = text;
        if (pof_text_take_unit(&rest, &unit) == QN_OK && rest.size == 0) {
            pof_write_char(&j->w, index, unit);
        } else {
            pjson_wrong_value(j, at, "is not one character (of 16 bits)");
        }
    }
}

static void read_integer(struct pjson_reader *j, size_t at, int32_t index, enum pof_shape_kind kind)
{
    int64_t number;
    int64_t least = kind == POF_SHAPE_OCTET   ? 0
                    : kind == POF_SHAPE_INT16 ? INT16_MIN
                    : kind == POF_SHAPE_INT32 ? INT32_MIN
                                              : INT64_MIN;
    int64_t most = kind == POF_SHAPE_OCTET   ? UINT8_MAX
                   : kind == POF_SHAPE_INT16 ? INT16_MAX
                   : kind == POF_SHAPE_INT32 ? INT32_MAX
                                             : INT64_MAX;

    if (!take_integer(j, at, least, most, &number)) {
        return;
    }
    if (kind == POF_SHAPE_OCTET) {
        pof_write_octet(&j->w, index, (uint8_t)number);
    } else if (kind == POF_SHAPE_INT16) {
        pof_write_int16(&j->w, index, (int16_t)number);
    } else if (kind == POF_SHAPE_INT32) {
        pof_write_int32(&j->w, index, (int32_t)number);
    } else {
        pof_write_int64(&j->w, index, number);
    }
}

static void read_int128(struct pjson_reader *j, size_t at, int32_t index)
{
    struct pof_int128 number;

    if (!pjson_is_string(j, at) && pjson_parse_int128(pjson_token(j, at), &number)) {
        pof_write_int128(&j->w, index, number);
    } else {
        pjson_wrong_value(j, at, "is not a whole number of 128 bits");
    }
}

static void read_decimal(struct pjson_reader *j, size_t at, int32_t index)
{
    struct pof_decimal decimal;

    if (!pjson_is_string(j, at) && pjson_parse_decimal(pjson_token(j, at), &decimal) &&
        pof_decimal_type(&decimal) != 0) {
        pof_write_decimal(&j->w, index, decimal);
    } else {
        pjson_wrong_value(j, at, "is not a decimal of up to 34 digits");
    }
}

static void read_float(struct pjson_reader *j, size_t at, int32_t index, enum pof_shape_kind kind)
{
    double number;

    if (!pjson_parse_float64(pjson_token(j, at), &number)) {
        pjson_wrong_value(j, at, "is not a number (nor \"NaN\", \"Infinity\", \"-Infinity\")");
    } else if (kind == POF_SHAPE_FLOAT32) {
        pof_write_float32(&j->w, index, (float)number);
    } else {
        pof_write_float64(&j->w, index, number);
    }
}

static void read_octets(struct pjson_reader *j, size_t at, int32_t index)
{
    struct buf octets = {0};
    enum qn_status status = QN_OK;

    if (pjson_is_string(j, at) && pjson_parse_base64(pjson_token(j, at), &octets, &status)) {
        pof_write_octets(&j->w, index, buf_bytes(&octets));
    } else if (status == QN_OK) {
        pjson_wrong_value(j, at, "is not base64 in quotes");
    } else {
        pjson_wrong(j, status, at, "no memory");
    }
    buf_fini(&octets);
}

static void read_float128(struct pjson_reader *j, size_t at, int32_t index)
{
    uint8_t octets[16];

    if (pjson_is_string(j, at) && pjson_parse_hex(pjson_token(j, at), octets, sizeof octets)) {
        pof_write_float128(&j->w, index, octets);
    } else {
        pjson_wrong_value(j, at, "is not 32 hex digits in quotes");
    }
}

static void read_string(struct pjson_reader *j, size_t at, int32_t index)
{
    struct bytes text;

    if (!pjson_is_string(j, at)) {
        pjson_wrong_value(j, at, "is not a text in quotes");
    } else if (pjson_string(j, at, &text)) {
        pof_write_string(&j->w, index, text);
    }
}

static void read_date(struct pjson_reader *j, size_t at, int32_t index)
{
    struct pof_date date;

    if (pjson_is_string(j, at) && pjson_parse_date(pjson_token(j, at), &date)) {
        pof_write_date(&j->w, index, date);
    } else {
        pjson_wrong_value(j, at, "is not a date like \"2024-02-29\"");
    }
}

static void read_time(struct pjson_reader *j, size_t at, int32_t index)
{
    struct pof_time time;

    if (pjson_is_string(j, at) && pjson_parse_time(pjson_token(j, at), &time)) {
        pof_write_time(&j->w, index, time);
    } else {
        pjson_wrong_value(j, at, "is not a time like \"13:45:00.5+01:00\"");
    }
}

static void read_datetime(struct pjson_reader *j, size_t at, int32_t index)
{
    struct pof_datetime datetime;

    if (pjson_is_string(j, at) && pjson_parse_datetime(pjson_token(j, at), &datetime)) {
        pof_write_datetime(&j->w, index, datetime);
    } else {
        pjson_wrong_value(j, at, "is not a date and time like \"2024-02-29T13:45:00Z\"");
    }
}

static void read_year_month(struct pjson_reader *j, size_t at, int32_t index)
{
    struct pof_year_month interval;

    if (pjson_is_string(j, at) && pjson_parse_year_month(pjson_token(j, at), &interval)) {
        pof_write_year_month(&j->w, index, interval);
    } else {
        pjson_wrong_value(j, at, "is not an interval like \"P1Y2M\"");
    }
}

static void read_day_time(struct pjson_reader *j, size_t at, int32_t index,
                          enum pof_shape_kind kind)
{
    struct pof_day_time interval;

    if (!pjson_is_string(j, at) || !pjson_parse_day_time(pjson_token(j, at), &interval) ||
        (kind == POF_SHAPE_TIME_INTERVAL && interval.days != 0)) {
        pjson_wrong_value(j, at, "is not an interval like \"PT1H30M\"");
    } else if (kind == POF_SHAPE_TIME_INTERVAL) {
        pof_write_time_interval(&j->w, index, interval);
    } else {
        pof_write_day_time(&j->w, index, interval);
    }
}

static void read_bool(struct pjson_reader *j, size_t at, int32_t index)
{
    uint8_t first = j->text.data[at];

    if (first == 't' || first == 'f') {
        pof_write_bool(&j->w, index, first == 't');
    } else {
        pjson_wrong_value(j, at, "is neither true nor false");
    }
}

/* A number of which nothing is declared: whole ones in the narrowest of the widths that speak for
 * themselves, others as float64. */
static void read_number(struct pjson_reader *j, size_t at, int32_t index)
{
    struct bytes token = pjson_token(j, at);
    struct pof_int128 wide;
    int64_t number;

    if (!pjson_parse_int128(token, &wide)) {
        read_float(j, at, index, POF_SHAPE_FLOAT64);
        return;
    }
    memcpy(&number, &wide.low, sizeof number);
    if (wide.high != (wide.low >> 63 != 0 ? UINT64_MAX : 0)) {
        pof_write_int128(&j->w, index, wide);
    } else if (number >= INT32_MIN && number <= INT32_MAX) {
        pof_write_int32(&j->w, index, (int32_t)number);
    } else {
        pof_write_int64(&j->w, index, number);
    }
}

static void read_any(struct pjson_reader *j, size_t at, int32_t index)
{
    uint8_t first = j->text.data[at];

    if (first == '"') {
        read_string(j, at, index);
    } else if (first == 't' || first == 'f') {
        read_bool(j, at, index);
    } else {
        read_number(j, at, index);
    }
}

void pjson_read_scalar(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape)
{
    size_t at = place.at;

    if (pjson_is_null(j, at)) {
        pof_write_null(&j->w, index);
        return;
    }
    switch (shape->kind) {
    case POF_SHAPE_ANY:
        read_any(j, at, index);
        break;
    case POF_SHAPE_BOOL:
        read_bool(j, at, index);
        break;
    case POF_SHAPE_OCTET:
    case POF_SHAPE_INT16:
    case POF_SHAPE_INT32:
    case POF_SHAPE_INT64:
        read_integer(j, at, index, shape->kind);
        break;
    case POF_SHAPE_CHAR:
        read_char(j, at, index);
        break;
    case POF_SHAPE_INT128:
        read_int128(j, at, index);
        break;
    case POF_SHAPE_FLOAT32:
    case POF_SHAPE_FLOAT64:
        read_float(j, at, index, shape->kind);
        break;
    case POF_SHAPE_FLOAT128:
        read_float128(j, at, index);
        break;
    case POF_SHAPE_DECIMAL:
        read_decimal(j, at, index);
        break;
    case POF_SHAPE_STRING:
        read_string(j, at, index);
        break;
    case POF_SHAPE_OCTETS:
        read_octets(j, at, index);
        break;
    case POF_SHAPE_DATE:
        read_date(j, at, index);
        break;
    case POF_SHAPE_TIME:
        read_time(j, at, index);
        break;
    case POF_SHAPE_DATETIME:
        read_datetime(j, at, index);
        break;
    case POF_SHAPE_YEAR_MONTH:
        read_year_month(j, at, index);
        break;
    case POF_SHAPE_TIME_INTERVAL:
    case POF_SHAPE_DAY_TIME:
        read_day_time(j, at, index, shape->kind);
        break;
    case POF_SHAPE_ARRAY:
    case POF_SHAPE_LIST:
        pjson_wrong_value(j, at, "is not a list in brackets");
        break;
    case POF_SHAPE_SPARSE:
    case POF_SHAPE_MAP_OF:
    case POF_SHAPE_USER:
        pjson_wrong_value(j, at, "is not an object in braces");
        break;
    }
}
