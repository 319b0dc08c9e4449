/* What the files of the change of lanes share; nobody else includes it. */
#ifndef QUOIN_NODE_RELANE_INTERNAL_H
#define QUOIN_NODE_RELANE_INTERNAL_H

#include "node/relane.h"
#include "node/snapshot/manifest.h"

enum { RELANE_PATH_SIZE = 4096 };

struct relane {
    struct relane_options options;
    struct superblock block;         /* as it was */
    struct relane_progress progress; /* told last */
    struct manifest old;             /* rows of all old lanes */
    struct manifest fresh;           /* rows of all partitions as they are to be */
    bool switched;
};

/* Tell how far it is. */
void relane_tell(struct relane *relane);

/* Has the caller asked to stop? */
bool relane_stopped(const struct relane *relane);

/* relane_read.c: read an old lane, snapshots and log, into a new grid. `*grid` is the caller's on
 * QN_OK. QN_CORRUPT: any damage; `err` says where. */
QN_MUST_USE enum qn_status relane_read(struct relane *relane, uint32_t lane, struct grid **grid,
                                       qn_error *err);

/* relane_write.c: put a snapshot of a partition on disk unless there is one of the same state, and
 * note it in `fresh`. */
QN_MUST_USE enum qn_status relane_write(struct relane *relane, struct grid *grid,
                                        uint32_t partition, qn_error *err);

#endif
