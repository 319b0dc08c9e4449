/* A leader: it opens an epoch, writes, counts acknowledgements, commits, asks for changes. */
#include "tests/model/step.h"

#include <string.h>

/* ---- Becoming leader (B.9) ---- */

static bool may_lead(const struct successors *out, unsigned node, const struct configuration *named)
{
    const struct replica *replica = &out->from->node[node];
    if (named->leader != node) {
        return false;
    }
    return named->epoch > replica->promised ||
           (!keeps(out->rules, RULE_NEW_EPOCH_TO_LEAD) && named->epoch == replica->promised &&
            !replica->leads && out->from->epoch[named->epoch].exists);
}

/* The epoch's log is the leader's own, with an EPOCH_START at its end; false if that has no room.
 */
static bool open_epoch(const struct rules *rules, struct replica *leader, struct epoch *epoch,
                       unsigned node)
{
    if (!epoch->exists) {
        if (leader->length >= log_max(rules)) {
            return false;
        }
        leader->log[leader->length++] = entry_of(leader->leads, 0);
    }
    epoch->exists = 1;
    epoch->owner = (uint8_t)node;
    epoch->length = leader->length;
    memcpy(epoch->log, leader->log, sizeof epoch->log);
    if (!epoch->start) {
        epoch->start = leader->length;
    }
    return true;
}

static void lead(struct successors *out, unsigned node, unsigned version)
{
    struct state *to = &step_begin(out)->state;
    uint8_t e = to->page[version - 1].epoch;
    struct replica *leader = &to->node[node];
    state_stop_leading(to, node);
    leader->promised = e;
    leader->sync = e;
    leader->leads = e;
    leader->version = (uint8_t)version;
    if (!open_epoch(out->rules, leader, &to->epoch[e], node)) {
        return;
    }
    if (out->rules->lean) {
        leader->durable = leader->length;
    }
    leader->match[node] = leader->durable;
    step_done(out, STEP_LEAD, node, e, version);
}

/* Any version that names this node may be the one that it has read: reads can be stale. */
void steps_of_becoming_leader(struct successors *out, unsigned node)
{
    for (unsigned version = 1; version <= out->from->version_count; version++) {
        if (may_lead(out, node, &out->from->page[version - 1])) {
            lead(out, node, version);
        }
    }
}

/* ---- Leading ---- */

static const struct configuration *believed(const struct state *state, unsigned node)
{
    return &state->page[state->node[node].version - 1];
}

static void see_page(struct successors *out, unsigned node)
{
    const struct state *from = out->from;
    const struct replica *leader = &from->node[node];
    if (current(from)->epoch > leader->leads) {
        state_stop_leading(&step_begin(out)->state, node);
        step_done(out, STEP_STEP_DOWN, node, current(from)->epoch, 0);
    } else if (leader->version < from->version_count) {
        struct replica *next = &step_begin(out)->state.node[node];
        next->version = from->version_count;
        next->pending = 0;
        next->dropped = 0;
        step_done(out, STEP_SEE, node, from->version_count, 0);
    }
}

static void append_write(struct successors *out, unsigned node)
{
    uint8_t e = out->from->node[node].leads;
    struct state *to = &step_begin(out)->state;
    struct replica *leader = &to->node[node];
    to->writes++;
    uint8_t entry = entry_of(e, to->writes);
    leader->log[leader->length++] = entry;
    to->epoch[e].log[to->epoch[e].length++] = entry;
    if (out->rules->lean) {
        leader->durable = leader->length;
        leader->match[node] = leader->length;
    }
    step_done(out, STEP_WRITE, node, to->writes, e);
}

static void sync_log(struct successors *out, unsigned node)
{
    struct replica *leader = &step_begin(out)->state.node[node];
    leader->durable = leader->length;
    leader->match[node] = leader->length;
    step_done(out, STEP_SYNC, node, leader->length, 0);
}

static void write_and_sync(struct successors *out, unsigned node)
{
    const struct state *from = out->from;
    const struct replica *leader = &from->node[node];
    if (from->writes < out->rules->write_max &&
        from->epoch[leader->leads].length < log_max(out->rules) &&
        size_of(believed(from, node)->isr) >= out->rules->min_isr) {
        append_write(out, node);
    }
    if (leader->durable < leader->length) {
        sync_log(out, node);
    }
}

static void receive_ack(struct successors *out, unsigned node, unsigned from)
{
    const struct replica *leader = &out->from->node[node];
    uint8_t acked = out->from->epoch[leader->leads].acked[from];
    uint8_t incarnation = out->from->node[from].incarnation;
    if (from == node || !acked ||
        (acked <= leader->match[from] && leader->match_incarnation[from] == incarnation)) {
        return;
    }
    struct replica *next = &step_begin(out)->state.node[node];
    next->match[from] = acked;
    next->match_incarnation[from] = incarnation;
    step_done(out, STEP_ACK, node, acked, from);
}

