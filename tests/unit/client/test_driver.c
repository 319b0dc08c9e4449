/* Threads around one client: the role of the driver, waiting for room, closing, deadlines. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client/call.h"
#include "tests/lib/check.h"
#include "tests/unit/client/fake_server.h"

enum { PATIENCE_S = 60 }; /* after that a thread counts as stuck */

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

static qn_client *connected(const char *parameters)
{
    char uri[256];
    qn_error err = QN_ERROR_INIT;

    (void)snprintf(uri, sizeof uri, "%s&compress_min=0B%s", server.uri, parameters);
    qn_client *client = qn_connect(uri, &err);
    assert_string_equal(qn_explain(&err), "ok");
    return client;
}

static qn_cache *accounts_of(qn_client *client)
{
    qn_error err = QN_ERROR_INIT;
    qn_cache *cache = qn_open(client, "accounts", &err);

    assert_string_equal(qn_explain(&err), "ok");
    return cache;
}

/* ---- callers on threads of their own ---- */

struct caller {
    qn_cache *cache;
    size_t size; /* of the value put; 0 = get */
    int64_t timeout_ms;
    int64_t rounds;
    qn_status status; /* of the first that failed */
    pthread_t thread;
};

static qn_status call_once(const struct caller *caller)
{
    static char octets[1 << 20];
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_value *value = NULL;

    options.timeout_ms = caller->timeout_ms;
    if (caller->size > 0) {
        return qn_put(caller->cache, qn_str("k"), qn_bytes(octets, caller->size), &options, &err);
    }
    (void)qn_get(caller->cache, qn_str("k"), &options, &value, &err);
    qn_value_release(value);
    return err.status;
}

static void *call(void *arg)
{
    struct caller *caller = arg;

    caller->status = QN_OK;
    for (int64_t i = 0; i < caller->rounds && caller->status >= 0; i++) {
        caller->status = call_once(caller);
    }
    return NULL;
}

static void caller_start(struct caller *caller)
{
    caller->rounds = caller->rounds ? caller->rounds : 1;
    assert_int_equal(pthread_create(&caller->thread, NULL, call, caller), 0);
}

static qn_status caller_join(struct caller *caller)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    assert_int_equal(pthread_timedjoin_np(caller->thread, NULL, &until), 0);
    return caller->status;
}

/* ---- looking into the client ---- */

static size_t list_length(const struct list *list)
{
    size_t length = 0;

    for (const struct list *at = list->next; at != list; at = at->next) {
        length++;
    }
    return length;
}

static bool waits_for_room(qn_client *client, size_t count)
{
    return list_length(&client->room_waiters) == count;
}

/* Somebody sits in the poll, and has a link that is not connected. */
static bool polls_unconnected(qn_client *client, size_t links)
{
    size_t blocked = 0;

    for (uint32_t i = 0; i < client->peer_count; i++) {
        blocked += session_link_blocked(client->session, i);
    }
    return client->polling && blocked >= links;
}

static void await(qn_client *client, bool (*is_so)(qn_client *client, size_t count), size_t count)
{
    bool so = false;

    while (!so) {
        (void)pthread_mutex_lock(&client->mutex);
        so = is_so(client, count);
        (void)pthread_mutex_unlock(&client->mutex);
        (void)transport_wait(NULL, 0, so ? 0 : 1);
    }
}

/* ---- the tests ---- */

/* The client's own thread takes over from a caller that is driving, and nobody is forgotten. */
static void the_thread_takes_over_from_callers(void **state)
{
    struct caller callers[3];

    (void)state;
    for (int round = 0; round < 20; round++) {
        qn_client *client = connected("");
        qn_cache *cache = accounts_of(client);
        for (size_t i = 0; i < 3; i++) {
            callers[i] = (struct caller){.cache = cache, .rounds = 100};
            caller_start(&callers[i]);
        }
        assert_true(qn_fd(client) >= 0);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(caller_join(&callers[i]), QN_OK);
        }
        qn_close(client);
    }
}

