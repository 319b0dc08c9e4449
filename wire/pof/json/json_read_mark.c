/* Braces: what their first member says they are. */
#include "wire/pof/json/json_parse.h"
#include "wire/pof/json/json_read_parts.h"

/* The kind that a mark names; false: none. */
static bool kind_named(struct bytes name, enum pof_shape_kind *kind)
{
    for (int k = POF_SHAPE_BOOL; k < POF_SHAPE_USER; k++) {
        if (pjson_is_named(name, pof_shape_word((enum pof_shape_kind)k))) {
            *kind = (enum pof_shape_kind)k;
            return true;
        }
    }
    return false;
}

/* Lists of lists: the elements have the type id of a container, and marks of their own. */
static bool container_numbered(const struct pjson_reader *j, struct pjson_place value,
                               int32_t *type)
{
    struct pof_int128 number;

    if (pjson_is_string(j, value.at) || !pjson_parse_int128(pjson_token(j, value.at), &number)) {
        return false;
    }
    *type = (int32_t)(int64_t)number.low;
    return number.high == UINT64_MAX && *type <= POF_COLLECTION && *type >= POF_UNIFORM_MAP;
}

/* Decimals of the narrower widths, which have no words in a types file. */
static bool decimal_named(struct bytes name, struct pof_shape *shape, struct pof_schema_type *width)
{
    bool narrowest = pjson_is_named(name, "decimal32");

    if (!narrowest && !pjson_is_named(name, "decimal64")) {
        return false;
    }
    width->id = narrowest ? POF_DECIMAL32 : POF_DECIMAL64;
    *shape = (struct pof_shape){.kind = POF_SHAPE_DECIMAL, .user = width};
    return true;
}

/* The shape that "$of" or "$keys" names: a kind, a type by name, or the number of a type, which is
 * put into `unknown` when the schema does not have it. */
static bool shape_named(struct pjson_reader *j, struct pjson_place value, struct pof_shape *shape,
                        struct pof_schema_type *unknown)
{
    struct bytes name;
    int32_t type;

    *shape = (struct pof_shape){.kind = POF_SHAPE_ANY};
    if (pjson_is_string(j, value.at)) {
        if (!pjson_string(j, value.at, &name)) {
            return false;
        }
        if (kind_named(name, &shape->kind) || decimal_named(name, shape, unknown)) {
            return true;
        }
        if (!pof_schema_find_name(j->options->schema, name)) {
            pjson_unknown_type(j, value.at, name, true);
            return false;
        }
    }
    if (!container_numbered(j, value, &type) && !pjson_type_named(j, value, &type)) {
        return false;
    }
    const struct pof_schema_type *known = pof_schema_find_id(j->options->schema, type);
    unknown->id = type;
    shape->kind = POF_SHAPE_USER;
    shape->user = known ? known : unknown;
    return true;
}

/* The shapes that stand beside a mark. */
struct beside {
    struct pof_shape key;
    struct pof_shape element;
    struct pof_schema_type key_type;
    struct pof_schema_type element_type;
};

/* The marks beside the one that names the kind: what the elements are, and the keys. */
static bool take_beside(struct pjson_reader *j, struct pjson_place at, uint32_t count,
                        struct beside *beside)
{
    struct pjson_place value;
    struct bytes name;

    for (; count > 0; count--) {
        struct pjson_place here = at;
        if (!pjson_member_at(j, here, &name, &value, &at)) {
            return false;
        }
        bool keys = pjson_is_named(name, "$keys");
        if (!keys && !pjson_is_named(name, "$of")) {
            pjson_wrong_value(j, here.at, "does not stand beside a mark ($of and $keys do)");
            return false;
        }
        if (!shape_named(j, value, keys ? &beside->key : &beside->element,
                         keys ? &beside->key_type : &beside->element_type)) {
            return false;
        }
    }
    return true;
}

/* {"$kind": value}, with "$of" and "$keys" behind it. */
static void read_marked(struct pjson_reader *j, struct pjson_place place, int32_t index,
                        enum pof_shape_kind kind)
{
    struct beside beside = {.key = {.kind = POF_SHAPE_ANY}, .element = {.kind = POF_SHAPE_ANY}};
    struct pof_shape shape = {.kind = kind, .key = &beside.key, .element = &beside.element};
    struct pjson_place value;
    struct pjson_place next;
    struct bytes name;
    uint32_t count;
    struct pjson_place at = pjson_inside(j, place, &count);

    if (!pjson_member_at(j, at, &name, &value, &next) ||
        !take_beside(j, next, count - 1, &beside)) {
        return;
    }
    uint8_t first = j->text.data[value.at];
    bool list = kind == POF_SHAPE_ARRAY || kind == POF_SHAPE_LIST;
    if (list && first == '[') {
        pjson_read_list(j, value, index, &shape);
    } else if (kind == POF_SHAPE_SPARSE && first == '{') {
        pjson_read_sparse(j, value, index, &shape);
    } else if (kind == POF_SHAPE_MAP_OF && (first == '[' || first == '{')) {
        pjson_read_map(j, value, index, &shape);
    } else if (kind < POF_SHAPE_ARRAY && first != '[' && first != '{') {
        pjson_read_scalar(j, value, index, &shape);
    } else {
        pjson_wrong_value(j, value.at, "is not what the mark before it says");
    }
}

/* The first member, when it is a mark. */
static bool first_mark(struct pjson_reader *j, struct pjson_place place, struct bytes *name,
                       struct pjson_place *value)
{
    uint32_t count;
    struct pjson_place at = pjson_inside(j, place, &count);
    struct pjson_place next;

    return count > 0 && pjson_member_at(j, at, name, value, &next) && name->size > 0 &&
           name->data[0] == '$';
}

void pjson_read_braces(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape, struct bytes base)
{
    enum pof_shape_kind kind;
    struct pjson_place value;
    struct bytes name;
    bool marked = j->text.data[place.at] == '{' && first_mark(j, place, &name, &value);

    if (j->status != QN_OK) {
        return;
    }
    if (marked && pjson_is_named(name, "$ref")) {
        pjson_read_reference(j, value, index);
    } else if (marked && kind_named(bytes_of(name.data + 1, name.size - 1), &kind)) {
        read_marked(j, place, index, kind);
    } else if (marked || shape->kind == POF_SHAPE_USER) {
        pjson_read_object(j, place, index, shape, base);
    } else if (shape->kind == POF_SHAPE_SPARSE) {
        pjson_read_sparse(j, place, index, shape);
    } else if (shape->kind == POF_SHAPE_MAP_OF) {
        pjson_read_map(j, place, index, shape);
    } else if (shape->kind == POF_SHAPE_ANY) {
        pjson_read_map(j, place, index,
                       &(struct pof_shape){.kind = POF_SHAPE_MAP_OF, .plain = true});
    } else {
        pjson_wrong_value(j, place.at, "begins an object, which does not stand here");
    }
}
