/* The short way of writing: what is plain and frequent goes straight into the room that the writer
 * has. It makes the octets that the long way makes (struct_write_one), and leaves everything else
 * to it. */
#include "wire/pof/struct_plain.h"
#include "wire/pof/writer_parts.h"

enum {
    TEXT_MAX = 32,
    PROPERTY_MAX = 3 + TEXT_MAX, /* octets of a plain property: index, type, length, text */
    SMALL_MIN = -1,
    SMALL_MAX = 22,
};

static inline uint64_t word_at(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* Copy 8 to TEXT_MAX octets by words, some of them twice. Returns all their bits. */
static inline uint64_t copy_words(uint8_t *to, const uint8_t *from, size_t size)
{
    uint64_t bits = word_at(from + size - 8);

    memcpy(to + size - 8, from + size - 8, 8);
    for (size_t at = 0; at + 8 < size; at += 8) {
        bits |= word_at(from + at);
        memcpy(to + at, from + at, 8);
    }
    return bits;
}

/* These put what stands behind the index, and return the octet behind it; NULL: not plain. */

/* Length and octets of a short text of ASCII. */
static inline uint8_t *put_text(uint8_t *at, struct bytes text)
{
    uint64_t bits = 0;

    if (text.size > TEXT_MAX) {
        return NULL;
    }
    *at++ = (uint8_t)text.size;
    if (text.size >= 8) {
        bits = copy_words(at, text.data, text.size);
    } else {
        for (size_t i = 0; i < text.size; i++) {
            at[i] = text.data[i];
            bits |= text.data[i];
        }
    }
    return (bits & UINT64_C(0x8080808080808080)) == 0 ? at + text.size : NULL;
}

static inline uint8_t *put_integer(uint8_t *at, uint8_t type, int64_t number, bool full)
{
    if (!full && number >= SMALL_MIN && number <= SMALL_MAX) {
        *at = (uint8_t)(OCTET_ZERO + number);
        return at + 1;
    }
    *at = type;
    return pof_put_packed(at + 1, number);
}

/* Infinity, NaN and small whole numbers go the long way. */
static inline uint8_t *put_float64(uint8_t *at, double number, bool full)
{
    bool small = number >= SMALL_MIN && number <= SMALL_MAX && number == (int)number;
    bool finite = number - number == 0;

    if (!finite || (small && !full)) {
        return NULL;
    }
    *at = OCTET_FLOAT64;
    return pof_put_float64(at + 1, number);
}

static inline uint8_t *put_bool(uint8_t *at, bool flag, bool full)
{
    if (!full) {
        *at = flag ? OCTET_TRUE : OCTET_FALSE;
        return at + 1;
    }
    at[0] = OCTET_BOOL;
    at[1] = flag ? 1 : 0;
    return at + 2;
}

static inline uint8_t *put_string(uint8_t *at, struct bytes text)
{
    if (!text.data) {
        *at = OCTET_NULL;
        return at + 1;
    }
    *at = OCTET_STRING;
    return put_text(at + 1, text);
}

/* The property; `at` itself when it is left out. */
static inline uint8_t *put_property(uint8_t *at, const struct pof_field *field, const void *member,
                                    bool full)
{
    int64_t number;
    double float64;
    struct bytes text;
    const char *c_text;

    at[0] = (uint8_t)field->index;
    switch (field->kind) {
    case POF_FIELD_BOOL:
        return *(const bool *)member || full ? put_bool(at + 1, *(const bool *)member, full) : at;
    case POF_FIELD_INT16:
        number = *(const int16_t *)member;
        return number != 0 || full ? put_integer(at + 1, OCTET_INT16, number, full) : at;
    case POF_FIELD_INT32:
        number = *(const int32_t *)member;
        return number != 0 || full ? put_integer(at + 1, OCTET_INT32, number, full) : at;
    case POF_FIELD_INT64:
        number = *(const int64_t *)member;
        return number != 0 || full ? put_integer(at + 1, OCTET_INT64, number, full) : at;
    case POF_FIELD_FLOAT64:
        float64 = *(const double *)member;
        return float64 != 0 || full ? put_float64(at + 1, float64, full) : at;
    case POF_FIELD_STRING:
        memcpy(&text, member, sizeof text);
        return text.data || full ? put_string(at + 1, text) : at;
    case POF_FIELD_TEXT:
        memcpy(&c_text, member, sizeof c_text);
        text = c_text ? bytes_of_text(c_text) : bytes_of(NULL, 0);
        return c_text || full ? put_string(at + 1, text) : at;
    case POF_FIELD_OCTET:
    case POF_FIELD_CHAR:
    case POF_FIELD_INT128:
    case POF_FIELD_FLOAT32:
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

const struct pof_field *struct_write_plain(struct pof_writer *w, const struct pof_field *field,
                                           const struct pof_field *end, const uint8_t *object)
{
    struct pof_writer_frame *frame = w->top;
    uint8_t *at = w->at;
    bool full = w->full;

    for (; field < end && (size_t)(w->end - at) >= PROPERTY_MAX; field++) {
        if (!struct_is_simple(field) || field->index >= ONE_OCTET ||
            field->index <= frame->last_index) {
            break;
        }
        uint8_t *next = put_property(at, field, object + field->offset, full || field->full);
        if (!next) {
            break;
        }
        frame->last_index = field->index;
        full = false; /* what is to be full has not been left out */
        at = next;
    }
    w->at = at;
    w->full = full;
    return field;
}

bool struct_write_plain_list(struct pof_writer *w, const struct pof_field *field,
                             const struct bytes *strings, uint32_t count)
{
    uint8_t *at = w->at;
    bool uniform = field->many == POF_MANY_LIST || field->many == POF_MANY_ARRAY;

    if (!uniform || !pof_writer_is_next_property(w, field->index) || w->status != QN_OK ||
        w->top == &w->frames[POF_DEPTH_MAX] || count >= ONE_OCTET || w->end - at < PROPERTY_MAX) {
        return false;
    }
    at[0] = (uint8_t)field->index;
    at[1] = field->many == POF_MANY_LIST ? OCTET_UNIFORM_COLLECTION : OCTET_UNIFORM_ARRAY;
    at[2] = OCTET_STRING;
    at[3] = (uint8_t)count;
    at += 4;
    for (uint32_t i = 0; i < count; i++) {
        if (!strings[i].data || w->end - at < PROPERTY_MAX) {
            return false;
        }
        at = put_text(at, strings[i]);
        if (!at) {
            return false;
        }
    }
    w->top->last_index = field->index;
    w->full = false;
    w->at = at;
    return true;
}
