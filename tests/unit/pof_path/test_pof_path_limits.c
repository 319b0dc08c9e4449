/* Paths at the limits: depth, counts, references. Each gives what is there or a status. */
#include "tests/lib/check.h"
#include "wire/pof/binary.h"
#include "wire/pof/path.h"
#include "wire/pof/writer.h"

#define STEPS(...)                                                                                 \
    (struct pof_path)                                                                              \
    {                                                                                              \
        (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)   \
    }

#define OCTETS(text) bytes_of(text, sizeof(text) - 1)

static void append(struct buf *out, const void *octets, size_t size)
{
    assert_int_equal(buf_append(out, octets, size), QN_OK);
}

/* `depth` lists in each other, the innermost empty. */
static void append_lists(struct buf *out, int depth)
{
    for (int i = 0; i < depth; i++) {
        append(out, i + 1 < depth ? "\x55\x01" : "\x55\x00", 2);
    }
}

/* A list whose element 0 is `depth` lists in each other, and element 1 the number 7. */
static void write_deep(struct buf *out, int depth)
{
    buf_clear(out);
    append(out, "\x55\x02", 2);
    append_lists(out, depth);
    append(out, "\x70", 1);
}

/* What stands before the target is too deep to be skipped: that is not "out of range". */
static void a_set_says_that_a_value_is_too_deep(void **state)
{
    struct buf out = {0};
    struct pof_target target;
    struct pof_path_set *set = pof_path_set_create(&STEPS(1), 1);

    (void)state;
    assert_non_null(set);
    write_deep(&out, POF_DEPTH_MAX - 1);
    assert_int_equal(pof_path_set_find(set, buf_bytes(&out), &target), QN_OK);
    assert_true(target.found && target.value.as.integer == 7);
    assert_int_equal(pof_path_find(buf_bytes(&out), STEPS(1), &target), QN_OK);
    write_deep(&out, POF_DEPTH_MAX);
    assert_int_equal(pof_path_set_find(set, buf_bytes(&out), &target), QN_TOO_LARGE);
    assert_int_equal(pof_path_find(buf_bytes(&out), STEPS(1), &target), QN_TOO_LARGE);
    pof_path_set_destroy(set);
    buf_fini(&out);
}

/* The target itself may be too deep as well, and so may what stands at its own head. */
static void a_set_says_that_its_target_is_too_deep(void **state)
{
    static const int32_t zeros[POF_PATH_MAX] = {0};
    struct buf out = {0};
    struct pof_target target;

    (void)state;
    write_deep(&out, POF_DEPTH_MAX);
    for (size_t count = 0; count <= POF_PATH_MAX; count++) {
        struct pof_path path = {zeros, count};
        struct pof_path_set *set = pof_path_set_create(&path, 1);
        assert_non_null(set);
        assert_int_equal(pof_path_set_find(set, buf_bytes(&out), &target), QN_TOO_LARGE);
        assert_int_equal(pof_path_find(buf_bytes(&out), path, &target), QN_TOO_LARGE);
        pof_path_set_destroy(set);
    }
    buf_fini(&out);
}

/* Elements without octets are bounded too, and a path that goes over them says so. */
static void a_set_says_that_there_are_too_many_elements(void **state)
{
    /* two lists of 40000 nulls each, then 7 */
    struct bytes pof = OCTETS("\x55\x03\x56\x64\x80\xf1\x04\x56\x64\x80\xf1\x04\x70");
    struct pof_target target;
    struct pof_path_set *set = pof_path_set_create(&STEPS(2), 1);

    (void)state;
    assert_int_equal(pof_path_set_find(set, pof, &target), QN_TOO_LARGE);
    assert_int_equal(pof_path_find(pof, STEPS(2), &target), QN_TOO_LARGE);
    pof_path_set_destroy(set);
}

/* An object with identity 1, a reference to it, and a number. */
#define SHARED "\x5e\x01\x07\x00\x00\x5e\x02\x08\x00\x00\x4e\x02hi\x40\x01\x5f\x02\x02\x6a\x40"

/* A reference is given as what it is. What lies behind it is not looked for: that is a status, not
 * "absent". */
