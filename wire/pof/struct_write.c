#include "wire/pof/binary.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/writer_parts.h"

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

static void write_text(struct pof_writer *w, int32_t index, struct bytes text)
{
    if (text.data) {
        pof_write_string(w, index, text);
    } else {
        pof_write_null(w, index);
    }
}

static void write_octets(struct pof_writer *w, int32_t index, struct bytes octets)
{
    if (octets.data) {
        pof_write_octets(w, index, octets);
    } else {
        pof_write_null(w, index);
    }
}

static void write_chars(struct pof_writer *w, int32_t index, const char *chars, size_t size)
{
    const char *end = memchr(chars, 0, size);

    pof_write_string(w, index, bytes_of(chars, end ? (size_t)(end - chars) : size));
}

static void write_struct(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                         const void *object, bool part);

/* One value of the field's kind, which stands at `member`. */
static void write_one(struct pof_writer *w, int32_t index, const struct pof_field *field,
                      const void *member)
{
    switch (field->kind) {
    case POF_FIELD_BOOL:
        pof_write_bool(w, index, *(const bool *)member);
        break;
    case POF_FIELD_OCTET:
        pof_write_octet(w, index, *(const uint8_t *)member);
        break;
    case POF_FIELD_CHAR:
        pof_write_char(w, index, *(const uint16_t *)member);
        break;
    case POF_FIELD_INT16:
        pof_write_int16(w, index, *(const int16_t *)member);
        break;
    case POF_FIELD_INT32:
        pof_write_int32(w, index, *(const int32_t *)member);
        break;
    case POF_FIELD_INT64:
        pof_write_int64(w, index, *(const int64_t *)member);
        break;
    case POF_FIELD_INT128:
        pof_write_int128(w, index, *(const struct pof_int128 *)member);
        break;
    case POF_FIELD_FLOAT32:
        pof_write_float32(w, index, *(const float *)member);
        break;
    case POF_FIELD_FLOAT64:
        pof_write_float64(w, index, *(const double *)member);
        break;
    case POF_FIELD_FLOAT128:
        pof_write_float128(w, index, member);
        break;
    case POF_FIELD_DECIMAL:
        pof_write_decimal(w, index, *(const struct pof_decimal *)member);
        break;
    case POF_FIELD_TEXT: {
        const char *text = *(const char *const *)member;
        write_text(w, index, text ? bytes_of_text(text) : bytes_of(NULL, 0));
        break;
    }
    case POF_FIELD_STRING:
        write_text(w, index, *(const struct bytes *)member);
        break;
    case POF_FIELD_OCTETS:
        write_octets(w, index, *(const struct bytes *)member);
        break;
    case POF_FIELD_DATE:
        pof_write_date(w, index, *(const struct pof_date *)member);
        break;
    case POF_FIELD_TIME:
        pof_write_time(w, index, *(const struct pof_time *)member);
        break;
    case POF_FIELD_DATETIME:
        pof_write_datetime(w, index, *(const struct pof_datetime *)member);
        break;
    case POF_FIELD_YEAR_MONTH:
        pof_write_year_month(w, index, *(const struct pof_year_month *)member);
        break;
    case POF_FIELD_TIME_INTERVAL:
        pof_write_time_interval(w, index, *(const struct pof_day_time *)member);
        break;
    case POF_FIELD_DAY_TIME:
        pof_write_day_time(w, index, *(const struct pof_day_time *)member);
        break;
    case POF_FIELD_CHARS:
        write_chars(w, index, member, field->size);
        break;
    case POF_FIELD_STRUCT:
        write_struct(w, index, field->nested, member, field->part);
        break;
    case POF_FIELD_STRUCT_PTR:
        write_struct(w, index, field->nested, *(const void *const *)member, field->part);
        break;
    case POF_FIELD_CUSTOM:
        field->codec->write(w, index, member);
        break;
    }
}

/* -- many -- */

/* Where a struct has the elements of a field, and how many. */
struct elements {
    const uint8_t *at; /* NULL = null */
    uint32_t count;
};

static struct elements elements_of(const struct pof_field *field, const uint8_t *object)
{
    struct elements elements = {.at = object + field->offset, .count = field->fixed};

    if (field->fixed == 0) {
        memcpy(&elements.at, object + field->offset, sizeof elements.at);
    }
    if (field->count_offset != POF_NO_OFFSET) {
        memcpy(&elements.count, object + field->count_offset, sizeof elements.count);
    }
    return elements;
}

/* Is the element nothing? Then it has no place in a uniform container. */
static bool is_null(const struct pof_field *field, const void *element)
{
    if (field->kind == POF_FIELD_TEXT || field->kind == POF_FIELD_STRUCT_PTR) {
        return *(const void *const *)element == NULL;
    }
    return (field->kind == POF_FIELD_STRING || field->kind == POF_FIELD_OCTETS) &&
           ((const struct bytes *)element)->data == NULL;
}

