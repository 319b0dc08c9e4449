/* The n-th allocation of the calling thread is refused, for every n: a call then fails and says so,
 * or succeeds all the same; nothing crashes, nothing leaks (the sanitizers look), and the client
 * can be used afterwards. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/client/client_fixture.h"

/* Allocations of this thread until one is refused; negative = none is. The server has its own. */
static _Thread_local long left = -1;
static _Thread_local unsigned long refused;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

static bool is_refused(void)
{
    if (left < 0 || left-- > 0) {
        return false;
    }
    refused++;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return is_refused() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return is_refused() ? NULL : __real_strndup(text, size);
}

/* Run `fn` with each of its allocations refused in turn, until it makes none that is. */
static void each_refused(void (*fn)(void *arg), void *arg)
{
    for (long n = 0;; n++) {
        unsigned long before = refused;
        left = n;
        fn(arg);
        left = -1;
        if (refused == before) {
            assert_true(n > 0); /* there was something to refuse */
            return;
        }
        assert_true(n < 2000);
    }
}

/* A failure is one of memory, of a deadline (a message was dropped for want of it), or of a client
 * that could not be made. */
static void checked(qn_status status)
{
    if (status < 0 && status != QN_MEMORY_FULL && status != QN_DEADLINE &&
        status != QN_UNREACHABLE && status != QN_IO && status != QN_MALFORMED) {
        fail_msg("%s", qn_status_name(status));
    }
}

static void connect_once(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = qn_connect(arg, &err);
    qn_cache *cache = qn_open(client, "accounts", &err);

    assert_int_equal(cache == NULL, qn_error_failed(&err));
    checked(err.status);
    qn_close(client);
}

/* Connecting and opening a cache. */
static void connecting(void **state)
{
    char uri[600];

    (void)state;
    (void)snprintf(uri, sizeof uri, "quoin://%s/?timeout=1s&log_level=off",
                   server.endpoints[0] + strlen("tcp://"));
    each_refused(connect_once, uri);
}

static void configure_once(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_config *config = qn_config_new(&err);

    (void)arg;
    (void)qn_config_set(config, "timeout", "3s", &err);
    checked(err.status);
    qn_config_free(config);
}

/* Putting settings together. */
static void configuring(void **state)
{
    (void)state;
    each_refused(configure_once, NULL);
}

/* ---- with a client that is there ---- */

/* It works when it gets memory. */
static void works(qn_cache *cache)
{
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(qn_put(cache, qn_str("works"), qn_int(1), NULL, &err), QN_OK);
    assert_int_equal(qn_contains(cache, qn_str("works"), NULL, &err), QN_OK);
}

static void with_client(void (*fn)(void *arg))
{
    qn_client *client = connected("&scan_bytes=4KiB&log_level=off");
    qn_cache *cache = accounts_of(client);

    works(cache);
    numbers_put(cache, 0, 600);
    soft_commit(client);
    each_refused(fn, cache);
    works(cache);
    assert_int_equal(client->call_count, 0);
    assert_int_equal(client->in_flight, 0);
    qn_close(client);
}

static void one_key_once(void *arg)
{
    static char big[5000];
    qn_error err = QN_ERROR_INIT;
    qn_options options = QN_OPTIONS_INIT;
    qn_value *old = NULL;
    qn_value *value = NULL;

    options.old = &old;
    checked(qn_put(arg, qn_str("k"), qn_bytes(big, sizeof big), &options, &err));
    qn_value_release(old);
    qn_error_clear(&err);
    qn_status status = qn_get(arg, qn_str("k"), NULL, &value, &err);
    checked(status);
    assert_int_equal(value != NULL, status == QN_OK);
    qn_value_release(value);
}

/* Putting and getting a value that is compressed. */
static void one_key(void **state)
{
    (void)state;
    with_client(one_key_once);
}

static void batch_once(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_batch *batch = qn_batch_new(arg, &err);

    for (int64_t i = 0; i < 70; i++) {
        (void)qn_batch_put(batch, qn_int(1000 + i), qn_str("text"), &err);
        (void)qn_batch_get(batch, qn_int(i), &err);
    }
    checked(err.status);
    qn_error_clear(&err);
    if (batch) {
        checked(qn_batch_run(batch, 0, &err));
    }
    for (size_t i = 0; i < qn_batch_size(batch); i++) {
        checked(qn_batch_status(batch, i));
    }
    qn_batch_free(batch);
}

/* A batch, being filled and run. */
static void batches(void **state)
{
    (void)state;
    with_client(batch_once);
}

/* The scan goes on after each failure, and brings everything once in spite of them. */
static void scan_once(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_cursor *cursor = qn_scan(arg, NULL, &err);
    qn_status status = cursor ? QN_OK : QN_ABSENT;
    size_t rows = 0;

    checked(err.status);
    while (status != QN_ABSENT) {
        qn_value *key = NULL;
        qn_value *value = NULL;
        qn_error_clear(&err);
        status = qn_cursor_next(cursor, &key, &value, &err);
        checked(status);
        rows += status == QN_OK;
        qn_value_release(key);
        qn_value_release(value);
    }
    assert_true(!cursor || rows >= 600);
    assert_true(rows <= 800); /* what other tests of this client have put, at most */
    qn_cursor_close(cursor);
}

/* A scan. */
static void scans(void **state)
{
    (void)state;
    with_client(scan_once);
}

static void no_fact(void *arg, uint32_t node, const char *name, const char *text, int64_t number)
{
    (void)arg;
    (void)node;
    (void)name;
    (void)text;
    (void)number;
}

static void no_info(void *arg, const qn_cache_info *info)
{
    (void)arg;
    (void)info;
}

static void no_pair(void *arg, uint32_t node, const char *name, const char *text)
{
    (void)arg;
    (void)node;
    (void)name;
    (void)text;
}

static void whole_once(void *arg)
{
    qn_cache *cache = arg;
    uint64_t count = 0;

    checked(qn_count(cache, &count, NULL, NULL));
    checked(qn_caches(cache->client, 0, no_info, NULL, NULL));
    checked(qn_node_facts(cache->client, 0, no_fact, NULL, NULL));
    checked(qn_node_config(cache->client, 0, no_pair, NULL, NULL));
    checked(qn_commit(cache->client, QN_COMMIT_SOFT, 0, NULL));
}

/* What is asked of all partitions and nodes. */
static void whole_caches(void **state)
{
    (void)state;
    with_client(whole_once);
}

static void clear_once(void *arg)
{
    checked(qn_clear(arg, NULL, NULL));
}

/* Clearing, which opens a session in every partition. */
static void clears(void **state)
{
    (void)state;
    with_client(clear_once);
}

static void start_once(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_op *op = qn_put_start(arg, qn_str("k"), qn_str("v"), NULL, &err);

    checked(err.status);
    (void)qn_op_wait(op, -1);
    qn_op_release(op);
}

/* An operation without waiting: what its own thread does is refused nothing. */
static void operations(void **state)
{
    (void)state;
    with_client(start_once);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(connecting), WITH_SERVER(configuring), WITH_SERVER(one_key),
        WITH_SERVER(batches),    WITH_SERVER(scans),       WITH_SERVER(whole_caches),
        WITH_SERVER(clears),     WITH_SERVER(operations),
    };

    return RUN_TESTS(tests);
}
