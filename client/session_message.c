/* Messages: gathering operations into frames, keeping track of those in flight. */
#include <stdlib.h>

#include "client/session_parts.h"
#include "wire/assert.h"

/* ---- messages in flight ---- */

struct message *message_find(struct link *link, uint64_t number)
{
    for (struct list *at = link->messages.next; at != &link->messages; at = at->next) {
        struct message *message = LIST_OWNER(at, struct message, place);
        if (message->number == number) {
            return message;
        }
    }
    return NULL;
}

static struct message *message_take(struct session *s)
{
    struct list *node = list_pop_front(&s->free_messages);
    struct message *message =
        node ? LIST_OWNER(node, struct message, place) : malloc(sizeof *message);

    if (message) {
        *message = (struct message){.number = ++s->message_number};
        list_init(&message->place);
        list_init(&message->ops);
    }
    return message;
}

static void message_release(struct session *s, struct message *message)
{
    struct lane *lane = &s->links[message->link]->lanes[message->lane];

    qn_assert(message->remaining == 0);
    qn_assert(lane->in_flight > 0);
    lane->in_flight--;
    list_remove(&message->place);
    list_push_back(&s->free_messages, &message->place);
}

void message_leave(struct session *s, struct session_op *op)
{
    struct message *message = op->message;

    qn_assert(message->remaining > 0);
    list_remove(&op->place);
    op->message = NULL;
    op->state = OP_UNROUTED;
    if (--message->remaining == 0) {
        message_release(s, message);
    }
}

void message_requeue(struct session *s, struct message *message, bool was_sent)
{
    uint32_t link = message->link;
    size_t left = message->remaining;

    while (left-- > 0) {
        struct session_op *op = LIST_OWNER(message->ops.prev, struct session_op, place);
        message_leave(s, op); /* the last one releases the message */
        if (was_sent) {
            op->maybe = true;
            op->losses++;
        } else {
            op->attempts--;
        }
        link_enqueue(s, link, op, true);
    }
}

void link_resend(struct session *s, uint32_t link)
{
    struct list *messages = &s->links[link]->messages;

    while (!list_empty(messages)) {
        message_requeue(s, LIST_OWNER(messages->prev, struct message, place), true);
    }
}

/* ---- frames ---- */

bool action_room(struct session *s)
{
    if (s->action_count < s->action_capacity) {
        return true;
    }
    size_t capacity = s->action_capacity ? s->action_capacity * 2 : 16;
    struct session_action *list = realloc(s->actions, capacity * sizeof *list);
    if (!list) {
        return false;
    }
    s->actions = list;
    s->action_capacity = capacity;
    return true;
}

enum qn_status frame_add(struct session *s, uint32_t link, uint64_t number, struct wire_message *m)
{
    size_t before = s->out.size;

    if (!action_room(s)) {
        return QN_MEMORY_FULL;
    }
    m->feature_level = WIRE_FEATURE_LEVEL;
    m->cluster = s->cluster;
    m->client = s->client;
    m->correlation = number;
    enum qn_status status = message_encode(m, &s->out);
    if (status == QN_OK) {
        s->actions[s->action_count++] = (struct session_action){
            .kind = SESSION_SEND,
            .link = link,
            .message = number,
            .frame = bytes_of(NULL, s->out.size - before),
        };
    }
    return status;
}

static uint32_t remaining_ms(const struct session *s, const struct session_op *op)
{
    if (op->internal) {
        return SESSION_OPEN_REMAINING_MS;
    }
    int64_t left = op->deadline_ms - s->now_ms;
    return left < 1 ? 1 : left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
}

static struct wire_op wire_op_of(const struct session *s, const struct session_op *op)
{
    const struct partition *p = &s->partitions[op->partition];
    bool is_current = session_op_is_numbered(op) && op->session == p->session;
    bool is_outcome = op->kind == WIRE_OP_OUTCOME; /* which lets nothing go by itself */

    return (struct wire_op){
        .id = op->id,
        .kind = op->kind,
        .flags = op->flags,
        .cache = op->cache,
        .partition = op->partition,
        .lineage = p->lineage,
        .epoch = p->epoch,
        .session = op->session,
        .sequence = op->sequence,
        .first_incomplete = is_current   ? p->first_incomplete
                            : is_outcome ? 0
                                         : op->sequence,
        .expected_version = op->expected_version,
        .remaining_ms = remaining_ms(s, op),
        .value_flags = op->value_flags,
        .ttl_ms = op->ttl_ms,
        .commit_within_ms = op->commit_within_ms,
        .view = op->view,
        .view_min = op->view_min,
        .size_max = (uint32_t)op->size_max,
        .key = op->key,
        .value = op->value,
    };
}

/* A request whose outcome must be found within half a session's life: then it can not be repeated
 * after the session has ended, which would hide a second execution (B.10). */
static void first_attempt(struct session *s, struct session_op *op)
{
    int64_t limit_ms = s->now_ms + SESSION_RETRY_MAX_MS;

    if (session_op_is_numbered(op) && op->deadline_ms > limit_ms) {
        op->deadline_ms = limit_ms;
        op->is_capped = true;
        wheel_set(&s->wheel, &op->timer, limit_ms);
    }
}

/* How long its answer may take before it goes again. A commit is work that takes time, and would be
 * done twice: it goes again when the connection is lost, and else after a long while. */
