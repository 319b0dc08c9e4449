#include "tests/unit/client/fake_grid.h"

#include <stdlib.h>

#include "tests/unit/client/fake_data.h"
#include "wire/assert.h"

enum {
    ACCOUNTS_ID = 7,
    CACHES_MAX = 64,
    KINDS_MAX = 64,
    PATIENCE = 1 << 20, /* octets that the values of one answer may have */
};

/* A cache is at its id less ACCOUNTS_ID. */
struct fake_cache {
    char *name; /* NULL = dropped */
    struct wire_cache definition;
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
    struct fake_data data;
    struct fake_cache caches[CACHES_MAX];
    size_t cache_count;
    struct fake_session *sessions;
    enum qn_status refusal;
    size_t refusal_count;
    enum qn_status nak;
    uint32_t refused_control;
    enum qn_status control_refusal;
    bool is_damaging;
    char log_level[32];
    uint32_t *applied;
    size_t message_count;
    size_t op_count;
    struct wire_op latest[KINDS_MAX];
    size_t control_counts[KINDS_MAX];
    struct arena arena;
    struct buf values; /* old values and rows of the answer being formed */
    struct buf tokens;
};

static char *text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    qn_assert(copy);
    memcpy(copy, text, size);
    return copy;
}

static struct fake_cache *cache_add(struct fake_grid *g, const char *name,
                                    const struct wire_cache *definition)
{
    qn_assert(g->cache_count < CACHES_MAX);
    struct fake_cache *cache = &g->caches[g->cache_count];
    *cache = (struct fake_cache){.name = text_copy(name)};
    if (definition) {
        cache->definition = *definition;
    }
    cache->definition.id = ACCOUNTS_ID + (uint32_t)g->cache_count++;
    cache->definition.name = bytes_of_text(cache->name);
    return cache;
}

struct fake_grid *fake_grid_create(struct fake_options options)
{
    struct fake_grid *g = calloc(1, sizeof *g);

    qn_assert(g);
    *g = (struct fake_grid){.options = options,
                            .cluster = FAKE_CLUSTER,
                            .incarnation = 1,
                            .epoch = 1,
                            .log_level = "info",
                            .applied = calloc(FAKE_TAGS_MAX, sizeof(uint32_t)),
                            .endpoints = calloc(options.shard_count, sizeof(char *))};
    qn_assert(g->applied && g->endpoints);
    g->options.service_count = options.service_count ? options.service_count : 1;
    for (uint32_t i = 0; i < options.shard_count; i++) {
        g->endpoints[i] = text_copy(options.endpoints[i]);
    }
    arena_init(&g->arena, 0);
    fake_data_init(&g->data);
    (void)cache_add(g, "accounts", NULL);
    return g;
}

/* Results below a sequence, and on request those without effects, which are in no log. */
static void results_forget(struct fake_session *session, uint64_t below, bool effectless)
{
    struct fake_result **at = &session->results;

    while (*at) {
        struct fake_result *result = *at;
        bool is_logged = result->status == QN_OK || result->status == QN_WITHDRAWN;
        if (result->sequence < below || (effectless && !is_logged)) {
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
        results_forget(session, UINT64_MAX, false);
        free(session);
    }
}

void fake_grid_destroy(struct fake_grid *g)
{
    fake_grid_expire_sessions(g);
    fake_data_fini(&g->data);
    for (size_t i = 0; i < g->cache_count; i++) {
        free(g->caches[i].name);
    }
    for (uint32_t i = 0; i < g->options.shard_count; i++) {
        free(g->endpoints[i]);
    }
    free(g->endpoints);
    free(g->applied);
    arena_fini(&g->arena);
    buf_fini(&g->values);
    buf_fini(&g->tokens);
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

void fake_grid_refuse_control(struct fake_grid *g, uint32_t kind, enum qn_status status)
{
    g->refused_control = kind;
    g->control_refusal = status;
}

void fake_grid_forget_views(struct fake_grid *g)
{
    /* Also the published one is not the one that a cursor knows. */
    fake_data_publish(&g->data, ++g->index);
    fake_data_forget_views(&g->data);
}

void fake_grid_damage(struct fake_grid *g)
{
    g->is_damaging = true;
}

struct wire_op fake_grid_latest(const struct fake_grid *g, uint32_t kind)
{
    return g->latest[kind];
}

size_t fake_grid_control_count(const struct fake_grid *g, uint32_t kind)
{
    return g->control_counts[kind];
}

void fake_grid_move(struct fake_grid *g, uint32_t shard, const char *endpoint)
{
    free(g->endpoints[shard]);
    g->endpoints[shard] = text_copy(endpoint);
    g->epoch++;
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
    return g->data.entry_count;
}

/* ---- data ---- */

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
    case WIRE_OP_TOUCH:
        return is_there ? QN_OK : QN_ABSENT;
    default:
        return QN_OK;
    }
}

