/* libquoin for a program without an event loop of its own, or with poll(): header only. */
#ifndef QUOIN_ADAPTERS_POLL_H
#define QUOIN_ADAPTERS_POLL_H

#include <poll.h>

#include <quoin.h>

/* An entry for the program's own poll(): when it is readable, call qn_dispatch(). */
static inline struct pollfd qn_pollfd(qn_client *client)
{
    struct pollfd entry = {0};

    entry.fd = qn_fd(client);
    entry.events = POLLIN;
    return entry;
}

/* Wait up to `timeout_ms` (-1 = for ever) for callbacks and run them. How many ran; 0 also when a
 * signal came, or the client is closed. */
static inline size_t qn_poll(qn_client *client, int timeout_ms)
{
    struct pollfd entry = qn_pollfd(client);

    return entry.fd >= 0 && poll(&entry, 1, timeout_ms) > 0 ? qn_dispatch(client, 0) : 0;
}

#endif
