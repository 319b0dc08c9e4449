/* The short way of reading: what is plain and frequent, decoded where it stands. It takes nothing
 * that the long way (struct_read_one) refuses, and leaves everything else to it. */
#ifndef QUOIN_WIRE_POF_STRUCT_PLAIN_H
#define QUOIN_WIRE_POF_STRUCT_PLAIN_H

#include "wire/pof/packed.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/text.h"

/* The octets of type ids. */
enum {
    OCTET_INT16 = 0x40,
    OCTET_INT32 = 0x41,
    OCTET_INT64 = 0x42,
    OCTET_FLOAT32 = 0x44,
    OCTET_FLOAT64 = 0x45,
    OCTET_BOOL = 0x4a,
    OCTET_OCTET = 0x4b,
    OCTET_STRING = 0x4e,
    OCTET_UNIFORM_COLLECTION = 0x56,
    OCTET_UNIFORM_ARRAY = 0x58,
    OCTET_FALSE = 0x60,
    OCTET_TRUE = 0x61,
    OCTET_NULL = 0x64,
    OCTET_MINUS_ONE = 0x68,
    OCTET_ZERO = 0x69,
    OCTET_TWENTY_TWO = 0x7f,
    END_MARK = 0x40,
    ONE_OCTET = 0x40, /* indexes, lengths and counts below it take one octet */
};

/* May the short way be taken from where the reader stands, in an object? */
static inline bool struct_is_open(const struct pof_reader *r)
{
    return r->status == QN_OK && !r->pending && !r->counts_all && !r->frames[r->depth].done;
}

/* Does property `index` come next, and is its index one octet? */
static inline bool struct_is_next(const struct pof_reader *r, int32_t index)
{
    return struct_is_open(r) && r->rest.size > 0 && *r->rest.data < ONE_OCTET &&
           *r->rest.data == index;
}

/* That property has been taken; `at` is behind it. */
static inline void struct_took(struct pof_reader *r, int32_t index, const uint8_t *at)
{
    const uint8_t *end = r->rest.data + r->rest.size;

    r->frames[r->depth].last_index = index;
    r->frames[r->depth].last_asked = index;
    r->rest = bytes_of(at, (size_t)(end - at));
}

/* These return the octet behind what they take, NULL when it is not plain. */

static inline const uint8_t *plain_number(const uint8_t *at, const uint8_t *end, int64_t *number)
{
    struct bytes in = {at, (size_t)(end - at)};

    if (at < end && *at < ONE_OCTET) {
        *number = *at;
        return at + 1;
    }
    return packed_take64(&in, number) == QN_OK ? in.data : NULL;
}

static inline const uint8_t *plain_integer(uint8_t type, const uint8_t *at, const uint8_t *end,
                                           int64_t *number)
{
    int64_t most = type == OCTET_INT16 ? INT16_MAX : type == OCTET_INT32 ? INT32_MAX : INT64_MAX;

    if (type >= OCTET_MINUS_ONE && type <= OCTET_TWENTY_TWO) {
        *number = type - OCTET_ZERO;
        return at;
    }
    if (type < OCTET_INT16 || type > OCTET_INT64) {
        return NULL;
    }
    at = plain_number(at, end, number);
    return at && *number <= most && *number >= -most - 1 ? at : NULL;
}

static inline const uint8_t *plain_bits(const uint8_t *at, const uint8_t *end, unsigned size,
                                        uint64_t *bits)
{
    if ((size_t)(end - at) < size) {
        return NULL;
    }
    *bits = 0;
    for (unsigned i = 0; i < size; i++) {
        *bits = *bits << 8 | at[i];
    }
    return at + size;
}

static inline const uint8_t *plain_float64(uint8_t type, const uint8_t *at, const uint8_t *end,
                                           double *number)
{
    int64_t whole;
    uint64_t bits;

    if (type != OCTET_FLOAT64) {
        at = type >= OCTET_MINUS_ONE ? plain_integer(type, at, end, &whole) : NULL;
        *number = at ? (double)whole : 0;
        return at;
    }
    at = plain_bits(at, end, 8, &bits);
    if (at) {
        memcpy(number, &bits, sizeof *number);
    }
    return at;
}

static inline const uint8_t *plain_float32(uint8_t type, const uint8_t *at, const uint8_t *end,
                                           float *number)
{
    int64_t whole;
    uint64_t bits;

    if (type != OCTET_FLOAT32) {
        at = type >= OCTET_MINUS_ONE ? plain_integer(type, at, end, &whole) : NULL;
        *number = at ? (float)whole : 0;
        return at;
    }
    at = plain_bits(at, end, 4, &bits);
    if (at) {
        uint32_t narrow = (uint32_t)bits;
        memcpy(number, &narrow, sizeof *number);
    }
    return at;
}

