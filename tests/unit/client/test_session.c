/* The rules of the client session, one by one, without a network (protocol B.10, B.20). */
#include "client/session_parts.h" /* for what takes years to come about */
#include "tests/lib/check.h"
#include "tests/unit/client/sim.h"
#include "wire/hash.h"

static const struct sim_faults no_faults = {0};

/* A change of the entry `number`, recognizable by its tag. */
struct change {
    struct session_op op;
    uint8_t key[6];
    uint8_t value[6];
};

static struct session_op *change_make(struct change *change, uint32_t kind, uint32_t number,
                                      uint32_t tag)
{
    *change = (struct change){.key = {0x15}, .value = {0x15}};
    put_u32(change->key + 2, number);
    put_u32(change->value + 2, tag);
    change->op.kind = kind;
    change->op.key = bytes_of(change->key, sizeof change->key);
    if (kind != WIRE_OP_GET && kind != WIRE_OP_REMOVE) {
        change->op.value = bytes_of(change->value, sizeof change->value);
    }
    return &change->op;
}

/* Connect, and open the session of the partition that entry 1 is in. */
static struct sim *ready(void)
{
    struct sim *sim = sim_create(3, no_faults);
    struct change first;
    struct session_op *op = change_make(&first, WIRE_OP_PUT, 1, 1);

    sim_start(sim, op, 1000);
    assert_true(sim_finish(sim, op));
    assert_int_equal(op->status, QN_OK);
    return sim;
}

/* A single operation leaves at once; those that start while it is under way share a message. */
static void operations_under_way_gather_the_next(void **state)
{
    enum { COUNT = 50 };
    static struct change gets[COUNT];
    struct sim *sim = ready();
    size_t before = fake_grid_messages(sim_grid(sim));

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        sim_start(sim, change_make(&gets[i], WIRE_OP_GET, 1, 0), 1000);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(sim_finish(sim, &gets[i].op));
        assert_int_equal(gets[i].op.status, QN_OK);
    }
    assert_int_equal(fake_grid_messages(sim_grid(sim)) - before, 2);
    sim_destroy(sim);
}

/* A read does not wait for changes that are under way. */
static void reads_pass_changes(void **state)
{
    struct change put;
    struct change get;
    struct sim *sim = ready();
    size_t before = sim_frames_sent(sim);

    (void)state;
    sim_hold(sim, true, false);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 1000);
    sim_hold(sim, false, false);
    sim_start(sim, change_make(&get, WIRE_OP_GET, 1, 0), 1000);
    assert_int_equal(sim_frames_sent(sim) - before, 2);
    assert_true(sim_finish(sim, &get.op));
    assert_int_equal(get.op.status, QN_OK);
    assert_int_not_equal(put.op.state, OP_DONE);
    sim_destroy(sim);
}

/* At most 64 sequences of a partition are open: the rest waits, none fails. */
static void the_window_of_a_partition_is_64(void **state)
{
    enum { COUNT = 200 };
    static struct change puts[COUNT];
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    for (uint32_t i = 0; i < COUNT; i++) {
        sim_start(sim, change_make(&puts[i], WIRE_OP_PUT, 1, i + 2), 10000);
    }
    sim_run_ms(sim, 100);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(puts[i].op.sequence != 0, i < 64);
    }
    sim_release(sim);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(sim_finish(sim, &puts[i].op));
        assert_int_equal(puts[i].op.status, QN_OK);
        assert_int_equal(fake_grid_applied(sim_grid(sim), i + 2), 1);
    }
    sim_destroy(sim);
}

/* A change that has left and is not answered is unknown at its deadline, and never takes effect
 * twice when its frames arrive late. */
static void an_unanswered_change_is_unknown(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 3000);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_DEADLINE);
    assert_int_equal(put.op.certainty, QN_UNKNOWN);
    sim_release(sim);
    sim_run_ms(sim, 1000);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* What never left was not applied: here nobody is connected. */
