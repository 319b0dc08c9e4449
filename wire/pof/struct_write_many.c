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

/* Null has no place in a uniform container. */
static bool any_is_null(const struct pof_field *field, struct elements elements, size_t stride,
                        size_t offset)
{
    for (uint32_t i = 0; i < elements.count; i++) {
        if (struct_is_null(field, elements.at + i * stride + offset)) {
            return true;
        }
    }
    return false;
}

/* Can elements stand in a uniform container? Not objects with identities: most readers cannot skip
 * them there, nor tell a version from a reference. */
static bool may_be_bare(const struct struct_writing *s, const struct pof_field *field)
{
    int32_t type = struct_element_type(field);
    bool told_apart = s->w->identity == 0 || s->w->identities;

    return type < 0 ? type != POF_NO_TYPE : !field->nested->shared && told_apart;
}

/* The form of a list: uniform when it is asked for and can be (pof-spec section 3). */
static struct pof_container list_form(const struct struct_writing *s, const struct pof_field *field,
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

static struct pof_container map_form(const struct struct_writing *s, const struct pof_field *field,
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

void struct_write_many(struct struct_writing *s, int32_t index, const struct pof_field *field,
                       const uint8_t *object)
{
    struct pof_writer *w = s->w;
    struct elements elements = elements_of(field, object);
    bool map = field->many == POF_MANY_MAP;

    if (!elements.at) {
        pof_write_null(w, index);
        return;
    }
    if (elements.count > INT32_MAX || (field->fixed > 0 && elements.count > field->fixed)) {
        pof_writer_fail(w, QN_TOO_LARGE);
        return;
    }
    struct pof_container form = map ? map_form(s, field, elements) : list_form(s, field, elements);
    form.count = (int32_t)elements.count;
    pof_begin_container(w, index, form);
    for (uint32_t i = 0; i < elements.count && w->status == QN_OK; i++) {
        const uint8_t *element = elements.at + (size_t)i * field->size;
        if (map) {
            struct_write_field(s, POF_NEXT, &field->nested->fields[0], element);
            struct_write_field(s, POF_NEXT, &field->nested->fields[1], element);
        } else {
            struct_write_one(s, POF_NEXT, field, element);
        }
    }
    pof_end(w);
}
