#include "wire/pof/struct_plain.h"

/* So much an array may take before its first element is read, whatever the octets say. */
enum { STEP_MIN = 1024 };

/* The elements of one field as they are read. */
struct elements {
    uint8_t *at;
    uint32_t count; /* that there will be */
    uint32_t room;  /* that there is place for */
};

/* For how many to make room at first. A count may lie, if not by much: there must be an octet for
 * each element, but an element may take hundreds. So all arrays of a value together get a few times
 * the octets of the value in advance; beyond that they grow with what is read. What pointers lead
 * to must not move. */
static uint32_t room_at_first(struct pof_struct_reading *s, const struct pof_field *field,
                              uint32_t count)
{
    uint64_t size = (uint64_t)count * field->size;

    if (size <= STEP_MIN) {
        return count > 0 ? count : 1; /* an empty list is not null, so it points somewhere */
    }
    if (size <= s->advance) {
        s->advance -= size;
        return count;
    }
    if (field->kind == POF_FIELD_STRUCT && struct_has_shared(field->nested)) {
        return count;
    }
    return field->size < STEP_MIN ? STEP_MIN / field->size : 1;
}

/* More room, for `room` elements in all. */
static enum qn_status grow(struct pof_struct_reading *s, const struct pof_field *field,
                           uint32_t room, uint8_t *object, struct elements *elements)
{
    uint8_t *at = arena_calloc(s->memory->arena, room, field->size);

    if (!at) {
        return QN_MEMORY_FULL;
    }
    if (elements->room > 0) {
        memcpy(at, elements->at, (size_t)elements->room * field->size);
    }
    elements->at = at;
    elements->room = room;
    memcpy(object + field->offset, &elements->at, sizeof elements->at);
    return QN_OK;
}

static enum qn_status make_room(struct pof_struct_reading *s, const struct pof_field *field,
                                uint8_t *object, struct elements *elements)
{
    uint32_t count = elements->count;

    if (field->fixed == 0) {
        return grow(s, field, room_at_first(s, field, count), object, elements);
    }
    elements->at = object + field->offset;
    elements->room = field->fixed;
    bool exact = field->count_place != 0 || count == field->fixed;
    return count > field->fixed ? QN_TOO_LARGE : exact ? QN_OK : QN_WRONG_TYPE;
}

/* The next value of the container as an element of a list. */
static enum qn_status read_element(struct pof_struct_reading *s, const struct pof_field *field,
                                   uint8_t *element)
{
    struct pof_value value;
    enum qn_status status = pof_reader_next(s->r, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind == POF_KIND_NULL) {
        if (field->kind == POF_FIELD_STRUCT) {
            struct_set_initials(field->nested, element);
        }
        return QN_OK;
    }
    return value.kind == POF_KIND_REFERENCE ? struct_read_reference(s, &value, field, element)
                                            : struct_read_one(s, &value, field, element);
}

static enum qn_status read_pair(struct pof_struct_reading *s, const struct pof_struct *pair,
                                uint8_t *element)
{
    struct pof_value value;

    memset(element, 0, pair->size);
    for (uint32_t i = 0; i < 2; i++) {
        enum qn_status status = pof_reader_next(s->r, &value);
        if (status == QN_OK) {
            status = struct_read_any(s, &value, &pair->fields[i], element);
        }
        if (status != QN_OK) {
            return status;
        }
    }
    return QN_OK;
}

static enum qn_status read_elements(struct pof_struct_reading *s, const struct pof_field *field,
                                    uint8_t *object, struct elements *elements)
{
    for (uint32_t i = 0; i < elements->count; i++) {
        enum qn_status status = QN_OK;
        if (i == elements->room) {
            uint32_t more = elements->count - i < i ? elements->count - i : i;
            status = grow(s, field, i + more, object, elements);
        }
        uint8_t *element = elements->at + (size_t)i * field->size;
        if (status == QN_OK) {
            status = field->many == POF_MANY_MAP ? read_pair(s, field->nested, element)
                                                 : read_element(s, field, element);
        }
        if (status != QN_OK) {
            return status == QN_ABSENT ? QN_MALFORMED : status;
        }
    }
    return QN_OK;
}

enum qn_status struct_read_many(struct pof_struct_reading *s, const struct pof_value *value,
                                const struct pof_field *field, uint8_t *object)
{
    bool map = field->many == POF_MANY_MAP;
    bool fits = map ? value->kind == POF_KIND_MAP
                    : value->kind == POF_KIND_ARRAY || value->kind == POF_KIND_COLLECTION;
    struct elements elements = {.count = (uint32_t)value->as.items.count};

    if (!fits && value->type != POF_SMALL_EMPTY_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    enum qn_status status = make_room(s, field, object, &elements);
    if (status == QN_OK && field->count_place != 0) {
        memcpy(object + field->count_place - 1, &elements.count, sizeof elements.count);
    }
    if (status == QN_OK) {
        status = pof_reader_enter(s->r);
    }
    if (status == QN_OK) {
        status = read_elements(s, field, object, &elements);
    }
    return status == QN_OK ? pof_reader_leave(s->r) : status;
}

/* Elements without types of their own; NULL: not all are plain. */
static const uint8_t *plain_elements(struct pof_struct_reading *s, const struct pof_field *field,
                                     const struct elements *elements, uint8_t type, struct bytes in)
{
    const uint8_t *at = in.data;
    const uint8_t *end = at + in.size;
    uint8_t *element = elements->at;

    for (uint32_t i = 0; at && i < elements->count; i++) {
        at = plain_value(s, field, type, at, end, element);
        element += field->size;
    }
    return at;
}

bool struct_read_plain_list(struct pof_struct_reading *s, const struct pof_field *field,
                            uint8_t *object)
{
    struct pof_reader *r = s->r;
    struct bytes in = r->rest;
    struct elements elements = {0};
    int32_t count;

    if (field->many == POF_MANY_MAP || !struct_is_next(r, field->index) ||
        r->depth >= r->limits.depth_max || in.size < 4 ||
        (in.data[1] != OCTET_UNIFORM_COLLECTION && in.data[1] != OCTET_UNIFORM_ARRAY) ||
        in.data[2] > OCTET_STRING) {
        return false;
    }
    uint8_t type = in.data[2];
    in = bytes_of(in.data + 3, in.size - 3);
    if (packed_take_index(&in, &count) != QN_OK || count < 0 || (size_t)count > in.size) {
        return false;
    }
    elements.count = (uint32_t)count;
    if (make_room(s, field, object, &elements) != QN_OK || elements.room < elements.count) {
        return false;
    }
    const uint8_t *end = plain_elements(s, field, &elements, type, in);
    if (!end) {
        return false;
    }
    if (field->count_place != 0) {
        memcpy(object + field->count_place - 1, &elements.count, sizeof elements.count);
    }
    struct_took(r, field->index, end);
    return true;
}
