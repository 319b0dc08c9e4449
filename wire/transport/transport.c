#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "wire/assert.h"
#include "wire/transport/internal.h"

enum {
    HIGH_WATER_MARK = 10000,       /* messages queued per connection and direction */
    RECONNECT_MS = 20,             /* first pause before connecting again */
    RECONNECT_MAX_MS = 500,        /* the longest */
    TCP_RETRANSMIT_MAX_MS = 10000, /* a peer that acknowledges nothing for so long is gone */
    KEEPALIVE_IDLE_S = 10,
    KEEPALIVE_INTERVAL_S = 5,
    KEEPALIVE_COUNT = 3,
    FRAME_LARGE = 8 * 1024,              /* from here on a frame's octets are counted */
    ROUTE_QUEUE_MAX = 128 * 1024 * 1024, /* octets of such frames that may wait for one route */
};

enum qn_status transport_open(struct transport **transport)
{
    struct transport *made = calloc(1, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->context = zmq_ctx_new();
    if (!made->context) {
        free(made);
        return QN_IO;
    }
    (void)zmq_ctx_set(made->context, ZMQ_IO_THREADS, 1);
    *transport = made;
    return QN_OK;
}

void transport_close(struct transport *transport)
{
    if (transport) {
        while (zmq_ctx_term(transport->context) != 0 && errno == EINTR) {
        }
        free(transport);
    }
}

static bool option_set(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}

/* What holds for every socket. False only when libzmq lacks an option: then it is not ours. */
static bool options_common(void *socket)
{
    int64_t message_max = TRANSPORT_FRAME_MAX;

    return option_set(socket, ZMQ_LINGER, 0) && option_set(socket, ZMQ_SNDHWM, HIGH_WATER_MARK) &&
           option_set(socket, ZMQ_RCVHWM, HIGH_WATER_MARK) &&
           zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &message_max, sizeof message_max) == 0 &&
           option_set(socket, ZMQ_TCP_KEEPALIVE, 1) &&
           option_set(socket, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_IDLE_S) &&
           option_set(socket, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_INTERVAL_S) &&
           option_set(socket, ZMQ_TCP_KEEPALIVE_CNT, KEEPALIVE_COUNT) &&
           option_set(socket, ZMQ_TCP_MAXRT, TCP_RETRANSMIT_MAX_MS);
}

/* A socket with its options; NULL when it can not be had. */
static void *socket_open(struct transport *transport, int type)
{
    void *socket = zmq_socket(transport->context, type);

    if (socket && !options_common(socket)) {
        (void)zmq_close(socket);
        return NULL;
    }
    return socket;
}

static enum qn_status bind_failed(const char *endpoint, qn_error *err)
{
    int reason = errno;

    switch (reason) {
    case EADDRINUSE:
        return qn_error_set(err, QN_IO,
                            "cannot listen on %s: the address is in use; choose another "
                            "node.data_port or stop the process that holds it (ss -ltnp)",
                            endpoint);
    case ENODEV:
    case EADDRNOTAVAIL:
        return qn_error_set(err, QN_IO,
                            "cannot listen on %s: no interface of this machine has that address; "
                            "correct node.bind",
                            endpoint);
    case EINVAL:
        return qn_error_set(err, QN_INVALID,
                            "cannot listen on %s: not an address; correct node.bind", endpoint);
    default:
        return qn_error_set(err, QN_IO, "cannot listen on %s: %s", endpoint, zmq_strerror(reason));
    }
}

