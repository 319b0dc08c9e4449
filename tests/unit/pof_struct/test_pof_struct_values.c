/* What single fields of a table may be, and that nothing is lost on the way. */
#include <math.h>

#include "tests/unit/pof_struct/struct_memory.h"

/* -- initial values -- */

static const int32_t seven = 7;
static const double half = 0.5;
static const char *const nobody = "nobody";
static const struct bytes none = {(const uint8_t *)"none", 4};

struct initials {
    int32_t first;
    int32_t number;
    double share;
    const char *text;
    struct bytes string;
};

static const struct pof_field initials_fields[] = {
    POF_FIELD(struct initials, first, 0, INT32),
    POF_FIELD_INITIAL(struct initials, number, 1, INT32, &seven),
    POF_FIELD_INITIAL(struct initials, share, 2, FLOAT64, &half),
    POF_FIELD_INITIAL(struct initials, text, 3, TEXT, &nobody),
    POF_FIELD_INITIAL(struct initials, string, 4, STRING, &none),
};
static const struct pof_struct initials_struct = POF_STRUCT(struct initials, 4, 0, initials_fields);

/* A zero and a NULL are written when absent means something else. */
static void a_zero_beside_another_initial_value_is_not_lost(void **state)
{
    const struct initials zeros = {.first = 1};
    struct initials back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&initials_struct, &zeros, &back, &out, &m);
    assert_int_equal(back.number, 0);
    assert_true(back.share == 0);
    assert_null(back.text);
    assert_null(back.string.data);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x15\x04\x00"
                                               "\x00\x41\x01\x01\x41\x00"
                                               "\x02\x45\x00\x00\x00\x00\x00\x00\x00\x00"
                                               "\x03\x64\x04\x64\x40"));
    memory_fini(&m);
    buf_fini(&out);
}

/* What is not zero is written as ever: small. And -0.0 is not 0.5. */
static void other_values_beside_an_initial_value_are_written_as_ever(void **state)
{
    const struct initials object = {1, 7, -0.0, "x", {(const uint8_t *)"y", 1}};
    struct initials back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&initials_struct, &object, &back, &out, &m);
    assert_int_equal(back.number, 7);
    assert_true(back.share == 0 && signbit(back.share));
    assert_string_equal(back.text, "x");
    assert_bytes_equal(bytes_of(out.data + 6, 2), OCTETS("\x01\x70"));
    memory_fini(&m);
    buf_fini(&out);
}

/* A null where the program has no null is as good as absent. */
static void a_null_number_has_its_initial_value(void **state)
{
    struct initials back;
    struct memory m;

    (void)state;
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x04\x00\x01\x64\x03\x64\x40"),
                                            &initials_struct, &back, memory_init(&m, false)),
                     QN_OK);
    assert_int_equal(back.number, 7);
    assert_null(back.text);
    assert_bytes_equal(back.string, none);
    memory_fini(&m);
}

struct outer {
    int32_t first;
    struct initials inner;
    struct initials fixed[2];
    struct initials *list;
    uint32_t count;
};

static const struct pof_field outer_fields[] = {
    POF_FIELD(struct outer, first, 0, INT32),
    POF_FIELD_STRUCT(struct outer, inner, 1, &initials_struct),
    {.index = 2,
     .kind = POF_FIELD_STRUCT,
     .many = POF_MANY_ARRAY,
     .fixed = 2,
     .offset = offsetof(struct outer, fixed),
     .size = sizeof(struct initials),
     .nested = &initials_struct},
    POF_FIELD_STRUCTS(struct outer, list, count, 3, &initials_struct, LIST),
};
static const struct pof_struct outer_struct = POF_STRUCT(struct outer, 5, 0, outer_fields);

/* So has what is in a struct in place that is absent, or null in a list. */
static void a_struct_in_place_that_is_absent_has_its_initial_values(void **state)
{
    struct outer back;
    struct memory m;

    (void)state;
    assert_null(pof_struct_check(&outer_struct));
    assert_int_equal(pof_struct_from_binary(OCTETS("\x15\x05\x00\x03\x55\x01\x64\x40"),
                                            &outer_struct, &back, memory_init(&m, false)),
                     QN_OK);
    assert_int_equal(back.inner.number, 7);
    assert_string_equal(back.inner.text, "nobody");
    assert_int_equal(back.fixed[1].number, 7);
    assert_int_equal(back.count, 1);
    assert_int_equal(back.list[0].number, 7);
    assert_int_equal(
        pof_struct_from_binary(OCTETS("\x15\x05\x00\x01\x64\x40"), &outer_struct, &back, &m.memory),
        QN_OK);
    assert_int_equal(back.inner.number, 7);
    memory_fini(&m);
}

