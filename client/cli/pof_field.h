/* The value of one field as a property of a portable object, both ways. Pure. */
#ifndef QUOIN_CLIENT_CLI_POF_FIELD_H
#define QUOIN_CLIENT_CLI_POF_FIELD_H

#include "client/cli/field.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

/* Write a value that is present as property `index`. Zeros and false are written in full: a small
 * form would be left out and read back as absent. */
void pof_field_write(struct pof_writer *writer, int32_t index, const struct field_value *value);

/* Read the value that `reader` has just given as one of `kind`; null is absent. Texts are borrowed
 * from the octets that are read.
 *
 * QN_WRONG_TYPE   it has another type
 * QN_MEMORY_FULL  the arena refused
 * others          as pof_reader_next */
QN_MUST_USE enum qn_status pof_field_read(struct pof_reader *reader, const struct pof_value *value,
                                          enum types_kind kind, struct arena *arena,
                                          struct field_value *field);

#endif
