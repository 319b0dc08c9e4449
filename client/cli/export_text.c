#define _GNU_SOURCE
#include "client/cli/export_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "client/cli/csv.h"
#include "client/cli/json_value.h"
#include "client/cli/render.h"
#include "wire/pof/binary.h"

enum { EXPORT_YEAR_MAX = 9999 };

bool export_text_init(struct export_text *text, const struct export_layout *layout,
                      uint64_t record_count)
{
    *text = (struct export_text){.layout = *layout, .record_count = record_count};
    return layout->type == NULL || object_init(&text->object, layout->type);
}

void export_text_fini(struct export_text *text)
{
    if (text->object.values != NULL) {
        object_fini(&text->object);
    }
    buf_fini(&text->again);
    any_record_fini(&text->any);
}

/* ---- one value as text ---- */

static enum qn_status append_text(struct buf *out, const char *text)
{
    return buf_append(out, text, strlen(text));
}

static enum qn_status append_json(struct buf *out, json_t *json)
{
    char *dumped = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY |
                                        JSON_REAL_PRECISION(json_value_digits(json)));
    enum qn_status status = dumped != NULL ? append_text(out, dumped) : QN_MEMORY_FULL;
    free(dumped);
    return status;
}

/* A cell: a string as it is, everything else as JSON. Takes the reference to `json`. */
static enum qn_status append_cell(struct buf *out, char delimiter, json_t *json)
{
    struct buf number = {.size = 0};
    enum qn_status status = QN_MEMORY_FULL;
    if (json_is_string(json)) {
        status =
            csv_quote(bytes_of(json_string_value(json), json_string_length(json)), delimiter, out);
    } else if (json != NULL) {
        status = append_json(&number, json);
        status = status == QN_OK ? csv_quote(buf_bytes(&number), delimiter, out) : status;
    }
    buf_fini(&number);
    json_decref(json);
    return status;
}

/* A Binary as JSON; one that cannot be read as its octets. */
static json_t *binary_json(struct bytes binary, const struct types *types)
{
    json_t *json = NULL;
    enum qn_status status = render_json(binary, types, &json);
    return status == QN_OK || status == QN_MEMORY_FULL ? json : json_value_octets(binary);
}

/* ---- the head: names of the columns ---- */

static bool is_column(const struct export_text *text, const struct pof_schema_field *field)
{
    return !text->layout.keys_only || field == text->layout.key;
}

static enum qn_status append_columns(const struct export_text *text, struct buf *out)
{
    const struct export_layout *layout = &text->layout;
    const char separator[] = {layout->delimiter, '\0'};
    if (layout->type == NULL) {
        enum qn_status status = append_text(out, "key");
        status = status == QN_OK && !layout->keys_only ? append_text(out, separator) : status;
        return status == QN_OK && !layout->keys_only ? append_text(out, "value") : status;
    }
    enum qn_status status = QN_OK;
    bool first = true;
    for (size_t i = 0; i < layout->type->field_count && status == QN_OK; i++) {
        const struct pof_schema_field *field = &layout->type->fields[i];
        if (is_column(text, field)) {
            status = first ? QN_OK : append_text(out, separator);
            status = status == QN_OK ? csv_quote(bytes_of_text(field->name), layout->delimiter, out)
                                     : status;
            first = false;
        }
    }
    return status;
}

enum qn_status export_text_head(const struct export_text *text, struct buf *out)
{
    switch (text->layout.format) {
    case ROWS_JSON:
        return append_text(out, "[");
    case ROWS_JSON_LINES:
        return QN_OK;
    case ROWS_CSV:
        break;
    }
    enum qn_status status = append_columns(text, out);
    return status == QN_OK ? append_text(out, "\n") : status;
}

enum qn_status export_text_tail(const struct export_text *text, struct buf *out)
{
    if (text->layout.format != ROWS_JSON) {
        return QN_OK;
    }
    return append_text(out, text->record_count > 0 ? "\n]\n" : "]\n");
}

/* ---- records ---- */

static enum qn_status append_cells(const struct export_text *text, struct buf *out)
{
    const struct export_layout *layout = &text->layout;
    const char separator[] = {layout->delimiter, '\0'};
    enum qn_status status = QN_OK;
    bool first = true;
    for (size_t i = 0; i < layout->type->field_count && status == QN_OK; i++) {
        const struct field_value *value = &text->object.values[i];
        if (!is_column(text, &layout->type->fields[i])) {
            continue;
        }
        status = first ? QN_OK : append_text(out, separator);
        if (status == QN_OK && value->present) {
            status = append_cell(out, layout->delimiter, field_json(value));
        }
        first = false;
    }
    return status;
}

static json_t *object_json(const struct export_text *text)
{
    const struct pof_schema_type *type = text->layout.type;
    json_t *json = json_object();
    bool made = json != NULL;
    for (size_t i = 0; i < type->field_count && made; i++) {
        const struct field_value *value = &text->object.values[i];
        if (value->present && is_column(text, &type->fields[i])) {
            made = json_object_set_new(json, type->fields[i].name, field_json(value)) == 0;
        }
    }
    if (!made) {
        json_decref(json);
    }
    return made ? json : NULL;
}

/* The record of an entry of any type. */
static enum qn_status append_any(const struct export_text *text, const struct export_entry *entry,
                                 struct buf *out)
{
    const struct export_layout *layout = &text->layout;
    if (layout->format != ROWS_CSV) {
        return any_record_write(out, entry->key, layout->keys_only ? NULL : &entry->value,
                                layout->types != NULL ? &layout->types->schema : NULL);
    }
    const char separator[] = {layout->delimiter, '\0'};
    json_t *key = binary_json(entry->key, layout->types);
    json_t *value = layout->keys_only ? json_null() : binary_json(entry->value, layout->types);
    enum qn_status status = append_cell(out, layout->delimiter, key);
    if (layout->keys_only) {
        json_decref(value);
        return status;
    }
    status = status == QN_OK ? append_text(out, separator) : status;
    enum qn_status second = append_cell(out, layout->delimiter, value);
    return status == QN_OK ? second : status;
}

