/* SCAN: the entries of a view, an answer at a time, whatever changes meanwhile (B.14). */
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/grid/lab.h"
#include "wire/rows.h"

enum { ME = 1, KEYS = 500 };

/* A scan under way: what it has seen. */
struct cursor {
    struct wire_op op; /* the next one */
    struct buf token;
    unsigned seen[KEYS];
    uint64_t versions[KEYS];
    size_t rows;
    size_t answers;
    bool more;
};

static struct wire_op put(uint64_t session, uint64_t sequence, unsigned key, const char *value,
                          char text[24])
{
    (void)snprintf(text, 24, "key %u", key);
    struct wire_op op = lab_change(WIRE_OP_PUT, session, sequence, text, value);
    op.first_incomplete = sequence;
    return op;
}

/* A lab with `count` entries in the view. */
static struct lab *filled(const struct replica_limits *limits, unsigned count, uint64_t *session)
{
    struct lab *lab = lab_create_closed(limits);
    char text[24];

    lab_configure(lab, 1);
    lab_sync(lab);
    *session = lab_session(lab, ME);
    for (unsigned i = 0; i < count; i++) {
        lab_send(lab, ME, put(*session, i + 1, i, "value", text));
    }
    lab_sync(lab);
    assert_int_equal(lab_step(lab, (struct replica_event){.kind = REPLICA_PUBLISH}), QN_OK);
    return lab;
}

static struct lab *filled_default(unsigned count, uint64_t *session)
{
    struct replica_limits limits = lab_limits();

    return filled(&limits, count, session);
}

static struct cursor begin(uint32_t count_max)
{
    return (struct cursor){.op = {.kind = WIRE_OP_SCAN, .count_max = count_max}, .more = true};
}

static void take_row(struct cursor *cursor, const struct row *row)
{
    unsigned key = 0;
    char text[24] = {0};

    assert_true(row->key.size < sizeof text);
    memcpy(text, row->key.data, row->key.size);
    assert_int_equal(sscanf(text, "key %u", &key), 1);
    assert_true(key < KEYS);
    cursor->seen[key]++;
    cursor->versions[key] = row->version;
    cursor->rows++;
}

/* One answer of the scan. Its status. */
static int next(struct lab *lab, struct cursor *cursor)
{
    uint64_t route = lab_send(lab, ME, cursor->op);
    const struct wire_result *result = &lab_reply(lab, route)->result;
    struct bytes rows = result->value;
    struct row row;
    uint64_t count = 0;

    if (result->status != QN_OK) {
        assert_true(result->text.size > 0);
        return result->status;
    }
    while (row_next(&rows, &row) == QN_OK) {
        take_row(cursor, &row);
        count++;
    }
    assert_int_equal(rows.size, 0);
    assert_int_equal(count, result->count);
    assert_int_equal(result->more, result->token.size > 0);
    cursor->answers++;
    cursor->more = result->more;
    cursor->op.view = result->view;
    buf_clear(&cursor->token);
    assert_int_equal(buf_append(&cursor->token, result->token.data, result->token.size), QN_OK);
    cursor->op.value = buf_bytes(&cursor->token);
    return QN_OK;
}

static void finish(struct lab *lab, struct cursor *cursor)
{
    while (cursor->more) {
        assert_int_equal(next(lab, cursor), QN_OK);
    }
    buf_fini(&cursor->token);
}

static void assert_complete(const struct cursor *cursor, unsigned count)
{
    for (unsigned i = 0; i < KEYS; i++) {
        assert_int_equal(cursor->seen[i], i < count);
    }
}

/* Answer by answer each entry of the cache comes once, and of no other cache. */
static void a_scan_sees_every_entry_once(void **state)
{
    static const uint32_t sizes[] = {1, 2, 7, 499, 500, 501, 0};
    uint64_t s;
    struct lab *lab = filled_default(KEYS, &s);
    struct wire_op other = lab_change(WIRE_OP_PUT, s, 10000, "key 3", "of another cache");

    (void)state;
    other.cache = LAB_CACHE + 1;
    other.flags = WIRE_VISIBLE;
    lab_done(lab, ME, other);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cursor cursor = begin(sizes[i]);
        finish(lab, &cursor);
        assert_complete(&cursor, KEYS);
        assert_true(sizes[i] == 0 || cursor.answers <= KEYS / sizes[i] + 1);
        assert_int_equal(lab_stats(lab).pins, 0);
    }
    lab_destroy(lab);
}

