#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1 };

static struct wire_op change(uint32_t kind, uint64_t session, uint64_t sequence, const char *key)
{
    return (struct wire_op){
        .kind = kind,
        .session = session,
        .sequence = sequence,
        .first_incomplete = 1,
        .key = bytes_of_text(key),
        .value = bytes_of_text("value"),
    };
}

static struct wire_op from(struct wire_op op, uint64_t first_incomplete)
{
    op.first_incomplete = first_incomplete;
    return op;
}

static struct wire_op open_op(void)
{
    return (struct wire_op){.kind = WIRE_OP_SESSION_OPEN};
}

static void assert_same_answer(const struct lab_reply *a, const struct lab_reply *b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(a->result.status, b->result.status);
    assert_int_equal(a->result.version, b->result.version);
    assert_int_equal(a->result.epoch, b->result.epoch);
    assert_int_equal(a->result.index, b->result.index);
    assert_int_equal(a->result.lineage, b->result.lineage);
    assert_int_equal(a->result.has_value, b->result.has_value);
    assert_bytes_equal(a->result.value, b->result.value);
}

/* The session's name is the index of its record, told when that is on disk (B.10). */
static void a_session_is_named_by_its_record(void **state)
{
    struct lab *lab = lab_create();
    uint64_t route = lab_send(lab, ME, open_op());

    (void)state;
    assert_null(lab_reply(lab, route));
    lab_sync(lab);
    assert_int_equal(lab_reply(lab, route)->result.session, 2);
    assert_int_equal(lab_stats(lab).sessions, 1);
    lab_destroy(lab);
}

/* Opening again is told the session that is open: repeated frames open one. */
static void opening_twice_opens_once(void **state)
{
    struct lab *lab = lab_create();
    uint64_t first = lab_send(lab, ME, open_op());
    uint64_t second = lab_send(lab, ME, open_op());

    (void)state;
    lab_sync(lab);
    assert_null(lab_reply(lab, first)); /* the latest route gets the one answer */
    assert_int_equal(lab_reply(lab, second)->result.session, 2);
    uint64_t third = lab_send(lab, ME, open_op());
    assert_int_equal(lab_reply(lab, third)->result.session, 2);
    assert_int_equal(lab->log_count, 2);
    lab_destroy(lab);
}

/* A change without a session is refused: it may be a late repetition of one that was executed. */
static void a_change_needs_an_open_session(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    uint64_t wrong = lab_send(lab, ME, change(WIRE_OP_PUT, s + 1, 1, "k"));
    uint64_t foreign = lab_send(lab, 2, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, wrong), QN_SESSION_EXPIRED);
    assert_int_equal(lab_status(lab, foreign), QN_SESSION_EXPIRED);
    lab_destroy(lab);
}

/* A repetition after the commit is told the stored result, old value included (I12). */
static void a_repetition_after_commit_is_told_the_same(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = change(WIRE_OP_PUT, s, 2, "k");

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    put.flags = WIRE_RETURN_OLD;
    uint64_t first = lab_send(lab, ME, put);
    lab_sync(lab);
    lab_send(lab, ME, change(WIRE_OP_REMOVE, s, 3, "k"));
    lab_sync(lab);
    uint64_t second = lab_send(lab, ME, put);
    assert_same_answer(lab_reply(lab, first), lab_reply(lab, second));
    assert_bytes_equal(lab_reply(lab, second)->result.value, bytes_of_text("value"));
    lab_crash(lab, true);
    uint64_t third = lab_send(lab, ME, put);
    assert_same_answer(lab_reply(lab, first), lab_reply(lab, third));
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    lab_destroy(lab);
}

/* A repetition while the first is on its way: executed once, answered once, to the latest route. */
static void a_repetition_in_flight_is_attached(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    uint64_t first = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    uint64_t second = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));

    (void)state;
    lab_sync(lab);
    assert_null(lab_reply(lab, first));
    assert_int_equal(lab_status(lab, second), QN_OK);
    assert_int_equal(lab_replies_to(lab, second), 1);
    assert_int_equal(lab->log_count, 3);
    lab_destroy(lab);
}

