/* Threads around the driver: who waits, who takes the role, how much may be under way. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <time.h>

#include "client/driver.h"
#include "wire/assert.h"

/* ---- threads that wait ---- */

void driver_submit(qn_client *client, struct call *call)
{
    client->call_count++;
    session_start(client->session, &call->core, clock_now_ms());
    if (client->closing) {
        session_give_up(client->session, &call->core, QN_CLOSED);
    }
    driver_deliver(client);
    driver_wake(client);
}

void waiter_init(qn_client *client, struct waiter *waiter, size_t pending)
{
    list_init(&waiter->place);
    list_init(&waiter->room_place);
    (void)pthread_cond_init(&waiter->signal, &client->monotonic);
    waiter->pending = pending;
}

void waiter_fini(struct waiter *waiter)
{
    (void)pthread_cond_destroy(&waiter->signal);
}

/* Sleep until signalled or `until_ms`, which is of the clock that goes on while the machine sleeps.
 */
static void signal_wait(qn_client *client, pthread_cond_t *signal, int64_t until_ms)
{
    struct timespec at;
    int64_t left_ms = driver_timeout_ms(until_ms);

    if (left_ms < 0) {
        (void)pthread_cond_wait(signal, &client->mutex);
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += left_ms / 1000;
    at.tv_nsec += left_ms % 1000 * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    (void)pthread_cond_timedwait(signal, &client->mutex, &at);
}

static bool is_over(const struct waiter *waiter, int64_t until_ms)
{
    return waiter->pending == 0 || (until_ms != INT64_MAX && clock_now_ms() >= until_ms);
}

static void drive_for(qn_client *client, const struct waiter *waiter, int64_t until_ms)
{
    client->driving = true;
    do {
        driver_turn(client, waiter, until_ms);
    } while (!client->has_thread && !is_over(waiter, until_ms));
    client->driving = false;
}

/* Nobody drives any more: the next one in line shall. */
static void role_pass(qn_client *client)
{
    if (client->driving) {
        return;
    }
    if (client->has_thread) {
        (void)pthread_cond_signal(&client->role_free);
    } else if (!list_empty(&client->waiters)) {
        struct waiter *next = LIST_OWNER(client->waiters.next, struct waiter, place);
        (void)pthread_cond_signal(&next->signal);
    }
}

bool driver_wait(qn_client *client, struct waiter *waiter, int64_t until_ms)
{
    list_push_back(&client->waiters, &waiter->place);
    while (!is_over(waiter, until_ms)) {
        if (!client->driving && !client->has_thread) {
            drive_for(client, waiter, until_ms);
        } else {
            signal_wait(client, &waiter->signal, until_ms);
        }
    }
    list_remove(&waiter->place);
    role_pass(client);
    return waiter->pending == 0;
}

void driver_yield(qn_client *client)
{
    if (client->driving || client->has_thread) {
        (void)pthread_mutex_unlock(&client->mutex);
        (void)pthread_mutex_lock(&client->mutex);
    } else {
        client->driving = true;
        driver_turn(client, NULL, 0);
        client->driving = false;
        role_pass(client);
    }
}

/* ---- limits ---- */

static bool has_room(const qn_client *client, const struct call *call)
{
    /* An operation that alone exceeds the octets goes when it is alone. */
    return client->in_flight < client->uri.in_flight_max &&
           (client->in_flight == 0 ||
            client->in_flight_bytes + call->charge_bytes <= client->uri.in_flight_max_bytes);
}

enum qn_status driver_charge(qn_client *client, struct call *call)
{
    if (!has_room(client, call)) {
        return QN_BUSY;
    }
    call->is_charged = true;
    client->in_flight++;
    client->in_flight_bytes += call->charge_bytes;
    return QN_OK;
}

enum qn_status driver_charge_wait(qn_client *client, struct call *call, int64_t until_ms)
{
    struct waiter waiter;
    enum qn_status status = driver_charge(client, call);

    if (status == QN_OK) {
        return QN_OK;
    }
    waiter_init(client, &waiter, 1);
    do {
        waiter.pending = 1;
        list_push_back(&client->room_waiters, &waiter.room_place);
        (void)driver_wait(client, &waiter, until_ms);
        list_remove(&waiter.room_place);
        status = client->closing ? QN_CLOSED : driver_charge(client, call);
    } while (status == QN_BUSY && clock_now_ms() < until_ms);
    waiter_fini(&waiter);
    return status;
}

/* ---- the client's own thread ---- */

static void *thread_main(void *arg)
{
    qn_client *client = arg;

    (void)pthread_mutex_lock(&client->mutex);
    while (client->driving) {
        (void)pthread_cond_wait(&client->role_free, &client->mutex);
    }
    client->driving = true;
    while (!client->stopping) {
        driver_turn(client, NULL, INT64_MAX);
    }
    client->driving = false;
    (void)pthread_mutex_unlock(&client->mutex);
    return NULL;
}

/* Signals belong to the program's own threads. */
static int thread_create(qn_client *client)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&client->thread, NULL, thread_main, client);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

enum qn_status driver_thread_start(qn_client *client, qn_error *err)
{
    if (client->has_thread) {
        return QN_OK;
    }
    int failed = thread_create(client);
    if (failed) {
        return qn_error_set(err, QN_IO, "cannot start the client's thread: %s", strerror(failed));
    }
    client->has_thread = true;
    driver_wake(client);
    return QN_OK;
}

void driver_thread_stop(qn_client *client)
{
    (void)pthread_mutex_lock(&client->mutex);
    bool has_thread = client->has_thread;
    client->stopping = true;
    driver_wake(client);
    (void)pthread_mutex_unlock(&client->mutex);
    if (has_thread) {
        (void)pthread_join(client->thread, NULL);
    }
}
