#include "wire/pof/binary.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/text.h"

enum qn_status struct_read_any(struct pof_reader *r, const struct pof_value *value,
                               const struct pof_field *field, uint8_t *object,
                               struct pof_struct_memory *memory)
{
    uint8_t *member = object + field->offset;

    if (value->kind == POF_KIND_NULL) {
        if (!struct_is_null(field, member)) { /* the kind knows null, and zeros are it */
            struct_set_initial(field, object);
        }
        return QN_OK;
    }
    if (value->kind == POF_KIND_REFERENCE) {
        return QN_UNSUPPORTED;
    }
    if (field->present_place != 0) {
        *(bool *)(object + field->present_place - 1) = true;
    }
    return field->many != POF_ONE ? struct_read_many(r, value, field, object, memory)
                                  : struct_read_one(r, value, field, member, memory);
}

/* The plain case, without a detour through struct pof_value: a member for which absent is zero. */
static bool is_plain(const struct pof_field *field)
{
    return field->many == POF_ONE && field->present_place == 0 && !field->initial &&
           (field->kind == POF_FIELD_INT32 || field->kind == POF_FIELD_INT64 ||
            field->kind == POF_FIELD_FLOAT64 || field->kind == POF_FIELD_STRING);
}

static enum qn_status read_plain(struct pof_reader *r, const struct pof_field *field, void *member)
{
    if (field->kind == POF_FIELD_INT32) {
        return pof_read_int32(r, field->index, member);
    }
    return field->kind == POF_FIELD_INT64 ? pof_read_int64(r, field->index, member)
                                          : pof_read_float64(r, field->index, member);
}

static enum qn_status read_plain_string(struct pof_reader *r, int32_t index, void *member,
                                        struct pof_struct_memory *memory)
{
    struct bytes text;
    enum qn_status status = pof_read_string(r, index, &text);

    if (status == QN_OK && !pof_text_is_ascii(text)) {
        status = struct_standard_text(text, memory, &text);
    }
    if (status == QN_OK && memory->copy && text.data) {
        status = struct_copy_octets(text, memory, &text);
    }
    if (status == QN_OK) {
        memcpy(member, &text, sizeof text);
    }
    return status;
}

static enum qn_status read_field(struct pof_reader *r, const struct pof_field *field,
                                 uint8_t *object, struct pof_struct_memory *memory)
{
    struct pof_value value;

    if (is_plain(field)) {
        return field->kind == POF_FIELD_STRING
                   ? read_plain_string(r, field->index, object + field->offset, memory)
                   : read_plain(r, field, object + field->offset);
    }
    enum qn_status status = pof_reader_find(r, field->index, &value);
    if (status == QN_ABSENT) {
        struct_set_initial(field, object);
        return QN_OK;
    }
    return status == QN_OK ? struct_read_any(r, &value, field, object, memory) : status;
}

static enum qn_status read_remainder(struct pof_reader *r, const struct pof_struct *table,
                                     uint8_t *object, struct pof_struct_memory *memory)
{
    struct bytes remainder;
    enum qn_status status = pof_read_remainder(r, &remainder);

    if (status == QN_OK && memory->copy && remainder.size > 0) {
        status = struct_copy_octets(remainder, memory, &remainder);
    }
    if (status == QN_OK) {
        memcpy(object + table->remainder_place - 1, &remainder, sizeof remainder);
    }
    return status;
}

enum qn_status struct_read(struct pof_reader *r, const struct pof_value *value,
                           const struct pof_struct *table, void *at,
                           struct pof_struct_memory *memory)
{
    uint8_t *object = at;

    if (table->codec) {
        return table->codec->read(r, value, object, memory);
    }
    memset(object, 0, table->size);
    if (value->kind != POF_KIND_USER || value->type != table->type) {
        return value->kind == POF_KIND_REFERENCE ? QN_UNSUPPORTED : QN_WRONG_TYPE;
    }
    int32_t version = value->as.items.version;
    if (table->version_place != 0) {
        memcpy(object + table->version_place - 1, &version, sizeof version);
    }
    enum qn_status status = pof_reader_enter(r);
    for (uint32_t i = 0; status == QN_OK && i < table->field_count; i++) {
        if (table->fields[i].since <= version) {
            status = read_field(r, &table->fields[i], object, memory);
        } else {
            struct_set_initial(&table->fields[i], object);
        }
    }
    if (status == QN_OK && table->remainder_place != 0) {
        status = read_remainder(r, table, object, memory);
    }
    return status == QN_OK ? pof_reader_leave(r) : status;
}

enum qn_status pof_struct_read_value(struct pof_reader *r, const struct pof_value *value,
                                     const struct pof_struct *table, void *object,
                                     struct pof_struct_memory *memory)
{
    if (value->kind == POF_KIND_NULL) {
        struct_set_initials(table, object);
        return QN_ABSENT;
    }
    return struct_read(r, value, table, object, memory);
}

enum qn_status pof_struct_read(struct pof_reader *r, const struct pof_struct *table, void *object,
                               struct pof_struct_memory *memory)
{
    struct pof_value value;
    enum qn_status status = pof_reader_next(r, &value);

    if (status == QN_ABSENT) {
        struct_set_initials(table, object);
    }
    return status == QN_OK ? pof_struct_read_value(r, &value, table, object, memory) : status;
}

enum qn_status pof_struct_from_binary(struct bytes binary, const struct pof_struct *table,
                                      void *object, struct pof_struct_memory *memory)
{
    struct pof_reader r;
    struct bytes pof;
    enum qn_status status = pof_binary_value(binary, &pof);

    if (status != QN_OK) {
        return status;
    }
    pof_reader_init(&r, pof);
    return pof_struct_read(&r, table, object, memory);
}
