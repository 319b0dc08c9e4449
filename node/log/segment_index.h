/* Where the records of each partition stand in a segment: `<first LSN, 20 digits>.idx` beside it.
 *
 * Written when the segment is closed, so that catching up one partition does not scan the log.
 * Never needed for safety: it is checksummed, names the salt of its segment, and where it is
 * missing or damaged the segment is scanned instead. It is not synced for that reason.
 *
 *     header {magic, format, stride, first LSN, end LSN, salt, end offset, rows, places, crc}
 *     rows {partition, places, records, first index, last index} | places (u32 offsets) | crc */
#ifndef QUOIN_NODE_LOG_SEGMENT_INDEX_H
#define QUOIN_NODE_LOG_SEGMENT_INDEX_H

#include "node/log/segment.h"

enum {
    SEGMENT_INDEX_PLACES_MAX = 256 * 1024, /* kept while a segment is written: 2 MiB */
    SEGMENT_INDEX_FORMAT = 1,
};

struct segment_index_row {
    uint32_t partition;
    uint32_t place_first; /* of `places` */
    uint32_t place_count;
    uint32_t records;
    uint64_t first_index;
    uint64_t last_index;
};

/* -- building, by the thread that writes the segment -- */

struct segment_index_place {
    uint32_t row; /* in `rows` of the builder */
    uint32_t offset;
};

/* All zero is an empty one. */
struct segment_index_builder {
    struct segment_index_row *rows; /* in the order in which their partitions came */
    size_t row_count;
    size_t row_capacity;
    uint32_t *sorted; /* the rows, ascending by partition */
    size_t sorted_capacity;
    struct segment_index_place *places; /* in the order of the file */
    size_t place_count;
    size_t place_capacity;
    uint32_t stride; /* every so many records of a partition have a place; 0 = 1 */
    bool given_up;   /* no memory, or the file is too large: no index then */
};

void segment_index_builder_fini(struct segment_index_builder *builder);

/* Empty it for the next segment, keep the memory. */
void segment_index_builder_clear(struct segment_index_builder *builder);
size_t segment_index_builder_memory(const struct segment_index_builder *builder);

/* A record that stands at `offset` of the file. When there are too many places, every second one is
 * dropped. */
void segment_index_note(struct segment_index_builder *builder, uint32_t partition, uint64_t index,
                        uint64_t offset);

/* Write the index of `segment`, whose records end before `end_lsn`. Where that fails there is none.
 */
void segment_index_write(const struct lane_dir *dir, const struct segment *segment,
                         uint64_t end_lsn, struct segment_index_builder *builder);

/* -- reading; any thread -- */

struct segment_index {
    uint64_t first_lsn;
    uint64_t end_lsn;    /* behind the last record */
    uint64_t salt;       /* of the segment */
    uint64_t end_offset; /* behind the last batch */
    uint64_t records;
    uint32_t stride;
    struct segment_index_row *rows; /* ascending by partition; owned */
    size_t row_count;
    uint32_t *places; /* owned */
    size_t place_count;
    bool scanned; /* there was no sound file */
    bool damaged; /* the scan met damage: what lies behind is not in it */
};

/* Read the index of the segment that begins at `first_lsn`, or make one by scanning the segment up
 * to `end_lsn`. `*index` must be all zero.
 *
 * QN_ABSENT   there is no such segment
 * QN_CORRUPT  its header is bad, of another owner or a newer format
 * QN_IO, QN_MEMORY_FULL: `err` names the file */
QN_MUST_USE enum qn_status segment_index_read(const char *dir, uint64_t owner, uint64_t first_lsn,
                                              uint64_t end_lsn, struct segment_index *index,
                                              qn_error *err);
void segment_index_fini(struct segment_index *index);

/* The row of a partition; NULL: the segment has no record of it. */
const struct segment_index_row *segment_index_find(const struct segment_index *index,
                                                   uint32_t partition);

enum { INDEX_NAME_SIZE = 25 };

/* `<first lsn, 20 digits>.idx`. */
void segment_index_name(uint64_t first_lsn, char name[INDEX_NAME_SIZE]);

#endif
