#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "node/node_internal.h"
#include "node/version.h"
#include "wire/transport/transport.h"

enum { STUCK_MS = 5000 }; /* a loop that has not gone round for so long is stuck */

static const char *const op_names[SHARD_OPS] = {
    "unknown", "get",           "contains", "count",  "session_open",
    "put",     "put_if_absent", "replace",  "remove", "remove_if",
};

static void ops_sum(struct shard_figures *figures, struct admin_snapshot *out)
{
    for (size_t op = 0; op < SHARD_OPS; op++) {
        struct admin_op *row = &out->ops[op];
        row->name = op_names[op];
        row->ok += figure_get(&figures->ops[op].ok);
        row->failed += figure_get(&figures->ops[op].failed);
        row->sum_ns += figure_get(&figures->ops[op].sum_ns);
        for (size_t b = 0; b < SHARD_BUCKETS; b++) {
            row->buckets[b] += figure_get(&figures->ops[op].buckets[b]);
        }
    }
}

static void shard_sum(struct shard_figures *figures, struct admin_snapshot *out)
{
    out->partitions += (uint32_t)figure_get(&figures->partitions);
    out->partitions_leading += (uint32_t)figure_get(&figures->leading);
    out->partitions_faulted += (uint32_t)figure_get(&figures->faulted);
    out->entries += figure_get(&figures->entries);
    out->entry_bytes += figure_get(&figures->entry_bytes);
    out->table_bytes += figure_get(&figures->table_bytes);
    out->uncommitted_bytes += figure_get(&figures->uncommitted_bytes);
    out->memory_bytes += figure_get(&figures->memory_bytes);
    out->sessions += figure_get(&figures->sessions);
    out->disk_full = out->disk_full || figure_get(&figures->disk_full) != 0;
    out->log_bytes += figure_get(&figures->log_bytes);
    out->log_records += figure_get(&figures->log_records);
    out->log_syncs += figure_get(&figures->log_syncs);
    out->log_sync_ns += figure_get(&figures->log_sync_ns);
    out->frames_rejected += figure_get(&figures->frames_rejected);
    ops_sum(figures, out);
}

static bool shard_moves(struct shard_figures *figures)
{
    int64_t last = atomic_load_explicit(&figures->last_round_ms, memory_order_relaxed);

    return last == 0 || clock_now_ms() - last < STUCK_MS;
}

static void verdict(struct node *node, struct admin_snapshot *out)
{
    uint32_t wanted = node->cfg->cluster_partitions;

    out->ready = out->started && out->partitions_leading == wanted;
    /* A single copy: what this node holds is away while the node is. */
    out->safe = false;
    if (!out->started) {
        (void)snprintf(out->reason, sizeof out->reason, "recovery is going on");
    } else if (out->partitions_faulted > 0) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "%" PRIu32 " of %" PRIu32
                       " partitions are damaged: see the log, restore from a backup",
                       out->partitions_faulted, wanted);
    } else if (!out->ready) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "%" PRIu32 " of %" PRIu32 " partitions are open", out->partitions_leading,
                       wanted);
    } else if (out->disk_full) {
        (void)snprintf(out->reason, sizeof out->reason,
                       "the disk is full: changes are, or soon will be, refused; make space in "
                       "node.data_dir");
    } else {
        (void)snprintf(out->reason, sizeof out->reason,
                       "standalone: there is one copy, so stopping this node stops the grid");
    }
}

void node_snapshot(void *arg, struct admin_snapshot *snapshot)
{
    struct node *node = arg;

    *snapshot = (struct admin_snapshot){
        .version = QUOIN_VERSION,
        .node = node->cfg->node_id,
        .live = true,
        .started = atomic_load(&node->started),
        .recovery_ms = (uint64_t)atomic_load(&node->recovery_ms),
        .started_wall_ms = node->started_wall_ms,
    };
    uint32_t started = atomic_load(&node->shards_started);
    for (uint32_t s = 0; s < started; s++) {
        struct shard_figures *figures = shard_figures(node->shards[s]);
        shard_sum(figures, snapshot);
        snapshot->live = snapshot->live && (!snapshot->started || shard_moves(figures));
    }
    verdict(node, snapshot);
    if (!snapshot->live) {
        (void)snprintf(snapshot->reason, sizeof snapshot->reason,
                       "a shard has not moved for %d s: its disk or CPU is stuck", STUCK_MS / 1000);
    }
}

struct fact_list {
    struct wire_fact *facts;
    size_t count;
};

static void fact_number(struct fact_list *list, const char *name, uint64_t number)
{
    list->facts[list->count++] =
        (struct wire_fact){.name = bytes_of_text(name), .number = (int64_t)number};
}

static void fact_text(struct fact_list *list, struct arena *arena, const char *name,
                      const char *text)
{
    size_t size = strlen(text);
    char *copy = arena_alloc(arena, size + 1);

    if (copy) {
        memcpy(copy, text, size);
        list->facts[list->count++] =
            (struct wire_fact){.name = bytes_of_text(name), .text = bytes_of(copy, size)};
    }
}

static uint64_t recovered_records(struct node *node)
{
    uint64_t sum = 0;

    for (uint32_t s = 0; s < atomic_load(&node->shards_started); s++) {
        sum += figure_get(&shard_figures(node->shards[s])->recovered_records);
    }
    return sum;
}

size_t node_facts(void *arg, struct arena *arena, struct wire_fact *facts)
{
    struct node *node = arg;
    struct fact_list list = {.facts = facts};
    struct admin_snapshot now;

    node_snapshot(node, &now);
    fact_text(&list, arena, "version", now.version);
    fact_text(&list, arena, "cluster", node->cfg->cluster_name);
    fact_number(&list, "ready", now.ready);
    fact_number(&list, "safe", now.safe);
    fact_text(&list, arena, "reason", now.reason);
    fact_number(&list, "partitions", node->cfg->cluster_partitions);
    fact_number(&list, "leading", now.partitions_leading);
    fact_number(&list, "faulted", now.partitions_faulted);
    fact_number(&list, "shards", node->shard_count);
    fact_number(&list, "entries", now.entries);
    fact_number(&list, "entry_bytes", now.entry_bytes);
    fact_number(&list, "table_bytes", now.table_bytes);
    fact_number(&list, "memory_bytes", now.memory_bytes);
    fact_number(&list, "uncommitted_bytes", now.uncommitted_bytes);
    fact_number(&list, "sessions", now.sessions);
    fact_number(&list, "disk_full", now.disk_full);
    fact_number(&list, "log_bytes", now.log_bytes);
    fact_number(&list, "log_records", now.log_records);
    fact_number(&list, "log_syncs", now.log_syncs);
    fact_number(&list, "uptime_ms", (uint64_t)(clock_now_ms() - node->started_ms));
    fact_number(&list, "incarnation", node->directory.incarnation);
    fact_number(&list, "recovery_ms", now.recovery_ms);
    fact_number(&list, "records_recovered", recovered_records(node));
    return list.count;
}
