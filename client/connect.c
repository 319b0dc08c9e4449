#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/call.h"
#include "wire/assert.h"

#define QUOIN_VERSION_TEXT "0.1.0"
#define URI_DEFAULT        "quoin://127.0.0.1:7100"

const char *qn_version_text(void)
{
    return QUOIN_VERSION_TEXT;
}

const char *qn_explain(const qn_error *err)
{
    if (!qn_error_failed(err)) {
        return "ok";
    }
    return err->text[0] ? err->text : qn_status_text(err->status);
}

/* ---- connecting ---- */

static qn_client *client_create(const char *uri, qn_error *err)
{
    const char *text = uri ? uri : getenv("QUOIN_URI");

    if (qn_error_failed(err)) {
        return NULL;
    }
    qn_client *client = calloc(1, sizeof *client);
    if (!client) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "connect: out of memory");
        return NULL;
    }
    if (uri_parse(text && text[0] ? text : URI_DEFAULT, &client->uri, err) != QN_OK ||
        driver_open(client, err) != QN_OK) {
        free(client);
        return NULL;
    }
    return client;
}

qn_client *qn_connect(const char *uri, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_CONNECT}};
    qn_client *client = client_create(uri, err);

    if (!client || driver_enter(client, NULL) != QN_OK) {
        return NULL;
    }
    call_run(client, &call, client->uri.timeout_ms);
    enum qn_status status = call_explain(&call, client, NULL, err);
    driver_leave(client);
    call_fini(&call);
    if (status != QN_OK) {
        (void)qn_close_within(client, 0);
        return NULL;
    }
    return client;
}

qn_client *qn_connect_start(const char *uri, qn_error *err)
{
    qn_client *client = client_create(uri, err);

    if (!client || driver_enter(client, NULL) != QN_OK) {
        return NULL;
    }
    enum qn_status status = driver_thread_start(client, err);
    driver_leave(client);
    if (status != QN_OK) {
        (void)qn_close_within(client, 0);
        return NULL;
    }
    return client;
}

/* ---- closing ---- */

/* Let calls under way come to their end, until `until_ms`. True when all did. */
static bool calls_drain(qn_client *client, int64_t until_ms)
{
    struct waiter waiter;

    if (client->call_count == 0) {
        return true;
    }
    waiter_init(client, &waiter, 1);
    client->closer = &waiter;
    bool all = driver_wait(client, &waiter, until_ms);
    client->closer = NULL;
    waiter_fini(&waiter);
    return all;
}

static void caches_free(qn_client *client)
{
    for (struct list *at = list_pop_front(&client->caches); at;
         at = list_pop_front(&client->caches)) {
        qn_cache *cache = LIST_OWNER(at, struct qn_cache, place);
        free(cache->name);
        free(cache);
    }
}

qn_status qn_close_within(qn_client *client, int64_t ms)
{
    if (!client) {
        return QN_OK;
    }
    if (client->pid != getpid()) {
        return QN_FORKED; /* its sockets and threads are the parent's: leave all as it is */
    }
    (void)pthread_mutex_lock(&client->mutex);
    client->closing = true;
    driver_room_close(client);
    bool all = calls_drain(client, deadline_after(clock_now_ms(), ms > 0 ? ms : 0));
    session_give_up_all(client->session, QN_CLOSED);
    driver_deliver(client);
    qn_assert(client->call_count == 0);
    while (client->users > 0) {
        (void)pthread_cond_wait(&client->user_left, &client->mutex);
    }
    (void)pthread_mutex_unlock(&client->mutex);
    driver_thread_stop(client);
    ops_forget(client);
    driver_close(client);
    caches_free(client);
    free(client);
    return all ? QN_OK : QN_DEADLINE;
}

void qn_close(qn_client *client)
{
    (void)qn_close_within(client, client ? client->uri.timeout_ms : 0);
}

/* ---- caches ---- */

static bool name_is_valid(const char *name)
{
    return name && name[0] != '\0' && strlen(name) <= WIRE_NAME_MAX;
}

static qn_cache *cache_create(qn_client *client, const char *name, uint32_t id)
{
    qn_cache *cache = calloc(1, sizeof *cache);

    if (!cache) {
        return NULL;
    }
    cache->name = strdup(name);
    if (!cache->name) {
        free(cache);
        return NULL;
    }
    cache->client = client;
    cache->id = id;
    list_push_back(&client->caches, &cache->place);
    return cache;
}

static qn_cache *cache_open(qn_client *client, const char *name, uint32_t flags, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_CACHE_OPEN, .flags = flags}};
    qn_cache *cache = NULL;

    if (driver_enter(client, err) != QN_OK) {
        return NULL;
    }
    if (name_is_valid(name)) {
        call.core.key = bytes_of_text(name);
        call_run(client, &call, client->uri.timeout_ms);
        if (call_explain(&call, client, name, err) == QN_OK) {
            cache = cache_create(client, name, call.core.cache);
            if (!cache) {
                (void)qn_error_set(err, QN_MEMORY_FULL, "open %s: out of memory", name);
            }
        }
        call_fini(&call);
    } else {
        (void)qn_error_set(err, QN_INVALID, "open: a cache's name has 1 to %d characters",
                           WIRE_NAME_MAX);
    }
    driver_leave(client);
    return cache;
}

qn_cache *qn_open(qn_client *client, const char *name, qn_error *err)
{
    return cache_open(client, name, 0, err);
}

qn_cache *qn_open_create(qn_client *client, const char *name, qn_error *err)
{
    return cache_open(client, name, SESSION_CREATE, err);
}

const char *qn_cache_name(const qn_cache *cache)
{
    return cache ? cache->name : NULL;
}