static bool any_is_null(const struct pof_field *field, struct elements elements, size_t stride,
                        size_t offset)
{
    for (uint32_t i = 0; i < elements.count; i++) {
        if (is_null(field, elements.at + i * stride + offset)) {
            return true;
        }
    }
    return false;
}

/* The form of a list: uniform when it is asked for and can be (pof-spec section 3). */
static struct pof_container list_form(const struct pof_field *field, struct elements elements)
{
    bool array = field->many == POF_MANY_ARRAY || field->many == POF_MANY_PLAIN_ARRAY;
    bool uniform = (field->many == POF_MANY_ARRAY || field->many == POF_MANY_LIST) &&
                   struct_element_type(field) != POF_NO_TYPE &&
                   !any_is_null(field, elements, field->size, 0);

    if (!uniform) {
        return (struct pof_container){.type = array ? POF_ARRAY : POF_COLLECTION};
    }
    return (struct pof_container){.type = array ? POF_UNIFORM_ARRAY : POF_UNIFORM_COLLECTION,
                                  .element_type = struct_element_type(field)};
}

static struct pof_container map_form(const struct pof_field *field, struct elements elements)
{
    const struct pof_field *key = &field->nested->fields[0];
    const struct pof_field *value = &field->nested->fields[1];
    bool keys = struct_element_type(key) != POF_NO_TYPE &&
                !any_is_null(key, elements, field->size, key->offset);
    bool values = keys && struct_element_type(value) != POF_NO_TYPE && value->many == POF_ONE &&
                  !any_is_null(value, elements, field->size, value->offset);

    return (struct pof_container){
        .type = values ? POF_UNIFORM_MAP
                : keys ? POF_UNIFORM_KEYS_MAP
                       : POF_MAP,
        .key_type = keys ? struct_element_type(key) : 0,
        .element_type = values ? struct_element_type(value) : 0,
    };
}

static void write_field(struct pof_writer *w, int32_t index, const struct pof_field *field,
                        const uint8_t *object);

static void write_many(struct pof_writer *w, int32_t index, const struct pof_field *field,
                       const uint8_t *object)
{
    struct elements elements = elements_of(field, object);
    bool map = field->many == POF_MANY_MAP;

    if (!elements.at) {
        pof_write_null(w, index);
        return;
    }
    if (elements.count > INT32_MAX || (field->fixed > 0 && elements.count > field->fixed)) {
        pof_writer_fail(w, QN_TOO_LARGE);
        return;
    }
    struct pof_container form = map ? map_form(field, elements) : list_form(field, elements);
    form.count = (int32_t)elements.count;
    pof_begin_container(w, index, form);
    for (uint32_t i = 0; i < elements.count && w->status == QN_OK; i++) {
        const uint8_t *element = elements.at + (size_t)i * field->size;
        if (map) {
            write_field(w, POF_NEXT, &field->nested->fields[0], element);
            write_field(w, POF_NEXT, &field->nested->fields[1], element);
        } else {
            write_one(w, POF_NEXT, field, element);
        }
    }
    pof_end(w);
}

static void write_field(struct pof_writer *w, int32_t index, const struct pof_field *field,
                        const uint8_t *object)
{
    if (field->present_offset != POF_NO_OFFSET) {
        bool present;
        memcpy(&present, object + field->present_offset, sizeof present);
        if (!present) {
            return;
        }
        pof_writer_full(w); /* a zero that is there is no default */
    }
    if (field->many != POF_ONE) {
        write_many(w, index, field, object);
    } else {
        write_one(w, index, field, object + field->offset);
    }
}

static int32_t version_of(const struct pof_struct *table, const uint8_t *object)
{
    int32_t version = table->version;

    if (table->version_offset != POF_NO_OFFSET) {
        memcpy(&version, object + table->version_offset, sizeof version);
    }
    return version > table->version ? version : table->version;
}

static void write_struct(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                         const void *at, bool part)
{
    const uint8_t *object = at;

    if (!object) {
        pof_write_null(w, index);
        return;
    }
    if (table->codec) {
        table->codec->write(w, index, object);
        return;
    }
    if (part) {
        pof_begin_nested(w, index, table->type, version_of(table, object));
    } else {
        pof_begin_user(w, index, table->type, version_of(table, object));
    }
    /* A writer that has failed goes nowhere: objects that contain themselves end so, too. */
    for (uint32_t i = 0; i < table->field_count && w->status == QN_OK; i++) {
        write_field(w, table->fields[i].index, &table->fields[i], object);
    }
    if (table->remainder_offset != POF_NO_OFFSET) {
        struct bytes remainder;
        memcpy(&remainder, object + table->remainder_offset, sizeof remainder);
        pof_write_remainder(w, remainder);
    }
    pof_end(w);
}

void pof_struct_write(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                      const void *object)
{
    write_struct(w, index, table, object, false);
}

enum qn_status pof_struct_to_binary(struct buf *out, const struct pof_struct *table,
                                    const void *object)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_struct_write(&w, POF_NEXT, table, object);
    return pof_writer_finish(&w);
}
