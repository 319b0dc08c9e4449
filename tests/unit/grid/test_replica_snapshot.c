/* Snapshots: the committed state of one moment as octets, taken while changes go on (B.13). */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"

enum { ME = 1, OTHER = 2 };

static struct wire_op put(uint64_t session, uint64_t sequence, unsigned key, char text[24])
{
    (void)snprintf(text, 24, "key %u", key);
    struct wire_op op = lab_change(WIRE_OP_PUT, session, sequence, text, "value");
    op.first_incomplete = sequence > 5 ? sequence - 5 : 1;
    op.cache = 1 + key % 3;
    op.ttl_ms = key % 5 == 0 ? 1000 + key : 0;
    op.flags = key % 4 == 0 ? WIRE_RETURN_OLD : 0;
    return op;
}

/* A replica with entries, times, two sessions, and outcomes of all kinds. */
static struct lab *with_state(uint64_t *session)
{
    struct lab *lab = lab_create();
    char text[24];

    *session = lab_session(lab, ME);
    uint64_t other = lab_session(lab, OTHER);
    for (unsigned i = 0; i < 200; i++) {
        lab_send(lab, ME, put(*session, i + 1, i * 7 % 150, text));
    }
    lab_send(lab, OTHER,
             (struct wire_op){.kind = WIRE_OP_OUTCOME, .session = other, .sequence = 9});
    lab_send(lab, ME, lab_change(WIRE_OP_PUT_IF_ABSENT, *session, 201, "key 7", "unlogged"));
    lab_sync(lab);
    return lab;
}

static void assert_same_digest(struct replica_digest a, struct replica_digest b)
{
    assert_int_equal(a.entries, b.entries);
    assert_int_equal(a.sessions, b.sessions);
    assert_int_equal(a.outcomes, b.outcomes);
}

/* The state of a snapshot is the state it was taken from, without a single record of the log. */
static void a_restored_replica_is_what_it_was(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);

    (void)state;
    struct replica_digest before = lab_digest(lab);
    struct replica_stats stats = lab_stats(lab);
    lab_snapshot(lab);
    assert_int_equal(lab->snapshot.index, lab->log_count);
    assert_int_equal(lab->snapshot.epoch, 1);
    assert_int_equal(lab->snapshot.wall_time_ms, lab->wall_ms);
    lab_crash(lab, false);
    assert_same_digest(before, lab_digest(lab));
    assert_int_equal(lab_stats(lab).entries, stats.entries);
    assert_int_equal(lab_stats(lab).sessions, stats.sessions);
    assert_int_equal(lab_stats(lab).commit_index, stats.commit_index);
    assert_int_equal(lab_stats(lab).partition_time_ms, stats.partition_time_ms);
    lab_configure(lab, 2);
    lab_sync(lab);
    lab_tick(lab, 1149); /* the times to live, too */
    lab_sync(lab);
    assert_true(lab_stats(lab).expired > 0);
    assert_true(lab_stats(lab).entries < stats.entries);
    lab_destroy(lab);
}

/* Taken in slices while entries change, expire and are cleared, sessions come and go: it holds the
 * state of its moment, and with the records behind it the state of now. */
static void a_snapshot_holds_one_moment(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct buf octets = {0};
    char text[24];
    bool done = false;

    (void)state;
    struct replica_digest moment = lab_digest(lab);
    assert_int_equal(replica_snapshot_begin(lab->replica, 0, &lab->snapshot, &octets), QN_OK);
    uint64_t index = lab->log_count;
    assert_int_equal(lab->snapshot.index, index);
    for (unsigned i = 0; !done; i++) {
        struct wire_op op = put(s, 300 + i, i % 170, text);
        op.kind = i % 3 == 0 ? WIRE_OP_REMOVE : WIRE_OP_PUT;
        lab_send(lab, ME, op);
        if (i == 20) {
            lab_send(lab, ME, lab_change(WIRE_OP_CLEAR, s, 290, "", ""));
            (void)lab_session(lab, 77);
        }
        lab_tick(lab, 20);
        lab_sync(lab);
        (void)replica_sweep(lab->replica, 50);
        assert_int_equal(replica_snapshot_next(lab->replica, 8, 1, &octets, &done), QN_OK);
    }
    replica_snapshot_end(lab->replica);
    lab->snapshot_octets = octets;
    struct replica_digest now = lab_digest(lab);
    lab_crash(lab, false);
    assert_int_equal(now.entries, lab_digest(lab).entries);
    assert_int_equal(now.sessions, lab_digest(lab).sessions);

    lab->durable = index; /* and without what came later: that moment */
    lab_crash(lab, false);
    assert_same_digest(moment, lab_digest(lab));
    lab_destroy(lab);
}

