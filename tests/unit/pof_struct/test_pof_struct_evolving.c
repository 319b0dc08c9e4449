/* What a table does not know survives reading and writing, in plain objects and in hierarchies. */
#include "tests/unit/pof_struct/struct_memory.h"

/* A program that knows nothing of a class but its number. */
struct level {
    bool there;
    struct bytes rest;
    int32_t version;
};
static const struct pof_field no_fields[1];

#define LEVEL(id)                                                                                  \
    {                                                                                              \
        .type = (id), .size = sizeof(struct level), .fields = no_fields,                           \
        .remainder_place = 1 + offsetof(struct level, rest),                                       \
        .version_place = 1 + offsetof(struct level, version)                                       \
    }
static const struct pof_struct level1 = LEVEL(1), level2 = LEVEL(2), level5 = LEVEL(5),
                               level6 = LEVEL(6), level7 = LEVEL(7), level8 = LEVEL(8);

struct object {
    struct level a;
    struct level b;
    bool has_a;
    bool has_b;
    struct bytes rest;
    int32_t version;
};

/* A hierarchy of type 7 of which two classes are known. */
#define ROWS(name, id_a, id_b)                                                                     \
    static const struct pof_field name[] = {                                                       \
        POF_FIELD_OF(struct object, a, id_a, STRUCT, .nested = &level##id_a, .part = true,         \
                     POF_PRESENT(struct object, has_a)),                                           \
        POF_FIELD_OF(struct object, b, id_b, STRUCT, .nested = &level##id_b, .part = true,         \
                     POF_PRESENT(struct object, has_b)),                                           \
    };
ROWS(rows_1_2, 1, 2)
ROWS(rows_1_7, 1, 7)
ROWS(rows_2_5, 2, 5)
ROWS(rows_5_7, 5, 7)
ROWS(rows_6_8, 6, 8)

static const struct pof_struct programs[] = {
    POF_STRUCT_EVOLVABLE(struct object, 7, 0, rows_1_2, rest, version),
    POF_STRUCT_EVOLVABLE(struct object, 7, 0, rows_1_7, rest, version),
    POF_STRUCT_EVOLVABLE(struct object, 7, 0, rows_2_5, rest, version),
    POF_STRUCT_EVOLVABLE(struct object, 7, 0, rows_5_7, rest, version),
    POF_STRUCT_EVOLVABLE(struct object, 7, 0, rows_6_8, rest, version),
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* Four levels, each with a version and properties of its own. */
static const char four_levels[] = "\x15\x07\x00\x01\x01\x01\x00\x6a\x40\x02\x02\x02\x00\x6b\x40"
                                  "\x05\x05\x00\x00\x6c\x01\x6a\x40\x07\x07\x09\x00\x6d\x40\x40";

/* Whatever two classes a program knows, it writes all four back, octet for octet. */
static void unknown_levels_survive_wherever_they_stand(void **state)
{
    struct object object;
    struct buf out = {0};
    struct memory m;

    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++) {
        for (int copy = 0; copy < 2; copy++) {
            buf_clear(&out);
            (void)memory_init(&m, copy);
            assert_null(pof_struct_check(&programs[i]));
            assert_int_equal(
                pof_struct_from_binary(OCTETS(four_levels), &programs[i], &object, &m.memory),
                QN_OK);
            assert_int_equal(pof_struct_to_binary(&out, &programs[i], &object), QN_OK);
            assert_bytes_equal(buf_bytes(&out), OCTETS(four_levels));
            memory_fini(&m);
        }
    }
    buf_fini(&out);
}

/* Each level has its own version and its own unknown properties. */
static void each_level_keeps_its_own(void **state)
{
    struct object object;
    struct memory m;

    (void)state;
    assert_int_equal(
        pof_struct_from_binary(OCTETS(four_levels), &programs[3], &object, memory_init(&m, false)),
        QN_OK);
    assert_true(object.has_a && object.has_b);
    assert_int_equal(object.a.version, 0);
    assert_bytes_equal(object.a.rest, OCTETS("\x00\x6c\x01\x6a"));
    assert_int_equal(object.b.version, 9);
    assert_bytes_equal(object.b.rest, OCTETS("\x00\x6d"));
    assert_bytes_equal(object.rest, OCTETS("\x01\x01\x01\x00\x6a\x40\x02\x02\x02\x00\x6b\x40"));
    memory_fini(&m);
}

