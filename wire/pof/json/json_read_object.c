/* Objects: their marks, their members, and references to them. */
#include "wire/pof/json/json_read_parts.h"

/* What the marks of an object say. */
struct marks {
    int32_t id;      /* -1: none */
    int32_t version; /* -1: none */
    bool typed;
    int32_t type;
};

bool pjson_type_named(struct pjson_reader *j, struct pjson_place value, int32_t *type)
{
    struct bytes name;

    if (!pjson_is_string(j, value.at)) {
        return pjson_index_at(j, value, type);
    }
    if (!pjson_string(j, value.at, &name)) {
        return false;
    }
    const struct pof_schema_type *found = pof_schema_find_name(j->options->schema, name);
    if (!found) {
        pjson_unknown_type(j, value.at, name, false);
        return false;
    }
    *type = found->id;
    return true;
}

static bool take_marks(struct pjson_reader *j, struct pjson_place place, struct marks *marks)
{
    uint32_t count;
    struct pjson_place at = pjson_inside(j, place, &count);
    struct pjson_place value;
    struct bytes name;
    bool right = true;

    *marks = (struct marks){.id = -1, .version = -1};
    for (; count > 0 && right; count--) {
        struct pjson_place here = at;
        right = pjson_member_at(j, here, &name, &value, &at);
        if (!right || name.size == 0 || name.data[0] != '$') {
            continue;
        }
        if (pjson_is_named(name, "$type")) {
            marks->typed = true;
            right = pjson_type_named(j, value, &marks->type);
        } else if (pjson_is_named(name, "$version")) {
            right = pjson_index_at(j, value, &marks->version);
        } else if (pjson_is_named(name, "$id")) {
            right = pjson_index_at(j, value, &marks->id);
        } else {
            pjson_unknown_mark(j, here.at, name);
            right = false;
        }
    }
    return right;
}

static void remember(struct pjson_reader *j, int32_t id, size_t at)
{
    const int32_t pair[2] = {id, pof_writer_identity(&j->w)};

    if (id >= 0 && buf_append(&j->identities, pair, sizeof pair) != QN_OK) {
        pjson_wrong(j, QN_MEMORY_FULL, at, "no memory");
    }
}

/* Write the object of which marks, type and place are known. */
static void write_object(struct pjson_reader *j, struct pjson_place place, int32_t index,
                         const struct marks *marks, struct pjson_object *object, int32_t type)
{
    int32_t version = marks->version >= 0 ? marks->version : object->version;

    if (marks->id >= 0) {
        pof_begin_user(&j->w, index, type, version);
    } else { /* it has no identity, even when others have */
        pof_begin_nested(&j->w, index, type, version);
    }
    remember(j, marks->id, place.at);
    pjson_collect(j, place, object);
    pjson_write_fields(j, object);
    pof_end(&j->w);
}

void pjson_read_object(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape, struct bytes base)
{
    struct pjson_object object;
    struct marks marks;

    if (!take_marks(j, place, &marks)) {
        return;
    }
    const struct pof_schema_type *type = shape->kind == POF_SHAPE_USER ? shape->user : NULL;
    if (marks.typed) {
        type = pof_schema_find_id(j->options->schema, marks.type);
    }
    if (!type && !marks.typed) {
        pjson_wrong(j, QN_INVALID, place.at, "an object needs a \"$type\" here");
        return;
    }
    int32_t id = type ? type->id : marks.type;
    if (pjson_object_init(j, &object, place.at, id, type, base)) {
        write_object(j, place, index, &marks, &object, id);
    }
}

void pjson_read_reference(struct pjson_reader *j, struct pjson_place value, int32_t index)
{
    int32_t id;

    if (!pjson_index_at(j, value, &id)) {
        return;
    }
    for (size_t at = 0; at < j->identities.size; at += 2 * sizeof(int32_t)) {
        int32_t pair[2];
        memcpy(pair, j->identities.data + at, sizeof pair);
        if (pair[0] == id) {
            pof_write_reference(&j->w, index, pair[1]);
            return;
        }
    }
    pjson_wrong_value(j, value.at, "is the \"$id\" of no object before this one");
}
