#include "tests/unit/node_shard/fixture.h"
#include "wire/rows.h"

#define KEY   bytes_of("\x15\x4e\x03key", 6)
#define VALUE bytes_of("\x15\x41\x05", 3)

static const struct wire_message *commit(struct fixture *f, uint32_t level)
{
    struct wire_message m = {
        .kind = WIRE_COMMIT, .cluster = f->cluster, .correlation = 77, .level = level};
    const struct wire_message *answer = ask(f, &m);

    assert_int_equal(answer->kind, WIRE_COMMIT_ACK);
    assert_int_equal(answer->correlation, 77);
    return answer;
}

/* The partition of KEY. */
static struct wire_op on_partition(uint32_t kind, uint32_t cache, uint32_t partition)
{
    return (struct wire_op){.id = 9, .kind = kind, .cache = cache, .partition = partition};
}

static uint64_t count(struct fixture *f, uint32_t cache)
{
    uint64_t sum = 0;

    for (uint32_t p = 0; p < PARTITIONS; p++) {
        struct wire_result result = run(f, on_partition(WIRE_OP_COUNT, cache, p));
        assert_int_equal(result.status, QN_OK);
        sum += result.count;
    }
    return sum;
}

/* A soft commit makes what was acknowledged visible to counts and scans (protocol B.14). */
static void a_soft_commit_publishes(void **state)
{
    struct fixture *f = *state;
    size_t rows = 0;

    hello(f);
    uint32_t cache = cache_open(f, "default", QN_OK);
    put(f, cache, KEY, VALUE);
    assert_int_equal(commit(f, WIRE_COMMIT_SOFT)->status, QN_OK);
    assert_int_equal(count(f, cache), 1);
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        struct wire_result result = run(f, on_partition(WIRE_OP_SCAN, cache, p));
        struct row row;
        assert_int_equal(result.status, QN_OK);
        assert_true(result.view > 0);
        for (struct bytes left = result.value; row_next(&left, &row) == QN_OK; rows++) {
            assert_bytes_equal(row.key, KEY);
            assert_bytes_equal(row.value, VALUE);
        }
    }
    assert_int_equal(rows, 1);
}

/* A hard commit is answered when everything is in snapshots; the next life starts from them. */
static void a_hard_commit_is_where_the_next_life_starts(void **state)
{
    struct fixture *f = *state;

    hello(f);
    uint32_t cache = cache_open(f, "default", QN_OK);
    put(f, cache, KEY, VALUE);
    assert_int_equal(commit(f, WIRE_COMMIT_HARD)->status, QN_OK);
    node_down(f);
    node_up(f);
    hello(f);
    struct wire_op get = {.id = 3, .kind = WIRE_OP_GET, .cache = cache, .key = KEY};
    assert_bytes_equal(run(f, get).value, VALUE);
    assert_int_equal(commit(f, WIRE_COMMIT_HARD)->status, QN_OK);
    assert_int_equal(count(f, cache), 1);
}

/* A level of another version is refused, not taken for one of ours. */
static void an_unknown_commit_level_is_refused(void **state)
{
    struct fixture *f = *state;

    hello(f);
    assert_int_equal(commit(f, 3)->status, QN_UNSUPPORTED);
}

static const struct wire_message *cache_create(struct fixture *f, const char *name,
                                               struct wire_cache *definition)
{
    struct wire_message m = {.kind = WIRE_CACHE_OPEN,
                             .cluster = f->cluster,
                             .create = true,
                             .name = bytes_of_text(name),
                             .caches = definition,
                             .cache_count = 1};
    const struct wire_message *answer = ask(f, &m);

    assert_int_equal(answer->kind, WIRE_CACHE_ACK);
    return answer;
}

/* A cache made by a client has the definition that it was made with, also when it is opened again.
 */
static void a_cache_keeps_its_definition(void **state)
{
    struct fixture *f = *state;
    struct wire_cache wanted = {
        .service = WIRE_SERVICE_MEMORY, .ttl_ms = 5000, .size_max_bytes = 1 << 20};

    hello(f);
    const struct wire_message *answer = cache_create(f, "orders", &wanted);
    assert_int_equal(answer->status, QN_OK);
    assert_int_equal(answer->cache_count, 1);
    assert_int_equal(answer->caches[0].service, WIRE_SERVICE_MEMORY);
    assert_int_equal(answer->caches[0].ttl_ms, 5000);
    wanted.ttl_ms = 1;
    answer = cache_create(f, "orders", &wanted);
    assert_int_equal(answer->caches[0].ttl_ms, 5000);
    assert_int_equal(cache_create(f, "no good name", &wanted)->status, QN_INVALID);
}

