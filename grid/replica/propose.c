#include "grid/replica/state.h"

enum {
    BACKOFF_FIRST_MS = 1000,
    BACKOFF_MAX_MS = 60000,
    PROPOSAL_PATIENCE_MS = 2000, /* no word of a change: ask for it again */
};

static bool is_me(const struct replica *replica, unsigned place)
{
    return replica->configuration.replicas[place] == replica->options.node;
}

static void propose(struct replica *replica, const struct configuration *next, uint32_t checked,
                    uint32_t checked_incarnation)
{
    struct replica_action *action = actions_add(replica, REPLICA_PROPOSE);

    if (!action) {
        return;
    }
    replica->lead->proposing = true;
    replica->lead->proposed_ms = replica->now_ms;
    action->configuration = *next;
    action->to = checked;
    action->to_incarnation = checked_incarnation;
}

/* Has it had something to acknowledge for too long without doing so? */
static bool lags(const struct replica *replica, const struct member *member)
{
    bool waits = member->state == MEMBER_PROBING || member->match < replica->last_index;

    return member->faulty ||
           (waits && replica->now_ms - member->moved_ms >= replica->options.times.lag_max_ms);
}

static replica_set lagging(const struct replica *replica, replica_set among)
{
    replica_set set = 0;

    for (unsigned i = 0; i < replica->configuration.replica_count; i++) {
        if (replica_set_has(among, i) && !is_me(replica, i) &&
            lags(replica, &replica->lead->members[i])) {
            set |= (replica_set)(1u << i);
        }
    }
    return set;
}

/* Who was removed comes back later each time, so that a bad node does not stop the others again and
 * again. */
static void back_off(struct replica *replica, replica_set gone)
{
    for (unsigned i = 0; i < replica->configuration.replica_count; i++) {
        struct member *member = &replica->lead->members[i];
        if (replica_set_has(gone, i)) {
            int64_t doubled = member->backoff_ms * 2;
            member->backoff_ms = doubled < BACKOFF_FIRST_MS ? BACKOFF_FIRST_MS : doubled;
            member->backoff_ms =
                member->backoff_ms > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : member->backoff_ms;
            member->rejoin_ms = replica->now_ms + member->backoff_ms;
        }
    }
}

static bool shrink(struct replica *replica)
{
    const struct configuration *now = &replica->configuration;
    replica_set gone = lagging(replica, now->isr);
    struct configuration next;

    if (gone == 0 || configuration_shrink(now, gone, 0, replica->options.min_isr, &next) != QN_OK) {
        return false;
    }
    back_off(replica, gone);
    propose(replica, &next, 0, 0);
    return true;
}

/* A member that was being added has died: a version without it makes the change in flight fail. */
static bool cancel(struct replica *replica)
{
    struct configuration next;

    if (lagging(replica, replica->lead->pending) == 0 ||
        configuration_cancel(&replica->configuration, &next) != QN_OK) {
        return false;
    }
    propose(replica, &next, 0, 0);
    return true;
}

static bool complete(const struct replica *replica, unsigned place)
{
    const struct member *member = &replica->lead->members[place];

    if (member->state != MEMBER_SENDING || member->faulty || replica->now_ms < member->rejoin_ms) {
        return false;
    }
    return MUTANT(EXPANDEARLY) ||
           (member->match >= replica->commit_index && member->match >= replica->opened_index);
}

static bool expand(struct replica *replica)
{
    const struct configuration *now = &replica->configuration;
    replica_set pending = replica->lead->pending;
    struct configuration next;

    if (!lead_has_waited(replica) && !MUTANT(LEASEEXPAND)) {
        return false; /* who is added now would owe nothing to the older leader (B.9.5) */
    }
    for (unsigned i = 0; i < now->replica_count; i++) {
        const struct member *member = &replica->lead->members[i];
        bool other_pending = (pending & ~(1u << i)) != 0;
        if (replica_set_has(now->isr, i) || is_me(replica, i) || other_pending ||
            !complete(replica, i) ||
            configuration_expand(now, member->node, replica->options.min_isr, &next) != QN_OK) {
            continue;
        }
        replica->lead->pending |= (replica_set)(1u << i);
        configure_lease(replica);
        propose(replica, &next, member->node, member->incarnation);
        return true;
    }
    return false;
}

void propose_tick(struct replica *replica)
{
    struct lead *lead = replica->lead;

    if (lead->proposing && replica->now_ms - lead->proposed_ms < PROPOSAL_PATIENCE_MS) {
        return;
    }
    if (!lead->start_durable || actions_reserve(replica, 2) != QN_OK) {
        return;
    }
    if (!shrink(replica) && !cancel(replica)) {
        (void)expand(replica);
    }
}

/* A refused change is over, but another one may be true by now: `pending` stays until its
 * configuration comes (B.16). */
void propose_ended(struct replica *replica, enum qn_status status)
{
    if (status == QN_OK) {
        return; /* its configuration comes */
    }
    replica->lead->proposing = false;
    if (status == QN_CONFLICT) {
        lead_probe_pending(replica); /* perhaps a node has restarted since it acknowledged */
    }
}
