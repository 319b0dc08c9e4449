#include "wire/pof/writer.h"

#include "wire/pof/binary.h"
#include "wire/pof/identity.h"
#include "wire/pof/packed.h"
#include "wire/pof/writer_parts.h"

enum { END_MARK = -1, UNCOUNTED = -1 };

static bool is_sparse(const struct pof_writer_frame *frame)
{
    return frame->type == POF_SPARSE_ARRAY || frame->type == POF_UNIFORM_SPARSE_ARRAY;
}

static bool is_map(const struct pof_writer_frame *frame)
{
    return frame->type <= POF_MAP && frame->type >= POF_UNIFORM_MAP;
}

void pof_writer_fail(struct pof_writer *w, enum qn_status status)
{
    if (w->status == QN_OK) {
        w->status = status;
        w->end = w->at;
    }
}

uint8_t *pof_writer_grow(struct pof_writer *w, size_t size)
{
    if (w->status != QN_OK) {
        return NULL;
    }
    if (w->at) {
        w->out->size = (size_t)(w->at - w->out->data);
    }
    enum qn_status status = buf_reserve(w->out, size);
    if (status != QN_OK) {
        pof_writer_fail(w, status);
        return NULL;
    }
    w->at = w->out->data + w->out->size;
    w->end = w->out->data + w->out->capacity;
    return w->at;
}

void pof_writer_init(struct pof_writer *w, struct buf *out)
{
    w->out = out;
    w->start = out->size;
    w->status = QN_OK;
    w->full = false;
    w->references = false;
    w->identity = 0;
    w->identities = NULL;
    w->unnamed = NULL;
    /* The top level is an array of one value, where nothing needs an index. */
    w->frames[0] = (struct pof_writer_frame){.type = POF_ARRAY, .left = 1};
    w->top = w->frames;
    w->at = out->data ? out->data + out->size : NULL;
    w->end = out->data ? out->data + out->capacity : NULL;
}

void pof_writer_init_binary(struct pof_writer *w, struct buf *out)
{
    pof_writer_init(w, out);
    uint8_t *at = pof_writer_room(w, 1);
    if (at) {
        *at = POF_BINARY_FORMAT;
        w->at = at + 1;
    }
}

void pof_writer_enable_references(struct pof_writer *w)
{
    w->references = true;
}

void pof_writer_track_identities(struct pof_writer *w, struct buf *table)
{
    w->identities = table;
}

void pof_writer_full(struct pof_writer *w)
{
    w->full = true;
}

enum qn_status pof_writer_finish(struct pof_writer *w)
{
    if (w->top != w->frames || w->frames[0].left != 0) {
        pof_writer_fail(w, QN_INVALID);
    }
    w->out->size = w->status == QN_OK ? (size_t)(w->at - w->out->data) : w->start;
    return w->status;
}

bool pof_writer_same_type(int32_t declared, int32_t type)
{
    bool both_decimal = declared <= POF_DECIMAL32 && declared >= POF_DECIMAL128 &&
                        type <= POF_DECIMAL32 && type >= POF_DECIMAL128;

    return type == declared || both_decimal || (type == POF_REFERENCE && declared >= 0);
}

bool pof_writer_is_bare(const struct pof_writer_frame *frame, int32_t *declared)
{
    bool key = is_map(frame) && frame->left % 2 == 0;

    *declared = key ? frame->key_type : frame->element_type;
    return key ? frame->uniform_keys : frame->uniform_elements;
}

/* Does `index` fit what the frame has had so far? */
static bool index_fits(const struct pof_writer_frame *frame, int32_t index)
{
    if (frame->left != UNCOUNTED) {
        return index == POF_NEXT && frame->left > 0;
    }
    return index > frame->last_index && !(is_sparse(frame) && index >= frame->size);
}

enum pof_form pof_writer_place(struct pof_writer *w, int32_t index, int32_t type, bool is_default)
{
    struct pof_writer_frame *frame = w->top;
    bool user = frame->type >= 0;
    /* Only properties and the top level know typed values; the first property is full because
     * pof_begin_user says so. */
    bool full = w->full || (w->top != w->frames && !user);
    int32_t declared;
    bool bare = pof_writer_is_bare(frame, &declared);

    if (!index_fits(frame, index) || (bare && !pof_writer_same_type(declared, type))) {
        pof_writer_fail(w, QN_INVALID);
    }
    if (w->status != QN_OK) {
        return POF_FORM_NOTHING;
    }
    if (frame->left == UNCOUNTED) {
        frame->last_index = index; /* of what is left out, too: order must not hang on values */
    }
    if (user && is_default && !full) {
        return POF_FORM_NOTHING;
    }
    if (frame->left == UNCOUNTED) {
        pof_writer_put_packed(w, index);
    } else {
        frame->left--;
    }
    w->full = false;
    return bare ? POF_FORM_BARE : full ? POF_FORM_FULL : POF_FORM_SMALL;
}

