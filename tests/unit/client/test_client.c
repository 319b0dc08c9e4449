/* The public calls of the client against a node that keeps the protocol's rules, over real sockets.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/driver.h"
#include "tests/lib/check.h"
#include "tests/unit/client/fake_server.h"

static struct fake_server server;

static int server_up(void **state)
{
    (void)state;
    fake_server_start(&server, 2);
    return 0;
}

static int server_down(void **state)
{
    (void)state;
    fake_server_stop(&server);
    return 0;
}

static qn_client *connected(void)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = qn_connect(server.uri, &err);

    assert_string_equal(qn_explain(&err), "ok");
    assert_non_null(client);
    return client;
}

static qn_cache *accounts_of(qn_client *client)
{
    qn_error err = QN_ERROR_INIT;
    qn_cache *cache = qn_open(client, "accounts", &err);

    assert_string_equal(qn_explain(&err), "ok");
    assert_non_null(cache);
    return cache;
}

static void told(const qn_error *err, enum qn_status status, const char *part)
{
    assert_int_equal(err->status, status);
    if (!strstr(qn_explain(err), part)) {
        fail_msg("\"%s\" does not say \"%s\"", qn_explain(err), part);
    }
}

/* What is put is got, with its version; what is not there is an answer, not an error. */
static void a_value_put_is_got(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;
    uint64_t version = 0;
    int64_t number = 0;
    qn_options options = QN_OPTIONS_INIT;

    (void)state;
    options.version = &version;
    assert_int_equal(qn_put(cache, qn_str("alice"), qn_int(100), &options, &err), QN_OK);
    assert_true(version > 0);
    assert_int_equal(qn_get(cache, qn_str("alice"), NULL, &value, &err), QN_OK);
    assert_int_equal(qn_value_int(value, &number), QN_OK);
    assert_int_equal(number, 100);
    assert_int_equal(qn_value_version(value), version);
    qn_value_release(value);
    assert_int_equal(qn_get(cache, qn_str("bob"), NULL, &value, &err), QN_ABSENT);
    assert_null(value);
    assert_int_equal(qn_contains(cache, qn_str("alice"), NULL, &err), QN_OK);
    assert_int_equal(qn_contains(cache, qn_str("bob"), NULL, &err), QN_ABSENT);
    assert_false(qn_error_failed(&err));
    qn_close(client);
}

/* A value outlives its client: it holds the message that it points into. */
static void a_value_outlives_its_client(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;
    const char *text = NULL;
    size_t size = 0;
    int64_t number = 5;

    (void)state;
    qn_put(cache, qn_int(7), qn_str("seven"), NULL, &err);
    qn_get(cache, qn_int(7), NULL, &value, &err);
    qn_close(client);
    assert_int_equal(qn_value_str(value, &text, &size), QN_OK);
    assert_bytes_equal(bytes_of(text, size), bytes_of_text("seven"));
    assert_int_equal(qn_value_int(value, &number), QN_WRONG_TYPE);
    assert_int_equal(number, 5);
    assert_ptr_equal(qn_value_retain(value), value);
    qn_value_release(value);
    qn_value_release(value);
}

/* Conditional changes say why they changed nothing. */
static void conditions_are_answers(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_value *old = NULL;
    uint64_t version = 0;
    int64_t number = 0;
    qn_options options = QN_OPTIONS_INIT;

    (void)state;
    options.version = &version;
    assert_int_equal(qn_put_if_absent(cache, qn_str("c"), qn_int(1), &options, &err), QN_OK);
    assert_int_equal(qn_put_if_absent(cache, qn_str("c"), qn_int(2), NULL, &err), QN_EXISTS);
    assert_int_equal(qn_replace(cache, qn_str("c"), qn_int(3), version + 99, NULL, &err),
                     QN_CONFLICT);
    options.version = NULL;
    options.old = &old;
    assert_int_equal(qn_replace(cache, qn_str("c"), qn_int(4), version, &options, &err), QN_OK);
    assert_int_equal(qn_value_int(old, &number), QN_OK);
    assert_int_equal(number, 1);
    qn_value_release(old);
    assert_int_equal(qn_remove_if(cache, qn_str("c"), version, NULL, &err), QN_CONFLICT);
    assert_int_equal(qn_remove(cache, qn_str("c"), NULL, &err), QN_OK);
    assert_int_equal(qn_remove(cache, qn_str("c"), NULL, &err), QN_ABSENT);
    assert_int_equal(qn_replace(cache, qn_str("c"), qn_int(5), 0, NULL, &err), QN_ABSENT);
    assert_false(qn_error_failed(&err));
    qn_close(client);
}

