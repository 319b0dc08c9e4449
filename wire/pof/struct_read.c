#include "wire/pof/binary.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/text.h"
#include "wire/pof/typed_wide.h"

static enum qn_status read_struct(struct pof_reader *r, const struct pof_value *value,
                                  const struct pof_struct *table, void *object,
                                  struct pof_struct_memory *memory);

/* The initial values of all fields. */
static void set_all_initial(const struct pof_struct *table, uint8_t *object)
{
    memset(object, 0, table->size);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct pof_field *field = &table->fields[i];
        if (field->initial && field->many == POF_ONE) {
            memcpy(object + field->offset, field->initial, field->size);
        }
    }
}

/* -- texts and octets -- */

static enum qn_status copy_octets(struct bytes from, struct pof_struct_memory *memory,
                                  struct bytes *to)
{
    uint8_t *at = arena_alloc(memory->arena, from.size + 1); /* never NULL for nothing */

    if (!at) {
        return QN_MEMORY_FULL;
    }
    if (from.size > 0) {
        memcpy(at, from.data, from.size);
    }
    at[from.size] = 0;
    *to = bytes_of(at, from.size);
    return QN_OK;
}

/* The text as UTF-8: others have written other forms as well, which never get longer. */
static enum qn_status standard_text(struct bytes text, struct pof_struct_memory *memory,
                                    struct bytes *standard)
{
    if (pof_text_check(text) == POF_TEXT_STANDARD) {
        *standard = text;
        return QN_OK;
    }
    struct buf out = {.data = arena_alloc(memory->arena, text.size + 1), .capacity = text.size};
    if (!out.data) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = pof_text_append(&out, text);
    *standard = buf_bytes(&out);
    return status;
}

static enum qn_status text_of(const struct pof_value *value, struct pof_struct_memory *memory,
                              struct bytes *text)
{
    if (value->type == POF_SMALL_EMPTY_COLLECTION) {
        *text = bytes_of("", 0);
        return QN_OK;
    }
    return value->kind == POF_KIND_STRING ? standard_text(value->as.text, memory, text)
                                          : QN_WRONG_TYPE;
}

static enum qn_status read_text(const struct pof_value *value, const struct pof_field *field,
                                void *member, struct pof_struct_memory *memory)
{
    struct bytes text;
    struct bytes copied;
    enum qn_status status = text_of(value, memory, &text);

    if (status != QN_OK) {
        return status;
    }
    if (field->kind != POF_FIELD_STRING && text.size > 0 && memchr(text.data, 0, text.size)) {
        return QN_WRONG_TYPE; /* the struct could hold the part before the NUL only */
    }
    if (field->kind == POF_FIELD_CHARS) {
        if (text.size >= field->size) {
            return QN_TOO_LARGE;
        }
        memcpy(member, text.data, text.size);
        memset((char *)member + text.size, 0, field->size - text.size);
        return QN_OK;
    }
    if (field->kind == POF_FIELD_STRING && !memory->copy) {
        memcpy(member, &text, sizeof text);
        return QN_OK;
    }
    status = copy_octets(text, memory, &copied);
    if (status != QN_OK) {
        return status;
    }
    if (field->kind == POF_FIELD_STRING) {
        memcpy(member, &copied, sizeof copied);
    } else {
        memcpy(member, &copied.data, sizeof copied.data);
    }
    return QN_OK;
}