/* How long closing takes while a caller drives a connection to nobody. */
static int64_t closing_ms(void)
{
    qn_client *client = connected("");
    struct caller caller = {.cache = accounts_of(client), .timeout_ms = 4000};

    fake_server_kill(&server);
    caller_start(&caller);
    await(client, polls_unconnected, 1);
    int64_t begin_ms = clock_now_ms();
    assert_int_equal(qn_close_within(client, 20), QN_DEADLINE);
    int64_t took_ms = clock_now_ms() - begin_ms;
    assert_int_equal(caller_join(&caller), QN_CLOSED);
    return took_ms;
}

/* Closing keeps its time also when the driver is a caller that waits for a connection. A stalled
 * machine can be slow once, but not each time; without a wake-up each close takes more than a
 * second. */
static void closing_does_not_wait_for_the_poll(void **state)
{
    int64_t shortest_ms = INT64_MAX;

    (void)state;
    for (int round = 0; round < 10 && shortest_ms >= 1000; round++) {
        if (round > 0) {
            fake_server_revive(&server);
        }
        int64_t took_ms = closing_ms();
        shortest_ms = took_ms < shortest_ms ? took_ms : shortest_ms;
    }
    assert_true(shortest_ms < 1000);
}

/* Room that the first in line can not use is given to the next when the first has left. */
static void room_is_not_lost_when_a_waiter_leaves(void **state)
{
    qn_error err = QN_ERROR_INIT;
    static char octets[1 << 16];
    qn_client *client = connected("&in_flight_bytes=64KiB");
    qn_cache *cache = accounts_of(client);
    struct caller large = {.cache = cache, .size = 100000, .timeout_ms = 300};
    struct caller small = {.cache = cache, .size = 20000, .timeout_ms = 60000};

    (void)state;
    atomic_store(&server.mute, true);
    qn_op *stays = qn_put_start(cache, qn_str("a"), qn_bytes(octets, 40000), NULL, &err);
    qn_op *goes = qn_put_start(cache, qn_str("b"), qn_bytes(octets, 20000), NULL, &err);
    assert_string_equal(qn_explain(&err), "ok");
    caller_start(&large);
    await(client, waits_for_room, 1);
    caller_start(&small);
    await(client, waits_for_room, 2);
    qn_op_cancel(goes);
    assert_int_equal(caller_join(&large), QN_BUSY);
    await(client, waits_for_room, 0);
    assert_int_equal(client->in_flight, 2);
    assert_int_equal(qn_close_within(client, 0), QN_DEADLINE);
    assert_int_equal(caller_join(&small), QN_CLOSED);
    qn_op_release(stays);
    qn_op_release(goes);
    atomic_store(&server.mute, false);
}

/* The longest timeout there is means "never", not "at once". */
static void the_longest_timeout_is_never(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    qn_batch *batch = qn_batch_new(cache, &err);
    uint64_t count = 0;

    (void)state;
    options.timeout_ms = INT64_MAX;
    options.wait_visible = true;
    assert_int_equal(qn_put(cache, qn_str("a"), qn_int(1), &options, &err), QN_OK);
    qn_op *op = qn_put_start(cache, qn_str("b"), qn_int(2), &options, &err);
    assert_true(qn_op_wait(op, INT64_MAX));
    assert_int_equal(qn_op_status(op), QN_OK);
    qn_op_release(op);
    (void)qn_batch_get(batch, qn_str("a"), &err);
    assert_int_equal(qn_batch_run(batch, INT64_MAX, &err), QN_OK);
    qn_batch_free(batch);
    assert_int_equal(qn_count(cache, &count, &options, &err), QN_OK);
    assert_int_equal(count, 2);
    assert_int_equal(qn_close_within(client, INT64_MAX), QN_OK);
}

/* A deadline saturates; it does not overflow. */
static void deadlines_saturate(void **state)
{
    (void)state;
    assert_int_equal(deadline_after(5, 7), 12);
    assert_true(deadline_after(5, INT64_MAX - 5) == INT64_MAX);
    assert_true(deadline_after(5, INT64_MAX - 4) == INT64_MAX);
    assert_true(deadline_after(0, INT64_MAX) == INT64_MAX);
}

