/* A whole node in this process, spoken to with messages as a client would send them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/cfg.h"
#include "node/node.h"
#include "tests/lib/check.h"
#include "wire/hash.h"
#include "wire/message/message.h"
#include "wire/transport/transport.h"

enum { WAIT_MS = 30000 };

/* A node with its settings, and a client's side of one connection to each shard. */
struct fixture {
    char dir[64];
    char set_dir[96];
    struct cfg cfg;
    struct logger logger;
    struct node *node;
    struct transport *transport;
    struct transport_peer *peer;
    struct arena arena;
    struct transport_frame *frame;
    struct wire_message answer;
    uint64_t cluster;
    uint64_t epoch;
    uint64_t incarnation;
    uint32_t port;
};

static void node_up(struct fixture *f)
{
    const char *sets[] = {f->set_dir,
                          "node.data_port=0",
                          "node.shards=1",
                          "admin.enabled=false",
                          "cluster.partitions=7",
                          "log.segment_size=1MiB"};
    struct cfg_sources sources = {.sets = sets, .set_count = 6};
    struct cfg_report report = {0};
    qn_error err = QN_ERROR_INIT;

    enum qn_status status = cfg_load(&sources, &f->cfg, &report);
    if (status != QN_OK) {
        cfg_report_print(&report, stderr);
    }
    assert_int_equal(status, QN_OK);
    cfg_report_fini(&report);
    f->logger = (struct logger){.fd = 2, .level = LOG_LEVEL_ERROR};
    status = node_open(&f->cfg, &f->logger, -1, &f->node, &err);
    if (status != QN_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(transport_open(&f->transport), QN_OK);
    assert_int_equal(transport_peer_open(f->transport, node_endpoint(f->node, 0), &f->peer, NULL),
                     QN_OK);
    arena_init(&f->arena, 0);
}

static void node_down(struct fixture *f)
{
    transport_frame_release(f->frame);
    f->frame = NULL;
    arena_fini(&f->arena);
    transport_peer_close(f->peer);
    transport_close(f->transport);
    assert_int_equal(node_close(f->node, NULL), QN_OK);
    cfg_fini(&f->cfg);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    (void)snprintf(f->dir, sizeof f->dir, "%s", "/tmp/quoin-test-node-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->set_dir, sizeof f->set_dir, "node.data_dir=%s/data", f->dir);
    node_up(f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char command[128];

    node_down(f);
    (void)snprintf(command, sizeof command, "rm -rf %s", f->dir);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void send_octets(struct fixture *f, struct bytes octets)
{
    struct transport_wait wait = {.peer = f->peer, .want_writable = true};
    int64_t end = clock_now_ms() + WAIT_MS;
    enum qn_status status;

    while ((status = transport_peer_send(f->peer, octets)) == QN_OVERLOADED &&
           clock_now_ms() < end) {
        (void)transport_wait(&wait, 1, 100);
    }
    assert_int_equal(status, QN_OK);
}

static const struct wire_message *receive(struct fixture *f)
{
    struct transport_wait wait = {.peer = f->peer};
    int64_t end = clock_now_ms() + WAIT_MS;
    enum qn_status status;

    transport_frame_release(f->frame);
    f->frame = NULL;
    while ((status = transport_peer_recv(f->peer, &f->frame)) == QN_ABSENT &&
           clock_now_ms() < end) {
        (void)transport_wait(&wait, 1, 100);
    }
    assert_int_equal(status, QN_OK);
    arena_reset(&f->arena);
    assert_int_equal(message_decode(transport_frame_bytes(f->frame), &f->arena, &f->answer), QN_OK);
    return &f->answer;
}

static const struct wire_message *ask(struct fixture *f, const struct wire_message *message)
{
    struct buf octets = {0};

    assert_int_equal(message_encode(message, &octets), QN_OK);
    send_octets(f, buf_bytes(&octets));
    buf_fini(&octets);
    return receive(f);
}

static void hello(struct fixture *f)
{
    struct wire_message m = {.kind = WIRE_HELLO, .feature_level = 1, .correlation = 5};
    const struct wire_message *answer = ask(f, &m);

    assert_int_equal(answer->kind, WIRE_HELLO_ACK);
    assert_int_equal(answer->correlation, 5);
    assert_int_equal(answer->partition_count, 7);
    assert_int_equal(answer->node_count, 1);
    f->cluster = answer->cluster;
    f->epoch = answer->partitions[0].epoch;
    f->incarnation = answer->from_incarnation;
    assert_true(f->epoch > 0);
}

static uint32_t cache_open(struct fixture *f, const char *name, enum qn_status expected)
{
    struct wire_message m = {
        .kind = WIRE_CACHE_OPEN, .cluster = f->cluster, .name = bytes_of_text(name)};
    const struct wire_message *answer = ask(f, &m);

    assert_int_equal(answer->kind, WIRE_CACHE_ACK);
    assert_int_equal(answer->status, expected);
    return answer->cache;
}

static struct wire_result run_once(struct fixture *f, struct wire_op op)
{
    struct wire_message m = {.kind = WIRE_REQUEST,
                             .cluster = f->cluster,
                             .to_incarnation = f->incarnation,
                             .client = {{9}},
                             .ops = &op,
                             .op_count = 1};

    op.lineage = op.lineage ? op.lineage : 1;
    op.epoch = op.epoch ? op.epoch : f->epoch;
    op.remaining_ms = WAIT_MS;
    if (op.key.size > 0) {
        op.partition = hash_partition(hash_key(op.key), 7);
    }
    const struct wire_message *answer = ask(f, &m);
    assert_int_equal(answer->kind, WIRE_REPLY);
    assert_int_equal(answer->result_count, 1);
    return answer->results[0];
}

/* Run an operation, again while the partition is still being opened. */
static struct wire_result run(struct fixture *f, struct wire_op op)
{
    int64_t end = clock_now_ms() + WAIT_MS;
    struct wire_result result;

    do {
        result = run_once(f, op);
    } while (result.status == QN_RECOVERING && clock_now_ms() < end);
    return result;
}

static uint64_t session_open(struct fixture *f, struct bytes key)
{
    struct wire_op op = {
        .id = 1, .kind = WIRE_OP_SESSION_OPEN, .partition = hash_partition(hash_key(key), 7)};
    struct wire_result result = run(f, op);

    assert_int_equal(result.status, QN_OK);
    assert_true(result.session > 0);
    return result.session;
}

static void put(struct fixture *f, uint32_t cache, struct bytes key, struct bytes value)
{
    struct wire_op op = {.id = 2,
                         .kind = WIRE_OP_PUT,
                         .cache = cache,
                         .session = session_open(f, key),
                         .sequence = 1,
                         .first_incomplete = 1,
                         .key = key,
                         .value = value};

    assert_int_equal(run(f, op).status, QN_OK);
}

/* What was acknowledged is read back, also by the node's next life. */
static void a_write_survives_a_restart(void **state)
{
    struct fixture *f = *state;
    struct bytes key = bytes_of("\x15\x4e\x03key", 6);
    struct bytes value = bytes_of("\x15\x41\x05", 3);

    hello(f);
    uint32_t cache = cache_open(f, "default", QN_OK);
    put(f, cache, key, value);
    struct wire_op get = {.id = 3, .kind = WIRE_OP_GET, .cache = cache, .key = key};
    assert_bytes_equal(run(f, get).value, value);

    uint64_t epoch = f->epoch;
    node_down(f);
    node_up(f);
    hello(f);
    assert_true(f->epoch > epoch);
    struct wire_result result = run(f, get);
    assert_int_equal(result.status, QN_OK);
    assert_bytes_equal(result.value, value);
}

/* A request routed with an older epoch is refused, and says so (protocol B.10). */
static void an_older_epoch_is_refused(void **state)
{
    struct fixture *f = *state;
    struct bytes key = bytes_of("\x15\x4e\x03key", 6);

    node_down(f);
    node_up(f);
    hello(f);
    struct wire_op get = {.id = 3,
                          .kind = WIRE_OP_GET,
                          .cache = cache_open(f, "default", QN_OK),
                          .epoch = f->epoch - 1,
                          .key = key};
    assert_int_equal(run(f, get).status, QN_STALE_EPOCH);
}

/* Octets that are no message are answered with a refusal, and the node goes on. */
static void garbage_is_refused_and_harmless(void **state)
{
    struct fixture *f = *state;
    uint8_t octets[300];
    unsigned random = 12345;

    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof octets; i++) {
            random = random * 1103515245 + 12345;
            octets[i] = (uint8_t)(random >> 16);
        }
        send_octets(f, bytes_of(octets, (size_t)(random >> 16) % sizeof octets));
        const struct wire_message *answer = receive(f);
        assert_int_equal(answer->kind, WIRE_NAK);
        assert_int_equal(answer->status, QN_MALFORMED);
    }
    hello(f);
}

/* Wrong cluster, wrong incarnation, unknown kinds and caches: each has its own refusal. */
static void refusals_name_their_reason(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {.kind = WIRE_HELLO, .cluster = 1, .correlation = 8};

    hello(f);
    assert_int_equal(ask(f, &m)->status, QN_CLUSTER);
    m = (struct wire_message){.kind = WIRE_HELLO, .to_incarnation = f->incarnation + 1};
    assert_int_equal(ask(f, &m)->status, QN_STALE_EPOCH);
    m = (struct wire_message){.kind = 4711};
    assert_int_equal(ask(f, &m)->status, QN_UNSUPPORTED);
    (void)cache_open(f, "nonexistent", QN_UNKNOWN_CACHE);
    struct wire_op get = {
        .id = 1, .kind = WIRE_OP_GET, .cache = 4711, .key = bytes_of("\x15\x41\x05", 3)};
    assert_int_equal(run(f, get).status, QN_UNKNOWN_CACHE);
    struct wire_op odd = {.id = 1, .kind = 99, .cache = 1, .key = bytes_of("\x15\x41\x05", 3)};
    assert_int_equal(run(f, odd).status, QN_UNSUPPORTED);
}

/* STATUS tells what an operator asks first. */
static void status_has_the_facts(void **state)
{
    struct fixture *f = *state;
    struct wire_message m = {.kind = WIRE_STATUS, .correlation = 3};
    const struct wire_message *answer = ask(f, &m);
    bool ready = false;

    assert_int_equal(answer->kind, WIRE_STATUS_ACK);
    for (size_t i = 0; i < answer->fact_count; i++) {
        ready = ready || bytes_equal(answer->facts[i].name, bytes_of_text("ready"));
    }
    assert_true(ready);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_write_survives_a_restart, setup, teardown),
        cmocka_unit_test_setup_teardown(an_older_epoch_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(garbage_is_refused_and_harmless, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals_name_their_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(status_has_the_facts, setup, teardown),
    };
    return RUN_TESTS(tests);
}
