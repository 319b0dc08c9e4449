#include "wire/pof/take.h"

#include "wire/pof/decode.h"
#include "wire/pof/identity.h"
#include "wire/pof/packed.h"

enum { UNCOUNTED = -1, NO_IDENTITY = -1 };

bool pof_take_is_map(int32_t type)
{
    return type <= POF_MAP && type >= POF_UNIFORM_MAP;
}

static bool is_sparse(int32_t type)
{
    return type == POF_SPARSE_ARRAY || type == POF_UNIFORM_SPARSE_ARRAY;
}

/* Elements of these types make a plain array of the sparse one in other readers, so an index
 * beyond its size is an error there. */
static bool is_primitive(int32_t type)
{
    return (type <= POF_INT16 && type >= POF_INT64) || type == POF_FLOAT32 || type == POF_FLOAT64 ||
           type == POF_BOOL || type == POF_OCTET || type == POF_CHAR;
}

/* Take the index in front of a property or sparse element. QN_ABSENT: the end mark, any negative
 * number. */
static enum qn_status take_index(struct pof_reader *r, struct pof_reader_frame *frame,
                                 int32_t *index)
{
    if (frame->done) {
        return QN_ABSENT;
    }
    enum qn_status status = packed_take_index(&r->rest, index);
    if (status != QN_OK) {
        return status;
    }
    if (*index < 0) {
        frame->done = true;
        frame->end_mark_is_exact = *index == -1;
        return QN_ABSENT;
    }
    if (frame->type >= 0 && *index <= frame->last_index) {
        return QN_MALFORMED;
    }
    if (frame->type == POF_UNIFORM_SPARSE_ARRAY && is_primitive(frame->element_type) &&
        *index >= frame->size) {
        return QN_MALFORMED;
    }
    frame->last_index = *index;
    return QN_OK;
}

/* Count `elements` against the limit. */
static enum qn_status charge(struct pof_reader *r, uint64_t elements)
{
    if (elements > r->elements_left) {
        return QN_TOO_LARGE;
    }
    r->elements_left -= elements;
    return QN_OK;
}

/* Count off the next value, or take its index. QN_ABSENT: there is none. */
static enum qn_status take_place(struct pof_reader *r, struct pof_reader_frame *frame,
                                 struct pof_value *value)
{
    if (frame->left == UNCOUNTED) {
        enum qn_status status = take_index(r, frame, &value->index);
        return status == QN_OK ? charge(r, 1) : status;
    }
    if (frame->left == 0) {
        return QN_ABSENT;
    }
    value->is_key = pof_take_is_map(frame->type) && frame->left % 2 == 0;
    value->index = (int32_t)(pof_take_is_map(frame->type) ? frame->number / 2 : frame->number);
    frame->left--;
    frame->number++;
    return QN_OK;
}

static enum qn_status take_identity(struct pof_reader *r, struct pof_value *value)
{
    int32_t identity;
    enum qn_status status = packed_take32(&r->rest, &identity);

    if (status != QN_OK || identity < 0) { /* negative ones mean nothing */
        return status;
    }
    value->identity = identity;
    r->identities_seen = true;
    return QN_OK;
}

/* Where `at` stands in the value that the reader began with. */
static size_t offset_of(const struct pof_reader *r, struct bytes at)
{
    return (size_t)(at.data - r->whole.data);
}

/* Does the container have the type of this value? */
static bool is_bare(const struct pof_reader_frame *frame, const struct pof_value *value)
{
    return value->is_key ? frame->uniform_keys : frame->uniform;
}

/* The type that a uniform container has for this value. */
static int32_t declared_type(const struct pof_reader_frame *frame, const struct pof_value *value)
{
    return value->is_key ? frame->key_type : frame->element_type;
}

/* Take or know the type of the value whose place was taken, with its identity if it has one. */
static enum qn_status take_type(struct pof_reader *r, const struct pof_reader_frame *frame,
                                struct pof_value *value)
{
    enum qn_status status = QN_OK;

