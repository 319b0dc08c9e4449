#include "client/cli/types_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A comparison under way, of one type at a time. */
struct comparison {
    const struct pof_schema *new_schema;
    const struct pof_schema_type *old_type;
    const struct pof_schema_type *new_type;
    types_change_fn *report;
    void *context;
    size_t breaks;
};

/* Which direction a change leaves working. */
enum reach {
    REACH_BOTH,
    REACH_NEW_READS_OLD, /* old programs can not read new objects */
    REACH_OLD_READS_NEW,
    REACH_NONE,
};

__attribute__((format(printf, 5, 6))) static void tell(struct comparison *c, const char *type,
                                                       const char *field, enum reach reach,
                                                       const char *format, ...)
{
    char text[TYPES_CHANGE_MAX];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->breaks += reach != REACH_BOTH;
    c->report(c->context, &(struct types_change){
                              .type = type,
                              .field = field,
                              .new_reads_old = reach == REACH_BOTH || reach == REACH_NEW_READS_OLD,
                              .old_reads_new = reach == REACH_BOTH || reach == REACH_OLD_READS_NEW,
                              .text = text,
                          });
}

static const struct pof_schema_field *field_named(const struct pof_schema_type *type,
                                                  const char *name)
{
    return types_field_find(type, name);
}

/* ---- shapes ---- */

/* Kinds of which each holds all values of those before it. */
static int width_of(enum pof_shape_kind kind)
{
    static const enum pof_shape_kind whole[] = {POF_SHAPE_OCTET, POF_SHAPE_INT16, POF_SHAPE_INT32,
                                                POF_SHAPE_INT64, POF_SHAPE_INT128};

    for (int i = 0; i < (int)(sizeof whole / sizeof *whole); i++) {
        if (whole[i] == kind) {
            return i + 1;
        }
    }
    return kind == POF_SHAPE_FLOAT32 ? -1 : kind == POF_SHAPE_FLOAT64 ? -2 : 0;
}

static bool is_sequence(enum pof_shape_kind kind)
{
    return kind == POF_SHAPE_ARRAY || kind == POF_SHAPE_LIST;
}

enum shapes {
    SHAPES_SAME,  /* readers see no difference */
    SHAPES_WIDER, /* the new one holds all that the old one does */
    SHAPES_NARROWER,
    SHAPES_OTHER,
};

static enum shapes worse(enum shapes a, enum shapes b)
{
    return a == SHAPES_SAME || a == b ? b : b == SHAPES_SAME ? a : SHAPES_OTHER;
}

static enum shapes numbers_compare(enum pof_shape_kind old, enum pof_shape_kind new)
{
    int from = width_of(old), to = width_of(new);

    if (from == 0 || (from > 0) != (to > 0) || to == 0) {
        return SHAPES_OTHER;
    }
    return (from > 0) == (to > from) ? SHAPES_WIDER : SHAPES_NARROWER;
}

static enum shapes shapes_compare(const struct pof_shape *old, const struct pof_shape *new)
{
    if (old->kind != new->kind && !(is_sequence(old->kind) && is_sequence(new->kind))) {
        if (new->kind == POF_SHAPE_ANY) {
            return SHAPES_WIDER;
        }
        return old->kind == POF_SHAPE_ANY ? SHAPES_NARROWER : numbers_compare(old->kind, new->kind);
    }
    if (old->kind == POF_SHAPE_USER) {
        return old->user->id == new->user->id ? SHAPES_SAME : SHAPES_OTHER;
    }
    enum shapes result = SHAPES_SAME;
    if (old->key) {
        result = shapes_compare(old->key, new->key);
    }
    return old->element ? worse(result, shapes_compare(old->element, new->element)) : result;
}

