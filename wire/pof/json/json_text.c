#include "wire/pof/json/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/pof/text.h"

enum {
    INT128_DIGITS_MAX = 39,
    PLAIN_SCALE_MAX = 40, /* decimals with more digits behind the point get an exponent */
    REAL_SIZE_MAX = 40,
};

void pjson_put(struct pjson_out *out, const void *text, size_t size)
{
    if (out->status == QN_OK) {
        out->status = buf_append(out->buf, text, size);
    }
}

void pjson_put_text(struct pjson_out *out, const char *text)
{
    pjson_put(out, text, strlen(text));
}

void pjson_put_loss(struct pjson_out *out)
{
    if (out->status == QN_OK && !out->lossy) {
        out->status = QN_UNSUPPORTED;
    }
}

/* The letter behind the backslash for a character that has one, else 0. */
static char short_escape(uint8_t octet)
{
    switch (octet) {
    case '"':
    case '\\':
        return (char)octet;
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    default:
        return 0;
    }
}

static void put_escape(struct pjson_out *out, uint8_t octet)
{
    char text[8];
    char letter = short_escape(octet);

    if (letter) {
        snprintf(text, sizeof text, "\\%c", letter);
    } else {
        snprintf(text, sizeof text, "\\u%04x", octet);
    }
    pjson_put_text(out, text);
}

/* Well-formed UTF-8. DEL is no control character in JSON, but one on terminals. */
static void put_standard(struct pjson_out *out, struct bytes text)
{
    size_t begin = 0;

    for (size_t at = 0; at < text.size; at++) {
        uint8_t octet = text.data[at];
        if (octet < 0x20 || octet == '"' || octet == '\\' || octet == 0x7f) {
            pjson_put(out, text.data + begin, at - begin);
            put_escape(out, octet);
            begin = at + 1;
        }
    }
    if (begin < text.size) {
        pjson_put(out, text.data + begin, text.size - begin);
    }
}

/* How often does U+FFFD stand there? */
static size_t count_replacements(struct bytes text)
{
    size_t count = 0;

    for (size_t at = 0; at + 3 <= text.size; at++) {
        count += memcmp(text.data + at, "\xef\xbf\xbd", 3) == 0 ? 1 : 0;
    }
    return count;
}

void pjson_put_escaped(struct pjson_out *out, struct bytes text)
{
    struct buf standard = {0};

    if (pof_text_check(text) == POF_TEXT_STANDARD) {
        put_standard(out, text);
        return;
    }
    enum qn_status status = pof_text_append(&standard, text);
    if (status != QN_OK && out->status == QN_OK) {
        out->status = status;
    }
    if (count_replacements(buf_bytes(&standard)) != count_replacements(text)) {
        pjson_put_loss(out);
    }
    put_standard(out, buf_bytes(&standard));
    buf_fini(&standard);
}

void pjson_put_string(struct pjson_out *out, struct bytes text)
{
    pjson_put(out, "\"", 1);
    pjson_put_escaped(out, text);
    pjson_put(out, "\"", 1);
}

void pjson_put_integer(struct pjson_out *out, int64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, number);
    pjson_put_text(out, text);
}

/* Divide a magnitude of 128 bits by ten; returns the remainder. */
static unsigned divide_by_ten(struct pof_int128 *magnitude)
{
    uint64_t limbs[4] = {magnitude->high >> 32, magnitude->high & UINT32_MAX, magnitude->low >> 32,
                         magnitude->low & UINT32_MAX};
    uint64_t rest = 0;

    for (int i = 0; i < 4; i++) {
        uint64_t limb = rest << 32 | limbs[i];
        limbs[i] = limb / 10;
        rest = limb % 10;
    }
    *magnitude =
        (struct pof_int128){.low = limbs[2] << 32 | limbs[3], .high = limbs[0] << 32 | limbs[1]};
    return (unsigned)rest;
}

/* The digits of the magnitude at the end of `text`; returns where they begin. */
static const char *digits_of(struct pof_int128 number, char text[INT128_DIGITS_MAX + 1])
{
    struct pof_int128 magnitude = number;
    char *at = text + INT128_DIGITS_MAX;

    if (number.high >> 63 != 0) {
        magnitude.low = ~number.low + 1;
        magnitude.high = ~number.high + (magnitude.low == 0 ? 1 : 0);
    }
    *at = 0;
    do {
        *--at = (char)('0' + divide_by_ten(&magnitude));
    } while ((magnitude.low | magnitude.high) != 0);
    return at;
}

