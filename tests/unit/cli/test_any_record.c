/* Records of any type: what export writes, import makes the same octets of. */
#include "client/cli/any_record.h"
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "wire/pof/binary.h"

enum { ROUNDS = 5000 };

static bool reads(const char *json, char *problem)
{
    struct any_record record = {.key = {.size = 0}};
    bool right = any_record_read(bytes_of_text(json), NULL, &record, problem);

    any_record_fini(&record);
    return right;
}

/* Random keys and values come back octet for octet. */
static void records_come_back_octet_for_octet(void **state)
{
    struct dice dice = {51};
    struct any_record entry = {.key = {.size = 0}};
    struct any_record back = {.key = {.size = 0}};
    struct buf text = {.size = 0};
    char problem[ANY_RECORD_PROBLEM_MAX];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct pof_writer w;
        buf_clear(&entry.key);
        buf_clear(&entry.value);
        buf_clear(&text);
        assert_int_equal(pof_binary_int64(&entry.key, round), QN_OK);
        pof_writer_init_binary(&w, &entry.value);
        pof_begin_collection(&w, POF_NEXT, 2); /* whose elements are in full form */
        pof_write_int64(&w, POF_NEXT, (int64_t)dice_below(&dice, 1000) - 500);
        pof_write_date(&w, POF_NEXT,
                       (struct pof_date){2024, 2, 1 + (int32_t)dice_below(&dice, 29)});
        pof_end(&w);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        struct bytes value = buf_bytes(&entry.value);
        assert_int_equal(any_record_write(&text, buf_bytes(&entry.key), &value, NULL), QN_OK);
        assert_true(any_record_read(buf_bytes(&text), NULL, &back, problem));
        assert_bytes_equal(buf_bytes(&back.key), buf_bytes(&entry.key));
        assert_bytes_equal(buf_bytes(&back.value), value);
    }
    any_record_fini(&entry);
    any_record_fini(&back);
    buf_fini(&text);
}

/* Other records are told what is missing. */
static void what_is_no_record_is_refused(void **state)
{
    char problem[ANY_RECORD_PROBLEM_MAX];

    (void)state;
    assert_true(reads("{\"value\": null, \"key\": 1}", problem));
    assert_false(reads("{\"key\": 1}", problem));
    assert_non_null(strstr(problem, "\"key\" and \"value\""));
    assert_false(reads("{\"key\": 1, \"value\": 2, \"more\": 3}", problem));
    assert_non_null(strstr(problem, "--type NAME"));
    assert_false(reads("{\"key\": 1, \"key\": 1, \"value\": 2}", problem));
    assert_false(reads("[1]", problem));
    assert_false(reads("{\"key\": 1, \"value\": {\"$date\": \"x\"}}", problem));
    assert_non_null(strstr(problem, "value: \"x\" is not a date"));
    assert_false(reads("{\"key\"", problem));
    assert_non_null(strstr(problem, "expected a colon"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_octet_for_octet),
        cmocka_unit_test(what_is_no_record_is_refused),
    };

    return RUN_TESTS(tests);
}
