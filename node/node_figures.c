/* What a node says of itself: to the admin thread, to STATUS, CONFIG and CACHES. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "node/node_internal.h"
#include "node/version.h"
#include "wire/transport/transport.h"

enum { STUCK_MS = 5000 }; /* a loop that has not gone round for so long is stuck */

static const char *const op_names[SHARD_OPS] = {
    "unknown", "get",    "contains",  "count", "session_open", "put",     "put_if_absent",
    "replace", "remove", "remove_if", "touch", "clear",        "outcome", "scan",
};

_Static_assert((int)SHARD_OPS <= (int)ADMIN_OP_MAX, "a row for each operation");

static void histogram_sum(const struct shard_histogram *from, struct admin_histogram *to)
{
    to->sum_ns += figure_get(&from->sum_ns);
    for (size_t b = 0; b < ADMIN_BUCKETS; b++) {
        to->buckets[b] += figure_get(&from->buckets[b]);
    }
}

/* These are counted with their cache. */
static bool of_a_cache(size_t op)
{
    return op != 0 && op != WIRE_OP_SESSION_OPEN && op != WIRE_OP_OUTCOME;
}

static void ops_sum(const struct shard_figures *figures, struct admin_snapshot *out)
{
    for (size_t op = 0; op < SHARD_OPS; op++) {
        struct admin_op *row = &out->ops[op];
        row->name = op_names[op];
        if (!of_a_cache(op)) {
            row->count.ok += figure_get(&figures->ops[op].ok);
            row->count.failed += figure_get(&figures->ops[op].failed);
        }
        histogram_sum(&figures->ops[op].duration, &row->duration);
    }
}

/* Why requests are refused; what is not listed is "other". */
static const struct refusal {
    enum qn_status status;
    const char *label;
} refusals[] = {
    {QN_NOT_LEADER, "not_leader"}, {QN_STALE_EPOCH, "stale_epoch"},     {QN_DEADLINE, "deadline"},
    {QN_RECOVERING, "recovering"}, {QN_OVERLOADED, "overloaded"},       {QN_DISK_FULL, "disk_full"},
    {QN_TOO_LARGE, "too_large"},   {QN_MEMORY_FULL, "memory_full"},     {QN_CORRUPT, "corrupt"},
    {QN_INVALID, "invalid"},       {QN_UNKNOWN_CACHE, "unknown_cache"},
};

enum { REFUSALS = sizeof refusals / sizeof *refusals };

_Static_assert(REFUSALS + 1 <= ADMIN_LABELS_MAX, "a row for each reason and one for the others");

static size_t refusal_row(enum qn_status status)
{
    size_t i = 0;

    while (i < REFUSALS && refusals[i].status != status) {
        i++;
    }
    return i;
}

static void refusals_sum(const struct shard_figures *figures, struct admin_snapshot *out)
{
    for (size_t i = 0; i <= REFUSALS; i++) {
        out->rejected[i].label = i < REFUSALS ? refusals[i].label : "other";
    }
    for (int row = 1; row < SHARD_REFUSALS; row++) {
        out->rejected[refusal_row((enum qn_status) - row)].count +=
            figure_get(&figures->refused[row]);
    }
}

