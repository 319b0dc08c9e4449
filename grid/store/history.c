#include "grid/store/internal.h"
#include "wire/assert.h"

enum {
    RING_KEPT_BYTES = 4096, /* whatever is in use */
    EMPTY_ALLOWED = 32,     /* not worth moving the others */
};

/* Position of the first change with at least this version. */
static size_t position(const struct store *store, uint64_t version)
{
    size_t low = 0;
    size_t high = store->changes.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct change *change = ring_at(&store->changes, middle);
        if (change->version < version) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct change *change_of(const struct store *store, const struct entry *entry)
{
    for (size_t at = position(store, entry->version); at < store->changes.count; at++) {
        struct change *change = ring_at(&store->changes, at);
        if (change->version != entry->version) {
            break;
        }
        if (change->kind == CHANGE_ENTRY && change->entry == entry) {
            return change;
        }
    }
    return NULL;
}

bool entry_dead(const struct store *store, const struct entry *entry, uint64_t view)
{
    return entry->version < cache_cleared(caches_find(&store->caches, entry->cache), view);
}

const struct entry *entry_at(const struct store *store, const struct entry *entry, uint64_t view)
{
    while (entry && entry->version > view) {
        const struct change *change = change_of(store, entry);
        entry = change ? change->replaced : NULL;
    }
    return entry_live(entry) && !entry_dead(store, entry, view) ? entry : NULL;
}

/* Does a held view show `entry`, which was replaced by version `until`, or, if it is a tombstone,
 * would a view show what stands before it (`older`) if it were not there? */
static bool needed(const struct store *store, const struct entry *entry, uint64_t until,
                   const struct change *older)
{
    if (!entry_live(entry) && !older) {
        return false;
    }
    if (!views_within(store, entry->version, until)) {
        return false;
    }
    const struct cache *cache = caches_find(&store->caches, entry->cache);
    for (size_t i = 0; cache && i < cache->clear_count; i++) {
        if (cache->clears[i] > entry->version) { /* dead from there on */
            return cache->clears[i] >= until ||
                   views_within(store, entry->version, cache->clears[i]);
        }
    }
    return true;
}

static void drop(struct store *store, struct change *change)
{
    *change = (struct change){.version = change->version, .kind = CHANGE_NONE};
    store->empty_count++;
}

static void release_old(struct store *store, struct entry *entry)
{
    qn_assert(store->history_bytes >= entry_size(entry));
    store->history_bytes -= entry_size(entry);
    entry_release(store, entry);
}

void history_forget(struct store *store, const struct table_key *key, struct entry *entry)
{
    qn_assert(!entry_live(entry));
    table_remove(&store->table, key);
    release_old(store, entry);
}

void history_settle(struct store *store, struct change *change)
{
    while (change->replaced) {
        struct entry *replaced = change->replaced;
        struct change *older = change_of(store, replaced);
        if (needed(store, replaced, change->version, older)) {
            return;
        }
        change->replaced = older ? older->replaced : NULL;
        if (older) {
            drop(store, older);
        }
        release_old(store, replaced);
    }
    if (!entry_live(change->entry)) {
        struct table_key key = change_key(change);
        if (table_find(&store->table, &key) == change->entry) {
            history_forget(store, &key, change->entry);
        } /* else it goes with the change that replaces it */
    }
    drop(store, change);
}

void history_settle_after(struct store *store, uint64_t view)
{
    for (size_t at = position(store, view + 1); at < store->committed_count; at++) {
        struct change *change = ring_at(&store->changes, at);
        if (change->kind == CHANGE_ENTRY) {
            history_settle(store, change);
        }
    }
}

/* Close the gaps. */
static void compact(struct store *store)
{
    struct ring *ring = &store->changes;
    size_t kept = 0;

    for (size_t at = 0; at < ring->count; at++) {
        const struct change *change = ring_at(ring, at);
        if (change->kind != CHANGE_NONE) {
            *(struct change *)ring_at(ring, kept++) = *change;
        }
    }
    while (ring->count > kept) {
        ring_pop_back(ring);
    }
    store->committed_count -= store->empty_count;
    store->empty_count = 0;
}

/* Move to a smaller block if most of it is not in use. Only an economy: may fail. */
static void shrink(struct store *store)
{
    struct ring *ring = &store->changes;
    struct ring smaller;

    ring_trim(ring, RING_KEPT_BYTES);
    if (ring->capacity * sizeof(struct change) <= RING_KEPT_BYTES ||
        ring->count > ring->capacity / 8) {
        return;
    }
    ring_init(&smaller, store->alloc, sizeof(struct change));
    if (ring_reserve(&smaller, ring->count * 2) != QN_OK) {
        return;
    }
    for (size_t at = 0; at < ring->count; at++) {
        *(struct change *)ring_push(&smaller) = *(const struct change *)ring_at(ring, at);
    }
    ring_fini(ring);
    *ring = smaller;
}

void history_tidy(struct store *store)
{
    while (store->committed_count > 0) {
        const struct change *change = ring_at(&store->changes, 0);
        if (change->kind != CHANGE_NONE) {
            break;
        }
        ring_pop_front(&store->changes);
        store->committed_count--;
        store->empty_count--;
    }
    if (store->empty_count > EMPTY_ALLOWED && store->empty_count > store->committed_count / 2) {
        compact(store);
    }
    shrink(store);
}
