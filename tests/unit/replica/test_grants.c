/* Leases and grants (protocol.md B.12). */
#include "grid/lease/grants.h"
#include "tests/lib/check.h"

enum { ME = 1, OTHER = 2, THIRD = 3, P = 4, LEASE = 2500, GRANT = 3000, START = 100000 };

static struct alloc heap;

static struct grants *table(void)
{
    struct grants_options options = {
        .node = ME,
        .lane_count = 2,
        .partition_count = 10,
        .started_ms = START,
        .lease_ms = LEASE,
        .grant_ms = GRANT,
        .alloc = &heap,
    };
    struct grants *grants;

    alloc_init(&heap);
    assert_int_equal(grants_create(&options, &grants), QN_OK);
    return grants;
}

static void end(struct grants *grants)
{
    grants_destroy(grants);
    assert_int_equal(heap.bytes, 0);
}

static struct grants *leading(void)
{
    static const uint32_t members[] = {OTHER, THIRD};
    static const uint16_t copies[] = {ME, OTHER, THIRD};
    struct grants *grants = table();

    grants_note(grants, P, 7, 7, 1, members, 2);
    grants_publish(grants, P, copies, 3, 40, 50);
    return grants;
}

static void acknowledge(struct grants *grants, uint32_t from, int64_t sent_ms, uint64_t epoch)
{
    struct wire_peer row = {.kind = WIRE_PEER_BEACON_ROW, .partition = P, .epoch = epoch};

    grants_acknowledge(grants, from, sent_ms, sent_ms + 5, &row, 1, NULL, 0);
}

static void a_lease_takes_everybody_and_counts_from_the_sending(void **state)
{
    struct grants *grants = leading();

    (void)state;
    assert_int_equal(grants_view(grants, P).lease_until_ms, INT64_MIN);
    acknowledge(grants, OTHER, START + 10, 7);
    assert_int_equal(grants_view(grants, P).lease_until_ms, INT64_MIN);
    acknowledge(grants, THIRD, START + 20, 7);
    assert_int_equal(grants_view(grants, P).lease_until_ms, START + 10 + LEASE);
    acknowledge(grants, OTHER, START + 5, 7); /* late: changes nothing */
    assert_int_equal(grants_view(grants, P).lease_until_ms, START + 10 + LEASE);
    end(grants);
}

static void leases_of_another_epoch_are_void(void **state)
{
    static const uint32_t members[] = {OTHER};
    struct grants *grants = leading();

    (void)state;
    acknowledge(grants, OTHER, START, 6);
    acknowledge(grants, THIRD, START, 7);
    assert_int_equal(grants_view(grants, P).lease_until_ms, INT64_MIN);
    acknowledge(grants, OTHER, START, 7);
    grants_note(grants, P, 7, 7, 1, members, 1); /* a smaller set keeps what it has */
    assert_int_equal(grants_view(grants, P).lease_until_ms, START + LEASE);
    grants_note(grants, P, 8, 8, 1, members, 1);
    assert_int_equal(grants_view(grants, P).lease_until_ms, INT64_MIN);
    end(grants);
}

static void a_refused_partition_gives_no_lease(void **state)
{
    struct grants *grants = leading();
    struct wire_peer row = {.partition = P, .epoch = 7};

    (void)state;
    grants_acknowledge(grants, THIRD, START, START, &row, 1, NULL, 0);
    grants_acknowledge(grants, OTHER, START, START, &row, 1, &row, 1);
    assert_int_equal(grants_view(grants, P).lease_until_ms, INT64_MIN);
    end(grants);
}

static bool beacon(struct grants *grants, uint64_t epoch, int64_t now_ms)
{
    struct wire_peer row = {.partition = P, .epoch = epoch, .commit = 30, .proof_ms = INT64_MIN};

    return grants_receive(grants, OTHER, &row, now_ms);
}

static void only_the_promised_epoch_is_granted(void **state)
{
    struct grants *grants = table();

    (void)state;
    grants_note(grants, P, 7, 0, 1, NULL, 0);
    assert_false(beacon(grants, 6, START + 1));
    assert_false(beacon(grants, 8, START + 1));
    assert_true(beacon(grants, 7, START + 4000));
    assert_int_equal(grants_view(grants, P).granted_until_ms, START + 4000 + GRANT);
    assert_int_equal(grants_view(grants, P).leader_commit, 30);
    grants_note(grants, P, 8, 8, 1, NULL, 0); /* leads itself now */
    assert_false(beacon(grants, 8, START + 4100));
    assert_int_equal(grants_view(grants, P).granted_until_ms, START + 4000 + GRANT);
    end(grants);
}

