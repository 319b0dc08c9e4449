#include <stdlib.h>

#include "tests/unit/replica/world_parts.h"
#include "wire/assert.h"
#include "wire/hash.h"

enum { TRANSFER_MS = 2000 /* a snapshot is given so long */ };

static struct replica_limits limits(void)
{
    return (struct replica_limits){
        .key_size_max_bytes = 1024,
        .value_size_max_bytes = 1024,
        .uncommitted_max_bytes = 1024 * 1024,
        .session_ttl_ms = 3600000,
        .session_results_max = 64,
        .session_bytes_max = 65536,
        .soft_commit_ms = 1000,
        .pins_max = 2,
        .pin_ttl_ms = 10000,
        .history_max_bytes = 1024 * 1024,
    };
}

static void journal_add(struct node *node, const struct record *record)
{
    struct journal *journal = &node->journal;

    qn_assert(journal->count < JOURNAL_MAX);
    if (!journal->list) {
        journal->list = calloc(JOURNAL_MAX, sizeof *journal->list);
        qn_assert(journal->list);
    }
    enum qn_status status = record_encode(record, &journal->list[journal->count++]);
    qn_assert(status == QN_OK);
}

static void journal_local(struct node *node, uint8_t type, uint64_t epoch, uint64_t index)
{
    struct record record = {
        .type = type, .partition = WORLD_PARTITION, .epoch = epoch, .index = index};

    journal_add(node, &record);
}

/* The entry of the journal that has record `index` now; SIZE_MAX: none. */
static size_t journal_find(const struct node *node, uint64_t index)
{
    for (size_t i = node->journal.count; i > 0; i--) {
        struct record record;
        size_t size;
        enum qn_status status =
            record_decode(buf_bytes(&node->journal.list[i - 1]), &record, &size);
        qn_assert(status == QN_OK);
        if (!record_is_local(record.type) && record.index == index) {
            return i - 1;
        }
    }
    return SIZE_MAX;
}

static void restore(struct node *node)
{
    enum qn_status status;

    if (node->saved.head.index == 0) {
        return;
    }
    replica_recover_promise(node->replica, node->saved.promised);
    status = replica_restore(node->replica, &node->saved.head);
    qn_assert(status == QN_OK);
    status = replica_restore_part(node->replica, buf_bytes(&node->saved.octets));
    qn_assert(status == QN_OK);
}

static void recover(struct node *node)
{
    restore(node);
    for (size_t i = 0; i < node->journal.count; i++) {
        struct record record;
        size_t size;
        enum qn_status status = record_decode(buf_bytes(&node->journal.list[i]), &record, &size);
        qn_assert(status == QN_OK);
        status = replica_recover(node->replica, &record);
        qn_assert(status == QN_OK);
    }
}

void node_start(struct world *world, unsigned i)
{
    struct node *node = &world->nodes[i];

    node->incarnation++;
    node->up = true;
    alloc_init(&node->alloc);
    struct replica_options options = {
        .partition = WORLD_PARTITION,
        .node = i + 1,
        .incarnation = node->incarnation,
        .min_isr = world->options.min_isr,
        .durable = !world->options.memory,
        .unclean = !node->clean,
        .times = {.lag_max_ms = 1500, .refuse_after_ms = WORLD_LEASE_MS, .resend_ms = 200},
        .limits = limits(),
        .alloc = &node->alloc,
    };
    struct grants_options of_grants = {
        .node = i + 1,
        .lane_count = 1,
        .partition_count = 1,
        .started_ms = world->now_ms,
        .lease_ms = world->options.lease ? WORLD_LEASE_MS : 0,
        .grant_ms = WORLD_GRANT_MS,
        .alloc = &node->alloc,
    };
    enum qn_status status = replica_create(&options, &node->replica);
    qn_assert(status == QN_OK);
    status = grants_create(&of_grants, &node->grants);
    qn_assert(status == QN_OK);
    recover(node);
    node->checked = node->saved.head.index;
    node->role = REPLICA_SCAN;
    node->beacon_ms = node->look_ms = node->tick_ms = world->now_ms;
}

