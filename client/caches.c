/* Handles on caches; making, dropping and listing them. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "client/call.h"
#include "client/value.h"

/* ---- handles ---- */

static bool name_is_valid(const char *name)
{
    return name && name[0] != '\0' && strlen(name) <= WIRE_NAME_MAX;
}

static void cache_free(qn_cache *cache)
{
    free(cache->name);
    free(cache);
}

void caches_free(qn_client *client)
{
    for (struct list *at = list_pop_front(&client->caches); at;
         at = list_pop_front(&client->caches)) {
        cache_free(LIST_OWNER(at, struct qn_cache, place));
    }
}

/* The definition in the answer to CACHE_OPEN; one without is of the first version: all defaults. */
static enum qn_status definition_take(qn_cache *cache, const qn_value *answer)
{
    struct arena arena;
    struct wire_message message;

    arena_init(&arena, 0);
    enum qn_status status = message_decode(value_octets(answer), &arena, &message);
    if (status == QN_OK && message.cache_count > 0) {
        cache->service = message.caches[0].service;
        cache->ttl_ms = message.caches[0].ttl_ms;
        cache->size_max_bytes = message.caches[0].size_max_bytes;
    }
    arena_fini(&arena);
    return status;
}

static qn_cache *cache_create(qn_client *client, const char *name, const struct call *call)
{
    qn_cache *cache = calloc(1, sizeof *cache);

    if (!cache) {
        return NULL;
    }
    cache->client = client;
    cache->id = call->core.cache;
    cache->name = strdup(name);
    if (!cache->name || !call->value || definition_take(cache, call->value) != QN_OK) {
        cache_free(cache);
        return NULL;
    }
    list_push_back(&client->caches, &cache->place);
    return cache;
}

/* ---- opening ---- */

static qn_cache *open_run(qn_client *client, const char *name, struct call *call, qn_error *err)
{
    qn_cache *cache = NULL;

    if (driver_enter(client, err) != QN_OK) {
        return NULL;
    }
    call_run(client, call, client_timeout_ms(client, 0));
    if (call_explain(call, client, name, err) == QN_OK) {
        cache = cache_create(client, name, call);
        if (!cache) {
            (void)qn_error_set(err, QN_MEMORY_FULL, "open %s: out of memory", name);
        }
    }
    driver_leave(client);
    call_fini(call);
    return cache;
}

static qn_cache *cache_open(qn_client *client, const char *name, struct session_op *op,
                            qn_error *err)
{
    struct call call = {.core = *op};

    if (!qn_error_failed(err) && !name_is_valid(name)) {
        (void)qn_error_set(err, QN_INVALID, "open: a cache's name has 1 to %d characters",
                           WIRE_NAME_MAX);
    }
    if (qn_error_failed(err) || !name_is_valid(name)) {
        return NULL;
    }
    call.core.key = bytes_of_text(name);
    return open_run(client, name, &call, err);
}

qn_cache *qn_open(qn_client *client, const char *name, qn_error *err)
{
    struct session_op op = {.kind = SESSION_OP_CACHE_OPEN};

    return cache_open(client, name, &op, err);
}

qn_cache *qn_open_create(qn_client *client, const char *name, qn_error *err)
{
    struct session_op op = {.kind = SESSION_OP_CACHE_OPEN, .flags = SESSION_CREATE};

    return cache_open(client, name, &op, err);
}

static qn_cache_options definition_known(const qn_cache_options *given)
{
    qn_cache_options known = QN_CACHE_OPTIONS_INIT;

    if (given) {
        size_t size = given->size == 0 ? sizeof known : given->size;
        memcpy(&known, given, size < sizeof known ? size : sizeof known);
    }
    return known;
}

qn_cache *qn_create(qn_client *client, const char *name, const qn_cache_options *options,
                    qn_error *err)
{
    qn_cache_options known = definition_known(options);
    struct session_op op = {
        .kind = SESSION_OP_CACHE_OPEN,
        .flags = SESSION_CREATE | SESSION_DEFINED,
        .service =
            known.durability == QN_DURABILITY_MEMORY ? WIRE_SERVICE_MEMORY : WIRE_SERVICE_DISK,
        .ttl_ms = known.ttl_ms,
        .size_max = known.size_max_bytes,
    };

    if (known.ttl_ms < 0) {
        (void)qn_error_set(err, QN_INVALID, "create: ttl_ms is negative; 0 = entries never expire");
        return NULL;
    }
    return cache_open(client, name, &op, err);
}

static enum qn_durability durability_of(uint32_t service)
{
    return service == WIRE_SERVICE_MEMORY ? QN_DURABILITY_MEMORY : QN_DURABILITY_DISK;
}

