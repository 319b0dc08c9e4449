#include "grid/store/store.h"

#include "grid/store/internal.h"
#include "wire/assert.h"

static void store_init(struct store *store, struct alloc *alloc)
{
    store->alloc = alloc;
    table_init(&store->table, alloc);
    ring_init(&store->changes, alloc, sizeof(struct change));
    caches_init(&store->caches, alloc);
    expiry_init(&store->expiry, alloc);
}

enum qn_status store_create(struct alloc *alloc, struct store **store)
{
    struct store *made = alloc_get_zeroed(alloc, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    store_init(made, alloc);
    *store = made;
    return QN_OK;
}

void entry_release(struct store *store, struct entry *entry)
{
    if (entry) {
        alloc_put(store->alloc, entry, entry_size(entry));
    }
}

static void release_visited(void *context, struct entry *entry)
{
    entry_release(context, entry);
}

static void release_all(struct store *store)
{
    table_each(&store->table, release_visited, store);
    for (size_t i = 0; i < store->changes.count; i++) {
        struct change *change = ring_at(&store->changes, i);
        entry_release(store, change->replaced);
    }
    table_fini(&store->table);
    ring_fini(&store->changes);
    caches_fini(&store->caches);
    expiry_fini(&store->expiry);
}

void store_destroy(struct store *store)
{
    if (store) {
        release_all(store);
        alloc_put(store->alloc, store, sizeof *store);
    }
}

void store_clear(struct store *store)
{
    struct alloc *alloc = store->alloc;

    qn_assert(store->pin_count == 0);
    release_all(store);
    *store = (struct store){0};
    store_init(store, alloc);
}

struct store_found store_newest(const struct store *store, const struct table_key *key)
{
    const struct entry *entry = table_find(&store->table, key);

    if (!entry) {
        return (struct store_found){0};
    }
    uint64_t cleared = cache_cleared(caches_find(&store->caches, key->cache), UINT64_MAX);
    if (entry->version < cleared) {
        return (struct store_found){.decided_by = cleared};
    }
    return (struct store_found){.entry = entry_live(entry) ? entry : NULL,
                                .decided_by = entry->version};
}

const struct entry *store_committed(const struct store *store, const struct table_key *key)
{
    return entry_at(store, table_find(&store->table, key), store->committed);
}

const struct entry *store_at(const struct store *store, const struct table_key *key, uint64_t view)
{
    qn_assert(store_view_held(store, view));
    return entry_at(store, table_find(&store->table, key), view);
}

/* The block of a new version, not yet in the table. NULL: no memory. */
static struct entry *entry_make(struct store *store, const struct effect *effect, uint64_t version)
{
    struct entry head = {
        .version = version,
        .cache = effect->cache,
        .value_size = (uint32_t)effect->value.size,
        .key_size = (uint32_t)effect->key.size,
        .flags = effect->flags,
    };

