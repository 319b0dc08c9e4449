#include <stdlib.h>

#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/vectors.h"

static bool is(const json_t *node, const char *type)
{
    const char *t = json_string_value(json_object_get(node, "t"));

    return t && strcmp(t, type) == 0;
}

/* Collect the labels that references name, by first appearance. */
static void collect_refs(json_t *node, json_t *order)
{
    size_t i;
    const char *key;
    json_t *child;

    if (is(node, "ref")) {
        const char *label = vector_text(node, "label");
        if (!json_object_get(order, label)) {
            json_object_set_new(order, label, json_integer((int)json_object_size(order)));
        }
    }
    json_array_foreach(node, i, child)
    {
        collect_refs(child, order);
    }
    json_object_foreach(node, key, child)
    {
        collect_refs(child, order);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Entries of a map in the order of their text. */
static json_t *sorted(const json_t *list)
{
    size_t count = json_array_size(list);
    char **texts = calloc(count + 1, sizeof *texts);
    json_t *out = json_array();

    for (size_t i = 0; i < count; i++) {
        texts[i] = json_dumps(json_array_get(list, i), JSON_SORT_KEYS | JSON_COMPACT);
    }
    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(out, json_string(texts[i]));
        free(texts[i]);
    }
    free(texts);
    return out;
}

static json_t *marked_text(const json_t *string)
{
    struct buf text = {0};

    text_of(string, true, &text);
    json_t *out = json_stringn(text.data ? (const char *)text.data : "", text.size);
    buf_fini(&text);
    return out;
}

/* Is this member of no meaning for the value? */
static bool is_aside(const json_t *node, const char *key)
{
    bool is_float = is(node, "float32") || is(node, "float64");

    return strcmp(key, "m") == 0 || strncmp(key, "uniform", 7) == 0 ||
           (strcmp(key, "v") == 0 && is_float) ||
           (strcmp(key, "size") == 0 && is(node, "sparse_array")) ||
           (strcmp(key, "bits") == 0 && is(node, "decimal"));
}

static json_t *normal(json_t *node, const json_t *order);

static json_t *normal_array(json_t *node, const json_t *order)
{
    json_t *out = json_array();
    size_t i;
    json_t *child;

    json_array_foreach(node, i, child)
    {
        json_array_append_new(out, normal(child, order));
    }
    return out;
}

static json_t *normal(json_t *node, const json_t *order)
{
    const char *key;
    json_t *child;

    if (json_is_array(node)) {
        return normal_array(node, order);
    }
    if (!json_is_object(node)) {
        return json_deep_copy(node);
    }
    json_t *out = json_object();
    json_object_foreach(node, key, child)
    {
        if (is_aside(node, key)) {
            continue;
        }
        if (strcmp(key, "label") == 0) {
            const json_t *number = json_object_get(order, json_string_value(child));
            if (number) {
                json_object_set_new(out, key, json_deep_copy(number));
            }
        } else if (strcmp(key, "v") == 0 && is(node, "string")) {
            json_object_set_new(out, key, marked_text(child));
        } else {
            json_object_set_new(out, key, normal(child, order));
        }
    }
    if (is(node, "map") || is(node, "sparse_array")) {
        json_t *list = sorted(json_object_get(out, "v"));
        json_object_set_new(out, "v", list);
    }
    return out;
}

bool node_equal(json_t *a, json_t *b)
{
    json_t *order_a = json_object();
    json_t *order_b = json_object();

    collect_refs(a, order_a);
    collect_refs(b, order_b);
    json_t *normal_a = normal(a, order_a);
    json_t *normal_b = normal(b, order_b);
    bool equal = json_equal(normal_a, normal_b) != 0;
    json_decref(normal_a);
    json_decref(normal_b);
    json_decref(order_a);
    json_decref(order_b);
    return equal;
}
