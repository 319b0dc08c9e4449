#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    READS_MAX = 4096,     /* that wait at one time, of one partition */
    ASK_SERVICE_MS = 100, /* a member does not confirm: ask the coordination service */
    GIVE_UP_MS = 2500,    /* the client does better to look for another leader */
    KEPT_BYTES = 4096,
};

bool confirm_leased(const struct replica *replica)
{
    replica_set electors = lead_electors(replica, true);

    if (electors == 0) {
        return replica->configuration.replica_count == 1;
    }
    return replica->lease_until_ms > replica->now_ms;
}

enum qn_status confirm_wait(struct replica *replica, const struct reading *reading,
                            struct bytes key)
{
    struct lead *lead = replica->lead;
    uint8_t *copy = NULL;

    if (lead->reads.count >= READS_MAX) {
        return QN_OVERLOADED;
    }
    if (key.size > 0) {
        copy = alloc_get(replica->options.alloc, key.size);
        if (!copy) {
            return QN_MEMORY_FULL;
        }
        memcpy(copy, key.data, key.size);
    }
    if (ring_reserve(&lead->reads, 1) != QN_OK ||
        actions_reserve(replica, replica->flights.count + lead->reads.count + 4) != QN_OK) {
        alloc_put(replica->options.alloc, copy, key.size);
        return QN_MEMORY_FULL;
    }
    struct reading *waiting = ring_push(&lead->reads);
    *waiting = *reading;
    waiting->key = copy;
    waiting->key_size = key.size;
    waiting->round = lead->round + 1; /* a round that begins after it came */
    waiting->since_ms = replica->now_ms;
    return QN_OK;
}

static void answer_decision(struct replica *replica, const struct reading *reading)
{
    const struct session *session =
        sessions_find(&replica->sessions, &reading->client, reading->session);
    const struct outcome *outcome = session ? session_outcome(session, reading->sequence) : NULL;

    if (outcome) {
        apply_reply_outcome(replica, reading->route, reading->op_id, outcome);
    } else {
        actions_reply(replica, reading->route, reading->op_id, QN_STALE_SEQ)->text =
            bytes_of_text("the client has taken the answer");
    }
}

static void pop(struct replica *replica)
{
    struct reading *front = ring_at(&replica->lead->reads, 0);

    alloc_put(replica->options.alloc, front->key, front->key_size);
    ring_pop_front(&replica->lead->reads);
}

/* Rounds up to this one were confirmed: leadership held after their reads had come. */
static void answer_up_to(struct replica *replica, uint64_t round)
{
    struct ring *reads = &replica->lead->reads;

    while (reads->count > 0) {
        const struct reading *front = ring_at(reads, 0);
        if (front->round > round) {
            break;
        }
        if (front->kind == WIRE_OP_GET || front->kind == WIRE_OP_CONTAINS) {
            request_answer(replica, front->route, front->op_id, front->kind, front->cache,
                           bytes_of(front->key, front->key_size));
        } else {
            answer_decision(replica, front);
        }
        pop(replica);
    }
    ring_trim(reads, KEPT_BYTES);
}

static bool room_to_answer(struct replica *replica)
{
    return actions_reserve(replica, replica->lead->reads.count + 4) == QN_OK;
}

/* The highest round that everybody who could be elected has confirmed. */
static uint64_t confirmed_round(const struct replica *replica)
{
    replica_set electors = lead_electors(replica, false);
    uint64_t least = electors == 0 ? 0 : replica->lead->round;
    unsigned behind = 0;

    for (unsigned i = 0; i < CONFIGURATION_REPLICAS_MAX; i++) {
        uint64_t round = replica->lead->members[i].read_round;
        if (replica_set_has(electors, i) && round < replica->lead->round) {
            least = round < least ? round : least;
            behind++;
        }
    }
    if (MUTANT(MAJREAD) && 2 * behind < replica_set_count(electors) + 1u) {
        return replica->lead->round;
    }
    return least;
}

