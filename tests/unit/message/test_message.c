#include "tests/lib/check.h"
#include "wire/message/message.h"

static void encode(const struct wire_message *message, struct buf *out)
{
    assert_int_equal(message_encode(message, out), QN_OK);
}

static struct wire_message request(struct wire_op *ops, size_t count)
{
    struct wire_message m = {.kind = WIRE_REQUEST,
                             .feature_level = WIRE_FEATURE_LEVEL,
                             .cluster = 0x1122334455667788,
                             .to_incarnation = 3,
                             .ops = ops,
                             .op_count = count};

    memset(m.client.octets, 0xab, CLIENT_ID_SIZE);
    return m;
}

/* Field by field: octets between fields have no meaning. */
#define SAME(a, b, field) assert_true((a)->field == (b)->field)

static void assert_same_op(const struct wire_op *a, const struct wire_op *b)
{
    SAME(a, b, id);
    SAME(a, b, kind);
    SAME(a, b, flags);
    SAME(a, b, cache);
    SAME(a, b, partition);
    SAME(a, b, lineage);
    SAME(a, b, value_flags);
    SAME(a, b, epoch);
    SAME(a, b, session);
    SAME(a, b, sequence);
    SAME(a, b, first_incomplete);
    SAME(a, b, expected_version);
    SAME(a, b, remaining_ms);
    SAME(a, b, ttl_ms);
    SAME(a, b, commit_within_ms);
    SAME(a, b, view);
    SAME(a, b, view_min);
    SAME(a, b, count_max);
    SAME(a, b, size_max);
    SAME(a, b, read_level);
    SAME(a, b, token_index);
    SAME(a, b, staleness_max_ms);
    assert_bytes_equal(a->key, b->key);
    assert_bytes_equal(a->value, b->value);
}

static void assert_same_cache(const struct wire_cache *a, const struct wire_cache *b)
{
    SAME(a, b, id);
    SAME(a, b, service);
    SAME(a, b, ttl_ms);
    SAME(a, b, size_max_bytes);
    SAME(a, b, entries);
    SAME(a, b, bytes);
    SAME(a, b, hits);
    SAME(a, b, misses);
    SAME(a, b, puts);
    SAME(a, b, removes);
    SAME(a, b, expired);
    assert_bytes_equal(a->name, b->name);
}

/* Every field of every operation comes back; keys and values point into the frame. */
static void a_request_comes_back(void **state)
{
    struct wire_op ops[] = {
        {.id = 1,
         .kind = WIRE_OP_PUT,
         .flags = WIRE_RETURN_OLD,
         .cache = 2,
         .partition = 270,
         .lineage = 1,
         .value_flags = VALUE_COMPRESSED,
         .epoch = 4,
         .session = 5,
         .sequence = 6,
         .first_incomplete = 7,
         .expected_version = 8,
         .remaining_ms = 9,
         .ttl_ms = WIRE_TTL_NEVER,
         .commit_within_ms = 10,
         .view = 11,
         .view_min = UINT64_MAX,
         .count_max = 12,
         .size_max = 13,
         .read_level = WIRE_READ_BOUNDED,
         .token_index = 14,
         .staleness_max_ms = 15,
         .key = bytes_of_text("key one"),
         .value = bytes_of_text("a value")},
        {.id = UINT64_MAX, .kind = 4711, .key = bytes_of_text("k")},
        {.id = 3, .kind = WIRE_OP_GET, .key = bytes_of_text("key two")},
    };
    struct wire_message in = request(ops, 3), out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    encode(&in, &frame);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_OK);
    assert_int_equal(out.kind, WIRE_REQUEST);
    assert_int_equal(out.cluster, in.cluster);
    assert_int_equal(out.to_incarnation, 3);
    assert_true(client_id_equal(out.client, in.client));
    assert_int_equal(out.op_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct wire_op *got = &out.ops[i];
        assert_same_op(&ops[i], got);
        assert_true(got->key.data >= frame.data && got->key.data < frame.data + frame.size);
    }
    arena_fini(&arena);
    buf_fini(&frame);
}

