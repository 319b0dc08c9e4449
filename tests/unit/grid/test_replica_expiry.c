/* Times to live: who decides that an entry's time has come, when, and how it is told (B.11). */
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1 };

static struct wire_op put_for(uint64_t session, uint64_t sequence, const char *key, int64_t ttl_ms)
{
    struct wire_op op = lab_change(WIRE_OP_PUT, session, sequence, key, "v");

    op.ttl_ms = ttl_ms;
    return op;
}

static struct wire_op touch_for(uint64_t session, uint64_t sequence, const char *key,
                                int64_t ttl_ms)
{
    struct wire_op op = lab_change(WIRE_OP_TOUCH, session, sequence, key, "");

    op.ttl_ms = ttl_ms;
    return op;
}

static int get_status(struct lab *lab, const char *key)
{
    return lab_get(lab, key)->result.status;
}

static struct record log_record(const struct lab *lab, size_t index)
{
    struct record record = {0};
    size_t size;

    assert_int_equal(record_decode(buf_bytes(&lab->log[index - 1]), &record, &size), QN_OK);
    return record;
}

static size_t effect_count(const struct record *record)
{
    struct bytes left = record->effects;
    struct effect effect;
    size_t count = 0;

    while (effect_next(&left, &effect) == QN_OK) {
        count++;
    }
    return count;
}

/* An entry lives for its time from the partition time of its own record on; a read says how long
 * is left. */
static void an_entry_lives_for_its_time(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "k", 1000));
    assert_int_equal(lab_get(lab, "k")->result.ttl_ms, 1000);
    lab_tick(lab, 400);
    lab_done(lab, ME, lab_change(WIRE_OP_PUT, s, 2, "other", "v")); /* moves the time */
    assert_int_equal(lab_get(lab, "k")->result.ttl_ms, 600);
    lab_tick(lab, 599);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "k"), QN_OK);
    lab_tick(lab, 1);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "k"), QN_ABSENT);
    assert_int_equal(lab_get(lab, "other")->result.ttl_ms, 0); /* never */
    assert_int_equal(lab_stats(lab).entries, 1);
    assert_int_equal(lab_stats(lab).expired, 1);
    lab_destroy(lab);
}

/* What the cache says holds where the operation says nothing; `never` says something. */
static void the_cache_says_how_long_where_the_operation_does_not(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab->cache_ttl_ms = 500;
    lab_done(lab, ME, put_for(s, 1, "cache", WIRE_TTL_CACHE));
    lab_done(lab, ME, put_for(s, 2, "never", WIRE_TTL_NEVER));
    lab_done(lab, ME, put_for(s, 3, "own", 7));
    assert_int_equal(lab_get(lab, "cache")->result.ttl_ms, 500);
    assert_int_equal(lab_get(lab, "never")->result.ttl_ms, 0);
    assert_int_equal(lab_get(lab, "own")->result.ttl_ms, 7);
    lab_done(lab, ME, lab_change(WIRE_OP_REPLACE, s, 4, "own", "w")); /* the cache's again */
    assert_int_equal(lab_get(lab, "own")->result.ttl_ms, 500);
    int status = lab_done(lab, ME, put_for(s, 5, "bad", -2))->status;
    assert_int_equal(status, QN_INVALID);
    lab_destroy(lab);
}

/* A time to live beyond the end of time is none. */
static void a_time_beyond_all_times_is_never(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "k", INT64_MAX));
    lab_done(lab, ME, put_for(s, 2, "l", INT64_MAX - lab->wall_ms - 1));
    assert_int_equal(lab_get(lab, "k")->result.ttl_ms, 0);
    assert_true(lab_get(lab, "l")->result.ttl_ms > 0);
    lab_tick(lab, 100000);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "k"), QN_OK);
    assert_int_equal(get_status(lab, "l"), QN_OK);
    lab_destroy(lab);
}

/* TOUCH gives another time and a new version, and leaves the value; a repetition is told the same
 * and does not prolong it again. */
