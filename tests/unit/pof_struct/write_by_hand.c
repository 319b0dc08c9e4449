#include "tests/unit/pof_struct/random_struct.h"
#include "wire/pof/packed.h"

/* What each kind is: the type id of its elements, and whether it knows null. */
struct kind {
    int32_t type;
    enum { NEVER, POINTER, ZEROS } null;
};

static const struct kind kinds[] = {
    [POF_FIELD_BOOL] = {POF_BOOL, NEVER},
    [POF_FIELD_OCTET] = {POF_OCTET, NEVER},
    [POF_FIELD_CHAR] = {POF_CHAR, NEVER},
    [POF_FIELD_INT16] = {POF_INT16, NEVER},
    [POF_FIELD_INT32] = {POF_INT32, NEVER},
    [POF_FIELD_INT64] = {POF_INT64, NEVER},
    [POF_FIELD_INT128] = {POF_INT128, NEVER},
    [POF_FIELD_FLOAT32] = {POF_FLOAT32, NEVER},
    [POF_FIELD_FLOAT64] = {POF_FLOAT64, NEVER},
    [POF_FIELD_FLOAT128] = {POF_FLOAT128, NEVER},
    [POF_FIELD_DECIMAL] = {POF_DECIMAL128, NEVER},
    [POF_FIELD_TEXT] = {POF_STRING, POINTER},
    [POF_FIELD_STRING] = {POF_STRING, POINTER},
    [POF_FIELD_OCTETS] = {POF_OCTETS, POINTER},
    [POF_FIELD_DATE] = {POF_DATE, ZEROS},
    [POF_FIELD_TIME] = {POF_TIME, NEVER},
    [POF_FIELD_DATETIME] = {POF_DATETIME, ZEROS},
    [POF_FIELD_YEAR_MONTH] = {POF_YEAR_MONTH_INTERVAL, NEVER},
    [POF_FIELD_TIME_INTERVAL] = {POF_TIME_INTERVAL, NEVER},
    [POF_FIELD_DAY_TIME] = {POF_DAY_TIME_INTERVAL, NEVER},
    [POF_FIELD_CHARS] = {POF_STRING, NEVER},
    [POF_FIELD_STRUCT] = {0, NEVER},
    [POF_FIELD_STRUCT_PTR] = {0, POINTER},
    [POF_FIELD_CUSTOM] = {0, NEVER},
};

static bool is_null(const struct pof_field *field, const void *member)
{
    static const uint8_t zeros[sizeof(struct pof_datetime)];
    size_t size = kinds[field->kind].null == POINTER ? sizeof(void *) : field->size;

    return kinds[field->kind].null != NEVER && memcmp(member, zeros, size) == 0;
}

static void write_number(struct pof_writer *w, int32_t index, enum pof_field_kind kind,
                         const void *member)
{
    if (kind == POF_FIELD_BOOL) {
        pof_write_bool(w, index, *(const bool *)member);
    } else if (kind == POF_FIELD_OCTET) {
        pof_write_octet(w, index, *(const uint8_t *)member);
    } else if (kind == POF_FIELD_CHAR) {
        pof_write_char(w, index, *(const uint16_t *)member);
    } else if (kind == POF_FIELD_INT16) {
        pof_write_int16(w, index, *(const int16_t *)member);
    } else if (kind == POF_FIELD_INT32) {
        pof_write_int32(w, index, *(const int32_t *)member);
    } else if (kind == POF_FIELD_INT64) {
        pof_write_int64(w, index, *(const int64_t *)member);
    } else if (kind == POF_FIELD_INT128) {
        pof_write_int128(w, index, *(const struct pof_int128 *)member);
    } else if (kind == POF_FIELD_FLOAT32) {
        pof_write_float32(w, index, *(const float *)member);
    } else if (kind == POF_FIELD_FLOAT64) {
        pof_write_float64(w, index, *(const double *)member);
    } else if (kind == POF_FIELD_FLOAT128) {
        pof_write_float128(w, index, member);
    } else {
        pof_write_decimal(w, index, *(const struct pof_decimal *)member);
    }
}

