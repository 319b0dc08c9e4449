/* The golden vectors: our octets are theirs, their octets read as their value, and paths lead to
 * the same place. What we do otherwise stands in tests/vectors/deviations.jsonl, and nothing else.
 */
#include "tests/lib/check.h"
#include "tests/lib/pof/judge.h"
#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/vectors.h"

struct tally {
    json_t *deviations; /* name -> line */
    json_t *met;        /* names of those that were needed */
    int lines;
    int failed;
};

static void collect(json_t *line, size_t number, void *context)
{
    struct tally *tally = context;

    (void)number;
    assert_non_null(line);
    assert_true(judge_is_deviation(line));
    assert_int_not_equal(strlen(vector_text(line, "reason")), 0);
    assert_null(json_object_get(tally->deviations, vector_text(line, "name")));
    json_object_set(tally->deviations, vector_text(line, "name"), line);
    tally->lines++;
}

static void judge(json_t *line, size_t number, void *context)
{
    struct tally *tally = context;

    (void)number;
    assert_non_null(line);
    const char *name = vector_text(line, "name");
    json_t *deviation = json_object_get(tally->deviations, name);
    struct judgement j = judge_line(line, deviation);

    if (deviation) {
        json_object_set_new(tally->met, name, json_true());
    }
    if (!j.passed) {
        print_error("%s: %s\n", name, j.text);
        tally->failed++;
    }
    tally->lines++;
}

/* All lines, and not one less (tests/vectors/README.md); a deviation that is not needed fails. */
static void every_golden_vector_agrees_or_is_a_listed_deviation(void **state)
{
    struct tally tally = {.deviations = json_object(), .met = json_object()};

    (void)state;
    tally.lines = 0;
    assert_true(vectors_each("tests/vectors/deviations.jsonl", collect, &tally));
    assert_int_equal(tally.lines, 32);
    tally.lines = 0;
    assert_true(vectors_each("tests/vectors/pof.jsonl", judge, &tally));
    assert_int_equal(tally.lines, 767);
    assert_int_equal(json_object_size(tally.met), 0); /* never for these */
    tally.lines = 0;
    assert_true(vectors_each("tests/vectors/pof-malformed.jsonl", judge, &tally));
    assert_int_equal(tally.lines, 217);
    tally.lines = 0;
    assert_true(vectors_each("tests/vectors/pof-navigate.jsonl", judge, &tally));
    assert_int_equal(tally.lines, 112);
    assert_int_equal(tally.failed, 0);
    assert_int_equal(json_object_size(tally.met), json_object_size(tally.deviations));
    json_decref(tally.deviations);
    json_decref(tally.met);
}

static bool agrees(const char *text, const char *deviation)
{
    json_t *line = vector_parse(text);
    json_t *ours = deviation ? vector_parse(deviation) : NULL;

    assert_non_null(line);
    bool passed = judge_line(line, ours).passed;
    json_decref(line);
    json_decref(ours);
    return passed;
}

/* A judge that could not fail would prove nothing: each kind of line fails when it is changed. */
static void a_line_that_is_wrong_fails(void **state)
{
    (void)state;
    assert_true(agrees(
        "{\"name\":\"a\",\"kind\":\"int32\",\"m\":\"object\",\"value\":{\"t\":\"int32\",\"v\":5},"
        "\"hex\":\"4105\",\"decoded\":{\"t\":\"int32\",\"v\":5}}",
        NULL));
    assert_false(agrees(
        "{\"name\":\"a\",\"kind\":\"int32\",\"m\":\"object\",\"value\":{\"t\":\"int32\",\"v\":5},"
        "\"hex\":\"4106\"}",
        NULL));
    assert_false(agrees(
        "{\"name\":\"a\",\"kind\":\"int32\",\"m\":\"object\",\"value\":{\"t\":\"int32\",\"v\":5},"
        "\"hex\":\"4105\",\"decoded\":{\"t\":\"int16\",\"v\":5}}",
        NULL));
    assert_false(agrees("{\"name\":\"a\",\"kind\":\"int32\"}", NULL));
    assert_false(agrees("{\"name\":\"a\",\"kind\":\"unheard-of\"}", NULL));
    assert_false(agrees("{}", NULL));
    assert_false(agrees(
        "{\"name\":\"a\",\"kind\":\"decode\",\"hex\":\"4105\",\"value\":{\"t\":\"int32\",\"v\":6}}",
        NULL));
    assert_false(agrees("{\"name\":\"a\",\"kind\":\"packed_int\",\"value\":{\"t\":\"packed32\","
                        "\"v\":1},\"hex\":\"02\"}",
                        NULL));
    assert_false(agrees(
        "{\"name\":\"a\",\"kind\":\"malformed\",\"hex\":\"4105\",\"outcome\":\"reject\"}", NULL));
    assert_false(
        agrees("{\"name\":\"a\",\"kind\":\"malformed\",\"hex\":\"41\",\"outcome\":\"accept\","
               "\"value\":{\"t\":\"int32\",\"v\":5}}",
               NULL));
    assert_false(agrees("{\"name\":\"a\",\"kind\":\"extract\",\"binary\":\"15010000410540\","
                        "\"path\":[0],\"as\":null,"
                        "\"found\":true,\"slice_type\":-2,\"slice_offset\":5,\"slice\":\"4105\","
                        "\"outcome\":\"accept\","
                        "\"result\":{\"t\":\"int32\",\"v\":5},\"result_hex\":\"4105\"}",
                        NULL));
    assert_true(agrees("{\"name\":\"a\",\"kind\":\"extract\",\"binary\":\"15010000410540\","
                       "\"path\":[0],\"as\":null,"
                       "\"found\":true,\"slice_type\":-2,\"slice_offset\":4,\"slice\":\"4105\","
                       "\"outcome\":\"accept\","
                       "\"result\":{\"t\":\"int32\",\"v\":5},\"result_hex\":\"4105\"}",
                       NULL));
    assert_false(agrees(
        "{\"name\":\"a\",\"kind\":\"update\",\"binary\":\"15010000410540\",\"path\":[0],"
        "\"new\":{\"t\":\"int32\",\"v\":6},\"outcome\":\"accept\",\"result\":\"15010000410740\"}",
        NULL));
}

