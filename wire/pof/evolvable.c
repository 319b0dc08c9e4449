#include "wire/pof/evolvable.h"

#include "wire/pof/packed.h"
#include "wire/pof/raw.h"
#include "wire/pof/writer_parts.h"

enum qn_status pof_enter_evolvable(struct pof_reader *r, const struct pof_value *value,
                                   struct pof_evolvable *kept)
{
    if (value->kind != POF_KIND_USER) {
        return QN_WRONG_TYPE;
    }
    enum qn_status status = pof_reader_enter(r);
    if (status == QN_OK) {
        *kept = (struct pof_evolvable){.version = value->as.items.version};
    }
    return status;
}

enum qn_status pof_leave_evolvable(struct pof_reader *r, struct pof_evolvable *kept)
{
    struct bytes remainder;
    enum qn_status status = pof_read_remainder(r, &remainder);

    if (status == QN_OK) {
        status = pof_reader_leave(r);
    }
    if (status == QN_OK) {
        kept->remainder = remainder;
    }
    return status;
}

void pof_begin_evolvable(struct pof_writer *w, int32_t index, struct pof_class known,
                         const struct pof_evolvable *kept)
{
    int32_t version = known.version > kept->version ? known.version : kept->version;

    pof_begin_nested(w, index, known.type, version);
    if (w->references && w->status == QN_OK) {
        w->references = false;
        w->unnamed = w->top;
    }
}

/* End what has no identities; with the outermost of these objects they begin again. */
static void end_unnamed(struct pof_writer *w)
{
    bool outermost = w->unnamed == w->top;

    pof_end(w);
    if (outermost) {
        w->references = true;
        w->unnamed = NULL;
    }
}

void pof_end_evolvable(struct pof_writer *w, const struct pof_evolvable *kept)
{
    pof_write_remainder(w, kept->remainder);
    end_unnamed(w);
}

/* -- class hierarchies -- */

static enum qn_status append(struct buf *out, struct bytes octets)
{
    return octets.size > 0 ? buf_append(out, octets.data, octets.size) : QN_OK;
}

enum qn_status pof_enter_level(struct pof_reader *r, int32_t type, struct buf *unknown,
                               struct pof_evolvable *kept)
{
    struct bytes start = r->rest;
    struct pof_value level;

    if (type <= 0 || r->pending) {
        return QN_INVALID;
    }
    enum qn_status found = pof_reader_has(r, type);
    if (found != QN_OK && found != QN_ABSENT) {
        return found;
    }
    enum qn_status status = append(unknown, bytes_of(start.data, start.size - r->rest.size));
    if (status == QN_OK) {
        status = pof_reader_find(r, type, &level);
    }
    if (status == QN_OK && level.type != type) {
        status = QN_WRONG_TYPE;
    }
    return status == QN_OK ? pof_enter_evolvable(r, &level, kept) : status;
}

enum qn_status pof_leave_levels(struct pof_reader *r, struct buf *unknown)
{
    struct pof_evolvable rest;
    enum qn_status status = pof_leave_evolvable(r, &rest);

    return status == QN_OK ? append(unknown, rest.remainder) : status;
}

void pof_begin_levels(struct pof_writer *w, int32_t index, int32_t type)
{
    pof_begin_evolvable(w, index, (struct pof_class){.type = type}, &(struct pof_evolvable){0});
}

/* Write the levels below `type`. What is no level is left, and makes the writer fail. */
static void write_unknown(struct pof_writer *w, struct bytes *unknown, int32_t type)
{
    while (unknown->size > 0) {
        struct bytes value = *unknown;
        int32_t index;
        enum qn_status status = packed_take_index(&value, &index);
        if (status == QN_OK && index >= type) {
            return;
        }
        struct bytes end = value;
        if (status != QN_OK || pof_skip(&end) != QN_OK) {
            pof_writer_fail(w, QN_INVALID);
            return;
        }
        pof_write_raw(w, index, bytes_of(value.data, value.size - end.size));
        *unknown = end;
    }
}

void pof_begin_level(struct pof_writer *w, struct pof_class known, const struct pof_evolvable *kept,
                     struct bytes *unknown)
{
    if (known.type <= 0) {
        pof_writer_fail(w, QN_INVALID);
        return;
    }
    write_unknown(w, unknown, known.type);
    pof_begin_evolvable(w, known.type, known, kept);
}

void pof_end_levels(struct pof_writer *w, struct bytes *unknown)
{
    write_unknown(w, unknown, INT32_MAX);
    end_unnamed(w);
}
