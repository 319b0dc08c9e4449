#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "wire/assert.h"
#include "wire/transport/internal.h"

struct transport_frame {
    zmq_msg_t message;
    atomic_uint references;
};

enum qn_status frame_recv(void *socket, struct transport_frame **frame)
{
    struct transport_frame *made = malloc(sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    atomic_init(&made->references, 1);
    (void)zmq_msg_init(&made->message);
    if (zmq_msg_recv(&made->message, socket, ZMQ_DONTWAIT) >= 0) {
        *frame = made;
        return QN_OK;
    }
    int reason = errno;
    free(made);
    return reason == EAGAIN || reason == EINTR ? QN_ABSENT : QN_IO;
}

struct bytes transport_frame_bytes(const struct transport_frame *frame)
{
    /* libzmq declares messages that it only reads as mutable. */
    zmq_msg_t *message = (zmq_msg_t *)(uintptr_t)&frame->message;

    return bytes_of(zmq_msg_data(message), zmq_msg_size(message));
}

struct transport_frame *transport_frame_retain(struct transport_frame *frame)
{
    unsigned before = atomic_fetch_add_explicit(&frame->references, 1, memory_order_relaxed);

    qn_assert(before > 0);
    return frame;
}

void transport_frame_release(struct transport_frame *frame)
{
    if (frame && atomic_fetch_sub_explicit(&frame->references, 1, memory_order_acq_rel) == 1) {
        (void)zmq_msg_close(&frame->message);
        free(frame);
    }
}
