#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "wire/transport/internal.h"

enum {
    HIGH_WATER_MARK = 10000,       /* messages queued per connection and direction */
    RECONNECT_MS = 20,             /* first pause before connecting again */
    RECONNECT_MAX_MS = 500,        /* the longest */
    TCP_RETRANSMIT_MAX_MS = 10000, /* a peer that acknowledges nothing for so long is gone */
    KEEPALIVE_IDLE_S = 10,
    KEEPALIVE_INTERVAL_S = 5,
    KEEPALIVE_COUNT = 3,
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

void transport_server_close(struct transport_server *server)
{
    if (server) {
        if (server->socket) {
            (void)zmq_close(server->socket);
        }
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

enum qn_status transport_server_send(struct transport_server *server,
                                     const struct transport_route *route, struct bytes frame)
{
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
