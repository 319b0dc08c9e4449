/* Random runs: frames are lost, repeated, delayed and overtaken, the node restarts. What the client
 * says about each change must agree with what the grid did, and every operation ends in time. */
#include "tests/lib/check.h"
#include "tests/unit/client/sim.h"

enum { OPS = 400, KEYS = 40 };

struct change {
    struct session_op op;
    uint8_t key[6];
    uint8_t value[6];
    bool is_done;
};

struct run {
    struct change changes[OPS];
    uint64_t seed;
};

static void done(struct session_op *op, int64_t now_ms, void *arg)
{
    struct change *change = LIST_OWNER(op, struct change, op);

    (void)arg;
    assert_false(change->is_done);
    change->is_done = true;
    assert_true(now_ms <= op->deadline_ms + 2 * WHEEL_SLOT_MS);
    session_op_fini(op);
}

static void change_start(struct sim *sim, struct change *change, uint32_t tag)
{
    static const uint32_t kinds[] = {WIRE_OP_PUT, WIRE_OP_PUT, WIRE_OP_PUT_IF_ABSENT,
                                     WIRE_OP_REPLACE, WIRE_OP_GET};

    *change = (struct change){.key = {0x15}, .value = {0x15}};
    put_u32(change->key + 2, sim_random(sim, KEYS));
    put_u32(change->value + 2, tag);
    change->op.kind = kinds[sim_random(sim, 5)];
    change->op.key = bytes_of(change->key, sizeof change->key);
    if (change->op.kind != WIRE_OP_GET) {
        change->op.value = bytes_of(change->value, sizeof change->value);
    }
    sim_start(sim, &change->op, 20 + sim_random(sim, 4000));
}

/* The class of an answer belongs to the operation, whatever happened to its attempts (B.20). */
static void outcome_check(struct sim *sim, const struct run *run, uint32_t tag)
{
    const struct session_op *op = &run->changes[tag].op;
    uint32_t applied = fake_grid_applied(sim_grid(sim), tag);
    bool wrong = applied > 1 || (op->status == QN_OK && applied != 1) ||
                 (op->status > QN_OK && applied != 0) ||
                 (op->status < QN_OK && op->certainty == QN_NOT_APPLIED && applied != 0);

    if (op->kind != WIRE_OP_GET && wrong) {
        fail_msg("seed %llu, operation %u: %s, certainty %d, applied %u times",
                 (unsigned long long)run->seed, tag, qn_status_name(op->status), op->certainty,
                 applied);
    }
}

static enum qn_status outcome_find(struct sim *sim, const struct session_op *op)
{
    struct client_id client = session_client(sim_session(sim));
    struct session_change name = {op->partition, op->session, op->sequence};
    struct session_op question = {
        .kind = WIRE_OP_OUTCOME,
        .partition = op->partition,
        .session = op->session,
        .sequence = op->sequence,
        .value = bytes_of(client.octets, sizeof client.octets),
    };
    enum qn_status found = QN_OK;

    if (session_outcome(sim_session(sim), &name, &found)) {
        return found;
    }
    sim_on_done(sim, NULL, NULL);
    sim_start(sim, &question, 5000);
    assert_true(sim_finish(sim, &question));
    session_op_fini(&question);
    return question.status;
}

/* What was unknown can be found out, and what is found out is true. */
static void unknown_settle(struct sim *sim, const struct run *run, uint32_t tag)
{
    const struct session_op *op = &run->changes[tag].op;

    if (op->kind == WIRE_OP_GET || op->status >= 0 || op->certainty != QN_UNKNOWN) {
        return;
    }
    enum qn_status found = outcome_find(sim, op);
    uint32_t applied = fake_grid_applied(sim_grid(sim), tag);
    if (applied != (found == QN_OK) || (found < 0 && found != QN_WITHDRAWN)) {
        fail_msg("seed %llu, operation %u: outcome %s, applied %u times",
                 (unsigned long long)run->seed, tag, qn_status_name(found), applied);
    }
}

static void run_once(uint64_t seed, struct sim_faults faults, bool must_succeed)
{
    static struct run run;
    struct sim *sim = sim_create(seed, faults);

    memset(&run, 0, sizeof run);
    run.seed = seed;
    sim_on_done(sim, done, NULL);
    for (uint32_t tag = 0; tag < OPS; tag++) {
        change_start(sim, &run.changes[tag], tag);
        if (sim_random(sim, 10) == 0) {
            sim_run_ms(sim, sim_random(sim, 60));
        }
        if (!must_succeed && sim_random(sim, 150) == 0) {
            fake_grid_refuse(sim_grid(sim), QN_OVERLOADED, sim_random(sim, 20));
        }
    }
    sim_run_ms(sim, 4200);
    sim_set_faults(sim, (struct sim_faults){0});
    sim_run_ms(sim, 20000); /* whatever is still under way arrives */
    for (uint32_t tag = 0; tag < OPS; tag++) {
        assert_true(run.changes[tag].is_done);
        outcome_check(sim, &run, tag);
        assert_true(!must_succeed || run.changes[tag].op.status >= 0);
    }
    for (uint32_t tag = 0; tag < OPS; tag++) {
        unknown_settle(sim, &run, tag);
    }
    sim_destroy(sim);
}

/* On a quiet network everything gets an answer. */
static void quiet_runs_answer_everything(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run_once(seed, (struct sim_faults){.delay_max_ms = 4}, true);
    }
}

/* Frames that are lost, repeated and overtaken cost time, not certainty. */
static void bad_networks_do_not_lie(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        run_once(
            seed,
            (struct sim_faults){.lose_percent = 10, .repeat_percent = 20, .delay_max_ms = 1500},
            false);
    }
}

/* A node that restarts often, with lost connections and new epochs. */
static void restarts_do_not_lie(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        run_once(seed,
                 (struct sim_faults){.lose_percent = 3,
                                     .repeat_percent = 5,
                                     .delay_max_ms = 40,
                                     .restart_each_ms = 400,
                                     .down_max_ms = 600},
                 false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_runs_answer_everything),
        cmocka_unit_test(bad_networks_do_not_lie),
        cmocka_unit_test(restarts_do_not_lie),
    };

    return RUN_TESTS(tests);
}
