/* The types file: the names behind the numbers of portable objects.
 *
 * Describes types (id, fields with their index, name and shape), views that show them otherwise,
 * and which type, key field and view the values of a cache have. Tools and the generator use it;
 * the node does not need it. docs/types.md is the reference of the file.
 *
 * What types_load gives is immutable: any thread may read it until types_free. */
#ifndef QUOIN_CONFIG_TYPES_H
#define QUOIN_CONFIG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/cfg_report.h"
#include "wire/bytes.h"
#include "wire/pof/schema.h"

struct types_cache {
    const char *name;
    const struct pof_schema_type *type;
    const struct pof_schema_field
        *key;                    /* of `type`: that of the cache, else that of the type, or NULL */
    const struct pof_view *view; /* how its values are shown, or NULL */
};

/* All types, views and caches, each in the order of the file, those of included files behind. */
struct types {
    struct pof_schema schema;
    const struct types_cache *caches;
    size_t cache_count;
};

/* Read a types file and all that it includes. On QN_OK the caller frees `*out` with types_free; on
 * failure `*out` is as before. `report` must be there and gets a line `file:line: text` for each
 * mistake.
 *
 * QN_INVALID      a mistake in a file
 * QN_IO           the file cannot be read
 * QN_MEMORY_FULL  no memory */
QN_MUST_USE enum qn_status types_load(const char *path, struct types **out,
                                      struct cfg_report *report);

/* The same for text in memory, called `name` in messages; it may include files relative to the
 * working folder. */
QN_MUST_USE enum qn_status types_load_text(struct bytes text, const char *name, struct types **out,
                                           struct cfg_report *report);

/* NULL is fine. */
void types_free(struct types *types);

/* Look something up: NULL when there is none. Borrowed from `types`. */
const struct pof_schema_type *types_find(const struct types *types, const char *name);
const struct types_cache *types_cache_find(const struct types *types, const char *name);
const struct pof_schema_field *types_field_find(const struct pof_schema_type *type,
                                                const char *name);

/* Append a shape as it is written in the file: "map<string, Car[]>". */
QN_MUST_USE enum qn_status types_shape_text(const struct pof_shape *shape, struct buf *out);

#endif
