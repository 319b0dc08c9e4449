#include "wire/pof/evolvable.h"
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

/* How a struct stands in what it is a field of. */
enum standing { IN_PLACE, BEHIND_POINTER, AS_PART };

static void write_struct(struct struct_writing *s, int32_t index, const struct pof_struct *table,
                         const void *object, enum standing standing);

void struct_write_one(struct struct_writing *s, int32_t index, const struct pof_field *field,
                      const void *member)
{
    struct pof_writer *w = s->w;

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
        write_struct(s, index, field->nested, member, field->part ? AS_PART : IN_PLACE);
        break;
    case POF_FIELD_STRUCT_PTR:
        write_struct(s, index, field->nested, *(const void *const *)member, BEHIND_POINTER);
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
static void write_in_full(struct struct_writing *s, int32_t index, const struct pof_field *field,
                          const uint8_t *object)
{
    struct pof_writer *w = s->w;
    bool full = w->full;
    size_t before = size_so_far(w);

    pof_writer_full(w);
    if (field->many != POF_ONE) {
        struct_write_many(s, index, field, object);
    } else {
        struct_write_one(s, index, field, object + field->offset);
    }
    if (size_so_far(w) == before) {
        w->full = full;
    }
}

void struct_write_field(struct struct_writing *s, int32_t index, const struct pof_field *field,
                        const uint8_t *object)
{
    if (field->present_place != 0 && !*(const bool *)(object + field->present_place - 1)) {
        return;
    }
    if (is_full(field, object)) {
        write_in_full(s, index, field, object);
    } else if (field->many != POF_ONE) {
        struct_write_many(s, index, field, object);
    } else {
        struct_write_one(s, index, field, object + field->offset);
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

/* -- objects that several pointers lead to -- */

/* Begin an object with an identity, whatever others have. */
static void begin_shared(struct struct_writing *s, int32_t index, const struct pof_struct *table,
                         const uint8_t *object, bool first)
{
    struct pof_writer *w = s->w;
    bool references = w->references;

    w->references = true;
    pof_begin_user(w, index, table->type, version_of(table, object));
    w->references = references;
    if (first && w->status == QN_OK) {
        enum qn_status status = shared_add(&s->shared, table, object, pof_writer_identity(w));
        if (status != QN_OK) {
            pof_writer_fail(w, status);
        }
    }
}

/* A reference to what has been written. In place only to what is complete, since it is read as a
 * copy; else the object is written once more. */
static bool write_reference(struct struct_writing *s, int32_t index,
                            const struct shared_written *written, enum standing standing)
{
    if (!written || (standing != BEHIND_POINTER && !written->done)) {
        return false;
    }
    pof_write_reference(s->w, index, written->identity);
    return true;
}

/* -- structs -- */

/* The fields, and between them what was kept of properties that the table does not know. */
static void write_fields(struct struct_writing *s, const struct pof_struct *table,
                         const uint8_t *object, struct bytes *kept)
{
    const struct pof_field *end = table->fields + table->field_count;
    struct pof_writer *w = s->w;

    /* A writer that has failed goes nowhere: objects that contain themselves end so, too. */
    for (const struct pof_field *field = table->fields; field < end; field++) {
        if (kept->size > 0) {
            struct_write_kept(w, kept, field->index);
        } else {
            field = struct_write_plain(w, field, end, object);
        }
        if (field == end || w->status != QN_OK) {
            return;
        }
        struct_write_field(s, field->index, field, object);
    }
}

static void write_shared(struct struct_writing *s, int32_t index, const struct pof_struct *table,
                         const uint8_t *object, enum standing standing)
{
    struct shared_written *written = shared_find(&s->shared, table, object);

    if (write_reference(s, index, written, standing)) {
        return;
    }
    begin_shared(s, index, table, object, !written);
    write_fields(s, table, object, &(struct bytes){NULL, 0});
    pof_end(s->w);
    written = shared_find(&s->shared, table, object);
    if (written) {
        written->done = true;
    }
}

/* With what was kept of the object that was read, between the fields and behind them. Neither it
 * nor what is in it has identities, but for what is shared. */
static void write_with_kept(struct struct_writing *s, int32_t index, const struct pof_struct *table,
                            const uint8_t *object)
{
    struct pof_writer *w = s->w;
    struct pof_evolvable kept = {.version = version_of(table, object)};
    struct bytes *rest = &kept.remainder;

    memcpy(rest, object + table->remainder_place - 1, sizeof *rest);
    pof_begin_evolvable(w, index, (struct pof_class){table->type, table->version}, &kept);
    write_fields(s, table, object, rest);
    pof_end_evolvable(w, &kept);
}

static void write_struct(struct struct_writing *s, int32_t index, const struct pof_struct *table,
                         const void *at, enum standing standing)
{
    struct pof_writer *w = s->w;
    const uint8_t *object = at;

    if (!object) {
        pof_write_null(w, index);
    } else if (table->codec) {
        table->codec->write(w, index, object);
    } else if (table->shared && standing != AS_PART) {
        write_shared(s, index, table, object, standing);
    } else if (table->remainder_place != 0) {
        write_with_kept(s, index, table, object);
    } else {
        if (standing == AS_PART) {
            pof_begin_nested(w, index, table->type, version_of(table, object));
        } else {
            pof_begin_user(w, index, table->type, version_of(table, object));
        }
        write_fields(s, table, object, &(struct bytes){NULL, 0});
        pof_end(w);
    }
}

void pof_struct_write(struct pof_writer *w, int32_t index, const struct pof_struct *table,
                      const void *object)
{
    struct struct_writing s = {.w = w, .outermost = table};

    write_struct(&s, index, table, object, BEHIND_POINTER);
    if (s.shared.rows) {
        shared_fini(&s.shared);
    }
}

enum qn_status pof_struct_to_binary(struct buf *out, const struct pof_struct *table,
                                    const void *object)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_struct_write(&w, POF_NEXT, table, object);
    return pof_writer_finish(&w);
}
