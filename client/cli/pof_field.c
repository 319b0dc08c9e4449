#include "client/cli/pof_field.h"

#include <limits.h>

static void write_strings(struct pof_writer *writer, int32_t index, const struct field_value *value)
{
    int32_t count = value->item_count <= INT32_MAX ? (int32_t)value->item_count : INT32_MAX;
    pof_begin_uniform_array(writer, index, POF_STRING, count);
    for (int32_t i = 0; i < count; i++) {
        pof_write_string(writer, POF_NEXT, value->items[i]);
    }
    pof_end(writer);
}

/* Numbers, bools and chars, which have a small form. */
static void write_scalar(struct pof_writer *writer, int32_t index, const struct field_value *value)
{
    bool real = value->kind == TYPES_FLOAT32 || value->kind == TYPES_FLOAT64;
    bool zero = real ? value->real >= 0 && value->real <= 0 : value->number == 0;
    if (zero) {
        pof_writer_full(writer);
    }
    switch (value->kind) {
    case TYPES_BOOL:
        pof_write_bool(writer, index, value->number != 0);
        break;
    case TYPES_OCTET:
        pof_write_octet(writer, index, (uint8_t)value->number);
        break;
    case TYPES_CHAR:
        pof_write_char(writer, index, (uint16_t)value->number);
        break;
    case TYPES_INT16:
        pof_write_int16(writer, index, (int16_t)value->number);
        break;
    case TYPES_INT32:
        pof_write_int32(writer, index, (int32_t)value->number);
        break;
    case TYPES_INT64:
        pof_write_int64(writer, index, value->number);
        break;
    case TYPES_FLOAT32:
        pof_write_float32(writer, index, (float)value->real);
        break;
    case TYPES_FLOAT64:
        pof_write_float64(writer, index, value->real);
        break;
    case TYPES_STRING:
    case TYPES_OCTETS:
    case TYPES_DATE:
    case TYPES_TIME:
    case TYPES_DATETIME:
    case TYPES_STRINGS:
    case TYPES_OTHER:
        break;
    }
}

void pof_field_write(struct pof_writer *writer, int32_t index, const struct field_value *value)
{
    switch (value->kind) {
    case TYPES_BOOL:
    case TYPES_OCTET:
    case TYPES_CHAR:
    case TYPES_INT16:
    case TYPES_INT32:
    case TYPES_INT64:
    case TYPES_FLOAT32:
    case TYPES_FLOAT64:
        write_scalar(writer, index, value);
        break;
    case TYPES_STRING:
        pof_write_string(writer, index, value->text);
        break;
    case TYPES_OCTETS:
        pof_write_octets(writer, index, value->text);
        break;
    case TYPES_DATE:
        pof_write_date(writer, index, value->date);
        break;
    case TYPES_TIME:
        pof_write_time(writer, index, value->time);
        break;
    case TYPES_DATETIME:
        pof_write_datetime(writer, index, value->datetime);
        break;
    case TYPES_STRINGS:
        write_strings(writer, index, value);
        break;
    case TYPES_OTHER:
        break;
    }
}

/* ---- reading ---- */

/* A number of any width, from `min` to `max`. The top value of an octet and a char is stored as -1.
 */
static enum qn_status read_number(const struct pof_value *value, int64_t min, int64_t max,
                                  struct field_value *field)
{
    enum qn_status status = QN_OK;
    if (value->kind == POF_KIND_BOOL) {
        field->number = value->as.boolean;
    } else if (value->kind == POF_KIND_OCTET) {
        field->number = value->as.octet;
    } else if (value->kind == POF_KIND_CHAR) {
        field->number = value->as.character;
    } else {
        status = pof_value_int64(value, &field->number);
    }
    bool top = field->kind == TYPES_OCTET || field->kind == TYPES_CHAR;
    if (top && field->number == -1) {
        field->number = max;
    }
    bool fits = field->number >= min && field->number <= max;
    return status == QN_OK && !fits ? QN_WRONG_TYPE : status;
}

static enum qn_status read_text(const struct pof_value *value, struct field_value *field)
{
    if (value->kind == POF_KIND_STRING && field->kind == TYPES_STRING) {
        field->text = value->as.text;
        return QN_OK;
    }
    if (value->kind == POF_KIND_OCTETS && field->kind == TYPES_OCTETS) {
        field->text = value->as.octets;
        return QN_OK;
    }
    return QN_WRONG_TYPE;
}

static enum qn_status read_clock(const struct pof_value *value, struct field_value *field)
{
    if (value->kind == POF_KIND_DATE && field->kind == TYPES_DATE) {
        field->date = value->as.date;
        return QN_OK;
    }
    if (value->kind == POF_KIND_TIME && field->kind == TYPES_TIME) {
        field->time = value->as.time;
        return QN_OK;
    }
    if (value->kind == POF_KIND_DATETIME && field->kind == TYPES_DATETIME) {
        field->datetime = value->as.datetime;
        return QN_OK;
    }
    return QN_WRONG_TYPE;
}

/* The count was checked by the reader against the octets that remain. */
static enum qn_status read_items(struct pof_reader *reader, size_t count, struct arena *arena,
                                 struct field_value *field)
{
    struct bytes *items = arena_calloc(arena, count + 1, sizeof *items);
    if (items == NULL) {
        return QN_MEMORY_FULL;
    }
    for (size_t i = 0; i < count; i++) {
        struct pof_value item;
        enum qn_status status = pof_reader_next(reader, &item);
        if (status != QN_OK) {
            return status;
        }
        if (item.kind != POF_KIND_STRING) {
            return QN_WRONG_TYPE;
        }
        items[i] = item.as.text;
    }
    field->items = items;
    field->item_count = count;
    return QN_OK;
}

static enum qn_status read_strings(struct pof_reader *reader, const struct pof_value *value,
                                   struct arena *arena, struct field_value *field)
{
    if (value->kind != POF_KIND_ARRAY && value->kind != POF_KIND_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    enum qn_status status = pof_reader_enter(reader);
    if (status != QN_OK) {
        return status;
    }
    status = read_items(reader, (size_t)value->as.items.count, arena, field);
    enum qn_status left = pof_reader_leave(reader);
    return status != QN_OK ? status : left;
}

enum qn_status pof_field_read(struct pof_reader *reader, const struct pof_value *value,
                              enum types_kind kind, struct arena *arena, struct field_value *field)
{
    *field = (struct field_value){.kind = kind, .present = value->kind != POF_KIND_NULL};
    if (!field->present) {
        return QN_OK;
    }
    switch (kind) {
    case TYPES_BOOL:
        return read_number(value, 0, 1, field);
    case TYPES_OCTET:
        return read_number(value, 0, UINT8_MAX, field);
    case TYPES_CHAR:
        return read_number(value, 0, UINT16_MAX, field);
    case TYPES_INT16:
        return read_number(value, INT16_MIN, INT16_MAX, field);
    case TYPES_INT32:
        return read_number(value, INT32_MIN, INT32_MAX, field);
    case TYPES_INT64:
        return read_number(value, INT64_MIN, INT64_MAX, field);
    case TYPES_FLOAT32:
    case TYPES_FLOAT64:
        return pof_value_float64(value, &field->real);
    case TYPES_STRING:
    case TYPES_OCTETS:
        return read_text(value, field);
    case TYPES_DATE:
    case TYPES_TIME:
    case TYPES_DATETIME:
        return read_clock(value, field);
    case TYPES_STRINGS:
        return read_strings(reader, value, arena, field);
    case TYPES_OTHER:
        break;
    }
    return QN_WRONG_TYPE;
}
