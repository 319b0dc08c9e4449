/* The types file: the names behind the numbers of portable objects.
 *
 * Describes types (id, fields with their index, name and kind) and which type and key field the
 * values of a cache have. Tools use it to show and read objects by name; the node does not need it.
 *
 * What types_load gives is immutable: any thread may read it until types_free. */
#ifndef QUOIN_CONFIG_TYPES_H
#define QUOIN_CONFIG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/cfg_report.h"
#include "wire/bytes.h"

/* X(name, word in the file) */
#define TYPES_KIND_MAP(X)                                                                          \
    X(TYPES_BOOL, "bool")                                                                          \
    X(TYPES_OCTET, "octet")                                                                        \
    X(TYPES_CHAR, "char")                                                                          \
    X(TYPES_INT16, "int16")                                                                        \
    X(TYPES_INT32, "int32")                                                                        \
    X(TYPES_INT64, "int64")                                                                        \
    X(TYPES_FLOAT32, "float32")                                                                    \
    X(TYPES_FLOAT64, "float64")                                                                    \
    X(TYPES_STRING, "string")                                                                      \
    X(TYPES_OCTETS, "octets")                                                                      \
    X(TYPES_DATE, "date")                                                                          \
    X(TYPES_TIME, "time")                                                                          \
    X(TYPES_DATETIME, "datetime")                                                                  \
    X(TYPES_STRINGS, "string[]")

enum types_kind {
#define TYPES_KIND_ENUM(name, word) name,
    TYPES_KIND_MAP(TYPES_KIND_ENUM)
#undef TYPES_KIND_ENUM
};

struct types_field {
    int32_t index; /* of the property in the object, >= 0 */
    const char *name;
    enum types_kind kind;
};

struct types_type {
    int32_t id; /* >= 0 */
    const char *name;
    int32_t version;                  /* >= 0, written into objects */
    const struct types_field *fields; /* by ascending index */
    size_t field_count;
    const struct types_field *key; /* the field that serves as key, or NULL */
};

struct types_cache {
    const char *name;
    const struct types_type *type;
    const struct types_field
        *key; /* of `type`: that of the cache, else that of the type, or NULL */
};

/* All types and caches, each in the order of the file. */
struct types {
    const struct types_type *types;
    size_t type_count;
    const struct types_cache *caches;
    size_t cache_count;
};

/* Read a types file. On QN_OK the caller frees `*out` with types_free; on failure `*out` is as
 * before. `report` must be there and gets a line `file:line: text` for each mistake.
 *
 * QN_INVALID      a mistake in the file
 * QN_IO           the file cannot be read
 * QN_MEMORY_FULL  no memory */
QN_MUST_USE enum qn_status types_load(const char *path, struct types **out,
                                      struct cfg_report *report);

/* The same for text in memory, called `name` in messages. */
QN_MUST_USE enum qn_status types_load_text(struct bytes text, const char *name, struct types **out,
                                           struct cfg_report *report);

/* NULL is fine. */
void types_free(struct types *types);

/* Look something up: NULL when there is none. Borrowed from `types`. */
const struct types_type *types_find(const struct types *types, const char *name);
const struct types_type *types_find_id(const struct types *types, int32_t id);
const struct types_cache *types_cache_find(const struct types *types, const char *name);
const struct types_field *types_field_find(const struct types_type *type, const char *name);
const struct types_field *types_field_find_index(const struct types_type *type, int32_t index);

/* The word for a kind in the file ("int64"). */
const char *types_kind_name(enum types_kind kind);

#endif
