/* Random values: for each place in them, a path and a set of paths find what reading everything
 * finds. */
#include "tests/lib/check.h"
#include "tests/unit/pof_path/places.h"

enum { ROUNDS = 3000, SET_ROUNDS = 20000, SET_MAX = 40 };

/* A value from two sides: the path's reader, and the one that read all that stands before. */
static void expect_whole(const struct place *place, const struct pof_target *target)
{
    struct pof_value value;
    struct pof_reader by_path;
    struct pof_reader by_reading = *place->after;

    pof_path_reader(target, &by_path);
    assert_int_equal(pof_reader_next(&by_path, &value), QN_OK);
    expect_same(&place->value, &value, true);
    expect_same(&place->value, &target->value, true);
    assert_int_equal(target->type, value.type);
    if (pof_kind_is_container(value.kind)) {
        assert_int_equal(pof_reader_enter(&by_path), QN_OK);
        assert_int_equal(pof_reader_enter(&by_reading), QN_OK);
        expect_same_values(&by_reading, &by_path, true);
        assert_int_equal(pof_reader_leave(&by_path), QN_OK);
        assert_int_equal(pof_reader_leave(&by_reading), QN_OK);
    }
    assert_int_equal(by_path.rest.size, 0);
    assert_ptr_equal(by_path.rest.data, by_reading.rest.data);
}

static void expect_target(enum place_kind kind, const uint8_t *at, enum qn_status status,
                          const struct pof_target *target)
{
    switch (kind) {
    case PLACE_VALUE:
        assert_true(status == QN_OK && target->found && !target->below_missing);
        break;
    case PLACE_GAP:
        assert_true(status == QN_OK && !target->found && !target->below_missing);
        assert_int_equal(target->octets.size, 0);
        assert_ptr_equal(target->octets.data, at);
        break;
    case PLACE_BELOW:
        assert_true(status == QN_OK && !target->found && target->below_missing);
        break;
    case PLACE_BEYOND:
        assert_int_equal(status, QN_ABSENT);
        break;
    case PLACE_NO_PART:
        assert_int_equal(status, QN_WRONG_TYPE);
        break;
    }
}

struct search {
    struct bytes pof;
    size_t seen[PLACE_NO_PART + 1]; /* places of each kind */
};

static void check_place(const struct place *place, void *context)
{
    struct search *search = context;
    struct pof_target target;

    enum qn_status status = pof_path_find(search->pof, path_of(place), &target);
    search->seen[place->kind]++;
    expect_target(place->kind, place->at, status, &target);
    if (place->kind == PLACE_VALUE) {
        expect_whole(place, &target);
    }
}

/* Whatever is in a value, in full or typed: its path leads to it, to its last octet, and what is
 * not there is told apart. */
static void a_path_finds_what_a_full_decode_finds(void **state)
{
    struct rounds *rounds = *state;
    struct tree *tree = test_malloc(sizeof *tree);
    struct search search = {.seen = {0}};
    struct buf binary = {0};

    rounds_begin(rounds, ROUNDS);
    while (rounds_next(rounds)) {
        write_random(rounds->seed, rounds->seed % 2 > 0, tree, &binary);
        search.pof = value_of(&binary);
        for_each_place(search.pof, check_place, &search);
    }
    for (int kind = PLACE_VALUE; kind <= PLACE_NO_PART; kind++) {
        assert_true(search.seen[kind] > ROUNDS / 4);
    }
    test_free(tree);
    buf_fini(&binary);
}

struct places {
    struct place list[PLACES_MAX];
    size_t count;
};

static void keep_place(const struct place *place, void *context)
{
    struct places *places = context;

    assert_true(places->count < PLACES_MAX);
    places->list[places->count++] = *place;
}

