/* Changes of unknown outcome, requests to nodes, services, and who can be reached (protocol B.10,
 * B.20). */
#include "client/session_parts.h"
#include "tests/lib/check.h"
#include "tests/unit/client/sim.h"

static const struct sim_faults no_faults = {0};

/* A change of the entry `number`, recognizable by its tag. */
struct change {
    struct session_op op;
    uint8_t key[6];
    uint8_t value[6];
};

static struct session_op *put_make(struct change *change, uint32_t number, uint32_t tag)
{
    *change = (struct change){.key = {0x15}, .value = {0x15}};
    put_u32(change->key + 2, number);
    put_u32(change->value + 2, tag);
    change->op.kind = WIRE_OP_PUT;
    change->op.key = bytes_of(change->key, sizeof change->key);
    change->op.value = bytes_of(change->value, sizeof change->value);
    return &change->op;
}

static void put_succeeds(struct sim *sim, uint32_t number, uint32_t tag)
{
    struct change put;
    struct session_op *op = put_make(&put, number, tag);

    sim_start(sim, op, 5000);
    assert_true(sim_finish(sim, op));
    assert_int_equal(op->status, QN_OK);
}

/* Connect, and open the session of the partition that entry 1 is in. */
static struct sim *ready(void)
{
    struct sim *sim = sim_create(3, no_faults);

    put_succeeds(sim, 1, 1);
    return sim;
}

/* A put that was applied, and whose answers are lost. */
static void put_unknown(struct sim *sim, struct change *put, uint32_t tag)
{
    sim_hold(sim, false, true);
    sim_start(sim, put_make(put, 1, tag), 300);
    assert_true(sim_finish(sim, &put->op));
    assert_int_equal(put->op.certainty, QN_UNKNOWN);
    assert_int_equal(fake_grid_applied(sim_grid(sim), tag), 1);
    sim_hold(sim, false, false);
}

static struct session_op outcome_of(const struct sim *sim, const struct session_op *change,
                                    struct client_id *client)
{
    (void)sim;
    return (struct session_op){
        .kind = WIRE_OP_OUTCOME,
        .partition = change->partition,
        .session = change->session,
        .sequence = change->sequence,
        .value = bytes_of(client->octets, sizeof client->octets),
    };
}

static enum qn_status outcome_ask(struct sim *sim, const struct session_op *change)
{
    struct client_id client = session_client(sim_session(sim));
    struct session_op op = outcome_of(sim, change, &client);

    sim_start(sim, &op, 5000);
    assert_true(sim_finish(sim, &op));
    session_op_fini(&op);
    return op.status;
}

static struct partition *partition_of(struct sim *sim, const struct session_op *op)
{
    return &sim_session(sim)->partitions[op->partition];
}

static struct session_change name_of(const struct session_op *op)
{
    return (struct session_change){op->partition, op->session, op->sequence};
}

/* The outcome of a change that was applied is found, also after other changes, and its number is
 * let go then. */
static void an_applied_change_is_found(void **state)
{
    struct change put;
    struct sim *sim = ready();
    struct session_change name;
    enum qn_status status = QN_ABSENT;

    (void)state;
    put_unknown(sim, &put, 2);
    put_succeeds(sim, 1, 3);
    put_succeeds(sim, 1, 4);
    assert_true(partition_of(sim, &put.op)->unknown != 0);
    assert_int_equal(partition_of(sim, &put.op)->first_incomplete, put.op.sequence);
    assert_int_equal(outcome_ask(sim, &put.op), QN_OK);
    assert_int_equal(partition_of(sim, &put.op)->unknown, 0);
    assert_int_equal(partition_of(sim, &put.op)->first_incomplete, put.op.sequence + 3);
    name = name_of(&put.op);
    assert_true(session_outcome(sim_session(sim), &name, &status));
    assert_int_equal(status, QN_OK);
    sim_destroy(sim);
}

/* What has not arrived when its outcome is asked for never takes effect, however late it comes. */
static void a_change_that_never_arrived_is_withdrawn(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    sim_start(sim, put_make(&put, 1, 2), 300);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(put.op.certainty, QN_UNKNOWN);
    sim_hold(sim, false, false);
    assert_int_equal(outcome_ask(sim, &put.op), QN_WITHDRAWN);
    sim_release(sim);
    sim_run_ms(sim, 1000);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 0);
    put_succeeds(sim, 1, 3);
    sim_destroy(sim);
}