/* What is staged and not committed is in no snapshot: neither entries nor sessions nor outcomes; a
 * session whose end is on its way is. */
static void a_snapshot_holds_what_is_committed(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);

    (void)state;
    lab_done(lab, ME, lab_change(WIRE_OP_PUT, s, 1, "k", "v"));
    struct replica_digest before = lab_digest(lab);
    lab_tick(lab, LAB_TTL_MS); /* the end of the session */
    lab_send(lab, OTHER, (struct wire_op){.kind = WIRE_OP_SESSION_OPEN});
    assert_int_equal(lab->log_count, 5);
    lab_snapshot(lab);
    assert_int_equal(lab->snapshot.index, 3);
    lab_crash(lab, false);
    assert_same_digest(before, lab_digest(lab));
    lab_destroy(lab);

    lab = lab_create();
    s = lab_session(lab, ME);
    before = lab_digest(lab);
    lab_send(lab, ME, lab_change(WIRE_OP_PUT, s, 1, "k", "v"));
    lab_configure(lab, 2); /* an epoch that is not on disk is not that of the snapshot */
    lab_snapshot(lab);
    assert_int_equal(lab->snapshot.index, 2);
    assert_int_equal(lab->snapshot.epoch, 1);
    lab_crash(lab, false);
    assert_same_digest(before, lab_digest(lab));
    lab_destroy(lab);
}

/* The records that the snapshot holds are passed over; the next one must continue it. */
static void the_log_continues_the_snapshot(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct record record;
    size_t size;
    char text[24];

    (void)state;
    lab_snapshot(lab);
    uint64_t index = lab->log_count;
    lab_done(lab, ME, put(s, 300, 1, text));
    lab_done(lab, ME, put(s, 301, 2, text));
    struct replica_digest now = lab_digest(lab);
    lab_crash(lab, false); /* from all of the log */
    assert_int_equal(now.entries, lab_digest(lab).entries);

    replica_destroy(lab->replica); /* from its tail, as when older records are gone */
    assert_int_equal(replica_create(&lab->options, &lab->replica), QN_OK);
    assert_int_equal(replica_restore(lab->replica, &lab->snapshot), QN_OK);
    assert_int_equal(replica_restore_part(lab->replica, buf_bytes(&lab->snapshot_octets)), QN_OK);
    assert_int_equal(lab_recover(lab, index + 2), QN_CORRUPT); /* a gap */
    assert_int_equal(lab_recover(lab, index - 3), QN_OK);
    assert_int_equal(lab_stats(lab).last_index, index);
    assert_int_equal(record_decode(buf_bytes(&lab->log[index]), &record, &size), QN_OK);
    record.prev_epoch = 7;
    assert_int_equal(replica_recover(lab->replica, &record), QN_CORRUPT);
    assert_int_equal(lab_recover(lab, index + 1), QN_OK);
    assert_int_equal(lab_recover(lab, index), QN_OK);
    assert_int_equal(lab_recover(lab, index + 1), QN_CORRUPT); /* not one of the snapshot's */
    assert_int_equal(lab_recover(lab, index + 2), QN_OK);
    assert_int_equal(now.entries, lab_digest(lab).entries);
    lab_destroy(lab);
}

