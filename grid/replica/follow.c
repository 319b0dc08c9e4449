#include "wire/assert.h"

#include "grid/replica/state.h"

static struct wire_peer answer_of(const struct replica *replica, enum wire_peer_kind kind)
{
    return (struct wire_peer){
        .kind = kind,
        .partition = replica->options.partition,
        .lineage = replica->lineage,
        .epoch = replica->promised,
        .applied = replica->commit_index,
    };
}

static void say_no(struct replica *replica, const struct replica_event *event, enum wire_nak why)
{
    struct wire_peer peer = answer_of(replica, WIRE_PEER_NAK);

    peer.why = why;
    peer.index = replica->last_index;
    peer.index_epoch = replica->last.epoch;
    actions_send(replica, event->from, event->from_incarnation, &peer);
}

/* What of the own log counts for others. */
static uint64_t own_match(const struct replica *replica)
{
    bool at_once = !replica->options.durable || MUTANT(ACKEARLY);

    return at_once ? replica->last_index : replica->durable_index;
}

/* -- NEW_EPOCH -- */

static void answer_epoch(struct replica *replica)
{
    struct follow *follow = &replica->follow;
    struct wire_peer peer = answer_of(replica, WIRE_PEER_NEW_EPOCH_ACK);

    peer.index = own_match(replica);
    peer.why = follow->needs_snapshot ? WIRE_NAK_GAP : WIRE_NAK_NONE;
    follow->ack_epoch = false;
    actions_send(replica, follow->leader, follow->leader_incarnation, &peer);
}

static void promise(struct replica *replica, uint64_t epoch)
{
    struct replica_action *action;

    if (replica->lead) {
        configure_step_down(replica, "another leader has been elected: ask again");
    } else if (replica->role == REPLICA_SCAN) {
        replica_move(replica, REPLICA_FOLLOWER);
    }
    replica->promised = epoch;
    configure_lease(replica);
    action = actions_add(replica, REPLICA_PROMISE);
    qn_assert(action);
    action->epoch = epoch;
    replica->follow = (struct follow){.promising = MUTANT(PROMISELATE) ? 0 : epoch};
}

static void cut(struct replica *replica, uint64_t index)
{
    struct replica_action *action;

    if (index >= replica->last_index) {
        return;
    }
    undo_to(replica, index);
    action = actions_add(replica, REPLICA_TRUNCATE);
    qn_assert(action);
    action->index = index;
}

/* Make the log a prefix of the leader's (B.9). */
static void reconcile(struct replica *replica, const struct replica_event *event)
{
    const struct wire_peer *peer = event->peer;
    struct follow *follow = &replica->follow;
    uint64_t common = epochs_common(&replica->epochs, replica->last_index, peer->history,
                                    peer->history_count, peer->index);

    if (MUTANT(TRUNCOMMIT)) {
        common = replica->commit_index;
    }
    if (common == UINT64_MAX ||
        (common < replica->commit_index && peer->lineage > replica->lineage)) {
        follow->needs_snapshot = true; /* nothing to begin with, or loss was accepted */
        return;
    }
    if (common < replica->commit_index) {
        replica_fail(replica, "the leader lacks changes that were committed here");
        return;
    }
    cut(replica, common);
    follow->synced = peer->epoch;
}

static void on_new_epoch(struct replica *replica, const struct replica_event *event)
{
    const struct wire_peer *peer = event->peer;
    struct follow *follow = &replica->follow;

    if (peer->epoch > replica->promised) {
        promise(replica, peer->epoch);
    }
    follow->leader = event->from;
    follow->leader_incarnation = event->from_incarnation;
    if (follow->synced != peer->epoch && !follow->needs_snapshot) {
        reconcile(replica, event);
    }
    if (replica->role == REPLICA_FAULTED) {
        say_no(replica, event, WIRE_NAK_CORRUPT);
    } else if (follow->promising != 0) {
        follow->ack_epoch = true;
    } else {
        answer_epoch(replica);
    }
}

void follow_promised(struct replica *replica, uint64_t epoch)
{
    struct follow *follow = &replica->follow;

    if (follow->promising != epoch) {
        return;
    }
    follow->promising = 0;
    if (follow->ack_epoch) {
        answer_epoch(replica);
    }
}

/* -- REPLICATE -- */

/* One record of the leader: new, or known already. False: stop here. */
static bool take(struct replica *replica, const struct record *record, struct bytes octets)
{
    if (record->index <= replica->last_index) {
        if (epochs_at(&replica->epochs, record->index) == record->epoch || MUTANT(NOFENCE)) {
            return true;
        }
        replica_fail(replica, "the leader has another record under the same number");
        return false;
    }
    if (!replica_continues(replica, record)) {
        replica_fail(replica, "a record of the leader does not follow the one before it");
        return false;
    }
    enum qn_status status = apply_stage(replica, record, NULL);
    if (status == QN_CORRUPT) {
        replica_fail(replica, "a record of the leader makes no sense here: the states differ");
    }
    if (status != QN_OK) {
        return false; /* without memory: the rest is sent again */
    }
    struct replica_action *action = actions_add(replica, REPLICA_APPEND);
    qn_assert(action); /* apply_stage has made room */
    action->record = *record;
    action->octets = octets;
    action->epoch = record->epoch;
    action->index = record->index;
    return true;
}