/* A row carries version, value, flags and time left; keys alone on request. */
static void a_row_carries_the_entry(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(0, &s);
    struct wire_op op = lab_change(WIRE_OP_PUT, s, 1, "key 7", "value");
    struct row row;

    (void)state;
    op.value_flags = VALUE_COMPRESSED;
    op.ttl_ms = 500;
    op.flags = WIRE_VISIBLE;
    uint64_t version = lab_done(lab, ME, op)->version;
    uint64_t route = lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_SCAN});
    struct bytes rows = lab_reply(lab, route)->result.value;
    assert_int_equal(row_next(&rows, &row), QN_OK);
    assert_bytes_equal(row.key, bytes_of_text("key 7"));
    assert_bytes_equal(row.value, bytes_of_text("value"));
    assert_int_equal(row.flags, VALUE_COMPRESSED);
    assert_int_equal(row.version, version);
    assert_int_equal(row.ttl_ms, 500);
    route = lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_SCAN, .flags = WIRE_KEYS_ONLY});
    rows = lab_reply(lab, route)->result.value;
    assert_int_equal(row_next(&rows, &row), QN_OK);
    assert_int_equal(row.value.size, 0);
    lab_destroy(lab);
}

/* What a get does not find any more, a scan does not show, whatever its view holds. */
static void a_scan_leaves_out_what_has_expired(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(0, &s);
    struct wire_op op = lab_change(WIRE_OP_PUT, s, 1, "key 7", "value");
    struct row row;

    (void)state;
    op.ttl_ms = 500;
    op.flags = WIRE_VISIBLE;
    lab_done(lab, ME, op);
    lab_tick(lab, 500);
    uint64_t route = lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_SCAN});
    struct bytes rows = lab_reply(lab, route)->result.value;
    assert_int_equal(row_next(&rows, &row), QN_OK); /* its end is on its way to disk */
    lab_sync(lab);
    route = lab_send(lab, ME, (struct wire_op){.kind = WIRE_OP_SCAN});
    rows = lab_reply(lab, route)->result.value;
    assert_int_equal(row_next(&rows, &row), QN_ABSENT);
    lab_destroy(lab);
}

/* An answer ends before it exceeds the size asked for, but one row too large for it passes alone.
 */
static void an_answer_keeps_to_its_size(void **state)
{
    static char large[5000];
    uint64_t s;
    struct lab *lab = filled_default(100, &s);
    struct wire_op op = lab_change(WIRE_OP_PUT, s, 1000, "key 100", "");

    (void)state;
    memset(large, 'x', sizeof large);
    op.value = bytes_of(large, sizeof large);
    op.flags = WIRE_VISIBLE;
    lab_done(lab, ME, op);
    struct cursor cursor = begin(0);
    cursor.op.size_max = 400;
    while (cursor.more) {
        size_t rows_before = cursor.rows;
        assert_int_equal(next(lab, &cursor), QN_OK);
        size_t size = lab->replies[lab->reply_count - 1].result.value.size;
        assert_true(size <= 400 || cursor.rows == rows_before + 1);
    }
    assert_complete(&cursor, 101);
    buf_fini(&cursor.token);
    lab_destroy(lab);
}

/* A scan goes on in its view while entries are overwritten, removed, added and cleared, and views
 * are published: it sees the state of one moment. */
static void a_scan_sees_one_moment(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(300, &s);
    char text[24];

    (void)state;
    struct cursor cursor = begin(10);
    assert_int_equal(next(lab, &cursor), QN_OK);
    uint64_t view = cursor.op.view;
    for (unsigned i = 0; cursor.more; i++) {
        struct wire_op op = put(s, 1000 + i, (i * 7) % 300, "newer", text);
        op.kind = i % 3 == 0 ? WIRE_OP_REMOVE : WIRE_OP_PUT;
        lab_send(lab, ME, op);
        lab_sync(lab);
        lab_done(lab, ME, put(s, 3000 + i, 300 + i % 200, "added", text));
        lab_tick(lab, 1000);
        if (i == 10) {
            lab_done(lab, ME, lab_change(WIRE_OP_CLEAR, s, 5000, "", ""));
            (void)replica_sweep(lab->replica, 10000);
        }
        assert_int_equal(next(lab, &cursor), QN_OK);
        assert_int_equal(cursor.op.view, view);
    }
    assert_complete(&cursor, 300);
    for (unsigned i = 0; i < 300; i++) {
        assert_true(cursor.versions[i] <= view);
    }
    buf_fini(&cursor.token);
    lab_tick(lab, 1000);
    assert_int_equal(lab_stats(lab).pins, 0);
    assert_int_equal(lab_stats(lab).history_bytes, 0);
    lab_destroy(lab);
}

