/* Running scripts, with commands that only count. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/script.h"

enum { LOG_MAX = 512 };

/* What a run came to. */
struct run {
    char log[LOG_MAX]; /* the commands, ';' behind each */
    char complaints[LOG_MAX];
    enum cli_exit code;
    bool leaving;
    bool interrupted;
};

/* The commands there are: `code N` has the exit code N, `exit` ends the script, during `signal` the
 * user presses Ctrl-C, the rest is done. */
static enum cli_exit fake_run(void *arg, int count, char **words)
{
    struct run *run = arg;
    for (int i = 0; i < count; i++) {
        strcat(run->log, i > 0 ? " " : "");
        strcat(run->log, words[i]);
    }
    strcat(run->log, ";");
    run->leaving = strcmp(words[0], "exit") == 0;
    run->interrupted = strcmp(words[0], "signal") == 0;
    return strcmp(words[0], "code") == 0 ? (enum cli_exit)atoi(words[1]) : CLI_DONE;
}

static enum script_wish fake_wish(void *arg)
{
    const struct run *run = arg;
    if (run->interrupted) {
        return SCRIPT_INTERRUPTED;
    }
    return run->leaving ? SCRIPT_LEAVES : SCRIPT_GOES_ON;
}

static void run_text(struct run *run, const char *text, bool keep_going)
{
    memset(run, 0, sizeof *run);
    FILE *complaints = fmemopen(run->complaints, LOG_MAX, "w");
    assert_non_null(complaints);
    const struct script script = {
        .name = "s.quoin",
        .keep_going = keep_going,
        .run = fake_run,
        .wish = fake_wish,
        .arg = run,
        .complaints = complaints,
    };
    run->code = script_run(&script, bytes_of_text(text));
    fclose(complaints);
}

/* Commands run in their order; comments and empty lines are nothing. */
static void commands_run_in_order(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "# first\n\nput a 'b c'\n  get a # why\nget \\\n b", false);
    assert_string_equal(run.log, "put a b c;get a;get b;");
    assert_int_equal(run.code, CLI_DONE);
    assert_string_equal(run.complaints, "");
    run_text(&run, "", false);
    assert_int_equal(run.code, CLI_DONE);
}

/* The first failure ends the script with its code, and its line is named. */
static void the_first_failure_ends_it(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "get a\nput b \\\n c\ncode 5\nget d\n", false);
    assert_string_equal(run.log, "get a;put b c;code 5;");
    assert_int_equal(run.code, CLI_REFUSED);
    assert_non_null(
        strstr(run.complaints, "s.quoin:4: exit code 5 (refused); the rest was not run"));
}

/* With keep_going all run, and the code is that of the first failure. */
static void keep_going_runs_all_of_it(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "code 4\nget a\ncode 5\n", true);
    assert_string_equal(run.log, "code 4;get a;code 5;");
    assert_int_equal(run.code, CLI_UNKNOWN);
    assert_non_null(strstr(run.complaints, "s.quoin:1: exit code 4"));
    assert_non_null(strstr(run.complaints, "s.quoin:3: exit code 5"));
}

/* In a question the answer no is an answer; every other failure is one. */
static void a_question_may_be_answered_with_no(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "? code 1\n?code 1\nget a\n", false);
    assert_string_equal(run.log, "code 1;code 1;get a;");
    assert_int_equal(run.code, CLI_DONE);
    run_text(&run, "code 1\nget a\n", false);
    assert_int_equal(run.code, CLI_NO);
    run_text(&run, "? code 3\nget a\n", false);
    assert_int_equal(run.code, CLI_UNREACHABLE);
    run_text(&run, "?\nget a\n", false);
    assert_string_equal(run.log, "get a;");
}

/* `exit` ends the script, and that is no failure. */
static void exit_ends_it(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "get a\nexit\nget b\n", false);
    assert_string_equal(run.log, "get a;exit;");
    assert_int_equal(run.code, CLI_DONE);
}

/* A command that the file cuts off is not run. */
static void an_open_command_is_a_mistake(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "get a\nput b 'c\nd\n", false);
    assert_string_equal(run.log, "get a;");
    assert_int_equal(run.code, CLI_USAGE);
    assert_non_null(
        strstr(run.complaints, "s.quoin:2: the command does not end: a quote is missing"));
    run_text(&run, "get a \\", true);
    assert_string_equal(run.log, "");
    assert_int_equal(run.code, CLI_USAGE);
}

/* Ctrl-C ends the script, also one that goes on after failures, and says how far it has got. */
static void an_interrupt_says_what_is_done(void **state)
{
    (void)state;
    struct run run;
    run_text(&run, "a\nb\ncode 1\nsignal\nc\n", true);
    assert_int_equal(run.code, CLI_INTERRUPTED);
    assert_string_equal(run.log, "a;b;code 1;signal;");
    assert_non_null(strstr(run.complaints,
                           "s.quoin:4: interrupted; 3 commands are done, the rest was not run\n"));
    run_text(&run, "a\ncode 130\nc\n", true);
    assert_int_equal(run.code, CLI_INTERRUPTED);
    assert_string_equal(run.complaints,
                        "s.quoin:2: interrupted; 1 command is done, the rest was not run\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_in_order),
        cmocka_unit_test(the_first_failure_ends_it),
        cmocka_unit_test(keep_going_runs_all_of_it),
        cmocka_unit_test(a_question_may_be_answered_with_no),
        cmocka_unit_test(exit_ends_it),
        cmocka_unit_test(an_open_command_is_a_mistake),
        cmocka_unit_test(an_interrupt_says_what_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
