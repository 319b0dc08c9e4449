/* Any octets by the ways around the plain calls: forms chosen by the writer, properties as arrays,
 * wide numbers and raw octets, references, levels of class hierarchies. Whatever is written from
 * them is a value, and stays as it is from then on. */
#include "wire/assert.h"
#include "wire/pof/array.h"
#include "wire/pof/evolvable.h"
#include "wire/pof/raw.h"
#include "wire/pof/typed_wide.h"
#include "wire/pof/uniform.h"
#include "wire/pof/writer_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* -- forms -- */

/* What is open while a value is copied. */
struct level {
    struct pof_uniform uniform;
    enum pof_kind kind;
};

static void begin_container(struct pof_writer *w, struct level *level, int32_t index,
                            const struct pof_value *v)
{
    static const enum pof_type forms[] = {POF_UNIFORM_ARRAY, POF_UNIFORM_COLLECTION,
                                          POF_UNIFORM_SPARSE_ARRAY, POF_UNIFORM_MAP};

    level->kind = v->kind;
    if (v->kind == POF_KIND_USER) {
        pof_write_value(w, index, v);
        return;
    }
    pof_uniform_begin(&level->uniform, w, index,
                      (struct pof_container){.type = forms[v->kind - POF_KIND_ARRAY],
                                             .key_type = POF_ANY_TYPE,
                                             .element_type = POF_ANY_TYPE,
                                             .count = v->as.items.count});
}

static void end_container(struct pof_writer *w, struct level *level)
{
    if (level->kind == POF_KIND_USER) {
        pof_end(w);
    } else {
        pof_uniform_end(&level->uniform);
    }
}

/* Copy a value, all containers in the form that fits. False: it cannot be read, or not be written.
 */
static bool copy_in_form(struct bytes pof, struct buf *out)
{
    struct level levels[POF_DEPTH_MAX + 1];
    struct pof_reader r;
    struct pof_writer w;
    struct pof_value v;

    levels[0].kind = POF_KIND_ARRAY;
    pof_reader_init(&r, pof);
    pof_writer_init(&w, out);
    for (;;) {
        enum qn_status status = pof_reader_next(&r, &v);
        struct level *level = &levels[r.depth];
        if (status == QN_ABSENT && r.depth == 0) {
            break;
        }
        if (status == QN_ABSENT) {
            end_container(&w, level);
            status = pof_reader_leave(&r);
        } else if (status == QN_OK) {
            bool indexed = level->kind == POF_KIND_USER || level->kind == POF_KIND_SPARSE_ARRAY;
            int32_t index = indexed ? v.index : POF_NEXT;
            pof_writer_full(&w);
            if (!pof_kind_is_container(v.kind)) {
                pof_write_value(&w, index, &v);
                continue;
            }
            begin_container(&w, &levels[r.depth + 1], index, &v);
            status = pof_reader_enter(&r);
        }
        if (status != QN_OK) {
            pof_writer_fail(&w, status);
            break;
        }
    }
    return pof_writer_finish(&w) == QN_OK;
}

static void check_forms(struct bytes pof)
{
    struct buf first = {0}, second = {0};

    if (copy_in_form(pof, &first)) {
        struct bytes rest = buf_bytes(&first);
        qn_assert(pof_skip(&rest) == QN_OK && rest.size == 0);
        qn_assert(copy_in_form(buf_bytes(&first), &second));
        qn_assert(bytes_equal(buf_bytes(&first), buf_bytes(&second)));
    }
    buf_fini(&first);
    buf_fini(&second);
}

/* -- properties -- */

enum { ROOM = 16, PROPERTIES = 70 };

static enum qn_status read_wide(struct pof_reader *r, int32_t index)
{
    struct pof_int128 wide;
    struct pof_decimal decimal;
    struct pof_year_month year_month;
    struct pof_day_time day_time;
    uint8_t quad[16];

    switch (index % 6) {
    case 0:
        return pof_read_int128(r, index, &wide);
    case 1:
        return pof_read_decimal(r, index, &decimal);
    case 2:
        return pof_read_float128(r, index, quad);
    case 3:
        return pof_read_year_month(r, index, &year_month);
    case 4:
        return pof_read_time_interval(r, index, &day_time);
    default:
        return pof_read_day_time(r, index, &day_time);
    }
}

static enum qn_status read_array(struct pof_reader *r, int32_t index)
{
    static const enum pof_type types[] = {POF_BOOL,  POF_OCTET, POF_CHAR,    POF_INT16,
                                          POF_INT32, POF_INT64, POF_FLOAT32, POF_FLOAT64};
    int64_t room[ROOM];
    struct pof_array array = {types[index % 8], room, ROOM};
    enum qn_status status = pof_read_array(r, index, &array);

    qn_assert(status != QN_OK || array.count <= ROOM);
    if (status == QN_TOO_LARGE &&
        r->status == QN_OK) { /* it can be read again, or as something else */
        qn_assert(array.count == 0 || array.count > ROOM);
        qn_assert(pof_reader_has(r, index) == QN_OK);
    }
    return status;
}

