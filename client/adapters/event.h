/* libquoin in a loop of libevent: header only. */
#ifndef QUOIN_ADAPTERS_EVENT_H
#define QUOIN_ADAPTERS_EVENT_H

#include <event2/event.h>

#include <quoin.h>

static inline void qn_event_ready(evutil_socket_t fd, short what, void *client)
{
    (void)fd;
    (void)what;
    (void)qn_dispatch((qn_client *)client, 0);
}

/* Run the client's callbacks in `base`. The caller frees the event, with event_free(), before the
 * client is closed. NULL: no memory, or the client is closed. */
static inline struct event *qn_event_new(struct event_base *base, qn_client *client)
{
    struct event *event =
        event_new(base, qn_fd(client), EV_READ | EV_PERSIST, qn_event_ready, client);

    if (event && event_add(event, NULL) != 0) {
        event_free(event);
        return NULL;
    }
    return event;
}

#endif
