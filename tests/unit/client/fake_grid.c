#include "tests/unit/client/fake_grid.h"

#include <stdlib.h>

#include "wire/assert.h"
#include "wire/hash.h"

enum { MAP_SLOTS = 1 << 17, CACHE_ID = 7 };

struct fake_entry {
    struct buf key; /* empty = free slot */
    struct buf value;
    bool is_there;
    uint64_t version;
};

/* A result kept for repetitions of its request. */
struct fake_result {
    uint64_t sequence;
    int32_t status;
    uint64_t version;
    uint64_t epoch; /* that it was decided in: the answer is stamped with it */
    struct fake_result *next;
};

struct fake_session {
    struct client_id client;
    uint32_t partition;
    uint64_t id;
    uint64_t first_incomplete;
    struct fake_result *results;
    struct fake_session *next;
};

struct fake_grid {
    struct fake_options options;
    char **endpoints;
    uint64_t cluster;
    uint64_t incarnation;
    uint64_t epoch;
    uint64_t index;
    struct fake_entry *map;
    size_t entry_count;
    struct fake_session *sessions;
    enum qn_status refusal;
    size_t refusal_count;
    enum qn_status nak;
    uint32_t *applied;
    size_t message_count;
    size_t op_count;
    struct arena arena;
    struct buf values; /* old values of the answer being formed */
};

static char *text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    qn_assert(copy);
    memcpy(copy, text, size);
    return copy;
}

struct fake_grid *fake_grid_create(struct fake_options options)
{
    struct fake_grid *g = calloc(1, sizeof *g);

    qn_assert(g);
    *g = (struct fake_grid){.options = options,
                            .cluster = FAKE_CLUSTER,
                            .incarnation = 1,
                            .epoch = 1,
                            .map = calloc(MAP_SLOTS, sizeof(struct fake_entry)),
                            .applied = calloc(FAKE_TAGS_MAX, sizeof(uint32_t)),
                            .endpoints = calloc(options.shard_count, sizeof(char *))};
    qn_assert(g->map && g->applied && g->endpoints);
    for (uint32_t i = 0; i < options.shard_count; i++) {
        g->endpoints[i] = text_copy(options.endpoints[i]);
    }
    arena_init(&g->arena, 0);
    return g;
}

/* Results below a sequence, and on request those without effects, which are in no log. */
static void results_forget(struct fake_session *session, uint64_t below, bool effectless)
{
    struct fake_result **at = &session->results;

    while (*at) {
        struct fake_result *result = *at;
        if (result->sequence < below || (effectless && result->status != QN_OK)) {
            *at = result->next;
            free(result);
        } else {
            at = &result->next;
        }
    }
}

void fake_grid_expire_sessions(struct fake_grid *g)
{
    while (g->sessions) {
        struct fake_session *session = g->sessions;
        g->sessions = session->next;
        results_forget(session, UINT64_MAX, true);
        free(session);
    }
}

void fake_grid_destroy(struct fake_grid *g)
{
    fake_grid_expire_sessions(g);
    for (size_t i = 0; i < MAP_SLOTS; i++) {
        buf_fini(&g->map[i].key);
        buf_fini(&g->map[i].value);
    }
    for (uint32_t i = 0; i < g->options.shard_count; i++) {
        free(g->endpoints[i]);
    }
    free(g->endpoints);
    free(g->map);
    free(g->applied);
    arena_fini(&g->arena);
    buf_fini(&g->values);
    free(g);
}

void fake_grid_restart(struct fake_grid *g)
{
    g->incarnation++;
    g->epoch++;
    for (struct fake_session *session = g->sessions; session; session = session->next) {
        results_forget(session, 0, true);
    }
}

void fake_grid_refuse(struct fake_grid *g, enum qn_status status, size_t count)
{
    g->refusal = status;
    g->refusal_count = count;
}

void fake_grid_nak(struct fake_grid *g, enum qn_status status)
{
    g->nak = status;
}

void fake_grid_change_cluster(struct fake_grid *g)
{
    g->cluster++;
}

uint32_t fake_grid_applied(const struct fake_grid *g, uint32_t tag)
{
    return g->applied[tag];
}

size_t fake_grid_messages(const struct fake_grid *g)
{
    return g->message_count;
}

size_t fake_grid_ops(const struct fake_grid *g)
{
    return g->op_count;
}

size_t fake_grid_entries(const struct fake_grid *g)
{
    return g->entry_count;
}

/* ---- data ---- */

static struct fake_entry *entry_slot(struct fake_grid *g, struct bytes key)
{
    size_t slot = hash_key(key) % MAP_SLOTS;

    while (g->map[slot].key.size > 0 && !bytes_equal(buf_bytes(&g->map[slot].key), key)) {
        slot = (slot + 1) % MAP_SLOTS;
    }
    return &g->map[slot];
}

static void bytes_store(struct buf *buf, struct bytes from)
{
    buf_clear(buf);
    enum qn_status status = buf_append(buf, from.data, from.size);
    qn_assert(status == QN_OK);
}

