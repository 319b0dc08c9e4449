/* Values as octets, without looking into them: kept, passed on, decoded later. */
#ifndef QUOIN_WIRE_POF_RAW_H
#define QUOIN_WIRE_POF_RAW_H

#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

QN_PUBLIC_BEGIN

/* The octets of the property `index`, a whole value with its type id, in the input; {NULL, 0} when
 * it is absent. What is in a container is not looked at. References in it mean nothing elsewhere.
 *
 * Statuses as for pof_reader_find, but QN_ABSENT. */
QN_MUST_USE enum qn_status pof_read_raw(struct pof_reader *r, int32_t index, struct bytes *pof);

/* Write a value that exists already (pof_write_copy is the same without looking at it), in the
 * octets that it has: small and default ones too; as a property, nothing for no octets. In a
 * uniform container its type id is left out.
 *
 * The writer fails with QN_INVALID: not exactly one value, of another type than the uniform one, or
 * with identities, whose numbers belong to the value that it was taken from. QN_TOO_LARGE: too
 * deep. */
void pof_write_raw(struct pof_writer *w, int32_t index, struct bytes pof);

QN_PUBLIC_END

#endif
