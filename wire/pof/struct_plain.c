/* Objects by the short way: fields one after the other without a struct pof_value for each. */
#include "wire/pof/struct_plain.h"

enum { UNCOUNTED = -1 };

/* A field whose absence needs nothing but zeros. */
static inline bool is_plain_row(const struct pof_field *field)
{
    return field->many == POF_ONE && field->present_place == 0 && !field->initial &&
           field->kind != POF_FIELD_STRUCT;
}

uint32_t struct_read_plain(struct pof_struct_reading *s, const struct pof_struct *table,
                           uint32_t from, int32_t version, uint8_t *object)
{
    struct pof_reader *r = s->r;
    struct pof_reader_frame *frame = &r->frames[r->depth];
    const uint8_t *at = r->rest.data;
    const uint8_t *end = at + r->rest.size;
    uint32_t i = from;

    if (!struct_is_open(r)) {
        return from;
    }
    for (; i < table->field_count && at < end; i++) {
        const struct pof_field *field = &table->fields[i];
        if (!is_plain_row(field) || field->since > version) {
            break;
        }
        if (*at == END_MARK || (*at<ONE_OCTET && * at> field->index)) {
            continue; /* it is absent */
        }
        if (*at >= ONE_OCTET || *at != field->index || end - at < 2) {
            break;
        }
        const uint8_t *next = plain_value(s, field, at[1], at + 2, end, object + field->offset);
        if (!next) {
            break;
        }
        at = next;
        frame->last_index = field->index;
    }
    if (i > from) {
        frame->last_asked = table->fields[i - 1].index;
        r->rest = bytes_of(at, (size_t)(end - at));
    }
    return i;
}

bool struct_enter_plain(struct pof_struct_reading *s, const struct pof_field *field,
                        int32_t *version)
{
    struct pof_reader *r = s->r;
    struct bytes in = r->rest;
    int32_t type;

    if (!struct_is_next(r, field->index) || r->depth >= r->limits.depth_max ||
        field->nested->codec) {
        return false;
    }
    in = bytes_of(in.data + 1, in.size - 1);
    if (packed_take_type(&in, &type) != QN_OK || type != field->nested->type ||
        packed_take_index(&in, version) != QN_OK || *version < 0) {
        return false;
    }
    struct_took(r, field->index, in.data);
    r->depth++;
    r->frames[r->depth] = (struct pof_reader_frame){
        .type = type, .last_index = -1, .last_asked = -1, .left = UNCOUNTED};
    return true;
}

enum qn_status struct_leave(struct pof_struct_reading *s)
{
    struct pof_reader *r = s->r;

    if (!struct_is_open(r) || r->rest.size == 0 || *r->rest.data != END_MARK) {
        return pof_reader_leave(r);
    }
    r->rest = bytes_of(r->rest.data + 1, r->rest.size - 1);
    r->depth--;
    return QN_OK;
}