static void tag_count(struct fake_grid *g, struct bytes value)
{
    if (value.size >= 4) {
        uint32_t tag = get_u32(value.data + value.size - 4);
        if (tag < FAKE_TAGS_MAX) {
            g->applied[tag]++;
        }
    }
}

static int32_t change_decide(const struct fake_entry *entry, const struct wire_op *op)
{
    bool is_there = entry->is_there;
    bool conditional = op->expected_version != 0;

    switch (op->kind) {
    case WIRE_OP_PUT_IF_ABSENT:
        return is_there ? QN_EXISTS : QN_OK;
    case WIRE_OP_REPLACE:
    case WIRE_OP_REMOVE_IF:
        if (!is_there) {
            return QN_ABSENT;
        }
        return conditional && entry->version != op->expected_version ? QN_CONFLICT : QN_OK;
    case WIRE_OP_REMOVE:
        return is_there ? QN_OK : QN_ABSENT;
    default:
        return QN_OK;
    }
}

static void change_apply(struct fake_grid *g, struct fake_entry *entry, const struct wire_op *op)
{
    bool removes = op->kind == WIRE_OP_REMOVE || op->kind == WIRE_OP_REMOVE_IF;

    bytes_store(&entry->key, op->key);
    bytes_store(&entry->value, op->value);
    g->entry_count += (size_t)(!removes) - (size_t)entry->is_there;
    entry->is_there = !removes;
    entry->version = ++g->index;
    tag_count(g, op->value);
}

/* ---- sessions ---- */

static struct fake_session *session_find(struct fake_grid *g, struct client_id client,
                                         uint32_t partition)
{
    struct fake_session *session = g->sessions;

    while (session &&
           (!client_id_equal(session->client, client) || session->partition != partition)) {
        session = session->next;
    }
    return session;
}

static void session_open(struct fake_grid *g, struct client_id client, const struct wire_op *op,
                         struct wire_result *r)
{
    struct fake_session *session = session_find(g, client, op->partition);

    if (!session) {
        session = calloc(1, sizeof *session);
        qn_assert(session);
        *session = (struct fake_session){
            .client = client, .partition = op->partition, .id = ++g->index, .next = g->sessions};
        g->sessions = session;
    }
    r->session = session->id;
}

static void change_answer(struct fake_grid *g, struct client_id client, const struct wire_op *op,
                          struct wire_result *r)
{
    struct fake_session *session = session_find(g, client, op->partition);
    struct fake_entry *entry = entry_slot(g, op->key);

    if (!session || session->id != op->session) {
        r->status = QN_SESSION_EXPIRED;
        return;
    }
    if (op->sequence < session->first_incomplete) {
        r->status = QN_STALE_SEQ;
        return;
    }
    qn_assert(op->first_incomplete >= 1 && op->first_incomplete <= op->sequence);
    qn_assert(op->sequence - op->first_incomplete < 64);
    if (op->first_incomplete > session->first_incomplete) {
        session->first_incomplete = op->first_incomplete;
        results_forget(session, op->first_incomplete, false);
    }
    for (struct fake_result *kept = session->results; kept; kept = kept->next) {
        if (kept->sequence == op->sequence) {
            r->status = kept->status;
            r->version = kept->version;
            r->epoch = kept->epoch;
            return;
        }
    }
    r->status = change_decide(entry, op);
    if (r->status == QN_OK) {
        change_apply(g, entry, op);
    }
    r->version = entry->version;
    struct fake_result *kept = malloc(sizeof *kept);
    qn_assert(kept);
    *kept = (struct fake_result){.sequence = op->sequence,
                                 .status = r->status,
                                 .version = r->version,
                                 .epoch = g->epoch,
                                 .next = session->results};
    session->results = kept;
}

/* ---- messages ---- */

static void read_answer(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    const struct fake_entry *entry = entry_slot(g, op->key);

    r->status = entry->is_there ? QN_OK : QN_ABSENT;
    if (entry->is_there) {
        r->version = entry->version;
        r->has_value = op->kind == WIRE_OP_GET;
        r->value = op->kind == WIRE_OP_GET ? buf_bytes(&entry->value) : bytes_of(NULL, 0);
    }
}

static void count_answer(const struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    for (size_t i = 0; i < MAP_SLOTS; i++) {
        const struct fake_entry *entry = &g->map[i];
        r->count += entry->is_there && hash_partition(hash_key(buf_bytes(&entry->key)),
                                                      g->options.partition_count) == op->partition;
    }
}

static bool op_is_refused(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    if (op->epoch != g->epoch) {
        r->status = QN_STALE_EPOCH;
        return true;
    }
    if (op->kind != WIRE_OP_SESSION_OPEN && g->refusal_count > 0) {
        g->refusal_count--;
        r->status = g->refusal;
        return true;
    }
    return false;
}

