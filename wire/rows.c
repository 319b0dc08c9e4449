#include "wire/rows.h"

enum qn_status row_encode(const struct row *row, struct buf *out)
{
    uint8_t *at;
    enum qn_status status = buf_extend(out, row_size(row), &at);

    if (status != QN_OK) {
        return status;
    }
    put_u32(at, (uint32_t)row->key.size);
    put_u32(at + 4, (uint32_t)row->value.size);
    put_u64(at + 8, row->version);
    put_u64(at + 16, (uint64_t)row->ttl_ms);
    put_u32(at + 24, row->flags);
    if (row->key.size > 0) {
        memcpy(at + ROW_HEADER_SIZE, row->key.data, row->key.size);
    }
    if (row->value.size > 0) {
        memcpy(at + ROW_HEADER_SIZE + row->key.size, row->value.data, row->value.size);
    }
    return QN_OK;
}

enum qn_status row_next(struct bytes *rows, struct row *row)
{
    const uint8_t *at = rows->data;

    if (rows->size == 0) {
        return QN_ABSENT;
    }
    if (rows->size < ROW_HEADER_SIZE) {
        return QN_MALFORMED;
    }
    size_t left = rows->size - ROW_HEADER_SIZE;
    size_t key_size = get_u32(at);
    size_t value_size = get_u32(at + 4);
    if (key_size > left || value_size > left - key_size) {
        return QN_MALFORMED;
    }
    *row = (struct row){
        .version = get_u64(at + 8),
        .ttl_ms = (int64_t)get_u64(at + 16),
        .flags = get_u32(at + 24),
        .key = bytes_of(at + ROW_HEADER_SIZE, key_size),
        .value = bytes_of(at + ROW_HEADER_SIZE + key_size, value_size),
    };
    size_t size = ROW_HEADER_SIZE + key_size + value_size;
    *rows = bytes_of(at + size, rows->size - size);
    return QN_OK;
}
