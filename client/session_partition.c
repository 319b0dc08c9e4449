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

/* ---- changes of unknown outcome ---- */

/* Ask what became of a change, so that its number can be let go. False: no memory for that now. */
static bool outcome_ask(struct session *s, uint32_t partition, uint64_t sequence)
{
    struct session_op *op = calloc(1, sizeof *op);

    if (!op) {
        return false;
    }
    op->kind = WIRE_OP_OUTCOME;
    op->partition = partition;
    op->session = s->partitions[partition].session;
    op->sequence = sequence;
    op->deadline_ms = INT64_MAX;
    op->internal = true;
    session_start(s, op, s->now_ms);
    return true;
}

void partition_relieve(struct session *s, uint32_t partition)
{
    struct partition *p = &s->partitions[partition];
    uint64_t asked = p->unknown;
    uint64_t first = p->first_incomplete;

    p->unknown = 0;
    for (unsigned i = 0; i < SESSION_WINDOW; i++) {
        if ((asked >> i & 1) && !outcome_ask(s, partition, first + i)) {
            p->unknown |= UINT64_C(1) << (first + i - p->first_incomplete);
        }
    }
}

static void outcome_keep(struct session *s, const struct session_op *op)
{
    if (!s->outcomes) {
        s->outcomes = calloc(OUTCOMES_KEPT, sizeof *s->outcomes);
    }
    if (s->outcomes) {
        s->outcomes[s->outcome_count++ % OUTCOMES_KEPT] = (struct outcome){
            .change = {op->partition, op->session, op->sequence}, .status = op->status};
    }
}

bool session_outcome(const struct session *s, const struct session_change *change,
                     enum qn_status *status)
{
    size_t count = s->outcome_count < OUTCOMES_KEPT ? s->outcome_count : OUTCOMES_KEPT;

    for (size_t i = 0; i < count; i++) {
        const struct outcome *kept = &s->outcomes[i];
        if (kept->change.partition == change->partition &&
            kept->change.session == change->session && kept->change.sequence == change->sequence) {
            *status = kept->status;
            return true;
        }
    }
    return false;
}

/* ---- the window ---- */

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
    if (p->state == PARTITION_OPEN && p->unknown != 0 && !list_empty(&p->waiting)) {
        partition_relieve(s, partition);
    }
}

void partition_enqueue(struct session *s, struct session_op *op)
{
    op->state = OP_WAITING;
    list_push_back(&s->partitions[op->partition].waiting, &op->place);
    partition_pump(s, op->partition);
}

static void number_release(struct session *s, uint32_t partition, uint64_t sequence)
{
    struct partition *p = &s->partitions[partition];

    qn_assert(sequence < p->next_sequence);
    uint64_t bit = UINT64_C(1) << (sequence - p->first_incomplete);
    p->complete |= bit;
    p->unknown &= ~bit;
    while (p->complete & 1) {
        p->complete >>= 1;
        p->unknown >>= 1;
        p->first_incomplete++;
    }
    partition_pump(s, partition);
}

/* Is it a number of the session that is open now, and not let go yet? */
static bool number_is_open(const struct partition *p, uint64_t session, uint64_t sequence)
{
    return session == p->session && sequence >= p->first_incomplete &&
           sequence < p->next_sequence && !(p->complete >> (sequence - p->first_incomplete) & 1);
}

void partition_settle(struct session *s, struct session_op *op)
{
    struct partition *p = &s->partitions[op->partition];

    if (!number_is_open(p, op->session, op->sequence)) {
        return; /* of a session that has ended */
    }
    if (op->status < 0 && op->certainty == QN_UNKNOWN && op->status != QN_STALE_SEQ) {
        p->unknown |= UINT64_C(1) << (op->sequence - p->first_incomplete);
        partition_pump(s, op->partition);
    } else {
        number_release(s, op->partition, op->sequence);
    }
}

void partition_decide(struct session *s, const struct session_op *op)
{
    bool is_decided = op->status >= 0 || op->status == QN_WITHDRAWN;
    bool is_ours =
        op->internal || bytes_equal(op->value, bytes_of(s->client.octets, sizeof s->client.octets));

    if (!is_ours || !s->partitions || op->partition >= s->partition_count) {
        return;
    }
    const struct partition *p = &s->partitions[op->partition];
    if (!number_is_open(p, op->session, op->sequence)) {
        return;
    }
    bool is_unknown = p->unknown >> (op->sequence - p->first_incomplete) & 1;
    if (is_decided && (op->internal || is_unknown)) {
        outcome_keep(s, op);
    }
    if (op->internal || (is_decided && is_unknown)) {
        number_release(s, op->partition, op->sequence);
    }
}

/* ---- ends and beginnings of the session ---- */

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

/* The answer to SESSION_OPEN came, or never will. */
static void partition_opened(struct session *s, struct session_op *op)
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
}

void partition_internal_done(struct session *s, struct session_op *op)
{
    if (op->kind == WIRE_OP_SESSION_OPEN) {
        partition_opened(s, op);
    }
    session_op_fini(op);
    free(op);
}

void partition_session_lost(struct session *s, const struct session_op *op)
{
    struct partition *p = &s->partitions[op->partition];

    if (p->state == PARTITION_OPEN && op->session == p->session) {
        session_trace(s, SESSION_ENDED, op->partition);
        p->state = PARTITION_NO_SESSION;
        p->session = 0;
        /* Numbers go on, so that none is ever used for two requests. */
        p->first_incomplete = p->next_sequence;
        p->complete = 0;
        p->unknown = 0;
        partition_pump(s, op->partition);
    }
}