/* Results come back, a failure with its text, an absent value apart from an empty one. */
static void a_reply_comes_back(void **state)
{
    struct wire_result results[] = {
        {.id = 1,
         .status = QN_OK,
         .version = 2,
         .partition = 3,
         .lineage = 4,
         .epoch = 5,
         .index = 6,
         .session = 7,
         .count = 8,
         .value_flags = 1,
         .has_value = true,
         .value = bytes_of_text("value")},
        {.id = 2,
         .status = QN_OVERLOADED,
         .retry_after_ms = 50,
         .text = bytes_of_text("too much uncommitted")},
        {.id = 3, .status = QN_OK, .has_value = true},
        {.id = 4, .view = 9, .ttl_ms = -1, .more = true, .token = bytes_of_text("token")},
    };
    struct wire_message in = {.kind = WIRE_REPLY, .results = results, .result_count = 4}, out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    encode(&in, &frame);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_OK);
    assert_int_equal(out.result_count, 4);
    assert_int_equal(out.results[0].session, 7);
    assert_int_equal(out.results[0].count, 8);
    assert_bytes_equal(out.results[0].value, results[0].value);
    assert_int_equal(out.results[1].status, QN_OVERLOADED);
    assert_int_equal(out.results[1].retry_after_ms, 50);
    assert_bytes_equal(out.results[1].text, results[1].text);
    assert_false(out.results[1].has_value);
    assert_true(out.results[2].has_value);
    assert_int_equal(out.results[2].value.size, 0);
    assert_int_equal(out.results[3].view, 9);
    assert_int_equal(out.results[3].ttl_ms, -1);
    assert_true(out.results[3].more);
    assert_bytes_equal(out.results[3].token, results[3].token);
    arena_fini(&arena);
    buf_fini(&frame);
}

/* HELLO_ACK carries everything a client needs to find the rest. */
static void a_hello_ack_comes_back(void **state)
{
    struct bytes endpoints[] = {bytes_of_text("tcp://a:7100"), bytes_of_text("tcp://a:7101")};
    struct bytes internal = bytes_of_text("tcp://10.0.0.1:7100");
    struct wire_node node = {.id = 1,
                             .incarnation = 9,
                             .endpoints = endpoints,
                             .endpoint_count = 2,
                             .internal = &internal,
                             .internal_count = 1,
                             .control = bytes_of_text("tcp://10.0.0.1:7090")};
    uint32_t replicas[] = {1, 7, 300};
    struct wire_partition partitions[271] = {0};
    struct wire_fact fact = {.name = bytes_of_text("entries"), .number = -5};
    struct wire_message in = {.kind = WIRE_HELLO_ACK,
                              .feature_level = 1,
                              .cluster = 77,
                              .from_node = 1,
                              .correlation = 12,
                              .table_version = 3,
                              .nodes = &node,
                              .node_count = 1,
                              .partitions = partitions,
                              .partition_count = 271,
                              .facts = &fact,
                              .fact_count = 1};
    struct wire_message out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    for (uint32_t p = 0; p < 271; p++) {
        partitions[p] =
            (struct wire_partition){.epoch = p + 1, .lineage = 1, .leader = 1, .shard = p % 2};
    }
    partitions[3].version = 8;
    partitions[3].replicas = replicas;
    partitions[3].replica_count = 3;
    partitions[3].isr = 5;
    partitions[3].elr = 2;
    arena_init(&arena, 0);
    encode(&in, &frame);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_OK);
    assert_int_equal(out.node_count, 1);
    assert_int_equal(out.nodes[0].endpoint_count, 2);
    assert_bytes_equal(out.nodes[0].endpoints[1], endpoints[1]);
    assert_int_equal(out.partition_count, 271);
    assert_int_equal(out.partitions[270].epoch, 271);
    assert_int_equal(out.partitions[269].shard, 1);
    assert_int_equal(out.facts[0].number, -5);
    assert_bytes_equal(out.nodes[0].internal[0], internal);
    assert_bytes_equal(out.nodes[0].control, node.control);
    assert_int_equal(out.partitions[3].version, 8);
    assert_int_equal(out.partitions[3].replica_count, 3);
    assert_int_equal(out.partitions[3].replicas[2], 300);
    assert_int_equal(out.partitions[3].isr, 5);
    assert_int_equal(out.partitions[3].elr, 2);
    assert_int_equal(out.partitions[4].replica_count, 0);
    arena_fini(&arena);
    buf_fini(&frame);
}

