#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"

static bool needs_table(const struct pof_field *field)
{
    return field->kind == POF_FIELD_STRUCT || field->kind == POF_FIELD_STRUCT_PTR;
}

/* Octets of the struct that the field takes at its offset. */
static size_t extent_of(const struct pof_field *field)
{
    if (field->many == POF_ONE) {
        return field->size;
    }
    return field->fixed > 0 ? (size_t)field->fixed * field->size : sizeof(void *);
}

static size_t size_of_kind(const struct pof_field *field)
{
    if (field->kind == POF_FIELD_INT64) {
        return sizeof(int64_t);
    }
    if (field->kind == POF_FIELD_STRUCT) {
        return field->nested ? field->nested->size : 0;
    }
    return field->kind == POF_FIELD_STRUCT_PTR ? sizeof(void *) : field->size;
}

static bool lies_in(const struct pof_struct *table, uint32_t offset, size_t size)
{
    return offset == POF_NO_OFFSET || (size_t)offset + size <= table->size;
}

static const char *check_pair(const struct pof_struct *pair)
{
    if (pair->type != POF_PAIR || pair->field_count != 2) {
        return "a map needs a table made by POF_STRUCT_PAIR with two fields: key and value";
    }
    if (pair->fields[0].many != POF_ONE || pair->fields[0].present_offset != POF_NO_OFFSET ||
        pair->fields[1].present_offset != POF_NO_OFFSET) {
        return "the key of a pair is one value, and neither key nor value is optional";
    }
    return NULL;
}

static const char *check_field(const struct pof_struct *table, const struct pof_field *field)
{
    if (field->index < 0) {
        return "the index of a field is below zero";
    }
    if (needs_table(field) && !field->nested) {
        return "a struct without a table";
    }
    if (field->kind == POF_FIELD_CUSTOM && !field->codec) {
        return "a field by own functions without functions";
    }
    if (field->size == 0 || field->size != size_of_kind(field)) {
        return "the size of a member is not that of its kind or table";
    }
    if (!lies_in(table, field->offset, extent_of(field)) ||
        !lies_in(table, field->count_offset, sizeof(uint32_t)) ||
        !lies_in(table, field->present_offset, sizeof(bool))) {
        return "a member lies outside of the struct: is it the table of another one?";
    }
    if (field->many != POF_ONE && field->fixed == 0 && field->count_offset == POF_NO_OFFSET) {
        return "elements behind a pointer that nobody counts";
    }
    if (field->many == POF_MANY_MAP) {
        return field->nested ? check_pair(field->nested) : "a map without a table of its pairs";
    }
    return NULL;
}

const char *pof_struct_check(const struct pof_struct *table)
{
    if (table->codec) {
        return NULL;
    }
    if (table->type < 0 && table->type != POF_PAIR) {
        return "the type id is below zero";
    }
    if (table->version < 0) {
        return "the version is below zero";
    }
    if (!lies_in(table, table->remainder_offset, sizeof(struct bytes)) ||
        !lies_in(table, table->version_offset, sizeof(int32_t))) {
        return "the member for the remainder or the version lies outside of the struct";
    }
    for (uint32_t i = 0; i < table->field_count; i++) {
        const char *wrong = check_field(table, &table->fields[i]);
        if (wrong) {
            return wrong;
        }
        if (i > 0 && table->fields[i].index <= table->fields[i - 1].index) {
            return "the indexes of the fields do not ascend";
        }
    }
    return NULL;
}