/* A key whose partition the second shard leads: its link is not open yet. */
static int64_t key_of_shard_1(qn_client *client)
{
    qn_partition_info info = {.size = sizeof info};
    int64_t key = 0;

    do {
        uint32_t partition = 0;
        assert_int_equal(qn_partition_of(client, qn_int(++key), &partition), QN_OK);
        assert_int_equal(qn_partition_info_get(client, partition, &info), QN_OK);
    } while (info.shard != 1);
    return key;
}

/* Let no more descriptors be opened than there are; what the limit was before. */
static struct rlimit descriptors_limit(void)
{
    struct rlimit before;
    int next = dup(0);

    assert_true(next >= 0);
    (void)close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit now = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
    return before;
}

/* Running out of descriptors passes: the link is opened when there are some again. */
static void a_link_is_opened_when_there_are_descriptors_again(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    int64_t key = key_of_shard_1(client);

    (void)state;
    assert_true(qn_fd(client) >= 0);
    struct rlimit before = descriptors_limit();
    qn_op *op = qn_contains_start(cache, qn_int(key), NULL, &err);
    bool done = qn_op_wait(op, 50);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(done);
    assert_true(qn_op_wait(op, -1));
    assert_int_equal(qn_op_status(op), QN_ABSENT);
    qn_op_release(op);
    qn_close(client);
}

/* A failure says what became of the write, each of the three. */
static void each_consequence_is_told(void **state)
{
    static const struct {
        enum qn_certainty certainty;
        const char *text;
    } cases[] = {
        {QN_NOT_APPLIED, "; nothing was changed"},
        {QN_APPLIED, "; the write was applied"},
        {QN_UNKNOWN, "; the write may have been applied"},
    };
    qn_client *client = connected("");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        qn_error err = QN_ERROR_INIT;
        struct call failed = {.core = {.kind = WIRE_OP_PUT,
                                       .status = QN_MEMORY_FULL,
                                       .certainty = cases[i].certainty}};
        assert_int_equal(driver_enter(client, &err), QN_OK);
        assert_int_equal(call_explain(&failed, client, "accounts", &err), QN_MEMORY_FULL);
        driver_leave(client);
        assert_non_null(strstr(qn_explain(&err), cases[i].text));
    }
    qn_close(client);
}

static void *op_wait(void *op)
{
    return (void *)(uintptr_t)qn_op_wait(op, -1);
}

static bool waits(qn_client *client, size_t count)
{
    return list_length(&client->waiters) == count;
}

/* One thread waits for an operation at a time; a second one is sent away, and harms nobody. */
static void a_second_thread_is_sent_away(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    pthread_t first;
    void *is_done = NULL;

    (void)state;
    atomic_store(&server.mute, true);
    qn_op *op = qn_get_start(cache, qn_str("k"), NULL, &err);
    assert_int_equal(pthread_create(&first, NULL, op_wait, op), 0);
    await(client, waits, 1);
    assert_false(qn_op_wait(op, 50));
    assert_false(qn_op_wait(op, -1));
    atomic_store(&server.mute, false);
    assert_int_equal(pthread_join(first, &is_done), 0);
    assert_non_null(is_done);
    assert_int_equal(qn_op_status(op), QN_ABSENT);
    qn_op_release(op);
    qn_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_thread_takes_over_from_callers, server_up, server_down),
        cmocka_unit_test_setup_teardown(closing_does_not_wait_for_the_poll, server_up, server_down),
        cmocka_unit_test_setup_teardown(room_is_not_lost_when_a_waiter_leaves, server_up,
                                        server_down),
        cmocka_unit_test_setup_teardown(the_longest_timeout_is_never, server_up, server_down),
        cmocka_unit_test(deadlines_saturate),
        cmocka_unit_test_setup_teardown(a_link_is_opened_when_there_are_descriptors_again,
                                        server_up, server_down),
        cmocka_unit_test_setup_teardown(each_consequence_is_told, server_up, server_down),
        cmocka_unit_test_setup_teardown(a_second_thread_is_sent_away, server_up, server_down),
    };

    return RUN_TESTS(tests);
}
