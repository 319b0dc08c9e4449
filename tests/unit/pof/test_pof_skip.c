/* Skipping finds the end that another program finds, and reading does, too. */
#include "tests/lib/check.h"
#include "tests/lib/pof/agree.h"
#include "tests/lib/pof/measure.h"
#include "tests/lib/pof/random_tree.h"

enum { ROUNDS = 20000, DEPTH = 4 };

static void expect_agreement(struct bytes pof)
{
    assert_int_equal(skipped_size(pof), measure(pof));
    assert_true(reading_agrees_with_skipping(pof));
}

static void write_random(struct tree *tree, struct dice *dice, struct buf *out)
{
    struct pof_writer w;
    bool full = dice_below(dice, 2);

    buf_clear(out);
    tree_grow(tree, dice, tree_type(dice, DEPTH), DEPTH);
    pof_writer_init(&w, out);
    tree_write(tree, &w, full);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* Change an octet or two, mostly to what means something: type ids, small counts. */
static void damage(struct dice *dice, struct buf *out)
{
    static const uint8_t likely[] = {0x00, 0x01, 0x02, 0x3f, 0x40, 0x41, 0x7f, 0x80, 0xff,
                                     0x56, 0x5d, 0x5e, 0x5f, 0x63, 0x64, 0x59, 0x5a, 0x4e};

    for (uint32_t i = 0; i <= dice_below(dice, 3); i++) {
        uint8_t any = (uint8_t)dice_below(dice, 256);
        out->data[dice_below(dice, (uint32_t)out->size)] =
            dice_below(dice, 2) ? likely[dice_below(dice, sizeof likely)] : any;
    }
}

/* Random values, whole, damaged and cut: accepted by all or by none, with the same length. */
static void skipping_reading_and_measuring_agree(void **state)
{
    struct tree *tree = test_malloc(sizeof *tree);
    struct buf out = {0};

    (void)state;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        struct dice dice = {round * 0x9e3779b97f4a7c15u};
        write_random(tree, &dice, &out);
        assert_int_equal(measure(buf_bytes(&out)), out.size);
        expect_agreement(buf_bytes(&out));
        for (int i = 0; i < 10; i++) {
            damage(&dice, &out);
            expect_agreement(buf_bytes(&out));
            expect_agreement(bytes_of(out.data, dice_below(&dice, (uint32_t)out.size)));
        }
    }
    buf_fini(&out);
    test_free(tree);
}

/* At the deepest level an empty container is one too many, in each of its forms, for all. */
static void the_deepest_level_is_the_same_for_all(void **state)
{
    static const struct {
        const char *octets;
        size_t size;
    } innermost[] = {{"\x6a", 1},         {"\x63", 1},         {"\x55\x00", 2},
                     {"\x56\x41\x00", 3}, {"\x56\x63\x00", 3}, {"\x41\x05", 2}};
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof innermost / sizeof innermost[0]; i++) {
        for (unsigned depth = POF_DEPTH_MAX - 2; depth <= POF_DEPTH_MAX + 1; depth++) {
            buf_clear(&out);
            for (unsigned d = 0; d < depth; d++) { /* objects in each other's property 0 */
                assert_int_equal(buf_append(&out, "\x01\x00\x00", 3), QN_OK);
            }
            assert_int_equal(buf_append(&out, innermost[i].octets, innermost[i].size), QN_OK);
            for (unsigned d = 0; d < depth; d++) {
                assert_int_equal(buf_append(&out, "\x40", 1), QN_OK);
            }
            expect_agreement(buf_bytes(&out));
        }
    }
    buf_fini(&out);
}

/* An empty container as element type takes no octets, but a level. */
static void empty_containers_as_elements_take_a_level(void **state)
{
    struct buf out = {0};

    (void)state;
    for (unsigned depth = POF_DEPTH_MAX - 2; depth <= POF_DEPTH_MAX; depth++) {
        buf_clear(&out);
        for (unsigned d = 0; d < depth; d++) {
            assert_int_equal(buf_append(&out, "\x55\x01", 2), QN_OK);
        }
        assert_int_equal(buf_append(&out, "\x56\x63\x02", 3), QN_OK);
        expect_agreement(buf_bytes(&out));
    }
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_reading_and_measuring_agree),
        cmocka_unit_test(the_deepest_level_is_the_same_for_all),
        cmocka_unit_test(empty_containers_as_elements_take_a_level),
    };

    return RUN_TESTS(tests);
}
