#include "wire/pof/json/json_parts.h"

#include <stdio.h>

enum { FLUSH_SIZE = 64 * 1024 };

const struct pof_shape pjson_any = {.kind = POF_SHAPE_ANY};

/* -- brackets -- */

static void new_line(struct pjson_writer *w)
{
    pjson_put(&w->out, "\n", 1);
    for (uint32_t i = 0; i < w->level * w->options->indent; i++) {
        pjson_put(&w->out, " ", 1);
    }
}

struct pjson_list pjson_list_begin(struct pjson_writer *w, char begin, char end)
{
    pjson_put(&w->out, &begin, 1);
    w->level++;
    return (struct pjson_list){.w = w, .end = end};
}

void pjson_list_next(struct pjson_list *list)
{
    struct pjson_writer *w = list->w;

    if (list->count > 0) {
        pjson_put(&w->out, ",", 1);
    }
    if (w->options->indent > 0) {
        new_line(w);
    } else if (list->count > 0) {
        pjson_put(&w->out, " ", 1);
    }
    list->count++;
}

void pjson_list_end(struct pjson_list *list)
{
    struct pjson_writer *w = list->w;

    w->level--;
    if (list->count > 0 && w->options->indent > 0) {
        new_line(w);
    }
    pjson_put(&w->out, &list->end, 1);
}

void pjson_member(struct pjson_list *list, struct bytes prefix, struct bytes name)
{
    struct pjson_out *out = &list->w->out;

    pjson_list_next(list);
    pjson_put(out, "\"", 1);
    pjson_put_escaped(out, prefix);
    pjson_put_escaped(out, name);
    pjson_put(out, "\": ", 3);
}

void pjson_mark(struct pjson_list *list, const char *name)
{
    pjson_member(list, bytes_of("$", 1), bytes_of_text(name));
}

/* -- containers -- */

/* The shape that a type id says, for elements of uniform containers. */
static struct pof_shape shape_of_type(const struct pjson_writer *w, int32_t type)
{
    static const enum pof_shape_kind shapes[] = {
        POF_SHAPE_INT16,      POF_SHAPE_INT32,   POF_SHAPE_INT64,         POF_SHAPE_INT128,
        POF_SHAPE_FLOAT32,    POF_SHAPE_FLOAT64, POF_SHAPE_FLOAT128,      POF_SHAPE_DECIMAL,
        POF_SHAPE_DECIMAL,    POF_SHAPE_DECIMAL, POF_SHAPE_BOOL,          POF_SHAPE_OCTET,
        POF_SHAPE_OCTETS,     POF_SHAPE_CHAR,    POF_SHAPE_STRING,        POF_SHAPE_DATE,
        POF_SHAPE_YEAR_MONTH, POF_SHAPE_TIME,    POF_SHAPE_TIME_INTERVAL, POF_SHAPE_DATETIME,
        POF_SHAPE_DAY_TIME,
    };
    const struct pof_schema_type *user =
        type >= 0 ? pof_schema_find_id(w->options->schema, type) : NULL;

    if (user) {
        return (struct pof_shape){.kind = POF_SHAPE_USER, .user = user};
    }
    return type < 0 && type >= POF_DAY_TIME_INTERVAL ? (struct pof_shape){.kind = shapes[-1 - type]}
                                                     : pjson_any;
}

/* Does a uniform type agree with what is declared of the elements? */
static bool type_agrees(const struct pjson_writer *w, bool uniform, int32_t type, bool plain,
                        const struct pof_shape *declared)
{
    if (!uniform || plain || declared->kind == POF_SHAPE_ANY) {
        return !uniform && (plain || declared->kind == POF_SHAPE_ANY);
    }
    struct pof_shape shape = shape_of_type(w, type);
    return shape.kind == declared->kind &&
           (shape.kind != POF_SHAPE_USER || shape.user == declared->user);
}