/* Repetitions after a start from a snapshot are told what was told before. */
static void outcomes_survive_in_a_snapshot(void **state)
{
    struct lab *lab = lab_create();
    uint64_t s = lab_session(lab, ME);
    struct wire_op old = lab_change(WIRE_OP_PUT, s, 2, "k", "two");

    (void)state;
    old.flags = WIRE_RETURN_OLD;
    lab_done(lab, ME, lab_change(WIRE_OP_PUT, s, 1, "k", "one"));
    struct wire_result told = *lab_done(lab, ME, old);
    lab_snapshot(lab);
    lab_crash(lab, true);
    const struct wire_result *again = lab_done(lab, ME, old);
    assert_int_equal(again->status, QN_OK);
    assert_int_equal(again->index, told.index);
    assert_int_equal(again->epoch, told.epoch);
    assert_int_equal(again->version, told.version);
    assert_bytes_equal(again->value, bytes_of_text("one"));
    old = lab_change(WIRE_OP_PUT, s, 3, "k", "three");
    old.first_incomplete = 3;
    lab_done(lab, ME, old);
    lab_snapshot(lab);
    lab_crash(lab, true);
    old = lab_change(WIRE_OP_PUT, s, 2, "k", "two");
    assert_int_equal(lab_done(lab, ME, old)->status, QN_STALE_SEQ);
    lab_destroy(lab);
}

/* Nothing new, a damaged partition, or no view to hold: there is no snapshot, and nothing is left
 * of the attempt. */
static void a_snapshot_may_not_be_had(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct replica_snapshot snapshot;
    struct buf octets = {0};
    uint64_t index = lab->log_count;

    (void)state;
    assert_int_equal(replica_snapshot_begin(lab->replica, index, &snapshot, &octets), QN_ABSENT);
    assert_int_equal(octets.size, 0);
    assert_int_equal(replica_snapshot_begin(lab->replica, index - 1, &snapshot, &octets), QN_OK);
    assert_int_equal(lab_stats(lab).pins, 1);
    replica_snapshot_end(lab->replica);
    replica_snapshot_end(lab->replica);
    assert_int_equal(lab_stats(lab).pins, 0);
    assert_int_equal(lab_step(lab, (struct replica_event){.kind = REPLICA_FAULT}), QN_OK);
    assert_int_equal(replica_snapshot_begin(lab->replica, 0, &snapshot, &octets), QN_CORRUPT);
    buf_fini(&octets);
    lab_destroy(lab);
}

/* A slice that can not remember where it stands leaves everything as it was, and may be repeated.
 */
static void a_slice_without_memory_may_be_repeated(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct replica_digest before = lab_digest(lab);
    bool done = false;

    (void)state;
    assert_int_equal(replica_snapshot_begin(lab->replica, 0, &lab->snapshot, &lab->snapshot_octets),
                     QN_OK);
    size_t refusals = 0;
    while (!done) {
        size_t size = lab->snapshot_octets.size;
        lab->memory.grants = 0;
        enum qn_status status =
            replica_snapshot_next(lab->replica, 5, 1, &lab->snapshot_octets, &done);
        if (status != QN_OK) {
            assert_int_equal(status, QN_MEMORY_FULL);
            assert_int_equal(lab->snapshot_octets.size, size);
            refusals++;
            lab->memory.grants = SIZE_MAX;
            status = replica_snapshot_next(lab->replica, 5, 1, &lab->snapshot_octets, &done);
        }
        assert_int_equal(status, QN_OK);
    }
    lab->memory.grants = SIZE_MAX;
    assert_true(refusals > 0);
    replica_snapshot_end(lab->replica);
    lab_crash(lab, false);
    assert_same_digest(before, lab_digest(lab));
    lab_destroy(lab);
}

static struct replica *fresh(const struct lab *lab)
{
    struct replica *replica;

    assert_int_equal(replica_create(&lab->options, &replica), QN_OK);
    return replica;
}

/* Octets as a snapshot: whatever is wrong with them is found, then the partition is damaged and
 * takes part in nothing. */
