/* What octets may ask for at most: each bound of the reader, just kept and just broken. */
#include "tests/lib/check.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

/* Go through the value that `r` stands in front of and everything in it; the status that ended it,
 * QN_OK for a whole one. */
static enum qn_status walk(struct pof_reader *r)
{
    struct pof_value value;

    for (;;) {
        enum qn_status status = pof_reader_next(r, &value);
        if (status == QN_ABSENT && r->depth == 0) {
            return QN_OK;
        }
        if (status == QN_ABSENT) {
            status = pof_reader_leave(r);
        } else if (status == QN_OK && pof_kind_is_container(value.kind)) {
            status = pof_reader_enter(r);
        }
        if (status != QN_OK) {
            return status;
        }
    }
}

static enum qn_status walk_over(struct bytes pof)
{
    struct pof_reader r;

    pof_reader_init(&r, pof);
    return walk(&r);
}

static enum qn_status skip_over(struct bytes pof)
{
    return pof_skip(&pof);
}

/* The same object again takes one octet in a uniform list, its identity, so a list may have nearly
 * as many elements as octets. */
static void a_uniform_list_may_repeat_an_object_in_one_octet_each(void **state)
{
    static const uint8_t list[] = {0x56, 1, 6, 0x5e, 1, 0, 0x40, 1, 1, 1, 1, 1};
    static const uint8_t map[] = {0x5d, 1, 1, 2, 0x5e, 1, 0, 0x40, 1, 1, 1};
    struct pof_reader r;
    struct buf table = {0};

    (void)state;
    pof_reader_init(&r, bytes_of(list, sizeof list));
    pof_reader_track_identities(&r, &table);
    assert_int_equal(walk(&r), QN_OK);
    assert_int_equal(r.rest.size, 0);
    buf_clear(&table);
    pof_reader_init(&r, bytes_of(map, sizeof map));
    pof_reader_track_identities(&r, &table);
    assert_int_equal(walk(&r), QN_OK);
    assert_int_equal(walk_over(bytes_of("\x56\x01\x02\x00", 4)), QN_MALFORMED);
    assert_int_equal(skip_over(bytes_of("\x56\x01\x02\x00", 4)), QN_MALFORMED);
    buf_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_list_may_repeat_an_object_in_one_octet_each),
    };

    return RUN_TESTS(tests);
}
