/* The entries of one partition, of all its caches, in versions.
 *
 * A change is first *staged*: it becomes the newest version of its key and remembers the version
 * it replaced. Later it is *committed* (the replaced version goes) or *rolled back* (it comes
 * back). So whoever decides on a new change looks at the newest version, whoever reads for a client
 * looks at the committed one, and neither copies anything:
 *
 *     slot -> version 9 (staged) -> replaced: version 7 (staged) -> replaced: version 4 (committed)
 *
 * Versions are log indexes: staged in ascending order, committed in the same order. Belongs to the
 * thread of its partition; takes no locks, reads no clock. */
#ifndef QUOIN_GRID_STORE_STORE_H
#define QUOIN_GRID_STORE_STORE_H

#include "grid/store/entry.h"
#include "grid/store/table.h"
#include "wire/record.h"

struct store;

/* All memory comes from `alloc`, which outlives the store. QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status store_create(struct alloc *alloc, struct store **store);
void store_destroy(struct store *store); /* NULL allowed */

/* Key for the lookups below; hashes once. Borrows `key`. */
static inline struct table_key store_key(uint32_t cache, struct bytes key)
{
    return (struct table_key){.tag = table_tag(cache, key), .cache = cache, .key = key};
}

/* The newest version of a key, staged ones included: may be a tombstone (`entry_live`); NULL when
 * the key is not known at all. Lives until the next change of the store. */
const struct entry *store_newest(const struct store *store, const struct table_key *key);

/* The committed version of a key; NULL when there is none or it is removed. Lives until the next
 * change of the store. */
const struct entry *store_committed(const struct store *store, const struct table_key *key);

/* Make `effect` the newest version of its key. `version` must not be below any before.
 * Key and value are copied. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status store_stage(struct store *store, const struct effect *effect,
                                       uint64_t version);

/* Everything staged up to `version` is final. Needs no memory. */
void store_commit(struct store *store, uint64_t version);

/* Everything staged above `version` never happened. */
void store_rollback(struct store *store, uint64_t version);

/* Committed entries of one cache, and of all. */
uint64_t store_count(const struct store *store, uint32_t cache);
uint64_t store_count_all(const struct store *store);

/* Call `visit` with each committed entry, in no promised order. */
void store_each(const struct store *store, void (*visit)(void *context, const struct entry *entry),
                void *context);

#endif
