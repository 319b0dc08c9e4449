/* libquoin in a loop around epoll: header only. */
#ifndef QUOIN_ADAPTERS_EPOLL_H
#define QUOIN_ADAPTERS_EPOLL_H

#include <stdbool.h>
#include <sys/epoll.h>

#include <quoin.h>

/* Watch a client; its events carry `data` (in `data.ptr`), by which the loop knows them. False:
 * `errno` says why. Closing the client ends it. */
static inline bool qn_epoll_add(int epoll_fd, qn_client *client, void *data)
{
    struct epoll_event event = {0};

    event.events = EPOLLIN; /* level-triggered: what is not dispatched now comes again */
    event.data.ptr = data;
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, qn_fd(client), &event) == 0;
}

/* Stop watching it. */
static inline void qn_epoll_remove(int epoll_fd, qn_client *client)
{
    (void)epoll_ctl(epoll_fd, EPOLL_CTL_DEL, qn_fd(client), NULL);
}

#endif
