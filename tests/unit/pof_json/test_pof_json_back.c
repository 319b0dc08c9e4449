/* There and back: octets, their JSON, and octets again are one value. */
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/random_value.h"
#include "tests/lib/pof/vectors.h"
#include "tests/unit/pof_json/schema.h"
#include "wire/pof/json/json.h"

enum { ROUNDS = 20000 };

static const struct pof_json_options ways[] = {
    {.indent = 0},
    {.schema = &schema, .indent = 2},
    {.schema = &schema, .shape = &shape_car},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Octets of the text that the value has, and the text of those: the same again. */
static void read_back(struct bytes pof, const struct pof_json_options *options, struct buf *again)
{
    struct buf text = {0};
    struct buf text_again = {0};
    struct pof_json_problem problem = {.line = 0};

    assert_int_equal(pof_json_write(&text, pof, options), QN_OK);
    enum qn_status status = pof_json_read(again, buf_bytes(&text), options, &problem);
    if (status != QN_OK) {
        print_error("%u:%u %s\n%.*s\n", problem.line, problem.column, problem.text, (int)text.size,
                    (const char *)text.data);
    }
    assert_int_equal(status, QN_OK);
    assert_int_equal(pof_json_write(&text_again, buf_bytes(again), options), QN_OK);
    if (!bytes_equal(buf_bytes(&text_again), buf_bytes(&text))) {
        fail_msg("%.*s\nbecame\n%.*s", (int)text.size, (const char *)text.data,
                 (int)text_again.size, (const char *)text_again.data);
    }
    buf_fini(&text);
    buf_fini(&text_again);
}

/* Through JSON, and read generically: the same value. With a schema small values get back the type
 * that it declares, so there the same text must do. */
static bool comes_back(struct bytes pof, const struct pof_json_options *options)
{
    struct buf again = {0};
    json_t *before = NULL;
    json_t *after = NULL;

    read_back(pof, options, &again);
    assert_int_equal(node_read(pof, &before), QN_OK);
    assert_int_equal(node_read(buf_bytes(&again), &after), QN_OK);
    bool same = options->schema || node_equal(before, after);
    if (!same) {
        char *dump = json_dumps(after, JSON_COMPACT);
        print_error("%s\n", dump);
        free(dump);
    }
    json_decref(before);
    json_decref(after);
    buf_fini(&again);
    return same;
}

/* What JSON cannot have: half a pair of surrogates in a text, and a NaN with bits of its own. */
static bool is_beyond_json(const char *name)
{
    return strstr(name, "nan-payload") || strstr(name, "surrogate");
}

struct tally {
    int checked;
    int failed;
};

static void check_vector(json_t *line, size_t number, void *context)
{
    struct tally *tally = context;
    struct buf pof = {0};

    (void)number;
    assert_non_null(line);
    const char *name = vector_text(line, "name");
    bool written = strcmp(vector_text(line, "kind"), "decode") != 0;
    if (!vector_is_value(line) || !written || is_beyond_json(name)) {
        return;
    }
    hex_append(&pof, vector_text(line, "hex"));
    for (size_t i = 0; i < WAYS; i++) {
        if (!comes_back(buf_bytes(&pof), &ways[i])) {
            print_error("%s\n", name);
            tally->failed++;
        }
    }
    tally->checked++;
    buf_fini(&pof);
}

/* All values of the golden vectors, but for octets that no writer makes. */
static void every_golden_vector_comes_back(void **state)
{
    struct tally tally = {0};

    (void)state;
    assert_true(vectors_each("tests/vectors/pof.jsonl", check_vector, &tally));
    assert_int_equal(tally.failed, 0);
    assert_true(tally.checked > 600);
}

/* The ends of what a part of a date or an interval holds. */
static void the_least_and_the_greatest_come_back(void **state)
{
    struct buf pof = {0};
    struct pof_writer w;

    (void)state;
    for (int i = 0; i < 8; i++) {
        int32_t end = i % 2 == 0 ? INT32_MIN : INT32_MAX;
        buf_clear(&pof);
        pof_writer_init(&w, &pof);
        if (i / 2 == 0) {
            pof_write_date(&w, POF_NEXT, (struct pof_date){end, 1, 1});
        } else if (i / 2 == 1) {
            pof_write_year_month(&w, POF_NEXT, (struct pof_year_month){end, end});
        } else if (i / 2 == 2) {
            pof_write_day_time(&w, POF_NEXT, (struct pof_day_time){.days = end, .nanos = 1});
        } else {
            pof_write_datetime(&w, POF_NEXT, (struct pof_datetime){.date = {end, 12, 31}});
        }
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        assert_true(comes_back(buf_bytes(&pof), &ways[0]));
    }
    buf_fini(&pof);
}

/* Random values of all forms. */
static void random_values_come_back(void **state)
{
    struct dice dice = {43};
    struct buf pof = {0};
    struct pof_writer w;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        buf_clear(&pof);
        pof_writer_init(&w, &pof);
        pof_writer_full(&w);
        random_value(&w, &dice, POF_NEXT, 3);
        assert_int_equal(pof_writer_finish(&w), QN_OK);
        assert_true(comes_back(buf_bytes(&pof), &ways[round % WAYS]));
    }
    buf_fini(&pof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_golden_vector_comes_back),
        cmocka_unit_test(the_least_and_the_greatest_come_back),
        cmocka_unit_test(random_values_come_back),
    };

    return RUN_TESTS(tests);
}
