/* Looking at the grid: counts, facts about nodes, places of partitions. */
#include <stdlib.h>

#include "client/call.h"
#include "client/value.h"
#include "wire/hash.h"

/* ---- counting ---- */

/* A client that was connected without waiting may not know the partitions yet. */
static enum qn_status table_await(qn_client *client, int64_t timeout_ms, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_CONNECT}};

    if (session_partition_count(client->session) > 0) {
        return QN_OK;
    }
    call_run(client, &call, timeout_ms);
    enum qn_status status = call_explain(&call, client, NULL, err);
    call_fini(&call);
    return status;
}

static void counts_run(qn_cache *cache, struct call *calls, uint32_t partitions, int64_t timeout_ms)
{
    struct waiter waiter;
    int64_t now_ms = clock_now_ms();

    waiter_init(cache->client, &waiter, partitions);
    for (uint32_t p = 0; p < partitions; p++) {
        calls[p] = (struct call){
            .waiter = &waiter, .core = {.kind = WIRE_OP_COUNT, .cache = cache->id, .partition = p}};
        call_begin(&calls[p], now_ms, timeout_ms);
        driver_submit(cache->client, &calls[p]);
    }
    (void)driver_wait(cache->client, &waiter, INT64_MAX);
    waiter_fini(&waiter);
}

static enum qn_status counts_sum(const qn_cache *cache, struct call *calls, uint32_t partitions,
                                 uint64_t *count, qn_error *err)
{
    uint64_t sum = 0;
    enum qn_status status = QN_OK;

    for (uint32_t p = 0; p < partitions; p++) {
        sum += calls[p].core.number;
        if (calls[p].core.status < 0 && status == QN_OK) {
            status = call_explain(&calls[p], cache->client, cache->name, err);
        }
        call_fini(&calls[p]);
    }
    if (status == QN_OK) {
        *count = sum;
    }
    return status;
}

static enum qn_status count_run(qn_cache *cache, uint64_t *count, int64_t timeout_ms, qn_error *err)
{
    enum qn_status status = table_await(cache->client, timeout_ms, err);

    if (status != QN_OK) {
        return status;
    }
    uint32_t partitions = session_partition_count(cache->client->session);
    struct call *calls = malloc(partitions * sizeof *calls);
    if (!calls) {
        return qn_error_set(err, QN_MEMORY_FULL, "count %s: out of memory", cache->name);
    }
    counts_run(cache, calls, partitions, timeout_ms);
    status = counts_sum(cache, calls, partitions, count, err);
    free(calls);
    return status;
}

qn_status qn_count(qn_cache *cache, uint64_t *count, const qn_options *options, qn_error *err)
{
    struct request request = {.cache = cache, .kind = WIRE_OP_COUNT, .options = options};
    enum qn_status status = request_check(&request, err);

    if (status == QN_OK && !count) {
        status = qn_error_set(err, QN_INVALID, "count %s: no place for the number", cache->name);
    }
    if (status == QN_OK) {
        status = driver_enter(cache->client, err);
    }
    if (status != QN_OK) {
        return status;
    }
    status = count_run(cache, count, options_timeout_ms(options, cache->client), err);
    driver_leave(cache->client);
    return status;
}

/* ---- facts ---- */

static enum qn_status fact_tell(const struct wire_fact *fact, uint32_t node, qn_fact_fn fn,
                                void *arg)
{
    char name[WIRE_NAME_MAX + 1];
    char *text = NULL;
    size_t size = fact->name.size < WIRE_NAME_MAX ? fact->name.size : WIRE_NAME_MAX;

    memcpy(name, fact->name.data, size);
    name[size] = '\0';
    if (fact->text.size > 0) {
        text = malloc(fact->text.size + 1);
        if (!text) {
            return QN_MEMORY_FULL;
        }
        memcpy(text, fact->text.data, fact->text.size);
        text[fact->text.size] = '\0';
    }
    fn(arg, node, name, text, fact->number);
    free(text);
    return QN_OK;
}

static enum qn_status facts_tell(struct bytes frame, uint32_t node, qn_fact_fn fn, void *arg)
{
    struct arena arena;
    struct wire_message message;

