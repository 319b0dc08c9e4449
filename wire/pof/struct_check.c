#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"

/* The tables that are being checked, the outermost last. */
struct chain {
    const struct chain *around;
    const struct pof_struct *table;
    bool behind_pointer; /* as seen from the one around it */
};

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

/* 0: any size will do. */
static size_t size_of_kind(const struct pof_field *field)
{
    switch (field->kind) {
    case POF_FIELD_BOOL:
        return sizeof(bool);
    case POF_FIELD_OCTET:
        return sizeof(uint8_t);
    case POF_FIELD_CHAR:
        return sizeof(uint16_t);
    case POF_FIELD_INT16:
        return sizeof(int16_t);
    case POF_FIELD_INT32:
        return sizeof(int32_t);
    case POF_FIELD_INT64:
        return sizeof(int64_t);
    case POF_FIELD_INT128:
        return sizeof(struct pof_int128);
    case POF_FIELD_FLOAT32:
        return sizeof(float);
    case POF_FIELD_FLOAT64:
        return sizeof(double);
    case POF_FIELD_FLOAT128:
        return sizeof(struct pof_float128);
    case POF_FIELD_DECIMAL:
        return sizeof(struct pof_decimal);
    case POF_FIELD_TEXT:
    case POF_FIELD_STRUCT_PTR:
        return sizeof(void *);
    case POF_FIELD_STRING:
    case POF_FIELD_OCTETS:
        return sizeof(struct bytes);
    case POF_FIELD_DATE:
        return sizeof(struct pof_date);
    case POF_FIELD_TIME:
        return sizeof(struct pof_time);
    case POF_FIELD_DATETIME:
        return sizeof(struct pof_datetime);
    case POF_FIELD_YEAR_MONTH:
        return sizeof(struct pof_year_month);
    case POF_FIELD_TIME_INTERVAL:
    case POF_FIELD_DAY_TIME:
        return sizeof(struct pof_day_time);
    case POF_FIELD_STRUCT:
        return field->nested->size;
    case POF_FIELD_CHARS:
    case POF_FIELD_CUSTOM:
        break;
    }
    return 0;
}

static bool lies_in(const struct pof_struct *table, size_t offset, size_t size)
{
    return offset + size <= table->size;
}

/* The same for a place, which may be none. */
static bool place_lies_in(const struct pof_struct *table, uint32_t place, size_t size)
{
    return place == 0 || lies_in(table, place - 1, size);
}

static const char *check_number(const struct pof_struct *table, const struct pof_field *field)
{
    bool many = field->many != POF_ONE;

    if (field->index < 0) {
        return "the index of a field is below zero";
    }
    if (field->since < 0 || (field->since > table->version && table->type != POF_PAIR)) {
        return "a field that a later version brings than the table writes";
    }
    if (many && field->fixed == 0 && field->count_place == 0) {
        return "elements behind a pointer that nobody counts";
    }
    if (!many && (field->fixed != 0 || field->count_place != 0)) {
        return "one value that is counted: which form do the many have?";
    }
    if (many && field->initial) {
        return "many values have no initial value";
    }
    return NULL;
}

static const char *check_place(const struct pof_struct *table, const struct pof_field *field)
{
    size_t size = size_of_kind(field);

    if (field->size == 0 || (size != 0 && field->size != size)) {
        return "the size of a member is not that of its kind or table";
    }
    if (!lies_in(table, field->offset, extent_of(field)) ||
        !place_lies_in(table, field->count_place, sizeof(uint32_t)) ||
        !place_lies_in(table, field->present_place, sizeof(bool))) {
        return "a member lies outside of the struct: is it the table of another one?";
    }
    return NULL;
}