    if (effect->kind == EFFECT_REMOVE) {
        head.marks = ENTRY_TOMBSTONE;
    } else if (effect->expires_at_ms != INT64_MAX) {
        head.marks = ENTRY_EXPIRES;
    }
    struct entry *entry = alloc_get(store->alloc, entry_size(&head));
    if (!entry) {
        return NULL;
    }
    memcpy(entry, &head, ENTRY_HEADER_SIZE);
    uint8_t *at = entry->octets;
    if (head.marks & ENTRY_EXPIRES) {
        put_u64(at, (uint64_t)effect->expires_at_ms);
        at += ENTRY_EXPIRY_SIZE;
    }
    memcpy(at, effect->key.data, effect->key.size);
    if (effect->value.size > 0) {
        memcpy(at + effect->key.size, effect->value.data, effect->value.size);
    }
    return entry;
}

static bool expires(const struct entry *entry)
{
    return entry && entry->marks & ENTRY_EXPIRES;
}

/* All the memory for a new version in the place of `replaced`, and for taking it back. Nothing has
 * changed if there is not enough. */
static enum qn_status reserve(struct store *store, const struct effect *effect,
                              const struct entry *replaced, uint64_t version, struct entry **entry)
{
    enum qn_status status = QN_OK;
    size_t due_count = expires(replaced); /* after a roll-back */

    due_count += effect->kind != EFFECT_REMOVE && effect->expires_at_ms != INT64_MAX;
    if (due_count > 0) {
        status = expiry_reserve(&store->expiry, due_count, due_alive, store);
    }
    if (status == QN_OK) {
        status = ring_reserve(&store->changes, 1);
    }
    if (status == QN_OK) {
        status = caches_reserve(&store->caches, effect->cache, 0);
    }
    if (status == QN_OK) {
        *entry = entry_make(store, effect, version);
        status = *entry ? QN_OK : QN_MEMORY_FULL;
    }
    return status;
}

/* `entry` is the newest version now, `replaced` is not any more. NULL allowed. */
static void note_expiry(struct store *store, uint32_t tag, const struct entry *entry,
                        const struct entry *replaced)
{
    store->expiry.entries -= expires(replaced);
    if (expires(entry)) {
        expiry_push(&store->expiry, (struct due){.at_ms = entry_expires_at_ms(entry), .tag = tag});
        store->expiry.entries++;
    }
}

static enum qn_status stage_entry(struct store *store, const struct effect *effect,
                                  const struct table_key *key, uint64_t version)
{
    const struct entry *found = table_find(&store->table, key);
    enum qn_status status = found ? QN_OK : table_reserve(&store->table, key->tag);
    struct entry *entry = NULL;

    qn_assert(!found || found->version <= version);
    if (status == QN_OK) {
        status = reserve(store, effect, found, version, &entry);
    }
    if (status != QN_OK) {
        return status;
    }
    struct entry *replaced = table_put(&store->table, key, entry);
    struct change *change = ring_push(&store->changes);
    *change = (struct change){.version = version,
                              .entry = entry,
                              .replaced = replaced,
                              .tag = key->tag,
                              .kind = CHANGE_ENTRY};
    note_expiry(store, key->tag, entry, replaced);
    store->expiry.owed += expires(replaced);
    return QN_OK;
}

/* The same value with another time of expiry. */
static enum qn_status stage_touch(struct store *store, const struct effect *effect,
                                  const struct table_key *key, uint64_t version)
{
    const struct entry *entry = store_newest(store, key).entry;

    if (!entry) {
        return QN_ABSENT;
    }
    struct effect touched = *effect;
    touched.flags = entry->flags;
    touched.value = entry_value(entry);
    return stage_entry(store, &touched, key, version);
}

/* It comes before the other changes of its record: those outlive it. */
static enum qn_status stage_clear(struct store *store, uint32_t cache, uint64_t version)
{
    enum qn_status status = ring_reserve(&store->changes, 1);

