#define _GNU_SOURCE
#include "node/directory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/assert.h"
#include "wire/hash.h"

enum { NAME_BUCKETS = 4096, WHAT_MAX = 200 };

_Static_assert((int)ID_TABLE_MAX >= (int)COORD_CACHE_IDS_MAX,
               "every id of a cache fits into the table");
_Static_assert((int)COORD_CACHE_NAME_MAX == (int)CFG_CACHE_NAME_MAX, "names of the settings fit");
_Static_assert((int)CFG_DURABILITY_DISK == (int)WIRE_SERVICE_DISK, "settings name services");
_Static_assert((int)CFG_DURABILITY_MEMORY == (int)WIRE_SERVICE_MEMORY, "settings name services");

/* -- names; under `names_lock` -- */

static struct cache_info **name_bucket(const struct directory *directory, struct bytes name)
{
    return &directory->names[hash_bytes(name) % NAME_BUCKETS];
}

static struct cache_info *name_find(const struct directory *directory, struct bytes name)
{
    struct cache_info *cache = *name_bucket(directory, name);

    while (cache && !bytes_equal(bytes_of_text(cache->name), name)) {
        cache = cache->next;
    }
    return cache;
}

static struct cache_info *name_lookup(struct directory *directory, struct bytes name)
{
    (void)pthread_mutex_lock(&directory->names_lock);
    struct cache_info *cache = name_find(directory, name);
    (void)pthread_mutex_unlock(&directory->names_lock);
    return cache;
}

static void name_add(struct directory *directory, struct cache_info *cache)
{
    struct cache_info **bucket = name_bucket(directory, bytes_of_text(cache->name));

    (void)pthread_mutex_lock(&directory->names_lock);
    cache->next = *bucket;
    *bucket = cache;
    (void)pthread_mutex_unlock(&directory->names_lock);
}

static void name_remove(struct directory *directory, const struct cache_info *cache)
{
    struct cache_info **at = name_bucket(directory, bytes_of_text(cache->name));

    (void)pthread_mutex_lock(&directory->names_lock);
    while (*at != cache) {
        at = &(*at)->next;
    }
    *at = cache->next;
    (void)pthread_mutex_unlock(&directory->names_lock);
}

/* -- the set of caches -- */

static void changed(struct directory *directory)
{
    (void)atomic_fetch_add_explicit(&directory->versions, 1, memory_order_release);
}

/* Take a cache of the coord file over; found there already is fine. */
static enum qn_status cache_take(struct directory *directory, const struct coord_cache *from)
{
    if (id_table_get(&directory->caches, from->id)) {
        return QN_OK;
    }
    struct cache_info *cache = calloc(1, sizeof *cache);
    if (!cache || id_table_reserve(&directory->caches, from->id) != QN_OK) {
        free(cache);
        return QN_MEMORY_FULL;
    }
    cache->id = from->id;
    cache->service = from->service;
    cache->ttl_ms = from->ttl_ms;
    cache->size_max_bytes = from->size_max_bytes;
    atomic_init(&cache->dropped, false);
    memcpy(cache->name, from->name, sizeof cache->name);
    id_table_set(&directory->caches, cache->id, cache);
    atomic_store_explicit(&directory->cache_next, coord_cache_next(directory->coord),
                          memory_order_release);
    name_add(directory, cache);
    changed(directory);
    return QN_OK;
}

static enum qn_status caches_load(struct directory *directory)
{
    size_t count;
    const struct coord_cache *caches = coord_caches(directory->coord, &count);
    enum qn_status status = QN_OK;

    atomic_store(&directory->cache_next, coord_cache_next(directory->coord));
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        status = cache_take(directory, &caches[i]);
    }
    return status;
}

enum qn_status directory_init(struct directory *directory, const struct directory_options *options)
{
    uint32_t partitions = options->service_count * options->hash_partitions;
    uint32_t shards = options->shard_count;

