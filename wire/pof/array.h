/* Arrays of numbers, bools and chars in one call, between the octets and the caller's memory.
 *
 * On the wire they are uniform arrays: pof_begin_uniform_array and a call for each element make the
 * same octets. Without a copy there are pof_write_octet_array and pof_read_octets. */
#ifndef QUOIN_WIRE_POF_ARRAY_H
#define QUOIN_WIRE_POF_ARRAY_H

#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

QN_PUBLIC_BEGIN

/* Write `count` values; `values` may be NULL when there are none. That is an empty array, which is
 * never left out; for none at all there is pof_write_null. The writer fails with QN_TOO_LARGE above
 * 2^31 - 1. */
void pof_write_bool_array(struct pof_writer *w, int32_t index, const bool *values, size_t count);
void pof_write_char_array(struct pof_writer *w, int32_t index, const uint16_t *units, size_t count);
void pof_write_int16_array(struct pof_writer *w, int32_t index, const int16_t *values,
                           size_t count);
void pof_write_int32_array(struct pof_writer *w, int32_t index, const int32_t *values,
                           size_t count);
void pof_write_int64_array(struct pof_writer *w, int32_t index, const int64_t *values,
                           size_t count);
void pof_write_float32_array(struct pof_writer *w, int32_t index, const float *values,
                             size_t count);
void pof_write_float64_array(struct pof_writer *w, int32_t index, const double *values,
                             size_t count);

/* Memory of the caller's for an array. */
struct pof_array {
    enum pof_type type; /* POF_BOOL, POF_OCTET, POF_CHAR, POF_INT16..64, POF_FLOAT32 or 64 */
    void *values;       /* of bool, uint8_t, uint16_t, int16_t..64_t, float or double */
    size_t count;       /* before: how many have room; after: how many there are */
};

/* Read the property `index` into `array`, as the typed reads do: absent and null are no values.
 *
 * From arrays, collections and sparse arrays of any form, whose elements convert as those of typed
 * reads do, null to 0; in the gaps of sparse arrays there are zeros. Octets also come from an octet
 * string.
 *
 * QN_TOO_LARGE   there are more values than room: `array->count` says how many, and the property
 *                can be read again; of a sparse array 0, since no octets stand behind its size.
 *                Also a limit of the reader's, whose `status` then says so
 * QN_WRONG_TYPE  another type, or an element that does not fit; the reader stands behind it
 * others         as for pof_reader_find, but QN_ABSENT
 *
 * Only with QN_OK do the values mean anything. */
QN_MUST_USE enum qn_status pof_read_array(struct pof_reader *r, int32_t index,
                                          struct pof_array *array);

/* The same for a value that next or find has just given. QN_WRONG_TYPE for null; after QN_TOO_LARGE
 * the value is still there for another call. */
QN_MUST_USE enum qn_status pof_value_array(struct pof_reader *r, const struct pof_value *value,
                                           struct pof_array *array);

/* pof_read_array for a type each. `*count` is that of struct pof_array. */
QN_MUST_USE static inline enum qn_status pof_read_as_array(struct pof_reader *r, int32_t index,
                                                           enum pof_type type, void *values,
                                                           size_t *count)
{
    struct pof_array array = {type, values, *count};
    enum qn_status status;

    status = pof_read_array(r, index, &array);
    *count = array.count;
    return status;
}

QN_MUST_USE static inline enum qn_status pof_read_bool_array(struct pof_reader *r, int32_t index,
                                                             bool *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_BOOL, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_octet_array(struct pof_reader *r, int32_t index,
                                                              uint8_t *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_OCTET, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_char_array(struct pof_reader *r, int32_t index,
                                                             uint16_t *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_CHAR, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_int16_array(struct pof_reader *r, int32_t index,
                                                              int16_t *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_INT16, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_int32_array(struct pof_reader *r, int32_t index,
                                                              int32_t *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_INT32, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_int64_array(struct pof_reader *r, int32_t index,
                                                              int64_t *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_INT64, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_float32_array(struct pof_reader *r, int32_t index,
                                                                float *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_FLOAT32, values, count);
}

QN_MUST_USE static inline enum qn_status pof_read_float64_array(struct pof_reader *r, int32_t index,
                                                                double *values, size_t *count)
{
    return pof_read_as_array(r, index, POF_FLOAT64, values, count);
}

QN_PUBLIC_END

#endif
