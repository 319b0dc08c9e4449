/* CLEAR of a cache, DROP of one that exists no more, and the limit of memory. */
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1, ANOTHER_CACHE = LAB_CACHE + 1 };

static struct wire_op in(uint32_t cache, struct wire_op op)
{
    op.cache = cache;
    return op;
}

static struct wire_op put(uint64_t session, uint64_t sequence, const char *key)
{
    return lab_change(WIRE_OP_PUT, session, sequence, key, "v");
}

static struct wire_op clear(uint64_t session, uint64_t sequence)
{
    return lab_change(WIRE_OP_CLEAR, session, sequence, "", "");
}

static enum qn_status drop(struct lab *lab, uint32_t cache)
{
    return lab_step(lab, (struct replica_event){
                             .kind = REPLICA_DROP, .cache = cache, .append = !lab->no_append});
}

static int get_status(struct lab *lab, const char *key)
{
    return lab_get(lab, key)->result.status;
}

/* CLEAR removes what its cache had, says how much that was, and leaves other caches alone. */
static void clear_empties_one_cache(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "a"));
    lab_done(lab, ME, put(s, 2, "b"));
    lab_done(lab, ME, in(ANOTHER_CACHE, put(s, 3, "a")));
    uint64_t cleared = lab_send(lab, ME, clear(s, 4));
    assert_int_equal(get_status(lab, "a"), QN_OK); /* not before it is on disk */
    lab_sync(lab);
    assert_int_equal(lab_status(lab, cleared), QN_OK);
    assert_int_equal(lab_reply(lab, cleared)->result.count, 2);
    assert_int_equal(lab_reply(lab, cleared)->result.index, lab->log_count);
    assert_int_equal(get_status(lab, "a"), QN_ABSENT);
    assert_int_equal(get_status(lab, "b"), QN_ABSENT);
    assert_int_equal(lab_stats(lab).entries, 1);
    lab_crash(lab, true);
    assert_int_equal(get_status(lab, "a"), QN_ABSENT);
    assert_int_equal(lab_stats(lab).entries, 1);
    lab_destroy(lab);
}

/* A repetition clears nothing again, and is told the same but for the count. */
static void a_repeated_clear_clears_once(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "a"));
    uint64_t first = lab_send(lab, ME, clear(s, 2));
    uint64_t joined = lab_send(lab, ME, clear(s, 2));
    lab_sync(lab);
    assert_null(lab_reply(lab, first));
    assert_int_equal(lab_reply(lab, joined)->result.count, 1);
    lab_done(lab, ME, put(s, 3, "a"));
    uint64_t again = lab_send(lab, ME, clear(s, 2));
    assert_int_equal(lab_status(lab, again), QN_OK);
    assert_int_equal(lab_reply(lab, again)->result.index, lab_reply(lab, joined)->result.index);
    assert_int_equal(lab_reply(lab, again)->result.count, 0);
    assert_int_equal(get_status(lab, "a"), QN_OK);
    lab_destroy(lab);
}

/* Changes decide on the state behind a clear on its way, and wait for it. */
static void changes_see_a_clear_on_its_way(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "a"));
    lab_send(lab, ME, clear(s, 2));
    uint64_t removal = lab_send(lab, ME, lab_change(WIRE_OP_REMOVE, s, 3, "a", ""));
    uint64_t touch = lab_send(lab, ME, lab_change(WIRE_OP_TOUCH, s, 4, "a", ""));
    assert_null(lab_reply(lab, removal));
    uint64_t put_new = lab_send(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, s, 5, "a", "w"));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, removal), QN_ABSENT);
    assert_int_equal(lab_status(lab, touch), QN_ABSENT);
    assert_int_equal(lab_status(lab, put_new), QN_OK);
    assert_bytes_equal(lab_get(lab, "a")->result.value, bytes_of_text("w"));
    lab_destroy(lab);
}

/* The memory of cleared entries comes back in small steps. */
static void cleared_memory_comes_back(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    size_t before = lab_stats(lab).entry_bytes;
    char key[24];
    int steps = 0;

    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        (void)snprintf(key, sizeof key, "key %u", i);
        struct wire_op op = put(s, i + 1, key);
        op.first_incomplete = i + 1;
        lab_done(lab, ME, op);
    }
    lab_done(lab, ME, clear(s, 6000));
    lab_tick(lab, 1000); /* the view lets go of them, too */
    assert_true(lab_stats(lab).entry_bytes > 5000 * 30);
    while (replica_sweep(lab->replica, 100)) {
        assert_true(++steps < 1000);
    }
    assert_true(steps > 10);
    assert_true(lab_stats(lab).entry_bytes < before + 64 * 1024);
    lab_destroy(lab);
}

/* DROP writes a record of the leader's own when the cache has entries, be they on their way; it may
 * be repeated. */
static void drop_clears_what_is_there(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK);
    assert_int_equal(lab->log_count, 2); /* nothing there */
    lab_done(lab, ME, in(ANOTHER_CACHE, put(s, 1, "a")));
    lab_send(lab, ME, put(s, 2, "a"));
    size_t before = lab->log_count;
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK);
    assert_int_equal(lab->log_count, before + 1);
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK);
    assert_int_equal(lab->log_count, before + 1);
    lab_sync(lab);
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK);
    assert_int_equal(lab->log_count, before + 1);
    assert_int_equal(get_status(lab, "a"), QN_ABSENT);
    lab_send(lab, ME, put(s, 3, "a"));
    lab_send(lab, ME, lab_change(WIRE_OP_REMOVE, s, 4, "a", ""));
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK); /* better once too often */
    lab_sync(lab);
    struct replica_digest digest = lab_digest(lab);
    lab_crash(lab, true);
    assert_int_equal(lab_digest(lab).entries, digest.entries);
    assert_int_equal(lab_stats(lab).entries, 1);
    lab_destroy(lab);
}

