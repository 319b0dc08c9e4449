/* Sessions and sequence numbers of partitions (protocol B.10). */
#include <stdlib.h>

#include "client/session_parts.h"
#include "wire/assert.h"

void partition_init(struct partition *p)
{
    *p = (struct partition){.next_sequence = 1, .first_incomplete = 1};
    list_init(&p->waiting);
}

/* First change of a partition: its session is opened by a logged request. */
static void session_open(struct session *s, uint32_t partition)
{
    struct partition *p = &s->partitions[partition];
    struct session_op *op = calloc(1, sizeof *op);

    if (!op) {
        struct session_op *first = LIST_OWNER(p->waiting.next, struct session_op, place);
        op_complete(s, first, QN_MEMORY_FULL);
        return;
    }
    op->kind = WIRE_OP_SESSION_OPEN;
    op->partition = partition;
    op->deadline_ms = INT64_MAX; /* it lasts as long as somebody waits for it */
    op->internal = true;
    p->state = PARTITION_OPENING;
    session_start(s, op, s->now_ms);
}

static bool window_is_open(const struct partition *p)
{
    return p->next_sequence - p->first_incomplete < SESSION_WINDOW;
}

/* Send on what the session and the window allow. */
static void partition_pump(struct session *s, uint32_t partition)
{
    struct partition *p = &s->partitions[partition];

    if (p->state == PARTITION_NO_SESSION && !list_empty(&p->waiting)) {
        session_open(s, partition);
        return;
    }
    while (p->state == PARTITION_OPEN && window_is_open(p) && !list_empty(&p->waiting)) {
        struct session_op *op = LIST_OWNER(list_pop_front(&p->waiting), struct session_op, place);
        op->session = p->session;
        op->sequence = p->next_sequence++;
        op_route(s, op);
    }
}

void partition_enqueue(struct session *s, struct session_op *op)
{
    op->state = OP_WAITING;
    list_push_back(&s->partitions[op->partition].waiting, &op->place);
    partition_pump(s, op->partition);
}

void partition_settle(struct session *s, struct session_op *op)
{
    struct partition *p = &s->partitions[op->partition];

    if (op->session != p->session || op->sequence < p->first_incomplete) {
        return; /* of a session that has ended */
    }
    qn_assert(op->sequence < p->next_sequence);
    p->complete |= UINT64_C(1) << (op->sequence - p->first_incomplete);
    while (p->complete & 1) {
        p->complete >>= 1;
        p->first_incomplete++;
    }
    partition_pump(s, op->partition);
}

static void waiting_fail(struct session *s, struct partition *p, const struct session_op *why)
{
    struct list failed;

    list_init(&failed);
    list_append(&failed, &p->waiting);
    for (struct list *at = list_pop_front(&failed); at; at = list_pop_front(&failed)) {
        struct session_op *op = LIST_OWNER(at, struct session_op, place);
        op->server_status = why->server_status;
        op_explain(op, why->text ? bytes_of_text(why->text) : bytes_of(NULL, 0));
        op_complete(s, op, why->status);
    }
}

void partition_opened(struct session *s, struct session_op *op)
{
    struct partition *p = &s->partitions[op->partition];
    bool opened = op->status == QN_OK && op->number != 0;

    qn_assert(p->state == PARTITION_OPENING);
    p->state = opened ? PARTITION_OPEN : PARTITION_NO_SESSION;
    if (opened) {
        p->session = op->number;
        partition_pump(s, op->partition);
    } else {
        op->status = op->status == QN_OK ? QN_MALFORMED : op->status;
        waiting_fail(s, p, op);
    }
    session_op_fini(op);
    free(op);
}

void partition_session_lost(struct session *s, const struct session_op *op)
{
    struct partition *p = &s->partitions[op->partition];

    if (p->state == PARTITION_OPEN && op->session == p->session) {
        p->state = PARTITION_NO_SESSION;
        p->session = 0;
        /* Numbers go on, so that none is ever used for two requests. */
        p->first_incomplete = p->next_sequence;
        p->complete = 0;
        partition_pump(s, op->partition);
    }
}
