#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum {
    ME = 1, /* number of the client */
};

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

static struct wire_op with_version(struct wire_op op, uint64_t version)
{
    op.expected_version = version;
    return op;
}

static struct wire_op with_old(struct wire_op op)
{
    op.flags = WIRE_RETURN_OLD;
    return op;
}

/* A partition serves only once the record that begins its epoch is on disk (B.9). */
static void it_leads_when_its_epoch_is_on_disk(void **state)
{
    struct replica_limits limits = lab_limits();
    struct lab *lab = lab_create_closed(&limits);

    (void)state;
    lab->epoch = 1;
    assert_int_equal(lab_get(lab, "k")->result.status, QN_RECOVERING);
    lab_configure(lab, 1);
    assert_int_equal(lab->log_count, 1);
    assert_int_equal(lab_stats(lab).role, REPLICA_OPENING);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_RECOVERING);
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).role, REPLICA_LEADING);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    lab_destroy(lab);
}

/* A configuration that is not newer is ignored. */
static void an_old_configuration_is_ignored(void **state)
{
    struct lab *lab = lab_create();

    (void)state;
    lab_configure(lab, 1);
    assert_int_equal(lab->log_count, 1);
    assert_int_equal(lab_stats(lab).epoch, 1);
    assert_int_equal(lab_stats(lab).role, REPLICA_LEADING);
    lab_destroy(lab);
}

/* A put is answered when it is on disk, with its index as version and its token (B.7). */
static void a_put_is_answered_when_it_is_on_disk(void **state)
{
    struct lab *lab = lab_create();
    uint64_t session = lab_session(lab, ME);

    (void)state;
    uint64_t put = lab_send(lab, ME, change(WIRE_OP_PUT, session, 1, "k", "v"));
    assert_null(lab_reply(lab, put));
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    lab_sync(lab);
    const struct wire_result *result = &lab_reply(lab, put)->result;
    assert_int_equal(result->status, QN_OK);
    assert_int_equal(result->version, 3);
    assert_int_equal(result->index, 3);
    assert_int_equal(result->epoch, 1);
    assert_int_equal(result->lineage, 1);
    result = &lab_get(lab, "k")->result;
    assert_int_equal(result->status, QN_OK);
    assert_int_equal(result->version, 3);
    assert_bytes_equal(result->value, bytes_of_text("v"));
    lab_destroy(lab);
}

/* A read sees the committed value while a newer one is on its way to disk (I17). */
static void a_read_sees_committed_values_only(void **state)
{
    struct lab *lab = lab_create();
    uint64_t session = lab_session(lab, ME);

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, session, 1, "k", "one"));
    lab_sync(lab);
    lab_send(lab, ME, change(WIRE_OP_PUT, session, 2, "k", "two"));
    lab_send(lab, ME, change(WIRE_OP_REMOVE, session, 3, "k", ""));
    assert_bytes_equal(lab_get(lab, "k")->result.value, bytes_of_text("one"));
    lab_sync_to(lab, 4);
    assert_bytes_equal(lab_get(lab, "k")->result.value, bytes_of_text("two"));
    lab_sync(lab);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    lab_destroy(lab);
}

/* CONTAINS answers without the value, COUNT per cache and by a view. */
static void contains_and_count_answer_at_once(void **state)
{
    struct lab *lab = lab_create();
    uint64_t session = lab_session(lab, ME);
    struct wire_op other = change(WIRE_OP_PUT, session, 3, "a", "1");

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, session, 1, "a", "1"));
    lab_send(lab, ME, change(WIRE_OP_PUT, session, 2, "b", "1"));
    other.cache = LAB_CACHE + 1;
    lab_send(lab, ME, other);
    lab_sync(lab);
    uint64_t count = lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_COUNT, .view_min = 5});
    assert_int_equal(lab_reply(lab, count)->result.count, 2);
    assert_int_equal(lab_reply(lab, count)->result.view, 5);
    uint64_t contains =
        lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_CONTAINS, .key = bytes_of_text("b")});
    assert_int_equal(lab_status(lab, contains), QN_OK);
    assert_false(lab_reply(lab, contains)->result.has_value);
    assert_int_equal(lab_reply(lab, contains)->result.version, 4);
    lab_destroy(lab);
}

