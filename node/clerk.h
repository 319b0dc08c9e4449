/* A thread for what must not block a shard: creating and dropping caches, which waits for the disk.
 *
 *     shard --post--> queue --> clerk's thread --done--> (caller's way back to the shard)
 *
 * One job at a time, in the order posted. Every job that was taken gets exactly one result. */
#ifndef QUOIN_NODE_CLERK_H
#define QUOIN_NODE_CLERK_H

#include "node/directory.h"

struct clerk;

enum { CLERK_QUEUE_DEFAULT = 256 };

enum clerk_kind {
    CLERK_CREATE, /* the cache that `cache` defines, or find it */
    CLERK_DROP,   /* the cache `cache.name` */
};

struct clerk_job {
    enum clerk_kind kind;
    struct wire_cache cache; /* the name is copied */
    uint64_t correlation;    /* these three are handed back as they are */
    uint64_t route;
    uint32_t shard;
};

struct clerk_result {
    enum clerk_kind kind;
    enum qn_status status;   /* QN_CLOSED: not begun, the node stops */
    struct wire_cache cache; /* as it is, or was before it was dropped; on failure as posted */
    uint64_t correlation;
    uint64_t route;
    uint32_t shard;
    const qn_error *error; /* says what was wrong */
};

struct clerk_options {
    struct directory *directory; /* borrowed */
    size_t queue_max;            /* jobs that may wait; 0 = CLERK_QUEUE_DEFAULT */
    /* A job is done, or given up because the clerk closes. From the clerk's thread. `result` is
     * borrowed for the call; it must not block and not call the clerk. */
    void (*done)(void *arg, const struct clerk_result *result);
    void *arg;
};

/* QN_MEMORY_FULL, QN_IO (no thread). */
QN_MUST_USE enum qn_status clerk_open(const struct clerk_options *options, struct clerk **clerk,
                                      qn_error *err);

/* Ends after the job under way, at most one write of the coord file; the others get QN_CLOSED. NULL
 * allowed. The receivers of results must still be there. */
void clerk_close(struct clerk *clerk);

/* Hand a job over. Any thread; never waits.
 *
 * QN_OVERLOADED   too many jobs wait
 * QN_INVALID      not a name of a cache
 * Either way there will be no result. */
QN_MUST_USE enum qn_status clerk_post(struct clerk *clerk, const struct clerk_job *job);

/* Jobs that wait or are under way. Any thread. */
size_t clerk_waiting(struct clerk *clerk);

#endif
