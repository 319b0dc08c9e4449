/* Borrowed and owned octets, and little-endian numbers in them.
 *
 * `struct bytes` is borrowed for the call; `struct buf` is owned and grows. Neither is shared
 * between threads. */
#ifndef QUOIN_WIRE_BYTES_H
#define QUOIN_WIRE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wire/status.h"

#if defined(__GNUC__)
#define QN_MUST_USE __attribute__((warn_unused_result))
#else
#define QN_MUST_USE
#endif

/* Around what programs outside of the project see of a header: C names, exported by libquoin. */
#if defined(__cplusplus)
#define QN_PUBLIC_C_BEGIN extern "C" {
#define QN_PUBLIC_C_END   }
#else
#define QN_PUBLIC_C_BEGIN
#define QN_PUBLIC_C_END
#endif
#if defined(__GNUC__)
#define QN_PUBLIC_BEGIN QN_PUBLIC_C_BEGIN _Pragma("GCC visibility push(default)")
#define QN_PUBLIC_END   _Pragma("GCC visibility pop") QN_PUBLIC_C_END
#else
#define QN_PUBLIC_BEGIN QN_PUBLIC_C_BEGIN
#define QN_PUBLIC_END   QN_PUBLIC_C_END
#endif

/* Short names for us, names of our own for the linker: a program may have a `buf_append`, too. */
#define bytes_equal qn_bytes_equal
#define buf_fini    qn_buf_fini
#define buf_reserve qn_buf_reserve
#define buf_append  qn_buf_append
#define buf_extend  qn_buf_extend

QN_PUBLIC_BEGIN

struct bytes {
    const uint8_t *data; /* may be NULL when size is 0 */
    size_t size;
};

/* Owned octets. All zero is a valid empty buffer. */
struct buf {
    uint8_t *data;
    size_t size;
    size_t capacity;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
    struct bytes bytes = {(const uint8_t *)data, size}; /* so that C++ takes it, too */

    return bytes;
}

/* The characters of a C string without its NUL. */
static inline struct bytes bytes_of_text(const char *text)
{
    return bytes_of(text, strlen(text));
}

bool bytes_equal(struct bytes a, struct bytes b);

static inline struct bytes buf_bytes(const struct buf *buf)
{
    return bytes_of(buf->data, buf->size);
}

/* Give the memory back and make `buf` empty. */
void buf_fini(struct buf *buf);

/* Empty it, keep the memory. */
static inline void buf_clear(struct buf *buf)
{
    buf->size = 0;
}

/* Make room for `more` octets beyond `size`. QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status buf_reserve(struct buf *buf, size_t more);

/* Append. QN_MEMORY_FULL: nothing changed. `data` must not point into `buf`. */
QN_MUST_USE enum qn_status buf_append(struct buf *buf, const void *data, size_t size);

/* Append `size` octets whose values the caller fills in through `*place` (valid until the next
 * change of `buf`). QN_MEMORY_FULL: nothing changed. */
QN_MUST_USE enum qn_status buf_extend(struct buf *buf, size_t size, uint8_t **place);

static inline void put_u16(uint8_t *at, uint16_t v)
{
    at[0] = (uint8_t)v;
    at[1] = (uint8_t)(v >> 8);
}

static inline void put_u32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(v >> (8 * i));
    }
}

static inline void put_u64(uint8_t *at, uint64_t v)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(v >> (8 * i));
    }
}

static inline uint16_t get_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get_u64(const uint8_t *at)
{
    return (uint64_t)get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

QN_PUBLIC_END

#endif