static int64_t answer_wait_ms(const struct session_op *op)
{
    if (op->kind == SESSION_OP_COMMIT) {
        return RESEND_COMMIT_MS;
    }
    return op->losses < 3 ? (int64_t)RESEND_MS << op->losses : RESEND_MAX_MS;
}

static void op_board(struct session *s, struct message *message, struct session_op *op)
{
    int64_t wait_ms = answer_wait_ms(op);

    link_dequeue(s, op);
    if (op->attempts == 0) {
        first_attempt(s, op);
    }
    op->attempts++;
    op->state = OP_SENT;
    op->message = message;
    list_push_back(&message->ops, &op->place);
    message->remaining++;
    if (s->now_ms + wait_ms > message->resend_at_ms) {
        message->resend_at_ms = s->now_ms + wait_ms;
    }
}

/* Does the operation still belong here? Its partition may have moved while it was queued. */
static bool op_is_at_home(const struct session *s, const struct session_op *op)
{
    return table_link(s, op->partition) == (int32_t)op->link;
}

/* Fill a message from the front of a lane; how many operations are in it. */
static size_t message_fill(struct session *s, struct lane *lane, struct message *message)
{
    size_t count = 0;
    size_t bytes = 0;

    while (count < WIRE_BATCH_MAX && !list_empty(&lane->queue)) {
        struct session_op *op = LIST_OWNER(lane->queue.next, struct session_op, place);
        if (!op_is_at_home(s, op)) {
            link_dequeue(s, op);
            op_route(s, op);
            s->step_again = true;
            continue;
        }
        bytes += op_bytes(op);
        if (count > 0 && bytes > MESSAGE_BYTES_MAX) {
            break;
        }
        op_board(s, message, op);
        op->attempt_epoch = s->partitions[op->partition].epoch;
        s->scratch[count++] = wire_op_of(s, op);
    }
    return count;
}

/* The message could not be formed: no memory, or more than a message may hold. */
static void message_fail(struct session *s, struct message *message, enum qn_status status)
{
    size_t left = message->remaining;

    while (left-- > 0) {
        struct session_op *op = LIST_OWNER(message->ops.next, struct session_op, place);
        op->attempts--;
        if (op->internal) {
            op_back_off(s, op, status, 0);
        } else {
            op_complete(s, op, status);
        }
    }
}

static struct message *message_begin(struct session *s, uint32_t link, enum lane_kind kind)
{
    struct message *message = message_take(s);

    if (message) {
        message->link = link;
        message->lane = kind;
        message->sent_at_ms = s->now_ms;
        s->links[link]->lanes[kind].in_flight++;
        list_push_back(&s->links[link]->messages, &message->place);
    }
    return message;
}

bool requests_send(struct session *s, uint32_t link, enum lane_kind kind)
{
    struct lane *lane = &s->links[link]->lanes[kind];
    struct message *message = message_begin(s, link, kind);

    if (!message) {
        return false;
    }
    size_t count = message_fill(s, lane, message);
    if (count == 0) {
        message_release(s, message);
        return false;
    }
    lane->waiting_since_ms = s->now_ms;
    struct wire_message m = {.kind = WIRE_REQUEST, .ops = s->scratch, .op_count = count};
    enum qn_status status = frame_add(s, link, message->number, &m);
    if (status != QN_OK) {
        message_fail(s, message, status);
    }
    return status == QN_OK;
}

static uint32_t control_kind(const struct session_op *op)
{
    switch (op->kind) {
    case SESSION_OP_CACHE_OPEN:
        return WIRE_CACHE_OPEN;
    case SESSION_OP_CACHE_DROP:
        return WIRE_CACHE_DROP;
    case SESSION_OP_COMMIT:
        return WIRE_COMMIT;
    case SESSION_OP_CACHES:
        return WIRE_CACHES;
    case SESSION_OP_CONFIG:
        return WIRE_CONFIG;
    case SESSION_OP_LOG_LEVEL:
        return WIRE_LOG_LEVEL;
    default:
        qn_assert(op->kind == SESSION_OP_STATUS);
        return WIRE_STATUS;
    }
}

/* The message of an operation that travels alone. */
static struct wire_message control_of(const struct session_op *op, struct wire_cache *definition)
{
    bool is_defined = (op->flags & SESSION_DEFINED) != 0;

    *definition = (struct wire_cache){.name = op->key,
                                      .service = op->service,
                                      .ttl_ms = op->ttl_ms,
                                      .size_max_bytes = op->size_max};
    return (struct wire_message){
        .kind = control_kind(op),
        .name = op->key,
        .text = op->value,
        .create = (op->flags & SESSION_CREATE) != 0,
        .level = op->level,
        .caches = is_defined ? definition : NULL,
        .cache_count = is_defined,
    };
}

bool control_send(struct session *s, uint32_t link)
{
    struct lane *lane = &s->links[link]->lanes[LANE_CONTROL];
    struct message *message = message_begin(s, link, LANE_CONTROL);

    if (!message) {
        return false;
    }
    struct session_op *op = LIST_OWNER(lane->queue.next, struct session_op, place);
    op_board(s, message, op);
    message->number = op->id; /* the answer is matched by it */
    struct wire_cache definition;
    struct wire_message m = control_of(op, &definition);
    enum qn_status status = frame_add(s, link, message->number, &m);
    if (status != QN_OK) {
        message_fail(s, message, status);
    }
    return status == QN_OK;
}
