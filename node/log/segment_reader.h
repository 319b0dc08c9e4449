/* Reads one segment file front to back through a window of memory.
 *
 * With read calls, not a mapping: a bad place on the disk is then a status with file and offset,
 * not a signal. One thread. */
#ifndef QUOIN_NODE_LOG_SEGMENT_READER_H
#define QUOIN_NODE_LOG_SEGMENT_READER_H

#include "node/log/txlog_format.h"

enum { SEGMENT_PATH_MAX = 4096 };

/* All zero but `fd` = -1 is a valid closed reader. */
struct segment_reader {
    char path[SEGMENT_PATH_MAX];
    int fd;
    uint64_t size;     /* of the file */
    struct buf window; /* octets of the file from `start` on */
    uint64_t start;
};

/* Open the segment in `dir` that begins at `first_lsn`; `change` to settle or cut it. May be called
 * again for the next file; the memory is kept.
 *
 * QN_ABSENT  it is gone (the log was truncated); `err` is not touched
 * QN_IO */
QN_MUST_USE enum qn_status segment_reader_open(struct segment_reader *reader, const char *dir,
                                               uint64_t first_lsn, bool change, qn_error *err);
void segment_reader_close(struct segment_reader *reader);
void segment_reader_fini(struct segment_reader *reader);

/* Make what the file holds durable, then forget what the page cache holds, so that what is read is
 * what is on disk. QN_IO. */
QN_MUST_USE enum qn_status segment_reader_settle(struct segment_reader *reader, qn_error *err);

/* `size` octets from `offset` on, fewer at the end of the file; valid until the next call. QN_IO,
 * QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status segment_reader_get(struct segment_reader *reader, uint64_t offset,
                                              size_t size, struct bytes *data, qn_error *err);

/* What stands behind the last batch that could be read. */
struct segment_tail {
    uint64_t end;         /* behind the last octet that is not zero */
    uint64_t durable_lsn; /* highest in any sound batch header; 0: there is none */
};

/* Look through all octets from `from` to the end of the file. QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status segment_reader_tail(struct segment_reader *reader, uint64_t from,
                                               uint64_t salt, struct segment_tail *tail,
                                               qn_error *err);

/* Find the first sound batch header from `from` on whose LSN is above `above` and at most `up_to`.
 * QN_ABSENT: there is none. QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status segment_reader_find(struct segment_reader *reader, uint64_t from,
                                               uint64_t salt, uint64_t above, uint64_t up_to,
                                               uint64_t *offset, struct batch_header *header,
                                               qn_error *err);

/* Make the file end at `size`, durably. QN_IO. */
QN_MUST_USE enum qn_status segment_reader_cut(struct segment_reader *reader, uint64_t size,
                                              qn_error *err);

#endif
