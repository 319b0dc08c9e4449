#include "tests/lib/check.h"
#include "wire/status.h"

/* Numbers travel on the wire: these may never change. */
static void numbers_are_pinned(void **state)
{
    (void)state;
    assert_int_equal(QN_OK, 0);
    assert_int_equal(QN_ABSENT, 1);
    assert_int_equal(QN_CONFLICT, 2);
    assert_int_equal(QN_EXISTS, 3);
    assert_int_equal(QN_NOT_LEADER, -1);
    assert_int_equal(QN_STALE_EPOCH, -2);
    assert_int_equal(QN_INDETERMINATE, -15);
    assert_int_equal(QN_MALFORMED, -35);
    assert_int_equal(QN_WITHDRAWN, -36);
}

/* Every status has its own number, a name and a text. */
static void numbers_are_unique(void **state)
{
    static const int numbers[] = {
#define NUMBER(name, number, retry, certainty, text) number,
        QN_STATUS_MAP(NUMBER)
#undef NUMBER
    };
    size_t count = sizeof numbers / sizeof *numbers;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_true(qn_status_known(numbers[i]));
        assert_string_not_equal(qn_status_name((enum qn_status)numbers[i]), "QN_?");
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(numbers[i], numbers[j]);
        }
    }
    assert_false(qn_status_known(-1000));
}

/* Only statuses that leave the outcome open say so (protocol B.20). */
static void certainty_follows_the_error_table(void **state)
{
    (void)state;
    assert_int_equal(qn_status_certainty(QN_OK), QN_APPLIED);
    assert_int_equal(qn_status_certainty(QN_STALE_EPOCH), QN_NOT_APPLIED);
    assert_int_equal(qn_status_certainty(QN_DISK_FULL), QN_NOT_APPLIED);
    assert_int_equal(qn_status_certainty(QN_INDETERMINATE), QN_UNKNOWN);
    assert_int_equal(qn_status_certainty(QN_SESSION_EXPIRED), QN_UNKNOWN);
    assert_int_equal(qn_status_certainty(QN_WITHDRAWN), QN_NOT_APPLIED);
    assert_false(qn_status_retry(QN_WITHDRAWN));
    assert_int_equal(qn_status_certainty((enum qn_status) - 1000), QN_UNKNOWN);
}

/* An error keeps the first failure; clearing re-arms it. */
static void an_error_is_sticky(void **state)
{
    qn_error err = {0};

    (void)state;
    assert_int_equal(qn_error_set(&err, QN_DISK_FULL, "disk %d", 1), QN_DISK_FULL);
    assert_int_equal(qn_error_set(&err, QN_AUTH, "later"), QN_AUTH);
    assert_int_equal(err.status, QN_DISK_FULL);
    assert_string_equal(err.text, "disk 1");
    assert_true(qn_error_failed(&err));
    qn_error_clear(&err);
    assert_false(qn_error_failed(&err));
    assert_int_equal(qn_error_set(NULL, QN_AUTH, "nobody listens"), QN_AUTH);
    assert_false(qn_error_failed(NULL));
}

/* A failure of unknown outcome carries the name of its change, until it is cleared. */
static void an_error_names_its_change(void **state)
{
    qn_error err = QN_ERROR_INIT;

    (void)state;
    assert_string_equal(qn_change_id(&err), "");
    (void)qn_error_set(&err, QN_DEADLINE, "put");
    qn_error_set_change(&err, "w1-17");
    assert_string_equal(qn_change_id(&err), "w1-17");
    qn_error_clear(&err);
    assert_string_equal(qn_change_id(&err), "");
    qn_error_set_change(NULL, "w1-17");
    assert_string_equal(qn_change_id(NULL), "");
}

/* A caller that knows a smaller struct is not written to behind it, whatever it says its size is.
 */
static void a_smaller_error_is_not_overrun(void **state)
{
    static const size_t sizes[] = {0, 1, offsetof(qn_error, change_id), sizeof(qn_error) - 1};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        qn_error err;
        memset(&err, 0x55, sizeof err);
        err.size = sizes[i];
        qn_error_clear(&err);
        (void)qn_error_set(&err, QN_DEADLINE, "put");
        qn_error_set_change(&err, "w1-17");
        assert_int_equal(err.size, sizes[i]);
        assert_string_equal(err.text, "put");
        assert_string_equal(qn_change_id(&err), "");
        assert_int_equal(((const unsigned char *)&err)[sizeof err - 1], 0x55);
    }
}

/* A larger one, of a later version, keeps what we do not know. */
static void a_larger_error_keeps_its_rest(void **state)
{
    struct {
        qn_error err;
        char later[16];
    } larger;

    (void)state;
    memset(&larger, 0x55, sizeof larger);
    larger.err.size = sizeof larger;
    qn_error_clear(&larger.err);
    qn_error_set_change(&larger.err, "w1-17");
    assert_int_equal(larger.err.size, sizeof larger);
    assert_string_equal(qn_change_id(&larger.err), "w1-17");
    assert_int_equal(larger.later[0], 0x55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_pinned),
        cmocka_unit_test(numbers_are_unique),
        cmocka_unit_test(certainty_follows_the_error_table),
        cmocka_unit_test(an_error_is_sticky),
        cmocka_unit_test(an_error_names_its_change),
        cmocka_unit_test(a_smaller_error_is_not_overrun),
        cmocka_unit_test(a_larger_error_keeps_its_rest),
    };
    return RUN_TESTS(tests);
}
