/* The memory of the node: counted, bounded, given back.
 *
 * Whoever takes much says so (`memory_charge`, `memory_pages`). What the process uses beyond that,
 * since the start, is measured (`memory_sample`) and counts as well: so the limit holds for what
 * the kernel sees, not only for what we thought of. */
#ifndef QUOIN_NODE_MEMORY_H
#define QUOIN_NODE_MEMORY_H

#include <stdatomic.h>

#include "grid/grid.h"
#include "wire/bytes.h"

/* What memory is for. */
enum memory_kind {
    MEMORY_PAGES,     /* entries, sessions, views: all of the grid's */
    MEMORY_LOG,       /* buffers of the transaction log */
    MEMORY_SNAPSHOT,  /* blocks on their way to snapshots */
    MEMORY_TRANSPORT, /* frames received and answers not yet sent */
    MEMORY_OTHER,
    MEMORY_KINDS,
};

/* Shared by all threads of the node; stays where it is. */
struct memory_budget {
    uint64_t limit_bytes;    /* what may be used on top of `baseline_bytes` */
    uint64_t reserve_bytes;  /* below the limit kept for removals, sessions and answers */
    uint64_t baseline_bytes; /* resident before anything was charged */
    atomic_int_least64_t used[MEMORY_KINDS];
    atomic_uint_least64_t overhead_bytes; /* resident, but charged by nobody */
    atomic_uint_least64_t resident_bytes; /* at the last sample */
};

/* Begin. `limit_bytes` 0: `memory_limit_default`. Call it when the process is up and before it
 * holds data. */
void memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes);

/* Charge (> 0) or give back (< 0). Any thread, one relaxed addition. */
static inline void memory_charge(struct memory_budget *budget, enum memory_kind kind, int64_t bytes)
{
    (void)atomic_fetch_add_explicit(&budget->used[kind], bytes, memory_order_relaxed);
}

/* Bring a charge that is known as a whole up to date: `*charged` is what the caller has charged so
 * far under this kind, `now` what it holds. Free of cost when nothing has changed. */
static inline void memory_charge_to(struct memory_budget *budget, enum memory_kind kind,
                                    uint64_t *charged, uint64_t now)
{
    if (now != *charged) {
        memory_charge(budget, kind, (int64_t)(now - *charged));
        *charged = now;
    }
}

/* Charged under this kind. Any thread. */
uint64_t memory_used(const struct memory_budget *budget, enum memory_kind kind);

/* Everything that counts against the limit, overhead included. Any thread. */
uint64_t memory_total(const struct memory_budget *budget);

/* May a change that adds be accepted? QN_MEMORY_FULL: within the reserve or beyond the limit. Any
 * thread, a few relaxed loads of one cache line. */
enum qn_status memory_status(const struct memory_budget *budget);

/* May `more` octets still be handed out? The last line of defence, 3 % above the limit. Any thread.
 */
bool memory_allows(const struct memory_budget *budget, uint64_t more);

/* Measure the process and set the overhead; by one thread, every 250 ms or so. QN_IO: nothing could
 * be measured, the last value stays. */
enum qn_status memory_sample(struct memory_budget *budget);

/* -- what there is -- */

/* Resident memory of this process; 0 = not known. */
uint64_t memory_resident(void);

/* Three quarters of the machine's memory, or of what its cgroup may use, whichever is less. */
uint64_t memory_limit_default(void);

/* The least limit of the cgroups (version 2 or 1) of this process, UINT64_MAX = none. `root` stands
 * before /proc and /sys: "" but in tests. */
uint64_t memory_cgroup_limit(const char *root);

/* Set malloc up for a server that must give back what it frees. First thing in main. */
void memory_tune(void);

/* -- pages for the grid of one shard -- */

struct memory_pages;

/* NULL: no memory. `budget` is borrowed. */
struct memory_pages *memory_pages_create(struct memory_budget *budget);

/* Everything must have been released. NULL allowed. */
void memory_pages_destroy(struct memory_pages *pages);

/* Hand this to grid_create. One thread. Refuses once more than 3 % beyond the limit would be
 * charged: the last line of defence, since `memory_status` refuses earlier. */
struct alloc *memory_pages_alloc(struct memory_pages *pages);

#endif