void confirm_received(struct replica *replica, uint32_t node, uint64_t round)
{
    int place = configuration_place(&replica->configuration, node);
    struct member *member = place < 0 ? NULL : &replica->lead->members[place];

    if (!member || round > replica->lead->round || !room_to_answer(replica)) {
        return;
    }
    if (round > member->read_round) {
        member->read_round = round;
    }
    answer_up_to(replica, confirmed_round(replica));
}

void confirm_answered(struct replica *replica, const struct replica_event *event)
{
    const struct configuration *now = event->configuration;
    struct lead *lead = replica->lead;

    if (event->round != lead->confirm_round) {
        return;
    }
    lead->confirm_round = 0;
    if (event->status == QN_OK && now->epoch == replica->epoch &&
        now->leader == replica->options.node && room_to_answer(replica)) {
        answer_up_to(replica, event->round);
    }
}

static void ask_service(struct replica *replica)
{
    struct replica_action *action;

    if (replica->lead->confirm_round != 0 || actions_reserve(replica, 1) != QN_OK) {
        return;
    }
    action = actions_add(replica, REPLICA_CONFIRM);
    action->round = replica->lead->round;
    replica->lead->confirm_round = replica->lead->round;
}

static void ask_members(struct replica *replica)
{
    const struct configuration *configuration = &replica->configuration;
    replica_set electors = lead_electors(replica, false);
    struct wire_peer peer = {
        .kind = WIRE_PEER_READ_INDEX,
        .partition = replica->options.partition,
        .lineage = replica->lineage,
        .epoch = replica->epoch,
        .round = replica->lead->round,
    };

    for (unsigned i = 0; i < configuration->replica_count; i++) {
        const struct member *member = &replica->lead->members[i];
        if (replica_set_has(electors, i) && member->read_round < replica->lead->round &&
            actions_reserve(replica, 1) == QN_OK) {
            actions_send(replica, member->node, 0, &peer);
        }
    }
}

void confirm_flush(struct replica *replica)
{
    struct lead *lead = replica->lead;

    if (lead->reads.count == 0) {
        return;
    }
    if (confirm_leased(replica)) { /* of this moment, after they all had come */
        if (room_to_answer(replica)) {
            answer_up_to(replica, UINT64_MAX);
        }
        return;
    }
    const struct reading *newest = ring_at(&lead->reads, lead->reads.count - 1);
    if (newest->round <= lead->round) {
        return;
    }
    lead->round++;
    lead->round_ms = replica->now_ms;
    ask_members(replica);
    /* A member that was removed may be down, and nobody can be asked about oneself. */
    if (replica->configuration.elr != 0 || lead_electors(replica, false) == 0) {
        ask_service(replica);
    }
}

void confirm_tick(struct replica *replica)
{
    struct ring *reads = &replica->lead->reads;

    if (reads->count == 0 || !room_to_answer(replica)) {
        return;
    }
    if (replica->now_ms - replica->lead->round_ms >= ASK_SERVICE_MS) {
        ask_members(replica);
        ask_service(replica);
    }
    while (reads->count > 0) {
        const struct reading *front = ring_at(reads, 0);
        if (replica->now_ms < front->deadline_ms &&
            replica->now_ms - front->since_ms < GIVE_UP_MS) {
            break;
        }
        actions_reply(replica, front->route, front->op_id, QN_LEASE_LOST)->text =
            bytes_of_text("the leader could not confirm that it still leads: try again");
        pop(replica);
    }
}

void confirm_end(struct replica *replica, enum qn_status status, const char *why)
{
    while (replica->lead && replica->lead->reads.count > 0) {
        const struct reading *front = ring_at(&replica->lead->reads, 0);
        bool read = front->kind == WIRE_OP_GET || front->kind == WIRE_OP_CONTAINS;
        actions_reply(replica, front->route, front->op_id, read ? status : QN_INDETERMINATE)->text =
            bytes_of_text(why);
        pop(replica);
    }
}
