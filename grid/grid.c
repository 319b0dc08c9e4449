#include "grid/grid.h"

#include "wire/assert.h"
#include "wire/hash.h"

struct grid {
    struct alloc alloc;
    struct grid_options options;
    struct replica **replicas; /* partition lane + i * lane_count at i */
    size_t replica_count;
    struct replica_action refusal; /* answer to a request that no replica here can take */
};

static size_t owned_count(const struct grid_options *options)
{
    if (options->lane >= options->partition_count) {
        return 0;
    }
    return (options->partition_count - options->lane - 1) / options->lane_count + 1;
}

static enum qn_status create_replicas(struct grid *grid)
{
    const struct grid_options *options = &grid->options;

    for (size_t i = 0; i < grid->replica_count; i++) {
        struct replica_options of_replica = {
            .partition = options->lane + (uint32_t)i * options->lane_count,
            .node = options->node,
            .limits = options->limits,
            .alloc = &grid->alloc,
        };
        enum qn_status status = replica_create(&of_replica, &grid->replicas[i]);
        if (status != QN_OK) {
            return status;
        }
    }
    return QN_OK;
}

enum qn_status grid_create(const struct grid_options *options, struct grid **grid)
{
    struct alloc alloc;

    qn_assert(options->partition_count > 0);
    qn_assert(options->lane < options->lane_count);
    alloc_init(&alloc);
    struct grid *made = alloc_get_zeroed(&alloc, sizeof *made);
    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->alloc = alloc;
    made->options = *options;
    made->replica_count = owned_count(options);
    made->replicas = alloc_get_zeroed(&made->alloc, made->replica_count * sizeof(struct replica *));
    if (!made->replicas || create_replicas(made) != QN_OK) {
        goto fail;
    }
    *grid = made;
    return QN_OK;

fail:
    grid_destroy(made);
    return QN_MEMORY_FULL;
}

void grid_destroy(struct grid *grid)
{
    if (!grid) {
        return;
    }
    for (size_t i = 0; grid->replicas && i < grid->replica_count; i++) {
        replica_destroy(grid->replicas[i]);
    }
    alloc_put(&grid->alloc, grid->replicas, grid->replica_count * sizeof *grid->replicas);
    struct alloc alloc = grid->alloc;
    alloc_put(&alloc, grid, sizeof *grid);
    qn_assert(alloc.bytes == 0);
}

bool grid_owns(const struct grid *grid, uint32_t partition)
{
    return partition < grid->options.partition_count &&
           partition % grid->options.lane_count == grid->options.lane;
}

static struct replica *replica_of(const struct grid *grid, uint32_t partition)
{
    return grid_owns(grid, partition) ? grid->replicas[partition / grid->options.lane_count] : NULL;
}

enum qn_status grid_recover(struct grid *grid, const struct record *record)
{
    struct replica *replica = replica_of(grid, record->partition);

    return replica ? replica_recover(replica, record) : QN_CORRUPT;
}

/* Why a request can not go to a replica here; NULL when it can. A key in the wrong partition would
 * be found by nobody who counts as we do. */
static const char *misplaced(const struct grid *grid, const struct replica_event *event,
                             enum qn_status *status)
{
    uint32_t count = grid->options.partition_count;

    if (event->partition >= count) {
        *status = QN_INVALID;
        return "there is no such partition: refresh the partition table";
    }
    if (!grid_owns(grid, event->partition)) {
        *status = QN_NOT_LEADER;
        return "another shard has this partition: refresh the partition table";
    }
    if (event->op->key.size > 0 &&
        hash_partition(hash_key(event->op->key), count) != event->partition) {
        *status = QN_INVALID;
        return "the key belongs to another partition: the client counts otherwise than the node";
    }
    return NULL;
}

static void refuse(struct grid *grid, const struct replica_event *event, enum qn_status status,
                   const char *text)
{
    grid->refusal = (struct replica_action){
        .kind = REPLICA_REPLY,
        .route = event->route,
        .result = {.id = event->op->id,
                   .status = status,
                   .partition = event->partition,
                   .text = bytes_of_text(text)},
    };
}

enum qn_status grid_step(struct grid *grid, const struct replica_event *event,
                         struct replica_actions *actions)
{
    struct replica *replica = replica_of(grid, event->partition);
    enum qn_status status;
    const char *why = event->kind == REPLICA_REQUEST ? misplaced(grid, event, &status) : NULL;

    if (replica && !why) {
        return replica_step(replica, event, actions);
    }
    *actions = (struct replica_actions){0};
    if (why) {
        refuse(grid, event, status, why);
        *actions = (struct replica_actions){.list = &grid->refusal, .count = 1};
    }
    return QN_OK;
}

enum qn_status grid_partition_stats(const struct grid *grid, uint32_t partition,
                                    struct replica_stats *stats)
{
    const struct replica *replica = replica_of(grid, partition);

    if (!replica) {
        return QN_INVALID;
    }
    replica_stats(replica, stats);
    return QN_OK;
}

static void add(struct grid_stats *sum, const struct replica_stats *stats)
{
    sum->partitions++;
    sum->leading += stats->role == REPLICA_LEADING;
    sum->faulted += stats->role == REPLICA_FAULTED;
    sum->entries += stats->entries;
    sum->entry_bytes += stats->entry_bytes;
    sum->table_bytes += stats->table_bytes;
    sum->uncommitted_bytes += stats->uncommitted_bytes;
    sum->sessions += stats->sessions;
}

void grid_stats(const struct grid *grid, struct grid_stats *stats)
{
    struct replica_stats one;

    *stats = (struct grid_stats){.memory_bytes = grid->alloc.bytes};
    for (size_t i = 0; i < grid->replica_count; i++) {
        replica_stats(grid->replicas[i], &one);
        add(stats, &one);
    }
}
