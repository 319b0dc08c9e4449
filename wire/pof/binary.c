#include "wire/pof/binary.h"

#include "wire/pof/packed.h"
#include "wire/pof/reader.h"
#include "wire/pof/writer.h"

enum {
    FORMAT_INT_DECORATED = 0x0d,
    FORMAT_DECORATED = 0x12,
    FORMAT_DECORATED_EXTENDED = 0x13,
    SMALL_ID_MAX = 7, /* of the format with a mask of one octet */
    /* Id 63 exists, but a reference implementation damages values that have it. */
    ID_MAX = 62,
};

enum qn_status pof_binary_string(struct buf *out, struct bytes utf8)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_write_string(&w, POF_NEXT, utf8);
    return pof_writer_finish(&w);
}

enum qn_status pof_binary_int64(struct buf *out, int64_t value)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_writer_full(&w); /* one key, one form: a serializer writes keys in full */
    pof_write_int64(&w, POF_NEXT, value);
    return pof_writer_finish(&w);
}

enum qn_status pof_binary_octets(struct buf *out, struct bytes octets)
{
    struct pof_writer w;

    pof_writer_init_binary(&w, out);
    pof_write_octets(&w, POF_NEXT, octets);
    return pof_writer_finish(&w);
}

/* The one value of a Binary, if it is a scalar. */
static enum qn_status read_scalar(struct bytes binary, struct pof_value *value)
{
    struct pof_reader reader;
    struct bytes pof;
    enum qn_status status = pof_binary_value(binary, &pof);

    if (status != QN_OK) {
        return status;
    }
    pof_reader_init(&reader, pof);
    return pof_reader_next(&reader, value);
}

enum qn_status pof_binary_as_string(struct bytes binary, struct bytes *text)
{
    struct pof_value value;
    enum qn_status status = read_scalar(binary, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind != POF_KIND_STRING) {
        return QN_WRONG_TYPE;
    }
    *text = value.as.text;
    return QN_OK;
}

enum qn_status pof_binary_as_int64(struct bytes binary, int64_t *number)
{
    struct pof_value value;
    enum qn_status status = read_scalar(binary, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind < POF_KIND_INT16 || value.kind > POF_KIND_INT128) {
        return QN_WRONG_TYPE;
    }
    return pof_value_int64(&value, number);
}

enum qn_status pof_binary_as_octets(struct bytes binary, struct bytes *octets)
{
    struct pof_value value;
    enum qn_status status = read_scalar(binary, &value);

    if (status != QN_OK) {
        return status;
    }
    if (value.kind != POF_KIND_OCTETS) {
        return QN_WRONG_TYPE;
    }
    *octets = value.as.octets;
    return QN_OK;
}

/* Take the mask of decoration ids. */
static enum qn_status take_mask(struct bytes *in, bool extended, uint64_t *mask)
{
    int64_t wide;

    if (extended) {
        enum qn_status status = packed_take64(in, &wide);
        *mask = status == QN_OK ? (uint64_t)wide : 0;
        return status;
    }
    if (in->size == 0) {
        return QN_MALFORMED;
    }
    *mask = in->data[0];
    *in = bytes_of(in->data + 1, in->size - 1);
    return QN_OK;
}

/* The value among decorations, which is the first of them. `in` stands behind the format octet. */
static enum qn_status take_decorated(struct bytes in, bool extended, struct bytes *value)
{
    uint64_t mask;
    int32_t size;
    enum qn_status status = take_mask(&in, extended, &mask);

    if (status != QN_OK || (mask & 1) == 0) {
        return QN_MALFORMED;
    }
    status = packed_take32(&in, &size);
    if (status != QN_OK || size < 0 || (size_t)size > in.size) {
        return QN_MALFORMED;
    }
    *value = bytes_of(in.data, (size_t)size);
    return QN_OK;
}

enum qn_status pof_binary_value(struct bytes binary, struct bytes *pof)
{
    struct bytes in = binary;
    bool int_decorated = false;
    enum qn_status status = QN_OK;

    while (status == QN_OK && in.size > 0) { /* each round takes at least one octet */
        uint8_t format = in.data[0];
        in = bytes_of(in.data + 1, in.size - 1);
        if (format == POF_BINARY_FORMAT) {
            *pof = in;
            return QN_OK;
        }
        if (format == FORMAT_INT_DECORATED && !int_decorated) {
            int_decorated = true;
            status = packed_skip(&in, 1);
        } else if (format == FORMAT_DECORATED || format == FORMAT_DECORATED_EXTENDED) {
            status = take_decorated(in, format == FORMAT_DECORATED_EXTENDED, &in);
        } else {
            return QN_WRONG_TYPE;
        }
    }
    return QN_MALFORMED;
}

static enum qn_status put_packed(struct buf *out, int64_t value)
{
    uint8_t octets[PACKED_64_SIZE_MAX];

    return buf_append(out, octets, packed_put(octets, value));
}

static enum qn_status put_sized(struct buf *out, struct bytes octets)
{
    enum qn_status status = put_packed(out, (int64_t)octets.size);

    return status == QN_OK ? buf_append(out, octets.data, octets.size) : status;
}

/* A decorated value within the Binary: where its size stands, and where it ends. */
struct layer {
    const uint8_t *size_at;
    struct bytes value;
    size_t size_new;
};

enum { LAYERS_MAX = 4 };

/* The layers around the POF value, outermost first. The Binary is one that pof_binary_value takes.
 */
