#include "wire/pof/path.h"

#include "wire/pof/decode.h"
#include "wire/pof/packed.h"
#include "wire/pof/path_walk.h"
#include "wire/pof/take.h"

static bool is_indexed(const struct pof_reader_frame *frame)
{
    return frame->type >= 0 || frame->type == POF_SPARSE_ARRAY ||
           frame->type == POF_UNIFORM_SPARSE_ARRAY;
}

enum qn_status path_take_head(struct pof_reader *r, struct path_place *place)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];
    enum qn_status status = QN_OK;
    int32_t index;

    place->start = r->rest;
    if (is_indexed(frame)) {
        status = packed_take_index(&place->start, &index);
    }
    place->bare = frame->uniform;
    place->declared = frame->element_type;
    return status == QN_OK ? pof_take_value(r, &place->head) : status;
}

bool path_go_into_object(struct pof_reader *r)
{
    struct pof_reader_frame *frame = &r->frames[r->depth];
    struct bytes rest = r->rest;
    bool indexed = is_indexed(frame);
    int32_t index = 0;
    int32_t type;
    int32_t version;

    if (frame->uniform || r->depth >= r->limits.depth_max ||
        (indexed && packed_take_index(&rest, &index) != QN_OK) ||
        packed_take_type(&rest, &type) != QN_OK || type < 0 ||
        packed_take_index(&rest, &version) != QN_OK || version < 0) {
        return false;
    }
    if (indexed) {
        frame->last_index = index;
    } else {
        frame->left--;
        frame->number++;
    }
    r->rest = rest;
    r->frames[++r->depth] =
        (struct pof_reader_frame){.type = type, .last_index = -1, .last_asked = -1, .left = -1};
    return true;
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

enum qn_status path_go_to(struct pof_reader *r, int32_t step, struct path_place *place)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];
    int32_t next = 0;

    if (!is_indexed(frame)) {
        return step - frame->number >= frame->left ? nothing_at(r, false, place)
                                                   : pof_take_skip(r, step - frame->number);
    }
    enum qn_status status = pof_take_seek(r, step, &next);
    bool absent = status == QN_ABSENT || (status == QN_OK && next > step);
    return absent ? nothing_at(r, true, place) : status;
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

/* Take the head of the value in front, or of the one that a reference there stands for, when there
 * is a table to find it by. A reference names an earlier value, so this ends. */
static enum qn_status take_shared_head(struct pof_reader *r, struct path_place *place)
{
    struct pof_reader to;
    enum qn_status status = path_take_head(r, place);

    while (status == QN_OK && r->identities && place->head.kind == POF_KIND_REFERENCE) {
        status = pof_reader_follow(r, &place->head, &to);
        if (status == QN_OK) {
            *r = to;
            status = path_take_head(r, place);
        }
    }
    return status;
}

/* Go into the container that the reader stands in front of. QN_ABSENT: it is null. */
static enum qn_status go_into(struct pof_reader *r, struct path_place *place)
{
    if (path_go_into_object(r)) {
        return QN_OK;
    }
    enum qn_status status = take_shared_head(r, place);
    if (status != QN_OK) {
        return status;
    }
    return place->head.kind == POF_KIND_NULL ? QN_ABSENT : path_enter(r, place);
}

/* Walk down the path, and take the head of what is there. QN_ABSENT: what a step names is not
 * there. `*below`: the path goes on below something absent or null. */
static enum qn_status walk(struct pof_reader *r, struct pof_path path, struct path_place *place,
                           bool *below)
{
    for (size_t i = 0; i < path.count; i++) {
        enum qn_status status = go_into(r, place);
        *below = status == QN_ABSENT;
        if (status == QN_OK) {
            status = path_go_to(r, path.steps[i], place);
            *below = status == QN_ABSENT && place->room && i + 1 < path.count;
        }
        if (status != QN_OK) {
            return status;
        }
    }
    return take_shared_head(r, place);
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

/* As pof_path_find, by a reader that stands in front of the value. */
static enum qn_status find(struct pof_reader *r, struct pof_path path, struct pof_target *target)
{
    struct path_place place;
    bool below = false;

    if (!path_is_valid(path)) {
        return QN_INVALID;
    }
    enum qn_status status = walk(r, path, &place, &below);
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

enum qn_status path_find(struct pof_reader *r, struct bytes pof, struct pof_path path,
                         struct pof_target *target)
{
    pof_reader_init(r, pof);
    return find(r, path, target);
}

enum qn_status pof_path_find(struct bytes pof, struct pof_path path, struct pof_target *target)
{
    struct pof_reader r;

    return path_find(&r, pof, path, target);
}

enum qn_status pof_path_find_shared(struct bytes pof, struct pof_path path, struct buf *table,
                                    struct pof_target *target)
{
    struct pof_reader r;

    pof_reader_init(&r, pof);
    pof_reader_track_identities(&r, table);
    return find(&r, path, target);
}

void pof_path_reader(const struct pof_target *target, struct pof_reader *reader)
{
    pof_reader_init(reader, target->octets);
    if (target->bare) {
        reader->frames[0].uniform = true;
        reader->frames[0].element_type = target->declared;
    }
}
