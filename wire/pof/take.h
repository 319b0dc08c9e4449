/* One step of the reader: from the octets to the next value, or to the head of the next container.
 */
#ifndef QUOIN_WIRE_POF_TAKE_H
#define QUOIN_WIRE_POF_TAKE_H

#include "wire/pof/reader.h"

/* Take the next value of the container that the reader stands in. Of a container only the head is
 * taken, and frames[depth + 1] is made ready for going in. Text and dates are not looked at.
 * QN_ABSENT: there is none; failures as pof_reader_next, not yet kept in the reader. */
QN_MUST_USE enum qn_status pof_take_value(struct pof_reader *r, struct pof_value *value);

/* Go out of containers, to `depth`, over what is left in them. Statuses as pof_take_value. */
QN_MUST_USE enum qn_status pof_take_leave(struct pof_reader *r, uint32_t depth);

/* Skip what is in the value whose head was taken just now; nothing for a scalar. */
QN_MUST_USE enum qn_status pof_take_rest(struct pof_reader *r, const struct pof_value *head);

/* Take and skip `count` values of the container. QN_ABSENT: there are fewer. */
QN_MUST_USE enum qn_status pof_take_skip(struct pof_reader *r, int64_t count);

/* Skip properties or sparse elements below `index`; `*next` is the index of the one that comes
 * then. QN_ABSENT: none does. */
QN_MUST_USE enum qn_status pof_take_seek(struct pof_reader *r, int32_t index, int32_t *next);

/* Is this the type id of a map, in any form? */
bool pof_take_is_map(int32_t type);

#endif