/* Is the container what the schema declares, and needs no mark? */
static bool is_declared(const struct pjson_writer *w, const struct pof_value *value,
                        const struct pof_shape *shape, enum pof_shape_kind kind)
{
    const struct pof_items *items = &value->as.items;

    if (shape->kind != kind) {
        return false;
    }
    if (value->type == POF_SMALL_EMPTY_COLLECTION) {
        return true;
    }
    if (kind == POF_SHAPE_MAP_OF &&
        !type_agrees(w, items->uniform_keys, items->key_type, shape->plain, shape->key)) {
        return false;
    }
    return type_agrees(w, items->uniform, items->element_type, shape->plain, shape->element);
}

/* The word for a type id: that of the schema, else the number. */
static void put_type(struct pjson_writer *w, int32_t type)
{
    struct pof_shape shape = shape_of_type(w, type);

    if (shape.user) {
        pjson_put_string(&w->out, bytes_of_text(shape.user->name));
    } else if (shape.kind != POF_SHAPE_ANY) {
        pjson_put_string(&w->out, bytes_of_text(pof_shape_word(shape.kind)));
    } else {
        pjson_put_integer(&w->out, type);
    }
}

static void fail(struct pjson_writer *w, enum qn_status status)
{
    if (status < QN_OK && w->out.status == QN_OK) {
        w->out.status = status;
    }
}

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
    fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
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
    fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
    pjson_list_end(&list);
}

void pjson_look_ahead(struct pjson_writer *w)
{
    const size_t used =
        offsetof(struct pof_reader, frames) + (w->r.depth + 2) * sizeof(struct pof_reader_frame);

    memcpy(&w->ahead, &w->r, used);
    w->ahead.identities = NULL;
}

