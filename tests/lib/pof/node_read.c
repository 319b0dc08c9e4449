#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/pof/nodes.h"
#include "tests/lib/pof/vectors.h"
#include "wire/assert.h"
#include "wire/pof/text.h"

/* A sparse array that stands for a plain one is filled up only to here. */
enum { FILL_MAX = 100000 };

struct node_reader {
    struct pof_reader r;
    json_t *known; /* identity -> node, for references */
};

static enum qn_status read_container(struct node_reader *nr, const struct pof_value *head,
                                     json_t *node);

static json_t *float32_bits(float value)
{
    uint32_t bits;
    char text[9];

    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "%08x", (unsigned)bits);
    return json_string(text);
}

static json_t *float64_bits(double value)
{
    uint64_t bits;
    char text[17];

    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)bits);
    return json_string(text);
}

static json_t *int64_text(int64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)value);
    return json_string(text);
}

static json_t *string_node(struct bytes text)
{
    struct buf utf8 = {0};

    enum qn_status status = pof_text_append(&utf8, text);
    qn_assert(status == QN_OK); /* the reader has checked it */
    json_t *string = json_stringn(utf8.data ? (const char *)utf8.data : "", utf8.size);
    buf_fini(&utf8);
    return json_pack("{s:s, s:o}", "t", "string", "v", string);
}

static void add_date(json_t *node, const struct pof_date *date)
{
    json_object_set_new(node, "y", json_integer(date->year));
    json_object_set_new(node, "mo", json_integer(date->month));
    json_object_set_new(node, "d", json_integer(date->day));
}

static void add_time(json_t *node, const struct pof_time *time)
{
    json_t *zone = time->zone == POF_ZONE_NONE ? json_null()
                   : time->zone == POF_ZONE_UTC
                       ? json_string("utc")
                       : json_pack("{s:i, s:i}", "h", time->zone_hour, "m", time->zone_minute);

    json_object_set_new(node, "h", json_integer(time->hour));
    json_object_set_new(node, "mi", json_integer(time->minute));
    json_object_set_new(node, "s", json_integer(time->second));
    json_object_set_new(node, "ns", json_integer(time->nano));
    json_object_set_new(node, "zone", zone);
}

static json_t *temporal_node(const struct pof_value *v)
{
    json_t *node = json_object();
    const char *type = "date";

    if (v->kind == POF_KIND_DATE) {
        add_date(node, &v->as.date);
    } else if (v->kind == POF_KIND_TIME) {
        type = "time";
        add_time(node, &v->as.time);
    } else {
        type = "datetime";
        add_date(node, &v->as.datetime.date);
        add_time(node, &v->as.datetime.time);
    }
    json_object_set_new(node, "t", json_string(type));
    return node;
}

static json_t *interval_node(const struct pof_value *v)
{
    const struct pof_day_time *i = &v->as.day_time;
    json_t *node = json_pack("{s:i, s:i, s:i, s:i}", "h", i->hours, "mi", i->minutes, "s",
                             i->seconds, "ns", i->nanos);

    if (v->kind == POF_KIND_DAY_TIME) {
        json_object_set_new(node, "days", json_integer(i->days));
    }
    json_object_set_new(
        node, "t",
        json_string(v->kind == POF_KIND_DAY_TIME ? "day_time_interval" : "time_interval"));
    return node;
}

static json_t *value_node(const char *type, const char *key, json_t *value)
{
    return json_pack("{s:s, s:o}", "t", type, key, value);
}

static json_t *scalar_node(const struct pof_value *v)
{
    switch (v->kind) {
    case POF_KIND_NULL:
        return json_pack("{s:s}", "t", "null");
    case POF_KIND_BOOL:
        return value_node("bool", "v", json_boolean(v->as.boolean));
    case POF_KIND_OCTET:
        return value_node("octet", "v", json_integer(v->as.octet));
    case POF_KIND_CHAR:
        return value_node("char", "v", json_integer(v->as.character));
    case POF_KIND_INT16:
        return value_node("int16", "v", json_integer(v->as.integer));
    case POF_KIND_INT32:
        return value_node("int32", "v", json_integer(v->as.integer));
    case POF_KIND_INT64:
        return value_node("int64", "v", int64_text(v->as.integer));
    case POF_KIND_INT128:
        return value_node("int128", "v", int128_text(v->as.int128));
    case POF_KIND_FLOAT32:
        return value_node("float32", "bits", float32_bits(v->as.float32));
    case POF_KIND_FLOAT64:
        return value_node("float64", "bits", float64_bits(v->as.float64));
    case POF_KIND_FLOAT128:
        return value_node("float128", "bits", hex_of(bytes_of(v->as.float128, 16)));
    case POF_KIND_DECIMAL:
        return json_pack("{s:s, s:o, s:i}", "t", "decimal", "unscaled",
                         int128_text(v->as.decimal.unscaled), "scale", v->as.decimal.scale);
    case POF_KIND_STRING:
        return string_node(v->as.text);
    case POF_KIND_OCTETS:
        return value_node("octets", "hex", hex_of(v->as.octets));
    case POF_KIND_DATE:
    case POF_KIND_TIME:
    case POF_KIND_DATETIME:
        return temporal_node(v);
    case POF_KIND_YEAR_MONTH:
        return json_pack("{s:s, s:i, s:i}", "t", "year_month_interval", "years",
                         v->as.year_month.years, "months", v->as.year_month.months);
    case POF_KIND_TIME_INTERVAL:
    case POF_KIND_DAY_TIME:
        return interval_node(v);
    case POF_KIND_REFERENCE:
    case POF_KIND_ARRAY:
    case POF_KIND_COLLECTION:
    case POF_KIND_SPARSE_ARRAY:
    case POF_KIND_MAP:
    case POF_KIND_USER:
        break;
    }
    qn_assert(false); /* the caller sees to containers */
    return NULL;
}

