/* Scalars: what they are declared to be, and the mark when they are something else. */
#include <math.h>

#include "wire/pof/json/json_parts.h"
#include "wire/pof/temporal.h"
#include "wire/pof/text.h"

/* What a value would have to be declared, to be what it is. Containers have their own ways. */
static enum pof_shape_kind shape_of(enum pof_kind kind)
{
    static const enum pof_shape_kind shapes[] = {
        [POF_KIND_BOOL] = POF_SHAPE_BOOL,
        [POF_KIND_OCTET] = POF_SHAPE_OCTET,
        [POF_KIND_CHAR] = POF_SHAPE_CHAR,
        [POF_KIND_INT16] = POF_SHAPE_INT16,
        [POF_KIND_INT32] = POF_SHAPE_INT32,
        [POF_KIND_INT64] = POF_SHAPE_INT64,
        [POF_KIND_INT128] = POF_SHAPE_INT128,
        [POF_KIND_FLOAT32] = POF_SHAPE_FLOAT32,
        [POF_KIND_FLOAT64] = POF_SHAPE_FLOAT64,
        [POF_KIND_FLOAT128] = POF_SHAPE_FLOAT128,
        [POF_KIND_DECIMAL] = POF_SHAPE_DECIMAL,
        [POF_KIND_STRING] = POF_SHAPE_STRING,
        [POF_KIND_OCTETS] = POF_SHAPE_OCTETS,
        [POF_KIND_DATE] = POF_SHAPE_DATE,
        [POF_KIND_TIME] = POF_SHAPE_TIME,
        [POF_KIND_DATETIME] = POF_SHAPE_DATETIME,
        [POF_KIND_YEAR_MONTH] = POF_SHAPE_YEAR_MONTH,
        [POF_KIND_TIME_INTERVAL] = POF_SHAPE_TIME_INTERVAL,
        [POF_KIND_DAY_TIME] = POF_SHAPE_DAY_TIME,
    };

    return kind <= POF_KIND_DAY_TIME ? shapes[kind] : POF_SHAPE_ANY;
}

static bool is_small(const struct pof_value *value)
{
    return value->type <= POF_SMALL_FALSE;
}

/* A small value has lost its type; it is what the schema declares, when that can be small. */
static struct pof_value restore(const struct pof_value *value, const struct pof_shape *shape)
{
    struct pof_value restored = *value;
    int64_t number = value->as.integer;

    if (!is_small(value) || value->kind != POF_KIND_INT32) {
        if (is_small(value) && value->kind == POF_KIND_FLOAT64 &&
            shape->kind == POF_SHAPE_FLOAT32) {
            restored.kind = POF_KIND_FLOAT32;
            restored.as.float32 = (float)value->as.float64;
        }
        return restored;
    }
    if (shape->kind == POF_SHAPE_INT16) {
        restored.kind = POF_KIND_INT16;
    } else if (shape->kind == POF_SHAPE_INT64) {
        restored.kind = POF_KIND_INT64;
    } else if (shape->kind == POF_SHAPE_OCTET) {
        restored.kind = POF_KIND_OCTET;
        restored.as.octet = (uint8_t)number;
    } else if (shape->kind == POF_SHAPE_CHAR) {
        restored.kind = POF_KIND_CHAR;
        restored.as.character = (uint16_t)number;
    } else if (shape->kind == POF_SHAPE_FLOAT32) {
        restored.kind = POF_KIND_FLOAT32;
        restored.as.float32 = (float)number;
    } else if (shape->kind == POF_SHAPE_FLOAT64) {
        restored.kind = POF_KIND_FLOAT64;
        restored.as.float64 = (double)number;
    }
    return restored;
}

static bool fits_int64(struct pof_int128 number)
{
    return number.high == (number.low >> 63 != 0 ? UINT64_MAX : 0);
}

