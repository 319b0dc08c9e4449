/* Legal changes of a configuration (protocol.md B.4), and its octets. */
#include "grid/control/configuration.h"
#include "tests/lib/check.h"

enum { MIN_ISR = 2, A = 1, B = 2, C = 3 };

static struct configuration three(void)
{
    static const uint16_t nodes[] = {A, B, C};
    struct configuration c;

    assert_int_equal(configuration_first(nodes, 3, &c), QN_OK);
    return c;
}

static struct configuration shrunk(replica_set gone)
{
    struct configuration c = three();
    struct configuration next;

    assert_int_equal(configuration_shrink(&c, gone, 0, MIN_ISR, &next), QN_OK);
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
    return next;
}

static void all_copies_of_a_new_partition_are_in_sync(void **state)
{
    struct configuration c = three();

    (void)state;
    assert_int_equal(c.epoch, 1);
    assert_int_equal(c.isr, 7);
    assert_int_equal(c.elr, 0);
    assert_int_equal(c.leader, A);
    assert_int_equal(c.leader_incarnation, 0); /* leads nowhere yet */
}

/* Who leaves an ISR that is large enough may lack what is committed next; who leaves a smaller one
 * may not, since nothing is committed any more. */
static void members_removed_below_min_isr_stay_eligible(void **state)
{
    struct configuration c = shrunk(4), next;

    (void)state;
    assert_int_equal(c.isr, 3);
    assert_int_equal(c.elr, 0);
    assert_int_equal(configuration_shrink(&c, 2, 0, MIN_ISR, &next), QN_OK);
    assert_int_equal(next.isr, 1);
    assert_int_equal(next.elr, 2);
    c = next;
    assert_int_equal(configuration_expand(&c, C, MIN_ISR, &next), QN_OK);
    assert_int_equal(next.isr, 5);
    assert_int_equal(next.elr, 0); /* B will miss what A and C commit */
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
}

