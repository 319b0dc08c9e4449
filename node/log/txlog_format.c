#include "node/log/txlog_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "wire/hash.h"

enum {
    SEGMENT_MAGIC_SIZE = 8,
    AT_SEGMENT_FORMAT = 8,
    AT_SEGMENT_FIRST_LSN = 16,
    AT_SEGMENT_SALT = 24,
    AT_SEGMENT_OWNER = 32,
    AT_SEGMENT_CRC = 60, /* of the 60 octets before it: stays so in every format */
    AT_BATCH_SIZE = 4,
    AT_BATCH_COUNT = 8,
    AT_BATCH_LSN = 16,
    AT_BATCH_DURABLE = 24,
    AT_BATCH_SALT = 32,
    AT_BATCH_CRC = 44,
    DIGITS = 20,
};

_Static_assert((int)AT_BATCH_CRC + 4 == (int)BATCH_HEADER_SIZE, "the checksum ends the header");
_Static_assert((int)DIGITS + 5 == (int)SEGMENT_NAME_SIZE, "digits, suffix, NUL");

static const uint8_t segment_magic[SEGMENT_MAGIC_SIZE] = {'Q', 'U', 'O', 'I', 'N', 'L', 'O', 'G'};
static const uint8_t batch_magic[BATCH_MAGIC_SIZE] = {0xb7, 'Q', 'L', 'B'};

void segment_header_encode(const struct segment_header *header, uint8_t *at)
{
    memset(at, 0, SEGMENT_HEADER_SIZE);
    memcpy(at, segment_magic, SEGMENT_MAGIC_SIZE);
    put_u32(at + AT_SEGMENT_FORMAT, TXLOG_FORMAT);
    put_u64(at + AT_SEGMENT_FIRST_LSN, header->first_lsn);
    put_u64(at + AT_SEGMENT_SALT, header->salt);
    put_u64(at + AT_SEGMENT_OWNER, header->owner);
    put_u32(at + AT_SEGMENT_CRC, crc32c(0, bytes_of(at, AT_SEGMENT_CRC)));
}

enum qn_status segment_header_decode(struct bytes data, struct segment_header *header)
{
    const uint8_t *at = data.data;

    if (data.size < SEGMENT_HEADER_SIZE || memcmp(at, segment_magic, SEGMENT_MAGIC_SIZE) != 0 ||
        get_u32(at + AT_SEGMENT_CRC) != crc32c(0, bytes_of(at, AT_SEGMENT_CRC))) {
        return QN_MALFORMED;
    }
    if (get_u32(at + AT_SEGMENT_FORMAT) != TXLOG_FORMAT) {
        return QN_UNSUPPORTED;
    }
    *header = (struct segment_header){.first_lsn = get_u64(at + AT_SEGMENT_FIRST_LSN),
                                      .salt = get_u64(at + AT_SEGMENT_SALT),
                                      .owner = get_u64(at + AT_SEGMENT_OWNER)};
    return QN_OK;
}

void batch_header_encode(const struct batch_header *header, uint8_t *at)
{
    memset(at, 0, BATCH_HEADER_SIZE);
    memcpy(at, batch_magic, BATCH_MAGIC_SIZE);
    put_u32(at + AT_BATCH_SIZE, header->size);
    put_u32(at + AT_BATCH_COUNT, header->count);
    put_u64(at + AT_BATCH_LSN, header->lsn);
    put_u64(at + AT_BATCH_DURABLE, header->durable_lsn);
    put_u64(at + AT_BATCH_SALT, header->salt);
    put_u32(at + AT_BATCH_CRC, crc32c(0, bytes_of(at, AT_BATCH_CRC)));
}

enum qn_status batch_header_decode(struct bytes data, uint64_t salt, struct batch_header *header)
{
    const uint8_t *at = data.data;

    if (data.size < BATCH_HEADER_SIZE || memcmp(at, batch_magic, BATCH_MAGIC_SIZE) != 0 ||
        get_u64(at + AT_BATCH_SALT) != salt ||
        get_u32(at + AT_BATCH_CRC) != crc32c(0, bytes_of(at, AT_BATCH_CRC))) {
        return QN_MALFORMED;
    }
    struct batch_header found = {.salt = salt,
                                 .lsn = get_u64(at + AT_BATCH_LSN),
                                 .durable_lsn = get_u64(at + AT_BATCH_DURABLE),
                                 .size = get_u32(at + AT_BATCH_SIZE),
                                 .count = get_u32(at + AT_BATCH_COUNT)};
    if (found.size > BATCH_SIZE_MAX || found.count > found.size / RECORD_HEADER_SIZE ||
        found.durable_lsn > found.lsn) {
        return QN_MALFORMED;
    }
    *header = found;
    return QN_OK;
}

size_t batch_magic_find(struct bytes data, size_t from)
{
    while (from + BATCH_MAGIC_SIZE <= data.size) {
        const uint8_t *hit =
            memchr(data.data + from, batch_magic[0], data.size - from - BATCH_MAGIC_SIZE + 1);
        if (!hit) {
            return data.size;
        }
        if (memcmp(hit, batch_magic, BATCH_MAGIC_SIZE) == 0) {
            return (size_t)(hit - data.data);
        }
        from = (size_t)(hit - data.data) + 1;
    }
    return data.size;
}

void segment_name_format(uint64_t first_lsn, char name[SEGMENT_NAME_SIZE])
{
    (void)snprintf(name, SEGMENT_NAME_SIZE, "%020" PRIu64 ".log", first_lsn);
}

bool segment_name_parse(const char *name, uint64_t *first_lsn)
{
    char again[SEGMENT_NAME_SIZE];
    uint64_t lsn = 0;

    for (int i = 0; i < DIGITS; i++) {
        if (name[i] < '0' || name[i] > '9') {
            return false;
        }
        lsn = lsn * 10 + (uint64_t)(name[i] - '0');
    }
    /* Written back it must be the same: refuses another suffix and numbers beyond 64 bits. */
    segment_name_format(lsn, again);
    if (strcmp(name, again) != 0) {
        return false;
    }
    *first_lsn = lsn;
    return true;
}
