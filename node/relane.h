/* Change the number of lanes of a data directory, at a start, before its shards.
 *
 * Each old lane is read as it was written, and a snapshot of each of its partitions is put on disk;
 * the new lanes get manifests that name these snapshots, and empty logs; then the superblock is
 * switched, and the old lanes are removed. Until the switch the old arrangement is whole, from then
 * on the new one: a crash at any point loses nothing but the work. Needs the memory of one old lane
 * and disk space for one snapshot of everything. */
#ifndef QUOIN_NODE_RELANE_H
#define QUOIN_NODE_RELANE_H

#include "grid/grid.h"
#include "node/superblock.h"

/* How far it is. */
struct relane_progress {
    uint32_t lanes_from;
    uint32_t lanes_to;
    uint32_t lane;       /* the old lane at hand */
    uint32_t partitions; /* written or found up to date so far, of all lanes */
    uint64_t done_bytes; /* of the log of this lane */
    uint64_t total_bytes;
};

struct relane_options {
    const char *data;
    const struct superblock *block; /* as it is on disk: the old number of lanes */
    uint32_t lanes;                 /* the new number, > 0, another one */
    uint32_t service_count;
    bool log_expected; /* partitions were opened before: a lane without a log is damaged */
    struct replica_limits limits; /* as in grid_create */
    struct alloc *pages;          /* as in grid_create; NULL: malloc */
    int64_t wall_ms;              /* now */
    /* All may be NULL. Progress: at each partition and 64 MiB of log. Stop: true ends the change.
     */
    void (*progress)(void *arg, const struct relane_progress *progress);
    bool (*stop)(void *arg);
    void *arg;
};

/* Do it all. `*block` of the caller is not changed: the new number is in force when QN_OK is
 * returned.
 *
 * QN_CORRUPT    an old lane is damaged: `err` says where; nothing was changed, the node can be
 *               started with the old number
 * QN_CLOSED     stopped; the old number is in force
 * QN_DISK_FULL, QN_IO, QN_MEMORY_FULL: the old number is in force, unless it was the superblock
 * that could not be written; both arrangements are whole then, and the next start sees */
QN_MUST_USE enum qn_status relane(const struct relane_options *options, struct datadir *datadir,
                                  qn_error *err);

/* -- the steps, in order; `relane` makes them all -- */

struct relane;

QN_MUST_USE enum qn_status relane_open(const struct relane_options *options,
                                       struct relane **relane_state, qn_error *err);
/* Write the snapshots of the partitions of an old lane. */
QN_MUST_USE enum qn_status relane_lane(struct relane *relane_state, uint32_t lane, qn_error *err);
/* Write the manifests of the new lanes. */
QN_MUST_USE enum qn_status relane_prepare(struct relane *relane_state, qn_error *err);
/* Put the new number in force. */
QN_MUST_USE enum qn_status relane_switch(struct relane *relane_state, struct datadir *datadir,
                                         qn_error *err);
/* Remove what only the old arrangement needed. */
void relane_finish(struct relane *relane_state);
/* Without a switch, what was written is removed again. NULL allowed. */
void relane_close(struct relane *relane_state);
/* The same, but leave everything on disk as a process does that dies: for tests. */
void relane_abandon(struct relane *relane_state);

#endif