static void a_path_does_not_go_through_a_reference(void **state)
{
    const struct pof_path paths[] = {STEPS(1), STEPS(2), STEPS(0, 0)};
    struct pof_target targets[3];
    struct pof_path_set *set = pof_path_set_create(paths, 3);
    struct pof_path_set *through = pof_path_set_create(&STEPS(1, 0), 1);

    (void)state;
    assert_int_equal(pof_path_set_find(set, OCTETS(SHARED), targets), QN_OK);
    assert_int_equal(targets[0].value.kind, POF_KIND_REFERENCE);
    assert_int_equal(targets[0].value.as.reference, 2);
    assert_int_equal(targets[1].value.as.integer, 1);
    assert_bytes_equal(targets[2].value.as.text, bytes_of_text("hi"));
    assert_int_equal(pof_path_find(OCTETS(SHARED), STEPS(1, 0), targets), QN_UNSUPPORTED);
    assert_int_equal(pof_path_set_find(through, OCTETS(SHARED), targets), QN_UNSUPPORTED);
    pof_path_set_destroy(set);
    pof_path_set_destroy(through);
}

static void expect_shared(struct bytes pof, struct pof_path path, enum qn_status status, int number)
{
    struct buf table = {0};
    struct pof_target target;

    assert_int_equal(pof_path_find_shared(pof, path, &table, &target), status);
    if (status == QN_OK) {
        assert_true(target.found);
        assert_int_equal(target.value.kind, POF_KIND_INT32);
        assert_int_equal(target.value.as.integer, number);
    }
    buf_fini(&table);
}

/* With a table of identities a path does go through: to what was skipped, to what is around, from
 * one reference to the next, as long as there are steps. */
static void a_shared_path_goes_through_references(void **state)
{
    /* Object 1: 0 is object 2 with the number 5, 1 names it, 2 is a number, 3 names object 1. */
    struct bytes pof = OCTETS("\x5e\x01\x07\x00\x00\x5e\x02\x08\x00\x00\x41\x05\x40\x01\x5f\x02"
                              "\x02\x6a\x03\x5f\x01\x40");
    int32_t round[POF_PATH_MAX];

    (void)state;
    expect_shared(pof, STEPS(0, 0), QN_OK, 5);
    expect_shared(pof, STEPS(1, 0), QN_OK, 5);
    expect_shared(pof, STEPS(2), QN_OK, 1);
    expect_shared(pof, STEPS(3, 2), QN_OK, 1);
    expect_shared(pof, STEPS(3, 3, 1, 0), QN_OK, 5);
    expect_shared(pof, STEPS(3, 2, 0), QN_WRONG_TYPE, 0);
    for (int i = 0; i < POF_PATH_MAX; i++) {
        round[i] = i + 1 < POF_PATH_MAX ? 3 : 2;
    }
    expect_shared(pof, (struct pof_path){round, POF_PATH_MAX}, QN_OK, 1);
}

/* In a list of objects a reference is a number alone, which is told from a version. */
static void a_shared_path_tells_references_from_versions(void **state)
{
    /* A list of three objects of type 8: one with identity 1, it again, and one of version 2. */
    struct bytes pof = OCTETS("\x56\x08\x03\x5e\x01\x00\x00\x41\x05\x40\x01\x02\x00\x41\x06\x40");

    (void)state;
    expect_shared(pof, STEPS(0, 0), QN_OK, 5);
    expect_shared(pof, STEPS(1, 0), QN_OK, 5);
    expect_shared(pof, STEPS(2, 0), QN_OK, 6);
}

/* The target of a shared path is the object, in its own octets. */
static void a_shared_target_is_the_object(void **state)
{
    struct buf table = {0};
    struct pof_target target;

    (void)state;
    assert_int_equal(pof_path_find_shared(OCTETS(SHARED), STEPS(1), &table, &target), QN_OK);
    assert_bytes_equal(target.octets, OCTETS("\x5e\x02\x08\x00\x00\x4e\x02hi\x40"));
    assert_int_equal(target.value.kind, POF_KIND_USER);
    assert_int_equal(target.value.identity, 2);
    buf_fini(&table);
}

