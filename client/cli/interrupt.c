#define _GNU_SOURCE
#include "client/cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/exits.h"

/* One and the same wish may arrive twice, from a process group and from a parent. */
enum { INTERRUPT_AGAIN_MS = 500 };

/* When the first signal came, in milliseconds; 0 = none has. Lock-free, so a handler may touch it.
 */
static atomic_llong interrupt_at_ms;

static void interrupt_handle(int signal)
{
    (void)signal;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    long long now_ms = (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000 + 1;
    long long first_ms = 0;
    bool first = atomic_compare_exchange_strong(&interrupt_at_ms, &first_ms, now_ms);
    if (!first && now_ms - first_ms > INTERRUPT_AGAIN_MS) {
        _exit(CLI_INTERRUPTED);
    }
}

void interrupt_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt_handle;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
    return atomic_load_explicit(&interrupt_at_ms, memory_order_relaxed) != 0;
}
