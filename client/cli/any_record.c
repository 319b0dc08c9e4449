#define _GNU_SOURCE
#include "client/cli/any_record.h"

#include <stdio.h>

#include "client/cli/text.h"
#include "wire/pof/binary.h"
#include "wire/pof/json/json.h"
#include "wire/pof/reader.h"

void any_record_fini(struct any_record *record)
{
    buf_fini(&record->key);
    buf_fini(&record->value);
}

/* ---- writing ---- */

static enum qn_status append_text(struct buf *out, const char *text)
{
    return buf_append(out, text, strlen(text));
}

static enum qn_status append_hex(struct buf *out, struct bytes octets)
{
    enum qn_status status = append_text(out, "\"");
    status = status == QN_OK ? text_hex(octets, out) : status;
    return status == QN_OK ? append_text(out, "\"") : status;
}

static enum qn_status append_binary(struct buf *out, struct bytes binary,
                                    const struct pof_schema *schema)
{
    const struct pof_json_options options = {.schema = schema};
    struct bytes pof;
    enum qn_status status = pof_binary_value(binary, &pof);
    status = status == QN_OK ? pof_json_write(out, pof, &options) : status;
    return status == QN_OK || status == QN_MEMORY_FULL ? status : append_hex(out, binary);
}

enum qn_status any_record_write(struct buf *out, struct bytes key, const struct bytes *value,
                                const struct pof_schema *schema)
{
    enum qn_status status = append_text(out, "{\"key\": ");
    status = status == QN_OK ? append_binary(out, key, schema) : status;
    if (value != NULL) {
        status = status == QN_OK ? append_text(out, ", \"value\": ") : status;
        status = status == QN_OK ? append_binary(out, *value, schema) : status;
    }
    return status == QN_OK ? append_text(out, "}") : status;
}

/* ---- reading ---- */

static bool wrong(char *problem, const char *text)
{
    snprintf(problem, ANY_RECORD_PROBLEM_MAX, "%s", text);
    return false;
}

/* The value that `reader` stands in front of, as a Binary. */
static enum qn_status take_binary(struct pof_reader *reader, struct buf *binary)
{
    static const uint8_t format = POF_BINARY_FORMAT;
    struct pof_value value;
    struct bytes begin = reader->rest;
    struct bytes end = begin;
    enum qn_status status = pof_skip(&end);
    buf_clear(binary);
    status = status == QN_OK ? buf_append(binary, &format, 1) : status;
    status = status == QN_OK ? buf_append(binary, begin.data, begin.size - end.size) : status;
    return status == QN_OK ? pof_reader_next(reader, &value) : status;
}

static bool is_named(const struct pof_value *value, const char *name)
{
    return value->kind == POF_KIND_STRING && bytes_equal(value->as.text, bytes_of_text(name));
}

/* The members of the record, which has become a map. */
static bool take_members(struct pof_reader *reader, struct any_record *record, char *problem)
{
    struct pof_value name;
    enum qn_status status = QN_OK;
    bool key = false;
    bool value = false;
    while (status == QN_OK && (status = pof_reader_next(reader, &name)) == QN_OK) {
        if (is_named(&name, "key") && !key) {
            key = true;
            status = take_binary(reader, &record->key);
        } else if (is_named(&name, "value") && !value) {
            value = true;
            status = take_binary(reader, &record->value);
        } else {
            return wrong(problem,
                         "a record without a type has \"key\" and \"value\", once each; for others "
                         "give --type NAME of the types file");
        }
    }
    if (status != QN_ABSENT) {
        return wrong(problem, qn_status_text(status));
    }
    return key && value ? true
                        : wrong(problem, "a record without a type needs \"key\" and \"value\"");
}

bool any_record_read(struct bytes json, const struct pof_schema *schema, struct any_record *record,
                     char *problem)
{
    const struct pof_json_options options = {.schema = schema};
    struct pof_json_problem told = {.line = 0};
    struct pof_reader reader;
    struct pof_value value;
    struct buf pof = {.size = 0};
    enum qn_status status = pof_json_read(&pof, json, &options, &told);
    bool right = status == QN_OK;
    if (!right) {
        snprintf(problem, ANY_RECORD_PROBLEM_MAX, "%s",
                 told.text[0] != '\0' ? told.text : qn_status_text(status));
    } else {
        pof_reader_init(&reader, buf_bytes(&pof));
        right = pof_reader_next(&reader, &value) == QN_OK && value.kind == POF_KIND_MAP &&
                        pof_reader_enter(&reader) == QN_OK
                    ? take_members(&reader, record, problem)
                    : wrong(problem, "a record is an object in braces");
    }
    buf_fini(&pof);
    return right;
}
