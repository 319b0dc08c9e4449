/* The names behind the numbers: types, their fields, and what a field holds.
 *
 * A schema is plain, constant data: made by whoever reads the types file, or written down as C
 * tables. The object format itself does not need it; the JSON view, the generator and the tool do.
 * Any thread may read one.
 */
#ifndef QUOIN_WIRE_POF_SCHEMA_H
#define QUOIN_WIRE_POF_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/bytes.h"

QN_PUBLIC_BEGIN

/* What a field holds: X(name, word in the types file). */
#define POF_SHAPE_MAP(X)                                                                           \
    X(POF_SHAPE_ANY, "any")                                                                        \
    X(POF_SHAPE_BOOL, "bool")                                                                      \
    X(POF_SHAPE_OCTET, "octet")                                                                    \
    X(POF_SHAPE_CHAR, "char")                                                                      \
    X(POF_SHAPE_INT16, "int16")                                                                    \
    X(POF_SHAPE_INT32, "int32")                                                                    \
    X(POF_SHAPE_INT64, "int64")                                                                    \
    X(POF_SHAPE_INT128, "int128")                                                                  \
    X(POF_SHAPE_FLOAT32, "float32")                                                                \
    X(POF_SHAPE_FLOAT64, "float64")                                                                \
    X(POF_SHAPE_FLOAT128, "float128")                                                              \
    X(POF_SHAPE_DECIMAL, "decimal")                                                                \
    X(POF_SHAPE_STRING, "string")                                                                  \
    X(POF_SHAPE_OCTETS, "octets")                                                                  \
    X(POF_SHAPE_DATE, "date")                                                                      \
    X(POF_SHAPE_TIME, "time")                                                                      \
    X(POF_SHAPE_DATETIME, "datetime")                                                              \
    X(POF_SHAPE_YEAR_MONTH, "year_month")                                                          \
    X(POF_SHAPE_TIME_INTERVAL, "time_interval")                                                    \
    X(POF_SHAPE_DAY_TIME, "day_time")                                                              \
    X(POF_SHAPE_ARRAY, "array")   /* T[]: uniform unless T is any */                               \
    X(POF_SHAPE_LIST, "list")     /* list<T>: a collection */                                      \
    X(POF_SHAPE_SPARSE, "sparse") /* sparse<T>: a sparse array */                                  \
    X(POF_SHAPE_MAP_OF, "map")    /* map<K, V> */                                                  \
    X(POF_SHAPE_USER, "user")     /* in the file: the name of a type */

enum pof_shape_kind {
#define POF_SHAPE_ENUM(name, word) name,
    POF_SHAPE_MAP(POF_SHAPE_ENUM)
#undef POF_SHAPE_ENUM
};

struct pof_schema_type;

/* What a value is declared to be. Reading is lenient (any form of container, numbers that fit);
 * writing takes the form declared: `plain` containers write the type of each element, others write
 * it once, unless an element is null or of shape ANY, where the format asks for the plain form. */
struct pof_shape {
    enum pof_shape_kind kind;
    bool plain;
    const struct pof_shape *key;        /* MAP_OF */
    const struct pof_shape *element;    /* ARRAY, LIST, SPARSE, MAP_OF */
    const struct pof_schema_type *user; /* USER */
};

struct pof_schema_field {
    int32_t index; /* of the property, >= 0 */
    int32_t since; /* the version of the type that brought it, >= 0 */
    const char *name;
    const struct pof_shape *shape;
    bool optional;            /* null is not the same as zero; for the generator */
    const char *default_text; /* as written in the types file, NULL = the kind's zero; for the
                                 generator */
};

struct pof_schema_type {
    int32_t id; /* >= 0 */
    int32_t version;
    const char *name;
    bool shared;            /* several places may hold one object; for the generator */
    const char *class_name; /* in Oracle's configuration, or NULL */
    const struct pof_schema_field *fields; /* by ascending index */
    size_t field_count;
    const struct pof_schema_field *key; /* the field that serves as key of a cache, or NULL */
};

/* What a view does with one field. */
enum pof_view_action {
    POF_VIEW_SHOW,    /* as `name` when that is not NULL */
    POF_VIEW_OMIT,    /* not shown, and refused on reading */
    POF_VIEW_FLATTEN, /* the fields of the object in it stand in its place, `name` before each;
                         null, an object of another type or with nothing to show stands under the
                         field's own name */
};

struct pof_view_field {
    int32_t index;
    enum pof_view_action action;
    const char *name;
};

