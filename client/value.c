#include "client/value.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "wire/assert.h"
#include "wire/compress.h"
#include "wire/message/message.h"
#include "wire/pof/binary.h"

struct qn_value {
    atomic_uint references;
    struct transport_frame *frame; /* NULL once unpacked */
    struct buf unpacked;
    struct value_content content;
};

qn_value *value_create(struct transport_frame *frame, const struct value_content *content)
{
    qn_value *value = malloc(sizeof *value);

    if (value) {
        atomic_init(&value->references, 1);
        value->frame = frame ? transport_frame_retain(frame) : NULL;
        value->unpacked = (struct buf){0};
        value->content = *content;
    }
    return value;
}

qn_value *value_part(const qn_value *whole, const struct value_content *content)
{
    return value_create(whole->frame, content);
}

enum qn_status value_unpack(qn_value *value)
{
    if (!value || (value->content.flags & VALUE_COMPRESSED) == 0) {
        return QN_OK;
    }
    enum qn_status status = decompress(value->content.binary, WIRE_VALUE_MAX, &value->unpacked);
    if (status != QN_OK) {
        return status == QN_MEMORY_FULL ? status : QN_CORRUPT;
    }
    value->content.flags &= ~(uint32_t)VALUE_COMPRESSED;
    value->content.binary = buf_bytes(&value->unpacked);
    transport_frame_release(value->frame);
    value->frame = NULL;
    return QN_OK;
}

struct bytes value_octets(const qn_value *value)
{
    return value->content.binary;
}

qn_value *qn_value_retain(qn_value *value)
{
    if (value) {
        unsigned before = atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
        qn_assert(before > 0);
    }
    return value;
}

void qn_value_release(qn_value *value)
{
    if (value && atomic_fetch_sub_explicit(&value->references, 1, memory_order_acq_rel) == 1) {
        if (value->frame) {
            transport_frame_release(value->frame);
        }
        buf_fini(&value->unpacked);
        free(value);
    }
}

int64_t qn_value_ttl(const qn_value *value)
{
    return value ? value->content.ttl_ms : 0;
}

uint64_t qn_value_version(const qn_value *value)
{
    return value ? value->content.version : 0;
}

const void *qn_value_binary(const qn_value *value, size_t *size)
{
    if (size) {
        *size = value ? value->content.binary.size : 0;
    }
    return value ? value->content.binary.data : NULL;
}

qn_status qn_value_str(const qn_value *value, const char **text, size_t *size)
{
    struct bytes found;
    enum qn_status status =
        value ? pof_binary_as_string(value->content.binary, &found) : QN_INVALID;

    if (status == QN_OK) {
        *text = (const char *)found.data;
        if (size) {
            *size = found.size;
        }
    }
    return status;
}

qn_status qn_value_int(const qn_value *value, int64_t *number)
{
    return value ? pof_binary_as_int64(value->content.binary, number) : QN_INVALID;
}

qn_status qn_value_bytes(const qn_value *value, const void **data, size_t *size)
{
    struct bytes found;
    enum qn_status status =
        value ? pof_binary_as_octets(value->content.binary, &found) : QN_INVALID;

    if (status == QN_OK) {
        *data = found.data;
        *size = found.size;
    }
    return status;
}