static void write_temporal(struct pof_writer *w, int32_t index, enum pof_field_kind kind,
                           const void *member)
{
    if (kind == POF_FIELD_DATE) {
        pof_write_date(w, index, *(const struct pof_date *)member);
    } else if (kind == POF_FIELD_TIME) {
        pof_write_time(w, index, *(const struct pof_time *)member);
    } else if (kind == POF_FIELD_DATETIME) {
        pof_write_datetime(w, index, *(const struct pof_datetime *)member);
    } else if (kind == POF_FIELD_YEAR_MONTH) {
        pof_write_year_month(w, index, *(const struct pof_year_month *)member);
    } else if (kind == POF_FIELD_TIME_INTERVAL) {
        pof_write_time_interval(w, index, *(const struct pof_day_time *)member);
    } else {
        pof_write_day_time(w, index, *(const struct pof_day_time *)member);
    }
}

static void write_one(struct pof_writer *w, int32_t index, const struct pof_field *field,
                      const void *member)
{
    if (is_null(field, member)) {
        pof_write_null(w, index);
    } else if (field->kind == POF_FIELD_TEXT) {
        pof_write_string(w, index, bytes_of_text(*(const char *const *)member));
    } else if (field->kind == POF_FIELD_CHARS) {
        pof_write_string(w, index, bytes_of_text(member));
    } else if (field->kind == POF_FIELD_STRING) {
        pof_write_string(w, index, *(const struct bytes *)member);
    } else if (field->kind == POF_FIELD_OCTETS) {
        pof_write_octets(w, index, *(const struct bytes *)member);
    } else if (field->kind == POF_FIELD_STRUCT) {
        write_by_hand(w, index, field->nested, member, field->part);
    } else if (field->kind == POF_FIELD_STRUCT_PTR) {
        write_by_hand(w, index, field->nested, *(const void *const *)member, false);
    } else if (field->kind == POF_FIELD_CUSTOM) {
        field->codec->write(w, index, member);
    } else if (field->kind >= POF_FIELD_DATE) {
        write_temporal(w, index, field->kind, member);
    } else {
        write_number(w, index, field->kind, member);
    }
}

struct elements {
    const uint8_t *at;
    uint32_t count;
};

static struct elements elements_of(const struct pof_field *field, const uint8_t *object)
{
    struct elements elements = {object + field->offset, field->fixed};

    if (field->fixed == 0) {
        memcpy(&elements.at, object + field->offset, sizeof elements.at);
    }
    if (field->count_place != 0) {
        memcpy(&elements.count, object + field->count_place - 1, sizeof elements.count);
    }
    return elements;
}

/* Do all these have one type, and is none of them null? */
static bool is_uniform(const struct pof_field *field, struct elements elements, size_t stride,
                       size_t offset, int32_t *type)
{
    bool same = field->kind != POF_FIELD_CUSTOM && field->many != POF_MANY_MAP;

    for (uint32_t i = 0; i < elements.count; i++) {
        same = same && !is_null(field, elements.at + i * stride + offset);
    }
    *type = field->nested ? field->nested->type : kinds[field->kind].type;
    return same;
}

static void write_field(struct pof_writer *w, int32_t index, const struct pof_field *field,
                        const uint8_t *object);

static void write_map(struct pof_writer *w, int32_t index, const struct pof_field *field,
                      struct elements elements)
{
    const struct pof_field *key = &field->nested->fields[0];
    const struct pof_field *value = &field->nested->fields[1];
    struct pof_container form = {.type = POF_MAP, .count = (int32_t)elements.count};

