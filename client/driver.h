/* The client and who drives it: sockets, time and threads around a session.
 *
 * At any moment at most one thread is the driver: it steps the session, uses the sockets and waits
 * for them. Until the first asynchronous call that is one of the threads that wait for an answer -
 * a single caller pays for no hop to another thread - and it hands the role on when it has its
 * answer. From the first asynchronous call on it is a thread of the client.
 *
 * The mutex guards everything here. The driver lets it go only while it waits; sockets pass from
 * thread to thread under it, which is the full fence that libzmq asks for. Other threads put their
 * operation into the session and wake the driver by an eventfd. */
#ifndef QUOIN_CLIENT_DRIVER_H
#define QUOIN_CLIENT_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "client/list.h"
#include "client/log.h"
#include "client/quoin.h"
#include "client/session.h"
#include "client/settings.h"
#include "wire/transport/transport.h"

enum { DRIVER_LINKS_MAX = 256 };

/* A thread that waits until `pending` is 0. Lives on its stack. */
struct waiter {
    struct list place;      /* in `waiters` */
    struct list room_place; /* in `room_waiters` */
    struct call *wants_room;
    pthread_cond_t signal;
    size_t pending;
};

/* An operation as the session sees it, and what becomes of its answer. */
struct call {
    struct session_op core;
    struct waiter *waiter; /* NULL = nobody waits */
    qn_op *op;             /* NULL = not asynchronous */
    qn_value *value;       /* of the answer; one reference */
    bool is_done;
    size_t charge_bytes; /* against in_flight_max_bytes */
    bool is_charged;
    int64_t started_at_ms;
};

/* What qn_stats tells, as far as it only ever grows. */
struct counters {
    uint64_t operations;
    uint64_t failures;
    uint64_t unknown;
    uint64_t retries;
    uint64_t busy;
    uint64_t messages_sent;
    uint64_t messages_received;
    uint64_t bytes_sent;
    uint64_t bytes_received;
    uint64_t reconnects;
    atomic_uint_fast64_t compressed; /* these two are counted without the mutex */
    atomic_uint_fast64_t compressed_saved;
};

struct qn_client {
    pid_t pid;
    bool fork_told; /* in a child: that it may not use the client */
    struct settings settings;
    struct client_log log;
    struct counters counters;
    enum qn_state state;
    enum qn_state state_told; /* to `state_fn` */
    void (*state_fn)(void *arg, enum qn_state state);
    void *state_arg;
    pthread_mutex_t mutex;
    pthread_condattr_t monotonic;
    struct session *session;
    struct transport *transport;
    struct transport_peer *peers[DRIVER_LINKS_MAX]; /* by link; NULL = not open */
    uint32_t peer_count;
    bool driving;   /* somebody is the driver */
    bool polling;   /* and waits */
    bool wake_sent; /* and has been told to stop waiting */
    bool has_thread;
    bool stopping;
    bool closing;
    pthread_t thread;
    pthread_cond_t role_free; /* for the thread: nobody drives */
    pthread_cond_t user_left;
    int wake_fd;
    int done_fd; /* readable while `callbacks` is not empty */
    struct list waiters;
    struct list room_waiters; /* those of them that wait for room, first come first served */
    struct list callbacks;    /* of qn_op: done, `fn` to be called */
    struct waiter *closer;
    size_t users;      /* threads inside a call */
    size_t call_count; /* not done */
    size_t in_flight;  /* charged ones among them */
    size_t in_flight_bytes;
    struct list caches;
    struct list cursors;
};

struct qn_cache {
    struct list place;
    qn_client *client;
    uint32_t id;
    uint32_t service;
    int64_t ttl_ms;
    uint64_t size_max_bytes;
    char *name;
};

/* QN_MEMORY_FULL, QN_IO: nothing is left behind. `client->settings` are resolved. */
QN_MUST_USE enum qn_status driver_open(qn_client *client, qn_error *err);

/* No thread inside, no operation under way. */
void driver_close(qn_client *client);

/* Begin a call: the mutex is held on QN_OK. Refuses NULL (QN_INVALID), a child process (QN_FORKED),
 * a client being closed (QN_CLOSED), and an error that holds a failure (which is returned). */
QN_MUST_USE enum qn_status driver_enter(qn_client *client, qn_error *err);
void driver_leave(qn_client *client);

/* Step the session, act, wait until `until_ms` (INT64_MAX = as long as it takes), take what came.
 * Does not wait when `waiter` (may be NULL) has what it wants. Only for the driver; mutex held. */
void driver_turn(qn_client *client, const struct waiter *waiter, int64_t until_ms);

/* The driver has something to look at. Mutex held. */
void driver_wake(qn_client *client);

/* See whether the client is connected; a change makes `qn_fd` readable. Mutex held. */
void driver_state_update(qn_client *client);

/* `qn_fd` is readable while callbacks wait. Mutex held. */
void driver_done_signal(const qn_client *client);

/* A time that a caller gave, or the client's for 0. */
static inline int64_t client_timeout_ms(const qn_client *client, int64_t timeout_ms)
{
    return timeout_ms > 0 ? timeout_ms : setting_number(&client->settings, PROPERTY_TIMEOUT);
}

/* Milliseconds from now to `until_ms`, at least 0; -1 for INT64_MAX. */
int64_t driver_timeout_ms(int64_t until_ms);

/* The time `ms` (not negative) after `now_ms`; INT64_MAX = never, when there is no such time. */
static inline int64_t deadline_after(int64_t now_ms, int64_t ms)
{
    return ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + ms;
}

/* Hand an operation to the session and see that somebody drives it. When the client is being closed
 * the operation ends at once, with QN_CLOSED. Mutex held. */
void driver_submit(qn_client *client, struct call *call);

void waiter_init(qn_client *client, struct waiter *waiter, size_t pending);
void waiter_fini(struct waiter *waiter);

/* One thing less is pending. Mutex held. */
void waiter_count_down(struct waiter *waiter);

/* Wait until nothing is pending, or until `until_ms`; drive meanwhile when nobody does. Mutex held
 * before and after. True when nothing is pending. */
bool driver_wait(qn_client *client, struct waiter *waiter, int64_t until_ms);

/* Let things proceed for a moment without waiting for anything. Mutex held before and after. */
void driver_yield(qn_client *client);

/* Finish what the session has finished without a frame (it was given up), also for the thread that
 * drives. Mutex held. */
void driver_deliver(qn_client *client);

/* Charge a call against the limits. QN_BUSY: there is no room now. Mutex held. */
QN_MUST_USE enum qn_status driver_charge(qn_client *client, struct call *call);

/* The same, and wait in line for room until `until_ms`. QN_BUSY, QN_CLOSED. Mutex held. */
QN_MUST_USE enum qn_status driver_charge_wait(qn_client *client, struct call *call,
                                              int64_t until_ms);

/* A call is done: its room goes to those in line. Nothing happens when it was not charged. Mutex
 * held. */
void driver_uncharge(qn_client *client, struct call *call);

/* The client closes: nobody waits for room any more. Mutex held. */
void driver_room_close(qn_client *client);

/* Stop the thread, if there is one. Mutex not held. */
void driver_thread_stop(qn_client *client);

/* From now on a thread of the client drives. QN_IO: it can not be started. Mutex held. */
QN_MUST_USE enum qn_status driver_thread_start(qn_client *client, qn_error *err);

#endif
