#include "tests/lib/check.h"
#include "wire/pof/writer.h"

static void begin(struct pof_writer *w, struct buf *out)
{
    buf_clear(out);
    pof_writer_init(w, out);
}

/* The calls since begin make exactly these octets. */
static void expect_octets(struct pof_writer *w, const char *octets, size_t size)
{
    assert_int_equal(pof_writer_finish(w), QN_OK);
    assert_bytes_equal(buf_bytes(w->out), bytes_of(octets, size));
}

/* A typed number at top level may be small, never absent; in full form it is neither. */
static void a_number_alone_is_small_unless_full(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_write_int32(&w, POF_NEXT, 0);
    expect_octets(&w, "\x69", 1);
    begin(&w, &out);
    pof_writer_full(&w);
    pof_write_int32(&w, POF_NEXT, 0);
    expect_octets(&w, "\x41\x00", 2);
    buf_fini(&out);
}

/* The first property is written in full and always; later ones may be small or left out. */
static void the_first_property_is_full(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_begin_user(&w, POF_NEXT, 1, 0);
    pof_write_int32(&w, 0, 0);
    pof_write_int32(&w, 1, 0);
    pof_write_bool(&w, 2, true);
    pof_write_null(&w, 3);
    pof_write_string(&w, 4, bytes_of_text(""));
    pof_end(&w);
    expect_octets(&w, "\x01\x00\x00\x41\x00\x02\x61\x04\x4e\x00\x40", 11);
    buf_fini(&out);
}

/* After an object without properties the next value is full as well. */
static void an_empty_object_leaves_the_next_value_full(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    begin(&w, &out);
    pof_begin_user(&w, POF_NEXT, 1, 0);
    pof_begin_user(&w, 0, 2, 0);
    pof_end(&w);
    pof_write_int32(&w, 1, 0);
    pof_write_int32(&w, 2, 5);
    pof_end(&w);
    expect_octets(&w, "\x01\x00\x00\x02\x00\x40\x01\x41\x00\x02\x6e\x40", 12);
    buf_fini(&out);
}

/* What was there before stays, and comes back after a failure. */
static void a_failure_leaves_the_buffer_as_it_was(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    assert_int_equal(buf_append(&out, "before", 6), QN_OK);
    pof_writer_init_binary(&w, &out);
    pof_begin_collection(&w, POF_NEXT, 2);
    pof_write_string(&w, POF_NEXT, bytes_of_text("\xff"));
    pof_write_int32(&w, POF_NEXT, 1); /* does nothing any more */
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_MALFORMED);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text("before"));
    pof_writer_init_binary(&w, &out);
    pof_write_int32(&w, POF_NEXT, 5);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of_text("before\x15\x6e"));
    buf_fini(&out);
}

static void write_nothing(struct pof_writer *w)
{
    (void)w;
}

static void write_two(struct pof_writer *w)
{
    pof_write_int32(w, POF_NEXT, 1);
    pof_write_int32(w, POF_NEXT, 2);
}

static void write_index_at_top(struct pof_writer *w)
{
    pof_write_int32(w, 0, 1);
}

static void leave_open(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
}

static void end_too_often(struct pof_writer *w)
{
    pof_write_int32(w, POF_NEXT, 1);
    pof_end(w);
}

static void write_too_few(struct pof_writer *w)
{
    pof_begin_array(w, POF_NEXT, 2);
    pof_write_int32(w, POF_NEXT, 1);
    pof_end(w);
}

static void write_too_many(struct pof_writer *w)
{
    pof_begin_map(w, POF_NEXT, 1);
    for (int i = 0; i < 3; i++) {
        pof_write_int32(w, POF_NEXT, i);
    }
    pof_end(w);
}

static void write_descending(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 3, 1);
    pof_write_int32(w, 2, 1);
    pof_end(w);
}

static void write_same_index_twice(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 3, 1);
    pof_write_int32(w, 3, 0);
    pof_end(w);
}

/* What is left out has had its place: whether calls are in order must not hang on the values. */
static void write_below_a_zero_left_out(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 0, 1);
    pof_write_int32(w, 5, 0);
    pof_write_int32(w, 3, 1);
    pof_end(w);
}

static void write_a_zero_left_out_twice(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 0, 1);
    pof_write_null(w, 100);
    pof_write_bool(w, 100, false);
    pof_end(w);
}

static void write_remainder_at_a_zero_left_out(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 0, 1);
    pof_write_int32(w, 5, 0);
    pof_write_remainder(w, bytes_of("\x05\x6a", 2));
    pof_end(w);
}

static void write_copy_at_a_zero_left_out(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 0, 1);
    pof_write_float64(w, 5, 0);
    pof_write_copy(w, 5, bytes_of("\x6a", 1));
    pof_end(w);
}

static void write_other_than_uniform(struct pof_writer *w)
{
    pof_begin_uniform_array(w, POF_NEXT, POF_INT32, 1);
    pof_write_int64(w, POF_NEXT, 1);
    pof_end(w);
}

static void write_null_in_uniform(struct pof_writer *w)
{
    pof_begin_uniform_collection(w, POF_NEXT, POF_STRING, 1);
    pof_write_null(w, POF_NEXT);
    pof_end(w);
}

static void write_small_as_element_type(struct pof_writer *w)
{
    pof_begin_uniform_array(w, POF_NEXT, POF_SMALL_ZERO, 0);
    pof_end(w);
}