/* An outcome without effects is remembered: the same frame, late, does not suddenly succeed. */
static void a_conflict_is_remembered(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op replace = change(WIRE_OP_REPLACE, s, 2, "k");

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k")); /* version 3 */
    lab_sync(lab);
    replace.expected_version = 4;
    uint64_t first = lab_send(lab, ME, replace);
    assert_int_equal(lab_status(lab, first), QN_CONFLICT);
    assert_int_equal(lab_reply(lab, first)->result.version, 3);
    assert_int_equal(lab_reply(lab, first)->result.index, 3);
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 3, "k")); /* version 4 */
    lab_sync(lab);
    uint64_t second = lab_send(lab, ME, replace);
    assert_same_answer(lab_reply(lab, first), lab_reply(lab, second));
    lab_send(lab, ME, from(change(WIRE_OP_PUT, s, 4, "other"), 4));
    lab_sync(lab);
    uint64_t third = lab_send(lab, ME, replace);
    assert_int_equal(lab_status(lab, third), QN_STALE_SEQ);
    lab_destroy(lab);
}

/* In a new epoch a decision without effects is made anew; a frame of the old one is refused. */
static void a_new_epoch_decides_anew(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op replace = change(WIRE_OP_REPLACE, s, 1, "k");

    (void)state;
    assert_int_equal(lab_status(lab, lab_send(lab, ME, replace)), QN_ABSENT);
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "k"));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, lab_send(lab, ME, replace)), QN_ABSENT);
    lab_configure(lab, 2);
    lab_sync(lab);
    replace.epoch = 1;
    assert_int_equal(lab_status(lab, lab_send(lab, ME, replace)), QN_STALE_EPOCH);
    replace.epoch = 2;
    uint64_t again = lab_send(lab, ME, replace);
    lab_sync(lab);
    assert_int_equal(lab_status(lab, again), QN_OK);
    lab_destroy(lab);
}

/* A decision that waits for the disk is attached to as well. */
static void a_waiting_decision_is_attached_to(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    uint64_t first = lab_send(lab, ME, change(WIRE_OP_PUT_IF_ABSENT, s, 2, "k"));
    uint64_t second = lab_send(lab, ME, change(WIRE_OP_PUT_IF_ABSENT, s, 2, "k"));
    lab_sync(lab);
    assert_null(lab_reply(lab, first));
    assert_int_equal(lab_status(lab, second), QN_EXISTS);
    lab_destroy(lab);
}

/* Results that the client has taken are dropped; asked for again, they are STALE_SEQ. */
static void taken_results_are_dropped(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    char key[24];

    (void)state;
    for (uint64_t i = 1; i <= 40; i++) {
        (void)snprintf(key, sizeof key, "%u", (unsigned)i);
        struct wire_op put = from(change(WIRE_OP_PUT, s, i, "k"), i);
        put.flags = WIRE_RETURN_OLD;
        lab_send(lab, ME, put);
        lab_sync(lab);
    }
    size_t bytes = lab_stats(lab).table_bytes;
    for (uint64_t i = 41; i <= 500; i++) {
        struct wire_op put = from(change(WIRE_OP_PUT, s, i, "k"), i);
        put.flags = WIRE_RETURN_OLD;
        lab_send(lab, ME, put);
        lab_sync(lab);
    }
    assert_int_equal(lab_stats(lab).table_bytes, bytes);
    uint64_t stale = lab_send(lab, ME, change(WIRE_OP_PUT, s, 499, "k"));
    assert_int_equal(lab_status(lab, stale), QN_STALE_SEQ);
    lab_crash(lab, true);
    stale = lab_send(lab, ME, change(WIRE_OP_PUT, s, 499, "k"));
    assert_int_equal(lab_status(lab, stale), QN_STALE_SEQ);
    lab_destroy(lab);
}

