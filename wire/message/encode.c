#include "wire/message/message.h"

#include "quoin.pb-c.h"
#include "wire/assert.h"
#include "wire/message/peers.h"

static ProtobufCBinaryData binary_of(struct bytes bytes)
{
    /* protobuf-c declares the octets it only reads as mutable. */
    return (ProtobufCBinaryData){.len = bytes.size, .data = (uint8_t *)(uintptr_t)bytes.data};
}

static void op_fill(const struct wire_op *op, Quoin__Op *out)
{
    quoin__op__init(out);
    out->id = op->id;
    out->kind = op->kind;
    out->flags = op->flags;
    out->cache = op->cache;
    out->partition = op->partition;
    out->lineage = op->lineage;
    out->epoch = op->epoch;
    out->session = op->session;
    out->sequence = op->sequence;
    out->first_incomplete = op->first_incomplete;
    out->expected_version = op->expected_version;
    out->remaining_ms = op->remaining_ms;
    out->key_size = (uint32_t)op->key.size;
    out->value_size = (uint32_t)op->value.size;
    out->value_flags = op->value_flags;
    out->ttl_ms = op->ttl_ms;
    out->commit_within_ms = op->commit_within_ms;
    out->view = op->view;
    out->view_min = op->view_min;
    out->count_max = op->count_max;
    out->size_max = op->size_max;
    out->read_level = op->read_level;
    out->token_index = op->token_index;
    out->staleness_max_ms = op->staleness_max_ms;
}

static void result_fill(const struct wire_result *result, Quoin__Result *out)
{
    quoin__result__init(out);
    out->id = result->id;
    out->status = result->status;
    out->retry_after_ms = result->retry_after_ms;
    out->version = result->version;
    out->partition = result->partition;
    out->lineage = result->lineage;
    out->epoch = result->epoch;
    out->index = result->index;
    out->session = result->session;
    out->count = result->count;
    out->value_flags = result->value_flags;
    out->has_value = result->has_value;
    out->value_size = (uint32_t)result->value.size;
    out->text = binary_of(result->text);
    out->view = result->view;
    out->ttl_ms = result->ttl_ms;
    out->more = result->more;
    out->token = binary_of(result->token);
    out->leader = result->leader;
    out->staleness_ms = result->staleness_ms;
}

static void partition_fill(const struct wire_partition *partition, Quoin__Partition *out)
{
    quoin__partition__init(out);
    out->epoch = partition->epoch;
    out->lineage = partition->lineage;
    out->leader = partition->leader;
    out->shard = partition->shard;
    out->version = partition->version;
    out->replicas = partition->replicas; /* borrowed: it is only read */
    out->n_replicas = partition->replica_count;
    out->isr = partition->isr;
    out->elr = partition->elr;
}

static void fact_fill(const struct wire_fact *fact, Quoin__Fact *out)
{
    quoin__fact__init(out);
    out->name = binary_of(fact->name);
    out->text = binary_of(fact->text);
    out->number = fact->number;
}

static void cache_fill(const struct wire_cache *cache, Quoin__Cache *out)
{
    quoin__cache__init(out);
    out->id = cache->id;
    out->name = binary_of(cache->name);
    out->service = cache->service;
    out->ttl_ms = cache->ttl_ms;
    out->size_max_bytes = cache->size_max_bytes;
    out->entries = cache->entries;
    out->bytes = cache->bytes;
    out->hits = cache->hits;
    out->misses = cache->misses;
    out->puts = cache->puts;
    out->removes = cache->removes;
    out->expired = cache->expired;
}

/* A list of texts; NULL when the arena refuses. */
static ProtobufCBinaryData *list_fill(const struct bytes *list, size_t count, struct arena *arena)
{
    ProtobufCBinaryData *out = arena_calloc(arena, count, sizeof *out);

    for (size_t i = 0; out && i < count; i++) {
        out[i] = binary_of(list[i]);
    }
    return out;
}

static bool node_fill(const struct wire_node *node, Quoin__Node *out, struct arena *arena)
{
    quoin__node__init(out);
    out->id = node->id;
    out->incarnation = node->incarnation;
    out->control = binary_of(node->control);
    out->n_endpoints = node->endpoint_count;
    out->endpoints = list_fill(node->endpoints, node->endpoint_count, arena);
    out->n_internal = node->internal_count;
    out->internal = list_fill(node->internal, node->internal_count, arena);
    return out->endpoints && out->internal;
}

/* An array of `count` structs of `size` octets and the array of pointers to them that protobuf-c
 * wants; NULL when the arena refuses. */
static void *rows_make(struct arena *arena, size_t count, size_t size, void ***pointers)
{
    unsigned char *rows = arena_alloc(arena, count * size);

    *pointers = arena_alloc(arena, count * sizeof **pointers);
    if (!rows || !*pointers) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        (*pointers)[i] = rows + i * size;
    }
    return rows;
}

/* Build one repeated field of `header` from an array of ours. */
#define ROWS_FILL(header, arena, field, type, source, count, fill)                                 \
    do {                                                                                           \
        if ((count) > 0) {                                                                         \
            void **pointers;                                                                       \
            type *rows = rows_make((arena), (count), sizeof *rows, &pointers);                     \
            if (!rows) {                                                                           \
                return QN_MEMORY_FULL;                                                             \
            }                                                                                      \
            for (size_t i = 0; i < (count); i++) {                                                 \
                fill(&(source)[i], &rows[i]);                                                      \
            }                                                                                      \
            (header)->field = (type **)pointers;                                                   \
            (header)->n_##field = (count);                                                         \
        }                                                                                          \
    } while (0)

