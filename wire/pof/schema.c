#include "wire/pof/schema.h"

#include <string.h>

#include "wire/pof/text.h"

const struct pof_schema_type *pof_schema_find_id(const struct pof_schema *schema, int32_t id)
{
    size_t low = 0, high = schema ? schema->type_count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (schema->by_id[middle]->id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = schema && low < schema->type_count && schema->by_id[low]->id == id;
    return found ? schema->by_id[low] : NULL;
}

const struct pof_schema_type *pof_schema_find(const struct pof_schema *schema, const char *name)
{
    for (size_t i = 0; schema && i < schema->type_count; i++) {
        if (strcmp(schema->types[i].name, name) == 0) {
            return &schema->types[i];
        }
    }
    return NULL;
}

const struct pof_schema_type *pof_schema_find_name(const struct pof_schema *schema,
                                                   struct bytes name)
{
    for (size_t i = 0; schema && i < schema->type_count; i++) {
        if (bytes_equal(bytes_of_text(schema->types[i].name), name)) {
            return &schema->types[i];
        }
    }
    return NULL;
}

const struct pof_view *pof_schema_view(const struct pof_schema *schema, const char *name)
{
    for (size_t i = 0; schema && i < schema->view_count; i++) {
        if (strcmp(schema->views[i].name, name) == 0) {
            return &schema->views[i];
        }
    }
    return NULL;
}

const struct pof_schema_field *pof_schema_field(const struct pof_schema_type *type,
                                                struct bytes name)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (bytes_equal(bytes_of_text(type->fields[i].name), name)) {
            return &type->fields[i];
        }
    }
    return NULL;
}

/* Most types number their fields from 0 on without a gap: the first look then finds it. */
const struct pof_schema_field *pof_schema_field_at(const struct pof_schema_type *type,
                                                   int32_t index)
{
    size_t low = 0, high = type->field_count;

    if (index >= 0 && (size_t)index < high && type->fields[index].index == index) {
        return &type->fields[index];
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (type->fields[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < type->field_count && type->fields[low].index == index;
    return found ? &type->fields[low] : NULL;
}

const char *pof_shape_word(enum pof_shape_kind kind)
{
    switch (kind) {
#define POF_SHAPE_CASE(name, word)                                                                 \
    case name:                                                                                     \
        return word;
        POF_SHAPE_MAP(POF_SHAPE_CASE)
#undef POF_SHAPE_CASE
    }
    return "?";
}

bool pof_schema_name_fits(struct bytes name)
{
    bool number = name.size > 0;

    for (size_t i = 0; i < name.size; i++) {
        number = number && name.data[i] >= '0' && name.data[i] <= '9';
    }
    return !number && (name.size == 0 || name.data[0] != '$') &&
           pof_text_check(name) == POF_TEXT_STANDARD;
}
