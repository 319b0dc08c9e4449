/* Random values by random schemas: their text means the same octets. */
#include "tests/lib/check.h"
#include "tests/lib/pof/random_schema.h"
#include "wire/pof/json/json.h"

enum { SCHEMAS = 1500, VALUES = 8 };

/* A schema, a shape in it, and a value of that. */
struct sample {
    struct random_schema random;
    const struct pof_shape *shape;
    struct buf pof;
};

typedef void sample_fn(struct sample *sample, struct dice *dice, void *context);

static void make_value(struct sample *sample, struct dice *dice, struct buf *pof)
{
    const bool shared = !sample->random.known && dice_below(dice, 2);

    buf_clear(pof);
    assert_int_equal(random_declared(pof, dice, &sample->random, sample->shape, shared), QN_OK);
}

static void each_sample(uint64_t seed, sample_fn *look, void *context)
{
    struct dice dice = {seed};
    struct sample sample = {.pof = {0}};

    for (int i = 0; i < SCHEMAS; i++) {
        random_schema(&sample.random, &dice);
        for (int k = 0; k < VALUES; k++) {
            sample.shape = random_shape(&sample.random, &dice, 2);
            make_value(&sample, &dice, &sample.pof);
            look(&sample, &dice, context);
        }
    }
    buf_fini(&sample.pof);
}

/* -- there and back -- */

static void write_text(struct bytes pof, const struct pof_json_options *options, struct buf *text)
{
    buf_clear(text);
    assert_int_equal(pof_json_write(text, pof, options), QN_OK);
}

static void check_back(struct bytes pof, const struct pof_json_options *options)
{
    struct pof_json_problem problem = {.line = 0};
    struct buf text = {0}, again = {0};

    write_text(pof, options, &text);
    if (pof_json_read(&again, buf_bytes(&text), options, &problem) != QN_OK) {
        fail_msg("%s in\n%.*s", problem.text, (int)text.size, (const char *)text.data);
    }
    if (!bytes_equal(buf_bytes(&again), pof)) {
        print_error("%.*s\n", (int)text.size, (const char *)text.data);
        assert_bytes_equal(buf_bytes(&again), pof);
    }
    buf_fini(&text);
    buf_fini(&again);
}

static void comes_back(struct sample *sample, struct dice *dice, void *context)
{
    const struct pof_json_options ways[] = {
        {.schema = &sample->random.schema, .shape = sample->shape, .indent = dice_below(dice, 3)},
        {.schema = &sample->random.schema},
        {.indent = 1},
    };

    (void)context;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        check_back(buf_bytes(&sample->pof), &ways[i]);
    }
}

/* With the types and without, shared and recursive objects among them. */
static void values_come_back_octet_by_octet(void **state)
{
    (void)state;
    each_sample(53, comes_back, NULL);
}

/* -- views -- */

struct tally {
    int kept;
    int refused;
};

/* What is shown, read as a change of the same value, is that value; what cannot be is refused. */
static void look_through(struct sample *sample, struct dice *dice, void *context)
{
    struct tally *tally = context;
    struct pof_json_problem problem = {.line = 0};
    struct pof_json_options options = {.schema = &sample->random.schema,
                                       .shape = sample->shape,
                                       .view = &sample->random.view,
                                       .base = buf_bytes(&sample->pof)};
    struct buf text = {0}, again = {0};

    (void)dice;
    enum qn_status status = pof_json_write(&text, buf_bytes(&sample->pof), &options);
    if (status == QN_OK) {
        status = pof_json_read(&again, buf_bytes(&text), &options, &problem);
    }
    if (status == QN_OK) {
        if (!bytes_equal(buf_bytes(&again), buf_bytes(&sample->pof))) {
            print_error("%.*s\n", (int)text.size, (const char *)text.data);
        }
        assert_bytes_equal(buf_bytes(&again), buf_bytes(&sample->pof));
        tally->kept++;
    } else {
        if (status != QN_UNSUPPORTED) {
            print_error("%s in\n%.*s\n", problem.text, (int)text.size, (const char *)text.data);
        }
        assert_int_equal(status, QN_UNSUPPORTED);
        tally->refused++;
    }
    buf_fini(&text);
    buf_fini(&again);
}

static void what_a_view_hides_is_kept_or_the_text_refused(void **state)
{
    struct tally tally = {0};

    (void)state;
    each_sample(59, look_through, &tally);
    assert_true(tally.kept > 3 * tally.refused && tally.refused > 100);
}

/* What was read is shown as it was written, whatever it changed; but for the numbers of identities,
 * and that a change does not lower the version of an object. */
static void change(struct sample *sample, struct dice *dice, void *context)
{
    struct tally *tally = context;
    struct pof_json_options options = {
        .schema = &sample->random.schema, .shape = sample->shape, .view = &sample->random.view};
    struct buf other = {0}, text = {0}, changed = {0}, text_again = {0};

    sample->random.known = true;
    make_value(sample, dice, &sample->pof);
    make_value(sample, dice, &other);
    if (pof_json_write(&text, buf_bytes(&other), &options) == QN_OK) {
        options.base = buf_bytes(&sample->pof);
        enum qn_status status = pof_json_read(&changed, buf_bytes(&text), &options, NULL);
        if (status == QN_OK) {
            write_text(buf_bytes(&changed), &options, &text_again);
            if (!bytes_equal(buf_bytes(&text_again), buf_bytes(&text))) {
                fail_msg("%.*s\nbecame\n%.*s", (int)text.size, (const char *)text.data,
                         (int)text_again.size, (const char *)text_again.data);
            }
            tally->kept++;
        } else {
            assert_int_equal(status, QN_UNSUPPORTED);
            tally->refused++;
        }
    }
    buf_fini(&other);
    buf_fini(&text);
    buf_fini(&changed);
    buf_fini(&text_again);
}

static void what_was_read_is_shown_as_it_was_written(void **state)
{
    struct tally tally = {0};

    (void)state;
    each_sample(61, change, &tally);
    assert_true(tally.kept > tally.refused && tally.refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_octet_by_octet),
        cmocka_unit_test(what_a_view_hides_is_kept_or_the_text_refused),
        cmocka_unit_test(what_was_read_is_shown_as_it_was_written),
    };

    return RUN_TESTS(tests);
}