static void assert_damaged(struct lab *lab, struct bytes octets)
{
    struct replica *replica = fresh(lab);
    struct replica_stats stats;
    struct replica_actions actions;
    struct configuration configuration = configuration_alone(LAB_NODE, 1, 9, 1);
    struct replica_event event = {
        .kind = REPLICA_CONFIGURATION, .partition = LAB_PARTITION, .configuration = &configuration};

    assert_int_equal(replica_restore(replica, &lab->snapshot), QN_OK);
    enum qn_status status = replica_restore_part(replica, octets);
    assert_true(status == QN_OK || status == QN_CORRUPT);
    if (status == QN_CORRUPT) {
        assert_int_equal(replica_restore_part(replica, octets), QN_CORRUPT);
    }
    assert_int_equal(replica_step(replica, &event, &actions), QN_OK);
    replica_stats(replica, &stats);
    assert_int_equal(stats.role, REPLICA_FAULTED);
    replica_destroy(replica);
}

/* A snapshot cut short anywhere, even between two items, is noticed. */
static void a_snapshot_cut_short_is_damaged(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);

    (void)state;
    lab_snapshot(lab);
    struct bytes whole = buf_bytes(&lab->snapshot_octets);
    for (size_t size = 0; size < whole.size; size += 1 + size / 50) {
        assert_damaged(lab, bytes_of(whole.data, size));
    }
    assert_damaged(lab, bytes_of(whole.data, whole.size - 24)); /* all but the last item */
    lab_destroy(lab);
}

/* One octet changed anywhere is noticed. */
static void a_changed_octet_is_damage(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);

    (void)state;
    lab_snapshot(lab);
    struct buf *octets = &lab->snapshot_octets;
    for (size_t i = 0; i < octets->size; i += 1 + i / 100) {
        octets->data[i] ^= 0x11;
        assert_damaged(lab, buf_bytes(octets));
        octets->data[i] ^= 0x11;
    }
    lab_destroy(lab);
}

/* Items doubled, or more of them behind the last, are noticed; so is a part left out. */
static void parts_out_of_order_are_damage(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct buf octets = {0};

    (void)state;
    lab_snapshot(lab);
    struct bytes whole = buf_bytes(&lab->snapshot_octets);
    size_t first = 8 + get_u32(whole.data + 4);
    size_t second = 8 + get_u32(whole.data + first + 4);

    assert_damaged(lab, bytes_of(whole.data + first, whole.size - first)); /* without the head */
    assert_int_equal(buf_append(&octets, whole.data, first), QN_OK);       /* without the second */
    assert_int_equal(buf_append(&octets, whole.data + first + second, whole.size - first - second),
                     QN_OK);
    assert_damaged(lab, buf_bytes(&octets));
    buf_clear(&octets);
    assert_int_equal(buf_append(&octets, whole.data, first + second), QN_OK); /* the second twice */
    assert_int_equal(buf_append(&octets, whole.data + first, whole.size - first), QN_OK);
    assert_damaged(lab, buf_bytes(&octets));
    buf_fini(&octets);

    struct replica *replica = fresh(lab); /* something behind the end */
    assert_int_equal(replica_restore(replica, &lab->snapshot), QN_OK);
    assert_int_equal(replica_restore_part(replica, whole), QN_OK);
    assert_int_equal(replica_restore_part(replica, bytes_of(whole.data, first)), QN_CORRUPT);
    replica_destroy(replica);
    lab_destroy(lab);
}

/* A description of a snapshot that makes no sense is refused, too; and what it does not hold may
 * not be newer than it. */