/* -- in full -- */

struct generic {
    int32_t first;
    int32_t zero;
    bool flag;
    double one;
};

static const struct pof_field generic_fields[] = {
    POF_FIELD_FULL(struct generic, first, 0, INT32),
    POF_FIELD_FULL(struct generic, zero, 1, INT32),
    POF_FIELD_FULL(struct generic, flag, 2, BOOL),
    POF_FIELD_FULL(struct generic, one, 3, FLOAT64),
};
static const struct pof_struct generic_struct = POF_STRUCT(struct generic, 6, 0, generic_fields);

/* The octets of a generic writer: nothing left out, nothing small. */
static void full_fields_are_never_left_out_or_small(void **state)
{
    const struct generic object = {.first = 5, .one = 1};
    struct generic back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&generic_struct, &object, &back, &out, &m);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x15\x06\x00"
                                               "\x00\x41\x05\x01\x41\x00\x02\x4a\x00"
                                               "\x03\x45\x3f\xf0\x00\x00\x00\x00\x00\x00\x40"));
    assert_true(back.first == 5 && back.zero == 0 && !back.flag && back.one == 1);
    memory_fini(&m);
    buf_fini(&out);
}

/* -- own functions -- */

static void write_hex(struct pof_writer *w, int32_t index, const void *member)
{
    int32_t number = *(const int32_t *)member;

    if (number >= 0) {
        pof_write_int32(w, index, number);
    } /* below zero is nothing at all */
}

static enum qn_status read_hex(struct pof_reader *r, const struct pof_value *value, void *member,
                               struct pof_struct_memory *memory)
{
    int64_t number = 0;
    enum qn_status status = pof_value_int64(value, &number);

    (void)r;
    (void)memory;
    *(int32_t *)member = (int32_t)number;
    return status;
}

static const struct pof_codec hex_codec = {write_hex, read_hex};

struct custom {
    int32_t first;
    bool there;
    int32_t hex;
    int32_t last;
};

static const struct pof_field custom_fields[] = {
    POF_FIELD(struct custom, first, 0, INT32),
    POF_FIELD_OPTIONAL_BY(struct custom, hex, 1, &hex_codec, there),
    POF_FIELD(struct custom, last, 2, INT32),
};
static const struct pof_struct custom_struct = POF_STRUCT(struct custom, 7, 0, custom_fields);

/* Own functions need not know of it: what is not there is not written, a zero that is there is. */
static void an_optional_field_by_own_functions_is_there_or_not(void **state)
{
    struct custom object = {.first = 1, .there = true, .last = 3};
    struct custom back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&custom_struct, &object, &back, &out, &m);
    assert_true(back.there && back.hex == 0 && back.last == 3);
    object.there = false;
    there_and_back(&custom_struct, &object, &back, &out, &m);
    assert_false(back.there);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x15\x07\x00\x00\x41\x01\x02\x6c\x40"));
    memory_fini(&m);
    buf_fini(&out);
}

/* Functions that write nothing leave no trace in what follows: 3 stays small, 0 stays away. */
static void a_field_that_writes_nothing_does_not_change_the_next(void **state)
{
    struct custom object = {.first = 1, .there = true, .hex = -1};
    struct custom back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&custom_struct, &object, &back, &out, &m);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x15\x07\x00\x00\x41\x01\x40"));
    assert_false(back.there);
    memory_fini(&m);
    buf_fini(&out);
}

/* A type of somebody else, as one text "x:y". */
struct point {
    int16_t x;
    int16_t y;
};

static void write_point(struct pof_writer *w, int32_t index, const void *member)
{
    const struct point *point = member;

    pof_begin_uniform_array(w, index, POF_INT16, 2);
    pof_write_int16(w, POF_NEXT, point->x);
    pof_write_int16(w, POF_NEXT, point->y);
    pof_end(w);
}

static enum qn_status read_point(struct pof_reader *r, const struct pof_value *value, void *member,
                                 struct pof_struct_memory *memory)
{
    struct point *point = member;
    struct pof_value x, y;

    (void)memory;
    if (value->kind != POF_KIND_ARRAY || value->as.items.count != 2) {
        return QN_WRONG_TYPE;
    }
    enum qn_status status = pof_reader_enter(r);
    status = status == QN_OK ? pof_reader_next(r, &x) : status;
    status = status == QN_OK ? pof_reader_next(r, &y) : status;
    if (status == QN_OK) {
        *point = (struct point){(int16_t)x.as.integer, (int16_t)y.as.integer};
    }
    return status == QN_OK ? pof_reader_leave(r) : status;
}

