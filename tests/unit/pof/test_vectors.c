/* Every line of tests/vectors/pof.jsonl: our octets are theirs, and their octets read as their
 * value. */
#include "tests/unit/pof/large.h"
#include "tests/unit/pof/nodes.h"
#include "tests/unit/pof/sha256.h"
#include "tests/unit/pof/vectors.h"
#include "wire/pof/binary.h"
#include "wire/pof/packed.h"

/* How many lines of a kind were written, read and compared; a line that is passed over silently
 * would change these. */
struct tally {
    const char *kind;
    int encoded;
    int decoded;
    int compared; /* lines that say what reading gives */
};

static const struct tally expected[] = {
    {"packed_int", 41, 41, 41}, {"null", 1, 1, 1},       {"bool", 4, 4, 4},
    {"octet", 22, 22, 22},      {"char", 34, 34, 34},    {"int16", 32, 32, 32},
    {"int32", 66, 66, 66},      {"int64", 18, 18, 18},   {"int128", 30, 30, 30},
    {"float32", 63, 63, 63},    {"float64", 62, 62, 62}, {"float128", 3, 3, 3},
    {"decimal", 28, 28, 28},    {"string", 24, 24, 24},  {"octets", 6, 6, 6},
    {"date", 5, 5, 5},          {"time", 13, 13, 13},    {"datetime", 6, 6, 6},
    {"interval", 14, 14, 14},   {"array", 49, 49, 49},   {"collection", 14, 14, 14},
    {"sparse", 11, 11, 11},     {"map", 13, 13, 13},     {"user", 32, 32, 32},
    {"nested", 4, 4, 4},        {"evolvable", 7, 7, 3},  {"portable_type", 3, 3, 0},
    {"reference", 16, 16, 16},  {"decode", 0, 62, 62},   {"binary", 15, 15, 15},
    {"large", 9, 9, 0},         {"random", 60, 60, 60},
};
enum { KINDS = sizeof expected / sizeof expected[0] };

struct run {
    struct tally tallies[KINDS];
    const json_t *line; /* the present one */
};

static struct tally *tally_of(struct run *run)
{
    const char *kind = vector_text(run->line, "kind");

    size_t i = 0;

    while (i < KINDS && strcmp(expected[i].kind, kind) != 0) {
        i++;
    }
    assert_true(i < KINDS); /* an unknown kind */
    return &run->tallies[i % KINDS];
}

static void check(const struct run *run, bool condition, const char *what)
{
    if (!condition) {
        fail_msg("%s: %s", vector_text(run->line, "name"), what);
    }
}

static void check_packed(struct run *run)
{
    const json_t *value = json_object_get(run->line, "value");
    int64_t number = vector_int(value, "v");
    int64_t back = 0;
    uint8_t octets[PACKED_64_SIZE_MAX];
    struct buf hex = {0};

    hex_append(&hex, vector_text(run->line, "hex"));
    size_t size = packed_put(octets, number);
    check(run, bytes_equal(bytes_of(octets, size), buf_bytes(&hex)), "other octets");
    struct bytes in = buf_bytes(&hex);
    if (strcmp(vector_text(value, "t"), "packed32") == 0) {
        int32_t narrow = 0;
        check(run, packed_take32(&in, &narrow) == QN_OK, "not read");
        back = narrow;
    } else {
        check(run, packed_take64(&in, &back) == QN_OK, "not read");
    }
    check(run, back == number && in.size == 0, "reads as another number");
    buf_fini(&hex);
    tally_of(run)->encoded++;
    tally_of(run)->decoded++;
    tally_of(run)->compared++;
}

/* Write the line's value with a node writer. */
static void encode_node(struct run *run, struct buf *out)
{
    struct node_writer nw;
    const char *mode = vector_text(run->line, "m");

    node_writer_init(&nw, out, json_is_true(json_object_get(run->line, "refs")));
    node_write(&nw, POF_NEXT, mode, json_object_get(run->line, "value"));
    enum qn_status status = node_writer_finish(&nw);
    check(run, status == QN_OK, qn_status_name(status));
}

static void check_encoded(struct run *run, struct bytes ours)
{
    struct buf theirs = {0};

    hex_append(&theirs, vector_text(run->line, "hex"));
    if (!bytes_equal(ours, buf_bytes(&theirs))) {
        json_t *hex = hex_of(ours);
        fail_msg("%s:\n%s, but should be\n%s", vector_text(run->line, "name"),
                 json_string_value(hex), vector_text(run->line, "hex"));
    }
    buf_fini(&theirs);
    tally_of(run)->encoded++;
}

/* Skipping finds the same end as writing did. References in uniform containers need the table of
 * identities, which skipping does without: there it must say so. */
static void check_skip(const struct run *run, struct bytes pof, size_t trailing)
{
    struct bytes in = pof;

    if (strstr(vector_text(run->line, "name"), "reference/uniform-")) {
        check(run, pof_skip(&in) == QN_UNSUPPORTED, "skipped, by guess");
        return;
    }
    check(run, pof_skip(&in) == QN_OK, "not skipped");
    check(run, in.size == trailing, "skipped to another place");
}

/* Reading gives `value`, where the line has one. */
static void check_decoded(struct run *run, struct bytes pof, json_t *value)
{
    json_t *node = NULL;
    enum qn_status status = node_read(pof, &node);

    check(run, status == QN_OK, qn_status_name(status));
    tally_of(run)->decoded++;
    if (value) {
        if (!node_equal(node, value)) {
            char *text = json_dumps(node, JSON_COMPACT);
            fail_msg("%s: reads as %s", vector_text(run->line, "name"), text);
        }
        tally_of(run)->compared++;
    }
    json_decref(node);
}

