/* Typed reads of the types that C has none for: properties by index, as those of reader.h.
 *
 * Absent and null give zeros and QN_OK; pof_reader_has tells them apart. QN_WRONG_TYPE: the
 * property has another type, or does not fit; the reader stands behind it. Other statuses as for
 * pof_reader_find, but QN_ABSENT. */
#ifndef QUOIN_WIRE_POF_TYPED_WIDE_H
#define QUOIN_WIRE_POF_TYPED_WIDE_H

#include "wire/pof/reader.h"

QN_PUBLIC_BEGIN

/* From any number that fits; fractions are cut off. */
QN_MUST_USE enum qn_status pof_read_int128(struct pof_reader *r, int32_t index,
                                           struct pof_int128 *value);

/* From a decimal of any width and from whole numbers, not from floats, whose digits nobody chose.
 */
QN_MUST_USE enum qn_status pof_read_decimal(struct pof_reader *r, int32_t index,
                                            struct pof_decimal *value);
QN_MUST_USE enum qn_status pof_read_float128(struct pof_reader *r, int32_t index,
                                             uint8_t big_endian[16]);
QN_MUST_USE enum qn_status pof_read_year_month(struct pof_reader *r, int32_t index,
                                               struct pof_year_month *value);

/* `days` is 0. */
QN_MUST_USE enum qn_status pof_read_time_interval(struct pof_reader *r, int32_t index,
                                                  struct pof_day_time *value);
QN_MUST_USE enum qn_status pof_read_day_time(struct pof_reader *r, int32_t index,
                                             struct pof_day_time *value);

/* The same conversions for a value at hand; null is not a number here. */
QN_MUST_USE enum qn_status pof_value_int128(const struct pof_value *value,
                                            struct pof_int128 *number);
QN_MUST_USE enum qn_status pof_value_decimal(const struct pof_value *value,
                                             struct pof_decimal *number);

QN_PUBLIC_END

#endif
