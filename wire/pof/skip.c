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

/* The octets of a number at the front of `in`, 0 when it may not fit `type`: it is longer than the
 * shortest forms, or cut short. */
static inline size_t plain_number(struct bytes in, int32_t type)
{
    size_t size_max = type == POF_INT64 ? PACKED_64_SIZE_MAX - 1 : PACKED_32_SIZE_MAX - 1;
    size_t size = 1;

    while (size <= in.size && size <= size_max && in.data[size - 1] >= 0x80) {
        size++;
    }
    return size <= in.size && size <= size_max ? size : 0;
}

/* Skip the encoding of the most frequent scalars. False, and nothing taken: it is another type, or
 * something may be wrong with it, which the long way finds out. */
static inline bool skip_scalar(struct bytes *in, int32_t type)
{
    size_t size;

    if (type == POF_STRING || type == POF_OCTETS) {
        if (in->size == 0 || in->data[0] >= 0x40) {
            return false;
        }
        size = 1 + (size_t)in->data[0];
    } else if ((type <= POF_INT16 && type >= POF_INT64) || type == POF_BOOL) {
        size = plain_number(*in, type);
    } else if (type == POF_FLOAT64 || type == POF_FLOAT32) {
        size = type == POF_FLOAT64 ? 8 : 4;
    } else {
        return false;
    }
    if (size == 0 || size > in->size) {
        return false;
    }
    *in = bytes_of(in->data + size, in->size - size);
    return true;
}

/* The same for a short uniform list of such scalars. */
static inline bool skip_list(struct bytes *in)
{
    struct bytes rest = *in;

    if (rest.size < 2 || (rest.data[0] & 0xc0) != 0x40 || rest.data[1] >= 0x40) {
        return false;
    }
    int32_t type = ~(rest.data[0] & 0x3f);
    uint8_t count = rest.data[1];
    rest = bytes_of(rest.data + 2, rest.size - 2);
    for (; count > 0; count--) {
        if (!skip_scalar(&rest, type)) {
            return false;
        }
    }
    *in = rest;
    return true;
}

/* Skip a property whose index and type are one octet each, and whose value is plain; a list only
 * where it is not too deep. */
static inline bool skip_property(struct bytes *in, int32_t last_index, bool lists)
{
    struct bytes rest = *in;

    if (rest.size < 2 || rest.data[0] >= 0x40 || rest.data[0] <= last_index ||
        (rest.data[1] & 0xc0) != 0x40) {
        return false;
    }
    int32_t type = ~(rest.data[1] & 0x3f);
    bool list = lists && (type == POF_UNIFORM_COLLECTION || type == POF_UNIFORM_ARRAY);
    rest = bytes_of(rest.data + 2, rest.size - 2);
    if (type == POF_SMALL_EMPTY_COLLECTION && !lists) {
        return false;
    }
    if (type > POF_SMALL_FALSE && !(list ? skip_list(&rest) : skip_scalar(&rest, type))) {
        return false;
    }
    *in = rest;
    return true;
}

/* Skip properties of an object below index `end`, as long as they are plain. */
static void skip_properties(struct pof_reader *r, struct pof_reader_frame *frame, int32_t end)
{
    int32_t last_index = frame->last_index;
    struct bytes rest = r->rest;
    bool lists = r->depth < r->limits.depth_max;

    if (frame->type < 0 || frame->done || r->counts_all) {
        return;
    }
    while (rest.size > 0 && rest.data[0] < end) {
        int32_t index = rest.data[0];
        if (!skip_property(&rest, last_index, lists)) {
            break;
        }
        last_index = index;
    }
    frame->last_index = last_index;
    r->rest = rest;
}

/* Skip elements of a uniform list as long as they are plain, `count` at most. */
static void skip_elements(struct pof_reader *r, struct pof_reader_frame *frame, int64_t count)
{
    if (!frame->uniform || pof_take_is_map(frame->type) || r->counts_all) {
        return;
    }
    while (count > 0 && frame->left > 0 && skip_scalar(&r->rest, frame->element_type)) {
        frame->left--;
        frame->number++;
        count--;
    }
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