static const struct pof_codec point_codec = {write_point, read_point};
static const struct pof_struct point_struct = POF_STRUCT_BY(struct point, &point_codec);

struct line {
    struct point from;
    struct point *to;
    struct point *way;
    uint32_t way_count;
    struct point **stops;
    uint32_t stop_count;
};

static const struct pof_field line_fields[] = {
    POF_FIELD_STRUCT(struct line, from, 0, &point_struct),
    POF_FIELD_STRUCT_PTR(struct line, to, 1, &point_struct),
    POF_FIELD_STRUCTS(struct line, way, way_count, 2, &point_struct, LIST),
    POF_FIELD_STRUCT_PTRS(struct line, stops, stop_count, 3, &point_struct, ARRAY),
};
static const struct pof_struct line_struct = POF_STRUCT(struct line, 8, 0, line_fields);

/* A type by own functions is one wherever it stands. */
static void a_type_may_bring_its_own_functions(void **state)
{
    struct point to = {3, 4};
    struct point way[] = {{5, 6}, {7, -8}};
    struct point *stops[] = {&to, NULL, &way[1]};
    struct line line = {{1, 2}, &to, way, 2, stops, 3};
    struct line back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&line_struct, &line, &back, &out, &m);
    assert_true(back.from.x == 1 && back.from.y == 2 && back.to->x == 3 && back.to->y == 4);
    assert_true(back.way_count == 2 && back.way[1].x == 7 && back.way[1].y == -8);
    assert_true(back.stop_count == 3 && back.stops[0]->y == 4 && !back.stops[1] &&
                back.stops[2]->y == -8);
    memory_fini(&m);
    buf_fini(&out);
}

/* -- texts in place, numbers that do not fit -- */

struct tight {
    char name[4];
    const char *text;
    float number;
    int16_t small;
    uint8_t octet;
};

static const struct pof_field tight_fields[] = {
    POF_FIELD_CHARS(struct tight, name, 0),      POF_FIELD(struct tight, text, 1, TEXT),
    POF_FIELD(struct tight, number, 2, FLOAT32), POF_FIELD(struct tight, small, 3, INT16),
    POF_FIELD(struct tight, octet, 4, OCTET),
};
static const struct pof_struct tight_struct = POF_STRUCT(struct tight, 9, 0, tight_fields);

/* Characters without a NUL are all written; reading never leaves one out, or the NUL. */
static void characters_in_place_are_never_cut(void **state)
{
    struct tight object = {.name = {'a', 'b', 'c', 'd'}};
    struct tight back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    assert_int_equal(pof_struct_to_binary(&out, &tight_struct, &object), QN_OK);
    assert_bytes_equal(buf_bytes(&out), OCTETS("\x15\x09\x00\x00\x4e\x04"
                                               "abcd\x40"));
    assert_int_equal(
        pof_struct_from_binary(buf_bytes(&out), &tight_struct, &back, memory_init(&m, false)),
        QN_TOO_LARGE);
    object.name[3] = '\0';
    there_and_back(&tight_struct, &object, &back, &out, &m);
    assert_string_equal(back.name, "abc");
    memory_fini(&m);
    buf_fini(&out);
}

/* Each of these is a status, and never another value. */
static void what_a_member_cannot_hold_is_refused(void **state)
{
    static const struct {
        const char *octets;
        size_t size;
    } refused[] = {
        {"\x15\x09\x00\x00\x4e\x02"
         "a\x00\x40",
         9}, /* a NUL in characters in place */
        {"\x15\x09\x00\x01\x4e\x02\x00"
         "a\x40",
         9},                                                              /* and behind a char * */
        {"\x15\x09\x00\x02\x45\x47\xf0\x00\x00\x00\x00\x00\x00\x40", 14}, /* 2^128 */
        {"\x15\x09\x00\x02\x45\xc7\xef\xff\xff\xf0\x00\x00\x00\x40", 14}, /* rounds to it */
        {"\x15\x09\x00\x02\x45\x7f\xef\xff\xff\xff\xff\xff\xff\x40", 14}, /* DBL_MAX */
        {"\x15\x09\x00\x03\x41\x80\x80\x04\x40", 9},                      /* 32768 */
        {"\x15\x09\x00\x04\x41\x80\x04\x40", 8},                          /* 256 */
        {"\x15\x09\x00\x04\x41\x41\x40", 7},                              /* -2 */
    };
    struct tight back;
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(pof_struct_from_binary(bytes_of(refused[i].octets, refused[i].size),
                                                &tight_struct, &back, &m.memory),
                         QN_WRONG_TYPE);
    }
    memory_fini(&m);
}