static enum qn_status append_typed(const struct export_text *text, struct buf *out)
{
    if (text->layout.format == ROWS_CSV) {
        return append_cells(text, out);
    }
    json_t *record = object_json(text);
    enum qn_status status = record != NULL ? append_json(out, record) : QN_MEMORY_FULL;
    json_decref(record);
    return status;
}

/* ---- what import would make of it ---- */

/* Dates and characters that the text form does not have. */
static bool has_text_form(const struct field_value *value)
{
    if (!value->present) {
        return true;
    }
    if (value->kind == TYPES_CHAR) {
        return value->number < 0xd800 || value->number > 0xdfff;
    }
    const struct pof_date *date =
        value->kind == TYPES_DATETIME ? &value->datetime.date : &value->date;
    bool dated = value->kind == TYPES_DATE || value->kind == TYPES_DATETIME;
    return !dated || (date->year >= 0 && date->year <= EXPORT_YEAR_MAX);
}

static bool is_exact(struct export_text *text, struct bytes value)
{
    for (size_t i = 0; i < text->layout.type->field_count; i++) {
        if (!has_text_form(&text->object.values[i])) {
            return false;
        }
    }
    buf_clear(&text->again);
    return object_encode(&text->object, &text->again) == QN_OK &&
           bytes_equal(buf_bytes(&text->again), value);
}

/* Would import make the same octets of the record of any type, which is `json`? */
static bool is_exact_any(struct export_text *text, const struct export_entry *entry,
                         struct bytes json)
{
    const struct types *types = text->layout.types;
    char problem[ANY_RECORD_PROBLEM_MAX];
    return any_record_read(json, types != NULL ? &types->schema : NULL, &text->any, problem) &&
           bytes_equal(buf_bytes(&text->any.key), entry->key) &&
           bytes_equal(buf_bytes(&text->any.value), entry->value);
}

static bool is_own_key(struct export_text *text, struct bytes key)
{
    char problem[OBJECT_PROBLEM_MAX];
    qn_arg own;
    const struct pof_schema_field *field = text->layout.key;
    if (field == NULL || !object_key_fits(types_kind_of(field->shape)) ||
        !object_key(&text->object, field, &own, problem)) {
        return false;
    }
    buf_clear(&text->again);
    enum qn_status status = own.kind == QN_ARG_INT
                                ? pof_binary_int64(&text->again, own.number)
                                : pof_binary_string(&text->again, bytes_of(own.data, own.size));
    return status == QN_OK && bytes_equal(buf_bytes(&text->again), key);
}

/* The key as its field, for records that have nothing else. */
static bool take_key(struct export_text *text, struct bytes key, char *problem)
{
    const struct pof_schema_type *type = text->layout.type;
    size_t number = (size_t)(text->layout.key - type->fields);
    struct field_value *value = &text->object.values[number];
    *value = (struct field_value){.kind = types_kind_of(text->layout.key->shape), .present = true};
    enum qn_status status = value->kind == TYPES_STRING ? pof_binary_as_string(key, &value->text)
                                                        : pof_binary_as_int64(key, &value->number);
    if (status != QN_OK) {
        snprintf(problem, OBJECT_PROBLEM_MAX, "its key is no %s: %s", types_kind_name(value->kind),
                 qn_status_text(status));
    }
    return status == QN_OK;
}

static bool take_entry(struct export_text *text, const struct export_entry *entry, char *problem)
{
    if (text->layout.type == NULL) {
        return true;
    }
    return text->layout.keys_only ? take_key(text, entry->key, problem)
                                  : object_decode(&text->object, entry->value, problem);
}

static enum qn_status append_record(const struct export_text *text,
                                    const struct export_entry *entry, struct buf *out)
{
    enum qn_status status = QN_OK;
    bool array = text->layout.format == ROWS_JSON;
    if (array) {
        status = append_text(out, text->record_count > 0 ? ",\n" : "\n");
    }
    if (status == QN_OK) {
        status = text->layout.type != NULL ? append_typed(text, out) : append_any(text, entry, out);
    }
    return status == QN_OK && !array ? append_text(out, "\n") : status;
}

/* The record without what stands before it in an array. */
static struct bytes behind_comma(struct bytes json)
{
    size_t at = 0;
    while (at < json.size && json.data[at] != '{') {
        at++;
    }
    return bytes_of(json.data + at, json.size - at);
}

enum export_outcome export_text_entry(struct export_text *text, const struct export_entry *entry,
                                      struct buf *out, char problem[OBJECT_PROBLEM_MAX])
{
    size_t before = out->size;
    if (!take_entry(text, entry, problem)) {
        return EXPORT_REJECTED;
    }
    if (append_record(text, entry, out) != QN_OK) {
        out->size = before;
        return EXPORT_NO_MEMORY;
    }
    text->record_count++;
    if (text->layout.type != NULL && !text->layout.keys_only) {
        text->inexact_count += !is_exact(text, entry->value);
        text->other_key_count += !is_own_key(text, entry->key);
    } else if (text->layout.type == NULL && !text->layout.keys_only) {
        bool csv = text->layout.format == ROWS_CSV; /* texts and numbers look the same there */
        struct bytes json = bytes_of(out->data + before, out->size - before);
        json = text->layout.format == ROWS_JSON ? behind_comma(json) : json;
        text->inexact_count += csv || !is_exact_any(text, entry, json);
    }
    return EXPORT_WRITTEN;
}
