#include "wire/assert.h"

#include "grid/replica/state.h"

enum {
    SEND_BYTES_MAX = 1024 * 1024,     /* records of one REPLICATE */
    WINDOW_RECORDS = 8192,            /* sent and not acknowledged, for one member */
    READ_BYTES_MAX = 256 * 1024,      /* of the log, for one that is far behind */
    READ_PATIENCE_MS = 10000,         /* the host must have read it by then */
    NEVER = 0,                        /* of a moment: nothing was sent yet */
    TAIL_BYTES_MAX = 8 * 1024 * 1024, /* beyond it the slow ones have to read the log */
};

enum qn_status lead_create(struct replica *replica, struct lead **lead)
{
    struct lead *made = alloc_get_zeroed(replica->options.alloc, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    tail_init(&made->tail, replica->options.alloc, replica->last_index + 1);
    ring_init(&made->reads, replica->options.alloc, sizeof(struct reading));
    *lead = made;
    return QN_OK;
}

void lead_destroy(struct replica *replica)
{
    struct lead *lead = replica->lead;

    if (!lead) {
        return;
    }
    qn_assert(lead->reads.count == 0);
    tail_fini(&lead->tail);
    ring_fini(&lead->reads);
    alloc_put(replica->options.alloc, lead, sizeof *lead);
    replica->lead = NULL;
}

static bool is_me(const struct replica *replica, unsigned place)
{
    return replica->configuration.replicas[place] == replica->options.node;
}

static replica_set me(const struct replica *replica)
{
    int place = configuration_place(&replica->configuration, replica->options.node);

    return (replica_set)(place < 0 ? 0u : 1u << place);
}

static struct member *member_of(const struct replica *replica, uint32_t node)
{
    int place = configuration_place(&replica->configuration, node);

    return place < 0 ? NULL : &replica->lead->members[place];
}

static struct member fresh_member(const struct replica *replica, uint32_t node)
{
    return (struct member){.node = node, .moved_ms = replica->now_ms, .sent_ms = NEVER};
}

void lead_remap(struct replica *replica, const struct configuration *before)
{
    const struct configuration *now = &replica->configuration;
    struct member members[CONFIGURATION_REPLICAS_MAX] = {0};

    for (unsigned i = 0; i < now->replica_count; i++) {
        int place = before ? configuration_place(before, now->replicas[i]) : -1;
        members[i] =
            place < 0 ? fresh_member(replica, now->replicas[i]) : replica->lead->members[place];
    }
    memcpy(replica->lead->members, members, sizeof members);
    replica->lead->pending = 0; /* another version: no change of the old one can come true (I9) */
    replica->lead->proposing = false;
}

replica_set lead_electors(const struct replica *replica, bool for_lease)
{
    const struct configuration *configuration = &replica->configuration;
    replica_set set = configuration->isr | replica->lead->pending;
    bool without_elr = for_lease ? MUTANT(LEASENOELR) : MUTANT(READNOELR);

    if (!without_elr) {
        set |= configuration->elr;
    }
    return (replica_set)(set & ~me(replica));
}

/* -- commit -- */

/* Up to where this copy itself counts. */
static uint64_t own_match(const struct replica *replica)
{
    return replica->options.durable ? replica->durable_index : replica->last_index;
}

/* Who must have an entry before it is committed: a change in flight may already be true. */
static replica_set committers(const struct replica *replica)
{
    replica_set set = replica->configuration.isr;

    if (!MUTANT(NOUNION)) {
        set |= replica->lead->pending;
    }
    return set;
}

static uint64_t acknowledged(const struct replica *replica)
{
    replica_set set = committers(replica);
    uint64_t least = own_match(replica);

    for (unsigned i = 0; i < replica->configuration.replica_count; i++) {
        const struct member *member = &replica->lead->members[i];
        if (!replica_set_has(set, i) || is_me(replica, i)) {
            continue;
        }
        uint64_t match = member->state == MEMBER_PROBING ? 0 : member->match;
        least = match < least ? match : least;
    }
    return least;
}

bool lead_has_waited(const struct replica *replica)
{
    return replica->lead->released || replica->granted_until_ms <= replica->now_ms ||
           MUTANT(LEASENOWAIT);
}

/* B.9.5: the epoch is open once its start is committed and no lease to an older leader can run. */
static void open_if_ready(struct replica *replica)
{
    bool started = replica->commit_index >= replica->opened_index || MUTANT(READNOSTART);

    if (replica->role == REPLICA_OPENING && started && lead_has_waited(replica)) {
        replica_move(replica, REPLICA_LEADING);
        views_publish(replica);
    }
}

void lead_advance(struct replica *replica)
{
    const struct configuration *configuration = &replica->configuration;
    uint64_t index = acknowledged(replica);
    bool enough = replica_set_count(configuration->isr) >= replica->options.min_isr;

    if (enough && index > replica->commit_index && index >= replica->opened_index) {
        apply_commit(replica, index);
        tail_trim(&replica->lead->tail, index);
    }
    open_if_ready(replica);
}

void lead_durable(struct replica *replica, uint64_t epoch, uint64_t index)
{
    if (epoch == replica->epoch && index >= replica->opened_index) {
        replica->lead->start_durable = true;
    }
    lead_advance(replica);
}

enum qn_status lead_refuses(const struct replica *replica, const char **text)
{
    const struct configuration *configuration = &replica->configuration;
    replica_set set = committers(replica);

