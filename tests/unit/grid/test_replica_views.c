/* Soft commit: when what is committed becomes visible to COUNT and SCAN (B.14). */
#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1 };

static struct lab *create_with(int64_t soft_commit_ms)
{
    struct replica_limits limits = lab_limits();

    limits.soft_commit_ms = soft_commit_ms;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    return lab;
}

static struct wire_op put(uint64_t session, uint64_t sequence, const char *key)
{
    return lab_change(WIRE_OP_PUT, session, sequence, key, "v");
}

static uint64_t count_since(struct lab *lab, uint64_t view_min, uint64_t *view)
{
    uint64_t route =
        lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_COUNT, .view_min = view_min});

    assert_int_equal(lab_status(lab, route), QN_OK);
    *view = lab_reply(lab, route)->result.view;
    return lab_reply(lab, route)->result.count;
}

static uint64_t count(struct lab *lab)
{
    uint64_t view;
    uint64_t counted = count_since(lab, 0, &view);

    assert_int_equal(view, lab_stats(lab).view);
    return counted;
}

static void publish(struct lab *lab)
{
    assert_int_equal(lab_step(lab, (struct replica_event){.kind = REPLICA_PUBLISH}), QN_OK);
}

/* A view is there as soon as the partition opens: what was committed before. */
static void opening_publishes_what_is_there(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);

    (void)state;
    assert_int_equal(lab_stats(lab).view, 1);
    lab_done(lab, ME, put(s, 1, "k"));
    assert_int_equal(count(lab), 0);
    lab_crash(lab, true);
    assert_int_equal(lab_stats(lab).view, lab->log_count);
    assert_int_equal(count(lab), 1);
    lab_destroy(lab);
}

/* By the timer a view is at most `soft_commit_ms` old; when nothing has been committed, there is
 * nothing to publish. */
static void a_timer_publishes(void **state)
{
    struct lab *lab = create_with(1000);
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "k"));
    lab_tick(lab, 999);
    assert_int_equal(count(lab), 0);
    lab_tick(lab, 1);
    assert_int_equal(count(lab), 1);
    uint64_t published = lab_stats(lab).published;
    for (int i = 0; i < 10; i++) {
        lab_tick(lab, 1000);
    }
    assert_int_equal(lab_stats(lab).published, published);
    lab_send(lab, ME, put(s, 2, "l"));
    lab_tick(lab, 1000);
    assert_int_equal(count(lab), 1); /* not what is only on its way */
    lab_destroy(lab);
}

/* Without the timer only a request publishes. */
static void a_request_publishes(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "k"));
    lab_tick(lab, 100000);
    assert_int_equal(count(lab), 0);
    publish(lab);
    assert_int_equal(count(lab), 1);
    assert_int_equal(lab_stats(lab).view, 3);
    lab_destroy(lab);
}

/* A read by key needs no view: it sees a change as soon as that is acknowledged. */
static void a_get_needs_no_view(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, put(s, 1, "k"));
    assert_int_equal(lab_get(lab, "k")->result.status, QN_OK);
    assert_int_equal(count(lab), 0);
    lab_destroy(lab);
}

/* A visible change is answered only when the view shows it; so is its repetition. */
static void a_visible_change_is_in_the_view_when_it_is_answered(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);
    struct wire_op visible = put(s, 1, "k");

    (void)state;
    visible.flags = WIRE_VISIBLE;
    lab_send(lab, ME, put(s, 2, "other"));
    uint64_t route = lab_send(lab, ME, visible);
    lab->memory.grants = 0; /* and that needs no memory */
    lab_sync(lab);
    lab->memory.grants = SIZE_MAX;
    assert_int_equal(lab_status(lab, route), QN_OK);
    assert_true(lab_stats(lab).view >= lab_reply(lab, route)->result.version);
    assert_int_equal(count(lab), 2);

    lab_done(lab, ME, put(s, 3, "third"));
    assert_int_equal(count(lab), 2);
    visible = put(s, 3, "third");
    visible.flags = WIRE_VISIBLE;
    lab_done(lab, ME, visible);
    assert_int_equal(count(lab), 3);
    lab_send(lab, ME, put(s, 4, "fourth"));
    visible = put(s, 4, "fourth");
    visible.flags = WIRE_VISIBLE;
    lab_done(lab, ME, visible); /* joins the one on its way */
    assert_int_equal(count(lab), 4);
    lab_destroy(lab);
}

/* `commit_within_ms` publishes with the first TICK at or after that time; below 250 ms when the
 * change commits. */
