/* What all shards of a node must agree on: who we are, who leads what, which caches there are.
 *
 * Filled by the main thread while the node starts; fixed from `directory_publish` on but for the
 * caches, which are behind a lock. Shards and the admin thread read it. */
#ifndef QUOIN_NODE_DIRECTORY_H
#define QUOIN_NODE_DIRECTORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "node/coord/coord.h"
#include "wire/message/message.h"

enum { DIRECTORY_ENDPOINT_MAX = 300 };

struct directory {
    uint32_t node;
    uint64_t cluster;
    uint64_t incarnation;
    uint64_t epoch; /* of every partition */
    uint32_t lineage;
    uint32_t partition_count;
    uint32_t shard_count;
    bool caches_create;                        /* may clients create caches? */
    char (*endpoints)[DIRECTORY_ENDPOINT_MAX]; /* shard s at endpoints[s], as clients reach it */
    struct wire_partition *partitions;
    struct bytes *endpoint_bytes;

    pthread_mutex_t lock; /* guards `coord` */
    struct coord *coord;
    atomic_uint cache_id_max; /* ids 1..this exist */
};

/* QN_MEMORY_FULL: nothing is held. `coord` is borrowed. */
QN_MUST_USE enum qn_status directory_init(struct directory *directory, uint32_t partition_count,
                                          uint32_t shard_count, struct coord *coord);
void directory_fini(struct directory *directory);

/* Set the table: this node leads every partition in `epoch`. */
void directory_publish(struct directory *directory, uint64_t epoch);

/* Is this a cache that exists? */
bool directory_cache_known(const struct directory *directory, uint32_t cache);

/* Create the caches of the settings that are not there yet. `err` names the cache. */
QN_MUST_USE enum qn_status directory_caches_ensure(struct directory *directory,
                                                   const char *const *names, size_t count,
                                                   qn_error *err);

/* Find or, when asked and allowed, create a cache. QN_UNKNOWN_CACHE, QN_ACL, QN_INVALID, QN_IO:
 * `err` says what to do. */
QN_MUST_USE enum qn_status directory_cache_open(struct directory *directory, struct bytes name,
                                                bool create, uint32_t *id, qn_error *err);

/* Fill the table part of a HELLO_ACK or TABLE_ACK; `node` is the caller's, borrowed by `message`.
 */
void directory_table_fill(const struct directory *directory, struct wire_node *node,
                          struct wire_message *message);

#endif