/* Are all keys of the map just given strings that no mark could be taken for? */
static bool has_names(struct pjson_writer *w)
{
    struct pof_value value;

    pjson_look_ahead(w);
    enum qn_status status = pof_reader_enter(&w->ahead);
    while (status == QN_OK && (status = pof_reader_next(&w->ahead, &value)) == QN_OK) {
        if (value.is_key && (value.kind != POF_KIND_STRING ||
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
    fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
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
    fail(w, status == QN_ABSENT ? pof_reader_leave(&w->r) : status);
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

/* {"$list": [...], "$of": "string"} */
static void write_marked(struct pjson_writer *w, const struct pof_value *value,
                         enum pof_shape_kind kind)
{
    const struct pof_items items = value->as.items;
    struct pof_shape key = items.uniform_keys ? shape_of_type(w, items.key_type) : pjson_any;
    struct pof_shape element = items.uniform ? shape_of_type(w, items.element_type) : pjson_any;
    struct pjson_list mark = pjson_list_begin(w, '{', '}');

    pjson_mark(&mark, pof_shape_word(kind));
    write_content(w, value, &key, &element, false);
    if (items.uniform_keys && is_element_type(items.key_type)) {
        pjson_mark(&mark, "keys");
        put_type(w, items.key_type);
    }
    if (items.uniform && is_element_type(items.element_type)) {
        pjson_mark(&mark, "of");
        put_type(w, items.element_type);
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

static void write_container(struct pjson_writer *w, const struct pof_value *value,
                            const struct pof_shape *shape)
{
    const struct pof_items *items = &value->as.items;
    enum pof_shape_kind kind = container_shape(value->kind);
    bool declared = is_declared(w, value, shape, kind) ||
                    (value->type == POF_SMALL_EMPTY_COLLECTION && shape->kind >= POF_SHAPE_ARRAY &&
                     shape->kind < POF_SHAPE_USER);
    bool names = value->kind == POF_KIND_MAP && has_names(w);
    bool plain = !items->uniform && !items->uniform_keys;
    bool itself =
        shape->kind == POF_SHAPE_ANY && plain && (value->kind == POF_KIND_COLLECTION || names);

    if (declared) {
        write_content(w, value, shape->key ? shape->key : &pjson_any,
                      shape->element ? shape->element : &pjson_any, names);
    } else if (itself || w->options->lossy) {
        struct pof_shape key = plain ? pjson_any : shape_of_type(w, items->key_type);
        struct pof_shape element =
            items->uniform ? shape_of_type(w, items->element_type) : pjson_any;
        write_content(w, value, items->uniform_keys ? &key : &pjson_any, &element, names);
    } else {
        write_marked(w, value, kind);
    }
}

/* Note that an object is shown with its identity. */
static void note_identity(struct pjson_writer *w, int32_t identity)
{
    const size_t at = (size_t)identity / 8;
    uint8_t *place;

    if (at >= w->shown.size) {
        const size_t more = at + 1 - w->shown.size;
        enum qn_status status = buf_extend(&w->shown, more, &place);
        if (status != QN_OK) {
            fail(w, status);
            return;
        }
        memset(place, 0, more);
    }
    w->shown.data[at] |= (uint8_t)(1 << identity % 8);
}

static bool is_shown(const struct pjson_writer *w, int32_t identity)
{
    const size_t at = (size_t)identity / 8;

    return at < w->shown.size && (w->shown.data[at] >> identity % 8 & 1) != 0;
}

static void write_object(struct pjson_writer *w, const struct pof_value *value,
                         const struct pof_shape *shape)
{
    const struct pof_schema_type *type = pof_schema_find_id(w->options->schema, value->type);
    bool declared = shape->kind == POF_SHAPE_USER && shape->user->id == value->type;
    int32_t version = value->as.items.version;
    int32_t id = value->type;
    struct pjson_list list = pjson_list_begin(w, '{', '}');

    if (value->identity >= 0 && !w->options->lossy) {
        note_identity(w, value->identity);
        pjson_mark(&list, "id");
        pjson_put_integer(&w->out, value->identity);
    }
    if (!declared && (!w->options->lossy || !type)) {
        pjson_mark(&list, "type");
        put_type(w, id);
    }
    if (version != (type ? type->version : 0) && !w->options->lossy) {
        pjson_mark(&list, "version");
        pjson_put_integer(&w->out, version);
    }
    pjson_members(w, &list, id, type, bytes_of(NULL, 0));
    pjson_list_end(&list);
}

static void write_reference(struct pjson_writer *w, int32_t identity)
{
    struct pjson_list list = pjson_list_begin(w, '{', '}');

    if (!is_shown(w, identity)) {
        pjson_put_loss(&w->out);
    }
    pjson_mark(&list, "ref");
    pjson_put_integer(&w->out, identity);
    pjson_list_end(&list);
}

static void flush(struct pjson_writer *w)
{
    struct buf *buf = w->out.buf;

    if (!w->options->flush || w->out.status != QN_OK || buf->size - w->start <= FLUSH_SIZE) {
        return;
    }
    w->out.status = w->options->flush(w->options->context,
                                      bytes_of(buf->data + w->start, buf->size - w->start));
    buf->size = w->start;
}

void pjson_value(struct pjson_writer *w, const struct pof_value *value,
                 const struct pof_shape *shape)
{
    if (w->out.status != QN_OK) {
        return;
    }
    if (value->kind == POF_KIND_USER) {
        write_object(w, value, shape);
    } else if (value->kind == POF_KIND_REFERENCE) {
        write_reference(w, value->as.reference);
    } else if (pof_kind_is_container(value->kind)) {
        write_container(w, value, shape);
    } else {
        pjson_scalar(w, value, shape);
    }
    flush(w);
}

enum qn_status pof_json_write(struct buf *out, struct bytes pof,
                              const struct pof_json_options *options)
{
    struct pjson_writer w;
    struct pof_value value;
    struct buf identities = {0};

    w.options = options;
    w.out = (struct pjson_out){.buf = out, .status = QN_OK, .lossy = options->lossy};
    w.start = out->size;
    w.level = 0;
    w.shown = (struct buf){0};
    pof_reader_init(&w.r, pof);
    pof_reader_track_identities(&w.r, &identities);
    enum qn_status status = pof_reader_next(&w.r, &value);
    if (status == QN_OK) {
        pjson_value(&w, &value, options->shape ? options->shape : &pjson_any);
        status = w.out.status;
    }
    if (status != QN_OK) {
        out->size = w.start;
    }
    buf_fini(&identities);
    buf_fini(&w.shown);
    return status;
}
