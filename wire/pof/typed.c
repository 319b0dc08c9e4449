/* Properties by index with the type the caller wants: pof_reader_find and a conversion. */
#include "wire/pof/packed.h"
#include "wire/pof/reader.h"
#include "wire/pof/text.h"
#include "wire/pof/typed_parts.h"

/* -- the plain case: the property comes next, its index is one octet, its type the one expected --
 */

/* What stands behind the octet of the index; nothing, when that is not the next one. */
static inline struct bytes next_property(const struct pof_reader *r, int32_t index)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];
    struct bytes rest = r->rest;

    if (r->status != QN_OK || r->pending || r->counts_all || frame->type < 0 || frame->done ||
        rest.size == 0 || index >= 64 || rest.data[0] != index || index <= frame->last_asked ||
        index <= frame->last_index) {
        return bytes_of(NULL, 0);
    }
    return bytes_of(rest.data + 1, rest.size - 1);
}

/* The property ends where `rest` begins. */
static inline void took_property(struct pof_reader *r, int32_t index, struct bytes rest)
{
    struct pof_reader_frame *frame = &r->frames[r->depth];

    frame->last_index = index;
    frame->last_asked = index;
    r->rest = rest;
}

enum { OCTET_INT32 = 0x41, OCTET_INT64 = 0x42, OCTET_FLOAT64 = 0x45, OCTET_STRING = 0x4e };

static inline bool next_string(struct pof_reader *r, int32_t index, struct bytes *text)
{
    struct bytes in = next_property(r, index);
    int32_t size;

    if (in.size < 2 || in.data[0] != OCTET_STRING) {
        return false;
    }
    in = bytes_of(in.data + 1, in.size - 1);
    if (packed_take_index(&in, &size) != QN_OK || size < 0 || (size_t)size > in.size) {
        return false;
    }
    struct bytes found = bytes_of(in.data, (size_t)size);
    if (!pof_text_is_ascii(found)) {
        return false;
    }
    *text = found;
    took_property(r, index, bytes_of(in.data + size, in.size - (size_t)size));
    return true;
}

/* An integer of 32 or 64 bits in full form. */
static inline bool next_integer(struct pof_reader *r, int32_t index, int64_t *number)
{
    struct bytes in = next_property(r, index);

    if (in.size < 2 || in.data[0] < OCTET_INT32 || in.data[0] > OCTET_INT64) {
        return false;
    }
    bool narrow = in.data[0] != OCTET_INT64;
    in = bytes_of(in.data + 1, in.size - 1);
    if (packed_take64(&in, number) != QN_OK ||
        (narrow && (*number < INT32_MIN || *number > INT32_MAX))) {
        return false;
    }
    took_property(r, index, in);
    return true;
}

static inline bool next_float64(struct pof_reader *r, int32_t index, double *value)
{
    struct bytes in = next_property(r, index);
    uint64_t bits = 0;

    if (in.size < 9 || in.data[0] != OCTET_FLOAT64) {
        return false;
    }
    for (size_t i = 1; i < 9; i++) {
        bits = bits << 8 | in.data[i];
    }
    memcpy(value, &bits, sizeof *value);
    took_property(r, index, bytes_of(in.data + 9, in.size - 9));
    return true;
}

/* -- every other case: pof_reader_find and a conversion -- */

static const double TWO_63 = 9223372036854775808.0;

/* 2^63 is not an int64, nor is NaN anything. */
static enum qn_status float_to_int64(double value, int64_t *number)
{
    if (!(value >= -TWO_63 && value < TWO_63)) {
        return QN_WRONG_TYPE;
    }
    *number = (int64_t)value;
    return QN_OK;
}

static enum qn_status int128_to_int64(struct pof_int128 value, int64_t *number)
{
    uint64_t sign = value.low >> 63 != 0 ? UINT64_MAX : 0;

    if (value.high != sign) {
        return QN_WRONG_TYPE;
    }
    memcpy(number, &value.low, sizeof *number);
    return QN_OK;
}

/* The whole part of a decimal whose digits fit. */
static enum qn_status decimal_to_int64(const struct pof_decimal *value, int64_t *number)
{
    int64_t whole;
    enum qn_status status = int128_to_int64(value->unscaled, &whole);

