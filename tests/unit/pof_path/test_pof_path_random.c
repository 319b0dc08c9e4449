/* Random values: a path finds what reading everything finds. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/path.h"

enum { ROUNDS = 30000, PLACES_MAX = 4000, SETS = 8 };

/* A value and its path, found by reading everything. */
struct place {
    int32_t steps[8];
    size_t count;
    struct pof_value value;
    uint32_t position; /* of the octets behind its head */
};

struct places {
    struct place list[PLACES_MAX];
    size_t count;
    struct bytes pof;
};

static struct pof_path path_of(const struct place *place)
{
    return (struct pof_path){place->steps, place->count};
}

/* Note all values of the container just entered, and go on into those in it. Maps have no paths. */
static void collect(struct places *places, struct pof_reader *r, const struct place *parent,
                    bool map)
{
    struct pof_value value;
    enum qn_status status;

    while ((status = pof_reader_next(r, &value)) == QN_OK) {
        struct place place = *parent;
        place.value = value;
        place.steps[place.count++] = value.index;
        place.position = (uint32_t)(r->rest.data - places->pof.data);
        if (!map) {
            assert_true(places->count < PLACES_MAX);
            places->list[places->count++] = place;
        }
        if (pof_kind_is_container(value.kind) && !map) {
            assert_int_equal(pof_reader_enter(r), QN_OK);
            collect(places, r, &place, value.kind == POF_KIND_MAP);
            assert_int_equal(pof_reader_leave(r), QN_OK);
        }
    }
    assert_int_equal(status, QN_ABSENT);
}

static void collect_all(struct places *places, struct bytes pof)
{
    struct pof_reader r;
    struct place root = {.count = 0};

    places->count = 0;
    places->pof = pof;
    pof_reader_init(&r, pof);
    assert_int_equal(pof_reader_next(&r, &root.value), QN_OK);
    root.position = (uint32_t)(r.rest.data - pof.data);
    places->list[places->count++] = root;
    if (pof_kind_is_container(root.value.kind)) {
        assert_int_equal(pof_reader_enter(&r), QN_OK);
        collect(places, &r, &root, root.value.kind == POF_KIND_MAP);
    }
}

static void write_random(struct dice *dice, struct buf *out)
{
    struct pof_writer w;

    buf_clear(out);
    pof_writer_init_binary(&w, out);
    random_value(&w, dice, POF_NEXT, 4);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

static struct bytes value_of(const struct buf *binary)
{
    return bytes_of(binary->data + 1, binary->size - 1);
}

/* The same head, and the octets end where the next value begins. */
static void assert_found(const struct places *places, const struct place *place,
                         const struct pof_target *target)
{
    assert_true(target->found);
    assert_int_equal(target->value.kind, place->value.kind);
    assert_int_equal(target->value.type, place->value.type);
    if (place->value.kind == POF_KIND_STRING) {
        assert_bytes_equal(target->value.as.text, place->value.as.text);
    } else {
        assert_memory_equal(&target->value.as, &place->value.as, sizeof place->value.as);
    }
    assert_in_range(place->position, target->octets.data - places->pof.data,
                    target->octets.data + target->octets.size - places->pof.data);
}

/* pof_path_find leads to each value that reading everything comes across. */
static void a_path_finds_what_a_full_decode_finds(void **state)
{
    static struct places places;
    struct dice dice = {2026};
    struct buf binary = {0};
    struct pof_target target;
    size_t seen = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        write_random(&dice, &binary);
        collect_all(&places, value_of(&binary));
        for (size_t i = 0; i < places.count; i++) {
            struct place *place = &places.list[i];
            assert_int_equal(pof_path_find(places.pof, path_of(place), &target), QN_OK);
            assert_found(&places, place, &target);
        }
        seen += places.count;
    }
    assert_true(seen > 2 * ROUNDS);
    buf_fini(&binary);
}

/* The place of a property in no object: index 90 * 5 is beyond all that are made. */
static bool make_absent(struct place *place)
{
    enum pof_kind kind = place->value.kind;

    place->steps[place->count++] = 100000;
    return kind == POF_KIND_USER || kind == POF_KIND_SPARSE_ARRAY;
}

