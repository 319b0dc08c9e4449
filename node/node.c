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
    if (status == QN_OK &&
        (node->superblock.lanes == 0 || node->superblock.lanes > NODE_SHARDS_MAX)) {
        return qn_error_set(err, QN_CORRUPT,
                            "%s has %u lanes, this version knows up to %d: use the "
                            "version that wrote it",
                            cfg->node_data_dir, node->superblock.lanes, NODE_SHARDS_MAX);
    }
    if (status == QN_OK) {
        node->shard_count = node->superblock.lanes;
        status = coord_open(cfg->node_data_dir, &node->coord, err);
    }
    return status;
}

static enum qn_status directory_open(struct node *node, qn_error *err)
{
    const struct cfg *cfg = node->cfg;
    struct directory *directory = &node->directory;

    if (directory_init(directory, cfg->cluster_partitions, node->shard_count, node->coord) !=
        QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    node->directory_open = true;
    directory->node = cfg->node_id;
    directory->cluster = node->superblock.cluster;
    directory->incarnation = coord_incarnation(node->coord);
    directory->caches_create = cfg->caches_create;
    return directory_caches_ensure(directory, cfg->caches_names.list, cfg->caches_names.count, err);
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
                                        .logger = node->logger,
                                        .failed = shard_failed,
                                        .arg = node,
                                        .facts = node_facts};
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

/* Has the caller been asked to stop? */
static bool stop_wanted(int stop_fd)
{
    struct pollfd poll_fd = {.fd = stop_fd, .events = POLLIN};

    return stop_fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}

static enum qn_status recovery_await(struct node *node, int stop_fd, qn_error *err)
{
    uint64_t highest = 0;
    uint64_t epoch;

    for (uint32_t s = 0; s < node->shard_count; s++) {
        enum qn_status status;
        while ((status = shard_wait_recovered(node->shards[s], &epoch, err)) == QN_RECOVERING) {
            if (stop_wanted(stop_fd)) {
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

static enum qn_status parts_open(struct node *node, int stop_fd, qn_error *err)
{
    enum qn_status status = datadir_claim(node, err);

    if (status == QN_OK) {
        status = directory_open(node, err);
    }
    if (status == QN_OK) {
        status = shards_start(node, err);
    }
    if (status == QN_OK) {
        status = admin_start(node, err);
    }
    if (status == QN_OK) {
        status = recovery_await(node, stop_fd, err);
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

enum qn_status node_open(const struct cfg *cfg, const struct logger *logger, int stop_fd,
                         struct node **node, qn_error *err)
{
    struct node *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->cfg = cfg;
    made->logger = logger;
    made->started_ms = clock_now_ms();
    made->started_wall_ms = clock_wall_ms();
    made->failed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum qn_status status =
        made->failed_fd < 0 ? qn_error_set(err, QN_IO, "cannot open an eventfd: raise ulimit -n")
                            : parts_open(made, stop_fd, err);
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
    /* Only now: a shard may read the figures of the others until its own end. */
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
    enum qn_status status = shards_stop(node, err);
    if (node->directory_open) {
        directory_fini(&node->directory);
    }
    coord_close(node->coord);
    datadir_close(node->datadir);
    if (node->failed_fd >= 0) {
        (void)close(node->failed_fd);
    }
    free(node);
    return status;
}
