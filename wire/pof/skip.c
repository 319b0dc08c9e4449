/* Over values without handing them out. What is plain and frequent goes a short way; everything
 * else is taken as pof_take_value does, which alone knows all rules. A short way takes nothing that
 * the long way refuses. */
#include "wire/pof/decode.h"
#include "wire/pof/packed.h"
#include "wire/pof/take.h"

static struct pof_reader_frame *top_frame(struct pof_reader *r)
{
    return &r->frames[r->depth];
}

/* Drop `count` elements of an array or a collection at once when their size is known. */
static bool drop_fixed(struct pof_reader *r, int64_t count)
{
    struct pof_reader_frame *frame = top_frame(r);

    if (count <= 0 || frame->left < count || !frame->uniform || pof_take_is_map(frame->type) ||
        !pof_decode_size_is_fixed(frame->element_type)) {
        return false;
    }
    size_t size = (size_t)count * pof_decode_size_min(frame->element_type);
    if (size > r->rest.size) {
        return false;
    }
    r->rest = bytes_of(r->rest.data + size, r->rest.size - size);
    frame->left -= count;
    frame->number += count;
    return true;
}

/* How plain encodings of a type are skipped: one of these in the upper three bits, and a number. */
enum {
    PLAIN_FIXED = 0x00,   /* so many octets */
    PLAIN_NUMBER = 0x20,  /* a packed number of so many octets at most: it then fits in any case */
    PLAIN_NUMBERS = 0x40, /* so many packed numbers of 32 bits */
    PLAIN_SIZED = 0x60,   /* a length and that many octets */
    PLAIN_LIST = 0x80,    /* a uniform list */
    PLAIN_EMPTY = 0xa0,   /* a container without octets */
    PLAIN_NONE = 0xe0,    /* by the long way only */
    PLAIN_KIND = 0xe0,    /* mask of the bits above */
    PLAIN_COUNT = 0x1f,   /* and of the number */
    SHORT_32 = PACKED_32_SIZE_MAX - 1,
    SHORT_64 = PACKED_64_SIZE_MAX - 1,
    SHORT_128 = PACKED_SIZE_MAX - 1,
};

/* By ~ type id, which is the type's octet without its upper two bits. What is not named is a small
 * value, and takes no octets. */
static const uint8_t plain_forms[-POF_SMALL_TWENTY_TWO] = {
    [~POF_INT16] = PLAIN_NUMBER | SHORT_32,
    [~POF_INT32] = PLAIN_NUMBER | SHORT_32,
    [~POF_INT64] = PLAIN_NUMBER | SHORT_64,
    [~POF_INT128] = PLAIN_NUMBER | SHORT_128,
    [~POF_FLOAT32] = PLAIN_FIXED | 4,
    [~POF_FLOAT64] = PLAIN_FIXED | 8,
    [~POF_FLOAT128] = PLAIN_FIXED | 16,
    [~POF_DECIMAL32] = PLAIN_NUMBERS | 2, /* short ones at least */
    [~POF_DECIMAL64] = PLAIN_NUMBERS | 2,
    [~POF_DECIMAL128] = PLAIN_NUMBERS | 2,
    [~POF_BOOL] = PLAIN_NUMBER | SHORT_32,
    [~POF_OCTET] = PLAIN_FIXED | 1,
    [~POF_OCTETS] = PLAIN_SIZED,
    [~POF_CHAR] = PLAIN_NUMBER | 1, /* ASCII */
    [~POF_STRING] = PLAIN_SIZED,
    [~POF_DATE] = PLAIN_NUMBERS | 3,
    [~POF_YEAR_MONTH_INTERVAL] = PLAIN_NUMBERS | 2,
    [~POF_TIME] = PLAIN_NONE,
    [~POF_TIME_INTERVAL] = PLAIN_NUMBERS | 4,
    [~POF_DATETIME] = PLAIN_NONE,
    [~POF_DAY_TIME_INTERVAL] = PLAIN_NUMBERS | 5,
    [~POF_COLLECTION] = PLAIN_NONE,
    [~POF_UNIFORM_COLLECTION] = PLAIN_LIST,
    [~POF_ARRAY] = PLAIN_NONE,
    [~POF_UNIFORM_ARRAY] = PLAIN_LIST,
    [~POF_SPARSE_ARRAY] = PLAIN_NONE,
    [~POF_UNIFORM_SPARSE_ARRAY] = PLAIN_NONE,
    [~POF_MAP] = PLAIN_NONE,
    [~POF_UNIFORM_KEYS_MAP] = PLAIN_NONE,
    [~POF_UNIFORM_MAP] = PLAIN_NONE,
    [~POF_IDENTITY] = PLAIN_NONE,
    [~POF_REFERENCE] = PLAIN_NONE,
    [~POF_SMALL_EMPTY_COLLECTION] = PLAIN_EMPTY,
};

