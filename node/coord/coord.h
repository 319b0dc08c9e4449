/* Who leads what, and which caches there are: coordination without ZooKeeper ("standalone").
 *
 * One node leads every partition. The `coord` file in the data directory (replaced by rename,
 * fsynced) holds the incarnation, raised at each start, the promised epoch, whether the last run
 * was ended cleanly, and the caches with their ids, which are assigned once and never reused. Used
 * by the main thread at start and by whichever thread holds the caller's lock later: no locking
 * here. */
#ifndef QUOIN_NODE_COORD_COORD_H
#define QUOIN_NODE_COORD_COORD_H

#include "wire/bytes.h"

struct coord;

enum {
    COORD_CACHES_MAX = 65536,      /* at one time */
    COORD_CACHE_IDS_MAX = 1 << 20, /* ids are below: so many caches can ever be created */
    COORD_CACHE_NAME_MAX = 128,
    COORD_SERVICES = 2, /* services a cache may belong to, from 0 */
};

/* What a cache is: given when it is created, fixed for its life. */
struct coord_definition {
    struct bytes name;       /* 1 to COORD_CACHE_NAME_MAX letters, digits, '.', '_', '-' */
    uint32_t service;        /* enum wire_service */
    int64_t ttl_ms;          /* of entries that do not say otherwise; 0 = they never expire */
    uint64_t size_max_bytes; /* 0 = no limit of its own */
};

struct coord_cache {
    uint32_t id; /* from 1 */
    uint32_t service;
    int64_t ttl_ms;
    uint64_t size_max_bytes;
    char name[COORD_CACHE_NAME_MAX + 1];
};

/* Read or create the file, raise the incarnation, note that the node runs, and write it back.
 *
 * QN_CORRUPT  damaged, of a newer format, or missing beside logs: `err` names the file and what to
 *             do
 * QN_IO, QN_DISK_FULL, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status coord_open(const char *dir, struct coord **coord, qn_error *err);

/* What is on disk stays as it is: without `coord_stopped` before, the next start finds an unclean
 * end. NULL allowed. */
void coord_close(struct coord *coord);

/* Was the run before this one ended with `coord_stopped`? Also true when there was none. What was
 * acknowledged from memory alone may be missing otherwise (protocol.md B.7). */
bool coord_was_clean(const struct coord *coord);

/* The last act of a clean stop: everything is on disk, and durably said so. QN_IO, QN_DISK_FULL:
 * the next start takes the stop for an unclean one. */
QN_MUST_USE enum qn_status coord_stopped(struct coord *coord, qn_error *err);

uint64_t coord_incarnation(const struct coord *coord);

/* The highest epoch in which partitions were opened; 0 = none ever was. */
uint64_t coord_epoch_promised(const struct coord *coord);

/* The epoch in which partitions open in this incarnation: higher than all before it, and at least
 * `above + 1`, where `above` is the highest epoch found in the logs. Durable before it is returned.
 * QN_IO, QN_DISK_FULL: none is returned. */
QN_MUST_USE enum qn_status coord_epoch(struct coord *coord, uint64_t above, uint64_t *epoch,
                                       qn_error *err);

/* The cache of that name; NULL = there is none. Valid until the next change. */
const struct coord_cache *coord_cache_find(const struct coord *coord, struct bytes name);

/* The cache of that name; assigned and made durable when it is new, as it was otherwise, whatever
 * `definition` says. `*cache` is valid until the next change.
 *
 * QN_INVALID      not a name, a service or a time to live
 * QN_MEMORY_FULL  also when there are COORD_CACHES_MAX, or no ids are left
 * QN_IO, QN_DISK_FULL: it was not created */
QN_MUST_USE enum qn_status coord_cache_ensure(struct coord *coord,
                                              const struct coord_definition *definition,
                                              const struct coord_cache **cache, qn_error *err);

/* Durably: there is no such cache any more, and nobody gets its id again. Its entries are still
 * there: whoever finds some knows that they are to go, since their id is below
 * `coord_cache_next` and not listed.
 *
 * QN_UNKNOWN_CACHE  there is none of this name
 * QN_OVERLOADED, QN_DISK_FULL: it was not dropped; it may be tried again
 * QN_IO             nobody knows what stands on disk: the node must not go on */
QN_MUST_USE enum qn_status coord_cache_drop(struct coord *coord, struct bytes name, uint32_t *id,
                                            qn_error *err);

/* The id that the next new cache gets: every lower one was given. */
uint32_t coord_cache_next(const struct coord *coord);

/* All caches, ascending by id. Valid until the next change. */
const struct coord_cache *coord_caches(const struct coord *coord, size_t *count);

#endif
