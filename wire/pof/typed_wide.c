#include "wire/pof/typed_wide.h"

#include "wire/pof/typed_parts.h"

/* Whole numbers of up to 64 bits as 128. */
static struct pof_int128 widen(int64_t number)
{
    return (struct pof_int128){(uint64_t)number, number < 0 ? UINT64_MAX : 0};
}

enum qn_status pof_value_int128(const struct pof_value *value, struct pof_int128 *number)
{
    int64_t narrow;

    if (value->kind == POF_KIND_INT128) {
        *number = value->as.int128;
        return QN_OK;
    }
    if (value->kind == POF_KIND_DECIMAL && value->as.decimal.scale == 0) {
        *number = value->as.decimal.unscaled;
        return QN_OK;
    }
    enum qn_status status = pof_value_int64(value, &narrow);
    if (status == QN_OK) {
        *number = widen(narrow);
    }
    return status;
}

enum qn_status pof_value_decimal(const struct pof_value *value, struct pof_decimal *number)
{
    struct pof_int128 whole;

    if (value->kind == POF_KIND_DECIMAL) {
        *number = value->as.decimal;
        return QN_OK;
    }
    if (value->kind == POF_KIND_FLOAT32 || value->kind == POF_KIND_FLOAT64) {
        return QN_WRONG_TYPE;
    }
    enum qn_status status = pof_value_int128(value, &whole);
    if (status == QN_OK) {
        *number = (struct pof_decimal){.unscaled = whole};
    }
    return status;
}

enum qn_status pof_read_int128(struct pof_reader *r, int32_t index, struct pof_int128 *value)
{
    struct pof_value found;
    enum qn_status status = pof_find_or_null(r, index, &found);

    if (status == QN_OK && found.kind == POF_KIND_NULL) {
        *value = widen(0);
        return QN_OK;
    }
    return status == QN_OK ? pof_value_int128(&found, value) : status;
}

enum qn_status pof_read_decimal(struct pof_reader *r, int32_t index, struct pof_decimal *value)
{
    struct pof_value found;
    enum qn_status status = pof_find_or_null(r, index, &found);

    if (status == QN_OK && found.kind == POF_KIND_NULL) {
        *value = (struct pof_decimal){.scale = 0};
        return QN_OK;
    }
    return status == QN_OK ? pof_value_decimal(&found, value) : status;
}

/* A property that must be of `kind`, or null with zeros in all members. */
static enum qn_status find_kind(struct pof_reader *r, int32_t index, enum pof_kind kind,
                                struct pof_value *found)
{
    enum qn_status status = pof_find_or_null(r, index, found);

    if (status == QN_OK && found->kind == POF_KIND_NULL) {
        memset(&found->as, 0, sizeof found->as);
        return QN_OK;
    }
    return status == QN_OK && found->kind != kind ? QN_WRONG_TYPE : status;
}

enum qn_status pof_read_float128(struct pof_reader *r, int32_t index, uint8_t big_endian[16])
{
    struct pof_value found;
    enum qn_status status = find_kind(r, index, POF_KIND_FLOAT128, &found);

    if (status == QN_OK) {
        memcpy(big_endian, found.as.float128, sizeof found.as.float128);
    }
    return status;
}

enum qn_status pof_read_year_month(struct pof_reader *r, int32_t index,
                                   struct pof_year_month *value)
{
    struct pof_value found;
    enum qn_status status = find_kind(r, index, POF_KIND_YEAR_MONTH, &found);

    if (status == QN_OK) {
        *value = found.as.year_month;
    }
    return status;
}

static enum qn_status read_interval(struct pof_reader *r, int32_t index, enum pof_kind kind,
                                    struct pof_day_time *value)
{
    struct pof_value found;
    enum qn_status status = find_kind(r, index, kind, &found);

    if (status == QN_OK) {
        *value = found.as.day_time;
    }
    return status;
}

enum qn_status pof_read_time_interval(struct pof_reader *r, int32_t index,
                                      struct pof_day_time *value)
{
    return read_interval(r, index, POF_KIND_TIME_INTERVAL, value);
}

enum qn_status pof_read_day_time(struct pof_reader *r, int32_t index, struct pof_day_time *value)
{
    return read_interval(r, index, POF_KIND_DAY_TIME, value);
}
