/* A types file on its way into a `struct types`. Private to types*.c.
 *
 * Types may refer to each other in any order, so reading takes two rounds: first the names of all
 * types of all files, then what refers to them. */
#ifndef QUOIN_CONFIG_TYPES_READ_H
#define QUOIN_CONFIG_TYPES_READ_H

#include "config/group.h"
#include "config/types.h"
#include "wire/arena.h"

enum { TYPES_DOCUMENTS_MAX = 100 }; /* files in all */

/* One file. `parent` is the file that includes it, NULL = none does. */
struct types_document {
    struct document document;
    const char *path; /* as in messages */
    const char *real; /* the same for all ways to one file; NULL = text in memory */
    const struct types_document *parent;
    bool good; /* its lists are lists */
    struct group_context context;
};

/* A type whose fields have yet to be read. */
struct types_source {
    const config_setting_t *group;
    const struct group_context *context;
};

/* `types` and `sources` belong together, element by element. Lists have room for all there is in
 * the files. */
struct types_reader {
    struct arena memory;
    struct cfg_report *report;
    enum qn_status status; /* QN_OK or QN_MEMORY_FULL */
    struct types_document *documents;
    size_t document_count;
    struct pof_schema_type *types;
    struct types_source *sources;
    size_t type_count;
    struct pof_view *views;
    size_t view_count;
    struct types_cache *caches;
    size_t cache_count;
};

/* Zeroed memory that lives as long as the types; NULL: noted in `status`. */
void *types_alloc(struct types_reader *r, size_t count, size_t size);

/* A copy that outlives the document; NULL when `text` is NULL or memory is lacking (noted). */
const char *types_copy(struct types_reader *r, const char *text);

/* A list at the top of a document, or NULL. */
const config_setting_t *types_root_member(const struct types_document *document, const char *name);

/* Take in a document that has been read: the next of `r->documents`. */
void types_document_enter(struct types_reader *r, struct types_document *document);

/* Read a file into the next of `r->documents`. Statuses as document_read. */
enum qn_status types_document_load(struct types_reader *r, const char *path,
                                   const struct types_document *parent);

/* Read all that the documents include, each file once. */
void types_includes_read(struct types_reader *r);

/* An attribute of a group; 0, false or NULL when it is absent. */
int32_t types_number(const config_setting_t *group, const char *name);
bool types_flag(const config_setting_t *group, const char *name);
const char *types_text(const config_setting_t *group, const char *name);

/* The elements of a list; 0 for NULL. */
unsigned types_length(const config_setting_t *list);

/* What is called `name` among what has been read; `at` gets the blame and the nearest name when
 * there is none. */
const struct pof_schema_type *types_named(struct types_reader *r, const struct group_context *c,
                                          const config_setting_t *at, const char *name);
const struct pof_schema_field *types_field_named(const struct group_context *c,
                                                 const config_setting_t *at,
                                                 const struct pof_schema_type *type,
                                                 const char *name);

/* The field that the attribute `key` names; NULL without one. */
const struct pof_schema_field *types_key(const struct group_context *c,
                                         const config_setting_t *group,
                                         const struct pof_schema_type *type);

/* The shape that `text`, the value of `at`, describes; NULL: reported. */
const struct pof_shape *types_shape_read(struct types_reader *r, const struct group_context *c,
                                         const config_setting_t *at, const char *text);

/* The value of `default` as text; NULL: absent, or reported since it does not fit the field. */
const char *types_default_read(struct types_reader *r, const struct group_context *c,
                               const config_setting_t *group, const struct pof_schema_field *field);

/* Read the fields of every type. */
void types_fields_read(struct types_reader *r);

/* Read one group of `views` into the next of `r->views`. */
void types_view_read(struct types_reader *r, const struct group_context *c,
                     const config_setting_t *group);

#endif
