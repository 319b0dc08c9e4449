/* Random values: an update by path gives what writing the whole value anew, with the one part
 * replaced or added, gives. */
#include "tests/lib/check.h"
#include "tests/unit/pof_path/places.h"
#include "wire/pof/binary.h"

enum { ROUNDS = 20000 };

/* One part of a tree that is to become another. */
struct change {
    int32_t at;              /* the node to replace, or the container that gets a part more */
    int32_t index;           /* of the part that is added; -1: `at` is replaced */
    const struct tree *part; /* the new one */
};

/* -- writing the whole anew -- */

static bool has_indexes(const struct tree_node *node)
{
    return node->value.kind == POF_KIND_USER || node->value.kind == POF_KIND_SPARSE_ARRAY;
}

/* The index of the last part, which `change` may add. */
static int32_t last_index(const struct tree *tree, int32_t at, int32_t added)
{
    int32_t last = added;

    for (int32_t part = at + 1; part < tree->nodes[at].end; part = tree->nodes[part].end) {
        int32_t index = tree->nodes[part].value.index;
        last = index > last ? index : last;
    }
    return last;
}

static void write_changed(const struct tree *tree, int32_t at, struct pof_writer *w, int32_t index,
                          const struct change *change);

static void write_parts(const struct tree *tree, int32_t at, struct pof_writer *w,
                        const struct change *change)
{
    const struct tree_node *node = &tree->nodes[at];
    bool adds = change && change->at == at && change->index >= 0;

    for (int32_t part = at + 1; part < node->end; part = tree->nodes[part].end) {
        int32_t index = has_indexes(node) ? tree->nodes[part].value.index : POF_NEXT;
        if (adds && index > change->index) {
            write_changed(change->part, 0, w, change->index, NULL);
            adds = false;
        }
        write_changed(tree, part, w, index, change);
    }
    if (adds) {
        write_changed(change->part, 0, w, change->index, NULL);
    }
}

static void write_changed(const struct tree *tree, int32_t at, struct pof_writer *w, int32_t index,
                          const struct change *change)
{
    struct pof_value value = tree->nodes[at].value;

    if (change && change->at == at && change->index < 0) {
        write_changed(change->part, 0, w, index, NULL);
        return;
    }
    if (change && change->at == at && value.kind == POF_KIND_SPARSE_ARRAY) {
        value.as.items.count = last_index(tree, at, change->index) + 1;
    }
    pof_writer_full(w);
    pof_write_value(w, index, &value);
    if (pof_kind_is_container(value.kind)) {
        write_parts(tree, at, w, change);
        pof_end(w);
    }
}