/* A reference to nothing, to what comes later, or to itself is refused. */
static void a_shared_path_refuses_what_names_nothing_earlier(void **state)
{
    (void)state;
    expect_shared(OCTETS("\x07\x00\x00\x5f\x01\x40"), STEPS(0, 0), QN_MALFORMED, 0);
    expect_shared(OCTETS("\x07\x00\x00\x5f\x01\x01\x5e\x01\x08\x00\x40\x40"), STEPS(0),
                  QN_MALFORMED, 0);
    expect_shared(OCTETS("\x07\x00\x00\x5e\x01\x5f\x01\x40"), STEPS(0), QN_MALFORMED, 0);
    expect_shared(OCTETS("\x07\x00\x00\x5f\x40\x40"), STEPS(0), QN_MALFORMED, 0);
}

/* A list may declare that all its elements have an identity: each then has its own type. */
static void an_element_of_identities_is_read_from_its_target(void **state)
{
    struct bytes pof = OCTETS("\x56\x5e\x02\x01\x4e\x01x\x02\x41\x05");
    struct pof_target target;
    struct pof_reader r;
    struct pof_value value;

    (void)state;
    assert_int_equal(pof_path_find(pof, STEPS(1), &target), QN_OK);
    assert_true(target.bare && target.type == POF_INT32 && target.declared == POF_IDENTITY);
    pof_path_reader(&target, &r);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(value.identity, 2);
    assert_int_equal(value.as.integer, 5);
}

/* A number of an object in a uniform list may be its version or a reference: once there were
 * identities it is neither, before it is the version. */
static void what_may_be_a_reference_is_not_guessed(void **state)
{
    /* an object with a list of two objects of its type, versions 1 */
    struct bytes with = OCTETS("\x5e\x01\x07\x00\x00\x56\x07\x02\x01\x40\x01\x40\x01\x6a\x40");
    struct bytes without = OCTETS("\x07\x00\x00\x56\x07\x02\x01\x40\x01\x40\x01\x6a\x40");
    struct pof_target target;

    (void)state;
    assert_int_equal(pof_path_find(with, STEPS(1), &target), QN_UNSUPPORTED);
    assert_int_equal(pof_path_find(with, STEPS(0, 0), &target), QN_UNSUPPORTED);
    assert_int_equal(pof_path_find(without, STEPS(1), &target), QN_OK);
    assert_int_equal(pof_path_find(without, STEPS(0, 1), &target), QN_OK);
    assert_int_equal(target.value.as.items.version, 1);
}

static void expect_update(struct bytes binary, struct pof_path path, struct bytes new,
                          enum qn_status status)
{
    struct buf out = {0};

    append(&out, "x", 1);
    assert_int_equal(pof_path_update(&out, binary, path, new), status);
    assert_true(status == QN_OK || out.size == 1);
    buf_fini(&out);
}

/* Replacing what has an identity would leave its references behind, or counts anew what others
 * name; a new value's own identities and references would mean something else there. */
static void an_update_leaves_identities_alone(void **state)
{
    struct bytes shared = OCTETS("\x15" SHARED);
    struct bytes plain = OCTETS("\x15\x07\x00\x00\x6a\x01\x56\x07\x01\x00\x40\x40");

    (void)state;
    expect_update(shared, STEPS(2), OCTETS("\x6b"), QN_UNSUPPORTED);
    expect_update(shared, STEPS(0, 0), OCTETS("\x6b"), QN_UNSUPPORTED);
    expect_update(shared, STEPS(1), OCTETS("\x6b"), QN_UNSUPPORTED);
    expect_update(shared, STEPS(1, 0), OCTETS("\x6b"), QN_UNSUPPORTED);
    expect_update(shared, STEPS(3), OCTETS("\x6b"), QN_UNSUPPORTED);
    expect_update(shared, (struct pof_path){NULL, 0}, OCTETS("\x6b"), QN_UNSUPPORTED);
    expect_update(plain, STEPS(0), OCTETS("\x5f\x01"), QN_INVALID);
    expect_update(plain, STEPS(0), OCTETS("\x55\x01\x5f\x01"), QN_INVALID);
    expect_update(plain, STEPS(0), OCTETS("\x55\x01\x5e\x01\x07\x00\x40"), QN_INVALID);
    expect_update(plain, STEPS(1, 0), OCTETS("\x5f\x01"), QN_INVALID);
    expect_update(plain, STEPS(1, 0), OCTETS("\x07\x05\x40"), QN_OK);
}

