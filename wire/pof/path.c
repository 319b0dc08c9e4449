#include "wire/pof/path.h"

#include "wire/pof/decode.h"
#include "wire/pof/packed.h"
#include "wire/pof/path_walk.h"
#include "wire/pof/take.h"

/* Take the head of the value that the reader stands in front of. */
static enum qn_status take_head(struct pof_reader *r, struct path_place *place)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];

    place->start = r->rest;
    place->bare = frame->uniform;
    place->declared = frame->element_type;
    return pof_take_value(r, &place->head);
}

enum qn_status path_first(struct pof_reader *r, struct bytes pof, struct path_place *place)
{
    pof_reader_init(r, pof);
    enum qn_status status = take_head(r, place);
    return status == QN_ABSENT ? QN_MALFORMED : status;
}

/* Nothing stands there. `room`: an index names the place, where it could be put. */
static enum qn_status nothing_at(const struct pof_reader *r, bool room, struct path_place *place)
{
    place->start = bytes_of(r->rest.data, 0);
    place->bare = r->frames[r->depth].uniform;
    place->declared = r->frames[r->depth].element_type;
    place->room = room;
    return QN_ABSENT;
}

/* Go to the property or entry `step`; those before it are skipped. */
static enum qn_status go_to_index(struct pof_reader *r, int32_t step, struct path_place *place)
{
    int32_t next = 0;
    enum qn_status status = pof_take_seek(r, step, &next);

    if (status == QN_ABSENT || (status == QN_OK && next > step)) {
        return nothing_at(r, true, place);
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
        return nothing_at(r, false, place);
    }
    enum qn_status status = pof_take_skip(r, step - frame->number);
    return status == QN_OK ? take_head(r, place) : status;
}

enum qn_status path_step(struct pof_reader *r, int32_t step, struct path_place *place)
{
    int32_t type = r->frames[r->depth].type;
    bool indexed = type >= 0 || type == POF_SPARSE_ARRAY || type == POF_UNIFORM_SPARSE_ARRAY;

    return indexed ? go_to_index(r, step, place) : go_to_element(r, step, place);
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
        .declared = place->declared,
        .octets = bytes_of(place->start.data, place->start.size - r->rest.size),
        .value = place->head,
    };
    return QN_OK;
}

void path_fill_nothing(const struct path_place *place, struct pof_target *target)
{
    *target = (struct pof_target){
        .bare = place->bare, .declared = place->declared, .octets = place->start};
}

/* Walk down the path. QN_ABSENT: what a step names is not there. `*below`: the path goes on below
 * something absent or null. */
static enum qn_status walk(struct pof_reader *r, struct pof_path path, struct path_place *place,
                           bool *below)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && i < path.count; i++) {
        if (place->head.kind == POF_KIND_NULL) {
            *below = true;
            return QN_ABSENT;
        }
        status = path_enter(r, place);
        if (status == QN_OK) {
            status = path_step(r, path.steps[i], place);
        }
        *below = status == QN_ABSENT && place->room && i + 1 < path.count;
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

enum qn_status path_find(struct pof_reader *r, struct bytes pof, struct pof_path path,
                         struct pof_target *target)
{
    struct path_place place;
    bool below = false;

    if (!path_is_valid(path)) {
        return QN_INVALID;
    }
    enum qn_status status = path_first(r, pof, &place);
    if (status == QN_OK) {
        status = walk(r, path, &place, &below);
    }
    if (status == QN_OK) {
        status = pof_take_rest(r, &place.head);
        return status == QN_OK ? path_fill(r, &place, target) : status;
    }
    if (status == QN_ABSENT && below) {
        *target = (struct pof_target){.below_missing = true};
        return QN_OK;
    }
    if (status == QN_ABSENT && place.room) {
        path_fill_nothing(&place, target);
        return QN_OK;
    }
    return status;
}

enum qn_status pof_path_find(struct bytes pof, struct pof_path path, struct pof_target *target)
{
    struct pof_reader r;

    return path_find(&r, pof, path, target);
}

void pof_path_reader(const struct pof_target *target, struct pof_reader *reader)
{
    pof_reader_init(reader, target->octets);
    if (target->bare) {
        reader->frames[0].uniform = true;
        reader->frames[0].element_type = target->declared;
    }
}
