#include "wire/pof/raw.h"

#include "wire/pof/packed.h"
#include "wire/pof/writer_parts.h"

/* Go over the value that the reader has just given. */
static enum qn_status pass(struct pof_reader *r, const struct pof_value *value)
{
    if (!pof_kind_is_container(value->kind)) {
        return QN_OK;
    }
    enum qn_status status = pof_reader_enter(r);
    return status == QN_OK ? pof_reader_leave(r) : status;
}

enum qn_status pof_read_raw(struct pof_reader *r, int32_t index, struct bytes *pof)
{
    struct pof_value value;
    int32_t same_index;
    enum qn_status status = pof_reader_has(r, index);
    struct bytes start = r->rest;

    if (status == QN_OK) {
        status = packed_take_index(&start, &same_index);
    }
    if (status == QN_OK || status == QN_ABSENT) {
        status = pof_reader_find(r, index, &value);
    }
    if (status == QN_ABSENT) {
        *pof = bytes_of(NULL, 0);
        return QN_OK;
    }
    if (status == QN_OK) {
        status = pass(r, &value);
    }
    if (status == QN_OK) {
        *pof = bytes_of(start.data, start.size - r->rest.size);
    }
    return status;
}

/* Is this one value without identities, which may stand `depth` deep? */
static enum qn_status check(struct bytes pof, uint32_t depth)
{
    struct pof_reader r;
    struct pof_value value;
    struct buf identities = {0};

    pof_reader_init_limited(&r, pof, (struct pof_limits){.depth_max = POF_DEPTH_MAX - depth});
    pof_reader_track_identities(&r, &identities); /* so that a reference is refused as unknown */
    enum qn_status status = pof_reader_next(&r, &value);
    if (status == QN_OK && depth == POF_DEPTH_MAX && pof_kind_is_container(value.kind)) {
        status = QN_TOO_LARGE; /* a depth_max of 0 is none */
    }
    if (status == QN_OK) {
        status = pass(&r, &value);
    }
    buf_fini(&identities);
    if (status == QN_OK && !r.identities_seen && r.rest.size == 0) {
        return QN_OK;
    }
    return status == QN_TOO_LARGE || status == QN_MEMORY_FULL ? status : QN_INVALID;
}

void pof_write_raw(struct pof_writer *w, int32_t index, struct bytes pof)
{
    struct bytes encoding = pof;
    int32_t type;

    if (pof.size == 0 && w->top->type >= 0) {
        return;
    }
    enum qn_status status = check(pof, (uint32_t)(w->top - w->frames));

    if (status == QN_OK) {
        status = packed_take_type(&encoding, &type);
    }
    if (status != QN_OK) {
        pof_writer_fail(w, status);
        return;
    }
    enum pof_form form = pof_writer_place(w, index, type, false);
    struct bytes octets = form == POF_FORM_BARE ? encoding : pof;
    uint8_t *at = form == POF_FORM_NOTHING ? NULL : pof_writer_room(w, octets.size + 1);
    if (at) {
        memcpy(at, octets.data, octets.size);
        w->at = at + octets.size;
    }
}
