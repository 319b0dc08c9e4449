#include "grid/base/ring.h"
#include "grid/base/tally.h"
#include "tests/lib/check.h"

/* What goes in at the back comes out at the front, across growth and the end of the block. */
static void a_ring_keeps_its_order(void **state)
{
    struct alloc alloc;
    struct ring ring;
    uint32_t in = 0, out = 0;

    (void)state;
    alloc_init(&alloc);
    ring_init(&ring, &alloc, sizeof(uint32_t));
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 7; i++) {
            assert_int_equal(ring_reserve(&ring, 1), QN_OK);
            *(uint32_t *)ring_push(&ring) = in++;
        }
        for (int i = 0; i < 5; i++) {
            assert_int_equal(*(uint32_t *)ring_at(&ring, 0), out++);
            ring_pop_front(&ring);
        }
        assert_int_equal(*(uint32_t *)ring_at(&ring, ring.count - 1), in - 1);
    }
    ring_pop_back(&ring);
    assert_int_equal(*(uint32_t *)ring_at(&ring, ring.count - 1), in - 2);
    ring_fini(&ring);
    assert_int_equal(alloc.bytes, 0);
}

/* An empty ring gives a large block back and keeps a small one. */
static void an_empty_ring_gives_a_large_block_back(void **state)
{
    struct alloc alloc;
    struct ring ring;

    (void)state;
    alloc_init(&alloc);
    ring_init(&ring, &alloc, 8);
    assert_int_equal(ring_reserve(&ring, 100), QN_OK);
    ring_trim(&ring, 128 * 8);
    assert_int_equal(ring.capacity, 128);
    ring_trim(&ring, 127 * 8);
    assert_int_equal(alloc.bytes, 0);
    ring_fini(&ring);
}

/* A sub-account counts its own share, its parent the sum. */
static void a_tally_counts_its_share(void **state)
{
    struct alloc alloc;
    struct tally one, two;

    (void)state;
    alloc_init(&alloc);
    tally_init(&one, &alloc);
    tally_init(&two, &alloc);
    void *a = alloc_get(&one.alloc, 100);
    void *b = alloc_get_zeroed(&two.alloc, 30);
    assert_int_equal(one.alloc.bytes, 100);
    assert_int_equal(two.alloc.bytes, 30);
    assert_int_equal(alloc.bytes, 130);
    assert_int_equal(((uint8_t *)b)[29], 0);
    alloc_put(&one.alloc, a, 100);
    alloc_put(&two.alloc, b, 30);
    assert_int_equal(alloc.bytes, 0);
    assert_int_equal(alloc.bytes_peak, 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_keeps_its_order),
        cmocka_unit_test(an_empty_ring_gives_a_large_block_back),
        cmocka_unit_test(a_tally_counts_its_share),
    };
    return RUN_TESTS(tests);
}