void node_stop(struct world *world, unsigned i, bool lose_tail)
{
    struct node *node = &world->nodes[i];
    struct journal *journal = &node->journal;

    replica_destroy(node->replica);
    grants_destroy(node->grants);
    node->replica = NULL;
    node->grants = NULL;
    node->up = false;
    size_t tail = journal->count - journal->synced;
    size_t kept =
        lose_tail ? journal->synced + (size_t)world_draw(world, tail + 1) : journal->count;
    while (journal->count > kept) {
        buf_fini(&journal->list[--journal->count]);
    }
    journal->synced = journal->count;
    journal->syncing = 0;
    node->clean = !world->options.memory;
    world->figures.crashes++;
}

void node_fini(struct world *world, unsigned i)
{
    struct node *node = &world->nodes[i];

    if (node->up) {
        replica_destroy(node->replica);
        grants_destroy(node->grants);
        qn_assert(node->alloc.bytes == 0);
    }
    for (size_t k = 0; k < node->journal.count; k++) {
        buf_fini(&node->journal.list[k]);
    }
    buf_fini(&node->saved.octets);
    free(node->journal.list);
}

/* -- snapshots -- */

/* Forget the first `count` entries of the journal. */
static void journal_trim(struct node *node, size_t count)
{
    struct journal *journal = &node->journal;

    for (size_t i = 0; i < count; i++) {
        buf_fini(&journal->list[i]);
    }
    journal->count -= count;
    if (count > 0) {
        memmove(journal->list, journal->list + count, journal->count * sizeof *journal->list);
        memset(journal->list + journal->count, 0, count * sizeof *journal->list);
    }
    journal->synced = journal->synced > count ? journal->synced - count : 0;
    journal->syncing = journal->syncing > count ? journal->syncing - count : 0;
}

/* Take a snapshot; on disk at once, which the log before it is, too. */
static void save(struct world *world, unsigned i)
{
    struct node *node = &world->nodes[i];
    struct replica_snapshot head;
    struct replica_stats stats;
    struct buf octets = {0};
    bool done = false;

    if (replica_snapshot_begin(node->replica, node->saved.head.index, &head, &octets) != QN_OK) {
        return;
    }
    while (!done) {
        enum qn_status status = replica_snapshot_next(node->replica, 100, SIZE_MAX, &octets, &done);
        qn_assert(status == QN_OK);
    }
    replica_snapshot_end(node->replica);
    size_t at = journal_find(node, head.index);
    if (at >= node->journal.synced) { /* the record itself is not on disk yet: another time */
        buf_fini(&octets);
        return;
    }
    replica_stats(node->replica, &stats);
    buf_fini(&node->saved.octets);
    node->saved = (struct saved){.head = head, .octets = octets, .promised = stats.promised};
    journal_trim(node, at + 1);
}

void node_install(struct world *world, unsigned i, unsigned from,
                  const struct replica_snapshot *snapshot, struct bytes octets)
{
    struct node *node = &world->nodes[i];
    struct replica_stats stats;
    struct wire_peer done = {.kind = WIRE_PEER_SNAP_DONE, .partition = WORLD_PARTITION};

    replica_stats(node->replica, &stats);
    if (stats.role != REPLICA_FOLLOWER || snapshot->index <= stats.commit_index) {
        return;
    }
    buf_fini(&node->saved.octets);
    node->saved = (struct saved){.head = *snapshot, .promised = stats.promised};
    enum qn_status status = buf_append(&node->saved.octets, octets.data, octets.size);
    qn_assert(status == QN_OK);
    journal_trim(node, node->journal.count);
    replica_reset(node->replica);
    restore(node);
    node->checked = snapshot->index;
    world->figures.transfers++;
    done.epoch = stats.promised;
    net_send(world, i, from, 0, &done);
}

/* -- what a replica wants done -- */

static void answer_read(struct world *world, unsigned i, const struct replica_action *action)
{
    struct node *node = &world->nodes[i];
    size_t at = journal_find(node, action->index);
    struct replica_event event = {
        .kind = REPLICA_RECORDS, .from = action->to, .first = action->index};

    event.status = at == SIZE_MAX ? QN_ABSENT : QN_OK;
    if (at != SIZE_MAX) {
        event.records = buf_bytes(&node->journal.list[at]);
    }
    node_step(world, i, event);
}

static void confirm(struct world *world, unsigned i, uint64_t round)
{
    struct configuration configuration = world->configuration;
    struct replica_event event = {.kind = REPLICA_CONFIRMED,
                                  .configuration = &configuration,
                                  .round = round,
                                  .status = world->coordinate ? QN_OK : QN_NO_COORDINATOR};

    node_step(world, i, event);
}

