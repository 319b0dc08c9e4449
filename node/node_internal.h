/* What the files of the node share; nobody else includes it. */
#ifndef QUOIN_NODE_NODE_INTERNAL_H
#define QUOIN_NODE_NODE_INTERNAL_H

#include "node/admin/admin.h"
#include "node/directory.h"
#include "node/memory.h"
#include "node/node.h"
#include "node/shard.h"
#include "node/superblock.h"

enum { NODE_SHARDS_MAX = 256 };

struct node {
    struct node_options options;
    const struct cfg *cfg;
    const struct logger *logger;
    struct datadir *datadir;
    struct superblock superblock;
    struct coord *coord;
    struct directory directory;
    bool directory_open;
    struct clerk *clerk;
    struct memory_budget memory;
    pthread_mutex_t cfg_lock; /* guards what may be changed of `cfg`, and `config_hash` */
    uint64_t config_hash;
    bool memory_unclean; /* changes of memory caches may be missing since a crash */
    struct shard *shards[NODE_SHARDS_MAX];
    uint32_t shard_count; /* wanted */
    atomic_uint shards_started;
    struct admin *admin;
    int failed_fd;
    int64_t started_ms; /* monotonic */
    int64_t started_wall_ms;
    atomic_bool started; /* recovery has finished */
    atomic_int_least64_t recovery_ms;
};

/* node_figures.c: sum up the shards; any thread. */
void node_snapshot(void *arg, struct admin_snapshot *snapshot);

/* node_figures.c: has the loop of a shard gone round lately? */
bool node_shard_moves(const struct shard_figures *figures);

/* node_figures.c: answers to STATUS, CONFIG and CACHES, see struct shard_host; a shard's thread. */
size_t node_facts(void *arg, struct arena *arena, struct wire_fact *facts);
size_t node_settings(void *arg, struct arena *arena, struct wire_fact *facts);
struct wire_cache *node_caches(void *arg, struct arena *arena, size_t *count);

#endif