static void a_change_may_ask_to_be_visible_soon(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);
    struct wire_op soon = put(s, 1, "k");

    (void)state;
    soon.commit_within_ms = 300;
    lab_send(lab, ME, soon);
    lab_tick(lab, 100);
    lab_sync(lab);
    lab_tick(lab, 199);
    assert_int_equal(count(lab), 0);
    lab_tick(lab, 1);
    assert_int_equal(count(lab), 1);
    soon = put(s, 2, "l");
    soon.commit_within_ms = 249;
    lab_send(lab, ME, soon);
    assert_int_equal(count(lab), 1);
    lab_sync(lab);
    assert_int_equal(count(lab), 2);
    lab_destroy(lab);
}

/* What a change asked of the view stands, though a repetition that asks for less gets the answer.
 */
static void a_repetition_takes_no_visibility_away(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);
    struct wire_op visible = put(s, 1, "k");
    struct wire_op soon = put(s, 2, "l");

    (void)state;
    visible.flags = WIRE_VISIBLE;
    lab_send(lab, ME, visible);
    lab_done(lab, ME, put(s, 1, "k"));
    assert_int_equal(count(lab), 1);
    soon.commit_within_ms = 300;
    lab_send(lab, ME, soon);
    lab_done(lab, ME, put(s, 2, "l"));
    assert_int_equal(count(lab), 1);
    lab_tick(lab, 300);
    assert_int_equal(count(lab), 2);
    lab_destroy(lab);
}

/* A change that commits after its time is visible with the next TICK. */
static void a_late_commit_is_published_at_once(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);
    struct wire_op soon = put(s, 1, "k");

    (void)state;
    soon.commit_within_ms = 300;
    lab_send(lab, ME, soon);
    lab_tick(lab, 1000);
    lab_sync(lab);
    assert_int_equal(count(lab), 0);
    lab_tick(lab, 0);
    assert_int_equal(count(lab), 1);
    lab_destroy(lab);
}

/* A reader who wants to see a record gets a view that shows it. */
static void a_reader_may_ask_for_a_newer_view(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);
    uint64_t view;

    (void)state;
    uint64_t index = lab_done(lab, ME, put(s, 1, "k"))->index;
    assert_int_equal(count_since(lab, index - 2, &view), 0);
    assert_true(view < index);
    assert_int_equal(count_since(lab, index, &view), 1);
    assert_true(view >= index);
    lab_send(lab, ME, put(s, 2, "l"));
    assert_int_equal(count_since(lab, index + 1, &view), 1); /* what is not committed nobody sees */
    lab_destroy(lab);
}

/* An entry stands in the view until the record of its end does, whatever the time. */
static void a_view_shows_an_expired_entry_until_its_record(void **state)
{
    struct lab *lab = create_with(0);
    uint64_t s = lab_session(lab, ME);
    struct wire_op brief = put(s, 1, "k");

    (void)state;
    brief.ttl_ms = 100;
    lab_done(lab, ME, brief);
    publish(lab);
    lab_tick(lab, 100);
    lab_sync(lab);
    assert_int_equal(lab_get(lab, "k")->result.status, QN_ABSENT);
    assert_int_equal(count(lab), 1);
    publish(lab);
    assert_int_equal(count(lab), 0);
    lab_destroy(lab);
}

/* Old versions that only the view needs are bounded: a newer view is published before its time. */
static void too_much_history_publishes_early(void **state)
{
    struct replica_limits limits = lab_limits();
    static const char value[1000];

    (void)state;
    limits.soft_commit_ms = 0;
    limits.history_max_bytes = 500;
    struct lab *lab = lab_create_closed(&limits);
    lab_configure(lab, 1);
    lab_sync(lab);
    uint64_t s = lab_session(lab, ME);
    struct wire_op large = put(s, 1, "k");
    large.value = bytes_of(value, sizeof value);
    lab_done(lab, ME, large);
    publish(lab);
    lab_done(lab, ME, put(s, 2, "k"));
    assert_true(lab_stats(lab).history_bytes > 1000);
    lab_tick(lab, 0);
    assert_int_equal(lab_stats(lab).history_bytes, 0);
    assert_int_equal(lab_stats(lab).view, lab->log_count);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_publishes_what_is_there),
        cmocka_unit_test(a_timer_publishes),
        cmocka_unit_test(a_request_publishes),
        cmocka_unit_test(a_get_needs_no_view),
        cmocka_unit_test(a_visible_change_is_in_the_view_when_it_is_answered),
        cmocka_unit_test(a_change_may_ask_to_be_visible_soon),
        cmocka_unit_test(a_repetition_takes_no_visibility_away),
        cmocka_unit_test(a_late_commit_is_published_at_once),
        cmocka_unit_test(a_reader_may_ask_for_a_newer_view),
        cmocka_unit_test(a_view_shows_an_expired_entry_until_its_record),
        cmocka_unit_test(too_much_history_publishes_early),
    };
    return RUN_TESTS(tests);
}
