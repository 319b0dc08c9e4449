#define _GNU_SOURCE
#include "tests/unit/node/lane_fixture.h"

#include <dirent.h>
#include <stdio.h>

#include "node/log/txlog.h"
#include "node/snapshot/manifest.h"
#include "node/snapshot/snapfile.h"
#include "tests/lib/check.h"
#include "wire/hash.h"

enum { LIMIT = 1024 * 1024, LANES_PATH = 1024, SEGMENT = 64 * 1024, WALL_MS = 1700000000 };

struct replica_limits lanes_limits(void)
{
    return (struct replica_limits){.key_size_max_bytes = 1024,
                                   .value_size_max_bytes = LIMIT,
                                   .uncommitted_max_bytes = 4 * LIMIT,
                                   .session_ttl_ms = 600000,
                                   .session_results_max = 64,
                                   .session_bytes_max = LIMIT,
                                   .soft_commit_ms = 1000,
                                   .pins_max = 4,
                                   .pin_ttl_ms = 30000,
                                   .history_max_bytes = LIMIT};
}

static void claim(struct lanes *lanes, uint32_t count)
{
    struct superblock wanted = {
        .node = 1, .partitions = LANES_PARTITIONS, .lanes = count, .cluster_name = "lanes"};

    assert_int_equal(
        datadir_open(lanes->folder.path, &wanted, 1, &lanes->block, &lanes->datadir, NULL), QN_OK);
}

void lanes_make(struct lanes *lanes, uint32_t count)
{
    folder_make(&lanes->folder);
    claim(lanes, count);
}

void lanes_reopen(struct lanes *lanes)
{
    datadir_close(lanes->datadir);
    claim(lanes, 0);
}

void lanes_remove(struct lanes *lanes)
{
    datadir_close(lanes->datadir);
    folder_remove(&lanes->folder);
}

/* A lane as a shard has it. */
struct lane {
    const struct lanes *lanes;
    uint32_t number;
    struct grid *grid;
    struct txlog *log;
    struct txlog_report report;
    const struct manifest_row *row;
    uint64_t epoch; /* the highest met */
    uint64_t session;
};

static uint64_t owner_of(const struct lane *lane)
{
    return lane_owner(lane->lanes->block.disk, lane->number, lane->lanes->block.lanes);
}

static enum qn_status take_record(void *arg, const struct record *record)
{
    struct lane *lane = arg;

    lane->epoch = record->epoch > lane->epoch ? record->epoch : lane->epoch;
    return grid_recover(lane->grid, record);
}

static void take_damage(void *arg, const struct txlog_damage *damage)
{
    (void)arg;
    fail_msg("%s: %s", damage->file, damage->text);
}

static enum qn_status take_head(void *arg, const struct snap_head *head)
{
    struct lane *lane = arg;
    struct replica_snapshot snapshot = {.partition = head->partition,
                                        .index = head->index,
                                        .epoch = head->epoch,
                                        .log_time_ms = head->log_time_ms,
                                        .wall_time_ms = head->wall_time_ms,
                                        .epoch_began_ms = head->epoch_began_ms};

    assert_int_equal(head->partition, lane->row->partition);
    lane->epoch = head->epoch > lane->epoch ? head->epoch : lane->epoch;
    return grid_restore(lane->grid, &snapshot);
}

static enum qn_status take_block(void *arg, struct bytes block)
{
    const struct lane *lane = arg;

    return grid_restore_part(lane->grid, lane->row->partition, block);
}

static void snapshots_restore(struct lane *lane, const struct manifest *manifest)
{
    struct snap_visitor visitor = {.arg = lane, .head = take_head, .block = take_block};
    char path[LANES_PATH];
    uint64_t size;

    for (size_t i = 0; i < manifest->row_count; i++) {
        lane->row = &manifest->rows[i];
        assert_int_equal(lane->row->partition % lane->lanes->block.lanes, lane->number);
        assert_true(snapfile_path(lane->lanes->folder.path, lane->row->partition, lane->row->index,
                                  path, sizeof path));
        assert_int_equal(snapfile_read(path, lane->lanes->block.disk, &visitor, &size, NULL),
                         QN_OK);
        assert_int_equal(size, lane->row->size);
    }
}

/* Snapshots and log, as a start reads them. */
static void lane_recover(struct lane *lane, const struct lanes *lanes, uint32_t number)
{
    struct grid_options options = {.node = 1,
                                   .partition_count = LANES_PARTITIONS,
                                   .service_count = LANES_SERVICES,
                                   .lane = number,
                                   .lane_count = lanes->block.lanes,
                                   .incarnation = 1,
                                   .alone = true,
                                   .limits = lanes_limits()};
    struct manifest manifest = {0};
    char dir[LANES_PATH];

    *lane = (struct lane){.lanes = lanes, .number = number};
    assert_int_equal(grid_create(&options, &lane->grid), QN_OK);
    assert_true(lane_path(lanes->folder.path, number, lanes->block.lanes, dir, sizeof dir));
    enum qn_status status = manifest_read(dir, owner_of(lane), &manifest, NULL);
    assert_true(status == QN_OK || status == QN_ABSENT);
    snapshots_restore(lane, &manifest);
    struct txlog_visitor visitor = {.arg = lane,
                                    .owner = owner_of(lane),
                                    .record = take_record,
                                    .damage = take_damage,
                                    .needed_from = manifest.log_first,
                                    .known_end = manifest.log_end};
    assert_true(lane_log_path(lanes->folder.path, number, lanes->block.lanes, dir, sizeof dir));
    assert_int_equal(txlog_recover(dir, &visitor, &lane->report, NULL), QN_OK);
    manifest_fini(&manifest);
}

