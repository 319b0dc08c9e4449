/* Objects whose classes grow, and class hierarchies. The octets are those of
 * tests/vectors/pof.jsonl, "evolvable/..." and "portable_type/...". */
#include "tests/lib/check.h"
#include "wire/pof/evolvable.h"

#define OCTETS(text) bytes_of(text, sizeof text - 1)

/* Name, age; since version 2: address, tags. */
static const char person_v2[] = "\xa8\x0f\x02\x00\x4e\x03"
                                "Bea\x02\x4e\x0f"
                                "bea@example.org\x03\x56\x4e\x02\x01x\x01y\x40";
static const char person_v2_by_v1[] = "\xa8\x0f\x02\x00\x4e\x03"
                                      "Bea\x01\x41\x29\x02\x4e\x0f"
                                      "bea@example.org\x03\x56\x4e\x02\x01x\x01y\x40";
static const char person_v1[] = "\xa8\x0f\x01\x00\x4e\x03"
                                "Bea\x01\x41\x29\x40";
static const char person_v1_by_v2[] = "\xa8\x0f\x02\x00\x4e\x03"
                                      "Bea\x01\x41\x29\x03\x56\x4e\x00\x40";

/* Read name and age, as version 1 does; `*kept` is the rest. */
static void read_person(struct bytes pof, struct bytes *name, struct pof_evolvable *kept)
{
    struct pof_reader r;
    struct pof_value value;
    int32_t age;

    pof_reader_init(&r, pof);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_enter_evolvable(&r, &value, kept), QN_OK);
    assert_int_equal(pof_read_string(&r, 0, name), QN_OK);
    assert_int_equal(pof_read_int32(&r, 1, &age), QN_OK);
    assert_int_equal(pof_leave_evolvable(&r, kept), QN_OK);
    assert_int_equal(r.rest.size, 0);
}

static void an_older_program_keeps_version_and_properties_of_a_newer_one(void **state)
{
    struct pof_evolvable kept;
    struct pof_writer w;
    struct buf out = {0};
    struct bytes name;

    (void)state;
    read_person(OCTETS(person_v2), &name, &kept);
    assert_int_equal(kept.version, 2);
    pof_writer_init(&w, &out);
    pof_begin_evolvable(&w, POF_NEXT, (struct pof_class){1000, 1}, &kept);
    pof_write_string(&w, 0, name);
    pof_write_int32(&w, 1, 41);
    pof_end_evolvable(&w, &kept);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS(person_v2_by_v1));
    buf_fini(&out);
}

static void a_newer_program_writes_its_own_version(void **state)
{
    struct pof_evolvable kept;
    struct pof_writer w;
    struct buf out = {0};
    struct bytes name;

    (void)state;
    read_person(OCTETS(person_v1), &name, &kept);
    assert_int_equal(kept.version, 1);
    assert_int_equal(kept.remainder.size, 0);
    pof_writer_init(&w, &out);
    pof_begin_evolvable(&w, POF_NEXT, (struct pof_class){1000, 2}, &kept);
    pof_write_string(&w, 0, name);
    pof_write_int32(&w, 1, 41);
    pof_write_null(&w, 2);
    pof_begin_uniform_collection(&w, 3, POF_STRING, 0);
    pof_end(&w);
    pof_end_evolvable(&w, &kept);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS(person_v1_by_v2));
    buf_fini(&out);
}

/* What is kept must come behind what is known: else the writer would make a broken object. */
static void a_kept_property_below_a_written_one_fails(void **state)
{
    struct pof_evolvable kept = {.version = 2, .remainder = bytes_of("\x01\x6a", 2)};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    pof_writer_init(&w, &out);
    pof_begin_evolvable(&w, POF_NEXT, (struct pof_class){1000, 1}, &kept);
    pof_write_int32(&w, 1, 41);
    pof_end_evolvable(&w, &kept);
    assert_int_equal(pof_writer_finish(&w), QN_INVALID);
    assert_int_equal(out.size, 0);
    buf_fini(&out);
}

/* A dog of breed collie: level 1 is the animal, level 2 the dog. */
static const char dog[] = "\x02\x00\x01\x01\x01\x00\x4e\x03"
                          "Rex\x40\x02\x02\x02\x00\x4e\x06"
                          "Collie\x40\x40";
