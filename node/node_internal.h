/* What the files of the node share; nobody else includes it. */
#ifndef QUOIN_NODE_NODE_INTERNAL_H
#define QUOIN_NODE_NODE_INTERNAL_H

#include "node/admin/admin.h"
#include "node/directory.h"
#include "node/node.h"
#include "node/shard.h"
#include "node/superblock.h"

enum { NODE_SHARDS_MAX = 256 };

struct node {
    const struct cfg *cfg;
    const struct logger *logger;
    struct datadir *datadir;
    struct superblock superblock;
    struct coord *coord;
    struct directory directory;
    bool directory_open;
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

/* node_figures.c: facts for the STATUS message; a shard's thread. */
size_t node_facts(void *arg, struct arena *arena, struct wire_fact *facts);

#endif