/* A deviation must be one, and we must do what it says. */
static void a_deviation_is_held_to_its_word(void **state)
{
    static const char line[] =
        "{\"name\":\"a\",\"kind\":\"malformed\",\"hex\":\"5b40\",\"outcome\":\"accept\","
        "\"value\":{\"t\":\"map\",\"v\":[]}}";

    (void)state;
    assert_false(agrees(line, NULL));
    assert_true(agrees(line, "{\"kind\":\"deviation\",\"name\":\"a\",\"outcome\":\"reject\"}"));
    assert_false(agrees(line, "{\"kind\":\"deviation\",\"name\":\"a\",\"outcome\":\"accept\","
                              "\"value\":{\"t\":\"null\"}}"));
    assert_false(
        agrees("{\"name\":\"a\",\"kind\":\"malformed\",\"hex\":\"41\",\"outcome\":\"reject\"}",
               "{\"kind\":\"deviation\",\"name\":\"a\",\"outcome\":\"reject\"}"));
}

static bool equal_texts(const char *a, const char *b)
{
    json_t *node_a = json_loads(a, 0, NULL);
    json_t *node_b = json_loads(b, 0, NULL);

    assert_non_null(node_a);
    assert_non_null(node_b);
    bool equal = node_equal(node_a, node_b);
    json_decref(node_a);
    json_decref(node_b);
    return equal;
}

/* The comparison that the judge leans on tells values apart, and only values. */
static void nodes_are_compared_by_value(void **state)
{
    (void)state;
    assert_true(equal_texts("{\"t\":\"int32\",\"v\":1}", "{\"v\":1,\"t\":\"int32\"}"));
    assert_false(equal_texts("{\"t\":\"int32\",\"v\":1}", "{\"t\":\"int32\",\"v\":2}"));
    assert_false(equal_texts("{\"t\":\"int32\",\"v\":1}", "{\"t\":\"int16\",\"v\":1}"));
    assert_true(equal_texts("{\"t\":\"float32\",\"bits\":\"00\",\"v\":\"0\"}",
                            "{\"t\":\"float32\",\"bits\":\"00\"}"));
    assert_false(equal_texts("{\"t\":\"string\",\"v\":\"a\"}", "{\"t\":\"string\",\"v\":\"b\"}"));
    assert_false(
        equal_texts("{\"t\":\"collection\",\"v\":[1,2]}", "{\"t\":\"collection\",\"v\":[2,1]}"));
    assert_true(
        equal_texts("{\"t\":\"map\",\"v\":[[1,2],[3,4]]}", "{\"t\":\"map\",\"v\":[[3,4],[1,2]]}"));
    assert_false(
        equal_texts("{\"t\":\"map\",\"v\":[[1,2],[3,4]]}", "{\"t\":\"map\",\"v\":[[1,4],[3,2]]}"));
    assert_false(equal_texts("[{\"t\":\"user\",\"label\":\"a\"},{\"t\":\"user\",\"label\":\"b\"},"
                             "{\"t\":\"ref\",\"label\":\"a\"}]",
                             "[{\"t\":\"user\",\"label\":\"a\"},{\"t\":\"user\",\"label\":\"b\"},"
                             "{\"t\":\"ref\",\"label\":\"b\"}]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_compared_by_value),
        cmocka_unit_test(a_line_that_is_wrong_fails),
        cmocka_unit_test(a_deviation_is_held_to_its_word),
        cmocka_unit_test(every_golden_vector_agrees_or_is_a_listed_deviation),
    };

    return RUN_TESTS(tests);
}
