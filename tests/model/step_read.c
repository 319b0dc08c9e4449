/* Linearizable reads: by a question to all who could lead next, or by their leases (B.12).
 *
 * Of time the model knows one fact, for which the constants of B.12 are chosen: the lease that a
 * leader holds from a member ends before the grant that the member has given. */
#include "tests/model/step.h"

void steps_of_grants(struct successors *out, unsigned node)
{
    const struct state *from = out->from;
    for (unsigned e = 1; e <= out->rules->epoch_max; e++) {
        const struct replica *leader = &from->node[from->epoch[e].owner];
        bool leased = leader->leads == e && has(leader->leases, node);
        if (has(from->node[node].grants, e) && !leased) {
            struct replica *next = &step_begin(out)->state.node[node];
            next->grants = without(next->grants, bit(e));
            step_done(out, STEP_GRANT_ENDS, node, e, 0);
        }
    }
}

static void answer_clients(struct successors *out, unsigned node)
{
    const struct replica *leader = &out->from->node[node];
    const struct epoch *epoch = &out->from->epoch[leader->leads];
    if (state_waited(out->rules, leader) && epoch->commit >= epoch->start &&
        epoch->commit > out->from->client_saw) {
        step_begin(out)->state.client_saw = epoch->commit;
        step_done(out, STEP_ANSWER, node, epoch->commit, 0);
    }
}

static void end_lease(struct successors *out, unsigned leader, unsigned member)
{
    struct replica *next = &step_begin(out)->state.node[leader];
    next->leases = without(next->leases, bit(member));
    step_done(out, STEP_LEASE_ENDS, leader, member, 0);
}

static void get_lease(struct successors *out, unsigned leader, unsigned member)
{
    const struct replica *grantor = &out->from->node[member];
    uint8_t e = out->from->node[leader].leads;
    if (!grantor->up || grantor->unclean || grantor->promised != e) {
        return;
    }
    struct state *to = &step_begin(out)->state;
    to->node[leader].leases |= bit(member);
    to->node[member].grants |= bit(e);
    step_done(out, STEP_LEASE, leader, member, 0);
}

void steps_of_leases(struct successors *out, unsigned leader)
{
    answer_clients(out, leader);
    for (unsigned i = 0; i < out->rules->node_count; i++) {
        if (i == leader) {
            continue;
        }
        if (has(out->from->node[leader].leases, i)) {
            end_lease(out, leader, i);
        } else {
            get_lease(out, leader, i);
        }
    }
}

/* ---- Read-index ---- */

static void begin_read(struct successors *out, unsigned node, unsigned index, enum step_kind kind)
{
    bool with_elr = kind == STEP_READ_EARLY || keeps(out->rules, RULE_READ_ASKS_ELR);
    struct state *to = &step_begin(out)->state;
    to->read = (struct read){.running = 1,
                             .epoch = to->node[node].leads,
                             .index = (uint8_t)index,
                             .expected = to->committed_length,
                             .asked = state_electable(to, node, with_elr),
                             .count = (uint8_t)(to->read.count + 1)};
    step_done(out, kind, node, index, 0);
}

static bool confirmed(const struct successors *out, unsigned node)
{
    const struct read *read = &out->from->read;
    if (keeps(out->rules, RULE_READ_ASKS_ALL)) {
        return read->confirmed == read->asked;
    }
    return size_of(read->confirmed) + 1 > size_of(read->asked | bit(node)) / 2;
}

static void answer_read(struct successors *out, unsigned node)
{
    struct successor *to = step_begin(out);
    struct read *read = &to->state.read;
    if (read->index < read->expected) {
        to->violation = VIOLATION_STALE_READ;
    }
    *read = (struct read){.count = read->count};
    step_done(out, STEP_READ_ANSWER, node, 0, 0);
}

void steps_of_reads(struct successors *out, unsigned leader)
{
    const struct state *from = out->from;
    uint8_t e = from->node[leader].leads;
    const struct epoch *epoch = &from->epoch[e];
    bool early_allowed = !keeps(out->rules, RULE_READ_AFTER_START);
    bool started = epoch->commit >= epoch->start;
    if (!from->read.running && from->read.count < out->rules->read_max) {
        if (epoch->commit && (started || early_allowed)) {
            begin_read(out, leader, epoch->commit, STEP_READ);
        }
        if (!started && early_allowed) {
            begin_read(out, leader, from->node[leader].commit, STEP_READ_EARLY);
        }
    }
    if (from->read.running && from->read.epoch == e && confirmed(out, leader)) {
        answer_read(out, leader);
    }
}
