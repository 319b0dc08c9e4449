#include <stdlib.h>

#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/vectors.h"
#include "wire/assert.h"

static bool is(const json_t *node, const char *type)
{
    return strcmp(vector_text(node, "t"), type) == 0;
}

static int32_t field(const json_t *node, const char *key)
{
    return (int32_t)vector_int(node, key);
}

static float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static const char *string_of(const json_t *string)
{
    const char *text = json_string_value(string);

    return text ? text : "";
}

static uint64_t bits_of(const json_t *string)
{
    return strtoull(string_of(string), NULL, 16);
}

static struct pof_date date_of(const json_t *node)
{
    return (struct pof_date){field(node, "y"), field(node, "mo"), field(node, "d")};
}

static struct pof_time time_of(const json_t *node)
{
    const json_t *zone = json_object_get(node, "zone");
    struct pof_time time = {.hour = field(node, "h"),
                            .minute = field(node, "mi"),
                            .second = field(node, "s"),
                            .nano = field(node, "ns"),
                            .zone = json_is_string(zone) ? POF_ZONE_UTC : POF_ZONE_NONE};

    if (json_is_object(zone)) {
        time.zone = POF_ZONE_OFFSET;
        time.zone_hour = field(zone, "h");
        time.zone_minute = field(zone, "m");
    }
    return time;
}

static struct pof_day_time interval_of(const json_t *node)
{
    return (struct pof_day_time){
        .days = json_object_get(node, "days") ? field(node, "days") : 0,
        .hours = field(node, "h"),
        .minutes = field(node, "mi"),
        .seconds = field(node, "s"),
        .nanos = field(node, "ns"),
    };
}

static void write_octets(struct pof_writer *w, int32_t index, const json_t *node)
{
    struct buf octets = {0};

    hex_append(&octets, vector_text(node, is(node, "float128") ? "bits" : "hex"));
    if (is(node, "octets")) {
        pof_write_octets(w, index, buf_bytes(&octets));
    } else if (is(node, "octet[]")) {
        pof_write_octet_array(w, index, buf_bytes(&octets));
    } else if (octets.size == 16) {
        pof_write_float128(w, index, octets.data);
    }
    buf_fini(&octets);
}

static void write_string(struct pof_writer *w, int32_t index, const json_t *node)
{
    struct buf text = {0};

    text_of(json_object_get(node, "v"), false, &text);
    pof_write_string(w, index, buf_bytes(&text));
    buf_fini(&text);
}

/* Numbers and chars by the name of their type; false: it is none of them. */
static bool write_number(struct pof_writer *w, int32_t index, const char *type, const json_t *value)
{
    int64_t number = json_is_string(value) ? strtoll(json_string_value(value), NULL, 10)
                                           : json_integer_value(value);

    if (strcmp(type, "bool") == 0) {
        pof_write_bool(w, index, json_is_true(value));
    } else if (strcmp(type, "octet") == 0) {
        pof_write_octet(w, index, (uint8_t)number);
    } else if (strcmp(type, "char") == 0) {
        pof_write_char(w, index, (uint16_t)number);
    } else if (strcmp(type, "int16") == 0) {
        pof_write_int16(w, index, (int16_t)number);
    } else if (strcmp(type, "int32") == 0) {
        pof_write_int32(w, index, (int32_t)number);
    } else if (strcmp(type, "int64") == 0) {
        pof_write_int64(w, index, number);
    } else if (strcmp(type, "int128") == 0) {
        pof_write_int128(w, index, int128_of(string_of(value)));
    } else if (strcmp(type, "float32") == 0) {
        pof_write_float32(w, index, float_of_bits((uint32_t)bits_of(value)));
    } else if (strcmp(type, "float64") == 0) {
        pof_write_float64(w, index, double_of_bits(bits_of(value)));
    } else {
        return false;
    }
    return true;
}