/* A change that somebody else has settled is told so, and that is definite, whatever was lost. */
static void a_withdrawn_change_is_definitely_not_applied(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    sim_start(sim, put_make(&put, 1, 2), 20000);
    sim_run_ms(sim, 50);
    sim_hold(sim, false, false);
    assert_int_equal(outcome_ask(sim, &put.op), QN_WITHDRAWN);
    assert_true(sim_finish(sim, &put.op)); /* by its second attempt */
    assert_true(put.op.maybe);
    assert_int_equal(put.op.status, QN_WITHDRAWN);
    assert_int_equal(put.op.certainty, QN_NOT_APPLIED);
    sim_release(sim);
    sim_run_ms(sim, 1000);
    assert_int_equal(fake_grid_applied(sim_grid(sim), 2), 0);
    sim_destroy(sim);
}

/* A session that has ended has taken its outcomes along; nothing is asked again in a new one. */
static void the_outcome_goes_with_the_session(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    put_unknown(sim, &put, 2);
    fake_grid_expire_sessions(sim_grid(sim));
    assert_int_equal(outcome_ask(sim, &put.op), QN_SESSION_EXPIRED);
    assert_int_equal(sim_events(sim, SESSION_ENDED), 1);
    put_succeeds(sim, 1, 3);
    sim_destroy(sim);
}

/* The number of an unknown change stays open as long as there is room in the window. When it is
 * needed the core asks by itself, and knows the outcome afterwards. */
static void a_full_window_settles_what_is_unknown(void **state)
{
    enum { MORE = 200 };
    static struct change puts[MORE];
    struct change put;
    struct sim *sim = ready();
    struct session_change name;
    enum qn_status status = QN_ABSENT;

    (void)state;
    put_unknown(sim, &put, 2);
    name = name_of(&put.op);
    for (uint32_t i = 0; i < MORE; i++) {
        sim_start(sim, put_make(&puts[i], 1, i + 3), 10000);
    }
    assert_false(session_outcome(sim_session(sim), &name, &status));
    for (uint32_t i = 0; i < MORE; i++) {
        assert_true(sim_finish(sim, &puts[i].op));
        assert_int_equal(puts[i].op.status, QN_OK);
        assert_int_equal(fake_grid_applied(sim_grid(sim), i + 3), 1);
    }
    assert_true(session_outcome(sim_session(sim), &name, &status));
    assert_int_equal(status, QN_OK);
    /* The node has forgotten it by now. */
    assert_int_equal(outcome_ask(sim, &put.op), QN_STALE_SEQ);
    sim_destroy(sim);
}

/* All numbers of a window are unknown, after the node was away: each is found out, and the rest
 * goes on. */
static void a_window_of_unknowns_is_settled(void **state)
{
    enum { COUNT = 64 };
    static struct change puts[COUNT];
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    for (uint32_t i = 0; i < COUNT; i++) {
        sim_start(sim, put_make(&puts[i], 1, i + 2), 200);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(sim_finish(sim, &puts[i].op));
        assert_int_equal(puts[i].op.certainty, QN_UNKNOWN);
    }
    sim_hold(sim, false, false);
    put_succeeds(sim, 1, 999);
    sim_release(sim);
    sim_run_ms(sim, 1000);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct session_change name = name_of(&puts[i].op);
        enum qn_status status = QN_ABSENT;
        assert_true(session_outcome(sim_session(sim), &name, &status));
        assert_int_equal(status, QN_WITHDRAWN);
        assert_int_equal(fake_grid_applied(sim_grid(sim), i + 2), 0);
    }
    sim_destroy(sim);
}

/* A node that keeps too many results of ours gets the numbers of unknown changes back. */
static void an_overloaded_node_is_relieved(void **state)
{
    struct change put;
    struct change next;
    struct sim *sim = ready();

    (void)state;
    put_unknown(sim, &put, 2);
    fake_grid_refuse(sim_grid(sim), QN_OVERLOADED, 1);
    sim_start(sim, put_make(&next, 1, 3), 5000);
    assert_true(sim_finish(sim, &next.op));
    assert_int_equal(next.op.status, QN_OK);
    assert_int_equal(partition_of(sim, &put.op)->unknown, 0);
    sim_destroy(sim);
}

/* The answers to one that was given up are unknown, too, and can be asked for. */
static void a_change_given_up_can_be_asked_for(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, put_make(&put, 1, 2), 5000);
    sim_run_ms(sim, 50);
    session_give_up(sim_session(sim), &put.op, QN_CLOSED);
    sim_hold(sim, false, false);
    assert_int_equal(outcome_ask(sim, &put.op), QN_OK);
    sim_destroy(sim);
}