    if (is_bare(frame, value)) {
        value->type = declared_type(frame, value);
    } else {
        status = packed_take_type(&r->rest, &value->type);
    }
    if (status == QN_OK && value->type == POF_IDENTITY) {
        status = take_identity(r, value);
        if (status == QN_OK) {
            status = packed_take_type(&r->rest, &value->type);
        }
    }
    if (status == QN_OK && !pof_decode_kind(value->type, &value->kind)) {
        return QN_MALFORMED;
    }
    return status;
}

/* Is the number that stands for a version in a uniform container a reference? Only the table of
 * identities can tell; without one, nothing can be said once there were identities. */
static enum qn_status take_bare_reference(const struct pof_reader *r, int32_t number,
                                          struct pof_value *value)
{
    if (number <= 0 || !r->identities_seen) {
        return QN_OK;
    }
    if (!r->identities) {
        return QN_UNSUPPORTED;
    }
    struct identity_place place;
    if (identity_find(r->identities, number, offset_of(r, r->rest), &place) &&
        place.type == value->type) {
        value->kind = POF_KIND_REFERENCE;
        value->as.reference = number;
    }
    return QN_OK;
}

/* Take the version id of a user value. In a uniform container (`bare`) an identity may stand in
 * front of it, or a reference in its place, which changes the kind of the value. */
static enum qn_status take_version(struct pof_reader *r, bool bare, struct pof_value *value)
{
    int32_t version;
    enum qn_status status = packed_take_index(&r->rest, &version);

    if (status == QN_OK && bare && version == POF_IDENTITY) {
        status = take_identity(r, value);
        if (status == QN_OK) {
            status = packed_take_index(&r->rest, &version);
        }
    } else if (status == QN_OK && bare) {
        status = take_bare_reference(r, version, value);
    }
    if (status != QN_OK || value->kind == POF_KIND_REFERENCE) {
        return status;
    }
    value->as.items.version = version;
    return version < 0 ? QN_MALFORMED : QN_OK;
}

static enum qn_status take_element_type(struct pof_reader *r, int32_t *type)
{
    enum qn_status status = packed_take_type(&r->rest, type);

    return status == QN_OK && *type < POF_SMALL_TWENTY_TWO ? QN_MALFORMED : status;
}

/* The same for elements that no octets stand for. */
static enum qn_status charge_empty(struct pof_reader *r, uint64_t elements)
{
    if (elements > r->empty_left) {
        return QN_TOO_LARGE;
    }
    r->empty_left -= elements;
    return charge(r, elements);
}

/* Can `count` elements or pairs stand in the octets that remain, and within the limits? They are
 * charged now, before anyone makes room for them. */
static enum qn_status check_count(struct pof_reader *r, const struct pof_items *items, bool map)
{
    uint64_t size_min = items->uniform ? pof_decode_size_min(items->element_type) : 1;

    if (map) {
        size_min += items->uniform_keys ? pof_decode_size_min(items->key_type) : 1;
    }
    if (items->count < 0) {
        return QN_MALFORMED;
    }
    uint64_t elements = (uint64_t)items->count * (map ? 2 : 1);
    if (size_min == 0) {
        return charge_empty(r, elements);
    }
    return (uint64_t)items->count > r->rest.size / size_min ? QN_MALFORMED : charge(r, elements);
}

/* Take what stands between type id and elements of a container that is no user type. */
static enum qn_status take_items(struct pof_reader *r, const struct pof_value *value,
                                 struct pof_items *items)
{
    enum qn_status status = QN_OK;
    int32_t type = value->type;

    if (type == POF_SMALL_EMPTY_COLLECTION) {
        return QN_OK;
    }
    items->uniform_keys = type == POF_UNIFORM_KEYS_MAP || type == POF_UNIFORM_MAP;
    items->uniform = type == POF_UNIFORM_COLLECTION || type == POF_UNIFORM_ARRAY ||
                     type == POF_UNIFORM_SPARSE_ARRAY || type == POF_UNIFORM_MAP;
    if (items->uniform_keys) {
        status = take_element_type(r, &items->key_type);
    }
    if (status == QN_OK && items->uniform) {
        status = take_element_type(r, &items->element_type);
    }
    if (status == QN_OK) {
        status = packed_take_index(&r->rest, &items->count);
    }
    if (status != QN_OK || is_sparse(type)) { /* the size of a sparse array is no count */
        return status;
    }
    return check_count(r, items, pof_take_is_map(type));
}