/* A batch answers per entry; the count of a cache is the sum over its partitions. */
static void a_batch_answers_per_entry(void **state)
{
    enum { COUNT = 3000 };
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_batch *batch = qn_batch_new(cache, &err);
    uint64_t before = 0;
    uint64_t after = 0;
    qn_options fresh = QN_OPTIONS_INIT;

    (void)state;
    fresh.wait_visible = true;
    qn_count(cache, &before, &fresh, &err);
    for (int64_t i = 0; i < COUNT; i++) {
        assert_int_equal(qn_batch_put(batch, qn_int(100000 + i), qn_int(i * i), &err), i);
    }
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK);
    qn_count(cache, &after, &fresh, &err);
    assert_int_equal(after - before, COUNT);
    qn_batch_clear(batch);
    for (int64_t i = 0; i < COUNT; i++) {
        qn_batch_get(batch, qn_int(100000 + i), &err);
    }
    size_t missing = qn_batch_get(batch, qn_str("missing"), &err);
    assert_int_equal(qn_batch_status(batch, missing), QN_BUSY);
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK);
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t number = 0;
        assert_int_equal(qn_batch_status(batch, (size_t)i), QN_OK);
        assert_int_equal(qn_value_int(qn_batch_value(batch, (size_t)i), &number), QN_OK);
        assert_int_equal(number, i * i);
    }
    assert_int_equal(qn_batch_status(batch, missing), QN_ABSENT);
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK); /* may run again */
    qn_batch_free(batch);
    assert_string_equal(qn_explain(&err), "ok");
    qn_close(client);
}

static void count_done(qn_op *op, void *arg)
{
    assert_int_equal(qn_op_status(op), QN_OK);
    (*(size_t *)arg)++;
}

/* Callbacks run in qn_dispatch only, each once, whether set before or after the end. */
static void callbacks_run_in_dispatch(void **state)
{
    enum { COUNT = 500 };
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    struct transport_wait wait = {.fd = qn_fd(client)};
    size_t done = 0;

    (void)state;
    for (int64_t i = 0; i < COUNT; i++) {
        qn_op *op = qn_put_start(cache, qn_int(i), qn_str("v"), NULL, &err);
        assert_non_null(op);
        if (i % 7 == 0) {
            assert_true(qn_op_wait(op, -1));
        }
        qn_op_on_done(op, count_done, &done);
        qn_op_release(op);
    }
    while (done < COUNT) {
        assert_true(transport_wait(&wait, 1, 10000) > 0);
        assert_true(qn_dispatch(client, 3) <= 3);
    }
    assert_int_equal(qn_dispatch(client, 0), 0);
    assert_int_equal(transport_wait(&wait, 1, 0), 0);
    qn_close(client);
}

/* An operation tells its answer once it is done, also after its client has gone. */
static void an_operation_keeps_its_answer(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    int64_t number = 0;

    (void)state;
    qn_put(cache, qn_str("k"), qn_int(42), NULL, &err);
    qn_op *op = qn_get_start(cache, qn_str("k"), NULL, &err);
    qn_op *absent = qn_contains_start(cache, qn_str("never"), NULL, &err);
    assert_true(qn_op_wait(op, -1));
    assert_true(qn_op_wait(absent, -1));
    qn_close(client);
    assert_int_equal(qn_op_status(op), QN_OK);
    assert_int_equal(qn_value_int(qn_op_value(op), &number), QN_OK);
    assert_int_equal(number, 42);
    assert_true(qn_op_version(op) > 0);
    assert_false(qn_error_failed(qn_op_error(op)));
    assert_int_equal(qn_op_status(absent), QN_ABSENT);
    qn_op_release(op);
    qn_op_release(absent);
}

