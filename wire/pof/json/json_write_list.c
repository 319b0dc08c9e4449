/* Containers: lists, sparse arrays and maps, and the mark when they are not what is declared. */
#include <stdio.h>

#include "wire/pof/json/json_parts.h"

static void write_elements(struct pjson_writer *w, const struct pof_shape *element)
{
    struct pjson_list list = pjson_list_begin(w, '[', ']');
    struct pof_value value;
    enum qn_status status = pof_reader_enter(&w->r);

    while (status == QN_OK && w->out.status == QN_OK &&
           (status = pof_reader_next(&w->r, &value)) == QN_OK) {
        pjson_list_next(&list);
        pjson_value(w, &value, element);
    }
    pjson_fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
    pjson_list_end(&list);
}

static void write_sparse(struct pjson_writer *w, const struct pof_shape *element)
{
    struct pjson_list list = pjson_list_begin(w, '{', '}');
    struct pof_value value;
    char index[16];
    int32_t last = -1;
    enum qn_status status = pof_reader_enter(&w->r);

    while (status == QN_OK && w->out.status == QN_OK &&
           (status = pof_reader_next(&w->r, &value)) == QN_OK) {
        if (value.index <= last || value.index == INT32_MAX) {
            pjson_put_loss(&w->out);
        }
        last = value.index;
        snprintf(index, sizeof index, "%d", (int)value.index);
        pjson_member(&list, bytes_of(NULL, 0), bytes_of_text(index));
        pjson_value(w, &value, element);
    }
    pjson_fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
    pjson_list_end(&list);
}

/* Are all keys of the map just given strings that no mark could be taken for, and may they be? */
static bool has_names(struct pjson_writer *w, const struct pof_shape *key)
{
    struct pof_value value;
    const bool may = !key || key->kind == POF_SHAPE_ANY || key->kind == POF_SHAPE_STRING;

    pjson_look_ahead(w);
    enum qn_status status = pof_reader_enter(&w->ahead);
    while (status == QN_OK && (status = pof_reader_next(&w->ahead, &value)) == QN_OK) {
        if (value.is_key && (!may || value.kind != POF_KIND_STRING ||
                             (value.as.text.size > 0 && value.as.text.data[0] == '$'))) {
            return false;
        }
    }
    return status == QN_ABSENT;
}

static void write_names(struct pjson_writer *w, const struct pof_shape *element)
{
    struct pjson_list list = pjson_list_begin(w, '{', '}');
    struct pof_value value;
    enum qn_status status = pof_reader_enter(&w->r);

    while (status == QN_OK && w->out.status == QN_OK &&
           (status = pof_reader_next(&w->r, &value)) == QN_OK) {
        if (value.is_key) {
            pjson_member(&list, bytes_of(NULL, 0), value.as.text);
        } else {
            pjson_value(w, &value, element);
        }
    }
    pjson_fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
    pjson_list_end(&list);
}

static void write_pairs(struct pjson_writer *w, const struct pof_shape *key,
                        const struct pof_shape *element)
{
    struct pjson_list list = pjson_list_begin(w, '[', ']');
    struct pjson_list pair = {0};
    struct pof_value value;
    enum qn_status status = pof_reader_enter(&w->r);

    while (status == QN_OK && w->out.status == QN_OK &&
           (status = pof_reader_next(&w->r, &value)) == QN_OK) {
        if (value.is_key) {
            pjson_list_next(&list);
            pair = pjson_list_begin(w, '[', ']');
        }
        pjson_list_next(&pair);
        pjson_value(w, &value, value.is_key ? key : element);
        if (!value.is_key) {
            pjson_list_end(&pair);
        }
    }
    pjson_fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
    pjson_list_end(&list);
}

static void write_map(struct pjson_writer *w, const struct pof_shape *key,
                      const struct pof_shape *element, bool names)
{
    if (names) {
        write_names(w, element);
    } else {
        write_pairs(w, key, element);
    }
}

/* The content of a container that is not an object. */
static void write_content(struct pjson_writer *w, const struct pof_value *value,
                          const struct pof_shape *key, const struct pof_shape *element, bool names)
{
    if (value->kind == POF_KIND_MAP) {
        write_map(w, key, element, names);
    } else if (value->kind == POF_KIND_SPARSE_ARRAY) {
        write_sparse(w, element);
    } else {
        write_elements(w, element);
    }
}

/* Small values as the type of all elements are read, but never written. */
static bool is_element_type(int32_t type)
{
    return type > POF_IDENTITY;
}

/* Which nulls are there among what is in the container just given? */
static void find_nulls(struct pjson_writer *w, bool *null_key, bool *null_element)
{
    struct pof_value value;

    *null_key = *null_element = false;
    pjson_look_ahead(w);
    enum qn_status status = pof_reader_enter(&w->ahead);
    while (status == QN_OK && (status = pof_reader_next(&w->ahead, &value)) == QN_OK) {
        bool null = value.kind == POF_KIND_NULL;
        *null_key = *null_key || (null && value.is_key);
        *null_element = *null_element || (null && !value.is_key);
    }
}

/* The form in which the text of a container is read: uniform, unless there is a null, which others
 * write as a string of no length. */
static struct pof_items form_read(struct pjson_writer *w, const struct pof_value *value)
{
    struct pof_items items = value->as.items;
    bool null_key = false;
    bool null_element = false;

