/* What a shard counts, and what it sums up now and then. */
#define _GNU_SOURCE
#include "node/shard_internal.h"

enum { DROPS_AT_ONCE = 16 };

void histogram_count(struct shard_histogram *histogram, uint64_t ns)
{
    figure_add(&histogram->buckets[admin_bucket(ns)], 1);
    figure_add(&histogram->sum_ns, ns);
}

static void refusal_count(struct shard_figures *figures, enum qn_status status)
{
    int row = -(int)status;

    if (row > 0 && row < SHARD_REFUSALS) {
        figure_add(&figures->refused[row], 1);
    }
}

void shard_count(struct shard *shard, const struct asked *asked, enum qn_status status)
{
    uint32_t row = asked->kind < SHARD_OPS ? asked->kind : 0;
    struct shard_op_figures *figures = &shard->figures.ops[row];
    int64_t took_ns = clock_now_ns() - asked->started_ns;

    figure_add(status >= 0 ? &figures->ok : &figures->failed, 1);
    histogram_count(&figures->duration, (uint64_t)(took_ns > 0 ? took_ns : 0));
    refusal_count(&shard->figures, status);
    /* A client may send any id: only caches that exist have figures. */
    if (directory_cache(shard->options.directory, asked->cache)) {
        cache_figures_op(shard->caches, asked->cache, asked->kind, status);
    }
}

static void histogram_set(struct shard_histogram *histogram, const uint64_t *buckets,
                          uint64_t sum_ns)
{
    _Static_assert((int)TXLOG_BUCKETS == (int)ADMIN_BUCKETS, "the same layout");
    for (size_t b = 0; b < ADMIN_BUCKETS; b++) {
        figure_set(&histogram->buckets[b], buckets[b]);
    }
    figure_set(&histogram->sum_ns, sum_ns);
}

static void log_figures(struct shard *shard)
{
    struct shard_figures *figures = &shard->figures;
    struct txlog_stats log;

    txlog_stats(shard->log, &log);
    figure_set(&figures->log_bytes, log.bytes);
    figure_set(&figures->log_records, log.records);
    figure_set(&figures->log_syncs, log.syncs);
    figure_set(&figures->log_disk_bytes, log.disk_bytes);
    memory_charge_to(shard->options.memory, MEMORY_LOG, &shard->log_charged, log.buffer_bytes);
    figure_set(&figures->log_buffer_bytes, log.buffer_bytes);
    histogram_set(&figures->log_appends, log.append_buckets, log.append_ns);
    histogram_set(&figures->log_fsyncs, log.sync_buckets, log.sync_ns);
}

static void grid_figures(struct shard *shard)
{
    struct shard_figures *figures = &shard->figures;
    struct grid_stats grid;

    grid_stats(shard->grid, &grid);
    figure_set(&figures->partitions, grid.partitions);
    figure_set(&figures->leading, grid.leading);
    figure_set(&figures->faulted, grid.faulted);
    figure_set(&figures->entries, grid.entries);
    figure_set(&figures->entry_bytes, grid.entry_bytes);
    figure_set(&figures->table_bytes, grid.table_bytes);
    figure_set(&figures->uncommitted_bytes, grid.uncommitted_bytes);
    figure_set(&figures->memory_bytes, grid.memory_bytes);
    figure_set(&figures->sessions, grid.sessions);
    figure_set(&figures->pins, grid.pins);
    figure_set(&figures->history_bytes, grid.history_bytes);
    figure_set(&figures->expired, grid.expired);
    figure_set(&figures->cursors_expired, grid.cursors_expired);
}

/* Caches that do not exist any more and still have entries; more of them wait for the next time. */
struct leftovers {
    struct shard *shard;
    uint32_t caches[DROPS_AT_ONCE];
    size_t count;
};

static void cache_visit(void *context, const struct replica_cache *cache)
{
    struct leftovers *left = context;
    struct shard *shard = left->shard;

    cache_figures_set(shard->caches, cache->cache, cache->entries, cache->bytes, cache->expired);
    if (cache->entries > 0 && left->count < DROPS_AT_ONCE &&
        directory_cache_dropped(shard->options.directory, cache->cache)) {
        left->caches[left->count++] = cache->cache;
    }
}

static void caches_look(struct shard *shard)
{
    struct leftovers left = {.shard = shard};

    (void)!grid_caches(shard->grid, cache_visit, &left); /* without memory: the next time */
    for (size_t i = 0; i < left.count; i++) {
        struct replica_event event = {
            .kind = REPLICA_DROP, .cache = left.caches[i], .append = shard_append_room(shard)};
        shard_step_all(shard, &event);
    }
}

void shard_figures_refresh(struct shard *shard)
{
    grid_figures(shard);
    log_figures(shard);
    figure_set(&shard->figures.inflight, shard->waiting.count);
    figure_set(&shard->figures.log_used, checkpoint_log_used(shard));
    caches_look(shard);
}