static void shard_sum(const struct shard_figures *figures, struct admin_snapshot *out)
{
    out->partitions_held += figure_get(&figures->partitions);
    out->leading += figure_get(&figures->leading);
    out->faulted += figure_get(&figures->faulted);
    out->inflight += figure_get(&figures->inflight);
    out->entries += figure_get(&figures->entries);
    out->entry_bytes += figure_get(&figures->entry_bytes);
    out->table_bytes += figure_get(&figures->table_bytes);
    out->uncommitted_bytes += figure_get(&figures->uncommitted_bytes);
    out->sessions += figure_get(&figures->sessions);
    out->views_pinned += figure_get(&figures->pins);
    out->cursors_expired += figure_get(&figures->cursors_expired);
    out->disk_full |= figure_get(&figures->disk_full);
    out->replies_dropped += figure_get(&figures->replies_dropped);
    out->log_bytes += figure_get(&figures->log_bytes);
    out->log_records += figure_get(&figures->log_records);
    out->log_syncs += figure_get(&figures->log_syncs);
    out->log_disk_bytes += figure_get(&figures->log_disk_bytes);
    out->snapshots += figure_get(&figures->snapshots);
    out->snapshots_failed += figure_get(&figures->snapshots_failed);
    out->log_replay_bytes += figure_get(&figures->log_used);
    out->history_bytes += figure_get(&figures->history_bytes);
    out->snapshot_bytes += figure_get(&figures->snapshot_bytes);
    out->frames_rejected += figure_get(&figures->frames_rejected);
    histogram_sum(&figures->soft_commits, &out->commit_soft);
    histogram_sum(&figures->hard_commits, &out->commit_hard);
    histogram_sum(&figures->log_appends, &out->log_append);
    histogram_sum(&figures->log_fsyncs, &out->log_fsync);
    ops_sum(figures, out);
    refusals_sum(figures, out);
}

bool node_shard_moves(const struct shard_figures *figures)
{
    int64_t last = atomic_load_explicit(&figures->last_round_ms, memory_order_relaxed);

    return last == 0 || clock_now_ms() - last < STUCK_MS;
}

/* Time since the shard that is behind has ended its last checkpoint. */
static uint64_t checkpoint_age_ms(const struct node *node, uint32_t shards)
{
    uint64_t oldest = UINT64_MAX;

    for (uint32_t s = 0; s < shards; s++) {
        uint64_t at = figure_get(&shard_figures(node->shards[s])->checkpoint_at_ms);
        if (at == 0) {
            return ADMIN_UNKNOWN;
        }
        oldest = at < oldest ? at : oldest;
    }
    uint64_t now = (uint64_t)clock_now_ms();
    return shards == 0 ? ADMIN_UNKNOWN : now > oldest ? now - oldest : 0;
}

static void verdict(const struct node *node, struct admin_snapshot *out)
{
    uint32_t wanted = node->directory.partition_count;

    out->ready = out->started && out->leading == wanted;
    /* A single copy: what this node holds is away while the node is. */
    out->safe = false;
    if (!out->started) {
        (void)snprintf(out->reason, sizeof out->reason, "recovery is going on");
    } else if (out->faulted > 0) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "%" PRIu64 " of %" PRIu32
                       " partitions are damaged: see the log, restore from a backup",
                       out->faulted, wanted);
    } else if (out->disk_full) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "the disk is full: changes are, or soon will be, refused; make space in "
                       "node.data_dir");
    } else if (!out->ready) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "%" PRIu64 " of %" PRIu32 " partitions are open", out->leading, wanted);
    } else if (memory_status(&node->memory) != QN_OK) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "the memory limit is reached: changes that add are refused; remove entries "
                       "or raise limits.memory_max");
    } else {
        (void)snprintf(out->reason, sizeof out->reason,
                       "standalone: there is one copy, so stopping this node stops the grid");
    }
}

static void logger_figures(const struct logger *logger, struct admin_snapshot *out)
{
    struct logger_counts counts;

    logger_counts(logger, &counts);
    out->log_messages_dropped = counts.dropped;
    for (size_t i = 0; i < LOGGER_LEVELS; i++) {
        out->log_messages[i] = (struct admin_labelled){
            .label = logger_level_name((enum log_level)i), .count = counts.lines[i]};
    }
}

/* -- caches -- */

/* The figures of a cache over all shards, as a row of CACHES. */
static struct wire_cache cache_sum(const struct node *node, const struct cache_info *cache)
{
    struct wire_cache sum = cache_info_wire(cache);

