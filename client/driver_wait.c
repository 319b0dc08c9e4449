/* Threads around the driver: who waits, who takes the role, how much may be under way. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <time.h>

#include "client/driver.h"
#include "wire/assert.h"

/* ---- threads that wait ---- */

void waiter_init(qn_client *client, struct waiter *waiter, size_t pending)
{
    list_init(&waiter->place);
    list_init(&waiter->room_place);
    waiter->wants_room = NULL;
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

/* When nobody drives, the next one in line shall. Also for who leaves the line: it may have been
 * told to drive. */
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

static void role_take(qn_client *client)
{
    qn_assert(!client->driving);
    client->driving = true;
}

static void role_release(qn_client *client)
{
    client->driving = false;
    role_pass(client);
}

static void drive_for(qn_client *client, const struct waiter *waiter, int64_t until_ms)
{
    role_take(client);
    do {
        driver_turn(client, waiter, until_ms);
    } while (!client->has_thread && !is_over(waiter, until_ms));
    role_release(client);
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
        role_take(client);
        driver_turn(client, NULL, 0);
        role_release(client);
    }
}

/* ---- limits ---- */

static bool has_room(const qn_client *client, const struct call *call)
{
    size_t count_max = (size_t)setting_number(&client->settings, PROPERTY_IN_FLIGHT);
    size_t bytes_max = (size_t)setting_number(&client->settings, PROPERTY_IN_FLIGHT_BYTES);

    /* An operation that alone exceeds the octets goes when it is alone. */
    return client->in_flight < count_max &&
           (client->in_flight == 0 || client->in_flight_bytes + call->charge_bytes <= bytes_max);
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

static void room_waiter_release(struct waiter *waiter)
{
    list_remove(&waiter->room_place);
    waiter_count_down(waiter);
}

/* Charge those in line for whom there is room. Who gets it is charged here and not when it wakes
 * up: so room that was given to one that leaves meanwhile is never lost. */
static void room_give(qn_client *client)
{
    while (!list_empty(&client->room_waiters)) {
        struct waiter *first = LIST_OWNER(client->room_waiters.next, struct waiter, room_place);
        if (driver_charge(client, first->wants_room) != QN_OK) {
            return;
        }
        room_waiter_release(first);
    }
}

enum qn_status driver_charge_wait(qn_client *client, struct call *call, int64_t until_ms)
{
    struct waiter waiter;

    if (list_empty(&client->room_waiters) && driver_charge(client, call) == QN_OK) {
        return QN_OK;
    }
    waiter_init(client, &waiter, 1);
    waiter.wants_room = call;
    list_push_back(&client->room_waiters, &waiter.room_place);
    (void)driver_wait(client, &waiter, until_ms);
    list_remove(&waiter.room_place);
    waiter_fini(&waiter);
    if (call->is_charged) {
        return QN_OK;
    }
    room_give(client); /* the next in line may want less */
    client->counters.busy++;
    return client->closing ? QN_CLOSED : QN_BUSY;
}

void driver_uncharge(qn_client *client, struct call *call)
{
    if (!call->is_charged) {
        return;
    }
    call->is_charged = false;
    client->in_flight--;
    client->in_flight_bytes -= call->charge_bytes;
    room_give(client);
}

void driver_room_close(qn_client *client)
{
    while (!list_empty(&client->room_waiters)) {
        room_waiter_release(LIST_OWNER(client->room_waiters.next, struct waiter, room_place));
    }
    driver_wake(client); /* it may be one of them */
}

/* ---- the client's own thread ---- */

static void *thread_main(void *arg)
{
    qn_client *client = arg;

    (void)pthread_mutex_lock(&client->mutex);
    while (client->driving) {
        (void)pthread_cond_wait(&client->role_free, &client->mutex);
    }
    role_take(client);
    while (!client->stopping) {
        driver_turn(client, NULL, INT64_MAX);
    }
    role_release(client);
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
    (void)pthread_mutex_lock(&client->mutex);
    log_tell(client);
    (void)pthread_mutex_unlock(&client->mutex);
}
