#include "client/value.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "wire/assert.h"
#include "wire/pof/binary.h"

struct qn_value {
    atomic_uint references;
    struct transport_frame *frame;
    struct bytes content;
    uint64_t version;
};

qn_value *value_create(struct transport_frame *frame, struct bytes content, uint64_t version)
{
    qn_value *value = malloc(sizeof *value);

    if (value) {
        atomic_init(&value->references, 1);
        value->frame = transport_frame_retain(frame);
        value->content = content;
        value->version = version;
    }
    return value;
}

struct bytes value_content(const qn_value *value)
{
    return value->content;
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
        transport_frame_release(value->frame);
        free(value);
    }
}

uint64_t qn_value_version(const qn_value *value)
{
    return value ? value->version : 0;
}

const void *qn_value_binary(const qn_value *value, size_t *size)
{
    if (size) {
        *size = value ? value->content.size : 0;
    }
    return value ? value->content.data : NULL;
}

qn_status qn_value_str(const qn_value *value, const char **text, size_t *size)
{
    struct bytes found;
    enum qn_status status = value ? pof_binary_as_string(value->content, &found) : QN_INVALID;

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
    return value ? pof_binary_as_int64(value->content, number) : QN_INVALID;
}

qn_status qn_value_bytes(const qn_value *value, const void **data, size_t *size)
{
    struct bytes found;
    enum qn_status status = value ? pof_binary_as_octets(value->content, &found) : QN_INVALID;

    if (status == QN_OK) {
        *data = found.data;
        *size = found.size;
    }
    return status;
}
