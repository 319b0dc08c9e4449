#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1 };

static struct wire_op change(uint32_t kind, uint64_t session, uint64_t sequence, const char *key,
                             const char *value)
{
    return (struct wire_op){
        .kind = kind,
        .session = session,
        .sequence = sequence,
        .first_incomplete = 1,
        .key = bytes_of_text(key),
        .value = bytes_of_text(value),
    };
}

static struct wire_op with_old(struct wire_op op)
{
    op.flags = WIRE_RETURN_OLD;
    return op;
}

/* After a start from its log a replica is what it was: entries, sessions and outcomes. */
static void recovery_equals_the_life_before(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    uint64_t t = lab_session(lab, 2);
    struct replica_digest before, after;

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "a", "1"));
    lab_send(lab, 2, with_old(change(WIRE_OP_PUT, t, 1, "a", "2")));
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "b", "1"));
    lab_send(lab, 2, change(WIRE_OP_REMOVE, t, 2, "b", ""));
    struct wire_op advanced = change(WIRE_OP_PUT, s, 3, "c", "1");
    advanced.first_incomplete = 3;
    advanced.value_flags = VALUE_COMPRESSED;
    lab_send(lab, ME, advanced);
    lab_sync(lab);
    replica_inspect(lab->replica, &before);
    struct replica_stats stats = lab_stats(lab);
    lab_crash(lab, false);
    replica_inspect(lab->replica, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(lab_stats(lab).entries, stats.entries);
    assert_int_equal(lab_stats(lab).commit_index, stats.commit_index);
    assert_int_equal(lab_stats(lab).role, REPLICA_SCAN);
    lab_configure(lab, 2);
    lab_sync(lab);
    assert_int_equal(lab_get(lab, "c")->result.value_flags, VALUE_COMPRESSED);
    lab_destroy(lab);
}

/* A log with a gap, a step back or nonsense is refused, and the replica stays as it was. */
static void a_log_that_does_not_continue_is_corrupt(void **state)
{
    struct lab *lab = lab_create();
    struct record begin = {.type = RECORD_EPOCH_START,
                           .partition = LAB_PARTITION,
                           .epoch = 2,
                           .index = 2,
                           .prev_epoch = 1,
                           .wall_time_ms = lab->wall_ms};
    struct record bad[9];

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        bad[i] = begin;
    }
    bad[0].index = 3;
    bad[1].index = 1;
    bad[2].prev_epoch = 0;
    bad[3].epoch = 1;
    bad[4].partition = LAB_PARTITION + 1;
    bad[5].wall_time_ms--;
    bad[6].type = RECORD_SESSION_OPEN;             /* of an epoch that has not begun */
    bad[7] = (struct record){.type = RECORD_WRITE, /* of a session that nobody opened */
                             .partition = LAB_PARTITION,
                             .epoch = 1,
                             .index = 2,
                             .prev_epoch = 1,
                             .wall_time_ms = lab->wall_ms,
                             .client = lab_client(ME),
                             .session = 1,
                             .sequence = 1};
    bad[8] = bad[7];
    bad[8].type = RECORD_SESSION_END;
    lab_crash(lab, false);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(replica_recover(lab->replica, &bad[i]), QN_CORRUPT);
    }
    assert_int_equal(replica_recover(lab->replica, &begin), QN_OK);
    assert_int_equal(lab_stats(lab).epoch, 2);
    lab_destroy(lab);
}

/* A partition found damaged while its log is read takes no more of it, and never serves. */
static void a_partition_damaged_in_recovery_stays_so(void **state)
{
    struct lab *lab = lab_create();
    struct record next = {.type = RECORD_EPOCH_START,
                          .partition = LAB_PARTITION,
                          .epoch = 2,
                          .index = 2,
                          .prev_epoch = 1,
                          .wall_time_ms = lab->wall_ms};

    (void)state;
    lab_crash(lab, false);
    assert_int_equal(lab_step(lab, (struct replica_event){.kind = REPLICA_FAULT}), QN_OK);
    assert_int_equal(replica_recover(lab->replica, &next), QN_CORRUPT);
    lab_configure(lab, 3);
    assert_int_equal(lab->log_count, 1);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_CORRUPT);
    lab_destroy(lab);
}

/* Malformed effects in a sound record leave no trace, even behind good ones. */
static void malformed_effects_leave_no_trace(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct record record;
    size_t size;

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k", "v"));
    lab_sync_to(lab, 2);
    struct buf kept = {0};
    assert_int_equal(buf_append(&kept, lab->log[2].data, lab->log[2].size), QN_OK);
    assert_int_equal(record_decode(buf_bytes(&kept), &record, &size), QN_OK);
    struct buf effects = {0};
    assert_int_equal(buf_append(&effects, record.effects.data, record.effects.size), QN_OK);
    assert_int_equal(buf_append(&effects, "junk", 4), QN_OK);
    struct record bad = record;
    bad.effects = buf_bytes(&effects);
    lab_crash(lab, false);
    assert_int_equal(replica_recover(lab->replica, &bad), QN_CORRUPT);
    bad = record;
    bad.result.size = 3;
    assert_int_equal(replica_recover(lab->replica, &bad), QN_CORRUPT);
    assert_int_equal(lab_stats(lab).entries, 0);
    assert_int_equal(replica_recover(lab->replica, &record), QN_OK);
    assert_int_equal(lab_stats(lab).entries, 1);
    buf_fini(&effects);
    buf_fini(&kept);
    lab_destroy(lab);
}

/* Log time runs only while there is a leader, partition time never runs back (I22). */
static void times_of_the_log_never_run_back(void **state)
{
    struct lab *lab = lab_create();
    struct record record;
    size_t size;
    int64_t log_ms = 0, wall_ms = 0;

    (void)state;
    lab->now_ms += 500;
    uint64_t s = lab_session(lab, ME); /* record 2 */
    lab->wall_ms -= 5000;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k", "v"));
    lab_sync(lab);
    lab->now_ms = 7; /* another clock after the start */
    lab_crash(lab, true);
    for (size_t i = 0; i < lab->log_count; i++) {
        assert_int_equal(record_decode(buf_bytes(&lab->log[i]), &record, &size), QN_OK);
        assert_true(record.log_time_ms >= log_ms && record.wall_time_ms >= wall_ms);
        log_ms = record.log_time_ms;
        wall_ms = record.wall_time_ms;
    }
    assert_int_equal(log_ms, 500);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovery_equals_the_life_before),
        cmocka_unit_test(a_log_that_does_not_continue_is_corrupt),
        cmocka_unit_test(a_partition_damaged_in_recovery_stays_so),
        cmocka_unit_test(malformed_effects_leave_no_trace),
        cmocka_unit_test(times_of_the_log_never_run_back),
    };
    return RUN_TESTS(tests);
}