    items.uniform_keys = items.uniform_keys && is_element_type(items.key_type);
    items.uniform = items.uniform && is_element_type(items.element_type);
    if (items.uniform_keys || items.uniform) {
        find_nulls(w, &null_key, &null_element);
    }
    items.uniform_keys = items.uniform_keys && !null_key;
    items.uniform =
        items.uniform && !null_element && (value->kind != POF_KIND_MAP || items.uniform_keys);
    return items;
}

static struct pof_shape shape_of_keys(const struct pjson_writer *w, const struct pof_items *items)
{
    return items->uniform_keys ? pjson_shape_of(w->options->schema, items->key_type) : pjson_any;
}

static struct pof_shape shape_of_elements(const struct pjson_writer *w,
                                          const struct pof_items *items)
{
    return items->uniform ? pjson_shape_of(w->options->schema, items->element_type) : pjson_any;
}

/* {"$list": [...], "$of": "string"} */
static void write_marked(struct pjson_writer *w, const struct pof_value *value,
                         const struct pof_items *items, enum pof_shape_kind kind)
{
    struct pof_shape key = shape_of_keys(w, items);
    struct pof_shape element = shape_of_elements(w, items);
    struct pjson_list mark = pjson_list_begin(w, '{', '}');

    pjson_mark(&mark, pof_shape_word(kind));
    write_content(w, value, &key, &element, false);
    if (items->uniform_keys) {
        pjson_mark(&mark, "keys");
        pjson_put_type(w, items->key_type);
    }
    if (items->uniform) {
        pjson_mark(&mark, "of");
        pjson_put_type(w, items->element_type);
    }
    pjson_list_end(&mark);
}

static enum pof_shape_kind container_shape(enum pof_kind kind)
{
    return kind == POF_KIND_ARRAY          ? POF_SHAPE_ARRAY
           : kind == POF_KIND_COLLECTION   ? POF_SHAPE_LIST
           : kind == POF_KIND_SPARSE_ARRAY ? POF_SHAPE_SPARSE
                                           : POF_SHAPE_MAP_OF;
}

/* Is the container in the form in which its text would be read: with the type of all elements, when
 * that is declared, and none of them is null? Then it needs no mark. */
static bool is_declared(struct pjson_writer *w, const struct pof_items *items,
                        const struct pof_shape *shape, enum pof_shape_kind kind)
{
    int32_t key_type = 0;
    int32_t type = 0;
    bool null_key = false;
    bool null_element = false;

    if (shape->kind != kind) {
        return false;
    }
    bool keys = kind == POF_SHAPE_MAP_OF && !shape->plain && pjson_type_of(shape->key, &key_type);
    bool elements =
        !shape->plain && pjson_type_of(shape->element, &type) && (keys || kind != POF_SHAPE_MAP_OF);
    if (keys != items->uniform_keys || elements != items->uniform) {
        find_nulls(w, &null_key, &null_element);
        keys = keys && !null_key;
        elements = elements && !null_element && (keys || kind != POF_SHAPE_MAP_OF);
    }
    return keys == items->uniform_keys && elements == items->uniform &&
           (!keys || items->key_type == key_type) && (!elements || items->element_type == type);
}

/* The small value that is an empty container of whatever is declared. */
static bool is_empty(const struct pof_value *value, const struct pof_shape *shape)
{
    return value->type == POF_SMALL_EMPTY_COLLECTION && shape->kind >= POF_SHAPE_ARRAY &&
           shape->kind < POF_SHAPE_USER;
}

/* Does the container just given stand in a uniform one, which says in what form it is? */
static bool is_bare(const struct pjson_writer *w, const struct pof_value *value)
{
    const struct pof_reader_frame *around = &w->r.frames[w->r.depth];

    return value->is_key ? around->uniform_keys : around->uniform;
}

/* What is not declared: without a mark when its text is what such a text is read as. */
static void write_undeclared(struct pjson_writer *w, const struct pof_value *value,
                             const struct pof_items *items, const struct pof_shape *shape)
{
    bool names = value->kind == POF_KIND_MAP && has_names(w, NULL);
    bool plain = !items->uniform && !items->uniform_keys;
    bool itself =
        shape->kind == POF_SHAPE_ANY && plain && (value->kind == POF_KIND_COLLECTION || names);

    if (itself || w->options->lossy) {
        struct pof_shape key = shape_of_keys(w, items);
        struct pof_shape element = shape_of_elements(w, items);
        write_content(w, value, &key, &element, names);
    } else {
        write_marked(w, value, items, container_shape(value->kind));
    }
}

static void write_declared(struct pjson_writer *w, const struct pof_value *value,
                           const struct pof_shape *shape)
{
    bool names = value->kind == POF_KIND_MAP && has_names(w, shape->key);

    write_content(w, value, shape->key ? shape->key : &pjson_any,
                  shape->element ? shape->element : &pjson_any, names);
}

void pjson_container(struct pjson_writer *w, const struct pof_value *value,
                     const struct pof_shape *shape)
{
    enum pof_shape_kind kind = container_shape(value->kind);

    if (is_empty(value, shape)) {
        pjson_put_text(&w->out, shape->kind >= POF_SHAPE_SPARSE ? "{}" : "[]");
    } else if (is_declared(w, &value->as.items, shape, kind)) {
        write_declared(w, value, shape);
    } else {
        const struct pof_items items = form_read(w, value);
        if (is_bare(w, value) && (items.uniform != value->as.items.uniform ||
                                  items.uniform_keys != value->as.items.uniform_keys)) {
            pjson_put_loss(&w->out);
        }
        if (is_declared(w, &items, shape, kind)) {
            write_declared(w, value, shape);
        } else {
            write_undeclared(w, value, &items, shape);
        }
    }
}
