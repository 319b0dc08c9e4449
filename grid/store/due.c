#include "grid/store/internal.h"
#include "wire/assert.h"

/* The newest version with the tag and time of `due`, if it is not cleared; `*waits` becomes true if
 * a staged clear ends one, which may yet be rolled back. NULL: none. */
static const struct entry *find(const struct store *store, const struct due *due, bool *waits)
{
    struct table_walk walk = {0};

    table_walk_begin(&walk, &store->table, due->tag);
    while (table_walk_tag(&walk) == due->tag) {
        const struct entry *entry = table_walk_step(&walk);
        if (!(entry->marks & ENTRY_EXPIRES) || entry_expires_at_ms(entry) != due->at_ms ||
            entry_dead(store, entry, store->committed)) {
            continue;
        }
        if (!entry_dead(store, entry, UINT64_MAX)) {
            return entry;
        }
        *waits = true;
    }
    return NULL;
}

bool due_alive(const void *context, const struct due *due)
{
    bool waits = false;

    return find(context, due, &waits) || waits;
}

int64_t store_next_expiry_ms(const struct store *store)
{
    const struct due *first = expiry_first(&store->expiry);

    return first ? first->at_ms : INT64_MAX;
}

const struct entry *store_expired(struct store *store, int64_t time_ms)
{
    for (;;) {
        const struct due *first = expiry_first(&store->expiry);
        bool waits = false;
        if (!first || first->at_ms > time_ms) {
            return NULL;
        }
        const struct entry *entry = find(store, first, &waits);
        if (entry || waits) {
            return entry;
        }
        expiry_pop(&store->expiry);
    }
}