    arena_init(&arena, 0);
    enum qn_status status = message_decode(frame, &arena, &message);
    for (size_t i = 0; status == QN_OK && i < message.fact_count; i++) {
        if (message.facts[i].name.size > 0) {
            status = fact_tell(&message.facts[i], node, fn, arg);
        }
    }
    arena_fini(&arena);
    return status;
}

static enum qn_status node_ask(qn_client *client, uint32_t node, int64_t timeout_ms, qn_fact_fn fn,
                               void *arg, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_NODE_STATUS, .node = node}};
    enum qn_status status = driver_enter(client, err);

    if (status != QN_OK) {
        return status;
    }
    call_run(client, &call, timeout_ms);
    status = call_explain(&call, client, NULL, err);
    driver_leave(client);
    if (status == QN_OK && call.value) {
        status = facts_tell(value_content(call.value), node, fn, arg);
        status = status == QN_OK ? status
                                 : qn_error_set(err, status, "status of node %u: %s", node,
                                                qn_status_text(status));
    }
    call_fini(&call);
    return status;
}

/* The ids of the nodes, copied: the table may change while they are asked. */
static enum qn_status nodes_list(qn_client *client, int64_t timeout_ms, uint32_t **ids,
                                 size_t *count, qn_error *err)
{
    enum qn_status status = driver_enter(client, err);

    if (status != QN_OK) {
        return status;
    }
    status = table_await(client, timeout_ms, err);
    if (status == QN_OK) {
        const uint32_t *known = session_nodes(client->session, count);
        *ids = malloc((*count + 1) * sizeof **ids);
        if (*ids) {
            memcpy(*ids, known, *count * sizeof **ids);
        } else {
            status = qn_error_set(err, QN_MEMORY_FULL, "status: out of memory");
        }
    }
    driver_leave(client);
    return status;
}

qn_status qn_node_facts(qn_client *client, int64_t timeout_ms, qn_fact_fn fn, void *arg,
                        qn_error *err)
{
    uint32_t *ids = NULL;
    size_t count = 0;

    if (!fn || timeout_ms < 0) {
        return qn_error_set(err, QN_INVALID, "status: no function, or a negative timeout");
    }
    int64_t wait_ms = timeout_ms > 0 || !client ? timeout_ms : client->uri.timeout_ms;
    enum qn_status status = nodes_list(client, wait_ms, &ids, &count, err);
    for (size_t i = 0; status == QN_OK && i < count; i++) {
        status = node_ask(client, ids[i], wait_ms, fn, arg, err);
    }
    free(ids);
    return status;
}

/* ---- places ---- */

/* The mutex of a client that is only looked at. */
static enum qn_status enter_const(const qn_client *client, qn_client **entered)
{
    *entered = (qn_client *)(uintptr_t)client;
    return driver_enter(*entered, NULL);
}

uint32_t qn_partition_count(const qn_client *client)
{
    qn_client *entered;
    uint32_t count = 0;

    if (enter_const(client, &entered) == QN_OK) {
        count = session_partition_count(entered->session);
        driver_leave(entered);
    }
    return count;
}

qn_status qn_partition_info_get(const qn_client *client, uint32_t partition,
                                qn_partition_info *info)
{
    qn_client *entered;
    struct session_place place = {0};

    if (!info) {
        return QN_INVALID;
    }
    enum qn_status status = enter_const(client, &entered);
    if (status != QN_OK) {
        return status;
    }
    bool is_known = session_place(entered->session, partition, &place);
    driver_leave(entered);
    if (!is_known) {
        return QN_INVALID;
    }
    info->partition = partition;
    info->leader = place.leader;
    info->shard = place.shard;
    info->epoch = place.epoch;
    return QN_OK;
}

qn_status qn_partition_of(const qn_client *client, qn_arg key, uint32_t *partition)
{
    struct arg arg;
    uint32_t count = qn_partition_count(client);
    enum qn_status status = count > 0 && partition ? QN_OK : QN_INVALID;

    if (status != QN_OK) {
        return status;
    }
    status = arg_encode(&arg, key, WIRE_KEY_MAX, "partition", "key", NULL);
    if (status == QN_OK) {
        *partition = hash_partition(hash_key(arg.binary), count);
    }
    arg_fini(&arg);
    return status;
}
