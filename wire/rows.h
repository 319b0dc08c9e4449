/* Rows of a SCAN's answer: entries back to back in the value of its result.
 *
 * A row is a header of ROW_HEADER_SIZE octets (key size, value size, version, time left, flags),
 * then key and value. Little-endian. Pure functions. */
#ifndef QUOIN_WIRE_ROWS_H
#define QUOIN_WIRE_ROWS_H

#include "wire/bytes.h"

enum { ROW_HEADER_SIZE = 28 };

/* All memory is borrowed. */
struct row {
    uint32_t flags;   /* enum value_flags of the value */
    uint64_t version; /* of the entry */
    int64_t ttl_ms;   /* time left when it was read; 0 = never expires */
    struct bytes key;
    struct bytes value; /* empty when only keys were asked for */
};

static inline size_t row_size(const struct row *row)
{
    return ROW_HEADER_SIZE + row->key.size + row->value.size;
}

/* Append a row. QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status row_encode(const struct row *row, struct buf *out);

/* Take the next row off the front of `*rows`. QN_ABSENT: there is none left. QN_MALFORMED. */
QN_MUST_USE enum qn_status row_next(struct bytes *rows, struct row *row);

#endif
