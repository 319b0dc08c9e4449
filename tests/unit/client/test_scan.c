/* Scans through the public calls: everything once, from one view, to be gone on with anywhere. */
#include "tests/unit/client/client_fixture.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 2000 };

/* How often each number was seen, and how many rows there were. */
struct seen {
    unsigned char times[COUNT * 2];
    size_t rows;
};

static int64_t number_of(const qn_value *value)
{
    int64_t number = -1;

    assert_int_equal(qn_value_int(value, &number), QN_OK);
    return number;
}

/* Take up to `max` rows (0 = all) and note them. The status that ended it. */
static qn_status scan_note(qn_cursor *cursor, size_t max, struct seen *seen, qn_error *err)
{
    qn_status status = QN_OK;

    for (size_t i = 0; (max == 0 || i < max) && status == QN_OK; i++) {
        qn_value *key = NULL;
        qn_value *value = NULL;
        status = qn_cursor_next(cursor, &key, &value, err);
        if (status == QN_OK) {
            int64_t number = number_of(key);
            assert_true(number >= 0 && number < COUNT * 2);
            assert_int_equal(number_of(value), number);
            assert_true(qn_value_version(value) > 0);
            seen->times[number]++;
            seen->rows++;
        } else {
            assert_null(key);
            assert_null(value);
        }
        qn_value_release(key);
        qn_value_release(value);
    }
    return status;
}

static void all_once(const struct seen *seen, size_t count)
{
    assert_int_equal(seen->rows, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(seen->times[i], 1);
    }
}

/* Every entry comes once, in many small steps, with steps ahead and without. */
static void a_scan_brings_everything_once(void **state)
{
    static const char *const settings[] = {"&scan_bytes=4KiB&scan_ahead=0",
                                           "&scan_bytes=4KiB&scan_ahead=2",
                                           "&scan_bytes=4KiB&scan_ahead=8", ""};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct seen seen = {0};
        qn_client *client = connected(settings[i]);
        qn_cache *cache = accounts_of(client);
        numbers_put(cache, 0, COUNT);
        soft_commit(client);
        qn_cursor *cursor = qn_scan(cache, NULL, &err);
        assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
        assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
        fine(&err);
        all_once(&seen, COUNT);
        qn_cursor_close(cursor);
        qn_close(client);
    }
}

/* An empty cache has no entries, and neither has one whose entries nobody has published. */
static void an_empty_scan_ends_at_once(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    qn_client *client = connected("");
    qn_cursor *cursor = qn_scan(qn_open_create(client, "empty", &err), NULL, &err);

    (void)state;
    assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
    qn_cursor_close(cursor);
    numbers_put(accounts_of(client), 0, 3);
    cursor = qn_scan(accounts_of(client), NULL, &err);
    assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
    assert_int_equal(seen.rows, 0);
    qn_cursor_close(cursor);
    qn_close(client);
}

/* A fresh scan shows what was acknowledged before, without a commit of the caller's. */
static void a_fresh_scan_sees_the_latest(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);

    (void)state;
    options.fresh = true;
    numbers_put(cache, 0, 100);
    qn_cursor *cursor = qn_scan(cache, &options, &err);
    assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
    all_once(&seen, 100);
    qn_cursor_close(cursor);
    qn_close(client);
}

/* A partition is read from one view, whatever happens meanwhile. */
static void a_scan_stays_in_its_view(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    uint32_t partition = 99;
    uint64_t view = 0;
    qn_client *client = connected("&scan_bytes=4KiB&scan_ahead=0");
    qn_cache *cache = accounts_of(client);

    (void)state;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    qn_cursor *cursor = qn_scan(cache, NULL, &err);
    assert_int_equal(scan_note(cursor, 1, &seen, &err), QN_OK);
    qn_cursor_view(cursor, &partition, &view);
    assert_int_equal(partition, 0);
    assert_true(view > 0);
    assert_int_equal(qn_clear(cache, NULL, &err), QN_OK);
    soft_commit(client);
    assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
    fine(&err);
    /* Partition 0 as it was, the others as they were when they were begun: empty. */
    uint64_t in_first = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        uint32_t of_key = 0;
        assert_int_equal(qn_partition_of(client, qn_int(i), &of_key), QN_OK);
        in_first += of_key == 0;
        assert_int_equal(seen.times[i], of_key == 0);
    }
    assert_int_equal(seen.rows, in_first);
    qn_cursor_close(cursor);
    qn_close(client);
}

/* Keys alone, when that is asked for. */
static void keys_come_without_values(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    qn_value *key = NULL;
    qn_value *value = NULL;
    size_t rows = 0;

    (void)state;
    options.keys_only = true;
    options.fresh = true;
    numbers_put(cache, 0, 50);
    qn_cursor *cursor = qn_scan(cache, &options, &err);
    while (qn_cursor_next(cursor, &key, &value, &err) == QN_OK) {
        assert_true(number_of(key) < 50);
        assert_null(value);
        qn_value_release(key);
        rows++;
    }
    assert_int_equal(rows, 50);
    qn_cursor_close(cursor);
    qn_close(client);
}

