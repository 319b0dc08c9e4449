/* What a path goes over is held against the rules of reading, though it is not looked at more than
 * its end needs. */
#include "tests/lib/check.h"
#include "wire/pof/packed.h"
#include "wire/pof/path.h"

#define STEPS(...)                                                                                 \
    (struct pof_path)                                                                              \
    {                                                                                              \
        (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)   \
    }

#define OCTETS(text) bytes_of(text, sizeof(text) - 1)
#define BYTES(text)                                                                                \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static void append(struct buf *out, const void *octets, size_t size)
{
    assert_int_equal(buf_append(out, octets, size), QN_OK);
}

/* What reading everything in `pof` ends with; QN_ABSENT: all was well. */
static enum qn_status read_all(struct bytes pof)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, pof);
    for (;;) {
        enum qn_status status = pof_reader_next(&r, &value);
        if (status == QN_ABSENT && r.depth > 0) {
            status = pof_reader_leave(&r);
        } else if (status == QN_OK && pof_kind_is_container(value.kind)) {
            status = pof_reader_enter(&r);
        }
        if (status != QN_OK) {
            return status;
        }
    }
}

/* A path, and a set that looks for another one before, end with what reading ends with. */
static void expect_refused(struct bytes pof, struct pof_path before, struct pof_path path,
                           enum qn_status expected)
{
    const struct pof_path paths[] = {before, path};
    struct pof_path_set *set = pof_path_set_create(paths, 2);
    struct pof_target targets[2];

    assert_non_null(set);
    assert_int_equal(read_all(pof), expected);
    assert_int_equal(pof_path_find(pof, path, &targets[0]), expected);
    assert_int_equal(pof_path_set_find(set, pof, targets), expected);
    pof_path_set_destroy(set);
}

/* A number 0 that is padded to `size` octets. */
static void append_padded(struct buf *out, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        append(out, "\x80", 1);
    }
    append(out, "\x00", 1);
}

/* A number may be padded to 19 octets, wherever one stands and whoever goes over it: a path that
 * skips it refuses what a reader refuses. */
static void a_number_too_long_is_not_skipped(void **state)
{
    /* An object whose property 0 has the number behind `before` and in front of `behind`. */
    static const struct {
        struct bytes before;
        struct bytes behind;
    } cases[] = {
        {BYTES("\x40"), BYTES("")},              /* int16 */
        {BYTES("\x41"), BYTES("")},              /* int32 */
        {BYTES("\x42"), BYTES("")},              /* int64 */
        {BYTES("\x43"), BYTES("")},              /* int128 */
        {BYTES("\x47"), BYTES("\x00")},          /* decimal, unscaled */
        {BYTES("\x47\x05"), BYTES("")},          /* decimal, scale */
        {BYTES("\x4a"), BYTES("")},              /* bool */
        {BYTES("\x4e"), BYTES("")},              /* string, length */
        {BYTES("\x4c"), BYTES("")},              /* octets, length */
        {BYTES("\x4f\x01\x02"), BYTES("")},      /* date */
        {BYTES("\x55"), BYTES("")},              /* collection, count */
        {BYTES("\x57\x01\x41"), BYTES("")},      /* an element */
        {BYTES("\x58\x41\x02\x07"), BYTES("")},  /* a uniform element */
        {BYTES("\x56\x4e\x02\x01x"), BYTES("")}, /* a length of one */
        {BYTES("\x59"), BYTES("\x40")},          /* sparse, size */
        {BYTES("\x59\x01"), BYTES("\x64\x40")},  /* its index */
        {BYTES("\x5b"), BYTES("")},              /* map, count */
        {BYTES("\x07"), BYTES("\x40")},          /* object, version */
        {BYTES("\x07\x00"), BYTES("\x64\x40")},  /* its index */
        {BYTES(""), BYTES("\x00\x40")},          /* type id */
        {BYTES("\x5e"), BYTES("\x64")},          /* identity */
    };
    struct buf pof = {0};
    struct pof_target target;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t size = 1; size <= 22; size++) {
            buf_clear(&pof);
            append(&pof, "\x07\x00\x00", 3);
            append(&pof, cases[i].before.data, cases[i].before.size);
            append_padded(&pof, size);
            append(&pof, cases[i].behind.data, cases[i].behind.size);
            append(&pof, "\x01\x6f\x40", 3);
            enum qn_status status = pof_path_find(buf_bytes(&pof), STEPS(1), &target);
            assert_int_equal(status, size <= 19 ? QN_OK : QN_MALFORMED);
            assert_true(status != QN_OK || target.value.as.integer == 6);
        }
    }
    buf_fini(&pof);
}

/* A text as long as any is gone over to its last octet, and not beyond the end. */
static void texts_end_where_they_say(void **state)
{
    static const int sizes[] = {0, 1, 62, 63, 64, 65, 127, 128, 8191, 8192, 20000};
    static const uint8_t text[20000] = {0};
    uint8_t length[PACKED_64_SIZE_MAX];
    struct buf pof = {0};
    struct pof_target target;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        buf_clear(&pof);
        append(&pof, "\x07\x00\x00\x4e", 4);
        append(&pof, length, packed_put(length, sizes[i]));
        append(&pof, text, (size_t)sizes[i]);
        append(&pof, "\x01\x6a\x40", 3);
        for (size_t cut = 0; cut <= 8 && cut < pof.size; cut++) {
            struct bytes some = bytes_of(pof.data, pof.size - cut);
            assert_int_equal(pof_path_find(some, STEPS(1), &target),
                             cut <= 1 ? QN_OK : QN_MALFORMED);
        }
    }
    buf_fini(&pof);
}

