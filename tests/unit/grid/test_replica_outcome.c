/* OUTCOME: what became of a change, settled for good by the question (B.10). */
#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1, OTHER = 2 };

static struct wire_op outcome_of(uint64_t session, uint64_t sequence)
{
    return (struct wire_op){.kind = WIRE_OP_OUTCOME, .session = session, .sequence = sequence};
}

/* Asked by a client about another one. */
static struct wire_op outcome_of_me(uint64_t session, uint64_t sequence, struct client_id *me)
{
    struct wire_op op = outcome_of(session, sequence);

    *me = lab_client(ME);
    op.value = bytes_of(me->octets, CLIENT_ID_SIZE);
    return op;
}

static void assert_same(const struct wire_result *a, const struct wire_result *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->epoch, b->epoch);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->has_value, b->has_value);
    assert_bytes_equal(a->value, b->value);
}

/* A change that is settled: the question is answered as a repetition would be, old value included,
 * to its client and to others, before and after a start. */
static void a_settled_change_is_told(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct client_id me;
    struct wire_op put = lab_change(WIRE_OP_PUT, s, 2, "k", "two");

    (void)state;
    put.flags = WIRE_RETURN_OLD;
    lab_done(lab, ME, lab_change(WIRE_OP_PUT, s, 1, "k", "one"));
    uint64_t first = lab_send(lab, ME, put);
    lab_sync(lab);
    uint64_t exists = lab_send(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, s, 3, "k", "x"));
    size_t records = lab->log_count;
    uint64_t mine = lab_send(lab, ME, outcome_of(s, 2));
    uint64_t others = lab_send(lab, OTHER, outcome_of_me(s, 2, &me));
    uint64_t unlogged = lab_send(lab, OTHER, outcome_of_me(s, 3, &me));
    assert_same(&lab_reply(lab, first)->result, &lab_reply(lab, mine)->result);
    assert_same(&lab_reply(lab, first)->result, &lab_reply(lab, others)->result);
    assert_same(&lab_reply(lab, exists)->result, &lab_reply(lab, unlogged)->result);
    assert_bytes_equal(lab_reply(lab, mine)->result.value, bytes_of_text("one"));
    assert_int_equal(lab->log_count, records);
    lab_crash(lab, true);
    uint64_t later = lab_send(lab, OTHER, outcome_of_me(s, 2, &me));
    assert_same(&lab_reply(lab, first)->result, &lab_reply(lab, later)->result);
    lab_destroy(lab);
}

/* A change on its way: both are told, the one who sent it and the one who asks. */
static void a_change_on_its_way_is_waited_for(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct client_id me;
    uint64_t put = lab_send(lab, ME, lab_change(WIRE_OP_PUT, s, 1, "k", "v"));
    uint64_t exists = lab_send(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, s, 2, "k", "w"));
    uint64_t asked = lab_send(lab, OTHER, outcome_of_me(s, 1, &me));
    uint64_t again = lab_send(lab, OTHER, outcome_of_me(s, 1, &me));
    uint64_t second = lab_send(lab, OTHER, outcome_of_me(s, 2, &me));

    (void)state;
    assert_null(lab_reply(lab, asked));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, put), QN_OK);
    assert_same(&lab_reply(lab, put)->result, &lab_reply(lab, asked)->result);
    assert_same(&lab_reply(lab, put)->result, &lab_reply(lab, again)->result);
    assert_same(&lab_reply(lab, exists)->result, &lab_reply(lab, second)->result);
    assert_int_equal(lab->log_count, 3);
    lab_destroy(lab);
}

/* One who asks has a deadline, too; and when the client has taken its answer meanwhile, the
 * question comes too late. */
static void a_question_may_miss_the_answer(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct client_id me;
    struct wire_op put = lab_change(WIRE_OP_PUT, s, 1, "k", "v");
    struct wire_op hurried = outcome_of_me(s, 1, &me);

    (void)state;
    put.remaining_ms = 100;
    hurried.remaining_ms = 50;
    lab_send(lab, ME, put);
    uint64_t late = lab_send(lab, OTHER, hurried);
    uint64_t patient = lab_send(lab, OTHER, outcome_of_me(s, 1, &me));
    lab_tick(lab, 50);
    assert_int_equal(lab_status(lab, late), QN_INDETERMINATE);
    lab_tick(lab, 50);
    put = lab_change(WIRE_OP_PUT, s, 2, "k", "v");
    put.first_incomplete = 2; /* gave up on the first */
    lab_send(lab, ME, put);
    lab_sync(lab);
    assert_int_equal(lab_status(lab, patient), QN_STALE_SEQ);
    assert_int_equal(lab_replies_to(lab, late), 1);
    lab_destroy(lab);
}

