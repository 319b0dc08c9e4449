/* How much more than it charges does the node's memory take, when the mix of sizes shifts?
 *
 *     bench_memory [MIB [ROUNDS [malloc]]]     default 256 6
 *
 * Keeps MIB of blocks between 16 octets and 1 MiB, replaces them over and over, and shifts the mix
 * of sizes with each round: all, small ones, large ones. Each line says what is charged and how
 * much more is resident. Blocks up to 4 KiB come in pages of 64 KiB as the grid's do; with "malloc"
 * everything comes from malloc instead, to compare. Needs some seconds; checks nothing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid/base/slab.h"
#include "node/memory.h"

enum { MIB = 1024 * 1024, BLOCKS_MAX = 8 * MIB, SMALLEST_LOG2 = 4, LARGEST_LOG2 = 20 };

struct block {
    void *memory;
    size_t size;
};

struct bench {
    struct memory_budget budget;
    struct alloc *alloc;
    struct block *blocks;
    size_t count;
    size_t bytes;
    uint64_t seed;
};

static uint64_t draw(struct bench *b, uint64_t below)
{
    b->seed = b->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (b->seed >> 33) % below;
}

/* Each power of two as often as another. */
static size_t draw_size(struct bench *b, unsigned from_log2, unsigned to_log2)
{
    size_t size = (size_t)1 << (from_log2 + draw(b, to_log2 - from_log2));

    return size + (size_t)draw(b, size);
}

static bool block_add(struct bench *b, size_t size)
{
    void *memory = b->count < BLOCKS_MAX ? alloc_get(b->alloc, size) : NULL;

    if (!memory) {
        return false;
    }
    memset(memory, 1, size);
    b->blocks[b->count++] = (struct block){memory, size};
    b->bytes += size;
    return true;
}

static void block_remove(struct bench *b)
{
    struct block *block = &b->blocks[draw(b, b->count)];

    alloc_put(b->alloc, block->memory, block->size);
    b->bytes -= block->size;
    *block = b->blocks[--b->count];
}

/* Replace as much as there is, a MiB at a time. */
static void round_run(struct bench *b, size_t keep, unsigned from_log2, unsigned to_log2)
{
    for (size_t replaced = 0; replaced < keep; replaced += MIB) {
        while (b->bytes < keep && block_add(b, draw_size(b, from_log2, to_log2))) {
        }
        while (b->count > 0 && b->bytes > keep - MIB) {
            block_remove(b);
        }
    }
}

static void report(struct bench *b, int number)
{
    uint64_t used = memory_used(&b->budget, MEMORY_PAGES);

    if (memory_sample(&b->budget) == QN_OK) {
        uint64_t resident = atomic_load(&b->budget.resident_bytes) - b->budget.baseline_bytes;
        printf("round %d: %zu blocks, %zu MiB asked for, %llu MiB charged, %llu MiB resident\n",
               number, b->count, b->bytes / MIB, (unsigned long long)used / MIB,
               (unsigned long long)resident / MIB);
    }
}

int main(int argc, char **argv)
{
    static const unsigned mixes[][2] = {
        {SMALLEST_LOG2, LARGEST_LOG2}, {SMALLEST_LOG2, 14}, {14, LARGEST_LOG2}};
    static struct bench b;
    size_t keep = (size_t)(argc > 1 ? atoi(argv[1]) : 256) * MIB;
    int rounds = argc > 2 ? atoi(argv[2]) : 6;
    struct alloc heap;

    memory_tune();
    b.seed = 1;
    b.blocks = calloc(BLOCKS_MAX, sizeof *b.blocks);
    memory_budget_init(&b.budget, UINT64_C(1) << 50);
    struct memory_pages *pages = memory_pages_create(&b.budget);
    struct slab *slab = pages ? slab_create(memory_pages_alloc(pages)) : NULL;
    if (!b.blocks || !slab) {
        return 1;
    }
    alloc_init(&heap);
    b.alloc = argc > 3 ? &heap : slab_alloc(slab);
    for (int i = 0; i < rounds; i++) {
        round_run(&b, keep, mixes[i % 3][0], mixes[i % 3][1]);
        report(&b, i);
    }
    while (b.count > 0) {
        block_remove(&b);
    }
    report(&b, rounds);
    slab_destroy(slab);
    memory_pages_destroy(pages);
    free(b.blocks);
    return 0;
}