uint8_t *pof_writer_begin_slow(struct pof_writer *w, int32_t index, int32_t type, size_t size)
{
    enum pof_form form = pof_writer_place(w, index, type, false);
    uint8_t *at = form == POF_FORM_NOTHING ? NULL : pof_writer_room(w, size + PACKED_64_SIZE_MAX);

    return at && form != POF_FORM_BARE ? pof_put_packed(at, type) : at;
}

static void push(struct pof_writer *w, struct pof_writer_frame frame)
{
    if (w->status != QN_OK) {
        return;
    }
    if (w->top == &w->frames[POF_DEPTH_MAX]) {
        pof_writer_fail(w, QN_TOO_LARGE);
        return;
    }
    frame.last_index = -1;
    *++w->top = frame;
}

/* Is this the type of something that can be an element of a uniform container? Not identities,
 * references and small values. */
static bool is_element_type(int32_t type)
{
    return type > POF_IDENTITY;
}

static bool is_container_type(int32_t type)
{
    return type <= POF_COLLECTION && type >= POF_UNIFORM_MAP;
}

static bool has_element_type(int32_t type)
{
    return type == POF_UNIFORM_ARRAY || type == POF_UNIFORM_COLLECTION ||
           type == POF_UNIFORM_SPARSE_ARRAY || type == POF_UNIFORM_MAP;
}

static bool has_key_type(int32_t type)
{
    return type == POF_UNIFORM_KEYS_MAP || type == POF_UNIFORM_MAP;
}

void pof_begin_container(struct pof_writer *w, int32_t index, struct pof_container container)
{
    struct pof_writer_frame frame = {
        .type = container.type,
        .key_type = container.key_type,
        .element_type = container.element_type,
        .size = container.count,
        .uniform_keys = has_key_type(container.type),
        .uniform_elements = has_element_type(container.type),
    };

    frame.left =
        is_sparse(&frame) ? UNCOUNTED : (int64_t)container.count * (is_map(&frame) ? 2 : 1);
    if (!is_container_type(container.type) || container.count < 0 ||
        (frame.uniform_keys && !is_element_type(container.key_type)) ||
        (frame.uniform_elements && !is_element_type(container.element_type))) {
        pof_writer_fail(w, QN_INVALID);
        return;
    }
    uint8_t *at = pof_writer_begin(w, index, container.type, 3 * PACKED_64_SIZE_MAX);
    if (!at) {
        return;
    }
    at = frame.uniform_keys ? pof_put_packed(at, container.key_type) : at;
    at = frame.uniform_elements ? pof_put_packed(at, container.element_type) : at;
    w->at = pof_put_packed(at, container.count);
    push(w, frame);
}

void pof_begin_array(struct pof_writer *w, int32_t index, int32_t count)
{
    pof_begin_container(w, index, (struct pof_container){.type = POF_ARRAY, .count = count});
}

void pof_begin_collection(struct pof_writer *w, int32_t index, int32_t count)
{
    pof_begin_container(w, index, (struct pof_container){.type = POF_COLLECTION, .count = count});
}

void pof_begin_map(struct pof_writer *w, int32_t index, int32_t count)
{
    pof_begin_container(w, index, (struct pof_container){.type = POF_MAP, .count = count});
}

void pof_begin_uniform_array(struct pof_writer *w, int32_t index, int32_t element_type,
                             int32_t count)
{
    pof_begin_container(w, index,
                        (struct pof_container){.type = POF_UNIFORM_ARRAY,
                                               .element_type = element_type,
                                               .count = count});
}

void pof_begin_uniform_collection(struct pof_writer *w, int32_t index, int32_t element_type,
                                  int32_t count)
{
    pof_begin_container(w, index,
                        (struct pof_container){.type = POF_UNIFORM_COLLECTION,
                                               .element_type = element_type,
                                               .count = count});
}

/* Is there an object of this type with this identity, as far as the table knows? */
static bool has_type(const struct pof_writer *w, int32_t identity, int32_t type)
{
    struct identity_place place;

    return identity_find(w->identities, identity, SIZE_MAX, &place) && place.type == type;
}

/* In a uniform container a version stands where a reference could: would this one be taken for an
 * earlier object? Without a table it might. */
