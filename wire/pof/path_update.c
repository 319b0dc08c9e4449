/* Updates by path: the octets of the target, and what hangs on them, are replaced. */
#include "wire/pof/binary.h"
#include "wire/pof/decode.h"
#include "wire/pof/packed.h"
#include "wire/pof/path_walk.h"
#include "wire/pof/take.h"
#include "wire/pof/writer_parts.h"

enum { PARTS_MAX = 4 };

/* What is cut out of the octets, and what takes its place. */
struct replacement {
    uint8_t index[PACKED_64_SIZE_MAX]; /* of a property that is not there yet */
    uint8_t size[PACKED_64_SIZE_MAX];  /* of a sparse array that grows */
    struct bytes cut;
    struct bytes parts[PARTS_MAX];
    size_t count;
};

static void add_part(struct replacement *new, struct bytes part)
{
    new->parts[new->count++] = part;
}

/* -- the new value -- */

/* May this be in a new value? Its identities and references would be others than those of the
 * object, and what no reader takes must not get in. */
static bool is_welcome(const struct pof_value *value)
{
    return value->identity < 0 && value->kind != POF_KIND_REFERENCE &&
           (pof_kind_is_container(value->kind) || pof_decode_valid(value));
}

/* Read a value with all that is in it. QN_INVALID: something is not welcome. */
static enum qn_status read_all(struct pof_reader *r)
{
    struct pof_value value;

    for (;;) {
        enum qn_status status = pof_take_value(r, &value);
        if (status == QN_ABSENT && r->depth == 0) {
            return QN_OK;
        }
        if (status == QN_ABSENT) {
            r->depth--;
        } else if (status != QN_OK) {
            return status == QN_TOO_LARGE ? QN_TOO_LARGE : QN_INVALID;
        } else if (!is_welcome(&value)) {
            return QN_INVALID;
        } else if (pof_kind_is_container(value.kind)) {
            r->depth++;
        }
    }
}

/* Is `pof` one value that may stand `depth` containers deep? `*adds_empty`: it has elements without
 * octets. */
static enum qn_status check_value(struct bytes pof, uint32_t depth, bool *adds_empty)
{
    struct pof_reader r;

    pof_reader_init(&r, pof);
    r.limits.depth_max = POF_DEPTH_MAX - depth;
    enum qn_status status = read_all(&r);
    *adds_empty = r.empty_left < POF_EMPTY_MAX;
    return status == QN_OK && r.rest.size > 0 ? QN_INVALID : status;
}

/* Is `pof` a value of the type of all in its container? Then drop its type id. */
static enum qn_status drop_type(struct bytes *pof, int32_t declared)
{
    struct bytes rest = *pof;
    int32_t type;
    enum qn_status status = packed_take32(&rest, &type);

    if (status != QN_OK || !pof_writer_same_type(declared, type)) {
        return QN_INVALID;
    }
    *pof = rest;
    return QN_OK;
}

/* -- the sparse array around a new entry -- */

/* The number that ends where `end` begins: only the last octet of a number is below 80 (hex). */
static struct bytes number_before(struct bytes within, const uint8_t *end)
{
    const uint8_t *start = end - 1;

    while (start > within.data && start[-1] >= 0x80) {
        start--;
    }
    return bytes_of(start, (size_t)(end - start));
}

struct sparse {
    struct bytes size_octets;
    bool uniform;
    int32_t size;
    int64_t count;      /* of entries */
    int32_t last_index; /* the highest one, -1 without entries */
};

static enum qn_status read_sparse(const struct pof_target *array, struct sparse *sparse)
{
    struct pof_reader r;
    struct pof_value value;

    pof_path_reader(array, &r);
    enum qn_status status = pof_take_value(&r, &value);
    if (status != QN_OK) {
        return status;
    }
    *sparse = (struct sparse){.size_octets = number_before(array->octets, r.rest.data),
                              .uniform = value.as.items.uniform,
                              .size = value.as.items.count,
                              .last_index = -1};
    r.depth++;
    while ((status = pof_take_value(&r, &value)) == QN_OK) {
        sparse->count++;
        sparse->last_index = value.index > sparse->last_index ? value.index : sparse->last_index;
        status = pof_take_rest(&r, &value);
        if (status != QN_OK) {
            return status;
        }
    }
    return status == QN_ABSENT ? QN_OK : status;
}

