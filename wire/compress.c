#include "wire/compress.h"

#include <lz4.h>

enum {
    SIZE_OCTETS = 4,
    RATIO_MAX = 255, /* no LZ4 block unpacks to more than this many times its size */
};

enum qn_status compress(struct bytes plain, struct buf *out)
{
    uint8_t *at;
    size_t before = out->size;

    if (plain.size > LZ4_MAX_INPUT_SIZE) {
        return QN_ABSENT;
    }
    /* Room for what pays: when it does not fit, it does not pay. */
    size_t room = plain.size - plain.size / 8;
    if (room <= SIZE_OCTETS) {
        return QN_ABSENT;
    }
    enum qn_status status = buf_extend(out, room, &at);
    if (status != QN_OK) {
        return status;
    }
    int packed = LZ4_compress_default((const char *)plain.data, (char *)at + SIZE_OCTETS,
                                      (int)plain.size, (int)(room - SIZE_OCTETS));
    if (packed <= 0) {
        out->size = before;
        return QN_ABSENT;
    }
    put_u32(at, (uint32_t)plain.size);
    out->size = before + SIZE_OCTETS + (size_t)packed;
    return QN_OK;
}

enum qn_status decompress_size(struct bytes packed, size_t *size)
{
    if (packed.size < SIZE_OCTETS) {
        return QN_MALFORMED;
    }
    *size = get_u32(packed.data);
    return QN_OK;
}

enum qn_status decompress(struct bytes packed, size_t size_max, struct buf *out)
{
    size_t before = out->size;
    size_t size;
    uint8_t *at;
    enum qn_status status = decompress_size(packed, &size);

    if (status != QN_OK) {
        return status;
    }
    size_t block = packed.size - SIZE_OCTETS;
    if (size > size_max) {
        return QN_TOO_LARGE;
    }
    if (block > INT32_MAX || size / RATIO_MAX > block || size > LZ4_MAX_INPUT_SIZE) {
        return QN_MALFORMED;
    }
    status = buf_extend(out, size, &at);
    if (status != QN_OK) {
        return status;
    }
    int got = LZ4_decompress_safe((const char *)packed.data + SIZE_OCTETS, (char *)at, (int)block,
                                  (int)size);
    if (got < 0 || (size_t)got != size) {
        out->size = before;
        return QN_MALFORMED;
    }
    return QN_OK;
}
