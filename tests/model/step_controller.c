/* The controller and the page. The controller may act at any time, on true or on false suspicion,
 * which also covers its own fail-over: what several of them could write, this one may write. */
#include "tests/model/step.h"

/* Up to three nodes the new set is the old one, or that without the old leader. With more of them
 * each part of the old one is tried. */
static bool worth_trying(const struct rules *rules, const struct configuration *now, unsigned isr)
{
    return rules->node_count > 3 || isr == now->isr || isr == without(now->isr, bit(now->leader));
}

static void configure(struct successors *out, struct configuration next, enum step_kind kind)
{
    struct successor *to = step_begin(out);
    if (state_configure(&to->state, out->rules, next)) {
        step_done(out, kind, next.epoch, next.leader, next.isr);
    }
}

static void elect_from_isr(struct successors *out, const struct configuration *now, unsigned node)
{
    for (unsigned isr = 1; isr < bit(out->rules->node_count); isr++) {
        uint8_t set = (uint8_t)isr;
        if (without(set, now->isr) || !has(set, node) || !worth_trying(out->rules, now, isr)) {
            continue;
        }
        configure(out,
                  (struct configuration){.epoch = now->epoch + 1,
                                         .leader = (uint8_t)node,
                                         .isr = set,
                                         .elr = state_next_elr(out->rules, now, set)},
                  STEP_ELECT);
    }
}

static void elect_from_elr(struct successors *out, const struct configuration *now, unsigned node)
{
    configure(out,
              (struct configuration){.epoch = now->epoch + 1,
                                     .leader = (uint8_t)node,
                                     .isr = bit(node),
                                     .elr = state_next_elr(out->rules, now, bit(node))},
              STEP_ELECT_ELR);
}

static void elect_incomplete(struct successors *out, const struct configuration *now, unsigned node)
{
    configure(
        out,
        (struct configuration){.epoch = now->epoch + 1, .leader = (uint8_t)node, .isr = bit(node)},
        STEP_ELECT_UNCLEAN);
}

static void elect(struct successors *out, unsigned node)
{
    const struct configuration *now = current(out->from);
    if (has(now->isr, node)) {
        elect_from_isr(out, now, node);
    }
    if (has(now->elr, node)) {
        elect_from_elr(out, now, node);
    }
    if (!keeps(out->rules, RULE_ELECT_COMPLETE) && !has(now->isr | now->elr, node)) {
        elect_incomplete(out, now, node);
    }
}

static void remove_member(struct successors *out, unsigned node)
{
    struct configuration next = *current(out->from);
    if (!has(next.isr, node) || node == next.leader) {
        return;
    }
    uint8_t isr = without(next.isr, bit(node));
    next.elr = state_next_elr(out->rules, &next, isr);
    next.isr = isr;
    struct successor *to = step_begin(out);
    if (state_configure(&to->state, out->rules, next)) {
        step_done(out, STEP_REMOVE, node, 0, 0);
    }
}

static void take_out_unclean(struct successors *out, unsigned node)
{
    struct configuration next = *current(out->from);
    next.isr = without(next.isr, bit(node));
    next.elr = size_of(next.isr) >= out->rules->min_isr ? 0 : without(next.elr, bit(node));
    struct successor *to = step_begin(out);
    if (next.isr && state_configure(&to->state, out->rules, next)) {
        step_done(out, STEP_UNCLEAN_OUT, node, 0, 0);
    }
}

static void readmit(struct successors *out, unsigned node)
{
    uint8_t epoch = current(out->from)->epoch;
    struct replica *replica = &step_begin(out)->state.node[node];
    replica->unclean = 0;
    if (replica->promised < epoch) {
        replica->promised = epoch;
    }
    step_done(out, STEP_READMIT, node, 0, 0);
}

static void treat_unclean(struct successors *out, unsigned node)
{
    const struct configuration *now = current(out->from);
    if (!out->from->node[node].unclean || !out->from->node[node].up || now->leader == node) {
        return;
    }
    if (has(now->isr | now->elr, node)) {
        take_out_unclean(out, node);
    } else {
        readmit(out, node);
    }
}

void steps_of_controller(struct successors *out)
{
    unsigned count = out->rules->node_count;
    bool may_elect = current(out->from)->epoch < out->rules->epoch_max;
    for (unsigned i = 0; may_elect && i < count; i++) {
        elect(out, i);
    }
    for (unsigned i = 0; i < count; i++) {
        remove_member(out, i);
    }
    for (unsigned i = 0; i < count; i++) {
        treat_unclean(out, i);
    }
}

/* ---- The page: what becomes of the leader's change ---- */

/* Is the node to be added still the one whose acknowledgements were counted? */
static bool same_life(const struct successors *out, const struct change *change)
{
    if (change->added == NOBODY || !keeps(out->rules, RULE_ACKS_OF_THIS_LIFE)) {
        return true;
    }
    const struct replica *added = &out->from->node[change->added];
    return added->incarnation == change->incarnation && !added->unclean;
}

void steps_of_page(struct successors *out)
{
    const struct change *change = &out->from->change;
    const struct configuration *now = current(out->from);
    bool current_version = change->version == out->from->version_count;
    if (!out->rules->lean || !current_version) {
        step_begin(out)->state.change = (struct change){0};
        step_done(out, STEP_CHANGE_LOST, 0, 0, 0);
    }
    if (!current_version || !same_life(out, change)) {
        return;
    }
    struct configuration next = {.epoch = now->epoch,
                                 .leader = now->leader,
                                 .isr = change->isr,
                                 .elr = state_next_elr(out->rules, now, change->isr)};
    struct successor *to = step_begin(out);
    to->state.change = (struct change){0};
    if (state_configure(&to->state, out->rules, next)) {
        step_done(out, STEP_CHANGE_DONE, 0, next.isr, 0);
    }
}
