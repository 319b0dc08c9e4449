/* Whatever the value, its JSON is JSON: every golden vector, random values, broken ones. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_value.h"
#include "tests/lib/pof/vectors.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"

enum { ROUNDS = 20000 };

static const struct pof_json_options ways[] = {
    {.lossy = false},
    {.lossy = true, .indent = 3},
    {.schema = &schema, .shape = &shape_car},
    {.schema = &schema, .lossy = true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Another implementation reads the text. Whole numbers above 64 bits are reals to it, and decimals
 * may be more than that. */
static void assert_json(struct bytes text)
{
    json_error_t error;
    json_t *json = json_loadb((const char *)text.data, text.size,
                              JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &error);

    if (!json && json_error_code(&error) != json_error_numeric_overflow) {
        fail_msg("%s: %.*s", error.text, (int)text.size, (const char *)text.data);
    }
    json_decref(json);
}

/* `written`: by a writer of the format. Otherwise the exact text may be one that cannot be. */
static void check_ways(struct bytes pof, bool written)
{
    struct buf out = {0};

    for (size_t i = 0; i < WAYS; i++) {
        buf_clear(&out);
        enum qn_status status = pof_json_write(&out, pof, &ways[i]);
        if (status == QN_OK) {
            assert_json(buf_bytes(&out));
        } else {
            assert_int_equal(status, QN_UNSUPPORTED);
            assert_false(written || ways[i].lossy);
        }
    }
    buf_fini(&out);
}

static void check_vector(json_t *line, size_t number, void *checked)
{
    struct buf pof = {0};

    (void)number;
    assert_non_null(line);
    if (vector_is_value(line)) {
        hex_append(&pof, vector_text(line, "hex"));
        check_ways(buf_bytes(&pof), strcmp(vector_text(line, "kind"), "decode") != 0 &&
                                        !strstr(vector_text(line, "name"), "surrogate"));
        ++*(int *)checked;
    }
    buf_fini(&pof);
}

/* All values of the golden vectors. */
static void every_golden_vector_has_a_text(void **state)
{
    int checked = 0;

    (void)state;
    assert_true(vectors_each("tests/vectors/pof.jsonl", check_vector, &checked));
    assert_int_equal(checked, 767 - 41 - 15 - 9);
}

/* Random values, and what becomes of them when an octet changes. */
static void random_values_have_a_text(void **state)
{
    struct dice dice = {41};
    struct buf pof = {0};
    struct buf out = {0};
    struct pof_writer w;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        buf_clear(&pof);
        pof_writer_init(&w, &pof);
        random_value(&w, &dice, POF_NEXT, 4);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        check_ways(buf_bytes(&pof), true);
        pof.data[dice_below(&dice, (uint32_t)pof.size)] = (uint8_t)dice_below(&dice, 256);
        buf_clear(&out);
        if (pof_json_write(&out, buf_bytes(&pof), &ways[round % WAYS]) == QN_OK) {
            assert_json(buf_bytes(&out));
        } else {
            assert_int_equal(out.size, 0);
        }
    }
    buf_fini(&pof);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_golden_vector_has_a_text),
        cmocka_unit_test(random_values_have_a_text),
    };

    return RUN_TESTS(tests);
}
