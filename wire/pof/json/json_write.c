#include "wire/pof/json/json_parts.h"

#include <stdio.h>

enum { FLUSH_SIZE = 64 * 1024 };

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

void pjson_fail(struct pjson_writer *w, enum qn_status status)
{
    if (status < QN_OK && w->out.status == QN_OK) {
        w->out.status = status;
    }
}

void pjson_put_type(struct pjson_writer *w, int32_t type)
{
    struct pof_shape shape = pjson_shape_of(w->options->schema, type);

    if (type == POF_DECIMAL32 || type == POF_DECIMAL64) {
        pjson_put_text(&w->out, type == POF_DECIMAL32 ? "\"decimal32\"" : "\"decimal64\"");
    } else if (shape.kind == POF_SHAPE_USER && shape.user) {
        pjson_put_string(&w->out, bytes_of_text(shape.user->name));
    } else if (shape.kind != POF_SHAPE_ANY) {
        pjson_put_string(&w->out, bytes_of_text(pof_shape_word(shape.kind)));
    } else {
        pjson_put_integer(&w->out, type);
    }
}

void pjson_look_ahead(struct pjson_writer *w)
{
    const size_t used =
        offsetof(struct pof_reader, frames) + (w->r.depth + 2) * sizeof(struct pof_reader_frame);

    memcpy(&w->ahead, &w->r, used);
    w->ahead.identities = NULL;
}

/* -- objects -- */

/* Note that an object is shown with its identity. */
static void note_identity(struct pjson_writer *w, int32_t identity)
{
    const size_t at = (size_t)identity / 8;
    uint8_t *place;

    if (at >= w->shown.size) {
        const size_t more = at + 1 - w->shown.size;
        enum qn_status status = buf_extend(&w->shown, more, &place);
        if (status != QN_OK) {
            pjson_fail(w, status);
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
    bool declared = shape->kind == POF_SHAPE_USER && shape->user->id == value->type;
    const struct pof_schema_type *type =
        declared ? shape->user : pof_schema_find_id(w->options->schema, value->type);
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
        pjson_put_type(w, id);
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
        pjson_container(w, value, shape);
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