static void a_description_must_fit(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct replica_snapshot good;

    (void)state;
    lab_snapshot(lab);
    good = lab->snapshot;
    struct replica_snapshot bad[] = {good, good, good};
    bad[0].partition++;
    bad[1].index = 0;
    bad[2].epoch = 0;
    for (size_t i = 0; i < 3; i++) {
        struct replica *replica = fresh(lab);
        assert_int_equal(replica_restore(replica, &bad[i]), QN_CORRUPT);
        replica_destroy(replica);
    }
    lab->snapshot.index = good.index / 2;
    assert_damaged(lab, buf_bytes(&lab->snapshot_octets));
    lab->snapshot.index = 1;
    assert_damaged(lab, buf_bytes(&lab->snapshot_octets));
    lab->snapshot = good;
    lab_tick(lab, LAB_TTL_MS); /* without sessions the entries speak for themselves */
    lab_sync(lab);
    assert_int_equal(lab_stats(lab).sessions, 0);
    lab_snapshot(lab);
    assert_true(lab->snapshot.index > good.index);
    lab->snapshot.index = 1;
    assert_damaged(lab, buf_bytes(&lab->snapshot_octets));
    lab->snapshot = (struct replica_snapshot){0};
    lab_destroy(lab);
}

/* Half a snapshot is no state: no record is taken before its end. */
static void a_log_waits_for_the_whole_snapshot(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);

    (void)state;
    lab_snapshot(lab);
    replica_destroy(lab->replica);
    lab->replica = fresh(lab);
    struct bytes whole = buf_bytes(&lab->snapshot_octets);
    assert_int_equal(replica_restore(lab->replica, &lab->snapshot), QN_OK);
    size_t half = 8 + get_u32(whole.data + 4);
    assert_int_equal(replica_restore_part(lab->replica, bytes_of(whole.data, half)), QN_OK);
    assert_int_equal(lab_recover(lab, 1), QN_CORRUPT);
    whole = bytes_of(whole.data + half, whole.size - half);
    assert_int_equal(replica_restore_part(lab->replica, whole), QN_OK);
    assert_int_equal(lab_recover(lab, 1), QN_OK);
    assert_int_equal(lab_stats(lab).role, REPLICA_SCAN);
    lab_destroy(lab);
}

/* Without memory for a snapshot the partition is damaged, not half there; nothing is lost of it. */
static void a_restore_without_memory_is_refused(void **state)
{
    uint64_t s;
    struct lab *lab = with_state(&s);
    struct replica_stats stats;
    enum qn_status status = QN_MEMORY_FULL;

    (void)state;
    lab_snapshot(lab);
    replica_destroy(lab->replica);
    for (size_t grants = 0; status == QN_MEMORY_FULL; grants += 1 + grants / 8) {
        lab->replica = fresh(lab);
        lab->memory.grants = grants;
        assert_int_equal(replica_restore(lab->replica, &lab->snapshot), QN_OK);
        status = replica_restore_part(lab->replica, buf_bytes(&lab->snapshot_octets));
        lab->memory.grants = SIZE_MAX;
        replica_stats(lab->replica, &stats);
        assert_int_equal(stats.role, status == QN_OK ? REPLICA_SCAN : REPLICA_FAULTED);
        replica_destroy(lab->replica);
        assert_int_equal(lab->memory.heap.bytes, 0);
    }
    assert_int_equal(status, QN_OK);
    lab->replica = fresh(lab);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_replica_is_what_it_was),
        cmocka_unit_test(a_snapshot_holds_one_moment),
        cmocka_unit_test(a_snapshot_holds_what_is_committed),
        cmocka_unit_test(the_log_continues_the_snapshot),
        cmocka_unit_test(outcomes_survive_in_a_snapshot),
        cmocka_unit_test(a_snapshot_may_not_be_had),
        cmocka_unit_test(a_slice_without_memory_may_be_repeated),
        cmocka_unit_test(a_snapshot_cut_short_is_damaged),
        cmocka_unit_test(a_changed_octet_is_damage),
        cmocka_unit_test(parts_out_of_order_are_damage),
        cmocka_unit_test(a_description_must_fit),
        cmocka_unit_test(a_log_waits_for_the_whole_snapshot),
        cmocka_unit_test(a_restore_without_memory_is_refused),
    };
    return RUN_TESTS(tests);
}