/* How the objects of one type are shown. Fields that are not listed are shown under their own name,
 * or, with `only_listed`, omitted. What was omitted by name has its default in an object that is
 * read; a view with `only_listed` cannot say what else an object has, so it is read only as a
 * change of another one (`base` in wire/pof/json/json.h). */
struct pof_view_type {
    int32_t type;
    bool only_listed;
    const struct pof_view_field *fields; /* by ascending index */
    size_t field_count;
};

/* Rules for showing objects otherwise than their types say, without touching the types. */
struct pof_view {
    const char *name;
    const struct pof_view_type *types; /* by ascending type id */
    size_t type_count;
};

struct pof_schema {
    const struct pof_schema_type *types; /* in the order of the file */
    size_t type_count;
    const struct pof_schema_type *const *by_id; /* the same, by ascending id */
    const struct pof_view *views;
    size_t view_count;
};

/* Look something up: NULL when there is none (`schema` may be NULL). Borrowed from the schema. */
const struct pof_schema_type *pof_schema_find_id(const struct pof_schema *schema, int32_t id);
const struct pof_schema_type *pof_schema_find(const struct pof_schema *schema, const char *name);
const struct pof_view *pof_schema_view(const struct pof_schema *schema, const char *name);
const struct pof_schema_field *pof_schema_field(const struct pof_schema_type *type,
                                                struct bytes name);
const struct pof_schema_field *pof_schema_field_at(const struct pof_schema_type *type,
                                                   int32_t index);

const struct pof_schema_type *pof_schema_find_name(const struct pof_schema *schema,
                                                   struct bytes name);

/* The word for a kind ("int64"). */
const char *pof_shape_word(enum pof_shape_kind kind);

/* Can this be the name of a field? It is text in UTF-8, and neither a number nor begins with a $:
 * so are properties without a name, and marks. */
bool pof_schema_name_fits(struct bytes name);

/* The rules of a view for a type, NULL = it has none (`view` may be NULL). */
const struct pof_view_type *pof_view_type(const struct pof_view *view, int32_t type);

/* What is done with a property, by the rules or without any (NULL). */
struct pof_view_field pof_view_rule(const struct pof_view_type *rules, int32_t index);

/* The type whose fields stand in the place of this one; NULL = it is not flattened. */
const struct pof_schema_type *pof_view_flattened(const struct pof_view_field *rule,
                                                 const struct pof_schema_field *field);

/* The first field that a view leaves out without naming it (`only_listed`); NULL = none. */
const struct pof_schema_field *pof_view_hidden(const struct pof_view_type *rules,
                                               const struct pof_schema_type *type);

enum {
    POF_FLATTEN_DEPTH_MAX = 8, /* objects in objects */
    POF_VIEW_NAMES_MAX = 4096, /* of one type, with those of flattened objects */
};

/* Takes one name that objects of a type are shown with; valid for the call. Not QN_OK: enough. */
typedef enum qn_status pof_name_fn(void *context, const char *name);

/* Give all names to `take`, in the order of the fields. `view` NULL: the fields' own names.
 *
 * QN_TOO_LARGE    flattened too deep, or into itself, or too many names
 * QN_MEMORY_FULL  no memory
 * others          what `take` returned */
QN_MUST_USE enum qn_status pof_view_names(const struct pof_view *view,
                                          const struct pof_schema_type *type, pof_name_fn *take,
                                          void *context);

/* What is wrong with a view, for the person who wrote it: one line, which names the view, the type
 * and the field. */
struct pof_view_problem {
    char text[320];
};

/* Can objects be shown by this view of these types? Two fields of an object must not get one name,
 * flattened ones included, and only fields that hold an object can be flattened. `problem` may be
 * NULL.
 *
 * QN_INVALID      no, see `problem`
 * QN_MEMORY_FULL  no memory */
QN_MUST_USE enum qn_status pof_view_check(const struct pof_view *view,
                                          const struct pof_schema *schema,
                                          struct pof_view_problem *problem);

/* The same for the objects of one type, whether the view has rules for it or not. */
QN_MUST_USE enum qn_status pof_view_check_type(const struct pof_view *view,
                                               const struct pof_schema_type *type,
                                               struct pof_view_problem *problem);

/* Can objects be made of what such a view shows, without one that they change?
 *
 * QN_UNSUPPORTED  no, see `problem`: the view shows only some fields of a type
 * others          as pof_view_check */
QN_MUST_USE enum qn_status pof_view_check_reading(const struct pof_view *view,
                                                  const struct pof_schema *schema,
                                                  struct pof_view_problem *problem);

QN_PUBLIC_END

#endif
