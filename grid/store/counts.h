/* How many entries each cache has: a short sorted list, for the caches of one partition. */
#ifndef QUOIN_GRID_STORE_COUNTS_H
#define QUOIN_GRID_STORE_COUNTS_H

#include "grid/base/alloc.h"
#include "wire/bytes.h"

struct counts_row {
    uint32_t cache;
    uint64_t count;
};

struct counts {
    struct alloc *alloc;
    struct counts_row *rows; /* by cache, ascending */
    size_t row_count;
    size_t capacity;
};

void counts_init(struct counts *counts, struct alloc *alloc);
void counts_fini(struct counts *counts);

/* Have a row for `cache`, so that `counts_add` needs no memory. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status counts_reserve(struct counts *counts, uint32_t cache);

/* Add `change` (which may be negative) to a cache with a row. */
void counts_add(struct counts *counts, uint32_t cache, int change);

/* Entries of a cache; 0 for one never seen. */
uint64_t counts_get(const struct counts *counts, uint32_t cache);

#endif
