#include "tests/unit/pof_path/places.h"

#include <stdlib.h>

#include "tests/lib/check.h"

void write_random(uint64_t seed, bool full, struct tree *tree, struct buf *binary)
{
    struct dice dice = {seed * 0x9e3779b97f4a7c15u};
    struct pof_writer w;

    /* Scalars have one place only, so there are fewer of them. */
    tree_grow(tree, &dice, tree_type(&dice, dice_below(&dice, 8) ? TREE_DEPTH : 0), TREE_DEPTH);
    buf_clear(binary);
    pof_writer_init_binary(&w, binary);
    tree_write(tree, &w, full);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

struct bytes value_of(const struct buf *binary)
{
    return bytes_of(binary->data + 1, binary->size - 1);
}

struct pof_path path_of(const struct place *place)
{
    return (struct pof_path){place->steps, place->count};
}

/* -- places -- */

struct visit {
    void (*each)(const struct place *place, void *context);
    void *context;
};

static void tell(const struct visit *visit, const struct place *parent, int32_t step,
                 enum place_kind kind, const uint8_t *at)
{
    struct place place = *parent;

    place.steps[place.count++] = step;
    place.kind = kind;
    place.at = at;
    visit->each(&place, visit->context);
}

/* An index that nothing has: its place, and what would be below it. */
static void tell_gap(const struct visit *visit, const struct place *parent, int32_t index,
                     const uint8_t *at)
{
    struct place gap = *parent;

    tell(visit, parent, index, PLACE_GAP, at);
    gap.steps[gap.count++] = index;
    tell(visit, &gap, 0, PLACE_BELOW, NULL);
}

/* The element behind the last one, and what would be below it. */
static void tell_beyond(const struct visit *visit, const struct place *parent, int32_t number)
{
    struct place beyond = *parent;

    tell(visit, parent, number, PLACE_BEYOND, NULL);
    tell(visit, parent, INT32_MAX, PLACE_BEYOND, NULL);
    beyond.steps[beyond.count++] = number;
    tell(visit, &beyond, 0, PLACE_BEYOND, NULL);
}

static bool is_small_empty(const struct pof_value *value)
{
    return value->type == POF_SMALL_EMPTY_COLLECTION;
}

static void visit_value(const struct visit *visit, struct pof_reader *r, struct place *place);

/* The parts of the container at `place`, which `r` has gone into. */
static void visit_parts(const struct visit *visit, struct pof_reader *r, const struct place *place)
{
    enum pof_kind kind = place->value.kind;
    bool indexed = kind == POF_KIND_USER || kind == POF_KIND_SPARSE_ARRAY;
    struct place part = *place;
    int32_t next = 0;
    const uint8_t *before = r->rest.data;
    enum qn_status status;

    part.count++;
    while ((status = pof_reader_next(r, &part.value)) == QN_OK) {
        if (indexed && part.value.index > next) {
            tell_gap(visit, place, next, before);
        }
        part.steps[place->count] = part.value.index;
        next = part.value.index + 1;
        visit_value(visit, r, &part);
        before = r->rest.data;
    }
    assert_int_equal(status, QN_ABSENT);
    if (indexed) {
        tell_gap(visit, place, next, before);
    } else {
        tell_beyond(visit, place, next);
    }
}

/* The value that `r` has just given, and what is in it. */
static void visit_value(const struct visit *visit, struct pof_reader *r, struct place *place)
{
    enum pof_kind kind = place->value.kind;

    place->kind = PLACE_VALUE;
    place->at = r->rest.data;
    place->after = r;
    visit->each(place, visit->context);
    if (kind == POF_KIND_NULL) {
        tell(visit, place, 3, PLACE_BELOW, NULL);
    } else if (!pof_kind_is_container(kind) || kind == POF_KIND_MAP ||
               is_small_empty(&place->value)) {
        tell(visit, place, 0, PLACE_NO_PART, NULL);
    } else {
        assert_int_equal(pof_reader_enter(r), QN_OK);
        visit_parts(visit, r, place);
        assert_int_equal(pof_reader_leave(r), QN_OK);
        return;
    }
    if (pof_kind_is_container(kind)) {
        assert_int_equal(pof_reader_enter(r), QN_OK);
        assert_int_equal(pof_reader_leave(r), QN_OK);
    }
}

void for_each_place(struct bytes pof, void (*each)(const struct place *place, void *context),
                    void *context)
{
    struct visit visit = {each, context};
    struct place root = {.count = 0};
    struct pof_reader r;

    pof_reader_init(&r, pof);
    assert_int_equal(pof_reader_next(&r, &root.value), QN_OK);
    visit_value(&visit, &r, &root);
    assert_int_equal(r.rest.size, 0);
}

/* -- seeds -- */

int rounds_create(void **state)
{
    *state = test_calloc(1, sizeof(struct rounds));
    return 0;
}

int rounds_destroy(void **state)
{
    struct rounds *rounds = *state;

    if (rounds->seed < rounds->end) {
        print_error("to see it again: QUOIN_SEED=%llu\n", (unsigned long long)rounds->seed);
    }
    test_free(rounds);
    return 0;
}

void rounds_begin(struct rounds *rounds, uint64_t count)
{
    const char *text = getenv("QUOIN_SEED");
    uint64_t first = text ? strtoull(text, NULL, 10) : 1;

    rounds->seed = first - 1;
    rounds->end = first + count;
}

bool rounds_next(struct rounds *rounds)
{
    return ++rounds->seed < rounds->end;
}

/* -- the same values -- */

void expect_same(const struct pof_value *a, const struct pof_value *b, bool sizes)
{
    struct pof_value other = *b;

    if (!sizes && a->kind == POF_KIND_SPARSE_ARRAY && b->kind == POF_KIND_SPARSE_ARRAY) {
        other.as.items.count = a->as.items.count;
    }
    assert_true(value_equal(a, &other));
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->identity, b->identity);
}

void expect_same_values(struct pof_reader *a, struct pof_reader *b, bool sizes)
{
    struct pof_value left;
    struct pof_value right;
    uint32_t depth = a->depth;

    for (;;) {
        enum qn_status status = pof_reader_next(a, &left);
        assert_int_equal(pof_reader_next(b, &right), status);
        if (status == QN_ABSENT && a->depth == depth) {
            return;
        }
        if (status == QN_ABSENT) {
            assert_int_equal(pof_reader_leave(a), QN_OK);
            assert_int_equal(pof_reader_leave(b), QN_OK);
            continue;
        }
        assert_int_equal(status, QN_OK);
        expect_same(&left, &right, sizes);
        assert_int_equal(left.index, right.index);
        assert_int_equal(left.is_key, right.is_key);
        if (pof_kind_is_container(left.kind)) {
            assert_int_equal(pof_reader_enter(a), QN_OK);
            assert_int_equal(pof_reader_enter(b), QN_OK);
        }
    }
}