static void an_unsent_change_is_not_applied(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_restart(sim, 100000);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 500);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_UNREACHABLE);
    assert_int_equal(put.op.certainty, QN_NOT_APPLIED);
    sim_destroy(sim);
}

/* Once an attempt was "maybe", the "no" of a later one does not make the operation definite (B.20).
 */
static void a_no_after_a_maybe_stays_unknown(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 2500);
    sim_run_ms(sim, 50); /* applied, the answer is kept back */
    sim_hold(sim, false, false);
    fake_grid_refuse(sim_grid(sim), QN_OVERLOADED, SIZE_MAX);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.certainty, QN_UNKNOWN);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* INDETERMINATE is asked again under the same sequence until there is an answer. */
static void indeterminate_is_repeated(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    fake_grid_refuse(sim_grid(sim), QN_INDETERMINATE, 3);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 2500);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_OK);
    assert_int_equal(put.op.attempts, 4);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* A refusal that lasts is surfaced at the deadline, as itself and as not applied. */
static void a_lasting_refusal_is_surfaced(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    fake_grid_refuse(sim_grid(sim), QN_NOT_ENOUGH_REPLICAS, SIZE_MAX);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 700);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_NOT_ENOUGH_REPLICAS);
    assert_int_equal(put.op.certainty, QN_NOT_APPLIED);
    assert_true(put.op.attempts < 20); /* it backed off */
    sim_destroy(sim);
}

/* A node that has a new epoch is asked for its table, and the same sequence goes again. */
static void a_stale_epoch_is_refreshed(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    fake_grid_restart(sim_grid(sim)); /* and the client does not notice */
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 1000);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_OK);
    assert_int_equal(put.op.attempts, 2);
    assert_int_equal(put.op.sequence, 2);
    sim_destroy(sim);
}

/* A node answers `op` with `status`, stamped with epoch 1. */
static void answer_of_epoch_1(struct sim *sim, const struct session_op *op, enum qn_status status)
{
    struct buf late = {0};
    struct wire_result result = {.id = op->id, .status = status, .epoch = 1};
    struct wire_message m = {.kind = WIRE_REPLY,
                             .feature_level = 1,
                             .cluster = FAKE_CLUSTER,
                             .from_node = 1,
                             .from_incarnation = 1,
                             .results = &result,
                             .result_count = 1};

    assert_int_equal(message_encode(&m, &late), QN_OK);
    session_receive(sim_session(sim), op->link, buf_bytes(&late), sim_now_ms(sim));
    buf_fini(&late);
}

/* Start a change and wait until it is repeated in epoch 2. */
static struct session_op *repeated_in_epoch_2(struct sim *sim, struct change *change)
{
    struct session_op *op = change_make(change, WIRE_OP_REPLACE, 1, 2);

    fake_grid_restart(sim_grid(sim));
    sim_start(sim, op, 1000);
    while (op->attempt_epoch < 2) {
        sim_run_ms(sim, 1);
    }
    return op;
}

/* What was decided in an epoch older than that of the latest attempt is ignored (B.10). */
static void answers_of_an_older_epoch_are_ignored(void **state)
{
    struct change put;
    struct sim *sim = ready();
    struct session_op *op = repeated_in_epoch_2(sim, &put);

    (void)state;
    answer_of_epoch_1(sim, op, QN_CONFLICT);
    assert_int_not_equal(op->state, OP_DONE);
    assert_true(sim_finish(sim, op));
    assert_int_equal(op->status, QN_OK);
    sim_destroy(sim);
}

/* A refusal decides nothing: it counts, whatever its epoch. */
static void refusals_of_an_older_epoch_count(void **state)
{
    struct change put;
    struct sim *sim = ready();
    struct session_op *op = repeated_in_epoch_2(sim, &put);

    (void)state;
    answer_of_epoch_1(sim, op, QN_CORRUPT);
    assert_int_equal(op->state, OP_DONE);
    assert_int_equal(op->status, QN_CORRUPT);
    sim_destroy(sim);
}

