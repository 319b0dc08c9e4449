#define _GNU_SOURCE
#include "client/cli/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "client/cli/render.h"
#include "client/cli/text.h"
#include "wire/assert.h"
#include "wire/pof/binary.h"
#include "wire/pof/reader.h"

void record_fini(struct record *record)
{
    buf_fini(&record->key);
    buf_fini(&record->value);
}

__attribute__((format(printf, 2, 3))) static bool complain(char *problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, RECORD_PROBLEM_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- writing ---- */

static enum qn_status append_text(struct buf *out, const char *text)
{
    return buf_append(out, text, strlen(text));
}

/* What cannot be read back is at least shown; what cannot be shown, as its octets. */
static enum qn_status append_inexact(struct buf *out, const struct form *form, struct bytes binary)
{
    struct buf shown = {.size = 0};
    enum qn_status status = render_json(out, binary, form);
    if (status != QN_OK && status != QN_MEMORY_FULL) {
        status = text_hex(binary, &shown);
        status = status == QN_OK ? render_string(out, buf_bytes(&shown)) : status;
    }
    buf_fini(&shown);
    return status;
}

static enum qn_status append_binary(struct buf *out, const struct form *form, struct bytes binary,
                                    const struct pof_shape *shape, bool *exact)
{
    struct pof_json_options options = form_json(form);
    struct bytes pof;
    options.shape = shape;
    enum qn_status status = pof_binary_value(binary, &pof);
    status = status == QN_OK ? pof_json_write(out, pof, &options) : status;
    if (status == QN_OK || status == QN_MEMORY_FULL) {
        return status;
    }
    *exact = false;
    return append_inexact(out, form, binary);
}

/* Is the value an object of the type? */
static bool check_type(const struct form *form, struct bytes binary, char *problem)
{
    struct bytes pof;
    struct pof_reader reader;
    struct pof_value value;
    enum qn_status status = pof_binary_value(binary, &pof);
    if (status == QN_OK) {
        pof_reader_init(&reader, pof);
        status = pof_reader_next(&reader, &value);
    }
    if (status == QN_OK && value.kind == POF_KIND_USER) {
        return value.type == form->type->id ||
               complain(problem, "an object of type id %" PRId32 ", not %" PRId32 " (%s)",
                        value.type, form->type->id, form->type->name);
    }
    return complain(problem, "not an object of type %s%s%s", form->type->name,
                    status < QN_OK ? ": " : "", status < QN_OK ? qn_status_text(status) : "");
}

static enum qn_status write_any(struct buf *out, const struct form *form, struct bytes key,
                                const struct bytes *value, bool *exact)
{
    enum qn_status status = append_text(out, "{\"key\": ");
    status = status == QN_OK ? append_binary(out, form, key, NULL, exact) : status;
    if (value != NULL) {
        status = status == QN_OK ? append_text(out, ", \"value\": ") : status;
        status = status == QN_OK ? append_binary(out, form, *value, NULL, exact) : status;
    }
    return status == QN_OK ? append_text(out, "}") : status;
}

/* An object of the type, which cannot be a record when it is damaged inside. */
static enum qn_status write_typed(struct buf *out, const struct form *form, struct bytes value,
                                  bool *exact, char *problem)
{
    const struct pof_json_options options = form_json(form);
    struct bytes pof;
    enum qn_status status = pof_binary_value(value, &pof);
    status = status == QN_OK ? pof_json_write(out, pof, &options) : status;
    if (status == QN_UNSUPPORTED) {
        *exact = false;
        status = render_json(out, value, form);
    }
    if (status == QN_OK || status == QN_MEMORY_FULL) {
        return status;
    }
    complain(problem, "cannot be read as %s: %s", form->type->name, qn_status_text(status));
    return QN_INVALID;
}

enum qn_status record_write(struct buf *out, const struct form *form, struct bytes key,
                            struct bytes value, bool *exact, char *problem)
{
    size_t before = out->size;
    *exact = true;
    if (form->type != NULL && !check_type(form, value, problem)) {
        return QN_INVALID;
    }
    enum qn_status status = form->type != NULL ? write_typed(out, form, value, exact, problem)
                                               : write_any(out, form, key, &value, exact);
    if (status != QN_OK) {
        out->size = before;
    }
    return status;
}

const char *record_name(const struct form *form, const struct pof_schema_field *field)
{
    const struct pof_view_field rule =
        pof_view_rule(pof_view_type(form->view, form->type->id), field->index);
    return rule.action == POF_VIEW_SHOW && rule.name != NULL ? rule.name : field->name;
}

enum qn_status record_write_key(struct buf *out, const struct form *form, struct bytes key,
                                bool *exact)
{
    size_t before = out->size;
    *exact = true;
    enum qn_status status = QN_OK;
    if (form->key == NULL) {
        status = write_any(out, form, key, NULL, exact);
    } else {
        status = append_text(out, "{");
        status = status == QN_OK ? render_string(out, bytes_of_text(record_name(form, form->key)))
                                 : status;
        status = status == QN_OK ? append_text(out, ": ") : status;
        status = status == QN_OK ? append_binary(out, form, key, form->key->shape, exact) : status;
        status = status == QN_OK ? append_text(out, "}") : status;
    }
    if (status != QN_OK) {
        out->size = before;
    }
    return status;
}

/* ---- reading ---- */

/* JSON to a Binary. A record that is no JSON at all is told apart, and where it stops being some.
 */
static bool read_binary(struct buf *binary, const struct form *form, struct bytes json,
                        char *problem)
{
    static const uint8_t format = POF_BINARY_FORMAT;
    const struct pof_json_options options = form_json(form);
    struct pof_json_problem told = {.line = 0};
    buf_clear(binary);
    enum qn_status status = buf_append(binary, &format, 1);
    status = status == QN_OK ? pof_json_read(binary, json, &options, &told) : status;
    if (status == QN_OK) {
        return true;
    }
    if (status == QN_MALFORMED && told.line > 1) {
        return complain(problem, "not JSON: %s at column %" PRIu32 " of its line %" PRIu32,
                        told.text, told.column, told.line);
    }
    if (status == QN_MALFORMED) {
        return complain(problem, "not JSON: %s at column %" PRIu32, told.text, told.column);
    }
    return complain(problem, "%s", *told.text != '\0' ? told.text : qn_status_text(status));
}

bool record_read_value(struct buf *value, const struct form *form, struct bytes json, char *problem)
{
    qn_assert(form->type != NULL);
    return read_binary(value, form, json, problem) && check_type(form, buf_bytes(value), problem);
}

/* The property that is the key. */
static enum qn_status find_key(const struct form *form, struct bytes value,
                               struct pof_value *property)
{
    struct bytes pof;
    struct pof_reader reader;
    enum qn_status status = pof_binary_value(value, &pof);
    if (status != QN_OK) {
        return status;
    }
    pof_reader_init(&reader, pof);
    status = pof_reader_next(&reader, property);
    status = status == QN_OK ? pof_reader_enter(&reader) : status;
    return status == QN_OK ? pof_reader_find(&reader, form->key->index, property) : status;
}

static bool made(enum qn_status status, char *problem)
{
    return status == QN_OK || complain(problem, "%s", qn_status_text(status));
}

bool record_read_key(struct buf *key, const struct form *form, struct bytes value, char *problem)
{
    const char *name = record_name(form, form->key);
    struct pof_value property = {.kind = POF_KIND_NULL};
    int64_t number = 0;
    buf_clear(key);
    enum qn_status status = find_key(form, value, &property);
    if (status != QN_OK && status != QN_ABSENT) {
        return made(status, problem);
    }
    if (status == QN_ABSENT || property.kind == POF_KIND_NULL) {
        return complain(problem, "missing key: field '%s' is empty", name);
    }
    if (property.kind == POF_KIND_STRING) {
        return property.as.text.size > 0
                   ? made(pof_binary_string(key, property.as.text), problem)
                   : complain(problem, "missing key: field '%s' is an empty string", name);
    }
    if (property.kind == POF_KIND_OCTET) {
        number = property.as.octet;
    } else if (pof_value_int64(&property, &number) != QN_OK) {
        return complain(problem, "the key, field '%s', is neither text nor a whole number", name);
    }
    if (form->key->shape->kind == POF_SHAPE_OCTET && number == -1) {
        number = UINT8_MAX; /* its small form */
    }
    return made(pof_binary_int64(key, number), problem);
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
static bool take_members(struct pof_reader *reader, struct record *record, char *problem)
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
            return complain(problem, "a record without a type has \"key\" and \"value\", once "
                                     "each; for others give --type NAME of the types file");
        }
    }
    if (status != QN_ABSENT) {
        return made(status, problem);
    }
    return (key && value) ||
           complain(problem, "a record without a type needs \"key\" and \"value\"");
}

static bool read_any(struct record *record, const struct form *form, struct bytes json,
                     char *problem)
{
    struct pof_reader reader;
    struct pof_value value;
    struct buf whole = {.size = 0};
    bool right = read_binary(&whole, form, json, problem);
    if (right) {
        pof_reader_init(&reader, bytes_of(whole.data + 1, whole.size - 1));
        right = pof_reader_next(&reader, &value) == QN_OK && value.kind == POF_KIND_MAP &&
                        pof_reader_enter(&reader) == QN_OK
                    ? take_members(&reader, record, problem)
                    : complain(problem, "a record is an object in braces");
    }
    buf_fini(&whole);
    return right;
}

bool record_read(struct record *record, const struct form *form, struct bytes json, char *problem)
{
    if (form->type == NULL) {
        return read_any(record, form, json, problem);
    }
    return record_read_value(&record->value, form, json, problem) &&
           record_read_key(&record->key, form, buf_bytes(&record->value), problem);
}
