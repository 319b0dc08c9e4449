/* What the files of this folder share. */
#ifndef QUOIN_WIRE_TRANSPORT_INTERNAL_H
#define QUOIN_WIRE_TRANSPORT_INTERNAL_H

#include <stdatomic.h>

#include <zmq.h>

#include "wire/transport/transport.h"

struct transport {
    void *context;
};

enum { QUEUE_COUNTERS = 4096 };

/* Octets of large frames that wait for slow readers, by a hash of their route. libzmq bounds a
 * queue by messages only. Outlives the socket: libzmq's thread lowers it when a frame is gone. */
struct queue_counters {
    atomic_size_t references; /* the server and each frame under way */
    atomic_size_t octets[QUEUE_COUNTERS];
};

struct transport_server {
    void *socket;
    struct queue_counters *queued;
    char endpoint[256];
};

struct transport_peer {
    void *socket;
};

/* Receive the content part that `socket` holds into a new frame. QN_ABSENT: none is there. */
enum qn_status frame_recv(void *socket, struct transport_frame **frame);

#endif
