/* Members as properties: which field a name means, and the order of the octets. */
#include <stdio.h>
#include <stdlib.h>

#include "wire/pof/json/json_read_parts.h"

/* The name and the value of the member at `place`; `*next` is the one behind. */
bool pjson_member_at(struct pjson_reader *j, struct pjson_place place, struct bytes *name,
                     struct pjson_place *value, struct pjson_place *next)
{
    if (!pjson_string(j, place.at, name)) {
        return false;
    }
    *value = pjson_go_on(j, pjson_behind(j, place));
    *next = pjson_go_on(j, pjson_behind(j, *value));
    return true;
}

bool pjson_is_named(struct bytes name, const char *text)
{
    return bytes_equal(name, bytes_of_text(text));
}

/* A whole number in a name: the index of a property. */
static bool index_of(struct bytes name, int32_t *index)
{
    int64_t value = 0;

    if (name.size == 0 || name.size > 10) {
        return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] < '0' || name.data[i] > '9') {
            return false;
        }
        value = value * 10 + (name.data[i] - '0');
    }
    *index = (int32_t)value;
    return value <= INT32_MAX;
}

bool pjson_index_at(struct pjson_reader *j, struct pjson_place place, int32_t *number)
{
    if (pjson_is_string(j, place.at) || !index_of(pjson_token(j, place.at), number)) {
        pjson_wrong_value(j, place.at, "is not a number from 0 to 2147483647");
        return false;
    }
    return true;
}

/* -- members as properties -- */

static int by_index(const void *a, const void *b)
{
    const struct pjson_field *x = a;
    const struct pjson_field *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* The fields of a type in words, for the person who misspelled one. */
static void unknown_field(struct pjson_reader *j, size_t at, const struct pof_schema_type *type)
{
    char text[200];
    size_t size = 0;

    if (!type) {
        pjson_wrong_value(j, at,
                          "is not a number, and nothing is known of the fields of this type");
        return;
    }
    size += (size_t)snprintf(text, sizeof text, "is no field of %.40s, which has:", type->name);
    for (size_t i = 0; i < type->field_count && size + 2 < sizeof text; i++) {
        int more = snprintf(text + size, sizeof text - size, " %s", type->fields[i].name);
        size += (size_t)more;
    }
    pjson_wrong_value(j, at, text);
}

/* Which property a member is. */
static bool find_field(struct pjson_reader *j, const struct pof_schema_type *type, size_t at,
                       struct pjson_field *field)
{
    const struct pof_schema_field *known = type ? pof_schema_field(type, field->name) : NULL;

    if (known) {
        field->index = known->index;
        field->shape = known->shape;
        return true;
    }
    if (index_of(field->name, &field->index)) {
        known = type ? pof_schema_field_at(type, field->index) : NULL;
        field->shape = known ? known->shape : &pjson_any;
        return true;
    }
    unknown_field(j, at, type);
    return false;
}

static bool add_field(struct pjson_reader *j, const struct pjson_field *field, size_t at)
{
    if (buf_append(&j->members, field, sizeof *field) != QN_OK) {
        pjson_wrong(j, QN_MEMORY_FULL, at, "no memory");
        return false;
    }
    return true;
}

/* Collect the members behind the marks as fields, by ascending index. Returns how many. */
size_t pjson_collect(struct pjson_reader *j, struct pjson_place place,
                     const struct pof_schema_type *type, size_t begin)
{
    uint32_t count;
    struct pjson_place at = pjson_inside(j, place, &count);

    for (; count > 0 && j->status == QN_OK; count--) {
        struct pjson_field field = {0};
        struct pjson_place next;
        if (!pjson_member_at(j, at, &field.name, &field.value, &next)) {
            break;
        }
        bool mark = field.name.size > 0 && field.name.data[0] == '$';
        if (!mark && !find_field(j, type, at.at, &field)) {
            break;
        }
        field.name = pjson_token(j, at.at);
        if (!mark && !add_field(j, &field, at.at)) {
            break;
        }
        at = next;
    }
    size_t found = (j->members.size - begin) / sizeof(struct pjson_field);
    if (found > 1) {
        qsort(j->members.data + begin, found, sizeof(struct pjson_field), by_index);
    }
    return found;
}

/* Fields are copied out one by one: deeper objects put theirs behind, and the buffer moves. */
struct pjson_field pjson_field_at(const struct pjson_reader *j, size_t begin, size_t number)
{
    struct pjson_field field;

    memcpy(&field, j->members.data + begin + number * sizeof field, sizeof field);
    return field;
}

void pjson_write_fields(struct pjson_reader *j, size_t begin, size_t count)
{
    int32_t last = -1;

    for (size_t i = 0; i < count && j->status == QN_OK; i++) {
        struct pjson_field field = pjson_field_at(j, begin, i);
        size_t path = pjson_path_push(j, field.name, 0);
        if (field.index == last) {
            pjson_wrong(j, QN_INVALID, field.value.at, "stands there twice");
        }
        last = field.index;
        pjson_read_value(j, field.value, field.index, field.shape);
        pjson_path_pop(j, path);
    }
}
