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
        status = keep(r, pof_take_skip(r, 1));
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
