#include "grid/grid.h"
#include "tests/lib/check.h"
#include "tests/unit/grid/lab_alloc.h"
#include "wire/hash.h"

enum {
    LANES = 4,
    PARTITIONS = 10,
    LANE = 1 /* has the partitions 1, 5 and 9 */
};

static struct grid_options options_of(uint32_t services)
{
    return (struct grid_options){
        .node = 1,
        .incarnation = 1,
        .alone = true,
        .partition_count = PARTITIONS,
        .service_count = services,
        .lane = LANE,
        .lane_count = LANES,
        .limits = {.key_size_max_bytes = 1024,
                   .value_size_max_bytes = 1024,
                   .uncommitted_max_bytes = 65536,
                   .session_ttl_ms = 1000,
                   .session_results_max = 8,
                   .session_bytes_max = 1024,
                   .pins_max = 2,
                   .pin_ttl_ms = 1000,
                   .history_max_bytes = 65536},
    };
}

static struct grid *make(void)
{
    struct grid_options options = options_of(1);
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
    struct configuration configuration = configuration_alone(1, 1, 7, 1);
    struct replica_event event = {
        .kind = REPLICA_CONFIGURATION, .partition = partition, .configuration = &configuration};
    struct replica_actions actions = step(grid, event);

    assert_int_equal(actions.count, 1);
    assert_int_equal(actions.list[0].record.partition, partition);
    event = (struct replica_event){
        .kind = REPLICA_DURABLE, .partition = partition, .durable_epoch = 7, .durable_index = 1};
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
    struct grid_options options = {
        .node = 1, .partition_count = 2, .service_count = 1, .lane = 3, .lane_count = 4};
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

/* A client that has a session in a partition, which is open. */
struct user {
    struct grid *grid;
    uint32_t partition;
    uint64_t session;
    uint64_t sequence;
    uint64_t index; /* of the last record */
};

/* Send a change and put it on disk. Its status. */
static int change(struct user *user, struct wire_op op)
{
    struct replica_event event = {
        .kind = REPLICA_REQUEST, .partition = user->partition, .op = &op, .client = {{1}}};

    op.epoch = 7;
    op.lineage = 1;
    op.remaining_ms = 1000;
    op.session = user->session;
    op.sequence = user->session > 0 ? ++user->sequence : 0;
    op.first_incomplete = op.sequence;
    struct replica_actions actions = step(user->grid, event);
    assert_true(actions.count == 1 || actions.count == 2);
    if (actions.list[0].kind == REPLICA_REPLY) {
        return actions.list[0].result.status;
    }
    if (actions.count == 2) { /* of the memory service: committed at once */
        user->index++;
        user->session = user->session > 0 ? user->session : actions.list[1].result.session;
        return actions.list[1].result.status;
    }
    event = (struct replica_event){.kind = REPLICA_DURABLE,
                                   .partition = user->partition,
                                   .durable_epoch = 7,
                                   .durable_index = ++user->index};
    actions = step(user->grid, event);
    assert_int_equal(actions.count, 1);
    if (user->session == 0) {
        user->session = actions.list[0].result.session;
    }
    return actions.list[0].result.status;
}

static struct user enter(struct grid *grid, uint32_t partition)
{
    struct user user = {.grid = grid, .partition = partition, .index = 1};

    open_partition(grid, partition);
    assert_int_equal(change(&user, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN}), QN_OK);
    return user;
}

/* Put keys that belong into the user's partition, by trying. */
static void put_some(struct user *user, uint32_t cache, unsigned count, struct bytes value)
{
    uint8_t key[4] = {0x15, 0x4e, 0, 0};

    for (unsigned n = 0; count > 0; n++) {
        key[2] = (uint8_t)n;
        key[3] = (uint8_t)(n >> 8);
        struct bytes bytes = bytes_of(key, sizeof key);
        if (hash_partition(hash_key(bytes), PARTITIONS) == user->partition % PARTITIONS) {
            struct wire_op put = {
                .kind = WIRE_OP_PUT, .cache = cache, .key = bytes, .value = value};
            assert_int_equal(change(user, put), QN_OK);
            count--;
        }
    }
}

