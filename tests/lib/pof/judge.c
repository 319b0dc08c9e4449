#include "tests/lib/pof/judge.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/pof/judge_parts.h"
#include "tests/lib/pof/large.h"
#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/sha256.h"
#include "tests/lib/pof/vectors.h"
#include "wire/pof/binary.h"
#include "wire/pof/packed.h"

void judge_fail(struct judgement *j, const char *what, const char *expected, const char *got)
{
    if (j->passed) {
        j->passed = false;
        snprintf(j->text, sizeof j->text, "%s: expected %.500s, got %.500s", what, expected, got);
    }
}

void judge_hex(struct judgement *j, const char *what, const char *hex, struct bytes octets)
{
    json_t *ours = hex_of(octets);

    if (strcmp(json_string_value(ours), hex) != 0) {
        judge_fail(j, what, hex, json_string_value(ours));
    }
    json_decref(ours);
}

void judge_node(struct judgement *j, const char *what, json_t *expected, json_t *node)
{
    if (!expected || !node || !node_equal(node, expected)) {
        char *theirs = expected ? json_dumps(expected, JSON_COMPACT) : NULL;
        char *ours = node ? json_dumps(node, JSON_COMPACT) : NULL;
        judge_fail(j, what, theirs ? theirs : "a value", ours ? ours : "none");
        free(theirs);
        free(ours);
    }
}

static bool is(const json_t *line, const char *key, const char *word)
{
    return strcmp(vector_text(line, key), word) == 0;
}

/* -- pof.jsonl -- */

static void judge_packed(struct judgement *j, json_t *line)
{
    const json_t *value = json_object_get(line, "value");
    const char *hex = vector_text(line, "hex");
    int64_t number = vector_int(value, "v");
    uint8_t octets[PACKED_64_SIZE_MAX];
    struct buf theirs = {0};
    enum qn_status status;
    int64_t back = 0;
    int32_t narrow = 0;

    judge_hex(j, "octets", hex, bytes_of(octets, packed_put(octets, number)));
    hex_append(&theirs, hex);
    struct bytes in = buf_bytes(&theirs);
    if (is(value, "t", "packed32")) {
        status = packed_take32(&in, &narrow);
        back = narrow;
    } else {
        status = packed_take64(&in, &back);
    }
    if (status != QN_OK || back != number || in.size != 0) {
        judge_fail(j, "reading", "the number", qn_status_name(status));
    }
    buf_fini(&theirs);
}

/* The line's value, written. */
static void write_node(struct judgement *j, json_t *line, struct buf *out)
{
    struct node_writer nw;

    node_writer_init(&nw, out, json_is_true(json_object_get(line, "refs")));
    node_write(&nw, POF_NEXT, vector_text(line, "m"), json_object_get(line, "value"));
    enum qn_status status = node_writer_finish(&nw);
    if (status != QN_OK) {
        judge_fail(j, "writing", "octets", qn_status_name(status));
    }
}

/* Reading gives `value` (NULL: not known, only that it reads), and skipping ends where it does.
 * Where references may stand in uniform containers, skipping says that it does without them. */
static void judge_reading(struct judgement *j, struct bytes pof, json_t *value, bool refs)
{
    json_t *node = NULL;
    struct bytes rest = {0};
    struct bytes skipped = pof;
    enum qn_status status = node_take(pof, &node, &rest);

    if (status != QN_OK) {
        judge_fail(j, "reading", "a value", qn_status_name(status));
    } else if (value) {
        judge_node(j, "reading", value, node);
    }
    json_decref(node);
    status = pof_skip(&skipped);
    if (status != QN_OK && !(refs && status == QN_UNSUPPORTED)) {
        judge_fail(j, "skipping", "an end", qn_status_name(status));
    } else if (status == QN_OK && skipped.size != rest.size) {
        judge_fail(j, "skipping", "the end that reading finds", "another");
    }
}

