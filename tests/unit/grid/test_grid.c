#include "grid/grid.h"
#include "tests/lib/check.h"
#include "wire/hash.h"

enum {
    LANES = 4,
    PARTITIONS = 10,
    LANE = 1 /* has the partitions 1, 5 and 9 */
};

static struct grid *make(void)
{
    struct grid_options options = {
        .node = 1,
        .partition_count = PARTITIONS,
        .lane = LANE,
        .lane_count = LANES,
        .limits = {.key_size_max_bytes = 1024,
                   .value_size_max_bytes = 1024,
                   .uncommitted_max_bytes = 65536,
                   .session_ttl_ms = 1000,
                   .session_results_max = 8,
                   .session_bytes_max = 1024},
    };
    struct grid *grid;

    assert_int_equal(grid_create(&options, &grid), QN_OK);
    return grid;
}

static struct replica_actions step(struct grid *grid, struct replica_event event)
{
    struct replica_actions actions;

    event.now_ms = 5;
    event.wall_ms = 5;
    assert_int_equal(grid_step(grid, &event, &actions), QN_OK);
    return actions;
}

static void open_partition(struct grid *grid, uint32_t partition)
{
    struct replica_event event = {.kind = REPLICA_CONFIGURATION,
                                  .partition = partition,
                                  .epoch = 7,
                                  .lineage = 1,
                                  .leader = 1};
    struct replica_actions actions = step(grid, event);

    assert_int_equal(actions.count, 1);
    assert_int_equal(actions.list[0].record.partition, partition);
    event =
        (struct replica_event){.kind = REPLICA_DURABLE, .partition = partition, .durable_index = 1};
    step(grid, event);
}

/* 0 for a partition that is not this shard's. */
static uint64_t epoch_of(const struct grid *grid, uint32_t partition)
{
    struct replica_stats stats;

    return grid_partition_stats(grid, partition, &stats) == QN_OK ? stats.epoch : 0;
}

static int ask(struct grid *grid, uint32_t partition)
{
    struct wire_op op = {.kind = WIRE_OP_COUNT,
                         .id = 77,
                         .cache = 1,
                         .partition = partition,
                         .lineage = 1,
                         .epoch = 7,
                         .remaining_ms = 1};
    struct replica_event event = {
        .kind = REPLICA_REQUEST, .partition = partition, .op = &op, .route = 9};
    struct replica_actions actions = step(grid, event);

    assert_int_equal(actions.count, 1);
    assert_int_equal(actions.list[0].kind, REPLICA_REPLY);
    assert_int_equal(actions.list[0].route, 9);
    assert_int_equal(actions.list[0].result.id, 77);
    assert_int_equal(actions.list[0].result.partition, partition);
    return actions.list[0].result.status;
}

/* A shard owns every lane_count-th partition, and only those. */
static void a_shard_owns_its_partitions(void **state)
{
    struct grid *grid = make();
    struct grid_stats stats;

    (void)state;
    for (uint32_t p = 0; p < 20; p++) {
        assert_int_equal(grid_owns(grid, p), p == 1 || p == 5 || p == 9);
    }
    grid_stats(grid, &stats);
    assert_int_equal(stats.partitions, 3);
    grid_destroy(grid);
}

/* A lane beyond the last partition owns nothing, and works. */
static void a_shard_may_own_nothing(void **state)
{
    struct grid_options options = {.node = 1, .partition_count = 2, .lane = 3, .lane_count = 4};
    struct grid *grid;
    struct grid_stats stats;

    (void)state;
    assert_int_equal(grid_create(&options, &grid), QN_OK);
    grid_stats(grid, &stats);
    assert_int_equal(stats.partitions, 0);
    assert_int_equal(ask(grid, 1), QN_NOT_LEADER);
    grid_destroy(grid);
}

/* Events reach their partition, and no other. */
static void events_reach_their_partition(void **state)
{
    struct grid *grid = make();
    struct grid_stats stats;

    (void)state;
    open_partition(grid, 5);
    assert_int_equal(ask(grid, 5), QN_OK);
    assert_int_equal(ask(grid, 9), QN_RECOVERING);
    assert_int_equal(epoch_of(grid, 5), 7);
    assert_int_equal(epoch_of(grid, 9), 0);
    assert_int_equal(epoch_of(grid, 4), 0);
    grid_stats(grid, &stats);
    assert_int_equal(stats.leading, 1);
    assert_int_equal(stats.faulted, 0);
    step(grid, (struct replica_event){.kind = REPLICA_FAULT, .partition = 9});
    grid_stats(grid, &stats);
    assert_int_equal(stats.faulted, 1);
    assert_true(stats.memory_bytes > 0);
    grid_destroy(grid);
}

/* A request for another shard's partition, or for none, is refused; other events are dropped. */
static void a_request_at_the_wrong_door_is_refused(void **state)
{
    struct grid *grid = make();
    struct replica_stats stats;

    (void)state;
    assert_int_equal(ask(grid, 4), QN_NOT_LEADER);
    assert_int_equal(ask(grid, 10), QN_INVALID);
    assert_int_equal(ask(grid, UINT32_MAX), QN_INVALID);
    struct replica_actions actions =
        step(grid, (struct replica_event){.kind = REPLICA_TICK, .partition = 4});
    assert_int_equal(actions.count, 0);
    assert_int_equal(grid_partition_stats(grid, 4, &stats), QN_INVALID);
    grid_destroy(grid);
}

/* A key that a client counts to the wrong partition is refused: nobody else would find it there. */
static void a_key_in_the_wrong_partition_is_refused(void **state)
{
    struct grid *grid = make();
    struct bytes key = bytes_of("\x15\x4e\x01k", 4);
    struct wire_op op = {.kind = WIRE_OP_GET, .id = 1, .cache = 1, .epoch = 7, .lineage = 1};
    uint32_t right = hash_partition(hash_key(key), PARTITIONS);
    uint32_t refused = 0;

    (void)state;
    op.remaining_ms = 1000;
    op.key = key;
    for (uint32_t p = LANE; p < PARTITIONS; p += LANES) {
        struct replica_event event = {
            .kind = REPLICA_REQUEST, .partition = p, .op = &op, .client = {{1}}};
        struct replica_actions actions = step(grid, event);
        assert_int_equal(actions.count, 1);
        bool wrong = actions.list[0].result.status == QN_INVALID;
        assert_int_equal(wrong, p != right);
        refused += wrong;
    }
    assert_true(refused >= 2);
    grid_destroy(grid);
}

/* A record of a foreign partition does not belong in this shard's log. */
static void a_foreign_record_is_corrupt(void **state)
{
    struct grid *grid = make();
    struct record record = {.type = RECORD_EPOCH_START, .partition = 5, .epoch = 3, .index = 1};

    (void)state;
    assert_int_equal(grid_recover(grid, &record), QN_OK);
    assert_int_equal(epoch_of(grid, 5), 3);
    record.partition = 6;
    assert_int_equal(grid_recover(grid, &record), QN_CORRUPT);
    record.partition = 99;
    assert_int_equal(grid_recover(grid, &record), QN_CORRUPT);
    grid_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shard_owns_its_partitions),
        cmocka_unit_test(a_shard_may_own_nothing),
        cmocka_unit_test(events_reach_their_partition),
        cmocka_unit_test(a_request_at_the_wrong_door_is_refused),
        cmocka_unit_test(a_key_in_the_wrong_partition_is_refused),
        cmocka_unit_test(a_foreign_record_is_corrupt),
    };
    return RUN_TESTS(tests);
}
