#include "grid/replica/replica.h"

#include "wire/assert.h"

#include "grid/replica/state.h"

void replica_move(struct replica *replica, enum replica_role to)
{
    static const unsigned allowed[] = {
        [REPLICA_SCAN] = 1u << REPLICA_SCAN | 1u << REPLICA_FOLLOWER | 1u << REPLICA_OPENING,
        [REPLICA_FOLLOWER] = 1u << REPLICA_FOLLOWER | 1u << REPLICA_OPENING,
        [REPLICA_OPENING] = 1u << REPLICA_LEADING | 1u << REPLICA_FOLLOWER,
        [REPLICA_LEADING] = 1u << REPLICA_FOLLOWER,
        [REPLICA_WAIT_ADMIT] = 1u << REPLICA_FOLLOWER,
        [REPLICA_FAULTED] = 1u << REPLICA_FOLLOWER, /* by replica_reset */
    };

    qn_assert(to == REPLICA_FAULTED || (allowed[replica->role] & 1u << to));
    replica->role = to;
}

bool replica_over_limit(const struct replica *replica, size_t more)
{
    size_t max = replica->options.limits.uncommitted_max_bytes;
    size_t waiting = replica->uncommitted_bytes;

    return max == 0 || (waiting > 0 && waiting + more > max);
}

int64_t replica_ttl_left(const struct replica *replica, const struct entry *entry)
{
    int64_t expires_at_ms = entry_expires_at_ms(entry);
    int64_t time_ms = replica->committed.wall_time_ms;

    if (expires_at_ms == INT64_MAX) {
        return 0;
    }
    if (expires_at_ms <= time_ms) {
        return 1;
    }
    uint64_t left_ms = (uint64_t)expires_at_ms - (uint64_t)time_ms;
    return left_ms < INT64_MAX ? (int64_t)left_ms : INT64_MAX;
}

int64_t replica_log_time(const struct replica *replica, int64_t now_ms)
{
    int64_t log_ms = replica->log_base_ms + (now_ms - replica->opened_at_ms);

    return log_ms > replica->last.log_time_ms ? log_ms : replica->last.log_time_ms;
}

struct record replica_next_record(const struct replica *replica, enum record_type type,
                                  const struct replica_event *event)
{
    return (struct record){
        .type = (uint8_t)type,
        .partition = replica->options.partition,
        .epoch = replica->epoch,
        .index = replica->last_index + 1,
        .prev_epoch = replica->last.epoch,
        .commit = replica->commit_index,
        .log_time_ms = replica_log_time(replica, event->now_ms),
        .wall_time_ms = event->wall_ms > replica->last.wall_time_ms ? event->wall_ms
                                                                    : replica->last.wall_time_ms,
    };
}

