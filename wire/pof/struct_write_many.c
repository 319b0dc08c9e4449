#include "wire/pof/array.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/writer_parts.h"

/* Where a struct has the elements of a field, and how many. */
struct elements {
    const uint8_t *at; /* NULL = null */
    uint32_t count;
};

static struct elements elements_of(const struct pof_field *field, const uint8_t *object)
{
    struct elements elements = {.at = object + field->offset, .count = field->fixed};

    if (field->fixed == 0) {
        memcpy(&elements.at, object + field->offset, sizeof elements.at);
    }
    if (field->count_place != 0) {
        memcpy(&elements.count, object + field->count_place - 1, sizeof elements.count);
    }
    return elements;
}

/* Does the kind have its null in a pointer at the front? */
static bool is_pointer(const struct pof_field *field)
{
    return field->kind == POF_FIELD_TEXT || field->kind == POF_FIELD_STRING ||
           field->kind == POF_FIELD_OCTETS || field->kind == POF_FIELD_STRUCT_PTR;
}

/* Null has no place in a uniform container. */
static bool any_is_null(const struct pof_field *field, struct elements elements, size_t stride,
                        size_t offset)
{
    const uint8_t *at = elements.at + offset;

    if (is_pointer(field)) {
        for (uint32_t i = 0; i < elements.count; i++, at += stride) {
            if (!*(const void *const *)at) {
                return true;
            }
        }
    } else if (field->kind == POF_FIELD_DATE || field->kind == POF_FIELD_DATETIME) {
        for (uint32_t i = 0; i < elements.count; i++, at += stride) {
            if (struct_is_null(field, at)) {
                return true;
            }
        }
    }
    return false;
}

/* In a value with identities, a version in a uniform container could be taken for a reference. */
static bool is_ambiguous(struct struct_writing *s, const struct pof_struct *table)
{
    struct pof_writer *w = s->w;

    if ((table->version == 0 && table->version_place == 0) || w->identities) {
        return false;
    }
    if (s->identities == SHARED_UNKNOWN) {
        bool any = w->identity > 0 || w->references || struct_reaches_shared(s->outermost);
        s->identities = any ? SHARED_SOME : SHARED_NONE;
    }
    return s->identities == SHARED_SOME;
}

/* Can elements stand in a uniform container? Not objects with identities, which most readers cannot
 * skip there. */
static bool may_be_bare(struct struct_writing *s, const struct pof_field *field)
{
    int32_t type = struct_element_type(field);

    if (type < 0) {
        return type != POF_NO_TYPE;
    }
    return !field->nested->shared && !is_ambiguous(s, field->nested);
}

/* The form of a list: uniform when it is asked for and can be (pof-spec section 3). */
static struct pof_container list_form(struct struct_writing *s, const struct pof_field *field,
                                      struct elements elements)
{
    bool array = field->many == POF_MANY_ARRAY || field->many == POF_MANY_PLAIN_ARRAY;
    bool uniform = (field->many == POF_MANY_ARRAY || field->many == POF_MANY_LIST) &&
                   may_be_bare(s, field) && !any_is_null(field, elements, field->size, 0);

    if (!uniform) {
        return (struct pof_container){.type = array ? POF_ARRAY : POF_COLLECTION};
    }
    return (struct pof_container){.type = array ? POF_UNIFORM_ARRAY : POF_UNIFORM_COLLECTION,
                                  .element_type = struct_element_type(field)};
}

static struct pof_container map_form(struct struct_writing *s, const struct pof_field *field,
                                     struct elements elements)
{
    const struct pof_field *key = &field->nested->fields[0];
    const struct pof_field *value = &field->nested->fields[1];
    bool keys = may_be_bare(s, key) && !any_is_null(key, elements, field->size, key->offset);
    bool values = keys && may_be_bare(s, value) && value->many == POF_ONE &&
                  !any_is_null(value, elements, field->size, value->offset);

    return (struct pof_container){
        .type = values ? POF_UNIFORM_MAP
                : keys ? POF_UNIFORM_KEYS_MAP
                       : POF_MAP,
        .key_type = keys ? struct_element_type(key) : 0,
        .element_type = values ? struct_element_type(value) : 0,
    };
}

