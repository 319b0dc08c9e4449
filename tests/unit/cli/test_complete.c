/* What Tab offers. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/complete.h"

enum { OFFERED_MAX = 4096 };

/* Candidates with a blank before and behind each. */
static void collect(void *arg, const char *candidate)
{
    char *offered = arg;
    size_t used = strlen(offered);
    snprintf(offered + used, OFFERED_MAX - used, "%s ", candidate);
}

static void caches(void *arg, complete_offer offer, void *offer_arg)
{
    (void)arg;
    offer(offer_arg, "accounts");
    offer(offer_arg, "animals");
    offer(offer_arg, "languages");
}

static void files(void *arg, const char *begun, complete_offer offer, void *offer_arg)
{
    (void)arg;
    (void)begun;
    offer(offer_arg, "people.csv");
    offer(offer_arg, "types.cfg");
}

static const char *offered_with(bool current, const char *line, char *offered)
{
    const struct complete_source source = {.current = current, .caches = caches, .files = files};
    struct words words;
    size_t used = 0;
    strcpy(offered, " ");
    assert_int_not_equal(words_read(bytes_of_text(line), &used, &words), WORDS_NO_MEMORY);
    complete_line(&source, &words, collect, offered);
    words_free(&words);
    return offered;
}

static void expect(const char *line, const char *expected)
{
    char offered[OFFERED_MAX];
    assert_string_equal(offered_with(false, line, offered), expected);
}

static void expect_among(const char *line, const char *candidate)
{
    char offered[OFFERED_MAX];
    char bounded[64];
    snprintf(bounded, sizeof bounded, " %s ", candidate);
    if (strstr(offered_with(false, line, offered), bounded) == NULL) {
        fail_msg("'%s' offers%swithout %s", line, offered, candidate);
    }
}

/* A line begins with a command; what is begun narrows the choice. The word quoin may stand before.
 */
static void commands_are_offered(void **state)
{
    (void)state;
    expect_among("", "get");
    expect_among("", "exit");
    expect("ge", " get generate ");
    expect("quoin ge", " get generate ");
    expect("co", " contains count commit config ");
    expect("xyz", " ");
    expect("shel", " "); /* no shell in the shell */
}

/* Names of two words are offered word by word, each once. */
static void two_words_come_one_by_one(void **state)
{
    (void)state;
    char offered[OFFERED_MAX];
    expect("lo", " log ");
    expect_among("log ", "levels");
    expect_among("log ", "set");
    expect("log le", " levels ");
    assert_null(strstr(offered_with(false, "log set ", offered), "levels"));
}

/* The first argument of a command on entries is a cache, unless there is a current one. */
static void caches_are_offered(void **state)
{
    (void)state;
    char offered[OFFERED_MAX];
    expect("get ", " accounts animals languages ");
    expect("get a", " accounts animals ");
    expect("get --json a", " accounts animals ");
    expect("get accounts ", " ");
    expect("use l", " languages ");
    expect("drop l", " languages ");
    expect("status ", " ");
    expect("create ", " "); /* a new name cannot be known */
    expect("get --cache ", " accounts animals languages ");
    expect("get --cache=l", " --cache=languages ");
    expect("get -c a", " accounts animals ");
    expect("get -c accounts ", " ");
    assert_string_equal(offered_with(true, "get ", offered), " ");
    assert_string_equal(offered_with(true, "clear ac", offered), " accounts ");
}

/* Options of the command and of every command; not before there is a command. */
static void options_are_offered(void **state)
{
    (void)state;
    expect("get --w", " --watch ");
    expect_among("get accounts --", "--json");
    expect_among("put --", "--if-absent");
    expect("log levels --cs", " --csv ");
    expect("get --if", " ");
}

/* Values that the table lists, and files. */
static void values_are_offered(void **state)
{
    (void)state;
    expect("create x --durability ", " disk memory ");
    expect("create x --durability m", " memory ");
    expect("create x --durability=m", " --durability=memory ");
    expect("put a b --ttl ", " never ");
    expect("log set log ", " error warn info debug ");
    expect("timing ", " on off ");
    expect("run ", " people.csv types.cfg ");
    expect("get --types t", " types.cfg ");
    expect("get --types=t", " --types=types.cfg ");
    expect("scan a --limit ", " ");
}

/* help is followed by a command. */
static void help_is_followed_by_commands(void **state)
{
    (void)state;
    expect("help ge", " get generate ");
    expect_among("help log ", "set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_offered), cmocka_unit_test(two_words_come_one_by_one),
        cmocka_unit_test(caches_are_offered),   cmocka_unit_test(options_are_offered),
        cmocka_unit_test(values_are_offered),   cmocka_unit_test(help_is_followed_by_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