/* Errors are sticky, NULL handles are refused, and a failure names what it is about. */
static void failures_explain_themselves(void **state)
{
    static char big[WIRE_KEY_MAX + 1];
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;

    (void)state;
    memset(big, 'x', sizeof big);
    assert_null(qn_open(client, "no-such-cache", &err));
    told(&err, QN_UNKNOWN_CACHE, "create it first");
    assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), NULL, &err), QN_UNKNOWN_CACHE);
    qn_error_clear(&err);
    assert_int_equal(qn_put(NULL, qn_str("a"), qn_int(1), NULL, &err), QN_INVALID);
    qn_error_clear(&err);
    assert_int_equal(qn_put(cache, qn_text(big, sizeof big), qn_int(1), NULL, &err), QN_TOO_LARGE);
    told(&err, QN_TOO_LARGE, "the limit is 65536");
    assert_int_equal(err.certainty, QN_NOT_APPLIED);
    qn_error_clear(&err);
    assert_int_equal(qn_get(cache, qn_str(NULL), NULL, &value, &err), QN_INVALID);
    qn_error_clear(&err);
    assert_int_equal(qn_get(cache, qn_binary("abc", 3), NULL, &value, &err), QN_INVALID);
    told(&err, QN_INVALID, "not a Binary");
    qn_error_clear(&err);
    assert_non_null(qn_open_create(client, "made", &err));
    qn_close(client);
}

/* A put without an answer ends at its deadline as unknown, a get as not applied. */
static void silence_ends_at_the_deadline(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_options options = QN_OPTIONS_INIT;
    qn_value *value = NULL;

    (void)state;
    qn_put(cache, qn_str("alice"), qn_int(1), NULL, &err); /* the session is open now */
    options.timeout_ms = 120;
    atomic_store(&server.mute, true);
    int64_t begin_ms = clock_now_ms();
    assert_int_equal(qn_put(cache, qn_str("alice"), qn_int(2), &options, &err), QN_DEADLINE);
    assert_true(clock_now_ms() - begin_ms >= 120);
    assert_int_equal(err.certainty, QN_UNKNOWN);
    told(&err, QN_DEADLINE, "put accounts/\"alice\": no answer from node 1 (partition ");
    told(&err, QN_DEADLINE, "within 120 ms; the write may have been applied");
    qn_error_clear(&err);
    assert_int_equal(qn_get(cache, qn_str("alice"), &options, &value, &err), QN_DEADLINE);
    assert_int_equal(err.certainty, QN_NOT_APPLIED);
    qn_error_clear(&err);
    qn_op *op = qn_put_start(cache, qn_str("alice"), qn_int(3), NULL, &err);
    assert_false(qn_op_wait(op, 30));
    assert_int_equal(qn_op_status(op), QN_BUSY);
    assert_int_equal(qn_close_within(client, 30), QN_DEADLINE);
    assert_int_equal(qn_op_status(op), QN_CLOSED);
    assert_int_equal(qn_op_error(op)->certainty, QN_UNKNOWN);
    qn_op_release(op);
    atomic_store(&server.mute, false);
}

/* Nobody listens: the text names the address, and nothing hangs. */
static void nobody_there_is_told(void **state)
{
    qn_error err = QN_ERROR_INIT;

    (void)state;
    assert_null(qn_connect("quoin://127.0.0.1:1/?timeout=80ms", &err));
    told(&err, QN_UNREACHABLE, "127.0.0.1:1");
    qn_error_clear(&err);
    assert_null(qn_connect("quoin://127.0.0.1:1/?tiemout=80ms", &err));
    told(&err, QN_INVALID, "did you mean \"timeout\"?");
    assert_int_equal(qn_close_within(NULL, 0), QN_OK);
}

/* Calls queue until a node has answered; closing ends them with a certainty. */
static void calls_queue_before_the_first_answer(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = qn_connect_start(server.uri, &err);
    qn_cache *cache = qn_open(client, "accounts", &err);

    (void)state;
    assert_int_equal(qn_put(cache, qn_str("early"), qn_int(1), NULL, &err), QN_OK);
    qn_close(client);
    client = qn_connect_start("quoin://127.0.0.1:1/?timeout=60ms", &err);
    assert_null(qn_open(client, "accounts", &err));
    told(&err, QN_UNREACHABLE, "open accounts: no node answers");
    qn_close(client);
}

/* A node that restarts is found again, and no change takes effect twice. */
static void a_restart_is_survived(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    uint8_t value[8] = {0};

    (void)state;
    for (uint32_t tag = 1; tag <= 40; tag++) {
        put_u32(value + 4, tag);
        qn_op *op = qn_put_start(cache, qn_int(tag), qn_bytes(value, sizeof value), NULL, &err);
        assert_non_null(op);
        if (tag % 10 == 0) {
            fake_server_kill(&server);
            fake_server_revive(&server);
        }
        assert_true(qn_op_wait(op, -1));
        assert_string_equal(qn_explain(qn_op_error(op)), "ok");
        assert_int_equal(fake_server_applied(&server, tag), 1);
        qn_op_release(op);
    }
    qn_close(client);
}

