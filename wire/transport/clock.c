#define _GNU_SOURCE
#include <time.h>

#include "wire/transport/transport.h"

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_now_ns(void)
{
    return clock_ns(CLOCK_BOOTTIME);
}

int64_t clock_now_ms(void)
{
    return clock_now_ns() / 1000000;
}

int64_t clock_wall_ms(void)
{
    return clock_ns(CLOCK_REALTIME) / 1000000;
}