/* A dog as the reference implementation writes it (vector portable_type/derived-class), and one of
 * a later version of each class. */
struct animal {
    struct bytes name;
    int32_t legs;
    struct bytes rest;
    int32_t version;
};
struct breed {
    struct bytes breed;
    struct bytes rest;
    int32_t version;
};
struct dog {
    struct animal animal;
    struct breed breed;
};
static const struct pof_field animal_fields[] = {
    POF_FIELD(struct animal, name, 0, STRING),
    POF_FIELD(struct animal, legs, 1, INT32),
};
static const struct pof_struct animal_struct =
    POF_STRUCT_EVOLVABLE(struct animal, 1, 1, animal_fields, rest, version);
static const struct pof_field breed_fields[] = {POF_FIELD(struct breed, breed, 0, STRING)};
static const struct pof_struct breed_struct =
    POF_STRUCT_EVOLVABLE(struct breed, 2, 2, breed_fields, rest, version);
static const struct pof_field dog_fields[] = {
    POF_FIELD_LEVEL(struct dog, animal, 1, &animal_struct),
    POF_FIELD_LEVEL(struct dog, breed, 2, &breed_struct),
};
static const struct pof_struct dog_struct = POF_STRUCT(struct dog, 2, 0, dog_fields);

static const char derived_class[] = "\x15\x02\x00\x01\x01\x01\x00\x4e\x03Rex\x40\x02\x02\x02\x00"
                                    "\x4e\x06"
                                    "Collie\x40\x40";
static const char of_later_classes[] =
    "\x15\x02\x00\x01\x01\x07\x00\x4e\x03Rex\x01\x6e\x05\x6b\x09\x57\x01\x4e\x01x\x40"
    "\x02\x02\x08\x00\x4e\x06"
    "Collie\x01\x6a\x40\x40";

static void rewrite_dog(struct bytes octets, int32_t version)
{
    struct dog dog;
    struct buf out = {0};
    struct memory m;

    assert_int_equal(pof_struct_from_binary(octets, &dog_struct, &dog, memory_init(&m, true)),
                     QN_OK);
    assert_bytes_equal(dog.animal.name, OCTETS("Rex"));
    assert_bytes_equal(dog.breed.breed, OCTETS("Collie"));
    assert_int_equal(dog.animal.version, version);
    assert_int_equal(pof_struct_to_binary(&out, &dog_struct, &dog), QN_OK);
    assert_bytes_equal(buf_bytes(&out), octets);
    memory_fini(&m);
    buf_fini(&out);
}

static void a_dog_is_read_and_written_by_its_classes(void **state)
{
    (void)state;
    rewrite_dog(OCTETS(derived_class), 1);
    rewrite_dog(OCTETS(of_later_classes), 7);
}

/* -- properties between those that are known -- */

struct sparse {
    int32_t three;
    int32_t seventy;
    int32_t new;
    struct bytes rest;
    int32_t version;
};
static const struct pof_field sparse_fields[] = {
    POF_FIELD(struct sparse, three, 3, INT32),
    POF_FIELD(struct sparse, seventy, 70, INT32),
    POF_FIELD_SINCE(struct sparse, new, 72, INT32, 4),
};
static const struct pof_struct sparse_struct =
    POF_STRUCT_EVOLVABLE(struct sparse, 9, 4, sparse_fields, rest, version);

/* Of version 4: properties 0, 3, 4 (an object), 69, 70, 71, 72, 90. */
static const char of_version_4[] = "\x15\x09\x04\x00\x41\x05\x03\x6b\x04\x08\x00\x05\x6a\x40"
                                   "\x85\x01\x4e\x01x\x86\x01\x6c\x87\x01\x6d\x88\x01\x6e"
                                   "\x9a\x01\x55\x01\x6a\x40";

static void unknown_properties_survive_wherever_they_stand(void **state)
{
    struct sparse sparse;
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_null(pof_struct_check(&sparse_struct));
    assert_int_equal(pof_struct_from_binary(OCTETS(of_version_4), &sparse_struct, &sparse,
                                            memory_init(&m, false)),
                     QN_OK);
    assert_true(sparse.three == 2 && sparse.seventy == 3 && sparse.new == 5);
    assert_int_equal(pof_struct_to_binary(&out, &sparse_struct, &sparse), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS(of_version_4));
    memory_fini(&m);
    buf_fini(&out);
}

