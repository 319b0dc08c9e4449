/* Every line of tests/vectors/pof-malformed.jsonl: read as the reference implementation reads it,
 * or refused, or one of the differences listed here. Nothing may crash. */
#include "tests/unit/pof/nodes.h"
#include "tests/unit/pof/vectors.h"
#include "wire/pof/binary.h"

/* What we do otherwise, and why. `status` is ours; with QN_OK they refuse it or read another value.
 */
static const struct difference {
    const char *name;
    enum qn_status status;
    const char *why;
} differences[] = {
    {"packed/int32-6-bytes", QN_MALFORMED, "the number does not fit"},
    {"packed/int32-5-bytes-high-bits", QN_MALFORMED, "the number does not fit"},
    {"packed/int32-10-bytes-one-at-end", QN_MALFORMED, "the number does not fit"},
    {"packed/int64-11-bytes-one-at-end", QN_MALFORMED, "the number does not fit"},
    {"packed/int128-129-bits", QN_MALFORMED, "the number does not fit"},
    {"packed/int32-1000-bytes", QN_MALFORMED, "more padding than anybody writes"},
    {"length/map-minus-1", QN_MALFORMED, "no count is negative"},
    {"length/uniform-map-minus-1", QN_MALFORMED, "no count is negative"},
    {"length/uniform-of-zero-byte-elements-1e6", QN_TOO_LARGE, "above POF_EMPTY_MAX"},
    {"type/unregistered-user-5", QN_OK, "a reader without classes knows no unknown class"},
    {"type/unregistered-user-max", QN_OK, "a reader without classes knows no unknown class"},
    {"type/unregistered-in-collection", QN_OK, "a reader without classes knows no unknown class"},
    {"type/uniform-element-unregistered", QN_OK, "a reader without classes knows no unknown class"},
    {"utf/f8-five-byte-form", QN_MALFORMED, "garbage there"},
    {"utf/overlong-4", QN_MALFORMED, "garbage there"},
    {"utf/above-10ffff", QN_MALFORMED, "garbage there"},
    {"time/zone-type-3", QN_MALFORMED, "no such zone"},
    {"time/zone-type-255", QN_MALFORMED, "no such zone"},
    {"user/version-minus-1", QN_MALFORMED, "no version is negative"},
    {"user/version-min", QN_MALFORMED, "no version is negative"},
    {"user/property-index-max", QN_OK, "lost there"},
    {"sparse/more-entries-than-size", QN_OK, "lost there"},
    {"identity/nested", QN_MALFORMED, "nobody writes two identities"},
    {"binary/format-00-null", QN_WRONG_TYPE, "not POF"},
    {"binary/format-01-int", QN_WRONG_TYPE, "not POF"},
    {"binary/format-06-string", QN_WRONG_TYPE, "not POF"},
    {"binary/format-11-bool", QN_WRONG_TYPE, "not POF"},
    {"binary/deco-value-not-pof", QN_WRONG_TYPE, "not POF"},
    {"skip/string-length-minus-1", QN_OK, "a fault there: the rest of the object is lost"},
    {"skip/sparse-dense", QN_OK, "a fault there: the rest of the object is lost"},
    {"skip/sparse-size-0", QN_OK, "a fault there: the rest of the object is lost"},
    {"skip/uniform-sparse-dense", QN_OK, "a fault there: the rest of the object is lost"},
    {"skip/uniform-users-with-identity", QN_OK, "not supported there"},
    {"skip/char-f0", QN_MALFORMED, "no char begins so"},
    {"skip/octet-string-past-end", QN_MALFORMED, "no length is negative"},
};
enum { DIFFERENCES = sizeof differences / sizeof differences[0] };

struct run {
    int accepted;  /* both read it, to the same value */
    int refused;   /* both refuse it */
    int different; /* as listed */
    bool met[DIFFERENCES];
};

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
    if (status == QN_ABSENT || (status == QN_OK && value.kind == POF_KIND_NULL)) {
        *node = json_pack("{s:s}", "t", "null");
        status = QN_OK;
    } else if (status == QN_OK && value.kind == POF_KIND_INT32) {
        *node = json_pack("{s:s, s:I}", "t", "int32", "v", (json_int_t)value.as.integer);
    } else if (status == QN_OK) {
        status = QN_WRONG_TYPE;
    }
    return status == QN_OK ? pof_read_remainder(&r, &remainder) : status;
}

static enum qn_status read_line(const json_t *line, json_t **node)
{
    const char *kind = vector_text(line, "kind");
    struct buf octets = {0};
    struct bytes pof;
    enum qn_status status = QN_OK;

    vector_octets(line, &octets);
    pof = buf_bytes(&octets);
    if (strcmp(kind, "skip") == 0) {
        status = read_property(pof, (int32_t)vector_int(line, "read_property"), node);
    } else {
        if (strcmp(kind, "malformed-binary") == 0) {
            status = pof_binary_value(pof, &pof);
        }
        if (status == QN_OK) {
            status = node_read(pof, node);
        }
    }
    buf_fini(&octets);
    return status;
}

static const struct difference *difference_of(const char *name, struct run *run)
{
    for (size_t i = 0; i < DIFFERENCES; i++) {
        if (strcmp(differences[i].name, name) == 0) {
            run->met[i] = true;
            return &differences[i];
        }
    }
    return NULL;
}

static void check_line(json_t *line, void *context)
{
    struct run *run = context;
    const char *name = vector_text(line, "name");
    bool accept = strcmp(vector_text(line, "outcome"), "accept") == 0;
    json_t *value = json_object_get(line, "value");
    json_t *node = NULL;

    enum qn_status status = read_line(line, &node);
    bool same = accept ? status == QN_OK && (!json_is_object(value) || node_equal(node, value))
                       : status != QN_OK;
    const struct difference *difference = difference_of(name, run);
    json_decref(node);
    if (difference) {
        if (same || status != difference->status) {
            fail_msg("%s: %s; listed: %s", name, qn_status_name(status), difference->why);
        }
        run->different++;
    } else if (!same) {
        fail_msg("%s: %s, but theirs is %s", name, qn_status_name(status),
                 accept ? "to accept" : "to refuse");
    } else if (accept) {
        run->accepted++;
    } else {
        run->refused++;
    }
}

/* 217 lines; a difference that is not listed, or listed but not there, fails. */
static void unusual_octets_are_read_or_refused_as_listed(void **state)
{
    struct run run = {0};

    (void)state;
    assert_int_equal(vectors_each("pof-malformed.jsonl", check_line, &run), 217);
    print_message("accepted %d, refused %d, different %d\n", run.accepted, run.refused,
                  run.different);
    for (size_t i = 0; i < DIFFERENCES; i++) {
        if (!run.met[i]) {
            fail_msg("%s is listed, but not there", differences[i].name);
        }
    }
    assert_int_equal(run.accepted + run.refused + run.different, 217);
    assert_int_equal(run.different, DIFFERENCES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusual_octets_are_read_or_refused_as_listed),
    };

    return RUN_TESTS(tests);
}