/* A dropped cache is gone at once, and nothing can be asked of its id. */
static void a_dropped_cache_is_gone(void **state)
{
    struct fixture *f = *state;
    struct wire_message drop = {.kind = WIRE_CACHE_DROP, .name = bytes_of_text("default")};

    hello(f);
    uint32_t cache = cache_open(f, "default", QN_OK);
    put(f, cache, KEY, VALUE);
    drop.cluster = f->cluster;
    assert_int_equal(ask(f, &drop)->status, QN_OK);
    (void)cache_open(f, "default", QN_UNKNOWN_CACHE);
    struct wire_op get = {.id = 3, .kind = WIRE_OP_GET, .cache = cache, .key = KEY};
    assert_int_equal(run(f, get).status, QN_UNKNOWN_CACHE);
    assert_int_equal(ask(f, &drop)->status, QN_UNKNOWN_CACHE);
}

/* The list of caches names each with its figures. */
static void caches_are_listed(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {.kind = WIRE_CACHES, .correlation = 4};

    hello(f);
    put(f, cache_open(f, "default", QN_OK), KEY, VALUE);
    const struct wire_message *answer = ask(f, &m);
    assert_int_equal(answer->kind, WIRE_CACHES_ACK);
    assert_int_equal(answer->cache_count, 1);
    assert_bytes_equal(answer->caches[0].name, bytes_of_text("default"));
    assert_int_equal(answer->caches[0].puts, 1);
}

static struct bytes fact(const struct wire_message *m, const char *name)
{
    for (size_t i = 0; i < m->fact_count; i++) {
        if (bytes_equal(m->facts[i].name, bytes_of_text(name))) {
            return m->facts[i].text;
        }
    }
    return bytes_of(NULL, 0);
}

/* CONFIG tells each setting with its value and where that comes from. */
static void settings_are_told_with_their_origin(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {.kind = WIRE_CONFIG, .correlation = 4};

    hello(f);
    const struct wire_message *answer = ask(f, &m);
    assert_int_equal(answer->kind, WIRE_CONFIG_ACK);
    struct bytes text = fact(answer, "cluster.partitions");
    assert_true(text.size > 10);
    assert_memory_equal(text.data, "7  # --set", 10);
}

/* Log levels are told, and changed module by module; a wrong one changes nothing. */
static void log_levels_can_be_changed(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {
        .kind = WIRE_LOG_LEVEL, .name = bytes_of_text("log"), .text = bytes_of_text("warn")};

    hello(f);
    const struct wire_message *answer = ask(f, &m);
    assert_int_equal(answer->status, QN_OK);
    assert_bytes_equal(fact(answer, "log"), bytes_of_text("warn"));
    assert_bytes_equal(fact(answer, "node"), bytes_of_text("error"));
    m.text = bytes_of_text("loud");
    assert_int_equal(ask(f, &m)->status, QN_INVALID);
    m = (struct wire_message){.kind = WIRE_LOG_LEVEL};
    assert_bytes_equal(fact(ask(f, &m), "log"), bytes_of_text("warn"));
}

/* A partition of another service than the cache's is refused: nobody would look there. */
static void a_partition_of_the_wrong_service_is_refused(void **state)
{
    struct fixture *f = *state;

    hello(f);
    uint32_t cache = cache_open(f, "default", QN_OK);
    assert_int_equal(run(f, on_partition(WIRE_OP_COUNT, cache, PARTITIONS)).status, QN_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_soft_commit_publishes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_hard_commit_is_where_the_next_life_starts, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(an_unknown_commit_level_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cache_keeps_its_definition, setup, teardown),
        cmocka_unit_test_setup_teardown(a_dropped_cache_is_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(caches_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(settings_are_told_with_their_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(log_levels_can_be_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_partition_of_the_wrong_service_is_refused, setup,
                                        teardown),
    };
    return RUN_TESTS(tests);
}
