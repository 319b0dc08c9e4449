#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/call.h"
#include "wire/assert.h"

#define QUOIN_VERSION_TEXT "0.1.0"

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

static qn_client *client_create(const struct settings *settings, qn_error *err)
{
    qn_client *client = calloc(1, sizeof *client);

    if (!client) {
        (void)qn_error_set(err, QN_MEMORY_FULL, "connect: out of memory");
        return NULL;
    }
    if (settings_resolve(settings, &client->settings, err) != QN_OK ||
        driver_open(client, err) != QN_OK) {
        free(client);
        return NULL;
    }
    return client;
}

/* Wait until a node has answered. */
static enum qn_status first_answer(qn_client *client, qn_error *err)
{
    struct call call = {.core = {.kind = SESSION_OP_CONNECT}};

    call_run(client, &call, client_timeout_ms(client, 0));
    enum qn_status status = call_explain(&call, client, NULL, err);
    call_fini(&call);
    return status;
}

static qn_client *client_open(const struct settings *settings, bool waits, qn_error *err)
{
    qn_client *client = client_create(settings, err);

    if (!client || driver_enter(client, NULL) != QN_OK) {
        return NULL;
    }
    enum qn_status status = waits ? first_answer(client, err) : driver_thread_start(client, err);
    driver_leave(client);
    if (status != QN_OK) {
        (void)qn_close_within(client, 0);
        return NULL;
    }
    return client;
}

static qn_client *address_open(const char *uri, bool waits, qn_error *err)
{
    struct settings settings;

    if (qn_error_failed(err)) {
        return NULL;
    }
    settings_init(&settings);
    if (settings_read_environment(&settings, err) != QN_OK ||
        (uri && settings_set(&settings, SETTINGS_PROGRAM, "uri", uri, err) != QN_OK)) {
        return NULL;
    }
    return client_open(&settings, waits, err);
}

qn_client *qn_connect(const char *uri, qn_error *err)
{
    return address_open(uri, true, err);
}

qn_client *qn_connect_start(const char *uri, qn_error *err)
{
    return address_open(uri, false, err);
}

static qn_client *config_open(const qn_config *config, bool waits, qn_error *err)
{
    if (qn_error_failed(err)) {
        return NULL;
    }
    if (!config) {
        (void)qn_error_set(err, QN_INVALID, "connect: no settings: qn_config_new() makes them");
        return NULL;
    }
    return client_open(config_settings(config), waits, err);
}

qn_client *qn_connect_config(const qn_config *config, qn_error *err)
{
    return config_open(config, true, err);
}

qn_client *qn_connect_config_start(const qn_config *config, qn_error *err)
{
    return config_open(config, false, err);
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
    cursors_forget(client);
    driver_close(client);
    caches_free(client);
    free(client);
    return all ? QN_OK : QN_DEADLINE;
}

void qn_interrupt(qn_client *client)
{
    if (driver_enter(client, NULL) != QN_OK) {
        return;
    }
    session_give_up_all(client->session, QN_CLOSED);
    driver_deliver(client);
    driver_wake(client);
    driver_leave(client);
}

void qn_close(qn_client *client)
{
    (void)qn_close_within(client, client ? client_timeout_ms(client, 0) : 0);
}