static void write_whole(const struct tree *tree, const struct change *change, struct buf *binary)
{
    struct pof_writer w;

    buf_clear(binary);
    pof_writer_init_binary(&w, binary);
    write_changed(tree, 0, &w, POF_NEXT, change);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* -- a place for the change -- */

/* Nodes that a path leads to, each with its path. */
struct named {
    int32_t at;
    int32_t parent; /* -1 for the root */
    struct place place;
};

struct names {
    struct named list[TREE_NODES_MAX];
    int32_t count;
};

static void collect(struct names *names, const struct tree *tree, int32_t at, int32_t parent,
                    const struct place *place)
{
    const struct tree_node *node = &tree->nodes[at];

    names->list[names->count++] = (struct named){at, parent, *place};
    if (!pof_kind_is_container(node->value.kind) || node->value.kind == POF_KIND_MAP) {
        return;
    }
    for (int32_t part = at + 1; part < node->end; part = tree->nodes[part].end) {
        struct place below = *place;
        below.steps[below.count++] = tree->nodes[part].value.index;
        collect(names, tree, part, at, &below);
    }
}

/* Grow a part that may stand in the container `parent`. */
static void grow_part(struct tree *part, struct dice *dice, const struct tree *tree, int32_t parent)
{
    int32_t type = dice_below(dice, 8) == 0 ? POF_SMALL_NULL : tree_type(dice, 2);

    if (parent >= 0 && tree->nodes[parent].value.as.items.uniform) {
        type = tree->nodes[parent].value.as.items.element_type;
    }
    tree_grow(part, dice, type, 2);
}

/* -- what is needed for a round -- */

struct bench {
    struct tree tree;
    struct tree part;
    struct names names;
    struct buf binary; /* the value before */
    struct buf new;    /* the part */
    struct buf updated;
    struct buf rebuilt;
};

static void bench_fini(struct bench *bench)
{
    buf_fini(&bench->binary);
    buf_fini(&bench->new);
    buf_fini(&bench->updated);
    buf_fini(&bench->rebuilt);
    test_free(bench);
}

/* Make a value, and choose a place in it. */
static const struct named *choose(struct bench *bench, uint64_t seed, struct dice *dice)
{
    struct place root = {.count = 0};

    write_random(seed, true, &bench->tree, &bench->binary);
    bench->names.count = 0;
    collect(&bench->names, &bench->tree, 0, -1, &root);
    return &bench->names.list[dice_below(dice, (uint32_t)bench->names.count)];
}

static void update(struct bench *bench, const struct place *place)
{
    write_whole(&bench->part, NULL, &bench->new);
    buf_clear(&bench->updated);
    assert_int_equal(pof_path_update(&bench->updated, buf_bytes(&bench->binary), path_of(place),
                                     value_of(&bench->new)),
                     QN_OK);
}

/* An update of what is there: the octets are those of the value written anew. */
static void an_update_is_the_value_written_anew(void **state)
{
    struct rounds *rounds = *state;
    struct bench *bench = test_calloc(1, sizeof *bench);

    rounds_begin(rounds, ROUNDS);
    while (rounds_next(rounds)) {
        struct dice dice = {rounds->seed * 0xd1342543de82ef95u};
        const struct named *named = choose(bench, rounds->seed, &dice);
        grow_part(&bench->part, &dice, &bench->tree, named->parent);
        update(bench, &named->place);
        write_whole(&bench->tree,
                    &(struct change){.at = named->at, .index = -1, .part = &bench->part},
                    &bench->rebuilt);
        assert_bytes_equal(buf_bytes(&bench->updated), buf_bytes(&bench->rebuilt));
    }
    bench_fini(bench);
}

/* An index that no part of the container has. */
static int32_t free_index(const struct tree *tree, int32_t at, struct dice *dice)
{
    int32_t index = (int32_t)dice_below(dice, 3) * last_index(tree, at, 0) / 2;

    for (int32_t part = at + 1; part < tree->nodes[at].end; part = tree->nodes[part].end) {
        index += index == tree->nodes[part].value.index;
    }
    return index;
}

static void expect_same_whole(const struct bench *bench)
{
    struct pof_reader updated;
    struct pof_reader rebuilt;

    pof_reader_init(&updated, value_of(&bench->updated));
    pof_reader_init(&rebuilt, value_of(&bench->rebuilt));
    expect_same_values(&updated, &rebuilt, false);
    assert_int_equal(updated.rest.size, 0);
}

/* An update of what is not there yet: an object has the octets of one written anew, in a sparse
 * array, which may keep an older size, all values are the same. */
static void an_update_of_a_gap_is_the_value_with_one_part_more(void **state)
{
    struct rounds *rounds = *state;
    struct bench *bench = test_calloc(1, sizeof *bench);
    int done = 0;

    rounds_begin(rounds, ROUNDS);
    while (rounds_next(rounds)) {
        struct dice dice = {rounds->seed * 0xd1342543de82ef95u};
        struct named named = *choose(bench, rounds->seed, &dice);
        const struct tree_node *node = &bench->tree.nodes[named.at];
        if (!has_indexes(node)) {
            continue;
        }
        int32_t index = free_index(&bench->tree, named.at, &dice);
        grow_part(&bench->part, &dice, &bench->tree, named.at);
        named.place.steps[named.place.count++] = index;
        update(bench, &named.place);
        write_whole(&bench->tree,
                    &(struct change){.at = named.at, .index = index, .part = &bench->part},
                    &bench->rebuilt);
        if (node->value.kind == POF_KIND_USER) {
            assert_bytes_equal(buf_bytes(&bench->updated), buf_bytes(&bench->rebuilt));
        }
        expect_same_whole(bench);
        done++;
    }
    assert_true(done > ROUNDS / 20);
    bench_fini(bench);
}

/* Below what has no parts there is no place: nothing comes out. */
static void what_cannot_be_updated_stays(void **state)
{
    struct rounds *rounds = *state;
    struct bench *bench = test_calloc(1, sizeof *bench);
    int refused = 0;

    rounds_begin(rounds, ROUNDS);
    while (rounds_next(rounds)) {
        struct dice dice = {rounds->seed * 0xd1342543de82ef95u};
        struct named named = *choose(bench, rounds->seed, &dice);
        const struct tree_node *node = &bench->tree.nodes[named.at];
        bool map = node->value.kind == POF_KIND_MAP;
        if (pof_kind_is_container(node->value.kind) && !map) {
            continue;
        }
        named.place.steps[named.place.count++] = 0;
        buf_clear(&bench->updated);
        enum qn_status status = pof_path_update(&bench->updated, buf_bytes(&bench->binary),
                                                path_of(&named.place), bytes_of("\x64", 1));
        assert_int_equal(status, node->value.kind == POF_KIND_NULL ? QN_ABSENT : QN_WRONG_TYPE);
        assert_int_equal(bench->updated.size, 0);
        refused++;
    }
    assert_true(refused > ROUNDS / 20);
    bench_fini(bench);
}

/* Octets cut short or changed are updated or refused; what comes out of sound octets is sound. */
static void broken_octets_do_no_harm(void **state)
{
    struct rounds *rounds = *state;
    struct bench *bench = test_calloc(1, sizeof *bench);

    rounds_begin(rounds, ROUNDS);
    while (rounds_next(rounds)) {
        struct dice dice = {rounds->seed * 0xd1342543de82ef95u};
        const struct named *named = choose(bench, rounds->seed, &dice);
        size_t size = 1 + dice_below(&dice, (uint32_t)bench->binary.size - 1);
        if (dice_below(&dice, 2) > 0) {
            bench->binary.data[size] = (uint8_t)dice_below(&dice, 256);
            size = bench->binary.size;
        }
        struct bytes binary = bytes_of(bench->binary.data, size);
        struct bytes before = bytes_of(binary.data + 1, binary.size - 1);
        bool sound = pof_skip(&before) == QN_OK;
        buf_clear(&bench->updated);
        enum qn_status status =
            pof_path_update(&bench->updated, binary, path_of(&named->place), bytes_of("\x64", 1));
        if (status == QN_OK && sound) {
            struct bytes after = value_of(&bench->updated);
            assert_int_equal(pof_skip(&after), QN_OK);
        }
        assert_true(status == QN_OK || bench->updated.size == 0);
    }
    bench_fini(bench);
}

#define ROUNDS_TEST(test) cmocka_unit_test_setup_teardown(test, rounds_create, rounds_destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUNDS_TEST(an_update_is_the_value_written_anew),
        ROUNDS_TEST(an_update_of_a_gap_is_the_value_with_one_part_more),
        ROUNDS_TEST(what_cannot_be_updated_stays),
        ROUNDS_TEST(broken_octets_do_no_harm),
    };

    return RUN_TESTS(tests);
}
