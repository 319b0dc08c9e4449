#include "wire/bytes.h"

#include <stdlib.h>

bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

void buf_fini(struct buf *buf)
{
    if (buf) {
        free(buf->data);
        *buf = (struct buf){0};
    }
}

enum qn_status buf_reserve(struct buf *buf, size_t more)
{
    if (more <= buf->capacity - buf->size) {
        return QN_OK;
    }
    if (more > SIZE_MAX / 2 - buf->size) {
        return QN_MEMORY_FULL;
    }
    size_t capacity = buf->capacity < 64 ? 64 : buf->capacity;
    while (capacity < buf->size + more) {
        capacity *= 2;
    }
    uint8_t *data = realloc(buf->data, capacity);
    if (!data) {
        return QN_MEMORY_FULL;
    }
    buf->data = data;
    buf->capacity = capacity;
    return QN_OK;
}

enum qn_status buf_append(struct buf *buf, const void *data, size_t size)
{
    enum qn_status status = buf_reserve(buf, size);

    if (status == QN_OK && size > 0) {
        memcpy(buf->data + buf->size, data, size);
        buf->size += size;
    }
    return status;
}

enum qn_status buf_extend(struct buf *buf, size_t size, uint8_t **place)
{
    enum qn_status status = buf_reserve(buf, size);

    if (status == QN_OK) {
        *place = buf->data ? buf->data + buf->size : NULL; /* NULL: `size` is 0 */
        buf->size += size;
    }
    return status;
}
