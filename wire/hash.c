#include "wire/hash.h"

#include <isa-l/crc.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    FORMAT_POF = 0x15,
    FORMAT_INT_DECORATION = 0x0d,
    PACKED_SIZE_MAX = 10,
};

uint64_t hash_bytes(struct bytes data)
{
    return XXH3_64bits(data.data, data.size);
}

/* Octets of the decoration in front of the POF value; 0 when there is none. */
static size_t decoration_size(struct bytes key)
{
    if (key.size < 2 || key.data[0] != FORMAT_INT_DECORATION) {
        return 0;
    }
    for (size_t at = 1; at < key.size && at <= PACKED_SIZE_MAX; at++) {
        if ((key.data[at] & 0x80) == 0) {
            return at + 1 < key.size && key.data[at + 1] == FORMAT_POF ? at + 1 : 0;
        }
    }
    return 0;
}

uint64_t hash_key(struct bytes key)
{
    size_t skip = decoration_size(key);

    return skip > 0 ? hash_bytes(bytes_of(key.data + skip, key.size - skip)) : hash_bytes(key);
}

uint32_t crc32c(uint32_t seed, struct bytes data)
{
    /* ISA-L takes and returns the raw register, hence the inversions; it does not write through its
     * pointer, but is declared without const and with an int length. */
    uint32_t crc = ~seed;
    const uint8_t *at = data.data;
    size_t left = data.size;

    while (left > 0) {
        int chunk = left > (1u << 30) ? (1 << 30) : (int)left;
        crc = crc32_iscsi((unsigned char *)(uintptr_t)at, chunk, crc);
        at += chunk;
        left -= (size_t)chunk;
    }
    return ~crc;
}