/* Conditions are decided against the newest state, own changes on their way to disk included. */
static void conditions_see_changes_in_flight(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    uint64_t r[8];

    (void)state;
    r[0] = lab_send(lab, ME, change(WIRE_OP_PUT_IF_ABSENT, s, 1, "k", "one")); /* index 3 */
    r[1] = lab_send(lab, ME, with_version(change(WIRE_OP_REPLACE, s, 2, "k", "two"), 3));
    r[2] = lab_send(lab, ME, with_version(change(WIRE_OP_REPLACE, s, 3, "k", "no"), 3));
    r[3] = lab_send(lab, ME, change(WIRE_OP_REPLACE, s, 4, "k", "three")); /* any version */
    r[4] = lab_send(lab, ME, with_version(change(WIRE_OP_REMOVE_IF, s, 5, "k", ""), 4));
    r[5] = lab_send(lab, ME, with_version(change(WIRE_OP_REMOVE_IF, s, 6, "k", ""), 5));
    r[6] = lab_send(lab, ME, change(WIRE_OP_REMOVE, s, 7, "k", ""));
    r[7] = lab_send(lab, ME, change(WIRE_OP_REPLACE, s, 8, "k", "gone"));
    for (int i = 0; i < 8; i++) {
        assert_null(lab_reply(lab, r[i]));
    }
    lab_sync(lab);
    static const int expected[8] = {QN_OK,       QN_OK, QN_CONFLICT, QN_OK,
                                    QN_CONFLICT, QN_OK, QN_ABSENT,   QN_ABSENT};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(lab_status(lab, r[i]), expected[i]);
    }
    assert_int_equal(lab_reply(lab, r[2])->result.version, 4);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    lab_destroy(lab);
}

/* EXISTS decided against a put that is not on disk yet waits for it; then it is told. */
static void exists_waits_for_what_it_rests_on(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k", "v"));
    uint64_t exists = lab_send(lab, ME, change(WIRE_OP_PUT_IF_ABSENT, s, 2, "k", "w"));
    uint64_t at_once = lab_send(lab, ME, change(WIRE_OP_REMOVE, s, 3, "other", ""));
    assert_null(lab_reply(lab, exists));
    assert_int_equal(lab_status(lab, at_once), QN_ABSENT);
    lab_sync(lab);
    assert_int_equal(lab_status(lab, exists), QN_EXISTS);
    assert_int_equal(lab_reply(lab, exists)->result.version, 3);
    assert_int_equal(lab->log_count, 3);
    lab_destroy(lab);
}

/* The old value comes back where it was asked for, with success and with refusal. */
static void the_old_value_comes_back_on_request(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    uint64_t first = lab_send(lab, ME, with_old(change(WIRE_OP_PUT, s, 1, "k", "one")));
    uint64_t second = lab_send(lab, ME, with_old(change(WIRE_OP_PUT, s, 2, "k", "two")));
    uint64_t exists = lab_send(lab, ME, with_old(change(WIRE_OP_PUT_IF_ABSENT, s, 3, "k", "x")));
    uint64_t removal = lab_send(lab, ME, with_old(change(WIRE_OP_REMOVE, s, 4, "k", "")));
    lab_sync(lab);
    assert_false(lab_reply(lab, first)->result.has_value);
    assert_bytes_equal(lab_reply(lab, second)->result.value, bytes_of_text("one"));
    assert_bytes_equal(lab_reply(lab, exists)->result.value, bytes_of_text("two"));
    assert_bytes_equal(lab_reply(lab, removal)->result.value, bytes_of_text("two"));
    lab_destroy(lab);
}

/* An old value over 64 KiB is not returned: the change is refused, and stays refused. */
static void a_large_old_value_is_refused(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = change(WIRE_OP_PUT, s, 1, "k", "");
    size_t size = 64 * 1024 + 1;
    char *large = calloc(1, size);

    (void)state;
    assert_non_null(large);
    put.value = bytes_of(large, size);
    lab_send(lab, ME, put);
    uint64_t refused = lab_send(lab, ME, with_old(change(WIRE_OP_PUT, s, 2, "k", "small")));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, refused), QN_TOO_LARGE);
    assert_true(lab_reply(lab, refused)->result.text.size > 0);
    lab_send(lab, ME, change(WIRE_OP_PUT, s, 3, "k", "small"));
    lab_sync(lab);
    refused = lab_send(lab, ME, with_old(change(WIRE_OP_PUT, s, 2, "k", "again")));
    assert_int_equal(lab_status(lab, refused), QN_TOO_LARGE);
    assert_bytes_equal(lab_get(lab, "k")->result.value, bytes_of_text("small"));
    free(large);
    lab_destroy(lab);
}

