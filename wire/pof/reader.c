#include "wire/pof/reader.h"

#include "wire/pof/decode.h"
#include "wire/pof/identity.h"
#include "wire/pof/packed.h"
#include "wire/pof/take.h"
#include "wire/pof/text.h"

bool pof_kind_is_container(enum pof_kind kind)
{
    return kind >= POF_KIND_ARRAY;
}

static struct pof_reader_frame *top_frame(struct pof_reader *r)
{
    return &r->frames[r->depth];
}

/* Failures of the stream stay. */
static enum qn_status keep(struct pof_reader *r, enum qn_status status)
{
    if (status < QN_OK) {
        r->status = status;
    }
    return status;
}

static const struct pof_limits default_limits = {
    .depth_max = POF_DEPTH_MAX,
    .empty_max = POF_EMPTY_MAX,
    .identity_max = POF_IDENTITY_MAX,
    .length_max = UINT32_MAX,
    .elements_max = UINT64_MAX,
};

void pof_reader_init(struct pof_reader *r, struct bytes pof)
{
    r->rest = pof;
    r->whole = pof;
    r->status = QN_OK;
    r->limits = default_limits;
    r->empty_left = POF_EMPTY_MAX;
    r->elements_left = UINT64_MAX;
    r->counts_all = false;
    r->identities_seen = false;
    r->identities = NULL;
    r->pending = false;
    r->depth = 0;
    /* The top level is an array of one value. */
    r->frames[0] = (struct pof_reader_frame){.type = POF_ARRAY, .left = 1};
}

static uint32_t limit_or(uint32_t limit, uint32_t otherwise)
{
    return limit != 0 ? limit : otherwise;
}

void pof_reader_init_limited(struct pof_reader *r, struct bytes pof, struct pof_limits limits)
{
    bool counts_all = limits.length_max != 0 || limits.elements_max != 0;

    limits.depth_max = limit_or(limits.depth_max, POF_DEPTH_MAX);
    limits.depth_max = limits.depth_max < POF_DEPTH_MAX ? limits.depth_max : POF_DEPTH_MAX;
    limits.empty_max = limit_or(limits.empty_max, POF_EMPTY_MAX);
    limits.identity_max = limit_or(limits.identity_max, POF_IDENTITY_MAX);
    limits.length_max = limit_or(limits.length_max, UINT32_MAX);
    limits.elements_max = limits.elements_max != 0 ? limits.elements_max : UINT64_MAX;
    pof_reader_init(r, pof);
    r->limits = limits;
    r->empty_left = limits.empty_max;
    r->elements_left = limits.elements_max;
    r->counts_all = counts_all;
}

void pof_reader_track_identities(struct pof_reader *r, struct buf *table)
{
    r->identities = table;
}

enum qn_status pof_reader_follow(const struct pof_reader *r, const struct pof_value *reference,
                                 struct pof_reader *to)
{
    struct identity_place place;