static void take_all(struct replica *replica, struct bytes body)
{
    while (body.size > 0) {
        struct record record;
        size_t size;
        if (record_decode(body, &record, &size) != QN_OK || record_is_local(record.type)) {
            return; /* damaged on the way: what is missing is sent again */
        }
        if (!take(replica, &record, bytes_of(body.data, size))) {
            return;
        }
        body = bytes_of(body.data + size, body.size - size);
    }
}

static void on_replicate(struct replica *replica, const struct replica_event *event)
{
    const struct wire_peer *peer = event->peer;
    struct follow *follow = &replica->follow;

    if (follow->synced != peer->epoch) {
        say_no(replica, event, WIRE_NAK_NEED_EPOCH);
        return;
    }
    if (peer->index > replica->last_index ||
        epochs_at(&replica->epochs, peer->index) != peer->index_epoch) {
        say_no(replica, event, WIRE_NAK_GAP);
        return;
    }
    take_all(replica, peer->body);
    uint64_t commit = peer->commit < replica->last_index ? peer->commit : replica->last_index;
    if (replica->role != REPLICA_FAULTED && commit > replica->commit_index) {
        apply_commit(replica, commit);
    }
    if (replica->role == REPLICA_FAULTED) {
        say_no(replica, event, WIRE_NAK_CORRUPT);
    } else {
        follow->ack = true;
    }
}

void follow_flush(struct replica *replica)
{
    struct follow *follow = &replica->follow;
    struct wire_peer peer = answer_of(replica, WIRE_PEER_REPLICATE_ACK);

    if (!follow->ack || follow->synced != replica->promised) {
        return;
    }
    follow->ack = false;
    peer.index = own_match(replica);
    actions_send(replica, follow->leader, follow->leader_incarnation, &peer);
}

/* -- the rest -- */

static void on_read_index(struct replica *replica, const struct replica_event *event)
{
    struct wire_peer peer = answer_of(replica, WIRE_PEER_READ_INDEX_ACK);

    if (event->peer->epoch == replica->promised && !replica->lead &&
        replica->follow.promising == 0) {
        peer.round = event->peer->round;
        actions_send(replica, event->from, event->from_incarnation, &peer);
    }
}

static void on_release(struct replica *replica, const struct replica_event *event)
{
    struct replica_action *action;

    if (event->peer->epoch >= replica->epoch && replica->lead) {
        return;
    }
    action = actions_add(replica, REPLICA_RELEASED);
    if (action) {
        action->epoch = event->peer->epoch;
    }
}

/* Is it of an epoch that was overtaken? Whoever sent it must know. */
static bool fenced(struct replica *replica, const struct replica_event *event)
{
    if (event->peer->epoch >= replica->promised || MUTANT(NOFENCE)) {
        return false;
    }
    say_no(replica, event, WIRE_NAK_EPOCH);
    return true;
}

static void receive(struct replica *replica, const struct replica_event *event)
{
    switch (event->peer->kind) {
    case WIRE_PEER_NEW_EPOCH:
        if (!fenced(replica, event)) {
            on_new_epoch(replica, event);
        }
        break;
    case WIRE_PEER_REPLICATE:
        if (!fenced(replica, event)) {
            on_replicate(replica, event);
        }
        break;
    case WIRE_PEER_READ_INDEX:
        if (!fenced(replica, event)) {
            on_read_index(replica, event);
        }
        break;
    case WIRE_PEER_RELEASE:
        on_release(replica, event);
        break;
    default:
        break;
    }
}

void follow_receive(struct replica *replica, const struct replica_event *event)
{
    enum wire_peer_kind kind = (enum wire_peer_kind)event->peer->kind;
    bool asks = kind == WIRE_PEER_NEW_EPOCH || kind == WIRE_PEER_REPLICATE;

    switch (replica->role) {
    case REPLICA_FAULTED:
        if (asks) {
            say_no(replica, event, WIRE_NAK_CORRUPT);
        }
        break;
    case REPLICA_WAIT_ADMIT:
        if (asks) {
            say_no(replica, event, WIRE_NAK_RECOVERING);
        }
        break;
    case REPLICA_SCAN:
    case REPLICA_FOLLOWER:
    case REPLICA_OPENING:
    case REPLICA_LEADING:
        receive(replica, event);
        break;
    }
}
