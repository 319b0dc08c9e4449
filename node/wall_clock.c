#include "node/wall_clock.h"

#include <stddef.h>

enum { SECOND_MS = 1000 };

static int64_t clamped(int64_t value, int64_t bound)
{
    if (value > bound) {
        return bound;
    }
    return value < -bound ? -bound : value;
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

void wall_clock_init(struct wall_clock *clock, int64_t wall_ms, int64_t boot_ms)
{
    *clock = (struct wall_clock){.base_ms = wall_ms - boot_ms, .followed_ms = boot_ms};
}

int64_t wall_clock_offset_ms(const struct wall_clock *clock, int64_t wall_ms, int64_t boot_ms)
{
    return wall_ms - (clock->base_ms + boot_ms);
}

/* Move the base towards the system's clock, by what the whole seconds since the last time allow. */
static void follow(struct wall_clock *clock, int64_t offset_ms, int64_t boot_ms)
{
    int64_t seconds = (boot_ms - clock->followed_ms) / SECOND_MS;

    if (seconds > 0) {
        clock->base_ms += clamped(offset_ms, seconds * WALL_CLOCK_FOLLOW_PER_S);
        clock->followed_ms += seconds * SECOND_MS;
    }
}

static enum wall_clock_event event_of(struct wall_clock *clock, int64_t offset_ms)
{
    bool was = clock->jumped;

    clock->jumped = magnitude(offset_ms) > (was ? WALL_CLOCK_CALM_MS : WALL_CLOCK_BOUND_MS);
    if (clock->jumped == was) {
        return WALL_CLOCK_QUIET;
    }
    return was ? WALL_CLOCK_SETTLED : WALL_CLOCK_JUMPED;
}

int64_t wall_clock_read(struct wall_clock *clock, int64_t wall_ms, int64_t boot_ms,
                        enum wall_clock_event *event)
{
    follow(clock, wall_clock_offset_ms(clock, wall_ms, boot_ms), boot_ms);
    int64_t offset_ms = wall_clock_offset_ms(clock, wall_ms, boot_ms);
    enum wall_clock_event happened = event_of(clock, offset_ms);

    if (event) {
        *event = happened;
    }
    return clock->base_ms + boot_ms + clamped(offset_ms, WALL_CLOCK_BOUND_MS);
}
