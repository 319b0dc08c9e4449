#include "wire/message/scan.h"

#include "wire/message/message.h"

enum {
    NODES_MAX = 256,
    PARTITIONS_MAX = 65536,
    FACTS_MAX = 256,
    CACHES_MAX = 65536,
    FIELD_FIRST = 15, /* the repeated fields of Header are 15 to 20, and 24 */
    FIELD_LAST = 24,
    VARINT_SIZE_MAX = 10,
};

static const uint32_t count_max[FIELD_LAST - FIELD_FIRST + 1] = {
    WIRE_BATCH_MAX, WIRE_BATCH_MAX, NODES_MAX,  PARTITIONS_MAX, FACTS_MAX,
    CACHES_MAX,     UINT32_MAX,     UINT32_MAX, UINT32_MAX,     WIRE_PEERS_MAX,
};

/* Take a varint off the front; false when it is cut off or too long. */
static bool varint_take(struct bytes *in, uint64_t *value)
{
    uint64_t result = 0;

    for (size_t i = 0; i < in->size && i < VARINT_SIZE_MAX; i++) {
        result |= (uint64_t)(in->data[i] & 0x7f) << (7 * i);
        if ((in->data[i] & 0x80) == 0) {
            *value = result;
            *in = bytes_of(in->data + i + 1, in->size - i - 1);
            return true;
        }
    }
    return false;
}

/* Skip the content of a field of this wire type. */
static bool field_skip(struct bytes *in, unsigned wire_type)
{
    uint64_t size;

    switch (wire_type) {
    case 0:
        return varint_take(in, &size);
    case 1:
        size = 8;
        break;
    case 2:
        if (!varint_take(in, &size)) {
            return false;
        }
        break;
    case 5:
        size = 4;
        break;
    default:
        return false;
    }
    if (size > in->size) {
        return false;
    }
    *in = bytes_of(in->data + size, in->size - (size_t)size);
    return true;
}

enum qn_status header_scan(struct bytes header)
{
    uint32_t counts[FIELD_LAST - FIELD_FIRST + 1] = {0};

    while (header.size > 0) {
        uint64_t tag;
        if (!varint_take(&header, &tag) || !field_skip(&header, (unsigned)(tag & 7))) {
            return QN_MALFORMED;
        }
        uint64_t field = tag >> 3;
        if (field < FIELD_FIRST || field > FIELD_LAST) {
            continue;
        }
        if (++counts[field - FIELD_FIRST] > count_max[field - FIELD_FIRST]) {
            return QN_MALFORMED;
        }
    }
    return QN_OK;
}