/* The octets of the line's value as a Binary, decorated as the line says. */
static void write_binary(struct judgement *j, json_t *line, struct buf *out)
{
    static const uint8_t format = POF_BINARY_FORMAT;
    const json_t *list = json_object_get(line, "decorations");
    const json_t *number = json_object_get(line, "int_decoration");
    struct buf plain = {0};
    struct pof_decoration decorations[64];
    struct buf octets[64] = {{0}};
    size_t count = json_array_size(list) < 64 ? json_array_size(list) : 64;

    enum qn_status status = buf_append(&plain, &format, 1);
    write_node(j, line, &plain);
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(list, i);
        const char *hex = json_string_value(json_array_get(pair, 1));
        hex_append(&octets[i], hex ? hex : "");
        decorations[i].id = (uint32_t)json_integer_value(json_array_get(pair, 0));
        decorations[i].octets = buf_bytes(&octets[i]);
    }
    if (status == QN_OK && count > 0) {
        status = pof_binary_decorate(out, buf_bytes(&plain), decorations, count);
    } else if (status == QN_OK && number) {
        status =
            pof_binary_decorate_int(out, buf_bytes(&plain), (int32_t)json_integer_value(number));
    } else if (status == QN_OK) {
        status = buf_append(out, plain.data, plain.size);
    }
    if (status != QN_OK) {
        judge_fail(j, "decorating", "octets", qn_status_name(status));
    }
    for (size_t i = 0; i < count; i++) {
        buf_fini(&octets[i]);
    }
    buf_fini(&plain);
}

static void judge_binary(struct judgement *j, json_t *line)
{
    struct buf binary = {0};
    struct bytes pof;

    write_binary(j, line, &binary);
    judge_hex(j, "octets", vector_text(line, "hex"), buf_bytes(&binary));
    enum qn_status status = pof_binary_value(buf_bytes(&binary), &pof);
    if (status == QN_OK) {
        judge_reading(j, pof, json_object_get(line, "value"), false);
    } else {
        judge_fail(j, "finding the value", "a value", qn_status_name(status));
    }
    buf_fini(&binary);
}

static void judge_large(struct judgement *j, json_t *line)
{
    struct pof_writer w;
    struct buf out = {0};
    uint8_t digest[32];
    bool refs = json_is_true(json_object_get(line, "refs"));

    pof_writer_init(&w, &out);
    if (refs) {
        pof_writer_enable_references(&w);
    }
    if (!large_write(&w, vector_text(json_object_get(line, "value"), "rule"))) {
        judge_fail(j, "rule", "one that this program knows", "another");
    }
    if (pof_writer_finish(&w) != QN_OK || out.size != (size_t)vector_int(line, "length") ||
        out.size < 64) {
        judge_fail(j, "octets", "as many as the line says", "others");
        buf_fini(&out);
        return;
    }
    sha256(buf_bytes(&out), digest);
    judge_hex(j, "sha256", vector_text(line, "sha256"), bytes_of(digest, sizeof digest));
    judge_hex(j, "head", vector_text(line, "head"), bytes_of(out.data, 64));
    judge_hex(j, "tail", vector_text(line, "tail"), bytes_of(out.data + out.size - 32, 32));
    judge_reading(j, buf_bytes(&out), NULL, refs);
    buf_fini(&out);
}

static void judge_value(struct judgement *j, json_t *line)
{
    struct buf out = {0};

    write_node(j, line, &out);
    judge_hex(j, "octets", vector_text(line, "hex"), buf_bytes(&out));
    judge_reading(j, buf_bytes(&out), json_object_get(line, "decoded"),
                  json_is_true(json_object_get(line, "refs")));
    if (json_object_get(line, "source_hex")) {
        judge_source(j, line);
    }
    buf_fini(&out);
}

static void judge_decode(struct judgement *j, json_t *line)
{
    struct buf octets = {0};

    hex_append(&octets, vector_text(line, "hex"));
    if (!json_object_get(line, "value")) {
        judge_fail(j, "line", "a value in it", "none");
    }
    judge_reading(j, buf_bytes(&octets), json_object_get(line, "value"), true);
    buf_fini(&octets);
}

/* -- pof-malformed.jsonl -- */

/* What a program does that wants one property: read it, then drop the rest. */
static enum qn_status read_property(struct bytes pof, int32_t index, json_t **node)
{
    struct pof_reader r;
    struct pof_value value;
    struct bytes remainder;

    pof_reader_init(&r, pof);
    enum qn_status status = pof_reader_next(&r, &value);
    if (status == QN_OK) {
        status = pof_reader_enter(&r);
    }
    if (status == QN_OK) {
        status = pof_reader_find(&r, index, &value);
    }
    if (status == QN_ABSENT) {
        *node = json_pack("{s:s}", "t", "null");
        status = QN_OK;
    } else if (status == QN_OK) {
        status = node_of(&value, node);
    }
    return status == QN_OK ? pof_read_remainder(&r, &remainder) : status;
}

