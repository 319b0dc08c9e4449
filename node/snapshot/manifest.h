/* What of a lane is in force: `<data>/lane-<i>of<n>/manifest`, replaced by rename, the folder
 * synced.
 *
 * Says which snapshot of each partition counts, where the log begins, and how far it reached: what
 * is missing of either is damage, never absence. */
#ifndef QUOIN_NODE_SNAPSHOT_MANIFEST_H
#define QUOIN_NODE_SNAPSHOT_MANIFEST_H

#include "wire/bytes.h"

enum { MANIFEST_FORMAT = 1 };

struct manifest_row {
    uint32_t partition;
    uint64_t index; /* of its snapshot; 0: none */
    uint64_t epoch; /* of that record */
    uint64_t size;  /* octets of the file */
    int64_t taken_wall_ms;
};

struct manifest {
    uint64_t owner;            /* the lane it belongs to */
    uint64_t log_first;        /* the log is needed from this LSN on; what lies below may be gone */
    uint64_t log_end;          /* so much of it was on disk when this was written */
    bool clean;                /* written by a clean stop: the log ends there */
    struct manifest_row *rows; /* ascending by partition; owned */
    size_t row_count;
    size_t row_capacity;
};

void manifest_fini(struct manifest *manifest);

/* The row of a partition; NULL when it has none. */
const struct manifest_row *manifest_find(const struct manifest *manifest, uint32_t partition);

/* Add or replace a row. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status manifest_set(struct manifest *manifest, const struct manifest_row *row);

/* Read that of the lane in `dir`. `*manifest` must be all zero, and stays so on failure.
 *
 * QN_ABSENT   there is none
 * QN_CORRUPT  damaged, of another owner or a newer format
 * QN_IO, QN_MEMORY_FULL: `err` names the file */
QN_MUST_USE enum qn_status manifest_read(const char *dir, uint64_t owner, struct manifest *manifest,
                                         qn_error *err);

/* Replace it, durably; the folder is made when it is not there.
 *
 * QN_IO, QN_DISK_FULL, QN_OVERLOADED (no file descriptor), QN_MEMORY_FULL: the old one is in force
 * for this process. After a failed rename or sync of the folder the new one may be what a start
 * finds, so that nothing that either of them needs may be removed before a later one was written.
 * The failed sync is not repeated: the next call writes another file. */
QN_MUST_USE enum qn_status manifest_write(const char *dir, const struct manifest *manifest,
                                          qn_error *err);

#endif