/* The octets of the line's value as a Binary, decorated as the line says. */
static void encode_binary(struct run *run, struct buf *out)
{
    static const uint8_t format = POF_BINARY_FORMAT;
    const json_t *list = json_object_get(run->line, "decorations");
    struct buf plain = {0};
    struct pof_decoration decorations[8];
    struct buf octets[8] = {{0}};
    size_t count = json_array_size(list);

    assert_int_equal(buf_append(&plain, &format, 1), QN_OK);
    encode_node(run, &plain);
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(list, i);
        hex_append(&octets[i], json_string_value(json_array_get(pair, 1)));
        decorations[i].id = (uint32_t)json_integer_value(json_array_get(pair, 0));
        decorations[i].octets = buf_bytes(&octets[i]);
    }
    if (count > 0) {
        assert_int_equal(pof_binary_decorate(out, buf_bytes(&plain), decorations, count), QN_OK);
    } else if (json_object_get(run->line, "int_decoration")) {
        int32_t decoration = (int32_t)vector_int(run->line, "int_decoration");
        assert_int_equal(pof_binary_decorate_int(out, buf_bytes(&plain), decoration), QN_OK);
    } else {
        assert_int_equal(buf_append(out, plain.data, plain.size), QN_OK);
    }
    for (size_t i = 0; i < count; i++) {
        buf_fini(&octets[i]);
    }
    buf_fini(&plain);
}

static void check_binary(struct run *run)
{
    struct buf binary = {0};
    struct bytes pof;

    encode_binary(run, &binary);
    check_encoded(run, buf_bytes(&binary));
    check(run, pof_binary_value(buf_bytes(&binary), &pof) == QN_OK, "no value found");
    check_decoded(run, pof, json_object_get(run->line, "value"));
    buf_fini(&binary);
}

/* Go through everything; returns the number of values. */
static size_t walk(struct pof_reader *r)
{
    struct pof_value value;
    size_t count = 0;
    uint32_t depth = 0;

    for (;;) {
        enum qn_status status = pof_reader_next(r, &value);
        assert_true(status >= QN_OK);
        if (status == QN_ABSENT) {
            if (depth == 0) {
                return count;
            }
            assert_int_equal(pof_reader_leave(r), QN_OK);
            depth--;
            continue;
        }
        count++;
        if (pof_kind_is_container(value.kind)) {
            assert_int_equal(pof_reader_enter(r), QN_OK);
            depth++;
        }
    }
}

static void check_large(struct run *run)
{
    struct pof_writer w;
    struct pof_reader r;
    struct buf out = {0};
    struct buf digest = {0};
    uint8_t ours[32];

    pof_writer_init(&w, &out);
    check(run, large_write(&w, vector_text(run->line, "name")), "no rule for it");
    check(run, pof_writer_finish(&w) == QN_OK, "not written");
    hex_append(&digest, vector_text(run->line, "sha256"));
    sha256(buf_bytes(&out), ours);
    check(run, out.size == (size_t)vector_int(run->line, "length"), "another length");
    check(run, bytes_equal(bytes_of(ours, 32), buf_bytes(&digest)), "another digest");
    check_skip(run, buf_bytes(&out), 0);
    pof_reader_init(&r, buf_bytes(&out));
    check(run, walk(&r) > 0, "nothing in it");
    buf_fini(&out);
    buf_fini(&digest);
    tally_of(run)->encoded++;
    tally_of(run)->decoded++;
}

static void check_value(struct run *run)
{
    bool decode_only = strcmp(vector_text(run->line, "kind"), "decode") == 0;
    bool trailing = strcmp(vector_text(run->line, "name"), "decode/trailing-bytes-ignored") == 0;
    struct buf out = {0};

    if (decode_only) {
        hex_append(&out, vector_text(run->line, "hex"));
    } else {
        encode_node(run, &out);
        check_encoded(run, buf_bytes(&out));
    }
    check_skip(run, buf_bytes(&out), trailing ? 2 : 0);
    check_decoded(run, buf_bytes(&out),
                  json_object_get(run->line, decode_only ? "value" : "decoded"));
    buf_fini(&out);
}

static void check_line(json_t *line, void *context)
{
    struct run *run = context;
    const char *kind = vector_text(line, "kind");

    run->line = line;
    if (strcmp(kind, "packed_int") == 0) {
        check_packed(run);
    } else if (strcmp(kind, "binary") == 0) {
        check_binary(run);
    } else if (strcmp(kind, "large") == 0) {
        check_large(run);
    } else {
        check_value(run);
    }
}

/* All 767 lines, and not one less (tests/vectors/README.md). */
static void every_golden_vector_is_written_and_read(void **state)
{
    struct run run = {.line = NULL};
    int encoded = 0;

    (void)state;
    assert_int_equal(vectors_each("pof.jsonl", check_line, &run), 767);
    for (size_t i = 0; i < KINDS; i++) {
        struct tally *t = &run.tallies[i];
        print_message("%-14s encoded %3d, decoded %3d, compared %3d\n", expected[i].kind,
                      t->encoded, t->decoded, t->compared);
        assert_int_equal(t->encoded, expected[i].encoded);
        assert_int_equal(t->decoded, expected[i].decoded);
        assert_int_equal(t->compared, expected[i].compared);
        encoded += t->encoded;
    }
    assert_int_equal(encoded, 767 - 62);
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

/* The comparison that the test above leans on tells values apart, and only values. */
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
        cmocka_unit_test(every_golden_vector_is_written_and_read),
    };

    return RUN_TESTS(tests);
}
