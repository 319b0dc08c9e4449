/* Frames that come in: answers to operations, refusals, greetings. */
#include <stdio.h>

#include "client/session_parts.h"
#include "wire/assert.h"

/* ---- greetings ---- */

static bool cluster_is_ours(struct session *s, const struct wire_message *m)
{
    char text[160];

    if (m->cluster == 0 || m->feature_level == 0) {
        table_refuse(s, QN_UNSUPPORTED,
                     bytes_of_text("the node speaks another version of the protocol"));
        return false;
    }
    if (s->cluster != 0 && s->cluster != m->cluster) {
        int size = snprintf(text, sizeof text,
                            "the node belongs to cluster %016llx, the others to %016llx",
                            (unsigned long long)m->cluster, (unsigned long long)s->cluster);
        table_refuse(s, QN_CLUSTER, bytes_of(text, (size_t)size));
        return false;
    }
    return true;
}

static void hello_ack_take(struct session *s, uint32_t link, const struct wire_message *m)
{
    if (!cluster_is_ours(s, m)) {
        return;
    }
    s->cluster = m->cluster;
    link_greeted(s, link, m->from_incarnation);
    table_adopt(s, m);
    if (s->partitions) {
        s->refusal = QN_OK;
        ops_route(s, &s->unrouted);
    }
}

/* ---- results ---- */

static void answer_take(struct session *s, struct session_op *op, const struct wire_result *r)
{
    op->server_status = r->status;
    op->version = r->version;
    op->number = op->kind == WIRE_OP_SESSION_OPEN ? r->session : r->count;
    op->result_view = r->view;
    op->result_ttl_ms = r->ttl_ms;
    op->result_flags = r->value_flags;
    op->has_value = r->has_value;
    op->result = r->value;
    op->more = r->more;
    /* It lies in the header of the frame, which is decoded into memory that is used again. */
    enum qn_status kept = buf_append(&op->token, r->token.data, r->token.size);
    op_complete(s, op, kept == QN_OK ? (enum qn_status)r->status : kept);
}

/* The session was unknown to the node. When this was the only attempt nothing was done, and the
 * request may go again in a new session; otherwise an earlier attempt may have been done in the
 * old. */
static void session_expired_take(struct session *s, struct session_op *op)
{
    partition_session_lost(s, op);
    if (op->maybe || op->sequence == 0 || op->kind == WIRE_OP_OUTCOME) {
        op_complete(s, op, QN_SESSION_EXPIRED);
        return;
    }
    op->sequence = 0;
    op->session = 0;
    op_back_off(s, op, QN_SESSION_EXPIRED, 0);
}

/* What to do after a refusal (B.20): ask again, ask elsewhere, or tell the caller. */
static void refusal_act(struct session *s, uint32_t link, struct session_op *op,
                        enum qn_status status, uint32_t retry_after_ms)
{
    switch ((int)status) {
    case QN_NOT_LEADER:
    case QN_STALE_EPOCH:
    case QN_NO_LEADER:
        s->links[link]->hello_wanted = true;
        op_back_off(s, op, status, 0);
        return;
    case QN_INDETERMINATE:
        op->maybe = true;
        op_back_off(s, op, status, 0);
        return;
    case QN_RECOVERING:
    case QN_NOT_ENOUGH_REPLICAS:
    case QN_NO_COORDINATOR:
    case QN_LEASE_LOST:
        op_back_off(s, op, status, retry_after_ms);
        return;
    case QN_OVERLOADED:
        op_back_off(s, op, status, retry_after_ms);
        if (session_op_is_numbered(op)) {
            partition_relieve(s, op->partition);
        }
        return;
    case QN_DISK_FULL:
        /* Refused before anything was done, but an earlier attempt may have been: only an answer
         * tells. */
        if (op->maybe) {
            op_back_off(s, op, status, retry_after_ms);
        } else {
            op_complete(s, op, status);
        }
        return;
    case QN_SESSION_EXPIRED:
        session_expired_take(s, op);
        return;
    default:
        op_complete(s, op, status);
        return;
    }
}

static void refusal_take(struct session *s, uint32_t link, struct session_op *op,
                         const struct wire_result *r)
{
    op->server_status = r->status;
    op_explain(op, r->text);
    if (!qn_status_known(r->status)) {
        op->maybe = true; /* of a newer version: its meaning is not known to us */
        op_complete(s, op, QN_UNSUPPORTED);
        return;
    }
    refusal_act(s, link, op, (enum qn_status)r->status, r->retry_after_ms);
}

/* After a repetition in a newer epoch, what an older one decided without a record is void: the
 * repetition may decide otherwise (B.10). "Done" stands in the log, whenever that was: a repetition
 * is answered from there, stamped with the epoch of the record. A refusal decides nothing, and says
 * by itself what is known. */
static bool is_outdated(const struct session_op *op, const struct wire_result *r)
{
    bool is_logged = session_op_is_change(op) && r->status == QN_OK;
    bool is_decided = r->status >= 0 && !is_logged;

    return is_decided && r->epoch != 0 && r->epoch < op->attempt_epoch;
}

static void result_take(struct session *s, uint32_t link, const struct wire_result *r)
{
    struct session_op *op = op_find(s, r->id);

    if (!op || op->attempts == 0 || op->kind >= SESSION_OP_CONNECT) {
        return; /* given up, or answered already */
    }
    if (is_outdated(op, r)) {
        return;
    }
    if (r->status >= 0 && qn_status_known(r->status)) {
        answer_take(s, op, r);
    } else if (op->state == OP_SENT) {
        refusal_take(s, link, op, r);
    }
}