static void a_leader_is_elected_from_isr_or_elr_only(void **state)
{
    struct configuration c = shrunk(6), next;

    (void)state;
    assert_int_equal(c.isr, 1);
    assert_int_equal(c.elr, 6);
    assert_int_equal(configuration_elect(&c, B, 4, 1, false, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_elect(&c, B, 4, 0, true, 0, MIN_ISR, &next), QN_OK);
    assert_int_equal(next.epoch, 2);
    assert_int_equal(next.leader, B);
    assert_int_equal(next.leader_incarnation, 4);
    assert_int_equal(next.isr, 2);
    assert_int_equal(next.elr, 5);
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
    c = shrunk(4);
    assert_int_equal(configuration_elect(&c, C, 4, 4, false, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_elect(&c, B, 4, 3, false, 0, MIN_ISR, &next), QN_OK);
    assert_int_equal(configuration_elect(&c, B, 4, 7, false, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_elect(&c, B, 4, 1, false, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_elect(&c, B, 0, 3, false, 0, MIN_ISR, &next), QN_INVALID);
}

static void an_unclean_copy_leaves_both_sets(void **state)
{
    struct configuration c = shrunk(6), next;

    (void)state;
    assert_int_equal(configuration_unclean(&c, B, MIN_ISR, &next), QN_OK);
    assert_int_equal(next.elr, 4);
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
    assert_int_equal(configuration_unclean(&c, A, MIN_ISR, &next), QN_INVALID); /* the leader */
    c = three();
    assert_int_equal(configuration_elect(&c, B, 2, 2, false, 1, MIN_ISR, &next), QN_OK);
    assert_int_equal(next.elr, 4); /* A is unclean */
}

static void the_leader_is_not_removed(void **state)
{
    struct configuration c = three(), next;

    (void)state;
    assert_int_equal(configuration_shrink(&c, 1, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_shrink(&c, 8, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_shrink(&c, 0, 0, MIN_ISR, &next), QN_INVALID);
    assert_int_equal(configuration_remove(&c, B, &next), QN_INVALID); /* still in sync */
}

static void copies_move_by_learning_first(void **state)
{
    static const uint16_t target[] = {A, B, 9};
    struct configuration c = three(), next;

    (void)state;
    assert_int_equal(configuration_place_copies(&c, target, 3, &next), QN_OK);
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
    assert_int_equal(next.replica_count, 4);
    assert_int_equal(next.isr, 7);
    c = next;
    assert_int_equal(configuration_expand(&c, 9, MIN_ISR, &next), QN_OK);
    c = next;
    assert_int_equal(c.isr, 15);
    assert_int_equal(configuration_shrink(&c, 4, 0, MIN_ISR, &next), QN_OK);
    c = next;
    assert_int_equal(configuration_remove(&c, C, &next), QN_OK);
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
    assert_int_equal(next.replica_count, 3);
    assert_int_equal(next.replicas[2], 9);
    assert_int_equal(next.isr, 7);
}

static void a_forced_election_counts_the_lineage_up(void **state)
{
    struct configuration c = shrunk(4), next;

    (void)state;
    assert_int_equal(configuration_force(&c, C, 5, &next), QN_OK);
    assert_int_equal(next.lineage, 2);
    assert_int_equal(next.isr, 4);
    assert_int_equal(next.elr, 0);
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
}

static void assert_illegal(const struct configuration *now, const struct configuration *next)
{
    const char *why = NULL;

    assert_false(configuration_legal(now, next, MIN_ISR, &why));
    assert_non_null(why);
}

static void everything_else_is_illegal(void **state)
{
    struct configuration c = shrunk(4), next = c;

    (void)state;
    assert_illegal(&c, &next); /* the same version */
    next.version++;
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL)); /* a cancel */
    next.isr = 4;
    assert_illegal(&c, &next);
    next = c;
    next.version++;
    next.leader = B;
    assert_illegal(&c, &next); /* in the same epoch */
    next.epoch += 2;
    assert_illegal(&c, &next);
    next.epoch = c.epoch + 1;
    assert_true(configuration_legal(&c, &next, MIN_ISR, NULL));
    next.leader = C;
    assert_illegal(&c, &next);
    next = c;
    next.version++;
    next.elr = 4;
    assert_illegal(&c, &next); /* C may lack something */
    next = c;
    next.version++;
    next.replicas[2] = 9;
    assert_illegal(&c, &next);
}

static void octets_come_back_and_are_checked(void **state)
{
    static const uint16_t target[] = {A, B, 65535};
    struct configuration c = shrunk(6), next, read;
    uint8_t octets[CONFIGURATION_SIZE];

    (void)state;
    assert_int_equal(configuration_place_copies(&c, target, 3, &next), QN_OK);
    configuration_encode(&next, octets);
    assert_int_equal(configuration_decode(bytes_of(octets, sizeof octets), &read), QN_OK);
    assert_int_equal(read.epoch, next.epoch);
    assert_int_equal(read.version, next.version);
    assert_int_equal(read.replica_count, 4);
    assert_int_equal(read.replicas[3], 65535);
    assert_int_equal(read.isr, 1);
    assert_int_equal(read.elr, 6);
    assert_int_equal(read.target_count, 3);
    octets[14] |= 0x80; /* a set that names no copy */
    assert_int_equal(configuration_decode(bytes_of(octets, sizeof octets), &read), QN_MALFORMED);
    assert_int_equal(configuration_decode(bytes_of(octets, 39), &read), QN_MALFORMED);
    memset(octets, 0, sizeof octets);
    assert_int_equal(configuration_decode(bytes_of(octets, sizeof octets), &read), QN_MALFORMED);
}

static void a_page_comes_back_or_is_refused(void **state)
{
    struct configuration list[] = {three(), shrunk(4), shrunk(6)}, read[3];
    struct buf page = {0};
    uint32_t first, count;

    (void)state;
    assert_int_equal(configuration_page_encode(64, list, 3, &page), QN_OK);
    assert_int_equal(configuration_page_decode(buf_bytes(&page), &first, read, 3, &count), QN_OK);
    assert_int_equal(first, 64);
    assert_int_equal(count, 3);
    assert_int_equal(read[2].elr, 6);
    assert_int_equal(configuration_page_decode(buf_bytes(&page), &first, read, 2, &count),
                     QN_MALFORMED);
    for (size_t i = 4; i < page.size; i++) {
        page.data[i] ^= 1;
        assert_int_equal(configuration_page_decode(buf_bytes(&page), &first, read, 3, &count),
                         QN_MALFORMED);
        page.data[i] ^= 1;
    }
    page.data[0]++;
    assert_int_equal(configuration_page_decode(buf_bytes(&page), &first, read, 3, &count),
                     QN_UNSUPPORTED);
    buf_fini(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_copies_of_a_new_partition_are_in_sync),
        cmocka_unit_test(members_removed_below_min_isr_stay_eligible),
        cmocka_unit_test(a_leader_is_elected_from_isr_or_elr_only),
        cmocka_unit_test(an_unclean_copy_leaves_both_sets),
        cmocka_unit_test(the_leader_is_not_removed),
        cmocka_unit_test(copies_move_by_learning_first),
        cmocka_unit_test(a_forced_election_counts_the_lineage_up),
        cmocka_unit_test(everything_else_is_illegal),
        cmocka_unit_test(octets_come_back_and_are_checked),
        cmocka_unit_test(a_page_comes_back_or_is_refused),
    };

    return RUN_TESTS(tests);
}
