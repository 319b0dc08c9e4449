#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/suggest.h"

/* A swap of neighbours is one edit, letter case is none. */
static void distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(suggest_distance("", ""), 0);
    assert_int_equal(suggest_distance("", "abc"), 3);
    assert_int_equal(suggest_distance("data_port", "data_port"), 0);
    assert_int_equal(suggest_distance("DATA_PORT", "data_port"), 0);
    assert_int_equal(suggest_distance("data_prot", "data_port"), 1);
    assert_int_equal(suggest_distance("dataport", "data_port"), 1);
    assert_int_equal(suggest_distance("kitten", "sitting"), 3);
}

/* Nobody misspells a word of 65 letters; the table has no room for it either. */
static void long_words_are_infinitely_far(void **state)
{
    static const char word[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    struct suggest suggest = {.word = word};

    (void)state;
    assert_true(suggest_distance(word, word) == SIZE_MAX);
    suggest_offer(&suggest, word);
    assert_null(suggest.nearest);
}

/* The nearest wins; what has little in common is not offered at all. */
static void nearest_word_within_a_third_is_kept(void **state)
{
    struct suggest suggest = {.word = "int46"};

    (void)state;
    suggest_offer(&suggest, "string");
    assert_null(suggest.nearest);
    suggest_offer(&suggest, "int16");
    assert_string_equal(suggest.nearest, "int16");
    suggest_offer(&suggest, "float64");
    assert_string_equal(suggest.nearest, "int16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_edits),
        cmocka_unit_test(long_words_are_infinitely_far),
        cmocka_unit_test(nearest_word_within_a_third_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
