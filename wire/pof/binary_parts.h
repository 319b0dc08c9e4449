/* What stands around the POF value of a Binary; shared by binary_value.c and binary_decorate.c. */
#ifndef QUOIN_WIRE_POF_BINARY_PARTS_H
#define QUOIN_WIRE_POF_BINARY_PARTS_H

#include "wire/pof/binary.h"

enum {
    BINARY_FORMAT_INT_DECORATED = 0x0d,     /* a number, then the rest */
    BINARY_FORMAT_DECORATED = 0x12,         /* a mask of ids of one octet, then a size and
                                               octets for each; those of id 0 are the value */
    BINARY_FORMAT_DECORATED_EXTENDED = 0x13 /* the same with a packed mask of 64 bits */
};

bool binary_is_decorated(struct bytes binary);
bool binary_is_int_decorated(struct bytes binary);

/* Take format octet and mask of a decorated Binary. QN_MALFORMED: cut short. */
QN_MUST_USE enum qn_status binary_take_mask(struct bytes *in, uint64_t *mask);

/* Take a size and that many octets. QN_MALFORMED: cut short. */
QN_MUST_USE enum qn_status binary_take_sized(struct bytes *in, struct bytes *octets);

/* Take format octet and number of an int-decorated Binary. QN_MALFORMED: cut short, or no number of
 * 32 bits. */
QN_MUST_USE enum qn_status binary_take_int(struct bytes *in, int32_t *number);

#endif