/* In an older object something else stands at the index of a later field; it gives way. */
static void what_stood_at_the_index_of_a_later_field_goes(void **state)
{
    char of_version_3[sizeof of_version_4];
    struct sparse sparse;
    struct buf out = {0};
    struct memory m;

    (void)state;
    memcpy(of_version_3, of_version_4, sizeof of_version_3);
    of_version_3[2] = 3;
    assert_int_equal(pof_struct_from_binary(OCTETS(of_version_3), &sparse_struct, &sparse,
                                            memory_init(&m, false)),
                     QN_OK);
    assert_int_equal(sparse.new, 0);
    sparse.new = 5;
    assert_int_equal(pof_struct_to_binary(&out, &sparse_struct, &sparse), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS(of_version_4));
    memory_fini(&m);
    buf_fini(&out);
}

/* What a program puts there itself must be properties that the table has no rows for. */
static void a_remainder_that_is_none_fails(void **state)
{
    static const char *const broken[] = {"\x03\x6a", "\x00", "\x00\x4e\x05x", "\x40\x6a\x40\x40"};
    static const size_t sizes[] = {2, 1, 4, 4};
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct sparse sparse = {.three = 1, .rest = bytes_of(broken[i], sizes[i])};
        assert_int_equal(pof_struct_to_binary(&out, &sparse_struct, &sparse), QN_INVALID);
    }
    buf_fini(&out);
}

/* Octets that are cut anywhere are a status. */
static void objects_that_are_cut_are_refused(void **state)
{
    struct sparse sparse;
    struct object object;
    struct memory m;

    (void)state;
    (void)memory_init(&m, true);
    for (size_t size = 0; size < sizeof of_version_4 - 1; size++) {
        assert_int_not_equal(pof_struct_from_binary(bytes_of(of_version_4, size), &sparse_struct,
                                                    &sparse, &m.memory),
                             QN_OK);
    }
    for (size_t size = 0; size < sizeof four_levels - 1; size++) {
        assert_int_not_equal(
            pof_struct_from_binary(bytes_of(four_levels, size), &programs[2], &object, &m.memory),
            QN_OK);
    }
    memory_fini(&m);
}

struct narrow {
    int32_t one;
    int32_t five;
    struct bytes rest;
    int32_t version;
};
static const struct pof_field narrow_fields[] = {
    POF_FIELD(struct narrow, one, 1, INT32),
    POF_FIELD(struct narrow, five, 5, INT32),
};
static const struct pof_struct narrow_struct =
    POF_STRUCT_EVOLVABLE(struct narrow, 10, 0, narrow_fields, rest, version);

/* Copied when it is asked for: the octets may go. */
static void what_is_kept_outlives_its_octets(void **state)
{
    static const char *const objects[] = {"\x15\x0a\x02\x01\x41\x01\x03\x41\x07\x05\x6b\x40",
                                          "\x15\x0a\x02\x01\x41\x01\x05\x6b\x07\x6a\x40"};
    static const size_t sizes[] = {12, 11};
    char octets[12];
    struct narrow narrow;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, true);
    for (size_t i = 0; i < 2; i++) {
        memcpy(octets, objects[i], sizes[i]);
        assert_int_equal(
            pof_struct_from_binary(bytes_of(octets, sizes[i]), &narrow_struct, &narrow, &m.memory),
            QN_OK);
        memset(octets, 0xff, sizeof octets);
        buf_clear(&out);
        assert_int_equal(pof_struct_to_binary(&out, &narrow_struct, &narrow), QN_OK);
        assert_bytes_equal(buf_bytes(&out), bytes_of(objects[i], sizes[i]));
    }
    memory_fini(&m);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_levels_survive_wherever_they_stand),
        cmocka_unit_test(each_level_keeps_its_own),
        cmocka_unit_test(a_dog_is_read_and_written_by_its_classes),
        cmocka_unit_test(unknown_properties_survive_wherever_they_stand),
        cmocka_unit_test(what_stood_at_the_index_of_a_later_field_goes),
        cmocka_unit_test(a_remainder_that_is_none_fails),
        cmocka_unit_test(objects_that_are_cut_are_refused),
        cmocka_unit_test(what_is_kept_outlives_its_octets),
    };

    return RUN_TESTS(tests);
}
