/* Values as octets: taken out of one object, put into another. */
#include "tests/lib/check.h"
#include "wire/pof/raw.h"

/* Stand in the one object in `pof`. */
static void enter(struct pof_reader *r, struct bytes pof)
{
    struct pof_value value;

    pof_reader_init(r, pof);
    assert_int_equal(pof_reader_next(r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(r), QN_OK);
}

static const char object[] =
    "\x01\x00\x00\x41\x05\x02\x55\x02\x6a\x55\x00\x03\x6a\x80\x01\x4e\x01\x61\x40";

/* A property is a value of its own: number, container, small one; nothing when it is absent. */
static void a_property_is_a_whole_value(void **state)
{
    struct pof_reader r;
    struct bytes pof;

    (void)state;
    enter(&r, bytes_of(object, sizeof object - 1));
    assert_int_equal(pof_read_raw(&r, 0, &pof), QN_OK);
    assert_bytes_equal(pof, bytes_of("\x41\x05", 2));
    assert_int_equal(pof_read_raw(&r, 1, &pof), QN_OK);
    assert_null(pof.data);
    assert_int_equal(pof_read_raw(&r, 2, &pof), QN_OK);
    assert_bytes_equal(pof, bytes_of("\x55\x02\x6a\x55\x00", 5));
    assert_int_equal(pof_read_raw(&r, 2, &pof), QN_INVALID);
    assert_int_equal(pof_read_raw(&r, 3, &pof), QN_OK);
    assert_bytes_equal(pof, bytes_of("\x6a", 1));
    assert_int_equal(pof_read_raw(&r, 64, &pof), QN_OK);
    assert_bytes_equal(pof, bytes_of("\x4e\x01\x61", 3));
    assert_int_equal(pof_read_raw(&r, 65, &pof), QN_OK);
    assert_int_equal(pof.size, 0);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
}

/* An object whose properties are passed on one by one stays the same. */
static void an_object_copied_by_its_properties_is_the_same(void **state)
{
    struct pof_reader r;
    struct pof_writer w;
    struct buf out = {0};
    struct bytes pof;

    (void)state;
    enter(&r, bytes_of(object, sizeof object - 1));
    pof_writer_init(&w, &out);
    pof_begin_user(&w, POF_NEXT, 1, 0);
    for (int32_t i = 0; i < 70; i++) {
        assert_int_equal(pof_read_raw(&r, i, &pof), QN_OK);
        pof_write_raw(&w, i, pof);
    }
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of(object, sizeof object - 1));
    buf_fini(&out);
}

static enum qn_status write_in(enum pof_type list, int32_t element_type, struct bytes pof,
                               struct buf *out)
{
    struct pof_writer w;

    buf_clear(out);
    pof_writer_init(&w, out);
    pof_begin_container(&w, POF_NEXT,
                        (struct pof_container){list, .element_type = element_type, .count = 1});
    pof_write_raw(&w, POF_NEXT, pof);
    pof_end(&w);
    return pof_writer_finish(&w);
}

/* A uniform container has the type already, and takes no other. */
static void a_uniform_container_leaves_the_type_out(void **state)
{
    struct bytes five = bytes_of("\x41\x05", 2);
    struct bytes small = bytes_of("\x6e", 1);
    struct buf out = {0};

    (void)state;
    assert_int_equal(write_in(POF_UNIFORM_ARRAY, POF_INT32, five, &out), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x58\x41\x01\x05", 4));
    assert_int_equal(write_in(POF_UNIFORM_ARRAY, POF_INT64, five, &out), QN_INVALID);
    assert_int_equal(write_in(POF_UNIFORM_ARRAY, POF_INT32, small, &out), QN_INVALID);
    assert_int_equal(write_in(POF_ARRAY, 0, small, &out), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x57\x01\x6e", 3));
    buf_fini(&out);
}

/* What is no single value of its own is refused. */
static void octets_that_are_not_one_value_are_refused(void **state)
{
    static const struct {
        const char *pof;
        size_t size;
    } broken[] = {
        {"", 0},                                 /* nothing, where something must stand */
        {"\x41\x05\x6a", 3},                     /* two values */
        {"\x4e\x05\x61", 3},                     /* cut short */
        {"\x4e\x01\xff", 3},                     /* no text */
        {"\x5e\x01\x01\x00\x40", 5},             /* an identity */
        {"\x5f\x01", 2},                         /* a reference */
        {"\x55\x02\x5e\x01\x01\x00\x40\x6a", 8}, /* an identity within */
        {"\x55\x01\x5f\x01", 4},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct bytes pof = bytes_of(broken[i].pof, broken[i].size);
        assert_int_equal(write_in(POF_ARRAY, 0, pof, &out), QN_INVALID);
        assert_int_equal(out.size, 0);
    }
    buf_fini(&out);
}

/* `depth` arrays open, then a raw array of an array; the status. */
static enum qn_status write_at(uint32_t depth, struct bytes pof)
{
    struct pof_writer w;
    struct buf out = {0};

    pof_writer_init(&w, &out);
    for (uint32_t i = 0; i < depth; i++) {
        pof_begin_array(&w, POF_NEXT, 1);
    }
    pof_write_raw(&w, POF_NEXT, pof);
    for (uint32_t i = 0; i < depth; i++) {
        pof_end(&w);
    }
    enum qn_status status = pof_writer_finish(&w);
    buf_fini(&out);
    return status;
}

/* Whatever is written can be read, so depth is counted from the outside. */
static void depth_counts_from_the_outermost_container(void **state)
{
    struct bytes two = bytes_of("\x55\x01\x55\x00", 4);
    struct bytes one = bytes_of("\x55\x00", 2);

    (void)state;
    assert_int_equal(write_at(POF_DEPTH_MAX - 2, two), QN_OK);
    assert_int_equal(write_at(POF_DEPTH_MAX - 1, two), QN_TOO_LARGE);
    assert_int_equal(write_at(POF_DEPTH_MAX - 1, one), QN_OK);
    assert_int_equal(write_at(POF_DEPTH_MAX, one), QN_TOO_LARGE);
    assert_int_equal(write_at(POF_DEPTH_MAX, bytes_of("\x6a", 1)), QN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_property_is_a_whole_value),
        cmocka_unit_test(an_object_copied_by_its_properties_is_the_same),
        cmocka_unit_test(a_uniform_container_leaves_the_type_out),
        cmocka_unit_test(octets_that_are_not_one_value_are_refused),
        cmocka_unit_test(depth_counts_from_the_outermost_container),
    };

    return RUN_TESTS(tests);
}