/* A result whose client has stopped waiting goes as soon as it is settled. */
static void an_abandoned_result_goes_when_settled(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = change(WIRE_OP_PUT, s, 1, "k");

    (void)state;
    put.remaining_ms = 10;
    lab_send(lab, ME, put);
    lab_tick(lab, 10);
    lab_send(lab, ME, from(change(WIRE_OP_PUT, s, 2, "k"), 2));
    lab_sync(lab);
    uint64_t stale = lab_send(lab, ME, put);
    assert_int_equal(lab_status(lab, stale), QN_STALE_SEQ);
    assert_int_equal(lab_get(lab, "k")->result.version, 4);
    lab_destroy(lab);
}

/* More open results than allowed are refused, not forgotten; taking answers makes room. */
static void too_many_open_results_are_overloaded(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.session_results_max = 3;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "k"));
    lab_send(lab, ME, change(WIRE_OP_REMOVE, s, 3, "absent"));
    uint64_t refused = lab_send(lab, ME, change(WIRE_OP_PUT, s, 4, "k"));
    assert_int_equal(lab_status(lab, refused), QN_OVERLOADED);
    lab_sync(lab);
    refused = lab_send(lab, ME, change(WIRE_OP_PUT, s, 4, "k"));
    assert_int_equal(lab_status(lab, refused), QN_OVERLOADED);
    uint64_t taken = lab_send(lab, ME, from(change(WIRE_OP_PUT, s, 4, "k"), 2));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, taken), QN_OK);
    lab_destroy(lab);
}

/* The oldest change that a client waits for always gets in: without its answer nothing makes room.
 */
static void the_oldest_open_change_passes_a_full_table(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.session_results_max = 2;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "k"));
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 3, "k"));
    uint64_t newer = lab_send(lab, ME, change(WIRE_OP_PUT, s, 4, "k"));
    assert_int_equal(lab_status(lab, newer), QN_OVERLOADED);
    uint64_t oldest = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, oldest), QN_OK);
    lab_destroy(lab);
}

/* A full log refuses what would need a record; what was done before is still told (B.7.2 comes
 * before B.7.3), and reads and decisions without effects go on. */
static void a_full_log_refuses_new_changes_only(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    uint64_t done = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    lab_sync(lab);
    lab->space = QN_DISK_FULL;
    uint64_t again = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, done), QN_OK);
    assert_int_equal(lab_status(lab, again), QN_OK);
    uint64_t fresh = lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "k"));
    assert_int_equal(lab_status(lab, fresh), QN_DISK_FULL);
    uint64_t exists = lab_send(lab, ME, change(WIRE_OP_PUT_IF_ABSENT, s, 3, "k"));
    assert_int_equal(lab_status(lab, exists), QN_EXISTS);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_OK);
    uint64_t other = lab_send(lab, 2, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN});
    assert_int_equal(lab_status(lab, other), QN_DISK_FULL);
    lab->space = QN_OK;
    fresh = lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "k"));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, fresh), QN_OK);
    lab_destroy(lab);
}

/* The octets of open results are limited, too. */
static void too_large_open_results_are_overloaded(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.session_bytes_max = 8;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    struct wire_op put = change(WIRE_OP_PUT, s, 2, "k"); /* five octets of old value each */
    put.flags = WIRE_RETURN_OLD;
    lab_send(lab, ME, put);
    put.sequence = 3;
    assert_int_equal(lab_status(lab, lab_send(lab, ME, put)), QN_OVERLOADED);
    lab_destroy(lab);
}

/* A session ends by a record after its time without traffic; a late change does not execute. */
static void an_idle_session_ends(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    uint64_t t = lab_session(lab, 2);

    (void)state;
    lab_tick(lab, LAB_TTL_MS - 1);
    lab_send(lab, 2, change(WIRE_OP_PUT, t, 1, "k"));
    lab_sync(lab);
    size_t before = lab->log_count;
    lab_tick(lab, 1);
    assert_int_equal(lab->log_count, before + 1);
    uint64_t late = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, late), QN_SESSION_EXPIRED);
    uint64_t reopened = lab_send(lab, ME, open_op()); /* before the end is on disk */
    lab_sync(lab);
    assert_true(lab_reply(lab, reopened)->result.session > s);
    assert_int_equal(lab_stats(lab).sessions, 2);
    late = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, late), QN_SESSION_EXPIRED);
    lab_crash(lab, true);
    late = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, late), QN_SESSION_EXPIRED);
    assert_int_equal(lab_stats(lab).sessions, 2);
    lab_destroy(lab);
}