/* Step a partition, put in the log what it appends, and say that it is durable. */
static void step(struct lane *lane, struct replica_event event)
{
    struct replica_actions actions;
    uint64_t lsn, epoch = 0, index = 0;

    event.now_ms = 1000;
    event.wall_ms = WALL_MS;
    assert_int_equal(grid_step(lane->grid, &event, &actions), QN_OK);
    for (size_t i = 0; i < actions.count; i++) {
        const struct replica_action *action = &actions.list[i];
        if (action->kind == REPLICA_APPEND) {
            assert_int_equal(txlog_append(lane->log, &action->record, &lsn), QN_OK);
            index = action->record.index;
            epoch = action->record.epoch;
        } else if (action->kind == REPLICA_REPLY) {
            assert_true(action->result.status >= 0);
            lane->session = action->result.session ? action->result.session : lane->session;
        }
    }
    if (index > 0) {
        step(lane, (struct replica_event){.kind = REPLICA_DURABLE,
                                          .partition = event.partition,
                                          .durable_epoch = epoch,
                                          .durable_index = index});
    }
}

static void request(struct lane *lane, struct wire_op *op, uint64_t client)
{
    struct replica_event event = {.kind = REPLICA_REQUEST, .partition = op->partition, .op = op};

    put_u64(event.client.octets, client);
    op->epoch = lane->epoch + 1;
    op->lineage = 1;
    op->cache = 1;
    op->remaining_ms = 1000;
    step(lane, event);
}

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed >> 33;
}

/* The `n`th key of a partition: one that is hashed to it. */
static struct bytes key_of(uint32_t partition, unsigned n, char key[32])
{
    for (unsigned i = 0;; i++) {
        int size = snprintf(key, 32, "key-%u-%u", n, i);
        struct bytes octets = bytes_of(key, (size_t)size);
        if (hash_partition(hash_key(octets), LANES_PARTITIONS) == partition % LANES_PARTITIONS) {
            return octets;
        }
    }
}

static void partition_write(struct lane *lane, uint32_t partition, unsigned keys, uint64_t *seed)
{
    static const uint8_t octets[4096] = {21, 7, 3};
    uint64_t client = draw(seed) + 1;
    struct wire_op open = {.kind = WIRE_OP_SESSION_OPEN, .partition = partition};
    char key[32];

    struct configuration configuration = configuration_alone(1, 1, (uint32_t)lane->epoch + 1, 1);
    step(lane, (struct replica_event){.kind = REPLICA_CONFIGURATION,
                                      .partition = partition,
                                      .configuration = &configuration});
    request(lane, &open, client);
    for (unsigned n = 1; n <= keys; n++) {
        bool put = draw(seed) % 4 > 0;
        struct wire_op op = {.kind = put ? WIRE_OP_PUT : WIRE_OP_REMOVE,
                             .partition = partition,
                             .session = lane->session,
                             .sequence = n,
                             .first_incomplete = n,
                             .key = key_of(partition, (unsigned)(draw(seed) % keys), key)};
        if (put) {
            op.value = bytes_of(octets, draw(seed) % sizeof octets + 1);
        }
        request(lane, &op, client);
    }
}

static void nobody(void *arg)
{
    (void)arg;
}

void lanes_write(struct lanes *lanes, unsigned keys, uint64_t seed)
{
    for (uint32_t number = 0; number < lanes->block.lanes; number++) {
        struct lane lane;
        char dir[LANES_PATH];
        lane_recover(&lane, lanes, number);
        assert_int_equal(lane_make(lanes->folder.path, number, lanes->block.lanes, NULL), QN_OK);
        assert_true(lane_log_path(lanes->folder.path, number, lanes->block.lanes, dir, sizeof dir));
        struct txlog_options options = {.dir = dir,
                                        .segment_size_bytes = SEGMENT,
                                        .next_lsn = lane.report.next_lsn,
                                        .owner = owner_of(&lane),
                                        .notify = nobody};
        assert_int_equal(txlog_open(&options, &lane.log, NULL), QN_OK);
        for (uint32_t p = number; p < LANES_PARTITIONS * LANES_SERVICES; p += lanes->block.lanes) {
            uint64_t seed_now = seed + p;
            partition_write(&lane, p, keys, &seed_now);
        }
        assert_int_equal(txlog_close(lane.log), QN_OK);
        grid_destroy(lane.grid);
    }
}

struct lanes_state lanes_read(const struct lanes *lanes)
{
    struct lanes_state state = {0};

    for (uint32_t number = 0; number < lanes->block.lanes; number++) {
        struct lane lane;
        struct grid_stats stats;
        lane_recover(&lane, lanes, number);
        grid_stats(lane.grid, &stats);
        assert_int_equal(stats.faulted, 0);
        state.hash += grid_state_hash(lane.grid);
        state.entries += stats.entries;
        state.sessions += stats.sessions;
        state.log_records += lane.report.records;
        grid_destroy(lane.grid);
    }
    return state;
}

size_t lanes_folders(const struct lanes *lanes)
{
    DIR *dir = opendir(lanes->folder.path);
    const struct dirent *entry;
    size_t count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        count += strncmp(entry->d_name, "lane-", 5) == 0;
    }
    (void)closedir(dir);
    return count;
}