/* The classes that the vectors' reader knew: another user type is an error where one is read. */
static bool is_registered(json_t *node)
{
    static const int64_t types[] = {0, 1, 2, 63, 64, 1000, 1001, 1002};
    bool known = !is(node, "t", "user");
    const char *key;
    size_t i;
    json_t *child;

    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        known = known || vector_int(node, "type") == types[k];
    }
    json_array_foreach(node, i, child)
    {
        known = known && is_registered(child);
    }
    json_object_foreach(node, key, child)
    {
        known = known && is_registered(child);
    }
    return known;
}

static enum qn_status read_octets(json_t *line, struct bytes octets, json_t **node)
{
    struct bytes pof = octets;
    enum qn_status status = QN_OK;

    if (is(line, "kind", "skip")) {
        return read_property(octets, (int32_t)vector_int(line, "read_property"), node);
    }
    if (is(line, "kind", "malformed-binary")) {
        status = pof_binary_value(octets, &pof);
    }
    if (status == QN_OK) {
        status = node_read(pof, node);
    }
    return status == QN_OK && !is_registered(*node) ? QN_UNSUPPORTED : status;
}

/* Is what we did what `line` says? Some lines give no value, but a note that there is one. */
static bool agrees(const json_t *line, enum qn_status status, json_t *node)
{
    json_t *value = json_object_get(line, "value");

    if (!is(line, "outcome", "accept")) {
        return is(line, "outcome", "reject") && status != QN_OK;
    }
    return status == QN_OK && value && (json_is_string(value) || node_equal(node, value));
}

static void judge_malformed(struct judgement *j, json_t *line)
{
    struct buf octets = {0};
    json_t *node = NULL;

    vector_octets(line, &octets);
    enum qn_status status = read_octets(line, buf_bytes(&octets), &node);
    if (!agrees(line, status, node)) {
        char *value = json_dumps(json_object_get(line, "value"), JSON_COMPACT | JSON_ENCODE_ANY);
        char *got = node ? json_dumps(node, JSON_COMPACT) : NULL;
        judge_fail(j, "reading", value ? value : vector_text(line, "outcome"),
                   got ? got : qn_status_name(status));
        free(value);
        free(got);
    }
    json_decref(node);
    buf_fini(&octets);
}

/* -- */

bool judge_is_deviation(const json_t *line)
{
    return is(line, "kind", "deviation");
}

/* Kinds of pof.jsonl that are written and read. */
static bool is_value_kind(const char *kind)
{
    static const char *const kinds[] = {
        "null",      "bool",          "octet",     "char",    "int16",    "int32",
        "int64",     "int128",        "float32",   "float64", "float128", "decimal",
        "string",    "octets",        "date",      "time",    "datetime", "interval",
        "array",     "collection",    "sparse",    "map",     "user",     "nested",
        "evolvable", "portable_type", "reference", "random",  "scalar",
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i], kind) == 0) {
            return true;
        }
    }
    return false;
}

static struct judgement judge_vector(json_t *line)
{
    struct judgement j = {.passed = true};
    const char *kind = vector_text(line, "kind");

    if (strcmp(kind, "packed_int") == 0) {
        judge_packed(&j, line);
    } else if (strcmp(kind, "binary") == 0) {
        judge_binary(&j, line);
    } else if (strcmp(kind, "large") == 0) {
        judge_large(&j, line);
    } else if (strcmp(kind, "decode") == 0) {
        judge_decode(&j, line);
    } else if (strcmp(kind, "malformed") == 0 || strcmp(kind, "malformed-binary") == 0 ||
               strcmp(kind, "skip") == 0) {
        judge_malformed(&j, line);
    } else if (strcmp(kind, "extract") == 0) {
        judge_extract(&j, line);
    } else if (strcmp(kind, "update") == 0) {
        judge_update(&j, line);
    } else if (is_value_kind(kind)) {
        judge_value(&j, line);
    } else {
        judge_fail(&j, "kind", "one of those in the README of the vectors", kind);
    }
    return j;
}

struct judgement judge_line(json_t *line, json_t *deviation)
{
    struct judgement j = judge_vector(line);
    const char *key;
    json_t *member;

    if (!deviation) {
        return j;
    }
    if (j.passed) {
        judge_fail(&j, "deviation", "a difference", "none: remove it from the list");
        return j;
    }
    json_t *ours = json_copy(line);
    json_object_foreach(deviation, key, member)
    {
        if (strcmp(key, "kind") != 0 && strcmp(key, "reason") != 0) {
            json_object_set(ours, key, member);
        }
    }
    j = judge_vector(ours);
    json_decref(ours);
    return j;
}
