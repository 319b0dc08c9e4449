#include "wire/pof/array.h"
#include "wire/pof/text.h"
#include "wire/pof/writer_parts.h"

/* Begin an array; `size` octets of room are made behind its head. NULL: write nothing. */
static uint8_t *begin(struct pof_writer *w, int32_t index, int32_t type, size_t count, size_t size)
{
    if (count > INT32_MAX) {
        pof_writer_fail(w, QN_TOO_LARGE);
        return NULL;
    }
    uint8_t *at = pof_writer_begin(w, index, POF_UNIFORM_ARRAY, size + 2 * PACKED_64_SIZE_MAX);
    return at ? pof_put_packed(pof_put_packed(at, type), (int64_t)count) : NULL;
}

void pof_write_bool_array(struct pof_writer *w, int32_t index, const bool *values, size_t count)
{
    uint8_t *at = begin(w, index, POF_BOOL, count, count);

    if (!at) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        *at++ = values[i] ? 1 : 0;
    }
    w->at = at;
}

enum { CHAR_SIZE_MAX = 3 };

void pof_write_char_array(struct pof_writer *w, int32_t index, const uint16_t *units, size_t count)
{
    uint8_t *at = begin(w, index, POF_CHAR, count, count * CHAR_SIZE_MAX);

    if (!at) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        at += pof_text_put_unit(at, units[i]);
    }
    w->at = at;
}

/* Numbers that mostly take few octets get no room in advance but that of the head. */
static bool begin_packed(struct pof_writer *w, int32_t index, int32_t type, size_t count)
{
    uint8_t *at = begin(w, index, type, count, 0);

    if (at) {
        w->at = at;
    }
    return at != NULL;
}

void pof_write_int16_array(struct pof_writer *w, int32_t index, const int16_t *values, size_t count)
{
    bool begun = begin_packed(w, index, POF_INT16, count);

    for (size_t i = 0; begun && i < count; i++) {
        pof_writer_put_packed(w, values[i]);
    }
}

void pof_write_int32_array(struct pof_writer *w, int32_t index, const int32_t *values, size_t count)
{
    bool begun = begin_packed(w, index, POF_INT32, count);

    for (size_t i = 0; begun && i < count; i++) {
        pof_writer_put_packed(w, values[i]);
    }
}

void pof_write_int64_array(struct pof_writer *w, int32_t index, const int64_t *values, size_t count)
{
    bool begun = begin_packed(w, index, POF_INT64, count);

    for (size_t i = 0; begun && i < count; i++) {
        pof_writer_put_packed(w, values[i]);
    }
}

void pof_write_float32_array(struct pof_writer *w, int32_t index, const float *values, size_t count)
{
    uint8_t *at = begin(w, index, POF_FLOAT32, count, count * sizeof *values);

    if (!at) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        at = pof_put_float32(at, values[i]);
    }
    w->at = at;
}

void pof_write_float64_array(struct pof_writer *w, int32_t index, const double *values,
                             size_t count)
{
    uint8_t *at = begin(w, index, POF_FLOAT64, count, count * sizeof *values);

    if (!at) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        at = pof_put_float64(at, values[i]);
    }
    w->at = at;
}