/* A cursor that rests too long loses its view and is told how to go on; use prolongs it. */
static void a_cursor_that_rests_loses_its_view(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(100, &s);
    char text[24];

    (void)state;
    struct cursor cursor = begin(10);
    assert_int_equal(next(lab, &cursor), QN_OK);
    lab_done(lab, ME, put(s, 1000, 5, "newer", text));
    lab_tick(lab, LAB_PIN_TTL_MS - 1);
    assert_int_equal(next(lab, &cursor), QN_OK);
    lab_tick(lab, LAB_PIN_TTL_MS - 1);
    assert_int_equal(next(lab, &cursor), QN_OK);
    assert_int_equal(lab_stats(lab).pins, 1);
    lab_tick(lab, LAB_PIN_TTL_MS);
    assert_int_equal(lab_stats(lab).pins, 0);
    assert_int_equal(lab_stats(lab).cursors_expired, 1);
    assert_int_equal(next(lab, &cursor), QN_CURSOR_EXPIRED);
    cursor.op.view = 0; /* the same place in a newer view */
    finish(lab, &cursor);
    assert_complete(&cursor, 100);
    lab_destroy(lab);
}

/* A view that was never there, or is gone, is told apart from a token that makes no sense. */
static void unknown_views_and_bad_tokens_are_refused(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(10, &s);
    struct cursor cursor = begin(3);

    (void)state;
    cursor.op.view = 99999;
    assert_int_equal(next(lab, &cursor), QN_CURSOR_EXPIRED);
    cursor.op.view = 0;
    cursor.op.value = bytes_of("1234567", 7);
    assert_int_equal(next(lab, &cursor), QN_INVALID);
    static const uint8_t long_token[8 + 64 * 1024 + 1];
    cursor.op.value = bytes_of(long_token, sizeof long_token);
    assert_int_equal(next(lab, &cursor), QN_INVALID);
    /* Any place is a place: the last, and one whose key is not there. */
    cursor.op.value = bytes_of("\xff\xff\xff\xff\xff\xff\xff\xffzzzz", 12);
    assert_int_equal(next(lab, &cursor), QN_OK);
    assert_int_equal(cursor.rows, 0);
    assert_false(cursor.more);
    buf_fini(&cursor.token);
    lab_destroy(lab);
}

/* Only so many views are held for cursors; scans of the same view share one. */
static void views_held_are_bounded(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(100, &s);
    struct cursor cursors[6];
    char text[24];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        cursors[i] = begin(10);
        cursors[i].op.view_min = lab->log_count;
        assert_int_equal(next(lab, &cursors[i]), QN_OK);
        lab_done(lab, ME, put(s, 1000 + i, 5, "newer", text));
    }
    assert_int_equal(lab_stats(lab).pins, 4);
    cursors[4] = begin(10); /* in the same view as the last */
    assert_int_equal(next(lab, &cursors[4]), QN_OK);
    assert_int_equal(cursors[4].op.view, cursors[3].op.view);
    assert_int_equal(lab_stats(lab).pins, 4);
    cursors[5] = begin(10);
    cursors[5].op.view_min = lab->log_count;
    assert_int_equal(next(lab, &cursors[5]), QN_OVERLOADED);
    cursors[5].op.count_max = 1000; /* one that ends with its first answer holds nothing */
    assert_int_equal(next(lab, &cursors[5]), QN_OK);
    assert_false(cursors[5].more);
    buf_fini(&cursors[5].token);
    finish(lab, &cursors[3]); /* the other one with this view goes on */
    finish(lab, &cursors[4]);
    assert_int_equal(lab_stats(lab).pins, 3);
    cursors[5] = begin(10);
    assert_int_equal(next(lab, &cursors[5]), QN_OK);
    finish(lab, &cursors[5]);
    for (size_t i = 0; i < 3; i++) {
        finish(lab, &cursors[i]);
        assert_complete(&cursors[i], 100);
    }
    assert_int_equal(lab_stats(lab).pins, 0);
    lab_destroy(lab);
}

