#define _GNU_SOURCE
#include "tests/unit/node_shard/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "wire/hash.h"

void node_up(struct fixture *f)
{
    const char *sets[] = {f->set_dir,
                          "node.data_port=0",
                          "node.shards=1",
                          "admin.enabled=false",
                          "cluster.partitions=7",
                          "caches.create=true",
                          "log.segment_size=1MiB"};
    struct cfg_sources sources = {.sets = sets, .set_count = 7};
    struct cfg_report report = {0};
    qn_error err = QN_ERROR_INIT;

    enum qn_status status = cfg_load(&sources, &f->cfg, &report);
    if (status != QN_OK) {
        cfg_report_print(&report, stderr);
    }
    assert_int_equal(status, QN_OK);
    cfg_report_fini(&report);
    struct logger_options logging = {.fd = 2, .level = LOG_LEVEL_ERROR};
    logger_init(&f->logger, &logging);
    struct node_options options = {.cfg = &f->cfg, .logger = &f->logger, .stop_fd = -1};
    status = node_open(&options, &f->node, &err);
    if (status != QN_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(transport_open(&f->transport), QN_OK);
    assert_int_equal(transport_peer_open(f->transport, node_endpoint(f->node, 0), &f->peer, NULL),
                     QN_OK);
    arena_init(&f->arena, 0);
}

void node_down(struct fixture *f)
{
    transport_frame_release(f->frame);
    f->frame = NULL;
    arena_fini(&f->arena);
    transport_peer_close(f->peer);
    transport_close(f->transport);
    assert_int_equal(node_close(f->node, NULL), QN_OK);
    cfg_fini(&f->cfg);
}

int setup(void **state)
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

int teardown(void **state)
{
    struct fixture *f = *state;
    char command[128];

    node_down(f);
    (void)snprintf(command, sizeof command, "rm -rf %s", f->dir);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

void send_octets(struct fixture *f, struct bytes octets)
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

const struct wire_message *receive(struct fixture *f)
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

const struct wire_message *ask(struct fixture *f, const struct wire_message *message)
{
    struct buf octets = {0};

    assert_int_equal(message_encode(message, &octets), QN_OK);
    send_octets(f, buf_bytes(&octets));
    buf_fini(&octets);
    return receive(f);
}

void hello(struct fixture *f)
{
    struct wire_message m = {.kind = WIRE_HELLO, .feature_level = 1, .correlation = 5};
    const struct wire_message *answer = ask(f, &m);

    assert_int_equal(answer->kind, WIRE_HELLO_ACK);
    assert_int_equal(answer->correlation, 5);
    assert_int_equal(answer->hash_partitions, PARTITIONS);
    assert_int_equal(answer->partition_count, 2 * PARTITIONS);
    assert_int_equal(answer->node_count, 1);
    f->cluster = answer->cluster;
    f->epoch = answer->partitions[0].epoch;
    f->incarnation = answer->from_incarnation;
    assert_true(f->epoch > 0);
}

uint32_t cache_open(struct fixture *f, const char *name, enum qn_status expected)
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
        op.partition = hash_partition(hash_key(op.key), PARTITIONS);
    }
    const struct wire_message *answer = ask(f, &m);
    assert_int_equal(answer->kind, WIRE_REPLY);
    assert_int_equal(answer->result_count, 1);
    return answer->results[0];
}

struct wire_result run(struct fixture *f, struct wire_op op)
{
    int64_t end = clock_now_ms() + WAIT_MS;
    struct wire_result result;

    do {
        result = run_once(f, op);
    } while (result.status == QN_RECOVERING && clock_now_ms() < end);
    return result;
}

uint64_t session_open(struct fixture *f, struct bytes key)
{
    struct wire_op op = {.id = 1,
                         .kind = WIRE_OP_SESSION_OPEN,
                         .partition = hash_partition(hash_key(key), PARTITIONS)};
    struct wire_result result = run(f, op);

    assert_int_equal(result.status, QN_OK);
    assert_true(result.session > 0);
    return result.session;
}

void put(struct fixture *f, uint32_t cache, struct bytes key, struct bytes value)
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
