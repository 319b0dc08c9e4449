/* The octets of an index file, for the two that write and read it. Little-endian. */
#ifndef QUOIN_NODE_LOG_SEGMENT_INDEX_FORMAT_H
#define QUOIN_NODE_LOG_SEGMENT_INDEX_FORMAT_H

#include "node/log/segment_index.h"

#define INDEX_MAGIC "QUOINIDX"

enum {
    INDEX_MAGIC_SIZE = 8,
    AT_INDEX_FORMAT = 8,
    AT_INDEX_STRIDE = 12,
    AT_INDEX_FIRST_LSN = 16,
    AT_INDEX_END_LSN = 24,
    AT_INDEX_SALT = 32,
    AT_INDEX_END_OFFSET = 40,
    AT_INDEX_ROWS = 48,
    AT_INDEX_PLACES = 52,
    AT_INDEX_CRC = 60,
    INDEX_HEADER_SIZE = 64,
    INDEX_ROW_SIZE = 32,
    INDEX_PLACE_SIZE = 4,
    INDEX_CRC_SIZE = 4,
    INDEX_FILE_MAX = 64 * 1024 * 1024, /* a larger one is none of ours */
};

/* Fill in rows, places and what is counted from what was noted. QN_MEMORY_FULL: also when the
 * builder gave up; `index` is all zero then. */
QN_MUST_USE enum qn_status segment_index_take(struct segment_index_builder *builder,
                                              struct segment_index *index);

#endif