/* A set of paths, present and absent ones, finds what each alone finds. */
static void a_set_finds_what_single_paths_find(void **state)
{
    static struct places places;
    struct dice dice = {77};
    struct buf binary = {0};
    struct pof_path paths[SETS];
    struct place chosen[SETS];
    struct pof_target targets[SETS];
    struct pof_target alone;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        write_random(&dice, &binary);
        collect_all(&places, value_of(&binary));
        size_t count = 1 + dice_below(&dice, SETS);
        for (size_t i = 0; i < count; i++) {
            chosen[i] = places.list[dice_below(&dice, (uint32_t)places.count)];
            if (dice_below(&dice, 4) == 0) {
                (void)make_absent(&chosen[i]);
            }
            paths[i] = path_of(&chosen[i]);
        }
        struct pof_path_set *set = pof_path_set_create(paths, count);
        assert_non_null(set);
        assert_int_equal(pof_path_set_find(set, places.pof, targets), QN_OK);
        for (size_t i = 0; i < count; i++) {
            enum qn_status status = pof_path_find(places.pof, paths[i], &alone);
            if (status == QN_OK) {
                assert_int_equal(targets[i].found, alone.found);
                assert_int_equal(targets[i].below_missing, alone.below_missing);
                assert_ptr_equal(targets[i].octets.data, alone.octets.data);
                assert_int_equal(targets[i].octets.size, alone.octets.size);
            } else {
                assert_true(!targets[i].found && targets[i].below_missing);
            }
        }
        pof_path_set_destroy(set);
    }
    buf_fini(&binary);
}

/* After an update the path leads to the new value, and everything before and behind stands as it
 * was. */
static void an_update_changes_its_target_alone(void **state)
{
    static struct places places;
    static const uint8_t text[] = {0x4e, 0x02, 'o', 'k'};
    struct dice dice = {5};
    struct buf binary = {0};
    struct buf updated = {0};
    struct pof_target old;
    struct pof_target new;
    int done = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        write_random(&dice, &binary);
        collect_all(&places, value_of(&binary));
        struct place place = places.list[dice_below(&dice, (uint32_t)places.count)];
        if (dice_below(&dice, 4) == 0) {
            (void)make_absent(&place);
        }
        buf_clear(&updated);
        enum qn_status status = pof_path_update(&updated, buf_bytes(&binary), path_of(&place),
                                                bytes_of(text, sizeof text));
        if (status != QN_OK) {
            assert_int_equal(updated.size, 0);
            continue;
        }
        assert_int_equal(pof_path_find(places.pof, path_of(&place), &old), QN_OK);
        assert_int_equal(pof_path_find(value_of(&updated), path_of(&place), &new), QN_OK);
        assert_true(new.found &&new.value.kind == POF_KIND_STRING);
        assert_bytes_equal(new.value.as.text, bytes_of_text("ok"));
        size_t before = (size_t)(old.octets.data - binary.data);
        size_t behind = binary.size - before - old.octets.size;
        assert_memory_equal(updated.data, binary.data, before);
        assert_memory_equal(updated.data + updated.size - behind,
                            binary.data + binary.size - behind, behind);
        done++;
    }
    assert_true(done > ROUNDS / 2);
    buf_fini(&binary);
    buf_fini(&updated);
}

/* Octets cut short or changed are found in, or refused; sanitizers see that nothing else happens.
 */
static void broken_octets_do_no_harm(void **state)
{
    static struct places places;
    struct dice dice = {13};
    struct buf binary = {0};
    struct buf out = {0};
    struct pof_target target;
    int refused = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        write_random(&dice, &binary);
        collect_all(&places, value_of(&binary));
        struct place place = places.list[dice_below(&dice, (uint32_t)places.count)];
        size_t size = dice_below(&dice, (uint32_t)binary.size);
        if (dice_below(&dice, 2)) {
            binary.data[size] = (uint8_t)dice_below(&dice, 256);
            size = binary.size;
        }
        buf_clear(&out);
        enum qn_status status = pof_path_update(&out, bytes_of(binary.data, size), path_of(&place),
                                                bytes_of("\x64", 1));
        refused += status != QN_OK;
        if (size > 1) {
            status = pof_path_find(bytes_of(binary.data + 1, size - 1), path_of(&place), &target);
            refused += status != QN_OK;
        }
    }
    assert_true(refused > 0);
    buf_fini(&binary);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_finds_what_a_full_decode_finds),
        cmocka_unit_test(a_set_finds_what_single_paths_find),
        cmocka_unit_test(an_update_changes_its_target_alone),
        cmocka_unit_test(broken_octets_do_no_harm),
    };

    return RUN_TESTS(tests);
}
