/* Decorations: read, put around a value and taken off. */
#include "wire/pof/binary_parts.h"
#include "wire/pof/packed.h"

enum { ID_COUNT = 64, SMALL_ID_MAX = 7 /* of the format with a mask of one octet */ };

/* -- reading -- */

enum qn_status pof_binary_decorations(struct bytes binary, struct pof_decorations *decorations)
{
    struct bytes in = binary;
    uint64_t ids = 0;

    if (binary_is_decorated(binary)) {
        enum qn_status status = binary_take_mask(&in, &ids);
        if (status != QN_OK) {
            return status;
        }
    }
    *decorations = (struct pof_decorations){.rest = in, .ids = ids};
    return QN_OK;
}

/* The lowest id of a mask that is not 0. */
static uint32_t lowest_id(uint64_t ids)
{
    uint32_t id = 0;

    while ((ids >> id & 1) == 0) {
        id++;
    }
    return id;
}

enum qn_status pof_decorations_next(struct pof_decorations *decorations,
                                    struct pof_decoration *decoration)
{
    struct bytes octets;

    if (decorations->ids == 0) {
        return QN_ABSENT;
    }
    enum qn_status status = binary_take_sized(&decorations->rest, &octets);
    if (status == QN_OK) {
        *decoration = (struct pof_decoration){lowest_id(decorations->ids), octets};
        decorations->ids &= decorations->ids - 1; /* without its lowest bit */
    }
    return status;
}

enum qn_status pof_binary_decoration(struct bytes binary, uint32_t id, struct bytes *octets)
{
    struct pof_decorations decorations;
    struct pof_decoration decoration;
    enum qn_status status = pof_binary_decorations(binary, &decorations);

    if (status == QN_OK && (id >= ID_COUNT || (decorations.ids >> id & 1) == 0)) {
        return QN_ABSENT;
    }
    while (status == QN_OK) {
        status = pof_decorations_next(&decorations, &decoration);
        if (status == QN_OK && decoration.id == id) {
            *octets = decoration.octets;
            return QN_OK;
        }
    }
    return status;
}

enum qn_status pof_binary_undecorated(struct bytes binary, struct bytes *value)
{
    if (!binary_is_decorated(binary)) {
        *value = binary;
        return QN_OK;
    }
    enum qn_status status = pof_binary_decoration(binary, POF_DECORATION_VALUE, value);
    return status == QN_ABSENT ? QN_MALFORMED : status;
}

enum qn_status pof_binary_int_decoration(struct bytes binary, int32_t *decoration)
{
    struct bytes in = binary;

    return binary_is_int_decorated(binary) ? binary_take_int(&in, decoration) : QN_ABSENT;
}

enum qn_status pof_binary_int_undecorated(struct bytes binary, struct bytes *rest)
{
    struct bytes in = binary;
    int32_t ignored;
    enum qn_status status =
        binary_is_int_decorated(binary) ? binary_take_int(&in, &ignored) : QN_OK;

    if (status == QN_OK) {
        *rest = in;
    }
    return status;
}

/* -- writing -- */

/* A Binary taken apart: the value, and what is beside it. */
struct parts {
    struct bytes octets[ID_COUNT]; /* by id */
    uint64_t ids;
    bool extended;
};

static bool has(const struct parts *parts, uint32_t id)
{
    return (parts->ids >> id & 1) != 0;
}

/* All parts of `binary`; of one that has no decorations it is the value. */
static enum qn_status take_apart(struct bytes binary, struct parts *parts)
{
    struct pof_decorations decorations;
    struct pof_decoration decoration;
    enum qn_status status = pof_binary_decorations(binary, &decorations);

    parts->extended = binary.size > 0 && binary.data[0] == BINARY_FORMAT_DECORATED_EXTENDED;
    if (!binary_is_decorated(binary)) {
        parts->octets[POF_DECORATION_VALUE] = binary;
        parts->ids = 1;
        return status;
    }
    parts->ids = status == QN_OK ? decorations.ids : 0;
    while (status == QN_OK) {
        status = pof_decorations_next(&decorations, &decoration);
        if (status == QN_OK) {
            parts->octets[decoration.id] = decoration.octets;
        }
    }
    return status == QN_ABSENT && has(parts, POF_DECORATION_VALUE) ? QN_OK : QN_MALFORMED;
}