/* Too much memory in old versions: the cursor that rests longest loses its view, not the snapshot.
 */
static void too_much_history_ends_the_longest_resting_cursor(void **state)
{
    struct replica_limits limits = lab_limits();
    uint64_t s;
    struct replica_snapshot snapshot;
    struct buf octets = {0};
    char text[24];
    bool done = false;

    (void)state;
    limits.history_max_bytes = 3000;
    struct lab *lab = filled(&limits, 100, &s);
    assert_int_equal(replica_snapshot_begin(lab->replica, 0, &snapshot, &octets), QN_OK);
    struct cursor first = begin(10), second = begin(10);
    lab_done(lab, ME, put(s, 1000, 1, "newer", text));
    first.op.view_min = lab->log_count;
    assert_int_equal(next(lab, &first), QN_OK);
    lab_done(lab, ME, put(s, 1001, 2, "newer", text));
    second.op.view_min = lab->log_count;
    assert_int_equal(next(lab, &second), QN_OK);
    lab_tick(lab, 1);
    assert_int_equal(lab_stats(lab).pins, 3);
    for (unsigned i = 0; i < 100; i++) {
        lab_done(lab, ME, put(s, 2000 + i, i, "newer still", text));
    }
    lab_tick(lab, 1);
    assert_int_equal(next(lab, &first), QN_CURSOR_EXPIRED);
    assert_true(lab_stats(lab).cursors_expired > 0);
    while (!done) {
        assert_int_equal(replica_snapshot_next(lab->replica, 10, 100, &octets, &done), QN_OK);
    }
    replica_snapshot_end(lab->replica);
    assert_int_equal(lab_stats(lab).pins, lab_stats(lab).cursors_expired == 1);
    buf_fini(&first.token);
    buf_fini(&second.token);
    buf_fini(&octets);
    lab_destroy(lab);
}

/* Without memory for the answer a scan is refused, and holds nothing. */
static void a_scan_without_memory_is_refused(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(100, &s);
    struct cursor cursor = begin(10);

    (void)state;
    lab->memory.grants = 0;
    assert_int_equal(next(lab, &cursor), QN_MEMORY_FULL);
    assert_int_equal(lab_stats(lab).pins, 0);
    lab->memory.grants = SIZE_MAX;
    finish(lab, &cursor);
    assert_complete(&cursor, 100);
    lab_destroy(lab);
}

/* A scan looks at a bounded part of the table in one step: an answer may be empty and lead on. */
static void a_scan_of_an_empty_cache_beside_a_full_one_ends(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(KEYS, &s);
    struct cursor cursor = begin(10);

    (void)state;
    cursor.op.cache = LAB_CACHE + 1;
    while (cursor.more) {
        assert_int_equal(next(lab, &cursor), QN_OK);
        assert_true(cursor.answers < 100);
    }
    assert_int_equal(cursor.rows, 0);
    buf_fini(&cursor.token);
    lab_destroy(lab);
}

/* A new epoch begins in the same replica: its views and cursors go on. */
static void cursors_survive_a_new_epoch(void **state)
{
    uint64_t s;
    struct lab *lab = filled_default(100, &s);
    struct cursor cursor = begin(10);

    (void)state;
    assert_int_equal(next(lab, &cursor), QN_OK);
    lab_configure(lab, 2);
    lab_sync(lab);
    finish(lab, &cursor);
    assert_complete(&cursor, 100);
    lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_sees_every_entry_once),
        cmocka_unit_test(a_row_carries_the_entry),
        cmocka_unit_test(a_scan_leaves_out_what_has_expired),
        cmocka_unit_test(an_answer_keeps_to_its_size),
        cmocka_unit_test(a_scan_sees_one_moment),
        cmocka_unit_test(a_cursor_that_rests_loses_its_view),
        cmocka_unit_test(unknown_views_and_bad_tokens_are_refused),
        cmocka_unit_test(views_held_are_bounded),
        cmocka_unit_test(too_much_history_ends_the_longest_resting_cursor),
        cmocka_unit_test(a_scan_without_memory_is_refused),
        cmocka_unit_test(a_scan_of_an_empty_cache_beside_a_full_one_ends),
        cmocka_unit_test(cursors_survive_a_new_epoch),
    };
    return RUN_TESTS(tests);
}