    if (status != QN_OK) {
        return status;
    }
    for (int32_t scale = value->scale; scale > 0 && whole != 0; scale--) {
        whole /= 10;
    }
    for (int32_t scale = value->scale; scale < 0 && whole != 0; scale++) {
        if (whole > INT64_MAX / 10 || whole < INT64_MIN / 10) {
            return QN_WRONG_TYPE;
        }
        whole *= 10;
    }
    *number = whole;
    return QN_OK;
}

enum qn_status pof_value_int64(const struct pof_value *value, int64_t *number)
{
    switch (value->kind) {
    case POF_KIND_BOOL:
        *number = value->as.boolean ? 1 : 0;
        return QN_OK;
    case POF_KIND_OCTET:
        *number = value->as.octet;
        return QN_OK;
    case POF_KIND_CHAR:
        *number = value->as.character;
        return QN_OK;
    case POF_KIND_INT16:
    case POF_KIND_INT32:
    case POF_KIND_INT64:
        *number = value->as.integer;
        return QN_OK;
    case POF_KIND_INT128:
        return int128_to_int64(value->as.int128, number);
    case POF_KIND_FLOAT32:
        return float_to_int64((double)value->as.float32, number);
    case POF_KIND_FLOAT64:
        return float_to_int64(value->as.float64, number);
    case POF_KIND_DECIMAL:
        return decimal_to_int64(&value->as.decimal, number);
    case POF_KIND_NULL:
    case POF_KIND_FLOAT128:
    case POF_KIND_STRING:
    case POF_KIND_OCTETS:
    case POF_KIND_DATE:
    case POF_KIND_TIME:
    case POF_KIND_DATETIME:
    case POF_KIND_YEAR_MONTH:
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
    case POF_KIND_REFERENCE:
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        break;
    }
    return QN_WRONG_TYPE;
}

enum qn_status pof_value_float64(const struct pof_value *value, double *number)
{
    int64_t whole;

    if (value->kind == POF_KIND_FLOAT64) {
        *number = value->as.float64;
        return QN_OK;
    }
    if (value->kind == POF_KIND_FLOAT32) {
        *number = (double)value->as.float32;
        return QN_OK;
    }
    if (value->kind == POF_KIND_DECIMAL) { /* the whole part alone would be a wrong answer */
        return QN_WRONG_TYPE;
    }
    enum qn_status status = pof_value_int64(value, &whole);
    if (status == QN_OK) {
        *number = (double)whole;
    }
    return status;
}

enum qn_status pof_find_or_null(struct pof_reader *r, int32_t index, struct pof_value *value)
{
    enum qn_status status = pof_reader_find(r, index, value);

    if (status == QN_ABSENT) {
        memset(value, 0, sizeof *value);
        value->kind = POF_KIND_NULL;
        return QN_OK;
    }
    return status;
}

static enum qn_status check_range(int64_t found, int64_t least, int64_t most, int64_t *number)
{
    if (found < least || found > most) {
        return QN_WRONG_TYPE;
    }
    *number = found;
    return QN_OK;
}

/* The property as a whole number from `least` to `most`; 0 for null. */
static enum qn_status find_int(struct pof_reader *r, int32_t index, int64_t least, int64_t most,
                               int64_t *number)
{
    struct pof_value value;
    int64_t found = 0;

    if (least < INT16_MIN && next_integer(r, index, &found)) {
        return check_range(found, least, most, number);
    }
    enum qn_status status = pof_find_or_null(r, index, &value);

    if (status == QN_OK && value.kind != POF_KIND_NULL) {
        status = pof_value_int64(&value, &found);
    }
    if (status != QN_OK) {
        return status;
    }
    return check_range(found, least, most, number);
}

enum qn_status pof_read_bool(struct pof_reader *r, int32_t index, bool *value)
{
    int64_t number;
    enum qn_status status = find_int(r, index, INT64_MIN, INT64_MAX, &number);

    if (status == QN_OK) {
        *value = number != 0;
    }
    return status;
}

enum qn_status pof_read_octet(struct pof_reader *r, int32_t index, uint8_t *value)
{
    int64_t number;
    enum qn_status status = find_int(r, index, -1, UINT8_MAX, &number);

    if (status == QN_OK) {
        *value = (uint8_t)number;
    }
    return status;
}

enum qn_status pof_read_char(struct pof_reader *r, int32_t index, uint16_t *value)
{
    int64_t number;
    enum qn_status status = find_int(r, index, -1, UINT16_MAX, &number);

    if (status == QN_OK) {
        *value = (uint16_t)number;
    }
    return status;
}

