#include "client/cli/render.h"

#include <inttypes.h>

#include "client/cli/clock_text.h"
#include "client/cli/json_value.h"
#include "client/cli/pof_field.h"
#include "client/cli/text.h"
#include "wire/pof/binary.h"

enum { RENDER_NAME_MAX = 24 };

struct renderer {
    struct pof_reader reader;
    const struct types *types;
    struct arena arena;
};

static enum qn_status render_value(struct renderer *renderer, const struct pof_value *value,
                                   json_t **json);

static enum qn_status made(json_t *json, json_t **out)
{
    *out = json;
    return json != NULL ? QN_OK : QN_MEMORY_FULL;
}

static json_t *clock_json(const struct pof_value *value)
{
    char text[CLOCK_TEXT_MAX];
    if (value->kind == POF_KIND_DATE) {
        return json_string(clock_date_print(&value->as.date, text));
    }
    if (value->kind == POF_KIND_TIME) {
        return json_string(clock_time_print(&value->as.time, text));
    }
    return json_string(clock_datetime_print(&value->as.datetime, text));
}

static json_t *interval_json(const struct pof_value *value)
{
    if (value->kind == POF_KIND_YEAR_MONTH) {
        return json_pack("{s:i, s:i}", "years", value->as.year_month.years, "months",
                         value->as.year_month.months);
    }
    const struct pof_day_time *interval = &value->as.day_time;
    return json_pack("{s:i, s:i, s:i, s:i, s:i}", "days", interval->days, "hours", interval->hours,
                     "minutes", interval->minutes, "seconds", interval->seconds, "nanos",
                     interval->nanos);
}

/* ---- containers; the reader stands in them ---- */

static enum qn_status render_elements(struct renderer *renderer, json_t *array)
{
    for (;;) {
        struct pof_value value;
        json_t *element = NULL;
        enum qn_status status = pof_reader_next(&renderer->reader, &value);
        if (status == QN_OK) {
            status = render_value(renderer, &value, &element);
        }
        if (status != QN_OK) {
            return status == QN_ABSENT ? QN_OK : status;
        }
        if (json_array_append_new(array, element) != 0) {
            return QN_MEMORY_FULL;
        }
    }
}

/* Properties or sparse elements under their number. */
static enum qn_status render_numbered(struct renderer *renderer, json_t *object)
{
    for (;;) {
        struct pof_value value;
        json_t *element = NULL;
        enum qn_status status = pof_reader_next(&renderer->reader, &value);
        if (status == QN_OK) {
            status = render_value(renderer, &value, &element);
        }
        if (status != QN_OK) {
            return status == QN_ABSENT ? QN_OK : status;
        }
        char name[RENDER_NAME_MAX];
        snprintf(name, sizeof name, "%" PRId32, value.index);
        if (json_object_set_new(object, name, element) != 0) {
            return QN_MEMORY_FULL;
        }
    }
}

/* A property of a known type: by the kind of its field, so that small numbers become the bools and
 * chars that they are; as what the octets say when they say something else. */
static enum qn_status render_property(struct renderer *renderer,
                                      const struct pof_schema_field *field,
                                      const struct pof_value *value, json_t **json)
{
    enum types_kind kind = field != NULL ? types_kind_of(field->shape) : TYPES_OTHER;
    if (kind != TYPES_STRINGS && kind != TYPES_OTHER) {
        struct field_value known;
        enum qn_status status =
            pof_field_read(&renderer->reader, value, kind, &renderer->arena, &known);
        if (status == QN_OK) {
            return made(field_json(&known), json);
        }
    }
    return render_value(renderer, value, json);
}

static enum qn_status render_named(struct renderer *renderer, const struct pof_schema_type *type,
                                   json_t *object)
{
    for (;;) {
        struct pof_value value;
        json_t *element = NULL;
        enum qn_status status = pof_reader_next(&renderer->reader, &value);
        if (status != QN_OK) {
            return status == QN_ABSENT ? QN_OK : status;
        }
        const struct pof_schema_field *field = pof_schema_field_at(type, value.index);
        status = render_property(renderer, field, &value, &element);
        if (status != QN_OK) {
            return status;
        }
        char number[RENDER_NAME_MAX];
        snprintf(number, sizeof number, "%" PRId32, value.index);
        if (json_object_set_new(object, field != NULL ? field->name : number, element) != 0) {
            return QN_MEMORY_FULL;
        }
    }
}

/* [[key, value], ...], made an object when every key is a string. */
static enum qn_status render_pairs(struct renderer *renderer, json_t *pairs)
{
    json_t *flat = json_array();
    enum qn_status status = flat != NULL ? render_elements(renderer, flat) : QN_MEMORY_FULL;
    for (size_t i = 0; i + 1 < json_array_size(flat) && status == QN_OK; i += 2) {
        json_t *pair = json_pack("[O, O]", json_array_get(flat, i), json_array_get(flat, i + 1));
        if (json_array_append_new(pairs, pair) != 0) {
            status = QN_MEMORY_FULL;
        }
    }
    json_decref(flat);
    return status;
}

