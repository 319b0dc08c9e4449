/* A segment file that is being prepared or written. Used by the thread that owns the log's files.
 *
 * It is prepared under a temporary name and takes its own name only when its header is on disk: a
 * file with the name of a segment always has a sound header, unless it was damaged. */
#ifndef QUOIN_NODE_LOG_SEGMENT_H
#define QUOIN_NODE_LOG_SEGMENT_H

#include "node/log/file_io.h"
#include "node/log/txlog_format.h"

/* The directory of a lane's log. */
struct lane_dir {
    int fd;
    const char *path;
    uint64_t owner;
    const struct file_io *io;
};

struct segment {
    int fd; /* -1: none */
    uint64_t first_lsn;
    uint64_t salt;
    uint64_t size;   /* of the file, all of it preallocated */
    uint64_t at;     /* where the next batch goes */
    uint64_t zeroed; /* zeros written up to here: writing over them needs no change of metadata */
};

#define SEGMENT_NONE ((struct segment){.fd = -1})

/* Octets of batches that a segment can still take. */
static inline uint64_t segment_left(const struct segment *segment)
{
    return segment->fd < 0 ? 0 : segment->size - segment->at;
}

/* Create the file `name` of `size` octets, preallocated. QN_DISK_FULL, QN_OVERLOADED (no file
 * descriptor), QN_IO: nothing is left behind. */
QN_MUST_USE enum qn_status segment_prepare(const struct lane_dir *dir, const char *name,
                                           uint64_t size, struct segment *segment, qn_error *err);

/* Write zeros over the next `step` octets and start their way to the disk. QN_IO. */
QN_MUST_USE enum qn_status segment_zero(const struct lane_dir *dir, struct segment *segment,
                                        uint64_t step, qn_error *err);

/* Give the prepared file `name` its header and its own name, all of it durable. QN_IO. */
QN_MUST_USE enum qn_status segment_publish(const struct lane_dir *dir, const char *name,
                                           uint64_t first_lsn, struct segment *segment,
                                           qn_error *err);

/* Write batches at `at` and sync. QN_IO: never to be repeated. */
QN_MUST_USE enum qn_status segment_write(const struct lane_dir *dir, struct segment *segment,
                                         struct bytes batches, qn_error *err);

void segment_close(struct segment *segment);

#endif
