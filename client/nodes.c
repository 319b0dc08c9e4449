/* What is asked of every node: facts, settings, log levels, commits. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "client/call.h"
#include "client/value.h"

/* ---- asking all of them ---- */

struct asked {
    struct call *calls;
    size_t count;
};

static bool is_asked(const struct node_request *request, const struct session_shard *shard)
{
    return request->all_shards || shard->shard == 0;
}

/* A call for each shard that is to be asked: the table may change while they are on their way. */
static enum qn_status calls_make(const qn_client *client, const struct node_request *request,
                                 struct asked *asked)
{
    struct session_shard shard;
    size_t count = 0;

    for (size_t i = 0; session_shard_at(client->session, i, &shard); i++) {
        count += is_asked(request, &shard);
    }
    asked->calls = calloc(count + 1, sizeof *asked->calls);
    if (!asked->calls) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; session_shard_at(client->session, i, &shard); i++) {
        if (is_asked(request, &shard)) {
            asked->calls[asked->count++].core = (struct session_op){
                .kind = request->kind,
                .node = shard.node,
                .shard = shard.shard,
                .level = request->level,
                .key = request->key,
                .value = request->value,
            };
        }
    }
    return QN_OK;
}

static void calls_run(qn_client *client, struct asked *asked, int64_t timeout_ms)
{
    struct waiter waiter;
    int64_t now_ms = clock_now_ms();

    waiter_init(client, &waiter, asked->count);
    for (size_t i = 0; i < asked->count; i++) {
        asked->calls[i].waiter = &waiter;
        call_begin(&asked->calls[i], now_ms, timeout_ms);
        driver_submit(client, &asked->calls[i]);
    }
    (void)driver_wait(client, &waiter, INT64_MAX);
    waiter_fini(&waiter);
}

static enum qn_status calls_explain(const qn_client *client, const struct asked *asked,
                                    qn_error *err)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->calls[i].core.status < 0) {
            return call_explain(&asked->calls[i], client, NULL, err);
        }
    }
    return QN_OK;
}

static enum qn_status asked_run(qn_client *client, const struct node_request *request,
                                struct asked *asked, qn_error *err)
{
    int64_t timeout_ms = client_timeout_ms(client, request->timeout_ms);
    enum qn_status status = table_await(client, timeout_ms, err);

    if (status != QN_OK) {
        return status;
    }
    if (calls_make(client, request, asked) != QN_OK) {
        return qn_error_set(err, QN_MEMORY_FULL, "%s: out of memory", call_verb(request->kind));
    }
    calls_run(client, asked, timeout_ms);
    return calls_explain(client, asked, err);
}

static enum qn_status answer_tell(const struct node_request *request, const struct call *call)
{
    struct arena arena;
    struct wire_message message;

    if (!call->value || !request->take) {
        return QN_OK;
    }
    arena_init(&arena, 0);
    enum qn_status status = message_decode(value_octets(call->value), &arena, &message);
    if (status == QN_OK) {
        status = request->take(request->arg, call->core.node, &message);
    }
    arena_fini(&arena);
    return status;
}

static enum qn_status answers_tell(const struct node_request *request, struct asked *asked,
                                   enum qn_status status, qn_error *err)
{
    for (size_t i = 0; i < asked->count; i++) {
        enum qn_status told = answer_tell(request, &asked->calls[i]);
        if (told != QN_OK && status == QN_OK) {
            status =
                qn_error_set(err, told, "%s: the answer of node %u: %s", call_verb(request->kind),
                             asked->calls[i].core.node, qn_status_text(told));
        }
        call_fini(&asked->calls[i]);
    }
    free(asked->calls);
    return status;
}

enum qn_status nodes_ask(qn_client *client, const struct node_request *request, qn_error *err)
{
    struct asked asked = {0};

    if (!qn_error_failed(err) && request->timeout_ms < 0) {
        return qn_error_set(err, QN_INVALID, "%s: timeout_ms is negative",
                            call_verb(request->kind));
    }
    enum qn_status status = driver_enter(client, err);
    if (status != QN_OK) {
        return status;
    }
    status = asked_run(client, request, &asked, err);
    driver_leave(client);
    return answers_tell(request, &asked, status, err);
}

