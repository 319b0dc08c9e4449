#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1, REQUESTS = 60 };

/* The n-th request of a story with puts, removals, conditions, old values, times to live, clears,
 * and questions about changes that never came. */
static struct wire_op nth(uint64_t session, unsigned n, char key[24])
{
    static const uint32_t kinds[] = {WIRE_OP_PUT,     WIRE_OP_PUT_IF_ABSENT, WIRE_OP_REMOVE,
                                     WIRE_OP_PUT,     WIRE_OP_REPLACE,       WIRE_OP_TOUCH,
                                     WIRE_OP_OUTCOME, WIRE_OP_PUT,           WIRE_OP_CLEAR};
    uint32_t kind = kinds[n % 9];
    bool question = kind == WIRE_OP_OUTCOME;

    (void)snprintf(key, 24, "key %u", n % 17);
    return (struct wire_op){
        .kind = kind,
        .flags = n % 3 == 0   ? WIRE_RETURN_OLD
                 : n % 5 == 0 ? WIRE_VISIBLE
                              : 0,
        .cache = 1 + n % 7,
        .session = session,
        .sequence = n + 1,
        .first_incomplete = n > 20 ? n - 20 : 1,
        .ttl_ms = n % 4 == 0 ? 50 : 0,
        .key = kind == WIRE_OP_CLEAR ? bytes_of(NULL, 0) : bytes_of_text(key),
        .value = question ? bytes_of(NULL, 0) : bytes_of_text("some value"),
    };
}

static void assert_same_state(const struct lab *lab, const struct replica_stats *before,
                              const struct replica_digest *digest)
{
    struct replica_stats after = lab_stats(lab);
    struct replica_digest digest_after;

    replica_inspect(lab->replica, &digest_after);
    assert_int_equal(after.last_index, before->last_index);
    assert_int_equal(after.commit_index, before->commit_index);
    assert_int_equal(after.entries, before->entries);
    assert_int_equal(after.uncommitted_bytes, before->uncommitted_bytes);
    assert_int_equal(digest_after.entries, digest->entries);
    assert_int_equal(digest_after.sessions, digest->sessions);
}

/* Send request `n` with only `grants` requests for memory granted; afterwards it has either been
 * accepted whole or been refused whole. True: nothing was refused any more. */
static bool send_with(struct lab *lab, uint64_t session, unsigned n, size_t grants)
{
    char key[24];
    struct replica_stats before = lab_stats(lab);
    struct replica_digest digest;

    replica_inspect(lab->replica, &digest);
    lab->memory.grants = grants;
    lab->memory.refused = 0;
    uint64_t route = lab_send(lab, ME, nth(session, n, key));
    lab->memory.grants = SIZE_MAX;
    const struct lab_reply *reply = lab_reply(lab, route);
    if (!reply || reply->result.status != QN_MEMORY_FULL) {
        return true;
    }
    assert_true(lab->memory.refused > 0);
    assert_same_state(lab, &before, &digest);
    return false;
}

/* Whichever request for memory is refused, the change is refused whole and may be sent again; the
 * commit needs no memory at all; and the log tells the same story afterwards. */
static void a_change_without_memory_is_refused_whole(void **state)
{
    struct lab *lab = lab_create();
    uint64_t session = lab_session(lab, ME);
    struct replica_digest before, after;

    (void)state;
    for (unsigned n = 0; n < REQUESTS; n++) {
        size_t grants = 0;
        while (!send_with(lab, session, n, grants)) {
            grants++;
        }
        assert_true(grants < 20);
        if (n % 4 == 0) {
            lab->memory.grants = 0;
            lab_sync(lab);
            lab->memory.grants = SIZE_MAX;
        }
        if (n % 7 == 0) {
            lab_tick(lab, 20); /* some expire */
        }
    }
    lab_sync(lab);
    replica_inspect(lab->replica, &before);
    lab_crash(lab, false);
    replica_inspect(lab->replica, &after);
    assert_int_equal(before.entries, after.entries);
    assert_int_equal(before.sessions, after.sessions);
    lab_destroy(lab);
}

