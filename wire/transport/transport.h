/* Frames between addresses, over libzmq: the one place that sees zmq.h.
 *
 * Does not look inside frames. Rules for libzmq 4.3.4 that hold everywhere: a socket is used by the
 * thread that opened it (or handed on under a mutex); sends never block; LINGER 0, finite
 * high-water marks, a bound on the size of a message, TCP keepalive and TCP_MAXRT; no ZMTP
 * heartbeats. */
#ifndef QUOIN_WIRE_TRANSPORT_TRANSPORT_H
#define QUOIN_WIRE_TRANSPORT_TRANSPORT_H

#include "wire/bytes.h"

/* A libzmq context with one I/O thread. */
struct transport;

/* ROUTER: a shard's door. */
struct transport_server;

/* DEALER: the way to one endpoint. */
struct transport_peer;

/* A received frame: reference-counted octets. */
struct transport_frame;

enum {
    TRANSPORT_ROUTE_MAX = 7,                /* octets; libzmq's own routing ids have 5 */
    TRANSPORT_FRAME_MAX = 64 * 1024 * 1024, /* octets of a frame; longer ones are refused */
};

/* Where a frame came from; good for answers until that connection is gone. Fits in 64 bits. */
struct transport_route {
    uint8_t size;
    uint8_t octets[TRANSPORT_ROUTE_MAX];
};

/* QN_MEMORY_FULL or QN_IO: nothing was opened. */
QN_MUST_USE enum qn_status transport_open(struct transport **transport);

/* All servers and peers must be closed before. NULL allowed. Never blocks for long: LINGER is 0. */
void transport_close(struct transport *transport);

/* Listen at "tcp://host:port" (port 0 = any free one; see `transport_server_endpoint`). `err` names
 * the endpoint and what to do (QN_IO: in use, not ours, no such interface). */
QN_MUST_USE enum qn_status transport_server_open(struct transport *transport, const char *endpoint,
                                                 struct transport_server **server, qn_error *err);
void transport_server_close(struct transport_server *server);

/* The endpoint in fact bound, with the port filled in. Lives as long as the server. */
const char *transport_server_endpoint(const struct transport_server *server);

/* Next frame, without waiting. QN_ABSENT: none has arrived. The caller releases `*frame`. */
QN_MUST_USE enum qn_status transport_server_recv(struct transport_server *server,
                                                 struct transport_route *route,
                                                 struct transport_frame **frame);

/* Send octets, copied. QN_OVERLOADED: that peer's queue is full, by messages or by octets.
 * QN_UNREACHABLE: it is gone. */
QN_MUST_USE enum qn_status transport_server_send(struct transport_server *server,
                                                 const struct transport_route *route,
                                                 struct bytes frame);

/* Start to connect; succeeds also while nobody listens. QN_INVALID: not an endpoint. */
QN_MUST_USE enum qn_status transport_peer_open(struct transport *transport, const char *endpoint,
                                               struct transport_peer **peer, qn_error *err);
void transport_peer_close(struct transport_peer *peer);

/* QN_OVERLOADED: not connected, or the queue is full; nothing was sent. */
QN_MUST_USE enum qn_status transport_peer_send(struct transport_peer *peer, struct bytes frame);

/* Next frame, without waiting. QN_ABSENT: none. The caller releases `*frame`. */
QN_MUST_USE enum qn_status transport_peer_recv(struct transport_peer *peer,
                                               struct transport_frame **frame);

struct bytes transport_frame_bytes(const struct transport_frame *frame);

/* References may be taken and released from any thread. */
struct transport_frame *transport_frame_retain(struct transport_frame *frame);
void transport_frame_release(struct transport_frame *frame);

/* What to wait for. Set one of the first three; `readable`, `writable` are filled in. */
struct transport_wait {
    struct transport_server *server;
    struct transport_peer *peer;
    int fd;             /* used when server and peer are NULL */
    bool want_writable; /* also wait until a send would go through (peer) */
    bool readable;
    bool writable;
};

/* Wait until one of `items` is ready or `timeout_ms` has passed (-1 = for ever; 0 = look only).
 * Returns how many are ready; 0 also when a signal came. */
size_t transport_wait(struct transport_wait *items, size_t count, int64_t timeout_ms);

/* CLOCK_BOOTTIME in milliseconds and nanoseconds, CLOCK_REALTIME in milliseconds. */
int64_t clock_now_ms(void);
int64_t clock_now_ns(void);
int64_t clock_wall_ms(void);

#endif
