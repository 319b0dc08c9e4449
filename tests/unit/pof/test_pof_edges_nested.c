/* Containers at their edges: nothing in them, the highest indexes, the deepest nesting. */
#include "tests/lib/check.h"
#include "wire/pof/value.h"

#define FORM(text)     text, sizeof text - 1
#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

/* Every container without anything in it. */
static void containers_may_be_empty(void **state)
{
    static const struct {
        const char *octets;
        size_t size;
        enum pof_kind kind;
    } empty[] = {
        {FORM("\x55\x00"), POF_KIND_COLLECTION},
        {FORM("\x56\x4e\x00"), POF_KIND_COLLECTION},
        {FORM("\x57\x00"), POF_KIND_ARRAY},
        {FORM("\x58\x41\x00"), POF_KIND_ARRAY},
        {FORM("\x59\x00\x40"), POF_KIND_SPARSE_ARRAY},
        {FORM("\x5a\x41\x00\x40"), POF_KIND_SPARSE_ARRAY},
        {FORM("\x5b\x00"), POF_KIND_MAP},
        {FORM("\x5c\x4e\x00"), POF_KIND_MAP},
        {FORM("\x5d\x4e\x41\x00"), POF_KIND_MAP},
        {FORM("\x63"), POF_KIND_COLLECTION},
        {FORM("\x00\x00\x40"), POF_KIND_USER},
        {FORM("\xbf\xff\xff\xff\x0f\xbf\xff\xff\xff\x0f\x40"), POF_KIND_USER},
    };
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        struct bytes pof = bytes_of(empty[i].octets, empty[i].size);
        struct pof_reader r;
        struct pof_writer w;
        struct pof_value head, nothing;

        pof_reader_init(&r, pof);
        assert_int_equal(pof_reader_next(&r, &head), QN_OK);
        assert_int_equal(head.kind, empty[i].kind);
        assert_int_equal(pof_reader_enter(&r), QN_OK);
        assert_int_equal(pof_reader_next(&r, &nothing), QN_ABSENT);
        assert_int_equal(pof_reader_leave(&r), QN_OK);
        assert_int_equal(r.rest.size, 0);
        if (head.type == POF_SMALL_EMPTY_COLLECTION) {
            continue; /* is read, and never written */
        }
        buf_clear(&out);
        pof_writer_init(&w, &out);
        pof_write_value(&w, POF_NEXT, &head);
        pof_end(&w);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        assert_bytes_equal(buf_bytes(&out), pof);
    }
    buf_fini(&out);
}

/* The highest index of properties and of sparse arrays. */
static void indexes_up_to_the_highest(void **state)
{
    struct pof_container sparse = {.type = POF_SPARSE_ARRAY, .count = INT32_MAX};
    struct pof_writer w;
    struct pof_reader r;
    struct pof_value value;
    struct buf out = {0};
    int32_t number = 0;

    (void)state;
    pof_writer_init(&w, &out);
    pof_begin_user(&w, POF_NEXT, 1, 0);
    pof_begin_container(&w, 0, sparse);
    pof_write_int32(&w, INT32_MAX - 1, 5);
    pof_end(&w);
    pof_write_int32(&w, INT32_MAX, 6);
    pof_end(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    pof_reader_init(&r, buf_bytes(&out));
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_reader_find(&r, 0, &value), QN_OK);
    assert_int_equal(value.as.items.count, INT32_MAX);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(value.index, INT32_MAX - 1);
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(pof_read_int32(&r, INT32_MAX, &number), QN_OK);
    assert_int_equal(number, 6);
    buf_fini(&out);
}

/* Begin a container in which one value follows. */
static void begin_level(struct pof_writer *w, enum pof_type type, int32_t index)
{
    static const struct pof_value key = {.kind = POF_KIND_INT32, .type = POF_INT32};
    struct pof_container container = {.type = type, .key_type = POF_INT32, .count = 1};

    pof_begin_container(w, index, container);
    if (type == POF_MAP || type == POF_UNIFORM_KEYS_MAP) {
        pof_write_value(w, POF_NEXT, &key);
    }
}

/* `depth` containers of a type in each other, or objects when it is 0; the status of writing. */
static enum qn_status write_nest(int32_t type, unsigned depth, struct buf *out)
{
    struct pof_writer w;
    bool indexed = type == 0 || type == POF_SPARSE_ARRAY;

    buf_clear(out);
    pof_writer_init(&w, out);
    for (unsigned i = 0; i < depth; i++) {
        int32_t index = indexed && i > 0 ? 0 : POF_NEXT;
        if (type == 0) {
            pof_begin_user(&w, index, 1, 0);
        } else {
            begin_level(&w, (enum pof_type)type, index);
        }
    }
    pof_write_int32(&w, indexed ? 0 : POF_NEXT, 5);
    for (unsigned i = 0; i < depth; i++) {
        pof_end(&w);
    }
    return pof_writer_finish(&w);
}

static void expect_nest(struct bytes pof, unsigned depth)
{
    struct pof_reader r;
    struct pof_value value;

    pof_reader_init(&r, pof);
    for (unsigned i = 0; i < depth; i++) {
        assert_int_equal(pof_reader_next(&r, &value), QN_OK);
        if (value.is_key) {
            assert_int_equal(pof_reader_next(&r, &value), QN_OK);
        }
        assert_int_equal(pof_reader_enter(&r), QN_OK);
    }
    do {
        assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    } while (value.is_key);
    assert_int_equal(value.as.integer, 5);
    for (unsigned i = 0; i < depth; i++) {
        assert_int_equal(pof_reader_leave(&r), QN_OK);
    }
    assert_int_equal(r.rest.size, 0);
    assert_int_equal(pof_skip(&pof), QN_OK);
}

/* The deepest nesting of every container, and one more, which is not written. */
static void every_container_nests_as_deep_as_allowed(void **state)
{
    static const int32_t types[] = {0,       POF_ARRAY,           POF_COLLECTION, POF_SPARSE_ARRAY,
                                    POF_MAP, POF_UNIFORM_KEYS_MAP};
    struct buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        assert_int_equal(write_nest(types[i], POF_DEPTH_MAX, &out), QN_OK);
        expect_nest(buf_bytes(&out), POF_DEPTH_MAX);
        assert_int_equal(write_nest(types[i], POF_DEPTH_MAX + 1, &out), QN_TOO_LARGE);
        assert_int_equal(out.size, 0);
    }
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_may_be_empty),
        cmocka_unit_test(indexes_up_to_the_highest),
        cmocka_unit_test(every_container_nests_as_deep_as_allowed),
    };

    return RUN_TESTS(tests);
}