/* A full disk is told at once when nothing was done... */
static void a_full_disk_is_told(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    fake_grid_refuse(sim_grid(sim), QN_DISK_FULL, 1);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 1000);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_DISK_FULL);
    assert_int_equal(put.op.certainty, QN_NOT_APPLIED);
    assert_int_equal(put.op.attempts, 1);
    sim_destroy(sim);
}

/* ... and asked again when an earlier attempt may have been done: its answer is there to be had. */
static void a_full_disk_hides_no_answer(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 5000);
    sim_run_ms(sim, 50); /* applied, the answer is kept back */
    sim_hold(sim, false, false);
    fake_grid_refuse(sim_grid(sim), QN_DISK_FULL, 3);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_OK);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* A link that could not be opened is tried again after a pause, as long as it is needed. */
static void an_unopened_link_is_tried_again(void **state)
{
    static const char *const seeds[] = {"tcp://node:1"};
    struct session_options options = {
        .client = {{1}}, .seeds = seeds, .seed_count = 1, .now_ms = 1000};
    struct session *session = NULL;
    struct session_actions actions;
    int64_t now_ms = 1000;

    (void)state;
    assert_int_equal(session_create(&options, &session), QN_OK);
    for (int i = 0; i < 20; i++) {
        session_step(session, now_ms, &actions);
        assert_int_equal(actions.count, 1);
        assert_int_equal(actions.list[0].kind, SESSION_CONNECT);
        int64_t again_ms = session_unopened(session, 0);
        assert_true(again_ms > now_ms && again_ms <= now_ms + BACKOFF_MAX_MS);
        session_step(session, now_ms, &actions);
        assert_int_equal(actions.count, 0);
        assert_int_equal(actions.wake_at_ms, again_ms);
        now_ms = again_ms;
    }
    session_destroy(session);
}

/* After 2^32 operations their numbers begin again, and none is 0, which means "none". */
static void ids_begin_again_without_0(void **state)
{
    struct change gets[3];
    struct sim *sim = ready();

    (void)state;
    sim_session(sim)->id_generation = UINT32_MAX - 1;
    for (size_t i = 0; i < 3; i++) {
        sim_start(sim, change_make(&gets[i], WIRE_OP_GET, 1, 0), 1000);
        assert_true(gets[i].op.id >> 32 != 0);
        assert_true(sim_finish(sim, &gets[i].op));
        assert_int_equal(gets[i].op.status, QN_OK);
    }
    assert_int_equal(gets[1].op.id >> 32, 1);
    sim_destroy(sim);
}

/* A repetition in a newer epoch may be answered from the log, with the epoch of the record: that is
 * the answer. */
static void an_answer_from_the_log_counts(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 5000);
    sim_run_ms(sim, 50); /* applied in epoch 1, the answer is lost */
    sim_restart(sim, 10);
    sim_hold(sim, false, false);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_OK);
    assert_int_equal(put.op.attempt_epoch, 2);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* A session that has ended is replaced when the refused request was never tried before... */
static void an_expired_session_is_replaced(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    fake_grid_expire_sessions(sim_grid(sim));
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 1000);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_OK);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* ... and surfaced as unknown when an earlier attempt may have been applied in it. */
static void an_expired_session_hides_no_second_execution(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 5000);
    sim_run_ms(sim, 50);
    sim_hold(sim, false, false);
    fake_grid_expire_sessions(sim_grid(sim));
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_SESSION_EXPIRED);
    assert_int_equal(put.op.certainty, QN_UNKNOWN);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 1);
    sim_destroy(sim);
}

/* A message refused as a whole ends its operations with the node's reason. */
static void a_refused_message_is_explained(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    fake_grid_nak(sim_grid(sim), QN_CLUSTER);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 1000);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_CLUSTER);
    assert_int_equal(put.op.certainty, QN_NOT_APPLIED);
    assert_string_equal(put.op.text, "told to refuse");
    session_op_fini(&put.op);
    sim_destroy(sim);
}

