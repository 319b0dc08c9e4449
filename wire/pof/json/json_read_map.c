/* Sparse arrays and maps. */
#include "wire/pof/json/json_read_parts.h"

/* Give all entries the shape of the elements. Is one of them null? */
static bool set_shapes(struct pjson_reader *j, const struct pjson_object *entries,
                       const struct pof_shape *element)
{
    bool null = false;

    for (size_t i = 0; i < entries->count; i++) {
        struct pjson_field field = pjson_field_at(j, entries, i);
        null = null || pjson_is_null(j, field.value.at);
        field.shape = element;
        memcpy(j->members.data + entries->begin + i * sizeof field, &field, sizeof field);
    }
    return null;
}

void pjson_read_sparse(struct pjson_reader *j, struct pjson_place place, int32_t index,
                       const struct pof_shape *shape)
{
    const struct pof_shape *element = shape->element ? shape->element : &pjson_any;
    struct pjson_object entries = {.begin = j->members.size};
    int32_t type = 0;

    pjson_collect(j, place, &entries);
    bool null = set_shapes(j, &entries, element);
    bool uniform = !shape->plain && pjson_type_of(element, &type) && !null;
    int32_t last = entries.count > 0 ? pjson_field_at(j, &entries, entries.count - 1).index : -1;
    if (last == INT32_MAX) {
        pjson_wrong(j, QN_INVALID, place.at, "2147483647 is too large an index for a sparse array");
    }
    pof_begin_container(
        &j->w, index,
        (struct pof_container){.type = uniform ? POF_UNIFORM_SPARSE_ARRAY : POF_SPARSE_ARRAY,
                               .element_type = type,
                               .count = last == INT32_MAX ? 0 : last + 1});
    pjson_write_fields(j, &entries);
    pof_end(&j->w);
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

void pjson_read_map(struct pjson_reader *j, struct pjson_place place, int32_t index,
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
