#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    ACTIONS_MIN = 8,   /* always there, so that a refusal needs no memory */
    ACTIONS_KEPT = 64, /* by a replica that has nothing in flight */
    SCRATCH_MIN_BYTES = 512,
    SCRATCH_KEPT_BYTES = 64 * 1024,
    SCRATCH_IDLE_BYTES = 4 * 1024, /* kept when nothing is in flight */
};

static enum qn_status resize(struct replica *replica, size_t capacity)
{
    struct replica_action *list = alloc_get(replica->options.alloc, capacity * sizeof *list);

    if (!list) {
        return QN_MEMORY_FULL;
    }
    if (replica->action_count > 0) {
        memcpy(list, replica->actions, replica->action_count * sizeof *list);
    }
    alloc_put(replica->options.alloc, replica->actions,
              replica->action_capacity * sizeof *replica->actions);
    replica->actions = list;
    replica->action_capacity = capacity;
    return QN_OK;
}

enum qn_status actions_reserve(struct replica *replica, size_t more)
{
    size_t needed = replica->action_count + more;
    size_t capacity = replica->action_capacity > 0 ? replica->action_capacity : (size_t)ACTIONS_MIN;

    if (needed <= replica->action_capacity) {
        return QN_OK;
    }
    while (capacity < needed) {
        capacity *= 2;
    }
    return resize(replica, capacity);
}

void actions_begin(struct replica *replica)
{
    replica->action_count = 0;
    if (replica->flights.count == 0 && replica->action_capacity > ACTIONS_KEPT) {
        (void)!resize(replica, ACTIONS_MIN); /* an economy: without memory it stays large */
    }
    buf_clear(&replica->scratch);
    if (replica->scratch.capacity >
        (replica->flights.count > 0 ? SCRATCH_KEPT_BYTES : SCRATCH_IDLE_BYTES)) {
        scratch_release(replica);
    }
}

enum qn_status scratch_reserve(struct replica *replica, size_t size)
{
    struct buf *scratch = &replica->scratch;
    size_t capacity = scratch->capacity > 0 ? scratch->capacity : (size_t)SCRATCH_MIN_BYTES;

    qn_assert(scratch->size == 0);
    if (size <= scratch->capacity) {
        return QN_OK;
    }
    while (capacity < size) {
        capacity = capacity < SCRATCH_KEPT_BYTES ? capacity * 2 : size;
    }
    uint8_t *data = alloc_get(replica->options.alloc, capacity);
    if (!data) {
        return QN_MEMORY_FULL;
    }
    scratch_release(replica);
    *scratch = (struct buf){.data = data, .capacity = capacity};
    return QN_OK;
}

void replica_rest(struct replica *replica)
{
    if (replica->scratch.capacity > SCRATCH_KEPT_BYTES) {
        replica->action_count = 0;
        scratch_release(replica);
    }
}

void scratch_release(struct replica *replica)
{
    alloc_put(replica->options.alloc, replica->scratch.data, replica->scratch.capacity);
    replica->scratch = (struct buf){0};
}

static struct replica_action *add(struct replica *replica, enum replica_action_kind kind)
{
    qn_assert(replica->action_count < replica->action_capacity);
    struct replica_action *action = &replica->actions[replica->action_count++];
    *action = (struct replica_action){.kind = kind};
    return action;
}

struct replica_action *actions_add(struct replica *replica, enum replica_action_kind kind)
{
    return actions_reserve(replica, 1) == QN_OK ? add(replica, kind) : NULL;
}

void actions_send(struct replica *replica, uint32_t to, uint32_t to_incarnation,
                  const struct wire_peer *peer)
{
    struct replica_action *action = actions_add(replica, REPLICA_SEND);

    if (action) { /* otherwise it is as if the network had lost it */
        action->to = to;
        action->to_incarnation = to_incarnation;
        action->peer = *peer;
    }
}

void actions_append(struct replica *replica, const struct record *record)
{
    struct replica_action *action = add(replica, REPLICA_APPEND);
    struct bytes octets;

    action->record = *record;
    action->epoch = record->epoch;
    action->index = record->index;
    if (replica->lead && replica->configuration.replica_count > 1) {
        (void)tail_add(&replica->lead->tail, record, &octets);
    }
}

void actions_finish(struct replica *replica)
{
    const struct lead *lead = replica->lead;
    uint64_t last;

    if (!lead || replica->configuration.replica_count <= 1) {
        return;
    }
    for (size_t i = 0; i < replica->action_count; i++) {
        struct replica_action *action = &replica->actions[i];
        if (action->kind == REPLICA_APPEND) {
            action->octets = tail_records(&lead->tail, action->index, 1, &last);
        }
    }
}

struct wire_result *actions_reply(struct replica *replica, uint64_t route, uint64_t op_id,
                                  enum qn_status status)
{
    struct replica_action *action = add(replica, REPLICA_REPLY);

    action->route = route;
    action->result = (struct wire_result){
        .id = op_id,
        .status = status,
        .partition = replica->options.partition,
        .lineage = replica->lineage,
        .epoch = replica->epoch,
        .index = replica->commit_index,
    };
    return &action->result;
}
