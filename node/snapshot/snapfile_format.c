#include "node/snapshot/snapfile_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "wire/hash.h"

enum {
    MAGIC_SIZE = 8,
    AT_FORMAT = 8,
    AT_PARTITION = 12,
    AT_OWNER = 16,
    AT_INDEX = 24,
    AT_EPOCH = 32,
    AT_LOG_TIME = 40,
    AT_WALL_TIME = 48,
    AT_EPOCH_BEGAN = 56,
    AT_HEADER_CRC = 92,
    AT_BLOCK_CRC = 20,
    DIGITS = 20,
};

_Static_assert((int)AT_HEADER_CRC + 4 == (int)SNAP_HEADER_SIZE, "the checksum ends the header");
_Static_assert((int)AT_BLOCK_CRC + 4 == (int)SNAP_BLOCK_HEADER_SIZE, "and that of a block");
_Static_assert((int)DIGITS + 6 == (int)SNAP_NAME_SIZE, "digits, suffix, NUL");

static const uint8_t magic[MAGIC_SIZE] = {'Q', 'U', 'O', 'I', 'N', 'S', 'N', 'P'};

uint32_t snap_header_encode(uint64_t owner, const struct snap_head *head, uint8_t *at)
{
    memset(at, 0, SNAP_HEADER_SIZE);
    memcpy(at, magic, MAGIC_SIZE);
    put_u32(at + AT_FORMAT, SNAPFILE_FORMAT);
    put_u32(at + AT_PARTITION, head->partition);
    put_u64(at + AT_OWNER, owner);
    put_u64(at + AT_INDEX, head->index);
    put_u64(at + AT_EPOCH, head->epoch);
    put_u64(at + AT_LOG_TIME, (uint64_t)head->log_time_ms);
    put_u64(at + AT_WALL_TIME, (uint64_t)head->wall_time_ms);
    put_u64(at + AT_EPOCH_BEGAN, (uint64_t)head->epoch_began_ms);
    uint32_t crc = crc32c(0, bytes_of(at, AT_HEADER_CRC));
    put_u32(at + AT_HEADER_CRC, crc);
    return crc;
}

enum qn_status snap_header_decode(struct bytes data, uint64_t *owner, struct snap_head *head,
                                  uint32_t *seed)
{
    const uint8_t *at = data.data;

    if (data.size < SNAP_HEADER_SIZE || memcmp(at, magic, MAGIC_SIZE) != 0) {
        return QN_MALFORMED;
    }
    uint32_t crc = get_u32(at + AT_HEADER_CRC);
    if (crc != crc32c(0, bytes_of(at, AT_HEADER_CRC))) {
        return QN_MALFORMED;
    }
    if (get_u32(at + AT_FORMAT) != SNAPFILE_FORMAT) {
        return QN_UNSUPPORTED;
    }
    *owner = get_u64(at + AT_OWNER);
    *head = (struct snap_head){.partition = get_u32(at + AT_PARTITION),
                               .index = get_u64(at + AT_INDEX),
                               .epoch = get_u64(at + AT_EPOCH),
                               .log_time_ms = (int64_t)get_u64(at + AT_LOG_TIME),
                               .wall_time_ms = (int64_t)get_u64(at + AT_WALL_TIME),
                               .epoch_began_ms = (int64_t)get_u64(at + AT_EPOCH_BEGAN)};
    *seed = crc;
    return QN_OK;
}

void snap_block_encode(const struct snap_block *block, uint32_t seed, uint8_t *at)
{
    put_u32(at, block->kind);
    put_u32(at + 4, block->number);
    put_u32(at + 8, block->plain);
    put_u32(at + 12, block->stored);
    put_u32(at + 16, block->crc);
    put_u32(at + AT_BLOCK_CRC, crc32c(seed, bytes_of(at, AT_BLOCK_CRC)));
}

static bool sizes_possible(const struct snap_block *block)
{
    switch (block->kind) {
    case SNAP_BLOCK_PLAIN:
        return block->plain <= SNAP_BLOCK_MAX && block->stored == block->plain;
    case SNAP_BLOCK_PACKED:
        return block->plain <= SNAP_BLOCK_MAX && block->stored > 0 && block->stored < block->plain;
    case SNAP_BLOCK_END:
        return block->plain == SNAP_END_SIZE && block->stored == SNAP_END_SIZE;
    default:
        return false;
    }
}

enum qn_status snap_block_decode(struct bytes data, uint32_t seed, struct snap_block *block)
{
    const uint8_t *at = data.data;

    if (data.size < SNAP_BLOCK_HEADER_SIZE ||
        get_u32(at + AT_BLOCK_CRC) != crc32c(seed, bytes_of(at, AT_BLOCK_CRC))) {
        return QN_MALFORMED;
    }
    struct snap_block found = {.kind = get_u32(at),
                               .number = get_u32(at + 4),
                               .plain = get_u32(at + 8),
                               .stored = get_u32(at + 12),
                               .crc = get_u32(at + 16)};
    if (!sizes_possible(&found)) {
        return QN_MALFORMED;
    }
    *block = found;
    return QN_OK;
}

void snap_name_format(uint64_t index, char name[SNAP_NAME_SIZE])
{
    (void)snprintf(name, SNAP_NAME_SIZE, "%020" PRIu64 ".snap", index);
}

bool snap_name_parse(const char *name, uint64_t *index)
{
    char again[SNAP_NAME_SIZE];
    uint64_t number = 0;

    for (int i = 0; i < DIGITS; i++) {
        if (name[i] < '0' || name[i] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(name[i] - '0');
    }
    /* Written back it must be the same: refuses another suffix and numbers beyond 64 bits. */
    snap_name_format(number, again);
    if (strcmp(name, again) != 0) {
        return false;
    }
    *index = number;
    return true;
}

bool snapfile_path(const char *data, uint32_t partition, uint64_t index, char *path, size_t size)
{
    char name[SNAP_NAME_SIZE];

    snap_name_format(index, name);
    int length = snprintf(path, size, "%s/p%" PRIu32 "/%s", data, partition, name);
    return length > 0 && (size_t)length < size;
}