static const char *identity_text(int32_t identity, char text[16])
{
    snprintf(text, 16, "%d", (int)identity);
    return text;
}

/* A user value again is a reference, anything else a copy. */
static enum qn_status resolve(const struct node_reader *nr, int32_t identity, json_t **node)
{
    char text[16];
    const json_t *known = json_object_get(nr->known, identity_text(identity, text));

    if (!known) {
        return QN_MALFORMED;
    }
    *node = json_object_get(known, "label") ? json_pack("{s:s, s:s}", "t", "ref", "label", text)
                                            : json_deep_copy(known);
    return QN_OK;
}

static enum qn_status learn(struct node_reader *nr, int32_t identity, json_t *node)
{
    char text[16];

    if (identity < 0) {
        return QN_OK;
    }
    if (json_object_get(nr->known, identity_text(identity, text))) {
        return QN_MALFORMED;
    }
    json_object_set(nr->known, text, node);
    return QN_OK;
}

/* A user value can be referred to from inside itself, so it is known before it is read. */
static enum qn_status read_user(struct node_reader *nr, const struct pof_value *head, json_t **node)
{
    char text[16];
    json_t *user = json_pack("{s:s, s:i, s:i, s:[]}", "t", "user", "type", head->type, "version",
                             head->as.items.version, "props");

    if (head->identity >= 0) {
        json_object_set_new(user, "label", json_string(identity_text(head->identity, text)));
    }
    enum qn_status status = learn(nr, head->identity, user);
    if (status == QN_OK) {
        status = read_container(nr, head, user);
    }
    if (status == QN_OK) {
        *node = user;
    } else {
        json_decref(user);
    }
    return status;
}

/* The node of the value that next gave. */
static enum qn_status read_value(struct node_reader *nr, const struct pof_value *v, json_t **node)
{
    enum qn_status status = QN_OK;
    json_t *made = NULL;

    if (v->kind == POF_KIND_USER) {
        return read_user(nr, v, node);
    }
    if (v->kind == POF_KIND_REFERENCE) {
        status = resolve(nr, v->as.reference, &made);
    } else if (pof_kind_is_container(v->kind)) {
        made = json_object();
        status = read_container(nr, v, made);
    } else {
        made = scalar_node(v);
    }
    if (status == QN_OK) {
        status = learn(nr, v->identity, made);
    }
    if (status == QN_OK) {
        *node = made;
    } else {
        json_decref(made);
    }
    return status;
}

/* Put a map entry, an earlier one with the same key overwritten. */
static void put_entry(json_t *list, json_t *key, json_t *value)
{
    size_t i;
    json_t *entry;

    json_array_foreach(list, i, entry)
    {
        if (json_equal(json_array_get(entry, 0), key)) {
            json_array_set_new(entry, 1, value);
            json_decref(key);
            return;
        }
    }
    json_array_append_new(list, json_pack("[o, o]", key, value));
}

/* All values of the container just given, as a list: properties as {"i", "n"}, entries as pairs. */
static enum qn_status read_list(struct node_reader *nr, enum pof_kind kind, json_t *list)
{
    struct pof_value v;
    json_t *key = NULL;
    json_t *node = NULL;

    enum qn_status status = pof_reader_enter(&nr->r);
    while (status == QN_OK && (status = pof_reader_next(&nr->r, &v)) == QN_OK &&
           (status = read_value(nr, &v, &node)) == QN_OK) {
        if (v.is_key) {
            key = node;
        } else if (kind == POF_KIND_MAP) {
            put_entry(list, key, node);
            key = NULL;
        } else if (kind == POF_KIND_USER) {
            json_array_append_new(list, json_pack("{s:i, s:o}", "i", v.index, "n", node));
        } else if (kind == POF_KIND_SPARSE_ARRAY) {
            put_entry(list, json_integer(v.index), node);
        } else {
            json_array_append_new(list, node);
        }
    }
    json_decref(key);
    return status == QN_ABSENT ? pof_reader_leave(&nr->r) : status;
}