/* What the process before granted is not known: it may run for as long as a grant. */
static void a_new_process_waits_for_what_it_may_have_forgotten(void **state)
{
    struct grants *grants = table();

    (void)state;
    assert_int_equal(grants_view(grants, P).granted_until_ms, START + GRANT);
    grants_released(grants, P, 100); /* by whom, nobody knows */
    assert_int_equal(grants_view(grants, P).granted_until_ms, START + GRANT);
    end(grants);
}

static void a_released_grant_is_over(void **state)
{
    struct grants *grants = table();

    (void)state;
    grants_note(grants, P, 7, 0, 1, NULL, 0);
    assert_true(beacon(grants, 7, START + 10));
    grants_released(grants, P, 6); /* an older leader's word */
    assert_int_equal(grants_view(grants, P).granted_until_ms, START + 10 + GRANT);
    grants_released(grants, P, 7);
    assert_int_equal(grants_view(grants, P).granted_until_ms, INT64_MIN);
    end(grants);
}

/* A leader carries the clock of a copy back to it while it has a lease; the copy then knows that
 * the commit index of that beacon was the newest at that moment of its own clock. */
static void a_proof_takes_the_way_there_and_back(void **state)
{
    struct grants *grants = leading();
    struct wire_peer row;

    (void)state;
    assert_int_equal(grants_beacon(grants, OTHER, START + 10, &row, 1), 1);
    assert_int_equal(row.proof_ms, INT64_MIN);
    acknowledge(grants, OTHER, START + 10, 7);
    acknowledge(grants, THIRD, START + 10, 7);
    assert_int_equal(grants_beacon(grants, OTHER, START + 20, &row, 1), 1);
    assert_int_equal(row.proof_ms, START + 15);
    assert_int_equal(row.commit, 40);
    assert_int_equal(grants_beacon(grants, OTHER, START + 10 + LEASE, &row, 1), 1);
    assert_int_equal(row.proof_ms, INT64_MIN); /* no lease, no proof */
    assert_int_equal(grants_beacon(grants, 77, START + 20, &row, 1), 0);
    end(grants);

    grants = table();
    grants_note(grants, P, 7, 0, 1, NULL, 0);
    row = (struct wire_peer){.partition = P, .epoch = 7, .commit = 40, .proof_ms = START + 15};
    assert_true(grants_receive(grants, OTHER, &row, START + 30));
    assert_int_equal(grants_view(grants, P).proof_ms, START + 15);
    assert_int_equal(grants_view(grants, P).proof_index, 40);
    end(grants);
}

static void silence_is_suspected_once_in_a_while(void **state)
{
    struct grants *grants = table();
    struct wire_peer out[4];

    (void)state;
    grants_note(grants, P, 7, 0, 1, NULL, 0);
    assert_true(beacon(grants, 7, START + 10));
    assert_int_equal(grants_suspects(grants, START + 9 + GRANT, out, 4), 0);
    assert_int_equal(grants_suspects(grants, START + 10 + GRANT, out, 4), 1);
    assert_int_equal(out[0].partition, P);
    assert_int_equal(out[0].epoch, 7);
    assert_int_equal(grants_suspects(grants, START + 11 + GRANT, out, 4), 0);
    assert_int_equal(grants_suspects(grants, START + 10 + 2 * GRANT, out, 4), 1);
    end(grants);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lease_takes_everybody_and_counts_from_the_sending),
        cmocka_unit_test(leases_of_another_epoch_are_void),
        cmocka_unit_test(a_refused_partition_gives_no_lease),
        cmocka_unit_test(only_the_promised_epoch_is_granted),
        cmocka_unit_test(a_new_process_waits_for_what_it_may_have_forgotten),
        cmocka_unit_test(a_released_grant_is_over),
        cmocka_unit_test(a_proof_takes_the_way_there_and_back),
        cmocka_unit_test(silence_is_suspected_once_in_a_while),
    };

    return RUN_TESTS(tests);
}
