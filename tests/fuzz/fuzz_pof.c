/* Any octets as a POF value and as a Binary: read within bounds or refused. What can be read can be
 * skipped, to the same end; what can be written again reads and writes as the same octets from then
 * on. */
#include "wire/assert.h"
#include "wire/pof/binary.h"
#include "wire/pof/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read the value in `pof` to its end and write it to `w`. The status of reading. */
static enum qn_status copy(struct bytes pof, struct pof_writer *w, struct bytes *rest)
{
    struct pof_reader r;
    struct pof_value v;
    enum pof_kind kinds[POF_DEPTH_MAX + 1] = {POF_KIND_ARRAY};
    uint32_t depth = 0;

    pof_reader_init(&r, pof);
    for (;;) {
        enum qn_status status = pof_reader_next(&r, &v);
        if (status == QN_ABSENT && depth == 0) {
            *rest = r.rest;
            return QN_OK;
        }
        if (status == QN_ABSENT) {
            depth--;
            pof_end(w);
            status = pof_reader_leave(&r);
        } else if (status == QN_OK) {
            bool indexed = kinds[depth] == POF_KIND_USER || kinds[depth] == POF_KIND_SPARSE_ARRAY;
            int32_t index = indexed ? v.index : POF_NEXT;
            pof_writer_full(w);
            pof_write_value(w, index, &v);
            if (pof_kind_is_container(v.kind)) {
                kinds[++depth] = v.kind;
                status = pof_reader_enter(&r);
            }
        }
        if (status != QN_OK) {
            return status;
        }
    }
}

/* Read, skip, write, read and write again. */
static void check_value(struct bytes pof)
{
    struct pof_writer w;
    struct buf first = {0}, second = {0};
    struct bytes rest, skipped = pof;

    pof_writer_init(&w, &first);
    enum qn_status status = copy(pof, &w, &rest);
    bool written = pof_writer_finish(&w) == QN_OK;
    if (status == QN_OK) {
        qn_assert(pof_skip(&skipped) == QN_OK);
        qn_assert(skipped.size == rest.size);
    }
    if (status == QN_OK && written) {
        pof_writer_init(&w, &second);
        qn_assert(copy(buf_bytes(&first), &w, &rest) == QN_OK);
        qn_assert(rest.size == 0);
        qn_assert(pof_writer_finish(&w) == QN_OK);
        qn_assert(bytes_equal(buf_bytes(&first), buf_bytes(&second)));
    }
    buf_fini(&first);
    buf_fini(&second);
}

/* Ask for every other property of an object, typed, then for the remainder. */
static void check_properties(struct bytes pof)
{
    struct pof_reader r;
    struct pof_value v;
    struct buf table = {0};
    struct bytes text, remainder;
    int64_t number;
    double real;

    pof_reader_init(&r, pof);
    pof_reader_track_identities(&r, &table);
    if (pof_reader_next(&r, &v) == QN_OK && v.kind == POF_KIND_USER &&
        pof_reader_enter(&r) == QN_OK) {
        struct bytes start = r.rest;
        enum qn_status statuses[5];
        statuses[0] = pof_read_string(&r, 1, &text);
        statuses[1] = pof_read_int64(&r, 3, &number);
        statuses[2] = pof_read_float64(&r, 5, &real);
        statuses[3] = pof_read_octets(&r, 7, &text);
        statuses[4] = pof_reader_find(&r, 9, &v);
        for (int i = 0; i < 5; i++) { /* asked forward, so never invalid */
            qn_assert(statuses[i] != QN_INVALID);
        }
        if (pof_read_remainder(&r, &remainder) == QN_OK) {
            qn_assert(remainder.size < start.size);
            qn_assert(pof_reader_leave(&r) == QN_OK);
        }
    }
    buf_fini(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes pof;

    check_value(bytes_of(data, size));
    check_properties(bytes_of(data, size));
    if (pof_binary_value(bytes_of(data, size), &pof) == QN_OK) {
        qn_assert(pof.size < size);
    }
    return 0;
}
