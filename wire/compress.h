/* LZ4 blocks: of values (by the client, over a threshold, when it pays) and of snapshot files.
 *
 * A compressed value is `u32 size when unpacked, little-endian | LZ4 block`; VALUE_COMPRESSED goes
 * with it through log and store. Pure functions. */
#ifndef QUOIN_WIRE_COMPRESS_H
#define QUOIN_WIRE_COMPRESS_H

#include "wire/bytes.h"

/* Append `plain`, compressed, when that saves at least an eighth. QN_ABSENT: it does not pay;
 * QN_MEMORY_FULL: in both cases `out` is as before. */
QN_MUST_USE enum qn_status compress(struct bytes plain, struct buf *out);

/* The size that `packed` says it has when unpacked. QN_MALFORMED: too short to say. */
QN_MUST_USE enum qn_status decompress_size(struct bytes packed, size_t *size);

/* Append it, unpacked. Nothing is allocated before the size it claims is known to be possible and
 * within `size_max`. QN_MALFORMED, QN_TOO_LARGE, QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status decompress(struct bytes packed, size_t size_max, struct buf *out);

#endif
