/* What a data directory is: whose, and in which format. `<data>/superblock`, replaced by rename.
 *
 * Also holds the lock that keeps a second process out. */
#ifndef QUOIN_NODE_SUPERBLOCK_H
#define QUOIN_NODE_SUPERBLOCK_H

#include "wire/bytes.h"

enum { SUPERBLOCK_FORMAT = 1 };

struct superblock {
    uint64_t cluster; /* random, from the first start; never 0 */
    uint64_t disk;    /* random, from the first start */
    uint32_t node;
    uint32_t partitions; /* fixed for life */
    uint32_t lanes;
    uint32_t format;
    char cluster_name[64];
};

struct datadir; /* an open and locked data directory */

/* Open `path`, creating directory and superblock when it is empty (cluster and disk ids are drawn
 * then). `wanted` gives node, partitions, lanes, cluster_name; `*found` gets what stands on disk.
 * Lanes 0 takes the number that stands there, and `lanes_first` in a new directory.
 *
 * QN_CLUSTER    it belongs to another node or cluster, or has other partitions or lanes: `err` says
 * QN_CORRUPT    the superblock is damaged, or of a newer format
 * QN_INVALID    the directory is not empty and has no superblock: it is not ours
 * QN_BUSY       another process has it open
 * QN_IO         it cannot be read or written
 * QN_DISK_FULL, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status datadir_open(const char *path, const struct superblock *wanted,
                                        uint32_t lanes_first, struct superblock *found,
                                        struct datadir **datadir, qn_error *err);
void datadir_close(struct datadir *datadir); /* NULL allowed */

#endif
