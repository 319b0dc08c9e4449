/* Random scans: cut off, gone on with elsewhere, in views that are lost, from a node that is mute
 * for a while or restarts, by several threads. No entry that was there all the time is missed, and
 * none comes twice but after a loss that was told. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/client/client_fixture.h"

enum { STABLE = 1500, ROUNDS = 4 };

static uint64_t prng;

static uint32_t random_below(uint32_t bound)
{
    prng = prng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((prng >> 33) % bound);
}

/* What becomes of one scan. */
struct run {
    qn_client *client;
    qn_cache *cache;
    qn_cursor *cursor;
    unsigned char times[STABLE];
    bool is_lost; /* a view was: repetition is allowed */
    bool is_over;
};

static void cursor_open(struct run *run, const char *from)
{
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;

    options.from = from;
    options.timeout_ms = 150;
    run->cursor = qn_scan(run->cache, &options, &err);
    fine(&err);
}

static void row_note(struct run *run, qn_value *key, qn_value *value)
{
    int64_t number = -1;

    assert_int_equal(qn_value_int(key, &number), QN_OK);
    if (number < STABLE) {
        run->times[number]++;
    }
    qn_value_release(key);
    qn_value_release(value);
}

static void rows_take(struct run *run, uint32_t count)
{
    qn_error err = QN_ERROR_INIT;

    for (uint32_t i = 0; i < count && !run->is_over; i++) {
        qn_value *key = NULL;
        qn_value *value = NULL;
        qn_status status = qn_cursor_next(run->cursor, &key, &value, &err);
        if (status == QN_OK) {
            row_note(run, key, value);
        } else if (status == QN_ABSENT) {
            run->is_over = true;
        } else {
            assert_true(status == QN_CURSOR_EXPIRED || status == QN_DEADLINE ||
                        status == QN_UNREACHABLE || status == QN_STALE_EPOCH);
            run->is_lost = run->is_lost || status == QN_CURSOR_EXPIRED;
            qn_error_clear(&err);
        }
    }
}

/* Close the cursor and go on with another one from its position. */
static void cursor_change(struct run *run)
{
    size_t size = qn_cursor_position(run->cursor, NULL, 0);
    char *from = malloc(size);

    assert_non_null(from);
    assert_int_equal(qn_cursor_position(run->cursor, from, size), size);
    qn_cursor_close(run->cursor);
    cursor_open(run, from);
    free(from);
}

/* Entries that come and go, above those that stay. */
static void entries_disturb(const struct run *run)
{
    for (int i = 0; i < 20; i++) {
        qn_arg key = qn_int(STABLE + random_below(500));
        if (random_below(2)) {
            (void)qn_put(run->cache, key, qn_int(1), NULL, NULL);
        } else {
            (void)qn_remove(run->cache, key, NULL, NULL);
        }
    }
    (void)qn_commit(run->client, QN_COMMIT_SOFT, 0, NULL);
}

/* Nobody answers until a step or two have failed. */
static void outage(struct run *run)
{
    qn_stats stats = {.size = sizeof stats};

    atomic_store(&server.mute, true);
    assert_int_equal(qn_stats_get(run->client, &stats), QN_OK);
    uint64_t before = stats.failures;
    while (!run->is_over && stats.failures < before + 2) {
        rows_take(run, 1);
        assert_int_equal(qn_stats_get(run->client, &stats), QN_OK);
    }
    atomic_store(&server.mute, false);
}

static void something_happens(struct run *run, bool views_are_lost)
{
    switch (random_below(8)) {
    case 0:
        cursor_change(run);
        break;
    case 1:
        entries_disturb(run);
        break;
    case 2:
        outage(run);
        break;
    case 3:
        fake_server_kill(&server);
        fake_server_revive(&server);
        break;
    case 4:
        if (views_are_lost) {
            fake_grid_forget_views(fake_server_lock(&server));
            fake_server_unlock(&server);
        }
        break;
    default:
        rows_take(run, random_below(400));
        break;
    }
}

static void run_check(const struct run *run, uint64_t seed)
{
    for (size_t i = 0; i < STABLE; i++) {
        if (run->times[i] == 0 || (run->times[i] > 1 && !run->is_lost)) {
            fail_msg("seed %llu: entry %zu came %d times%s", (unsigned long long)seed, i,
                     run->times[i], run->is_lost ? ", a view was lost" : "");
        }
    }
}

static void run_once(uint64_t seed, bool views_are_lost)
{
    struct run run = {.client = connected("&scan_bytes=4KiB&log_level=off")};

    prng = seed * 2 + 1;
    run.cache = accounts_of(run.client);
    cursor_open(&run, NULL);
    while (!run.is_over) {
        something_happens(&run, views_are_lost);
    }
    run_check(&run, seed);
    qn_cursor_close(run.cursor);
    qn_close(run.client);
}

static void prepared(void)
{
    qn_client *client = connected("");

    numbers_put(accounts_of(client), 0, STABLE);
    soft_commit(client);
    qn_close(client);
}

/* As long as views last, everything comes exactly once. */
static void scans_bring_everything_once(void **state)
{
    (void)state;
    prepared();
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        run_once(seed, false);
    }
}

/* When they do not, nothing is missed. */
static void scans_in_lost_views_miss_nothing(void **state)
{
    (void)state;
    prepared();
    for (uint64_t seed = 101; seed <= 100 + ROUNDS; seed++) {
        run_once(seed, true);
    }
}

/* ---- threads ---- */

static void *scan_all(void *arg)
{
    qn_error err = QN_ERROR_INIT;
    qn_value *key = NULL;
    qn_value *value = NULL;
    uintptr_t rows = 0;

    for (int i = 0; i < 4; i++) {
        qn_cursor *cursor = qn_scan(arg, NULL, &err);
        while (qn_cursor_next(cursor, &key, &value, &err) == QN_OK) {
            qn_value_release(key);
            qn_value_release(value);
            rows++;
        }
        qn_cursor_close(cursor);
    }
    return (void *)(qn_error_failed(&err) ? 0 : rows);
}

static void threads_scan(qn_cache *cache)
{
    enum { THREADS = 5 };
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, scan_all, cache), 0);
    }
    for (int64_t i = 0; i < 200; i++) {
        assert_int_equal(qn_put(cache, qn_int(i), qn_int(i), NULL, NULL), QN_OK);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *rows = NULL;
        assert_int_equal(pthread_join(threads[i], &rows), 0);
        assert_int_equal((uintptr_t)rows, 4 * STABLE);
    }
}

/* Several threads scan with cursors of their own while another one writes, with and without the
 * client's own thread. */
static void threads_scan_at_a_time(void **state)
{
    qn_client *client = connected("&scan_bytes=4KiB");

    (void)state;
    prepared();
    threads_scan(accounts_of(client));
    assert_true(qn_fd(client) >= 0);
    threads_scan(accounts_of(client));
    qn_close(client);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(scans_bring_everything_once),
        WITH_SERVER(scans_in_lost_views_miss_nothing),
        WITH_SERVER(threads_scan_at_a_time),
    };

    return RUN_TESTS(tests);
}