/* A node of another cluster at a known address is not used. */
static void another_cluster_is_not_used(void **state)
{
    struct change put;
    struct sim *sim = ready();
    enum qn_status why = QN_OK;

    (void)state;
    fake_grid_change_cluster(sim_grid(sim));
    sim_restart(sim, 10);
    sim_run_ms(sim, 5);
    sim_start(sim, change_make(&put, WIRE_OP_PUT, 1, 2), 1500);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.status, QN_CLUSTER);
    assert_int_equal(put.op.certainty, QN_NOT_APPLIED);
    assert_non_null(session_refusal(sim_session(sim), &why));
    assert_int_equal(why, QN_CLUSTER);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 0);
    sim_destroy(sim);
}

/* Operations given up leave nothing behind: neither a queue entry nor an open sequence. */
static void operations_can_be_given_up_in_every_state(void **state)
{
    enum { COUNT = 100 };
    static struct change puts[COUNT];
    struct change last;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    for (uint32_t i = 0; i < COUNT; i++) {
        sim_start(sim, change_make(&puts[i], WIRE_OP_PUT, i % 9, i + 2), 10000);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        session_give_up(sim_session(sim), &puts[i].op, QN_CLOSED);
        session_give_up(sim_session(sim), &puts[i].op, QN_DEADLINE); /* does nothing */
        assert_int_equal(puts[i].op.status, QN_CLOSED);
    }
    sim_release(sim);
    sim_start(sim, change_make(&last, WIRE_OP_PUT, 1, 999), 1000);
    assert_true(sim_finish(sim, &last.op));
    assert_int_equal(last.op.status, QN_OK);
    sim_destroy(sim);
}

/* Octets that are no message of ours change nothing. */
static void noise_is_dropped(void **state)
{
    struct change get;
    struct sim *sim = ready();
    uint8_t noise[64];

    (void)state;
    sim_start(sim, change_make(&get, WIRE_OP_GET, 1, 0), 1000);
    for (uint32_t round = 0; round < 2000; round++) {
        size_t size = sim_random(sim, sizeof noise);
        for (size_t i = 0; i < size; i++) {
            noise[i] = (uint8_t)sim_random(sim, 256);
        }
        session_receive(sim_session(sim), 0, bytes_of(noise, size), sim_now_ms(sim));
    }
    assert_true(sim_finish(sim, &get.op));
    assert_int_equal(get.op.status, QN_OK);
    sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_under_way_gather_the_next),
        cmocka_unit_test(reads_pass_changes),
        cmocka_unit_test(the_window_of_a_partition_is_64),
        cmocka_unit_test(an_unanswered_change_is_unknown),
        cmocka_unit_test(an_unsent_change_is_not_applied),
        cmocka_unit_test(a_no_after_a_maybe_stays_unknown),
        cmocka_unit_test(indeterminate_is_repeated),
        cmocka_unit_test(a_lasting_refusal_is_surfaced),
        cmocka_unit_test(a_stale_epoch_is_refreshed),
        cmocka_unit_test(answers_of_an_older_epoch_are_ignored),
        cmocka_unit_test(refusals_of_an_older_epoch_count),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_full_disk_hides_no_answer),
        cmocka_unit_test(an_unopened_link_is_tried_again),
        cmocka_unit_test(ids_begin_again_without_0),
        cmocka_unit_test(an_answer_from_the_log_counts),
        cmocka_unit_test(an_expired_session_is_replaced),
        cmocka_unit_test(an_expired_session_hides_no_second_execution),
        cmocka_unit_test(a_refused_message_is_explained),
        cmocka_unit_test(another_cluster_is_not_used),
        cmocka_unit_test(operations_can_be_given_up_in_every_state),
        cmocka_unit_test(noise_is_dropped),
    };

    return RUN_TESTS(tests);
}
