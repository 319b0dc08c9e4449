/* Memory for the grid: blocks of any size, charged as what they take, and given back. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "node/memory.h"
#include "node/memory_regions.h"
#include "tests/lib/check.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { KIB = 1024, MIB = 1024 * KIB, PAGE = 64 * KIB, BLOCKS = 3000 };

struct bench {
    struct memory_budget budget;
    struct memory_pages *pages;
    struct alloc *alloc;
    uint64_t seed;
    uint8_t *blocks[BLOCKS];
    size_t sizes[BLOCKS];
};

static struct bench *bench_create(uint64_t limit)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    memory_budget_init(&b->budget, limit);
    b->pages = memory_pages_create(&b->budget);
    assert_non_null(b->pages);
    b->alloc = memory_pages_alloc(b->pages);
    b->seed = 1;
    return b;
}

static void block_drop(struct bench *b, size_t i)
{
    alloc_put(b->alloc, b->blocks[i], b->sizes[i]);
    b->blocks[i] = NULL;
}

static void bench_destroy(struct bench *b)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        block_drop(b, i);
    }
    assert_int_equal(memory_used(&b->budget, MEMORY_PAGES), 0);
    memory_pages_destroy(b->pages);
    free(b);
}

/* A block whose octets are those of its number. */
static void block_make(struct bench *b, size_t i, size_t size)
{
    b->blocks[i] = alloc_get(b->alloc, size);
    assert_non_null(b->blocks[i]);
    b->sizes[i] = size;
    memset(b->blocks[i], (int)(i % 251), size);
}

static void block_check(const struct bench *b, size_t i)
{
    const uint8_t *block = b->blocks[i];

    for (size_t at = 0; at < b->sizes[i]; at += 509) {
        assert_int_equal(block[at], i % 251);
    }
    assert_int_equal(block[b->sizes[i] - 1], i % 251);
}

static uint64_t draw(struct bench *b, uint64_t below)
{
    b->seed = b->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (b->seed >> 33) % below;
}

/* A size between 16 octets and 1 MiB, small ones as often as large ones. */
static size_t draw_size(struct bench *b)
{
    size_t size = (size_t)16 << draw(b, 16);

    return size + (size_t)draw(b, size);
}

/* A page is aligned to its size, as the slab needs it, and charged as itself. */
static void pages_are_aligned_and_charged(void **state)
{
    struct bench *b = bench_create(100 * MIB);

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        block_make(b, i, PAGE);
        assert_int_equal((uintptr_t)b->blocks[i] % PAGE, 0);
        assert_int_equal(memory_used(&b->budget, MEMORY_PAGES), (i + 1) * PAGE);
    }
    assert_int_equal(b->alloc->bytes, 100 * PAGE);
    for (size_t i = 0; i < 100; i++) {
        block_check(b, i);
        block_drop(b, i);
    }
    assert_int_equal(b->alloc->bytes, 0);
    assert_int_equal(b->alloc->bytes_peak, 100 * PAGE);
    bench_destroy(b);
}

/* A block is charged in whole frames of 4 KiB, a small one as malloc has it. */
static void blocks_are_charged_as_what_they_take(void **state)
{
    static const struct {
        size_t size, least, most;
    } cases[] = {
        {0, 8, 64},
        {1, 8, 64},
        {4096, 4096, 4160},
        {4097, 8192, 8192},
        {8192, 8192, 8192},
        {8193, 12288, 12288},
        {MIB - 1, MIB, MIB},
        {MIB, MIB, MIB},
        {MIB + 1, MIB + 4096, MIB + 4096},
        {16 * MIB, 16 * MIB, 16 * MIB},
    };
    struct bench *b = bench_create(100 * MIB);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *block = alloc_get(b->alloc, cases[i].size);
        assert_non_null(block);
        memset(block, 1, cases[i].size);
        assert_in_range(memory_used(&b->budget, MEMORY_PAGES), cases[i].least, cases[i].most);
        alloc_put(b->alloc, block, cases[i].size);
        assert_int_equal(memory_used(&b->budget, MEMORY_PAGES), 0);
    }
    bench_destroy(b);
}

/* Blocks of all sizes come and go in any order, and none touches another. */
static void blocks_do_not_touch_each_other(void **state)
{
    struct bench *b = bench_create(4096ull * MIB);

    (void)state;
    for (int round = 0; round < 30000; round++) {
        size_t i = (size_t)draw(b, 300);
        if (b->blocks[i]) {
            block_check(b, i);
            block_drop(b, i);
        } else {
            block_make(b, i, draw_size(b));
        }
    }
    bench_destroy(b);
}

/* What is resident follows what is charged within 2 %, also when the mix of sizes shifts and what
 * is left of the old one lies scattered. */