static void value_apply(struct fake_grid *g, struct fake_entry *entry, const struct wire_op *op)
{
    struct wire_op stored = *op;

    if (g->is_damaging && stored.value.size > 8) {
        stored.value.size -= 4;
    }
    fake_data_put(&g->data, entry, &stored, ++g->index);
    tag_count(g, op->value);
}

static void change_apply(struct fake_grid *g, struct fake_entry *entry, const struct wire_op *op)
{
    switch (op->kind) {
    case WIRE_OP_REMOVE:
    case WIRE_OP_REMOVE_IF:
        fake_data_remove(&g->data, entry, ++g->index);
        break;
    case WIRE_OP_CLEAR:
        fake_data_clear(&g->data, op->cache, op->partition, g->options.partition_count, ++g->index);
        break;
    case WIRE_OP_TOUCH:
        entry->ttl_ms = op->ttl_ms > 0 ? op->ttl_ms : 0;
        entry->version = ++g->index;
        break;
    default:
        value_apply(g, entry, op);
        break;
    }
    if (op->flags & WIRE_VISIBLE) {
        fake_data_publish(&g->data, ++g->index);
    }
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

/* The session that a change is made in; NULL: `r` says why not. */
static struct fake_session *session_of(struct fake_grid *g, struct client_id client,
                                       const struct wire_op *op, struct wire_result *r)
{
    struct fake_session *session = session_find(g, client, op->partition);

    if (!session || session->id != op->session) {
        r->status = QN_SESSION_EXPIRED;
        return NULL;
    }
    if (op->sequence < session->first_incomplete) {
        r->status = QN_STALE_SEQ;
        return NULL;
    }
    return session;
}

static bool result_find(const struct fake_session *session, uint64_t sequence,
                        struct wire_result *r)
{
    for (const struct fake_result *kept = session->results; kept; kept = kept->next) {
        if (kept->sequence == sequence) {
            r->status = kept->status;
            r->version = kept->version;
            r->epoch = kept->epoch;
            return true;
        }
    }
    return false;
}

static void result_keep(struct fake_grid *g, struct fake_session *session, uint64_t sequence,
                        const struct wire_result *r)
{
    struct fake_result *kept = malloc(sizeof *kept);

    qn_assert(kept);
    *kept = (struct fake_result){.sequence = sequence,
                                 .status = r->status,
                                 .version = r->version,
                                 .epoch = g->epoch,
                                 .next = session->results};
    session->results = kept;
}

static void change_answer(struct fake_grid *g, struct client_id client, const struct wire_op *op,
                          struct wire_result *r)
{
    struct fake_session *session = session_of(g, client, op, r);
    struct fake_entry *entry = fake_data_slot(&g->data, op->cache, op->key);

    if (!session) {
        return;
    }
    qn_assert(op->first_incomplete >= 1 && op->first_incomplete <= op->sequence);
    qn_assert(op->sequence - op->first_incomplete < 64);
    if (op->first_incomplete > session->first_incomplete) {
        session->first_incomplete = op->first_incomplete;
        results_forget(session, op->first_incomplete, false);
    }
    if (result_find(session, op->sequence, r)) {
        return;
    }
    r->status = change_decide(entry, op);
    if (r->status == QN_OK) {
        change_apply(g, entry, op);
    }
    r->version = entry->version;
    result_keep(g, session, op->sequence, r);
}

/* What became of a change? One that has not come by now is withdrawn, for good. */
static void outcome_answer(struct fake_grid *g, struct client_id client, const struct wire_op *op,
                           struct wire_result *r)
{
    if (op->value.size == CLIENT_ID_SIZE) {
        memcpy(client.octets, op->value.data, CLIENT_ID_SIZE);
    }
    struct fake_session *session = session_of(g, client, op, r);
    if (session && !result_find(session, op->sequence, r)) {
        r->status = QN_WITHDRAWN;
        result_keep(g, session, op->sequence, r);
    }
}

/* ---- messages ---- */

static void read_answer(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    const struct fake_entry *entry = fake_data_slot(&g->data, op->cache, op->key);

    r->status = entry->is_there ? QN_OK : QN_ABSENT;
    if (entry->is_there) {
        r->version = entry->version;
        r->ttl_ms = entry->ttl_ms;
        r->value_flags = entry->flags;
        r->has_value = op->kind == WIRE_OP_GET;
        r->value = op->kind == WIRE_OP_GET ? buf_bytes(&entry->value) : bytes_of(NULL, 0);
    }
}

static void view_make(struct fake_grid *g, const struct wire_op *op)
{
    if (op->view_min > fake_data_published(&g->data)) {
        fake_data_publish(&g->data, ++g->index);
    }
}

static void count_answer(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    view_make(g, op);
    r->view = fake_data_published(&g->data);
    r->count = fake_data_count(&g->data, op->cache, op->partition, g->options.partition_count);
}

static void scan_answer(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    struct buf token = {0};
    size_t rows_at = g->values.size;
    size_t token_at = g->tokens.size;

    if (op->view == 0) {
        view_make(g, op);
    }
    r->status = fake_data_scan(&g->data, op, g->options.partition_count, &g->values, &token, r);
    enum qn_status status = buf_append(&g->tokens, token.data, token.size);
    qn_assert(status == QN_OK);
    r->has_value = r->status == QN_OK;
    r->value = bytes_of(g->values.data + rows_at, g->values.size - rows_at);
    r->token = bytes_of(g->tokens.data + token_at, r->more ? token.size : 0);
    buf_fini(&token);
}

static bool cache_exists(const struct fake_grid *g, uint32_t id)
{
    return id == 0 || (id >= ACCOUNTS_ID && id < ACCOUNTS_ID + g->cache_count &&
                       g->caches[id - ACCOUNTS_ID].name);
}

static bool op_is_refused(struct fake_grid *g, const struct wire_op *op, struct wire_result *r)
{
    if (op->epoch != g->epoch) {
        r->status = QN_STALE_EPOCH;
        return true;
    }
    if (!cache_exists(g, op->cache)) {
        r->status = QN_UNKNOWN_CACHE;
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
    const struct fake_entry *entry = fake_data_slot(&g->data, op->cache, op->key);

    if ((op->flags & WIRE_RETURN_OLD) && entry->is_there) {
        size_t at = g->values.size;
        enum qn_status status = buf_append(&g->values, entry->value.data, entry->value.size);
        qn_assert(status == QN_OK);
        r->has_value = true;
        r->value_flags = entry->flags;
        r->value = bytes_of(g->values.data + at, entry->value.size);
    }
}

static void op_answer(struct fake_grid *g, struct client_id client, const struct wire_op *op,
                      struct wire_result *r)
{
    *r = (struct wire_result){.id = op->id, .partition = op->partition, .epoch = g->epoch};
    g->op_count++;
    qn_assert(op->kind < KINDS_MAX);
    g->latest[op->kind] = *op;
    g->latest[op->kind].key = bytes_of(NULL, 0); /* they go with the frame */
    g->latest[op->kind].value = bytes_of(NULL, 0);
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
    case WIRE_OP_SCAN:
        scan_answer(g, op, r);
        break;
    case WIRE_OP_SESSION_OPEN:
        session_open(g, client, op, r);
        break;
    case WIRE_OP_OUTCOME:
        outcome_answer(g, client, op, r);
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
    /* They must not move while the answer points to them. */
    buf_clear(&g->values);
    buf_clear(&g->tokens);
    enum qn_status status = buf_reserve(&g->values, 16 * PATIENCE);
    qn_assert(status == QN_OK);
    status = buf_reserve(&g->tokens, PATIENCE);
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
    m->partition_count = (size_t)g->options.partition_count * g->options.service_count;
    m->hash_partitions = g->options.partition_count;
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
    for (uint32_t p = 0; p < m->partition_count; p++) {
        m->partitions[p] = (struct wire_partition){
            .epoch = g->epoch, .lineage = 1, .leader = 1, .shard = p % shards};
    }
}

static struct fake_cache *cache_find(struct fake_grid *g, struct bytes name)
{
    for (size_t i = 0; i < g->cache_count; i++) {
        if (g->caches[i].name && bytes_equal(g->caches[i].definition.name, name)) {
            return &g->caches[i];
        }
    }
    return NULL;
}

static struct fake_cache *cache_make(struct fake_grid *g, const struct wire_message *in)
{
    char name[WIRE_NAME_MAX + 1] = "";

    memcpy(name, in->name.data, in->name.size);
    return cache_add(g, name, in->cache_count > 0 ? in->caches : NULL);
}

static void cache_answer(struct fake_grid *g, const struct wire_message *in, struct wire_message *m)
{
    struct fake_cache *cache = cache_find(g, in->name);

    m->kind = WIRE_CACHE_ACK;
    if (!cache && in->create) {
        cache = cache_make(g, in);
    }
    m->status = cache ? QN_OK : QN_UNKNOWN_CACHE;
    m->text = cache ? bytes_of(NULL, 0) : bytes_of_text("no such cache; create it first");
    if (cache) {
        m->cache = cache->definition.id;
        m->caches = &cache->definition;
        m->cache_count = 1;
    }
}

static void drop_answer(struct fake_grid *g, const struct wire_message *in, struct wire_message *m)
{
    struct fake_cache *cache = cache_find(g, in->name);

    m->kind = WIRE_CACHE_ACK;
    m->status = cache ? QN_OK : QN_UNKNOWN_CACHE;
    m->text = cache ? bytes_of(NULL, 0) : bytes_of_text("no such cache");
    if (cache) {
        fake_data_clear(&g->data, cache->definition.id, 0, 0, ++g->index);
        free(cache->name);
        cache->name = NULL;
    }
}

static void caches_answer(struct fake_grid *g, struct wire_message *m)
{
    m->kind = WIRE_CACHES_ACK;
    m->caches = arena_calloc(&g->arena, g->cache_count, sizeof *m->caches);
    qn_assert(m->caches);
    /* The latest first: the client is to put them in order. */
    for (size_t i = g->cache_count; i-- > 0;) {
        if (g->caches[i].name) {
            m->caches[m->cache_count] = g->caches[i].definition;
            m->caches[m->cache_count++].entries = g->data.entry_count;
        }
    }
}

static void config_answer(struct fake_grid *g, struct wire_message *m)
{
    m->kind = WIRE_CONFIG_ACK;
    m->fact_count = 1;
    m->facts = arena_calloc(&g->arena, 1, sizeof *m->facts);
    qn_assert(m->facts);
    m->facts[0] =
        (struct wire_fact){.name = bytes_of_text("node.id"), .text = bytes_of_text("1  # default")};
}

static void log_level_answer(struct fake_grid *g, const struct wire_message *in,
                             struct wire_message *m)
{
    m->kind = WIRE_LOG_LEVEL_ACK;
    if (bytes_equal(in->name, bytes_of_text("nobody"))) {
        m->status = QN_INVALID;
        m->text = bytes_of_text("there is no module nobody");
        return;
    }
    if (in->text.size > 0 && in->text.size < sizeof g->log_level) {
        memcpy(g->log_level, in->text.data, in->text.size);
        g->log_level[in->text.size] = '\0';
    }
    m->fact_count = 1;
    m->facts = arena_calloc(&g->arena, 1, sizeof *m->facts);
    qn_assert(m->facts);
    m->facts[0] =
        (struct wire_fact){.name = bytes_of_text("shard"), .text = bytes_of_text(g->log_level)};
}

static void commit_answer(struct fake_grid *g, struct wire_message *m)
{
    m->kind = WIRE_COMMIT_ACK;
    fake_data_publish(&g->data, ++g->index);
}

static void status_answer(struct fake_grid *g, struct wire_message *m)
{
    m->kind = WIRE_STATUS_ACK;
    m->fact_count = 2;
    m->facts = arena_calloc(&g->arena, 2, sizeof *m->facts);
    qn_assert(m->facts);
    m->facts[0] =
        (struct wire_fact){.name = bytes_of_text("version"), .text = bytes_of_text("fake")};
    m->facts[1] = (struct wire_fact){.name = bytes_of_text("entries"),
                                     .number = (int64_t)g->data.entry_count};
}

static bool control_answer(struct fake_grid *g, const struct wire_message *in,
                           struct wire_message *m)
{
    switch (in->kind) {
    case WIRE_HELLO:
        m->kind = WIRE_HELLO_ACK;
        table_fill(g, m);
        return true;
    case WIRE_CACHE_OPEN:
        cache_answer(g, in, m);
        return true;
    case WIRE_CACHE_DROP:
        drop_answer(g, in, m);
        return true;
    case WIRE_CACHES:
        caches_answer(g, m);
        return true;
    case WIRE_STATUS:
        status_answer(g, m);
        return true;
    case WIRE_COMMIT:
        commit_answer(g, m);
        return true;
    case WIRE_CONFIG:
        config_answer(g, m);
        return true;
    case WIRE_LOG_LEVEL:
        log_level_answer(g, in, m);
        return true;
    default:
        return false;
    }
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
    if (in.kind == WIRE_REQUEST) {
        request_answer(g, &in, &m);
    } else if (!control_answer(g, &in, &m)) {
        return QN_ABSENT;
    } else {
        g->control_counts[in.kind]++;
        if (g->control_refusal != QN_OK && in.kind == g->refused_control) {
            m.status = g->control_refusal;
            m.text = bytes_of_text("told to refuse");
        }
    }
    buf_clear(out);
    return message_encode(&m, out);
}
