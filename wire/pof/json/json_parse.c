#include "wire/pof/json/json_parse.h"

#include <math.h>
#include <stdlib.h>

enum { REAL_SIZE_MAX = 400, EXPONENT_MAX = 100000 };

static bool is_digit(uint8_t octet)
{
    return octet >= '0' && octet <= '9';
}

/* number = number * 10 + digit; false: above 2^127 - 1. */
static bool push_digit(struct pof_int128 *number, unsigned digit)
{
    uint64_t limbs[4] = {number->low & UINT32_MAX, number->low >> 32, number->high & UINT32_MAX,
                         number->high >> 32};
    uint64_t carry = digit;

    for (int i = 0; i < 4; i++) {
        limbs[i] = limbs[i] * 10 + carry;
        carry = limbs[i] >> 32;
        limbs[i] &= UINT32_MAX;
    }
    *number =
        (struct pof_int128){.low = limbs[0] | limbs[1] << 32, .high = limbs[2] | limbs[3] << 32};
    return carry == 0 && limbs[3] >> 31 == 0;
}

static struct pof_int128 negate(struct pof_int128 number)
{
    number.low = ~number.low + 1;
    number.high = ~number.high + (number.low == 0 ? 1 : 0);
    return number;
}

/* A negative number is taken as the magnitude less one, so that the least one fits. */
static bool parse_digits(struct bytes text, size_t begin, struct pof_int128 *number)
{
    *number = (struct pof_int128){0};
    for (size_t i = begin; i < text.size; i++) {
        if (!is_digit(text.data[i]) || !push_digit(number, (unsigned)(text.data[i] - '0'))) {
            return false;
        }
    }
    return begin < text.size;
}

bool pjson_parse_int128(struct bytes text, struct pof_int128 *number)
{
    static const char least[] = "-170141183460469231731687303715884105728";
    bool negative = text.size > 0 && text.data[0] == '-';

    if (bytes_equal(text, bytes_of_text(least))) {
        *number = (struct pof_int128){.low = 0, .high = (uint64_t)1 << 63};
        return true;
    }
    if (!parse_digits(text, negative ? 1 : 0, number)) {
        return false;
    }
    *number = negative ? negate(*number) : *number;
    return true;
}

/* The exponent of a number, 0 when there is none; `*end` is where the digits before it end. */
static bool parse_exponent(struct bytes text, size_t *end, int32_t *exponent)
{
    size_t at = 0;
    int32_t value = 0;

    while (at < text.size && text.data[at] != 'e' && text.data[at] != 'E') {
        at++;
    }
    *end = at++;
    bool negative = at < text.size && text.data[at] == '-';
    at += at < text.size && (text.data[at] == '-' || text.data[at] == '+') ? 1 : 0;
    for (; at < text.size; at++) {
        if (!is_digit(text.data[at])) {
            return false;
        }
        value = value > EXPONENT_MAX ? value : value * 10 + (text.data[at] - '0');
    }
    *exponent = negative ? -value : value;
    return true;
}

bool pjson_parse_decimal(struct bytes text, struct pof_decimal *decimal)
{
    bool negative = text.size > 0 && text.data[0] == '-';
    struct pof_int128 unscaled = {0};
    bool point = false;
    bool digit = false;
    int32_t behind = 0;
    int32_t exponent;
    size_t end;

    if (!parse_exponent(text, &end, &exponent)) {
        return false;
    }
    for (size_t i = negative ? 1 : 0; i < end; i++) {
        if (text.data[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(text.data[i]) || !push_digit(&unscaled, (unsigned)(text.data[i] - '0'))) {
            return false;
        }
        digit = true;
        behind += point ? 1 : 0;
    }
    *decimal = (struct pof_decimal){.unscaled = negative ? negate(unscaled) : unscaled,
                                    .scale = behind - exponent};
    return digit;
}

bool pjson_parse_float64(struct bytes text, double *number)
{
    char copy[REAL_SIZE_MAX];
    char *end;

    if (bytes_equal(text, bytes_of_text("NaN"))) {
        *number = (double)NAN;
        return true;
    }
    if (text.size == 0 || text.size >= sizeof copy || text.data[text.size - 1] == 'n') {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    if (strcmp(copy, "Infinity") == 0 || strcmp(copy, "-Infinity") == 0) {
        *number = copy[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    *number = strtod(copy, &end);
    if (*end == '.') { /* a locale with another sign for the point */
        *end = ',';
        *number = strtod(copy, &end);
    }
    return *end == 0 && isfinite(*number);
}

static int base64_value(uint8_t letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter != 0 ? strchr(letters, letter) : NULL;

    return at ? (int)(at - letters) : -1;
}

bool pjson_parse_base64(struct bytes text, struct buf *octets, enum qn_status *status)
{
    *status = QN_OK;
    if (text.size % 4 != 0) {
        return false;
    }
    for (size_t at = 0; at < text.size; at += 4) {
        bool last = at + 4 == text.size;
        size_t pads = last && text.data[at + 3] == '=' ? (text.data[at + 2] == '=' ? 2 : 1) : 0;
        uint32_t bits = 0;
        for (size_t i = 0; i < 4; i++) {
            int value = i >= 4 - pads ? 0 : base64_value(text.data[at + i]);
            if (value < 0) {
                return false;
            }
            bits = bits << 6 | (uint32_t)value;
        }
        uint8_t three[3] = {(uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
        *status = buf_append(octets, three, 3 - pads);
        if (*status != QN_OK) {
            return false;
        }
    }
    return true;
}

bool pjson_parse_hex(struct bytes text, uint8_t *octets, size_t size)
{
    if (text.size != 2 * size) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        uint8_t lower = (uint8_t)(c | 0x20);
        if (!is_digit(c) && (lower < 'a' || lower > 'f')) {
            return false;
        }
        uint8_t value = (uint8_t)(is_digit(c) ? c - '0' : lower - 'a' + 10);
        octets[i / 2] = (uint8_t)(i % 2 == 0 ? value << 4 : octets[i / 2] | value);
    }
    return true;
}