static void lease(struct world *world, unsigned i, const struct replica_action *action)
{
    const struct replica_lease *lease = &action->lease;

    grants_note(world->nodes[i].grants, WORLD_PARTITION, action->epoch, lease->leading,
                lease->lineage, lease->members, lease->member_count);
}

static void carry_out(struct world *world, unsigned i, const struct replica_action *action)
{
    struct node *node = &world->nodes[i];

    switch (action->kind) {
    case REPLICA_APPEND:
        if (action->octets.size > 0) {
            struct record record;
            size_t size;
            enum qn_status status = record_decode(action->octets, &record, &size);
            qn_assert(status == QN_OK && size == action->octets.size &&
                      record.index == action->index);
        }
        journal_add(node, &action->record);
        break;
    case REPLICA_PROMISE:
        journal_local(node, RECORD_PROMISE, action->epoch, 0);
        break;
    case REPLICA_TRUNCATE:
        journal_local(node, RECORD_TRUNCATE, 0, action->index);
        break;
    case REPLICA_REPLY:
        client_reply(world, i, action->route, &action->result);
        break;
    case REPLICA_SEND:
        net_send(world, i, action->to - 1, action->to_incarnation, &action->peer);
        break;
    case REPLICA_PROPOSE:
        control_propose(world, i, action);
        break;
    case REPLICA_LEASE:
        lease(world, i, action);
        break;
    case REPLICA_RELEASED:
        grants_released(node->grants, WORLD_PARTITION, action->epoch);
        break;
    case REPLICA_ALARM:
        world_violate(world, "node %u: %s", i + 1, action->text);
        break;
    case REPLICA_READ:
    case REPLICA_CONFIRM:
    case REPLICA_TRANSFER:
        break; /* later: they lead to another step */
    }
}

/* -- what must hold after every step -- */

static uint64_t hash_at(const struct node *node, uint64_t index)
{
    size_t at = journal_find(node, index);

    return at == SIZE_MAX ? 0 : hash_bytes(buf_bytes(&node->journal.list[at]));
}

/* I4, I5, I6, I7: whatever one copy has committed, all that commit it have. */
static void check_committed(struct world *world, unsigned i, const struct replica_stats *stats)
{
    struct node *node = &world->nodes[i];

    while (node->checked < stats->commit_index) {
        uint64_t index = ++node->checked;
        uint64_t hash = hash_at(node, index);
        qn_assert(index <= COMMITTED_MAX);
        if (index > world->committed_count) {
            world->committed[index - 1] = hash;
            world->committed_count = index;
        } else if (world->committed[index - 1] != hash) {
            world_violate(world, "node %u has committed another record %llu", i + 1,
                          (unsigned long long)index);
            return;
        }
    }
}

static void check(struct world *world, unsigned i)
{
    struct node *node = &world->nodes[i];
    struct replica_stats stats;

    replica_stats(node->replica, &stats);
    check_committed(world, i, &stats);
    if (stats.view > stats.commit_index || stats.commit_index > stats.last_index) {
        world_violate(world, "node %u: view, commit and log are out of order", i + 1);
    }
    if (stats.role == REPLICA_LEADING && node->role != REPLICA_LEADING) {
        world->figures.epochs++;
    }
    node->role = stats.role;
}

static void fill(struct world *world, unsigned i, struct replica_event *event)
{
    struct grants_view view = grants_view(world->nodes[i].grants, WORLD_PARTITION);

    event->partition = WORLD_PARTITION;
    event->now_ms = world->now_ms;
    event->wall_ms = 1700000000000 + world->now_ms;
    event->lease_until_ms = view.lease_until_ms;
    event->granted_until_ms = view.granted_until_ms;
    event->proof_index = view.proof_index;
    event->proof_ms = view.proof_ms;
}

void node_step(struct world *world, unsigned i, struct replica_event event)
{
    struct node *node = &world->nodes[i];
    struct replica_actions actions;
    struct replica_action later[32];
    size_t later_count = 0;

    fill(world, i, &event);
    enum qn_status status = replica_step(node->replica, &event, &actions);
    qn_assert(status == QN_OK);
    for (size_t k = 0; k < actions.count; k++) {
        carry_out(world, i, &actions.list[k]);
        if (actions.list[k].kind == REPLICA_READ || actions.list[k].kind == REPLICA_CONFIRM ||
            actions.list[k].kind == REPLICA_TRANSFER) {
            qn_assert(later_count < 32);
            later[later_count++] = actions.list[k];
        }
    }
    check(world, i);
    for (size_t k = 0; k < later_count; k++) {
        if (later[k].kind == REPLICA_READ) {
            answer_read(world, i, &later[k]);
        } else if (later[k].kind == REPLICA_CONFIRM) {
            confirm(world, i, later[k].round);
        } else {
            save(world, i);
            net_send_snapshot(world, i, later[k].to - 1, &node->saved);
            node->transfer_ends_ms[later[k].to - 1] = world->now_ms + TRANSFER_MS;
        }
    }
}

