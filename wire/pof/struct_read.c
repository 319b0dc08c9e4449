#include "wire/pof/binary.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"

/* So many times the octets of a value its arrays may take before their elements are read. */
enum { ADVANCE = 4 };

/* -- references -- */

enum qn_status struct_read_reference(struct pof_struct_reading *s, const struct pof_value *value,
                                     const struct pof_field *field, void *member)
{
    bool pointer = field->kind == POF_FIELD_STRUCT_PTR;
    const struct shared_read *named = shared_named(&s->shared, value->as.reference);

    if ((!pointer && field->kind != POF_FIELD_STRUCT) || !field->nested->shared || !named) {
        return QN_UNSUPPORTED;
    }
    if (named->table != field->nested) {
        return QN_WRONG_TYPE;
    }
    if (pointer) {
        memcpy(member, &named->object, sizeof named->object);
        return QN_OK;
    }
    if (!named->done) { /* nothing can stand in itself */
        return QN_UNSUPPORTED;
    }
    memcpy(member, named->object, field->nested->size);
    return QN_OK;
}

/* Keep the place of an object that has an identity, before it is read: it may lead to itself. */
static enum qn_status name_object(struct pof_struct_reading *s, const struct pof_struct *table,
                                  int32_t identity, void *object)
{
    if (!table->shared || identity < 0) {
        return QN_OK;
    }
    return shared_name(&s->shared, s->memory->arena, table, object, identity, s->r->whole.size);
}

static void done_with(struct pof_struct_reading *s, const struct pof_struct *table,
                      int32_t identity)
{
    struct shared_read *named = table->shared ? shared_named(&s->shared, identity) : NULL;

    if (named) {
        named->done = true;
    }
}

/* -- fields -- */

enum qn_status struct_read_any(struct pof_struct_reading *s, const struct pof_value *value,
                               const struct pof_field *field, uint8_t *object)
{
    uint8_t *member = object + field->offset;

    if (value->kind == POF_KIND_NULL) {
        if (!struct_is_null(field, member)) { /* the kind knows null, and zeros are it */
            struct_set_initial(field, object);
        }
        return QN_OK;
    }
    if (field->present_place != 0) {
        *(bool *)(object + field->present_place - 1) = true;
    }
    if (value->kind == POF_KIND_REFERENCE) {
        return field->many != POF_ONE ? QN_UNSUPPORTED
                                      : struct_read_reference(s, value, field, member);
    }
    return field->many != POF_ONE ? struct_read_many(s, value, field, object)
                                  : struct_read_one(s, value, field, member);
}

static enum qn_status read_entered(struct pof_struct_reading *s, const struct pof_struct *table,
                                   int32_t version, uint8_t *object);

/* A struct by the short way. */
static enum qn_status read_plain_struct(struct pof_struct_reading *s, const struct pof_field *field,
                                        int32_t version, uint8_t *member)
{
    void *object = member;

    if (field->kind == POF_FIELD_STRUCT_PTR) {
        object = arena_alloc(s->memory->arena, field->nested->size);
        memcpy(member, &object, sizeof object);
    }
    return object ? read_entered(s, field->nested, version, object) : QN_MEMORY_FULL;
}

static enum qn_status read_field(struct pof_struct_reading *s, const struct pof_field *field,
                                 uint8_t *object)
{
    struct pof_value value;
    int32_t version;

    if (field->many != POF_ONE) {
        if (field->present_place == 0 && struct_read_plain_list(s, field, object)) {
            return QN_OK;
        }
    } else if ((field->kind == POF_FIELD_STRUCT || field->kind == POF_FIELD_STRUCT_PTR) &&
               field->present_place == 0 && struct_enter_plain(s, field, &version)) {
        return read_plain_struct(s, field, version, object + field->offset);
    }
    enum qn_status status = pof_reader_find(s->r, field->index, &value);
    if (status == QN_ABSENT) {
        struct_set_initial(field, object);
        return QN_OK;
    }
    return status == QN_OK ? struct_read_any(s, &value, field, object) : status;
}

/* A field that the version of the object does not have. What stands at its index is something else,
 * and goes: the field will stand there. */
static enum qn_status pass_field(struct pof_struct_reading *s, const struct pof_field *field,
                                 uint8_t *object)
{
    struct pof_value ignored;
    enum qn_status status = pof_reader_find(s->r, field->index, &ignored);

    struct_set_initial(field, object);
    return status == QN_ABSENT ? QN_OK : status;
}

