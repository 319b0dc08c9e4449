/* Lines of pof-navigate.jsonl. */
#include "tests/lib/pof/judge_parts.h"
#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/vectors.h"
#include "wire/pof/binary.h"
#include "wire/pof/packed.h"
#include "wire/pof/path.h"

#include <stdio.h>

/* A path of a line. */
struct steps {
    int32_t steps[POF_PATH_MAX + 1];
    struct pof_path path;
};

static void take_path(const json_t *line, struct steps *steps)
{
    const json_t *list = json_object_get(line, "path");
    size_t count = json_array_size(list);

    steps->path.steps = steps->steps;
    steps->path.count = count <= POF_PATH_MAX ? count : POF_PATH_MAX + 1;
    for (size_t i = 0; i < steps->path.count; i++) {
        steps->steps[i] = (int32_t)json_integer_value(json_array_get(list, i));
    }
}

static bool is_accepted(const json_t *line)
{
    return strcmp(vector_text(line, "outcome"), "accept") == 0;
}

/* Append a found value as one value of its own: a bare one gets its type id. */
static enum qn_status put_target(const struct pof_target *target, struct buf *out)
{
    uint8_t type[PACKED_64_SIZE_MAX];
    enum qn_status status = QN_OK;

    if (target->bare) {
        status = buf_append(out, type, packed_put(type, target->type));
    }
    return status == QN_OK ? buf_append(out, target->octets.data, target->octets.size) : status;
}

/* Where the reference implementation counts offsets from: the format octet of the value, or its int
 * decoration. Below a root with an identity its offsets come out too high by what stands in front
 * of the root's type id. */
static const uint8_t *origin_of(const json_t *line, struct bytes binary, struct bytes pof)
{
    bool below = json_array_size(json_object_get(line, "path")) > 0;
    const uint8_t *origin = binary.data[0] == 0x0d ? binary.data : pof.data - 1;
    struct bytes rest = pof;
    int32_t type = 0;
    int32_t identity;

    if (below && packed_take32(&rest, &type) == QN_OK && type == POF_IDENTITY &&
        packed_take32(&rest, &identity) == QN_OK) {
        origin -= rest.data - origin;
    }
    return origin;
}

/* What the line says of the place of the target. */
static void judge_place(struct judgement *j, const json_t *line, const uint8_t *origin,
                        const struct pof_target *target)
{
    const json_t *insert = json_object_get(line, "insert_offset");
    char offset[32];
    char theirs[32];

    if (json_is_boolean(json_object_get(line, "found")) &&
        json_is_true(json_object_get(line, "found")) != target->found) {
        judge_fail(j, "found", target->found ? "false" : "true", target->found ? "true" : "false");
        return;
    }
    if (json_is_true(json_object_get(line, "below_missing")) != target->below_missing) {
        judge_fail(j, "below_missing", "as the line says", "the other");
    }
    if (target->found) {
        judge_hex(j, "slice", vector_text(line, "slice"), target->octets);
        if (vector_int(line, "slice_type") != target->type) {
            judge_fail(j, "slice_type", "that of the line", "another");
        }
    }
    if (target->found || insert) {
        const char *key = target->found ? "slice_offset" : "insert_offset";
        snprintf(offset, sizeof offset, "%d",
                 (int)((intptr_t)target->octets.data - (intptr_t)origin));
        snprintf(theirs, sizeof theirs, "%d", (int)vector_int(line, key));
        if (strcmp(offset, theirs) != 0) {
            judge_fail(j, key, theirs, offset);
        }
    }
}

/* A number as a node of the type asked for. False: it does not fit, or that is no type of numbers.
 */
static bool number_as(const struct pof_value *value, const char *as, json_t **node)
{
    int64_t whole = 0;
    double real = 0;
    struct pof_value made = {0};

    if (strcmp(as, "float32") == 0 || strcmp(as, "float64") == 0) {
        made.kind = strcmp(as, "float32") == 0 ? POF_KIND_FLOAT32 : POF_KIND_FLOAT64;
        if (value && pof_value_float64(value, &real) != QN_OK) {
            return false;
        }
        if (made.kind == POF_KIND_FLOAT32) {
            made.as.float32 = (float)real;
        } else {
            made.as.float64 = real;
        }
        return node_of(&made, node) == QN_OK;
    }
    if (value && pof_value_int64(value, &whole) != QN_OK) {
        return false;
    }
    if (strcmp(as, "bool") == 0) {
        made.kind = POF_KIND_BOOL;
        made.as.boolean = whole != 0;
    } else if (strcmp(as, "octet") == 0) {
        made.kind = POF_KIND_OCTET;
        made.as.octet = (uint8_t)whole;
    } else if (strcmp(as, "char") == 0) {
        made.kind = POF_KIND_CHAR;
        made.as.character = (uint16_t)whole;
    } else {
        made.kind = strcmp(as, "int16") == 0   ? POF_KIND_INT16
                    : strcmp(as, "int32") == 0 ? POF_KIND_INT32
                                               : POF_KIND_INT64;
        made.as.integer = whole;
    }
    return node_of(&made, node) == QN_OK;
}

