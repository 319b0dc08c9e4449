#define _GNU_SOURCE
#include "node/memory_regions.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "wire/assert.h"

enum { TABLE_FIRST = 16 };

/* -- the table -- */

static size_t place_of(const struct regions *regions, const uint8_t *base)
{
    uint64_t mixed = (uint64_t)(uintptr_t)base / REGION_SIZE * UINT64_C(0x9E3779B97F4A7C15);

    return (size_t)(mixed >> 32) & (regions->table_size - 1);
}

static size_t table_find(const struct regions *regions, const uint8_t *base)
{
    size_t i = place_of(regions, base);

    while (regions->table[i] && regions->table[i]->base != base) {
        i = (i + 1) & (regions->table_size - 1);
    }
    return i;
}

/* Room for one region more; at most half full. */
static bool table_reserve(struct regions *regions)
{
    size_t old_size = regions->table_size;
    struct region **old = regions->table;

    if ((regions->count + 1) * 2 <= old_size) {
        return true;
    }
    size_t size = old_size ? old_size * 2 : TABLE_FIRST;
    struct region **table = calloc(size, sizeof(struct region *));
    if (!table) {
        return false;
    }
    regions->table = table;
    regions->table_size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i]) {
            table[table_find(regions, old[i]->base)] = old[i];
        }
    }
    free((void *)old);
    return true;
}

/* Take a region out; those behind it that are not at their place move up. */
static void table_remove(struct regions *regions, const struct region *region)
{
    size_t mask = regions->table_size - 1;
    size_t hole = table_find(regions, region->base);

    regions->table[hole] = NULL;
    for (size_t i = (hole + 1) & mask; regions->table[i]; i = (i + 1) & mask) {
        struct region *moved = regions->table[i];
        regions->table[i] = NULL;
        regions->table[table_find(regions, moved->base)] = moved;
    }
}

void regions_fini(struct regions *regions)
{
    qn_assert(regions->count == 0);
    free((void *)regions->table);
    *regions = (struct regions){0};
}

/* -- regions -- */

/* A region's address space, aligned to its size; NULL when there is none. */
static uint8_t *map(void)
{
    uint8_t *got = mmap(NULL, 2 * REGION_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (got == MAP_FAILED) {
        return NULL;
    }
    size_t before = (REGION_SIZE - (uintptr_t)got % REGION_SIZE) % REGION_SIZE;
    if (before > 0) {
        (void)munmap(got, before);
    }
    (void)munmap(got + before + REGION_SIZE, REGION_SIZE - before);
    /* With a huge page the first block would make the whole region resident, and a block given back
     * could become resident again behind our back. */
    (void)madvise(got + before, REGION_SIZE, MADV_NOHUGEPAGE);
    return got + before;
}

struct region *region_create(struct regions *regions, uint32_t shift)
{
    struct region *region = table_reserve(regions) ? calloc(1, sizeof *region) : NULL;

    qn_assert(shift >= REGION_BLOCK_SHIFT_MIN);
    qn_assert(shift <= REGION_BLOCK_SHIFT_MAX);
    if (!region || !(region->base = map())) {
        free(region);
        return NULL;
    }
    region->shift = shift;
    region->free_count = region_blocks(region);
    for (uint32_t n = 0; n < region->free_count; n++) {
        region->free[n / 64] |= UINT64_C(1) << n % 64;
    }
    regions->table[table_find(regions, region->base)] = region;
    regions->count++;
    return region;
}

void region_destroy(struct regions *regions, struct region *region)
{
    qn_assert(region->free_count == region_blocks(region));
    table_remove(regions, region);
    regions->count--;
    (void)munmap(region->base, REGION_SIZE);
    free(region);
}

struct region *region_of(const struct regions *regions, const void *block)
{
    const uint8_t *base = (const uint8_t *)block - (uintptr_t)block % REGION_SIZE;
    struct region *region = regions->table[table_find(regions, base)];

    qn_assert(region);
    return region;
}

/* The first bit that is set; REGION_BLOCKS_MAX when none is. */
static uint32_t first_bit(const uint64_t words[REGION_WORDS])
{
    for (uint32_t i = 0; i < REGION_WORDS; i++) {
        if (words[i]) {
            return i * 64 + (uint32_t)__builtin_ctzll(words[i]);
        }
    }
    return REGION_BLOCKS_MAX;
}

void *region_take(struct region *region, bool *warm)
{
    uint32_t n = first_bit(region->warm);

    *warm = n < REGION_BLOCKS_MAX;
    if (!*warm) {
        n = first_bit(region->free);
    }
    qn_assert(n < region_blocks(region));
    region->free[n / 64] &= ~(UINT64_C(1) << n % 64);
    region->warm[n / 64] &= ~(UINT64_C(1) << n % 64);
    region->free_count--;
    return region->base + ((size_t)n << region->shift);
}

void region_give(struct region *region, const void *block, bool warm)
{
    size_t offset = (size_t)((const uint8_t *)block - region->base);
    size_t n = offset >> region->shift;
    uint64_t bit = UINT64_C(1) << n % 64;

    qn_assert(offset == n << region->shift);
    qn_assert((region->free[n / 64] & bit) == 0);
    region->free[n / 64] |= bit;
    region->warm[n / 64] |= warm ? bit : 0;
    region->free_count++;
}

uint32_t region_warm(const struct region *region)
{
    uint32_t count = 0;

    for (size_t i = 0; i < REGION_WORDS; i++) {
        count += (uint32_t)__builtin_popcountll(region->warm[i]);
    }
    return count;
}
