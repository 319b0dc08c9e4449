#include "config/types.h"

#include <stdlib.h>
#include <string.h>

#include "config/types_owner.h"

void types_free(struct types *types)
{
    if (types) {
        struct types_owner *owner = (struct types_owner *)types;
        arena_fini(&owner->memory);
        free(owner);
    }
}

const struct pof_schema_type *types_find(const struct types *types, const char *name)
{
    return pof_schema_find(&types->schema, name);
}

const struct types_cache *types_cache_find(const struct types *types, const char *name)
{
    for (size_t i = 0; i < types->cache_count; i++) {
        if (strcmp(types->caches[i].name, name) == 0) {
            return &types->caches[i];
        }
    }
    return NULL;
}

const struct pof_schema_field *types_field_find(const struct pof_schema_type *type,
                                                const char *name)
{
    return pof_schema_field(type, bytes_of_text(name));
}

static bool is_string_array(const struct pof_shape *shape)
{
    return shape->kind == POF_SHAPE_ARRAY && !shape->plain &&
           shape->element->kind == POF_SHAPE_STRING;
}

enum types_kind types_kind_of(const struct pof_shape *shape)
{
    const char *word = is_string_array(shape) ? "string[]" : pof_shape_word(shape->kind);
    size_t i = 0;

    while (i < TYPES_OTHER && strcmp(types_kind_name((enum types_kind)i), word) != 0) {
        i++;
    }
    return (enum types_kind)i;
}

const char *types_kind_name(enum types_kind kind)
{
    switch (kind) {
#define TYPES_KIND_CASE(name, word)                                                                \
    case name:                                                                                     \
        return word;
        TYPES_KIND_MAP(TYPES_KIND_CASE)
#undef TYPES_KIND_CASE
    }
    return "?";
}
