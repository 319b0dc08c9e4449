/* The table of identities of one value: which there are, the type of each and where it stands. */
#ifndef QUOIN_WIRE_POF_IDENTITY_H
#define QUOIN_WIRE_POF_IDENTITY_H

#include "wire/bytes.h"

/* The value that has an identity. */
struct identity_place {
    size_t offset; /* of its first octet behind an index, from the start of the outermost value */
    int32_t type;  /* of the value */
    int32_t declared; /* when `bare`: the type that its container has for it */
    bool bare;        /* it stands in a uniform container */
};

/* Enter an identity >= 0 into `table`, which grows to a row for each up to it: the caller has
 * bounded it. The same at the same place once more changes nothing: a value may be read again.
 * QN_MALFORMED: it is another value's already. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status identity_add(struct buf *table, int32_t identity,
                                        const struct identity_place *place);

/* The value with this identity; false when there is none that begins before `offset`. */
bool identity_find(const struct buf *table, int32_t identity, size_t offset,
                   struct identity_place *place);

#endif
