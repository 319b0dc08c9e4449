#include "grid/replica/state.h"

enum { EPOCHS_FIRST = 4 };

void epochs_init(struct epochs *epochs, struct alloc *alloc)
{
    *epochs = (struct epochs){.alloc = alloc};
}

void epochs_fini(struct epochs *epochs)
{
    alloc_put(epochs->alloc, epochs->list, epochs->capacity * sizeof *epochs->list);
    *epochs = (struct epochs){.alloc = epochs->alloc};
}

enum qn_status epochs_reserve(struct epochs *epochs)
{
    size_t capacity = epochs->capacity > 0 ? epochs->capacity * 2 : EPOCHS_FIRST;

    if (epochs->count < epochs->capacity || epochs->capacity >= WIRE_HISTORY_MAX) {
        return QN_OK;
    }
    struct wire_epoch *list = alloc_get(epochs->alloc, capacity * sizeof *list);
    if (!list) {
        return QN_MEMORY_FULL;
    }
    if (epochs->count > 0) {
        memcpy(list, epochs->list, epochs->count * sizeof *list);
    }
    alloc_put(epochs->alloc, epochs->list, epochs->capacity * sizeof *list);
    epochs->list = list;
    epochs->capacity = capacity;
    return QN_OK;
}

void epochs_note(struct epochs *epochs, uint64_t epoch, uint64_t first)
{
    if (epochs->count == epochs->capacity) { /* full: who needs the oldest gets a snapshot */
        memmove(epochs->list, epochs->list + 1, (epochs->count - 1) * sizeof *epochs->list);
        epochs->count--;
    }
    epochs->list[epochs->count++] = (struct wire_epoch){.epoch = epoch, .first = first};
}

void epochs_cut(struct epochs *epochs, uint64_t last)
{
    while (epochs->count > 0 && epochs->list[epochs->count - 1].first > last) {
        epochs->count--;
    }
}

uint64_t epochs_at(const struct epochs *epochs, uint64_t index)
{
    if (index == 0) {
        return 0;
    }
    for (size_t i = epochs->count; i > 0; i--) {
        if (epochs->list[i - 1].first <= index) {
            return epochs->list[i - 1].epoch;
        }
    }
    return UINT64_MAX;
}

/* Last index of epoch number `i` in a log that ends with `last`. */
static uint64_t end_of(const struct wire_epoch *list, size_t count, size_t i, uint64_t last)
{
    return i + 1 < count ? list[i + 1].first - 1 : last;
}

uint64_t epochs_common(const struct epochs *epochs, uint64_t last, const struct wire_epoch *other,
                       size_t other_count, uint64_t other_last)
{
    size_t mine = epochs->count;
    size_t theirs = other_count;

    while (mine > 0 && theirs > 0) {
        const struct wire_epoch *a = &epochs->list[mine - 1];
        const struct wire_epoch *b = &other[theirs - 1];
        if (a->epoch == b->epoch && a->first == b->first) {
            uint64_t end = end_of(epochs->list, epochs->count, mine - 1, last);
            uint64_t other_end = end_of(other, other_count, theirs - 1, other_last);
            return end < other_end ? end : other_end;
        }
        /* An epoch has one leader, so its first record is one: the other log lacks it. */
        if (a->epoch >= b->epoch) {
            mine--;
        } else {
            theirs--;
        }
    }
    /* Nothing in common: both begin with their first record, or the older epochs are not kept. */
    bool from_one = (epochs->count == 0 || epochs->list[0].first == 1) &&
                    (other_count == 0 || other[0].first == 1);
    return from_one ? 0 : UINT64_MAX;
}