/* What nodes say to each other, with histories and records. */
static void operations_between_nodes_come_back(void **state)
{
    struct wire_epoch history[] = {{1, 1}, {4, 90}, {UINT32_MAX, UINT64_MAX}};
    struct wire_peer peers[] = {
        {.kind = WIRE_PEER_NEW_EPOCH,
         .partition = 17,
         .lineage = 2,
         .epoch = 9,
         .index = 100,
         .index_epoch = 4,
         .commit = 95,
         .log_start = 7,
         .history = history,
         .history_count = 3},
        {.kind = WIRE_PEER_REPLICATE, .applied = 3, .round = 4, .body = bytes_of_text("records")},
        {.kind = WIRE_PEER_NAK, .why = WIRE_NAK_GAP, .sent_ms = -5, .proof_ms = INT64_MIN},
        {.kind = WIRE_PEER_SNAP_CHUNK,
         .snapshot = 6,
         .offset = 8,
         .total = 10,
         .configuration = bytes_of_text("forty octets"),
         .body = bytes_of_text("a chunk")},
    };
    struct wire_message in = {.kind = WIRE_PEERS, .to_node = 3, .peers = peers, .peer_count = 4};
    struct wire_message out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    encode(&in, &frame);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_OK);
    assert_int_equal(out.to_node, 3);
    assert_int_equal(out.peer_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct wire_peer *a = &peers[i], *b = &out.peers[i];
        SAME(a, b, kind);
        SAME(a, b, partition);
        SAME(a, b, lineage);
        SAME(a, b, why);
        SAME(a, b, epoch);
        SAME(a, b, index);
        SAME(a, b, index_epoch);
        SAME(a, b, commit);
        SAME(a, b, applied);
        SAME(a, b, round);
        SAME(a, b, log_start);
        SAME(a, b, snapshot);
        SAME(a, b, offset);
        SAME(a, b, total);
        SAME(a, b, sent_ms);
        SAME(a, b, proof_ms);
        SAME(a, b, history_count);
        assert_bytes_equal(a->configuration, b->configuration);
        assert_bytes_equal(a->body, b->body);
    }
    assert_int_equal(out.peers[0].history[2].first, UINT64_MAX);
    frame.size--; /* the last body is cut off */
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_MALFORMED);
    arena_fini(&arena);
    buf_fini(&frame);
}

/* A history or a list that is longer than it may be is refused on both sides. */
static void operations_between_nodes_are_bounded(void **state)
{
    static struct wire_peer peers[WIRE_PEERS_MAX + 1];
    static struct wire_epoch history[WIRE_HISTORY_MAX + 1];
    struct wire_message m = {.kind = WIRE_PEERS, .peers = peers, .peer_count = WIRE_PEERS_MAX};
    struct wire_message out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    encode(&m, &frame);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_OK);
    assert_int_equal(out.peer_count, WIRE_PEERS_MAX);
    m.peer_count++;
    assert_int_equal(message_encode(&m, &frame), QN_TOO_LARGE);
    m.peer_count = 1;
    peers[0] = (struct wire_peer){.history = history, .history_count = WIRE_HISTORY_MAX + 1};
    assert_int_equal(message_encode(&m, &frame), QN_TOO_LARGE);
    arena_fini(&arena);
    buf_fini(&frame);
}

/* Definitions and figures of caches travel, and what a commit asks for. */
static void caches_come_back(void **state)
{
    struct wire_cache rows[] = {
        {.id = 1,
         .name = bytes_of_text("orders"),
         .service = WIRE_SERVICE_MEMORY,
         .ttl_ms = 600000,
         .size_max_bytes = 1 << 30,
         .entries = 2,
         .bytes = 3,
         .hits = 4,
         .misses = 5,
         .puts = 6,
         .removes = 7,
         .expired = UINT64_MAX},
        {.id = 2, .name = bytes_of_text("x")},
    };
    struct wire_message in = {.kind = WIRE_CACHES_ACK,
                              .level = WIRE_COMMIT_HARD,
                              .hash_partitions = 271,
                              .caches = rows,
                              .cache_count = 2};
    struct wire_message out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    encode(&in, &frame);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_OK);
    assert_int_equal(out.level, WIRE_COMMIT_HARD);
    assert_int_equal(out.hash_partitions, 271);
    assert_int_equal(out.cache_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_same_cache(&rows[i], &out.caches[i]);
    }
    arena_fini(&arena);
    buf_fini(&frame);
}