static bool is_number_type(const char *as)
{
    static const char *const types[] = {"bool",  "octet", "char",    "int16",
                                        "int32", "int64", "float32", "float64"};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i], as) == 0) {
            return true;
        }
    }
    return false;
}

/* The value of the target as the type asked for (NULL: whatever it is). */
static enum qn_status convert(const struct pof_target *target, const char *as, json_t **node)
{
    struct buf octets = {0};
    bool null = target->found && target->value.kind == POF_KIND_NULL;

    if (null || (!target->found && !(as && is_number_type(as)))) {
        *node = json_pack("{s:s}", "t", "null");
        return QN_OK;
    }
    if (as && is_number_type(as)) {
        return number_as(target->found ? &target->value : NULL, as, node) ? QN_OK : QN_WRONG_TYPE;
    }
    enum qn_status status = put_target(target, &octets);
    if (status == QN_OK) {
        status = node_read(buf_bytes(&octets), node);
    }
    buf_fini(&octets);
    bool other = status == QN_OK && as && strcmp(vector_text(*node, "t"), as) != 0;
    return other ? QN_WRONG_TYPE : status;
}

static void judge_result(struct judgement *j, const json_t *line, json_t *node)
{
    const char *hex = json_string_value(json_object_get(line, "result_hex"));
    struct node_writer nw;
    struct buf out = {0};

    judge_node(j, "result", json_object_get(line, "result"), node);
    if (hex && j->passed) {
        node_writer_init(&nw, &out, false);
        node_write(&nw, POF_NEXT, "object", node);
        if (node_writer_finish(&nw) == QN_OK) {
            judge_hex(j, "result_hex", hex, buf_bytes(&out));
        } else {
            judge_fail(j, "result_hex", hex, "nothing that can be written");
        }
    }
    buf_fini(&out);
}

void judge_extract(struct judgement *j, json_t *line)
{
    const char *as = json_string_value(json_object_get(line, "as"));
    struct buf binary = {0};
    struct steps steps;
    struct pof_target target;
    struct bytes pof;
    json_t *node = NULL;

    hex_append(&binary, vector_text(line, "binary"));
    take_path(line, &steps);
    enum qn_status status = pof_binary_value(buf_bytes(&binary), &pof);
    if (status == QN_OK) {
        status = pof_path_find(pof, steps.path, &target);
    }
    if (status == QN_OK && is_accepted(line)) {
        judge_place(j, line, origin_of(line, buf_bytes(&binary), pof), &target);
    }
    if (status == QN_OK) {
        status = convert(&target, as, &node);
    }
    if (is_accepted(line) && status == QN_OK) {
        judge_result(j, line, node);
    } else if (is_accepted(line) || status == QN_OK) {
        judge_fail(j, "extract", vector_text(line, "outcome"), qn_status_name(status));
    }
    json_decref(node);
    buf_fini(&binary);
}

void judge_update(struct judgement *j, json_t *line)
{
    struct buf binary = {0};
    struct buf new = {0};
    struct buf out = {0};
    struct steps steps;
    struct node_writer nw;

    hex_append(&binary, vector_text(line, "binary"));
    take_path(line, &steps);
    node_writer_init(&nw, &new, false);
    node_write(&nw, POF_NEXT, "object", json_object_get(line, "new"));
    enum qn_status status = node_writer_finish(&nw);
    if (status == QN_OK) {
        status = pof_path_update(&out, buf_bytes(&binary), steps.path, buf_bytes(&new));
    }
    if (is_accepted(line) && status == QN_OK) {
        judge_hex(j, "result", vector_text(line, "result"), buf_bytes(&out));
    } else if (is_accepted(line) || status == QN_OK) {
        judge_fail(j, "update", vector_text(line, "outcome"), qn_status_name(status));
    }
    buf_fini(&binary);
    buf_fini(&new);
    buf_fini(&out);
}