static char *position_take(const qn_cursor *cursor)
{
    size_t size = qn_cursor_position(cursor, NULL, 0);
    char *text = malloc(size);

    assert_non_null(text);
    assert_int_equal(qn_cursor_position(cursor, text, size), size);
    assert_int_equal(strlen(text) + 1, size);
    return text;
}

/* A scan that is cut off anywhere and goes on elsewhere brings everything once. */
static void a_scan_goes_on_from_its_position(void **state)
{
    static const size_t steps[] = {1, 7, 64, 301, 1999, 5000};
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("&scan_bytes=4KiB");
    qn_cache *cache = accounts_of(client);

    (void)state;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct seen seen = {0};
        qn_scan_options options = QN_SCAN_OPTIONS_INIT;
        char *from = NULL;
        qn_status status = QN_OK;
        while (status == QN_OK) {
            options.from = from;
            qn_cursor *cursor = qn_scan(cache, &options, &err);
            free(from);
            status = scan_note(cursor, steps[i], &seen, &err);
            from = position_take(cursor);
            qn_cursor_close(cursor);
        }
        assert_int_equal(status, QN_ABSENT);
        all_once(&seen, COUNT);
        options.from = from; /* at the end */
        qn_cursor *cursor = qn_scan(cache, &options, &err);
        assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_ABSENT);
        qn_cursor_close(cursor);
        free(from);
    }
    fine(&err);
    qn_close(client);
}

/* A cursor that lost its view says so once, and goes on at the same place in a newer one. */
static void a_lost_view_is_told_once(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    size_t told_count = 0;
    qn_client *client = connected("&scan_bytes=4KiB&scan_ahead=0&log_level=off");
    qn_cache *cache = accounts_of(client);
    qn_status status = QN_OK;

    (void)state;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    qn_cursor *cursor = qn_scan(cache, NULL, &err);
    for (size_t i = 0; status != QN_ABSENT; i++) {
        status = scan_note(cursor, 1, &seen, &err);
        if (status == QN_CURSOR_EXPIRED) {
            told(&err, QN_CURSOR_EXPIRED, "the next call goes on in a newer one");
            qn_error_clear(&err);
            told_count++;
        }
        if (i % 500 == 20) {
            fake_grid_forget_views(fake_server_lock(&server));
            fake_server_unlock(&server);
        }
    }
    all_once(&seen, COUNT);
    assert_true(told_count > 0 && told_count <= 4);
    qn_cursor_close(cursor);
    qn_close(client);
}

static void refused_from(qn_cache *cache, const char *from, const char *why)
{
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;

    options.from = from;
    assert_null(qn_scan(cache, &options, &err));
    told(&err, QN_INVALID, why);
}

/* A position that is damaged or of another cache is refused. */
static void a_wrong_position_is_refused(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    qn_client *client = connected("&scan_bytes=4KiB");
    qn_cache *cache = accounts_of(client);

    (void)state;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    qn_cursor *cursor = qn_scan(cache, NULL, &err);
    assert_int_equal(scan_note(cursor, 100, &seen, &err), QN_OK);
    char *from = position_take(cursor);
    qn_cursor_close(cursor);
    refused_from(qn_open_create(client, "another", &err), from, "of another cache");
    refused_from(cache, "", "no position");
    refused_from(cache, "p1-00", "no position");
    for (size_t i = 0; i < strlen(from); i++) {
        char before = from[i];
        from[i] = before == 'f' ? '0' : 'f';
        refused_from(cache, from, "no position");
        from[i] = before;
    }
    from[strlen(from) - 2] = '\0';
    refused_from(cache, from, "no position");
    free(from);
    qn_close(client);
}

/* A cursor of a client that was closed, with steps under way, says so and can be closed. */
static void a_cursor_outlives_its_client(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    qn_client *client = connected("&scan_bytes=4KiB");
    qn_cache *cache = accounts_of(client);
    qn_value *key = NULL;

    (void)state;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    qn_cursor *cursor = qn_scan(cache, NULL, &err);
    qn_cursor *unused = qn_scan(cache, NULL, &err);
    assert_int_equal(scan_note(cursor, 10, &seen, &err), QN_OK);
    assert_int_equal(qn_cursor_next(cursor, &key, NULL, &err), QN_OK);
    qn_close_within(client, 0);
    /* What is there already is handed out; then there is no more. */
    assert_int_equal(scan_note(cursor, 0, &seen, &err), QN_CLOSED);
    told(&err, QN_CLOSED, "the client was closed");
    free(position_take(cursor));
    qn_cursor_close(cursor);
    qn_cursor_close(unused);
    assert_true(number_of(key) >= 0);
    qn_value_release(key);
}

