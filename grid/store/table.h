/* The hash table under a store: (cache, key) -> the newest version of an entry.
 *
 * Open addressing. The tag of a slot is 32 bits of hash; a slot's home is its tag scaled to the
 * table's size, and linear probing keeps the slots ordered by home. So a search ends as soon as it
 * meets a slot nearer to its home than the searched one would be, removal closes the gap instead of
 * leaving a mark, and the whole table stands in hash order, whatever its size.
 *
 * Growth is incremental: a larger table is put beside the full one, and every change moves some
 * slots over, in hash order on both sides. The entries themselves are not touched by it. */
#ifndef QUOIN_GRID_STORE_TABLE_H
#define QUOIN_GRID_STORE_TABLE_H

#include "grid/store/entry.h"

/* What is looked for; `tag` from `table_tag`, computed once per request. */
struct table_key {
    uint32_t tag;
    uint32_t cache;
    struct bytes key;
};

struct table_slots {
    struct entry **entries; /* undefined where `tags` is 0; NULL for what was removed from `old` */
    uint32_t *tags;         /* 0 = empty; in the same block, behind `entries` */
    size_t slot_count;
    size_t used;
};

struct table {
    struct alloc *alloc;
    struct table_slots now;
    struct table_slots old; /* being emptied; slot_count 0 when there is none */
    size_t drained;         /* slots of `old` already emptied, from the front */
};

/* Tag of a key: its hash and its cache mixed; never 0. */
uint32_t table_tag(uint32_t cache, struct bytes key);

void table_init(struct table *table, struct alloc *alloc);

/* Give the slots back. The entries are the caller's. */
void table_fini(struct table *table);

/* Entries in it. */
static inline size_t table_count(const struct table *table)
{
    return table->now.used + table->old.used;
}

/* The entry under a key, NULL when there is none. */
struct entry *table_find(const struct table *table, const struct table_key *key);

/* Make room for one more entry, and move a few slots. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status table_reserve(struct table *table);

/* Put `entry` where its key is or would be; returns the entry it replaced, NULL when there was
 * none. Room must have been reserved. */
struct entry *table_put(struct table *table, const struct table_key *key, struct entry *entry);

/* Take the entry of this key out; it must be there. Gives slots back when few are left in use. */
void table_remove(struct table *table, const struct table_key *key);

/* Call `visit` with each entry, in no promised order. The table must not change meanwhile. */
void table_each(const struct table *table, void (*visit)(void *context, struct entry *entry),
                void *context);

#endif