static enum qn_status put_packed(struct buf *out, int64_t value)
{
    uint8_t octets[PACKED_64_SIZE_MAX];

    return buf_append(out, octets, packed_put(octets, value));
}

static enum qn_status put_sized(struct buf *out, struct bytes octets)
{
    enum qn_status status =
        octets.size <= INT32_MAX ? put_packed(out, (int64_t)octets.size) : QN_TOO_LARGE;

    return status == QN_OK ? buf_append(out, octets.data, octets.size) : status;
}

static enum qn_status put_mask(struct buf *out, const struct parts *parts)
{
    bool extended = parts->extended || parts->ids >> (SMALL_ID_MAX + 1) != 0;
    const uint8_t head[] = {extended ? BINARY_FORMAT_DECORATED_EXTENDED : BINARY_FORMAT_DECORATED,
                            (uint8_t)parts->ids};
    enum qn_status status = buf_append(out, head, extended ? 1 : 2);

    return status == QN_OK && extended ? put_packed(out, (int64_t)parts->ids) : status;
}

static enum qn_status put_together(struct buf *out, const struct parts *parts)
{
    size_t start = out->size;
    enum qn_status status = put_mask(out, parts);

    for (uint32_t id = 0; status == QN_OK && id < ID_COUNT; id++) {
        status = has(parts, id) ? put_sized(out, parts->octets[id]) : QN_OK;
    }
    if (status == QN_OK && out->size - start > INT32_MAX) {
        status = QN_TOO_LARGE;
    }
    if (status != QN_OK) {
        out->size = start;
    }
    return status;
}

static bool ids_ascend(const struct pof_decoration *decorations, size_t count)
{
    uint32_t last = POF_DECORATION_VALUE;

    for (size_t i = 0; i < count; i++) {
        if (decorations[i].id <= last || decorations[i].id > POF_DECORATION_ID_MAX) {
            return false;
        }
        last = decorations[i].id;
    }
    return count > 0;
}

enum qn_status pof_binary_decorate(struct buf *out, struct bytes binary,
                                   const struct pof_decoration *decorations, size_t count)
{
    struct parts parts;

    if (!ids_ascend(decorations, count)) {
        return QN_INVALID;
    }
    enum qn_status status = take_apart(binary, &parts);
    if (status != QN_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        parts.octets[decorations[i].id] = decorations[i].octets;
        parts.ids |= (uint64_t)1 << decorations[i].id;
    }
    return put_together(out, &parts);
}

enum qn_status pof_binary_undecorate(struct buf *out, struct bytes binary, uint32_t id)
{
    struct parts parts;

    if (id == POF_DECORATION_VALUE) {
        return QN_INVALID;
    }
    enum qn_status status = take_apart(binary, &parts);
    if (status != QN_OK) {
        return status;
    }
    if (id >= ID_COUNT || !has(&parts, id)) {
        return QN_ABSENT;
    }
    parts.ids &= ~((uint64_t)1 << id);
    parts.extended = false;
    struct bytes value = parts.octets[POF_DECORATION_VALUE];
    return parts.ids == 1 ? buf_append(out, value.data, value.size) : put_together(out, &parts);
}

/* Is there an int decoration within other decorations? */
static bool is_int_decorated_within(struct bytes binary)
{
    struct bytes value = binary;

    while (binary_is_decorated(value) && pof_binary_undecorated(value, &value) == QN_OK) {
    }
    return binary_is_int_decorated(value);
}

enum qn_status pof_binary_decorate_int(struct buf *out, struct bytes binary, int32_t decoration)
{
    uint8_t number[PACKED_64_SIZE_MAX];
    size_t size = packed_put(number, decoration);
    struct bytes rest;
    uint8_t *at;

    enum qn_status status = pof_binary_int_undecorated(binary, &rest);
    if (status != QN_OK) {
        return status;
    }
    if (is_int_decorated_within(rest)) {
        return QN_INVALID;
    }
    if (rest.size > INT32_MAX - PACKED_64_SIZE_MAX) {
        return QN_TOO_LARGE;
    }
    status = buf_extend(out, 1 + size + rest.size, &at);
    if (status != QN_OK) {
        return status;
    }
    *at = BINARY_FORMAT_INT_DECORATED;
    memcpy(at + 1, number, size);
    if (rest.size > 0) {
        memcpy(at + 1 + size, rest.data, rest.size);
    }
    return QN_OK;
}
