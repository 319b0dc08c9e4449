#include "tests/unit/client/client_fixture.h"

#include <stdio.h>

struct fake_server server;

int server_up(void **state)
{
    (void)state;
    fake_server_start(&server, 2);
    return 0;
}

int server_down(void **state)
{
    (void)state;
    fake_server_stop(&server);
    return 0;
}

void fine(const qn_error *err)
{
    assert_string_equal(qn_explain(err), "ok");
}

qn_client *connected(const char *parameters)
{
    char uri[256];
    qn_error err = QN_ERROR_INIT;

    (void)snprintf(uri, sizeof uri, "%s%s", server.uri, parameters);
    qn_client *client = qn_connect(uri, &err);
    fine(&err);
    assert_non_null(client);
    return client;
}

qn_cache *accounts_of(qn_client *client)
{
    qn_error err = QN_ERROR_INIT;
    qn_cache *cache = qn_open(client, "accounts", &err);

    fine(&err);
    assert_non_null(cache);
    return cache;
}

void told(const qn_error *err, enum qn_status status, const char *part)
{
    assert_int_equal(err->status, status);
    if (!strstr(qn_explain(err), part)) {
        fail_msg("\"%s\" does not say \"%s\"", qn_explain(err), part);
    }
}

void numbers_put(qn_cache *cache, int64_t first, int64_t count)
{
    qn_error err = QN_ERROR_INIT;
    qn_batch *batch = qn_batch_new(cache, &err);

    for (int64_t i = first; i < first + count; i++) {
        (void)qn_batch_put(batch, qn_int(i), qn_int(i), &err);
    }
    assert_int_equal(qn_batch_run(batch, 0, &err), QN_OK);
    qn_batch_free(batch);
}

void soft_commit(qn_client *client)
{
    qn_error err = QN_ERROR_INIT;

    assert_int_equal(qn_commit(client, QN_COMMIT_SOFT, 0, &err), QN_OK);
}

struct wire_op latest_op(uint32_t kind)
{
    struct wire_op op = fake_grid_latest(fake_server_lock(&server), kind);

    fake_server_unlock(&server);
    return op;
}