enum qn_status replica_create(const struct replica_options *options, struct replica **replica)
{
    struct replica *made = alloc_get_zeroed(options->alloc, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->options = *options;
    made->role = options->unclean ? REPLICA_WAIT_ADMIT : REPLICA_SCAN;
    made->next_deadline_ms = INT64_MAX;
    made->views.publish_by_ms = INT64_MAX;
    made->last.wall_time_ms = INT64_MIN;
    made->committed.wall_time_ms = INT64_MIN;
    tally_init(&made->entry_memory, options->alloc);
    tally_init(&made->table_memory, options->alloc);
    sessions_init(&made->sessions, &made->table_memory.alloc);
    ring_init(&made->flights, options->alloc, sizeof(struct flight));
    expired_init(&made->expired, options->alloc);
    epochs_init(&made->epochs, options->alloc);
    if (store_create(&made->entry_memory.alloc, &made->store) != QN_OK ||
        actions_reserve(made, 1) != QN_OK) {
        goto fail;
    }
    *replica = made;
    return QN_OK;

fail:
    replica_destroy(made);
    return QN_MEMORY_FULL;
}

/* The process ends: nobody is told. */
static void drop_reads(struct replica *replica)
{
    while (replica->lead && replica->lead->reads.count > 0) {
        const struct reading *front = ring_at(&replica->lead->reads, 0);
        alloc_put(replica->options.alloc, front->key, front->key_size);
        ring_pop_front(&replica->lead->reads);
    }
}

void replica_destroy(struct replica *replica)
{
    if (!replica) {
        return;
    }
    struct alloc *alloc = replica->options.alloc;
    replica_snapshot_end(replica);
    drop_reads(replica);
    lead_destroy(replica);
    epochs_fini(&replica->epochs);
    store_destroy(replica->store);
    sessions_fini(&replica->sessions);
    ring_fini(&replica->flights);
    expired_fini(&replica->expired);
    scratch_release(replica);
    alloc_put(alloc, replica->actions, replica->action_capacity * sizeof *replica->actions);
    qn_assert(replica->entry_memory.alloc.bytes == 0);
    qn_assert(replica->table_memory.alloc.bytes == 0);
    alloc_put(alloc, replica, sizeof *replica);
}

bool replica_continues(const struct replica *replica, const struct record *record)
{
    bool begins = record->type == RECORD_EPOCH_START;

    return record->partition == replica->options.partition &&
           record->index == replica->last_index + 1 && record->prev_epoch == replica->last.epoch &&
           (begins ? record->epoch > replica->last.epoch
                   : record->epoch == replica->last.epoch && record->epoch > 0) &&
           record->log_time_ms >= replica->last.log_time_ms &&
           record->wall_time_ms >= replica->last.wall_time_ms;
}

static void raise_promise(struct replica *replica, uint64_t epoch)
{
    if (epoch > replica->promised) {
        replica->promised = epoch;
    }
}

void replica_recover_promise(struct replica *replica, uint64_t epoch)
{
    raise_promise(replica, epoch);
}

/* A record of this copy alone. */
static enum qn_status recover_local(struct replica *replica, const struct record *record)
{
    if (record->partition != replica->options.partition) {
        return QN_CORRUPT;
    }
    if (record->type == RECORD_PROMISE) {
        raise_promise(replica, record->epoch);
    } else if (record->type == RECORD_TRUNCATE && record->index < replica->last_index) {
        if (record->index < replica->commit_index) {
            return QN_CORRUPT;
        }
        undo_to(replica, record->index);
    }
    return QN_OK;
}

/* What the log proves to be committed: everything, if there never was another copy. */
static void recover_commit(struct replica *replica, const struct record *record)
{
    uint64_t index = replica->options.alone ? record->index : record->commit;

    replica->durable_index = record->index;
    if (index > replica->commit_index && index <= replica->last_index) {
        apply_commit(replica, index);
    }
}

enum qn_status replica_recover(struct replica *replica, const struct record *record)
{
    qn_assert(replica->role == REPLICA_FAULTED || replica->leader == 0);
    actions_begin(replica);
    if (replica->role == REPLICA_FAULTED || replica->restore.begun) {
        return QN_CORRUPT;
    }
    if (record_is_local(record->type)) {
        return recover_local(replica, record);
    }
    if (record->index <= replica->restored_index &&
        record->partition == replica->options.partition) {
        return QN_OK;
    }
    if (!replica_continues(replica, record)) {
        return QN_CORRUPT;
    }
    enum qn_status status = apply_stage(replica, record, NULL);
    if (status != QN_OK) {
        return status;
    }
    replica->epoch = record->epoch;
    raise_promise(replica, record->epoch);
    recover_commit(replica, record);
    return QN_OK;
}

void replica_reset(struct replica *replica)
{
    replica_snapshot_end(replica);
    qn_assert(!replica->lead);
    views_fini(replica);
    while (replica->flights.count > 0) {
        ring_pop_back(&replica->flights);
    }
    sessions_fini(&replica->sessions);
    sessions_init(&replica->sessions, &replica->table_memory.alloc);
    store_clear(replica->store);
    epochs_cut(&replica->epochs, 0);
    expired_undo(&replica->expired, 0);
    replica->restore = (struct restore){0};
    replica->uncommitted_bytes = 0;
    replica->last_index = 0;
    replica->commit_index = 0;
    replica->durable_index = 0;
    replica->restored_index = 0;
    replica->proved_ms = 0;
    replica->proof_ms = 0;
    replica->last = (struct log_point){.wall_time_ms = INT64_MIN};
    replica->committed = replica->last;
    replica->follow.synced = 0;
    replica->follow.needs_snapshot = false;
    if (replica->role == REPLICA_FAULTED) {
        replica_move(replica, REPLICA_FOLLOWER);
    }
}

const struct wire_epoch *replica_history(const struct replica *replica, size_t *count)
{
    *count = replica->epochs.count;
    return replica->epochs.list;
}

void replica_fail(struct replica *replica, const char *why)
{
    struct replica_action *action;

    if (replica->role == REPLICA_FAULTED) {
        return;
    }
    if (replica->lead) {
        confirm_end(replica, QN_CORRUPT, why);
        undo_leadership(replica, why);
        lead_destroy(replica);
    }
    replica_move(replica, REPLICA_FAULTED);
    replica->alarm = why;
    action = actions_add(replica, REPLICA_ALARM);
    if (action) {
        action->text = why;
    }
}

/* -- events -- */

static void on_durable(struct replica *replica, const struct replica_event *event)
{
    uint64_t index = event->durable_index;

    if (index > replica->last_index ||
        (epochs_at(&replica->epochs, index) != event->durable_epoch && !MUTANT(OLDDURABLE))) {
        return; /* of a record that was cut off since */
    }
    if (index > replica->durable_index) {
        replica->durable_index = index;
        replica->follow.ack = replica->follow.synced != 0;
    }
    if (replica->lead) {
        lead_durable(replica, event->durable_epoch, index);
    }
}

static void on_tick(struct replica *replica, const struct replica_event *event)
{
    apply_give_up(replica, event->now_ms,
                  "not on disk before the deadline: repeat it under the same sequence number");
    views_tick(replica);
    if (!replica->lead) {
        return;
    }
    const char *text;
    if (replica->role == REPLICA_LEADING && event->append &&
        lead_refuses(replica, &text) == QN_OK) {
        upkeep_tick(replica, event);
    }
    lead_tick(replica);
}

static void on_fault(struct replica *replica)
{
    apply_give_up(replica, INT64_MAX, "the partition's log failed before the answer");
    replica_fail(replica, "the partition's log is damaged");
}

static void on_peer(struct replica *replica, const struct replica_event *event)
{
    if (replica->lead) {
        lead_receive(replica, event);
    }
    follow_receive(replica, event);
}

static void on_flush(struct replica *replica)
{
    if (replica->lead) {
        lead_flush(replica);
    } else {
        follow_flush(replica);
    }
}

/* Answers to what a leader asked of its host; void when it leads no more. */
static void on_lead_event(struct replica *replica, const struct replica_event *event)
{
    if (!replica->lead) {
        return;
    }
    switch ((int)event->kind) {
    case REPLICA_RECORDS:
        lead_records(replica, event);
        break;
    case REPLICA_PROPOSED:
        propose_ended(replica, event->status);
        break;
    case REPLICA_CONFIRMED:
        confirm_answered(replica, event);
        break;
    case REPLICA_NODE:
        lead_restarted(replica, event->from, event->from_incarnation);
        break;
    default:
        lead_transferred(replica, event->from);
        break;
    }
}

/* What the host knows of leases and of the age of this state. */
static void look(struct replica *replica, const struct replica_event *event)
{
    replica->now_ms = event->now_ms;
    replica->lease_until_ms = event->lease_until_ms;
    replica->granted_until_ms = event->granted_until_ms;
    replica->coordinator_away = event->coordinator_away;
    if (event->proof_ms > replica->proof_ms) {
        replica->proof_ms = event->proof_ms;
        replica->proof_index = event->proof_index;
    }
    if (replica->proof_ms > replica->proved_ms && replica->commit_index >= replica->proof_index) {
        replica->proved_ms = replica->proof_ms;
    }
}

static enum qn_status handle(struct replica *replica, const struct replica_event *event)
{
    switch (event->kind) {
    case REPLICA_CONFIGURATION:
        return configure_step(replica, event);
    case REPLICA_REQUEST:
        request_step(replica, event);
        break;
    case REPLICA_PEER:
        on_peer(replica, event);
        break;
    case REPLICA_DURABLE:
        on_durable(replica, event);
        break;
    case REPLICA_PROMISED:
        follow_promised(replica, event->durable_epoch);
        break;
    case REPLICA_RECORDS:
    case REPLICA_PROPOSED:
    case REPLICA_CONFIRMED:
    case REPLICA_TRANSFERRED:
    case REPLICA_NODE:
        on_lead_event(replica, event);
        break;
    case REPLICA_FLUSH:
        on_flush(replica);
        break;
    case REPLICA_TICK:
        on_tick(replica, event);
        break;
    case REPLICA_FAULT:
        on_fault(replica);
        break;
    case REPLICA_PUBLISH:
        views_publish(replica);
        break;
    case REPLICA_DROP:
        return upkeep_drop(replica, event);
    }
    return QN_OK;
}

/* Room for what an event may lead to besides records: an answer to everybody who waits, and a few
 * messages. */
static bool room(struct replica *replica)
{
    size_t waiting = replica->flights.count + (replica->lead ? replica->lead->reads.count : 0);

    return actions_reserve(replica, waiting + (replica->options.alone ? 4 : 16)) == QN_OK;
}

/* Comes again if nothing is done about it, or is asked for again. The others need no more room than
 * was made when somebody began to wait. */
static bool may_wait(enum replica_event_kind kind)
{
    switch (kind) {
    case REPLICA_CONFIGURATION:
    case REPLICA_PEER:
    case REPLICA_RECORDS:
    case REPLICA_CONFIRMED:
    case REPLICA_TRANSFERRED:
    case REPLICA_FLUSH:
    case REPLICA_DROP:
        return true;
    case REPLICA_REQUEST:
    case REPLICA_DURABLE:
    case REPLICA_PROMISED:
    case REPLICA_PROPOSED:
    case REPLICA_NODE:
    case REPLICA_TICK:
    case REPLICA_FAULT:
    case REPLICA_PUBLISH:
        break;
    }
    return false;
}

enum qn_status replica_step(struct replica *replica, const struct replica_event *event,
                            struct replica_actions *actions)
{
    actions_begin(replica);
    look(replica, event);
    if (!room(replica) && may_wait(event->kind)) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = handle(replica, event);
    if (replica->lead && !replica->options.durable) {
        lead_advance(replica); /* what was appended counts at once */
    }
    if (status == QN_OK) {
        actions_finish(replica);
        *actions =
            (struct replica_actions){.list = replica->actions, .count = replica->action_count};
    }
    return status;
}

static enum qn_status write_status(const struct replica *replica)
{
    const char *text;

