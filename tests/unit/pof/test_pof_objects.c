/* Two objects whose size in the reference implementation is known. */
#include <stdio.h>

#include "tests/lib/check.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

enum { IDENTIFIERS = 10000, LISTS = 3 };

static void write_car(struct pof_writer *w)
{
    static const char *const options[] = {"heated seats", "tow bar", "panorama roof",
                                          "parking camera", "winter tyres"};

    pof_begin_user(w, POF_NEXT, 1000, 0);
    pof_write_string(w, 0, bytes_of_text("Volvo"));
    pof_write_string(w, 1, bytes_of_text("V60 Cross Country"));
    pof_write_int32(w, 2, 2021);
    pof_write_string(w, 3, bytes_of_text("silver"));
    pof_begin_uniform_collection(w, 4, POF_STRING, 5);
    for (int i = 0; i < 5; i++) {
        pof_write_string(w, POF_NEXT, bytes_of_text(options[i]));
    }
    pof_end(w);
    pof_write_float64(w, 5, 45990.50);
    pof_begin_user(w, 6, 1001, 0);
    pof_write_string(w, 0, bytes_of_text("Ada Lovelace"));
    pof_writer_full(w);
    pof_write_int32(w, 1, 36);
    pof_end(w);
    pof_end(w);
}

static void a_car_takes_145_octets(void **state)
{
    struct pof_writer w;
    struct buf out = {0};

    (void)state;
    pof_writer_init(&w, &out);
    write_car(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_int_equal(out.size, 145);
    buf_clear(&out);
    pof_writer_init_binary(&w, &out);
    write_car(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_int_equal(out.size, 146);
    buf_clear(&out);
    pof_writer_init(&w, &out);
    pof_writer_enable_references(&w);
    write_car(&w);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_int_equal(out.size, 149);
    buf_fini(&out);
}

/* An identifier: an object that holds 36 characters. Met again, it is a reference when there are
 * any. */
static void write_identifier(struct pof_writer *w, int number, bool again)
{
    char text[64];

    if (again && w->references) {
        pof_write_reference(w, POF_NEXT, number + 2); /* the whole has identity 1 */
        return;
    }
    snprintf(text, sizeof text, "%036d", number);
    pof_begin_user(w, POF_NEXT, 1003, 0);
    pof_write_string(w, 0, bytes_of_text(text));
    pof_end(w);
}

static void write_big(struct pof_writer *w, bool uniform)
{
    char key[32];

    pof_begin_user(w, POF_NEXT, 1002, 0);
    pof_write_string(w, 0, bytes_of_text("foo"));
    pof_write_int32(w, 1, 17);
    pof_begin_container(w, 2,
                        (struct pof_container){.type = uniform ? POF_UNIFORM_MAP : POF_MAP,
                                               .key_type = POF_STRING,
                                               .element_type = 1003,
                                               .count = IDENTIFIERS});
    for (int i = 0; i < IDENTIFIERS; i++) {
        snprintf(key, sizeof key, "key%d", i);
        pof_write_string(w, POF_NEXT, bytes_of_text(key));
        write_identifier(w, i, false);
    }
    pof_end(w);
    for (int list = 0; list < LISTS; list++) {
        pof_begin_container(
            w, 3 + list,
            (struct pof_container){.type = uniform ? POF_UNIFORM_COLLECTION : POF_COLLECTION,
                                   .element_type = 1003,
                                   .count = IDENTIFIERS});
        for (int i = 0; i < IDENTIFIERS; i++) {
            write_identifier(w, i, true);
        }
        pof_end(w);
    }
    pof_end(w);
}

/* The references among the elements of the container just given. */
static int count_references(struct pof_reader *r)
{
    struct pof_value value;
    int count = 0;

    assert_int_equal(pof_reader_enter(r), QN_OK);
    while (pof_reader_next(r, &value) == QN_OK) {
        count += value.kind == POF_KIND_REFERENCE ? 1 : 0;
    }
    assert_int_equal(pof_reader_leave(r), QN_OK);
    return count;
}

static void expect_big(bool uniform, bool references, size_t size)
{
    struct pof_writer w;
    struct pof_reader r;
    struct pof_value value;
    struct buf out = {0}, table = {0}, types = {0};

    pof_writer_init(&w, &out);
    if (references) {
        pof_writer_enable_references(&w);
        pof_writer_track_identities(&w, &types);
    }
    write_big(&w, uniform);
    assert_int_equal(pof_writer_finish(&w), QN_OK);
    assert_int_equal(out.size, size);

    pof_reader_init(&r, buf_bytes(&out));
    pof_reader_track_identities(&r, &table);
    assert_int_equal(pof_reader_next(&r, &value), QN_OK);
    assert_int_equal(pof_reader_enter(&r), QN_OK);
    for (int list = 0; list < LISTS; list++) {
        assert_int_equal(pof_reader_find(&r, 3 + list, &value), QN_OK);
        assert_int_equal(count_references(&r), references ? IDENTIFIERS : 0);
    }
    assert_int_equal(pof_reader_leave(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
    buf_fini(&out);
    buf_fini(&table);
    buf_fini(&types);
}

/* 10,000 objects in a map and three lists: plain and uniform, with references and without. */
static void a_big_object_takes_as_many_octets_as_elsewhere(void **state)
{
    (void)state;
    expect_big(false, false, 1808922);
    expect_big(false, true, 645916);
    expect_big(true, false, 1718931);
    expect_big(true, true, 585925);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_car_takes_145_octets),
        cmocka_unit_test(a_big_object_takes_as_many_octets_as_elsewhere),
    };

    return RUN_TESTS(tests);
}
