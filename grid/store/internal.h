/* What the files of this folder share; nobody else includes it.
 *
 * The ring of changes, ordered by version, is what hangs versions together: its front holds the
 * committed changes whose replaced version is kept for a view (and some empty elements), its back
 * the staged ones. An entry without a change in the ring is the oldest version of its key. */
#ifndef QUOIN_GRID_STORE_INTERNAL_H
#define QUOIN_GRID_STORE_INTERNAL_H

#include "grid/base/ring.h"
#include "grid/store/caches.h"
#include "grid/store/expiry.h"
#include "grid/store/store.h"

enum change_kind {
    CHANGE_NONE,  /* was one of an entry, or a clear: done with */
    CHANGE_ENTRY, /* `entry` stands in the place of `replaced` */
    CHANGE_CLEAR, /* of `cache`; staged only */
};

struct change {
    uint64_t version;
    struct entry *entry;
    struct entry *replaced; /* NULL when the key was not known; never NULL once committed */
    union {
        uint32_t tag;
        uint32_t cache;
    };
    uint32_t kind; /* enum change_kind */
};

struct pin {
    uint64_t view;
    size_t holders;
};

struct store {
    struct alloc *alloc;
    struct table table;
    struct ring changes;
    size_t committed_count; /* elements at the front of `changes` that are committed */
    size_t empty_count;     /* those of them that are CHANGE_NONE */
    struct caches caches;
    struct expiry expiry;
    uint64_t committed; /* index of the last committed record */
    uint64_t published;
    struct pin pins[STORE_PINS_MAX];
    size_t pin_count;
    uint64_t count; /* committed entries */
    size_t history_bytes;
    bool sweep_runs;
    uint32_t sweep_tag; /* where it stands */
};

void entry_release(struct store *store, struct entry *entry); /* NULL allowed */

/* -- history.c: versions -- */

/* The change that made `entry`, NULL when nothing older is kept. */
struct change *change_of(const struct store *store, const struct entry *entry);

/* The key that a CHANGE_ENTRY is about. */
static inline struct table_key change_key(const struct change *change)
{
    return (struct table_key){
        .tag = change->tag, .cache = change->entry->cache, .key = entry_key(change->entry)};
}

/* Is what `entry` wrote cleared in the state `view`? */
bool entry_dead(const struct store *store, const struct entry *entry, uint64_t view);

/* What the state `view` has under the key of which `entry` is the newest version; NULL: nothing. */
const struct entry *entry_at(const struct store *store, const struct entry *entry, uint64_t view);

/* Free what this committed change keeps and no view shows; empty it if it keeps nothing then. */
void history_settle(struct store *store, struct change *change);

/* The same for all committed changes above `view`, which is not held any more. */
void history_settle_after(struct store *store, uint64_t view);

/* Take the tombstone `entry`, which stands for nothing any more, out of table and memory. */
void history_forget(struct store *store, const struct table_key *key, struct entry *entry);

/* Drop empty elements of the ring, and memory it does not use. */
void history_tidy(struct store *store);

/* -- views.c -- */

/* Is a view from `from` up to, but not including `to` held? `context` is the store. */
bool views_within(const void *context, uint64_t from, uint64_t to);

/* The oldest view held that shows anything; UINT64_MAX: there is none. */
uint64_t views_oldest(const struct store *store);

/* -- sweep.c -- */

/* Begin to sweep the caches with dead entries that no view shows. */
void sweep_start(struct store *store);

/* -- due.c -- */

/* `context` is the store. */
bool due_alive(const void *context, const struct due *due);

#endif