/* The partitions of service s are numbers s * P and on: a key belongs to the same place in each. */
static void each_service_has_its_partitions(void **state)
{
    struct grid_options options = options_of(2);
    struct grid *grid;

    (void)state;
    assert_int_equal(grid_create(&options, &grid), QN_OK);
    for (uint32_t p = 0; p < 30; p++) {
        assert_int_equal(grid_owns(grid, p), p < 20 && p % LANES == LANE);
    }
    struct user user = enter(grid, 13); /* place 3 of the second service */
    put_some(&user, 1, 3, bytes_of_text("v"));
    struct wire_op put = {.kind = WIRE_OP_PUT, .cache = 1, .value = bytes_of_text("v")};
    unsigned refused = 0;
    for (uint8_t n = 0; n < 50; n++) {
        uint8_t key[3] = {0x15, 0x4e, n};
        put.key = bytes_of(key, sizeof key);
        bool right = hash_partition(hash_key(put.key), PARTITIONS) == 3;
        assert_int_equal(change(&user, put), right ? QN_OK : QN_INVALID);
        refused += !right;
    }
    assert_true(refused > 20);
    grid_destroy(grid);
}

/* What has no key is of any partition: what stands in its value is none. */
static void keyless_operations_are_in_no_wrong_place(void **state)
{
    struct grid *grid = make();
    struct user user = enter(grid, 5);
    static const uint8_t token[] = {1, 2, 3, 4, 1, 0, 0, 0, 'k'};
    struct wire_op scan = {
        .kind = WIRE_OP_SCAN, .cache = 1, .value = bytes_of(token, sizeof token)};

    (void)state;
    assert_int_equal(change(&user, scan), QN_OK);
    assert_int_equal(change(&user, (struct wire_op){.kind = WIRE_OP_CLEAR, .cache = 1}), QN_OK);
    assert_int_equal(change(&user, (struct wire_op){.kind = WIRE_OP_OUTCOME}), QN_WITHDRAWN);
    grid_destroy(grid);
}

struct caches {
    struct replica_cache list[4];
    size_t count;
};

static void take_cache(void *context, const struct replica_cache *figures)
{
    struct caches *caches = context;

    assert_true(caches->count < 4);
    caches->list[caches->count++] = *figures;
}

/* The figures of a cache are those of all its partitions. */
static void caches_are_summed_up(void **state)
{
    struct grid *grid = make();
    struct user first = enter(grid, 1);
    struct user second = enter(grid, 9);
    struct caches caches = {0};

    (void)state;
    put_some(&first, 7, 3, bytes_of_text("v"));
    put_some(&first, 9, 1, bytes_of_text("v"));
    put_some(&second, 3, 2, bytes_of_text("v"));
    put_some(&second, 7, 4, bytes_of_text("v"));
    assert_int_equal(grid_caches(grid, take_cache, &caches), QN_OK);
    assert_int_equal(caches.count, 3);
    static const struct {
        uint32_t cache, entries;
    } expected[] = {{3, 2}, {7, 7}, {9, 1}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(caches.list[i].cache, expected[i].cache);
        assert_int_equal(caches.list[i].entries, expected[i].entries);
        assert_int_equal(caches.list[i].bytes, expected[i].entries * (22 + 4 + 1));
    }
    grid_destroy(grid);
}

/* A snapshot of a partition makes the same state in another grid; one of another shard's partition
 * is refused. */
static void a_snapshot_moves_a_partition(void **state)
{
    struct grid *grid = make();
    struct grid *other = make();
    struct user user = enter(grid, 5);
    struct replica_snapshot snapshot;
    struct buf octets = {0};
    bool done = false;

    (void)state;
    put_some(&user, 1, 20, bytes_of_text("v"));
    assert_int_equal(grid_snapshot_begin(grid, 4, 0, &snapshot, &octets), QN_INVALID);
    assert_int_equal(grid_snapshot_next(grid, 4, 9, 9, &octets, &done), QN_INVALID);
    grid_snapshot_end(grid, 4);
    assert_int_equal(grid_snapshot_begin(grid, 5, 0, &snapshot, &octets), QN_OK);
    while (!done) {
        assert_int_equal(grid_snapshot_next(grid, 5, 10, 100, &octets, &done), QN_OK);
    }
    grid_snapshot_end(grid, 5);
    assert_true(grid_state_hash(grid) != grid_state_hash(other));
    assert_int_equal(grid_restore(other, &snapshot), QN_OK);
    assert_int_equal(grid_restore_part(other, 5, buf_bytes(&octets)), QN_OK);
    assert_true(grid_state_hash(grid) == grid_state_hash(other));
    assert_int_equal(grid_restore_part(other, 4, buf_bytes(&octets)), QN_INVALID);
    snapshot.partition = 4;
    assert_int_equal(grid_restore(other, &snapshot), QN_INVALID);
    buf_fini(&octets);
    grid_destroy(other);
    grid_destroy(grid);
}

