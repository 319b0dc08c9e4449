#include "grid/store/store.h"

#include "grid/base/ring.h"
#include "grid/store/counts.h"
#include "wire/assert.h"

enum {
    CHANGES_KEPT_BYTES = 4096 /* of an empty ring of changes */
};

/* A staged change. */
struct change {
    struct entry *entry;
    struct entry *replaced; /* NULL when the key was not known */
    uint32_t tag;
};

struct store {
    struct alloc *alloc;
    struct table table;
    struct ring changes; /* staged, oldest first */
    struct counts counts;
    uint64_t count; /* committed entries */
};

enum qn_status store_create(struct alloc *alloc, struct store **store)
{
    struct store *made = alloc_get_zeroed(alloc, sizeof *made);

    if (!made) {
        return QN_MEMORY_FULL;
    }
    made->alloc = alloc;
    table_init(&made->table, alloc);
    ring_init(&made->changes, alloc, sizeof(struct change));
    counts_init(&made->counts, alloc);
    *store = made;
    return QN_OK;
}

static void entry_release(struct store *store, struct entry *entry)
{
    if (entry) {
        alloc_put(store->alloc, entry, entry_size(entry));
    }
}

static void release_visited(void *context, struct entry *entry)
{
    entry_release(context, entry);
}

void store_destroy(struct store *store)
{
    if (!store) {
        return;
    }
    table_each(&store->table, release_visited, store);
    for (size_t i = 0; i < store->changes.count; i++) {
        struct change *change = ring_at(&store->changes, i);
        entry_release(store, change->replaced);
    }
    table_fini(&store->table);
    ring_fini(&store->changes);
    counts_fini(&store->counts);
    alloc_put(store->alloc, store, sizeof *store);
}

const struct entry *store_newest(const struct store *store, const struct table_key *key)
{
    return table_find(&store->table, key);
}

/* Position of the first staged change with at least this version. */
static size_t change_position(const struct store *store, uint64_t version)
{
    size_t low = 0;
    size_t high = store->changes.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct change *change = ring_at(&store->changes, middle);
        if (change->entry->version < version) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The change that staged `entry`, NULL when it is committed. */
static const struct change *change_of(const struct store *store, const struct entry *entry)
{
    for (size_t at = change_position(store, entry->version); at < store->changes.count; at++) {
        const struct change *change = ring_at(&store->changes, at);
        if (change->entry == entry) {
            return change;
        }
        if (change->entry->version != entry->version) {
            break;
        }
    }
    return NULL;
}

static const struct entry *committed(const struct store *store, const struct entry *entry)
{
    while (entry) {
        const struct change *change = change_of(store, entry);
        if (!change) {
            break;
        }
        entry = change->replaced;
    }
    return entry_live(entry) ? entry : NULL;
}

const struct entry *store_committed(const struct store *store, const struct table_key *key)
{
    return committed(store, table_find(&store->table, key));
}

/* The block of an effect's new version, not yet in the table. NULL: no memory. */
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

/* All the memory that staging and later committing one change needs, but the entry itself. */
static enum qn_status reserve(struct store *store, uint32_t cache)
{
    enum qn_status status = table_reserve(&store->table);

    if (status == QN_OK) {
        status = ring_reserve(&store->changes, 1);
    }
    if (status == QN_OK) {
        status = counts_reserve(&store->counts, cache);
    }
    return status;
}

enum qn_status store_stage(struct store *store, const struct effect *effect, uint64_t version)
{
    enum qn_status status = reserve(store, effect->cache);

    qn_assert(effect->key.size > 0);
    if (status != QN_OK) {
        return status;
    }
    struct entry *entry = entry_make(store, effect, version);
    if (!entry) {
        return QN_MEMORY_FULL;
    }
    struct table_key key = store_key(effect->cache, effect->key);
    struct change *change = ring_push(&store->changes);
    *change = (struct change){.entry = entry, .tag = key.tag};
    change->replaced = table_put(&store->table, &key, entry);
    qn_assert(!change->replaced || change->replaced->version <= version);
    return QN_OK;
}

static struct table_key change_key(const struct change *change)
{
    return (struct table_key){
        .tag = change->tag, .cache = change->entry->cache, .key = entry_key(change->entry)};
}

/* Take `entry`, a committed removal, out of the table, unless a newer version stands there: then it
 * is that change's `replaced` and goes with it. */
static void forget(struct store *store, const struct change *change)
{
    struct table_key key = change_key(change);

    if (table_find(&store->table, &key) == change->entry) {
        table_remove(&store->table, &key);
        entry_release(store, change->entry);
    }
}

static void commit_change(struct store *store, const struct change *change)
{
    int grown = (int)entry_live(change->entry) - (int)entry_live(change->replaced);

    counts_add(&store->counts, change->entry->cache, grown);
    store->count += (uint64_t)(int64_t)grown;
    entry_release(store, change->replaced);
    if (!entry_live(change->entry)) {
        forget(store, change);
    }
}

void store_commit(struct store *store, uint64_t version)
{
    while (store->changes.count > 0) {
        struct change change = *(struct change *)ring_at(&store->changes, 0);
        if (change.entry->version > version) {
            return;
        }
        ring_pop_front(&store->changes);
        commit_change(store, &change);
    }
    ring_trim(&store->changes, CHANGES_KEPT_BYTES);
}

void store_rollback(struct store *store, uint64_t version)
{
    while (store->changes.count > 0) {
        struct change change = *(struct change *)ring_at(&store->changes, store->changes.count - 1);
        if (change.entry->version <= version) {
            return;
        }
        struct table_key key = change_key(&change);
        ring_pop_back(&store->changes);
        if (change.replaced) {
            (void)table_put(&store->table, &key, change.replaced);
        } else {
            table_remove(&store->table, &key);
        }
        entry_release(store, change.entry);
    }
}

uint64_t store_count(const struct store *store, uint32_t cache)
{
    return counts_get(&store->counts, cache);
}

uint64_t store_count_all(const struct store *store)
{
    return store->count;
}

struct visit {
    const struct store *store;
    void (*call)(void *context, const struct entry *entry);
    void *context;
};

static void visit_committed(void *context, struct entry *entry)
{
    const struct visit *visit = context;
    const struct entry *final = committed(visit->store, entry);

    if (final) {
        visit->call(visit->context, final);
    }
}

void store_each(const struct store *store, void (*visit)(void *context, const struct entry *entry),
                void *context)
{
    struct visit with = {.store = store, .call = visit, .context = context};

    table_each(&store->table, visit_committed, &with);
}
