#include "wire/pof/path.h"

#include "wire/pof/binary.h"
#include "wire/pof/decode.h"
#include "wire/pof/packed.h"
#include "wire/pof/path_walk.h"
#include "wire/pof/take.h"
#include "wire/pof/writer_parts.h"

/* Take the head of the value that the reader stands in front of. */
static enum qn_status take_head(struct pof_reader *r, struct path_place *place)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];

    place->start = r->rest;
    place->bare = frame->uniform;
    return pof_take_value(r, &place->head);
}

enum qn_status path_first(struct pof_reader *r, struct bytes pof, struct path_place *place)
{
    pof_reader_init(r, pof);
    enum qn_status status = take_head(r, place);
    return status == QN_ABSENT ? QN_MALFORMED : status;
}

/* Go to the property or entry `step`; those before it are skipped. */
static enum qn_status go_to_index(struct pof_reader *r, int32_t step, struct path_place *place)
{
    int32_t next = 0;
    enum qn_status status = pof_take_seek(r, step, &next);

    if (status == QN_ABSENT || (status == QN_OK && next > step)) {
        place->start = bytes_of(r->rest.data, 0);
        place->bare = r->frames[r->depth].uniform;
        return QN_ABSENT;
    }
    struct bytes start = r->rest;
    if (status == QN_OK) {
        status = packed_take32(&start, &next);
    }
    if (status == QN_OK) {
        status = take_head(r, place);
        place->start = start; /* behind the index */
    }
    return status;
}

static enum qn_status go_to_element(struct pof_reader *r, int32_t step, struct path_place *place)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];

    if (step - frame->number >= frame->left) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = pof_take_skip(r, step - frame->number);
    return status == QN_OK ? take_head(r, place) : status;
}

enum qn_status path_step(struct pof_reader *r, int32_t step, struct path_place *place)
{
    enum pof_kind kind = place->head.kind;

    if (kind == POF_KIND_USER || kind == POF_KIND_SPARSE_ARRAY) {
        return go_to_index(r, step, place);
    }
    return go_to_element(r, step, place);
}

enum qn_status path_enter(struct pof_reader *r, const struct path_place *place)
{
    if (place->head.kind == POF_KIND_REFERENCE) {
        return QN_UNSUPPORTED;
    }
    if (!pof_kind_is_container(place->head.kind) || place->head.kind == POF_KIND_MAP ||
        place->head.type == POF_SMALL_EMPTY_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    r->depth++;
    return QN_OK;
}

enum qn_status path_fill(const struct pof_reader *r, const struct path_place *place,
                         struct pof_target *target)
{
    if (!pof_kind_is_container(place->head.kind) && !pof_decode_valid(&place->head)) {
        return QN_MALFORMED;
    }
    *target = (struct pof_target){
        .found = true,
        .bare = place->bare,
        .type = place->head.type,
        .octets = bytes_of(place->start.data, place->start.size - r->rest.size),
        .value = place->head,
    };
    return QN_OK;
}

void path_fill_nothing(const struct path_place *place, struct pof_target *target)
{
    *target = (struct pof_target){.bare = place->bare, .octets = place->start};
}

/* Walk down the path. QN_ABSENT: what its last step names is not there, but has a place. */
static enum qn_status walk(struct pof_reader *r, struct pof_path path, struct path_place *place,
                           struct pof_target *target)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && i < path.count; i++) {
        if (place->head.kind == POF_KIND_NULL) {
            target->below_missing = true;
            return QN_OK;
        }
        status = path_enter(r, place);
        if (status == QN_OK) {
            status = path_step(r, path.steps[i], place);
        }
        if (status == QN_ABSENT && i + 1 < path.count) {
            target->below_missing = true;
            return QN_OK;
        }
    }
    return status;
}

bool path_is_valid(struct pof_path path)
{
    for (size_t i = 0; i < path.count && path.count <= POF_PATH_MAX; i++) {
        if (path.steps[i] < 0) {
            return false;
        }
    }
    return path.count <= POF_PATH_MAX;
}

/* As pof_path_find, and leaves `r` behind the target. */
static enum qn_status find(struct pof_reader *r, struct bytes pof, struct pof_path path,
                           struct pof_target *target)
{
    struct path_place place;
    struct pof_target found = {0};

    if (!path_is_valid(path)) {
        return QN_INVALID;
    }
    enum qn_status status = path_first(r, pof, &place);
    if (status == QN_OK) {
        status = walk(r, path, &place, &found);
    }
    if (status == QN_ABSENT) {
        path_fill_nothing(&place, &found);
        status = QN_OK;
    } else if (status == QN_OK && !found.below_missing) {
        status = pof_take_rest(r, &place.head);
        if (status == QN_OK) {
            status = path_fill(r, &place, &found);
        }
    }
    if (status == QN_OK) {
        *target = found;
    }
    return status;
}

enum qn_status pof_path_find(struct bytes pof, struct pof_path path, struct pof_target *target)
{
    struct pof_reader r;

    return find(&r, pof, path, target);
}

void pof_path_reader(const struct pof_target *target, struct pof_reader *reader)
{
    pof_reader_init(reader, target->octets);
    if (target->bare) {
        reader->frames[0].uniform = true;
        reader->frames[0].element_type = target->type;
    }
}

/* The parts of which the new octets of a target are made. */
struct replacement {
    uint8_t index[PACKED_64_SIZE_MAX]; /* of a property that is not there yet */
    struct bytes parts[2];
};

/* Is `pof` one value of `type`? Then drop its type id. */
static enum qn_status drop_type(struct bytes *pof, int32_t declared)
{
    struct bytes rest = *pof;
    int32_t type;
    enum qn_status status = packed_take32(&rest, &type);

    if (status != QN_OK || !pof_writer_same_type(declared, type)) {
        return QN_INVALID;
    }
    *pof = rest;
    return QN_OK;
}

/* Exactly one value, without identities, which would be others than those in the object. */
static bool is_one_value(struct bytes pof)
{
    struct pof_reader r;

    pof_reader_init(&r, pof);
    return pof_take_skip(&r, 1) == QN_OK && r.rest.size == 0 && !r.identities_seen;
}

static enum qn_status replace(const struct pof_reader *r, struct pof_path path,
                              const struct pof_target *target, struct bytes pof,
                              struct replacement *new)
{
    if (!is_one_value(pof)) {
        return QN_INVALID;
    }
    enum qn_status status =
        target->bare ? drop_type(&pof, r->frames[r->depth].element_type) : QN_OK;
    size_t size = target->found ? 0 : packed_put(new->index, path.steps[path.count - 1]);
    new->parts[0] = bytes_of(new->index, size);
    new->parts[1] = pof;
    return status;
}

enum qn_status pof_path_update(struct buf *out, struct bytes binary, struct pof_path path,
                               struct bytes pof)
{
    struct pof_reader r;
    struct pof_target target;
    struct replacement new;
    struct bytes value;
    enum qn_status status = pof_binary_value(binary, &value);

    if (status == QN_OK) {
        status = find(&r, value, path, &target);
    }
    if (status != QN_OK) {
        return status;
    }
    if (target.below_missing) {
        return QN_ABSENT;
    }
    /* An identity that is replaced, or counted anew, would leave its references behind. */
    if (r.identities_seen || target.value.kind == POF_KIND_REFERENCE) {
        return QN_UNSUPPORTED;
    }
    status = replace(&r, path, &target, pof, &new);
    return status == QN_OK ? pof_binary_splice(out, binary, target.octets, new.parts, 2) : status;
}