    for (uint32_t s = 0; s < atomic_load(&node->shards_started); s++) {
        const struct cache_row *row =
            cache_figures_get(shard_cache_figures(node->shards[s]), cache->id);
        if (row) {
            sum.entries += figure_get(&row->entries);
            sum.bytes += figure_get(&row->bytes);
            sum.hits += figure_get(&row->hits);
            sum.misses += figure_get(&row->misses);
            sum.puts += figure_get(&row->puts);
            sum.removes += figure_get(&row->removes);
            sum.expired += figure_get(&row->expired);
        }
    }
    return sum;
}

static void cache_ops_sum(const struct node *node, uint32_t id, struct admin_cache *out)
{
    for (uint32_t s = 0; s < atomic_load(&node->shards_started); s++) {
        const struct cache_row *row = cache_figures_get(shard_cache_figures(node->shards[s]), id);
        for (uint32_t op = 0; row && op < SHARD_OPS; op++) {
            out->ops[op].ok += cache_figures_ops(row, op, CACHE_RESULT_OK) +
                               cache_figures_ops(row, op, CACHE_RESULT_NO);
            out->ops[op].failed += cache_figures_ops(row, op, CACHE_RESULT_FAILED);
        }
    }
}

struct cache_visit {
    const struct node *node;
    struct admin_snapshot *snapshot;
};

static void cache_visit(void *arg, const struct cache_info *cache)
{
    struct cache_visit *visit = arg;
    struct admin_snapshot *snapshot = visit->snapshot;
    struct admin_cache *row = admin_cache_row(snapshot, cache->name);

    snapshot->caches++;
    if (!row) {
        return;
    }
    struct wire_cache sum = cache_sum(visit->node, cache);
    row->entries += sum.entries;
    row->entry_bytes += sum.bytes;
    row->limit_bytes += sum.size_max_bytes;
    row->hits += sum.hits;
    row->misses += sum.misses;
    row->expired += sum.expired;
    cache_ops_sum(visit->node, cache->id, row);
}

void node_snapshot(void *arg, struct admin_snapshot *snapshot)
{
    struct node *node = arg;
    struct cache_visit visit = {.node = node, .snapshot = snapshot};
    uint32_t started = atomic_load(&node->shards_started);

    snapshot->version = QUOIN_VERSION;
    snapshot->node = node->cfg->node_id;
    snapshot->started_wall_ms = node->started_wall_ms;
    snapshot->live = true;
    snapshot->started = atomic_load(&node->started);
    snapshot->state = snapshot->started ? ADMIN_SERVING : ADMIN_RECOVERING;
    snapshot->recovery_ms =
        snapshot->started ? (uint64_t)atomic_load(&node->recovery_ms) : ADMIN_UNKNOWN;
    (void)pthread_mutex_lock(&node->cfg_lock);
    (void)snprintf(snapshot->config_hash, sizeof snapshot->config_hash, "%016" PRIx64,
                   node->config_hash);
    (void)pthread_mutex_unlock(&node->cfg_lock);
    snapshot->memory_bytes = memory_total(&node->memory);
    snapshot->memory_limit_bytes = node->memory.limit_bytes;
    snapshot->snapshot_age_ms = checkpoint_age_ms(node, started);
    logger_figures(node->logger, snapshot);
    for (uint32_t s = 0; s < started; s++) {
        const struct shard_figures *figures = shard_figures(node->shards[s]);
        shard_sum(figures, snapshot);
        snapshot->live = snapshot->live && (!snapshot->started || node_shard_moves(figures));
    }
    directory_caches_each(&node->directory, cache_visit, &visit);
    verdict(node, snapshot);
    if (!snapshot->live) {
        (void)snprintf(snapshot->reason, sizeof snapshot->reason,
                       "a shard has not moved for %d s: its disk or CPU is stuck", STUCK_MS / 1000);
    }
}

/* -- answers to messages -- */

struct fact_list {
    struct arena *arena;
    struct wire_fact *facts;
    size_t count;
};

static void fact_number(struct fact_list *list, const char *name, uint64_t number)
{
    list->facts[list->count++] =
        (struct wire_fact){.name = bytes_of_text(name), .number = (int64_t)number};
}

