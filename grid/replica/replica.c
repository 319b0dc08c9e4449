#include "grid/replica/replica.h"

#include "wire/assert.h"

#include "grid/replica/state.h"

void replica_move(struct replica *replica, enum replica_role to)
{
    static const unsigned allowed[] = {
        [REPLICA_SCAN] = 1u << REPLICA_SCAN | 1u << REPLICA_OPENING | 1u << REPLICA_FAULTED,
        [REPLICA_OPENING] = 1u << REPLICA_OPENING | 1u << REPLICA_LEADING | 1u << REPLICA_SCAN |
                            1u << REPLICA_FAULTED,
        [REPLICA_LEADING] = 1u << REPLICA_OPENING | 1u << REPLICA_SCAN | 1u << REPLICA_FAULTED,
        [REPLICA_FAULTED] = 1u << REPLICA_FAULTED,
    };

    qn_assert(allowed[replica->role] & 1u << to);
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
    made->next_deadline_ms = INT64_MAX;
    made->views.publish_by_ms = INT64_MAX;
    made->last.wall_time_ms = INT64_MIN;
    made->committed.wall_time_ms = INT64_MIN;
    tally_init(&made->entry_memory, options->alloc);
    tally_init(&made->table_memory, options->alloc);
    sessions_init(&made->sessions, &made->table_memory.alloc);
    ring_init(&made->flights, options->alloc, sizeof(struct flight));
    expired_init(&made->expired, options->alloc);
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

void replica_destroy(struct replica *replica)
{
    if (!replica) {
        return;
    }
    struct alloc *alloc = replica->options.alloc;
    replica_snapshot_end(replica);
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

/* Is it the one record that may come next? */
static bool continues(const struct replica *replica, const struct record *record)
{
    bool begins = record->type == RECORD_EPOCH_START;

    return record->partition == replica->options.partition &&
           record->index == replica->last_index + 1 && record->prev_epoch == replica->last.epoch &&
           (begins ? record->epoch > replica->last.epoch
                   : record->epoch == replica->last.epoch && record->epoch > 0) &&
           record->log_time_ms >= replica->last.log_time_ms &&
           record->wall_time_ms >= replica->last.wall_time_ms;
}

enum qn_status replica_recover(struct replica *replica, const struct record *record)
{
    qn_assert(replica->role == REPLICA_FAULTED || replica->leader == 0);
    actions_begin(replica);
    if (replica->role == REPLICA_FAULTED || replica->restore.begun) {
        return QN_CORRUPT;
    }
    if (record->index <= replica->restored_index &&
        record->partition == replica->options.partition) {
        return QN_OK;
    }
    if (!continues(replica, record)) {
        return QN_CORRUPT;
    }
    enum qn_status status = apply_stage(replica, record, NULL);
    if (status != QN_OK) {
        return status;
    }
    /* A single copy: what its own log has on disk is committed. */
    replica->durable_index = record->index;
    replica->epoch = record->epoch;
    apply_commit(replica, record->index);
    return QN_OK;
}

/* -- events -- */

/* B.9, steps 2 to 4, for a single copy. */
static enum qn_status open_epoch(struct replica *replica, const struct replica_event *event)
{
    struct record record = replica_next_record(replica, RECORD_EPOCH_START, event);

    record.epoch = event->epoch;
    if (replica->role == REPLICA_SCAN) {
        /* The log's time stood still while there was no leader. */
        record.log_time_ms = replica->last.log_time_ms;
    }
    enum qn_status status = apply_stage(replica, &record, NULL);
    if (status != QN_OK) {
        return status;
    }
    replica_move(replica, REPLICA_OPENING);
    replica->opened_index = record.index;
    replica->log_base_ms = record.log_time_ms;
    replica->opened_at_ms = event->now_ms;
    actions_append(replica, &record);
    return QN_OK;
}

static enum qn_status on_configuration(struct replica *replica, const struct replica_event *event)
{
    enum qn_status status = QN_OK;

    if (event->epoch <= replica->epoch) {
        return QN_OK;
    }
    if (replica->restore.begun) {
        replica_move(replica, REPLICA_FAULTED); /* half a snapshot is no state */
    }
    if (replica->role == REPLICA_FAULTED) {
        /* Takes no part, but its refusals are stamped with the epoch in force: clients ignore older
         * ones. */
    } else if (event->leader == replica->options.node) {
        status = open_epoch(replica, event);
    } else {
        /* Nothing commits here any more, so nobody can be told how it ended. */
        replica_move(replica, REPLICA_SCAN);
        apply_give_up(replica, INT64_MAX, "the partition has another leader now: ask again");
    }
    if (status == QN_OK) {
        replica->epoch = event->epoch;
        replica->lineage = event->lineage;
        replica->leader = event->leader;
    }
    return status;
}

/* B.7.5 with ISR = {me}. */
static void on_durable(struct replica *replica, uint64_t index)
{
    qn_assert(index <= replica->last_index);
    if (index > replica->durable_index) {
        replica->durable_index = index;
    }
    if (replica->role != REPLICA_OPENING && replica->role != REPLICA_LEADING) {
        return;
    }
    if (replica->durable_index < replica->opened_index ||
        replica->durable_index == replica->commit_index) {
        return;
    }
    apply_commit(replica, replica->durable_index);
    if (replica->role == REPLICA_OPENING) {
        replica_move(replica, REPLICA_LEADING);
        views_publish(replica);
    }
}

static void on_tick(struct replica *replica, const struct replica_event *event)
{
    apply_give_up(replica, event->now_ms,
                  "not on disk before the deadline: repeat it under the same sequence number");
    views_tick(replica);
    if (replica->role == REPLICA_LEADING && event->append) {
        upkeep_tick(replica, event);
    }
}

static void on_fault(struct replica *replica)
{
    replica_move(replica, REPLICA_FAULTED);
    apply_give_up(replica, INT64_MAX, "the partition's log failed before the answer");
}

enum qn_status replica_step(struct replica *replica, const struct replica_event *event,
                            struct replica_actions *actions)
{
    enum qn_status status = QN_OK;

    actions_begin(replica);
    replica->now_ms = event->now_ms;
    switch (event->kind) {
    case REPLICA_CONFIGURATION:
        status = on_configuration(replica, event);
        break;
    case REPLICA_REQUEST:
        request_step(replica, event);
        break;
    case REPLICA_DURABLE:
        on_durable(replica, event->durable_index);
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
        status = upkeep_drop(replica, event);
        break;
    }
    if (status == QN_OK) {
        *actions =
            (struct replica_actions){.list = replica->actions, .count = replica->action_count};
    }
    return status;
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