/* A request routed with another epoch is refused, whichever way it is wrong. */
static void another_epoch_is_refused(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = change(WIRE_OP_PUT, s, 1, "k", "v");

    (void)state;
    put.epoch = 2;
    assert_int_equal(lab_status(lab, lab_send(lab, ME, put)), QN_STALE_EPOCH);
    lab_crash(lab, true);
    put.epoch = 1;
    uint64_t stale = lab_send(lab, ME, put);
    assert_int_equal(lab_status(lab, stale), QN_STALE_EPOCH);
    assert_int_equal(lab_reply(lab, stale)->result.epoch, 2);
    lab_destroy(lab);
}

struct bad {
    struct wire_op op;
    int status;
};

/* What a request may not be is refused with its own status, and nothing is appended. */
static void malformed_requests_are_refused(void **state)
{
    static const char large[65 * 1024];
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = change(WIRE_OP_PUT, s, 1, "k", "v");
    struct bad bad[] = {
        {.op = put, .status = QN_UNSUPPORTED}, {.op = put, .status = QN_UNSUPPORTED},
        {.op = put, .status = QN_INVALID},     {.op = put, .status = QN_TOO_LARGE},
        {.op = put, .status = QN_TOO_LARGE},   {.op = put, .status = QN_INVALID},
    };
    size_t before = lab->log_count;
    char *huge = calloc(1, 1024 * 1024 + 1);

    (void)state;
    assert_non_null(huge);
    bad[0].op.kind = WIRE_OPS;
    bad[1].op.flags = 64;
    bad[2].op.key.size = 0;
    bad[3].op.key = bytes_of(large, 64 * 1024 + 1);
    bad[4].op.value = bytes_of(huge, 1024 * 1024 + 1);
    bad[5].op.sequence = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t route = lab_send(lab, ME, bad[i].op);
        assert_int_equal(lab_status(lab, route), bad[i].status);
        assert_true(lab_reply(lab, route)->result.text.size > 0);
    }
    assert_int_equal(lab->log_count, before);
    free(huge);
    lab_destroy(lab);
}

static int step_status(struct lab *lab, struct wire_op op, struct client_id client)
{
    struct replica_event event = {
        .kind = REPLICA_REQUEST, .op = &op, .client = client, .route = 999};

    op.id = 1999;
    assert_int_equal(lab_step(lab, event), QN_OK);
    return lab->replies[lab->reply_count - 1].result.status;
}

/* Cache 0, no time left, nobody, an older lineage: each its own refusal. */
static void refusals_that_need_a_bare_request(void **state)
{
    struct lab *lab = lab_create();
    struct wire_op get = {.kind = WIRE_OP_GET,
                          .cache = LAB_CACHE,
                          .epoch = 1,
                          .lineage = 1,
                          .remaining_ms = 10,
                          .key = bytes_of_text("k")};
    struct wire_op op = get;

    (void)state;
    op.cache = 0;
    assert_int_equal(step_status(lab, op, lab_client(1)), QN_UNKNOWN_CACHE);
    op = get;
    op.remaining_ms = 0;
    assert_int_equal(step_status(lab, op, lab_client(1)), QN_DEADLINE);
    op = get;
    op.kind = WIRE_OP_SESSION_OPEN;
    assert_int_equal(step_status(lab, op, (struct client_id){{0}}), QN_INVALID);
    struct configuration configuration = configuration_alone(LAB_NODE, 1, 2, 2);
    struct replica_event event = {.kind = REPLICA_CONFIGURATION, .configuration = &configuration};
    assert_int_equal(lab_step(lab, event), QN_OK);
    lab_sync(lab);
    assert_int_equal(step_status(lab, get, lab_client(1)), QN_LINEAGE_CHANGED);
    lab_destroy(lab);
}

/* A damaged partition answers CORRUPT and changes nothing; who waited is told that it is unknown.
 */
static void a_faulted_partition_answers_corrupt(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    uint64_t put = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k", "v"));
    assert_int_equal(lab_step(lab, (struct replica_event){.kind = REPLICA_FAULT}), QN_OK);
    assert_int_equal(lab_status(lab, put), QN_INDETERMINATE);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_CORRUPT);
    assert_true(lab_get(lab, "k")->result.text.size > 0);
    lab_sync(lab);
    lab_configure(lab, 2);
    /* Stamped with the epoch in force: a client ignores refusals of an older one. */
    assert_int_equal(lab_get(lab, "k")->result.status, QN_CORRUPT);
    assert_int_equal(lab_get(lab, "k")->result.epoch, 2);
    lab_tick(lab, 10 * LAB_TTL_MS);
    assert_int_equal(lab_replies_to(lab, put), 1);
    assert_int_equal(lab_stats(lab).role, REPLICA_FAULTED);
    assert_int_equal(lab->log_count, 3);
    lab_destroy(lab);
}

/* With another node as leader nothing commits here; what was under way commits with the epoch in
 * which this node leads again. */
