/* Each violation that the model knows can be found: here in states made by hand, one after the
 * other. */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/model/step.h"

static const uint8_t start_1 = 1 << 4;
static const uint8_t start_2 = 2 << 4;

struct fixture {
    struct rules rules;
    struct state made;
    struct successors next;
};

static int begin(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->rules = rules_default();
    state_init(&f->made, &f->rules);
    *state = f;
    return 0;
}

static int end(void **state)
{
    free(*state);
    return 0;
}

static void give_log(struct fixture *f, unsigned node, uint8_t first, uint8_t second)
{
    struct replica *replica = &f->made.node[node];
    replica->log[0] = first;
    replica->log[1] = second;
    replica->length = second ? 2 : 1;
    replica->durable = replica->length;
}

static void give_everybody(struct fixture *f, uint8_t entry)
{
    for (unsigned i = 0; i < f->rules.node_count; i++) {
        give_log(f, i, entry, 0);
    }
    f->made.committed[0] = entry;
    f->made.committed_length = 1;
}

/* Node 0 has led epoch 1 since its EPOCH_START, which is committed when `commit` is 1. */
static void let_node_0_lead(struct fixture *f, uint8_t commit)
{
    f->made.node[0].promised = f->made.node[0].sync = f->made.node[0].leads =
        f->made.node[0].version = 1;
    f->made.node[0].commit = commit;
    f->made.epoch[1] = (struct epoch){
        .exists = 1, .length = 1, .start = 1, .commit = commit, .log = {[0] = start_1}};
}

/* The violation that the steps from the state run into, if they do. */
static enum violation violation_ahead(struct fixture *f)
{
    steps_from(&f->next, &f->rules, &f->made);
    for (size_t i = 0; i < f->next.count; i++) {
        if (f->next.list[i].violation != VIOLATION_NONE) {
            return f->next.list[i].violation;
        }
    }
    return VIOLATION_NONE;
}

/* Nothing is wrong at the start, nor with one committed entry that everybody has. */
static void sound_states_pass(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
    assert_int_equal(violation_ahead(f), VIOLATION_NONE);
    give_everybody(f, start_1);
    let_node_0_lead(f, 1);
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
    assert_int_equal(violation_ahead(f), VIOLATION_NONE);
}

/* A replica applies nothing but what committed. */
static void an_applied_entry_is_the_committed_one(void **state)
{
    struct fixture *f = *state;

    give_everybody(f, start_1);
    f->made.node[1].commit = 1;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
    f->made.committed_length = 0;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_DIRTY_APPLY);
}

/* In-sync set and ELR have all that committed; others may lack it. */
static void members_are_complete(void **state)
{
    struct fixture *f = *state;

    give_everybody(f, start_1);
    f->made.node[2].length = f->made.node[2].durable = f->made.node[2].log[0] = 0;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_INCOMPLETE);
    f->made.page[0].isr = 3;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
    f->made.page[0].elr = 4;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_INCOMPLETE);
    f->made.node[2].unclean = 1;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
}

/* Logs that share an entry share all before it. */
static void logs_match_up_to_a_shared_entry(void **state)
{
    struct fixture *f = *state;

    give_log(f, 0, start_1, start_2);
    give_log(f, 1, start_1 + 1, start_2);
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_LOG_MATCHING);
}

/* One epoch and index, one entry. */
static void an_id_names_one_entry(void **state)
{
    struct fixture *f = *state;

    give_log(f, 0, start_1, 0);
    give_log(f, 1, start_1 + 1, 0);
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_SAME_ID);
    give_log(f, 1, start_2, 0);
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
}

/* With leases of all who could be elected, a leader answers at once: then it must know all. */
static void a_leased_leader_knows_what_clients_saw(void **state)
{
    struct fixture *f = *state;

    f->rules.leases = true;
    give_everybody(f, start_1);
    let_node_0_lead(f, 1);
    f->made.node[0].leases = 6;
    f->made.client_saw = 2;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_LEASE_READ);
    f->made.node[0].leases = 2;
    assert_int_equal(check_state(&f->made, &f->rules), VIOLATION_NONE);
}

/* What has committed at an index stays. */
static void an_index_commits_once(void **state)
{
    struct fixture *f = *state;

    give_everybody(f, start_1);
    let_node_0_lead(f, 0);
    memset(f->made.node[0].match, 1, f->rules.node_count);
    assert_int_equal(violation_ahead(f), VIOLATION_NONE);
    f->made.committed[0] = start_2;
    assert_int_equal(violation_ahead(f), VIOLATION_LOST_WRITE);
}

/* A replica that has applied an entry does not cut it off. */
static void no_log_is_cut_below_its_commit(void **state)
{
    struct fixture *f = *state;

    give_everybody(f, start_1);
    let_node_0_lead(f, 1);
    f->made.epoch[1].log[0] = start_2;
    assert_int_equal(violation_ahead(f), VIOLATION_NONE);
    f->made.node[1].commit = 1;
    assert_int_equal(violation_ahead(f), VIOLATION_CUT_COMMITTED);
}

/* What is left of a follower's log is the beginning of its leader's. */
static void a_reconciled_log_is_a_prefix(void **state)
{
    struct fixture *f = *state;

    give_everybody(f, start_1);
    let_node_0_lead(f, 1);
    f->made.epoch[1].log[0] = start_2;
    f->made.node[1].commit = 1;
    f->rules.broken = 1U << RULE_TRUNCATE_AT_FORK;
    assert_int_equal(violation_ahead(f), VIOLATION_NOT_PREFIX);
}

/* A read shows what had committed when it began. */
static void a_read_is_not_stale(void **state)
{
    struct fixture *f = *state;

    give_everybody(f, start_1);
    let_node_0_lead(f, 1);
    f->made.read = (struct read){.running = 1, .epoch = 1, .index = 1, .expected = 1};
    assert_int_equal(violation_ahead(f), VIOLATION_NONE);
    f->made.read.expected = 2;
    assert_int_equal(violation_ahead(f), VIOLATION_STALE_READ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sound_states_pass, begin, end),
        cmocka_unit_test_setup_teardown(an_applied_entry_is_the_committed_one, begin, end),
        cmocka_unit_test_setup_teardown(members_are_complete, begin, end),
        cmocka_unit_test_setup_teardown(logs_match_up_to_a_shared_entry, begin, end),
        cmocka_unit_test_setup_teardown(an_id_names_one_entry, begin, end),
        cmocka_unit_test_setup_teardown(a_leased_leader_knows_what_clients_saw, begin, end),
        cmocka_unit_test_setup_teardown(an_index_commits_once, begin, end),
        cmocka_unit_test_setup_teardown(no_log_is_cut_below_its_commit, begin, end),
        cmocka_unit_test_setup_teardown(a_reconciled_log_is_a_prefix, begin, end),
        cmocka_unit_test_setup_teardown(a_read_is_not_stale, begin, end),
    };
    return RUN_TESTS(tests);
}