/* Readers stop after `size` entries, and of those of numbers make an array of that size. */
static bool must_grow(const struct sparse *sparse, int32_t index)
{
    return sparse->count + 1 > sparse->size || (sparse->uniform && index >= sparse->size);
}

/* An entry is put into a sparse array: let its size follow where it must. */
static enum qn_status follow_size(struct bytes pof, struct pof_path path, struct replacement *new)
{
    struct pof_target array;
    struct sparse sparse;
    struct pof_reader r;
    int32_t index = path.steps[path.count - 1];

    if (index == INT32_MAX) {
        return QN_TOO_LARGE;
    }
    enum qn_status status =
        path_find(&r, pof, (struct pof_path){path.steps, path.count - 1}, &array);
    if (status == QN_OK) {
        status = read_sparse(&array, &sparse);
    }
    if (status != QN_OK || !must_grow(&sparse, index)) {
        return status;
    }
    const uint8_t *behind = sparse.size_octets.data + sparse.size_octets.size;
    int32_t last = index > sparse.last_index ? index : sparse.last_index;
    if (last == INT32_MAX) {
        return QN_TOO_LARGE;
    }
    add_part(new, bytes_of(new->size, packed_put(new->size, last + 1)));
    add_part(new, bytes_of(behind, (size_t)(new->cut.data - behind)));
    new->cut = bytes_of(sparse.size_octets.data, (size_t)(new->cut.data - sparse.size_octets.data));
    return QN_OK;
}

/* -- the update -- */

/* What to replace in `pof`, where `r` stands behind the target. */
static enum qn_status plan(const struct pof_reader *r, struct bytes pof, struct pof_path path,
                           const struct pof_target *target, struct replacement *new)
{
    const struct pof_reader_frame *frame = &r->frames[r->depth];
    enum qn_status status = QN_OK;

    new->cut = target->octets;
    new->count = 0;
    if (!target->found && frame->type < 0) {
        status = follow_size(pof, path, new);
    }
    if (!target->found) {
        add_part(new, bytes_of(new->index, packed_put(new->index, path.steps[path.count - 1])));
    }
    return status;
}

/* Does `binary` hold a value within all limits? Otherwise take it from `out` again. */
static enum qn_status check_result(struct buf *out, size_t start)
{
    struct bytes pof;
    enum qn_status status = pof_binary_value(bytes_of(out->data + start, out->size - start), &pof);

    if (status == QN_OK) {
        status = pof_skip(&pof);
    }
    if (status != QN_OK) {
        out->size = start;
    }
    return status;
}

/* Find what is to be replaced in the value of `binary`. */
static enum qn_status find_target(struct pof_reader *r, struct bytes binary, struct pof_path path,
                                  struct bytes *pof, struct pof_target *target)
{
    enum qn_status status = pof_binary_value(binary, pof);

    if (status == QN_OK) {
        status = path_find(r, *pof, path, target);
    }
    if (status != QN_OK) {
        return status;
    }
    if (target->below_missing) {
        return QN_ABSENT;
    }
    /* An identity that is replaced, or counted anew, would leave its references behind. */
    bool shared = r->identities_seen || target->value.kind == POF_KIND_REFERENCE;
    return shared ? QN_UNSUPPORTED : QN_OK;
}

enum qn_status pof_path_update(struct buf *out, struct bytes binary, struct pof_path path,
                               struct bytes pof)
{
    struct pof_reader r;
    struct pof_target target;
    struct replacement new;
    struct bytes value;
    size_t start = out->size;
    bool adds_empty = false;

    enum qn_status status = find_target(&r, binary, path, &value, &target);
    if (status == QN_OK) {
        status = check_value(pof, r.depth, &adds_empty);
    }
    if (status == QN_OK && target.bare) {
        status = drop_type(&pof, r.frames[r.depth].element_type);
    }
    if (status == QN_OK) {
        status = plan(&r, value, path, &target, &new);
    }
    if (status == QN_OK) {
        add_part(&new, pof);
        status = pof_binary_splice(out, binary, new.cut, new.parts, new.count);
    }
    return status == QN_OK && adds_empty ? check_result(out, start) : status;
}