/* ---- Commit (B.7.5) ---- */

static uint8_t commit_set(const struct successors *out, unsigned node)
{
    const struct replica *leader = &out->from->node[node];
    uint8_t set = believed(out->from, node)->isr;
    if (keeps(out->rules, RULE_PENDING_COUNTS)) {
        set |= leader->pending;
    }
    return without(set, leader->dropped);
}

/* The least that all members of the set have. With memory acks the leader's own log counts
 * unsynced. */
static unsigned acked_by_all(const struct successors *out, unsigned node, uint8_t set)
{
    const struct replica *leader = &out->from->node[node];
    unsigned least = LOG_MAX;
    for (unsigned i = 0; i < out->rules->node_count; i++) {
        unsigned match = i == node && out->rules->memory_acks ? leader->length : leader->match[i];
        if (has(set, i) && match < least) {
            least = match;
        }
    }
    return least;
}

static enum violation remember_committed(struct state *state, const struct epoch *epoch)
{
    for (unsigned i = 0; i < epoch->commit; i++) {
        if (i >= state->committed_length) {
            state->committed[i] = epoch->log[i];
            state->committed_length = (uint8_t)(i + 1);
        } else if (state->committed[i] != epoch->log[i]) {
            return VIOLATION_LOST_WRITE;
        }
    }
    return VIOLATION_NONE;
}

static void commit(struct successors *out, unsigned node)
{
    uint8_t e = out->from->node[node].leads;
    const struct epoch *epoch = &out->from->epoch[e];
    uint8_t set = commit_set(out, node);
    unsigned index = acked_by_all(out, node, set);
    if (size_of(believed(out->from, node)->isr) < out->rules->min_isr || !has(set, node) ||
        index < epoch->start || index <= epoch->commit) {
        return;
    }
    struct successor *to = step_begin(out);
    to->state.epoch[e].commit = (uint8_t)index;
    to->violation = remember_committed(&to->state, &to->state.epoch[e]);
    to->state.node[node].commit = (uint8_t)index;
    step_done(out, STEP_COMMIT, node, index, e);
}

/* ---- Changes of the in-sync set (B.4) ---- */

static void ask_remove(struct successors *out, unsigned node, unsigned member)
{
    struct state *to = &step_begin(out)->state;
    to->change = (struct change){.in_flight = 1,
                                 .version = to->node[node].version,
                                 .isr = without(believed(out->from, node)->isr, bit(member)),
                                 .added = NOBODY};
    if (!keeps(out->rules, RULE_REMOVED_COUNTS)) {
        to->node[node].dropped |= bit(member);
    }
    step_done(out, STEP_ASK_REMOVE, node, member, 0);
}

static bool may_add(const struct successors *out, unsigned node, unsigned learner)
{
    const struct replica *leader = &out->from->node[node];
    const struct epoch *epoch = &out->from->epoch[leader->leads];
    uint8_t match = leader->match[learner];
    bool caught_up = match >= epoch->commit && match >= epoch->start;
    bool in_time = !out->rules->leases || state_waited(out->rules, leader) ||
                   !keeps(out->rules, RULE_LEASE_EXPAND_LATER);
    return match && in_time && (caught_up || !keeps(out->rules, RULE_CAUGHT_UP_FIRST)) &&
           !without(leader->pending, bit(learner));
}

static void ask_add(struct successors *out, unsigned node, unsigned learner)
{
    struct state *to = &step_begin(out)->state;
    struct replica *leader = &to->node[node];
    to->change = (struct change){.in_flight = 1,
                                 .version = leader->version,
                                 .isr = believed(out->from, node)->isr | bit(learner),
                                 .added = (uint8_t)learner,
                                 .incarnation = leader->match_incarnation[learner]};
    leader->pending |= bit(learner);
    step_done(out, STEP_ASK_ADD, node, learner, 0);
}

static void ask_for_changes(struct successors *out, unsigned node)
{
    const struct state *from = out->from;
    const struct replica *leader = &from->node[node];
    if (from->change.in_flight || leader->version != from->version_count ||
        current(from)->epoch != leader->leads) {
        return;
    }
    for (unsigned i = 0; i < out->rules->node_count; i++) {
        if (i == node) {
            continue;
        }
        if (has(believed(from, node)->isr, i)) {
            ask_remove(out, node, i);
        } else if (may_add(out, node, i)) {
            ask_add(out, node, i);
        }
    }
}

void steps_of_leader(struct successors *out, unsigned node)
{
    see_page(out, node);
    write_and_sync(out, node);
    for (unsigned i = 0; i < out->rules->node_count; i++) {
        receive_ack(out, node, i);
    }
    commit(out, node);
    ask_for_changes(out, node);
}
