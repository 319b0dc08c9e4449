/* Who leads what, and which caches there are: coordination without ZooKeeper ("standalone").
 *
 * One node leads every partition. The `coord` file in the data directory (replaced by rename,
 * fsynced) holds the incarnation, raised at each start, the promised epoch and the caches with
 * their ids, which are assigned once and never reused. Used by the main thread at start and by
 * whichever thread holds the caller's lock later: no locking here. */
#ifndef QUOIN_NODE_COORD_COORD_H
#define QUOIN_NODE_COORD_COORD_H

#include "wire/bytes.h"

struct coord;

enum { COORD_CACHES_MAX = 65536 };

struct coord_cache {
    uint32_t id; /* from 1 */
    char name[129];
};

/* Read or create the file, raise the incarnation and write it back.
 *
 * QN_CORRUPT  damaged, of a newer format, or missing beside logs: `err` names the file and what to
 * do QN_IO, QN_DISK_FULL, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status coord_open(const char *dir, struct coord **coord, qn_error *err);
void coord_close(struct coord *coord); /* NULL allowed */

uint64_t coord_incarnation(const struct coord *coord);

/* The highest epoch in which partitions were opened; 0 = none ever was. */
uint64_t coord_epoch_promised(const struct coord *coord);

/* The epoch in which partitions open in this incarnation: higher than all before it, and at least
 * `above + 1`, where `above` is the highest epoch found in the logs. Durable before it is returned.
 * QN_IO, QN_DISK_FULL: none is returned. */
QN_MUST_USE enum qn_status coord_epoch(struct coord *coord, uint64_t above, uint64_t *epoch,
                                       qn_error *err);

/* Id of a cache; 0 = there is none of that name. */
uint32_t coord_cache_find(const struct coord *coord, struct bytes name);

/* Its id, assigned and made durable when it is new. QN_INVALID: not a name (1 to 128 octets of
 * letters, digits, `.`, `_`, `-`). QN_MEMORY_FULL: also when there are COORD_CACHES_MAX. QN_IO,
 * QN_DISK_FULL: it was not created. */
QN_MUST_USE enum qn_status coord_cache_ensure(struct coord *coord, struct bytes name, uint32_t *id,
                                              qn_error *err);

/* All caches, ascending by id. Valid until the next change. */
const struct coord_cache *coord_caches(const struct coord *coord, size_t *count);

#endif