/* The hash of a state does not depend on how partitions are spread over shards. */
static void the_state_hash_adds_up(void **state)
{
    struct grid_options options = options_of(1);
    struct record record = {.type = RECORD_EPOCH_START, .epoch = 3, .index = 1};
    struct record open = {
        .type = RECORD_SESSION_OPEN, .epoch = 3, .index = 2, .prev_epoch = 3, .client = {{4}}};
    uint64_t sums[2] = {0};

    (void)state;
    for (uint32_t lanes = 1; lanes <= 2; lanes++) {
        options.lane_count = lanes;
        for (options.lane = 0; options.lane < lanes; options.lane++) {
            struct grid *grid;
            assert_int_equal(grid_create(&options, &grid), QN_OK);
            for (uint32_t p = options.lane; p < 4; p += lanes) {
                record.partition = open.partition = p;
                assert_int_equal(grid_recover(grid, &record), QN_OK);
                assert_int_equal(grid_recover(grid, &open), QN_OK);
            }
            sums[lanes - 1] += grid_state_hash(grid);
            grid_destroy(grid);
        }
    }
    assert_true(sums[0] == sums[1]);
}

/* Memory comes from the pages given, in whole pages, and goes back there; swept as it is cleared.
 */
static void memory_is_counted_in_pages(void **state)
{
    struct grid_options options = options_of(1);
    struct alloc pages;
    struct grid *grid;
    struct grid_stats stats, cleared;
    static const uint8_t value[500];

    (void)state;
    alloc_init(&pages);
    options.pages = &pages;
    assert_int_equal(grid_create(&options, &grid), QN_OK);
    struct user user = enter(grid, 5);
    put_some(&user, 1, 4000, bytes_of(value, sizeof value));
    grid_stats(grid, &stats);
    assert_int_equal(stats.memory_bytes, pages.bytes);
    assert_true(stats.memory_bytes >= stats.entry_bytes + stats.table_bytes);
    assert_int_equal(change(&user, (struct wire_op){.kind = WIRE_OP_CLEAR, .cache = 1}), QN_OK);
    step(grid, (struct replica_event){.kind = REPLICA_PUBLISH, .partition = 5});
    int steps = 0;
    while (grid_sweep(grid, 100)) {
        assert_true(++steps < 10000);
    }
    assert_true(steps > 5);
    grid_stats(grid, &cleared);
    assert_true(cleared.memory_bytes < stats.memory_bytes);
    assert_true(cleared.entry_bytes < stats.entry_bytes / 10);
    grid_destroy(grid);
    assert_int_equal(pages.bytes, 0);
}

/* Whichever page is refused: a grid is created whole or not at all. */
static void a_grid_is_created_whole_or_not_at_all(void **state)
{
    struct grid_options options = options_of(200);
    struct lab_alloc pages;
    struct grid *grid;
    size_t grants = 0;

    (void)state;
    lab_alloc_init(&pages);
    options.pages = &pages.alloc;
    for (;; grants++) {
        pages.grants = grants;
        if (grid_create(&options, &grid) == QN_OK) {
            break;
        }
        assert_int_equal(pages.heap.bytes, 0);
    }
    assert_true(grants > 1);
    grid_destroy(grid);
    assert_int_equal(pages.heap.bytes, 0);
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
        cmocka_unit_test(each_service_has_its_partitions),
        cmocka_unit_test(keyless_operations_are_in_no_wrong_place),
        cmocka_unit_test(caches_are_summed_up),
        cmocka_unit_test(a_snapshot_moves_a_partition),
        cmocka_unit_test(the_state_hash_adds_up),
        cmocka_unit_test(memory_is_counted_in_pages),
        cmocka_unit_test(a_grid_is_created_whole_or_not_at_all),
    };
    return RUN_TESTS(tests);
}