/* Primitive arrays: the name by element type, and the node of an element that is not there. */
static const char *primitive_array(int32_t element_type, const char **zero)
{
    static const struct {
        int32_t type;
        const char *name;
        const char *zero;
    } arrays[] = {
        {POF_BOOL, "bool[]", "{\"t\":\"bool\",\"v\":false}"},
        {POF_OCTET, "octet[]", "{\"t\":\"octet\",\"v\":0}"},
        {POF_CHAR, "char[]", "{\"t\":\"char\",\"v\":0}"},
        {POF_INT16, "int16[]", "{\"t\":\"int16\",\"v\":0}"},
        {POF_INT32, "int32[]", "{\"t\":\"int32\",\"v\":0}"},
        {POF_INT64, "int64[]", "{\"t\":\"int64\",\"v\":\"0\"}"},
        {POF_FLOAT32, "float32[]", "{\"t\":\"float32\",\"bits\":\"00000000\"}"},
        {POF_FLOAT64, "float64[]", "{\"t\":\"float64\",\"bits\":\"0000000000000000\"}"},
    };

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (arrays[i].type == element_type) {
            *zero = arrays[i].zero;
            return arrays[i].name;
        }
    }
    return NULL;
}

/* Turn a list of elements into the node of a primitive array. */
static void fill_primitives(json_t *node, const char *name, const json_t *elements)
{
    json_t *values = json_array();
    struct buf octets = {0};
    bool floats = name[0] == 'f';
    size_t i;
    json_t *element;

    json_object_set_new(node, "t", json_string(name));
    json_array_foreach(elements, i, element)
    {
        json_t *value = json_object_get(element, floats ? "bits" : "v");
        uint8_t octet = (uint8_t)json_integer_value(value);
        enum qn_status status = buf_append(&octets, &octet, 1);
        qn_assert(status == QN_OK);
        json_array_append(values, value);
    }
    if (strcmp(name, "octet[]") == 0) {
        json_object_set_new(node, "hex", hex_of(buf_bytes(&octets)));
    } else {
        json_object_set(node, floats ? "bits" : "v", values);
    }
    json_decref(values);
    buf_fini(&octets);
}

/* The plain array that a sparse one of primitives reads as. */
static json_t *spread(const json_t *entries, int32_t size, const char *zero)
{
    json_t *elements = json_array();
    size_t i;
    json_t *entry;

    for (int32_t k = 0; k < size; k++) {
        json_array_append_new(elements, json_loads(zero, 0, NULL));
    }
    json_array_foreach(entries, i, entry)
    {
        json_array_set(elements, (size_t)json_integer_value(json_array_get(entry, 0)),
                       json_array_get(entry, 1));
    }
    return elements;
}

static enum qn_status read_container(struct node_reader *nr, const struct pof_value *head,
                                     json_t *node)
{
    static const char *const names[] = {"object[]", "collection", "sparse_array", "map", "user"};
    const struct pof_items *items = &head->as.items;
    const char *zero = NULL;
    const char *primitives =
        items->uniform && (head->kind == POF_KIND_ARRAY || head->kind == POF_KIND_SPARSE_ARRAY)
            ? primitive_array(items->element_type, &zero)
            : NULL;
    json_t *list = json_array();

    enum qn_status status = read_list(nr, head->kind, list);
    if (status == QN_OK && primitives && head->kind == POF_KIND_SPARSE_ARRAY) {
        if (items->count > FILL_MAX) {
            status = QN_TOO_LARGE;
        } else {
            json_t *elements = spread(list, items->count, zero);
            json_decref(list);
            list = elements;
        }
    }
    if (status == QN_OK && primitives) {
        fill_primitives(node, primitives, list);
    } else if (status == QN_OK) {
        json_object_set_new(node, "t", json_string(names[head->kind - POF_KIND_ARRAY]));
        json_object_set(node, head->kind == POF_KIND_USER ? "props" : "v", list);
    }
    json_decref(list);
    return status;
}

enum qn_status node_of(const struct pof_value *value, json_t **node)
{
    if (value->kind == POF_KIND_REFERENCE || pof_kind_is_container(value->kind)) {
        return QN_UNSUPPORTED;
    }
    *node = scalar_node(value);
    return QN_OK;
}

enum qn_status node_read(struct bytes pof, json_t **node)
{
    struct bytes rest;

    return node_take(pof, node, &rest);
}

enum qn_status node_take(struct bytes pof, json_t **node, struct bytes *rest)
{
    struct node_reader nr;
    struct pof_value v;
    struct buf identities = {0};

    pof_reader_init(&nr.r, pof);
    nr.known = json_object();
    pof_reader_track_identities(&nr.r, &identities);
    enum qn_status status = pof_reader_next(&nr.r, &v);
    if (status == QN_OK) {
        status = read_value(&nr, &v, node);
    }
    *rest = nr.r.rest;
    json_decref(nr.known);
    buf_fini(&identities);
    return status;
}
