/* What the files of this folder share. */
#ifndef QUOIN_WIRE_TRANSPORT_INTERNAL_H
#define QUOIN_WIRE_TRANSPORT_INTERNAL_H

#include <zmq.h>

#include "wire/transport/transport.h"

struct transport {
    void *context;
};

struct transport_server {
    void *socket;
    char endpoint[256];
};

struct transport_peer {
    void *socket;
};

/* Receive the content part that `socket` holds into a new frame. QN_ABSENT: none is there. */
enum qn_status frame_recv(void *socket, struct transport_frame **frame);

#endif