void pjson_put_int128(struct pjson_out *out, struct pof_int128 number)
{
    char text[INT128_DIGITS_MAX + 1];

    if (number.high >> 63 != 0) {
        pjson_put(out, "-", 1);
    }
    pjson_put_text(out, digits_of(number, text));
}

void pjson_put_decimal(struct pjson_out *out, const struct pof_decimal *decimal)
{
    static const char zeros[] = "0000000000000000000000000000000000000000";
    char text[INT128_DIGITS_MAX + 1];
    const char *digits = digits_of(decimal->unscaled, text);
    int length = (int)strlen(digits);
    int scale = decimal->scale;
    char exponent[16] = "";

    if (decimal->unscaled.high >> 63 != 0) {
        pjson_put(out, "-", 1);
    }
    if (scale < 0 || scale > PLAIN_SCALE_MAX) {
        snprintf(exponent, sizeof exponent, "E%+lld", -(long long)scale);
        scale = 0;
    }
    int whole = length > scale ? length - scale : 0;
    pjson_put(out, whole > 0 ? digits : "0", whole > 0 ? (size_t)whole : 1);
    if (scale > 0) {
        pjson_put(out, ".", 1);
        pjson_put(out, zeros, (size_t)(scale - (length - whole)));
        pjson_put_text(out, digits + whole);
    }
    pjson_put_text(out, exponent);
}

/* What is no number in JSON. False: it is one. */
static bool put_special(struct pjson_out *out, double number)
{
    if (isfinite(number)) {
        return false;
    }
    pjson_put_text(out, isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    return true;
}

/* A number as printf wrote it, with a point whatever the locale, and with one in any case. */
static void put_real(struct pjson_out *out, char *text)
{
    size_t size = strlen(text);

    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == ',' ? '.' : text[i];
    }
    pjson_put(out, text, size);
    if (strcspn(text, ".en") == size) {
        pjson_put(out, ".0", 2);
    }
}

void pjson_put_float64(struct pjson_out *out, double number)
{
    char text[REAL_SIZE_MAX];

    if (put_special(out, number)) {
        return;
    }
    /* With 15 digits all but the smallest numbers are as short as they can be: zeros are left out.
     */
    for (int digits = fpclassify(number) == FP_SUBNORMAL ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        double back = strtod(text, NULL);
        if (memcmp(&back, &number, sizeof back) == 0) {
            break;
        }
    }
    put_real(out, text);
}

void pjson_put_float32(struct pjson_out *out, float number)
{
    char text[REAL_SIZE_MAX];

    if (put_special(out, (double)number)) {
        return;
    }
    for (int digits = fpclassify(number) == FP_SUBNORMAL ? 1 : 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        float back = strtof(text, NULL);
        if (memcmp(&back, &number, sizeof back) == 0) {
            break;
        }
    }
    put_real(out, text);
}

void pjson_put_base64(struct pjson_out *out, struct bytes octets)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pjson_put(out, "\"", 1);
    for (size_t at = 0; at < octets.size; at += 3) {
        size_t count = octets.size - at < 3 ? octets.size - at : 3;
        uint32_t bits = (uint32_t)octets.data[at] << 16;
        bits |= count > 1 ? (uint32_t)octets.data[at + 1] << 8 : 0;
        bits |= count > 2 ? octets.data[at + 2] : 0;
        char four[4] = {letters[bits >> 18], letters[bits >> 12 & 63],
                        count > 1 ? letters[bits >> 6 & 63] : '=',
                        count > 2 ? letters[bits & 63] : '='};
        pjson_put(out, four, sizeof four);
    }
    pjson_put(out, "\"", 1);
}

void pjson_put_hex(struct pjson_out *out, struct bytes octets)
{
    static const char digits[] = "0123456789abcdef";

    pjson_put(out, "\"", 1);
    for (size_t i = 0; i < octets.size; i++) {
        char pair[2] = {digits[octets.data[i] >> 4], digits[octets.data[i] & 15]};
        pjson_put(out, pair, sizeof pair);
    }
    pjson_put(out, "\"", 1);
}