static inline bool is_type_octet(uint8_t octet)
{
    return (octet & 0xc0) == 0x40;
}

/* These return the octet behind what they skip, NULL when something is not plain, or may be wrong,
 * which the long way finds out. */

static inline const uint8_t *skip_number(const uint8_t *at, const uint8_t *end, size_t size_max)
{
    const uint8_t *last = (size_t)(end - at) > size_max ? at + size_max : end;

    while (at < last) {
        if (*at++ < 0x80) {
            return at;
        }
    }
    return NULL;
}

static inline const uint8_t *skip_numbers(const uint8_t *at, const uint8_t *end, unsigned count)
{
    for (; at && count > 0; count--) {
        at = skip_number(at, end, SHORT_32);
    }
    return at;
}

/* A length of one octet or two, and what it counts. */
static inline const uint8_t *skip_sized(const uint8_t *at, const uint8_t *end)
{
    if (at < end && *at < 0x40) {
        return *at < end - at ? at + 1 + *at : NULL;
    }
    if (end - at < 2 || (at[0] & 0xc0) != 0x80 || at[1] >= 0x80) {
        return NULL;
    }
    ptrdiff_t size = (at[0] & 0x3f) | at[1] << 6;
    return size <= end - at - 2 ? at + 2 + size : NULL;
}

static inline const uint8_t *skip_scalar(const uint8_t *at, const uint8_t *end, uint8_t form)
{
    unsigned kind = form & PLAIN_KIND;
    unsigned count = form & PLAIN_COUNT;

    if (kind == PLAIN_SIZED) {
        return skip_sized(at, end);
    }
    if (kind == PLAIN_FIXED) {
        return (size_t)(end - at) >= count ? at + count : NULL;
    }
    if (kind == PLAIN_NUMBER) {
        return skip_number(at, end, count);
    }
    return kind == PLAIN_NUMBERS ? skip_numbers(at, end, count) : NULL;
}

/* A short list. Elements without octets are counted by the long way. */
static inline const uint8_t *skip_list(const uint8_t *at, const uint8_t *end)
{
    if (end - at < 2 || !is_type_octet(at[0]) || at[1] >= 0x40) {
        return NULL;
    }
    uint8_t form = plain_forms[at[0] & 0x3f];
    uint8_t count = at[1];
    at += 2;
    if (form == (PLAIN_FIXED | 0)) {
        return NULL;
    }
    for (; at && count > 0; count--) {
        at = form == PLAIN_SIZED ? skip_sized(at, end) : skip_scalar(at, end, form);
    }
    return at;
}

/* The value behind a type octet; a container only where it is not too deep. */
static inline const uint8_t *skip_plain(const uint8_t *at, const uint8_t *end, uint8_t type_octet,
                                        bool containers)
{
    uint8_t form = plain_forms[type_octet & 0x3f];

    if (form < PLAIN_LIST) {
        return skip_scalar(at, end, form);
    }
    if (!containers || form == PLAIN_NONE) {
        return NULL;
    }
    return form == PLAIN_LIST ? skip_list(at, end) : at;
}

/* Skip properties of an object below index `end_index`, as long as they are plain and their indexes
 * are one octet. */