    if (status == QN_OK) {
        status = caches_reserve(&store->caches, cache, 1);
    }
    if (status != QN_OK) {
        return status;
    }
    cache_clear_push(caches_find(&store->caches, cache), version);
    struct change *change = ring_push(&store->changes);
    for (size_t at = store->changes.count - 1; at > store->committed_count; at--) {
        struct change *before = ring_at(&store->changes, at - 1);
        if (before->version < version) {
            break;
        }
        *change = *before;
        change = before;
    }
    *change = (struct change){.version = version, .cache = cache, .kind = CHANGE_CLEAR};
    return QN_OK;
}

enum qn_status store_stage(struct store *store, const struct effect *effect, uint64_t version)
{
    qn_assert(version > store->committed);
    if (effect->kind == EFFECT_CLEAR) {
        return stage_clear(store, effect->cache, version);
    }
    qn_assert(effect->key.size > 0);
    struct table_key key = store_key(effect->cache, effect->key);
    if (effect->kind == EFFECT_TOUCH) {
        return stage_touch(store, effect, &key, version);
    }
    return stage_entry(store, effect, &key, version);
}

static void count_entry(struct store *store, struct cache *cache, const struct entry *entry)
{
    cache->entries++;
    cache->bytes += entry_size(entry);
    store->count++;
}

/* Figures of a committed change. */
static void count_change(struct store *store, const struct change *change)
{
    const struct entry *replaced = change->replaced;
    struct cache *cache = caches_find(&store->caches, change->entry->cache);

    qn_assert(cache);
    if (entry_live(replaced) && replaced->version >= cache_cleared(cache, change->version)) {
        qn_assert(cache->entries > 0);
        cache->entries--;
        cache->bytes -= entry_size(replaced);
        store->count--;
    }
    if (entry_live(change->entry)) {
        count_entry(store, cache, change->entry);
    } else {
        store->history_bytes += entry_size(change->entry);
    }
    if (entry_live(replaced)) {
        store->history_bytes += entry_size(replaced);
    }
}

static void commit_clear(struct store *store, struct change *change)
{
    struct cache *cache = caches_find(&store->caches, change->cache);

    qn_assert(cache);
    cache->unswept = cache->unswept || cache->entries > 0;
    cache->sweeping = false;
    store->count -= cache->entries;
    cache->entries = 0;
    cache->bytes = 0;
    change->kind = CHANGE_NONE;
    store->empty_count++;
    cache_clears_prune(cache, change->version, views_within, store);
}

void store_commit(struct store *store, uint64_t version)
{
    bool cleared = false;

    while (store->committed_count < store->changes.count) {
        struct change *change = ring_at(&store->changes, store->committed_count);
        if (change->version > version) {
            break;
        }
        store->committed_count++;
        if (change->kind == CHANGE_CLEAR) {
            commit_clear(store, change);
            cleared = true;
        } else {
            store->expiry.owed -= expires(change->replaced);
            count_change(store, change);
            history_settle(store, change);
        }
    }
    store->committed = version > store->committed ? version : store->committed;
    if (cleared) {
        sweep_start(store);
    }
    history_tidy(store);
}

/* Put back what a staged change replaced. */
static void undo_entry(struct store *store, const struct change *change)
{
    struct table_key key = change_key(change);
    struct entry *replaced = change->replaced;

    store->expiry.owed -= expires(replaced);
    note_expiry(store, change->tag, replaced, change->entry);
    if (!replaced) {
        table_remove(&store->table, &key);
    } else {
        (void)table_put(&store->table, &key, replaced);
    }
    entry_release(store, change->entry);
    if (replaced && !entry_live(replaced) && !change_of(store, replaced)) {
        key.key = entry_key(replaced);
        history_forget(store, &key, replaced);
    } else if (replaced && entry_dead(store, replaced, store->committed)) {
        struct cache *cache = caches_find(&store->caches, key.cache);
        cache->unswept = true; /* the sweep has passed it by: once more, from the beginning */
        cache->sweeping = false;
    }
}

void store_rollback(struct store *store, uint64_t version)
{
    while (store->changes.count > store->committed_count) {
        struct change change = *(struct change *)ring_at(&store->changes, store->changes.count - 1);
        if (change.version <= version) {
            break;
        }
        ring_pop_back(&store->changes);
        if (change.kind == CHANGE_CLEAR) {
            cache_clear_pop(caches_find(&store->caches, change.cache));
        } else {
            undo_entry(store, &change);
        }
    }
    sweep_start(store);
    history_tidy(store);
}

enum qn_status store_restore(struct store *store, const struct effect *effect, uint64_t version)
{
    struct table_key key = store_key(effect->cache, effect->key);
    struct entry *entry = NULL;
    enum qn_status status = table_reserve(&store->table, key.tag);

    qn_assert(store->changes.count == 0);
    qn_assert(effect->kind == EFFECT_PUT && effect->key.size > 0);
    if (status != QN_OK) {
        return status;
    }
    if (table_find(&store->table, &key)) {
        return QN_CORRUPT;
    }
    status = reserve(store, effect, NULL, version, &entry);
    if (status != QN_OK) {
        return status;
    }
    (void)table_put(&store->table, &key, entry);
    note_expiry(store, key.tag, entry, NULL);
    count_entry(store, caches_find(&store->caches, effect->cache), entry);
    store->committed = version > store->committed ? version : store->committed;
    return QN_OK;
}

static struct store_cache figures_of(const struct cache *cache)
{
    return (struct store_cache){.cache = cache->id,
                                .entries = cache->entries,
                                .bytes = cache->bytes,
                                .visible = cache->visible};
}

struct store_cache store_cache_figures(const struct store *store, uint32_t cache)
{
    const struct cache *found = caches_find(&store->caches, cache);

    return found ? figures_of(found) : (struct store_cache){0};
}

bool store_cache_at(const struct store *store, size_t i, struct store_cache *figures)
{
    if (i >= store->caches.count) {
        return false;
    }
    *figures = figures_of(&store->caches.list[i]);
    return true;
}

uint64_t store_count_all(const struct store *store)
{
    return store->count;
}