/* Who does not lead, or has no room in the log, drops nothing; and without memory says so. */
static void drop_waits_for_a_leader_with_room(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "a"));
    size_t before = lab->log_count;
    lab->no_append = true;
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK);
    lab->no_append = false;
    assert_int_equal(lab->log_count, before);
    lab_crash(lab, false);
    assert_int_equal(drop(lab, LAB_CACHE), QN_OK);
    assert_int_equal(lab->log_count, before);
    lab_configure(lab, 2);
    lab_sync(lab);
    enum qn_status status = QN_MEMORY_FULL;
    for (size_t grants = 0; status == QN_MEMORY_FULL; grants++) {
        assert_int_equal(lab->log_count, before + 1);
        lab->memory.grants = grants;
        status = drop(lab, LAB_CACHE);
    }
    lab->memory.grants = SIZE_MAX;
    assert_int_equal(status, QN_OK);
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).entries, 0);
    lab_destroy(lab);
}

/* At the limit of memory what adds is refused, with what to do; what takes away, reads and
 * repetitions go on. */
static void at_the_memory_limit_only_additions_are_refused(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "a"));
    lab_done(lab, ME, put(s, 2, "b"));
    lab->memory_status = QN_MEMORY_FULL;
    static const uint32_t adding[] = {WIRE_OP_PUT, WIRE_OP_REPLACE, WIRE_OP_TOUCH};
    for (size_t i = 0; i < sizeof adding / sizeof *adding; i++) {
        const struct wire_result *refused =
            lab_done(lab, ME, lab_change(adding[i], s, 3, "a", "larger"));
        assert_int_equal(refused->status, QN_MEMORY_FULL);
        assert_true(refused->text.size > 0);
    }
    int status = lab_done(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, s, 3, "c", "v"))->status;
    assert_int_equal(status, QN_MEMORY_FULL);
    status = lab_done(lab, 2, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN})->status;
    assert_int_equal(status, QN_OK); /* it may want to remove something */
    status = lab_done(lab, ME, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN})->status;
    assert_int_equal(status, QN_OK); /* it has one */
    assert_int_equal(lab_done(lab, ME, put(s, 2, "b"))->status, QN_OK);
    assert_int_equal(get_status(lab, "a"), QN_OK);
    status = lab_done(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, s, 4, "a", "v"))->status;
    assert_int_equal(status, QN_EXISTS);
    status = lab_done(lab, ME, lab_change(WIRE_OP_REMOVE, s, 5, "b", ""))->status;
    assert_int_equal(status, QN_OK);
    assert_int_equal(lab_done(lab, ME, clear(s, 6))->status, QN_OK);
    lab->memory_status = QN_OK;
    assert_int_equal(lab_done(lab, ME, put(s, 3, "a"))->status,
                     QN_OK); /* refused is not executed */
    lab_destroy(lab);
}

/* A record in the log that has what does not belong there is refused whole. */
static void records_with_effects_of_others_are_corrupt(void **state)
{
    static const struct {
        uint8_t type, kind;
        uint32_t cache;
        const char *key;
    } bad[] = {
        {RECORD_CLEAR, EFFECT_CLEAR, 1, "key"}, {RECORD_CLEAR, EFFECT_CLEAR, 0, ""},
        {RECORD_CLEAR, EFFECT_REMOVE, 1, "k"},  {RECORD_EXPIRE, EFFECT_PUT, 1, "k"},
        {RECORD_EXPIRE, EFFECT_REMOVE, 1, ""},  {RECORD_EXPIRE, EFFECT_CLEAR, 1, ""},
        {RECORD_EXPIRE, EFFECT_TOUCH, 1, "k"},
    };
    struct lab *lab = lab_create();

    (void)state;
    lab_crash(lab, false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct effect effect = {
            .kind = bad[i].kind, .cache = bad[i].cache, .key = bytes_of_text(bad[i].key)};
        struct buf effects = {0};
        struct record record = {.type = bad[i].type,
                                .partition = LAB_PARTITION,
                                .epoch = 1,
                                .index = 2,
                                .prev_epoch = 1,
                                .wall_time_ms = lab->wall_ms};
        assert_int_equal(effect_encode(&effect, &effects), QN_OK);
        record.effects = buf_bytes(&effects);
        assert_int_equal(replica_recover(lab->replica, &record), QN_CORRUPT);
        buf_fini(&effects);
    }
    assert_int_equal(lab_stats(lab).last_index, 1);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_empties_one_cache),
        cmocka_unit_test(a_repeated_clear_clears_once),
        cmocka_unit_test(changes_see_a_clear_on_its_way),
        cmocka_unit_test(cleared_memory_comes_back),
        cmocka_unit_test(drop_clears_what_is_there),
        cmocka_unit_test(drop_waits_for_a_leader_with_room),
        cmocka_unit_test(at_the_memory_limit_only_additions_are_refused),
        cmocka_unit_test(records_with_effects_of_others_are_corrupt),
    };
    return RUN_TESTS(tests);
}