static void shape_tell(struct comparison *c, const struct pof_schema_field *old,
                       const struct pof_schema_field *new)
{
    struct buf from = {0}, to = {0};
    const char *type = c->new_type->name;
    bool whole = types_shape_text(old->shape, &from) == QN_OK &&
                 buf_append(&from, "", 1) == QN_OK && types_shape_text(new->shape, &to) == QN_OK &&
                 buf_append(&to, "", 1) == QN_OK;
    const char *was = whole ? (const char *)from.data : "?";
    const char *is = whole ? (const char *)to.data : "?";

    switch (shapes_compare(old->shape, new->shape)) {
    case SHAPES_SAME:
        if (strcmp(was, is) != 0) {
            tell(c, type, new->name, REACH_BOTH,
                 "was %.100s and is %.100s: written otherwise, read alike", was, is);
        }
        break;
    case SHAPES_WIDER:
        tell(c, type, new->name, REACH_BOTH,
             "was %.100s and is %.100s, which holds more. Old programs read what still fits the "
             "old type and refuse the rest: update all readers before large values are written",
             was, is);
        break;
    case SHAPES_NARROWER:
        tell(c, type, new->name, REACH_OLD_READS_NEW,
             "was %.100s and is %.100s, which holds less: new programs refuse old values that do "
             "not fit. Keep the old type, or add a field",
             was, is);
        break;
    case SHAPES_OTHER:
        tell(c, type, new->name, REACH_NONE,
             "index %d was %.100s and is %.100s: neither side can read the other's. An index keeps "
             "its type for ever; give the new field an index that was never used",
             (int)new->index, was, is);
        break;
    }
    buf_fini(&from);
    buf_fini(&to);
}

/* ---- fields ---- */

static bool texts_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void field_compare(struct comparison *c, const struct pof_schema_field *old,
                          const struct pof_schema_field *new)
{
    const char *type = c->new_type->name;

    if (strcmp(old->name, new->name) != 0) {
        tell(c, type, new->name, REACH_BOTH,
             "was called %.100s: objects hold the index alone, so both read each other; JSON and "
             "programs must use the new name",
             old->name);
    }
    shape_tell(c, old, new);
    if (new->since > old->since) {
        tell(c, type, new->name, REACH_OLD_READS_NEW,
             "since was %d and is %d: new programs would not look for it in older objects that "
             "have it. Set it back",
             (int)old->since, (int)new->since);
    } else if (new->since < old->since) {
        tell(c, type, new->name, REACH_BOTH,
             "since was %d and is %d: it is looked for in more "
             "objects",
             (int)old->since, (int)new->since);
    }
    if (!texts_equal(old->default_text, new->default_text)) {
        tell(c, type, new->name, REACH_BOTH,
             "its default was %.60s and is %.60s: where an object lacks it, old and new programs "
             "see different values",
             old->default_text ? old->default_text : "zero",
             new->default_text ? new->default_text : "zero");
    }
    if (old->optional != new->optional) {
        tell(c, type, new->name, REACH_BOTH,
             new->optional ? "is optional now: to old programs, absent is zero"
                           : "is not optional any more: to new programs, absent is zero");
    }
}

static void removed_tell(struct comparison *c, const struct pof_schema_field *old)
{
    const struct pof_schema_field *moved = field_named(c->new_type, old->name);

    if (moved) {
        tell(c, c->new_type->name, old->name, REACH_NONE,
             "had index %d and has %d: each side looks for it where the other has something else, "
             "or nothing. Set the index back",
             (int)old->index, (int)moved->index);
        return;
    }
    tell(c, c->new_type->name, old->name, REACH_NONE,
         "is gone: old programs find its default in new objects, and what old objects hold is lost "
         "when a new program writes them back. Keep the field, unused; its index %d must never "
         "mean anything else",
         (int)old->index);
}

static void added_tell(struct comparison *c, const struct pof_schema_field *new)
{
    const struct pof_schema_type *old_type = c->old_type, *new_type = c->new_type;
    size_t count = old_type->field_count;
    int32_t highest = count > 0 ? old_type->fields[count - 1].index : -1;

    if (field_named(old_type, new->name)) {
        return; /* it was moved: told already */
    }
    if (new->index < highest) {
        tell(c, new_type->name, new->name, REACH_NEW_READS_OLD,
             "is new and has index %d, below %d of the old version: old programs keep only what "
             "stands behind the fields they know, and would lose it. Give it an index above %d",
             (int)new->index, (int)highest, (int)highest);
    } else if (new_type->version <= old_type->version) {
        tell(c, new_type->name, new->name, REACH_NEW_READS_OLD,
             "is new, but type %.60s still has version %d: old programs take the object for one of "
             "theirs and may drop the field. Give the type version = %d and the field since = %d",
             new_type->name, (int)new_type->version, (int)old_type->version + 1,
             (int)old_type->version + 1);
    } else if (new->since <= old_type->version) {
        tell(c, new_type->name, new->name, REACH_BOTH,
             "is new: in objects of version %d it is looked for in vain, and has its default. "
             "since = %d would say so",
             (int)old_type->version, (int)new_type->version);
    } else {
        tell(c, new_type->name, new->name, REACH_BOTH,
             "is new: absent from old objects, kept by old programs as part of the rest");
    }
}