static enum qn_status read_octets(const struct pof_reader *r, const struct pof_value *value,
                                  void *member, struct pof_struct_memory *memory)
{
    struct bytes octets = bytes_of("", 0);
    enum qn_status status = QN_OK;

    if (value->kind == POF_KIND_OCTETS) {
        octets = value->as.octets;
    } else if (value->type == POF_UNIFORM_ARRAY && value->as.items.element_type == POF_OCTET) {
        octets = bytes_of(r->rest.data, (size_t)value->as.items.count);
    } else if (value->type != POF_SMALL_EMPTY_STRING && value->type != POF_SMALL_EMPTY_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    if (memory->copy) {
        status = copy_octets(octets, memory, &octets);
    }
    if (status == QN_OK) {
        memcpy(member, &octets, sizeof octets);
    }
    return status;
}

/* -- numbers -- */

/* The whole numbers that fit a kind. -1 stands for the greatest octet and char. */
static int64_t least_of(enum pof_field_kind kind)
{
    bool is_unsigned = kind == POF_FIELD_OCTET || kind == POF_FIELD_CHAR;

    return is_unsigned               ? -1
           : kind == POF_FIELD_INT16 ? INT16_MIN
           : kind == POF_FIELD_INT32 ? INT32_MIN
                                     : INT64_MIN;
}

static int64_t most_of(enum pof_field_kind kind)
{
    return kind == POF_FIELD_OCTET   ? UINT8_MAX
           : kind == POF_FIELD_CHAR  ? UINT16_MAX
           : kind == POF_FIELD_INT16 ? INT16_MAX
           : kind == POF_FIELD_INT32 ? INT32_MAX
                                     : INT64_MAX;
}

/* A whole number of the field's width. */
static enum qn_status read_integer(const struct pof_value *value, const struct pof_field *field,
                                   void *member)
{
    int64_t number;
    enum qn_status status = pof_value_int64(value, &number);

    if (status != QN_OK) {
        return status;
    }
    if (number < least_of(field->kind) || number > most_of(field->kind)) {
        return QN_WRONG_TYPE;
    }
    if (field->kind == POF_FIELD_BOOL) {
        *(bool *)member = number != 0;
    } else if (field->kind == POF_FIELD_OCTET) {
        *(uint8_t *)member = (uint8_t)number;
    } else if (field->kind == POF_FIELD_CHAR) {
        *(uint16_t *)member = (uint16_t)number;
    } else if (field->kind == POF_FIELD_INT16) {
        *(int16_t *)member = (int16_t)number;
    } else if (field->kind == POF_FIELD_INT32) {
        *(int32_t *)member = (int32_t)number;
    } else {
        *(int64_t *)member = number;
    }
    return QN_OK;
}

static enum qn_status read_float(const struct pof_value *value, const struct pof_field *field,
                                 void *member)
{
    double number;
    enum qn_status status = pof_value_float64(value, &number);

    if (status == QN_OK && field->kind == POF_FIELD_FLOAT32) {
        *(float *)member = (float)number;
    } else if (status == QN_OK) {
        *(double *)member = number;
    }
    return status;
}

static enum qn_status read_wide(const struct pof_value *value, const struct pof_field *field,
                                void *member)
{
    return field->kind == POF_FIELD_DECIMAL ? pof_value_decimal(value, member)
                                            : pof_value_int128(value, member);
}

/* -- values that are what they are -- */

/* Copy `size` octets of the value when it is of the kind. */
static enum qn_status read_exact(const struct pof_value *value, enum pof_kind kind,
                                 const void *from, size_t size, void *member)
{
    if (value->kind != kind) {
        return QN_WRONG_TYPE;
    }
    memcpy(member, from, size);
    return QN_OK;
}

static enum qn_status read_pointer(struct pof_reader *r, const struct pof_value *value,
                                   const struct pof_field *field, void *member,
                                   struct pof_struct_memory *memory)
{
    void *object = arena_alloc(memory->arena, field->nested->size);

    if (!object) {
        return QN_MEMORY_FULL;
    }
    memcpy(member, &object, sizeof object);
    return read_struct(r, value, field->nested, object, memory);
}

/* One value of the field's kind, which is neither absent nor null. */
static enum qn_status read_one(struct pof_reader *r, const struct pof_value *value,
                               const struct pof_field *field, void *member,
                               struct pof_struct_memory *memory)
{
    const size_t size = field->size;

    switch (field->kind) {
    case POF_FIELD_BOOL:
    case POF_FIELD_OCTET:
    case POF_FIELD_CHAR:
    case POF_FIELD_INT16:
    case POF_FIELD_INT32:
    case POF_FIELD_INT64:
        return read_integer(value, field, member);
    case POF_FIELD_FLOAT32:
    case POF_FIELD_FLOAT64:
        return read_float(value, field, member);
    case POF_FIELD_INT128:
    case POF_FIELD_DECIMAL:
        return read_wide(value, field, member);
    case POF_FIELD_TEXT:
    case POF_FIELD_STRING:
    case POF_FIELD_CHARS:
        return read_text(value, field, member, memory);
    case POF_FIELD_OCTETS:
        return read_octets(r, value, member, memory);
    case POF_FIELD_FLOAT128:
        return read_exact(value, POF_KIND_FLOAT128, value->as.float128, size, member);
    case POF_FIELD_DATE:
        return read_exact(value, POF_KIND_DATE, &value->as.date, size, member);
    case POF_FIELD_TIME:
        return read_exact(value, POF_KIND_TIME, &value->as.time, size, member);
    case POF_FIELD_DATETIME:
        return read_exact(value, POF_KIND_DATETIME, &value->as.datetime, size, member);
    case POF_FIELD_YEAR_MONTH:
        return read_exact(value, POF_KIND_YEAR_MONTH, &value->as.year_month, size, member);
    case POF_FIELD_TIME_INTERVAL:
        return read_exact(value, POF_KIND_TIME_INTERVAL, &value->as.day_time, size, member);
    case POF_FIELD_DAY_TIME:
        return read_exact(value, POF_KIND_DAY_TIME, &value->as.day_time, size, member);
    case POF_FIELD_STRUCT:
        return read_struct(r, value, field->nested, member, memory);
    case POF_FIELD_STRUCT_PTR:
        return read_pointer(r, value, field, member, memory);
    case POF_FIELD_CUSTOM:
        return field->codec->read(r, value, member, memory);
    }
    return QN_WRONG_TYPE;
}

static enum qn_status read_many(struct pof_reader *r, const struct pof_value *value,
                                const struct pof_field *field, uint8_t *object,
                                struct pof_struct_memory *memory);

/* A value that may be null. */
static enum qn_status read_any(struct pof_reader *r, const struct pof_value *value,
                               const struct pof_field *field, uint8_t *object,
                               struct pof_struct_memory *memory)
{
    if (value->kind == POF_KIND_NULL) {
        return QN_OK;
    }
    if (value->kind == POF_KIND_REFERENCE) {
        return QN_UNSUPPORTED;
    }
    if (field->present_offset != POF_NO_OFFSET) {
        *(bool *)(object + field->present_offset) = true;
    }
    return field->many != POF_ONE ? read_many(r, value, field, object, memory)
                                  : read_one(r, value, field, object + field->offset, memory);
}

/* -- many -- */

/* Room for `count` elements; `*at` is NULL when there are none. */
static enum qn_status make_room(const struct pof_field *field, uint32_t count, uint8_t *object,
                                struct pof_struct_memory *memory, uint8_t **at)
{
    if (field->fixed > 0) {
        *at = object + field->offset;
        bool exact = field->count_offset != POF_NO_OFFSET || count == field->fixed;
        return count > field->fixed ? QN_TOO_LARGE : exact ? QN_OK : QN_WRONG_TYPE;
    }
    /* An empty list is not null, so it points somewhere. */
    *at = arena_calloc(memory->arena, count > 0 ? count : 1, field->size);
    memcpy(object + field->offset, at, sizeof *at);
    return *at ? QN_OK : QN_MEMORY_FULL;
}

/* The next value of the container as an element of a list; null keeps the zeros. */
static enum qn_status read_element(struct pof_reader *r, const struct pof_field *field,
                                   uint8_t *element, struct pof_struct_memory *memory)
{
    struct pof_value value;
    enum qn_status status = pof_reader_next(r, &value);

    if (status != QN_OK || value.kind == POF_KIND_NULL) {
        return status;
    }
    return value.kind == POF_KIND_REFERENCE ? QN_UNSUPPORTED
                                            : read_one(r, &value, field, element, memory);
}

static enum qn_status read_pair(struct pof_reader *r, const struct pof_struct *pair,
                                uint8_t *element, struct pof_struct_memory *memory)
{
    struct pof_value value;

    set_all_initial(pair, element);
    for (uint32_t i = 0; i < 2; i++) {
        enum qn_status status = pof_reader_next(r, &value);
        if (status == QN_OK) {
            status = read_any(r, &value, &pair->fields[i], element, memory);
        }
        if (status != QN_OK) {
            return status;
        }
    }
    return QN_OK;
}

static enum qn_status read_many(struct pof_reader *r, const struct pof_value *value,
                                const struct pof_field *field, uint8_t *object,
                                struct pof_struct_memory *memory)
{
    bool map = field->many == POF_MANY_MAP;
    bool fits = map ? value->kind == POF_KIND_MAP
                    : value->kind == POF_KIND_ARRAY || value->kind == POF_KIND_COLLECTION;
    uint8_t *at;

    if (!fits && value->type != POF_SMALL_EMPTY_COLLECTION) {
        return QN_WRONG_TYPE;
    }
    uint32_t count = (uint32_t)value->as.items.count;
    enum qn_status status = make_room(field, count, object, memory, &at);
    if (status == QN_OK && field->count_offset != POF_NO_OFFSET) {
        memcpy(object + field->count_offset, &count, sizeof count);
    }
    if (status == QN_OK) {
        status = pof_reader_enter(r);
    }
    for (uint32_t i = 0; status == QN_OK && i < count; i++) {
        uint8_t *element = at + (size_t)i * field->size;
        status = map ? read_pair(r, field->nested, element, memory)
                     : read_element(r, field, element, memory);
    }
    return status == QN_OK ? pof_reader_leave(r) : status == QN_ABSENT ? QN_MALFORMED : status;
}

/* -- structs -- */

/* The plain case, without a detour through struct pof_value: a member for which absent is zero. */
static bool is_plain(const struct pof_field *field)
{
    return field->many == POF_ONE && field->present_offset == POF_NO_OFFSET && !field->initial &&
           (field->kind == POF_FIELD_INT32 || field->kind == POF_FIELD_INT64 ||
            field->kind == POF_FIELD_FLOAT64 || field->kind == POF_FIELD_STRING);
}

static enum qn_status read_plain(struct pof_reader *r, const struct pof_field *field, void *member)
{
    if (field->kind == POF_FIELD_INT32) {
        return pof_read_int32(r, field->index, member);
    }
    return field->kind == POF_FIELD_INT64 ? pof_read_int64(r, field->index, member)
                                          : pof_read_float64(r, field->index, member);
}

static enum qn_status read_plain_string(struct pof_reader *r, int32_t index, void *member,
                                        struct pof_struct_memory *memory)
{
    struct bytes text;
    enum qn_status status = pof_read_string(r, index, &text);

    if (status == QN_OK && !pof_text_is_ascii(text)) {
        status = standard_text(text, memory, &text);
    }
    if (status == QN_OK && memory->copy && text.data) {
        status = copy_octets(text, memory, &text);
    }
    if (status == QN_OK) {
        memcpy(member, &text, sizeof text);
    }
    return status;
}

static enum qn_status read_field(struct pof_reader *r, const struct pof_field *field,
                                 uint8_t *object, struct pof_struct_memory *memory)
{
    struct pof_value value;

    if (is_plain(field)) {
        return field->kind == POF_FIELD_STRING
                   ? read_plain_string(r, field->index, object + field->offset, memory)
                   : read_plain(r, field, object + field->offset);
    }
    enum qn_status status = pof_reader_find(r, field->index, &value);
    if (status == QN_ABSENT) {
        return QN_OK;
    }
    return status == QN_OK ? read_any(r, &value, field, object, memory) : status;
}

static enum qn_status read_remainder(struct pof_reader *r, const struct pof_struct *table,
                                     uint8_t *object, struct pof_struct_memory *memory)
{
    struct bytes remainder;
    enum qn_status status = pof_read_remainder(r, &remainder);

    if (status == QN_OK && memory->copy && remainder.size > 0) {
        status = copy_octets(remainder, memory, &remainder);
    }
    if (status == QN_OK) {
        memcpy(object + table->remainder_offset, &remainder, sizeof remainder);
    }
    return status;
}

/* The value is there, and no null. */
static enum qn_status read_struct(struct pof_reader *r, const struct pof_value *value,
                                  const struct pof_struct *table, void *at,
                                  struct pof_struct_memory *memory)
{
    uint8_t *object = at;

    if (table->codec) {
        return table->codec->read(r, value, object, memory);
    }
    set_all_initial(table, object);
    if (value->kind != POF_KIND_USER || value->type != table->type) {
        return value->kind == POF_KIND_REFERENCE ? QN_UNSUPPORTED : QN_WRONG_TYPE;
    }
    int32_t version = value->as.items.version;
    if (table->version_offset != POF_NO_OFFSET) {
        memcpy(object + table->version_offset, &version, sizeof version);
    }
    enum qn_status status = pof_reader_enter(r);
    for (uint32_t i = 0; status == QN_OK && i < table->field_count; i++) {
        if (table->fields[i].since <= version) {
            status = read_field(r, &table->fields[i], object, memory);
        }
    }
    if (status == QN_OK && table->remainder_offset != POF_NO_OFFSET) {
        status = read_remainder(r, table, object, memory);
    }
    return status == QN_OK ? pof_reader_leave(r) : status;
}

enum qn_status pof_struct_read_value(struct pof_reader *r, const struct pof_value *value,
                                     const struct pof_struct *table, void *object,
                                     struct pof_struct_memory *memory)
{
    if (value->kind == POF_KIND_NULL) {
        set_all_initial(table, object);
        return QN_ABSENT;
    }
    return read_struct(r, value, table, object, memory);
}

enum qn_status pof_struct_read(struct pof_reader *r, const struct pof_struct *table, void *object,
                               struct pof_struct_memory *memory)
{
    struct pof_value value;
    enum qn_status status = pof_reader_next(r, &value);

    if (status == QN_ABSENT) {
        set_all_initial(table, object);
    }
    return status == QN_OK ? pof_struct_read_value(r, &value, table, object, memory) : status;
}

enum qn_status pof_struct_from_binary(struct bytes binary, const struct pof_struct *table,
                                      void *object, struct pof_struct_memory *memory)
{
    struct pof_reader r;
    struct bytes pof;
    enum qn_status status = pof_binary_value(binary, &pof);

    if (status != QN_OK) {
        return status;
    }
    pof_reader_init(&r, pof);
    return pof_struct_read(&r, table, object, memory);
}