/* The greatest float, what is rounded to it, infinity and NaN are floats. */
static void a_double_that_is_a_float_fits(void **state)
{
    static const char *const doubles[] = {
        "\x47\xef\xff\xff\xe0\x00\x00\x00", "\x47\xef\xff\xff\xef\xff\xff\xff",
        "\xff\xf0\x00\x00\x00\x00\x00\x00", "\x7f\xf8\x00\x00\x00\x00\x00\x00"};
    char octets[] = "\x15\x09\x00\x02\x45........\x40";
    float found[4];
    struct tight back;
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    for (size_t i = 0; i < 4; i++) {
        memcpy(octets + 5, doubles[i], 8);
        assert_int_equal(pof_struct_from_binary(bytes_of(octets, sizeof octets - 1), &tight_struct,
                                                &back, &m.memory),
                         QN_OK);
        found[i] = back.number;
    }
    assert_true(found[0] == 0x1.fffffep127f && found[1] == 0x1.fffffep127f);
    assert_true(isinf(found[2]) && found[2] < 0 && isnan(found[3]));
    memory_fini(&m);
}

/* -- dates -- */

struct dates {
    int32_t first;
    struct pof_date date;
    struct pof_datetime datetime;
    struct pof_date *list;
    uint32_t count;
};

static const struct pof_field dates_fields[] = {
    POF_FIELD(struct dates, first, 0, INT32),
    POF_FIELD(struct dates, date, 1, DATE),
    POF_FIELD(struct dates, datetime, 2, DATETIME),
    POF_FIELD_MANY(struct dates, list, count, 3, DATE, LIST),
};
static const struct pof_struct dates_struct = POF_STRUCT(struct dates, 10, 0, dates_fields);

/* An object without a date can be read, and written again. */
static void a_date_of_zeros_is_null(void **state)
{
    struct pof_date list[] = {{2024, 2, 29}, {0}};
    struct dates object = {.list = list, .count = 2};
    struct dates back;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&dates_struct, &object, &back, &out, &m);
    assert_int_equal(back.date.month, 0);
    assert_int_equal(back.list[0].day, 29);
    assert_int_equal(back.list[1].day, 0);
    object.date.day = 1;
    assert_int_equal(pof_struct_to_binary(&out, &dates_struct, &object), QN_INVALID);
    memory_fini(&m);
    buf_fini(&out);
}

/* -- what the short ways must not let through -- */

struct plain {
    int64_t number;
    struct bytes string;
    const char *text;
};
static const struct pof_field plain_fields[] = {
    POF_FIELD(struct plain, number, 0, INT64),
    POF_FIELD(struct plain, string, 1, STRING),
    POF_FIELD(struct plain, text, 2, TEXT),
};
static const struct pof_struct plain_struct = POF_STRUCT(struct plain, 11, 0, plain_fields);

/* 2^40 as an integer of 16 and of 32 bits is broken, whatever the member could hold. */
static void a_number_wider_than_its_type_is_malformed(void **state)
{
    char octets[] = "\x15\x0b\x00\x00\x42\x80\x80\x80\x80\x80\x40\x40";
    struct plain back;
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    assert_int_equal(pof_struct_from_binary(OCTETS(octets), &plain_struct, &back, &m.memory),
                     QN_OK);
    assert_true(back.number == INT64_C(1) << 40);
    for (char type = '\x40'; type <= '\x41'; type++) {
        octets[4] = type;
        assert_int_equal(pof_struct_from_binary(OCTETS(octets), &plain_struct, &back, &m.memory),
                         QN_MALFORMED);
    }
    memory_fini(&m);
}

/* Of any length, in any member. */
static void a_text_that_is_not_utf8_is_not_written(void **state)
{
    static const char *const texts[] = {"\xff", "eight \xc3.", "a text of sixteen \xe4",
                                        "and one of more than thirty-two octets \xf8"};
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const struct plain string = {.number = 1, .string = bytes_of_text(texts[i])};
        const struct plain text = {.number = 1, .text = texts[i]};
        assert_int_equal(pof_struct_to_binary(&out, &plain_struct, &string), QN_MALFORMED);
        assert_int_equal(pof_struct_to_binary(&out, &plain_struct, &text), QN_MALFORMED);
        assert_int_equal(out.size, 0);
    }
    buf_fini(&out);
}