static const char *check_parts(const struct pof_field *field)
{
    if (needs_table(field) && !field->nested) {
        return "a struct without a table";
    }
    if (field->kind == POF_FIELD_CUSTOM &&
        (!field->codec || !field->codec->read || !field->codec->write)) {
        return "a field by own functions without functions";
    }
    bool pairs = field->nested && !field->nested->codec && field->nested->type == POF_PAIR;
    if (field->many == POF_MANY_MAP && (field->kind != POF_FIELD_STRUCT || !pairs)) {
        return "a map needs a table of its pairs, made by POF_STRUCT_PAIR";
    }
    if (field->many != POF_MANY_MAP && needs_table(field) && pairs) {
        return "a table of pairs where there is no map";
    }
    if (field->part && (field->kind != POF_FIELD_STRUCT || field->many != POF_ONE)) {
        return "a part of an object is one struct in place";
    }
    return NULL;
}

static const char *check_table(struct chain chain);

/* Structs in place and pairs make up their struct, so their tables belong to this one. */
static const char *check_field(const struct pof_struct *table, const struct pof_field *field,
                               const struct chain *chain)
{
    const char *wrong = check_number(table, field);

    if (!wrong) {
        wrong = check_parts(field);
    }
    if (!wrong) {
        wrong = check_place(table, field);
    }
    bool in_place = field->many == POF_ONE || field->fixed > 0;
    if (!wrong && (field->many == POF_MANY_MAP || (field->kind == POF_FIELD_STRUCT && in_place))) {
        wrong = check_table((struct chain){chain, field->nested, !in_place});
    }
    return wrong;
}

static const char *check_pair(const struct pof_struct *pair)
{
    if (pair->field_count != 2) {
        return "a pair has two fields: key and value";
    }
    if (pair->fields[0].many != POF_ONE || pair->fields[0].present_place != 0 ||
        pair->fields[1].present_place != 0 || pair->fields[0].initial || pair->fields[1].initial) {
        return "the key of a pair is one value, and neither key nor value is optional";
    }
    return NULL;
}

static const char *check_head(const struct pof_struct *table)
{
    if (table->size == 0) {
        return "a struct of no size";
    }
    if (table->type < 0 && table->type != POF_PAIR) {
        return "the type id is below zero";
    }
    if (table->version < 0) {
        return "the version is below zero";
    }
    if (table->field_count > 0 && !table->fields) {
        return "fields are counted, but there are none";
    }
    if (!place_lies_in(table, table->remainder_place, sizeof(struct bytes)) ||
        !place_lies_in(table, table->version_place, sizeof(int32_t))) {
        return "the member for the remainder or the version lies outside of the struct";
    }
    if (table->shared && (table->remainder_place != 0 || table->type == POF_PAIR)) {
        return "a struct that is shared keeps no unknown properties, and is no pair";
    }
    return table->type == POF_PAIR ? check_pair(table) : NULL;
}

/* Is the table being checked already? `*in_place`: without a pointer in between. */
static bool is_around(const struct chain *chain, bool *in_place)
{
    *in_place = !chain->behind_pointer;
    for (const struct chain *at = chain->around; at; at = at->around) {
        if (at->table == chain->table) {
            return true;
        }
        *in_place = *in_place && !at->behind_pointer;
    }
    return false;
}

static const char *check_table(struct chain chain)
{
    const struct pof_struct *table = chain.table;
    bool in_place;

    if (table->codec) {
        return table->codec->read && table->codec->write ? NULL : "a type without functions";
    }
    if (is_around(&chain, &in_place)) {
        return in_place ? "a struct that contains itself in place" : NULL;
    }
    const char *wrong = check_head(table);
    for (uint32_t i = 0; !wrong && i < table->field_count; i++) {
        wrong = check_field(table, &table->fields[i], &chain);
        if (!wrong && i > 0 && table->fields[i].index <= table->fields[i - 1].index) {
            wrong = "the indexes of the fields do not ascend";
        }
    }
    return wrong;
}

const char *pof_struct_check(const struct pof_struct *table)
{
    return check_table((struct chain){.table = table});
}
