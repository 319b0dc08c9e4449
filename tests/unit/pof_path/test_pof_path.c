/* Paths, by example. What the reference implementation does stands in the golden vectors. */
#include "tests/lib/check.h"
#include "wire/pof/binary.h"
#include "wire/pof/packed.h"
#include "wire/pof/path.h"
#include "wire/pof/writer.h"

enum { NAME = 0, AGE = 1, TAGS = 2, HOME = 3, CITY = 1 };

#define STEPS(...)                                                                                 \
    (struct pof_path)                                                                              \
    {                                                                                              \
        (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)   \
    }

/* A person with two tags and a home in a city. */
static void write_person(struct pof_writer *w, struct buf *out)
{
    pof_writer_init_binary(w, out);
    pof_begin_user(w, POF_NEXT, 1000, 0);
    pof_write_string(w, NAME, bytes_of_text("Ada"));
    pof_write_int32(w, AGE, 36);
    pof_begin_uniform_collection(w, TAGS, POF_STRING, 2);
    pof_write_string(w, POF_NEXT, bytes_of_text("x"));
    pof_write_string(w, POF_NEXT, bytes_of_text("y"));
    pof_end(w);
    pof_begin_user(w, HOME, 1001, 0);
    pof_write_string(w, CITY, bytes_of_text("Turin"));
    pof_end(w);
    pof_end(w);
    assert_int_equal(pof_writer_finish(w), QN_OK);
}

static struct bytes person(struct buf *out)
{
    struct pof_writer w;

    write_person(&w, out);
    return bytes_of(out->data + 1, out->size - 1);
}

/* A property in an object in an object, and an element of a list. */
static void a_path_leads_into_nested_values(void **state)
{
    struct buf out = {0};
    struct pof_target target;
    struct pof_reader r;
    struct pof_value value;
    struct bytes pof = person(&out);

    (void)state;
    assert_int_equal(pof_path_find(pof, STEPS(HOME, CITY), &target), QN_OK);
    assert_true(target.found && !target.bare);
    assert_bytes_equal(target.value.as.text, bytes_of_text("Turin"));
    assert_int_equal(pof_path_find(pof, STEPS(TAGS, 1), &target), QN_OK);
    assert_true(target.found && target.bare);
    assert_bytes_equal(target.octets, bytes_of_text("\x01y"));
    pof_path_reader(&target, &r);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_bytes_equal(value.as.text, bytes_of_text("y"));
    buf_fini(&out);
}

/* Absent, below absent, below a text, out of range, negative: each has its answer. */
static void what_is_not_there_is_told_apart(void **state)
{
    struct buf out = {0};
    struct pof_target target;
    struct bytes pof = person(&out);
    int32_t many[POF_PATH_MAX + 1] = {0};

    (void)state;
    assert_int_equal(pof_path_find(pof, STEPS(9), &target), QN_OK);
    assert_false(target.found || target.below_missing);
    assert_int_equal(target.octets.size, 0);
    assert_int_equal(pof_path_find(pof, STEPS(9, 1), &target), QN_OK);
    assert_true(!target.found && target.below_missing);
    assert_int_equal(pof_path_find(pof, STEPS(NAME, 0), &target), QN_WRONG_TYPE);
    assert_int_equal(pof_path_find(pof, STEPS(TAGS, 2), &target), QN_ABSENT);
    assert_int_equal(pof_path_find(pof, STEPS(TAGS, INT32_MAX), &target), QN_ABSENT);
    assert_int_equal(pof_path_find(pof, STEPS(-1), &target), QN_INVALID);
    assert_int_equal(pof_path_find(pof, (struct pof_path){many, POF_PATH_MAX + 1}, &target),
                     QN_INVALID);
    assert_int_equal(pof_path_find(bytes_of(pof.data, 4), STEPS(HOME), &target), QN_MALFORMED);
    assert_int_equal(pof_path_find(bytes_of(NULL, 0), STEPS(0), &target), QN_MALFORMED);
    buf_fini(&out);
}

