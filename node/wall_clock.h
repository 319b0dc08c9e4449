/* The wall clock as partitions may see it (protocol.md B.11): without its jumps.
 *
 * An operator, a virtual machine or a broken time server may set the system's clock by hours; no
 * such jump may expire a cache or bring back what has expired. So the time handed out stays within
 * 10 s of what the boot clock says, counted from the start. The base of that count follows the
 * system's clock by at most 1 ms per second: enough for the drift and slewing of any clock (500
 * ppm), so that a node may run for years, and too little for a jump to matter.
 *
 * A pure function with a small state; no clock is read here. One owner. */
#ifndef QUOIN_NODE_WALL_CLOCK_H
#define QUOIN_NODE_WALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WALL_CLOCK_BOUND_MS = 10000, /* the system's clock may be so far away */
    WALL_CLOCK_CALM_MS = 9000,   /* a jump is over when it has come so near */
    WALL_CLOCK_FOLLOW_PER_S = 1, /* ms per second of boot time */
};

struct wall_clock {
    int64_t base_ms;     /* wall time minus boot time, as believed */
    int64_t followed_ms; /* boot time up to which the base was moved */
    bool jumped;
};

enum wall_clock_event {
    WALL_CLOCK_QUIET,
    WALL_CLOCK_JUMPED,  /* the system's clock went out of bounds: tell the operator */
    WALL_CLOCK_SETTLED, /* it is back */
};

/* Both clocks as read now, one right after the other. */
void wall_clock_init(struct wall_clock *clock, int64_t wall_ms, int64_t boot_ms);

/* The time to use, given what the system's clock and the boot clock (CLOCK_BOOTTIME, which goes on
 * while the machine sleeps) say. Boot time must not go back. `*event` (may be NULL) tells of the
 * beginning and the end of a jump, once each. */
int64_t wall_clock_read(struct wall_clock *clock, int64_t wall_ms, int64_t boot_ms,
                        enum wall_clock_event *event);

/* How far the system's clock is away from what was expected, for the message. */
int64_t wall_clock_offset_ms(const struct wall_clock *clock, int64_t wall_ms, int64_t boot_ms);

#endif
