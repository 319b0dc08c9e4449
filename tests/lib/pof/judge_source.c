/* Objects that a program of another version has read and written again. */
#include "tests/lib/pof/judge_parts.h"
#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/vectors.h"
#include "wire/pof/path.h"

/* Where we are in the octets that were read. */
struct source {
    struct bytes pof;
    int32_t steps[POF_PATH_MAX];
    size_t depth;
};

static void judge_object(struct judgement *j, struct source *source, json_t *user);

/* A property that the program knew has the value that it wrote again. */
static void judge_property(struct judgement *j, struct source *source, json_t *property)
{
    json_t *node = json_object_get(property, "n");
    struct pof_target target;
    json_t *read = NULL;

    if (source->depth == POF_PATH_MAX) {
        judge_fail(j, "source", "an object", "one that is too deep");
        return;
    }
    source->steps[source->depth++] = (int32_t)vector_int(property, "i");
    if (strcmp(vector_text(node, "t"), "user") == 0) {
        judge_object(j, source, node);
    } else {
        struct pof_path path = {source->steps, source->depth};
        enum qn_status status = pof_path_find(source->pof, path, &target);
        bool absent = status == QN_OK && !target.found; /* then the program has set it itself */
        if (status == QN_OK && target.found) {
            status = node_read(target.octets, &read);
        }
        if (!absent) {
            judge_node(j, "source", node, read);
        }
        json_decref(read);
    }
    source->depth--;
}

/* What is left of an object behind the properties known is what was kept. */
static void judge_remainder(struct judgement *j, const struct source *source, const json_t *user)
{
    const json_t *props = json_object_get(user, "props");
    struct pof_target target;
    struct pof_reader r;
    struct pof_value value;
    struct bytes remainder = {0};
    size_t i;
    json_t *property;

    enum qn_status status =
        pof_path_find(source->pof, (struct pof_path){source->steps, source->depth}, &target);
    if (status == QN_OK) {
        pof_path_reader(&target, &r);
        status = pof_reader_next(&r, &value);
    }
    if (status == QN_OK) {
        status = pof_reader_enter(&r);
    }
    json_array_foreach(props, i, property)
    {
        if (status >= QN_OK) {
            status = pof_reader_find(&r, (int32_t)vector_int(property, "i"), &value);
        }
    }
    if (status >= QN_OK) {
        status = pof_read_remainder(&r, &remainder);
    }
    if (status != QN_OK) {
        judge_fail(j, "source", "an object", qn_status_name(status));
    }
    judge_hex(j, "remainder", vector_text(user, "remainder"), remainder);
}

static void judge_object(struct judgement *j, struct source *source, json_t *user)
{
    size_t i;
    json_t *property;

    json_array_foreach(json_object_get(user, "props"), i, property)
    {
        judge_property(j, source, property);
    }
    judge_remainder(j, source, user);
}

void judge_source(struct judgement *j, json_t *line)
{
    struct buf octets = {0};
    struct source source = {.depth = 0};

    hex_append(&octets, vector_text(line, "source_hex"));
    source.pof = buf_bytes(&octets);
    judge_object(j, &source, json_object_get(line, "value"));
    buf_fini(&octets);
}
