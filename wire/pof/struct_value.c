#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"

int32_t struct_element_type(const struct pof_field *field)
{
    static const int32_t types[] = {
        [POF_FIELD_BOOL] = POF_BOOL,
        [POF_FIELD_OCTET] = POF_OCTET,
        [POF_FIELD_CHAR] = POF_CHAR,
        [POF_FIELD_INT16] = POF_INT16,
        [POF_FIELD_INT32] = POF_INT32,
        [POF_FIELD_INT64] = POF_INT64,
        [POF_FIELD_INT128] = POF_INT128,
        [POF_FIELD_FLOAT32] = POF_FLOAT32,
        [POF_FIELD_FLOAT64] = POF_FLOAT64,
        [POF_FIELD_FLOAT128] = POF_FLOAT128,
        [POF_FIELD_DECIMAL] = POF_DECIMAL128,
        [POF_FIELD_TEXT] = POF_STRING,
        [POF_FIELD_STRING] = POF_STRING,
        [POF_FIELD_OCTETS] = POF_OCTETS,
        [POF_FIELD_DATE] = POF_DATE,
        [POF_FIELD_TIME] = POF_TIME,
        [POF_FIELD_DATETIME] = POF_DATETIME,
        [POF_FIELD_YEAR_MONTH] = POF_YEAR_MONTH_INTERVAL,
        [POF_FIELD_TIME_INTERVAL] = POF_TIME_INTERVAL,
        [POF_FIELD_DAY_TIME] = POF_DAY_TIME_INTERVAL,
        [POF_FIELD_CHARS] = POF_STRING,
    };

    if (field->kind == POF_FIELD_STRUCT || field->kind == POF_FIELD_STRUCT_PTR) {
        return field->nested->codec ? POF_NO_TYPE : field->nested->type;
    }
    return field->kind == POF_FIELD_CUSTOM ? POF_NO_TYPE : types[field->kind];
}

static bool is_zeros(const void *member, size_t size)
{
    const uint8_t *octets = member;

    for (size_t i = 0; i < size; i++) {
        if (octets[i] != 0) {
            return false;
        }
    }
    return true;
}

bool struct_is_null(const struct pof_field *field, const void *member)
{
    switch (field->kind) {
    case POF_FIELD_TEXT:
    case POF_FIELD_STRUCT_PTR:
        return *(const void *const *)member == NULL;
    case POF_FIELD_STRING:
    case POF_FIELD_OCTETS:
        return ((const struct bytes *)member)->data == NULL;
    case POF_FIELD_DATE:
    case POF_FIELD_DATETIME:
        return is_zeros(member, field->size);
    case POF_FIELD_BOOL:
    case POF_FIELD_OCTET:
    case POF_FIELD_CHAR:
    case POF_FIELD_INT16:
    case POF_FIELD_INT32:
    case POF_FIELD_INT64:
    case POF_FIELD_INT128:
    case POF_FIELD_FLOAT32:
    case POF_FIELD_FLOAT64:
    case POF_FIELD_FLOAT128:
    case POF_FIELD_DECIMAL:
    case POF_FIELD_TIME:
    case POF_FIELD_YEAR_MONTH:
    case POF_FIELD_TIME_INTERVAL:
    case POF_FIELD_DAY_TIME:
    case POF_FIELD_CHARS:
    case POF_FIELD_STRUCT:
    case POF_FIELD_CUSTOM:
        break;
    }
    return false;
}

bool struct_is_left_out(const struct pof_field *field, const void *member)
{
    if (field->kind == POF_FIELD_FLOAT32) {
        return *(const float *)member == 0; /* so is -0.0 */
    }
    if (field->kind == POF_FIELD_FLOAT64) {
        return *(const double *)member == 0;
    }
    return field->kind <= POF_FIELD_INT64 ? is_zeros(member, field->size)
                                          : struct_is_null(field, member);
}

bool struct_has_shared(const struct pof_struct *table)
{
    if (table->shared) {
        return true;
    }
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct pof_field *field = &table->fields[i];
        bool in_place = field->many == POF_ONE || field->fixed > 0;
        if (field->kind == POF_FIELD_STRUCT && in_place && struct_has_shared(field->nested)) {
            return true;
        }
    }
    return false;
}

/* Tables that have been seen; with more of them the answer is "maybe". */
enum { TABLES_MAX = 64 };

struct tables {
    const struct pof_struct *seen[TABLES_MAX];
    size_t count;
};

/* False: it is there already, or there is no room for it. */
static bool see(struct tables *tables, const struct pof_struct *table)
{
    for (size_t i = 0; i < tables->count; i++) {
        if (tables->seen[i] == table) {
            return false;
        }
    }
    if (tables->count == TABLES_MAX) {
        return false;
    }
    tables->seen[tables->count++] = table;
    return true;
}

bool struct_reaches_shared(const struct pof_struct *table)
{
    struct tables tables = {.count = 0};

    (void)see(&tables, table);
    for (size_t next = 0; next < tables.count; next++) {
        const struct pof_struct *at = tables.seen[next];
        if (at->shared) {
            return true;
        }
        for (uint32_t i = 0; i < at->field_count; i++) {
            if (at->fields[i].nested) {
                (void)see(&tables, at->fields[i].nested);
            }
        }
    }
    return tables.count == TABLES_MAX;
}

void struct_set_initial(const struct pof_field *field, uint8_t *object)
{
    uint32_t in_place = field->many == POF_ONE ? 1 : field->fixed;

    for (uint32_t i = 0; i < in_place; i++) {
        uint8_t *member = object + field->offset + (size_t)i * field->size;
        if (field->initial) {
            memcpy(member, field->initial, field->size);
        } else if (field->kind == POF_FIELD_STRUCT) {
            struct_set_initials(field->nested, member);
        }
    }
}

void struct_set_initials(const struct pof_struct *table, uint8_t *object)
{
    memset(object, 0, table->size);
    for (uint32_t i = 0; i < table->field_count; i++) {
        struct_set_initial(&table->fields[i], object);
    }
}
