/* Packed blocks: nothing is lost, nothing overlaps, pages come back. */
#include <stdlib.h>

#include "grid/base/slab.h"
#include "tests/lib/check.h"
#include "tests/unit/grid/lab_alloc.h"

struct fixture {
    struct lab_alloc memory;
    struct slab *slab;
    struct alloc *alloc;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    lab_alloc_init(&f->memory);
    f->slab = slab_create(&f->memory.alloc);
    assert_non_null(f->slab);
    f->alloc = slab_alloc(f->slab);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    slab_destroy(f->slab);
    assert_int_equal(f->memory.heap.bytes, 0);
    free(f);
    return 0;
}

/* The heap gives out pages that are aligned, as a slab wants them. */
static void the_heap_aligns_pages(void **state)
{
    struct alloc heap;
    void *pages[50];

    (void)state;
    alloc_init(&heap);
    for (size_t i = 0; i < 50; i++) {
        pages[i] = alloc_get(&heap, SLAB_PAGE_SIZE);
        assert_non_null(pages[i]);
        assert_int_equal((uintptr_t)pages[i] % SLAB_PAGE_SIZE, 0);
        memset(pages[i], (int)i, SLAB_PAGE_SIZE);
    }
    assert_int_equal(heap.bytes, 50 * (size_t)SLAB_PAGE_SIZE);
    for (size_t i = 0; i < 50; i++) {
        alloc_put(&heap, pages[i], SLAB_PAGE_SIZE);
    }
    assert_int_equal(heap.bytes, 0);
}

/* Blocks of every size are aligned, hold what was written, and are counted as asked for. */
static void blocks_of_every_size_keep_their_octets(void **state)
{
    enum { SIZES = SLAB_BLOCK_MAX + 300 };
    struct fixture *f = *state;
    uint8_t **blocks = calloc(SIZES, sizeof *blocks);
    size_t sum = 0;

    assert_non_null(blocks);
    for (size_t size = 0; size < SIZES; size++) {
        blocks[size] = alloc_get(f->alloc, size);
        assert_non_null(blocks[size]);
        assert_int_equal((uintptr_t)blocks[size] % 8, 0);
        memset(blocks[size], (int)(size % 251), size);
        sum += size;
        assert_int_equal(f->alloc->bytes, sum);
    }
    for (size_t size = 0; size < SIZES; size++) {
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(blocks[size][i], size % 251);
        }
        alloc_put(f->alloc, blocks[size], size);
    }
    assert_int_equal(f->alloc->bytes, 0);
    assert_int_equal(f->alloc->bytes_peak, sum);
    free(blocks);
}

/* Up to 512 octets a block costs its size rounded up to eight; above, an eighth more at most; and
 * little beyond that for the page. */
static void a_block_costs_little_beyond_its_size(void **state)
{
    static const size_t sizes[] = {1,   8,   23,  24,   102,  118,  222,  511,
                                   512, 513, 700, 1025, 1500, 2048, 2049, 4096};
    enum { COUNT = 3000 };
    struct fixture *f = *state;
    void *blocks[COUNT];

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t before = f->memory.heap.bytes;
        for (size_t i = 0; i < COUNT; i++) {
            blocks[i] = alloc_get(f->alloc, sizes[s]);
            assert_non_null(blocks[i]);
        }
        size_t rounded = sizes[s] <= 512 ? (sizes[s] + 7) / 8 * 8 : sizes[s] + sizes[s] / 8;
        size_t cost = f->memory.heap.bytes - before;
        assert_true(cost <= COUNT * rounded * 107 / 100 + SLAB_PAGE_SIZE);
        for (size_t i = 0; i < COUNT; i++) {
            alloc_put(f->alloc, blocks[i], sizes[s]);
        }
    }
}

