#include "grid/grid.h"

#include "grid/grid_internal.h"
#include "grid/replica/inspect.h"
#include "wire/assert.h"
#include "wire/hash.h"

static uint32_t partitions_of(const struct grid_options *options)
{
    return options->partition_count * options->service_count;
}

static size_t owned_count(const struct grid_options *options)
{
    uint32_t count = partitions_of(options);

    return options->lane < count ? (count - options->lane - 1) / options->lane_count + 1 : 0;
}

static struct replica_options options_of(const struct grid *grid, uint32_t partition)
{
    const struct grid_options *options = &grid->options;
    bool disk = partition / options->partition_count == WIRE_SERVICE_DISK;

    return (struct replica_options){
        .partition = partition,
        .node = options->node,
        .incarnation = options->incarnation,
        .min_isr = options->min_isr > 0 ? options->min_isr : 1,
        .alone = options->alone,
        .durable = disk,
        .unclean = options->empty || (options->unclean && !disk),
        .times = options->times,
        .limits = options->limits,
        .alloc = grid->alloc,
    };
}

static enum qn_status create_replicas(struct grid *grid)
{
    const struct grid_options *options = &grid->options;

    for (size_t i = 0; i < grid->replica_count; i++) {
        struct replica_options of_replica =
            options_of(grid, options->lane + (uint32_t)i * options->lane_count);
        enum qn_status status = replica_create(&of_replica, &grid->replicas[i]);
        if (status != QN_OK) {
            return status;
        }
    }
    return QN_OK;
}

/* A grid whose memory comes from `pages`; NULL: from the heap. NULL: no memory. */
static struct grid *grid_on(struct alloc *pages)
{
    struct alloc heap;

    alloc_init(&heap);
    struct grid *grid = alloc_get_zeroed(&heap, sizeof *grid);
    if (!grid) {
        return NULL;
    }
    alloc_init(&grid->heap);
    tally_init(&grid->pages, pages ? pages : &grid->heap);
    grid->slab = slab_create(&grid->pages.alloc);
    if (!grid->slab) {
        grid_destroy(grid);
        return NULL;
    }
    grid->alloc = slab_alloc(grid->slab);
    return grid;
}

enum qn_status grid_create(const struct grid_options *options, struct grid **grid)
{
    qn_assert(options->partition_count > 0 && options->service_count > 0);
    qn_assert(options->partition_count <= UINT32_MAX / options->service_count);
    qn_assert(options->lane < options->lane_count);
    struct grid *made = grid_on(options->pages);
    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->options = *options;
    made->replica_count = owned_count(options);
    made->replicas = alloc_get_zeroed(made->alloc, made->replica_count * sizeof(struct replica *));
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
    struct alloc heap;

    if (!grid) {
        return;
    }
    for (size_t i = 0; grid->replicas && i < grid->replica_count; i++) {
        replica_destroy(grid->replicas[i]);
    }
    if (grid->slab) {
        alloc_put(grid->alloc, grid->replicas, grid->replica_count * sizeof *grid->replicas);
        slab_destroy(grid->slab);
    }
    qn_assert(grid->pages.alloc.bytes == 0);
    alloc_init(&heap);
    heap.bytes = sizeof *grid;
    alloc_put(&heap, grid, sizeof *grid);
}

bool grid_owns(const struct grid *grid, uint32_t partition)
{
    return partition < partitions_of(&grid->options) &&
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
    uint32_t hashed = grid->options.partition_count;
    struct bytes key = event->op->key;

    if (event->partition >= partitions_of(&grid->options)) {
        *status = QN_INVALID;
        return "there is no such partition: refresh the partition table";
    }
    if (!grid_owns(grid, event->partition)) {
        *status = QN_NOT_LEADER;
        return "another shard has this partition: refresh the partition table";
    }
    /* The partitions of service s are numbers s * hashed and on. */
    if (key.size > 0 && hash_partition(hash_key(key), hashed) != event->partition % hashed) {
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
    enum qn_status status = QN_OK;
    const char *why = event->kind == REPLICA_REQUEST ? misplaced(grid, event, &status) : NULL;

    /* One large answer at a time: hundreds of partitions must not hold one each. */
    if (grid->stepped && grid->stepped != replica) {
        replica_rest(grid->stepped);
    }
    grid->stepped = replica;
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

/* -- snapshots -- */

enum qn_status grid_snapshot_begin(struct grid *grid, uint32_t partition, uint64_t index_known,
                                   struct replica_snapshot *snapshot, struct buf *out)
{
    struct replica *replica = replica_of(grid, partition);

    return replica ? replica_snapshot_begin(replica, index_known, snapshot, out) : QN_INVALID;
}

enum qn_status grid_snapshot_next(struct grid *grid, uint32_t partition, size_t slots_max,
                                  size_t size_max, struct buf *out, bool *done)
{
    struct replica *replica = replica_of(grid, partition);

    return replica ? replica_snapshot_next(replica, slots_max, size_max, out, done) : QN_INVALID;
}

void grid_snapshot_end(struct grid *grid, uint32_t partition)
{
    struct replica *replica = replica_of(grid, partition);

    if (replica) {
        replica_snapshot_end(replica);
    }
}

enum qn_status grid_restore(struct grid *grid, const struct replica_snapshot *snapshot)
{
    struct replica *replica = replica_of(grid, snapshot->partition);

    return replica ? replica_restore(replica, snapshot) : QN_INVALID;
}

enum qn_status grid_restore_part(struct grid *grid, uint32_t partition, struct bytes part)
{
    struct replica *replica = replica_of(grid, partition);

    return replica ? replica_restore_part(replica, part) : QN_INVALID;
}

/* -- upkeep and figures -- */

bool grid_sweep(struct grid *grid, size_t slots_max)
{
    for (size_t i = 0; i < grid->replica_count; i++) {
        struct replica *replica = grid->replicas[grid->sweep_at];
        if (replica_sweep(replica, 1)) { /* there is work for the rest */
            (void)replica_sweep(replica, slots_max);
            return true;
        }
        grid->sweep_at = (grid->sweep_at + 1) % grid->replica_count;
    }
    return false;
}

uint64_t grid_state_hash(const struct grid *grid)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < grid->replica_count; i++) {
        struct replica_digest digest;
        replica_inspect(grid->replicas[i], &digest);
        uint64_t parts[] = {grid->options.lane + i * grid->options.lane_count, digest.entries,
                            digest.sessions};
        sum += hash_bytes(bytes_of(parts, sizeof parts));
    }
    return sum;
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
    sum->pins += stats->pins;
    sum->history_bytes += stats->history_bytes;
    sum->published += stats->published;
    sum->expired += stats->expired;
    sum->cursors_expired += stats->cursors_expired;
}

void grid_stats(const struct grid *grid, struct grid_stats *stats)
{
    struct replica_stats one;

    *stats = (struct grid_stats){.memory_bytes = grid->pages.alloc.bytes};
    for (size_t i = 0; i < grid->replica_count; i++) {
        replica_stats(grid->replicas[i], &one);
        add(stats, &one);
    }
}