static void fact_figure(void *arg, const struct admin_figure *figure, uint64_t value)
{
    fact_number(arg, figure->name, value);
}

/* A text with a copy in the arena; left out without memory. */
static void fact_text(struct fact_list *list, const char *name, const char *text)
{
    size_t size = strlen(text);
    char *copy = arena_alloc(list->arena, size + 1);

    if (copy && list->count < SHARD_FACTS_MAX) {
        memcpy(copy, text, size);
        list->facts[list->count++] =
            (struct wire_fact){.name = bytes_of_text(name), .text = bytes_of(copy, size)};
    }
}

static uint64_t recovered_records(const struct node *node)
{
    uint64_t sum = 0;

    for (uint32_t s = 0; s < atomic_load(&node->shards_started); s++) {
        sum += figure_get(&shard_figures(node->shards[s])->recovered_records);
    }
    return sum;
}

_Static_assert(ADMIN_FIGURES + 10 <= SHARD_FACTS_MAX, "a fact for every figure and for node_facts");

size_t node_facts(void *arg, struct arena *arena, struct wire_fact *facts)
{
    struct node *node = arg;
    struct fact_list list = {.arena = arena, .facts = facts};
    struct admin_snapshot now = {0};

    node_snapshot(node, &now);
    fact_text(&list, "version", now.version);
    fact_text(&list, "cluster", node->cfg->cluster_name);
    fact_text(&list, "reason", now.reason);
    fact_number(&list, "partitions", node->directory.partition_count);
    fact_number(&list, "shards", node->shard_count);
    admin_figures_each(&now, fact_figure, &list);
    fact_number(&list, "uptime_ms", (uint64_t)(clock_now_ms() - node->started_ms));
    fact_number(&list, "incarnation", node->directory.incarnation);
    fact_number(&list, "records_recovered", recovered_records(node));
    fact_number(&list, "memory_unclean", node->memory_unclean);
    return list.count;
}

static void setting_add(void *arg, const char *path, const char *value, const char *origin)
{
    struct fact_list *list = arg;
    size_t size = strlen(value) + strlen(origin) + 6;
    char *text = arena_alloc(list->arena, size);
    char *name = arena_alloc(list->arena, strlen(path) + 1);

    if (!text || !name || list->count == SHARD_FACTS_MAX) {
        return;
    }
    (void)snprintf(text, size, "%s  # %s", value, origin);
    memcpy(name, path, strlen(path) + 1);
    list->facts[list->count++] =
        (struct wire_fact){.name = bytes_of_text(name), .text = bytes_of_text(text)};
}

size_t node_settings(void *arg, struct arena *arena, struct wire_fact *facts)
{
    struct node *node = arg;
    struct fact_list list = {.arena = arena, .facts = facts};

    (void)pthread_mutex_lock(&node->cfg_lock);
    (void)!cfg_each(node->cfg, setting_add, &list); /* without memory: the rest is left out */
    (void)pthread_mutex_unlock(&node->cfg_lock);
    return list.count;
}

struct cache_list {
    const struct node *node;
    struct arena *arena;
    struct wire_cache *rows;
    size_t count;
    size_t capacity;
};

static void cache_count(void *arg, const struct cache_info *cache)
{
    struct cache_list *list = arg;

    (void)cache;
    list->capacity++;
}

static void cache_add(void *arg, const struct cache_info *cache)
{
    struct cache_list *list = arg;

    /* One that was created between the counting and now is told the next time. */
    if (list->count < list->capacity) {
        list->rows[list->count++] = cache_sum(list->node, cache);
    }
}

struct wire_cache *node_caches(void *arg, struct arena *arena, size_t *count)
{
    struct cache_list list = {.node = arg, .arena = arena};

    directory_caches_each(&list.node->directory, cache_count, &list);
    list.rows = arena_calloc(arena, list.capacity > 0 ? list.capacity : 1, sizeof *list.rows);
    if (list.rows) {
        directory_caches_each(&list.node->directory, cache_add, &list);
    }
    *count = list.count;
    return list.rows;
}
