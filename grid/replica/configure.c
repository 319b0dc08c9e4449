#include "wire/assert.h"

#include "grid/replica/state.h"

void configure_lease(struct replica *replica)
{
    const struct configuration *configuration = &replica->configuration;
    struct replica_action *action;

    if (replica->options.alone) {
        return; /* there is nobody to grant anything */
    }
    action = actions_add(replica, REPLICA_LEASE);
    qn_assert(action);
    action->epoch = replica->promised;
    action->lease.lineage = replica->lineage;
    if (!replica->lead) {
        return;
    }
    replica_set members = lead_electors(replica, true);
    action->lease.leading = replica->epoch;
    for (uint8_t i = 0; i < configuration->replica_count; i++) {
        if (members & 1u << i) {
            action->lease.members[action->lease.member_count++] = configuration->replicas[i];
        }
    }
}

void configure_step_down(struct replica *replica, const char *why)
{
    confirm_end(replica, QN_NOT_LEADER, why);
    undo_leadership(replica, why);
    lead_destroy(replica);
    replica->follow = (struct follow){0};
    replica_move(replica, REPLICA_FOLLOWER);
}

/* Is this copy named where only complete copies are? */
static bool named(const struct configuration *configuration, uint32_t node)
{
    return configuration->leader == node ||
           configuration_in(configuration, configuration->isr, node) ||
           configuration_in(configuration, configuration->elr, node);
}

static void promise(struct replica *replica, uint64_t epoch)
{
    struct replica_action *action;

    replica->promised = epoch;
    configure_lease(replica);
    action = actions_add(replica, REPLICA_PROMISE);
    qn_assert(action);
    action->epoch = epoch;
}

/* B.15: an unclean copy takes part once a configuration that was read after it registered names it
 * nowhere; until then nobody can count on what it may have forgotten. */
static void admit(struct replica *replica, const struct replica_event *event)
{
    const struct configuration *configuration = event->configuration;

    if (!event->fresh || named(configuration, replica->options.node)) {
        return;
    }
    replica_move(replica, REPLICA_FOLLOWER);
    if (configuration->epoch > replica->promised) {
        promise(replica, configuration->epoch);
    }
}

static bool named_leader(const struct replica *replica, const struct configuration *configuration)
{
    if (configuration->leader != replica->options.node) {
        return false;
    }
    if (MUTANT(RESUME)) {
        return !replica->lead && configuration->epoch >= replica->promised;
    }
    return configuration->leader_incarnation == replica->options.incarnation &&
           configuration->epoch > replica->promised;
}

static void adopt(struct replica *replica, const struct configuration *configuration)
{
    replica->configuration = *configuration;
    replica->epoch = configuration->epoch;
    replica->lineage = configuration->lineage;
    replica->leader = configuration->leader;
}

/* B.9, steps 1 and 2. */
static enum qn_status open_epoch(struct replica *replica, const struct replica_event *event)
{
    const struct configuration *configuration = event->configuration;
    struct record record = replica_next_record(replica, RECORD_EPOCH_START, event);
    struct lead *lead;

    record.epoch = configuration->epoch;
    if (!replica->lead) { /* the log's time stood still while somebody else led, or nobody */
        record.log_time_ms = replica->last.log_time_ms;
    }
    enum qn_status status = lead_create(replica, &lead);
    if (status != QN_OK) {
        return status;
    }
    status = apply_stage(replica, &record, NULL);
    if (status != QN_OK) {
        tail_fini(&lead->tail);
        alloc_put(replica->options.alloc, lead, sizeof *lead);
        return status;
    }
    if (replica->lead) {
        configure_step_down(replica, "the partition begins a new epoch: ask again");
    }
    replica_move(replica, REPLICA_OPENING);
    replica->lead = lead;
    replica->promised = configuration->epoch;
    replica->opened_index = record.index;
    replica->log_base_ms = record.log_time_ms;
    replica->opened_at_ms = event->now_ms;
    adopt(replica, configuration);
    lead_remap(replica, NULL);
    configure_lease(replica);
    actions_append(replica, &record);
    lead_advance(replica);
    return QN_OK;
}

/* "I answer nothing more": the successor need not wait for what it granted (B.6). */
static void release(struct replica *replica, const struct configuration *next)
{
    struct wire_peer peer = {
        .kind = WIRE_PEER_RELEASE,
        .partition = replica->options.partition,
        .lineage = replica->lineage,
        .epoch = replica->epoch,
    };

    actions_send(replica, next->leader, next->leader_incarnation, &peer);
}

static void follow_other(struct replica *replica, const struct configuration *configuration)
{
    bool led = replica->role == REPLICA_LEADING;

    if (replica->lead) {
        configure_step_down(replica, "the partition has another leader now: ask again");
        configure_lease(replica);
        if (led && configuration->leader != replica->options.node) {
            release(replica, configuration);
        }
    } else if (replica->role == REPLICA_SCAN) {
        replica_move(replica, REPLICA_FOLLOWER);
    }
    adopt(replica, configuration);
}

/* The sets of the epoch that is led here have changed. */
static void lead_on(struct replica *replica, const struct configuration *configuration)
{
    struct configuration before = replica->configuration;

    adopt(replica, configuration);
    lead_remap(replica, &before);
    configure_lease(replica);
    lead_advance(replica);
}

enum qn_status configure_step(struct replica *replica, const struct replica_event *event)
{
    const struct configuration *configuration = event->configuration;
    enum qn_status status = QN_OK;

    if (replica->role == REPLICA_WAIT_ADMIT) {
        admit(replica, event);
    }
    if (configuration->version <= replica->configuration.version) {
        return QN_OK;
    }
    if (replica->restore.begun) {
        replica_fail(replica, "the start ended in the middle of a snapshot");
    }
    if (replica->role == REPLICA_FAULTED || replica->role == REPLICA_WAIT_ADMIT) {
        /* Takes no part, but its refusals are stamped with the epoch in force: clients ignore older
         * ones. */
        adopt(replica, configuration);
    } else if (named_leader(replica, configuration)) {
        status = open_epoch(replica, event);
    } else if (replica->lead && configuration->epoch == replica->epoch) {
        lead_on(replica, configuration);
    } else {
        follow_other(replica, configuration);
    }
    return status;
}