    qn_assert(partitions > 0);
    qn_assert(shards > 0);
    memset(directory, 0, sizeof *directory);
    directory->node = options->node;
    directory->cluster = options->cluster;
    directory->incarnation = coord_incarnation(options->coord);
    directory->lineage = 1;
    directory->hash_partitions = options->hash_partitions;
    directory->service_count = options->service_count;
    directory->partition_count = partitions;
    directory->shard_count = shards;
    directory->caches_create = options->caches_create;
    directory->coord = options->coord;
    directory->endpoints = calloc(shards, sizeof *directory->endpoints);
    directory->partitions = calloc(partitions, sizeof *directory->partitions);
    directory->endpoint_bytes = calloc(shards, sizeof *directory->endpoint_bytes);
    directory->names = calloc(NAME_BUCKETS, sizeof(struct cache_info *));
    (void)pthread_mutex_init(&directory->names_lock, NULL);
    (void)pthread_mutex_init(&directory->coord_lock, NULL);
    if (!directory->endpoints || !directory->partitions || !directory->endpoint_bytes ||
        !directory->names || caches_load(directory) != QN_OK) {
        directory_fini(directory);
        return QN_MEMORY_FULL;
    }
    return QN_OK;
}

void directory_fini(struct directory *directory)
{
    if (!directory->coord) {
        return;
    }
    for (uint32_t id = 0; id < id_table_end(&directory->caches); id++) {
        free(id_table_get(&directory->caches, id));
    }
    id_table_fini(&directory->caches);
    free((void *)directory->names);
    free(directory->endpoints);
    free(directory->partitions);
    free(directory->endpoint_bytes);
    (void)pthread_mutex_destroy(&directory->names_lock);
    (void)pthread_mutex_destroy(&directory->coord_lock);
    memset(directory, 0, sizeof *directory);
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
    message->hash_partitions = directory->hash_partitions;
}

const struct cache_info *directory_cache(const struct directory *directory, uint32_t id)
{
    return id_table_get(&directory->caches, id);
}

bool directory_cache_dropped(const struct directory *directory, uint32_t id)
{
    if (id == 0 || id >= atomic_load_explicit(&directory->cache_next, memory_order_acquire)) {
        return false;
    }
    /* A new cache is published before its id counts as given. */
    const struct cache_info *cache = directory_cache(directory, id);
    return !cache || atomic_load_explicit(&cache->dropped, memory_order_acquire);
}

uint64_t directory_caches_version(const struct directory *directory)
{
    return atomic_load_explicit(&directory->versions, memory_order_acquire);
}

struct wire_cache cache_info_wire(const struct cache_info *cache)
{
    return (struct wire_cache){.id = cache->id,
                               .name = bytes_of_text(cache->name),
                               .service = cache->service,
                               .ttl_ms = cache->ttl_ms,
                               .size_max_bytes = cache->size_max_bytes};
}

enum qn_status directory_cache_open(struct directory *directory, struct bytes name, bool create,
                                    struct wire_cache *found, qn_error *err)
{
    const struct cache_info *cache = name_lookup(directory, name);

    if (cache) {
        *found = cache_info_wire(cache);
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
    return QN_ABSENT;
}

void directory_caches_each(const struct directory *directory,
                           void (*visit)(void *arg, const struct cache_info *cache), void *arg)
{
    uint32_t end = id_table_end(&directory->caches);

    for (uint32_t id = 1; id < end; id++) {
        const struct cache_info *cache = directory_cache(directory, id);
        if (cache && !atomic_load_explicit(&cache->dropped, memory_order_acquire)) {
            visit(arg, cache);
        }
    }
}

/* -- with the disk -- */

static enum qn_status ensure(struct directory *directory, const struct coord_definition *definition,
                             struct cache_info **found, qn_error *err)
{
    const struct coord_cache *cache;