enum qn_status pof_read_int16(struct pof_reader *r, int32_t index, int16_t *value)
{
    int64_t number;
    enum qn_status status = find_int(r, index, INT16_MIN, INT16_MAX, &number);

    if (status == QN_OK) {
        *value = (int16_t)number;
    }
    return status;
}

enum qn_status pof_read_int32(struct pof_reader *r, int32_t index, int32_t *value)
{
    int64_t number;
    enum qn_status status = find_int(r, index, INT32_MIN, INT32_MAX, &number);

    if (status == QN_OK) {
        *value = (int32_t)number;
    }
    return status;
}

enum qn_status pof_read_int64(struct pof_reader *r, int32_t index, int64_t *value)
{
    return find_int(r, index, INT64_MIN, INT64_MAX, value);
}

enum qn_status pof_read_float64(struct pof_reader *r, int32_t index, double *value)
{
    struct pof_value found;

    if (next_float64(r, index, value)) {
        return QN_OK;
    }
    enum qn_status status = pof_find_or_null(r, index, &found);
    if (status != QN_OK) {
        return status;
    }
    if (found.kind == POF_KIND_NULL) {
        *value = 0;
        return QN_OK;
    }
    return pof_value_float64(&found, value);
}

enum qn_status pof_read_float32(struct pof_reader *r, int32_t index, float *value)
{
    double wide;
    enum qn_status status = pof_read_float64(r, index, &wide);

    if (status == QN_OK) {
        *value = (float)wide;
    }
    return status;
}

/* An empty container that stands for an empty string as well. */
static bool is_small_empty(const struct pof_value *value)
{
    return value->type == POF_SMALL_EMPTY_STRING || value->type == POF_SMALL_EMPTY_COLLECTION;
}

enum qn_status pof_read_string(struct pof_reader *r, int32_t index, struct bytes *text)
{
    struct pof_value value;

    if (next_string(r, index, text)) {
        return QN_OK;
    }
    enum qn_status status = pof_find_or_null(r, index, &value);
    if (status != QN_OK) {
        return status;
    }
    if (value.kind == POF_KIND_NULL) {
        *text = bytes_of(NULL, 0);
    } else if (value.kind == POF_KIND_STRING) {
        *text = value.as.text;
    } else if (is_small_empty(&value)) {
        *text = bytes_of(r->rest.data, 0);
    } else {
        return QN_WRONG_TYPE;
    }
    return QN_OK;
}

enum qn_status pof_read_octets(struct pof_reader *r, int32_t index, struct bytes *octets)
{
    struct pof_value value;
    enum qn_status status = pof_find_or_null(r, index, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind == POF_KIND_NULL) {
        *octets = bytes_of(NULL, 0);
    } else if (value.kind == POF_KIND_OCTETS) {
        *octets = value.as.octets;
    } else if (is_small_empty(&value)) {
        *octets = bytes_of(r->rest.data, 0);
    } else if (value.type == POF_UNIFORM_ARRAY && value.as.items.element_type == POF_OCTET) {
        /* The count was checked against what remains. */
        *octets = bytes_of(r->rest.data, (size_t)value.as.items.count);
    } else {
        return QN_WRONG_TYPE;
    }
    return QN_OK;
}

enum qn_status pof_read_date(struct pof_reader *r, int32_t index, struct pof_date *value)
{
    struct pof_value found;
    enum qn_status status = pof_find_or_null(r, index, &found);

    if (status == QN_OK && found.kind != POF_KIND_NULL && found.kind != POF_KIND_DATE) {
        return QN_WRONG_TYPE;
    }
    if (status == QN_OK) {
        *value = found.as.date;
    }
    return status;
}

enum qn_status pof_read_time(struct pof_reader *r, int32_t index, struct pof_time *value)
{
    struct pof_value found;
    enum qn_status status = pof_find_or_null(r, index, &found);

    if (status == QN_OK && found.kind != POF_KIND_NULL && found.kind != POF_KIND_TIME) {
        return QN_WRONG_TYPE;
    }
    if (status == QN_OK) {
        *value = found.as.time;
    }
    return status;
}

enum qn_status pof_read_datetime(struct pof_reader *r, int32_t index, struct pof_datetime *value)
{
    struct pof_value found;
    enum qn_status status = pof_find_or_null(r, index, &found);

    if (status == QN_OK && found.kind != POF_KIND_NULL && found.kind != POF_KIND_DATETIME) {
        return QN_WRONG_TYPE;
    }
    if (status == QN_OK) {
        *value = found.as.datetime;
    }
    return status;
}