enum qn_status transport_server_open(struct transport *transport, const char *endpoint,
                                     struct transport_server **server, qn_error *err)
{
    struct transport_server *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->queued = calloc(1, sizeof *made->queued);
    if (!made->queued) {
        transport_server_close(made);
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    atomic_init(&made->queued->references, 1);
    made->socket = socket_open(transport, ZMQ_ROUTER);
    if (!made->socket || !option_set(made->socket, ZMQ_ROUTER_MANDATORY, 1)) {
        transport_server_close(made);
        return qn_error_set(err, QN_IO, "cannot open a socket for %s: %s", endpoint,
                            zmq_strerror(errno));
    }
    size_t size = sizeof made->endpoint;
    if (zmq_bind(made->socket, endpoint) != 0 ||
        zmq_getsockopt(made->socket, ZMQ_LAST_ENDPOINT, made->endpoint, &size) != 0) {
        enum qn_status status = bind_failed(endpoint, err);
        transport_server_close(made);
        return status;
    }
    *server = made;
    return QN_OK;
}

static void counters_release(struct queue_counters *queued)
{
    if (queued && atomic_fetch_sub(&queued->references, 1) == 1) {
        free(queued);
    }
}

void transport_server_close(struct transport_server *server)
{
    if (server) {
        if (server->socket) {
            (void)zmq_close(server->socket);
        }
        counters_release(server->queued);
        free(server);
    }
}

const char *transport_server_endpoint(const struct transport_server *server)
{
    return server->endpoint;
}

static bool more_follows(void *socket)
{
    int more = 0;
    size_t size = sizeof more;

    return zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) == 0 && more;
}

/* Drop the parts of a message that is not one of ours. */
static void parts_drop(void *socket)
{
    struct transport_frame *frame;

    while (more_follows(socket) && frame_recv(socket, &frame) == QN_OK) {
        transport_frame_release(frame);
    }
}

/* The single content part of a message whose first part may already have been read; a message of
 * more parts is dropped and `QN_MALFORMED`. */
static enum qn_status content_recv(void *socket, struct transport_frame **frame)
{
    struct transport_frame *got;
    enum qn_status status = frame_recv(socket, &got);

    if (status != QN_OK) {
        return status;
    }
    if (more_follows(socket)) {
        transport_frame_release(got);
        parts_drop(socket);
        return QN_MALFORMED;
    }
    *frame = got;
    return QN_OK;
}

static enum qn_status routed_recv(struct transport_server *server, struct transport_route *route,
                                  struct transport_frame **frame)
{
    int size = zmq_recv(server->socket, route->octets, sizeof route->octets, ZMQ_DONTWAIT);

    if (size < 0) {
        return errno == EAGAIN || errno == EINTR ? QN_ABSENT : QN_IO;
    }
    /* A longer routing id is one that the peer chose itself: none of ours does. */
    if (size == 0 || (size_t)size > sizeof route->octets || !more_follows(server->socket)) {
        parts_drop(server->socket);
        return QN_MALFORMED;
    }
    route->size = (uint8_t)size;
    return content_recv(server->socket, frame);
}

enum qn_status transport_server_recv(struct transport_server *server, struct transport_route *route,
                                     struct transport_frame **frame)
{
    enum qn_status status;

    do {
        status = routed_recv(server, route, frame);
    } while (status == QN_MALFORMED);
    return status;
}

static enum qn_status send_failed(void)
{
    switch (errno) {
    case EAGAIN:
    case EINTR:
        return QN_OVERLOADED;
    case EHOSTUNREACH:
        return QN_UNREACHABLE;
    default:
        return QN_IO;
    }
}

/* A large frame on its way, with the counter to lower when it is gone. */
struct large {
    atomic_bool
        filled; /* hands it to libzmq's thread, also for tools that do not see into libzmq */
    struct queue_counters *queued;
    size_t slot;
    size_t size;
    uint8_t octets[];
};

/* Called by libzmq, on any thread. */
static void large_free(void *octets, void *hint)
{
    struct large *large = hint;

    (void)octets;
    qn_assert(atomic_load_explicit(&large->filled, memory_order_acquire));
    struct queue_counters *queued = large->queued;
    (void)atomic_fetch_sub(&queued->octets[large->slot], large->size);
    free(large);
    counters_release(queued);
}

/* Two routes may share a counter: they then share the bound. */
static size_t route_slot(const struct transport_route *route)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < route->size; i++) {
        hash = (hash ^ route->octets[i]) * 16777619u;
    }
    return hash % QUEUE_COUNTERS;
}