struct worker {
    qn_cache *cache;
    int64_t first;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    qn_error err = QN_ERROR_INIT;

    for (int64_t i = 0; i < 300; i++) {
        qn_value *value = NULL;
        int64_t number = 0;
        qn_put(worker->cache, qn_int(worker->first + i), qn_int(i), NULL, &err);
        qn_get(worker->cache, qn_int(worker->first + i), NULL, &value, &err);
        if (qn_value_int(value, &number) != QN_OK || number != i) {
            (void)qn_error_set(&err, QN_CORRUPT, "wrong value");
        }
        qn_value_release(value);
    }
    return (void *)(uintptr_t)qn_error_failed(&err);
}

static void workers_run(qn_cache *cache)
{
    struct worker workers[6];

    for (size_t i = 0; i < 6; i++) {
        workers[i] = (struct worker){.cache = cache, .first = (int64_t)(i + 1) * 1000000};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < 6; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(workers[i].thread, &failed), 0);
        assert_null(failed);
    }
}

/* Many threads share one client: the role of the driver goes from one to the other, then to the
 * client's own thread. */
static void threads_share_a_client(void **state)
{
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);

    (void)state;
    workers_run(cache);
    assert_true(qn_fd(client) >= 0); /* from here on there is a thread */
    workers_run(cache);
    qn_close(client);
}

static void *get_one(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_value *value = NULL;

    (void)qn_get(arg, qn_str("k"), NULL, &value, &err);
    return (void *)(uintptr_t)(err.status == QN_CLOSED);
}

static size_t threads_inside(qn_client *client)
{
    (void)pthread_mutex_lock(&client->mutex);
    size_t count = client->users;
    (void)pthread_mutex_unlock(&client->mutex);
    return count;
}

/* Closing ends the calls of other threads, too, and waits until they have left. */
static void closing_ends_the_calls_of_others(void **state)
{
    pthread_t threads[3];
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);

    (void)state;
    atomic_store(&server.mute, true);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, get_one, cache), 0);
    }
    while (threads_inside(client) < 3) {
        (void)transport_wait(NULL, 0, 1);
    }
    assert_int_equal(qn_close_within(client, 50), QN_DEADLINE);
    for (size_t i = 0; i < 3; i++) {
        void *closed = NULL;
        assert_int_equal(pthread_join(threads[i], &closed), 0);
        assert_non_null(closed);
    }
    atomic_store(&server.mute, false);
}

/* Values of a mebibyte travel, each in a message of its own. */
static void large_values_travel(void **state)
{
    enum { SIZE = 1 << 20 };
    static char big[WIRE_VALUE_MAX];
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    qn_value *value = NULL;
    const void *data = NULL;
    size_t size = 0;

    (void)state;
    memset(big, 'v', sizeof big);
    assert_int_equal(qn_put(cache, qn_str("big"), qn_bytes(big, SIZE), NULL, &err), QN_OK);
    assert_int_equal(qn_get(cache, qn_str("big"), NULL, &value, &err), QN_OK);
    assert_int_equal(qn_value_bytes(value, &data, &size), QN_OK);
    assert_bytes_equal(bytes_of(data, size), bytes_of(big, SIZE));
    qn_value_release(value);
    assert_int_equal(qn_put(cache, qn_str("big"), qn_bytes(big, sizeof big), NULL, &err),
                     QN_TOO_LARGE);
    told(&err, QN_TOO_LARGE, "put: the value has 16777");
    qn_close(client);
}

