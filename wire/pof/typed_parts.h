/* What the typed reads share. */
#ifndef QUOIN_WIRE_POF_TYPED_PARTS_H
#define QUOIN_WIRE_POF_TYPED_PARTS_H

#include "wire/pof/reader.h"

/* The property, with absent as null, whose other members are zeros. Statuses as pof_reader_find,
 * but QN_ABSENT. */
QN_MUST_USE enum qn_status pof_find_or_null(struct pof_reader *r, int32_t index,
                                            struct pof_value *value);

#endif