static void reply_take(struct session *s, uint32_t link, const struct wire_message *m)
{
    for (size_t i = 0; i < m->result_count; i++) {
        result_take(s, link, &m->results[i]);
    }
}

/* ---- a message refused as a whole ---- */

/* The message that a NAK means. Without a number it is the oldest, and then nothing is sure. */
static struct message *refused_message(struct session *s, uint32_t link, uint64_t number,
                                       bool *is_sure)
{
    struct list *messages = &s->links[link]->messages;
    struct message *found = message_find(s->links[link], number);

    *is_sure = found || messages->next == messages->prev;
    if (!found && number == 0 && !list_empty(messages)) {
        found = LIST_OWNER(messages->next, struct message, place);
    }
    return found;
}

static bool is_hello_refused(const struct link *link, uint64_t number)
{
    return link->hello_out && (number == 0 || number == link->hello_number);
}

static void nak_take(struct session *s, uint32_t link, const struct wire_message *m)
{
    struct wire_result r = {.status = m->status < 0 ? m->status : QN_MALFORMED, .text = m->text};
    bool is_sure = false;
    struct message *message = refused_message(s, link, m->correlation, &is_sure);

    if (!message) {
        if (is_hello_refused(s->links[link], m->correlation)) {
            table_refuse(s, (enum qn_status)r.status, m->text);
        }
        return;
    }
    size_t left = message->remaining;
    while (left-- > 0) {
        struct session_op *op = LIST_OWNER(message->ops.next, struct session_op, place);
        op->maybe = op->maybe || !is_sure;
        refusal_take(s, link, op, &r);
    }
}

/* ---- answers to single requests ---- */

static struct session_op *control_find(const struct session *s, uint64_t id, uint32_t kind)
{
    struct session_op *op = op_find(s, id);

    return op && op->kind == kind && op->attempts > 0 ? op : NULL;
}

/* A cache that was to be dropped is gone at the second attempt: the first one did that. */
static bool is_dropped(const struct session_op *op, int32_t status)
{
    return op->kind == SESSION_OP_CACHE_DROP &&
           (status == QN_OK || (status == QN_UNKNOWN_CACHE && op->maybe));
}

static void cache_ack_take(struct session *s, uint32_t link, const struct wire_message *m,
                           struct bytes frame)
{
    struct session_op *op = op_find(s, m->correlation);
    struct wire_result r = {.status = m->status < 0 ? m->status : QN_MALFORMED, .text = m->text};

    if (!op || op->attempts == 0 ||
        (op->kind != SESSION_OP_CACHE_OPEN && op->kind != SESSION_OP_CACHE_DROP)) {
        return;
    }
    if (is_dropped(op, m->status)) {
        op_complete(s, op, QN_OK);
    } else if (op->kind == SESSION_OP_CACHE_OPEN && m->status == QN_OK) {
        op->cache = m->cache;
        op->has_value = true;
        op->result = frame;
        op_complete(s, op, QN_OK);
    } else if (op->state == OP_SENT) {
        refusal_take(s, link, op, &r);
    }
}

/* The kind of operation that a message of this kind answers; 0 = none. */
static uint32_t answered_kind(uint32_t kind)
{
    switch (kind) {
    case WIRE_STATUS_ACK:
        return SESSION_OP_STATUS;
    case WIRE_COMMIT_ACK:
        return SESSION_OP_COMMIT;
    case WIRE_CACHES_ACK:
        return SESSION_OP_CACHES;
    case WIRE_CONFIG_ACK:
        return SESSION_OP_CONFIG;
    case WIRE_LOG_LEVEL_ACK:
        return SESSION_OP_LOG_LEVEL;
    default:
        return 0; /* of another version, or not for clients */
    }
}

static void node_ack_take(struct session *s, uint32_t link, const struct wire_message *m,
                          struct bytes frame)
{
    struct session_op *op = control_find(s, m->correlation, answered_kind(m->kind));

    if (op && m->status >= 0) {
        op->has_value = true;
        op->result = frame;
        op_complete(s, op, QN_OK);
    } else if (op && op->state == OP_SENT) {
        struct wire_result r = {.status = m->status, .text = m->text};
        refusal_take(s, link, op, &r);
    }
}

/* Another process answers at this address than the one we greeted: find out what has changed. */
static void incarnation_check(struct session *s, uint32_t link, const struct wire_message *m)
{
    struct link *l = s->links[link];

    if (l->incarnation != 0 && m->from_incarnation > l->incarnation) {
        l->hello_wanted = true;
    }
}

void session_receive(struct session *s, uint32_t link, struct bytes frame, int64_t now_ms)
{
    struct wire_message m;

    qn_assert(link < s->link_count);
    s->now_ms = now_ms;
    arena_reset(&s->arena);
    if (message_decode(frame, &s->arena, &m) != QN_OK) {
        return;
    }
    if (s->links[link]->state == LINK_LEAVING || s->links[link]->state == LINK_RETIRED) {
        return;
    }
    s->links[link]->heard_at_ms = now_ms;
    if (s->links[link]->state == LINK_READY && s->links[link]->is_down) {
        link_mark_up(s, link, true);
    }
    incarnation_check(s, link, &m);
    switch (m.kind) {
    case WIRE_HELLO_ACK:
        hello_ack_take(s, link, &m);
        break;
    case WIRE_TABLE_ACK:
        table_adopt(s, &m);
        break;
    case WIRE_REPLY:
        reply_take(s, link, &m);
        break;
    case WIRE_NAK:
        nak_take(s, link, &m);
        break;
    case WIRE_CACHE_ACK:
        cache_ack_take(s, link, &m, frame);
        break;
    default:
        node_ack_take(s, link, &m, frame);
        break;
    }
}
