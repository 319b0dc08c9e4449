#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"

/* Room for `count` elements; `*at` is NULL when there are none. */
static enum qn_status make_room(const struct pof_field *field, uint32_t count, uint8_t *object,
                                struct pof_struct_memory *memory, uint8_t **at)
{
    if (field->fixed > 0) {
        *at = object + field->offset;
        bool exact = field->count_place != 0 || count == field->fixed;
        return count > field->fixed ? QN_TOO_LARGE : exact ? QN_OK : QN_WRONG_TYPE;
    }
    /* An empty list is not null, so it points somewhere. */
    *at = arena_calloc(memory->arena, count > 0 ? count : 1, field->size);
    memcpy(object + field->offset, at, sizeof *at);
    return *at ? QN_OK : QN_MEMORY_FULL;
}

/* The next value of the container as an element of a list. */
static enum qn_status read_element(struct pof_reader *r, const struct pof_field *field,
                                   uint8_t *element, struct pof_struct_memory *memory)
{
    struct pof_value value;
    enum qn_status status = pof_reader_next(r, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind == POF_KIND_NULL) {
        if (field->kind == POF_FIELD_STRUCT) {
            struct_set_initials(field->nested, element);
        }
        return QN_OK;
    }
    return value.kind == POF_KIND_REFERENCE ? QN_UNSUPPORTED
                                            : struct_read_one(r, &value, field, element, memory);
}

static enum qn_status read_pair(struct pof_reader *r, const struct pof_struct *pair,
                                uint8_t *element, struct pof_struct_memory *memory)
{
    struct pof_value value;

    memset(element, 0, pair->size);
    for (uint32_t i = 0; i < 2; i++) {
        enum qn_status status = pof_reader_next(r, &value);
        if (status == QN_OK) {
            status = struct_read_any(r, &value, &pair->fields[i], element, memory);
        }
        if (status != QN_OK) {
            return status;
        }
    }
    return QN_OK;
}

enum qn_status struct_read_many(struct pof_reader *r, const struct pof_value *value,
                                const struct pof_field *field, uint8_t *object,
                                struct pof_struct_memory *memory)
{
    bool map = field->many == POF_MANY_MAP;
    bool fits = map ? value->kind == POF_KIND_MAP
                    : value->kind == POF_KIND_ARRAY || value->kind == POF_KIND_COLLECTION;
    uint8_t *at;

    if (!fits && value->type != POF_SMALL_EMPTY_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    uint32_t count = (uint32_t)value->as.items.count;
    enum qn_status status = make_room(field, count, object, memory, &at);
    if (status == QN_OK && field->count_place != 0) {
        memcpy(object + field->count_place - 1, &count, sizeof count);
    }
    if (status == QN_OK) {
        status = pof_reader_enter(r);
    }
    for (uint32_t i = 0; status == QN_OK && i < count; i++) {
        uint8_t *element = at + (size_t)i * field->size;
        status = map ? read_pair(r, field->nested, element, memory)
                     : read_element(r, field, element, memory);
    }
    return status == QN_OK ? pof_reader_leave(r) : status == QN_ABSENT ? QN_MALFORMED : status;
}
