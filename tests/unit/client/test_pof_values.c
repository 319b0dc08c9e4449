/* Objects as arguments and values (client/pof.h). */
#include "client/pof.h"
#include "client/value.h"
#include "tests/lib/check.h"

struct point {
    int32_t x;
    int32_t y;
    struct bytes name;
};

static const struct pof_field point_fields[] = {
    POF_FIELD(struct point, x, 0, INT32),
    POF_FIELD(struct point, y, 1, INT32),
    POF_FIELD(struct point, name, 2, STRING),
};
static const struct pof_struct point_struct = POF_STRUCT(struct point, 2000, 0, point_fields);
static const struct pof_struct other_struct = POF_STRUCT(struct point, 2001, 0, point_fields);

static qn_value *value_of(qn_arg arg)
{
    struct value_content content = {.binary = bytes_of(arg.data, arg.size)};
    qn_value *value = value_create(NULL, &content);

    assert_non_null(value);
    return value;
}

static void an_object_becomes_a_value_and_comes_back(void **state)
{
    struct point point = {.x = 3, .y = -4, .name = bytes_of_text("corner")}, back;
    struct buf octets = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    struct pof_reader reader;
    qn_error err = QN_ERROR_INIT;

    (void)state;
    arena_init(&arena, 0);
    qn_value *value = value_of(qn_pof(&octets, &point_struct, &point, &err));
    assert_int_equal(qn_value_object(value, &point_struct, &back, &memory, &err), QN_OK);
    assert_int_equal(back.x, 3);
    assert_int_equal(back.y, -4);
    assert_bytes_equal(back.name, point.name);
    assert_true(back.name.data > octets.data && back.name.data < octets.data + octets.size);
    assert_int_equal(qn_value_pof(value, &reader), QN_OK);
    qn_value_release(value);
    arena_fini(&arena);
    buf_fini(&octets);
}

static void another_type_is_named(void **state)
{
    struct point point = {.x = 1}, back;
    struct buf octets = {0};
    struct arena arena;
    struct pof_struct_memory memory = {.arena = &arena};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    arena_init(&arena, 0);
    qn_value *value = value_of(qn_pof(&octets, &point_struct, &point, &err));
    assert_int_equal(qn_value_object(value, &other_struct, &back, &memory, &err), QN_WRONG_TYPE);
    assert_non_null(strstr(err.text, "2000"));
    assert_non_null(strstr(err.text, "2001"));
    qn_value_release(value);
    qn_error_clear(&err);
    value = value_of(qn_binary("\x15\x4e\x01x", 4)); /* a string */
    assert_int_equal(qn_value_object(value, &point_struct, &back, &memory, &err), QN_WRONG_TYPE);
    assert_non_null(strstr(err.text, "no object"));
    qn_value_release(value);
    qn_error_clear(&err);
    value = value_of(qn_binary("nonsense", 8));
    assert_true(qn_value_object(value, &point_struct, &back, &memory, &err) < 0);
    qn_value_release(value);
    arena_fini(&arena);
    buf_fini(&octets);
}

static void what_can_not_be_written_is_refused(void **state)
{
    struct point point = {.name = bytes_of("\xff\xfe", 2)};
    struct buf octets = {0};
    qn_error err = QN_ERROR_INIT;

    (void)state;
    qn_arg arg = qn_pof(&octets, &point_struct, &point, &err);
    assert_int_equal(err.status, QN_MALFORMED);
    assert_non_null(strstr(err.text, "2000"));
    assert_int_equal(arg.size, 0);
    arg = qn_pof(&octets, &point_struct, &point, &err); /* sticky */
    assert_int_equal(arg.size, 0);
    qn_error_clear(&err);
    (void)qn_pof(&octets, &point_struct, NULL, &err);
    assert_int_equal(err.status, QN_INVALID);
    assert_int_equal(qn_value_pof(NULL, NULL), QN_INVALID);
    buf_fini(&octets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_becomes_a_value_and_comes_back),
        cmocka_unit_test(another_type_is_named),
        cmocka_unit_test(what_can_not_be_written_is_refused),
    };

    return RUN_TESTS(tests);
}