static void resident_follows_charged(void **state)
{
    struct bench *b = bench_create(4096ull * MIB);

    (void)state;
    for (size_t phase = 0; phase < 4; phase++) {
        size_t size = (size_t)(phase % 2 ? 40 : 9) * KIB + 100 * phase;
        for (size_t i = 0; i < BLOCKS; i++) {
            if (b->blocks[i] && draw(b, 10) > 0) {
                block_drop(b, i); /* nine of ten */
            }
        }
        for (size_t i = 0; i < BLOCKS; i++) {
            if (!b->blocks[i]) {
                block_make(b, i, size);
            }
        }
        assert_int_equal(memory_sample(&b->budget), QN_OK);
        uint64_t used = memory_used(&b->budget, MEMORY_PAGES);
        uint64_t overhead = atomic_load(&b->budget.overhead_bytes);
        print_message("charged %lu KiB, overhead %lu KiB\n", (unsigned long)(used / KIB),
                      (unsigned long)(overhead / KIB));
        /* 4 MiB: the blocks kept warm, and what the test itself has. */
        assert_true(SANITIZED || overhead < used / 50 + 4 * MIB);
    }
    bench_destroy(b);
}

/* What is released goes back to the kernel. */
static void released_memory_goes_back(void **state)
{
    struct bench *b = bench_create(4096ull * MIB);

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        block_make(b, i, PAGE);
    }
    uint64_t before = memory_resident();
    for (size_t i = 0; i < 1000; i++) {
        if (i % 100 != 0) {
            block_drop(b, i);
        }
    }
    assert_true(SANITIZED || memory_resident() + 50 * MIB < before);
    bench_destroy(b);
}

/* Beyond the limit and its margin there is nothing, of whatever size; then there is again. */
static void the_limit_is_hard(void **state)
{
    struct bench *b = bench_create(64 * MIB);
    size_t count = 0;

    (void)state;
    while (count < BLOCKS && (b->blocks[count] = alloc_get(b->alloc, PAGE)) != NULL) {
        b->sizes[count++] = PAGE;
    }
    assert_int_equal(memory_status(&b->budget), QN_MEMORY_FULL);
    uint64_t used = memory_used(&b->budget, MEMORY_PAGES);
    assert_in_range(used, 65 * MIB, 66 * MIB);
    assert_null(alloc_get(b->alloc, MIB));
    assert_null(alloc_get(b->alloc, 64 * MIB));
    assert_int_equal(memory_used(&b->budget, MEMORY_PAGES), used);
    block_drop(b, 0);
    block_make(b, 0, PAGE);
    bench_destroy(b);
}

/* Two shards, one limit. */
static void pages_share_the_budget(void **state)
{
    struct bench *b = bench_create(64 * MIB);
    struct memory_pages *other = memory_pages_create(&b->budget);
    struct alloc *alloc = memory_pages_alloc(other);

    (void)state;
    void *block = alloc_get(alloc, 60 * MIB);
    assert_non_null(block);
    assert_null(alloc_get(b->alloc, 10 * MIB));
    alloc_put(alloc, block, 60 * MIB);
    block_make(b, 0, 10 * MIB);
    memory_pages_destroy(other);
    memory_pages_destroy(NULL);
    bench_destroy(b);
}

/* Regions are found by any address in them, while others come and go; blocks of each size fill a
 * region to its end. */
static void regions_are_found_by_address(void **state)
{
    enum { COUNT = 200 };
    struct regions regions = {0};
    struct region *list[COUNT];
    bool warm;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = region_create(&regions, REGION_BLOCK_SHIFT_MIN + i % 8);
        assert_non_null(list[i]);
        assert_int_equal((uintptr_t)list[i]->base % REGION_SIZE, 0);
    }
    for (uint32_t i = 0; i < COUNT; i += 2) {
        region_destroy(&regions, list[i]);
    }
    for (uint32_t i = 1; i < COUNT; i += 2) {
        uint32_t blocks = region_blocks(list[i]);
        uint8_t *last = NULL;
        for (uint32_t n = 0; n < blocks; n++) {
            last = region_take(list[i], &warm);
            assert_false(warm);
            assert_ptr_equal(region_of(&regions, last), list[i]);
        }
        assert_int_equal(list[i]->free_count, 0);
        assert_ptr_equal(last, list[i]->base + REGION_SIZE - REGION_SIZE / blocks);
        region_give(list[i], last, true);
        assert_int_equal(region_warm(list[i]), 1);
        assert_ptr_equal(region_take(list[i], &warm), last);
        assert_true(warm);
        for (uint32_t n = 0; n < blocks; n++) {
            region_give(list[i], list[i]->base + (size_t)n * (REGION_SIZE / blocks), false);
        }
        region_destroy(&regions, list[i]);
    }
    regions_fini(&regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_aligned_and_charged),
        cmocka_unit_test(blocks_are_charged_as_what_they_take),
        cmocka_unit_test(blocks_do_not_touch_each_other),
        cmocka_unit_test(resident_follows_charged),
        cmocka_unit_test(released_memory_goes_back),
        cmocka_unit_test(the_limit_is_hard),
        cmocka_unit_test(pages_share_the_budget),
        cmocka_unit_test(regions_are_found_by_address),
    };

    memory_tune();
    return RUN_TESTS(tests);
}
