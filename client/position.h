/* Where a scan stands, as printable text with a checksum. Pure functions. */
#ifndef QUOIN_CLIENT_POSITION_H
#define QUOIN_CLIENT_POSITION_H

#include "wire/bytes.h"

/* Borrowed memory. */
struct position {
    uint32_t cache;
    uint32_t partition_count; /* of a service */
    uint32_t partition;       /* of the service; `partition_count` = all are done */
    uint32_t skip;            /* rows behind `token` that were taken already */
    uint64_t view;            /* 0 = none yet */
    struct bytes token;       /* empty = the partition's beginning */
};

/* Octets of the text with its NUL. */
size_t position_size(const struct position *position);

/* Append the text and its NUL. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status position_print(const struct position *position, struct buf *out);

/* `*memory` gets what `position` points to. QN_INVALID: it is none, or damaged; QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status position_parse(const char *text, struct buf *memory,
                                          struct position *position);

#endif