static enum qn_status read_fields(struct pof_struct_reading *s, const struct pof_struct *table,
                                  int32_t version, uint8_t *object)
{
    enum qn_status status = QN_OK;

    for (uint32_t i = 0; status == QN_OK; i++) {
        i = struct_read_plain(s, table, i, version, object);
        if (i >= table->field_count) {
            return QN_OK;
        }
        status = table->fields[i].since <= version ? read_field(s, &table->fields[i], object)
                                                   : pass_field(s, &table->fields[i], object);
    }
    return status;
}

/* The same, and what is between them and behind them. */
static enum qn_status read_and_keep(struct pof_struct_reading *s, const struct pof_struct *table,
                                    int32_t version, uint8_t *object)
{
    struct struct_unknown kept = {.octets = {NULL, 0}};
    enum qn_status status = QN_OK;

    for (uint32_t i = 0; status == QN_OK && i < table->field_count; i++) {
        const struct pof_field *field = &table->fields[i];
        status = struct_keep_between(s, i > 0 ? field[-1].index : -1, field->index, &kept);
        uint32_t plain = status == QN_OK ? struct_read_plain(s, table, i, version, object) : i;
        if (plain > i) {
            i = plain - 1;
        } else if (status == QN_OK) {
            status = field->since <= version ? read_field(s, field, object)
                                             : pass_field(s, field, object);
        }
    }
    if (status == QN_OK) {
        status = struct_keep_rest(s, &kept);
    }
    memcpy(object + table->remainder_place - 1, &kept.octets, sizeof kept.octets);
    return status;
}

/* -- structs -- */

/* The reader has gone into the object. */
static enum qn_status read_entered(struct pof_struct_reading *s, const struct pof_struct *table,
                                   int32_t version, uint8_t *object)
{
    memset(object, 0, table->size);
    if (table->version_place != 0) {
        memcpy(object + table->version_place - 1, &version, sizeof version);
    }
    enum qn_status status = table->remainder_place != 0 ? read_and_keep(s, table, version, object)
                                                        : read_fields(s, table, version, object);
    return status == QN_OK ? struct_leave(s) : status;
}

enum qn_status struct_read(struct pof_struct_reading *s, const struct pof_value *value,
                           const struct pof_struct *table, void *object)
{
    int32_t version = value->as.items.version;
    int32_t identity = value->identity;

    if (table->codec) {
        memset(object, 0, table->size);
        return table->codec->read(s->r, value, object, s->memory);
    }
    if (value->kind != POF_KIND_USER || value->type != table->type) {
        return value->kind == POF_KIND_REFERENCE ? QN_UNSUPPORTED : QN_WRONG_TYPE;
    }
    enum qn_status status = name_object(s, table, identity, object);
    if (status == QN_OK) {
        status = pof_reader_enter(s->r);
    }
    if (status == QN_OK) {
        status = read_entered(s, table, version, object);
    }
    if (status == QN_OK) {
        done_with(s, table, identity);
    }
    return status;
}

/* Within the outermost call, or as it. */
static enum qn_status read_within(struct pof_reader *r, const struct pof_value *value,
                                  const struct pof_struct *table, void *object,
                                  struct pof_struct_memory *memory)
{
    struct pof_struct_reading *outer = memory->reading;

    if (outer && outer->r == r) {
        return struct_read(outer, value, table, object);
    }
    struct pof_struct_reading s = {
        .r = r, .memory = memory, .advance = (uint64_t)r->whole.size * ADVANCE};
    memory->reading = &s;
    enum qn_status status = struct_read(&s, value, table, object);
    memory->reading = outer;
    return status;
}

enum qn_status pof_struct_read_value(struct pof_reader *r, const struct pof_value *value,
                                     const struct pof_struct *table, void *object,
                                     struct pof_struct_memory *memory)
{
    if (value->kind == POF_KIND_NULL) {
        struct_set_initials(table, object);
        return QN_ABSENT;
    }
    return read_within(r, value, table, object, memory);
}

/* With a table of identities for a whole value, which references in uniform containers need. */
static enum qn_status read_whole(struct pof_reader *r, const struct pof_struct *table, void *object,
                                 struct pof_struct_memory *memory)
{
    struct buf identities = {0};

    pof_reader_track_identities(r, &identities);
    enum qn_status status = pof_struct_read(r, table, object, memory);
    pof_reader_track_identities(r, NULL);
    buf_fini(&identities);
    return status;
}

enum qn_status pof_struct_read(struct pof_reader *r, const struct pof_struct *table, void *object,
                               struct pof_struct_memory *memory)
{
    struct pof_value value;

    if (r->depth == 0 && !r->identities) {
        return read_whole(r, table, object, memory);
    }
    enum qn_status status = pof_reader_next(r, &value);

    if (status == QN_ABSENT) {
        struct_set_initials(table, object);
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