static void write_negative_type(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, -1, 0);
    pof_end(w);
}

static void write_sparse_beyond_size(struct pof_writer *w)
{
    pof_begin_container(w, POF_NEXT, (struct pof_container){.type = POF_SPARSE_ARRAY, .count = 2});
    pof_write_int32(w, 2, 1);
    pof_end(w);
}

static void write_sparse_below_size(struct pof_writer *w)
{
    pof_begin_container(w, POF_NEXT, (struct pof_container){.type = POF_SPARSE_ARRAY, .count = 5});
    pof_write_int32(w, 2, 1);
    pof_end(w);
}

static void write_february_30(struct pof_writer *w)
{
    pof_write_date(w, POF_NEXT, (struct pof_date){2024, 2, 30});
}

static void write_hour_24(struct pof_writer *w)
{
    pof_write_time(w, POF_NEXT, (struct pof_time){.hour = 24});
}

static void write_unknown_zone(struct pof_writer *w)
{
    pof_write_time(w, POF_NEXT, (struct pof_time){.zone = (enum pof_zone)3});
}

static void write_unknown_zone_with_date(struct pof_writer *w)
{
    pof_write_datetime(w, POF_NEXT,
                       (struct pof_datetime){{2024, 2, 29}, {.zone = (enum pof_zone) - 1}});
}

static void write_35_digits(struct pof_writer *w)
{
    pof_write_decimal(w, POF_NEXT,
                      (struct pof_decimal){.unscaled = {.low = 0, .high = (uint64_t)1 << 52}});
}

static void write_unknown_reference(struct pof_writer *w)
{
    pof_writer_enable_references(w);
    pof_write_reference(w, POF_NEXT, 1);
}

static void write_after_remainder(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_remainder(w, bytes_of("\x05\x6a", 2));
    pof_write_int32(w, 6, 1);
    pof_end(w);
}

static void write_remainder_below(struct pof_writer *w)
{
    pof_begin_user(w, POF_NEXT, 1, 0);
    pof_write_int32(w, 5, 1);
    pof_write_remainder(w, bytes_of("\x05\x6a", 2));
    pof_end(w);
}

/* Calls that do not make one value are QN_INVALID and leave no octets. */
static void calls_that_make_no_value_are_invalid(void **state)
{
    static void (*const wrong[])(struct pof_writer * w) = {
        write_nothing,
        write_two,
        write_index_at_top,
        leave_open,
        end_too_often,
        write_too_few,
        write_too_many,
        write_descending,
        write_same_index_twice,
        write_other_than_uniform,
        write_null_in_uniform,
        write_small_as_element_type,
        write_negative_type,
        write_sparse_beyond_size,
        write_sparse_below_size,
        write_february_30,
        write_hour_24,
        write_35_digits,
        write_unknown_reference,
        write_after_remainder,
        write_remainder_below,
        write_below_a_zero_left_out,
        write_a_zero_left_out_twice,
        write_remainder_at_a_zero_left_out,
        write_copy_at_a_zero_left_out,
        write_unknown_zone,
        write_unknown_zone_with_date,
    };
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        pof_writer_init(&w, &out);
        wrong[i](&w);
        assert_int_equal(pof_writer_finish(&w), QN_INVALID);
        assert_int_equal(out.size, 0);
    }
    buf_fini(&out);
}

/* A property that is octets already stands between others, in its order. */
static void a_copy_stands_in_its_place(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    for (int32_t index = 0; index < 3; index++) {
        begin(&w, &out);
        pof_begin_user(&w, POF_NEXT, 7, 0);
        pof_write_string(&w, 0, bytes_of_text("a"));
        pof_write_copy(&w, index, bytes_of("\x41\x05", 2));
        pof_write_int32(&w, 2, 1);
        pof_end(&w);
        assert_int_equal(pof_writer_finish(&w), index == 1 ? QN_OK : QN_INVALID);
        if (index == 1) {
            assert_bytes_equal(buf_bytes(&out),
                               bytes_of("\x07\x00\x00\x4e\x01\x61\x01\x41\x05\x02\x6a\x40", 12));
        }
    }
    begin(&w, &out);
    pof_write_copy(&w, POF_NEXT, bytes_of("\x41\x05", 2));
    assert_int_equal(pof_writer_finish(&w), QN_INVALID);
    buf_fini(&out);
}

/* POF_DEPTH_MAX containers in each other can be written, one more can not. */
static void depth_is_bounded(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    for (int depth = POF_DEPTH_MAX; depth <= POF_DEPTH_MAX + 1; depth++) {
        begin(&w, &out);
        for (int i = 0; i < depth; i++) {
            pof_begin_collection(&w, POF_NEXT, i + 1 == depth ? 0 : 1);
        }
        for (int i = 0; i < depth; i++) {
            pof_end(&w);
        }
        assert_int_equal(pof_writer_finish(&w), depth > POF_DEPTH_MAX ? QN_TOO_LARGE : QN_OK);
    }
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_alone_is_small_unless_full),
        cmocka_unit_test(the_first_property_is_full),
        cmocka_unit_test(an_empty_object_leaves_the_next_value_full),
        cmocka_unit_test(a_failure_leaves_the_buffer_as_it_was),
        cmocka_unit_test(calls_that_make_no_value_are_invalid),
        cmocka_unit_test(a_copy_stands_in_its_place),
        cmocka_unit_test(depth_is_bounded),
    };

    return RUN_TESTS(tests);
}
