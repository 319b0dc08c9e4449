/* The table under a store: (cache, key) -> the newest version of an entry.
 *
 * Entries stand in the order of their *tag*, 32 bits of hash, in *runs*: short sorted arrays, each
 * of which has a range of tags to itself. A full run is split in two, small neighbours are joined.
 * Tags are spread evenly, so the place of one in its run can be guessed well. Thus
 *
 * - one change costs no more than moving one run, whatever the size of the table: nothing is ever
 *   rehashed, and there is no old table beside a new one;
 * - a run's block fits what is in it: some 13 octets per entry, at any fill;
 * - a walk goes in hash order, and what is put in or taken out in hash order (a restore, an import,
 *   a scan that removes) meets no worse a case than any other. */
#ifndef QUOIN_GRID_STORE_TABLE_H
#define QUOIN_GRID_STORE_TABLE_H

#include "grid/store/entry.h"

/* What is looked for; `tag` from `table_tag`, computed once per request. */
struct table_key {
    uint32_t tag;
    uint32_t cache;
    struct bytes key;
};

/* Entries with tags from `first` up to the `first` of the next run. */
struct table_run {
    uint32_t first; /* 0 for the first run */
    uint32_t count;
    uint32_t capacity; /* even */
    uint32_t *tags;    /* ascending; the entries stand in the same block behind `capacity` tags */
};

struct table {
    struct alloc *alloc;
    struct table_run *runs; /* in the order of tags; none is empty */
    size_t run_count;
    size_t run_capacity;
    size_t count; /* entries */
};

/* Tag of a key: its hash and its cache mixed; never 0. */
uint32_t table_tag(uint32_t cache, struct bytes key);

void table_init(struct table *table, struct alloc *alloc);

/* Give the runs back. The entries are the caller's. */
void table_fini(struct table *table);

/* Entries in it. */
static inline size_t table_count(const struct table *table)
{
    return table->count;
}

/* The entry under a key, NULL when there is none. */
struct entry *table_find(const struct table *table, const struct table_key *key);

/* Make room for one more entry with this tag. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status table_reserve(struct table *table, uint32_t tag);

/* Put `entry` where its key is or would be; returns the entry it replaced, NULL when there was
 * none. Room must have been reserved. */
struct entry *table_put(struct table *table, const struct table_key *key, struct entry *entry);

/* Take the entry of this key out; it must be there. Gives memory back when there is some to spare.
 */
void table_remove(struct table *table, const struct table_key *key);

/* Call `visit` with each entry, in the order of tags. The table must not change meanwhile. */
void table_each(const struct table *table, void (*visit)(void *context, struct entry *entry),
                void *context);

/* A walk, ascending by tag; entries of one tag come in no promised order. Valid until the next
 * change of the table. */
struct table_walk {
    const struct table *table;
    size_t run;
    size_t at;     /* the next entry in it */
    size_t looked; /* entries passed, counted up by `table_walk_step` */
};

#define TABLE_WALK_END (UINT64_C(1) << 32)

/* Stand before the first entry whose tag is at least `tag`. `looked` stays as it is. */
void table_walk_begin(struct table_walk *walk, const struct table *table, uint64_t tag);

/* Tag of the next entry; TABLE_WALK_END: there is none. */
uint64_t table_walk_tag(const struct table_walk *walk);

/* The next entry; there must be one. */
struct entry *table_walk_step(struct table_walk *walk);

#endif