static enum qn_status read_raw(struct pof_reader *r, int32_t index)
{
    bool present = pof_reader_has(r, index) == QN_OK;
    struct bytes pof;
    enum qn_status status = pof_read_raw(r, index, &pof);

    if (status == QN_OK) {
        qn_assert(present == (pof.size > 0));
    }
    return status;
}

/* Ask for all properties, each in one of the ways. */
static void check_properties(struct bytes pof)
{
    static enum qn_status (*const ways[])(struct pof_reader *, int32_t) = {read_wide, read_array,
                                                                           read_raw};
    struct pof_reader r;
    struct pof_value v;
    struct buf table = {0};

    pof_reader_init(&r, pof);
    pof_reader_track_identities(&r, &table);
    if (pof_reader_next(&r, &v) == QN_OK && v.kind == POF_KIND_USER &&
        pof_reader_enter(&r) == QN_OK) {
        for (int32_t index = 0; index < PROPERTIES; index++) {
            enum qn_status status = ways[(index + v.type % 3) % 3](&r, index);
            qn_assert(status != QN_INVALID && status != QN_ABSENT);
            qn_assert(r.status == QN_OK || r.status == status);
        }
        qn_assert(r.status != QN_OK || pof_reader_leave(&r) != QN_INVALID);
    }
    buf_fini(&table);
}

/* -- references -- */

/* Where a reference leads, there is a value with its identity. */
static void check_reference(const struct pof_reader *r, const struct pof_value *reference)
{
    struct pof_reader to;
    struct pof_value v;

    qn_assert(pof_reader_follow(r, reference, &to) == QN_OK);
    qn_assert(pof_reader_next(&to, &v) == QN_OK);
    qn_assert(v.identity == reference->as.reference);
    if (pof_kind_is_container(v.kind)) {
        qn_assert(pof_reader_enter(&to) == QN_OK);
    }
}

static void check_references(struct bytes pof)
{
    struct pof_reader r;
    struct pof_value v;
    struct buf table = {0};

    pof_reader_init(&r, pof);
    pof_reader_track_identities(&r, &table);
    for (;;) {
        enum qn_status status = pof_reader_next(&r, &v);
        if (status == QN_OK && v.kind == POF_KIND_REFERENCE) {
            check_reference(&r, &v);
        } else if (status == QN_OK && pof_kind_is_container(v.kind)) {
            status = pof_reader_enter(&r);
        } else if (status == QN_ABSENT) {
            status = r.depth > 0 ? pof_reader_leave(&r) : QN_ABSENT;
        }
        if (status != QN_OK) {
            break;
        }
    }
    buf_fini(&table);
}

/* -- levels -- */

enum { LEVELS = 4 };

/* Write an object of a class hierarchy again, as a program that knows every other class. */
static bool rewrite_levels(struct bytes pof, struct buf *out)
{
    struct pof_evolvable kept[LEVELS] = {{0}};
    bool there[LEVELS] = {false};
    struct buf unknown = {0};
    struct pof_reader r;
    struct pof_writer w;
    struct pof_value v;
    enum qn_status status;

    pof_reader_init(&r, pof);
    bool good = pof_reader_next(&r, &v) == QN_OK && v.kind == POF_KIND_USER &&
                pof_reader_enter(&r) == QN_OK;
    for (int32_t i = 0; good && i < LEVELS; i++) {
        status = pof_enter_level(&r, 1 + 2 * i, &unknown, &kept[i]);
        there[i] = status == QN_OK;
        good = status == QN_ABSENT || (there[i] && pof_leave_evolvable(&r, &kept[i]) == QN_OK);
    }
    if (!good || pof_leave_levels(&r, &unknown) != QN_OK) {
        buf_fini(&unknown);
        return false;
    }
    struct bytes rest = buf_bytes(&unknown);
    pof_writer_init(&w, out);
    pof_begin_levels(&w, POF_NEXT, v.type);
    for (int32_t i = 0; i < LEVELS; i++) {
        if (there[i]) {
            pof_begin_level(&w, (struct pof_class){.type = 1 + 2 * i}, &kept[i], &rest);
            pof_end_evolvable(&w, &kept[i]);
        }
    }
    pof_end_levels(&w, &rest);
    good = pof_writer_finish(&w) == QN_OK;
    buf_fini(&unknown);
    return good;
}

static void check_levels(struct bytes pof)
{
    struct buf first = {0}, second = {0};

    if (rewrite_levels(pof, &first)) {
        qn_assert(rewrite_levels(buf_bytes(&first), &second));
        qn_assert(bytes_equal(buf_bytes(&first), buf_bytes(&second)));
    }
    buf_fini(&first);
    buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes pof = bytes_of(data, size);

    check_forms(pof);
    check_properties(pof);
    check_references(pof);
    check_levels(pof);
    return 0;
}