    if (is_uniform(key, elements, field->size, key->offset, &form.key_type)) {
        form.type = POF_UNIFORM_KEYS_MAP;
        if (value->many == POF_ONE &&
            is_uniform(value, elements, field->size, value->offset, &form.element_type)) {
            form.type = POF_UNIFORM_MAP;
        }
    }
    pof_begin_container(w, index, form);
    for (uint32_t i = 0; i < elements.count; i++) {
        write_field(w, POF_NEXT, key, elements.at + (size_t)i * field->size);
        write_field(w, POF_NEXT, value, elements.at + (size_t)i * field->size);
    }
    pof_end(w);
}

static void write_list(struct pof_writer *w, int32_t index, const struct pof_field *field,
                       struct elements elements)
{
    bool array = field->many == POF_MANY_ARRAY || field->many == POF_MANY_PLAIN_ARRAY;
    bool plain = field->many == POF_MANY_PLAIN_ARRAY || field->many == POF_MANY_PLAIN_LIST;
    struct pof_container form = {.type = array ? POF_ARRAY : POF_COLLECTION,
                                 .count = (int32_t)elements.count};

    if (!plain && is_uniform(field, elements, field->size, 0, &form.element_type)) {
        form.type = array ? POF_UNIFORM_ARRAY : POF_UNIFORM_COLLECTION;
    }
    pof_begin_container(w, index, form);
    for (uint32_t i = 0; i < elements.count; i++) {
        write_one(w, POF_NEXT, field, elements.at + (size_t)i * field->size);
    }
    pof_end(w);
}

static void write_field(struct pof_writer *w, int32_t index, const struct pof_field *field,
                        const uint8_t *object)
{
    struct elements elements = elements_of(field, object);

    if (field->many == POF_ONE) {
        write_one(w, index, field, object + field->offset);
    } else if (!elements.at) {
        pof_write_null(w, index);
    } else if (field->many == POF_MANY_MAP) {
        write_map(w, index, field, elements);
    } else {
        write_list(w, index, field, elements);
    }
}

/* Would it be left out, though absent means something else? */
static bool must_be_there(const struct pof_field *field, const void *member)
{
    static const uint8_t zeros[INITIAL_MAX];

    if (!field->initial) {
        return false;
    }
    if (field->kind == POF_FIELD_FLOAT32) {
        return *(const float *)member == 0;
    }
    if (field->kind == POF_FIELD_FLOAT64) {
        return *(const double *)member == 0;
    }
    return is_null(field, member) ||
           (field->kind <= POF_FIELD_INT64 && memcmp(member, zeros, field->size) == 0);
}

/* The kept property at the front, below index `end`. */
static bool write_kept(struct pof_writer *w, struct bytes *kept, int32_t end)
{
    if (kept->size == 0 || kept->data[0] >= end) {
        return false;
    }
    pof_write_copy(w, kept->data[0], bytes_of(kept->data + 1, 1));
    *kept = bytes_of(kept->data + 2, kept->size - 2);
    return true;
}

void write_by_hand(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                   const uint8_t *object, bool part)
{
    int32_t version = table->version;
    struct bytes kept = {NULL, 0};

    if (table->remainder_place != 0) {
        memcpy(&version, object + table->version_place - 1, sizeof version);
        memcpy(&kept, object + table->remainder_place - 1, sizeof kept);
        version = version > table->version ? version : table->version;
    }
    if (part) {
        pof_begin_nested(w, index, table->type, version);
    } else {
        pof_begin_user(w, index, table->type, version);
    }
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct pof_field *field = &table->fields[i];
        while (write_kept(w, &kept, field->index)) {
        }
        if (field->present_place != 0 && !*(const bool *)(object + field->present_place - 1)) {
            continue;
        }
        if (field->full || field->present_place != 0 ||
            must_be_there(field, object + field->offset)) {
            pof_writer_full(w);
        }
        write_field(w, field->index, field, object);
    }
    pof_write_remainder(w, kept);
    pof_end(w);
}