/* A value may be replaced by one as deep as fits, so that what comes out can be read. */
static void an_update_keeps_the_depth(void **state)
{
    static const int32_t zeros[POF_PATH_MAX] = {0};
    struct buf binary = {0};
    struct buf new = {0};
    struct buf out = {0};

    (void)state;
    append(&binary, "\x15", 1);
    append_lists(&binary, POF_DEPTH_MAX - 1);
    binary.data[binary.size - 1] = 1;
    append(&binary, "\x64", 1); /* one null in the innermost */
    for (int count = 0; count < POF_DEPTH_MAX; count++) {
        for (int more = 0; more <= 1; more++) {
            buf_clear(&new);
            buf_clear(&out);
            append_lists(&new, POF_DEPTH_MAX - count + more);
            assert_int_equal(pof_path_update(&out, buf_bytes(&binary),
                                             (struct pof_path){zeros, (size_t)count},
                                             buf_bytes(&new)),
                             more ? QN_TOO_LARGE : QN_OK);
            struct bytes pof = bytes_of(out.data + 1, more ? 0 : out.size - 1);
            assert_true(more ? out.size == 0 : pof_skip(&pof) == QN_OK);
        }
    }
    buf_fini(&binary);
    buf_fini(&new);
    buf_fini(&out);
}

/* Nor may it bring so many elements without octets that the whole is refused afterwards. */
static void an_update_keeps_the_bound_of_elements_without_octets(void **state)
{
    struct bytes new = OCTETS("\x56\x64\x80\xf1\x04"); /* 40000 nulls */
    struct bytes one = OCTETS("\x15\x07\x00\x00\x56\x64\x80\xf1\x04\x01\x6a\x40");
    struct bytes behind = OCTETS("\x15\x07\x00\x00\x6a\x01\x56\x64\x80\xf1\x04\x40");

    (void)state;
    expect_update(one, STEPS(0), new, QN_OK);
    expect_update(one, STEPS(1), new, QN_TOO_LARGE);
    expect_update(behind, STEPS(0), new, QN_TOO_LARGE);
    expect_update(behind, STEPS(1), new, QN_OK);
}

/* What is put in must be readable: the text is one, the date exists. */
static void an_update_takes_sound_values_only(void **state)
{
    struct bytes plain = OCTETS("\x15\x07\x00\x00\x6a\x40");

    (void)state;
    expect_update(plain, STEPS(0), OCTETS("\x4e\x02\xc3\xbc"), QN_OK);
    expect_update(plain, STEPS(0), OCTETS("\x4e\x02\xc3\x20"), QN_INVALID);
    expect_update(plain, STEPS(0), OCTETS("\x4f\x00\x0d\x01"), QN_INVALID);
    expect_update(plain, STEPS(0), OCTETS("\x55\x01\x4f\x00\x0d\x01"), QN_INVALID);
}

/* The octets of a Binary after the update of `path` to the number 5, or to "z". */
static void expect_octets(struct bytes binary, struct pof_path path, struct bytes new,
                          struct bytes expected)
{
    struct buf out = {0};
    struct pof_target target;

    assert_int_equal(pof_path_update(&out, binary, path, new), QN_OK);
    assert_bytes_equal(buf_bytes(&out), expected);
    assert_int_equal(pof_path_find(bytes_of(out.data + 1, out.size - 1), path, &target), QN_OK);
    assert_true(target.found);
    buf_fini(&out);
}

/* An entry more than the size, or one of numbers beyond it, and readers lose what follows or refuse
 * it: then the size grows. Where nobody minds, all octets but the entry's stay, as in the format's
 * reference implementation. */