    (void)pthread_mutex_lock(&directory->coord_lock);
    enum qn_status status = coord_cache_ensure(directory->coord, definition, &cache, err);
    if (status == QN_OK && cache_take(directory, cache) != QN_OK) {
        status = qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    if (status == QN_OK) {
        *found = id_table_get(&directory->caches, cache->id);
    }
    (void)pthread_mutex_unlock(&directory->coord_lock);
    return status;
}

static const char *durability_word(uint32_t service)
{
    return service == WIRE_SERVICE_MEMORY ? "memory" : "disk";
}

/* What the settings say and the cache is not; "" when they agree. */
static void difference_print(const struct cache_info *cache, const struct cfg_cache *wanted,
                             char what[WHAT_MAX])
{
    size_t used = 0;

    what[0] = '\0';
    if (cache->ttl_ms != wanted->ttl_ms) {
        used += (size_t)snprintf(what + used, WHAT_MAX - used,
                                 " ttl_ms is %" PRId64 ", settings say %" PRId64, cache->ttl_ms,
                                 wanted->ttl_ms);
    }
    if (cache->service != (uint32_t)wanted->durability) {
        used += (size_t)snprintf(
            what + used, WHAT_MAX - used, "%s durability is %s, settings say %s", used ? ";" : "",
            durability_word(cache->service), durability_word((uint32_t)wanted->durability));
    }
    if (cache->size_max_bytes != wanted->size_max_bytes) {
        (void)snprintf(what + used, WHAT_MAX - used,
                       "%s size_max is %" PRIu64 " octets, settings say %" PRIu64, used ? ";" : "",
                       cache->size_max_bytes, wanted->size_max_bytes);
    }
}

enum qn_status directory_caches_ensure(struct directory *directory, const struct cfg_caches *caches,
                                       void (*differs)(void *arg, const char *name,
                                                       const char *what),
                                       void *arg, qn_error *err)
{
    for (size_t i = 0; i < caches->count; i++) {
        const struct cfg_cache *wanted = &caches->list[i];
        struct coord_definition definition = {.name = bytes_of_text(wanted->name),
                                              .service = (uint32_t)wanted->durability,
                                              .ttl_ms = wanted->ttl_ms,
                                              .size_max_bytes = wanted->size_max_bytes};
        struct cache_info *found;
        char what[WHAT_MAX];
        enum qn_status status = ensure(directory, &definition, &found, err);
        if (status != QN_OK) {
            return status;
        }
        difference_print(found, wanted, what);
        if (what[0] && differs) {
            differs(arg, found->name, what + 1);
        }
    }
    return QN_OK;
}

enum qn_status directory_cache_create(struct directory *directory, const struct wire_cache *wanted,
                                      struct wire_cache *found, qn_error *err)
{
    struct coord_definition definition = {.name = wanted->name,
                                          .service = wanted->service,
                                          .ttl_ms = wanted->ttl_ms,
                                          .size_max_bytes = wanted->size_max_bytes};
    struct cache_info *cache;

    if (definition.service >= directory->service_count) {
        return qn_error_set(err, QN_INVALID, "not a durability: %" PRIu32 ": 0 is disk, 1 memory",
                            definition.service);
    }
    enum qn_status status = ensure(directory, &definition, &cache, err);
    if (status == QN_OK) {
        *found = cache_info_wire(cache);
    }
    return status;
}

static enum qn_status drop_locked(struct directory *directory, struct bytes name,
                                  struct wire_cache *found, qn_error *err)
{
    uint32_t id;
    enum qn_status status = coord_cache_drop(directory->coord, name, &id, err);

    if (status != QN_OK) {
        return status;
    }
    struct cache_info *cache = id_table_get(&directory->caches, id);
    qn_assert(cache);
    name_remove(directory, cache);
    atomic_store_explicit(&cache->dropped, true, memory_order_release);
    changed(directory);
    *found = cache_info_wire(cache);
    return QN_OK;
}

enum qn_status directory_cache_drop(struct directory *directory, struct bytes name,
                                    struct wire_cache *found, qn_error *err)
{
    (void)pthread_mutex_lock(&directory->coord_lock);
    enum qn_status status = drop_locked(directory, name, found, err);
    (void)pthread_mutex_unlock(&directory->coord_lock);
    return status;
}
