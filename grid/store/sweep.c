#include "grid/store/internal.h"
#include "wire/assert.h"

enum { BATCH = 32 };

/* Dead entries found, to be taken out together: the table must not change while one walks it. */
struct batch {
    struct entry *entries[BATCH];
    uint32_t tags[BATCH];
    size_t count;
};

void sweep_start(struct store *store)
{
    uint64_t oldest = views_oldest(store);

    for (size_t i = 0; i < store->caches.count; i++) {
        struct cache *cache = &store->caches.list[i];
        if (cache->unswept && !cache->sweeping &&
            cache_cleared(cache, store->committed) <= oldest) {
            cache->sweeping = true;
            store->sweep_runs = true;
            store->sweep_tag = 0;
        }
    }
}

static bool doomed(const struct store *store, const struct entry *entry)
{
    const struct cache *cache = caches_find(&store->caches, entry->cache);

    return entry_live(entry) && cache && cache->sweeping &&
           entry->version < cache_cleared(cache, store->committed);
}

static void sweep_end(struct store *store)
{
    for (size_t i = 0; i < store->caches.count; i++) {
        struct cache *cache = &store->caches.list[i];
        cache->unswept = cache->unswept && !cache->sweeping;
        cache->sweeping = false;
    }
    store->sweep_runs = false;
}

/* Find the next dead ones; `*looked` counts entries. True: all have been found. */
static bool find(struct store *store, struct batch *batch, size_t *looked, size_t slots_max)
{
    struct table_walk walk = {.looked = *looked};
    uint32_t passed = 0;

    table_walk_begin(&walk, &store->table, store->sweep_tag);
    while (table_walk_tag(&walk) < TABLE_WALK_END) {
        store->sweep_tag = (uint32_t)table_walk_tag(&walk);
        /* No stop amid equal tags: the next call could not get past them. */
        if (batch->count == BATCH || (walk.looked >= slots_max && store->sweep_tag != passed)) {
            break;
        }
        passed = store->sweep_tag;
        struct entry *entry = table_walk_step(&walk);
        if (doomed(store, entry)) {
            batch->entries[batch->count] = entry;
            batch->tags[batch->count++] = passed;
        }
    }
    *looked = walk.looked;
    return table_walk_tag(&walk) == TABLE_WALK_END;
}

static void take_out(struct store *store, const struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct entry *entry = batch->entries[i];
        struct table_key key = {
            .tag = batch->tags[i], .cache = entry->cache, .key = entry_key(entry)};
        table_remove(&store->table, &key);
        store->expiry.entries -= entry->marks & ENTRY_EXPIRES ? 1 : 0;
        entry_release(store, entry);
    }
}

bool store_sweep(struct store *store, size_t slots_max)
{
    size_t looked = 0;
    bool end = false;

    qn_assert(slots_max > 0);
    while (store->sweep_runs && !end && looked < slots_max) {
        struct batch batch = {0};
        end = find(store, &batch, &looked, slots_max);
        take_out(store, &batch);
    }
    if (end) {
        sweep_end(store);
    }
    return store->sweep_runs;
}
