/* What all shards of a node must agree on: who we are, who leads what, which caches there are.
 *
 * Filled by the main thread while the node starts; fixed from `directory_publish` on but for the
 * caches. A cache is looked up without a lock; creating and dropping one waits for the disk and is
 * therefore done by the clerk (node/clerk.h). */
#ifndef QUOIN_NODE_DIRECTORY_H
#define QUOIN_NODE_DIRECTORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "config/cfg.h"
#include "node/coord/coord.h"
#include "node/id_table.h"
#include "wire/message/message.h"

enum { DIRECTORY_ENDPOINT_MAX = 300, DIRECTORY_SERVICES = COORD_SERVICES };

/* A cache. Stays where it is until the directory ends; nothing in it changes but `dropped`. */
struct cache_info {
    uint32_t id;
    uint32_t service;        /* enum wire_service */
    int64_t ttl_ms;          /* of entries that do not say otherwise; 0 = they never expire */
    uint64_t size_max_bytes; /* 0 = no limit of its own */
    atomic_bool dropped;     /* no longer there: refuse, and clear what is left of it */
    struct cache_info *next; /* of the same hash; directory.c only */
    char name[COORD_CACHE_NAME_MAX + 1];
};

struct directory {
    uint32_t node;
    uint64_t cluster;
    uint64_t incarnation;
    uint64_t epoch; /* of every partition */
    uint32_t lineage;
    uint32_t hash_partitions; /* P: keys are hashed modulo this */
    uint32_t service_count;
    uint32_t partition_count; /* service_count * P; partition p belongs to shard p % shard_count */
    uint32_t shard_count;
    bool caches_create;                        /* may clients create caches? */
    char (*endpoints)[DIRECTORY_ENDPOINT_MAX]; /* shard s at endpoints[s], as clients reach it */
    struct wire_partition *partitions;
    struct bytes *endpoint_bytes;

    struct id_table caches;
    atomic_uint cache_next;         /* lower ids were given */
    atomic_uint_least64_t versions; /* of the set of caches */
    pthread_mutex_t names_lock;     /* guards `names`; never held for long */
    struct cache_info **names;      /* by hash of the name; those that are not dropped */
    pthread_mutex_t coord_lock;     /* guards `coord`; held while the disk works */
    struct coord *coord;
};

struct directory_options {
    uint32_t node;
    uint64_t cluster;
    uint32_t hash_partitions; /* P > 0 */
    uint32_t service_count;   /* > 0; of P partitions each */
    uint32_t shard_count;     /* > 0 */
    bool caches_create;
    struct coord *coord; /* borrowed; gives incarnation and caches */
};

/* QN_MEMORY_FULL: nothing is held. */
QN_MUST_USE enum qn_status directory_init(struct directory *directory,
                                          const struct directory_options *options);
void directory_fini(struct directory *directory); /* all zero allowed */

/* Set the table: this node leads every partition in `epoch`. */
void directory_publish(struct directory *directory, uint64_t epoch);

/* Fill the table part of a HELLO_ACK or TABLE_ACK; `node` is the caller's, borrowed by `message`.
 */
void directory_table_fill(const struct directory *directory, struct wire_node *node,
                          struct wire_message *message);

/* -- any thread, without waiting for the disk -- */

/* The cache of this id; NULL when there never was one, or it was dropped before this start. Look at
 * `dropped` as well. Takes no lock. */
const struct cache_info *directory_cache(const struct directory *directory, uint32_t id);

/* Is this the id of a cache that was dropped, now or in an earlier run? Entries found under it are
 * to be cleared. */
bool directory_cache_dropped(const struct directory *directory, uint32_t id);

/* Counts how often a cache was created or dropped: look again when it has changed. */
uint64_t directory_caches_version(const struct directory *directory);

/* Find a cache for a CACHE_OPEN. `*found` gets its definition; the name in it lives as long as the
 * directory.
 *
 * QN_ABSENT         there is none, and the client may create it: have the clerk do it; `err` is not
 *                   touched
 * QN_UNKNOWN_CACHE  there is none, and `create` is not set
 * QN_ACL            there is none, and clients may not create any: `err` says what to do */
QN_MUST_USE enum qn_status directory_cache_open(struct directory *directory, struct bytes name,
                                                bool create, struct wire_cache *found,
                                                qn_error *err);

/* Call `visit` with each cache that is there, ascending by id. */
void directory_caches_each(const struct directory *directory,
                           void (*visit)(void *arg, const struct cache_info *cache), void *arg);

/* What of a cache goes on the wire; the figures are 0. */
struct wire_cache cache_info_wire(const struct cache_info *cache);

/* -- waits for the disk: the main thread at start, the clerk later -- */

/* Create the caches of the settings that are not there yet. A cache that is there keeps what it
 * has: where the settings say otherwise, `differs` is called with its name and what differs.
 * QN_IO, QN_DISK_FULL, QN_MEMORY_FULL: `err` names the cache. */
QN_MUST_USE enum qn_status
directory_caches_ensure(struct directory *directory, const struct cfg_caches *caches,
                        void (*differs)(void *arg, const char *name, const char *what), void *arg,
                        qn_error *err);

/* Create the cache that `wanted` defines, or find the one that has its name. QN_INVALID: not a name
 * or not a definition. QN_IO, QN_DISK_FULL, QN_MEMORY_FULL: it was not created. */
QN_MUST_USE enum qn_status directory_cache_create(struct directory *directory,
                                                  const struct wire_cache *wanted,
                                                  struct wire_cache *found, qn_error *err);

/* Drop a cache: durable first, then seen by the shards, which clear its entries. `*found` gets what
 * it was. QN_UNKNOWN_CACHE; QN_IO, QN_DISK_FULL: it is still there. */
QN_MUST_USE enum qn_status directory_cache_drop(struct directory *directory, struct bytes name,
                                                struct wire_cache *found, qn_error *err);

#endif