    if (replica->coordinator_away) {
        *text = "the coordination service is away, and this grid refuses writes until it is back";
        return QN_NO_COORDINATOR;
    }
    if (replica_set_count(configuration->isr) < replica->options.min_isr && !MUTANT(SKIPCOUNT)) {
        *text = "fewer copies are in sync than cluster.min_isr asks for: bring nodes back";
        return QN_NOT_ENOUGH_REPLICAS;
    }
    for (unsigned i = 0; i < configuration->replica_count; i++) {
        const struct member *member = &replica->lead->members[i];
        bool waits = member->state == MEMBER_PROBING || member->match < replica->last_index;
        if (replica_set_has(set, i) && !is_me(replica, i) && waits &&
            replica->now_ms - member->moved_ms >= replica->options.times.refuse_after_ms) {
            *text = "an in-sync copy does not answer and its removal is not confirmed: try again";
            return QN_NOT_ENOUGH_REPLICAS;
        }
    }
    return QN_OK;
}

/* -- sending -- */

static struct wire_peer peer_of(const struct replica *replica, enum wire_peer_kind kind)
{
    return (struct wire_peer){
        .kind = kind,
        .partition = replica->options.partition,
        .lineage = replica->lineage,
        .epoch = replica->epoch,
        .commit = replica->commit_index,
    };
}

static void send_epoch(struct replica *replica, struct member *member)
{
    struct wire_peer peer = peer_of(replica, WIRE_PEER_NEW_EPOCH);

    if (!replica->lead->start_durable ||
        (member->sent_ms != NEVER &&
         replica->now_ms - member->sent_ms < replica->options.times.resend_ms)) {
        return;
    }
    peer.history = replica->epochs.list;
    peer.history_count = replica->epochs.count;
    peer.index = replica->last_index;
    peer.index_epoch = replica->last.epoch;
    member->sent_ms = replica->now_ms;
    actions_send(replica, member->node, 0, &peer);
}

static void send_records(struct replica *replica, struct member *member, struct bytes records,
                         uint64_t last)
{
    struct wire_peer peer = peer_of(replica, WIRE_PEER_REPLICATE);

    peer.index = member->next - 1;
    peer.index_epoch = epochs_at(&replica->epochs, member->next - 1);
    peer.body = records;
    member->next = last + 1;
    member->told = replica->commit_index;
    member->sent_ms = replica->now_ms;
    actions_send(replica, member->node, member->incarnation, &peer);
}

static void ask_snapshot(struct replica *replica, struct member *member)
{
    struct replica_action *action = actions_add(replica, REPLICA_TRANSFER);

    if (action) {
        member->state = MEMBER_SNAPSHOT;
        member->sent_ms = replica->now_ms;
        action->to = member->node;
        action->to_incarnation = member->incarnation;
        action->epoch = replica->epoch;
    }
}

static void ask_read(struct replica *replica, struct member *member)
{
    if (epochs_at(&replica->epochs, member->next - 1) == UINT64_MAX) {
        ask_snapshot(replica, member);
        return;
    }
    struct replica_action *action = actions_add(replica, REPLICA_READ);
    if (action) {
        member->state = MEMBER_READING;
        member->sent_ms = replica->now_ms;
        action->to = member->node;
        action->index = member->next;
        action->size = READ_BYTES_MAX;
    }
}

static void send_more(struct replica *replica, struct member *member)
{
    uint64_t last;

    while (member->state == MEMBER_SENDING && member->next <= replica->last_index &&
           member->next - member->match <= WINDOW_RECORDS) {
        struct bytes records =
            tail_records(&replica->lead->tail, member->next, SEND_BYTES_MAX, &last);
        if (records.size == 0) {
            ask_read(replica, member);
            return;
        }
        if (actions_reserve(replica, 1) != QN_OK) {
            return;
        }
        send_records(replica, member, records, last);
    }
}

static void pump(struct replica *replica, struct member *member)
{
    switch (member->state) {
    case MEMBER_PROBING:
        send_epoch(replica, member);
        break;
    case MEMBER_SENDING:
        send_more(replica, member);
        break;
    case MEMBER_READING:
    case MEMBER_SNAPSHOT:
        break;
    }
}

/* Call `visit` with each other copy. */
static void each_member(struct replica *replica, void (*visit)(struct replica *, struct member *))
{
    for (unsigned i = 0; i < replica->configuration.replica_count; i++) {
        if (!is_me(replica, i)) {
            visit(replica, &replica->lead->members[i]);
        }
    }
}

void lead_flush(struct replica *replica)
{
    each_member(replica, pump);
    confirm_flush(replica);
    if (replica->lead->tail.end - replica->lead->tail.begin > TAIL_BYTES_MAX) {
        tail_trim(&replica->lead->tail, replica->last_index);
    }
}

/* Go back to what is acknowledged: something was lost on the way, or nothing is heard. */
static void resend(struct replica *replica, struct member *member)
{
    int64_t silent_ms = replica->now_ms - member->sent_ms; /* NEVER is long ago */

    if (member->state == MEMBER_READING && silent_ms >= READ_PATIENCE_MS) {
        member->state = MEMBER_SENDING;
    }
    if (member->state == MEMBER_SENDING && member->match + 1 < member->next &&
        replica->now_ms - member->moved_ms >= replica->options.times.resend_ms &&
        silent_ms >= replica->options.times.resend_ms) {
        member->next = member->match + 1;
    }
}

static void tick_member(struct replica *replica, struct member *member)
{
    if (member->state != MEMBER_PROBING && member->match >= replica->last_index) {
        member->moved_ms = replica->now_ms;
    }
    resend(replica, member);
    pump(replica, member);
    if (member->state == MEMBER_SENDING && member->told < replica->commit_index &&
        member->next > replica->last_index && actions_reserve(replica, 1) == QN_OK) {
        send_records(replica, member, bytes_of(NULL, 0), member->next - 1); /* the commit alone */
    }
}

void lead_tick(struct replica *replica)
{
    lead_advance(replica); /* a grant may have run out */
    each_member(replica, tick_member);
    confirm_tick(replica);
    propose_tick(replica);
}

/* -- receiving -- */

static void on_epoch_ack(struct replica *replica, struct member *member,
                         const struct replica_event *event)
{
    if (event->peer->index > replica->last_index) {
        return; /* of a log we do not know: it will be asked again */
    }
    member->incarnation = event->from_incarnation;
    member->match = event->peer->index;
    member->next = member->match + 1;
    member->told = 0;
    member->read_round = 0;
    member->faulty = false;
    member->moved_ms = replica->now_ms;
    member->state = MEMBER_SENDING;
    if (event->peer->why == WIRE_NAK_GAP) {
        member->match = 0;
        ask_snapshot(replica, member);
    }
    lead_advance(replica);
}

static void on_ack(struct replica *replica, struct member *member, uint64_t match)
{
    if (match > replica->last_index) {
        return;
    }
    if (match > member->match) {
        member->match = match;
        member->moved_ms = replica->now_ms;
        if (member->next <= match) {
            member->next = match + 1;
        }
        lead_advance(replica);
    }
}

static void probe(struct member *member)
{
    member->state = MEMBER_PROBING;
    member->sent_ms = NEVER;
}

static void on_nak(struct replica *replica, struct member *member, const struct wire_peer *peer)
{
    if (peer->why == WIRE_NAK_EPOCH && peer->epoch > replica->promised) {
        configure_step_down(replica, "another leader has been elected: ask again");
        configure_lease(replica);
        return;
    }
    if (peer->epoch != replica->epoch && peer->why != WIRE_NAK_NEED_EPOCH) {
        return; /* of an epoch before */
    }
    switch ((enum wire_nak)peer->why) {
    case WIRE_NAK_EPOCH:
        break;
    case WIRE_NAK_NEED_EPOCH:
    case WIRE_NAK_LINEAGE:
        probe(member);
        break;
    case WIRE_NAK_GAP:
        if (member->state == MEMBER_SENDING && peer->index + 1 < member->next) {
            member->next = peer->index >= member->match ? peer->index + 1 : member->match + 1;
        }
        break;
    case WIRE_NAK_DISK_FULL:
    case WIRE_NAK_CORRUPT:
        member->faulty = true;
        propose_tick(replica);
        break;
    case WIRE_NAK_RECOVERING:
    case WIRE_NAK_CLUSTER:
    case WIRE_NAK_BUSY:
    case WIRE_NAK_NONE:
        break;
    }
}

void lead_receive(struct replica *replica, const struct replica_event *event)
{
    const struct wire_peer *peer = event->peer;
    struct member *member = member_of(replica, event->from);

    if (!member || is_me(replica, (unsigned)(member - replica->lead->members)) ||
        (peer->epoch != replica->epoch && peer->kind != WIRE_PEER_NAK)) {
        return;
    }
    bool current = member->state != MEMBER_PROBING &&
                   (event->from_incarnation == member->incarnation || MUTANT(NOINCARNATION));
    switch (peer->kind) {
    case WIRE_PEER_NEW_EPOCH_ACK:
        if (member->state == MEMBER_PROBING || event->from_incarnation > member->incarnation) {
            on_epoch_ack(replica, member, event);
        }
        break;
    case WIRE_PEER_REPLICATE_ACK:
        if (current) {
            on_ack(replica, member, peer->index);
        }
        break;
    case WIRE_PEER_NAK:
        on_nak(replica, member, peer);
        break;
    case WIRE_PEER_READ_INDEX_ACK:
        confirm_received(replica, event->from, peer->round);
        break;
    case WIRE_PEER_SNAP_DONE:
        if (member->state == MEMBER_SNAPSHOT) {
            probe(member);
        }
        break;
    default:
        break;
    }
}

/* Whole records back to back: their last index, and whether they are what was asked for. */
static bool last_of(struct bytes records, uint64_t first, uint64_t *last)
{
    uint64_t next = first;

    while (records.size > 0) {
        struct record record;
        size_t size;
        if (record_decode(records, &record, &size) != QN_OK || record.index != next) {
            return false;
        }
        next++;
        records = bytes_of(records.data + size, records.size - size);
    }
    *last = next - 1;
    return next > first;
}

void lead_records(struct replica *replica, const struct replica_event *event)
{
    struct member *member = member_of(replica, event->from);
    uint64_t last;

    if (!member || member->state != MEMBER_READING || event->first != member->next) {
        return;
    }
    member->state = MEMBER_SENDING;
    if (event->status == QN_ABSENT) {
        ask_snapshot(replica, member);
    } else if (event->status == QN_OK && last_of(event->records, event->first, &last) &&
               last <= replica->last_index) {
        send_records(replica, member, event->records, last);
    }
}

void lead_transferred(struct replica *replica, uint32_t node)
{
    struct member *member = member_of(replica, node);

    if (member && member->state == MEMBER_SNAPSHOT) {
        probe(member);
    }
}

void lead_restarted(struct replica *replica, uint32_t node, uint32_t incarnation)
{
    struct member *member = member_of(replica, node);

    if (member && member->incarnation < incarnation && member->state != MEMBER_PROBING) {
        probe(member);
    }
}

void lead_probe_pending(struct replica *replica)
{
    for (unsigned i = 0; i < replica->configuration.replica_count; i++) {
        if (replica_set_has(replica->lead->pending, i) && !is_me(replica, i)) {
            probe(&replica->lead->members[i]);
        }
    }
}
