#include <errno.h>

#include "wire/assert.h"
#include "wire/transport/internal.h"

enum { WAIT_ITEMS_MAX = 512 };

static short events_wanted(const struct transport_wait *item)
{
    return (short)(ZMQ_POLLIN | (item->want_writable ? ZMQ_POLLOUT : 0));
}

static zmq_pollitem_t item_of(const struct transport_wait *item)
{
    void *socket = item->server ? item->server->socket : item->peer ? item->peer->socket : NULL;

    return (zmq_pollitem_t){
        .socket = socket, .fd = socket ? 0 : item->fd, .events = events_wanted(item)};
}

size_t transport_wait(struct transport_wait *items, size_t count, int64_t timeout_ms)
{
    zmq_pollitem_t list[WAIT_ITEMS_MAX];
    size_t ready = 0;

    qn_assert(count <= WAIT_ITEMS_MAX);
    for (size_t i = 0; i < count; i++) {
        list[i] = item_of(&items[i]);
    }
    /* A signal ends the wait early: no item is ready then. */
    if (zmq_poll(list, (int)count, (long)timeout_ms) < 0) {
        for (size_t i = 0; i < count; i++) {
            list[i].revents = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        items[i].readable = (list[i].revents & (ZMQ_POLLIN | ZMQ_POLLERR)) != 0;
        items[i].writable = (list[i].revents & ZMQ_POLLOUT) != 0;
        ready += items[i].readable || items[i].writable;
    }
    return ready;
}