static void old_value_add(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    const struct fake_entry *entry = entry_slot(g, op->key);

    if ((op->flags & WIRE_RETURN_OLD) && entry->is_there) {
        size_t at = g->values.size;
        enum qn_status status = buf_append(&g->values, entry->value.data, entry->value.size);
        qn_assert(status == QN_OK);
        r->has_value = true;
        r->value = bytes_of(g->values.data + at, entry->value.size);
    }
}

static void op_answer(struct fake_grid *g, struct client_id client, const struct wire_op *op,
                      struct wire_result *r)
{
    *r = (struct wire_result){.id = op->id, .partition = op->partition, .epoch = g->epoch};
    g->op_count++;
    if (op_is_refused(g, op, r)) {
        return;
    }
    switch (op->kind) {
    case WIRE_OP_GET:
    case WIRE_OP_CONTAINS:
        read_answer(g, op, r);
        break;
    case WIRE_OP_COUNT:
        count_answer(g, op, r);
        break;
    case WIRE_OP_SESSION_OPEN:
        session_open(g, client, op, r);
        break;
    default:
        old_value_add(g, op, r);
        change_answer(g, client, op, r);
        break;
    }
}

static void request_answer(struct fake_grid *g, const struct wire_message *in,
                           struct wire_message *m)
{
    g->message_count++;
    if (g->nak != QN_OK) {
        m->kind = WIRE_NAK;
        m->correlation = in->correlation;
        m->status = g->nak;
        m->text = bytes_of_text("told to refuse");
        return;
    }
    m->kind = WIRE_REPLY;
    m->result_count = in->op_count;
    m->results = arena_calloc(&g->arena, in->op_count, sizeof *m->results);
    qn_assert(m->results);
    /* Old values must not move while the answer points to them: one operation's at a time suffices
     * for what the tests ask. */
    buf_clear(&g->values);
    enum qn_status status = buf_reserve(&g->values, 1 << 20);
    qn_assert(status == QN_OK);
    for (size_t i = 0; i < in->op_count; i++) {
        op_answer(g, in->client, &in->ops[i], &m->results[i]);
    }
}

static void table_fill(struct fake_grid *g, struct wire_message *m)
{
    uint32_t shards = g->options.shard_count;

    m->table_version = g->epoch;
    m->node_count = 1;
    m->nodes = arena_calloc(&g->arena, 1, sizeof *m->nodes);
    m->partition_count = g->options.partition_count;
    m->partitions = arena_calloc(&g->arena, m->partition_count, sizeof *m->partitions);
    qn_assert(m->nodes && m->partitions);
    m->nodes[0] =
        (struct wire_node){.id = 1,
                           .incarnation = g->incarnation,
                           .endpoint_count = shards,
                           .endpoints = arena_calloc(&g->arena, shards, sizeof(struct bytes))};
    qn_assert(m->nodes[0].endpoints);
    for (uint32_t i = 0; i < shards; i++) {
        m->nodes[0].endpoints[i] = bytes_of_text(g->endpoints[i]);
    }
    for (uint32_t p = 0; p < g->options.partition_count; p++) {
        m->partitions[p] = (struct wire_partition){
            .epoch = g->epoch, .lineage = 1, .leader = 1, .shard = p % shards};
    }
}

static void cache_answer(const struct wire_message *in, struct wire_message *m)
{
    bool is_known = in->create || bytes_equal(in->name, bytes_of_text("accounts"));

    m->kind = WIRE_CACHE_ACK;
    m->cache = CACHE_ID;
    m->status = is_known ? QN_OK : QN_UNKNOWN_CACHE;
    m->text = is_known ? bytes_of(NULL, 0) : bytes_of_text("no such cache; create it first");
}

static void status_answer(struct fake_grid *g, struct wire_message *m)
{
    m->kind = WIRE_STATUS_ACK;
    m->fact_count = 2;
    m->facts = arena_calloc(&g->arena, 2, sizeof *m->facts);
    qn_assert(m->facts);
    m->facts[0] =
        (struct wire_fact){.name = bytes_of_text("version"), .text = bytes_of_text("fake")};
    m->facts[1] =
        (struct wire_fact){.name = bytes_of_text("entries"), .number = (int64_t)g->entry_count};
}

enum qn_status fake_grid_answer(struct fake_grid *g, struct bytes frame, struct buf *out)
{
    struct wire_message in;

    arena_reset(&g->arena);
    if (message_decode(frame, &g->arena, &in) != QN_OK) {
        return QN_ABSENT;
    }
    struct wire_message m = {.feature_level = WIRE_FEATURE_LEVEL,
                             .cluster = g->cluster,
                             .from_node = 1,
                             .from_incarnation = g->incarnation,
                             .correlation = in.correlation};
    switch (in.kind) {
    case WIRE_HELLO:
        m.kind = WIRE_HELLO_ACK;
        table_fill(g, &m);
        break;
    case WIRE_REQUEST:
        request_answer(g, &in, &m);
        break;
    case WIRE_CACHE_OPEN:
        cache_answer(&in, &m);
        break;
    case WIRE_STATUS:
        status_answer(g, &m);
        break;
    default:
        return QN_ABSENT;
    }
    buf_clear(out);
    return message_encode(&m, out);
}