static void touch_changes_the_time_only(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = put_for(s, 1, "k", 1000);

    (void)state;
    put.value_flags = VALUE_COMPRESSED;
    lab_done(lab, ME, put);
    uint64_t version = lab_done(lab, ME, touch_for(s, 2, "k", 5000))->version;
    const struct wire_result *got = &lab_get(lab, "k")->result;
    assert_int_equal(version, lab->log_count);
    assert_int_equal(got->version, version);
    assert_int_equal(got->ttl_ms, 5000);
    assert_int_equal(got->value_flags, VALUE_COMPRESSED);
    assert_bytes_equal(got->value, bytes_of_text("v"));
    lab_tick(lab, 3000);
    assert_int_equal(lab_done(lab, ME, touch_for(s, 2, "k", 5000))->version, version);
    lab_done(lab, ME, put_for(s, 3, "other", 0));
    assert_int_equal(lab_get(lab, "k")->result.ttl_ms, 2000);
    lab_done(lab, ME, touch_for(s, 4, "k", WIRE_TTL_NEVER));
    assert_int_equal(lab_get(lab, "k")->result.ttl_ms, 0);
    int status = lab_done(lab, ME, touch_for(s, 5, "absent", 1))->status;
    assert_int_equal(status, QN_ABSENT);
    lab_destroy(lab);
}

/* Partition time follows the wall clock and never goes back: a clock set back expires nothing
 * earlier, and none comes back to life (B.11). */
static void a_clock_set_back_changes_nothing(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "k", 1000));
    lab->wall_ms -= 50000;
    lab_done(lab, ME, put_for(s, 2, "l", 1000)); /* from the same partition time on */
    lab_tick(lab, 0);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "k"), QN_OK);
    assert_int_equal(lab_get(lab, "l")->result.ttl_ms, 1000);
    lab->wall_ms += 51000;
    lab_tick(lab, 0);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "k"), QN_ABSENT);
    assert_int_equal(get_status(lab, "l"), QN_ABSENT);
    lab->wall_ms -= 100000;
    lab_tick(lab, 0);
    lab_crash(lab, true);
    assert_int_equal(get_status(lab, "k"), QN_ABSENT);
    lab_destroy(lab);
}

/* A read goes by committed time: while the record that passes the entry's time is on its way to
 * disk, the entry is there (no reader sees what could still be lost). */
static void a_read_goes_by_committed_time(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "k", 1000));
    lab->no_append = true; /* no EXPIRE: only the time of other records */
    lab_tick(lab, 1000);
    lab_send(lab, ME, lab_change(WIRE_OP_PUT, s, 2, "other", "v"));
    assert_int_equal(get_status(lab, "k"), QN_OK);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "k"), QN_ABSENT);
    uint64_t contains =
        lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_CONTAINS, .key = bytes_of_text("k")});
    assert_int_equal(lab_status(lab, contains), QN_ABSENT);
    assert_int_equal(lab_stats(lab).entries, 2); /* until its EXPIRE */
    lab_destroy(lab);
}

/* A change goes by the time of the last record; what it is told waits until that record is on disk.
 */
static void a_change_goes_by_the_time_of_the_last_record(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "k", 1000));
    lab->no_append = true;
    lab_tick(lab, 999);
    lab_send(lab, ME, lab_change(WIRE_OP_PUT, s, 2, "other", "v"));
    uint64_t alive = lab_send(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, s, 3, "k", "w"));
    assert_int_equal(lab_status(lab, alive), QN_EXISTS);
    lab_tick(lab, 1);
    lab_send(lab, ME, lab_change(WIRE_OP_PUT, s, 4, "other", "v"));
    uint64_t touch = lab_send(lab, ME, touch_for(s, 5, "k", 5));
    uint64_t replace = lab_send(lab, ME, lab_change(WIRE_OP_REPLACE, s, 6, "k", "w"));
    uint64_t removal = lab_send(lab, ME, lab_change(WIRE_OP_REMOVE, s, 7, "k", ""));
    struct wire_op old = lab_change(WIRE_OP_PUT_IF_ABSENT, s, 8, "k", "w");
    old.flags = WIRE_RETURN_OLD;
    uint64_t put = lab_send(lab, ME, old);
    assert_null(lab_reply(lab, touch));
    assert_null(lab_reply(lab, replace));
    assert_null(lab_reply(lab, removal));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, touch), QN_ABSENT);
    assert_int_equal(lab_status(lab, replace), QN_ABSENT);
    assert_int_equal(lab_status(lab, removal), QN_ABSENT);
    assert_int_equal(lab_status(lab, put), QN_OK);
    assert_false(lab_reply(lab, put)->result.has_value); /* the dead one is nobody's old value */
    assert_bytes_equal(lab_get(lab, "k")->result.value, bytes_of_text("w"));
    lab_destroy(lab);
}

