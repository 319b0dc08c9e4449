#include "grid/store/internal.h"
#include "wire/assert.h"

static struct pin *pin_of(struct store *store, uint64_t view)
{
    for (size_t i = 0; i < store->pin_count; i++) {
        if (store->pins[i].view == view) {
            return &store->pins[i];
        }
    }
    return NULL;
}

static bool within(uint64_t view, uint64_t from, uint64_t to)
{
    return from <= view && view < to;
}

bool views_within(const void *context, uint64_t from, uint64_t to)
{
    const struct store *store = context;
    bool found = within(store->published, from, to);

    for (size_t i = 0; i < store->pin_count && !found; i++) {
        found = within(store->pins[i].view, from, to);
    }
    return found;
}

uint64_t views_oldest(const struct store *store)
{
    uint64_t oldest = store->published > 0 ? store->published : UINT64_MAX;

    for (size_t i = 0; i < store->pin_count; i++) {
        uint64_t view = store->pins[i].view;
        oldest = view > 0 && view < oldest ? view : oldest;
    }
    return oldest;
}

bool store_view_held(const struct store *store, uint64_t view)
{
    return views_within(store, view, view + 1);
}

uint64_t store_view(const struct store *store)
{
    return store->published;
}

/* One holder of `view` has gone: free what nobody else needs. */
static void released(struct store *store, uint64_t view)
{
    if (store_view_held(store, view)) {
        return;
    }
    history_settle_after(store, view);
    for (size_t i = 0; i < store->caches.count; i++) {
        struct cache *cache = &store->caches.list[i];
        cache_clears_prune(cache, store->committed, views_within, store);
    }
    history_tidy(store);
    sweep_start(store);
}

static const struct change *first_staged(const struct store *store)
{
    return ring_at(&store->changes, store->committed_count);
}

void store_publish(struct store *store, uint64_t index)
{
    uint64_t before = store->published;

    qn_assert(index >= before && index >= store->committed);
    qn_assert(index < UINT64_MAX);
    qn_assert(store->committed_count == store->changes.count ||
              first_staged(store)->version > index);
    store->published = index;
    store->committed = index;
    for (size_t i = 0; i < store->caches.count; i++) {
        store->caches.list[i].visible = store->caches.list[i].entries;
    }
    released(store, before);
    expiry_tidy(&store->expiry, due_alive, store);
}

enum qn_status store_pin(struct store *store, uint64_t view)
{
    struct pin *pin = pin_of(store, view);

    if (pin) {
        pin->holders++;
        return QN_OK;
    }
    if (view != store->published && view != store->committed) {
        return QN_CURSOR_EXPIRED;
    }
    if (store->pin_count == STORE_PINS_MAX) {
        return QN_OVERLOADED;
    }
    store->pins[store->pin_count++] = (struct pin){.view = view, .holders = 1};
    return QN_OK;
}

void store_unpin(struct store *store, uint64_t view)
{
    struct pin *pin = pin_of(store, view);

    qn_assert(pin);
    if (--pin->holders > 0) {
        return;
    }
    *pin = store->pins[--store->pin_count];
    released(store, view);
}

size_t store_pin_count(const struct store *store)
{
    return store->pin_count;
}

size_t store_history_bytes(const struct store *store)
{
    return store->history_bytes;
}