/* More than in_flight operations: `_start` refuses, synchronous calls wait. */
static void the_number_in_flight_is_bounded(void **state)
{
    char uri[256];
    qn_error err = QN_ERROR_INIT;
    qn_op *ops[4];

    (void)state;
    (void)snprintf(uri, sizeof uri, "%s&in_flight=4", server.uri);
    qn_client *client = qn_connect(uri, &err);
    qn_cache *cache = accounts_of(client);
    atomic_store(&server.mute, true);
    for (int64_t i = 0; i < 4; i++) {
        ops[i] = qn_get_start(cache, qn_int(i), NULL, &err);
        assert_non_null(ops[i]);
    }
    assert_null(qn_get_start(cache, qn_int(9), NULL, &err));
    told(&err, QN_BUSY, "in_flight=4");
    qn_error_clear(&err);
    qn_options options = QN_OPTIONS_INIT;
    options.timeout_ms = 50;
    assert_int_equal(qn_contains(cache, qn_int(9), &options, &err), QN_BUSY);
    qn_error_clear(&err);
    qn_op_cancel(ops[0]);
    assert_true(qn_op_done(ops[0]));
    atomic_store(&server.mute, false);
    assert_int_equal(qn_contains(cache, qn_str("nobody"), NULL, &err), QN_ABSENT);
    for (int64_t i = 0; i < 4; i++) {
        qn_op_release(ops[i]);
    }
    qn_close(client);
}

/* A child process may not use its parent's client, and is told so; the parent is not disturbed. */
static void a_forked_child_is_refused(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_cache *cache = accounts_of(client);
    int result = 0;

    (void)state;
    assert_true(qn_fd(client) >= 0);
    pid_t child = fork();
    if (child == 0) {
        bool refused = qn_put(cache, qn_str("x"), qn_int(1), NULL, &err) == QN_FORKED &&
                       qn_close_within(client, 10) == QN_FORKED;
        _exit(refused ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_int_equal(qn_put(cache, qn_str("x"), qn_int(1), NULL, &err), QN_OK);
    qn_close(client);
}

static void fact_take(void *arg, uint32_t node, const char *name, const char *text, int64_t number)
{
    (void)number;
    assert_int_equal(node, 1);
    assert_true(text ? strcmp(name, "version") == 0 : strcmp(name, "entries") == 0);
    (*(int *)arg)++;
}

/* The client tells what it knows about nodes and partitions. */
static void the_grid_can_be_looked_at(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected();
    qn_partition_info info = {.size = sizeof info};
    uint32_t partition = 99;
    int facts = 0;

    (void)state;
    assert_int_equal(qn_node_facts(client, 0, fact_take, &facts, &err), QN_OK);
    assert_int_equal(facts, 2);
    assert_int_equal(qn_partition_count(client), 16);
    assert_int_equal(qn_partition_of(client, qn_str("alice"), &partition), QN_OK);
    assert_true(partition < 16);
    assert_int_equal(qn_partition_info_get(client, partition, &info), QN_OK);
    assert_int_equal(info.leader, 1);
    assert_int_equal(info.shard, partition % 2);
    assert_int_equal(qn_partition_info_get(client, 32, &info), QN_INVALID);
    qn_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_value_put_is_got, server_up, server_down),
        cmocka_unit_test_setup_teardown(a_value_outlives_its_client, server_up, server_down),
        cmocka_unit_test_setup_teardown(conditions_are_answers, server_up, server_down),
        cmocka_unit_test_setup_teardown(a_batch_answers_per_entry, server_up, server_down),
        cmocka_unit_test_setup_teardown(callbacks_run_in_dispatch, server_up, server_down),
        cmocka_unit_test_setup_teardown(an_operation_keeps_its_answer, server_up, server_down),
        cmocka_unit_test_setup_teardown(failures_explain_themselves, server_up, server_down),
        cmocka_unit_test_setup_teardown(silence_ends_at_the_deadline, server_up, server_down),
        cmocka_unit_test_setup_teardown(nobody_there_is_told, server_up, server_down),
        cmocka_unit_test_setup_teardown(calls_queue_before_the_first_answer, server_up,
                                        server_down),
        cmocka_unit_test_setup_teardown(a_restart_is_survived, server_up, server_down),
        cmocka_unit_test_setup_teardown(threads_share_a_client, server_up, server_down),
        cmocka_unit_test_setup_teardown(closing_ends_the_calls_of_others, server_up, server_down),
        cmocka_unit_test_setup_teardown(large_values_travel, server_up, server_down),
        cmocka_unit_test_setup_teardown(the_number_in_flight_is_bounded, server_up, server_down),
        cmocka_unit_test_setup_teardown(a_forked_child_is_refused, server_up, server_down),
        cmocka_unit_test_setup_teardown(the_grid_can_be_looked_at, server_up, server_down),
    };

    return RUN_TESTS(tests);
}
