/* The result of a change as it stands in its log record: what a repetition is answered.
 *
 * Octets, little-endian: `u8 form = 1 | u8 has value | u8 value flags | u8 0 | i32 status | value`.
 * Version and token are not in it: they are the index and epoch of the record. */
#ifndef QUOIN_GRID_REPLICA_RESULT_H
#define QUOIN_GRID_REPLICA_RESULT_H

#include "wire/bytes.h"

enum {
    RESULT_HEADER_SIZE = 8,
    RESULT_VALUE_MAX = 64 * 1024, /* octets of an old value that a result may carry (B.10) */
};

struct result {
    int32_t status; /* enum qn_status */
    bool has_value;
    uint8_t value_flags;
    struct bytes value; /* the old value, when it was asked for; borrowed */
};

/* Append. QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status result_encode(const struct result *result, struct buf *out);

/* `result->value` points into `data`. QN_MALFORMED. */
QN_MUST_USE enum qn_status result_decode(struct bytes data, struct result *result);

#endif
