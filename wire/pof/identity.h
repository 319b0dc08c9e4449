/* The table of identities of one value: which there are, and the type of each. */
#ifndef QUOIN_WIRE_POF_IDENTITY_H
#define QUOIN_WIRE_POF_IDENTITY_H

#include "wire/bytes.h"

/* Enter an identity >= 0 into `table`, which grows to a row for each up to it: the caller has
 * bounded it. QN_MALFORMED: it is there already. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status identity_add(struct buf *table, int32_t identity, int32_t type);

bool identity_is_known(const struct buf *table, int32_t identity);
bool identity_has_type(const struct buf *table, int32_t identity, int32_t type);

#endif
