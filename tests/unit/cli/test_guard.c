/* Ctrl-C in the shell ends the call and not the process. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/cli/guard.h"
#include "client/cli/interrupt.h"

/* A client of a grid that never answers. */
static qn_client *lost_client(void)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = qn_connect_start("quoin://127.0.0.1:1/?timeout=1h", &err);
    assert_non_null(client);
    return client;
}

static void ignore_fact(void *arg, uint32_t node, const char *name, const char *text,
                        int64_t number)
{
    (void)arg;
    (void)node;
    (void)name;
    (void)text;
    (void)number;
}

/* A call that waits ends with the signal, long before its deadline, and so does the one after it.
 */
static void a_signal_ends_the_call(void **state)
{
    (void)state;
    struct guard *guard = guard_start();
    assert_non_null(guard);
    guard_begin(guard);
    qn_client *client = lost_client();
    guard_hold(guard, client);
    raise(SIGINT);
    assert_true(interrupted());
    qn_error err = QN_ERROR_INIT;
    assert_null(qn_open(client, "accounts", &err));
    assert_int_equal(err.status, QN_CLOSED);
    qn_error_clear(&err);
    assert_null(qn_open(client, "accounts", &err));
    assert_int_equal(err.status, QN_CLOSED);
    guard_end(guard);
    guard_release(guard);
    (void)qn_close_within(client, 0);
    guard_stop(guard);
}

/* A command that ends by itself keeps its connection, and the next one knows nothing of the signal.
 */
static void a_command_that_heeds_the_signal_keeps_its_connection(void **state)
{
    (void)state;
    struct guard *guard = guard_start();
    assert_non_null(guard);
    qn_client *client = lost_client();
    guard_begin(guard);
    guard_hold(guard, client);
    raise(SIGINT);
    assert_true(interrupted());
    guard_end(guard);
    guard_begin(guard);
    assert_false(interrupted());
    guard_end(guard);
    guard_release(guard);
    (void)qn_close_within(client, 0);
    guard_stop(guard);
}

/* A signal between commands closes nothing: it was for the line. */
static void a_signal_at_the_prompt_closes_nothing(void **state)
{
    (void)state;
    struct guard *guard = guard_start();
    assert_non_null(guard);
    qn_client *client = lost_client();
    guard_hold(guard, client);
    raise(SIGINT);
    raise(SIGINT);
    guard_stop(guard);
    (void)qn_close_within(client, 0);
}

/* A command that watches for the signal itself is left to itself, however long it takes. */
static void a_command_that_watches_is_left_alone(void **state)
{
    (void)state;
    struct guard *guard = guard_start();
    assert_non_null(guard);
    qn_client *client = lost_client();
    guard_begin(guard);
    guard_hold(guard, client);
    interrupt_watch();
    raise(SIGINT);
    qn_error err = QN_ERROR_INIT;
    const int64_t timeout_ms = 1000; /* more than a guard waits */
    assert_true(qn_node_facts(client, timeout_ms, ignore_fact, NULL, &err) < QN_OK);
    assert_int_not_equal(err.status, QN_CLOSED);
    guard_end(guard);
    guard_release(guard);
    (void)qn_close_within(client, 0);
    guard_stop(guard);
}

/* What import and bench do in the shell as elsewhere does not let a second signal end the shell. */
static void watching_changes_nothing_under_a_guard(void **state)
{
    (void)state;
    struct guard *guard = guard_start();
    assert_non_null(guard);
    guard_begin(guard);
    interrupt_watch();
    raise(SIGINT);
    raise(SIGINT);
    assert_true(interrupted());
    guard_end(guard);
    guard_stop(guard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_ends_the_call),
        cmocka_unit_test(a_command_that_heeds_the_signal_keeps_its_connection),
        cmocka_unit_test(a_signal_at_the_prompt_closes_nothing),
        cmocka_unit_test(a_command_that_watches_is_left_alone),
        cmocka_unit_test(watching_changes_nothing_under_a_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
