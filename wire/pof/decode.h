/* The scalars of the reader: from octets to struct pof_value. */
#ifndef QUOIN_WIRE_POF_DECODE_H
#define QUOIN_WIRE_POF_DECODE_H

#include "wire/pof/reader.h"

/* What a value of this type id is. False: there is no such type, or it is an identity, which is a
 * prefix. */
bool pof_decode_kind(int32_t type, enum pof_kind *kind);

/* Take the encoding of a scalar of `type` (its type id is already taken) and fill `value->as`;
 * `value->kind` is already that of the type, and becomes null for a null string. QN_MALFORMED: cut
 * short or no such number. */
QN_MUST_USE enum qn_status pof_decode_scalar(struct bytes *in, int32_t type,
                                             struct pof_value *value);

/* Is the content of a scalar right: text readable, dates and times in range? A separate step, since
 * skipping does without. */
bool pof_decode_valid(const struct pof_value *value);

/* The octets that an encoding of `type` takes at least; 0 for small values, which take none. */
size_t pof_decode_size_min(int32_t type);

/* Does every encoding of `type` take exactly that many? */
bool pof_decode_size_is_fixed(int32_t type);

#endif