/* An idle partition writes nothing, and a start gives every session its whole time again. */
static void the_time_of_a_session_begins_again_with_an_epoch(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_tick(lab, LAB_TTL_MS - 1);
    lab_crash(lab, true);
    size_t before = lab->log_count;
    lab_tick(lab, LAB_TTL_MS - 1);
    assert_int_equal(lab->log_count, before);
    lab_tick(lab, 1);
    assert_int_equal(lab->log_count, before + 1);
    lab_sync(lab);
    lab_tick(lab, 10 * LAB_TTL_MS);
    assert_int_equal(lab->log_count, before + 1);
    assert_int_equal(lab_stats(lab).sessions, 0);
    assert_int_equal(lab_status(lab, lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"))),
                     QN_SESSION_EXPIRED);
    lab_destroy(lab);
}

/* A session with a change on its way to disk is not idle, however long the disk takes. */
static void a_session_with_a_change_in_flight_stays(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    lab_tick(lab, 3 * LAB_TTL_MS);
    assert_int_equal(lab->log_count, 3);
    lab_sync(lab);
    uint64_t again = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, again), QN_OK);
    lab_destroy(lab);
}

/* Thousands of clients: each has its session, and all the memory comes back. */
static void many_clients_have_sessions(void **state)
{
    struct lab *lab = lab_create();
    uint64_t first = 0;

    (void)state;
    for (unsigned i = 1; i <= 3000; i++) {
        uint64_t route = lab_send(lab, i, open_op());
        first = first ? first : route;
    }
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).sessions, 3000);
    for (unsigned i = 1; i <= 3000; i += 371) {
        uint64_t s = lab_reply(lab, first + i - 1)->result.session;
        uint64_t put = lab_send(lab, i, change(WIRE_OP_PUT, s, 1, "k"));
        lab_sync(lab);
        assert_int_equal(lab_status(lab, put), QN_OK);
    }
    for (int i = 0; i < 60; i++) {
        lab_tick(lab, LAB_TTL_MS);
        lab_sync(lab);
    }
    assert_int_equal(lab_stats(lab).sessions, 0);
    lab_destroy(lab);
}

/* A new epoch gives every session its whole time again, whatever is written in it. */
static void a_new_epoch_counts_as_traffic(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_tick(lab, LAB_TTL_MS - 1);
    lab_configure(lab, 2);
    lab_sync(lab);
    (void)lab_session(lab, 2);
    lab_tick(lab, LAB_TTL_MS - 1);
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).sessions, 2);
    lab_tick(lab, 1);
    lab_sync(lab);
    uint64_t late = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k"));
    assert_int_equal(lab_status(lab, late), QN_SESSION_EXPIRED);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_is_named_by_its_record),
        cmocka_unit_test(opening_twice_opens_once),
        cmocka_unit_test(a_change_needs_an_open_session),
        cmocka_unit_test(a_repetition_after_commit_is_told_the_same),
        cmocka_unit_test(a_repetition_in_flight_is_attached),
        cmocka_unit_test(a_conflict_is_remembered),
        cmocka_unit_test(a_new_epoch_decides_anew),
        cmocka_unit_test(a_waiting_decision_is_attached_to),
        cmocka_unit_test(taken_results_are_dropped),
        cmocka_unit_test(an_abandoned_result_goes_when_settled),
        cmocka_unit_test(too_many_open_results_are_overloaded),
        cmocka_unit_test(the_oldest_open_change_passes_a_full_table),
        cmocka_unit_test(a_full_log_refuses_new_changes_only),
        cmocka_unit_test(too_large_open_results_are_overloaded),
        cmocka_unit_test(an_idle_session_ends),
        cmocka_unit_test(the_time_of_a_session_begins_again_with_an_epoch),
        cmocka_unit_test(a_session_with_a_change_in_flight_stays),
        cmocka_unit_test(many_clients_have_sessions),
        cmocka_unit_test(a_new_epoch_counts_as_traffic),
    };
    return RUN_TESTS(tests);
}