    if (!r->identities) {
        return QN_UNSUPPORTED;
    }
    if (reference->kind != POF_KIND_REFERENCE ||
        !identity_find(r->identities, reference->as.reference, SIZE_MAX, &place)) {
        return QN_WRONG_TYPE;
    }
    pof_reader_init(to, r->whole);
    to->rest = bytes_of(r->whole.data + place.offset, r->whole.size - place.offset);
    to->limits = r->limits;
    to->empty_left = r->empty_left;
    to->elements_left = r->elements_left;
    to->counts_all = r->counts_all;
    to->identities_seen = true;
    to->identities = r->identities;
    to->frames[0].uniform = place.bare;
    to->frames[0].element_type = place.declared;
    return QN_OK;
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

/* Skip the container that was given but not entered. */
static enum qn_status skip_pending(struct pof_reader *r)
{
    if (r->status != QN_OK || !r->pending) {
        return r->status;
    }
    r->pending = false;
    r->depth++;
    return keep(r, pof_take_leave(r, r->depth - 1));
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

/* Lists of short texts are what is read most: the next one of those, false when it is not so plain.
 */
static bool next_text(struct pof_reader *r, struct pof_value *value)
{
    struct pof_reader_frame *frame = top_frame(r);
    struct bytes rest = r->rest;

    if (r->status != QN_OK || r->pending || r->counts_all || !frame->uniform ||
        frame->element_type != POF_STRING || frame->left <= 0 || pof_take_is_map(frame->type) ||
        rest.size == 0 || rest.data[0] >= 0x40 || rest.data[0] >= rest.size) {
        return false;
    }
    struct bytes text = bytes_of(rest.data + 1, rest.data[0]);
    if (!pof_text_is_ascii(text)) {
        return false;
    }
    value->kind = POF_KIND_STRING;
    value->type = POF_STRING;
    value->index = (int32_t)frame->number;
    value->identity = -1;
    value->is_key = false;
    value->as.text = text;
    frame->left--;
    frame->number++;
    r->rest = bytes_of(text.data + text.size, rest.size - 1 - text.size);
    return true;
}

enum qn_status pof_reader_next(struct pof_reader *r, struct pof_value *value)
{
    if (next_text(r, value)) {
        return QN_OK;
    }
    enum qn_status status = skip_pending(r);
    if (status == QN_OK) {
        status = keep(r, pof_take_value(r, value));
    }
    if (status != QN_OK) {
        return status;
    }
    r->pending = pof_kind_is_container(value->kind);
    return r->pending || pof_decode_valid(value) ? QN_OK : keep(r, QN_MALFORMED);
}

enum qn_status pof_reader_enter(struct pof_reader *r)
{
    if (r->status != QN_OK) {
        return r->status;
    }
    if (!r->pending) {
        return QN_WRONG_TYPE;
    }
    r->pending = false;
    r->depth++;
    return QN_OK;
}

enum qn_status pof_reader_leave(struct pof_reader *r)
{
    enum qn_status status = skip_pending(r);

    if (status != QN_OK) {
        return status;
    }
    return r->depth == 0 ? QN_INVALID : keep(r, pof_take_leave(r, r->depth - 1));
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

enum qn_status pof_reader_has(struct pof_reader *r, int32_t index)
{
    struct pof_reader_frame *frame = top_frame(r);
    enum qn_status status = skip_pending(r);
    int32_t next = 0;

    if (status != QN_OK) {
        return status;
    }
    if (r->depth == 0 || frame->type < 0 || index <= frame->last_asked ||
        index <= frame->last_index) {
        return QN_INVALID;
    }
    frame->last_asked = index - 1;
    status = keep(r, pof_take_seek(r, index, &next));
    return status == QN_OK && next > index ? QN_ABSENT : status;
}

enum qn_status pof_reader_find(struct pof_reader *r, int32_t index, struct pof_value *value)
{
    enum qn_status status = pof_reader_has(r, index);

    if (status == QN_OK || status == QN_ABSENT) {
        top_frame(r)->last_asked = index;
    }
    return status == QN_OK ? pof_reader_next(r, value) : status;
}

enum qn_status pof_read_remainder(struct pof_reader *r, struct bytes *properties)
{
    struct pof_reader_frame *frame = top_frame(r);
    enum qn_status status = skip_pending(r);
    struct bytes start = r->rest;
    struct bytes end = start;

    if (status != QN_OK) {
        return status;
    }
    if (r->depth == 0 || frame->type < 0) {
        return QN_INVALID;
    }
    while (!frame->done) {
        end = r->rest;
        status = keep(r, skip_value(r));
        if (status < QN_OK) {
            return status;
        }
    }
    if (!frame->end_mark_is_exact) {
        return keep(r, QN_MALFORMED);
    }
    size_t size = start.size - end.size;
    *properties = size == 0 ? bytes_of(NULL, 0) : bytes_of(start.data, size);
    return QN_OK;
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
