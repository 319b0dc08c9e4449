#define _GNU_SOURCE
#include <stdlib.h>

#include "node/shard_internal.h"
#include "wire/assert.h"

enum {
    RING_CAPACITY_FIRST = 1024,
    APPEND_ROOM = 256 * 1024, /* of EXPIRE records and ends of sessions of one partition */
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
    shard->options.host.failed(shard->options.host.arg);
}

/* Partitions of the memory service commit what is not on disk yet (B.7); of theirs only the start
 * of an epoch is waited for. */
static bool of_memory_service(const struct shard *shard, uint32_t partition)
{
    return partition / shard->options.directory->hash_partitions == WIRE_SERVICE_MEMORY;
}

static void append(struct shard *shard, const struct record *record)
{
    struct waiting waiting = {.epoch = record->epoch,
                              .index = record->index,
                              .partition = record->partition,
                              .asked = shard->asked};

    if (shard->log_broken) {
        return;
    }
    waiting.begin = txlog_next(shard->log);
    if (!ring_reserve(&shard->waiting) || txlog_append(shard->log, record, &waiting.lsn) != QN_OK) {
        /* Room was reserved before the record was formed, so only a failed log or exhausted memory
         * lead here. The record is in the replica and not in the log: this process must not go on.
         */
        log_failed(shard);
        return;
    }
    plan_appended(&shard->checkpoint.plan, record->partition, waiting.begin);
    if (!of_memory_service(shard, record->partition) || record->type == RECORD_EPOCH_START) {
        ring_push(&shard->waiting, &waiting);
    }
}

void shard_reply(struct shard *shard, uint64_t route, const struct wire_result *result)
{
    if (outbox_add(shard->outbox, route, result) != QN_OK) {
        figure_add(&shard->figures.replies_dropped, 1);
    }
}

static void reply(struct shard *shard, const struct replica_action *action)
{
    if (shard->asked.kind != 0) {
        shard_count(shard, &shard->asked, (enum qn_status)action->result.status);
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
        case REPLICA_PROMISE:
        case REPLICA_TRUNCATE:
        case REPLICA_SEND:
        case REPLICA_READ:
        case REPLICA_TRANSFER:
        case REPLICA_PROPOSE:
        case REPLICA_CONFIRM:
        case REPLICA_LEASE:
        case REPLICA_RELEASED:
        case REPLICA_ALARM:
            break; /* a node alone has nobody to tell */
        }
    }
}

bool shard_append_room(struct shard *shard)
{
    return txlog_reserve(shard->log, APPEND_ROOM) == QN_OK;
}

void shard_step_all(struct shard *shard, const struct replica_event *event)
{
    uint32_t count = shard_partitions_all(shard);

    for (uint32_t p = shard->options.lane; p < count; p += shard->options.lane_count) {
        struct replica_event own = *event;
        own.partition = p;
        shard_step(shard, &own);
    }
}

void shard_durable(struct shard *shard)
{
    uint64_t durable = txlog_durable(shard->log);
    struct waiting *front;

    if (shard->log_broken) {
        return;
    }
    if (txlog_failed(shard->log, NULL)) {
        log_failed(shard);
        return;
    }
    while ((front = ring_front(&shard->waiting)) != NULL && front->lsn <= durable) {
        struct waiting waiting = *front;
        struct replica_event event = {.kind = REPLICA_DURABLE,
                                      .partition = waiting.partition,
                                      .durable_epoch = waiting.epoch,
                                      .durable_index = waiting.index};
        ring_pop(&shard->waiting);
        shard->asked = waiting.asked;
        shard_step(shard, &event);
    }
    shard->asked = (struct asked){0};
}
