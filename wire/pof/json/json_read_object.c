/* Braces: objects, maps, sparse arrays, and what is marked. */
#include <stdio.h>
#include <stdlib.h>

#include "wire/pof/json/json_parse.h"
#include "wire/pof/json/json_parts.h"
#include "wire/pof/json/json_read_parts.h"

/* A member of an object that becomes a property, or an entry of a sparse array. */
struct pjson_field {
    int32_t index;
    const struct pof_shape *shape;
    struct bytes name; /* as the text has it */
    struct pjson_place value;
};

/* The name and the value of the member at `place`; `*next` is the one behind. */
static bool take_member(struct pjson_reader *j, struct pjson_place place, struct bytes *name,
                        struct pjson_place *value, struct pjson_place *next)
{
    if (!pjson_string(j, place.at, name)) {
        return false;
    }
    *value = pjson_go_on(j, pjson_behind(j, place));
    *next = pjson_go_on(j, pjson_behind(j, *value));
    return true;
}

static bool is_named(struct bytes name, const char *text)
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

static bool integer_at(struct pjson_reader *j, struct pjson_place place, int32_t *number)
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
static size_t collect(struct pjson_reader *j, struct pjson_place place,
                      const struct pof_schema_type *type, size_t begin)
{
    uint32_t count;
    struct pjson_place at = pjson_inside(j, place, &count);

    for (; count > 0 && j->status == QN_OK; count--) {
        struct pjson_field field = {0};
        struct pjson_place next;
        if (!take_member(j, at, &field.name, &field.value, &next)) {
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
static struct pjson_field field_at(const struct pjson_reader *j, size_t begin, size_t number)
{
    struct pjson_field field;

    memcpy(&field, j->members.data + begin + number * sizeof field, sizeof field);
    return field;
}

static void write_fields(struct pjson_reader *j, size_t begin, size_t count)
{
    int32_t last = -1;

    for (size_t i = 0; i < count && j->status == QN_OK; i++) {
        struct pjson_field field = field_at(j, begin, i);
        size_t path = pjson_path_push(j, field.name, 0);
        if (field.index == last) {
            pjson_wrong(j, QN_INVALID, field.value.at, "stands there twice");
        }
        last = field.index;
        pjson_read_value(j, field.value, field.index, field.shape);
        pjson_path_pop(j, path);
    }
}

/* -- objects -- */

/* What the marks of an object say. */
struct marks {
    int32_t id;      /* -1: none */
    int32_t version; /* -1: none */
    bool typed;
    int32_t type;
};

static bool type_named(struct pjson_reader *j, struct pjson_place value, int32_t *type)
{
    struct bytes name;
    char text[64];

    if (!pjson_is_string(j, value.at)) {
        return integer_at(j, value, type);
    }
    if (!pjson_string(j, value.at, &name)) {
        return false;
    }
    snprintf(text, sizeof text, "%.*s", (int)(name.size < 63 ? name.size : 63),
             (const char *)name.data);
    const struct pof_schema_type *found = pof_schema_find(j->options->schema, text);
    if (!found) {
        pjson_wrong_value(j, value.at, "is no type that the schema knows");
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
        right = take_member(j, here, &name, &value, &at);
        if (!right || name.size == 0 || name.data[0] != '$') {
            continue;
        }
        if (is_named(name, "$type")) {
            marks->typed = true;
            right = type_named(j, value, &marks->type);
        } else if (is_named(name, "$version")) {
            right = integer_at(j, value, &marks->version);
        } else if (is_named(name, "$id")) {
            right = integer_at(j, value, &marks->id);
        } else {
            pjson_wrong_value(j, here.at, "is no mark of an object ($type, $version, $id)");
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

static void read_object(struct pjson_reader *j, struct pjson_place place, int32_t index,
                        const struct pof_shape *shape)
{
    size_t begin = j->members.size;
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
    int32_t version = marks.version >= 0 ? marks.version : type ? type->version : 0;
    int32_t id = type ? type->id : marks.type;
    if (marks.id >= 0) {
        pof_begin_user(&j->w, index, id, version);
    } else { /* it has no identity, even when others have */
        pof_begin_nested(&j->w, index, id, version);
    }
    remember(j, marks.id, place.at);
    write_fields(j, begin, collect(j, place, type, begin));
    pof_end(&j->w);
    j->members.size = begin;
}

static void read_reference(struct pjson_reader *j, struct pjson_place value, int32_t index)
{
    int32_t id;

    if (!integer_at(j, value, &id)) {
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

/* -- sparse arrays and maps -- */

static void read_sparse(struct pjson_reader *j, struct pjson_place place, int32_t index,
                        const struct pof_shape *shape)
{
    const struct pof_shape *element = shape->element ? shape->element : &pjson_any;
    size_t begin = j->members.size;
    size_t count = collect(j, place, NULL, begin);
    bool null = false;
    int32_t type = 0;

    for (size_t i = 0; i < count; i++) {
        null = null || pjson_is_null(j, field_at(j, begin, i).value.at);
        memcpy(j->members.data + begin + i * sizeof(struct pjson_field) +
                   offsetof(struct pjson_field, shape),
               &element, sizeof element);
    }
    bool uniform = !shape->plain && pjson_type_of(element, &type) && !null;
    int32_t last = count > 0 ? field_at(j, begin, count - 1).index : -1;
    if (last == INT32_MAX) {
        pjson_wrong(j, QN_INVALID, place.at, "2147483647 is too large an index for a sparse array");
    }
    pof_begin_container(
        &j->w, index,
        (struct pof_container){.type = uniform ? POF_UNIFORM_SPARSE_ARRAY : POF_SPARSE_ARRAY,
                               .element_type = type,
                               .count = last == INT32_MAX ? 0 : last + 1});
    write_fields(j, begin, count);
    pof_end(&j->w);
    j->members.size = begin;
}

/* Where the key and the value of an entry are: in a pair, or in a member. */
static bool take_entry(struct pjson_reader *j, bool pairs, struct pjson_place at,
                       struct pjson_place *key, struct pjson_place *value, struct pjson_place *next)
{
    uint32_t count;

    if (!pairs) {
        *key = at;
        *value = pjson_go_on(j, pjson_behind(j, at));
        *next = pjson_go_on(j, pjson_behind(j, *value));
        return true;
    }
    *next = pjson_go_on(j, pjson_behind(j, at));
    if (j->text.data[at.at] != '[') {
        pjson_wrong_value(j, at.at, "is not a pair in brackets: [key, value]");
        return false;
    }
    *key = pjson_inside(j, at, &count);
    if (count != 2) {
        pjson_wrong(j, QN_INVALID, at.at, "a pair has two elements: [key, value]");
        return false;
    }
    *value = pjson_go_on(j, pjson_behind(j, *key));
    return true;
}

/* Is one of the keys, or of the values, null? */
static void find_nulls(struct pjson_reader *j, bool pairs, struct pjson_place at, uint32_t count,
                       bool *null_key, bool *null_value)
{
    struct pjson_place key;
    struct pjson_place value;

    *null_key = *null_value = false;
    for (; count > 0 && take_entry(j, pairs, at, &key, &value, &at); count--) {
        *null_key = *null_key || pjson_is_null(j, key.at);
        *null_value = *null_value || pjson_is_null(j, value.at);
    }
}

static void read_map(struct pjson_reader *j, struct pjson_place place, int32_t index,
                     const struct pof_shape *shape)
{
    const struct pof_shape *key_shape = shape->key ? shape->key : &pjson_any;
    const struct pof_shape *element = shape->element ? shape->element : &pjson_any;
    bool pairs = j->text.data[place.at] == '[';
    struct pjson_place key;
    struct pjson_place value;
    uint32_t count;
    bool null_key;
    bool null_value;
    int32_t key_type = 0;
    int32_t value_type = 0;
    struct pjson_place at = pjson_inside(j, place, &count);

    find_nulls(j, pairs, at, count, &null_key, &null_value);
    bool keys = !shape->plain && pjson_type_of(key_shape, &key_type) && !null_key;
    bool values = keys && pjson_type_of(element, &value_type) && !null_value;
    pof_begin_container(&j->w, index,
                        (struct pof_container){.type = values ? POF_UNIFORM_MAP
                                                       : keys ? POF_UNIFORM_KEYS_MAP
                                                              : POF_MAP,
                                               .key_type = key_type,
                                               .element_type = value_type,
                                               .count = (int32_t)count});
    for (; count > 0 && j->status == QN_OK; count--) {
        if (!take_entry(j, pairs, at, &key, &value, &at)) {
            break;
        }
        size_t path = pjson_path_push(
            j, pjson_is_string(j, key.at) ? pjson_token(j, key.at) : bytes_of("key", 3), 0);
        pjson_read_value(j, key, POF_NEXT, key_shape);
        pjson_read_value(j, value, POF_NEXT, element);
        pjson_path_pop(j, path);
    }
    pof_end(&j->w);
}

/* -- marks -- */

/* The kind that a mark names; false: none. */
static bool kind_named(struct bytes name, enum pof_shape_kind *kind)
{
    for (int k = POF_SHAPE_BOOL; k < POF_SHAPE_USER; k++) {
        if (is_named(name, pof_shape_word((enum pof_shape_kind)k))) {
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

/* The shape that "$of" or "$keys" names: a kind, a type by name, or the number of a type, which is
 * put into `unknown` when the schema does not have it. */
static bool shape_named(struct pjson_reader *j, struct pjson_place value, struct pof_shape *shape,
                        struct pof_schema_type *unknown)
{
    struct bytes name;
    int32_t type;

    *shape = (struct pof_shape){.kind = POF_SHAPE_ANY};
    if (pjson_is_string(j, value.at) && pjson_string(j, value.at, &name) &&
        kind_named(name, &shape->kind)) {
        return true;
    }
    if (!container_numbered(j, value, &type) && !type_named(j, value, &type)) {
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
        if (!take_member(j, here, &name, &value, &at)) {
            return false;
        }
        bool keys = is_named(name, "$keys");
        if (!keys && !is_named(name, "$of")) {
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

    if (!take_member(j, at, &name, &value, &next) || !take_beside(j, next, count - 1, &beside)) {
        return;
    }
    uint8_t first = j->text.data[value.at];
    bool list = kind == POF_SHAPE_ARRAY || kind == POF_SHAPE_LIST;
    if (list && first == '[') {
        pjson_read_list(j, value, index, &shape);
    } else if (kind == POF_SHAPE_SPARSE && first == '{') {
        read_sparse(j, value, index, &shape);
    } else if (kind == POF_SHAPE_MAP_OF && (first == '[' || first == '{')) {
        read_map(j, value, index, &shape);
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

    return count > 0 && take_member(j, at, name, value, &next) && name->size > 0 &&
           name->data[0] == '$';
}

void pjson_read_braces(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape)
{
    enum pof_shape_kind kind;
    struct pjson_place value;
    struct bytes name;
    bool marked = j->text.data[place.at] == '{' && first_mark(j, place, &name, &value);

    if (j->status != QN_OK) {
        return;
    }
    if (marked && is_named(name, "$ref")) {
        read_reference(j, value, index);
    } else if (marked && kind_named(bytes_of(name.data + 1, name.size - 1), &kind)) {
        read_marked(j, place, index, kind);
    } else if (marked || shape->kind == POF_SHAPE_USER) {
        read_object(j, place, index, shape);
    } else if (shape->kind == POF_SHAPE_SPARSE) {
        read_sparse(j, place, index, shape);
    } else if (shape->kind == POF_SHAPE_MAP_OF) {
        read_map(j, place, index, shape);
    } else if (shape->kind == POF_SHAPE_ANY) {
        read_map(j, place, index, &(struct pof_shape){.kind = POF_SHAPE_MAP_OF, .plain = true});
    } else {
        pjson_wrong_value(j, place.at, "begins an object, which does not stand here");
    }
}
