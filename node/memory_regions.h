/* Regions of address space that blocks of one size are cut from. memory_pages.c only.
 *
 * A region costs memory only where blocks of it are in use, so it does not matter how sparsely it
 * is filled. One owner, no locks. */
#ifndef QUOIN_NODE_MEMORY_REGIONS_H
#define QUOIN_NODE_MEMORY_REGIONS_H

#include "wire/bytes.h"

enum {
    REGION_SIZE = 2 * 1024 * 1024,
    REGION_BLOCK_SHIFT_MIN = 13, /* 8 KiB */
    REGION_BLOCK_SHIFT_MAX = 20, /* 1 MiB */
    REGION_BLOCKS_MAX = REGION_SIZE >> REGION_BLOCK_SHIFT_MIN,
    REGION_WORDS = REGION_BLOCKS_MAX / 64,
};

struct region {
    struct region *next, *previous; /* for the owner's list */
    uint8_t *base;
    uint32_t shift; /* blocks are of 1 << shift octets */
    uint32_t free_count;
    uint64_t free[REGION_WORDS]; /* one bit each: blocks not handed out */
    uint64_t warm[REGION_WORDS]; /* of these, those that may be resident */
};

/* All zero is an empty set. */
struct regions {
    struct region **table; /* by address: open addressing */
    size_t table_size;     /* power of two, or 0 */
    size_t count;
};

void regions_fini(struct regions *regions); /* there are none any more */

/* A new region of free blocks; NULL without memory. */
struct region *region_create(struct regions *regions, uint32_t shift);
void region_destroy(struct regions *regions, struct region *region);

/* The region that this block is of. */
struct region *region_of(const struct regions *regions, const void *block);

static inline uint32_t region_blocks(const struct region *region)
{
    return (uint32_t)REGION_SIZE >> region->shift;
}

/* Hand out a free block, rather a warm one (`*warm`). There must be one. */
void *region_take(struct region *region, bool *warm);

/* Take a block back; `warm`: it was not given back to the kernel. */
void region_give(struct region *region, const void *block, bool warm);

/* How many blocks are warm. */
uint32_t region_warm(const struct region *region);

#endif
