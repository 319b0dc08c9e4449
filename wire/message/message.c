#include "wire/message/message.h"

#include "quoin.pb-c.h"
#include "wire/message/peers.h"
#include "wire/message/scan.h"

static void *arena_hook_alloc(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void arena_hook_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

static struct bytes bytes_from(ProtobufCBinaryData data)
{
    return bytes_of(data.data, data.len);
}

/* Take `size` octets off the front of the payload; false when there are fewer. */
static bool part_take(struct bytes *payload, size_t size, struct bytes *part)
{
    if (size > payload->size) {
        return false;
    }
    *part = bytes_of(payload->data, size);
    *payload = bytes_of(payload->data + size, payload->size - size);
    return true;
}

static enum qn_status ops_read(const Quoin__Header *header, struct arena *arena,
                               struct bytes *payload, struct wire_message *m)
{
    m->op_count = header->n_ops;
    m->ops = arena_calloc(arena, header->n_ops, sizeof *m->ops);
    if (!m->ops) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < header->n_ops; i++) {
        const Quoin__Op *in = header->ops[i];
        struct wire_op *op = &m->ops[i];
        *op = (struct wire_op){
            .id = in->id,
            .kind = in->kind,
            .flags = in->flags,
            .cache = in->cache,
            .partition = in->partition,
            .lineage = in->lineage,
            .value_flags = in->value_flags,
            .epoch = in->epoch,
            .session = in->session,
            .sequence = in->sequence,
            .first_incomplete = in->first_incomplete,
            .expected_version = in->expected_version,
            .remaining_ms = in->remaining_ms,
            .ttl_ms = in->ttl_ms,
            .commit_within_ms = in->commit_within_ms,
            .view = in->view,
            .view_min = in->view_min,
            .count_max = in->count_max,
            .size_max = in->size_max,
            .read_level = in->read_level,
            .token_index = in->token_index,
            .staleness_max_ms = in->staleness_max_ms,
        };
        if (in->key_size > WIRE_KEY_MAX || in->value_size > WIRE_VALUE_MAX ||
            !part_take(payload, in->key_size, &op->key) ||
            !part_take(payload, in->value_size, &op->value)) {
            return QN_MALFORMED;
        }
    }
    return QN_OK;
}

static enum qn_status results_read(const Quoin__Header *header, struct arena *arena,
                                   struct bytes *payload, struct wire_message *m)
{
    m->result_count = header->n_results;
    m->results = arena_calloc(arena, header->n_results, sizeof *m->results);
    if (!m->results) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < header->n_results; i++) {
        const Quoin__Result *in = header->results[i];
        struct wire_result *result = &m->results[i];
        *result = (struct wire_result){
            .id = in->id,
            .status = in->status,
            .retry_after_ms = in->retry_after_ms,
            .version = in->version,
            .partition = in->partition,
            .lineage = in->lineage,
            .epoch = in->epoch,
            .index = in->index,
            .session = in->session,
            .count = in->count,
            .value_flags = in->value_flags,
            .has_value = in->has_value != 0,
            .text = bytes_from(in->text),
            .view = in->view,
            .ttl_ms = in->ttl_ms,
            .more = in->more != 0,
            .token = bytes_from(in->token),
            .leader = in->leader,
            .staleness_ms = in->staleness_ms,
        };
        if (in->value_size > WIRE_VALUE_MAX ||
            !part_take(payload, in->value_size, &result->value)) {
            return QN_MALFORMED;
        }
    }
    return QN_OK;
}

/* A list of texts; NULL when the arena refuses. */
static struct bytes *list_read(const ProtobufCBinaryData *in, size_t count, struct arena *arena)
{
    struct bytes *list = arena_calloc(arena, count, sizeof *list);

    for (size_t i = 0; list && i < count; i++) {
        list[i] = bytes_from(in[i]);
    }
    return list;
}

static enum qn_status node_read(const Quoin__Node *in, struct arena *arena, struct wire_node *node)
{
    struct bytes *endpoints = list_read(in->endpoints, in->n_endpoints, arena);
    struct bytes *internal = list_read(in->internal, in->n_internal, arena);

    if (!endpoints || !internal) {
        return QN_MEMORY_FULL;
    }
    *node = (struct wire_node){
        .id = in->id,
        .incarnation = in->incarnation,
        .endpoints = endpoints,
        .endpoint_count = in->n_endpoints,
        .internal = internal,
        .internal_count = in->n_internal,
        .control = bytes_from(in->control),
    };
    return QN_OK;
}

static enum qn_status nodes_read(const Quoin__Header *header, struct arena *arena,
                                 struct wire_message *m)
{
    enum qn_status status = QN_OK;

    m->node_count = header->n_nodes;
    m->nodes = arena_calloc(arena, header->n_nodes, sizeof *m->nodes);
    if (!m->nodes) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; status == QN_OK && i < header->n_nodes; i++) {
        status = node_read(header->nodes[i], arena, &m->nodes[i]);
    }
    return status;
}

static enum qn_status partition_read(const Quoin__Partition *in, struct arena *arena,
                                     struct wire_partition *partition)
{
    uint32_t *replicas = arena_calloc(arena, in->n_replicas, sizeof *replicas);