/* A set answers all its paths, in the order given, the same one twice too. */
static void a_set_answers_all_paths_in_one_pass(void **state)
{
    struct buf out = {0};
    struct pof_target targets[5];
    struct bytes pof = person(&out);
    const struct pof_path paths[] = {STEPS(HOME, CITY), STEPS(AGE), STEPS(NAME, 3),
                                     STEPS(HOME, CITY), STEPS(TAGS)};
    struct pof_path_set *set = pof_path_set_create(paths, 5);

    (void)state;
    assert_non_null(set);
    assert_int_equal(pof_path_set_find(set, pof, targets), QN_OK);
    assert_bytes_equal(targets[0].value.as.text, bytes_of_text("Turin"));
    assert_int_equal(targets[1].value.as.integer, 36);
    assert_true(!targets[2].found && targets[2].below_missing);
    assert_ptr_equal(targets[3].octets.data, targets[0].octets.data);
    assert_int_equal(targets[4].value.kind, POF_KIND_COLLECTION);
    assert_bytes_equal(targets[4].octets, bytes_of("\x56\x4e\x02\x01x\x01y", 7));
    pof_path_set_destroy(set);
    pof_path_set_destroy(NULL);
    assert_null(pof_path_set_create(&STEPS(-1), 1));
    buf_fini(&out);
}

/* The order in which paths are given, and how many share a step, does not matter. */
static void a_set_takes_many_paths_in_any_order(void **state)
{
    enum { COUNT = 5000 };
    static int32_t steps[COUNT][2];
    static struct pof_path paths[COUNT];
    static struct pof_target targets[COUNT];
    struct buf out = {0};
    struct pof_target target;
    struct bytes pof = person(&out);

    (void)state;
    for (int32_t i = 0; i < COUNT; i++) {
        int32_t mixed = (int32_t)((uint32_t)i * 2654435761u >> 20);
        steps[i][0] = i % 2 ? mixed % 5 : COUNT - i;
        steps[i][1] = mixed % 3;
        paths[i] = (struct pof_path){steps[i], 1 + (size_t)(i % 3 > 0)};
    }
    struct pof_path_set *set = pof_path_set_create(paths, COUNT);
    assert_non_null(set);
    assert_int_equal(pof_path_set_find(set, pof, targets), QN_OK);
    for (size_t i = 0; i < COUNT; i++) {
        enum qn_status status = pof_path_find(pof, paths[i], &target);
        assert_int_equal(targets[i].found, status == QN_OK && target.found);
        assert_true(!targets[i].found || targets[i].octets.data == target.octets.data);
    }
    pof_path_set_destroy(set);
    buf_fini(&out);
}

/* No path at all is a set, too. */
static void a_set_may_be_empty(void **state)
{
    struct pof_path_set *set = pof_path_set_create(NULL, 0);

    (void)state;
    assert_non_null(set);
    assert_int_equal(pof_path_set_find(set, bytes_of("\x64", 1), NULL), QN_OK);
    pof_path_set_destroy(set);
}

/* What stands behind the last path wanted is not read, so it may be broken. */
static void a_set_stops_behind_the_last_one_wanted(void **state)
{
    struct buf out = {0};
    struct pof_target target;
    struct bytes pof = person(&out);
    struct pof_path_set *set = pof_path_set_create(&STEPS(AGE), 1);

    (void)state;
    assert_int_equal(pof_path_set_find(set, bytes_of(pof.data, 14), &target), QN_OK);
    assert_true(target.found && target.value.as.integer == 36);
    assert_int_equal(pof_path_set_find(set, bytes_of(pof.data, 10), &target), QN_MALFORMED);
    pof_path_set_destroy(set);
    buf_fini(&out);
}

