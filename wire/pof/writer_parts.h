/* What the two halves of the writer share: containers (writer.c) and scalars (write_scalar.c). */
#ifndef QUOIN_WIRE_POF_WRITER_PARTS_H
#define QUOIN_WIRE_POF_WRITER_PARTS_H

#include "wire/pof/writer.h"

/* How the value in a place is to be written. */
enum pof_form {
    POF_FORM_NOTHING, /* left out, or the writer has failed */
    POF_FORM_SMALL,   /* as one octet if there is one for it, else in full */
    POF_FORM_FULL,    /* type id and encoding */
    POF_FORM_BARE,    /* encoding only: the container has the type */
};

/* Keep the first failure. */
void pof_writer_fail(struct pof_writer *w, enum qn_status status);

/* Append, unless the writer has failed. */
void pof_writer_put(struct pof_writer *w, const void *data, size_t size);
void pof_writer_put_packed(struct pof_writer *w, int64_t value);

/* Append the type id, unless the form is bare. */
void pof_writer_put_type(struct pof_writer *w, enum pof_form form, int32_t type);

/* Check and write the place of the next value, which has this type, and say how to write it.
 * `is_default`: the value reads back when it is left out. */
enum pof_form pof_writer_place(struct pof_writer *w, int32_t index, int32_t type, bool is_default);

/* May a value of `type` stand where `declared` is the type of all? Decimals of all widths may, and
 * references to objects. */
bool pof_writer_same_type(int32_t declared, int32_t type);

#endif