static void fields_compare(struct comparison *c)
{
    for (size_t i = 0; i < c->old_type->field_count; i++) {
        const struct pof_schema_field *old = &c->old_type->fields[i];
        const struct pof_schema_field *new = pof_schema_field_at(c->new_type, old->index);
        if (new && (strcmp(new->name, old->name) == 0 || !field_named(c->new_type, old->name))) {
            field_compare(c, old, new);
        } else {
            removed_tell(c, old);
        }
    }
    for (size_t i = 0; i < c->new_type->field_count; i++) {
        const struct pof_schema_field *new = &c->new_type->fields[i];
        if (!pof_schema_field_at(c->old_type, new->index)) {
            added_tell(c, new);
        }
    }
}

/* ---- types ---- */

static void type_compare(struct comparison *c)
{
    const struct pof_schema_type *old = c->old_type, *new = c->new_type;

    if (strcmp(old->name, new->name) != 0) {
        tell(c, new->name, NULL, REACH_BOTH,
             "was called %.100s: objects hold the id alone; JSON and programs must use the new "
             "name",
             old->name);
    }
    if (!texts_equal(old->class_name, new->class_name)) {
        tell(c, new->name, NULL, REACH_BOTH,
             "its class was %.100s and is %.100s: objects do not "
             "hold it",
             old->class_name ? old->class_name : "none",
             new->class_name ? new->class_name : "none");
    }
    if (new->shared && !old->shared) {
        tell(c, new->name, NULL, REACH_NEW_READS_OLD,
             "is shared now: old programs refuse objects in which another place holds one again");
    }
    if (old->shared && !new->shared) {
        tell(c, new->name, NULL, REACH_OLD_READS_NEW,
             "is no longer shared: new programs refuse objects in which another place holds one "
             "again");
    }
    if (new->version < old->version) {
        tell(c, new->name, NULL, REACH_OLD_READS_NEW,
             "its version was %d and is %d: new programs would take stored objects for newer than "
             "they are. Versions only grow",
             (int)old->version, (int)new->version);
    }
    fields_compare(c);
}

static void gone_tell(struct comparison *c, const struct pof_schema_type *old)
{
    const struct pof_schema_type *same = pof_schema_find(c->new_schema, old->name);

    if (same) {
        tell(c, old->name, NULL, REACH_NONE,
             "had id %d and has %d: objects hold the id, so neither side knows the other's. Give "
             "it id %d back",
             (int)old->id, (int)same->id, (int)old->id);
    } else {
        tell(c, old->name, NULL, REACH_OLD_READS_NEW,
             "is gone: new programs can not read its objects. Keep it as long as any may be "
             "stored; its id %d must never mean anything else",
             (int)old->id);
    }
}

size_t types_compare(const struct pof_schema *old, const struct pof_schema *new,
                     types_change_fn *report, void *context)
{
    struct comparison c = {.new_schema = new, .report = report, .context = context};

    for (size_t i = 0; i < old->type_count; i++) {
        c.old_type = &old->types[i];
        c.new_type = pof_schema_find_id(new, c.old_type->id);
        if (c.new_type) {
            type_compare(&c);
        } else {
            gone_tell(&c, c.old_type);
        }
    }
    for (size_t i = 0; i < new->type_count; i++) {
        const struct pof_schema_type *added = &new->types[i];
        if (!pof_schema_find_id(old, added->id) && !pof_schema_find(old, added->name)) {
            tell(&c, added->name, NULL, REACH_BOTH, "is new");
        }
    }
    return c.breaks;
}