qn_status qn_cache_definition(const qn_cache *cache, qn_cache_options *options)
{
    if (!cache || !options) {
        return QN_INVALID;
    }
    size_t size = options->size == 0 ? sizeof *options : options->size;
    qn_cache_options known = {
        .size = options->size,
        .durability = durability_of(cache->service),
        .ttl_ms = cache->ttl_ms,
        .size_max_bytes = cache->size_max_bytes,
    };
    memcpy(options, &known, size < sizeof known ? size : sizeof known);
    return QN_OK;
}

const char *qn_cache_name(const qn_cache *cache)
{
    return cache ? cache->name : NULL;
}

/* ---- dropping ---- */

qn_status qn_drop(qn_client *client, const char *name, int64_t timeout_ms, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_CACHE_DROP}};

    if (!qn_error_failed(err) && (!name_is_valid(name) || timeout_ms < 0)) {
        return qn_error_set(err, QN_INVALID, "drop: %s",
                            timeout_ms < 0 ? "timeout_ms is negative" : "not the name of a cache");
    }
    enum qn_status status = driver_enter(client, err);
    if (status != QN_OK) {
        return status;
    }
    call.core.key = bytes_of_text(name);
    call_run(client, &call, client_timeout_ms(client, timeout_ms));
    status = call_explain(&call, client, name, err);
    driver_leave(client);
    call_fini(&call);
    return status;
}

/* ---- listing ---- */

/* Figures of all caches, ascending by name. Owns the names. */
struct listing {
    qn_cache_info *infos;
    size_t count;
    size_t capacity;
};

static void listing_fini(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        free((char *)(uintptr_t)listing->infos[i].name);
    }
    free(listing->infos);
}

static bool listing_reserve(struct listing *listing)
{
    if (listing->count < listing->capacity) {
        return true;
    }
    size_t capacity = listing->capacity ? listing->capacity * 2 : 32;
    qn_cache_info *infos = realloc(listing->infos, capacity * sizeof *infos);
    if (!infos) {
        return false;
    }
    listing->infos = infos;
    listing->capacity = capacity;
    return true;
}

/* Where the cache of this name is, or should be. */
static size_t listing_place(const struct listing *listing, const char *name, bool *is_there)
{
    size_t low = 0;
    size_t high = listing->count;

    *is_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(listing->infos[middle].name, name);
        if (order == 0) {
            *is_there = true;
            return middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return low;
}

/* The row of a cache, made if need be. NULL: no memory. */
static qn_cache_info *listing_row(struct listing *listing, const struct wire_cache *cache)
{
    bool is_there;
    char *name = strndup((const char *)cache->name.data, cache->name.size);

    if (!name || !listing_reserve(listing)) {
        free(name);
        return NULL;
    }
    size_t place = listing_place(listing, name, &is_there);
    qn_cache_info *row = &listing->infos[place];
    if (is_there) {
        free(name);
        return row;
    }
    memmove(row + 1, row, (listing->count - place) * sizeof *row);
    listing->count++;
    *row = (qn_cache_info){.size = sizeof *row, .name = name};
    row->definition = (qn_cache_options){
        .size = sizeof row->definition,
        .durability = durability_of(cache->service),
        .ttl_ms = cache->ttl_ms,
        .size_max_bytes = cache->size_max_bytes,
    };
    return row;
}

static enum qn_status cache_add(struct listing *listing, const struct wire_cache *cache)
{
    if (cache->name.size == 0) {
        return QN_OK;
    }
    qn_cache_info *row = listing_row(listing, cache);
    if (!row) {
        return QN_MEMORY_FULL;
    }
    row->entries += cache->entries;
    row->bytes += cache->bytes;
    row->hits += cache->hits;
    row->misses += cache->misses;
    row->puts += cache->puts;
    row->removes += cache->removes;
    row->expired += cache->expired;
    return QN_OK;
}

static enum qn_status caches_take(void *arg, uint32_t node, const struct wire_message *message)
{
    enum qn_status status = QN_OK;

    (void)node;
    for (size_t i = 0; i < message->cache_count && status == QN_OK; i++) {
        status = cache_add(arg, &message->caches[i]);
    }
    return status;
}

qn_status qn_caches(qn_client *client, int64_t timeout_ms,
                    void (*fn)(void *arg, const qn_cache_info *info), void *arg, qn_error *err)
{
    struct listing listing = {0};
    struct node_request request = {
        .kind = SESSION_OP_CACHES, .timeout_ms = timeout_ms, .take = caches_take, .arg = &listing};

    if (!fn && !qn_error_failed(err)) {
        return qn_error_set(err, QN_INVALID, "caches: no function to tell them");
    }
    enum qn_status status = nodes_ask(client, &request, err);
    for (size_t i = 0; status == QN_OK && i < listing.count; i++) {
        fn(arg, &listing.infos[i]);
    }
    listing_fini(&listing);
    return status;
}