/* -- time -- */

/* Everything up to a place in the journal is on disk: tell the replica of each record. */
static void synced(struct world *world, unsigned i)
{
    struct journal *journal = &world->nodes[i].journal;
    size_t from = journal->synced;

    journal->synced = journal->syncing;
    journal->syncing = 0;
    for (size_t k = from; k < journal->synced; k++) {
        struct record record;
        size_t size;
        enum qn_status status = record_decode(buf_bytes(&journal->list[k]), &record, &size);
        qn_assert(status == QN_OK);
        struct replica_event event = {.kind = record.type == RECORD_PROMISE ? REPLICA_PROMISED
                                                                            : REPLICA_DURABLE,
                                      .durable_epoch = record.epoch,
                                      .durable_index = record.index};
        if (record.type != RECORD_TRUNCATE) {
            node_step(world, i, event);
        }
    }
}

static void disk_run(struct world *world, unsigned i)
{
    struct journal *journal = &world->nodes[i].journal;

    if (journal->syncing > 0 && journal->sync_ends_ms <= world->now_ms) {
        synced(world, i);
    }
    if (journal->syncing == 0 && journal->count > journal->synced) {
        journal->syncing = journal->count;
        journal->sync_ends_ms = world->now_ms + 1 + (int64_t)world_draw(world, 10);
    }
}

/* The node reads the configuration now and then; what it reads may be of a moment ago. */
static void look(struct world *world, unsigned i)
{
    struct configuration configuration = world->configuration;
    struct replica_event event = {
        .kind = REPLICA_CONFIGURATION, .configuration = &configuration, .fresh = true};

    if (world->coordinate) {
        node_step(world, i, event);
    }
}

/* It hears of processes that have begun, sooner or later. */
static void hear(struct world *world, unsigned i)
{
    for (unsigned k = 0; k < WORLD_NODES; k++) {
        if (k != i && world->nodes[k].up && world_chance(world, 500)) {
            node_step(world, i,
                      (struct replica_event){.kind = REPLICA_NODE,
                                             .from = k + 1,
                                             .from_incarnation = world->nodes[k].incarnation});
        }
    }
}

/* Transfers that did not come to an end in time have failed. */
static void transfers_run(struct world *world, unsigned i)
{
    struct node *node = &world->nodes[i];

    for (unsigned k = 0; k < WORLD_NODES; k++) {
        if (node->transfer_ends_ms[k] > 0 && node->transfer_ends_ms[k] <= world->now_ms) {
            node->transfer_ends_ms[k] = 0;
            node_step(world, i, (struct replica_event){.kind = REPLICA_TRANSFERRED, .from = k + 1});
        }
    }
}

void node_run(struct world *world, unsigned i)
{
    struct node *node = &world->nodes[i];
    struct replica_stats stats;

    disk_run(world, i);
    if (world->now_ms >= node->look_ms) {
        node->look_ms = world->now_ms + 20 + (int64_t)world_draw(world, 200);
        look(world, i);
        hear(world, i);
    }
    if (world->now_ms >= node->tick_ms) {
        node->tick_ms = world->now_ms + 250;
        node_step(world, i, (struct replica_event){.kind = REPLICA_TICK, .append = true});
    }
    if (world->options.trims && world->now_ms >= node->save_ms) {
        node->save_ms = world->now_ms + 500 + (int64_t)world_draw(world, 2000);
        save(world, i);
    }
    transfers_run(world, i);
    node_step(world, i, (struct replica_event){.kind = REPLICA_FLUSH});
    replica_stats(node->replica, &stats);
    grants_publish(node->grants, WORLD_PARTITION, stats.configuration.replicas,
                   stats.configuration.replica_count, stats.commit_index, stats.last_index);
    if (world->now_ms >= node->beacon_ms) {
        node->beacon_ms = world->now_ms + 500;
        net_beacon(world, i);
    }
}
