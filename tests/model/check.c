#include "tests/model/check.h"

#include <stddef.h>
#include <string.h>

const char *violation_text(enum violation violation)
{
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        VIOLATION_MAP(X)
#undef X
    };
    return texts[violation];
}

/* A leader whose lease holds answers at once; so it must know all that any client has seen. */
static bool answers_stale(const struct state *state, const struct rules *rules, unsigned node)
{
    const struct replica *leader = &state->node[node];
    if (!leader->leads) {
        return false;
    }
    const struct epoch *epoch = &state->epoch[leader->leads];
    if (epoch->commit < epoch->start || !state_waited(rules, leader)) {
        return false;
    }
    uint8_t needed = state_electable(state, node, keeps(rules, RULE_LEASE_ASKS_ELR));
    bool lease_holds = needed && (needed & leader->leases) == needed;
    return lease_holds && epoch->commit < state->client_saw;
}

static bool applied_other(const struct state *state, const struct replica *replica)
{
    return replica->commit > state->committed_length || replica->commit > replica->length ||
           memcmp(replica->log, state->committed, replica->commit) != 0;
}

static bool lacks_committed(const struct state *state, const struct replica *replica)
{
    return replica->length < state->committed_length ||
           memcmp(replica->log, state->committed, state->committed_length) != 0;
}

/* A copy that is known to be lost, or to be lost once the node is back, is nobody's copy. */
static bool counts_as_copy(const struct rules *rules, const struct replica *replica)
{
    return !replica->unclean && (replica->up || !rules->memory_acks);
}

/* From the end: the last entry that two logs share decides about everything before it. */
static enum violation compare_logs(const struct replica *a, const struct replica *b)
{
    unsigned length = a->length < b->length ? a->length : b->length;
    for (unsigned i = length; i-- > 0;) {
        if (a->log[i] == b->log[i]) {
            return memcmp(a->log, b->log, i) == 0 ? VIOLATION_NONE : VIOLATION_LOG_MATCHING;
        }
        if (entry_epoch(a->log[i]) == entry_epoch(b->log[i])) {
            return VIOLATION_SAME_ID;
        }
    }
    return VIOLATION_NONE;
}

static enum violation check_pairs(const struct state *state, const struct rules *rules)
{
    for (unsigned a = 0; a < rules->node_count; a++) {
        for (unsigned b = a + 1; b < rules->node_count; b++) {
            enum violation violation = compare_logs(&state->node[a], &state->node[b]);
            if (violation != VIOLATION_NONE) {
                return violation;
            }
        }
    }
    return VIOLATION_NONE;
}

static enum violation check_node(const struct state *state, const struct rules *rules,
                                 unsigned node)
{
    const struct replica *replica = &state->node[node];
    uint8_t complete = current(state)->isr | current(state)->elr;
    if (rules->leases && answers_stale(state, rules, node)) {
        return VIOLATION_LEASE_READ;
    }
    if (applied_other(state, replica)) {
        return VIOLATION_DIRTY_APPLY;
    }
    if (has(complete, node) && counts_as_copy(rules, replica) && lacks_committed(state, replica)) {
        return VIOLATION_INCOMPLETE;
    }
    return VIOLATION_NONE;
}

enum violation check_state(const struct state *state, const struct rules *rules)
{
    for (unsigned i = 0; i < rules->node_count; i++) {
        enum violation violation = check_node(state, rules, i);
        if (violation != VIOLATION_NONE) {
            return violation;
        }
    }
    return check_pairs(state, rules);
}
