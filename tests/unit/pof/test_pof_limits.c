/* What broken, cut and hostile octets get. */
#include "tests/lib/check.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

/* Go through the value and everything in it; the status that ended it, QN_OK for a whole one. */
static enum qn_status walk(struct bytes pof)
{
    struct pof_reader r;
    struct pof_value value;
    uint32_t depth = 0;

    pof_reader_init(&r, pof);
    for (;;) {
        enum qn_status status = pof_reader_next(&r, &value);
        if (status == QN_ABSENT && depth == 0) {
            return QN_OK;
        }
        if (status == QN_ABSENT) {
            depth--;
            status = pof_reader_leave(&r);
        } else if (status == QN_OK && pof_kind_is_container(value.kind)) {
            depth++;
            status = pof_reader_enter(&r);
        }
        if (status != QN_OK) {
            return status;
        }
    }
}

static enum qn_status skip_over(struct bytes pof)
{
    return pof_skip(&pof);
}

/* A count above what the octets can hold is refused at once, whatever the container. */
static void counts_are_bounded_by_the_octets(void **state)
{
    static const struct {
        const char *octets;
        size_t size;
    } heads[] = {
        {"\x55\xbf\xff\xff\xff\x0f", 6},
        {"\x57\xbf\xff\xff\xff\x0f", 6},
        {"\x56\x41\xbf\xff\xff\xff\x0f", 7},
        {"\x58\x4b\xbf\xff\xff\xff\x0f", 7},
        {"\x5b\xbf\xff\xff\xff\x0f", 6},
        {"\x5c\x64\xbf\xff\xff\xff\x0f", 7},
        {"\x5d\x64\x41\xbf\xff\xff\xff\x0f", 8},
        {"\x4e\xbf\xff\xff\xff\x0f", 6},
        {"\x4c\xbf\xff\xff\xff\x0f", 6},
        {"\x58\x45\x02\x00\x00\x00\x00\x00\x00\x00\x00", 11},
        {"\x55\x40", 2},
        {"\x5b\x40", 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct bytes head = bytes_of(heads[i].octets, heads[i].size);
        assert_int_equal(walk(head), QN_MALFORMED);
        assert_int_equal(skip_over(head), QN_MALFORMED);
    }
}

/* Elements without octets are few octets and much work: they are counted over the whole value. */
static void elements_without_octets_are_capped(void **state)
{
    static const uint8_t just[] = {0x56, 0x64, 0x80, 0x80, 0x08};      /* 65536 nulls */
    static const uint8_t beyond[] = {0x56, 0x64, 0x81, 0x80, 0x08};    /* 65537 nulls */
    static const uint8_t map[] = {0x5d, 0x64, 0x64, 0x81, 0x80, 0x08}; /* null = null */
    struct buf twice = {0};

    (void)state;
    assert_int_equal(walk(bytes_of(just, sizeof just)), QN_OK);
    assert_int_equal(walk(bytes_of(beyond, sizeof beyond)), QN_TOO_LARGE);
    assert_int_equal(skip_over(bytes_of(beyond, sizeof beyond)), QN_TOO_LARGE);
    assert_int_equal(walk(bytes_of(map, sizeof map)), QN_TOO_LARGE);
    assert_int_equal(buf_append(&twice, "\x55\x02", 2), QN_OK);
    assert_int_equal(buf_append(&twice, just, sizeof just), QN_OK);
    assert_int_equal(buf_append(&twice, just, sizeof just), QN_OK);
    assert_int_equal(walk(buf_bytes(&twice)), QN_TOO_LARGE);
    assert_int_equal(skip_over(buf_bytes(&twice)), QN_TOO_LARGE); /* as reading does */
    buf_fini(&twice);
}

/* `depth` containers in each other. */
static void nest(struct buf *out, int depth, const char *head, size_t size)
{
    buf_clear(out);
    for (int i = 0; i < depth; i++) {
        assert_int_equal(buf_append(out, head, size), QN_OK);
    }
    assert_int_equal(buf_append(out, "\x6a", 1), QN_OK);
}

/* POF_DEPTH_MAX levels are read, one more is refused, a million too. */
static void depth_is_bounded(void **state)
{
    struct buf out = {0};

    (void)state;
    nest(&out, POF_DEPTH_MAX, "\x55\x01", 2);
    assert_int_equal(walk(buf_bytes(&out)), QN_OK);
    assert_int_equal(skip_over(buf_bytes(&out)), QN_OK);
    nest(&out, POF_DEPTH_MAX + 1, "\x55\x01", 2);
    assert_int_equal(walk(buf_bytes(&out)), QN_TOO_LARGE);
    assert_int_equal(skip_over(buf_bytes(&out)), QN_TOO_LARGE);
    nest(&out, 1000000, "\x5b\x01\x6a", 3);
    assert_int_equal(walk(buf_bytes(&out)), QN_TOO_LARGE);
    nest(&out, 1000000, "\x5e\x01", 2);
    assert_int_equal(walk(buf_bytes(&out)), QN_MALFORMED);
    buf_fini(&out);
}

static void write_sample(struct buf *out)
{
    struct pof_writer w;

    pof_writer_init(&w, out);
    pof_begin_user(&w, POF_NEXT, 1000, 0);
    pof_write_string(&w, 0, bytes_of_text("caf\xc3\xa9"));
    pof_write_int64(&w, 1, INT64_MAX);
    pof_write_float64(&w, 2, 0.1);
    pof_begin_map(&w, 3, 1);
    pof_write_date(&w, POF_NEXT, (struct pof_date){2024, 2, 29});
    pof_write_time(&w, POF_NEXT, (struct pof_time){.zone = POF_ZONE_OFFSET, .zone_hour = -3});
    pof_end(&w);
    pof_begin_uniform_array(&w, 4, POF_FLOAT32, 2);
    pof_write_float32(&w, POF_NEXT, 1);
    pof_write_float32(&w, POF_NEXT, 2);
    pof_end(&w);
    pof_begin_container(&w, 5, (struct pof_container){.type = POF_SPARSE_ARRAY, .count = 9});
    pof_write_char(&w, 8, 0x20ac);
    pof_end(&w);
    pof_write_decimal(&w, 6, (struct pof_decimal){.unscaled = {.low = 128}, .scale = 1});
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
}

/* A value cut anywhere is refused, read or skipped. The octets are copied to the end of a block of
 * their own, so that a sanitizer sees one read too many. */
static void a_cut_value_is_refused(void **state)
{
    struct buf out = {0};

    (void)state;
    write_sample(&out);
    assert_int_equal(walk(buf_bytes(&out)), QN_OK);
    assert_int_equal(skip_over(buf_bytes(&out)), QN_OK);
    for (size_t size = 0; size < out.size; size++) {
        uint8_t *copy = test_malloc(size + 1);
        memcpy(copy + 1, out.data, size);
        assert_int_equal(walk(bytes_of(copy + 1, size)), QN_MALFORMED);
        assert_int_equal(skip_over(bytes_of(copy + 1, size)), QN_MALFORMED);
        test_free(copy);
    }
    buf_fini(&out);
}

/* Whatever one octet becomes, reading ends with a status. */
static void any_changed_octet_ends_with_a_status(void **state)
{
    struct buf out = {0};

    (void)state;
    write_sample(&out);
    for (size_t at = 0; at < out.size; at++) {
        uint8_t before = out.data[at];
        for (unsigned octet = 0; octet < 256; octet++) {
            out.data[at] = (uint8_t)octet;
            enum qn_status walked = walk(buf_bytes(&out));
            enum qn_status skipped = skip_over(buf_bytes(&out));
            /* Skipping looks at less, so it never refuses what reading takes. */
            assert_true(walked != QN_OK || skipped == QN_OK);
        }
        out.data[at] = before;
    }
    buf_fini(&out);
}

/* After a failure of the octets nothing more is read. */
static void a_failure_stays(void **state)
{
    struct pof_reader r;
    struct pof_value value;

    (void)state;
    pof_reader_init(&r, bytes_of("\x55\x03\x6a\x4e\x05\x6b", 6));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_next(&r, &value), QN_MALFORMED);
    assert_int_equal(pof_reader_next(&r, &value), QN_MALFORMED);
    assert_int_equal(pof_reader_enter(&r), QN_MALFORMED);
    assert_int_equal(pof_reader_leave(&r), QN_MALFORMED);
}

/* An identity names a row of a table, so it is bounded. */
static void identities_are_bounded(void **state)
{
    static const uint8_t beyond[] = {0x5e, 0x80, 0x80, 0x10, 0x6a}; /* POF_IDENTITY_MAX + 1 */
    struct pof_reader r;
    struct pof_value value;
    struct buf table = {0};

    (void)state;
    pof_reader_init(&r, bytes_of(beyond, sizeof beyond));
    pof_reader_track_identities(&r, &table);
    assert_int_equal(pof_reader_next(&r, &value), QN_TOO_LARGE);
    assert_int_equal(table.size, 0);
    buf_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_bounded_by_the_octets),
        cmocka_unit_test(elements_without_octets_are_capped),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(a_cut_value_is_refused),
        cmocka_unit_test(any_changed_octet_ends_with_a_status),
        cmocka_unit_test(a_failure_stays),
        cmocka_unit_test(identities_are_bounded),
    };

    return RUN_TESTS(tests);
}
