/* Records of an input file to objects of the types file and back. Pure; one owner. */
#ifndef QUOIN_CLIENT_CLI_OBJECT_H
#define QUOIN_CLIENT_CLI_OBJECT_H

#include "client/cli/field.h"
#include "client/quoin.h"

enum { OBJECT_PROBLEM_MAX = 320 };

/* A value for each field of a type, in the type's order. */
struct object {
    const struct pof_schema_type *type; /* borrowed */
    struct field_value *values;         /* type->field_count of them */
    struct arena arena;                 /* what the values do not borrow */
};

/* Begin with all fields absent. False: no memory. */
bool object_init(struct object *object, const struct pof_schema_type *type);
void object_fini(struct object *object);

/* Take the cells of a row, from which texts are borrowed. False: `problem` (OBJECT_PROBLEM_MAX
 * octets) names the field and says what is wrong with it; the object is then of no use until the
 * next read. */
bool object_read(struct object *object, const struct row *row, char *problem);

/* The key of the object: an int64 for fields of whole numbers, else a string; borrowed from it.
 * False: the field is absent or empty, see `problem`. */
bool object_key(const struct object *object, const struct pof_schema_field *field, qn_arg *key,
                char *problem);

/* Can a field of this kind be a key? Whole numbers and strings can. */
bool object_key_fits(enum types_kind kind);

/* Append the object as a Binary: a user type whose absent fields are left out. A zero is written in
 * full, so that it differs from an absent field. Statuses as pof_writer_finish. */
QN_MUST_USE enum qn_status object_encode(const struct object *object, struct buf *out);

/* Read a Binary back; texts are borrowed from it. Properties that the type does not know are
 * skipped. False: `problem` says why it is no such object. */
bool object_decode(struct object *object, struct bytes binary, char *problem);

/* The number of the first field, from `from` on, in which two objects of one type differ;
 * field_count = there is none. */
size_t object_difference(const struct object *a, const struct object *b, size_t from);

#endif
