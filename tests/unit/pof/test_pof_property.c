/* Random values of random types become octets and the same values again. */
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/lib/pof/random_tree.h"
#include "wire/pof/typed_wide.h"

enum { ROUNDS = 20000, DEPTH = 4 };

/* Another start: QUOIN_SEED=n. */
static uint64_t first_seed(void)
{
    const char *text = getenv("QUOIN_SEED");

    return text ? strtoull(text, NULL, 10) : 1;
}

static void write_tree(const struct tree *tree, struct buf *out, bool full)
{
    struct pof_writer w;

    buf_clear(out);
    pof_writer_init(&w, out);
    tree_write(tree, &w, full);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* Do they have the same type? Of a decimal it is that of the container, or the narrowest. */
static bool type_equal(const struct pof_value *expected, const struct pof_value *found)
{
    return expected->type == found->type || expected->kind == POF_KIND_DECIMAL;
}

/* -- generic: everything comes back as it was, its type included -- */

static void expect_next(struct pof_reader *r, const struct tree *tree, int32_t at)
{
    const struct tree_node *node = &tree->nodes[at];
    struct pof_value found;

    assert_int_equal(pof_reader_next(r, &found), QN_OK);
    assert_true(value_equal(&node->value, &found));
    assert_true(type_equal(&node->value, &found));
    assert_int_equal(found.index, node->value.index);
    assert_int_equal(found.is_key, node->value.is_key);
    assert_int_equal(found.identity, -1);
    if (!pof_kind_is_container(found.kind)) {
        return;
    }
    assert_int_equal(pof_reader_enter(r), QN_OK);
    for (int32_t part = at + 1; part < node->end; part = tree->nodes[part].end) {
        expect_next(r, tree, part);
    }
    assert_int_equal(pof_reader_next(r, &found), QN_ABSENT);
    assert_int_equal(pof_reader_leave(r), QN_OK);
}

static void check_generic(const struct tree *tree, struct buf *out)
{
    struct pof_reader r;

    write_tree(tree, out, true);
    pof_reader_init(&r, buf_bytes(out));
    expect_next(&r, tree, 0);
    assert_int_equal(r.rest.size, 0);
}

/* -- typed: properties come back by their typed reads, elements as they were -- */

/* Read the property and keep it as a value of the kind. Floats of which nothing was written are
 * 0.0. */
static void read_number(struct pof_reader *r, const struct pof_value *expected,
                        struct pof_value *found)
{
    enum qn_status status = QN_WRONG_TYPE;
    int32_t index = expected->index;
    int16_t int16 = 0;
    int32_t int32 = 0;

    if (expected->kind == POF_KIND_BOOL) {
        status = pof_read_bool(r, index, &found->as.boolean);
    } else if (expected->kind == POF_KIND_OCTET) {
        status = pof_read_octet(r, index, &found->as.octet);
    } else if (expected->kind == POF_KIND_CHAR) {
        status = pof_read_char(r, index, &found->as.character);
    } else if (expected->kind == POF_KIND_INT16) {
        status = pof_read_int16(r, index, &int16);
        found->as.integer = int16;
    } else if (expected->kind == POF_KIND_INT32) {
        status = pof_read_int32(r, index, &int32);
        found->as.integer = int32;
    } else if (expected->kind == POF_KIND_INT64) {
        status = pof_read_int64(r, index, &found->as.integer);
    } else if (expected->kind == POF_KIND_FLOAT32) {
        status = pof_read_float32(r, index, &found->as.float32);
        found->as.float32 = expected->as.float32 == 0 ? expected->as.float32 : found->as.float32;
    } else if (expected->kind == POF_KIND_FLOAT64) {
        status = pof_read_float64(r, index, &found->as.float64);
        found->as.float64 = expected->as.float64 == 0 ? expected->as.float64 : found->as.float64;
    }
    assert_int_equal(status, QN_OK);
}

static void read_other(struct pof_reader *r, const struct pof_value *expected,
                       struct pof_value *found)
{
    enum qn_status status = QN_WRONG_TYPE;
    int32_t index = expected->index;

    if (expected->kind == POF_KIND_INT128) {
        status = pof_read_int128(r, index, &found->as.int128);
    } else if (expected->kind == POF_KIND_DECIMAL) {
        status = pof_read_decimal(r, index, &found->as.decimal);
    } else if (expected->kind == POF_KIND_FLOAT128) {
        status = pof_read_float128(r, index, found->as.float128);
    } else if (expected->kind == POF_KIND_STRING) {
        status = pof_read_string(r, index, &found->as.text);
    } else if (expected->kind == POF_KIND_OCTETS) {
        status = pof_read_octets(r, index, &found->as.octets);
    } else if (expected->kind == POF_KIND_DATE) {
        status = pof_read_date(r, index, &found->as.date);
    } else if (expected->kind == POF_KIND_TIME) {
        status = pof_read_time(r, index, &found->as.time);
    } else if (expected->kind == POF_KIND_DATETIME) {
        status = pof_read_datetime(r, index, &found->as.datetime);
    } else if (expected->kind == POF_KIND_YEAR_MONTH) {
        status = pof_read_year_month(r, index, &found->as.year_month);
    } else if (expected->kind == POF_KIND_TIME_INTERVAL) {
        status = pof_read_time_interval(r, index, &found->as.day_time);
    } else if (expected->kind == POF_KIND_DAY_TIME) {
        status = pof_read_day_time(r, index, &found->as.day_time);
    }
    assert_int_equal(status, QN_OK);
}

static void expect_parts(struct pof_reader *r, const struct tree *tree, int32_t at);

/* A container that next or find has just given. */
static void expect_container(struct pof_reader *r, const struct tree *tree, int32_t at,
                             const struct pof_value *found)
{
    assert_true(value_equal(&tree->nodes[at].value, found));
    assert_int_equal(tree->nodes[at].value.type, found->type);
    assert_int_equal(pof_reader_enter(r), QN_OK);
    expect_parts(r, tree, at);
    assert_int_equal(pof_reader_leave(r), QN_OK);
}

static void expect_property(struct pof_reader *r, const struct tree *tree, int32_t at)
{
    const struct pof_value *expected = &tree->nodes[at].value;
    struct pof_value found = {.kind = expected->kind};

    if (pof_kind_is_container(expected->kind)) {
        assert_int_equal(pof_reader_find(r, expected->index, &found), QN_OK);
        expect_container(r, tree, at, &found);
    } else if (expected->kind == POF_KIND_NULL) {
        assert_int_equal(pof_read_string(r, expected->index, &found.as.text), QN_OK);
        assert_null(found.as.text.data);
    } else {
        bool number = expected->kind <= POF_KIND_FLOAT64 && expected->kind != POF_KIND_INT128;
        (number ? read_number : read_other)(r, expected, &found);
        assert_true(value_equal(expected, &found));
    }
}

static void expect_element(struct pof_reader *r, const struct tree *tree, int32_t at)
{
    const struct pof_value *expected = &tree->nodes[at].value;
    struct pof_value found;

    assert_int_equal(pof_reader_next(r, &found), QN_OK);
    assert_int_equal(found.index, expected->index);
    if (pof_kind_is_container(expected->kind)) {
        expect_container(r, tree, at, &found);
        return;
    }
    assert_true(value_equal(expected, &found));
    assert_true(type_equal(expected, &found));
}

static void expect_parts(struct pof_reader *r, const struct tree *tree, int32_t at)
{
    const struct tree_node *node = &tree->nodes[at];
    bool user = node->value.kind == POF_KIND_USER;

    for (int32_t part = at + 1; part < node->end; part = tree->nodes[part].end) {
        (user ? expect_property : expect_element)(r, tree, part);
    }
}

static void check_typed(const struct tree *tree, struct buf *out)
{
    struct pof_reader r;
    struct pof_value found;

    write_tree(tree, out, false);
    pof_reader_init(&r, buf_bytes(out));
    assert_int_equal(pof_reader_next(&r, &found), QN_OK);
    expect_container(&r, tree, 0, &found);
    assert_int_equal(r.rest.size, 0);
}

/* -- what holds for both -- */

static void check_skip(const struct buf *out)
{
    struct bytes pof = buf_bytes(out);

    assert_int_equal(pof_skip(&pof), QN_OK);
    assert_int_equal(pof.size, 0);
}

/* `*seed` is that of the tree at hand, for print_seed. */
static void for_many_trees(uint64_t *seed, int32_t type,
                           void (*check)(const struct tree *, struct buf *))
{
    struct tree *tree = test_malloc(sizeof *tree);
    struct buf out = {0};
    uint64_t first = first_seed();

    for (*seed = first; *seed < first + ROUNDS; ++*seed) {
        struct dice dice = {*seed * 0x9e3779b97f4a7c15u};
        tree_grow(tree, &dice, type == 0 ? tree_type(&dice, DEPTH) : type, DEPTH);
        check(tree, &out);
        check_skip(&out);
    }
    buf_fini(&out);
    test_free(tree);
}

/* Written in full, a value of any type is read without knowing it: the same values, the same types.
 */
static void values_in_full_come_back_without_knowing_their_types(void **state)
{
    for_many_trees(*state, 0, check_generic);
}

/* Written typed, objects are read by their properties: the same values, though small ones lose
 * their type on the wire and default ones are not there at all. */
static void typed_properties_come_back_by_typed_reads(void **state)
{
    for_many_trees(*state, 1000, check_typed);
}

/* Write everything that the reader gives. */
static void copy(struct pof_reader *r, struct pof_writer *w)
{
    struct pof_value value;
    enum pof_kind open[DEPTH + 2] = {POF_KIND_ARRAY};

    for (;;) {
        enum qn_status status = pof_reader_next(r, &value);
        bool indexed = open[r->depth] == POF_KIND_USER || open[r->depth] == POF_KIND_SPARSE_ARRAY;
        if (status == QN_ABSENT && r->depth == 0) {
            return;
        }
        if (status == QN_ABSENT) {
            pof_end(w);
            assert_int_equal(pof_reader_leave(r), QN_OK);
            continue;
        }
        assert_int_equal(status, QN_OK);
        pof_writer_full(w);
        pof_write_value(w, indexed ? value.index : POF_NEXT, &value);
        if (pof_kind_is_container(value.kind)) {
            assert_int_equal(pof_reader_enter(r), QN_OK);
            open[r->depth] = value.kind;
        }
    }
}

static void check_copy(const struct tree *tree, struct buf *out)
{
    struct buf second = {0};
    struct pof_reader r;
    struct pof_writer w;

    write_tree(tree, out, true);
    pof_reader_init(&r, buf_bytes(out));
    pof_writer_init(&w, &second);
    copy(&r, &w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(out), buf_bytes(&second));
    buf_fini(&second);
}

/* Whatever a reader gave in full makes the same octets again. */
static void what_was_read_is_written_as_it_was(void **state)
{
    for_many_trees(*state, 0, check_copy);
}

static int make_seed(void **state)
{
    *state = test_calloc(1, sizeof(uint64_t));
    return 0;
}

/* After a failure, the seed that begins with it. */
static int print_seed(void **state)
{
    uint64_t *seed = *state;

    if (*seed < first_seed() + ROUNDS) {
        print_error("to see it again: QUOIN_SEED=%llu\n", (unsigned long long)*seed);
    }
    test_free(seed);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_in_full_come_back_without_knowing_their_types,
                                        make_seed, print_seed),
        cmocka_unit_test_setup_teardown(typed_properties_come_back_by_typed_reads, make_seed,
                                        print_seed),
        cmocka_unit_test_setup_teardown(what_was_read_is_written_as_it_was, make_seed, print_seed),
    };

    return RUN_TESTS(tests);
}
