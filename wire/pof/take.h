/* One step of the reader: from the octets to the next value, or to the head of the next container.
 */
#ifndef QUOIN_WIRE_POF_TAKE_H
#define QUOIN_WIRE_POF_TAKE_H

#include "wire/pof/reader.h"

/* Take the next value of the container that the reader stands in. Of a container only the head is
 * taken, and frames[depth + 1] is made ready for going in. Text and dates are not looked at.
 * QN_ABSENT: there is none; failures as pof_reader_next, not yet kept in the reader. */
QN_MUST_USE enum qn_status pof_take_value(struct pof_reader *r, struct pof_value *value);

/* Is this the type id of a map, in any form? */
bool pof_take_is_map(int32_t type);

#endif