/* Does JSON without a mark bring the scalar back where nothing is declared? */
static bool speaks_for_itself(const struct pof_value *value)
{
    switch (value->kind) {
    case POF_KIND_BOOL:
    case POF_KIND_STRING:
    case POF_KIND_INT32:
        return true;
    case POF_KIND_INT64:
        return value->as.integer < INT32_MIN || value->as.integer > INT32_MAX;
    case POF_KIND_INT128:
        return !fits_int64(value->as.int128);
    case POF_KIND_FLOAT64:
        return isfinite(value->as.float64);
    case POF_KIND_NULL:
    case POF_KIND_OCTET:
    case POF_KIND_CHAR:
    case POF_KIND_INT16:
    case POF_KIND_FLOAT32:
    case POF_KIND_FLOAT128:
    case POF_KIND_DECIMAL:
    case POF_KIND_OCTETS:
    case POF_KIND_DATE:
    case POF_KIND_TIME:
    case POF_KIND_DATETIME:
    case POF_KIND_YEAR_MONTH:
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
    case POF_KIND_REFERENCE:
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        break;
    }
    return false;
}

/* Half a pair of surrogates is nobody's text, so it is a number. */
static void put_char(struct pjson_out *out, uint16_t unit)
{
    uint8_t octets[3];

    if (unit >= 0xd800 && unit <= 0xdfff) {
        pjson_put_integer(out, unit);
    } else {
        pjson_put_string(out, bytes_of(octets, pof_text_put_unit(octets, unit)));
    }
}

static void put_scalar(struct pjson_out *out, const struct pof_value *v)
{
    switch (v->kind) {
    case POF_KIND_NULL:
        pjson_put_text(out, "null");
        break;
    case POF_KIND_BOOL:
        pjson_put_text(out, v->as.boolean ? "true" : "false");
        break;
    case POF_KIND_OCTET:
        pjson_put_integer(out, v->as.octet);
        break;
    case POF_KIND_CHAR:
        put_char(out, v->as.character);
        break;
    case POF_KIND_INT16:
    case POF_KIND_INT32:
    case POF_KIND_INT64:
        pjson_put_integer(out, v->as.integer);
        break;
    case POF_KIND_INT128:
        pjson_put_int128(out, v->as.int128);
        break;
    case POF_KIND_FLOAT32:
        pjson_put_float32(out, v->as.float32);
        break;
    case POF_KIND_FLOAT64:
        pjson_put_float64(out, v->as.float64);
        break;
    case POF_KIND_FLOAT128:
        pjson_put_hex(out, bytes_of(v->as.float128, sizeof v->as.float128));
        break;
    case POF_KIND_DECIMAL:
        pjson_put_decimal(out, &v->as.decimal);
        break;
    case POF_KIND_STRING:
        pjson_put_string(out, v->as.text);
        break;
    case POF_KIND_OCTETS:
        pjson_put_base64(out, v->as.octets);
        break;
    case POF_KIND_DATE:
        pjson_put_date(out, &v->as.date);
        break;
    case POF_KIND_TIME:
        pjson_put_time(out, &v->as.time);
        break;
    case POF_KIND_DATETIME:
        pjson_put_datetime(out, &v->as.datetime);
        break;
    case POF_KIND_YEAR_MONTH:
        pjson_put_year_month(out, &v->as.year_month);
        break;
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
        pjson_put_day_time(out, &v->as.day_time);
        break;
    case POF_KIND_REFERENCE:
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        break;
    }
}

void pjson_scalar(struct pjson_writer *w, const struct pof_value *value,
                  const struct pof_shape *shape)
{
    struct pof_value v = restore(value, shape);
    bool in_range = v.kind != POF_KIND_DECIMAL || pof_decimal_type(&v.as.decimal) != 0;
    bool natural = v.kind == POF_KIND_NULL || shape_of(v.kind) == shape->kind ||
                   (shape->kind == POF_SHAPE_ANY && speaks_for_itself(&v));

    if (!in_range) {
        pjson_put_loss(&w->out);
    }
    if (natural || w->options->lossy) {
        put_scalar(&w->out, &v);
        return;
    }
    struct pjson_list mark = pjson_list_begin(w, '{', '}');
    pjson_mark(&mark, pof_shape_word(shape_of(v.kind)));
    put_scalar(&w->out, &v);
    pjson_list_end(&mark);
}