static const char dog_as_animal[] = "\x01\x00\x01\x01\x01\x00\x4e\x03"
                                    "Rex\x40\x02\x02\x02\x00\x4e\x06"
                                    "Collie\x40\x40";
/* The same with a level 7 behind, and one more than known in front. */
static const char four_levels[] = "\x07\x00\x01\x01\x01\x00\x6a\x40\x02\x02\x02\x00\x6b\x40"
                                  "\x05\x05\x00\x00\x6c\x01\x6a\x40\x07\x07\x09\x00\x6d\x40\x40";

static void write_level(struct pof_writer *w, struct pof_class known, const char *text)
{
    struct pof_evolvable none = {0};
    struct bytes unknown = {0};

    pof_begin_level(w, known, &none, &unknown);
    pof_write_string(w, 0, bytes_of_text(text));
    pof_write_int32(w, 1, 0);
    pof_end_evolvable(w, &none);
}

static void each_class_of_a_hierarchy_writes_a_level(void **state)
{
    struct pof_writer w;
    struct buf out = {0};
    struct bytes unknown = {0};

    (void)state;
    pof_writer_init(&w, &out);
    pof_begin_levels(&w, POF_NEXT, 2);
    write_level(&w, (struct pof_class){1, 1}, "Rex");
    write_level(&w, (struct pof_class){2, 2}, "Collie");
    pof_end_levels(&w, &unknown);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS(dog));
    buf_fini(&out);
}

static void enter(struct pof_reader *r, struct bytes pof)
{
    struct pof_value value;

    pof_reader_init(r, pof);
    assert_int_equal(pof_reader_next(r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(r), QN_OK);
}

static void each_class_reads_its_level(void **state)
{
    struct pof_reader r;
    struct pof_evolvable kept;
    struct buf unknown = {0};
    struct bytes text;

    (void)state;
    enter(&r, OCTETS(dog));
    assert_int_equal(pof_enter_level(&r, 1, &unknown, &kept), QN_OK);
    assert_int_equal(kept.version, 1);
    assert_int_equal(pof_read_string(&r, 0, &text), QN_OK);
    assert_bytes_equal(text, bytes_of_text("Rex"));
    assert_int_equal(pof_leave_evolvable(&r, &kept), QN_OK);
    assert_int_equal(pof_enter_level(&r, 2, &unknown, &kept), QN_OK);
    assert_int_equal(kept.version, 2);
    assert_int_equal(pof_leave_evolvable(&r, &kept), QN_OK);
    assert_bytes_equal(kept.remainder, OCTETS("\x00\x4e\x06"
                                              "Collie"));
    assert_int_equal(pof_enter_level(&r, 2, &unknown, &kept), QN_INVALID);
    assert_int_equal(pof_enter_level(&r, 3, &unknown, &kept), QN_ABSENT);
    assert_int_equal(pof_leave_levels(&r, &unknown), QN_OK);
    assert_int_equal(unknown.size, 0);
    assert_int_equal(r.rest.size, 0);
    buf_fini(&unknown);
}

/* A program that knows the classes in `known` only: read the levels, keep what it does not know,
 * write all back. */
static void rewrite(struct bytes pof, int32_t type, const int32_t *known, size_t count,
                    struct buf *out)
{
    struct pof_reader r;
    struct pof_writer w;
    struct pof_evolvable kept[4] = {{0}};
    bool there[4] = {false};
    struct buf unknown = {0};

    enter(&r, pof);
    for (size_t i = 0; i < count; i++) {
        enum qn_status status = pof_enter_level(&r, known[i], &unknown, &kept[i]);
        there[i] = status == QN_OK;
        assert_true(status == QN_OK || status == QN_ABSENT);
        if (there[i]) {
            assert_int_equal(pof_leave_evolvable(&r, &kept[i]), QN_OK);
        }
    }
    assert_int_equal(pof_leave_levels(&r, &unknown), QN_OK);
    pof_writer_init(&w, out);
    pof_begin_levels(&w, POF_NEXT, type);
    struct bytes rest = buf_bytes(&unknown);
    for (size_t i = 0; i < count; i++) {
        if (there[i]) {
            pof_begin_level(&w, (struct pof_class){known[i], 0}, &kept[i], &rest);
            pof_end_evolvable(&w, &kept[i]);
        }
    }
    pof_end_levels(&w, &rest);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    buf_fini(&unknown);
}

/* Levels that a program does not know are kept, wherever they stand (vector
 * portable_type/unknown-class-level-kept). */
static void unknown_levels_survive_a_rewrite(void **state)
{
    static const int32_t known[][4] = {{1}, {2}, {5, 6}, {1, 7}, {3}, {1, 2, 5, 7}};
    static const size_t counts[] = {1, 1, 2, 2, 1, 4};
    struct buf out = {0};

    (void)state;
    rewrite(OCTETS(dog_as_animal), 1, (const int32_t[]){1}, 1, &out);
    assert_bytes_equal(buf_bytes(&out), OCTETS(dog_as_animal));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        buf_clear(&out);
        rewrite(OCTETS(four_levels), 7, known[i], counts[i], &out);
        assert_bytes_equal(buf_bytes(&out), OCTETS(four_levels));
    }
    buf_fini(&out);
}