/* A table that nobody has checked makes a writer fail rather than a broken object. */
static void rows_that_descend_fail(void **state)
{
    static const struct pof_field rows[] = {
        POF_FIELD(struct plain, number, 1, INT64),
        POF_FIELD(struct plain, string, 1, STRING),
    };
    static const struct pof_struct table = POF_STRUCT(struct plain, 11, 0, rows);
    const struct plain plain = {.number = 1, .string = {(const uint8_t *)"x", 1}};
    struct buf out = {0};

    (void)state;
    assert_non_null(pof_struct_check(&table));
    assert_int_equal(pof_struct_to_binary(&out, &table, &plain), QN_INVALID);
    buf_fini(&out);
}

/* Own functions need not go into what they are given; what follows is read all the same. */
static enum qn_status read_nothing(struct pof_reader *r, const struct pof_value *value,
                                   void *member, struct pof_struct_memory *memory)
{
    (void)r;
    (void)value;
    (void)member;
    (void)memory;
    return QN_OK;
}

static const struct pof_codec nothing_codec = {write_hex, read_nothing};
static const struct pof_field after_fields[] = {
    POF_FIELD_BY(struct custom, hex, 1, &nothing_codec),
    POF_FIELD(struct custom, last, 2, INT32),
};
static const struct pof_struct after_struct = POF_STRUCT(struct custom, 12, 0, after_fields);

static void own_functions_need_not_read_all(void **state)
{
    struct custom back;
    struct memory m;

    (void)state;
    assert_int_equal(
        pof_struct_from_binary(OCTETS("\x15\x0c\x00\x01\x58\x4b\x02\x02\x6d\x02\x6b\x40"),
                               &after_struct, &back, memory_init(&m, false)),
        QN_OK);
    assert_int_equal(back.last, 2);
    memory_fini(&m);
}

struct nested {
    int32_t number;
    struct nested *next;
};
static const struct pof_struct nested_struct;
static const struct pof_field nested_fields[] = {
    POF_FIELD(struct nested, number, 0, INT32),
    POF_FIELD_STRUCT_PTR(struct nested, next, 1, &nested_struct),
};
static const struct pof_struct nested_struct = POF_STRUCT(struct nested, 13, 0, nested_fields);

/* The limits of the caller's reader hold. */
static void structs_deeper_than_the_reader_allows_are_refused(void **state)
{
    struct nested inner = {3, NULL};
    struct nested middle = {2, &inner};
    struct nested outer = {1, &middle};
    struct nested back;
    struct pof_reader r;
    struct buf out = {0};
    struct memory m;

    (void)state;
    (void)memory_init(&m, false);
    there_and_back(&nested_struct, &outer, &back, &out, &m);
    for (uint32_t depth = 1; depth <= 3; depth++) {
        pof_reader_init_limited(&r, bytes_of(out.data + 1, out.size - 1),
                                (struct pof_limits){.depth_max = depth});
        assert_int_equal(pof_struct_read(&r, &nested_struct, &back, &m.memory),
                         depth == 3 ? QN_OK : QN_TOO_LARGE);
    }
    memory_fini(&m);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zero_beside_another_initial_value_is_not_lost),
        cmocka_unit_test(other_values_beside_an_initial_value_are_written_as_ever),
        cmocka_unit_test(a_null_number_has_its_initial_value),
        cmocka_unit_test(a_struct_in_place_that_is_absent_has_its_initial_values),
        cmocka_unit_test(full_fields_are_never_left_out_or_small),
        cmocka_unit_test(an_optional_field_by_own_functions_is_there_or_not),
        cmocka_unit_test(a_field_that_writes_nothing_does_not_change_the_next),
        cmocka_unit_test(a_type_may_bring_its_own_functions),
        cmocka_unit_test(characters_in_place_are_never_cut),
        cmocka_unit_test(what_a_member_cannot_hold_is_refused),
        cmocka_unit_test(a_double_that_is_a_float_fits),
        cmocka_unit_test(a_date_of_zeros_is_null),
        cmocka_unit_test(a_number_wider_than_its_type_is_malformed),
        cmocka_unit_test(a_text_that_is_not_utf8_is_not_written),
        cmocka_unit_test(rows_that_descend_fail),
        cmocka_unit_test(own_functions_need_not_read_all),
        cmocka_unit_test(structs_deeper_than_the_reader_allows_are_refused),
    };

    return RUN_TESTS(tests);
}