/* A change that never came is withdrawn by the question: when it comes late, it is told so and does
 * nothing, before and after a start. */
static void a_change_that_never_came_is_withdrawn(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct client_id me;
    struct wire_op put = lab_change(WIRE_OP_PUT, s, 1, "k", "v");
    uint64_t asked = lab_send(lab, OTHER, outcome_of_me(s, 1, &me));

    (void)state;
    assert_null(lab_reply(lab, asked)); /* not before it is on disk */
    uint64_t early = lab_send(lab, ME, put);
    lab_sync(lab);
    assert_int_equal(lab_status(lab, asked), QN_WITHDRAWN);
    assert_int_equal(lab_status(lab, early), QN_WITHDRAWN);
    assert_int_equal(lab_reply(lab, asked)->result.version, 0);
    assert_true(lab_reply(lab, asked)->result.text.size > 0);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    assert_int_equal(lab_done(lab, ME, put)->status, QN_WITHDRAWN);
    lab_crash(lab, true);
    assert_int_equal(lab_done(lab, ME, put)->status, QN_WITHDRAWN);
    lab_snapshot(lab);
    lab_crash(lab, true);
    assert_int_equal(lab_done(lab, ME, put)->status, QN_WITHDRAWN);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 1))->status, QN_WITHDRAWN);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    lab_destroy(lab);
}

/* A withdrawal that was lost with the disk has not happened: the change may be executed then. */
static void a_lost_withdrawal_has_not_happened(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    uint64_t asked = lab_send(lab, ME, outcome_of(s, 1));

    (void)state;
    lab_crash(lab, true);
    assert_null(lab_reply(lab, asked));
    assert_int_equal(lab_done(lab, ME, lab_change(WIRE_OP_PUT, s, 1, "k", "v"))->status, QN_OK);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 1))->status, QN_OK);
    lab_destroy(lab);
}

/* A withdrawn outcome is dropped when the client waits for it no more. */
static void a_taken_withdrawal_is_dropped(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = lab_change(WIRE_OP_PUT, s, 2, "k", "v");

    (void)state;
    lab_done(lab, ME, outcome_of(s, 1));
    put.first_incomplete = 2;
    lab_done(lab, ME, put);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 1))->status, QN_STALE_SEQ);
    lab_crash(lab, true);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 1))->status, QN_STALE_SEQ);
    lab_destroy(lab);
}

/* Without its session nobody knows; a malformed question is refused. */
static void a_question_needs_a_session(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op bad = outcome_of(s, 1);

    (void)state;
    assert_int_equal(lab_done(lab, ME, outcome_of(s + 1, 1))->status, QN_SESSION_EXPIRED);
    assert_int_equal(lab_done(lab, OTHER, outcome_of(s, 1))->status, QN_SESSION_EXPIRED);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 0))->status, QN_INVALID);
    bad.value = bytes_of_text("fifteen octets.");
    assert_int_equal(lab_done(lab, ME, bad)->status, QN_INVALID);
    lab_destroy(lab);
}

/* The question needs room in the log only when it must settle something. */
static void a_question_needs_room_only_to_settle(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.session_results_max = 2;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    lab_done(lab, ME, lab_change(WIRE_OP_PUT, s, 2, "k", "v"));
    lab->space = QN_DISK_FULL;
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 2))->status, QN_OK);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 3))->status, QN_DISK_FULL);
    lab->space = QN_OK;
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 3))->status, QN_WITHDRAWN);
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 4))->status, QN_OVERLOADED);
    lab->memory.grants = 0;
    int status = lab_done(lab, ME, outcome_of(s, 1))->status;
    assert_true(status == QN_MEMORY_FULL || status == QN_WITHDRAWN);
    lab->memory.grants = SIZE_MAX;
    assert_int_equal(lab_done(lab, ME, outcome_of(s, 1))->status, QN_WITHDRAWN);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_change_is_told),
        cmocka_unit_test(a_change_on_its_way_is_waited_for),
        cmocka_unit_test(a_question_may_miss_the_answer),
        cmocka_unit_test(a_change_that_never_came_is_withdrawn),
        cmocka_unit_test(a_lost_withdrawal_has_not_happened),
        cmocka_unit_test(a_taken_withdrawal_is_dropped),
        cmocka_unit_test(a_question_needs_a_session),
        cmocka_unit_test(a_question_needs_room_only_to_settle),
    };
    return RUN_TESTS(tests);
}