static bool is_like_reference(const struct pof_writer *w, int32_t type, int32_t version)
{
    int32_t declared;

    return version > 0 && version <= w->identity && pof_writer_is_bare(w->top, &declared) &&
           (!w->identities || has_type(w, version, type));
}

/* Give the object that begins an identity. */
static uint8_t *put_identity(struct pof_writer *w, uint8_t *at, int32_t type)
{
    const struct identity_place place = {.type = type};
    enum qn_status status = QN_OK;

    w->identity++;
    if (w->identities) {
        status = identity_add(w->identities, w->identity, &place);
    }
    if (status != QN_OK) {
        pof_writer_fail(w, status);
    }
    return pof_put_packed(pof_put_packed(at, POF_IDENTITY), w->identity);
}

static void begin_user(struct pof_writer *w, int32_t index, struct pof_writer_frame frame,
                       int32_t version, bool with_identity)
{
    if (frame.type < 0 || version < 0 ||
        (!with_identity && is_like_reference(w, frame.type, version))) {
        pof_writer_fail(w, QN_INVALID);
        return;
    }
    enum pof_form form = pof_writer_place(w, index, frame.type, false);
    uint8_t *at = form == POF_FORM_NOTHING ? NULL : pof_writer_room(w, 4 * PACKED_64_SIZE_MAX);
    if (!at) {
        return;
    }
    if (with_identity) {
        at = put_identity(w, at, frame.type);
    }
    at = form == POF_FORM_BARE ? at : pof_put_packed(at, frame.type);
    w->at = pof_put_packed(at, version);
    push(w, frame);
    /* The next value is written in full, be it the first property or, when there is none, what
     * follows the object: so do the reference implementations. */
    w->full = true;
}

void pof_begin_user(struct pof_writer *w, int32_t index, int32_t type, int32_t version)
{
    begin_user(w, index, (struct pof_writer_frame){.type = type, .left = UNCOUNTED}, version,
               w->references);
}

void pof_begin_nested(struct pof_writer *w, int32_t index, int32_t type, int32_t version)
{
    begin_user(w, index, (struct pof_writer_frame){.type = type, .left = UNCOUNTED}, version,
               false);
}

void pof_write_remainder(struct pof_writer *w, struct bytes properties)
{
    struct pof_writer_frame *frame = w->top;
    struct bytes rest = properties;
    int32_t first;

    if (properties.size == 0) {
        return;
    }
    if (frame->type < 0 || packed_take32(&rest, &first) != QN_OK || first <= frame->last_index) {
        pof_writer_fail(w, QN_INVALID);
        return;
    }
    uint8_t *at = pof_writer_room(w, properties.size);
    if (at) {
        memcpy(at, properties.data, properties.size);
        w->at = at + properties.size;
    }
    frame->last_index = INT32_MAX; /* nothing can follow but the end */
}

void pof_write_copy(struct pof_writer *w, int32_t index, struct bytes pof)
{
    struct pof_writer_frame *frame = w->top;

    if (frame->type < 0 || index <= frame->last_index || pof.size == 0) {
        pof_writer_fail(w, QN_INVALID);
    }
    uint8_t *at = pof_writer_room(w, PACKED_64_SIZE_MAX + pof.size);
    if (w->status != QN_OK || !at) {
        return;
    }
    at = pof_put_packed(at, index);
    memcpy(at, pof.data, pof.size);
    w->at = at + pof.size;
    w->full = false;
    frame->last_index = index;
}

void pof_end(struct pof_writer *w)
{
    struct pof_writer_frame *frame = w->top;
    bool sparse_size_is_true = !is_sparse(frame) || frame->last_index + 1 == frame->size;

    if (w->top == w->frames || frame->left > 0 || !sparse_size_is_true) {
        pof_writer_fail(w, QN_INVALID);
    }
    if (w->status != QN_OK) {
        return;
    }
    if (frame->left == UNCOUNTED) {
        pof_writer_put_packed(w, END_MARK);
    }
    w->top--;
}

void pof_write_reference(struct pof_writer *w, int32_t index, int32_t identity)
{
    int32_t declared;

    if (identity < 1 || identity > w->identity ||
        (pof_writer_is_bare(w->top, &declared) &&
         !(w->identities && has_type(w, identity, declared)))) {
        pof_writer_fail(w, QN_INVALID);
    }
    uint8_t *at = pof_writer_begin(w, index, POF_REFERENCE, PACKED_64_SIZE_MAX);
    if (at) {
        w->at = pof_put_packed(at, identity);
    }
}

int32_t pof_writer_identity(const struct pof_writer *w)
{
    return w->identity;
}
