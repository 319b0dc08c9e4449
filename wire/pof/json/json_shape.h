/* Types of the octets, and what values of them are declared to be. Internal to wire/pof/json. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_SHAPE_H
#define QUOIN_WIRE_POF_JSON_JSON_SHAPE_H

#include "wire/pof/schema.h"

/* Nothing is known of the value. */
extern const struct pof_shape pjson_any;

/* What elements of a uniform container of this type are; pjson_any for types that the schema does
 * not know. */
struct pof_shape pjson_shape_of(const struct pof_schema *schema, int32_t type);

/* The type id for a uniform container of this shape; false: it has none. A scalar may have one of
 * its own in `user`: decimals have three widths, which are one kind. */
bool pjson_type_of(const struct pof_shape *shape, int32_t *type);

#endif