/* What the single path calls out of range or without parts is "not found" in a set. */
static void expect_same_target(struct bytes pof, struct pof_path path,
                               const struct pof_target *target)
{
    struct pof_target alone;
    enum qn_status status = pof_path_find(pof, path, &alone);

    if (status != QN_OK) {
        assert_true(status == QN_ABSENT || status == QN_WRONG_TYPE);
        assert_true(!target->found && target->below_missing);
        return;
    }
    assert_int_equal(target->found, alone.found);
    assert_int_equal(target->below_missing, alone.below_missing);
    assert_int_equal(target->bare, alone.bare);
    assert_int_equal(target->type, alone.type);
    assert_ptr_equal(target->octets.data, alone.octets.data);
    assert_int_equal(target->octets.size, alone.octets.size);
    if (alone.found) {
        expect_same(&alone.value, &target->value, true);
    }
}

/* A set of some of the places, drawn at random and maybe twice. */
static void check_set(const struct places *places, struct bytes pof, struct dice *dice)
{
    struct pof_path paths[SET_MAX];
    struct pof_target targets[SET_MAX];
    size_t count = 1 + dice_below(dice, SET_MAX);

    for (size_t i = 0; i < count; i++) {
        paths[i] = path_of(&places->list[dice_below(dice, (uint32_t)places->count)]);
    }
    struct pof_path_set *set = pof_path_set_create(paths, count);
    assert_non_null(set);
    assert_int_equal(pof_path_set_find(set, pof, targets), QN_OK);
    for (size_t i = 0; i < count; i++) {
        expect_same_target(pof, paths[i], &targets[i]);
    }
    pof_path_set_destroy(set);
}

static void a_set_finds_what_single_paths_find(void **state)
{
    struct rounds *rounds = *state;
    struct tree *tree = test_malloc(sizeof *tree);
    struct places *places = test_malloc(sizeof *places);
    struct buf binary = {0};

    rounds_begin(rounds, SET_ROUNDS);
    while (rounds_next(rounds)) {
        struct dice dice = {rounds->seed * 0xd1342543de82ef95u};
        write_random(rounds->seed, rounds->seed % 2 > 0, tree, &binary);
        places->count = 0;
        for_each_place(value_of(&binary), keep_place, places);
        check_set(places, value_of(&binary), &dice);
    }
    test_free(places);
    test_free(tree);
    buf_fini(&binary);
}

/* A set over octets that may be broken: what it finds, each path alone finds. */
static void check_broken(const struct places *places, struct bytes pof, struct dice *dice)
{
    struct pof_path paths[2];
    struct pof_target targets[2];

    for (size_t i = 0; i < 2; i++) {
        paths[i] = path_of(&places->list[dice_below(dice, (uint32_t)places->count)]);
    }
    struct pof_path_set *set = pof_path_set_create(paths, 2);
    assert_non_null(set);
    if (pof_path_set_find(set, pof, targets) == QN_OK) {
        expect_same_target(pof, paths[0], &targets[0]);
        expect_same_target(pof, paths[1], &targets[1]);
    }
    pof_path_set_destroy(set);
}

/* Octets cut short or changed are found in, or refused; sanitizers see that nothing else happens.
 */
static void broken_octets_do_no_harm(void **state)
{
    struct rounds *rounds = *state;
    struct tree *tree = test_malloc(sizeof *tree);
    struct places *places = test_malloc(sizeof *places);
    struct buf binary = {0};

    rounds_begin(rounds, SET_ROUNDS);
    while (rounds_next(rounds)) {
        struct dice dice = {rounds->seed * 0xd1342543de82ef95u};
        write_random(rounds->seed, rounds->seed % 2 > 0, tree, &binary);
        places->count = 0;
        for_each_place(value_of(&binary), keep_place, places);
        size_t size = 1 + dice_below(&dice, (uint32_t)binary.size - 1);
        if (dice_below(&dice, 2) > 0) {
            binary.data[size] = (uint8_t)dice_below(&dice, 256);
            size = binary.size;
        }
        check_broken(places, bytes_of(binary.data + 1, size - 1), &dice);
    }
    test_free(places);
    test_free(tree);
    buf_fini(&binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_path_finds_what_a_full_decode_finds, rounds_create,
                                        rounds_destroy),
        cmocka_unit_test_setup_teardown(a_set_finds_what_single_paths_find, rounds_create,
                                        rounds_destroy),
        cmocka_unit_test_setup_teardown(broken_octets_do_no_harm, rounds_create, rounds_destroy),
    };

    return RUN_TESTS(tests);
}
