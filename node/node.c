#define _GNU_SOURCE
#include "node/node.h"

#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "node/node_internal.h"
#include "node/relane.h"
#include "wire/assert.h"
#include "wire/transport/transport.h"

static void shard_failed(void *arg)
{
    const struct node *node = arg;
    uint64_t one = 1;

    (void)!write(node->failed_fd, &one, sizeof one);
}

static uint32_t cpu_count(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

/* Has the caller been asked to stop? */
static bool stop_wanted(int stop_fd)
{
    struct pollfd poll_fd = {.fd = stop_fd, .events = POLLIN};

    return stop_fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}

static bool relane_stop(void *arg)
{
    const struct node *node = arg;

    return stop_wanted(node->options.stop_fd);
}

static void relane_progress(void *arg, const struct relane_progress *progress)
{
    const struct node *node = arg;

    logger_write(node->logger, LOG_LEVEL_INFO, "node", "changing_lanes",
                 "from=%u to=%u lane=%u partitions=%u", progress->lanes_from, progress->lanes_to,
                 progress->lane, progress->partitions);
    if (node->options.progress) {
        node->options.progress(node->options.arg, progress->done_bytes, progress->total_bytes);
    }
}

/* The settings want another number of shards than the data directory has lanes. */
static enum qn_status lanes_change(struct node *node, uint32_t lanes, qn_error *err)
{
    struct relane_options options = {.data = node->cfg->node_data_dir,
                                     .block = &node->superblock,
                                     .lanes = lanes,
                                     .log_expected = coord_epoch_promised(node->coord) > 0,
                                     .service_count = DIRECTORY_SERVICES,
                                     .limits = shard_limits(node->cfg),
                                     .wall_ms = clock_wall_ms(),
                                     .progress = relane_progress,
                                     .stop = relane_stop,
                                     .arg = node};
    enum qn_status status = relane(&options, node->datadir, err);

    if (status == QN_OK) {
        logger_write(node->logger, LOG_LEVEL_INFO, "node", "lanes_changed", "from=%u to=%u",
                     node->superblock.lanes, lanes);
        node->superblock.lanes = lanes;
    }
    return status;
}

static enum qn_status lanes_settle(struct node *node, qn_error *err)
{
    uint32_t wanted = node->cfg->node_shards, found = node->superblock.lanes;
    enum qn_status status = QN_OK;

    if (found == 0 || found > NODE_SHARDS_MAX) {
        return qn_error_set(err, QN_CORRUPT,
                            "%s has %u lanes, this version knows up to %d: use the "
                            "version that wrote it",
                            node->cfg->node_data_dir, found, NODE_SHARDS_MAX);
    }
    if (wanted != 0 && wanted != found) {
        status = lanes_change(node, wanted, err);
    }
    if (status == QN_OK) {
        lanes_clean(node->cfg->node_data_dir, node->superblock.lanes);
        node->shard_count = node->superblock.lanes;
    }
    return status;
}

static enum qn_status datadir_claim(struct node *node, qn_error *err)
{
    const struct cfg *cfg = node->cfg;
    struct superblock wanted = {.node = cfg->node_id,
                                .partitions = cfg->cluster_partitions,
                                .lanes = cfg->node_shards,
                                .format = SUPERBLOCK_FORMAT};

    (void)snprintf(wanted.cluster_name, sizeof wanted.cluster_name, "%s", cfg->cluster_name);
    enum qn_status status =
        datadir_open(cfg->node_data_dir, &wanted, cfg_shard_count(cfg, cpu_count()),
                     &node->superblock, &node->datadir, err);
    if (status == QN_OK) {
        status = coord_open(cfg->node_data_dir, &node->coord, err);
    }
    return status == QN_OK ? lanes_settle(node, err) : status;
}

/* The settings say otherwise of a cache that is there: it keeps what it has. */
static void cache_differs(void *arg, const char *name, const char *what)
{
    const struct node *node = arg;

    logger_write(
        node->logger, LOG_LEVEL_WARN, "cache", "definition_differs",
        "cache=%s differs=\"%s\" action=\"a cache keeps what it was created with: drop and "
        "create it, or correct caches.names\"",
        name, what);
}

static void service_find(void *arg, const struct cache_info *cache)
{
    bool *found = arg;

    *found = *found || cache->service == WIRE_SERVICE_MEMORY;
}

/* What was acknowledged from memory alone may be gone after a crash (B.7). */
static void memory_service_check(struct node *node)
{
    bool found = false;

    directory_caches_each(&node->directory, service_find, &found);
    node->memory_unclean = found && !coord_was_clean(node->coord);
    if (node->memory_unclean) {
        logger_write(node->logger, LOG_LEVEL_WARN, "coord", "memory_unclean",
                     "incarnation=%" PRIu64, node->directory.incarnation);
    }
}

static enum qn_status directory_open(struct node *node, qn_error *err)
{
    const struct cfg *cfg = node->cfg;
    struct directory_options options = {.node = cfg->node_id,
                                        .cluster = node->superblock.cluster,
                                        .hash_partitions = cfg->cluster_partitions,
                                        .service_count = DIRECTORY_SERVICES,
                                        .shard_count = node->shard_count,
                                        .caches_create = cfg->caches_create,
                                        .coord = node->coord};

    if (directory_init(&node->directory, &options) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    node->directory_open = true;
    enum qn_status status =
        directory_caches_ensure(&node->directory, &cfg->caches_names, cache_differs, node, err);
    memory_service_check(node);
    return status;
}

/* Was a drop left half done? Nobody knows whether it is on disk: if so, the next start clears the
 * cache, and what is written to it until then would be lost. */
static bool half_dropped(const struct clerk_result *result)
{
    return result->kind == CLERK_DROP && result->status == QN_IO;
}

/* A job of the clerk is done: its shard answers the client. */
static void clerk_done(void *arg, const struct clerk_result *result)
{
    struct node *node = arg;

    if (half_dropped(result)) {
        logger_write(node->logger, LOG_LEVEL_ERROR, "coord", "drop_failed", "reason=\"%s\"",
                     result->error ? result->error->text : qn_status_text(result->status));
        shard_failed(node);
    }
    if (result->status == QN_OK) {
        logger_write(node->logger, LOG_LEVEL_INFO, "cache",
                     result->kind == CLERK_DROP ? "dropped" : "created", "cache=%.*s id=%u",
                     (int)result->cache.name.size, (const char *)result->cache.name.data,
                     result->cache.id);
    }
    if (result->shard < atomic_load(&node->shards_started)) {
        shard_clerk_done(node->shards[result->shard], result);
    }
}

static enum qn_status clerk_start(struct node *node, qn_error *err)
{
    struct clerk_options options = {.directory = &node->directory, .done = clerk_done, .arg = node};

    return clerk_open(&options, &node->clerk, err);
}

/* The endpoint that clients are told: the advertised host with the port in fact bound. */
static void endpoint_advertise(struct node *node, uint32_t s)
{
    const char *bound = shard_endpoint(node->shards[s]);
    const char *port = strrchr(bound, ':');

    qn_assert(port);
    (void)snprintf(node->directory.endpoints[s], DIRECTORY_ENDPOINT_MAX, "tcp://%s%s",
                   node->cfg->node_advertise, port);
}

static enum qn_status shards_start(struct node *node, qn_error *err)
{
    for (uint32_t s = 0; s < node->shard_count; s++) {
        struct shard_options options = {.lane = s,
                                        .lane_count = node->shard_count,
                                        .disk = node->superblock.disk,
                                        .log_expected = coord_epoch_promised(node->coord) > 0,
                                        .cfg = node->cfg,
                                        .directory = &node->directory,
                                        .clerk = node->clerk,
                                        .memory = &node->memory,
                                        .logger = node->logger,
                                        .host = {.arg = node,
                                                 .failed = shard_failed,
                                                 .facts = node_facts,
                                                 .settings = node_settings,
                                                 .caches = node_caches}};
        enum qn_status status = shard_start(&options, &node->shards[s], err);
        if (status != QN_OK) {
            return status;
        }
        endpoint_advertise(node, s);
        atomic_store(&node->shards_started, s + 1);
    }
    return QN_OK;
}

static enum qn_status admin_start(struct node *node, qn_error *err)
{
    const struct cfg *cfg = node->cfg;
    struct admin_options options = {.bind = cfg->admin_bind,
                                    .port = (uint16_t)cfg->admin_port,
                                    .snapshot = node_snapshot,
                                    .arg = node};

    return cfg->admin_enabled ? admin_open(&options, &node->admin, err) : QN_OK;
}

static void progress_tell(struct node *node)
{
    uint64_t done = 0, total = 0;

    node_tend(node);
    if (!node->options.progress) {
        return;
    }
    for (uint32_t s = 0; s < node->shard_count; s++) {
        done += figure_get(&shard_figures(node->shards[s])->recovered_bytes);
        total += figure_get(&shard_figures(node->shards[s])->recovery_total_bytes);
    }
    node->options.progress(node->options.arg, done, total);
}

static enum qn_status recovery_await(struct node *node, qn_error *err)
{
    uint64_t highest = 0;
    uint64_t epoch;

    for (uint32_t s = 0; s < node->shard_count; s++) {
        enum qn_status status;
        while ((status = shard_wait_recovered(node->shards[s], &epoch, err)) == QN_RECOVERING) {
            progress_tell(node);
            if (stop_wanted(node->options.stop_fd)) {
                return qn_error_set(err, QN_CLOSED, "stopped during recovery");
            }
        }
        if (status != QN_OK) {
            return status;
        }
        highest = epoch > highest ? epoch : highest;
    }
    enum qn_status status = coord_epoch(node->coord, highest, &epoch, err);
    if (status == QN_OK) {
        directory_publish(&node->directory, epoch);
    }
    return status;
}

static enum qn_status parts_open(struct node *node, qn_error *err)
{
    enum qn_status status = datadir_claim(node, err);

    if (status == QN_OK) {
        status = directory_open(node, err);
    }
    if (status == QN_OK) {
        status = clerk_start(node, err);
    }
    if (status == QN_OK) {
        status = shards_start(node, err);
    }
    if (status == QN_OK) {
        status = admin_start(node, err);
    }
    if (status == QN_OK) {
        status = recovery_await(node, err);
    }
    return status;
}

static void serve(struct node *node)
{
    int64_t took_ms = clock_now_ms() - node->started_ms;

    atomic_store(&node->recovery_ms, took_ms);
    for (uint32_t s = 0; s < node->shard_count; s++) {
        shard_serve(node->shards[s]);
    }
    atomic_store(&node->started, true);
    logger_write(node->logger, LOG_LEVEL_INFO, "node", "serving",
                 "cluster=%s incarnation=%" PRIu64 " epoch=%" PRIu64
                 " partitions=%u shards=%u endpoint=%s admin_port=%u ms=%" PRId64,
                 node->cfg->cluster_name, node->directory.incarnation, node->directory.epoch,
                 node->cfg->cluster_partitions, node->shard_count, node->directory.endpoints[0],
                 node->admin ? admin_port(node->admin) : 0u, took_ms);
}

enum qn_status node_open(const struct node_options *options, struct node **node, qn_error *err)
{
    struct node *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    (void)pthread_mutex_init(&made->cfg_lock, NULL);
    made->options = *options;
    made->cfg = options->cfg;
    made->logger = options->logger;
    made->config_hash = cfg_hash(made->cfg);
    memory_budget_init(&made->memory, made->cfg->limits_memory_max_bytes);
    made->started_ms = clock_now_ms();
    made->started_wall_ms = clock_wall_ms();
    made->failed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum qn_status status =
        made->failed_fd < 0 ? qn_error_set(err, QN_IO, "cannot open an eventfd: raise ulimit -n")
                            : parts_open(made, err);
    if (status != QN_OK) {
        (void)node_close(made, NULL);
        return status;
    }
    serve(made);
    *node = made;
    return QN_OK;
}

const char *node_endpoint(const struct node *node, uint32_t s)
{
    qn_assert(s < node->shard_count);
    return node->directory.endpoints[s];
}

size_t node_reload(struct node *node, const struct cfg *fresh, struct cfg *running,
                   struct cfg_report *report)
{
    (void)pthread_mutex_lock(&node->cfg_lock);
    size_t changed = cfg_reload(running, fresh, report);
    node->config_hash = cfg_hash(running);
    (void)pthread_mutex_unlock(&node->cfg_lock);
    return changed;
}

void node_tend(struct node *node)
{
    (void)memory_sample(&node->memory); /* without a measure the last one stays */
    logger_flush(node->logger, false);
}

bool node_moves(struct node *node)
{
    for (uint32_t s = 0; s < node->shard_count; s++) {
        if (!node_shard_moves(shard_figures(node->shards[s]))) {
            return false;
        }
    }
    return true;
}

int node_failed_fd(const struct node *node)
{
    return node->failed_fd;
}

static enum qn_status shards_stop(struct node *node, qn_error *err)
{
    uint32_t started = atomic_load(&node->shards_started);
    enum qn_status status = QN_OK;

    for (uint32_t s = 0; s < started; s++) {
        shard_stop(node->shards[s]);
    }
    atomic_store(&node->shards_started, 0);
    for (uint32_t s = 0; s < started; s++) {
        enum qn_status one = shard_join(node->shards[s], err);
        status = status == QN_OK ? one : status;
    }
    /* Only now: a shard may use the clerk, and read the figures of the others, until its own end;
     * and the clerk hands its results to shards. */
    clerk_close(node->clerk);
    for (uint32_t s = 0; s < started; s++) {
        shard_destroy(node->shards[s]);
    }
    return status;
}

enum qn_status node_close(struct node *node, qn_error *err)
{
    if (!node) {
        return QN_OK;
    }
    /* The admin thread reads the shards' figures: it goes first. */
    admin_close(node->admin);
    bool served = atomic_load(&node->started);
    enum qn_status status = shards_stop(node, err);
    /* A start that never served has changed nothing: what was clean before still is. */
    if (status == QN_OK && node->coord && (served || coord_was_clean(node->coord))) {
        status = coord_stopped(node->coord, err);
    }
    if (node->directory_open) {
        directory_fini(&node->directory);
    }
    coord_close(node->coord);
    datadir_close(node->datadir);
    if (node->failed_fd >= 0) {
        (void)close(node->failed_fd);
    }
    (void)pthread_mutex_destroy(&node->cfg_lock);
    free(node);
    return status;
}