static void another_leader_stops_this_one(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct configuration configuration = configuration_alone(LAB_NODE + 1, 1, 2, 1);
    struct replica_event event = {.kind = REPLICA_CONFIGURATION, .configuration = &configuration};

    (void)state;
    uint64_t put = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k", "v"));
    assert_int_equal(lab_step(lab, event), QN_OK);
    lab->epoch = 2;
    assert_int_equal(lab_status(lab, put), QN_INDETERMINATE);
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).commit_index, 2);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_NOT_LEADER);
    lab_configure(lab, 3);
    lab_sync(lab);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_OK);
    assert_int_equal(lab_replies_to(lab, put), 1);
    lab_destroy(lab);
}

/* Beyond the limit of what waits for the disk a write is refused, and accepted again later. */
static void too_much_in_flight_is_overloaded(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.uncommitted_max_bytes = 1000;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    uint64_t sequence = 1;
    uint64_t route;
    do {
        route = lab_send(lab, ME, change(WIRE_OP_PUT, s, sequence++, "k", "v"));
    } while (!lab_reply(lab, route));
    assert_int_equal(lab_status(lab, route), QN_OVERLOADED);
    assert_true(lab_reply(lab, route)->result.retry_after_ms > 0);
    assert_true(lab_stats(lab).uncommitted_bytes > 0);
    assert_true(lab_stats(lab).uncommitted_bytes <= 1000);
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).uncommitted_bytes, 0);
    route = lab_send(lab, ME, change(WIRE_OP_PUT, s, sequence - 1, "k", "v"));
    lab_sync(lab);
    assert_int_equal(lab_status(lab, route), QN_OK);
    lab_destroy(lab);
}

/* One record larger than that limit is accepted when nothing else is in flight; a limit of nothing
 * accepts nothing. */
static void a_large_record_passes_alone(void **state)
{
    struct replica_limits limits = lab_limits();

    (void)state;
    limits.uncommitted_max_bytes = 130;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    uint64_t first = lab_send(lab, ME, change(WIRE_OP_PUT, s, 1, "k", "a rather long value"));
    uint64_t second = lab_send(lab, ME, change(WIRE_OP_PUT, s, 2, "k", "v"));
    assert_int_equal(lab_status(lab, second), QN_OVERLOADED);
    lab_sync(lab);
    assert_int_equal(lab_status(lab, first), QN_OK);
    lab_destroy(lab);

    limits.uncommitted_max_bytes = 0;
    lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t open = lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN});
    assert_int_equal(lab_status(lab, open), QN_OVERLOADED);
    lab_destroy(lab);
}

/* A deadline before the commit ends in INDETERMINATE, once; the entry stays, and a repetition is
 * told the true result (B.7.7). */
static void a_missed_deadline_is_settled_later(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op put = change(WIRE_OP_PUT, s, 1, "k", "v");

    (void)state;
    put.remaining_ms = 100;
    uint64_t first = lab_send(lab, ME, put);
    lab_tick(lab, 99);
    assert_null(lab_reply(lab, first));
    lab_tick(lab, 1);
    assert_int_equal(lab_status(lab, first), QN_INDETERMINATE);
    lab_tick(lab, 1000);
    lab_sync(lab);
    assert_int_equal(lab_replies_to(lab, first), 1);
    uint64_t second = lab_send(lab, ME, put);
    assert_int_equal(lab_status(lab, second), QN_OK);
    assert_int_equal(lab_reply(lab, second)->result.version, 3);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_leads_when_its_epoch_is_on_disk),
        cmocka_unit_test(an_old_configuration_is_ignored),
        cmocka_unit_test(a_put_is_answered_when_it_is_on_disk),
        cmocka_unit_test(a_read_sees_committed_values_only),
        cmocka_unit_test(contains_and_count_answer_at_once),
        cmocka_unit_test(conditions_see_changes_in_flight),
        cmocka_unit_test(exists_waits_for_what_it_rests_on),
        cmocka_unit_test(the_old_value_comes_back_on_request),
        cmocka_unit_test(a_large_old_value_is_refused),
        cmocka_unit_test(another_epoch_is_refused),
        cmocka_unit_test(malformed_requests_are_refused),
        cmocka_unit_test(refusals_that_need_a_bare_request),
        cmocka_unit_test(a_faulted_partition_answers_corrupt),
        cmocka_unit_test(another_leader_stops_this_one),
        cmocka_unit_test(too_much_in_flight_is_overloaded),
        cmocka_unit_test(a_large_record_passes_alone),
        cmocka_unit_test(a_missed_deadline_is_settled_later),
    };
    return RUN_TESTS(tests);
}
