#include "wire/pof/packed.h"
#include "wire/pof/struct.h"
#include "wire/pof/struct_parts.h"
#include "wire/pof/writer_parts.h"

/* -- reading -- */

/* Append octets; the room grows by halves, so what is left behind stays in proportion. */
static enum qn_status append(struct pof_struct_reading *s, struct bytes more,
                             struct struct_unknown *kept)
{
    size_t size = kept->octets.size + more.size;

    if (size > kept->capacity) {
        size_t capacity = size + size / 2;
        uint8_t *room = arena_alloc(s->memory->arena, capacity);
        if (!room) {
            return QN_MEMORY_FULL;
        }
        if (kept->octets.size > 0) {
            memcpy(room, kept->octets.data, kept->octets.size);
        }
        kept->room = room;
        kept->capacity = capacity;
    }
    memcpy(kept->room + kept->octets.size, more.data, more.size);
    kept->octets = bytes_of(kept->room, size);
    return QN_OK;
}

enum qn_status struct_keep_between(struct pof_struct_reading *s, int32_t last, int32_t next,
                                   struct struct_unknown *kept)
{
    if (next == last + 1) {
        return QN_OK;
    }
    enum qn_status status = pof_reader_has(s->r, last + 1); /* over what is left of the last one */
    struct bytes start = s->r->rest;
    if (status == QN_OK || status == QN_ABSENT) {
        status = pof_reader_has(s->r, next);
    }
    if (status != QN_OK && status != QN_ABSENT) {
        return status;
    }
    size_t size = start.size - s->r->rest.size;
    return size > 0 ? append(s, bytes_of(start.data, size), kept) : QN_OK;
}

/* Do these properties have identities, or references to any? */
static bool has_identities(struct bytes properties)
{
    struct pof_reader r;
    struct pof_value value;
    struct buf identities = {0};
    int32_t index;
    bool found = false;

    while (!found && properties.size > 0) {
        enum qn_status status = packed_take_index(&properties, &index);
        pof_reader_init(&r, properties);
        pof_reader_track_identities(&r, &identities); /* a reference then is refused as unknown */
        status = status == QN_OK ? pof_reader_next(&r, &value) : status;
        if (status == QN_OK && pof_reader_enter(&r) == QN_OK) {
            status = pof_reader_leave(&r);
        }
        found = status != QN_OK || r.identities_seen;
        properties = r.rest;
    }
    buf_fini(&identities);
    return found;
}

enum qn_status struct_keep_rest(struct pof_struct_reading *s, struct struct_unknown *kept)
{
    struct bytes rest;
    enum qn_status status = pof_read_remainder(s->r, &rest);

    if (status == QN_OK && rest.size > 0) {
        if (kept->octets.size > 0 || s->memory->copy) {
            status = append(s, rest, kept);
        } else {
            kept->octets = rest;
        }
    }
    if (status == QN_OK && s->r->identities_seen && has_identities(kept->octets)) {
        return QN_UNSUPPORTED;
    }
    return status;
}

/* -- writing -- */

/* Write the property at the front, whose index has been taken. */
static void write_copy(struct pof_writer *w, int32_t index, struct bytes *rest)
{
    struct bytes end = *rest;

    if (pof_skip(&end) != QN_OK) {
        pof_writer_fail(w, QN_INVALID);
        return;
    }
    pof_write_copy(w, index, bytes_of(rest->data, rest->size - end.size));
    *rest = end;
}

void struct_write_kept(struct pof_writer *w, struct bytes *kept, int32_t end)
{
    while (kept->size > 0 && w->status == QN_OK) {
        struct bytes rest = *kept;
        int32_t index;
        if (packed_take_index(&rest, &index) != QN_OK) {
            pof_writer_fail(w, QN_INVALID);
            return;
        }
        if (index >= end) {
            return;
        }
        write_copy(w, index, &rest);
        *kept = rest;
    }
}