    switch (replica->role) {
    case REPLICA_LEADING:
        return lead_refuses(replica, &text);
    case REPLICA_OPENING:
    case REPLICA_WAIT_ADMIT:
        return QN_RECOVERING;
    case REPLICA_FAULTED:
        return QN_CORRUPT;
    case REPLICA_SCAN:
    case REPLICA_FOLLOWER:
        break;
    }
    return QN_NOT_LEADER;
}

static void stats_of_copies(const struct replica *replica, struct replica_stats *stats)
{
    const struct configuration *configuration = &replica->configuration;

    stats->promised = replica->promised;
    stats->leader = replica->leader;
    stats->configuration = *configuration;
    stats->write = write_status(replica);
    for (unsigned i = 0; replica->lead && i < configuration->replica_count; i++) {
        stats->match[i] = configuration->replicas[i] == replica->options.node
                              ? replica->durable_index
                              : replica->lead->members[i].match;
    }
}

void replica_stats(const struct replica *replica, struct replica_stats *stats)
{
    *stats = (struct replica_stats){
        .role = replica->role,
        .epoch = replica->epoch,
        .lineage = replica->lineage,
        .last_index = replica->last_index,
        .commit_index = replica->commit_index,
        .entries = store_count_all(replica->store),
        .entry_bytes = replica->entry_memory.alloc.bytes,
        .table_bytes = replica->table_memory.alloc.bytes,
        .uncommitted_bytes = replica->uncommitted_bytes,
        .sessions = replica->sessions.count,
        .view = store_view(replica->store),
        .pins = (uint32_t)store_pin_count(replica->store),
        .history_bytes = store_history_bytes(replica->store),
        .published = replica->views.published,
        .expired = replica->expired.count,
        .cursors_expired = replica->views.cursors_expired,
        .partition_time_ms = replica->committed.wall_time_ms,
    };
    stats_of_copies(replica, stats);
}

bool replica_sweep(struct replica *replica, size_t slots_max)
{
    return store_sweep(replica->store, slots_max);
}

uint64_t replica_cache_bytes(const struct replica *replica, uint32_t cache)
{
    return store_cache_figures(replica->store, cache).bytes;
}

bool replica_cache_at(const struct replica *replica, size_t i, struct replica_cache *figures)
{
    struct store_cache of_store;

    if (!store_cache_at(replica->store, i, &of_store)) {
        return false;
    }
    *figures = (struct replica_cache){
        .cache = of_store.cache,
        .entries = of_store.entries,
        .bytes = of_store.bytes,
        .expired = expired_count(&replica->expired, of_store.cache),
    };
    return true;
}
