#define _GNU_SOURCE
#include "client/cli/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/interrupt.h"

/* So long a command may take to see the flag by itself. */
enum { GUARD_GRACE_MS = 300 };

struct guard {
    pthread_t thread;
    int wake; /* eventfd: a signal has come, or `stopping` was set */
    pthread_mutex_t mutex;
    pthread_cond_t ended; /* the command has */
    uint64_t command;     /* number of the one that runs */
    bool running;
    bool stopping;
    qn_client *client;
};

static struct timespec grace_end(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += (long)GUARD_GRACE_MS * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* Give the command its time, then end what it waits for, again and again until it has ended: it may
 * have made another call. The mutex is held in between, so that nobody closes the connection. */
static void command_end(struct guard *guard)
{
    uint64_t command = guard->command;
    while (guard->running && guard->command == command && !guard->stopping) {
        struct timespec until = grace_end();
        int late = pthread_cond_timedwait(&guard->ended, &guard->mutex, &until);
        bool waits = guard->running && guard->command == command && !interrupt_is_watched();
        if (late != 0 && waits) {
            qn_interrupt(guard->client);
        }
    }
}

static void *guard_run(void *arg)
{
    struct guard *guard = arg;
    bool stopping = false;
    while (!stopping) {
        uint64_t count = 0;
        if (read(guard->wake, &count, sizeof count) < 0 && errno != EINTR) {
            break;
        }
        (void)pthread_mutex_lock(&guard->mutex);
        stopping = guard->stopping;
        if (!stopping && guard->running) {
            command_end(guard);
        }
        (void)pthread_mutex_unlock(&guard->mutex);
    }
    return NULL;
}

/* Without the signal: it belongs to the thread that reads the terminal. */
static bool thread_start(struct guard *guard)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&guard->thread, NULL, guard_run, guard) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void guard_free(struct guard *guard)
{
    (void)close(guard->wake);
    (void)pthread_cond_destroy(&guard->ended);
    (void)pthread_mutex_destroy(&guard->mutex);
    free(guard);
}

struct guard *guard_start(void)
{
    struct guard *guard = calloc(1, sizeof *guard);
    if (guard == NULL) {
        return NULL;
    }
    pthread_condattr_t monotonic;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&guard->ended, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    (void)pthread_mutex_init(&guard->mutex, NULL);
    guard->wake = eventfd(0, EFD_CLOEXEC);
    if (guard->wake < 0 || !thread_start(guard)) {
        guard_free(guard);
        return NULL;
    }
    interrupt_session(guard->wake);
    return guard;
}

void guard_stop(struct guard *guard)
{
    if (guard == NULL) {
        return;
    }
    interrupt_session(-1);
    (void)pthread_mutex_lock(&guard->mutex);
    guard->stopping = true;
    (void)pthread_mutex_unlock(&guard->mutex);
    const uint64_t one = 1;
    ssize_t written = write(guard->wake, &one, sizeof one);
    (void)written; /* an eventfd takes it unless it is full, and then the thread wakes, too */
    (void)pthread_join(guard->thread, NULL);
    guard_free(guard);
}

void guard_hold(struct guard *guard, qn_client *client)
{
    (void)pthread_mutex_lock(&guard->mutex);
    guard->client = client;
    (void)pthread_mutex_unlock(&guard->mutex);
}

void guard_release(struct guard *guard)
{
    guard_hold(guard, NULL);
}

void guard_begin(struct guard *guard)
{
    (void)pthread_mutex_lock(&guard->mutex);
    interrupt_clear();
    guard->command++;
    guard->running = true;
    (void)pthread_mutex_unlock(&guard->mutex);
}

void guard_end(struct guard *guard)
{
    (void)pthread_mutex_lock(&guard->mutex);
    guard->running = false;
    (void)pthread_cond_signal(&guard->ended);
    (void)pthread_mutex_unlock(&guard->mutex);
}