/* Pages of which no block is in use go back, all but a few. */
static void empty_pages_go_back(void **state)
{
    enum { COUNT = 50000 };
    struct fixture *f = *state;
    void **blocks = calloc(COUNT, sizeof *blocks);

    assert_non_null(blocks);
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = alloc_get(f->alloc, 100);
        assert_non_null(blocks[i]);
    }
    assert_true(f->memory.heap.bytes > (size_t)COUNT * 100);
    for (size_t i = 0; i < COUNT; i++) {
        alloc_put(f->alloc, blocks[i * 7919 % COUNT], 100);
    }
    assert_true(f->memory.heap.bytes < (size_t)10 * SLAB_PAGE_SIZE);
    free(blocks);
}

/* A block that comes and goes at the edge of a page moves no pages. */
static void a_block_at_the_edge_moves_no_pages(void **state)
{
    struct fixture *f = *state;

    void *first = alloc_get(f->alloc, 64);
    alloc_put(f->alloc, first, 64);
    f->memory.grants = 0;
    for (unsigned i = 0; i < 1000; i++) {
        void *block = alloc_get(f->alloc, i % 2 ? 64 : 200);
        assert_non_null(block);
        alloc_put(f->alloc, block, i % 2 ? 64 : 200);
    }
}

/* Every block that was given back is handed out again before a new page is asked for, whichever
 * page it lies in. */
static void blocks_are_used_again(void **state)
{
    enum { COUNT = 3000 };
    struct fixture *f = *state;
    void *blocks[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = alloc_get(f->alloc, 128);
        assert_non_null(blocks[i]);
    }
    for (size_t i = 0; i < COUNT; i += 7) {
        alloc_put(f->alloc, blocks[i], 128);
    }
    f->memory.grants = 0;
    for (size_t i = 0; i < COUNT; i += 7) {
        blocks[i] = alloc_get(f->alloc, 121);
        assert_non_null(blocks[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        alloc_put(f->alloc, blocks[i], i % 7 == 0 ? 121 : 128);
    }
}

/* Refused memory is refused, and nothing is lost. */
static void a_refusal_of_the_parent_is_passed_on(void **state)
{
    struct fixture *f = *state;

    f->memory.grants = 0;
    assert_null(alloc_get(f->alloc, 10));
    assert_null(alloc_get(f->alloc, 100000));
    assert_int_equal(f->alloc->bytes, 0);
    struct lab_alloc none;
    lab_alloc_init(&none);
    none.grants = 0;
    assert_null(slab_create(&none.alloc));
    slab_destroy(NULL);
}

enum { HELD = 2000, STEPS = 200000 };

struct held {
    uint8_t *block;
    size_t size;
    uint8_t fill;
};

/* In random order of sizes, gets and puts no block overlaps another one. */
static void blocks_do_not_overlap(void **state)
{
    struct fixture *f = *state;
    struct held *held = calloc(HELD, sizeof *held);
    uint64_t random = 3;

    assert_non_null(held);
    for (unsigned step = 0; step < STEPS + HELD; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        struct held *one = &held[step < STEPS ? (random >> 33) % HELD : step - STEPS];
        if (one->block) {
            for (size_t i = 0; i < one->size; i += one->size / 5 + 1) {
                assert_int_equal(one->block[i], one->fill);
            }
            alloc_put(f->alloc, one->block, one->size);
            one->block = NULL;
        } else if (step < STEPS) {
            one->size = 1 + (size_t)(random >> 50) % (random >> 20 & 1 ? 150 : 3000);
            one->fill = (uint8_t)(random >> 25);
            one->block = alloc_get(f->alloc, one->size);
            assert_non_null(one->block);
            memset(one->block, one->fill, one->size);
        }
    }
    assert_int_equal(f->alloc->bytes, 0);
    free(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_aligns_pages),
        cmocka_unit_test_setup_teardown(blocks_of_every_size_keep_their_octets, setup, teardown),
        cmocka_unit_test_setup_teardown(a_block_costs_little_beyond_its_size, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_pages_go_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_block_at_the_edge_moves_no_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_are_used_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refusal_of_the_parent_is_passed_on, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_do_not_overlap, setup, teardown),
    };
    return RUN_TESTS(tests);
}
