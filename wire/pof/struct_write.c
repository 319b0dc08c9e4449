#include "wire/pof/binary.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/writer_parts.h"

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

/* A date, with or without time. */
static void write_date(struct pof_writer *w, int32_t index, const struct pof_field *field,
                       const void *member)
{
    if (struct_is_null(field, member)) {
        pof_write_null(w, index);
    } else if (field->kind == POF_FIELD_DATE) {
        pof_write_date(w, index, *(const struct pof_date *)member);
    } else {
        pof_write_datetime(w, index, *(const struct pof_datetime *)member);
    }
}

static void write_struct(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                         const void *object, bool part);

/* One value of the field's kind, which stands at `member`. */
void struct_write_one(struct pof_writer *w, int32_t index, const struct pof_field *field,
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
        write_date(w, index, field, member);
        break;
    case POF_FIELD_TIME:
        pof_write_time(w, index, *(const struct pof_time *)member);
        break;
    case POF_FIELD_DATETIME:
        write_date(w, index, field, member);
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

/* A zero that is no default must not be left out, and `full` asks for it anyway. */
static bool is_full(const struct pof_field *field, const uint8_t *object)
{
    return field->full || field->present_place != 0 ||
           (field->initial && field->many == POF_ONE &&
            struct_is_left_out(field, object + field->offset));
}

static size_t size_so_far(const struct pof_writer *w)
{
    return w->at ? (size_t)(w->at - w->out->data) : 0;
}

/* What is to be in full when it is written; functions of others may write nothing. */
static void write_in_full(struct pof_writer *w, int32_t index, const struct pof_field *field,
                          const uint8_t *object)
{
    bool full = w->full;
    size_t before = size_so_far(w);

    pof_writer_full(w);
    if (field->many != POF_ONE) {
        struct_write_many(w, index, field, object);
    } else {
        struct_write_one(w, index, field, object + field->offset);
    }
    if (size_so_far(w) == before) {
        w->full = full;
    }
}

void struct_write_field(struct pof_writer *w, int32_t index, const struct pof_field *field,
                        const uint8_t *object)
{
    if (field->present_place != 0 && !*(const bool *)(object + field->present_place - 1)) {
        return;
    }
    if (is_full(field, object)) {
        write_in_full(w, index, field, object);
    } else if (field->many != POF_ONE) {
        struct_write_many(w, index, field, object);
    } else {
        struct_write_one(w, index, field, object + field->offset);
    }
}

static int32_t version_of(const struct pof_struct *table, const uint8_t *object)
{
    int32_t version = table->version;

    if (table->version_place != 0) {
        memcpy(&version, object + table->version_place - 1, sizeof version);
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
        struct_write_field(w, table->fields[i].index, &table->fields[i], object);
    }
    if (table->remainder_place != 0) {
        struct bytes remainder;
        memcpy(&remainder, object + table->remainder_place - 1, sizeof remainder);
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