static enum qn_status nodes_fill(const struct wire_message *m, struct arena *arena,
                                 Quoin__Header *header)
{
    void **pointers;

    if (m->node_count == 0) {
        return QN_OK;
    }
    Quoin__Node *rows = rows_make(arena, m->node_count, sizeof *rows, &pointers);
    if (!rows) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < m->node_count; i++) {
        if (!node_fill(&m->nodes[i], &rows[i], arena)) {
            return QN_MEMORY_FULL;
        }
    }
    header->nodes = (Quoin__Node **)pointers;
    header->n_nodes = m->node_count;
    return QN_OK;
}

static enum qn_status rows_fill(const struct wire_message *m, struct arena *arena,
                                Quoin__Header *header)
{
    ROWS_FILL(header, arena, ops, Quoin__Op, m->ops, m->op_count, op_fill);
    ROWS_FILL(header, arena, results, Quoin__Result, m->results, m->result_count, result_fill);
    ROWS_FILL(header, arena, partitions, Quoin__Partition, m->partitions, m->partition_count,
              partition_fill);
    ROWS_FILL(header, arena, facts, Quoin__Fact, m->facts, m->fact_count, fact_fill);
    ROWS_FILL(header, arena, caches, Quoin__Cache, m->caches, m->cache_count, cache_fill);
    enum qn_status status = nodes_fill(m, arena, header);
    return status == QN_OK ? peers_fill(m, arena, header) : status;
}

static void header_fill(const struct wire_message *m, Quoin__Header *header)
{
    quoin__header__init(header);
    header->kind = m->kind;
    header->feature_level = m->feature_level;
    header->cluster = m->cluster;
    header->from_node = m->from_node;
    header->from_incarnation = m->from_incarnation;
    header->to_incarnation = m->to_incarnation;
    header->to_node = m->to_node;
    if (m->kind == WIRE_REQUEST) {
        header->client = binary_of(bytes_of(m->client.octets, CLIENT_ID_SIZE));
    }
    header->correlation = m->correlation;
    header->status = m->status;
    header->text = binary_of(m->text);
    header->name = binary_of(m->name);
    header->create = m->create;
    header->cache = m->cache;
    header->table_version = m->table_version;
    header->level = m->level;
    header->hash_partitions = m->hash_partitions;
}

/* Octets of the payload; SIZE_MAX when a key or value is over its limit. */
static size_t payload_size(const struct wire_message *m)
{
    size_t size = 0;

    for (size_t i = 0; i < m->op_count; i++) {
        if (m->ops[i].key.size > WIRE_KEY_MAX || m->ops[i].value.size > WIRE_VALUE_MAX) {
            return SIZE_MAX;
        }
        size += m->ops[i].key.size + m->ops[i].value.size;
    }
    for (size_t i = 0; i < m->result_count; i++) {
        if (m->results[i].value.size > WIRE_VALUE_MAX) {
            return SIZE_MAX;
        }
        size += m->results[i].value.size;
    }
    for (size_t i = 0; i < m->peer_count && size <= WIRE_FRAME_MAX; i++) {
        size += m->peers[i].body.size;
    }
    return size;
}

static uint8_t *part_write(uint8_t *at, struct bytes part)
{
    if (part.size > 0) {
        memcpy(at, part.data, part.size);
    }
    return at + part.size;
}

static void payload_write(const struct wire_message *m, uint8_t *at)
{
    for (size_t i = 0; i < m->op_count; i++) {
        at = part_write(at, m->ops[i].key);
        at = part_write(at, m->ops[i].value);
    }
    for (size_t i = 0; i < m->result_count; i++) {
        at = part_write(at, m->results[i].value);
    }
    for (size_t i = 0; i < m->peer_count; i++) {
        at = part_write(at, m->peers[i].body);
    }
}

static enum qn_status frame_write(const struct wire_message *m, const Quoin__Header *header,
                                  size_t payload, struct buf *out)
{
    size_t header_size = quoin__header__get_packed_size(header);
    uint8_t *at;

    if (header_size > WIRE_HEADER_MAX || 4 + header_size + payload > WIRE_FRAME_MAX) {
        return QN_TOO_LARGE;
    }
    enum qn_status status = buf_extend(out, 4 + header_size + payload, &at);
    if (status != QN_OK) {
        return status;
    }
    put_u32(at, (uint32_t)header_size);
    size_t packed = quoin__header__pack(header, at + 4);
    qn_assert(packed == header_size);
    payload_write(m, at + 4 + header_size);
    return QN_OK;
}

enum qn_status message_encode(const struct wire_message *message, struct buf *out)
{
    size_t payload = payload_size(message);
    struct arena arena;
    Quoin__Header header;

    if (payload > WIRE_FRAME_MAX || message->op_count > WIRE_BATCH_MAX ||
        message->result_count > WIRE_BATCH_MAX || message->peer_count > WIRE_PEERS_MAX) {
        return QN_TOO_LARGE;
    }
    arena_init(&arena, 0);
    header_fill(message, &header);
    enum qn_status status = rows_fill(message, &arena, &header);
    if (status == QN_OK) {
        status = frame_write(message, &header, payload, out);
    }
    arena_fini(&arena);
    return status;
}
