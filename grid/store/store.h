/* The entries of one partition, of all its caches, in versions.
 *
 * A change is first *staged*: it becomes the newest version of its key and remembers the version
 * it replaced. Later it is *committed* or *rolled back*. So whoever decides on a new change looks
 * at the newest version, whoever reads for a client looks at the committed one, and neither copies
 * anything:
 *
 *     slot -> version 9 (staged) -> replaced: version 7 (committed) -> replaced: version 4 (in a
 * view)
 *
 * A *view* is the state after the record of one index. One view is always there: the one last
 * published by a soft commit. Others are *pinned* by cursors and checkpoints. A replaced version
 * is kept as long as a view shows it, and no longer. No key costs more than one kept version per
 * view, however often it is overwritten.
 *
 * Versions are log indexes: staged in ascending order, committed in the same order. Belongs to the
 * thread of its partition; takes no locks, reads no clock. Whether an entry has expired is for the
 * caller to judge, who knows the partition's time; the store finds those that are due. */
#ifndef QUOIN_GRID_STORE_STORE_H
#define QUOIN_GRID_STORE_STORE_H

#include "grid/store/entry.h"
#include "grid/store/table.h"
#include "wire/record.h"

struct store;

enum { STORE_PINS_MAX = 8 }; /* views that can be pinned at one time */

/* All memory comes from `alloc`, which outlives the store. QN_MEMORY_FULL: nothing was created. */
QN_MUST_USE enum qn_status store_create(struct alloc *alloc, struct store **store);
void store_destroy(struct store *store); /* NULL allowed */

/* As it was when it was created. No view may be pinned. */
void store_clear(struct store *store);

/* Key for the lookups below; hashes once. Borrows `key`. */
static inline struct table_key store_key(uint32_t cache, struct bytes key)
{
    return (struct table_key){.tag = table_tag(cache, key), .cache = cache, .key = key};
}

/* What is known about a key. */
struct store_found {
    const struct entry *entry; /* NULL: there is none. Lives until the next change of the store */
    uint64_t decided_by; /* index of the record that wrote, removed or cleared it; 0: not known */
};

/* The newest state of a key, staged changes included. */
struct store_found store_newest(const struct store *store, const struct table_key *key);

/* The committed version of a key; NULL when there is none. Lives until the next change. */
const struct entry *store_committed(const struct store *store, const struct table_key *key);

/* The version of a key that a view (published or pinned) shows; NULL when there is none. */
const struct entry *store_at(const struct store *store, const struct table_key *key, uint64_t view);

/* -- changes -- */

/* Make `effect` the newest state. `version` must be above all that is committed and not below any
 * staged. PUT and TOUCH copy the key (and the value: TOUCH that of the newest version, which must
 * be there). CLEAR ends every entry of `effect->cache` that an earlier record wrote, in O(1): the
 * memory comes back by `store_sweep`. What its own record puts outlives it, on whichever side of
 * the clear it stands.
 *
 * QN_MEMORY_FULL  nothing changed
 * QN_ABSENT       TOUCH without an entry: nothing changed */
QN_MUST_USE enum qn_status store_stage(struct store *store, const struct effect *effect,
                                       uint64_t version);

/* Everything staged up to `version` is final. Needs no memory. Replaced versions that no view
 * shows are freed. */
void store_commit(struct store *store, uint64_t version);

/* Everything staged above `version` never happened. */
void store_rollback(struct store *store, uint64_t version);

/* Put a committed entry in, from a snapshot, before anything was staged. A key occurs once.
 * `version` is the entry's own. QN_MEMORY_FULL: nothing changed. QN_CORRUPT: the key is there. */
QN_MUST_USE enum qn_status store_restore(struct store *store, const struct effect *effect,
                                         uint64_t version);

/* -- views -- */

/* Soft commit: the published view becomes the state after everything committed, which is record
 * `index` (nothing up to it is only staged). Versions that no view shows any more are freed. */
void store_publish(struct store *store, uint64_t index);

/* The published view. 0 before the first one: it shows nothing. */
uint64_t store_view(const struct store *store);

/* Hold a view: the published one, the committed state (`index` = last committed record, as told
 * to store_commit), or one that is pinned already (counted). QN_OVERLOADED: STORE_PINS_MAX others
 * are held. QN_CURSOR_EXPIRED: it is none of these. */
QN_MUST_USE enum qn_status store_pin(struct store *store, uint64_t view);

/* One holder less. */
void store_unpin(struct store *store, uint64_t view);

/* Can it be read: is it published or pinned? */
bool store_view_held(const struct store *store, uint64_t view);

/* Pinned views, and octets of versions that only views need: replaced ones, and removals that hide
 * them. Cleared entries that wait for the sweep are not among them. */
size_t store_pin_count(const struct store *store);
size_t store_history_bytes(const struct store *store);

/* Where a walk stands: it goes in the order of (tag, cache, key), whatever the table's size, so it
 * can go on after any change. All zero = the beginning. */
struct store_place {
    uint32_t tag;
    uint32_t cache;   /* with `key`: the last entry seen of those with this tag */
    struct bytes key; /* empty = before the first of them. Borrowed; set by the caller */
};

/* Call `visit` with the entries that a held view shows, from `place` on, until it returns false or
 * `slots_max` keys (> 0) were looked at, shown or not. `*place` moves to behind the last one; its
 * `key` then points into the store (valid until the next change). Returns true when the end was
 * reached. */
bool store_walk(const struct store *store, uint64_t view, struct store_place *place,
                size_t slots_max, bool (*visit)(void *context, const struct entry *entry),
                void *context);

/* -- expiry -- */

/* The time at which the next entry may be due; INT64_MAX = none. */
int64_t store_next_expiry_ms(const struct store *store);

/* An entry whose newest version expires at or before `time_ms`; NULL when there is none. The caller
 * stages its removal, which makes the next call find another one. Lives until the next change. An
 * entry that a staged clear ends is not told, nor are those behind it until the clear is final. */
const struct entry *store_expired(struct store *store, int64_t time_ms);

/* -- upkeep and figures -- */

/* Give back memory of cleared entries: looks at some `slots_max` keys. True: there is
 * more that no view shows; the rest is for a later time, when its views have gone. */
bool store_sweep(struct store *store, size_t slots_max);

/* Figures of one cache in this partition. */
struct store_cache {
    uint32_t cache;
    uint64_t entries; /* committed */
    uint64_t bytes;   /* of their blocks: header, key, value */
    uint64_t visible; /* entries in the published view */
};

/* Those of one cache; all zero for one never seen. */
struct store_cache store_cache_figures(const struct store *store, uint32_t cache);

/* Number `i` of the caches seen, ascending by id; false behind the last. */
bool store_cache_at(const struct store *store, size_t i, struct store_cache *figures);

/* Committed entries of all caches. */
uint64_t store_count_all(const struct store *store);

#endif
