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
