#include "tests/model/state.h"

#include <string.h>

void state_init(struct state *state, const struct rules *rules)
{
    memset(state, 0, sizeof *state);
    state->page[0] =
        (struct configuration){.epoch = 1, .isr = (uint8_t)(bit(rules->node_count) - 1)};
    state->version_count = 1;
    for (unsigned i = 0; i < rules->node_count; i++) {
        state->node[i].up = 1;
    }
}

bool state_configure(struct state *state, const struct rules *rules, struct configuration next)
{
    if (state->version_count >= rules->version_max) {
        return false;
    }
    state->page[state->version_count++] = next;
    return true;
}

uint8_t state_next_elr(const struct rules *rules, const struct configuration *now, uint8_t isr)
{
    if (size_of(isr) >= rules->min_isr && keeps(rules, RULE_CLEAR_ELR)) {
        return 0;
    }
    return without(now->elr | now->isr, isr);
}

void state_stop_leading(struct state *state, unsigned node)
{
    struct replica *replica = &state->node[node];
    if (state->read.running && state->read.epoch == replica->leads) {
        state->read = (struct read){.count = state->read.count};
    }
    replica->leads = 0;
    replica->version = 0;
    replica->pending = 0;
    replica->dropped = 0;
    replica->leases = 0;
    memset(replica->match, 0, sizeof replica->match);
    memset(replica->match_incarnation, 0, sizeof replica->match_incarnation);
}

bool state_waited(const struct rules *rules, const struct replica *leader)
{
    return !keeps(rules, RULE_LEASE_WAIT) || !without(leader->grants, bit(leader->leads));
}

uint8_t state_electable(const struct state *state, unsigned leader, bool with_elr)
{
    const struct replica *replica = &state->node[leader];
    const struct configuration *seen = &state->page[replica->version - 1];
    uint8_t set = seen->isr | replica->pending;
    if (with_elr) {
        set |= seen->elr;
    }
    return without(set, bit(leader));
}
