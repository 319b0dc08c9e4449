#include "wire/pof/value.h"

static void begin(struct pof_writer *w, int32_t index, const struct pof_value *value)
{
    const struct pof_items *items = &value->as.items;
    bool small = value->type == POF_SMALL_EMPTY_COLLECTION;

    if (value->kind == POF_KIND_USER) {
        pof_begin_user(w, index, value->type, items->version);
        return;
    }
    pof_begin_container(
        w, index,
        (struct pof_container){.type = small ? POF_COLLECTION : (enum pof_type)value->type,
                               .key_type = items->key_type,
                               .element_type = items->element_type,
                               .count = items->count});
}

void pof_write_value(struct pof_writer *w, int32_t index, const struct pof_value *value)
{
    switch (value->kind) {
    case POF_KIND_NULL:
        pof_write_null(w, index);
        break;
    case POF_KIND_BOOL:
        pof_write_bool(w, index, value->as.boolean);
        break;
    case POF_KIND_OCTET:
        pof_write_octet(w, index, value->as.octet);
        break;
    case POF_KIND_CHAR:
        pof_write_char(w, index, value->as.character);
        break;
    case POF_KIND_INT16:
        pof_write_int16(w, index, (int16_t)value->as.integer);
        break;
    case POF_KIND_INT32:
        pof_write_int32(w, index, (int32_t)value->as.integer);
        break;
    case POF_KIND_INT64:
        pof_write_int64(w, index, value->as.integer);
        break;
    case POF_KIND_INT128:
        pof_write_int128(w, index, value->as.int128);
        break;
    case POF_KIND_FLOAT32:
        pof_write_float32(w, index, value->as.float32);
        break;
    case POF_KIND_FLOAT64:
        pof_write_float64(w, index, value->as.float64);
        break;
    case POF_KIND_FLOAT128:
        pof_write_float128(w, index, value->as.float128);
        break;
    case POF_KIND_DECIMAL:
        pof_write_decimal(w, index, value->as.decimal);
        break;
    case POF_KIND_STRING:
        pof_write_string(w, index, value->as.text);
        break;
    case POF_KIND_OCTETS:
        pof_write_octets(w, index, value->as.octets);
        break;
    case POF_KIND_DATE:
        pof_write_date(w, index, value->as.date);
        break;
    case POF_KIND_TIME:
        pof_write_time(w, index, value->as.time);
        break;
    case POF_KIND_DATETIME:
        pof_write_datetime(w, index, value->as.datetime);
        break;
    case POF_KIND_YEAR_MONTH:
        pof_write_year_month(w, index, value->as.year_month);
        break;
    case POF_KIND_TIME_INTERVAL:
        pof_write_time_interval(w, index, value->as.day_time);
        break;
    case POF_KIND_DAY_TIME:
        pof_write_day_time(w, index, value->as.day_time);
        break;
    case POF_KIND_REFERENCE:
        pof_write_reference(w, index, value->as.reference);
        break;
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        begin(w, index, value);
        break;
    }
}
