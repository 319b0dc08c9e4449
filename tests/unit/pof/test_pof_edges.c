/* Each type at its edges: the octets that are written, and what is read from them. */
#include <float.h>
#include <math.h>

#include "tests/lib/check.h"
#include "tests/lib/pof/random_tree.h"

/* A value and the octets of its full form. */
struct edge {
    struct pof_value value;
    const char *octets;
    size_t size;
};

#define FORM(text)     text, sizeof text - 1
#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

#define INTEGER(k, n, text)                                                                        \
    {                                                                                              \
        {.kind = POF_KIND_##k, .type = POF_##k, .as.integer = n}, FORM(text)                       \
    }
#define WIDE(l, h, text)                                                                           \
    {                                                                                              \
        {.kind = POF_KIND_INT128, .type = POF_INT128, .as.int128 = {l, h}}, FORM(text)             \
    }
#define OF(k, t, member, v, text)                                                                  \
    {                                                                                              \
        {.kind = POF_KIND_##k, .type = t, .as.member = v}, FORM(text)                              \
    }

static void write_full(const struct pof_value *value, struct buf *out, enum qn_status expected)
{
    struct pof_writer w;

    buf_clear(out);
    pof_writer_init(&w, out);
    pof_writer_full(&w);
    pof_write_value(&w, POF_NEXT, value);
    assert_int_equal(pof_writer_finish(&w), expected);
}

static struct pof_value read_one(struct bytes pof)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, pof);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    return value;
}

/* Written in full they have these octets, and read as they were; skipping takes them all. */
static void expect_edges(const struct edge *edges, size_t count)
{
    struct buf out = {0};

    for (size_t i = 0; i < count; i++) {
        write_full(&edges[i].value, &out, QN_OK);
        assert_bytes_equal(buf_bytes(&out), bytes_of(edges[i].octets, edges[i].size));
        struct pof_value found = read_one(buf_bytes(&out));
        assert_int_equal(found.type, edges[i].value.type);
        assert_true(value_equal(&edges[i].value, &found));
        struct bytes rest = buf_bytes(&out);
        assert_int_equal(pof_skip(&rest), QN_OK);
        assert_int_equal(rest.size, 0);
    }
    buf_fini(&out);
}

