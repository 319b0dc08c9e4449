#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>

#include "node/shard_internal.h"

enum {
    RECORD_ROOM = RECORD_HEADER_SIZE + 256, /* of a record beyond key, value and old value */
    SCANS_PER_ROUND = 16,
    RETRY_AFTER_MS = 10,
    RECORD_OLD_VALUE_MAX = 64 * 1024, /* of an old value that is kept as a result (B.10) */
};

static struct transport_route route_of(uint64_t packed)
{
    struct transport_route route = {.size = (uint8_t)(packed >> 56)};

    for (size_t i = 0; i < TRANSPORT_ROUTE_MAX; i++) {
        route.octets[i] = (uint8_t)(packed >> (8 * i));
    }
    return route;
}

void shard_send(struct shard *shard, uint64_t packed, const struct wire_message *message)
{
    const struct directory *directory = shard->options.directory;
    struct transport_route route = route_of(packed);
    struct wire_message stamped = *message;

    stamped.feature_level = WIRE_FEATURE_LEVEL;
    stamped.cluster = directory->cluster;
    stamped.from_node = directory->node;
    stamped.from_incarnation = directory->incarnation;
    buf_clear(&shard->encoded);
    if (message_encode(&stamped, &shard->encoded) != QN_OK ||
        transport_server_send(shard->server, &route, buf_bytes(&shard->encoded)) != QN_OK) {
        figure_add(&shard->figures.replies_dropped, 1);
    }
}

static void refuse(struct shard *shard, uint64_t route, uint64_t correlation, enum qn_status status,
                   const char *text)
{
    struct wire_message nak = {.kind = WIRE_NAK,
                               .correlation = correlation,
                               .status = status,
                               .text = bytes_of_text(text)};

    figure_add(&shard->figures.frames_rejected, 1);
    shard_send(shard, route, &nak);
}

static void answer_table(struct shard *shard, uint64_t route, const struct wire_message *in,
                         enum wire_kind kind)
{
    const struct directory *directory = shard->options.directory;
    struct wire_message out = {.kind = kind, .correlation = in->correlation};
    struct wire_node node;

    out.table_version = directory->incarnation;
    if (kind == WIRE_HELLO_ACK || in->table_version != directory->incarnation) {
        directory_table_fill(directory, &node, &out);
    }
    shard_send(shard, route, &out);
}

static void answer_status(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    struct wire_fact facts[SHARD_FACTS_MAX];
    struct wire_message out = {
        .kind = WIRE_STATUS_ACK, .correlation = in->correlation, .facts = facts};

    out.fact_count = shard->options.host.facts(shard->options.host.arg, &shard->arena, facts);
    shard_send(shard, route, &out);
}

/* Refuse one operation without asking its partition. */
static void op_refuse(struct shard *shard, uint64_t route, const struct wire_op *op,
                      enum qn_status status, const char *text)
{
    struct wire_result result = {.id = op->id,
                                 .status = status,
                                 .retry_after_ms = status == QN_OVERLOADED ? RETRY_AFTER_MS : 0,
                                 .partition = op->partition,
                                 .lineage = shard->options.directory->lineage,
                                 .epoch = shard->options.directory->epoch,
                                 .text = bytes_of_text(text)};

    struct asked asked = {.kind = op->kind, .cache = op->cache, .started_ns = shard->frame_ns};

    shard_count(shard, &asked, status);
    shard_reply(shard, route, &result);
}

/* Is there space for the record that the operation may form (protocol B.7.3)? */
static enum qn_status space_for(struct shard *shard, const struct wire_op *op)
{
    size_t old_size = op->flags & WIRE_RETURN_OLD ? RECORD_OLD_VALUE_MAX : 0;

    if (!wire_op_is_change(op->kind)) {
        return QN_OK;
    }
    if (shard->log_behind) {
        return QN_OVERLOADED;
    }
    return txlog_reserve(shard->log, RECORD_ROOM + op->key.size + op->value.size + old_size);
}

static bool adds(uint32_t kind)
{
    return kind == WIRE_OP_PUT || kind == WIRE_OP_PUT_IF_ABSENT || kind == WIRE_OP_REPLACE;
}

/* Is there memory for it, within the limits of the node and of the cache? What comes in between two
 * countings is added up here, so that a burst is noticed in time. */
static enum qn_status memory_for(struct shard *shard, const struct wire_op *op,
                                 const struct cache_info *cache)
{
    struct cache_row *row;

    if (!adds(op->kind) || shard->memory != QN_OK || !cache || cache->size_max_bytes == 0) {
        return shard->memory;
    }
    row = cache_figures_room(shard->caches, op->cache);
    if (!row) {
        return QN_MEMORY_FULL;
    }
    uint64_t max = cache->size_max_bytes / shard->options.lane_count;
    if (figure_get(&row->bytes) >= max) {
        /* The sum is of what was asked for, overwriting included: look what there is. */
        figure_set(&row->bytes, grid_cache_bytes(shard->grid, op->cache));
    }
    if (figure_get(&row->bytes) >= max) {
        return QN_MEMORY_FULL;
    }
    figure_add(&row->bytes, op->key.size + op->value.size);
    return QN_OK;
}

