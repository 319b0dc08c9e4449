#define _GNU_SOURCE
#include "tests/unit/client/fake_server.h"

#include <stdio.h>

#include "wire/assert.h"

enum { WAIT_MS = 5 };

/* libzmq is not built for the thread sanitizer, which can not see how its threads take turns. */
const char *__tsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libzmq.so\nrace:libzmq.so\n";
}

static void frame_serve(struct fake_server *server, struct transport_server *door,
                        struct transport_route *route, struct transport_frame *frame,
                        struct buf *out)
{
    struct bytes octets = transport_frame_bytes(frame);

    if (atomic_load(&server->mute)) {
        return;
    }
    (void)pthread_mutex_lock(&server->mutex);
    enum qn_status status = fake_grid_answer(server->grid, octets, out);
    (void)pthread_mutex_unlock(&server->mutex);
    if (status == QN_OK && !atomic_load(&server->curt)) {
        status = transport_server_send(door, route, buf_bytes(out));
        qn_assert(status == QN_OK || status == QN_UNREACHABLE || status == QN_OVERLOADED);
    }
}

static void *serve(void *arg)
{
    struct fake_server *server = arg;
    struct transport_wait waits[4];
    struct transport_route route;
    struct transport_frame *frame;
    struct buf out = {0};

    while (!atomic_load(&server->stop)) {
        for (uint32_t i = 0; i < server->shard_count; i++) {
            waits[i] = (struct transport_wait){.server = server->doors[i]};
        }
        (void)transport_wait(waits, server->shard_count, WAIT_MS);
        for (uint32_t i = 0; i < server->shard_count; i++) {
            while (transport_server_recv(server->doors[i], &route, &frame) == QN_OK) {
                frame_serve(server, server->doors[i], &route, frame, &out);
                transport_frame_release(frame);
            }
        }
    }
    buf_fini(&out);
    return NULL;
}

static void doors_open(struct fake_server *server, bool again)
{
    qn_error err = QN_ERROR_INIT;

    for (uint32_t i = 0; i < server->shard_count; i++) {
        const char *at = again ? server->endpoints[i] : "tcp://127.0.0.1:0";
        enum qn_status status =
            transport_server_open(server->transport, at, &server->doors[i], &err);
        qn_assert(status == QN_OK);
        (void)snprintf(server->endpoints[i], FAKE_ENDPOINT_MAX, "%s",
                       transport_server_endpoint(server->doors[i]));
    }
}

static void thread_start(struct fake_server *server)
{
    atomic_store(&server->stop, false);
    int failed = pthread_create(&server->thread, NULL, serve, server);
    qn_assert(!failed);
    server->is_running = true;
}

void fake_server_start(struct fake_server *server, uint32_t shard_count)
{
    const char *endpoints[4];

    memset(server, 0, sizeof *server);
    server->shard_count = shard_count;
    (void)pthread_mutex_init(&server->mutex, NULL);
    enum qn_status status = transport_open(&server->transport);
    qn_assert(status == QN_OK);
    doors_open(server, false);
    for (uint32_t i = 0; i < shard_count; i++) {
        endpoints[i] = server->endpoints[i];
    }
    server->grid = fake_grid_create((struct fake_options){.partition_count = 16,
                                                          .service_count = 2,
                                                          .shard_count = shard_count,
                                                          .endpoints = endpoints});
    (void)snprintf(server->uri, sizeof server->uri, "quoin://%s/?timeout=10s",
                   server->endpoints[0] + strlen("tcp://"));
    thread_start(server);
}

void fake_server_kill(struct fake_server *server)
{
    atomic_store(&server->stop, true);
    (void)pthread_join(server->thread, NULL);
    server->is_running = false;
    for (uint32_t i = 0; i < server->shard_count; i++) {
        transport_server_close(server->doors[i]);
    }
    transport_close(server->transport);
    server->transport = NULL;
}

void fake_server_revive(struct fake_server *server)
{
    enum qn_status status = transport_open(&server->transport);

    qn_assert(status == QN_OK);
    fake_grid_restart(server->grid);
    doors_open(server, true);
    thread_start(server);
}

void fake_server_stop(struct fake_server *server)
{
    if (server->is_running) {
        fake_server_kill(server);
    }
    fake_grid_destroy(server->grid);
    (void)pthread_mutex_destroy(&server->mutex);
}

struct fake_grid *fake_server_lock(struct fake_server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    return server->grid;
}

void fake_server_unlock(struct fake_server *server)
{
    (void)pthread_mutex_unlock(&server->mutex);
}

uint32_t fake_server_applied(struct fake_server *server, uint32_t tag)
{
    uint32_t applied = fake_grid_applied(fake_server_lock(server), tag);

    fake_server_unlock(server);
    return applied;
}
