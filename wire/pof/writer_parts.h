/* What the two halves of the writer share: containers (writer.c) and scalars (write_scalar.c). */
#ifndef QUOIN_WIRE_POF_WRITER_PARTS_H
#define QUOIN_WIRE_POF_WRITER_PARTS_H

#include <math.h>

#include "wire/pof/packed.h"
#include "wire/pof/writer.h"

/* How the value in a place is to be written. */
enum pof_form {
    POF_FORM_NOTHING, /* left out, or the writer has failed */
    POF_FORM_SMALL,   /* as one octet if there is one for it, else in full */
    POF_FORM_FULL,    /* type id and encoding */
    POF_FORM_BARE,    /* encoding only: the container has the type */
};

/* Keep the first failure; there is no room from then on. */
void pof_writer_fail(struct pof_writer *w, enum qn_status status);

/* More room for `size` octets; NULL when the writer has failed or fails now. */
uint8_t *pof_writer_grow(struct pof_writer *w, size_t size);

/* Room for `size` octets (> 0), to be filled and then left behind by moving `w->at`. NULL: the
 * writer has failed. */
static inline uint8_t *pof_writer_room(struct pof_writer *w, size_t size)
{
    return (size_t)(w->end - w->at) >= size ? w->at : pof_writer_grow(w, size);
}

/* Put a number at `at`, mostly one octet; returns the place behind it. */
static inline uint8_t *pof_put_packed(uint8_t *at, int64_t value)
{
    if (value >= 0 && value < 64) {
        *at = (uint8_t)value;
        return at + 1;
    }
    return at + packed_put(at, value);
}

static inline uint8_t *pof_put_big_endian(uint8_t *at, uint64_t bits, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        at[i] = (uint8_t)(bits >> (8 * (size - 1 - i)));
    }
    return at + size;
}

/* Put the encoding of a float at `at`; there is one NaN, as in the reference implementations. */
static inline uint8_t *pof_put_float32(uint8_t *at, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return pof_put_big_endian(at, isnan(value) ? 0x7fc00000u : bits, sizeof bits);
}

static inline uint8_t *pof_put_float64(uint8_t *at, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return pof_put_big_endian(at, isnan(value) ? 0x7ff8000000000000u : bits, sizeof bits);
}

/* Append a number, unless the writer has failed. */
static inline void pof_writer_put_packed(struct pof_writer *w, int64_t value)
{
    uint8_t *at = pof_writer_room(w, PACKED_64_SIZE_MAX);

    if (at) {
        w->at = pof_put_packed(at, value);
    }
}

/* Check and write the place of the next value, which has this type, and say how to write it.
 * `is_default`: the value reads back when it is left out. */
enum pof_form pof_writer_place(struct pof_writer *w, int32_t index, int32_t type, bool is_default);

/* The octet of an intrinsic type id. */
static inline uint8_t pof_type_octet(int32_t type)
{
    return (uint8_t)(0x40 | ~type);
}

/* Is this a property at an index of one octet, which may come next in an object? */
static inline bool pof_writer_is_next_property(const struct pof_writer *w, int32_t index)
{
    return w->top->type >= 0 && index > w->top->last_index && index < 64;
}

/* Is this the next element of a uniform array or collection of this type? */
static inline bool pof_writer_is_next_element(const struct pof_writer *w, int32_t index,
                                              int32_t type)
{
    const struct pof_writer_frame *top = w->top;

    return top->uniform_elements && top->element_type == type && top->left > 0 &&
           top->type != POF_UNIFORM_MAP && index == POF_NEXT;
}

/* Place and type id of a value that is never small and never left out, with room for `size` octets
 * behind them. NULL: write nothing. */
uint8_t *pof_writer_begin_slow(struct pof_writer *w, int32_t index, int32_t type, size_t size);

static inline uint8_t *pof_writer_begin(struct pof_writer *w, int32_t index, int32_t type,
                                        size_t size)
{
    struct pof_writer_frame *top = w->top;

    if ((size_t)(w->end - w->at) < size + 2) {
        return pof_writer_begin_slow(w, index, type, size);
    }
    if (pof_writer_is_next_property(w, index)) {
        top->last_index = index;
        w->full = false;
        w->at[0] = (uint8_t)index;
        w->at[1] = pof_type_octet(type);
        return w->at + 2;
    }
    if (pof_writer_is_next_element(w, index, type)) {
        top->left--;
        w->full = false;
        return w->at;
    }
    return pof_writer_begin_slow(w, index, type, size);
}

/* Is the next value of `frame` without a type of its own? `*declared`: then the type of all. */
bool pof_writer_is_bare(const struct pof_writer_frame *frame, int32_t *declared);

/* May a value of `type` stand where `declared` is the type of all? Decimals of all widths may, and
 * references to objects. */
bool pof_writer_same_type(int32_t declared, int32_t type);

#endif