static bool write_scalar(struct pof_writer *w, int32_t index, const json_t *node)
{
    const char *type = vector_text(node, "t");

    if (is(node, "null")) {
        pof_write_null(w, index);
    } else if (is(node, "string")) {
        write_string(w, index, node);
    } else if (is(node, "octets") || is(node, "octet[]") || is(node, "float128")) {
        write_octets(w, index, node);
    } else if (is(node, "decimal")) {
        pof_write_decimal(w, index,
                          (struct pof_decimal){.unscaled = int128_of(vector_text(node, "unscaled")),
                                               .scale = field(node, "scale")});
    } else if (is(node, "date")) {
        pof_write_date(w, index, date_of(node));
    } else if (is(node, "time")) {
        pof_write_time(w, index, time_of(node));
    } else if (is(node, "datetime")) {
        pof_write_datetime(w, index, (struct pof_datetime){date_of(node), time_of(node)});
    } else if (is(node, "year_month_interval")) {
        pof_write_year_month(w, index,
                             (struct pof_year_month){field(node, "years"), field(node, "months")});
    } else if (is(node, "time_interval")) {
        pof_write_time_interval(w, index, interval_of(node));
    } else if (is(node, "day_time_interval")) {
        pof_write_day_time(w, index, interval_of(node));
    } else {
        bool is_float = strncmp(type, "float", 5) == 0;
        return write_number(w, index, type, json_object_get(node, is_float ? "bits" : "v"));
    }
    return true;
}

/* An array of numbers, bools or chars; false: it is none. */
static bool write_primitives(struct pof_writer *w, int32_t index, const json_t *node)
{
    static const struct {
        const char *array;
        const char *element;
        int32_t type;
    } kinds[] = {
        {"bool[]", "bool", POF_BOOL},          {"char[]", "char", POF_CHAR},
        {"int16[]", "int16", POF_INT16},       {"int32[]", "int32", POF_INT32},
        {"int64[]", "int64", POF_INT64},       {"float32[]", "float32", POF_FLOAT32},
        {"float64[]", "float64", POF_FLOAT64},
    };
    size_t i;
    json_t *element;

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (is(node, kinds[k].array)) {
            bool floats = kinds[k].element[0] == 'f';
            json_t *list = json_object_get(node, floats ? "bits" : "v");
            pof_begin_uniform_array(w, index, kinds[k].type, (int32_t)json_array_size(list));
            json_array_foreach(list, i, element)
            {
                write_number(w, POF_NEXT, kinds[k].element, element);
            }
            pof_end(w);
            return true;
        }
    }
    return false;
}

/* Is there a null at `place` of an entry (or among the elements, place -1)? */
static bool has_null(const json_t *list, int place)
{
    size_t i;
    json_t *element;

    json_array_foreach(list, i, element)
    {
        const json_t *value = place < 0 ? element : json_array_get(element, (size_t)place);
        if (is(value, "null")) {
            return true;
        }
    }
    return false;
}

/* The container to begin for a node; a null makes the plain form of a uniform one, as in the
 * implementation that made the vectors. */
static struct pof_container container_of(const json_t *node)
{
    const json_t *list = json_object_get(node, "v");
    struct pof_container c = {.count = (int32_t)json_array_size(list)};
    bool uniform = json_object_get(node, "uniform_type") != NULL;

    if (is(node, "map")) {
        bool keys = json_object_get(node, "uniform_key_type") && !has_null(list, 0);
        bool values = keys && json_object_get(node, "uniform_value_type");
        bool null_values = values && has_null(list, 1);
        c.type = null_values || !keys ? POF_MAP : values ? POF_UNIFORM_MAP : POF_UNIFORM_KEYS_MAP;
        c.key_type = keys ? field(node, "uniform_key_type") : 0;
        c.element_type = values ? field(node, "uniform_value_type") : 0;
        return c;
    }
    bool sparse = is(node, "sparse_array");
    bool array = is(node, "object[]");
    uniform = uniform && !has_null(list, sparse ? 1 : -1);
    if (sparse) {
        c.type = uniform ? POF_UNIFORM_SPARSE_ARRAY : POF_SPARSE_ARRAY;
        c.count = field(node, "size");
    } else if (array) {
        c.type = uniform ? POF_UNIFORM_ARRAY : POF_ARRAY;
    } else {
        c.type = uniform ? POF_UNIFORM_COLLECTION : POF_COLLECTION;
    }
    c.element_type = uniform ? field(node, "uniform_type") : 0;
    return c;
}

