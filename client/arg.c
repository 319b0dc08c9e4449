#include <inttypes.h>
#include <stdio.h>

#include "client/call.h"
#include "wire/compress.h"
#include "wire/pof/binary.h"

/* ---- making arguments ---- */

qn_arg qn_text(const char *text, size_t size)
{
    return (qn_arg){.kind = QN_ARG_STRING, .data = text, .size = size};
}

qn_arg qn_str(const char *text)
{
    return qn_text(text, text ? strlen(text) : 1); /* NULL of size 1 is refused later */
}

qn_arg qn_int(int64_t number)
{
    return (qn_arg){.kind = QN_ARG_INT, .number = number};
}

qn_arg qn_bytes(const void *data, size_t size)
{
    return (qn_arg){.kind = QN_ARG_BYTES, .data = data, .size = size};
}

qn_arg qn_binary(const void *data, size_t size)
{
    return (qn_arg){.kind = QN_ARG_BINARY, .data = data, .size = size};
}

/* ---- encoding them ---- */

static enum qn_status binary_check(struct bytes binary)
{
    return binary.size >= 2 && binary.data[0] == POF_BINARY_FORMAT ? QN_OK : QN_INVALID;
}

static enum qn_status encode(struct arg *arg, qn_arg given)
{
    struct bytes content = bytes_of(given.data, given.size);

    switch (given.kind) {
    case QN_ARG_STRING:
        return pof_binary_string(&arg->memory, content);
    case QN_ARG_INT:
        return pof_binary_int64(&arg->memory, given.number);
    case QN_ARG_BYTES:
        return pof_binary_octets(&arg->memory, content);
    case QN_ARG_BINARY:
        arg->binary = content;
        return binary_check(content);
    }
    return QN_INVALID;
}

static enum qn_status encode_failed(enum qn_status status, qn_arg given, const char *verb,
                                    const char *role, qn_error *err)
{
    switch ((int)status) {
    case QN_MALFORMED:
        return qn_error_set(err, QN_INVALID, "%s: the %s is not UTF-8; give octets with qn_bytes()",
                            verb, role);
    case QN_INVALID:
        return qn_error_set(err, QN_INVALID,
                            given.kind == QN_ARG_BINARY
                                ? "%s: the %s is not a Binary: octet 0x15, then a POF value"
                                : "%s: the %s is not one that qn_str(), qn_int() ... made",
                            verb, role);
    default:
        return qn_error_set(err, status, "%s: the %s: %s", verb, role, qn_status_text(status));
    }
}

enum qn_status arg_encode(struct arg *arg, qn_arg given, size_t size_max, const char *verb,
                          const char *role, qn_error *err)
{
    enum qn_status status = QN_INVALID;

    *arg = (struct arg){0};
    if (given.size > size_max) {
        return qn_error_set(err, QN_TOO_LARGE, "%s: the %s has %zu octets, the limit is %zu", verb,
                            role, given.size, size_max);
    }
    if (given.data || given.size == 0) {
        status = encode(arg, given);
    }
    if (status != QN_OK) {
        return encode_failed(status, given, verb, role, err);
    }
    if (given.kind != QN_ARG_BINARY) {
        arg->binary = buf_bytes(&arg->memory);
    }
    if (arg->binary.size > size_max) {
        return qn_error_set(err, QN_TOO_LARGE, "%s: the %s has %zu octets, the limit is %zu", verb,
                            role, arg->binary.size, size_max);
    }
    return QN_OK;
}

enum qn_status arg_own(struct arg *arg)
{
    if (!arg->memory.data && arg->binary.size > 0) {
        enum qn_status status = buf_append(&arg->memory, arg->binary.data, arg->binary.size);
        arg->binary = buf_bytes(&arg->memory);
        return status;
    }
    return QN_OK;
}

void arg_compress(struct arg *arg, qn_client *client)
{
    struct buf packed = {0};
    int64_t size_min = setting_number(&client->settings, PROPERTY_COMPRESS_MIN);

    if (size_min == 0 || arg->binary.size < (size_t)size_min ||
        compress(arg->binary, &packed) != QN_OK) {
        buf_fini(&packed);
        return; /* it does not pay, or there is no memory for it: plain will do */
    }
    atomic_fetch_add_explicit(&client->counters.compressed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&client->counters.compressed_saved, arg->binary.size - packed.size,
                              memory_order_relaxed);
    buf_fini(&arg->memory);
    arg->memory = packed;
    arg->binary = buf_bytes(&packed);
    arg->flags |= VALUE_COMPRESSED;
}

void arg_fini(struct arg *arg)
{
    buf_fini(&arg->memory);
}

/* ---- keys in error texts ---- */

enum { KEY_TEXT_SHOWN = 40, KEY_OCTETS_SHOWN = 16 };

static void text_describe(struct bytes text, char *out, size_t size)
{
    bool is_cut = text.size > KEY_TEXT_SHOWN;
    int shown = is_cut ? KEY_TEXT_SHOWN : (int)text.size;

    (void)snprintf(out, size, "\"%.*s%s\"", shown, (const char *)text.data, is_cut ? "..." : "");
    for (char *c = out; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?'; /* one line, whatever the key holds */
        }
    }
}

void key_describe(struct bytes binary, char *out, size_t size)
{
    struct bytes text;
    int64_t number;

    if (pof_binary_as_string(binary, &text) == QN_OK) {
        text_describe(text, out, size);
    } else if (pof_binary_as_int64(binary, &number) == QN_OK) {
        (void)snprintf(out, size, "%" PRId64, number);
    } else {
        int used = snprintf(out, size, "0x");
        for (size_t i = 0; i < binary.size && i < KEY_OCTETS_SHOWN && (size_t)used + 3 < size;
             i++) {
            used += snprintf(out + used, size - (size_t)used, "%02x", binary.data[i]);
        }
    }
}
