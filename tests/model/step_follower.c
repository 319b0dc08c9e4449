/* A follower: it reconciles with an epoch, appends, acknowledges, learns, confirms (B.8). */
#include "tests/model/step.h"

#include <string.h>

static unsigned common_length(const struct replica *replica, const struct epoch *epoch)
{
    unsigned length = 0;
    while (length < replica->length && length < epoch->length &&
           replica->log[length] == epoch->log[length]) {
        length++;
    }
    return length;
}

static void cut(struct replica *replica, unsigned length)
{
    if (replica->length > length) {
        memset(replica->log + length, 0, sizeof replica->log - length);
        replica->length = (uint8_t)length;
    }
    if (replica->durable > replica->length) {
        replica->durable = replica->length;
    }
}

/* Cut the log to what it shares with the leader's and report what went wrong. */
static enum violation reconcile_log(struct replica *replica, const struct epoch *epoch,
                                    unsigned keep)
{
    bool below_commit = keep < replica->commit;
    cut(replica, keep);
    if (common_length(replica, epoch) < replica->length) {
        return VIOLATION_NOT_PREFIX;
    }
    return below_commit ? VIOLATION_CUT_COMMITTED : VIOLATION_NONE;
}

static void reconcile(struct successors *out, unsigned node, unsigned e)
{
    struct successor *to = step_begin(out);
    struct replica *replica = &to->state.node[node];
    struct epoch *epoch = &to->state.epoch[e];
    if (replica->leads) {
        state_stop_leading(&to->state, node);
    }
    unsigned keep =
        keeps(out->rules, RULE_TRUNCATE_AT_FORK) ? common_length(replica, epoch) : replica->commit;
    to->violation = reconcile_log(replica, epoch, keep);
    if (e > replica->promised || !keeps(out->rules, RULE_FENCE)) {
        replica->promised = (uint8_t)e;
    }
    replica->sync = (uint8_t)e;
    epoch->acked[node] = out->rules->memory_acks ? replica->length : replica->durable;
    step_done(out, STEP_RECONCILE, node, e, keep);
}

/* Append, sync unless acknowledgements come from memory, acknowledge. */
static void append_next(struct successors *out, unsigned node, unsigned e)
{
    struct state *to = &step_begin(out)->state;
    struct replica *replica = &to->node[node];
    struct epoch *epoch = &to->epoch[e];
    replica->log[replica->length] = epoch->log[replica->length];
    replica->length++;
    if (!out->rules->memory_acks) {
        replica->durable = replica->length;
    }
    if (replica->length > epoch->acked[node]) {
        epoch->acked[node] = replica->length;
    }
    step_done(out, STEP_APPEND, node, replica->length, e);
}

static void acknowledge_again(struct successors *out, unsigned node, unsigned e)
{
    struct state *to = &step_begin(out)->state;
    to->epoch[e].acked[node] = to->node[node].length;
    step_done(out, STEP_ACK_AGAIN, node, to->node[node].length, 0);
}

static void learn_commit(struct successors *out, unsigned node, unsigned e)
{
    const struct epoch *epoch = &out->from->epoch[e];
    const struct replica *replica = &out->from->node[node];
    uint8_t known = epoch->commit < replica->length ? epoch->commit : replica->length;
    if (known > replica->commit) {
        step_begin(out)->state.node[node].commit = known;
        step_done(out, STEP_LEARN, node, known, 0);
    }
}

static void confirm_read(struct successors *out, unsigned node, unsigned e)
{
    const struct read *read = &out->from->read;
    if (read->running && read->epoch == e && has(read->asked, node) &&
        !has(read->confirmed, node) && out->from->node[node].promised == e) {
        step_begin(out)->state.read.confirmed |= bit(node);
        step_done(out, STEP_CONFIRM, node, 0, 0);
    }
}

static void follow(struct successors *out, unsigned node, unsigned e)
{
    const struct replica *replica = &out->from->node[node];
    const struct epoch *epoch = &out->from->epoch[e];
    if (replica->length < epoch->length) {
        append_next(out, node, e);
    }
    if (replica->length > epoch->acked[node]) {
        acknowledge_again(out, node, e);
    }
    if (!out->rules->lean) {
        learn_commit(out, node, e);
    }
    confirm_read(out, node, e);
}

void steps_of_follower(struct successors *out, unsigned node)
{
    const struct replica *replica = &out->from->node[node];
    for (unsigned e = 1; e <= out->rules->epoch_max; e++) {
        const struct epoch *epoch = &out->from->epoch[e];
        bool refused = e < replica->promised && keeps(out->rules, RULE_FENCE);
        if (!epoch->exists || epoch->owner == node || refused) {
            continue;
        }
        if (replica->sync != e) {
            reconcile(out, node, e);
        } else {
            follow(out, node, e);
        }
    }
}
