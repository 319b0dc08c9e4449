/* What inspection and verification share: a data directory under examination. */
#ifndef QUOIN_NODE_OFFLINE_OFFLINE_DIR_H
#define QUOIN_NODE_OFFLINE_OFFLINE_DIR_H

#include "node/offline/offline.h"
#include "node/snapshot/manifest.h"
#include "node/superblock.h"

enum { OFFLINE_PATH_SIZE = 4096, OFFLINE_TEXT_SIZE = 512 };

struct offline_dir {
    const char *path;
    const struct offline_visitor *visitor;
    qn_error *err;
    struct superblock block;
    uint32_t partition_count; /* of all services */
    bool opened;              /* partitions were opened at least once: there must be logs */
    uint64_t damages;
};

/* Read superblock and coordination, and tell them as facts.
 *
 * QN_CORRUPT  there is nothing to go by: the damage was told
 * QN_ABSENT, QN_BUSY, QN_IO, QN_MEMORY_FULL as offline_inspect */
QN_MUST_USE enum qn_status offline_dir_open(struct offline_dir *dir, qn_error *err);

void offline_damage(struct offline_dir *dir, const char *path, uint64_t offset, const char *what);

/* Tell what a reading that failed with QN_CORRUPT had to say of `path`. */
void offline_damage_of(struct offline_dir *dir, const char *path, const qn_error *why);

__attribute__((format(printf, 3, 4))) void offline_fact(const struct offline_dir *dir,
                                                        const char *name, const char *format, ...);
__attribute__((format(printf, 3, 4))) void offline_file(const struct offline_dir *dir,
                                                        const char *path, const char *format, ...);

/* A lane: its owner, its folders, its manifest. */
struct offline_lane {
    uint32_t number;
    uint64_t owner;
    char path[OFFLINE_PATH_SIZE];
    char log_path[OFFLINE_PATH_SIZE];
    struct manifest manifest;
};

/* Read the manifest of a lane; a damaged one is told, and counts as none. A lane of which there is
 * nothing, although partitions were opened, is told as damage. QN_INVALID (the path is too long),
 * QN_IO, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status offline_lane_open(struct offline_dir *dir, uint32_t number,
                                             struct offline_lane *lane);
void offline_lane_close(struct offline_lane *lane);

#endif
