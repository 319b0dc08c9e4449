/* Memory for the grid of one shard: pages of 64 KiB, and larger values.
 *
 * What is resident must follow what is charged, whatever sizes come and go in whatever order; a
 * general allocator keeps half as much again when the mix of sizes shifts. So each block has a
 * place of its own in a region of blocks of one power of two (memory_regions.h), takes memory only
 * for the 4 KiB frames it needs, and gives it back to the kernel when it is released, but for a few
 * that are kept warm for the next one. Free places cost address space and nothing else. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "node/memory.h"
#include "node/memory_regions.h"
#include "wire/assert.h"

enum {
    FRAME_SIZE = 4096,                /* what the kernel gives and takes */
    SMALL_MAX = 4096,                 /* up to here malloc */
    WARM_MAX_BYTES = 2 * 1024 * 1024, /* free, yet resident */
    CHUNK_OVERHEAD = 8,               /* what malloc needs beside a block */
    CLASSES = REGION_BLOCK_SHIFT_MAX - REGION_BLOCK_SHIFT_MIN + 1,
    BLOCK_MAX = 1 << REGION_BLOCK_SHIFT_MAX,
};

struct memory_pages {
    struct alloc alloc; /* first: the grid hands this back */
    struct memory_budget *budget;
    struct regions regions;
    struct region *open[CLASSES];   /* those with free blocks */
    struct region *unused[CLASSES]; /* one without a block handed out, kept; it is open, too */
    size_t warm_bytes;
};

/* -- lists of open regions -- */

static struct region **list_of(struct memory_pages *pages, const struct region *region)
{
    return &pages->open[region->shift - REGION_BLOCK_SHIFT_MIN];
}

static void open_add(struct memory_pages *pages, struct region *region)
{
    struct region **first = list_of(pages, region);

    region->previous = NULL;
    region->next = *first;
    if (*first) {
        (*first)->previous = region;
    }
    *first = region;
}

static void open_remove(struct memory_pages *pages, struct region *region)
{
    if (region->next) {
        region->next->previous = region->previous;
    }
    if (region->previous) {
        region->previous->next = region->next;
    } else {
        *list_of(pages, region) = region->next;
    }
}

static void region_drop(struct memory_pages *pages, struct region *region)
{
    pages->warm_bytes -= (size_t)region_warm(region) << region->shift;
    open_remove(pages, region);
    region_destroy(&pages->regions, region);
}

/* -- blocks -- */

static size_t frames_size(size_t size)
{
    return (size + FRAME_SIZE - 1) / FRAME_SIZE * FRAME_SIZE;
}

static uint32_t class_of(size_t size)
{
    uint32_t kind = 0;

    while ((size_t)1 << (REGION_BLOCK_SHIFT_MIN + kind) < size) {
        kind++;
    }
    return kind;
}

/* A block of that class; what it held before may be resident: `*warm`. */
static uint8_t *block_take(struct memory_pages *pages, uint32_t kind, bool *warm)
{
    struct region *region = pages->open[kind];

    if (!region) {
        region = region_create(&pages->regions, REGION_BLOCK_SHIFT_MIN + kind);
        if (!region) {
            return NULL;
        }
        open_add(pages, region);
    }
    if (pages->unused[kind] == region) {
        pages->unused[kind] = NULL;
    }
    uint8_t *block = region_take(region, warm);
    if (region->free_count == 0) {
        open_remove(pages, region);
    }
    return block;
}

static void *block_get(struct memory_pages *pages, size_t size)
{
    uint32_t kind = class_of(size);
    size_t place = (size_t)1 << (REGION_BLOCK_SHIFT_MIN + kind);
    size_t frames = frames_size(size);
    bool warm = false;
    uint8_t *block = block_take(pages, kind, &warm);

    if (warm) {
        pages->warm_bytes -= place;
        if (frames < place) {
            (void)madvise(block + frames, place - frames, MADV_DONTNEED);
        }
    }
    return block;
}

/* Give the memory back, or keep it a while: true. */
static bool block_cool(struct memory_pages *pages, void *block, size_t place)
{
    if (pages->warm_bytes + place <= WARM_MAX_BYTES) {
        pages->warm_bytes += place;
        return true;
    }
    (void)madvise(block, place, MADV_DONTNEED);
    return false;
}

static void block_put(struct memory_pages *pages, void *block)
{
    struct region *region = region_of(&pages->regions, block);
    uint32_t kind = region->shift - REGION_BLOCK_SHIFT_MIN;
    bool was_full = region->free_count == 0;

    region_give(region, block, block_cool(pages, block, (size_t)1 << region->shift));
    /* To the front: its warm block is the next to be handed out. */
    if (!was_full) {
        open_remove(pages, region);
    }
    open_add(pages, region);
    if (region->free_count < region_blocks(region)) {
        return;
    }
    if (pages->unused[kind]) {
        region_drop(pages, region);
    } else {
        pages->unused[kind] = region;
    }
}

/* -- by size -- */

/* What a block of this size takes. */
static size_t cost(const void *memory, size_t size)
{
    return size > SMALL_MAX ? frames_size(size)
                            : malloc_usable_size((void *)(uintptr_t)memory) + CHUNK_OVERHEAD;
}

static void *memory_get(struct memory_pages *pages, size_t size)
{
    if (size <= SMALL_MAX) {
        return malloc(size > 0 ? size : 1);
    }
    if (size <= BLOCK_MAX) {
        return block_get(pages, size);
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void memory_put(struct memory_pages *pages, void *memory, size_t size)
{
    if (size <= SMALL_MAX) {
        free(memory);
    } else if (size <= BLOCK_MAX) {
        block_put(pages, memory);
    } else {
        (void)munmap(memory, size);
    }
}

static void *allocate(struct alloc *alloc, size_t size)
{
    struct memory_pages *pages = (struct memory_pages *)alloc;
    void *memory = memory_allows(pages->budget, size) ? memory_get(pages, size) : NULL;

    if (!memory) {
        return NULL;
    }
    memory_charge(pages->budget, MEMORY_PAGES, (int64_t)cost(memory, size));
    alloc->bytes += size;
    alloc->bytes_peak = alloc->bytes > alloc->bytes_peak ? alloc->bytes : alloc->bytes_peak;
    return memory;
}

static void release(struct alloc *alloc, void *memory, size_t size)
{
    struct memory_pages *pages = (struct memory_pages *)alloc;

    qn_assert(alloc->bytes >= size);
    alloc->bytes -= size;
    memory_charge(pages->budget, MEMORY_PAGES, -(int64_t)cost(memory, size));
    memory_put(pages, memory, size);
}

struct memory_pages *memory_pages_create(struct memory_budget *budget)
{
    struct memory_pages *pages = calloc(1, sizeof *pages);

    if (pages) {
        pages->alloc = (struct alloc){.allocate = allocate, .release = release};
        pages->budget = budget;
    }
    return pages;
}

void memory_pages_destroy(struct memory_pages *pages)
{
    if (!pages) {
        return;
    }
    qn_assert(pages->alloc.bytes == 0);
    for (uint32_t kind = 0; kind < CLASSES; kind++) {
        while (pages->open[kind]) {
            region_drop(pages, pages->open[kind]);
        }
    }
    regions_fini(&pages->regions);
    free(pages);
}

struct alloc *memory_pages_alloc(struct memory_pages *pages)
{
    return &pages->alloc;
}