/* Refusals, reads and repetitions are answered without any memory. */
static void answers_need_no_memory(void **state)
{
    struct lab *lab = lab_create();
    uint64_t session = lab_session(lab, ME);
    char key[24];

    (void)state;
    uint64_t first = lab_send(lab, ME, nth(session, 0, key));
    lab_sync(lab);
    lab->memory.grants = 0;
    uint64_t again = lab_send(lab, ME, nth(session, 0, key));
    assert_int_equal(lab_status(lab, first), QN_OK);
    assert_int_equal(lab_status(lab, again), QN_OK);
    assert_int_equal(lab_get(lab, "other")->result.status, QN_ABSENT);
    uint64_t opened = lab_send(lab, 2, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN});
    assert_int_equal(lab_status(lab, opened), QN_MEMORY_FULL);
    lab_tick(lab, 2 * LAB_TTL_MS); /* the end of the session waits for memory */
    lab->memory.grants = SIZE_MAX;
    lab_tick(lab, 1);
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).sessions, 0);
    lab_destroy(lab);
}

/* Recovery refused for want of memory leaves the replica where it was, and can go on. */
static void recovery_without_memory_can_go_on(void **state)
{
    struct lab *lab = lab_create();
    uint64_t session = lab_session(lab, ME);
    struct replica_digest before, after;
    char key[24];

    (void)state;
    for (unsigned n = 0; n < REQUESTS; n++) {
        lab_send(lab, ME, nth(session, n, key));
        lab_sync(lab);
    }
    replica_inspect(lab->replica, &before);
    replica_destroy(lab->replica);
    assert_int_equal(replica_create(&lab->options, &lab->replica), QN_OK);
    for (size_t i = 0; i < lab->log_count; i++) {
        struct record record;
        size_t size;
        enum qn_status status = QN_MEMORY_FULL;
        assert_int_equal(record_decode(buf_bytes(&lab->log[i]), &record, &size), QN_OK);
        for (size_t grants = 0; status == QN_MEMORY_FULL; grants++) {
            lab->memory.grants = grants;
            status = replica_recover(lab->replica, &record);
        }
        assert_int_equal(status, QN_OK);
    }
    lab->memory.grants = SIZE_MAX;
    replica_inspect(lab->replica, &after);
    assert_int_equal(before.entries, after.entries);
    assert_int_equal(before.sessions, after.sessions);
    lab_destroy(lab);
}

/* Creation and opening, too: whole or not at all. */
static void a_replica_is_created_whole_or_not_at_all(void **state)
{
    struct lab_alloc memory;
    struct replica *replica = NULL;
    size_t grants = 0;

    (void)state;
    lab_alloc_init(&memory);
    struct replica_options options = {.partition = 1,
                                      .node = 1,
                                      .incarnation = 1,
                                      .min_isr = 1,
                                      .alone = true,
                                      .durable = true,
                                      .limits = lab_limits(),
                                      .alloc = &memory.alloc};
    for (;; grants++) {
        memory.grants = grants;
        if (replica_create(&options, &replica) == QN_OK) {
            break;
        }
        assert_int_equal(memory.heap.bytes, 0);
    }
    struct configuration configuration = configuration_alone(1, 1, 1, 1);
    struct replica_event event = {
        .kind = REPLICA_CONFIGURATION, .partition = 1, .configuration = &configuration};
    struct replica_actions actions;
    struct replica_stats stats;
    memory.grants = 0;
    assert_int_equal(replica_step(replica, &event, &actions), QN_MEMORY_FULL);
    replica_stats(replica, &stats);
    assert_int_equal(stats.role, REPLICA_SCAN);
    assert_int_equal(stats.epoch, 0);
    memory.grants = SIZE_MAX;
    assert_int_equal(replica_step(replica, &event, &actions), QN_OK);
    assert_int_equal(actions.count, 1);
    replica_destroy(replica);
    assert_int_equal(memory.heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_without_memory_is_refused_whole),
        cmocka_unit_test(answers_need_no_memory),
        cmocka_unit_test(recovery_without_memory_can_go_on),
        cmocka_unit_test(a_replica_is_created_whole_or_not_at_all),
    };
    return RUN_TESTS(tests);
}
