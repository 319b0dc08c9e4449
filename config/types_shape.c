/* Shapes as text: "plain list<Car>", "map<string, int32[]>". */
#include <string.h>

#include "config/types_read.h"

enum {
    SHAPE_DEPTH_MAX = 16, /* containers in containers */
    SHAPE_WORD_MAX = 128, /* octets of a name */
};

struct shape_reader {
    struct types_reader *types;
    const struct group_context *context;
    const config_setting_t *at;
    const char *text; /* the whole, for messages */
    const char *rest;
    unsigned depth;
};

static const struct pof_shape *shape_read(struct shape_reader *r);

static const struct pof_shape *wrong(const struct shape_reader *r, const char *what)
{
    group_error(r->context, r->at, "type \"%s\": %s", r->text, what);
    return NULL;
}

static struct pof_shape *shape_make(struct shape_reader *r, enum pof_shape_kind kind)
{
    struct pof_shape *shape = types_alloc(r->types, 1, sizeof *shape);

    if (shape) {
        shape->kind = kind;
    }
    return shape;
}

static void spaces_skip(struct shape_reader *r)
{
    r->rest += strspn(r->rest, " \t");
}

static bool take(struct shape_reader *r, const char *token)
{
    spaces_skip(r);
    size_t length = strlen(token);
    bool there = strncmp(r->rest, token, length) == 0;

    r->rest += there ? length : 0;
    return there;
}

static bool word_take(struct shape_reader *r, char *word)
{
    spaces_skip(r);
    size_t length = strcspn(r->rest, " \t<>[],");

    if (length == 0 || length >= SHAPE_WORD_MAX) {
        return false;
    }
    memcpy(word, r->rest, length);
    word[length] = '\0';
    r->rest += length;
    return true;
}

/* A kind that has a word of its own, containers among them. */
static bool kind_find(const char *word, enum pof_shape_kind *kind)
{
    for (unsigned i = 0; i < POF_SHAPE_USER; i++) {
        if (i != POF_SHAPE_ARRAY && strcmp(pof_shape_word((enum pof_shape_kind)i), word) == 0) {
            *kind = (enum pof_shape_kind)i;
            return true;
        }
    }
    return false;
}

static const struct pof_shape *user_read(struct shape_reader *r, const char *word)
{
    const struct types_reader *types = r->types;
    struct suggest suggest = {.word = word};

    for (size_t i = 0; i < types->type_count; i++) {
        if (strcmp(types->types[i].name, word) == 0) {
            struct pof_shape *shape = shape_make(r, POF_SHAPE_USER);
            if (shape) {
                shape->user = &types->types[i];
            }
            return shape;
        }
        suggest_offer(&suggest, types->types[i].name);
    }
    for (unsigned i = 0; i < POF_SHAPE_USER; i++) {
        suggest_offer(&suggest, pof_shape_word((enum pof_shape_kind)i));
    }
    group_unknown(r->context, r->at, "field type", &suggest);
    return NULL;
}

/* What stands in the angle brackets of a list, sparse array or map. */
static const struct pof_shape *parts_read(struct shape_reader *r, enum pof_shape_kind kind)
{
    struct pof_shape *shape = shape_make(r, kind);
    bool map = kind == POF_SHAPE_MAP_OF;

    if (!shape) {
        return NULL;
    }
    if (!take(r, "<")) {
        return wrong(r, map ? "say what a map holds: map<string, any>"
                            : "say what it holds: list<any>, sparse<any>");
    }
    if (map && !(shape->key = shape_read(r))) {
        return NULL;
    }
    if (map && !take(r, ",")) {
        return wrong(r, "a map has two parts: map<string, int64>");
    }
    if (!(shape->element = shape_read(r))) {
        return NULL;
    }
    return take(r, ">") ? shape : wrong(r, "a > is missing");
}

static const struct pof_shape *base_read(struct shape_reader *r)
{
    char word[SHAPE_WORD_MAX];
    enum pof_shape_kind kind;

    if (!word_take(r, word)) {
        return wrong(r, "the name of a type is missing, or too long");
    }
    if (!kind_find(word, &kind)) {
        return user_read(r, word);
    }
    bool parts = kind == POF_SHAPE_LIST || kind == POF_SHAPE_SPARSE || kind == POF_SHAPE_MAP_OF;
    return parts ? parts_read(r, kind) : shape_make(r, kind);
}

static const struct pof_shape *arrays_read(struct shape_reader *r, const struct pof_shape *shape)
{
    unsigned depth = r->depth;

    while (shape && take(r, "[]")) {
        struct pof_shape *array = shape_make(r, POF_SHAPE_ARRAY);
        if (++depth > SHAPE_DEPTH_MAX) {
            return wrong(r, "too many containers in containers");
        }
        if (array) {
            array->element = shape;
        }
        shape = array;
    }
    return shape;
}

static const struct pof_shape *plain_make(struct shape_reader *r, const struct pof_shape *shape)
{
    if (!shape) {
        return NULL;
    }
    if (!shape->element) {
        return wrong(r, "only arrays, lists, sparse arrays and maps can be plain");
    }
    struct pof_shape *plain = shape_make(r, shape->kind);
    if (plain) {
        *plain = *shape;
        plain->plain = true;
    }
    return plain;
}

/* `plain` speaks for the whole that follows, arrays included. */
static const struct pof_shape *shape_read(struct shape_reader *r)
{
    if (++r->depth > SHAPE_DEPTH_MAX) {
        return wrong(r, "too many containers in containers");
    }
    bool plain = take(r, "plain ");
    const struct pof_shape *shape = arrays_read(r, base_read(r));
    r->depth--;
    return plain ? plain_make(r, shape) : shape;
}

const struct pof_shape *types_shape_read(struct types_reader *r, const struct group_context *c,
                                         const config_setting_t *at, const char *text)
{
    struct shape_reader reader = {.types = r, .context = c, .at = at, .text = text, .rest = text};
    const struct pof_shape *shape = shape_read(&reader);

    spaces_skip(&reader);
    if (shape && *reader.rest != '\0') {
        return wrong(&reader, "there is something behind its end");
    }
    return shape;
}

static enum qn_status text_add(struct buf *out, const char *text)
{
    return buf_append(out, text, strlen(text));
}

static enum qn_status parts_add(const struct pof_shape *shape, struct buf *out)
{
    enum qn_status status = text_add(out, pof_shape_word(shape->kind));

    if (status == QN_OK) {
        status = text_add(out, "<");
    }
    if (status == QN_OK && shape->key) {
        status = types_shape_text(shape->key, out);
    }
    if (status == QN_OK && shape->key) {
        status = text_add(out, ", ");
    }
    if (status == QN_OK) {
        status = types_shape_text(shape->element, out);
    }
    return status == QN_OK ? text_add(out, ">") : status;
}

enum qn_status types_shape_text(const struct pof_shape *shape, struct buf *out)
{
    enum qn_status status = shape->plain ? text_add(out, "plain ") : QN_OK;

    if (status != QN_OK) {
        return status;
    }
    if (shape->kind == POF_SHAPE_USER) {
        return text_add(out, shape->user->name);
    }
    if (shape->kind == POF_SHAPE_ARRAY) {
        status = types_shape_text(shape->element, out);
        return status == QN_OK ? text_add(out, "[]") : status;
    }
    return shape->element ? parts_add(shape, out) : text_add(out, pof_shape_word(shape->kind));
}