    if (in->n_replicas > WIRE_REPLICAS_MAX) {
        return QN_MALFORMED;
    }
    if (!replicas) {
        return QN_MEMORY_FULL;
    }
    if (in->n_replicas > 0) {
        memcpy(replicas, in->replicas, in->n_replicas * sizeof *replicas);
    }
    *partition = (struct wire_partition){
        .epoch = in->epoch,
        .lineage = in->lineage,
        .leader = in->leader,
        .shard = in->shard,
        .version = in->version,
        .replicas = replicas,
        .replica_count = in->n_replicas,
        .isr = in->isr,
        .elr = in->elr,
    };
    return QN_OK;
}

static enum qn_status partitions_read(const Quoin__Header *header, struct arena *arena,
                                      struct wire_message *m)
{
    m->partition_count = header->n_partitions;
    m->partitions = arena_calloc(arena, header->n_partitions, sizeof *m->partitions);
    if (!m->partitions) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = QN_OK;
    for (size_t i = 0; status == QN_OK && i < header->n_partitions; i++) {
        status = partition_read(header->partitions[i], arena, &m->partitions[i]);
    }
    return status;
}

static enum qn_status facts_read(const Quoin__Header *header, struct arena *arena,
                                 struct wire_message *m)
{
    m->fact_count = header->n_facts;
    m->facts = arena_calloc(arena, header->n_facts, sizeof *m->facts);
    if (!m->facts) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < header->n_facts; i++) {
        const Quoin__Fact *in = header->facts[i];
        m->facts[i] = (struct wire_fact){
            .name = bytes_from(in->name), .text = bytes_from(in->text), .number = in->number};
    }
    return QN_OK;
}

static enum qn_status caches_read(const Quoin__Header *header, struct arena *arena,
                                  struct wire_message *m)
{
    m->cache_count = header->n_caches;
    m->caches = arena_calloc(arena, header->n_caches, sizeof *m->caches);
    if (!m->caches) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < header->n_caches; i++) {
        const Quoin__Cache *in = header->caches[i];
        m->caches[i] = (struct wire_cache){
            .id = in->id,
            .name = bytes_from(in->name),
            .service = in->service,
            .ttl_ms = in->ttl_ms,
            .size_max_bytes = in->size_max_bytes,
            .entries = in->entries,
            .bytes = in->bytes,
            .hits = in->hits,
            .misses = in->misses,
            .puts = in->puts,
            .removes = in->removes,
            .expired = in->expired,
        };
        if (in->name.len > WIRE_NAME_MAX) {
            return QN_MALFORMED;
        }
    }
    return QN_OK;
}

static enum qn_status scalars_read(const Quoin__Header *header, struct wire_message *m)
{
    *m = (struct wire_message){
        .kind = header->kind,
        .feature_level = header->feature_level,
        .cluster = header->cluster,
        .from_node = header->from_node,
        .from_incarnation = header->from_incarnation,
        .to_incarnation = header->to_incarnation,
        .to_node = header->to_node,
        .correlation = header->correlation,
        .status = header->status,
        .text = bytes_from(header->text),
        .name = bytes_from(header->name),
        .create = header->create != 0,
        .cache = header->cache,
        .table_version = header->table_version,
        .level = header->level,
        .hash_partitions = header->hash_partitions,
    };
    if (header->kind == WIRE_REQUEST) {
        if (header->client.len != CLIENT_ID_SIZE) {
            return QN_MALFORMED;
        }
        memcpy(m->client.octets, header->client.data, CLIENT_ID_SIZE);
    }
    return header->name.len > WIRE_NAME_MAX ? QN_MALFORMED : QN_OK;
}

static enum qn_status header_read(const Quoin__Header *header, struct arena *arena,
                                  struct bytes payload, struct wire_message *m)
{
    enum qn_status status = scalars_read(header, m);

    if (status == QN_OK) {
        status = ops_read(header, arena, &payload, m);
    }
    if (status == QN_OK) {
        status = results_read(header, arena, &payload, m);
    }
    if (status == QN_OK) {
        status = peers_read(header, arena, &payload, m);
    }
    if (status == QN_OK) {
        status = nodes_read(header, arena, m);
    }
    if (status == QN_OK) {
        status = partitions_read(header, arena, m);
    }
    if (status == QN_OK) {
        status = facts_read(header, arena, m);
    }
    if (status == QN_OK) {
        status = caches_read(header, arena, m);
    }
    /* Octets that no operation claims mean that the sender counts otherwise than we do. */
    return status == QN_OK && payload.size > 0 ? QN_MALFORMED : status;
}

enum qn_status message_decode(struct bytes frame, struct arena *arena, struct wire_message *message)
{
    if (frame.size < 4 || frame.size > WIRE_FRAME_MAX) {
        return QN_MALFORMED;
    }
    size_t header_size = get_u32(frame.data);
    if (header_size > WIRE_HEADER_MAX || header_size > frame.size - 4) {
        return QN_MALFORMED;
    }
    struct bytes packed = bytes_of(frame.data + 4, header_size);
    enum qn_status status = header_scan(packed);
    if (status != QN_OK) {
        return status;
    }
    ProtobufCAllocator allocator = {
        .alloc = arena_hook_alloc, .free = arena_hook_free, .allocator_data = arena};
    Quoin__Header *header = quoin__header__unpack(&allocator, packed.size, packed.data);
    if (!header) {
        return QN_MALFORMED;
    }
    struct bytes payload = bytes_of(packed.data + header_size, frame.size - 4 - header_size);
    return header_read(header, arena, payload, message);
}