/* Entries are removed by records, so a start from the log finds the same ones gone, whatever its
 * clock says. */
static void a_start_finds_the_same_entries_gone(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "a", 100));
    lab_done(lab, ME, put_for(s, 2, "b", 200));
    lab_tick(lab, 150);
    lab_sync(lab);
    struct replica_digest before = lab_digest(lab);
    lab->wall_ms += 1000000;
    lab_crash(lab, false);
    struct replica_digest after = lab_digest(lab);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(lab_stats(lab).entries, 1);
    assert_int_equal(lab_stats(lab).expired, 0); /* counted by the leader that removed them */
    lab_configure(lab, 2);
    lab_sync(lab);
    lab_tick(lab, 0);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "b"), QN_ABSENT);
    lab_destroy(lab);
}

static void put_many(struct lab *lab, uint64_t session, unsigned count, int64_t ttl_ms)
{
    char key[32];

    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(key, sizeof key, "key %u", i);
        struct wire_op put = put_for(session, i + 1, key, ttl_ms);
        put.first_incomplete = i + 1;
        put.cache = 1 + i % 3;
        lab_send(lab, ME, put);
        lab_sync(lab);
    }
}

/* Many that are due go in records of at most 256 each, as many TICKs as it takes; each cache's are
 * counted when they are gone. */
static void many_expire_in_bounded_records(void **state)
{
    enum { COUNT = 3000 };
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct replica_cache figures;
    size_t removed = 0;

    (void)state;
    put_many(lab, s, COUNT, 1000);
    size_t first = lab->log_count + 1;
    for (int ticks = 0; lab_stats(lab).entries > 0; ticks++) {
        assert_true(ticks < 10);
        lab_tick(lab, 1000);
        assert_true(replica_cache_at(lab->replica, 0, &figures));
        assert_true(ticks > 0 || figures.expired == 0); /* not before they are on disk */
        lab_sync(lab);
    }
    for (size_t i = first; i <= lab->log_count; i++) {
        struct record record = log_record(lab, i);
        assert_int_equal(record.type, RECORD_EXPIRE);
        assert_in_range(effect_count(&record), 1, 256);
        assert_true(record.effects.size <= 64 * 1024);
        removed += effect_count(&record);
    }
    assert_int_equal(removed, COUNT);
    assert_int_equal(lab_stats(lab).expired, COUNT);
    for (size_t i = 0; i < 3; i++) {
        assert_true(replica_cache_at(lab->replica, i, &figures));
        assert_int_equal(figures.cache, i + 1);
        assert_int_equal(figures.expired, COUNT / 3);
        assert_int_equal(figures.entries, 0);
    }
    assert_false(replica_cache_at(lab->replica, 3, &figures));
    lab_destroy(lab);
}

/* An entry that is due is removed once, however often the TICK comes before the disk does. */
static void an_entry_expires_once(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "k", 10));
    size_t before = lab->log_count;
    lab_tick(lab, 10);
    lab_tick(lab, 10);
    lab_tick(lab, 10);
    assert_int_equal(lab->log_count, before + 1);
    lab_sync(lab);
    lab_tick(lab, 10);
    assert_int_equal(lab->log_count, before + 1);
    assert_int_equal(lab_stats(lab).expired, 1);
    lab_destroy(lab);
}

