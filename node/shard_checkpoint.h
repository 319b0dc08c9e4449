/* Hard commits of a shard: one partition after the other goes into a snapshot while writes go on.
 *
 * A *pass* puts everything that was in the log at its beginning into snapshots: on request, or by
 * the timer. Between passes single partitions are done to keep the log short.
 *
 *     IDLE --a partition is due--> WALKING --last entry--> FINISHING --on disk--> IDLE
 *
 * In each round of the shard's loop a little is walked and handed to the snapshot writer. Which
 * partition is due: node/checkpoint_plan.h. Included by the files of the shard only. */
#ifndef QUOIN_NODE_SHARD_CHECKPOINT_H
#define QUOIN_NODE_SHARD_CHECKPOINT_H

#include "grid/grid.h"
#include "node/checkpoint_plan.h"
#include "node/snapshot/snapwriter.h"

struct shard;

enum checkpoint_state { CHECKPOINT_IDLE, CHECKPOINT_WALKING, CHECKPOINT_FINISHING };

/* Somebody who asked for a hard commit: answered when the log below `target` is not needed. */
struct commit_wait {
    uint64_t route;
    uint64_t correlation;
    uint64_t target;
};

enum { COMMIT_WAITS_MAX = 256 };

struct checkpoint {
    struct checkpoint_plan plan;
    struct snapwriter *writer;
    enum checkpoint_state state;
    struct buf block;       /* being filled */
    uint64_t *indexes;      /* of the snapshot in force, by number in the plan; 0 = none */
    uint32_t partition;     /* being walked */
    uint64_t index;         /* of its snapshot */
    bool manifest_lost;     /* it is damaged: nothing is written in its place */
    bool walked;            /* its last entry is in `block` or before */
    uint64_t log_first;     /* that the manifest in force says */
    uint64_t log_first_new; /* that the one under way says */
    uint64_t target;        /* of the pass under way: the log below is not to be needed; 0 = none */
    uint64_t target_next;   /* of the pass after it; 0 = none is wanted */
    uint64_t trim;          /* to keep the log short: the log below is not to be needed */
    int64_t due_ms;         /* the timer */
    int64_t retry_at_ms;    /* after a failure */
    int64_t began_ns;       /* of the snapshot under way */
    int64_t pass_began_ns;
    struct commit_wait waits[COMMIT_WAITS_MAX];
    size_t wait_count;
};

/* Before recovery: which snapshots are in force. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status checkpoint_begin(struct shard *shard, const struct manifest *manifest,
                                            qn_error *err);

/* Index of the snapshot in force of a partition of the shard; 0 = none. */
uint64_t checkpoint_index(const struct checkpoint *c, uint32_t partition);

/* After it: start the writer, which takes the manifest over. QN_MEMORY_FULL, QN_IO. */
QN_MUST_USE enum qn_status checkpoint_open(struct shard *shard, struct manifest *manifest,
                                           qn_error *err);
void checkpoint_close(struct shard *shard);

/* Something is due by time or by size of the log? Call it with each tick. */
void checkpoint_look(struct shard *shard);

/* Do a little of what is to be done. True: there is more to do at once. */
bool checkpoint_work(struct shard *shard);

/* Answer `route` once everything appended so far is in snapshots. QN_OVERLOADED: too many ask.
 * QN_CORRUPT: the lane is damaged. */
QN_MUST_USE enum qn_status checkpoint_request(struct shard *shard, uint64_t route,
                                              uint64_t correlation);

/* Octets of the log that are in no snapshot yet: what a start would have to read. */
uint64_t checkpoint_log_used(const struct shard *shard);

/* Is the log at the limit of the replay budget? Changes are refused then, until snapshots catch up.
 */
bool checkpoint_behind(const struct shard *shard);

/* Is it well below that limit, so that it will not be there again in a moment? */
bool checkpoint_caught_up(const struct shard *shard);

/* At the stop: nobody waits for a hard commit any more. With `settled` (everything appended is on
 * disk) the manifest says that the log ends here, cleanly. */
void checkpoint_seal(struct shard *shard, bool settled);

#endif