/* What stands at a level is an object of that class, and its index is above 0. */
static void what_is_no_level_is_told(void **state)
{
    struct pof_reader r;
    struct pof_writer w;
    struct pof_evolvable kept = {0};
    struct buf unknown = {0}, out = {0};
    struct bytes broken = OCTETS("\x01\x4e\x05");

    (void)state;
    enter(&r, OCTETS("\x02\x00\x01\x6a\x02\x03\x00\x40\x40"));
    assert_int_equal(pof_enter_level(&r, 0, &unknown, &kept), QN_INVALID);
    assert_int_equal(pof_enter_level(&r, 1, &unknown, &kept), QN_WRONG_TYPE);
    assert_int_equal(pof_enter_level(&r, 2, &unknown, &kept), QN_WRONG_TYPE);
    for (int i = 0; i < 2; i++) {
        pof_writer_init(&w, &out);
        pof_begin_levels(&w, POF_NEXT, 2);
        pof_begin_level(&w, (struct pof_class){i == 0 ? 0 : 2, 0}, &kept, &broken);
        pof_end_evolvable(&w, &kept);
        assert_int_equal(pof_writer_finish(&w), QN_INVALID);
    }
    buf_fini(&unknown);
    buf_fini(&out);
}

/* Evolvable objects and all that is in them have no identity; behind them the others have again. */
static void evolvable_objects_and_their_content_have_no_identity(void **state)
{
    struct pof_evolvable none = {0};
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    pof_writer_init(&w, &out);
    pof_writer_enable_references(&w);
    pof_begin_array(&w, POF_NEXT, 2);
    pof_begin_evolvable(&w, POF_NEXT, (struct pof_class){1, 0}, &none);
    pof_begin_evolvable(&w, 0, (struct pof_class){2, 0}, &none);
    pof_end_evolvable(&w, &none);
    pof_begin_user(&w, 1, 3, 0);
    pof_end(&w);
    pof_end_evolvable(&w, &none);
    pof_begin_user(&w, POF_NEXT, 4, 0);
    assert_int_equal(pof_writer_identity(&w), 1);
    pof_end(&w);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out),
                       OCTETS("\x57\x02\x01\x00\x00\x02\x00\x40\x01\x03\x00\x40\x40"
                              "\x5e\x01\x04\x00\x40"));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_program_keeps_version_and_properties_of_a_newer_one),
        cmocka_unit_test(a_newer_program_writes_its_own_version),
        cmocka_unit_test(a_kept_property_below_a_written_one_fails),
        cmocka_unit_test(each_class_of_a_hierarchy_writes_a_level),
        cmocka_unit_test(each_class_reads_its_level),
        cmocka_unit_test(unknown_levels_survive_a_rewrite),
        cmocka_unit_test(what_is_no_level_is_told),
        cmocka_unit_test(evolvable_objects_and_their_content_have_no_identity),
    };

    return RUN_TESTS(tests);
}
