/* Which partition of a lane goes into a snapshot next, and how much of the log is still needed.
 *
 * For each partition: where in the log its oldest record stands that is in no snapshot. The one
 * with the oldest goes first (protocol B.21), so the log can always be cut as far as possible.
 * Numbers in, numbers out: no files, no clock. Belongs to its shard's thread. */
#ifndef QUOIN_NODE_CHECKPOINT_PLAN_H
#define QUOIN_NODE_CHECKPOINT_PLAN_H

#include "wire/bytes.h"

struct checkpoint_plan {
    uint64_t *oldest; /* LSN where the record begins; UINT64_MAX: all of it is in a snapshot */
    uint32_t first;   /* partition `first + i * step` at i */
    uint32_t step;
    uint32_t count;
    uint32_t now;        /* number `i` of the one being walked; UINT32_MAX: none */
    uint64_t now_oldest; /* what was in `oldest` when its walk began */
    bool *postponed;     /* its snapshot failed: others first */
    bool *faulted;       /* damaged: no snapshot will ever free its log */
};

/* For the partitions first, first + step, ... below `end`. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status plan_init(struct checkpoint_plan *plan, uint32_t first, uint32_t step,
                                     uint32_t end);
void plan_fini(struct checkpoint_plan *plan);

/* A record of this partition was appended; it begins at `lsn`. Also for records found at start that
 * are in no snapshot. */
void plan_appended(struct checkpoint_plan *plan, uint32_t partition, uint64_t lsn);

/* The partition whose oldest record stands lowest below `target`; false when there is none. Those
 * whose snapshots failed come after all others, so that one of them does not hold the lane up. */
bool plan_next(struct checkpoint_plan *plan, uint64_t target, uint32_t *partition);

/* Its walk begins: what is appended from now on is not in the snapshot. One at a time. */
void plan_begin(struct checkpoint_plan *plan, uint32_t partition);

/* The snapshot is in force; or it was given up, and everything is needed still. */
void plan_done(struct checkpoint_plan *plan);
void plan_failed(struct checkpoint_plan *plan);

/* The partition is damaged: its part of the log is kept, and it is not chosen any more. Not for the
 * one being walked. */
void plan_fault(struct checkpoint_plan *plan, uint32_t partition);

/* From where on the log is needed by partitions that can be put into a snapshot: the length of the
 * log from there is what snapshots can do something about. */
uint64_t plan_wanted(const struct checkpoint_plan *plan, uint64_t next_lsn);

/* From where on the log is needed; `next_lsn` when nothing of it is. While a walk goes on: as if
 * its snapshot failed. */
uint64_t plan_needed(const struct checkpoint_plan *plan, uint64_t next_lsn);

/* The same as it will be once the snapshot under way is in force. */
uint64_t plan_needed_after(const struct checkpoint_plan *plan, uint64_t next_lsn);

#endif
