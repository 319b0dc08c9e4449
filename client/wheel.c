#include "client/wheel.h"

void wheel_init(struct wheel *wheel, int64_t now_ms)
{
    *wheel = (struct wheel){.tick = now_ms / WHEEL_SLOT_MS};
    for (size_t i = 0; i < WHEEL_SLOT_COUNT; i++) {
        list_init(&wheel->slots[i]);
    }
}

static size_t slot_of(int64_t tick)
{
    return (size_t)(tick % WHEEL_SLOT_COUNT);
}

void wheel_set(struct wheel *wheel, struct wheel_timer *timer, int64_t due_ms)
{
    int64_t tick = due_ms / WHEEL_SLOT_MS + 1;

    if (tick <= wheel->tick) {
        tick = wheel->tick + 1;
    }
    size_t slot = slot_of(tick);
    list_remove(&timer->place);
    timer->due_ms = due_ms;
    list_push_back(&wheel->slots[slot], &timer->place);
    wheel->used[slot / 64] |= UINT64_C(1) << (slot % 64);
}

/* Move what is due in one slot; the rest waits for another turn. */
static void slot_expire(struct wheel *wheel, size_t slot, int64_t now_ms, struct list *due)
{
    struct list *head = &wheel->slots[slot];
    struct list *next;

    for (struct list *at = head->next; at != head; at = next) {
        struct wheel_timer *timer = LIST_OWNER(at, struct wheel_timer, place);
        next = at->next;
        if (timer->due_ms <= now_ms) {
            list_remove(at);
            list_push_back(due, at);
        }
    }
    if (list_empty(head)) {
        wheel->used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    }
}

void wheel_expire(struct wheel *wheel, int64_t now_ms, struct list *due)
{
    int64_t last = now_ms / WHEEL_SLOT_MS;
    int64_t first = wheel->tick + 1;

    if (last - first >= WHEEL_SLOT_COUNT) {
        first = last - WHEEL_SLOT_COUNT + 1;
    }
    for (int64_t tick = first; tick <= last; tick++) {
        slot_expire(wheel, slot_of(tick), now_ms, due);
    }
    if (last > wheel->tick) {
        wheel->tick = last;
    }
}

int64_t wheel_next_ms(const struct wheel *wheel)
{
    for (int64_t tick = wheel->tick + 1; tick <= wheel->tick + WHEEL_SLOT_COUNT; tick++) {
        size_t slot = slot_of(tick);
        if (wheel->used[slot / 64] >> (slot % 64) & 1) {
            return tick * WHEEL_SLOT_MS;
        }
    }
    return INT64_MAX;
}