static void integers_from_least_to_most(void **state)
{
    static const struct edge edges[] = {
        INTEGER(INT16, 0, "\x40\x00"),
        INTEGER(INT16, INT16_MIN, "\x40\xff\xff\x03"),
        INTEGER(INT16, INT16_MAX, "\x40\xbf\xff\x03"),
        INTEGER(INT32, 63, "\x41\x3f"),
        INTEGER(INT32, 64, "\x41\x80\x01"),
        INTEGER(INT32, -64, "\x41\x7f"),
        INTEGER(INT32, -65, "\x41\xc0\x01"),
        INTEGER(INT32, INT32_MIN, "\x41\xff\xff\xff\xff\x0f"),
        INTEGER(INT32, INT32_MAX, "\x41\xbf\xff\xff\xff\x0f"),
        INTEGER(INT64, -1, "\x42\x40"),
        INTEGER(INT64, INT64_MIN, "\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        INTEGER(INT64, INT64_MAX, "\x42\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        WIDE(0, 0, "\x43\x00"),
        WIDE(UINT64_MAX, UINT64_MAX, "\x43\x40"),
        WIDE(0, (uint64_t)1 << 63,
             "\x43\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03"),
        WIDE(UINT64_MAX, INT64_MAX,
             "\x43\xbf\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03"),
    };

    (void)state;
    expect_edges(edges, COUNT_OF(edges));
}

static void octets_and_chars_from_least_to_most(void **state)
{
    static const struct edge edges[] = {
        OF(BOOL, POF_BOOL, boolean, false, "\x4a\x00"),
        OF(BOOL, POF_BOOL, boolean, true, "\x4a\x01"),
        OF(OCTET, POF_OCTET, octet, 0, "\x4b\x00"),
        OF(OCTET, POF_OCTET, octet, 255, "\x4b\xff"),
        OF(CHAR, POF_CHAR, character, 0, "\x4d\x00"),
        OF(CHAR, POF_CHAR, character, 0x7f, "\x4d\x7f"),
        OF(CHAR, POF_CHAR, character, 0x80, "\x4d\xc2\x80"),
        OF(CHAR, POF_CHAR, character, 0x7ff, "\x4d\xdf\xbf"),
        OF(CHAR, POF_CHAR, character, 0x800, "\x4d\xe0\xa0\x80"),
        OF(CHAR, POF_CHAR, character, 0xd800, "\x4d\xed\xa0\x80"),
        OF(CHAR, POF_CHAR, character, 0xffff, "\x4d\xef\xbf\xbf"),
    };

    (void)state;
    expect_edges(edges, COUNT_OF(edges));
}

static void floats_from_least_to_most(void **state)
{
    static const struct edge edges[] = {
        OF(FLOAT32, POF_FLOAT32, float32, 0.0f, "\x44\x00\x00\x00\x00"),
        OF(FLOAT32, POF_FLOAT32, float32, -0.0f, "\x44\x80\x00\x00\x00"),
        OF(FLOAT32, POF_FLOAT32, float32, FLT_MAX, "\x44\x7f\x7f\xff\xff"),
        OF(FLOAT32, POF_FLOAT32, float32, 0x1p-149f, "\x44\x00\x00\x00\x01"),
        OF(FLOAT32, POF_FLOAT32, float32, -INFINITY, "\x44\xff\x80\x00\x00"),
        OF(FLOAT32, POF_FLOAT32, float32, NAN, "\x44\x7f\xc0\x00\x00"),
        OF(FLOAT64, POF_FLOAT64, float64, -0.0, "\x45\x80\x00\x00\x00\x00\x00\x00\x00"),
        OF(FLOAT64, POF_FLOAT64, float64, -DBL_MAX, "\x45\xff\xef\xff\xff\xff\xff\xff\xff"),
        OF(FLOAT64, POF_FLOAT64, float64, 0x1p-1074, "\x45\x00\x00\x00\x00\x00\x00\x00\x01"),
        OF(FLOAT64, POF_FLOAT64, float64, (double)INFINITY, "\x45\x7f\xf0\x00\x00\x00\x00\x00\x00"),
        OF(FLOAT64, POF_FLOAT64, float64, (double)NAN, "\x45\x7f\xf8\x00\x00\x00\x00\x00\x00"),
    };

    (void)state;
    expect_edges(edges, COUNT_OF(edges));
}

/* A NaN's payload and sign are read as they stand; there is one NaN to write. */
static void the_payload_of_a_nan_is_read_but_not_written(void **state)
{
    static const char pof32[] = "\x44\xff\xc0\x12\x34";
    static const char pof64[] = "\x45\xff\xf8\x00\x00\x00\x00\x12\x34";
    struct buf out = {0};
    uint32_t bits32;
    uint64_t bits64;

    (void)state;
    struct pof_value value = read_one(bytes_of(FORM(pof32)));
    memcpy(&bits32, &value.as.float32, sizeof bits32);
    assert_true(bits32 == 0xffc01234);
    write_full(&value, &out, QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x44\x7f\xc0\x00\x00", 5));
    value = read_one(bytes_of(FORM(pof64)));
    memcpy(&bits64, &value.as.float64, sizeof bits64);
    assert_true(bits64 == 0xfff8000000001234);
    write_full(&value, &out, QN_OK);
    assert_bytes_equal(buf_bytes(&out), bytes_of("\x45\x7f\xf8\x00\x00\x00\x00\x00\x00", 9));
    buf_fini(&out);
}

#define DECIMAL(l, h, s)                                                                           \
    {                                                                                              \
        .kind = POF_KIND_DECIMAL, .as.decimal = {.unscaled = {l, h}, .scale = s }                  \
    }

/* Digits and scale decide about the width, up to 34 nines; what is wider is none. */
static void decimals_have_the_narrowest_type(void **state)
{
    static const struct {
        struct pof_value value;
        int32_t type; /* 0: refused */
    } decimals[] = {
        {DECIMAL(0, 0, 0), POF_DECIMAL32},
        {DECIMAL(9999999, 0, 96), POF_DECIMAL32},
        {DECIMAL(9999999, 0, -95), POF_DECIMAL32},
        {DECIMAL((uint64_t)-9999999, UINT64_MAX, 0), POF_DECIMAL32},
        {DECIMAL(10000000, 0, 0), POF_DECIMAL64},
        {DECIMAL(1, 0, 97), POF_DECIMAL64},
        {DECIMAL(1, 0, -96), POF_DECIMAL64},
        {DECIMAL(9999999999999999, 0, 384), POF_DECIMAL64},
        {DECIMAL(10000000000000000, 0, 0), POF_DECIMAL128},
        {DECIMAL(1, 0, 385), POF_DECIMAL128},
        {DECIMAL(0x378d8e63ffffffff, 0x0001ed09bead87c0, 6144), POF_DECIMAL128},
        {DECIMAL(0x378d8e6400000000, 0x0001ed09bead87c0, 0), 0},
        {DECIMAL(0, (uint64_t)1 << 63, 0), 0},
        {DECIMAL(1, 0, 6145), 0},
        {DECIMAL(1, 0, -6144), 0},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(decimals); i++) {
        write_full(&decimals[i].value, &out, decimals[i].type != 0 ? QN_OK : QN_INVALID);
        if (decimals[i].type != 0) {
            struct pof_value found = read_one(buf_bytes(&out));
            assert_int_equal(found.type, decimals[i].type);
            assert_true(value_equal(&decimals[i].value, &found));
        }
    }
    buf_fini(&out);
}

#define TEXT(utf8, form)                                                                           \
    {                                                                                              \
        {.kind = POF_KIND_STRING,                                                                  \
         .type = POF_STRING,                                                                       \
         .as.text = {(const uint8_t *)utf8, sizeof utf8 - 1}},                                     \
            FORM(form)                                                                             \
    }

static void strings_from_empty_to_the_last_character(void **state)
{
    static const struct edge edges[] = {
        TEXT("", "\x4e\x00"),
        TEXT("\0", "\x4e\x01\x00"),
        TEXT("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf",
             "\x4e\x0b\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"),
        TEXT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\x4e\x08\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
        {{.kind = POF_KIND_OCTETS, .type = POF_OCTETS, .as.octets = {(const uint8_t *)"", 0}},
         FORM("\x4c\x00")},
        {{.kind = POF_KIND_OCTETS, .type = POF_OCTETS, .as.octets = {(const uint8_t *)"\xff", 1}},
         FORM("\x4c\x01\xff")},
    };

    (void)state;
    expect_edges(edges, COUNT_OF(edges));
}

/* The length takes one octet up to 63, two up to 8191, and so on. */
static void lengths_at_the_edges_of_their_encoding(void **state)
{
    static const size_t sizes[] = {63, 64, 8191, 8192, 1048575, 1048576};
    static const size_t prefixes[] = {2, 3, 3, 4, 4, 5};
    uint8_t *octets = test_calloc(1, 1048576);
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct pof_value value = {.kind = POF_KIND_OCTETS, .as.octets = {octets, sizes[i]}};
        write_full(&value, &out, QN_OK);
        assert_int_equal(out.size, sizes[i] + prefixes[i]);
        value = read_one(buf_bytes(&out));
        assert_int_equal(value.as.octets.size, sizes[i]);
    }
    buf_fini(&out);
    test_free(octets);
}

#define DATE(...)                                                                                  \
    {                                                                                              \
        .kind = POF_KIND_DATE, .as.date = { __VA_ARGS__ }                                          \
    }
#define TIME(...)                                                                                  \
    {                                                                                              \
        .kind = POF_KIND_TIME, .as.time = { __VA_ARGS__ }                                          \
    }
#define YEAR_MONTH(...)                                                                            \
    {                                                                                              \
        .kind = POF_KIND_YEAR_MONTH, .as.year_month = { __VA_ARGS__ }                              \
    }
#define DAY_TIME(...)                                                                              \
    {                                                                                              \
        .kind = POF_KIND_DAY_TIME, .as.day_time = { __VA_ARGS__ }                                  \
    }

/* Those that exist come back, the others are not written. */
static void expect_existence(const struct pof_value *values, size_t count, bool exist)
{
    struct buf out = {0};

    for (size_t i = 0; i < count; i++) {
        write_full(&values[i], &out, exist ? QN_OK : QN_INVALID);
        if (exist) {
            struct pof_value found = read_one(buf_bytes(&out));
            assert_true(value_equal(&values[i], &found));
        }
    }
    buf_fini(&out);
}

static void dates_and_times_up_to_the_last_that_exists(void **state)
{
    static const struct pof_value exist[] = {
        DATE(INT32_MIN, 1, 1),
        DATE(INT32_MAX, 12, 31),
        DATE(2024, 2, 29),
        DATE(2000, 2, 29),
        TIME(.hour = 0),
        TIME(.hour = 23, .minute = 59, .second = 59, .nano = 999999999),
        TIME(.hour = 23, .minute = 59, .second = 60),
        TIME(.nano = 1000000, .zone = POF_ZONE_UTC),
        TIME(.nano = 999000000, .zone = POF_ZONE_OFFSET, .zone_hour = -23, .zone_minute = 59),
        TIME(.nano = 999000001, .zone = POF_ZONE_OFFSET, .zone_hour = 23, .zone_minute = 0),
        YEAR_MONTH(0, -11),
        YEAR_MONTH(0, 11),
        YEAR_MONTH(INT32_MIN, INT32_MAX),
        DAY_TIME(.days = INT32_MIN, .hours = 23, .minutes = 59, .seconds = 59, .nanos = 999999999),
        DAY_TIME(.hours = -23, .minutes = 59),
        DAY_TIME(.nanos = -999999999),
    };
    static const struct pof_value others[] = {
        DATE(2023, 2, 29),
        DATE(1900, 2, 29),
        DATE(2024, 4, 31),
        DATE(2024, 0, 1),
        DATE(2024, 13, 1),
        DATE(2024, 1, 0),
        TIME(.hour = 24),
        TIME(.hour = -1),
        TIME(.minute = 60),
        TIME(.second = 60, .nano = 1),
        TIME(.second = 61),
        TIME(.nano = 1000000000),
        TIME(.nano = -1),
        TIME(.zone = POF_ZONE_OFFSET, .zone_hour = 24),
        TIME(.zone = POF_ZONE_OFFSET, .zone_minute = -1),
        TIME(.zone = POF_ZONE_OFFSET, .zone_minute = 60),
        YEAR_MONTH(0, 12),
        DAY_TIME(.days = 1, .hours = -1),
        DAY_TIME(.hours = 24),
        DAY_TIME(.minutes = -1, .seconds = -1),
    };

    (void)state;
    expect_existence(exist, COUNT_OF(exist), true);
    expect_existence(others, COUNT_OF(others), false);
}

/* -1 to 22 are small as typed values, and nothing else. */
static void small_integers_end_at_22(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    for (int32_t n = -3; n < 26; n++) {
        bool small = n >= -1 && n <= 22;
        buf_clear(&out);
        pof_writer_init(&w, &out);
        pof_write_int64(&w, POF_NEXT, n);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        assert_int_equal(out.size, small ? 1 : 2);
        struct pof_value found = read_one(buf_bytes(&out));
        assert_int_equal(found.kind, small ? POF_KIND_INT32 : POF_KIND_INT64);
        assert_int_equal(found.as.integer, n);
    }
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_from_least_to_most),
        cmocka_unit_test(octets_and_chars_from_least_to_most),
        cmocka_unit_test(floats_from_least_to_most),
        cmocka_unit_test(the_payload_of_a_nan_is_read_but_not_written),
        cmocka_unit_test(decimals_have_the_narrowest_type),
        cmocka_unit_test(strings_from_empty_to_the_last_character),
        cmocka_unit_test(lengths_at_the_edges_of_their_encoding),
        cmocka_unit_test(dates_and_times_up_to_the_last_that_exists),
        cmocka_unit_test(small_integers_end_at_22),
    };

    return RUN_TESTS(tests);
}
