#define _GNU_SOURCE
#include <stdlib.h>

#include "node/shard_internal.h"
#include "wire/assert.h"

enum {
    RING_CAPACITY_FIRST = 1024,
    BUCKET_FIRST_NS = 50000,
};

/* Make room for one more; false without memory. */
static bool ring_reserve(struct waiting_ring *ring)
{
    if (ring->count < ring->capacity) {
        return true;
    }
    size_t capacity = ring->capacity ? ring->capacity * 2 : RING_CAPACITY_FIRST;
    struct waiting *list = malloc(capacity * sizeof *list);
    if (!list) {
        return false;
    }
    for (size_t i = 0; i < ring->count; i++) {
        list[i] = ring->list[(ring->head + i) & (ring->capacity - 1)];
    }
    free(ring->list);
    *ring = (struct waiting_ring){.list = list, .count = ring->count, .capacity = capacity};
    return true;
}

static void ring_push(struct waiting_ring *ring, const struct waiting *waiting)
{
    qn_assert(ring->count < ring->capacity);
    ring->list[(ring->head + ring->count) & (ring->capacity - 1)] = *waiting;
    ring->count++;
}

static struct waiting *ring_front(struct waiting_ring *ring)
{
    return ring->count > 0 ? &ring->list[ring->head] : NULL;
}

static void ring_pop(struct waiting_ring *ring)
{
    ring->head = (ring->head + 1) & (ring->capacity - 1);
    ring->count--;
}

void shard_count(struct shard *shard, uint32_t op, bool ok, int64_t started_ns)
{
    struct shard_op_figures *figures = &shard->figures.ops[op < SHARD_OPS ? op : 0];
    uint64_t took = (uint64_t)(shard->round_ns > started_ns ? shard->round_ns - started_ns : 0);
    size_t bucket = 0;

    for (uint64_t bound = BUCKET_FIRST_NS; took > bound && bucket < SHARD_BUCKETS - 1; bound *= 2) {
        bucket++;
    }
    figure_add(ok ? &figures->ok : &figures->failed, 1);
    figure_add(&figures->sum_ns, took);
    figure_add(&figures->buckets[bucket], 1);
}

/* The node can not vouch for its log any more: it ends, and is replaced or restarted. */
static void log_failed(struct shard *shard)
{
    qn_error err = QN_ERROR_INIT;

    if (!txlog_failed(shard->log, &err)) {
        (void)qn_error_set(&err, QN_MEMORY_FULL,
                           "out of memory while a change was being logged: give the node more");
    }
    shard->log_broken = true;
    (void)pthread_mutex_lock(&shard->lock);
    (void)qn_error_set(&shard->error, err.status, "%s", err.text);
    (void)pthread_mutex_unlock(&shard->lock);
    atomic_store(&shard->stopping, true);
    shard->options.failed(shard->options.arg);
}

static void append(struct shard *shard, const struct record *record)
{
    struct waiting waiting = {.index = record->index,
                              .partition = record->partition,
                              .op = shard->op_now,
                              .started_ns = shard->round_ns};

    shard->op_waits = true;
    if (shard->log_broken) {
        return;
    }
    if (!ring_reserve(&shard->waiting) || txlog_append(shard->log, record, &waiting.lsn) != QN_OK) {
        /* Room was reserved before the record was formed, so only a failed log or exhausted memory
         * lead here. The record is in the replica and not in the log: this process must not go on.
         */
        log_failed(shard);
        return;
    }
    ring_push(&shard->waiting, &waiting);
}

void shard_reply(struct shard *shard, uint64_t route, const struct wire_result *result)
{
    if (outbox_add(shard->outbox, route, result) != QN_OK) {
        figure_add(&shard->figures.replies_dropped, 1);
    }
}

static void reply(struct shard *shard, const struct replica_action *action)
{
    if (shard->op_now != 0 && !shard->op_waits) {
        shard_count(shard, shard->op_now, action->result.status >= 0, shard->round_ns);
    }
    shard_reply(shard, action->route, &action->result);
}

void shard_step(struct shard *shard, struct replica_event *event)
{
    struct replica_actions actions = {0};

    event->now_ms = shard->now_ms;
    event->wall_ms = shard->wall_ms;
    if (grid_step(shard->grid, event, &actions) != QN_OK) {
        figure_add(&shard->figures.replies_dropped, 1);
        return;
    }
    for (size_t i = 0; i < actions.count; i++) {
        const struct replica_action *action = &actions.list[i];
        switch (action->kind) {
        case REPLICA_APPEND:
            append(shard, &action->record);
            break;
        case REPLICA_REPLY:
            reply(shard, action);
            break;
        }
    }
}

void shard_durable(struct shard *shard)
{
    uint64_t durable = txlog_durable(shard->log);
    struct waiting *waiting;

    if (shard->log_broken) {
        return;
    }
    if (txlog_failed(shard->log, NULL)) {
        log_failed(shard);
        return;
    }
    shard->op_now = 0;
    while ((waiting = ring_front(&shard->waiting)) != NULL && waiting->lsn <= durable) {
        struct replica_event event = {.kind = REPLICA_DURABLE,
                                      .partition = waiting->partition,
                                      .durable_index = waiting->index};
        uint32_t op = waiting->op;
        int64_t started_ns = waiting->started_ns;
        ring_pop(&shard->waiting);
        shard_step(shard, &event);
        if (op != 0) {
            shard_count(shard, op, true, started_ns);
        }
    }
}
