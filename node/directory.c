#define _GNU_SOURCE
#include "node/directory.h"

#include <stdlib.h>

static void cache_ids_count(struct directory *directory)
{
    size_t count;
    const struct coord_cache *caches = coord_caches(directory->coord, &count);

    atomic_store(&directory->cache_id_max, count > 0 ? caches[count - 1].id : 0);
}

enum qn_status directory_init(struct directory *directory, uint32_t partition_count,
                              uint32_t shard_count, struct coord *coord)
{
    *directory = (struct directory){.partition_count = partition_count,
                                    .shard_count = shard_count,
                                    .lineage = 1,
                                    .coord = coord};
    directory->endpoints = calloc(shard_count, sizeof *directory->endpoints);
    directory->partitions = calloc(partition_count, sizeof *directory->partitions);
    directory->endpoint_bytes = calloc(shard_count, sizeof *directory->endpoint_bytes);
    (void)pthread_mutex_init(&directory->lock, NULL);
    if (!directory->endpoints || !directory->partitions || !directory->endpoint_bytes) {
        directory_fini(directory);
        return QN_MEMORY_FULL;
    }
    cache_ids_count(directory);
    return QN_OK;
}

void directory_fini(struct directory *directory)
{
    free(directory->endpoints);
    free(directory->partitions);
    free(directory->endpoint_bytes);
    (void)pthread_mutex_destroy(&directory->lock);
    *directory = (struct directory){0};
}

void directory_publish(struct directory *directory, uint64_t epoch)
{
    directory->epoch = epoch;
    for (uint32_t p = 0; p < directory->partition_count; p++) {
        directory->partitions[p] = (struct wire_partition){
            .epoch = epoch,
            .lineage = directory->lineage,
            .leader = directory->node,
            .shard = p % directory->shard_count,
        };
    }
    for (uint32_t s = 0; s < directory->shard_count; s++) {
        directory->endpoint_bytes[s] = bytes_of_text(directory->endpoints[s]);
    }
}

bool directory_cache_known(const struct directory *directory, uint32_t cache)
{
    return cache > 0 &&
           cache <= atomic_load_explicit(&directory->cache_id_max, memory_order_acquire);
}

enum qn_status directory_caches_ensure(struct directory *directory, const char *const *names,
                                       size_t count, qn_error *err)
{
    enum qn_status status = QN_OK;
    uint32_t id;

    for (size_t i = 0; status == QN_OK && i < count; i++) {
        status = coord_cache_ensure(directory->coord, bytes_of_text(names[i]), &id, err);
    }
    cache_ids_count(directory);
    return status;
}

static enum qn_status cache_open_locked(struct directory *directory, struct bytes name, bool create,
                                        uint32_t *id, qn_error *err)
{
    uint32_t found = coord_cache_find(directory->coord, name);

    if (found > 0) {
        *id = found;
        return QN_OK;
    }
    if (!create) {
        return qn_error_set(err, QN_UNKNOWN_CACHE,
                            "there is no cache \"%.*s\": add it to caches.names in the node's "
                            "settings and restart it",
                            (int)name.size, (const char *)name.data);
    }
    if (!directory->caches_create) {
        return qn_error_set(err, QN_ACL,
                            "clients may not create caches (\"%.*s\"): set caches.create = true or "
                            "add it to caches.names in the node's settings and restart it",
                            (int)name.size, (const char *)name.data);
    }
    enum qn_status status = coord_cache_ensure(directory->coord, name, id, err);
    cache_ids_count(directory);
    return status;
}

enum qn_status directory_cache_open(struct directory *directory, struct bytes name, bool create,
                                    uint32_t *id, qn_error *err)
{
    (void)pthread_mutex_lock(&directory->lock);
    enum qn_status status = cache_open_locked(directory, name, create, id, err);
    (void)pthread_mutex_unlock(&directory->lock);
    return status;
}

void directory_table_fill(const struct directory *directory, struct wire_node *node,
                          struct wire_message *message)
{
    *node = (struct wire_node){
        .id = directory->node,
        .incarnation = directory->incarnation,
        .endpoints = directory->endpoint_bytes,
        .endpoint_count = directory->shard_count,
    };
    message->table_version = directory->incarnation;
    message->nodes = node;
    message->node_count = 1;
    message->partitions = directory->partitions;
    message->partition_count = directory->partition_count;
}