/* ---- requests to nodes ---- */

static struct session_op drop_make(const char *name)
{
    return (struct session_op){.kind = SESSION_OP_CACHE_DROP, .key = bytes_of_text(name)};
}

/* A drop whose answer was lost finds the cache gone: that is success. */
static void a_repeated_drop_succeeds(void **state)
{
    struct session_op drop = drop_make("accounts");
    struct session_op again = drop_make("accounts");
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, &drop, 5000);
    sim_run_ms(sim, 100);
    sim_hold(sim, false, false);
    assert_true(sim_finish(sim, &drop));
    assert_true(drop.attempts > 1);
    assert_int_equal(drop.status, QN_OK);
    sim_start(sim, &again, 5000);
    assert_true(sim_finish(sim, &again));
    assert_int_equal(again.status, QN_UNKNOWN_CACHE);
    assert_int_equal(again.certainty, QN_NOT_APPLIED);
    session_op_fini(&again);
    sim_destroy(sim);
}

/* A drop without an answer may have been carried out. */
static void an_unanswered_drop_is_unknown(void **state)
{
    struct session_op drop = drop_make("accounts");
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, &drop, 300);
    assert_true(sim_finish(sim, &drop));
    assert_int_equal(drop.status, QN_DEADLINE);
    assert_int_equal(drop.certainty, QN_UNKNOWN);
    sim_destroy(sim);
}

/* A request goes to the shard it names; a shard that does not exist is refused at once. */
static void requests_reach_their_shard(void **state)
{
    static const uint32_t kinds[] = {SESSION_OP_STATUS, SESSION_OP_COMMIT, SESSION_OP_CACHES,
                                     SESSION_OP_CONFIG, SESSION_OP_LOG_LEVEL};
    struct sim *sim = ready();
    struct session_shard shard;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (size_t j = 0; session_shard_at(sim_session(sim), j, &shard); j++) {
            struct session_op op = {.kind = kinds[i], .node = shard.node, .shard = shard.shard};
            sim_start(sim, &op, 1000);
            assert_true(sim_finish(sim, &op));
            assert_int_equal(op.status, QN_OK);
            assert_string_equal(session_link_endpoint(sim_session(sim), op.link), shard.endpoint);
        }
    }
    assert_int_equal(fake_grid_control_count(sim_grid(sim), WIRE_COMMIT), 2);
    struct session_op none = {.kind = SESSION_OP_COMMIT, .node = 1, .shard = 7};
    sim_start(sim, &none, 1000);
    assert_int_equal(none.status, QN_INVALID);
    sim_destroy(sim);
}

/* A commit takes time: it is not asked for again while the node lives, but after a restart. */
static void a_commit_is_waited_for(void **state)
{
    struct session_op op = {.kind = SESSION_OP_COMMIT, .node = 1};
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, false, true);
    sim_start(sim, &op, 40000);
    sim_run_ms(sim, 10);
    sim_hold(sim, false, false); /* greetings are answered */
    sim_run_ms(sim, 20000);
    assert_int_equal(op.attempts, 1);
    assert_int_equal(fake_grid_control_count(sim_grid(sim), WIRE_COMMIT), 1);
    sim_restart(sim, 10);
    assert_true(sim_finish(sim, &op));
    assert_int_equal(op.status, QN_OK);
    assert_int_equal(fake_grid_control_count(sim_grid(sim), WIRE_COMMIT), 2);
    sim_destroy(sim);
}

/* A refusal in the answer itself is told with its reason. */
static void a_refused_request_is_explained(void **state)
{
    struct session_op op = {.kind = SESSION_OP_COMMIT, .node = 1};
    struct sim *sim = ready();

    (void)state;
    fake_grid_refuse_control(sim_grid(sim), WIRE_COMMIT, QN_DISK_FULL);
    sim_start(sim, &op, 1000);
    assert_true(sim_finish(sim, &op));
    assert_int_equal(op.status, QN_DISK_FULL);
    assert_string_equal(op.text, "told to refuse");
    session_op_fini(&op);
    sim_destroy(sim);
}

/* ---- services ---- */