static void skip_properties(struct pof_reader *r, struct pof_reader_frame *frame, int32_t end_index)
{
    int32_t last_index = frame->last_index;
    const uint8_t *at = r->rest.data;
    const uint8_t *end = at + r->rest.size;
    bool containers = r->depth < r->limits.depth_max;

    if (frame->type < 0 || frame->done || r->counts_all) {
        return;
    }
    end_index = end_index < 0x40 ? end_index : 0x40;
    while (end - at >= 2 && at[0] < end_index && at[0] > last_index && is_type_octet(at[1])) {
        const uint8_t *next = skip_plain(at + 2, end, at[1], containers);
        if (!next) {
            break;
        }
        last_index = at[0];
        at = next;
    }
    frame->last_index = last_index;
    r->rest = bytes_of(at, (size_t)(end - at));
}

/* Skip elements of a uniform list as long as they are plain, `count` at most. */
static void skip_elements(struct pof_reader *r, struct pof_reader_frame *frame, int64_t count)
{
    const uint8_t *at = r->rest.data;
    const uint8_t *end = at + r->rest.size;
    int64_t left = count < frame->left ? count : frame->left;

    if (!frame->uniform || pof_take_is_map(frame->type) || r->counts_all ||
        frame->element_type >= 0) {
        return;
    }
    uint8_t form = plain_forms[~frame->element_type];
    for (; left > 0; left--) {
        const uint8_t *next = skip_scalar(at, end, form);
        if (!next) {
            break;
        }
        frame->left--;
        frame->number++;
        at = next;
    }
    r->rest = bytes_of(at, (size_t)(end - at));
}

enum qn_status pof_take_leave(struct pof_reader *r, uint32_t depth)
{
    struct pof_value ignored;

    while (r->depth > depth) {
        struct pof_reader_frame *frame = top_frame(r);
        if (!drop_fixed(r, frame->left)) {
            skip_elements(r, frame, frame->left);
        }
        skip_properties(r, frame, INT32_MAX);
        enum qn_status status = pof_take_value(r, &ignored);
        if (status == QN_ABSENT) {
            r->depth--;
        } else if (status != QN_OK) {
            return status;
        } else if (pof_kind_is_container(ignored.kind)) {
            r->depth++;
        }
    }
    return QN_OK;
}

enum qn_status pof_take_rest(struct pof_reader *r, const struct pof_value *head)
{
    if (!pof_kind_is_container(head->kind)) {
        return QN_OK;
    }
    r->depth++;
    return pof_take_leave(r, r->depth - 1);
}

/* Take and skip the next value. QN_ABSENT: there is none. */
static enum qn_status skip_value(struct pof_reader *r)
{
    struct pof_value ignored;
    enum qn_status status = pof_take_value(r, &ignored);

    return status == QN_OK ? pof_take_rest(r, &ignored) : status;
}

enum qn_status pof_take_skip(struct pof_reader *r, int64_t count)
{
    enum qn_status status = QN_OK;
    struct pof_reader_frame *frame = top_frame(r);

    if (drop_fixed(r, count)) {
        return QN_OK;
    }
    int64_t before = frame->number;
    skip_elements(r, frame, count);
    count -= frame->number - before;
    for (; status == QN_OK && count > 0; count--) {
        status = skip_value(r);
    }
    return status;
}

/* The index of the next property or sparse element, which stays where it is. QN_ABSENT: there is
 * none. */
static enum qn_status peek_index(const struct pof_reader *r, int32_t *index)
{
    struct bytes rest = r->rest;

    if (r->frames[r->depth].done) {
        return QN_ABSENT;
    }
    enum qn_status status = packed_take_index(&rest, index);
    return status == QN_OK && *index < 0 ? QN_ABSENT : status;
}

enum qn_status pof_take_seek(struct pof_reader *r, int32_t index, int32_t *next)
{
    enum qn_status status;

    for (;;) {
        skip_properties(r, top_frame(r), index);
        status = peek_index(r, next);
        if (status != QN_OK || *next >= index) {
            return status;
        }
        status = skip_value(r);
        if (status != QN_OK) {
            return status;
        }
    }
}

enum qn_status pof_skip(struct bytes *in)
{
    struct pof_reader reader;

    pof_reader_init(&reader, *in);
    enum qn_status status = skip_value(&reader);
    if (status == QN_OK) {
        *in = reader.rest;
    }
    return status;
}
