/* Timers of operations: set, moved and removed in constant time.
 *
 * A wheel of slots of WHEEL_SLOT_MS milliseconds. A timer fires up to one slot late and never
 * early; one that is further away than a turn is looked at once per turn. One owner, no locks, no
 * clock. */
#ifndef QUOIN_CLIENT_WHEEL_H
#define QUOIN_CLIENT_WHEEL_H

#include <stdint.h>

#include "client/list.h"

enum {
    WHEEL_SLOT_MS = 8,
    WHEEL_SLOT_COUNT = 512,
};

struct wheel_timer {
    struct list place;
    int64_t due_ms;
};

struct wheel {
    int64_t tick; /* slots up to this number have been looked at */
    struct list slots[WHEEL_SLOT_COUNT];
    uint64_t used[WHEEL_SLOT_COUNT / 64]; /* slots that may hold timers */
};

void wheel_init(struct wheel *wheel, int64_t now_ms);

static inline void wheel_timer_init(struct wheel_timer *timer)
{
    list_init(&timer->place);
}

/* Set or move a timer. */
void wheel_set(struct wheel *wheel, struct wheel_timer *timer, int64_t due_ms);

static inline void wheel_cancel(struct wheel_timer *timer)
{
    list_remove(&timer->place);
}

/* Move all timers due at `now_ms` to the end of `due`. */
void wheel_expire(struct wheel *wheel, int64_t now_ms, struct list *due);

/* When `wheel_expire` should be called next; INT64_MAX = no timer is set. */
int64_t wheel_next_ms(const struct wheel *wheel);

#endif
