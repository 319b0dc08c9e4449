#include "client/cli/object.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/cli/pof_field.h"
#include "wire/assert.h"
#include "wire/pof/binary.h"
#include "wire/suggest.h"

enum { OBJECT_NAME_SHOWN_MAX = 60 };

__attribute__((format(printf, 2, 3))) static bool complain(char *problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, OBJECT_PROBLEM_MAX, format, arguments);
    va_end(arguments);
    return false;
}

bool object_init(struct object *object, const struct pof_schema_type *type)
{
    *object = (struct object){.type = type};
    arena_init(&object->arena, 0);
    object->values = calloc(type->field_count + 1, sizeof *object->values);
    return object->values != NULL;
}

void object_fini(struct object *object)
{
    arena_fini(&object->arena);
    free(object->values);
    object->values = NULL;
}

static void object_clear(struct object *object)
{
    arena_reset(&object->arena);
    for (size_t i = 0; i < object->type->field_count; i++) {
        object->values[i] =
            (struct field_value){.kind = types_kind_of(object->type->fields[i].shape)};
    }
}

/* The number of the field called `name`; field_count when there is none. The columns of a file
 * mostly stand in the type's order, so the search begins at `hint`. */
static size_t field_number(const struct pof_schema_type *type, struct bytes name, size_t hint)
{
    for (size_t i = 0; i < type->field_count; i++) {
        size_t at = (hint + i) % type->field_count;
        if (bytes_equal(name, bytes_of_text(type->fields[at].name))) {
            return at;
        }
    }
    return type->field_count;
}

static bool unknown_field(const struct pof_schema_type *type, struct bytes name, char *problem)
{
    char word[OBJECT_NAME_SHOWN_MAX + 1];
    snprintf(word, sizeof word, "%.*s",
             (int)(name.size < OBJECT_NAME_SHOWN_MAX ? name.size : OBJECT_NAME_SHOWN_MAX),
             (const char *)name.data);
    struct suggest suggest = {.word = word};
    for (size_t i = 0; i < type->field_count; i++) {
        suggest_offer(&suggest, type->fields[i].name);
    }
    if (suggest.nearest != NULL) {
        return complain(problem, "unknown field '%s' of type %s; did you mean '%s'?", word,
                        type->name, suggest.nearest);
    }
    return complain(problem, "unknown field '%s': type %s has none of this name", word, type->name);
}

static bool read_cell(struct object *object, const struct cell *cell, size_t hint, char *problem)
{
    const struct pof_schema_type *type = object->type;
    if (cell->name.size == 0 && cell->json == NULL) {
        return true; /* a column to be skipped */
    }
    size_t number = field_number(type, cell->name, hint);
    if (number == type->field_count) {
        return unknown_field(type, cell->name, problem);
    }
    char reason[FIELD_PROBLEM_MAX];
    if (!field_read(cell, types_kind_of(type->fields[number].shape), &object->arena,
                    &object->values[number], reason)) {
        return complain(problem, "field '%s': %s", type->fields[number].name, reason);
    }
    return true;
}

bool object_read(struct object *object, const struct row *row, char *problem)
{
    object_clear(object);
    for (size_t i = 0; i < row->cell_count; i++) {
        if (!read_cell(object, &row->cells[i], i, problem)) {
            return false;
        }
    }
    return true;
}

bool object_key_fits(enum types_kind kind)
{
    return kind == TYPES_STRING || kind == TYPES_OCTET || kind == TYPES_INT16 ||
           kind == TYPES_INT32 || kind == TYPES_INT64;
}

bool object_key(const struct object *object, const struct pof_schema_field *field, qn_arg *key,
                char *problem)
{
    const struct pof_schema_type *type = object->type;
    size_t number = field_number(type, bytes_of_text(field->name), 0);
    qn_assert(number < type->field_count && object_key_fits(types_kind_of(field->shape)));
    const struct field_value *value = &object->values[number];
    if (!value->present) {
        return complain(problem, "missing key: field '%s' is empty", field->name);
    }
    if (types_kind_of(field->shape) != TYPES_STRING) {
        *key = qn_int(value->number);
        return true;
    }
    if (value->text.size == 0) {
        return complain(problem, "missing key: field '%s' is an empty string", field->name);
    }
    *key = qn_text((const char *)value->text.data, value->text.size);
    return true;
}

enum qn_status object_encode(const struct object *object, struct buf *out)
{
    const struct pof_schema_type *type = object->type;
    struct pof_writer writer;
    pof_writer_init_binary(&writer, out);
    pof_begin_user(&writer, POF_NEXT, type->id, type->version);
    for (size_t i = 0; i < type->field_count; i++) {
        if (object->values[i].present) {
            pof_field_write(&writer, type->fields[i].index, &object->values[i]);
        }
    }
    pof_end(&writer);
    return pof_writer_finish(&writer);
}

static bool enter_object(struct pof_reader *reader, const struct pof_schema_type *type,
                         struct bytes binary, char *problem)
{
    struct bytes pof;
    struct pof_value value;
    enum qn_status status = pof_binary_value(binary, &pof);
    if (status != QN_OK) {
        return complain(problem, "not an object: %s", qn_status_text(status));
    }
    pof_reader_init(reader, pof);
    status = pof_reader_next(reader, &value);
    if (status != QN_OK) {
        return complain(problem, "not an object: %s", qn_status_text(status));
    }
    if (value.kind != POF_KIND_USER || value.type != type->id) {
        return complain(problem, "an object of type id %" PRId32 ", not %" PRId32 " (%s)",
                        value.type, type->id, type->name);
    }
    status = pof_reader_enter(reader);
    return status == QN_OK || complain(problem, "not an object: %s", qn_status_text(status));
}

bool object_decode(struct object *object, struct bytes binary, char *problem)
{
    const struct pof_schema_type *type = object->type;
    struct pof_reader reader;
    object_clear(object);
    if (!enter_object(&reader, type, binary, problem)) {
        return false;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        struct pof_value value;
        enum qn_status status = pof_reader_find(&reader, type->fields[i].index, &value);
        if (status == QN_OK) {
            status = pof_field_read(&reader, &value, types_kind_of(type->fields[i].shape),
                                    &object->arena, &object->values[i]);
        }
        if (status != QN_OK && status != QN_ABSENT) {
            return complain(problem, "field '%s': %s", type->fields[i].name,
                            qn_status_text(status));
        }
    }
    return true;
}

size_t object_difference(const struct object *a, const struct object *b, size_t from)
{
    qn_assert(a->type == b->type);
    size_t i = from;
    while (i < a->type->field_count && field_equal(&a->values[i], &b->values[i])) {
        i++;
    }
    return i;
}
