#include <math.h>

#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/text.h"
#include "wire/pof/typed_wide.h"

/* -- texts and octets -- */

enum qn_status struct_copy_octets(struct bytes from, struct pof_struct_memory *memory,
                                  struct bytes *to)
{
    uint8_t *at = arena_alloc(memory->arena, from.size + 1); /* never NULL for nothing */

    if (!at) {
        return QN_MEMORY_FULL;
    }
    if (from.size > 0) {
        memcpy(at, from.data, from.size);
    }
    at[from.size] = 0;
    *to = bytes_of(at, from.size);
    return QN_OK;
}

enum qn_status struct_standard_text(struct bytes text, struct pof_struct_memory *memory,
                                    struct bytes *standard)
{
    if (pof_text_check(text) == POF_TEXT_STANDARD) {
        *standard = text;
        return QN_OK;
    }
    struct buf out = {.data = arena_alloc(memory->arena, text.size + 1), .capacity = text.size};
    if (!out.data) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = pof_text_append(&out, text);
    *standard = buf_bytes(&out);
    return status;
}

static enum qn_status text_of(const struct pof_value *value, struct pof_struct_memory *memory,
                              struct bytes *text)
{
    if (value->type == POF_SMALL_EMPTY_COLLECTION) {
        *text = bytes_of("", 0);
        return QN_OK;
    }
    return value->kind == POF_KIND_STRING ? struct_standard_text(value->as.text, memory, text)
                                          : QN_WRONG_TYPE;
}

static enum qn_status read_text(const struct pof_value *value, const struct pof_field *field,
                                void *member, struct pof_struct_memory *memory)
{
    struct bytes text;
    struct bytes copied;
    enum qn_status status = text_of(value, memory, &text);

    if (status != QN_OK) {
        return status;
    }
    if (field->kind != POF_FIELD_STRING && text.size > 0 && memchr(text.data, 0, text.size)) {
        return QN_WRONG_TYPE; /* the struct could hold the part before the NUL only */
    }
    if (field->kind == POF_FIELD_CHARS) {
        if (text.size >= field->size) {
            return QN_TOO_LARGE;
        }
        memcpy(member, text.data, text.size);
        memset((char *)member + text.size, 0, field->size - text.size);
        return QN_OK;
    }
    if (field->kind == POF_FIELD_STRING && !memory->copy) {
        memcpy(member, &text, sizeof text);
        return QN_OK;
    }
    status = struct_copy_octets(text, memory, &copied);
    if (status != QN_OK) {
        return status;
    }
    if (field->kind == POF_FIELD_STRING) {
        memcpy(member, &copied, sizeof copied);
    } else {
        memcpy(member, &copied.data, sizeof copied.data);
    }
    return QN_OK;
}

