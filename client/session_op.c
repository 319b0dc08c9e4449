/* The life of an operation: its id, its way to a link, back-off, its end. */
#include <stdlib.h>

#include "client/session_parts.h"
#include "wire/assert.h"
#include "wire/hash.h"

/* ---- ids: generation, never 0, in the high half, slot in the low one ---- */

static enum qn_status slots_grow(struct session *s)
{
    size_t count = s->slot_count ? s->slot_count * 2 : 64;
    struct session_op **slots = realloc(s->slots, count * sizeof(struct session_op *));

    if (!slots) {
        return QN_MEMORY_FULL;
    }
    s->slots = slots;
    uint32_t *free_slots = realloc(s->free_slots, count * sizeof *free_slots);
    if (!free_slots) {
        return QN_MEMORY_FULL;
    }
    s->free_slots = free_slots;
    for (size_t i = s->slot_count; i < count; i++) {
        s->slots[i] = NULL;
        s->free_slots[s->free_count++] = (uint32_t)i;
    }
    s->slot_count = count;
    return QN_OK;
}

enum qn_status op_admit(struct session *s, struct session_op *op)
{
    if (s->free_count == 0 && slots_grow(s) != QN_OK) {
        return QN_MEMORY_FULL;
    }
    uint32_t slot = s->free_slots[--s->free_count];
    s->id_generation = s->id_generation == UINT32_MAX ? 1 : s->id_generation + 1;
    op->id = (uint64_t)s->id_generation << 32 | slot;
    s->slots[slot] = op;
    return QN_OK;
}

static void id_release(struct session *s, struct session_op *op)
{
    if (op->id != 0) {
        uint32_t slot = (uint32_t)op->id;
        qn_assert(s->slots[slot] == op);
        s->slots[slot] = NULL;
        s->free_slots[s->free_count++] = slot;
    }
}

struct session_op *op_find(const struct session *s, uint64_t id)
{
    uint32_t slot = (uint32_t)id;

    if (slot >= s->slot_count || !s->slots[slot] || s->slots[slot]->id != id) {
        return NULL;
    }
    return s->slots[slot];
}

/* ---- the way of an operation ---- */

static void op_wait_for_table(struct session *s, struct session_op *op)
{
    op->state = OP_UNROUTED;
    list_push_back(&s->unrouted, &op->place);
}

static void control_route(struct session *s, struct session_op *op)
{
    int32_t link = NO_LINK;

    if (op->kind >= SESSION_OP_STATUS) {
        const struct node *node = table_node(s, op->node);
        if (!node || op->shard >= node->shard_count) {
            op_complete(s, op, QN_INVALID);
            return;
        }
        link = (int32_t)node->links[op->shard];
    } else {
        link = link_ready_any(s);
    }
    if (link == NO_LINK) {
        op_wait_for_table(s, op);
    } else {
        link_enqueue(s, (uint32_t)link, op, false);
    }
}

/* Does a SESSION_OPEN of the core's own still serve anybody? */
static bool op_is_needed(const struct session *s, const struct session_op *op)
{
    return !op->internal || op->kind != WIRE_OP_SESSION_OPEN ||
           !list_empty(&s->partitions[op->partition].waiting);
}

static void leader_route(struct session *s, struct session_op *op)
{
    int32_t link = table_link(s, op->partition);

    if (!op_is_needed(s, op)) {
        op_complete(s, op, QN_DEADLINE);
    } else if (link == NO_LINK) {
        s->refresh_wanted = true;
        op_back_off(s, op, QN_NO_LEADER, 0);
    } else {
        link_enqueue(s, (uint32_t)link, op, false);
    }
}

