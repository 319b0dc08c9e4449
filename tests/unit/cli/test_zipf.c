/* Numbers of a Zipf distribution, drawn from a fixed seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client/cli/zipf.h"

enum { DRAWS = 400000 };

static uint32_t *draw(uint64_t count, double exponent)
{
    struct zipf zipf = zipf_of(count, exponent);
    struct dice dice = dice_of(7);
    uint32_t *found = calloc(count, sizeof *found);
    assert_non_null(found);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t number = zipf_next(&zipf, &dice);
        assert_true(number < count);
        found[number]++;
    }
    return found;
}

/* Each number comes as often as the law says: within five standard deviations, which one of ten
 * million draws would miss. Chi-squared over all numbers stays near their count. */
static void expect_law(uint64_t count, double exponent)
{
    uint32_t *found = draw(count, exponent);
    double whole = 0;
    double chi = 0;
    for (uint64_t k = 1; k <= count; k++) {
        whole += pow((double)k, -exponent);
    }
    for (uint64_t k = 1; k <= count; k++) {
        double expected = DRAWS * pow((double)k, -exponent) / whole;
        double off = (double)found[k - 1] - expected;
        assert_true(fabs(off) < 5 * sqrt(expected) + 1);
        chi += off * off / expected;
    }
    assert_true(chi < (double)count + 5 * sqrt(2 * (double)count));
    free(found);
}

/* The usual exponent of key-value loads. */
static void the_law_holds_for_099(void **state)
{
    (void)state;
    expect_law(1000, 0.99);
}

/* An exponent of 1 is no special case, though its area is a logarithm. */
static void the_law_holds_for_one(void **state)
{
    (void)state;
    expect_law(1000, 1);
    expect_law(1000, 1.0000000001);
}

/* Flat and steep ones. */
static void the_law_holds_far_from_one(void **state)
{
    (void)state;
    expect_law(200, 0.2);
    expect_law(50, 2.5);
}

/* With one number there is no choice. */
static void one_number_is_always_drawn(void **state)
{
    (void)state;
    uint32_t *found = draw(1, 0.99);
    assert_int_equal(found[0], DRAWS);
    free(found);
}

/* With very many numbers none is out of range, and the first is still the most frequent. */
static void many_numbers_stay_in_range(void **state)
{
    (void)state;
    uint64_t count = UINT64_C(1) << 40;
    struct zipf zipf = zipf_of(count, 0.99);
    struct dice dice = dice_of(1);
    int first = 0;
    int second = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t number = zipf_next(&zipf, &dice);
        assert_true(number < count);
        first += number == 0;
        second += number == 1;
    }
    assert_true(first > second);
    assert_true(second > 0);
}

/* The same seed gives the same numbers, another one others. */
static void a_seed_repeats_the_numbers(void **state)
{
    (void)state;
    struct zipf zipf = zipf_of(1000000, 0.5);
    struct dice a = dice_of(3);
    struct dice b = dice_of(3);
    struct dice c = dice_of(4);
    int same = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t number = zipf_next(&zipf, &a);
        assert_int_equal(number, zipf_next(&zipf, &b));
        same += number == zipf_next(&zipf, &c);
    }
    assert_true(same < 10);
}

/* A unit is above 0 and at most 1: its logarithm is a number. */
static void units_are_above_zero(void **state)
{
    (void)state;
    struct dice dice = dice_of(0);
    for (int i = 0; i < 100000; i++) {
        double unit = dice_unit(&dice);
        assert_true(unit > 0 && unit <= 1);
        assert_true(dice_below(&dice, 3) < 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_holds_for_099),      cmocka_unit_test(the_law_holds_for_one),
        cmocka_unit_test(the_law_holds_far_from_one), cmocka_unit_test(one_number_is_always_drawn),
        cmocka_unit_test(many_numbers_stay_in_range), cmocka_unit_test(a_seed_repeats_the_numbers),
        cmocka_unit_test(units_are_above_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