/* Every cut of a frame is refused; a flipped bit is refused or gives a message within bounds. */
static void broken_frames_are_refused(void **state)
{
    struct wire_op op = {
        .id = 1, .kind = WIRE_OP_PUT, .key = bytes_of_text("key"), .value = bytes_of_text("value")};
    struct wire_message in = request(&op, 1), out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    encode(&in, &frame);
    for (size_t cut = 0; cut < frame.size; cut++) {
        arena_reset(&arena);
        assert_int_not_equal(message_decode(bytes_of(frame.data, cut), &arena, &out), QN_OK);
    }
    for (size_t bit = 0; bit < 8 * frame.size; bit++) {
        frame.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        arena_reset(&arena);
        if (message_decode(buf_bytes(&frame), &arena, &out) == QN_OK) {
            for (size_t i = 0; i < out.op_count; i++) {
                assert_true(out.ops[i].key.size + out.ops[i].value.size <= frame.size);
            }
        }
        frame.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    arena_fini(&arena);
    buf_fini(&frame);
}

/* Octets behind the last operation mean that the sender counts otherwise: refused. */
static void octets_that_nobody_claims_are_refused(void **state)
{
    struct wire_op op = {.id = 1, .kind = WIRE_OP_GET, .key = bytes_of_text("key")};
    struct wire_message in = request(&op, 1), out;
    struct buf frame = {0};
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    encode(&in, &frame);
    assert_int_equal(buf_append(&frame, "x", 1), QN_OK);
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_MALFORMED);
    arena_fini(&arena);
    buf_fini(&frame);
}

/* A small frame can not make the decoder allocate without bound: repeated fields are counted first.
 */
static void too_many_operations_are_refused_before_allocating(void **state)
{
    struct wire_message out;
    struct buf frame = {0};
    struct arena arena;
    uint8_t *place;
    size_t count = WIRE_BATCH_MAX + 1;

    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(buf_extend(&frame, 4 + 2 * count, &place), QN_OK);
    put_u32(place, (uint32_t)(2 * count));
    for (size_t i = 0; i < count; i++) {
        place[4 + 2 * i] = 15 << 3 | 2; /* field ops, length-delimited */
        place[5 + 2 * i] = 0;           /* empty */
    }
    assert_int_equal(message_decode(buf_bytes(&frame), &arena, &out), QN_MALFORMED);
    assert_int_equal(arena.size, 0);
    arena_fini(&arena);
    buf_fini(&frame);
}

/* The encoder keeps the same limits as the decoder. */
static void oversized_messages_are_not_formed(void **state)
{
    static const uint8_t octet;
    struct wire_op op = {.id = 1, .kind = WIRE_OP_PUT};
    struct wire_message m = request(&op, 1);
    struct buf frame = {0};

    (void)state;
    op.key = bytes_of(&octet, WIRE_KEY_MAX + 1);
    assert_int_equal(message_encode(&m, &frame), QN_TOO_LARGE);
    op.key = bytes_of(&octet, 1);
    op.value = bytes_of(&octet, WIRE_VALUE_MAX + 1);
    assert_int_equal(message_encode(&m, &frame), QN_TOO_LARGE);
    m.op_count = WIRE_BATCH_MAX + 1;
    assert_int_equal(message_encode(&m, &frame), QN_TOO_LARGE);
    assert_int_equal(frame.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_comes_back),
        cmocka_unit_test(a_reply_comes_back),
        cmocka_unit_test(a_hello_ack_comes_back),
        cmocka_unit_test(operations_between_nodes_come_back),
        cmocka_unit_test(operations_between_nodes_are_bounded),
        cmocka_unit_test(caches_come_back),
        cmocka_unit_test(broken_frames_are_refused),
        cmocka_unit_test(octets_that_nobody_claims_are_refused),
        cmocka_unit_test(too_many_operations_are_refused_before_allocating),
        cmocka_unit_test(oversized_messages_are_not_formed),
    };
    return RUN_TESTS(tests);
}