/* Indexes ascend, also behind an object that a path has gone into. */
static void indexes_ascend_on_the_way(void **state)
{
    (void)state;
    expect_refused(OCTETS("\x07\x00\x00\x6a\x00\x6b\x01\x6c\x40"), STEPS(0), STEPS(1),
                   QN_MALFORMED);
    expect_refused(OCTETS("\x07\x00\x02\x6a\x01\x6b\x03\x6c\x40"), STEPS(2), STEPS(3),
                   QN_MALFORMED);
    expect_refused(OCTETS("\x07\x00\x00\x07\x00\x00\x6a\x40\x00\x6b\x01\x6c\x40"), STEPS(0, 0),
                   STEPS(1), QN_MALFORMED);
}

/* An object has a version, also one that a path goes into or past. */
static void versions_are_numbers_on_the_way(void **state)
{
    (void)state;
    expect_refused(OCTETS("\x07\x40\x00\x6a\x40"), STEPS(0), STEPS(0), QN_MALFORMED);
    expect_refused(OCTETS("\x07\x00\x00\x07\x40\x00\x6a\x40\x01\x6a\x40"), STEPS(0, 0), STEPS(1),
                   QN_MALFORMED);
    expect_refused(OCTETS("\x07\x00\x00\x07\x40\x00\x6a\x40\x01\x6a\x40"), STEPS(1), STEPS(1),
                   QN_MALFORMED);
}

/* A char that is none is refused, not gone over by guess. */
static void chars_are_chars_on_the_way(void **state)
{
    static const struct bytes wrong[] = {BYTES("\xc3\x3c"), BYTES("\x80"), BYTES("\xf0\x80"),
                                         BYTES("\xe2\x82\x2c")};
    struct buf pof = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        buf_clear(&pof);
        append(&pof, "\x07\x00\x00\x4d", 4);
        append(&pof, wrong[i].data, wrong[i].size);
        append(&pof, "\x01\x6a\x40", 3);
        expect_refused(buf_bytes(&pof), STEPS(1), STEPS(1), QN_MALFORMED);
    }
    buf_fini(&pof);
}

/* POF_DEPTH_MAX objects in each other, the innermost with a container, or none, and a number. */
static void write_deep(struct buf *pof, struct bytes innermost)
{
    buf_clear(pof);
    for (int i = 0; i < POF_DEPTH_MAX; i++) {
        append(pof, "\x07\x00\x00", 3);
    }
    append(pof, innermost.data, innermost.size);
    append(pof, "\x01\x6a", 2);
    for (int i = 0; i < POF_DEPTH_MAX; i++) {
        append(pof, "\x40", 1);
    }
}

/* A container at the limit is too deep even when it is empty. */
static void depth_is_held_against_the_limit_on_the_way(void **state)
{
    static const struct bytes containers[] = {
        BYTES("\x63"),     BYTES("\x56\x41\x00"), BYTES("\x58\x41\x01\x05"),
        BYTES("\x55\x00"), BYTES("\x07\x00\x40"), BYTES("\x59\x00\x40")};
    int32_t steps[POF_PATH_MAX] = {0};
    struct pof_path last = {steps, POF_PATH_MAX};
    struct pof_target target;
    struct buf pof = {0};

    (void)state;
    steps[POF_PATH_MAX - 1] = 1;
    write_deep(&pof, bytes_of("\x64", 1));
    assert_int_equal(pof_path_find(buf_bytes(&pof), last, &target), QN_OK);
    assert_int_equal(target.value.as.integer, 1);
    for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++) {
        write_deep(&pof, containers[i]);
        expect_refused(buf_bytes(&pof), last, last, QN_TOO_LARGE);
    }
    buf_fini(&pof);
}

/* Elements without octets are counted in properties that are skipped, too: 20 objects of 64 lists
 * of 63 nulls each are more than POF_EMPTY_MAX. */
static void elements_without_octets_are_counted_on_the_way(void **state)
{
    struct buf pof = {0};
    struct pof_target target;

    (void)state;
    append(&pof, "\x55\x15", 2);
    for (int object = 0; object < 20; object++) {
        append(&pof, "\x07\x00", 2);
        for (uint8_t index = 0; index < 64; index++) {
            append(&pof, (const uint8_t[]){index, 0x56, 0x64, 63}, 4);
        }
        append(&pof, "\x40", 1);
    }
    append(&pof, "\x6a", 1);
    expect_refused(buf_bytes(&pof), STEPS(0, 1), STEPS(20), QN_TOO_LARGE);
    assert_int_equal(pof_path_find(buf_bytes(&pof), STEPS(10), &target), QN_OK);
    buf_fini(&pof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_too_long_is_not_skipped),
        cmocka_unit_test(texts_end_where_they_say),
        cmocka_unit_test(indexes_ascend_on_the_way),
        cmocka_unit_test(versions_are_numbers_on_the_way),
        cmocka_unit_test(chars_are_chars_on_the_way),
        cmocka_unit_test(depth_is_held_against_the_limit_on_the_way),
        cmocka_unit_test(elements_without_octets_are_counted_on_the_way),
    };

    return RUN_TESTS(tests);
}