/* Copy the frame into a message whose octets are counted until libzmq has let go of it. */
static enum qn_status large_make(struct transport_server *server, size_t slot, struct bytes frame,
                                 zmq_msg_t *message)
{
    struct large *large = malloc(sizeof *large + frame.size);

    if (!large) {
        return QN_MEMORY_FULL;
    }
    large->queued = server->queued;
    large->slot = slot;
    large->size = frame.size;
    memcpy(large->octets, frame.data, frame.size);
    atomic_store_explicit(&large->filled, true, memory_order_release);
    if (zmq_msg_init_data(message, large->octets, frame.size, large_free, large) != 0) {
        free(large);
        return QN_MEMORY_FULL;
    }
    (void)atomic_fetch_add(&server->queued->octets[slot], frame.size);
    (void)atomic_fetch_add(&server->queued->references, 1);
    return QN_OK;
}

static enum qn_status large_send(struct transport_server *server,
                                 const struct transport_route *route, struct bytes frame)
{
    size_t slot = route_slot(route);
    zmq_msg_t message;

    /* A single frame always may go: its size has a bound of its own. */
    size_t waiting = atomic_load(&server->queued->octets[slot]);
    if (waiting > 0 && waiting + frame.size > ROUTE_QUEUE_MAX) {
        return QN_OVERLOADED;
    }
    enum qn_status status = large_make(server, slot, frame, &message);
    if (status != QN_OK) {
        return status;
    }
    if (zmq_send(server->socket, route->octets, route->size, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ||
        zmq_msg_send(&message, server->socket, ZMQ_DONTWAIT) < 0) {
        status = send_failed();
        (void)zmq_msg_close(&message);
    }
    return status;
}

enum qn_status transport_server_send(struct transport_server *server,
                                     const struct transport_route *route, struct bytes frame)
{
    if (frame.size >= FRAME_LARGE) {
        return large_send(server, route, frame);
    }
    if (zmq_send(server->socket, route->octets, route->size, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
        return send_failed();
    }
    return zmq_send(server->socket, frame.data, frame.size, ZMQ_DONTWAIT) < 0 ? send_failed()
                                                                              : QN_OK;
}

static bool options_peer(void *socket)
{
    return option_set(socket, ZMQ_IMMEDIATE, 1) &&
           option_set(socket, ZMQ_RECONNECT_IVL, RECONNECT_MS) &&
           option_set(socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
}

enum qn_status transport_peer_open(struct transport *transport, const char *endpoint,
                                   struct transport_peer **peer, qn_error *err)
{
    struct transport_peer *made = calloc(1, sizeof *made);

    if (!made) {
        return qn_error_set(err, QN_MEMORY_FULL, "out of memory");
    }
    made->socket = socket_open(transport, ZMQ_DEALER);
    if (!made->socket || !options_peer(made->socket)) {
        enum qn_status status =
            qn_error_set(err, QN_IO, "cannot open a socket: %s", zmq_strerror(errno));
        transport_peer_close(made);
        return status;
    }
    if (zmq_connect(made->socket, endpoint) != 0) {
        enum qn_status status = qn_error_set(err, QN_INVALID, "cannot connect to %s: %s", endpoint,
                                             zmq_strerror(errno));
        transport_peer_close(made);
        return status;
    }
    *peer = made;
    return QN_OK;
}

void transport_peer_close(struct transport_peer *peer)
{
    if (peer) {
        if (peer->socket) {
            (void)zmq_close(peer->socket);
        }
        free(peer);
    }
}

enum qn_status transport_peer_send(struct transport_peer *peer, struct bytes frame)
{
    return zmq_send(peer->socket, frame.data, frame.size, ZMQ_DONTWAIT) < 0 ? send_failed() : QN_OK;
}

enum qn_status transport_peer_recv(struct transport_peer *peer, struct transport_frame **frame)
{
    enum qn_status status;

    do {
        status = content_recv(peer->socket, frame);
    } while (status == QN_MALFORMED);
    return status;
}