/* Arrays of numbers in one call. False: it is none. */
static bool write_numbers(struct pof_writer *w, int32_t index, const struct pof_field *field,
                          struct elements elements)
{
    if (field->many != POF_MANY_ARRAY) {
        return false;
    }
    switch (field->kind) {
    case POF_FIELD_BOOL:
        pof_write_bool_array(w, index, (const bool *)elements.at, elements.count);
        return true;
    case POF_FIELD_OCTET:
        pof_write_octet_array(w, index, bytes_of(elements.at, elements.count));
        return true;
    case POF_FIELD_CHAR:
        pof_write_char_array(w, index, (const uint16_t *)elements.at, elements.count);
        return true;
    case POF_FIELD_INT16:
        pof_write_int16_array(w, index, (const int16_t *)elements.at, elements.count);
        return true;
    case POF_FIELD_INT32:
        pof_write_int32_array(w, index, (const int32_t *)elements.at, elements.count);
        return true;
    case POF_FIELD_INT64:
        pof_write_int64_array(w, index, (const int64_t *)elements.at, elements.count);
        return true;
    case POF_FIELD_FLOAT32:
        pof_write_float32_array(w, index, (const float *)elements.at, elements.count);
        return true;
    case POF_FIELD_FLOAT64:
        pof_write_float64_array(w, index, (const double *)elements.at, elements.count);
        return true;
    case POF_FIELD_INT128:
    case POF_FIELD_FLOAT128:
    case POF_FIELD_DECIMAL:
    case POF_FIELD_TEXT:
    case POF_FIELD_STRING:
    case POF_FIELD_OCTETS:
    case POF_FIELD_DATE:
    case POF_FIELD_TIME:
    case POF_FIELD_DATETIME:
    case POF_FIELD_YEAR_MONTH:
    case POF_FIELD_TIME_INTERVAL:
    case POF_FIELD_DAY_TIME:
    case POF_FIELD_CHARS:
    case POF_FIELD_STRUCT:
    case POF_FIELD_STRUCT_PTR:
    case POF_FIELD_CUSTOM:
        break;
    }
    return false;
}

static void write_pairs(struct struct_writing *s, const struct pof_field *field,
                        struct elements elements)
{
    const struct pof_field *fields = field->nested->fields;
    const uint8_t *pair = elements.at;

    for (uint32_t i = 0; i < elements.count && s->w->status == QN_OK; i++) {
        struct_write_field(s, POF_NEXT, &fields[0], pair);
        struct_write_field(s, POF_NEXT, &fields[1], pair);
        pair += field->size;
    }
}

static void write_elements(struct struct_writing *s, const struct pof_field *field,
                           struct elements elements)
{
    const uint8_t *element = elements.at;

    for (uint32_t i = 0; i < elements.count && s->w->status == QN_OK; i++) {
        struct_write_one(s, POF_NEXT, field, element);
        element += field->size;
    }
}

static void write_list(struct struct_writing *s, int32_t index, const struct pof_field *field,
                       struct elements elements)
{
    /* Strings are what lists hold most. */
    if (field->kind == POF_FIELD_STRING && index != POF_NEXT &&
        struct_write_plain_list(s->w, field, (const struct bytes *)elements.at, elements.count)) {
        return;
    }
    struct pof_container form = list_form(s, field, elements);
    form.count = (int32_t)elements.count;
    pof_begin_container(s->w, index, form);
    write_elements(s, field, elements);
    pof_end(s->w);
}

static void write_map(struct struct_writing *s, int32_t index, const struct pof_field *field,
                      struct elements elements)
{
    struct pof_container form = map_form(s, field, elements);

    form.count = (int32_t)elements.count;
    pof_begin_container(s->w, index, form);
    write_pairs(s, field, elements);
    pof_end(s->w);
}

void struct_write_many(struct struct_writing *s, int32_t index, const struct pof_field *field,
                       const uint8_t *object)
{
    struct elements elements = elements_of(field, object);

    if (!elements.at) {
        pof_write_null(s->w, index);
    } else if (elements.count > INT32_MAX || (field->fixed > 0 && elements.count > field->fixed)) {
        pof_writer_fail(s->w, QN_TOO_LARGE);
    } else if (field->many == POF_MANY_MAP) {
        write_map(s, index, field, elements);
    } else if (!write_numbers(s->w, index, field, elements)) {
        write_list(s, index, field, elements);
    }
}