/* Does the operation name a cache that is there, and a partition of its service? */
static const char *misnamed(const struct shard *shard, const struct wire_op *op,
                            const struct cache_info *cache, enum qn_status *status)
{
    if (op->kind == WIRE_OP_SESSION_OPEN || op->kind == WIRE_OP_OUTCOME) {
        return NULL;
    }
    if (!cache || atomic_load_explicit(&cache->dropped, memory_order_relaxed)) {
        *status = QN_UNKNOWN_CACHE;
        return "no cache has this id: open it again";
    }
    if (op->partition / shard->options.directory->hash_partitions != cache->service) {
        *status = QN_INVALID;
        return "the partition is not of the cache's service: open the cache again";
    }
    return NULL;
}

/* A scan takes long beside other operations: only some of them have a place in one round. */
static bool scan_place(struct shard *shard, const struct wire_op *op)
{
    return op->kind != WIRE_OP_SCAN || shard->scans++ < SCANS_PER_ROUND;
}

static void op_run(struct shard *shard, uint64_t route, struct client_id client,
                   const struct wire_op *op)
{
    const struct cache_info *cache = directory_cache(shard->options.directory, op->cache);
    enum qn_status status = QN_OK;
    const char *why = misnamed(shard, op, cache, &status);

    if (why) {
        op_refuse(shard, route, op, status, why);
        return;
    }
    if (!scan_place(shard, op)) {
        op_refuse(shard, route, op, QN_OVERLOADED, "too many scans at one time: try again");
        return;
    }
    struct replica_event event = {.kind = REPLICA_REQUEST,
                                  .partition = op->partition,
                                  .op = op,
                                  .client = client,
                                  .route = route,
                                  .space = space_for(shard, op),
                                  .memory = memory_for(shard, op, cache),
                                  .cache_ttl_ms = cache ? cache->ttl_ms : 0};
    shard->asked =
        (struct asked){.kind = op->kind, .cache = op->cache, .started_ns = shard->frame_ns};
    shard_step(shard, &event);
    shard->asked = (struct asked){0};
}

static void answer_request(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    for (size_t i = 0; i < in->op_count; i++) {
        op_run(shard, route, in->client, &in->ops[i]);
    }
}

/* Is the message meant for this process? */
static bool addressed_to_us(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    const struct directory *directory = shard->options.directory;

    if (in->cluster != 0 && in->cluster != directory->cluster) {
        refuse(shard, route, in->correlation, QN_CLUSTER,
               "this node belongs to another cluster: check the address");
        return false;
    }
    if (in->to_incarnation != 0 && in->to_incarnation != directory->incarnation) {
        refuse(shard, route, in->correlation, QN_STALE_EPOCH,
               "this node was restarted: fetch the table again");
        return false;
    }
    return true;
}

static void message_answer(struct shard *shard, uint64_t route, const struct wire_message *in)
{
    char text[80];

    if (!addressed_to_us(shard, route, in)) {
        return;
    }
    switch (in->kind) {
    case WIRE_HELLO:
        answer_table(shard, route, in, WIRE_HELLO_ACK);
        break;
    case WIRE_TABLE:
        answer_table(shard, route, in, WIRE_TABLE_ACK);
        break;
    case WIRE_REQUEST:
        answer_request(shard, route, in);
        break;
    case WIRE_CACHE_OPEN:
        shard_cache_open(shard, route, in);
        break;
    case WIRE_CACHE_DROP:
        shard_cache_drop(shard, route, in);
        break;
    case WIRE_CACHES:
        shard_caches(shard, route, in);
        break;
    case WIRE_COMMIT:
        shard_commit(shard, route, in);
        break;
    case WIRE_CONFIG:
        shard_settings(shard, route, in);
        break;
    case WIRE_LOG_LEVEL:
        shard_log_level(shard, route, in);
        break;
    case WIRE_STATUS:
        answer_status(shard, route, in);
        break;
    default:
        (void)snprintf(text, sizeof text, "this node does not know messages of kind %" PRIu32,
                       in->kind);
        refuse(shard, route, in->correlation, QN_UNSUPPORTED, text);
        break;
    }
}

void shard_frame(struct shard *shard, uint64_t route, struct bytes frame)
{
    struct wire_message message;

    shard->frame_ns = clock_now_ns();
    figure_add(&shard->figures.frames, 1);
    arena_reset(&shard->arena);
    switch ((int)message_decode(frame, &shard->arena, &message)) {
    case QN_OK:
        message_answer(shard, route, &message);
        break;
    case QN_MEMORY_FULL:
        refuse(shard, route, 0, QN_OVERLOADED, "the node is out of memory for this message");
        break;
    default:
        refuse(shard, route, 0, QN_MALFORMED, "not a message of Quoin: check client and address");
        break;
    }
}