/* ---- facts ---- */

/* What becomes of the facts of an answer. */
struct fact_sink {
    qn_fact_fn fact;
    void (*pair)(void *arg, uint32_t node, const char *name, const char *text);
    void *arg;
};

static char *text_copy(struct bytes text)
{
    char *copy = malloc(text.size + 1);

    if (copy) {
        memcpy(copy, text.size > 0 ? (const char *)text.data : "", text.size);
        copy[text.size] = '\0';
    }
    return copy;
}

static enum qn_status fact_tell(const struct fact_sink *sink, uint32_t node,
                                const struct wire_fact *fact)
{
    char *name = text_copy(fact->name);
    char *text = text_copy(fact->text);
    enum qn_status status = name && text ? QN_OK : QN_MEMORY_FULL;

    if (status == QN_OK && sink->fact) {
        sink->fact(sink->arg, node, name, fact->text.size > 0 ? text : NULL, fact->number);
    }
    if (status == QN_OK && sink->pair) {
        sink->pair(sink->arg, node, name, text);
    }
    free(name);
    free(text);
    return status;
}

static enum qn_status facts_take(void *arg, uint32_t node, const struct wire_message *message)
{
    enum qn_status status = QN_OK;

    for (size_t i = 0; status == QN_OK && i < message->fact_count; i++) {
        if (message->facts[i].name.size > 0) {
            status = fact_tell(arg, node, &message->facts[i]);
        }
    }
    return status;
}

qn_status qn_node_facts(qn_client *client, int64_t timeout_ms, qn_fact_fn fn, void *arg,
                        qn_error *err)
{
    struct fact_sink sink = {.fact = fn, .arg = arg};
    struct node_request request = {
        .kind = SESSION_OP_STATUS, .timeout_ms = timeout_ms, .take = facts_take, .arg = &sink};

    if (!fn && !qn_error_failed(err)) {
        return qn_error_set(err, QN_INVALID, "status: no function to tell the facts");
    }
    return nodes_ask(client, &request, err);
}

qn_status qn_node_config(qn_client *client, int64_t timeout_ms,
                         void (*fn)(void *arg, uint32_t node, const char *path, const char *value),
                         void *arg, qn_error *err)
{
    struct fact_sink sink = {.pair = fn, .arg = arg};
    struct node_request request = {
        .kind = SESSION_OP_CONFIG, .timeout_ms = timeout_ms, .take = facts_take, .arg = &sink};

    if (!fn && !qn_error_failed(err)) {
        return qn_error_set(err, QN_INVALID, "config: no function to tell the settings");
    }
    return nodes_ask(client, &request, err);
}

qn_status
qn_node_log_level(qn_client *client, const char *module, const char *level, int64_t timeout_ms,
                  void (*fn)(void *arg, uint32_t node, const char *module, const char *level),
                  void *arg, qn_error *err)
{
    struct fact_sink sink = {.pair = fn, .arg = arg};
    struct node_request request = {
        .kind = SESSION_OP_LOG_LEVEL,
        .key = bytes_of_text(module ? module : ""),
        .value = bytes_of_text(level ? level : ""),
        .timeout_ms = timeout_ms,
        .take = facts_take,
        .arg = &sink,
    };

    if (request.key.size > WIRE_NAME_MAX || request.value.size > WIRE_NAME_MAX) {
        return qn_error_set(err, QN_INVALID, "log: no module or level has so long a name");
    }
    return nodes_ask(client, &request, err);
}

/* ---- commits ---- */

qn_status qn_commit(qn_client *client, enum qn_commit_level level, int64_t timeout_ms,
                    qn_error *err)
{
    struct node_request request = {.kind = SESSION_OP_COMMIT,
                                   .level = (uint32_t)level,
                                   .all_shards = true,
                                   .timeout_ms = timeout_ms};

    if (level != QN_COMMIT_SOFT && level != QN_COMMIT_HARD && !qn_error_failed(err)) {
        return qn_error_set(err, QN_INVALID, "commit: the level is neither soft nor hard");
    }
    return nodes_ask(client, &request, err);
}
