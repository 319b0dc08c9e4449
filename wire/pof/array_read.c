#include "wire/assert.h"
#include "wire/pof/array.h"
#include "wire/pof/decode.h"
#include "wire/pof/packed.h"
#include "wire/pof/take.h"

/* One element of the caller's memory. */
union element {
    bool boolean;
    uint8_t octet;
    uint16_t character;
    int16_t int16;
    int32_t int32;
    int64_t int64;
    float float32;
    double float64;
};

static size_t element_size(enum pof_type type)
{
    const union element *e = NULL;

    return type == POF_BOOL                           ? sizeof e->boolean
           : type == POF_OCTET                        ? sizeof e->octet
           : type == POF_CHAR || type == POF_INT16    ? sizeof e->int16
           : type == POF_INT32 || type == POF_FLOAT32 ? sizeof e->int32
                                                      : sizeof e->int64;
}

static enum qn_status to_integer(const struct pof_value *value, int64_t least, int64_t most,
                                 int64_t *number)
{
    enum qn_status status = pof_value_int64(value, number);

    return status == QN_OK && (*number < least || *number > most) ? QN_WRONG_TYPE : status;
}

static enum qn_status to_float(const struct pof_value *value, enum pof_type type, uint8_t *at)
{
    union element e;
    double number;
    enum qn_status status = pof_value_float64(value, &number);

    if (status == QN_OK && type == POF_FLOAT64) {
        memcpy(at, &number, sizeof number);
    } else if (status == QN_OK) {
        e.float32 = (float)number;
        memcpy(at, &e.float32, sizeof e.float32);
    }
    return status;
}

static enum qn_status to_whole(const struct pof_value *value, enum pof_type type, uint8_t *at)
{
    /* -1 stands for the greatest octet and char. */
    const int64_t least = type == POF_OCTET || type == POF_CHAR ? -1
                          : type == POF_INT16                   ? INT16_MIN
                          : type == POF_INT32                   ? INT32_MIN
                                                                : INT64_MIN;
    const int64_t most = type == POF_OCTET   ? UINT8_MAX
                         : type == POF_CHAR  ? UINT16_MAX
                         : type == POF_INT16 ? INT16_MAX
                         : type == POF_INT32 ? INT32_MAX
                                             : INT64_MAX;
    int64_t number;
    enum qn_status status = to_integer(value, least, most, &number);
    union element e;

    if (status != QN_OK) {
        return status;
    }
    if (type == POF_BOOL) {
        e.boolean = number != 0;
    } else if (type == POF_OCTET) {
        e.octet = (uint8_t)number;
    } else if (type == POF_CHAR) {
        e.character = (uint16_t)number;
    } else if (type == POF_INT16) {
        e.int16 = (int16_t)number;
    } else if (type == POF_INT32) {
        e.int32 = (int32_t)number;
    } else {
        e.int64 = number;
    }
    memcpy(at, &e, element_size(type));
    return QN_OK;
}

/* Put a value where an element of `type` stands; the zeros that are there are null. */
static enum qn_status put_value(const struct pof_value *value, enum pof_type type, uint8_t *at)
{
    if (value->kind == POF_KIND_NULL) {
        return QN_OK;
    }
    return type == POF_FLOAT32 || type == POF_FLOAT64 ? to_float(value, type, at)
                                                      : to_whole(value, type, at);
}

/* -- the plain case: a uniform array or collection of the very type -- */

static bool is_plain(const struct pof_value *value, const struct pof_array *array)
{
    return value->as.items.uniform && value->as.items.element_type == array->type &&
           (value->kind == POF_KIND_ARRAY || value->kind == POF_KIND_COLLECTION);
}

/* Take `count` elements from `in`; those of one octet at once. */
static enum qn_status take_plain(struct bytes *in, size_t count, const struct pof_array *array)
{
    struct pof_value value = {.type = array->type};
    size_t size = element_size(array->type);
    enum qn_status status = QN_OK;
    uint8_t *at = array->values;

    if (array->type == POF_OCTET && count > 0) {
        memcpy(at, in->data, count); /* checked with the head */
        *in = bytes_of(in->data + count, in->size - count);
        return QN_OK;
    }
    bool known = pof_decode_kind(array->type, &value.kind);
    qn_assert(known);
    for (size_t i = 0; status == QN_OK && i < count; i++, at += size) {
        status = pof_decode_scalar(in, array->type, &value);
        if (status == QN_OK) {
            status = put_value(&value, array->type, at);
        }
    }
    return status;
}

