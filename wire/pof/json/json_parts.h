/* What the writer of JSON is made of. Internal to wire/pof/json. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_PARTS_H
#define QUOIN_WIRE_POF_JSON_JSON_PARTS_H

#include "wire/pof/json/json.h"
#include "wire/pof/json/json_shape.h"
#include "wire/pof/json/json_text.h"
#include "wire/pof/reader.h"

struct pjson_writer {
    const struct pof_json_options *options;
    struct pjson_out out;
    size_t start; /* of the text in the buffer */
    uint32_t level;
    struct buf shown; /* the identities in the text so far, one bit each */
    struct pof_reader r;
    struct pof_reader ahead; /* looks at what is in a container before it is written */
};

/* Between the brackets of an array or object. */
struct pjson_list {
    struct pjson_writer *w;
    char end;
    size_t count; /* of what stands in it so far */
};

struct pjson_list pjson_list_begin(struct pjson_writer *w, char begin, char end);
void pjson_list_next(struct pjson_list *list);
void pjson_list_end(struct pjson_list *list);

/* The name of the next member: `prefix` and `name` together, and the colon. */
void pjson_member(struct pjson_list *list, struct bytes prefix, struct bytes name);
void pjson_mark(struct pjson_list *list, const char *name);

/* The word for a type id, or the name that the schema has for it, else the number. */
void pjson_put_type(struct pjson_writer *w, int32_t type);

/* Note a failure of the reader. */
void pjson_fail(struct pjson_writer *w, enum qn_status status);

/* Let `ahead` stand where the reader does: in front of what is in the container just given. It has
 * no table of identities, which it would change, so it may fail where the reader does not. */
void pjson_look_ahead(struct pjson_writer *w);

/* Write the value that the reader has just given, which is declared to be of `shape`. */
void pjson_value(struct pjson_writer *w, const struct pof_value *value,
                 const struct pof_shape *shape);

/* The same for a list, a sparse array or a map. */
void pjson_container(struct pjson_writer *w, const struct pof_value *value,
                     const struct pof_shape *shape);

/* The same for a value that is no container. */
void pjson_scalar(struct pjson_writer *w, const struct pof_value *value,
                  const struct pof_shape *shape);

/* Write the properties of the object that the reader has just given as members. `type` NULL: it has
 * no names. */
void pjson_members(struct pjson_writer *w, struct pjson_list *list, int32_t id,
                   const struct pof_schema_type *type, struct bytes prefix);

#endif
