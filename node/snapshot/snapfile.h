/* The snapshot of one partition as a file: `<data>/p<partition>/<index, 20 digits>.snap`.
 *
 *     header {magic, format, owner, struct snap_head, crc} | block | block | ... | end block
 *     block: {kind, number, plain size, stored size, crc32c of the stored octets, crc of this and
 * of the file's header} | octets
 *
 * A block holds whole items of the replica (grid/replica/replica.h), opaque here, packed with LZ4
 * where that pays. The end block says how many blocks and octets came before it, so that a file
 * that was cut off is noticed; number and checksum tie a block to its place in its file. A file is
 * written under a temporary name and takes its own when all of it is on disk: a file with the name
 * of a snapshot is whole, unless it was damaged.
 *
 * A failed sync is never repeated on the same file: that file is removed, and the next snapshot
 * writes another one. */
#ifndef QUOIN_NODE_SNAPSHOT_SNAPFILE_H
#define QUOIN_NODE_SNAPSHOT_SNAPFILE_H

#include "wire/bytes.h"

enum {
    SNAPFILE_FORMAT = 1,
    SNAP_BLOCK_MAX = 128 * 1024 * 1024, /* plain octets of one block; a client table is one */
    SNAP_NAME_SIZE = 26,                /* 20 digits, ".snap", NUL */
};

/* What the state in it is; the fields of struct replica_snapshot. */
struct snap_head {
    uint32_t partition;
    uint64_t index;
    uint64_t epoch;
    int64_t log_time_ms;
    int64_t wall_time_ms;
    int64_t epoch_began_ms;
};

/* -- writing; by one thread -- */

struct snapfile;

/* Begin the snapshot of a partition of the data directory `data`; makes the partition's folder.
 * `owner` is the id of the disk. QN_DISK_FULL, QN_OVERLOADED (no file descriptor), QN_IO,
 * QN_MEMORY_FULL: `err` names the file. */
QN_MUST_USE enum qn_status snapfile_create(const char *data, uint64_t owner,
                                           const struct snap_head *head, struct snapfile **file,
                                           qn_error *err);

/* Add a block of at most SNAP_BLOCK_MAX octets, packed if that pays, and send it on its way to the
 * disk: never more than two blocks or so are on their way, so that the sync at the end is short
 * and holds up no log. QN_DISK_FULL, QN_IO, QN_MEMORY_FULL, QN_TOO_LARGE. */
QN_MUST_USE enum qn_status snapfile_add(struct snapfile *file, struct bytes block, qn_error *err);

/* Write the end, sync, take the name, sync the folder; frees `file` whatever happens. `*size`
 * becomes the octets of the file. QN_DISK_FULL, QN_IO, QN_MEMORY_FULL: it does not count; after a
 * failed sync of the folder it may stand there under its name all the same, until the next
 * cleaning.
 */
QN_MUST_USE enum qn_status snapfile_finish(struct snapfile *file, uint64_t *size, qn_error *err);

/* Give up: removes what was written. NULL allowed. */
void snapfile_abandon(struct snapfile *file);

/* -- reading -- */

struct snap_visitor {
    void *arg;
    /* The head, first; then each block's plain octets, in order. Anything but QN_OK ends the
     * reading with that status. */
    enum qn_status (*head)(void *arg, const struct snap_head *head);
    enum qn_status (*block)(void *arg, struct bytes block);
    /* Where the file is damaged, and how; QN_CORRUPT follows, with the same in its text. May be
     * NULL.
     */
    void (*damage)(void *arg, uint64_t offset, const char *what);
};

/* Read a snapshot front to back with bounded memory. `*size` (may be NULL) becomes the octets of
 * the file.
 *
 * QN_CORRUPT  damaged, cut off, of another owner, another partition or index than its path says, or
 * a newer format: `err` names file, offset and what QN_ABSENT   there is no such file QN_IO,
 * QN_MEMORY_FULL */
QN_MUST_USE enum qn_status snapfile_read(const char *path, uint64_t owner,
                                         const struct snap_visitor *visitor, uint64_t *size,
                                         qn_error *err);

/* "<data>/p<partition>/<index>.snap"; false when it does not fit into `size`. */
bool snapfile_path(const char *data, uint32_t partition, uint64_t index, char *path, size_t size);

/* Remove every snapshot and temporary file of a partition but that of `keep` (0: all). Failing to
 * remove is told to nobody: the next time does it. */
void snapfile_clean(const char *data, uint32_t partition, uint64_t keep);

#endif
