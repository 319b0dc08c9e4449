/* The POF value in a Binary, found and replaced under what stands around it. */
#include "wire/pof/binary_parts.h"
#include "wire/pof/packed.h"

bool binary_is_decorated(struct bytes binary)
{
    return binary.size > 0 && (binary.data[0] == BINARY_FORMAT_DECORATED ||
                               binary.data[0] == BINARY_FORMAT_DECORATED_EXTENDED);
}

bool binary_is_int_decorated(struct bytes binary)
{
    return binary.size > 0 && binary.data[0] == BINARY_FORMAT_INT_DECORATED;
}

static void drop(struct bytes *in, size_t size)
{
    *in = bytes_of(in->data + size, in->size - size);
}

enum qn_status binary_take_mask(struct bytes *in, uint64_t *mask)
{
    bool extended = in->data[0] == BINARY_FORMAT_DECORATED_EXTENDED;
    int64_t wide;

    drop(in, 1);
    if (extended) {
        enum qn_status status = packed_take64(in, &wide);
        *mask = status == QN_OK ? (uint64_t)wide : 0;
        return status;
    }
    if (in->size == 0) {
        return QN_MALFORMED;
    }
    *mask = in->data[0];
    drop(in, 1);
    return QN_OK;
}

enum qn_status binary_take_sized(struct bytes *in, struct bytes *octets)
{
    int32_t size;

    if (packed_take32(in, &size) != QN_OK || size < 0 || (size_t)size > in->size) {
        return QN_MALFORMED;
    }
    *octets = bytes_of(in->data, (size_t)size);
    drop(in, octets->size);
    return QN_OK;
}

enum qn_status binary_take_int(struct bytes *in, int32_t *number)
{
    drop(in, 1);
    return packed_take32(in, number);
}

/* A decorated value within the Binary: where its size stands, and the value. */
struct layer {
    const uint8_t *size_at;
    struct bytes value;
    size_t size_new;
};

/* Decorated Binaries in each other whose value can be replaced. Nobody writes more than one. */
enum { LAYERS_MAX = 4 };

struct layers {
    struct layer list[LAYERS_MAX];
    size_t count; /* may be above LAYERS_MAX; then the inner ones are not in the list */
    bool int_decorated;
};

/* The value among decorations comes first. */
static enum qn_status take_decorated(struct bytes *in, struct layers *layers)
{
    struct layer layer = {0};
    uint64_t mask;
    enum qn_status status = binary_take_mask(in, &mask);

    layer.size_at = in->data;
    if (status != QN_OK || (mask & 1) == 0) {
        return QN_MALFORMED;
    }
    status = binary_take_sized(in, &layer.value);
    if (status != QN_OK) {
        return status;
    }
    if (layers->count < LAYERS_MAX) {
        layers->list[layers->count] = layer;
    }
    layers->count++;
    *in = layer.value;
    return QN_OK;
}

static enum qn_status find_value(struct bytes binary, struct layers *layers, struct bytes *pof)
{
    struct bytes in = binary;
    enum qn_status status = QN_OK;
    int32_t ignored;

    layers->count = 0;
    layers->int_decorated = false;
    while (status == QN_OK && in.size > 0) { /* each round takes at least one octet */
        if (in.data[0] == POF_BINARY_FORMAT) {
            drop(&in, 1);
            *pof = in;
            return QN_OK;
        }
        if (binary_is_decorated(in)) {
            status = take_decorated(&in, layers);
        } else if (binary_is_int_decorated(in) && !layers->int_decorated) {
            layers->int_decorated = true;
            status = binary_take_int(&in, &ignored);
        } else {
            return QN_WRONG_TYPE;
        }
    }
    return QN_MALFORMED;
}

enum qn_status pof_binary_value(struct bytes binary, struct bytes *pof)
{
    struct layers layers;

    return find_value(binary, &layers, pof);
}

/* -- replacing octets of the value -- */

static int64_t packed_size(size_t number)
{
    uint8_t packed[PACKED_64_SIZE_MAX];

    return (int64_t)packed_put(packed, (int64_t)number);
}

/* How long the value of each layer gets when the innermost one grows by `more` (which may be below
 * zero). Returns the growth of the whole. */
static int64_t resize(struct layers *layers, int64_t more)
{
    for (size_t i = layers->count; i-- > 0;) {
        struct layer *layer = &layers->list[i];
        layer->size_new = (size_t)((int64_t)layer->value.size + more);
        more += packed_size(layer->size_new) - (layer->value.data - layer->size_at);
    }
    return more;
}

/* These return the place behind what they put. */
static uint8_t *put(uint8_t *at, struct bytes octets)
{
    if (octets.size > 0) {
        memcpy(at, octets.data, octets.size);
    }
    return at + octets.size;
}

static uint8_t *put_between(uint8_t *at, const uint8_t *from, const uint8_t *to)
{
    return put(at, bytes_of(from, (size_t)(to - from)));
}

static uint8_t *put_packed(uint8_t *at, size_t number)
{
    uint8_t packed[PACKED_64_SIZE_MAX];

    return put(at, bytes_of(packed, packed_put(packed, (int64_t)number)));
}

static void put_spliced(uint8_t *at, struct bytes binary, const struct layers *layers,
                        struct bytes cut, const struct bytes *parts, size_t count)
{
    const uint8_t *from = binary.data;

    for (size_t i = 0; i < layers->count; i++) {
        at = put_between(at, from, layers->list[i].size_at);
        at = put_packed(at, layers->list[i].size_new);
        from = layers->list[i].value.data;
    }
    at = put_between(at, from, cut.data);
    for (size_t i = 0; i < count; i++) {
        at = put(at, parts[i]);
    }
    put_between(at, cut.data + cut.size, binary.data + binary.size);
}

enum qn_status pof_binary_splice(struct buf *out, struct bytes binary, struct bytes cut,
                                 const struct bytes *parts, size_t count)
{
    struct layers layers;
    struct bytes pof;
    uint8_t *at;
    int64_t more = -(int64_t)cut.size;

    enum qn_status status = find_value(binary, &layers, &pof);
    if (status != QN_OK || layers.count > LAYERS_MAX) {
        return status != QN_OK ? status : QN_UNSUPPORTED;
    }
    for (size_t i = 0; i < count; i++) {
        more += (int64_t)parts[i].size;
    }
    int64_t size = (int64_t)binary.size + resize(&layers, more);
    if (size > INT32_MAX) {
        return QN_TOO_LARGE;
    }
    status = buf_extend(out, (size_t)size, &at);
    if (status == QN_OK) {
        put_spliced(at, binary, &layers, cut, parts, count);
    }
    return status;
}