static void write_elements(struct node_writer *nw, const json_t *node)
{
    bool map = is(node, "map");
    bool sparse = is(node, "sparse_array");
    size_t i;
    json_t *element;

    json_array_foreach(json_object_get(node, "v"), i, element)
    {
        if (map) {
            node_write(nw, POF_NEXT, "object", json_array_get(element, 0));
            node_write(nw, POF_NEXT, "object", json_array_get(element, 1));
        } else if (sparse) {
            node_write(nw, (int32_t)json_integer_value(json_array_get(element, 0)), "object",
                       json_array_get(element, 1));
        } else {
            node_write(nw, POF_NEXT, "object", element);
        }
    }
}

static void write_user(struct node_writer *nw, int32_t index, bool nested, json_t *node)
{
    const char *label = json_string_value(json_object_get(node, "label"));
    const char *remainder = json_string_value(json_object_get(node, "remainder"));
    struct buf octets = {0};
    size_t i;
    json_t *prop;

    if (nested) {
        pof_begin_nested(&nw->w, index, field(node, "type"), field(node, "version"));
    } else {
        pof_begin_user(&nw->w, index, field(node, "type"), field(node, "version"));
    }
    if (label) {
        json_object_set(nw->labels, label, node);
        json_object_set_new(nw->identities, label, json_integer(pof_writer_identity(&nw->w)));
    }
    json_array_foreach(json_object_get(node, "props"), i, prop)
    {
        node_write(nw, field(prop, "i"), vector_text(prop, "m"), json_object_get(prop, "n"));
    }
    if (remainder) {
        hex_append(&octets, remainder);
        pof_write_remainder(&nw->w, buf_bytes(&octets));
        buf_fini(&octets);
    }
    pof_end(&nw->w);
}

/* The same object again: by reference, or once more when references are off. */
static void write_ref(struct node_writer *nw, int32_t index, const json_t *node)
{
    const char *label = vector_text(node, "label");

    if (nw->w.references) {
        pof_write_reference(&nw->w, index,
                            (int32_t)json_integer_value(json_object_get(nw->identities, label)));
    } else {
        write_user(nw, index, false, json_object_get(nw->labels, label));
    }
}

void node_write(struct node_writer *nw, int32_t index, const char *mode, json_t *node)
{
    if (strcmp(mode, "object") == 0) {
        pof_writer_full(&nw->w);
    }
    if (is(node, "user")) {
        write_user(nw, index, strcmp(mode, "nested") == 0, node);
    } else if (is(node, "ref")) {
        write_ref(nw, index, node);
    } else if (!write_scalar(&nw->w, index, node) && !write_primitives(&nw->w, index, node)) {
        pof_begin_container(&nw->w, index, container_of(node));
        write_elements(nw, node);
        pof_end(&nw->w);
    }
}

void node_writer_init(struct node_writer *nw, struct buf *out, bool references)
{
    pof_writer_init(&nw->w, out);
    nw->labels = json_object();
    nw->identities = json_object();
    nw->types = (struct buf){0};
    if (references) {
        pof_writer_enable_references(&nw->w);
        pof_writer_track_identities(&nw->w, &nw->types);
    }
}

enum qn_status node_writer_finish(struct node_writer *nw)
{
    json_decref(nw->labels);
    json_decref(nw->identities);
    buf_fini(&nw->types);
    return pof_writer_finish(&nw->w);
}
