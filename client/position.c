#include "client/position.h"

#include "client/hex.h"
#include "client/quoin.h"
#include "wire/hash.h"

/* "p1-" and the digits of: cache, partition count, partition, skip, view, token, checksum. */
#define PREFIX "p1-"
enum { PREFIX_SIZE = 3, HEAD_SIZE = 4 + 4 + 4 + 4 + 8, CHECK_SIZE = 4 };

size_t position_size(const struct position *position)
{
    return PREFIX_SIZE + 2 * (HEAD_SIZE + position->token.size + CHECK_SIZE) + 1;
}

enum qn_status position_print(const struct position *position, struct buf *out)
{
    uint8_t head[HEAD_SIZE];
    uint8_t check[CHECK_SIZE];
    uint8_t *place;
    enum qn_status status = buf_extend(out, position_size(position), &place);

    if (status != QN_OK) {
        return status;
    }
    put_u32(head, position->cache);
    put_u32(head + 4, position->partition_count);
    put_u32(head + 8, position->partition);
    put_u32(head + 12, position->skip);
    put_u64(head + 16, position->view);
    put_u32(check, crc32c(crc32c(0, bytes_of(head, HEAD_SIZE)), position->token));
    char *at = (char *)place;
    memcpy(at, PREFIX, PREFIX_SIZE);
    at = hex_write(bytes_of(head, HEAD_SIZE), at + PREFIX_SIZE);
    at = hex_write(position->token, at);
    *hex_write(bytes_of(check, CHECK_SIZE), at) = '\0';
    return QN_OK;
}

enum qn_status position_parse(const char *text, struct buf *memory, struct position *position)
{
    size_t size = strlen(text);
    size_t octets = (size - PREFIX_SIZE) / 2;
    uint8_t *at;

    if (size < PREFIX_SIZE + 2 * (HEAD_SIZE + CHECK_SIZE) || size >= QN_POSITION_MAX ||
        size != PREFIX_SIZE + 2 * octets || memcmp(text, PREFIX, PREFIX_SIZE) != 0) {
        return QN_INVALID;
    }
    enum qn_status status = buf_extend(memory, octets, &at);
    if (status != QN_OK) {
        return status;
    }
    struct bytes body = bytes_of(at, octets - CHECK_SIZE);
    if (!hex_read(text + PREFIX_SIZE, octets, at) || get_u32(at + body.size) != crc32c(0, body)) {
        return QN_INVALID;
    }
    *position = (struct position){
        .cache = get_u32(at),
        .partition_count = get_u32(at + 4),
        .partition = get_u32(at + 8),
        .skip = get_u32(at + 12),
        .view = get_u64(at + 16),
        .token = bytes_of(at + HEAD_SIZE, body.size - HEAD_SIZE),
    };
    return QN_OK;
}
