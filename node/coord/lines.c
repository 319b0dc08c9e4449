/* The lines of the small files (node/coord/file.h). */
#include <inttypes.h>
#include <stdio.h>

#include "node/coord/file.h"
#include "wire/hash.h"

enum {
    SEAL_SIZE = 16, /* "crc32c 01234567\n" */
    NUMBER_MAX = 24,
};

enum qn_status lines_add(struct buf *text, const char *key, struct bytes value)
{
    size_t key_size = strlen(key);
    uint8_t *at;
    enum qn_status status = buf_extend(text, key_size + 1 + value.size + 1, &at);

    if (status != QN_OK) {
        return status;
    }
    memcpy(at, key, key_size);
    at[key_size] = ' ';
    if (value.size > 0) {
        memcpy(at + key_size + 1, value.data, value.size);
    }
    at[key_size + 1 + value.size] = '\n';
    return QN_OK;
}

enum qn_status lines_add_number(struct buf *text, const char *key, uint64_t value)
{
    char digits[NUMBER_MAX];

    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    return lines_add(text, key, bytes_of_text(digits));
}

static void seal_format(struct bytes lines, char seal[SEAL_SIZE + 1])
{
    (void)snprintf(seal, SEAL_SIZE + 1, "crc32c %08" PRIx32 "\n", crc32c(0, lines));
}

enum qn_status lines_seal(struct buf *text)
{
    char seal[SEAL_SIZE + 1];

    seal_format(buf_bytes(text), seal);
    return buf_append(text, seal, SEAL_SIZE);
}

enum qn_status lines_unseal(struct bytes text, struct bytes *lines)
{
    char seal[SEAL_SIZE + 1];

    if (text.size < SEAL_SIZE) {
        return QN_CORRUPT;
    }
    struct bytes before = bytes_of(text.data, text.size - SEAL_SIZE);
    seal_format(before, seal);
    if (memcmp(text.data + before.size, seal, SEAL_SIZE) != 0) {
        return QN_CORRUPT;
    }
    *lines = before;
    return QN_OK;
}

bool lines_take(struct bytes *lines, const char *key, struct bytes *value)
{
    size_t key_size = strlen(key);
    const uint8_t *end = lines->size > 0 ? memchr(lines->data, '\n', lines->size) : NULL;
    size_t size = end ? (size_t)(end - lines->data) : 0;

    if (size < key_size + 1 || memcmp(lines->data, key, key_size) != 0 ||
        lines->data[key_size] != ' ') {
        return false;
    }
    *value = bytes_of(lines->data + key_size + 1, size - key_size - 1);
    *lines = bytes_of(lines->data + size + 1, lines->size - size - 1);
    return true;
}

bool number_parse(struct bytes text, uint64_t *value)
{
    uint64_t number = 0;

    if (text.size == 0) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)text.data[i] - '0';
        if (digit > 9 || number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

bool lines_take_number(struct bytes *lines, const char *key, uint64_t *value)
{
    struct bytes rest = *lines, text;

    if (!lines_take(&rest, key, &text) || !number_parse(text, value)) {
        return false;
    }
    *lines = rest;
    return true;
}
