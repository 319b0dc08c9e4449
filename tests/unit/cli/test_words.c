/* Taking a command apart. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/words.h"

enum { JOINED_MAX = 256 };

/* The words of `text` with '|' between them. */
static const char *joined(const char *text, enum words_result expected, char *out)
{
    struct words words;
    size_t used = 0;
    out[0] = '\0';
    assert_int_equal(words_read(bytes_of_text(text), &used, &words), expected);
    for (int i = 0; i < words.count; i++) {
        strcat(out, i > 0 ? "|" : "");
        strcat(out, words.list[i]);
    }
    assert_null(words.list[words.count]);
    assert_true(used <= strlen(text));
    words_free(&words);
    return out;
}

struct example {
    const char *text;
    const char *words;
};

/* Words are what sh makes of them. */
static void words_are_those_of_sh(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"", ""},
        {"   \t ", ""},
        {"get accounts alice", "get|accounts|alice"},
        {"  get\taccounts  ", "get|accounts"},
        {"put a 'b c'", "put|a|b c"},
        {"put a \"b c\"", "put|a|b c"},
        {"put a b\\ c", "put|a|b c"},
        {"put a ''", "put|a|"},
        {"put a \"\" b", "put|a||b"},
        {"'a'\"b\"c", "abc"},
        {"'a\\b\"c'", "a\\b\"c"},
        {"\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d"},
        {"\\'a\\\"", "'a\""},
        {"get a # b", "get|a"},
        {"# all of it", ""},
        {"get a#b '#c'", "get|a#b|#c"},
        {"a\r", "a"},
    };
    char out[JOINED_MAX];
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        assert_string_equal(joined(examples[i].text, WORDS_DONE, out), examples[i].words);
    }
}

/* A line end ends the command, unless it is quoted; behind a backslash it is dropped. */
static void a_command_ends_with_its_line(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"get a\nget b\n", "get|a"},
        {"\nget b", ""},
        {"get \\\n a\nb", "get|a"},
        {"ge\\\nt a\nb", "get|a"},
        {"put a 'b\nc'\nd", "put|a|b\nc"},
        {"put a \"b\\\nc\"\nd", "put|a|bc"},
        {"# a \\\nget", ""},
    };
    char out[JOINED_MAX];
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        assert_string_equal(joined(examples[i].text, WORDS_DONE, out), examples[i].words);
    }
}

/* What was read is the command with its line end; the next one begins behind it. */
static void reading_goes_on_behind_the_command(void **state)
{
    (void)state;
    const char *text = "get 'a\nb'\nget c\n";
    struct words words;
    size_t used = 0;
    assert_int_equal(words_read(bytes_of_text(text), &used, &words), WORDS_DONE);
    assert_string_equal(text + used, "get c\n");
    words_free(&words);
    assert_int_equal(words_read(bytes_of_text(text + used), &used, &words), WORDS_DONE);
    assert_string_equal(words.list[1], "c");
    assert_int_equal(used, 6);
    words_free(&words);
}

/* Text that ends in quotes or behind a backslash wants more. */
static void an_open_command_wants_more(void **state)
{
    (void)state;
    char out[JOINED_MAX];
    assert_string_equal(joined("put a 'b c", WORDS_MORE, out), "put|a|b c");
    assert_string_equal(joined("put a \"b\n", WORDS_MORE, out), "put|a|b\n");
    assert_string_equal(joined("put a \\", WORDS_MORE, out), "put|a");
    assert_string_equal(joined("put a \\\n", WORDS_MORE, out), "put|a");
    assert_string_equal(joined("put \"a\\", WORDS_MORE, out), "put|a");
}

/* The last word is open while nothing stands behind it; so it can be completed. */
static void the_last_word_may_be_open(void **state)
{
    (void)state;
    struct words words;
    size_t used = 0;
    (void)words_read(bytes_of_text("get acc"), &used, &words);
    assert_true(words.open);
    assert_string_equal(words.list[words.count - 1], "acc");
    words_free(&words);
    (void)words_read(bytes_of_text("get "), &used, &words);
    assert_false(words.open);
    words_free(&words);
    (void)words_read(bytes_of_text("get 'a b"), &used, &words);
    assert_true(words.open);
    assert_int_equal(words.quote, '\'');
    assert_string_equal(words.list[1], "a b");
    words_free(&words);
    (void)words_read(bytes_of_text(""), &used, &words);
    assert_false(words.open);
    words_free(&words);
}

/* Every octet may come from a file, and none of them reads beyond the text. */
static void any_octets_are_taken(void **state)
{
    (void)state;
    uint8_t text[64];
    uint32_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        static const char drawn[] = "ab '\"\\\n#\t|";
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (uint8_t)drawn[(seed >> 16) % (sizeof drawn - 1)];
        }
        struct words words;
        size_t at = 0;
        while (at < sizeof text) {
            size_t used = 0;
            assert_int_not_equal(words_read(bytes_of(text + at, sizeof text - at), &used, &words),
                                 WORDS_NO_MEMORY);
            words_free(&words);
            assert_true(used > 0);
            at += used;
        }
        assert_int_equal(at, sizeof text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_sh),
        cmocka_unit_test(a_command_ends_with_its_line),
        cmocka_unit_test(reading_goes_on_behind_the_command),
        cmocka_unit_test(an_open_command_wants_more),
        cmocka_unit_test(the_last_word_may_be_open),
        cmocka_unit_test(any_octets_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
