/* Members as properties: collected, put in the order of the octets, and written. */
#include <stdlib.h>

#include "wire/pof/json/json_read_parts.h"

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

/* -- collecting -- */

static int by_index(const void *a, const void *b)
{
    const struct pjson_field *x = a;
    const struct pjson_field *y = b;

    if (x->index == y->index) {
        return (x->member.at > y->member.at) - (x->member.at < y->member.at);
    }
    return (x->index > y->index) - (x->index < y->index);
}

static void sort(struct pjson_reader *j, const struct pjson_object *object)
{
    if (object->count > 1) {
        qsort(j->members.data + object->begin, object->count, sizeof(struct pjson_field), by_index);
    }
}

static bool add_field(struct pjson_reader *j, struct pjson_object *object,
                      const struct pjson_field *field)
{
    if (buf_append(&j->members, field, sizeof *field) != QN_OK) {
        pjson_wrong(j, QN_MEMORY_FULL, field->member.at, "no memory");
        return false;
    }
    object->count++;
    return true;
}

struct pjson_field pjson_field_at(const struct pjson_reader *j, const struct pjson_object *object,
                                  size_t number)
{
    struct pjson_field field;

    memcpy(&field, j->members.data + object->begin + number * sizeof field, sizeof field);
    return field;
}

void pjson_collect(struct pjson_reader *j, struct pjson_place place, struct pjson_object *object)
{
    uint32_t count;
    struct pjson_place at = pjson_inside(j, place, &count);

    for (; count > 0 && j->status == QN_OK; count--) {
        struct pjson_field field = {.member = at};
        struct bytes name;
        if (!pjson_member_at(j, field.member, &name, &field.value, &at)) {
            break;
        }
        bool mark = name.size > 0 && name.data[0] == '$';
        if (!mark && !pjson_find_field(j, object, name, field.member.at, &field)) {
            break;
        }
        field.name = pjson_token(j, field.member.at);
        if (!mark && !add_field(j, object, &field)) {
            break;
        }
    }
    sort(j, object);
}

/* -- what the base has -- */

static void set_base(struct pjson_reader *j, const struct pjson_object *object, size_t number,
                     struct bytes base)
{
    struct pjson_field field = pjson_field_at(j, object, number);

    field.base = base;
    memcpy(j->members.data + object->begin + number * sizeof field, &field, sizeof field);
}

/* What the base has in the places of the fields; what the view hides of it becomes a field. */
static void compare_base(struct pjson_reader *j, struct pjson_object *object)
{
    struct bytes properties = object->base;
    const size_t shown = object->count;
    struct pjson_field kept = {.kept = true};
    size_t number = 0;

    while (j->status == QN_OK && pjson_base_next(&properties, &kept.index, &kept.base)) {
        if (pof_view_rule(object->rules, kept.index).action == POF_VIEW_OMIT) {
            add_field(j, object, &kept);
            continue;
        }
        while (number < shown && pjson_field_at(j, object, number).index < kept.index) {
            number++;
        }
        while (number < shown && pjson_field_at(j, object, number).index == kept.index) {
            set_base(j, object, number++, kept.base);
        }
    }
    if (object->count > shown) {
        sort(j, object);
    }
}

/* -- writing -- */

/* How many fields from `number` on are parts of one object. */
static size_t count_parts(const struct pjson_reader *j, const struct pjson_object *object,
                          size_t number)
{
    const struct pjson_field first = pjson_field_at(j, object, number);
    size_t count = 1;

    while (number + count < object->count) {
        struct pjson_field next = pjson_field_at(j, object, number + count);
        if (!next.flattened || next.index != first.index) {
            break;
        }
        count++;
    }
    return count;
}

/* The fields of `object` from `number` on as those of the object that they are parts of. */
static void collect_parts(struct pjson_reader *j, const struct pjson_object *object, size_t number,
                          size_t count, struct pjson_object *inner)
{
    for (size_t i = 0; i < count && j->status == QN_OK; i++) {
        const struct pjson_field outer = pjson_field_at(j, object, number + i);
        struct pjson_field field = {
            .name = outer.name, .member = outer.member, .value = outer.value};
        struct bytes name;
        if (!pjson_string(j, outer.member.at, &name)) {
            return;
        }
        name = bytes_of(name.data + outer.skip, name.size - outer.skip);
        if (!pjson_find_field(j, inner, name, outer.member.at, &field)) {
            return;
        }
        field.skip += outer.skip;
        add_field(j, inner, &field);
    }
    sort(j, inner);
}

/* Write an object whose parts stand among the members of the one around it. */
static void write_parts(struct pjson_reader *j, const struct pjson_object *object, size_t number,
                        size_t count)
{
    const struct pjson_field first = pjson_field_at(j, object, number);
    const struct pof_schema_type *type = first.shape->user;
    struct pjson_object inner;

    if (!pjson_object_init(j, &inner, first.member.at, type->id, type, first.base)) {
        return;
    }
    collect_parts(j, object, number, count, &inner);
    pof_begin_nested(&j->w, first.index, type->id, inner.version);
    pjson_write_fields(j, &inner);
    pof_end(&j->w);
}

/* Write one field, or all the parts of one. Returns how many. */
static size_t write_field(struct pjson_reader *j, const struct pjson_object *object, size_t number)
{
    const struct pjson_field field = pjson_field_at(j, object, number);
    size_t count = 1;

    if (field.kept) {
        pof_write_copy(&j->w, field.index, field.base);
    } else if (field.flattened) {
        count = count_parts(j, object, number);
        write_parts(j, object, number, count);
    } else {
        size_t path = pjson_path_push(j, field.name, 0);
        pjson_read_change(j, field.value, field.index, field.shape, field.base);
        pjson_path_pop(j, path);
    }
    return count;
}

void pjson_write_fields(struct pjson_reader *j, struct pjson_object *object)
{
    int32_t last = -1;

    compare_base(j, object);
    for (size_t i = 0; i < object->count && j->status == QN_OK;) {
        const struct pjson_field field = pjson_field_at(j, object, i);
        if (field.index == last) {
            size_t path = pjson_path_push(j, field.name, 0);
            pjson_wrong(j, QN_INVALID, field.value.at, "stands there twice");
            pjson_path_pop(j, path);
            break;
        }
        last = field.index;
        i += write_field(j, object, i);
    }
    j->members.size = object->begin;
}
