/* What a data directory is: whose, and in which format. `<data>/superblock`, replaced by rename.
 *
 * Also holds the lock that keeps a second process out. */
#ifndef QUOIN_NODE_SUPERBLOCK_H
#define QUOIN_NODE_SUPERBLOCK_H

#include "node/lane.h"
#include "wire/bytes.h"

enum { SUPERBLOCK_FORMAT = 2 };

struct superblock {
    uint64_t cluster; /* random, from the first start; never 0 */
    uint64_t disk;    /* random, from the first start */
    uint32_t node;
    uint32_t partitions; /* of each service; fixed for life */
    uint32_t lanes;      /* in force; node/relane.h changes it */
    uint32_t format;
    char cluster_name[64];
};

struct datadir; /* an open and locked data directory */

/* Open `path`, creating directory and superblock when it is empty (cluster and disk ids are drawn
 * then). `wanted` gives node, partitions, lanes, cluster_name; `*found` gets what stands on disk.
 * A new directory has the wanted number of lanes, `lanes_first` when that is 0; in an old one
 * `found->lanes` may differ from what is wanted: see `relane`. Lanes of another number than that,
 * left by a change that did not end, are removed.
 *
 * QN_CLUSTER    it belongs to another node or cluster, or has other partitions: `err` says
 * QN_CORRUPT    the superblock is damaged, or of another format
 * QN_INVALID    the directory is not empty and has no superblock: it is not ours
 * QN_BUSY       another process has it open
 * QN_IO         it cannot be read or written
 * QN_DISK_FULL, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status datadir_open(const char *path, const struct superblock *wanted,
                                        uint32_t lanes_first, struct superblock *found,
                                        struct datadir **datadir, qn_error *err);
void datadir_close(struct datadir *datadir); /* NULL allowed */

/* From now on there are `lanes` (> 0) lanes, durably. QN_IO, QN_DISK_FULL: the old or the new
 * number stands on disk; start again to see. QN_MEMORY_FULL: the old one. */
QN_MUST_USE enum qn_status superblock_lanes_set(struct datadir *datadir, uint32_t lanes,
                                                qn_error *err);

/* For tools that look while no node runs: read it, change nothing, take no lock.
 *
 * QN_ABSENT   there is none; `err` is not touched
 * QN_CORRUPT  damaged, or of another format
 * QN_IO, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status superblock_read(const char *path, struct superblock *block,
                                           qn_error *err);

/* Does a process run on this data directory? Then `*pid` (may be NULL) is its id, 0 when that is
 * not known. A directory that cannot be looked at is not locked: reading it says why. */
bool datadir_locked(const char *path, long *pid);

#endif
