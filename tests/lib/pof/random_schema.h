/* Random schemas with a view, and values by them: the same for the same seed. */
#ifndef QUOIN_TESTS_LIB_POF_RANDOM_SCHEMA_H
#define QUOIN_TESTS_LIB_POF_RANDOM_SCHEMA_H

#include "tests/lib/pof/random_value.h"
#include "wire/pof/schema.h"

enum {
    RANDOM_TYPES_MAX = 4,
    RANDOM_FIELDS_MAX = 6, /* of a type */
    RANDOM_SHAPES_MAX = 160,
    RANDOM_OBJECTS_MAX = 64, /* that references can name */
};

/* A schema whose parts point into each other, so it is not to be copied. */
struct random_schema {
    struct pof_schema schema;
    struct pof_schema_type types[RANDOM_TYPES_MAX];
    const struct pof_schema_type *by_id[RANDOM_TYPES_MAX];
    struct pof_schema_field fields[RANDOM_TYPES_MAX][RANDOM_FIELDS_MAX];
    struct pof_shape shapes[RANDOM_SHAPES_MAX];
    size_t shape_count;
    bool known;           /* values are of the versions here, with no other properties */
    struct pof_view view; /* passes pof_view_check */
    struct pof_view_type view_types[RANDOM_TYPES_MAX];
    struct pof_view_field view_fields[RANDOM_TYPES_MAX][RANDOM_FIELDS_MAX];
};

void random_schema(struct random_schema *random, struct dice *dice);

/* A shape of any kind, with containers at most `depth` in each other. Borrowed from `random`; the
 * simplest one when it has no room left. */
const struct pof_shape *random_shape(struct random_schema *random, struct dice *dice,
                                     unsigned depth);

/* Another view of the same types. */
void random_view(struct random_schema *random, struct dice *dice);

/* Write a value of this shape, mostly as it is declared, in full form, so that it is what its text
 * in JSON means, octet by octet. With `shared` objects have identities, and may stand there again.
 * QN_OK always, but for QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status random_declared(struct buf *out, struct dice *dice,
                                           const struct random_schema *random,
                                           const struct pof_shape *shape, bool shared);

#endif