static json_t *pairs_as_object(json_t *pairs)
{
    size_t at = 0;
    json_t *pair = NULL;
    json_t *object = json_object();
    json_array_foreach(pairs, at, pair)
    {
        const json_t *key = json_array_get(pair, 0);
        const char *name = json_string_value(key);
        bool fits = name != NULL && strlen(name) == json_string_length(key) &&
                    json_object_get(object, name) == NULL;
        if (!fits || json_object_set(object, name, json_array_get(pair, 1)) != 0) {
            json_decref(object);
            return pairs;
        }
    }
    json_decref(pairs);
    return object;
}

static enum qn_status render_user(struct renderer *renderer, int32_t id, json_t *object)
{
    const struct pof_schema_type *type =
        renderer->types != NULL ? pof_schema_find_id(&renderer->types->schema, id) : NULL;
    if (type != NULL) {
        return render_named(renderer, type, object);
    }
    if (json_object_set_new(object, "$type", json_integer(id)) != 0) {
        return QN_MEMORY_FULL;
    }
    return render_numbered(renderer, object);
}

static enum qn_status render_inside(struct renderer *renderer, const struct pof_value *value,
                                    json_t *json)
{
    if (value->kind == POF_KIND_USER) {
        return render_user(renderer, value->type, json);
    }
    if (value->kind == POF_KIND_SPARSE_ARRAY) {
        return render_numbered(renderer, json);
    }
    return value->kind == POF_KIND_MAP ? render_pairs(renderer, json)
                                       : render_elements(renderer, json);
}

static enum qn_status render_container(struct renderer *renderer, const struct pof_value *value,
                                       json_t **json)
{
    bool object = value->kind == POF_KIND_USER || value->kind == POF_KIND_SPARSE_ARRAY;
    json_t *container = object ? json_object() : json_array();
    enum qn_status status = pof_reader_enter(&renderer->reader);
    if (status == QN_OK && container == NULL) {
        status = QN_MEMORY_FULL;
    }
    if (status == QN_OK) {
        status = render_inside(renderer, value, container);
    }
    if (status == QN_OK) {
        status = pof_reader_leave(&renderer->reader);
    }
    if (status != QN_OK) {
        json_decref(container);
        return status;
    }
    *json = value->kind == POF_KIND_MAP ? pairs_as_object(container) : container;
    return QN_OK;
}

static enum qn_status render_value(struct renderer *renderer, const struct pof_value *value,
                                   json_t **json)
{
    switch (value->kind) {
    case POF_KIND_NULL:
        return made(json_null(), json);
    case POF_KIND_BOOL:
        return made(json_boolean(value->as.boolean), json);
    case POF_KIND_OCTET:
        return made(json_integer(value->as.octet), json);
    case POF_KIND_CHAR:
        return made(json_value_char(value->as.character), json);
    case POF_KIND_INT16:
    case POF_KIND_INT32:
    case POF_KIND_INT64:
        return made(json_integer(value->as.integer), json);
    case POF_KIND_INT128:
        return made(json_value_int128(value->as.int128), json);
    case POF_KIND_FLOAT32:
        return made(json_value_float32(value->as.float32), json);
    case POF_KIND_FLOAT64:
        return made(json_value_real(value->as.float64), json);
    case POF_KIND_FLOAT128:
        return made(json_value_octets(bytes_of(value->as.float128, sizeof value->as.float128)),
                    json);
    case POF_KIND_DECIMAL:
        return made(json_value_decimal(value->as.decimal), json);
    case POF_KIND_STRING:
        return made(json_value_text(value->as.text), json);
    case POF_KIND_OCTETS:
        return made(json_value_octets(value->as.octets), json);
    case POF_KIND_DATE:
    case POF_KIND_TIME:
    case POF_KIND_DATETIME:
        return made(clock_json(value), json);
    case POF_KIND_YEAR_MONTH:
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
        return made(interval_json(value), json);
    case POF_KIND_REFERENCE:
        return made(json_pack("{s:i}", "$ref", value->as.reference), json);
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        return render_container(renderer, value, json);
    }
    return QN_UNSUPPORTED;
}

enum qn_status render_json(struct bytes binary, const struct types *types, json_t **json)
{
    struct bytes pof;
    enum qn_status status = pof_binary_value(binary, &pof);
    if (status != QN_OK) {
        return status;
    }
    struct renderer renderer;
    struct pof_value value;
    renderer.types = types;
    arena_init(&renderer.arena, 0);
    pof_reader_init(&renderer.reader, pof);
    status = pof_reader_next(&renderer.reader, &value);
    if (status == QN_OK) {
        status = render_value(&renderer, &value, json);
    }
    arena_fini(&renderer.arena);
    return status == QN_ABSENT ? QN_MALFORMED : status;
}

static void print_octets(struct bytes octets, FILE *to)
{
    struct buf text = {.size = 0};
    if (text_hex(octets, &text) == QN_OK) {
        fwrite(text.data, 1, text.size, to);
    }
    buf_fini(&text);
}

enum qn_status render_print(struct bytes binary, const struct types *types, FILE *to)
{
    json_t *json = NULL;
    enum qn_status status = render_json(binary, types, &json);
    if (status != QN_OK) {
        print_octets(binary, to);
    } else if (json_is_string(json)) {
        fwrite(json_string_value(json), 1, json_string_length(json), to);
    } else {
        json_dumpf(json, to,
                   JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(json_value_digits(json)));
    }
    fputc('\n', to);
    json_decref(json);
    return status;
}
