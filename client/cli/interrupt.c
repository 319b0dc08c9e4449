#define _GNU_SOURCE
#include "client/cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/exits.h"

/* One and the same wish may arrive twice, from a process group and from a parent. */
enum { INTERRUPT_AGAIN_MS = 500 };

/* When the first signal came, in milliseconds; 0 = none has. Lock-free, so a handler may touch it.
 */
static atomic_llong interrupt_at_ms;
/* Whom to wake; -1 = nobody: this is no shell. */
static atomic_int interrupt_wake_fd = -1;
static atomic_bool interrupt_watched;

static void interrupt_handle(int signal)
{
    (void)signal;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    long long now_ms = (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000 + 1;
    long long first_ms = 0;
    int wake_fd = atomic_load(&interrupt_wake_fd);
    bool first = atomic_compare_exchange_strong(&interrupt_at_ms, &first_ms, now_ms);
    if (wake_fd >= 0) {
        int before = errno;
        const uint64_t one = 1;
        ssize_t written = write(wake_fd, &one, sizeof one);
        (void)written; /* full means that it is readable */
        errno = before;
        return;
    }
    if (!first && now_ms - first_ms > INTERRUPT_AGAIN_MS) {
        _exit(CLI_INTERRUPTED);
    }
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void interrupt_watch(void)
{
    atomic_store(&interrupt_watched, true);
    if (atomic_load(&interrupt_wake_fd) < 0) {
        handle(SIGINT, interrupt_handle, SA_RESTART);
        handle(SIGTERM, interrupt_handle, SA_RESTART);
    }
}

void interrupt_session(int wake_fd)
{
    atomic_store(&interrupt_wake_fd, wake_fd);
    interrupt_clear();
    handle(SIGINT, wake_fd >= 0 ? interrupt_handle : SIG_DFL, 0); /* a read ends with EINTR */
}

bool interrupt_is_watched(void)
{
    return atomic_load(&interrupt_watched);
}

void interrupt_unwatch(void)
{
    atomic_store(&interrupt_watched, false);
}

void interrupt_clear(void)
{
    interrupt_unwatch();
    atomic_store(&interrupt_at_ms, 0);
}

bool interrupted(void)
{
    return atomic_load_explicit(&interrupt_at_ms, memory_order_relaxed) != 0;
}