static enum qn_status read_octets(const struct pof_reader *r, const struct pof_value *value,
                                  void *member, struct pof_struct_memory *memory)
{
    struct bytes octets = bytes_of("", 0);
    enum qn_status status = QN_OK;

    if (value->kind == POF_KIND_OCTETS) {
        octets = value->as.octets;
    } else if (value->type == POF_UNIFORM_ARRAY && value->as.items.element_type == POF_OCTET) {
        octets = bytes_of(r->rest.data, (size_t)value->as.items.count);
    } else if (value->type != POF_SMALL_EMPTY_STRING && value->type != POF_SMALL_EMPTY_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    if (memory->copy) {
        status = struct_copy_octets(octets, memory, &octets);
    }
    if (status == QN_OK) {
        memcpy(member, &octets, sizeof octets);
    }
    return status;
}

/* -- numbers -- */

/* The whole numbers that fit a kind. -1 stands for the greatest octet and char. */
static int64_t least_of(enum pof_field_kind kind)
{
    bool is_unsigned = kind == POF_FIELD_OCTET || kind == POF_FIELD_CHAR;

    return is_unsigned               ? -1
           : kind == POF_FIELD_INT16 ? INT16_MIN
           : kind == POF_FIELD_INT32 ? INT32_MIN
                                     : INT64_MIN;
}

static int64_t most_of(enum pof_field_kind kind)
{
    return kind == POF_FIELD_OCTET   ? UINT8_MAX
           : kind == POF_FIELD_CHAR  ? UINT16_MAX
           : kind == POF_FIELD_INT16 ? INT16_MAX
           : kind == POF_FIELD_INT32 ? INT32_MAX
                                     : INT64_MAX;
}

/* A whole number of the field's width. */
static enum qn_status read_integer(const struct pof_value *value, const struct pof_field *field,
                                   void *member)
{
    int64_t number;
    enum qn_status status = pof_value_int64(value, &number);

    if (status != QN_OK) {
        return status;
    }
    if (number < least_of(field->kind) || number > most_of(field->kind)) {
        return QN_WRONG_TYPE;
    }
    if (field->kind == POF_FIELD_BOOL) {
        *(bool *)member = number != 0;
    } else if (field->kind == POF_FIELD_OCTET) {
        *(uint8_t *)member = (uint8_t)number;
    } else if (field->kind == POF_FIELD_CHAR) {
        *(uint16_t *)member = (uint16_t)number;
    } else if (field->kind == POF_FIELD_INT16) {
        *(int16_t *)member = (int16_t)number;
    } else if (field->kind == POF_FIELD_INT32) {
        *(int32_t *)member = (int32_t)number;
    } else {
        *(int64_t *)member = number;
    }
    return QN_OK;
}

/* From here on a number is rounded to infinity: half a step above the greatest float. */
static const double FLOAT32_TOO_GREAT = 0x1.ffffffp127;

static enum qn_status read_float(const struct pof_value *value, const struct pof_field *field,
                                 void *member)
{
    double number;
    enum qn_status status = pof_value_float64(value, &number);

    if (status != QN_OK) {
        return status;
    }
    if (field->kind == POF_FIELD_FLOAT64) {
        *(double *)member = number;
        return QN_OK;
    }
    if (isfinite(number) && fabs(number) >= FLOAT32_TOO_GREAT) {
        return QN_WRONG_TYPE;
    }
    *(float *)member = (float)number;
    return QN_OK;
}

static enum qn_status read_wide(const struct pof_value *value, const struct pof_field *field,
                                void *member)
{
    return field->kind == POF_FIELD_DECIMAL ? pof_value_decimal(value, member)
                                            : pof_value_int128(value, member);
}

/* -- values that are what they are -- */

/* Copy `size` octets of the value when it is of the kind. */
static enum qn_status read_exact(const struct pof_value *value, enum pof_kind kind,
                                 const void *from, size_t size, void *member)
{
    if (value->kind != kind) {
        return QN_WRONG_TYPE;
    }
    memcpy(member, from, size);
    return QN_OK;
}

static enum qn_status read_pointer(struct pof_struct_reading *s, const struct pof_value *value,
                                   const struct pof_field *field, void *member)
{
    void *object = arena_alloc(s->memory->arena, field->nested->size);

    if (!object) {
        return QN_MEMORY_FULL;
    }
    memcpy(member, &object, sizeof object);
    return struct_read(s, value, field->nested, object);
}

/* One value of the field's kind, which is neither absent nor null. */
enum qn_status struct_read_one(struct pof_struct_reading *s, const struct pof_value *value,
                               const struct pof_field *field, void *member)
{
    const size_t size = field->size;

    switch (field->kind) {
    case POF_FIELD_BOOL:
    case POF_FIELD_OCTET:
    case POF_FIELD_CHAR:
    case POF_FIELD_INT16:
    case POF_FIELD_INT32:
    case POF_FIELD_INT64:
        return read_integer(value, field, member);
    case POF_FIELD_FLOAT32:
    case POF_FIELD_FLOAT64:
        return read_float(value, field, member);
    case POF_FIELD_INT128:
    case POF_FIELD_DECIMAL:
        return read_wide(value, field, member);
    case POF_FIELD_TEXT:
    case POF_FIELD_STRING:
    case POF_FIELD_CHARS:
        return read_text(value, field, member, s->memory);
    case POF_FIELD_OCTETS:
        return read_octets(s->r, value, member, s->memory);
    case POF_FIELD_FLOAT128:
        return read_exact(value, POF_KIND_FLOAT128, value->as.float128, size, member);
    case POF_FIELD_DATE:
        return read_exact(value, POF_KIND_DATE, &value->as.date, size, member);
    case POF_FIELD_TIME:
        return read_exact(value, POF_KIND_TIME, &value->as.time, size, member);
    case POF_FIELD_DATETIME:
        return read_exact(value, POF_KIND_DATETIME, &value->as.datetime, size, member);
    case POF_FIELD_YEAR_MONTH:
        return read_exact(value, POF_KIND_YEAR_MONTH, &value->as.year_month, size, member);
    case POF_FIELD_TIME_INTERVAL:
        return read_exact(value, POF_KIND_TIME_INTERVAL, &value->as.day_time, size, member);
    case POF_FIELD_DAY_TIME:
        return read_exact(value, POF_KIND_DAY_TIME, &value->as.day_time, size, member);
    case POF_FIELD_STRUCT:
        return struct_read(s, value, field->nested, member);
    case POF_FIELD_STRUCT_PTR:
        return read_pointer(s, value, field, member);
    case POF_FIELD_CUSTOM:
        return field->codec->read(s->r, value, member, s->memory);
    }
    return QN_WRONG_TYPE;
}