/* Take the head of a container and prepare the frame for going into it. */
static enum qn_status take_container(struct pof_reader *r, bool bare, struct pof_value *value)
{
    struct pof_items *items = &value->as.items;
    bool user = value->kind == POF_KIND_USER;

    enum qn_status status = user ? take_version(r, bare, value) : take_items(r, value, items);
    if (status != QN_OK || value->kind == POF_KIND_REFERENCE) {
        return status;
    }
    if (r->depth >= r->limits.depth_max) {
        return QN_TOO_LARGE;
    }
    r->frames[r->depth + 1] = (struct pof_reader_frame){
        .type = value->type,
        .key_type = items->key_type,
        .element_type = items->element_type,
        .size = items->count,
        .last_index = -1,
        .last_asked = -1,
        .left = user || is_sparse(value->type)
                    ? UNCOUNTED
                    : (int64_t)items->count * (pof_take_is_map(value->type) ? 2 : 1),
        .uniform_keys = items->uniform_keys,
        .uniform = items->uniform,
    };
    return QN_OK;
}

/* The highest identity that this value may use: a table has a row for each below it, so a few
 * octets must not ask for many rows. */
static uint32_t highest_identity(const struct pof_reader *r)
{
    uint32_t most = r->limits.identity_max;
    size_t size = r->whole.size > POF_IDENTITY_FREE_MAX ? r->whole.size : POF_IDENTITY_FREE_MAX;

    return size < most ? (uint32_t)size : most;
}

/* Enter the identity of the value that begins at `start` into the table, or look a reference up in
 * it: it names an earlier value, also when the table knows later ones because this is read again.
 */
static enum qn_status track(const struct pof_reader *r, struct bytes start,
                            const struct pof_value *value)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];
    struct identity_place place;

    if (!r->identities) {
        return QN_OK;
    }
    if (value->kind == POF_KIND_REFERENCE &&
        !identity_find(r->identities, value->as.reference, offset_of(r, start), &place)) {
        return QN_MALFORMED;
    }
    if (value->identity < 0) {
        return QN_OK;
    }
    if ((uint32_t)value->identity > highest_identity(r)) {
        return QN_TOO_LARGE;
    }
    place = (struct identity_place){
        .offset = offset_of(r, start),
        .type = value->type,
        .declared = declared_type(frame, value),
        .bare = is_bare(frame, value),
    };
    return identity_add(r->identities, value->identity, &place);
}

static bool is_too_long(const struct pof_reader *r, const struct pof_value *value)
{
    return (value->kind == POF_KIND_STRING && value->as.text.size > r->limits.length_max) ||
           (value->kind == POF_KIND_OCTETS && value->as.octets.size > r->limits.length_max);
}

enum qn_status pof_take_value(struct pof_reader *r, struct pof_value *value)
{
    struct pof_reader_frame *frame = &r->frames[r->depth];

    memset(value, 0, sizeof *value); /* all of the union, not just its first member */
    value->identity = NO_IDENTITY;
    enum qn_status status = take_place(r, frame, value);
    struct bytes start = r->rest;
    if (status == QN_OK) {
        status = take_type(r, frame, value);
    }
    if (status != QN_OK) {
        return status;
    }
    if (pof_kind_is_container(value->kind)) {
        /* Behind an identity as element type stands the type of each. */
        bool bare = is_bare(frame, value) && declared_type(frame, value) == value->type;
        status = take_container(r, bare, value);
    } else {
        status = pof_decode_scalar(&r->rest, value->type, value);
    }
    if (status != QN_OK) {
        return status;
    }
    return r->counts_all && is_too_long(r, value) ? QN_TOO_LARGE : track(r, start, value);
}