/* Keys of the second service are hashed to partitions of their own. */
static void a_service_has_its_own_partitions(void **state)
{
    struct change disk;
    struct change memory;
    struct sim *sim = ready();

    (void)state;
    sim_start(sim, put_make(&disk, 5, 2), 1000);
    put_make(&memory, 5, 3)->service = WIRE_SERVICE_MEMORY;
    sim_start(sim, &memory.op, 1000);
    assert_true(sim_finish(sim, &disk.op));
    assert_true(sim_finish(sim, &memory.op));
    assert_int_equal(memory.op.status, QN_OK);
    assert_true(disk.op.partition < SIM_PARTITIONS);
    assert_int_equal(memory.op.partition, disk.op.partition + SIM_PARTITIONS);
    assert_int_equal(session_partition_count(sim_session(sim)), SIM_PARTITIONS);
    sim_destroy(sim);
}

/* ---- who can be reached ---- */

/* A node that goes away is missed within seconds when it is watched, and so is its return. */
static void a_watched_node_is_missed(void **state)
{
    struct sim *sim = ready();

    (void)state;
    session_watch(sim_session(sim));
    assert_int_equal(session_reach(sim_session(sim)), SESSION_REACH_ALL);
    sim_run_ms(sim, 5000);
    assert_int_equal(session_reach(sim_session(sim)), SESSION_REACH_ALL);
    sim_restart(sim, 6000);
    sim_run_ms(sim, 5000);
    assert_int_equal(session_reach(sim_session(sim)), SESSION_REACH_NONE);
    assert_true(sim_events(sim, SESSION_LINK_DOWN) > 0);
    sim_run_ms(sim, 5000);
    assert_int_equal(session_reach(sim_session(sim)), SESSION_REACH_ALL);
    assert_true(sim_events(sim, SESSION_LINK_BACK) > 0);
    sim_destroy(sim);
}

/* A shard that has moved is found at its new address, what was under way to the old one goes there,
 * and the old link is closed; its place is used again. */
static void a_link_that_is_not_in_the_table_is_closed(void **state)
{
    static const char *const endpoints[] = {"tcp://node:3", "tcp://node:4", "tcp://node:2"};
    struct change puts[20];
    struct sim *sim = ready();

    (void)state;
    for (size_t round = 0; round < 9; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            sim_start(sim, put_make(&puts[i], i, (uint32_t)round * 20 + i + 2), 5000);
        }
        fake_grid_move(sim_grid(sim), 1, endpoints[round % 3]);
        for (uint32_t i = 0; i < 20; i++) {
            assert_true(sim_finish(sim, &puts[i].op));
            assert_int_equal(puts[i].op.status, QN_OK);
            assert_int_equal(fake_grid_applied(sim_grid(sim), (uint32_t)round * 20 + i + 2), 1);
        }
        sim_run_ms(sim, 100);
        assert_int_equal(sim_links_open(sim), 2);
        assert_true(sim_session(sim)->link_count <= 3);
    }
    sim_destroy(sim);
}

/* A shard that is connected and says nothing is down all the same. */
static void a_silent_shard_is_down(void **state)
{
    struct change put;
    struct sim *sim = ready();

    (void)state;
    sim_hold(sim, true, false);
    sim_start(sim, put_make(&put, 1, 2), 3000);
    sim_run_ms(sim, 2000);
    assert_int_equal(session_reach(sim_session(sim)), SESSION_REACH_SOME);
    sim_release(sim);
    assert_true(sim_finish(sim, &put.op));
    assert_int_equal(session_reach(sim_session(sim)), SESSION_REACH_ALL);
    sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_applied_change_is_found),
        cmocka_unit_test(a_change_that_never_arrived_is_withdrawn),
        cmocka_unit_test(a_withdrawn_change_is_definitely_not_applied),
        cmocka_unit_test(the_outcome_goes_with_the_session),
        cmocka_unit_test(a_full_window_settles_what_is_unknown),
        cmocka_unit_test(a_window_of_unknowns_is_settled),
        cmocka_unit_test(an_overloaded_node_is_relieved),
        cmocka_unit_test(a_change_given_up_can_be_asked_for),
        cmocka_unit_test(a_repeated_drop_succeeds),
        cmocka_unit_test(an_unanswered_drop_is_unknown),
        cmocka_unit_test(requests_reach_their_shard),
        cmocka_unit_test(a_commit_is_waited_for),
        cmocka_unit_test(a_refused_request_is_explained),
        cmocka_unit_test(a_service_has_its_own_partitions),
        cmocka_unit_test(a_link_that_is_not_in_the_table_is_closed),
        cmocka_unit_test(a_watched_node_is_missed),
        cmocka_unit_test(a_silent_shard_is_down),
    };

    return RUN_TESTS(tests);
}