void op_route(struct session *s, struct session_op *op)
{
    if (!s->partitions) {
        op_wait_for_table(s, op);
        return;
    }
    if (op->kind == SESSION_OP_CONNECT) {
        op_complete(s, op, QN_OK);
        return;
    }
    if (op->kind > SESSION_OP_CONNECT) {
        control_route(s, op);
        return;
    }
    if (session_op_has_key(op)) {
        op->partition =
            op->service * s->hash_partitions + hash_partition(op->key_hash, s->hash_partitions);
    }
    if (op->partition >= s->partition_count) {
        op_complete(s, op, QN_INVALID);
        return;
    }
    op->node = s->partitions[op->partition].leader;
    if (session_op_is_numbered(op) && op->sequence == 0) {
        partition_enqueue(s, op);
    } else {
        leader_route(s, op);
    }
}

void ops_route(struct session *s, struct list *list)
{
    struct list taken;

    /* Those that have to wait again go back into `list`. */
    list_init(&taken);
    list_append(&taken, list);
    for (struct list *at = list_pop_front(&taken); at; at = list_pop_front(&taken)) {
        op_route(s, LIST_OWNER(at, struct session_op, place));
    }
}

void op_timer_set(struct session *s, struct session_op *op, int64_t due_ms)
{
    if (due_ms == INT64_MAX) {
        wheel_cancel(&op->timer);
    } else {
        wheel_set(&s->wheel, &op->timer, due_ms);
    }
}

/* Uniform in [0, bound). SplitMix64: enough to spread clients that were refused together. */
static uint32_t prng_below(struct session *s, uint32_t bound)
{
    s->prng += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = s->prng;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) % bound);
}

int64_t backoff_ms(struct session *s, uint32_t failures)
{
    uint32_t shift = failures < 6 ? failures : 6;
    uint32_t full = (uint32_t)BACKOFF_MS << shift;

    full = full < BACKOFF_MAX_MS ? full : BACKOFF_MAX_MS;
    return full / 2 + prng_below(s, full / 2 + 1);
}

void op_back_off(struct session *s, struct session_op *op, enum qn_status why, uint32_t after_ms)
{
    int64_t due_ms = s->now_ms + (after_ms ? after_ms : backoff_ms(s, op->refusals));

    op_detach(s, op);
    op->refusals++;
    op->status = why;
    op->state = OP_BACKING_OFF;
    list_push_back(&s->backing_off, &op->place);
    op_timer_set(s, op, due_ms < op->deadline_ms ? due_ms : op->deadline_ms);
}

void op_detach(struct session *s, struct session_op *op)
{
    if (op->state == OP_QUEUED) {
        link_dequeue(s, op);
    } else if (op->state == OP_SENT) {
        message_leave(s, op);
    } else {
        list_remove(&op->place);
    }
}

void op_explain(struct session_op *op, struct bytes text)
{
    free(op->text);
    op->text = NULL;
    if (text.size > 0) {
        op->text = malloc(text.size + 1);
        if (op->text) {
            memcpy(op->text, text.data, text.size);
            op->text[text.size] = '\0';
        }
    }
}

/* What a failure says about the operation, not about its last attempt (B.20). */
static enum qn_certainty certainty_of(const struct session_op *op, enum qn_status status)
{
    bool is_change = session_op_is_change(op) || op->kind == SESSION_OP_CACHE_DROP;

    /* "Withdrawn" stands in the log: no attempt took effect, and none will. */
    if (!is_change || status == QN_WITHDRAWN) {
        return QN_NOT_APPLIED;
    }
    return op->maybe ? QN_UNKNOWN : qn_status_certainty(status);
}

void op_complete(struct session *s, struct session_op *op, enum qn_status status)
{
    qn_assert(op->state != OP_DONE);
    op_detach(s, op);
    wheel_cancel(&op->timer);
    id_release(s, op);
    op->state = OP_DONE;
    op->status = status;
    op->certainty = status >= 0 ? qn_status_certainty(status) : certainty_of(op, status);
    if (op->kind == WIRE_OP_OUTCOME) {
        partition_decide(s, op);
    }
    if (op->internal) {
        partition_internal_done(s, op);
        return;
    }
    list_push_back(&s->done, &op->place);
    if (session_op_is_numbered(op) && op->sequence != 0) {
        partition_settle(s, op);
    }
}
