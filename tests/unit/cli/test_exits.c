/* The exit codes: a contract with scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/cli/exits.h"

struct exit_case {
    enum qn_status status;
    enum qn_certainty certainty;
    enum cli_exit code;
};

static const struct exit_case exit_cases[] = {
    {QN_OK, QN_APPLIED, CLI_DONE},
    {QN_ABSENT, QN_NOT_APPLIED, CLI_NO},
    {QN_CONFLICT, QN_NOT_APPLIED, CLI_NO},
    {QN_EXISTS, QN_NOT_APPLIED, CLI_NO},
    {QN_UNREACHABLE, QN_NOT_APPLIED, CLI_UNREACHABLE},
    {QN_NO_LEADER, QN_NOT_APPLIED, CLI_UNREACHABLE},
    {QN_RECOVERING, QN_NOT_APPLIED, CLI_UNREACHABLE},
    {QN_DEADLINE, QN_NOT_APPLIED, CLI_UNREACHABLE},
    {QN_OVERLOADED, QN_NOT_APPLIED, CLI_UNREACHABLE},
    {QN_NOT_ENOUGH_REPLICAS, QN_NOT_APPLIED, CLI_UNREACHABLE},
    {QN_DEADLINE, QN_UNKNOWN, CLI_UNKNOWN},
    {QN_INDETERMINATE, QN_UNKNOWN, CLI_UNKNOWN},
    {QN_CLOSED, QN_UNKNOWN, CLI_UNKNOWN},
    {QN_UNKNOWN_CACHE, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_TOO_LARGE, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_SCHEMA, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_ACL, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_INVALID, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_DISK_FULL, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_MEMORY_FULL, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_CORRUPT, QN_NOT_APPLIED, CLI_REFUSED},
    {QN_UNSUPPORTED, QN_NOT_APPLIED, CLI_REFUSED},
};

/* Each kind of outcome has its code. */
static void every_outcome_has_its_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exit_cases / sizeof *exit_cases; i++) {
        const struct exit_case *c = &exit_cases[i];
        assert_int_equal(cli_exit_of(c->status, c->certainty), c->code);
    }
}

/* The numbers are those that scripts know. */
static void the_numbers_do_not_change(void **state)
{
    (void)state;
    assert_int_equal(CLI_DONE, 0);
    assert_int_equal(CLI_NO, 1);
    assert_int_equal(CLI_USAGE, 2);
    assert_int_equal(CLI_UNREACHABLE, 3);
    assert_int_equal(CLI_UNKNOWN, 4);
    assert_int_equal(CLI_REFUSED, 5);
    assert_int_equal(CLI_INPUT, 6);
    assert_int_equal(CLI_INTERRUPTED, 130);
}

/* Each code is explained, in words of its own and in the order of the numbers. */
static void every_code_is_explained(void **state)
{
    (void)state;
    assert_int_equal(cli_exit_count, 8);
    for (size_t i = 0; i < cli_exit_count; i++) {
        assert_string_not_equal(cli_exit_text(cli_exits[i]), "?");
        for (size_t j = 0; j < i; j++) {
            assert_true(cli_exits[j] < cli_exits[i]);
            assert_string_not_equal(cli_exit_text(cli_exits[i]), cli_exit_text(cli_exits[j]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_has_its_code),
        cmocka_unit_test(the_numbers_do_not_change),
        cmocka_unit_test(every_code_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