static void an_entry_put_into_a_sparse_array_keeps_it_readable(void **state)
{
    struct bytes five = OCTETS("\x41\x05");

    (void)state;
    /* Within the size; beyond it with gaps left. */
    expect_octets(OCTETS("\x15\x59\x09\x02\x6a\x40"), STEPS(4), five,
                  OCTETS("\x15\x59\x09\x02\x6a\x04\x41\x05\x40"));
    expect_octets(OCTETS("\x15\x59\x09\x02\x6a\x40"), STEPS(20), five,
                  OCTETS("\x15\x59\x09\x02\x6a\x14\x41\x05\x40"));
    /* Dense, and empty. */
    expect_octets(OCTETS("\x15\x59\x02\x00\x6a\x01\x6b\x40"), STEPS(2), five,
                  OCTETS("\x15\x59\x03\x00\x6a\x01\x6b\x02\x41\x05\x40"));
    expect_octets(OCTETS("\x15\x59\x00\x40"), STEPS(63), five,
                  OCTETS("\x15\x59\x80\x01\x3f\x41\x05\x40"));
    expect_octets(OCTETS("\x15\x59\x40\x40"), STEPS(0), five,
                  OCTETS("\x15\x59\x01\x00\x41\x05\x40"));
    /* More entries than the size already: the last index counts. */
    expect_octets(OCTETS("\x15\x59\x01\x00\x6a\x09\x6b\x40"), STEPS(4), five,
                  OCTETS("\x15\x59\x0a\x00\x6a\x04\x41\x05\x09\x6b\x40"));
    /* Uniform, of numbers and of texts. */
    expect_octets(OCTETS("\x15\x5a\x41\x03\x01\x07\x40"), STEPS(0), five,
                  OCTETS("\x15\x5a\x41\x03\x00\x05\x01\x07\x40"));
    expect_octets(OCTETS("\x15\x5a\x41\x03\x01\x07\x40"), STEPS(3), five,
                  OCTETS("\x15\x5a\x41\x04\x01\x07\x03\x05\x40"));
    expect_octets(OCTETS("\x15\x5a\x4e\x80\x00\x40"), STEPS(3), OCTETS("\x4e\x01z"),
                  OCTETS("\x15\x5a\x4e\x04\x03\x01z\x40"));
    /* In an object; of a list of such, without a type id; with an identity that means nothing. */
    expect_octets(OCTETS("\x15\x07\x00\x00\x59\x00\x40\x01\x6a\x40"), STEPS(0, 0), five,
                  OCTETS("\x15\x07\x00\x00\x59\x01\x00\x41\x05\x40\x01\x6a\x40"));
    expect_octets(OCTETS("\x15\x56\x5a\x02\x41\x00\x40\x41\x00\x40"), STEPS(1, 1), five,
                  OCTETS("\x15\x56\x5a\x02\x41\x00\x40\x41\x02\x01\x05\x40"));
    expect_octets(OCTETS("\x15\x5e\x40\x59\x00\x40"), STEPS(0), five,
                  OCTETS("\x15\x5e\x40\x59\x01\x00\x41\x05\x40"));
    /* One that is there needs no more room. */
    expect_octets(OCTETS("\x15\x59\x01\x00\x6a\x01\x6b\x40"), STEPS(1), five,
                  OCTETS("\x15\x59\x01\x00\x6a\x01\x41\x05\x40"));
    /* No size is above this index, given or there already. */
    expect_update(OCTETS("\x15\x59\x01\xbf\xff\xff\xff\x0f\x6a\x40"), STEPS(5), five, QN_TOO_LARGE);
    expect_update(OCTETS("\x15\x59\x05\xbf\xff\xff\xff\x0f\x6a\x40"), STEPS(5), five, QN_OK);
    expect_update(OCTETS("\x15\x59\x00\x40"), STEPS(INT32_MAX), five, QN_TOO_LARGE);
    expect_update(OCTETS("\x15\x59\x00"), STEPS(0), five, QN_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_says_that_a_value_is_too_deep),
        cmocka_unit_test(a_set_says_that_its_target_is_too_deep),
        cmocka_unit_test(a_set_says_that_there_are_too_many_elements),
        cmocka_unit_test(a_path_does_not_go_through_a_reference),
        cmocka_unit_test(a_shared_path_goes_through_references),
        cmocka_unit_test(a_shared_path_tells_references_from_versions),
        cmocka_unit_test(a_shared_target_is_the_object),
        cmocka_unit_test(a_shared_path_refuses_what_names_nothing_earlier),
        cmocka_unit_test(an_element_of_identities_is_read_from_its_target),
        cmocka_unit_test(what_may_be_a_reference_is_not_guessed),
        cmocka_unit_test(an_update_leaves_identities_alone),
        cmocka_unit_test(an_update_keeps_the_depth),
        cmocka_unit_test(an_update_keeps_the_bound_of_elements_without_octets),
        cmocka_unit_test(an_update_takes_sound_values_only),
        cmocka_unit_test(an_entry_put_into_a_sparse_array_keeps_it_readable),
    };

    return RUN_TESTS(tests);
}