/* The new value must be one, of the type of its container, and without identities. */
static void an_update_refuses_what_would_damage(void **state)
{
    struct buf out = {0};
    struct buf updated = {0};
    const struct {
        struct pof_path path;
        struct bytes new;
        enum qn_status status;
    } cases[] = {
        {STEPS(AGE), bytes_of("\x41\x05", 2), QN_OK},
        {STEPS(AGE), bytes_of("\x41\x05\x05", 3), QN_INVALID},
        {STEPS(AGE), bytes_of("\x41", 1), QN_INVALID},
        {STEPS(AGE), bytes_of("", 0), QN_INVALID},
        {STEPS(AGE), bytes_of("\x5e\x01\x01\x00\x40", 5), QN_INVALID},
        {STEPS(TAGS, 0), bytes_of("\x4e\x01z", 3), QN_OK},
        {STEPS(TAGS, 0), bytes_of("\x41\x05", 2), QN_INVALID},
        {STEPS(TAGS, 0), bytes_of("\x64", 1), QN_INVALID},
        {STEPS(9, 9), bytes_of("\x41\x05", 2), QN_ABSENT},
        {STEPS(NAME, 9), bytes_of("\x41\x05", 2), QN_WRONG_TYPE},
        {STEPS(-9), bytes_of("\x41\x05", 2), QN_INVALID},
    };

    (void)state;
    (void)person(&out);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buf_clear(&updated);
        assert_int_equal(pof_path_update(&updated, buf_bytes(&out), cases[i].path, cases[i].new),
                         cases[i].status);
        assert_true(cases[i].status == QN_OK || updated.size == 0);
    }
    buf_fini(&out);
    buf_fini(&updated);
}

/* Take `inner` as the value of a decorated Binary with one decoration, "ab". */
static struct buf wrapped(struct buf inner, uint8_t mask)
{
    struct buf outer = {0};
    uint8_t head[2 + PACKED_64_SIZE_MAX] = {0x12, mask};
    size_t size = 2 + packed_put(head + 2, (int64_t)inner.size);

    assert_int_equal(buf_append(&outer, head, size), QN_OK);
    assert_int_equal(buf_append(&outer, inner.data, inner.size), QN_OK);
    assert_int_equal(buf_append(&outer,
                                "\x02"
                                "ab",
                                3),
                     QN_OK);
    buf_fini(&inner);
    return outer;
}

/* Decorations within decorations keep their octets; their sizes follow the value's. */
static void an_update_keeps_all_decorations(void **state)
{
    struct buf long_text = {0};
    struct buf updated = {0};
    const char *text = "a name that is so long that sizes take one more octet than before";

    (void)state;
    for (int layers = 1; layers <= 5; layers++) {
        struct buf binary = {0};
        struct pof_target target;
        struct bytes pof;
        (void)person(&binary);
        size_t behind = 0;
        for (int i = 0; i < layers; i++) {
            binary = wrapped(binary, (uint8_t)(1 << (i + 1) | 1));
            behind += 3;
        }
        buf_clear(&long_text);
        buf_clear(&updated);
        assert_int_equal(pof_binary_string(&long_text, bytes_of_text(text)), QN_OK);
        enum qn_status status = pof_path_update(&updated, buf_bytes(&binary), STEPS(NAME),
                                                bytes_of(long_text.data + 1, long_text.size - 1));
        assert_int_equal(status, layers <= 4 ? QN_OK : QN_UNSUPPORTED);
        if (layers <= 4) {
            assert_int_equal(pof_binary_value(buf_bytes(&updated), &pof), QN_OK);
            assert_int_equal(pof_path_find(pof, STEPS(NAME), &target), QN_OK);
            assert_bytes_equal(target.value.as.text, bytes_of_text(text));
            assert_memory_equal(updated.data + updated.size - behind,
                                binary.data + binary.size - behind, behind);
        }
        buf_fini(&binary);
    }
    buf_fini(&long_text);
    buf_fini(&updated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_leads_into_nested_values),
        cmocka_unit_test(what_is_not_there_is_told_apart),
        cmocka_unit_test(a_set_answers_all_paths_in_one_pass),
        cmocka_unit_test(a_set_takes_many_paths_in_any_order),
        cmocka_unit_test(a_set_may_be_empty),
        cmocka_unit_test(a_set_stops_behind_the_last_one_wanted),
        cmocka_unit_test(an_update_refuses_what_would_damage),
        cmocka_unit_test(an_update_keeps_all_decorations),
    };

    return RUN_TESTS(tests);
}