static enum qn_status find_layers(struct bytes binary, struct layer layers[LAYERS_MAX],
                                  size_t *count)
{
    struct bytes in = binary;
    struct bytes value;
    enum qn_status status = QN_OK;

    *count = 0;
    while (status == QN_OK && in.data[0] != POF_BINARY_FORMAT) {
        uint8_t format = in.data[0];
        uint64_t mask;
        in = bytes_of(in.data + 1, in.size - 1);
        if (format == FORMAT_INT_DECORATED) {
            status = packed_skip(&in, 1);
            continue;
        }
        if (*count == LAYERS_MAX) {
            return QN_UNSUPPORTED;
        }
        status = take_decorated(in, format == FORMAT_DECORATED_EXTENDED, &value);
        if (status == QN_OK) {
            status = take_mask(&in, format == FORMAT_DECORATED_EXTENDED, &mask);
            layers[(*count)++] = (struct layer){.size_at = in.data, .value = value};
            in = value;
        }
    }
    return status;
}

static size_t size_of_all(const struct bytes *parts, size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        size += parts[i].size;
    }
    return size;
}

/* How long the value of each layer gets when the innermost one grows by `more` (which may be below
 * zero). Returns the growth of the whole. */
static int64_t resize(struct layer *layers, size_t count, int64_t more)
{
    uint8_t packed[PACKED_64_SIZE_MAX];

    for (size_t i = count; i-- > 0;) {
        struct layer *layer = &layers[i];
        layer->size_new = (size_t)((int64_t)layer->value.size + more);
        more += (int64_t)packed_put(packed, (int64_t)layer->size_new);
        more -= layer->value.data - layer->size_at;
    }
    return more;
}

enum qn_status pof_binary_splice(struct buf *out, struct bytes binary, struct bytes cut,
                                 const struct bytes *parts, size_t count)
{
    struct layer layers[LAYERS_MAX];
    size_t layer_count;
    const uint8_t *at = binary.data;
    size_t start = out->size;
    struct bytes pof;

    enum qn_status status = pof_binary_value(binary, &pof);
    if (status == QN_OK) {
        status = find_layers(binary, layers, &layer_count);
    }
    if (status != QN_OK) {
        return status;
    }
    int64_t more = (int64_t)size_of_all(parts, count) - (int64_t)cut.size;
    more = resize(layers, layer_count, more);
    status = (int64_t)binary.size + more > INT32_MAX
                 ? QN_TOO_LARGE
                 : buf_reserve(out, (size_t)((int64_t)binary.size + more));
    for (size_t i = 0; status == QN_OK && i < layer_count; i++) {
        status = buf_append(out, at, (size_t)(layers[i].size_at - at));
        at = layers[i].value.data;
        if (status == QN_OK) {
            status = put_packed(out, (int64_t)layers[i].size_new);
        }
    }
    if (status == QN_OK) {
        status = buf_append(out, at, (size_t)(cut.data - at));
    }
    for (size_t i = 0; status == QN_OK && i < count; i++) {
        status = buf_append(out, parts[i].data, parts[i].size);
    }
    at = cut.data + cut.size;
    if (status == QN_OK) {
        status = buf_append(out, at, (size_t)(binary.data + binary.size - at));
    }
    if (status != QN_OK) {
        out->size = start;
    }
    return status;
}

static bool ids_ascend(const struct pof_decoration *decorations, size_t count)
{
    uint32_t last = 0;

    for (size_t i = 0; i < count; i++) {
        if (decorations[i].id <= last || decorations[i].id > ID_MAX) {
            return false;
        }
        last = decorations[i].id;
    }
    return count > 0;
}

static enum qn_status put_mask(struct buf *out, const struct pof_decoration *decorations,
                               size_t count)
{
    bool extended = decorations[count - 1].id > SMALL_ID_MAX;
    uint8_t format = extended ? FORMAT_DECORATED_EXTENDED : FORMAT_DECORATED;
    uint64_t mask = 1; /* the value itself */

    for (size_t i = 0; i < count; i++) {
        mask |= (uint64_t)1 << decorations[i].id;
    }
    enum qn_status status = buf_append(out, &format, 1);
    if (status != QN_OK) {
        return status;
    }
    uint8_t small_mask = (uint8_t)mask;
    return extended ? put_packed(out, (int64_t)mask) : buf_append(out, &small_mask, 1);
}

enum qn_status pof_binary_decorate(struct buf *out, struct bytes binary,
                                   const struct pof_decoration *decorations, size_t count)
{
    size_t start = out->size;

    if (!ids_ascend(decorations, count)) {
        return QN_INVALID;
    }
    enum qn_status status = put_mask(out, decorations, count);
    if (status == QN_OK) {
        status = put_sized(out, binary);
    }
    for (size_t i = 0; status == QN_OK && i < count; i++) {
        status = put_sized(out, decorations[i].octets);
    }
    if (status != QN_OK) {
        out->size = start;
    }
    return status;
}

enum qn_status pof_binary_decorate_int(struct buf *out, struct bytes binary, int32_t decoration)
{
    static const uint8_t format = FORMAT_INT_DECORATED;
    size_t start = out->size;

    enum qn_status status = buf_append(out, &format, 1);
    if (status == QN_OK) {
        status = put_packed(out, decoration);
    }
    if (status == QN_OK) {
        status = buf_append(out, binary.data, binary.size);
    }
    if (status != QN_OK) {
        out->size = start;
    }
    return status;
}