static inline const uint8_t *plain_bool(uint8_t type, const uint8_t *at, const uint8_t *end,
                                        bool *flag)
{
    if (type == OCTET_FALSE || type == OCTET_TRUE) {
        *flag = type == OCTET_TRUE;
        return at;
    }
    if (type != OCTET_BOOL || at == end || *at > 1) {
        return NULL;
    }
    *flag = *at == 1;
    return at + 1;
}

static inline const uint8_t *plain_octet(uint8_t type, const uint8_t *at, const uint8_t *end,
                                         uint8_t *octet)
{
    if (type == OCTET_OCTET && at < end) {
        *octet = *at;
        return at + 1;
    }
    if (type < OCTET_MINUS_ONE || type > OCTET_TWENTY_TWO) {
        return NULL;
    }
    *octet = (uint8_t)(type - OCTET_ZERO);
    return at;
}

/* A text of ASCII. */
static inline const uint8_t *plain_text(uint8_t type, const uint8_t *at, const uint8_t *end,
                                        struct bytes *text)
{
    struct bytes in = {at, (size_t)(end - at)};
    int32_t size;

    if (type != OCTET_STRING || packed_take_index(&in, &size) != QN_OK || size < 0 ||
        (size_t)size > in.size) {
        return NULL;
    }
    *text = bytes_of(in.data, (size_t)size);
    return pof_text_is_ascii(*text) ? in.data + size : NULL;
}

static inline const uint8_t *plain_string(struct pof_struct_reading *s, uint8_t type,
                                          const uint8_t *at, const uint8_t *end, void *member)
{
    struct bytes text;

    at = plain_text(type, at, end, &text);
    if (at && s->memory->copy && struct_copy_octets(text, s->memory, &text) != QN_OK) {
        return NULL;
    }
    if (at) {
        memcpy(member, &text, sizeof text);
    }
    return at;
}

/* The same with a NUL behind it, and none in it. */
static inline const uint8_t *plain_c_text(struct pof_struct_reading *s, uint8_t type,
                                          const uint8_t *at, const uint8_t *end, void *member)
{
    struct bytes text;

    at = plain_text(type, at, end, &text);
    if (!at || memchr(text.data, 0, text.size) ||
        struct_copy_octets(text, s->memory, &text) != QN_OK) {
        return NULL;
    }
    memcpy(member, &text.data, sizeof text.data);
    return at;
}

/* A value of this type octet for a field of one value or an element; what it stands for must be no
 * null. */
static inline const uint8_t *plain_value(struct pof_struct_reading *s,
                                         const struct pof_field *field, uint8_t type,
                                         const uint8_t *at, const uint8_t *end, void *member)
{
    int64_t number = 0;

    switch (field->kind) {
    case POF_FIELD_STRING:
        return plain_string(s, type, at, end, member);
    case POF_FIELD_TEXT:
        return plain_c_text(s, type, at, end, member);
    case POF_FIELD_INT32:
        at = plain_integer(type, at, end, &number);
        *(int32_t *)member = (int32_t)number;
        return number == (int32_t)number ? at : NULL;
    case POF_FIELD_INT64:
        at = plain_integer(type, at, end, &number);
        *(int64_t *)member = number;
        return at;
    case POF_FIELD_INT16:
        at = plain_integer(type, at, end, &number);
        *(int16_t *)member = (int16_t)number;
        return number == (int16_t)number ? at : NULL;
    case POF_FIELD_FLOAT64:
        return plain_float64(type, at, end, member);
    case POF_FIELD_FLOAT32:
        return plain_float32(type, at, end, member);
    case POF_FIELD_BOOL:
        return plain_bool(type, at, end, member);
    case POF_FIELD_OCTET:
        return plain_octet(type, at, end, member);
    case POF_FIELD_CHAR:
    case POF_FIELD_INT128:
    case POF_FIELD_FLOAT128:
    case POF_FIELD_DECIMAL:
    case POF_FIELD_OCTETS:
    case POF_FIELD_DATE:
    case POF_FIELD_TIME:
    case POF_FIELD_DATETIME:
    case POF_FIELD_YEAR_MONTH:
    case POF_FIELD_TIME_INTERVAL:
    case POF_FIELD_DAY_TIME:
    case POF_FIELD_CHARS:
    case POF_FIELD_STRUCT:
    case POF_FIELD_STRUCT_PTR:
    case POF_FIELD_CUSTOM:
        break;
    }
    return NULL;
}

#endif