/* Who overwrites or touches an entry in time keeps it: the time that counts is the newest one. */
static void a_newer_version_has_its_own_time(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put_for(s, 1, "a", 100));
    lab_done(lab, ME, put_for(s, 2, "b", 100));
    lab_done(lab, ME, put_for(s, 3, "c", 100));
    lab_tick(lab, 99);
    lab_done(lab, ME, put_for(s, 4, "a", 100));
    lab_send(lab, ME, touch_for(s, 5, "b", WIRE_TTL_NEVER)); /* on its way when the time comes */
    lab_tick(lab, 1);
    lab_sync(lab);
    assert_int_equal(get_status(lab, "a"), QN_OK);
    assert_int_equal(get_status(lab, "b"), QN_OK);
    assert_int_equal(get_status(lab, "c"), QN_ABSENT);
    lab_destroy(lab);
}

/* A key too large to stand beside others in a record gets one of its own. */
static void a_huge_key_expires_alone(void **state)
{
    static char key[64 * 1024];
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = put_for(s, 1, "small", 100);

    (void)state;
    lab_done(lab, ME, put);
    memset(key, 'k', sizeof key);
    put = put_for(s, 2, "", 100);
    put.key = bytes_of(key, sizeof key);
    lab_done(lab, ME, put);
    for (int i = 0; i < 4; i++) {
        lab_tick(lab, 100);
        lab_sync(lab);
    }
    assert_int_equal(lab_stats(lab).entries, 0);
    lab_destroy(lab);
}

/* A log without room, too much on its way to disk, or no memory: expiry waits and goes on. */
static void expiry_waits_for_room(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.uncommitted_max_bytes = 2000;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    put_many(lab, s, 100, 100);
    size_t before = lab->log_count;
    lab->no_append = true;
    lab_tick(lab, 100);
    assert_int_equal(lab->log_count, before);
    lab->no_append = false;
    lab->memory.grants = 0;
    lab_tick(lab, 0);
    lab->memory.grants = SIZE_MAX;
    while (lab_stats(lab).entries > 0) {
        lab_tick(lab, 1);
        assert_true(lab_stats(lab).uncommitted_bytes <= 2000);
        assert_true(lab_stats(lab).uncommitted_bytes > 0);
        lab_sync(lab);
    }
    assert_int_equal(lab_stats(lab).expired, 100);
    lab_destroy(lab);
}

/* Whichever request for memory is refused while entries expire, the log tells the same story. */
static void expiry_without_memory_leaves_no_trace(void **state)
{
    (void)state;
    for (size_t grants = 0; grants < 12; grants++) {
        struct lab *lab = lab_create();
        uint64_t s = lab_session(lab, ME);
        put_many(lab, s, 20, 100);
        lab->memory.grants = grants;
        lab_tick(lab, 100);
        lab->memory.grants = SIZE_MAX;
        lab_sync(lab);
        assert_int_equal(lab_stats(lab).expired + lab_stats(lab).entries, 20);
        struct replica_digest before = lab_digest(lab);
        lab_crash(lab, true);
        struct replica_digest after = lab_digest(lab);
        assert_int_equal(before.entries, after.entries);
        lab_tick(lab, 0);
        lab_sync(lab);
        assert_int_equal(lab_stats(lab).entries, 0);
        lab_destroy(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_lives_for_its_time),
        cmocka_unit_test(the_cache_says_how_long_where_the_operation_does_not),
        cmocka_unit_test(a_time_beyond_all_times_is_never),
        cmocka_unit_test(touch_changes_the_time_only),
        cmocka_unit_test(a_clock_set_back_changes_nothing),
        cmocka_unit_test(a_read_goes_by_committed_time),
        cmocka_unit_test(a_change_goes_by_the_time_of_the_last_record),
        cmocka_unit_test(a_start_finds_the_same_entries_gone),
        cmocka_unit_test(many_expire_in_bounded_records),
        cmocka_unit_test(an_entry_expires_once),
        cmocka_unit_test(a_newer_version_has_its_own_time),
        cmocka_unit_test(a_huge_key_expires_alone),
        cmocka_unit_test(expiry_waits_for_room),
        cmocka_unit_test(expiry_without_memory_leaves_no_trace),
    };
    return RUN_TESTS(tests);
}