/* False: not plain in every element, which the long way finds out again. */
static bool read_plain(struct pof_reader *r, const struct pof_value *value, struct pof_array *array)
{
    struct bytes rest = r->rest;
    size_t count = (size_t)value->as.items.count;

    if (!is_plain(value, array) || take_plain(&rest, count, array) != QN_OK) {
        return false;
    }
    r->rest = rest;
    r->pending = false;
    array->count = count;
    return true;
}

/* -- every other case -- */

/* The elements of the container that the reader has gone into. QN_ABSENT: all fitted. */
static enum qn_status read_elements(struct pof_reader *r, size_t count,
                                    const struct pof_array *array)
{
    size_t size = element_size(array->type);
    struct pof_value value;

    for (;;) {
        enum qn_status status = pof_reader_next(r, &value);
        if (status != QN_OK) {
            return status;
        }
        if ((size_t)value.index >= count) { /* of a sparse array whose size is untrue */
            return QN_WRONG_TYPE;
        }
        status =
            put_value(&value, array->type, (uint8_t *)array->values + size * (size_t)value.index);
        if (status != QN_OK) {
            return status;
        }
    }
}

static enum qn_status read_any(struct pof_reader *r, size_t count, struct pof_array *array)
{
    enum qn_status status = pof_reader_enter(r);

    if (status != QN_OK) {
        return status;
    }
    if (count > 0) {
        memset(array->values, 0, count * element_size(array->type));
    }
    enum qn_status result = read_elements(r, count, array);
    if (r->status != QN_OK) {
        return r->status;
    }
    status = pof_reader_leave(r);
    if (status == QN_OK && result == QN_ABSENT) {
        array->count = count;
        return QN_OK;
    }
    return status == QN_OK ? result : status;
}

/* An octet string as an array of octets. */
static enum qn_status read_octets(struct bytes octets, struct pof_array *array)
{
    size_t room = array->count;

    array->count = octets.size;
    if (octets.size > room) {
        return QN_TOO_LARGE;
    }
    if (octets.size > 0) {
        memcpy(array->values, octets.data, octets.size);
    }
    return QN_OK;
}

enum qn_status pof_value_array(struct pof_reader *r, const struct pof_value *value,
                               struct pof_array *array)
{
    if (array->type == POF_OCTET && value->kind == POF_KIND_OCTETS) {
        return read_octets(value->as.octets, array);
    }
    if (value->kind != POF_KIND_ARRAY && value->kind != POF_KIND_COLLECTION &&
        value->kind != POF_KIND_SPARSE_ARRAY) {
        return QN_WRONG_TYPE;
    }
    size_t count = (size_t)value->as.items.count;
    if (count > array->count) {
        array->count = value->kind == POF_KIND_SPARSE_ARRAY ? 0 : count;
        return QN_TOO_LARGE;
    }
    return read_plain(r, value, array) ? QN_OK : read_any(r, count, array);
}

/* What of a reader finding a property changes. */
struct mark {
    struct bytes rest;
    struct pof_reader_frame frame;
    uint64_t empty_left;
    uint64_t elements_left;
};

static struct mark mark_of(const struct pof_reader *r)
{
    return (struct mark){r->rest, r->frames[r->depth], r->empty_left, r->elements_left};
}

/* Stand in front of the property again that was found and not entered. */
static void go_back(struct pof_reader *r, const struct mark *mark)
{
    r->rest = mark->rest;
    r->frames[r->depth] = mark->frame;
    r->empty_left = mark->empty_left;
    r->elements_left = mark->elements_left;
    r->pending = false;
}

enum qn_status pof_read_array(struct pof_reader *r, int32_t index, struct pof_array *array)
{
    struct pof_value value = {.kind = POF_KIND_NULL};
    enum qn_status status = pof_reader_has(r, index);
    struct mark before = mark_of(r);

    if (status == QN_OK || status == QN_ABSENT) {
        status = pof_reader_find(r, index, &value);
    }
    if (status == QN_ABSENT || (status == QN_OK && value.kind == POF_KIND_NULL)) {
        array->count = 0;
        return QN_OK;
    }
    if (status != QN_OK) {
        return status;
    }
    status = pof_value_array(r, &value, array);
    if (status == QN_TOO_LARGE && r->status == QN_OK) {
        go_back(r, &before);
    }
    return status;
}
