/* A server and clients of it, for tests of the public calls. */
#ifndef QUOIN_TESTS_CLIENT_CLIENT_FIXTURE_H
#define QUOIN_TESTS_CLIENT_CLIENT_FIXTURE_H

#include "client/driver.h"
#include "tests/lib/check.h"
#include "tests/unit/client/fake_server.h"

extern struct fake_server server;

/* Setup and teardown of a test: two shards. */
int server_up(void **state);
int server_down(void **state);

/* A client with these parameters more, "&in_flight=4", and its cache "accounts". */
qn_client *connected(const char *parameters);
qn_cache *accounts_of(qn_client *client);

/* `err` has this status, and its text says this. */
void told(const qn_error *err, enum qn_status status, const char *part);

/* Nothing has failed. */
void fine(const qn_error *err);

/* Put numbers `first` to `first + count - 1` under themselves. */
void numbers_put(qn_cache *cache, int64_t first, int64_t count);

/* Make everything visible to scans and counts. */
void soft_commit(qn_client *client);

/* The latest operation of this kind that the server has got. */
struct wire_op latest_op(uint32_t kind);

#endif
