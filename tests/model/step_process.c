/* A process that crashes and starts again. */
#include "tests/model/step.h"

#include <string.h>

static void cut(struct replica *replica, unsigned length)
{
    memset(replica->log + length, 0, sizeof replica->log - length);
    replica->length = (uint8_t)length;
}

/* What every crash does, but for the log. */
static struct state *crash(struct successors *out, unsigned node)
{
    struct state *to = &step_begin(out)->state;
    state_stop_leading(to, node);
    to->crashes++;
    for (unsigned e = 1; e <= out->rules->epoch_max; e++) {
        to->epoch[e].acked[node] = 0;
    }
    struct replica *replica = &to->node[node];
    replica->up = 0;
    replica->commit = 0;
    replica->sync = 0;
    return to;
}

/* A new process waits as long as a grant lasts (B.9.5): so the old one's grants still count. */
static void crash_log(struct successors *out, unsigned node, bool tail_lost)
{
    struct replica *replica = &crash(out, node)->node[node];
    if (tail_lost) {
        cut(replica, replica->durable);
    } else {
        replica->durable = replica->length;
    }
    if (!keeps(out->rules, RULE_LEASE_RESTART)) {
        replica->grants = 0;
    }
    if (out->rules->memory_acks && keeps(out->rules, RULE_UNCLEAN_LEAVES)) {
        replica->unclean = 1;
    }
    step_done(out, tail_lost ? STEP_CRASH_TAIL : STEP_CRASH, node, 0, 0);
}

static void crash_disk(struct successors *out, unsigned node)
{
    struct state *to = crash(out, node);
    struct replica *replica = &to->node[node];
    *replica = (struct replica){
        .incarnation = replica->incarnation,
        .grants = replica->grants,
        .unclean = keeps(out->rules, RULE_UNCLEAN_LEAVES),
    };
    to->disks_lost = 1;
    step_done(out, STEP_CRASH_DISK, node, 0, 0);
}

static void crashes(struct successors *out, unsigned node)
{
    const struct replica *replica = &out->from->node[node];
    bool has_tail = replica->durable != replica->length;
    if (!has_tail || !out->rules->lean) {
        crash_log(out, node, has_tail);
    }
    if (has_tail) {
        crash_log(out, node, false);
    }
    if (out->rules->disk_loss && !out->from->disks_lost) {
        crash_disk(out, node);
    }
}

void steps_of_process(struct successors *out, unsigned node)
{
    if (!out->from->node[node].up) {
        struct replica *replica = &step_begin(out)->state.node[node];
        replica->up = 1;
        replica->incarnation++;
        step_done(out, STEP_RESTART, node, 0, 0);
    } else if (out->from->crashes < out->rules->crash_max) {
        crashes(out, node);
    }
}
