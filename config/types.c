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

const struct types_type *types_find(const struct types *types, const char *name)
{
    for (size_t i = 0; i < types->type_count; i++) {
        if (strcmp(types->types[i].name, name) == 0) {
            return &types->types[i];
        }
    }
    return NULL;
}

const struct types_type *types_find_id(const struct types *types, int32_t id)
{
    for (size_t i = 0; i < types->type_count; i++) {
        if (types->types[i].id == id) {
            return &types->types[i];
        }
    }
    return NULL;
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

const struct types_field *types_field_find(const struct types_type *type, const char *name)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

const struct types_field *types_field_find_index(const struct types_type *type, int32_t index)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].index == index) {
            return &type->fields[i];
        }
    }
    return NULL;
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
