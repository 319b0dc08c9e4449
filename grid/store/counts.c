#include "grid/store/counts.h"

#include "wire/assert.h"

enum { CAPACITY_MIN = 4 };

void counts_init(struct counts *counts, struct alloc *alloc)
{
    *counts = (struct counts){.alloc = alloc};
}

void counts_fini(struct counts *counts)
{
    alloc_put(counts->alloc, counts->rows, counts->capacity * sizeof *counts->rows);
    counts_init(counts, counts->alloc);
}

/* First row whose cache is not below `cache`. */
static size_t position(const struct counts *counts, uint32_t cache)
{
    size_t low = 0;
    size_t high = counts->row_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (counts->rows[middle].cache < cache) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool has(const struct counts *counts, size_t at, uint32_t cache)
{
    return at < counts->row_count && counts->rows[at].cache == cache;
}

static enum qn_status grow(struct counts *counts)
{
    size_t capacity = counts->capacity > 0 ? counts->capacity * 2 : (size_t)CAPACITY_MIN;
    struct counts_row *rows = alloc_get(counts->alloc, capacity * sizeof *rows);

    if (!rows) {
        return QN_MEMORY_FULL;
    }
    if (counts->row_count > 0) {
        memcpy(rows, counts->rows, counts->row_count * sizeof *rows);
    }
    alloc_put(counts->alloc, counts->rows, counts->capacity * sizeof *rows);
    counts->rows = rows;
    counts->capacity = capacity;
    return QN_OK;
}

enum qn_status counts_reserve(struct counts *counts, uint32_t cache)
{
    size_t at = position(counts, cache);

    if (has(counts, at, cache)) {
        return QN_OK;
    }
    if (counts->row_count == counts->capacity) {
        enum qn_status status = grow(counts);
        if (status != QN_OK) {
            return status;
        }
    }
    memmove(&counts->rows[at + 1], &counts->rows[at],
            (counts->row_count - at) * sizeof *counts->rows);
    counts->rows[at] = (struct counts_row){.cache = cache};
    counts->row_count++;
    return QN_OK;
}

void counts_add(struct counts *counts, uint32_t cache, int change)
{
    size_t at = position(counts, cache);

    qn_assert(has(counts, at, cache));
    qn_assert(change >= 0 || counts->rows[at].count > 0);
    counts->rows[at].count += (uint64_t)(int64_t)change;
}

uint64_t counts_get(const struct counts *counts, uint32_t cache)
{
    size_t at = position(counts, cache);

    return has(counts, at, cache) ? counts->rows[at].count : 0;
}
