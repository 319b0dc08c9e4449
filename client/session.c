#include "client/session.h"

#include <stdlib.h>

#include "client/session_parts.h"
#include "wire/assert.h"
#include "wire/hash.h"

/* ---- creation ---- */

static enum qn_status seeds_add(struct session *s, const struct session_options *options)
{
    for (size_t i = 0; i < options->seed_count; i++) {
        int32_t link = link_find_or_add(s, bytes_of_text(options->seeds[i]));
        if (link == NO_LINK) {
            return QN_MEMORY_FULL;
        }
        s->links[link]->is_seed = true;
    }
    return QN_OK;
}

enum qn_status session_create(const struct session_options *options, struct session **session)
{
    struct session *s = calloc(1, sizeof *s);

    if (!s) {
        return QN_MEMORY_FULL;
    }
    s->client = options->client;
    s->now_ms = options->now_ms;
    s->prng = options->prng_seed;
    s->trace = options->trace;
    s->trace_arg = options->trace_arg;
    s->reach_changed = true;
    wheel_init(&s->wheel, options->now_ms);
    list_init(&s->unrouted);
    list_init(&s->backing_off);
    list_init(&s->done);
    list_init(&s->free_messages);
    arena_init(&s->arena, 0);
    s->scratch = calloc(WIRE_BATCH_MAX, sizeof *s->scratch);
    if (!s->scratch || seeds_add(s, options) != QN_OK) {
        session_destroy(s);
        return QN_MEMORY_FULL;
    }
    *session = s;
    return QN_OK;
}

void session_destroy(struct session *s)
{
    if (!s) {
        return;
    }
    for (uint32_t i = 0; i < s->link_count; i++) {
        link_destroy(s->links[i]);
    }
    for (struct list *at = list_pop_front(&s->free_messages); at;
         at = list_pop_front(&s->free_messages)) {
        free(LIST_OWNER(at, struct message, place));
    }
    arena_fini(&s->arena);
    buf_fini(&s->out);
    free(s->actions);
    free(s->scratch);
    free(s->partitions);
    free(s->outcomes);
    free(s->slots);
    free(s->free_slots);
    free(s);
}

/* ---- beginning ---- */

void session_start(struct session *s, struct session_op *op, int64_t now_ms)
{
    qn_assert(op->state == OP_IDLE);
    s->now_ms = now_ms;
    list_init(&op->place);
    wheel_timer_init(&op->timer);
    if (op_admit(s, op) != QN_OK) {
        op_complete(s, op, QN_MEMORY_FULL);
        return;
    }
    if (session_op_has_key(op)) {
        op->key_hash = hash_key(op->key);
    }
    op_timer_set(s, op, op->deadline_ms);
    op_route(s, op);
}

/* ---- ends without an answer ---- */

/* Is there a node to talk to about this operation? */
static bool op_is_reachable(const struct session *s, const struct session_op *op)
{
    if (op->state == OP_UNROUTED || !s->partitions) {
        return false;
    }
    int32_t link = op->state == OP_WAITING ? table_link(s, op->partition) : (int32_t)op->link;
    return link != NO_LINK && s->links[link]->state == LINK_READY;
}

/* Why an operation ends at its deadline: what is known beats "no answer". */
static enum qn_status deadline_status(const struct session *s, const struct session_op *op)
{
    if (op->state == OP_SENT || op->maybe) {
        return op->is_capped ? QN_INDETERMINATE : QN_DEADLINE;
    }
    if (op->state == OP_BACKING_OFF) {
        return op->status;
    }
    if (op_is_reachable(s, op)) {
        return QN_DEADLINE;
    }
    return s->refusal != QN_OK ? s->refusal : QN_UNREACHABLE;
}

void session_give_up(struct session *s, struct session_op *op, enum qn_status status)
{
    if (op->state == OP_DONE) {
        return;
    }
    if (op->state == OP_SENT) {
        op->maybe = true;
    }
    op_complete(s, op, status);
}

void session_give_up_all(struct session *s, enum qn_status status)
{
    for (size_t i = 0; i < s->slot_count; i++) {
        if (s->slots[i] && !s->slots[i]->internal) {
            session_give_up(s, s->slots[i], status);
        }
    }
    for (size_t i = 0; i < s->slot_count; i++) {
        if (s->slots[i]) {
            session_give_up(s, s->slots[i], status);
        }
    }
}

/* ---- time ---- */

static void op_timed_out(struct session *s, struct session_op *op)
{
    if (s->now_ms >= op->deadline_ms) {
        session_give_up(s, op, deadline_status(s, op));
        return;
    }
    op_timer_set(s, op, op->deadline_ms);
    if (op->state == OP_BACKING_OFF) {
        list_remove(&op->place);
        op_route(s, op);
    }
}

static void timers_run(struct session *s)
{
    struct list due;

    list_init(&due);
    wheel_expire(&s->wheel, s->now_ms, &due);
    for (struct list *at = list_pop_front(&due); at; at = list_pop_front(&due)) {
        op_timed_out(s, LIST_OWNER(at, struct session_op, timer.place));
    }
}

/* The table is asked for wherever somebody listens. */
static void refresh_ask(struct session *s)
{
    int32_t link = link_ready_any(s);

    if (s->refresh_wanted && link != NO_LINK) {
        s->links[link]->hello_wanted = true;
        s->refresh_wanted = false;
    }
}

/* Frames lie back to back in `out`, which may have moved while it grew. */
static void frames_place(struct session *s)
{
    const uint8_t *at = s->out.data;

    for (size_t i = 0; i < s->action_count; i++) {
        if (s->actions[i].kind == SESSION_SEND) {
            s->actions[i].frame.data = at;
            at += s->actions[i].frame.size;
        }
    }
}

void session_step(struct session *s, int64_t now_ms, struct session_actions *actions)
{
    s->now_ms = now_ms;
    s->action_count = 0;
    s->step_again = false;
    buf_clear(&s->out);
    timers_run(s);
    refresh_ask(s);
    int64_t wake_at_ms = INT64_MAX;
    for (uint32_t i = 0; i < s->link_count; i++) {
        int64_t link_at_ms = link_step(s, i);
        wake_at_ms = link_at_ms < wake_at_ms ? link_at_ms : wake_at_ms;
    }
    int64_t timer_at_ms = wheel_next_ms(&s->wheel);
    wake_at_ms = s->step_again ? now_ms : wake_at_ms;
    frames_place(s);
    *actions = (struct session_actions){
        .list = s->actions,
        .count = s->action_count,
        .wake_at_ms = timer_at_ms < wake_at_ms ? timer_at_ms : wake_at_ms,
    };
}

struct session_op *session_take_done(struct session *s)
{
    struct list *node = list_pop_front(&s->done);

    return node ? LIST_OWNER(node, struct session_op, place) : NULL;
}

struct client_id session_client(const struct session *s)
{
    return s->client;
}

void session_op_fini(struct session_op *op)
{
    free(op->text);
    op->text = NULL;
    buf_fini(&op->token);
}