/* Closing a cursor with steps under way leaves nothing behind. */
static void a_cursor_closes_at_any_time(void **state)
{
    qn_error err = QN_ERROR_INIT;
    qn_client *client = connected("&scan_bytes=4KiB&scan_ahead=8");
    qn_cache *cache = accounts_of(client);

    (void)state;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    for (size_t i = 1; i < 200; i++) {
        struct seen seen = {0};
        qn_cursor *cursor = qn_scan(cache, NULL, &err);
        assert_int_equal(scan_note(cursor, i, &seen, &err), QN_OK);
        qn_cursor_close(cursor);
    }
    assert_int_equal(client->call_count, 0);
    qn_cursor_close(NULL);
    qn_close(client);
}

/* A node that does not answer ends a step by its deadline; once it is back the cursor goes on. */
static void a_scan_survives_an_outage(void **state)
{
    qn_error err = QN_ERROR_INIT;
    struct seen seen = {0};
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    qn_client *client = connected("&scan_bytes=4KiB&log_level=off");
    qn_cache *cache = accounts_of(client);
    qn_status status = QN_OK;
    size_t failures = 0;

    (void)state;
    options.timeout_ms = 60;
    numbers_put(cache, 0, COUNT);
    soft_commit(client);
    qn_cursor *cursor = qn_scan(cache, &options, &err);
    assert_int_equal(scan_note(cursor, 30, &seen, &err), QN_OK);
    atomic_store(&server.mute, true);
    while (failures < 2) {
        status = scan_note(cursor, 0, &seen, &err);
        assert_true(status == QN_DEADLINE || status == QN_UNREACHABLE);
        qn_error_clear(&err);
        failures++;
    }
    atomic_store(&server.mute, false);
    for (status = QN_OK; status != QN_ABSENT;) {
        status = scan_note(cursor, 0, &seen, &err);
        qn_error_clear(&err);
    }
    all_once(&seen, COUNT);
    qn_cursor_close(cursor);
    qn_close(client);
}

/* Values come as they were put, also those that travel compressed. */
static void scanned_values_are_unpacked(void **state)
{
    static char big[20000];
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    qn_client *client = connected("&scan_bytes=4KiB");
    qn_cache *cache = accounts_of(client);
    qn_value *key = NULL;
    qn_value *value = NULL;
    const void *data = NULL;
    size_t size = 0;
    size_t rows = 0;

    (void)state;
    memset(big, 'x', sizeof big);
    options.fresh = true;
    for (int64_t i = 0; i < 40; i++) {
        qn_put(cache, qn_int(i), qn_bytes(big, (size_t)i * 500), NULL, &err);
    }
    qn_cursor *cursor = qn_scan(cache, &options, &err);
    while (qn_cursor_next(cursor, &key, &value, &err) == QN_OK) {
        assert_int_equal(qn_value_bytes(value, &data, &size), QN_OK);
        assert_bytes_equal(bytes_of(data, size), bytes_of(big, (size_t)number_of(key) * 500));
        qn_value_release(key);
        qn_value_release(value);
        rows++;
    }
    fine(&err);
    assert_int_equal(rows, 40);
    qn_cursor_close(cursor);
    qn_close(client);
}

/* A damaged value is told, and passed over. */
static void a_damaged_row_is_passed_over(void **state)
{
    static char big[2000];
    qn_error err = QN_ERROR_INIT;
    qn_scan_options options = QN_SCAN_OPTIONS_INIT;
    qn_client *client = connected("");
    qn_cache *cache = accounts_of(client);
    size_t rows = 0;
    size_t damaged = 0;
    qn_status status = QN_OK;

    (void)state;
    options.fresh = true;
    numbers_put(cache, 0, 10);
    fake_grid_damage(fake_server_lock(&server));
    fake_server_unlock(&server);
    qn_put(cache, qn_int(1000), qn_bytes(big, sizeof big), NULL, &err);
    qn_cursor *cursor = qn_scan(cache, &options, &err);
    while (status != QN_ABSENT) {
        qn_value *key = NULL;
        qn_value *value = NULL;
        status = qn_cursor_next(cursor, &key, &value, &err);
        rows += status == QN_OK;
        damaged += status == QN_CORRUPT;
        if (status == QN_CORRUPT) {
            told(&err, QN_CORRUPT, "can not be unpacked");
            assert_null(key);
        }
        qn_error_clear(&err);
        qn_value_release(key);
        qn_value_release(value);
    }
    assert_int_equal(rows, 10);
    assert_int_equal(damaged, 1);
    qn_cursor_close(cursor);
    qn_close(client);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(a_scan_brings_everything_once), WITH_SERVER(an_empty_scan_ends_at_once),
        WITH_SERVER(a_fresh_scan_sees_the_latest),  WITH_SERVER(a_scan_stays_in_its_view),
        WITH_SERVER(keys_come_without_values),      WITH_SERVER(a_scan_goes_on_from_its_position),
        WITH_SERVER(a_lost_view_is_told_once),      WITH_SERVER(a_wrong_position_is_refused),
        WITH_SERVER(a_cursor_outlives_its_client),  WITH_SERVER(a_cursor_closes_at_any_time),
        WITH_SERVER(a_scan_survives_an_outage),     WITH_SERVER(scanned_values_are_unpacked),
        WITH_SERVER(a_damaged_row_is_passed_over),
    };

    return RUN_TESTS(tests);
}
