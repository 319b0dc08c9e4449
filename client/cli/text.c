#define _GNU_SOURCE
#include "client/cli/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/assert.h"

const char *text_grouped(uint64_t number, char *text)
{
    char digits[TEXT_NUMBER_MAX];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    qn_assert(length > 0);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *text_size(uint64_t octets, char *text)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (octets < 1024) {
        snprintf(text, TEXT_NUMBER_MAX, "%" PRIu64 " B", octets);
        return text;
    }
    double amount = (double)octets / 1024;
    size_t unit = 0;
    while (amount >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        amount /= 1024;
        unit++;
    }
    snprintf(text, TEXT_NUMBER_MAX, "%.1f %s", amount, units[unit]);
    return text;
}

const char *text_nanos(uint64_t nanos, char *text)
{
    double n = (double)nanos;
    if (nanos < 1000) {
        snprintf(text, TEXT_NUMBER_MAX, "%" PRIu64 " ns", nanos);
    } else if (nanos < 1000000) {
        snprintf(text, TEXT_NUMBER_MAX, "%.1f us", n / 1e3);
    } else if (nanos < 1000000000) {
        snprintf(text, TEXT_NUMBER_MAX, "%.2f ms", n / 1e6);
    } else {
        snprintf(text, TEXT_NUMBER_MAX, "%.2f s", n / 1e9);
    }
    return text;
}

const char *text_uptime(uint64_t ms, char *text)
{
    uint64_t s = ms / 1000;
    if (s < 60) {
        snprintf(text, TEXT_NUMBER_MAX, "%" PRIu64 " s", s);
    } else if (s < 3600) {
        snprintf(text, TEXT_NUMBER_MAX, "%" PRIu64 " m %" PRIu64 " s", s / 60, s % 60);
    } else if (s < 86400) {
        snprintf(text, TEXT_NUMBER_MAX, "%" PRIu64 " h %" PRIu64 " m", s / 3600, s / 60 % 60);
    } else {
        snprintf(text, TEXT_NUMBER_MAX, "%" PRIu64 " d %" PRIu64 " h", s / 86400, s / 3600 % 24);
    }
    return text;
}

bool text_to_int(struct bytes text, int64_t *number)
{
    bool negative = text.size > 0 && text.data[0] == '-';
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t magnitude = 0;
    if (text.size <= (size_t)negative) {
        return false;
    }
    for (size_t i = negative; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (magnitude > (limit - digit) / 10) {
            return false;
        }
        magnitude = magnitude * 10 + digit;
    }
    *number =
        negative ? -(int64_t)(magnitude - (magnitude > 0)) - (magnitude > 0) : (int64_t)magnitude;
    return true;
}

enum qn_status text_append(struct buf *out, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return QN_MEMORY_FULL;
    }
    enum qn_status status = buf_append(out, text, (size_t)length);
    free(text);
    return status;
}

enum qn_status text_hex(struct bytes octets, struct buf *out)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *to = NULL;
    enum qn_status status = buf_extend(out, 2 + 2 * octets.size, &to);
    if (status != QN_OK) {
        return status;
    }
    *to++ = '0';
    *to++ = 'x';
    for (size_t i = 0; i < octets.size; i++) {
        *to++ = (uint8_t)digits[octets.data[i] >> 4];
        *to++ = (uint8_t)digits[octets.data[i] & 15];
    }
    return QN_OK;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum qn_status text_unhex(struct bytes text, struct buf *out)
{
    size_t before = out->size;
    if (text.size < 2 || text.size % 2 != 0 || text.data[0] != '0' || text.data[1] != 'x') {
        return QN_MALFORMED;
    }
    for (size_t i = 2; i < text.size; i += 2) {
        int high = hex_digit(text.data[i]);
        int low = hex_digit(text.data[i + 1]);
        if (high < 0 || low < 0) {
            out->size = before;
            return QN_MALFORMED;
        }
        uint8_t octet = (uint8_t)(high * 16 + low);
        if (buf_append(out, &octet, 1) != QN_OK) {
            out->size = before;
            return QN_MEMORY_FULL;
        }
    }
    return QN_OK;
}

static int base64_digit(uint8_t c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != 0 ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* One group of four digits; `pad` of them are '='. */
static enum qn_status base64_group(const uint8_t *four, size_t pad, struct buf *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = i < 4 - pad ? base64_digit(four[i]) : 0;
        if (digit < 0) {
            return QN_MALFORMED;
        }
        bits = bits << 6 | (uint32_t)digit;
    }
    const uint8_t octets[3] = {(uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
    for (size_t i = 3 - pad; i < 3; i++) {
        if (octets[i] != 0) {
            return QN_MALFORMED; /* more digits than octets */
        }
    }
    return buf_append(out, octets, 3 - pad);
}

/* RFC 4648, section 4, padded. */
static enum qn_status text_unbase64(struct bytes text, struct buf *out)
{
    size_t before = out->size;
    enum qn_status status = text.size % 4 == 0 ? QN_OK : QN_MALFORMED;
    for (size_t i = 0; i < text.size && status == QN_OK; i += 4) {
        const uint8_t *four = text.data + i;
        size_t pad = i + 4 == text.size ? (size_t)(four[3] == '=') + (four[2] == '=') : 0;
        status = four[2] == '=' && four[3] != '=' ? QN_MALFORMED : base64_group(four, pad, out);
    }
    if (status != QN_OK) {
        out->size = before;
    }
    return status;
}

enum qn_status text_to_octets(struct bytes text, struct buf *out)
{
    static const char mark[] = "b64:";
    size_t length = sizeof mark - 1;
    if (text.size >= length && memcmp(text.data, mark, length) == 0) {
        return text_unbase64(bytes_of(text.data + length, text.size - length), out);
    }
    return text_unhex(text, out);
}

/* Take `name=...` out of the query that begins at `query`. */
static void uri_drop(char *query, const char *name)
{
    size_t length = strlen(name);
    char *at = query;
    while (*at != '\0') {
        char *end = strchrnul(at, '&');
        bool found = strncmp(at, name, length) == 0 && at[length] == '=';
        if (!found) {
            at = *end == '&' ? end + 1 : end;
        } else if (*end == '&') {
            memmove(at, end + 1, strlen(end + 1) + 1);
        } else {
            *at = '\0';
        }
    }
}

char *text_uri_with(const char *uri, const char *name, const char *value)
{
    char *copy = strdup(uri);
    if (copy == NULL) {
        return NULL;
    }
    char *query = strchr(copy, '?');
    if (query != NULL) {
        uri_drop(query + 1, name);
    }
    size_t length = strlen(copy);
    const char *join = "&";
    if (query == NULL) {
        const char *host = strstr(copy, "://");
        bool path = host != NULL && strchr(host + 3, '/') != NULL;
        join = path ? "?" : "/?";
    } else if (copy[length - 1] == '?' || copy[length - 1] == '&') {
        join = "";
    }
    char *result = NULL;
    if (asprintf(&result, "%s%s%s=%s", copy, join, name, value) < 0) {
        result = NULL;
    }
    free(copy);
    return result;
}
