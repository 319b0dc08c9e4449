#include "client/cli/json_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/cli/text.h"
#include "wire/pof/text.h"

/* 2^128 has 39 digits; one sign, one NUL. */
enum { INT128_TEXT_MAX = 48, DECIMAL_ZEROS_MAX = 40 };

enum { REAL_TEXT_MAX = 40, REAL_DIGITS_MIN = 15, REAL_DIGITS_MAX = 17 };

static json_t *json_of(struct buf *text, bool made)
{
    json_t *json = made ? json_stringn((const char *)text->data, text->size) : NULL;
    buf_fini(text);
    return json;
}

json_t *json_value_octets(struct bytes octets)
{
    struct buf text = {.size = 0};
    bool made = text_hex(octets, &text) == QN_OK;
    return json_of(&text, made);
}

json_t *json_value_text(struct bytes text)
{
    enum pof_text_form form = pof_text_check(text);
    if (form == POF_TEXT_STANDARD) {
        return json_stringn(text.size > 0 ? (const char *)text.data : "", text.size);
    }
    if (form == POF_TEXT_BROKEN) {
        return json_value_octets(text);
    }
    struct buf copy = {.size = 0};
    bool made = pof_text_append(&copy, text) == QN_OK;
    return json_of(&copy, made);
}

json_t *json_value_char(uint16_t unit)
{
    uint8_t octets[3];
    return json_value_text(bytes_of(octets, pof_text_put_unit(octets, unit)));
}

json_t *json_value_real(double real)
{
    if (isnan(real)) {
        return json_string("NaN");
    }
    if (isinf(real)) {
        return json_string(real > 0 ? "Infinity" : "-Infinity");
    }
    return json_real(real);
}

json_t *json_value_float32(float real)
{
    double shortest = (double)real;
    for (int digits = 6; digits <= 9 && isfinite(real); digits++) {
        char text[REAL_TEXT_MAX];
        snprintf(text, sizeof text, "%.*g", digits, (double)real);
        shortest = strtod(text, NULL);
        if (memcmp(&(float){(float)shortest}, &real, sizeof real) == 0) {
            break;
        }
    }
    return json_value_real(shortest);
}

static size_t real_digits(double real)
{
    int digits = REAL_DIGITS_MIN;
    for (; digits < REAL_DIGITS_MAX; digits++) {
        char text[REAL_TEXT_MAX];
        snprintf(text, sizeof text, "%.*g", digits, real);
        double read = strtod(text, NULL);
        if (memcmp(&read, &real, sizeof real) == 0) {
            break;
        }
    }
    return (size_t)digits;
}

size_t json_value_digits(json_t *json)
{
    if (json_is_real(json)) {
        return real_digits(json_real_value(json));
    }
    size_t most = REAL_DIGITS_MIN;
    for (size_t i = 0; i < json_array_size(json); i++) {
        size_t digits = json_value_digits(json_array_get(json, i));
        most = digits > most ? digits : most;
    }
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach(json, name, member)
    {
        size_t digits = json_value_digits(member);
        most = digits > most ? digits : most;
    }
    return most;
}

/* Divide the magnitude by ten; returns the remainder. */
static unsigned divide_by_ten(uint64_t *high, uint64_t *low)
{
    uint64_t parts[4] = {*high >> 32, *high & 0xffffffffU, *low >> 32, *low & 0xffffffffU};
    uint64_t rest = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t part = rest << 32 | parts[i];
        parts[i] = part / 10;
        rest = part % 10;
    }
    *high = parts[0] << 32 | parts[1];
    *low = parts[2] << 32 | parts[3];
    return (unsigned)rest;
}

/* The digits of the magnitude; returns where they begin in `text`. */
static const char *int128_digits(struct pof_int128 number, char text[INT128_TEXT_MAX],
                                 bool *negative)
{
    uint64_t high = number.high;
    uint64_t low = number.low;
    *negative = high >> 63 != 0;
    if (*negative) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    char *at = text + INT128_TEXT_MAX - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + divide_by_ten(&high, &low));
    } while (high != 0 || low != 0);
    return at;
}

json_t *json_value_int128(struct pof_int128 number)
{
    uint64_t extended = number.low >> 63 != 0 ? UINT64_MAX : 0;
    if (number.high == extended) {
        return json_integer((json_int_t)number.low);
    }
    char text[INT128_TEXT_MAX];
    bool negative = false;
    const char *digits = int128_digits(number, text, &negative);
    return json_sprintf("%s%s", negative ? "-" : "", digits);
}

json_t *json_value_decimal(struct pof_decimal decimal)
{
    char text[INT128_TEXT_MAX];
    bool negative = false;
    const char *digits = int128_digits(decimal.unscaled, text, &negative);
    const char *sign = negative ? "-" : "";
    int length = (int)strlen(digits);
    if (decimal.scale == 0) {
        return json_sprintf("%s%s", sign, digits);
    }
    if (decimal.scale < 0 || decimal.scale > DECIMAL_ZEROS_MAX) {
        return json_sprintf("%s%sE%lld", sign, digits, -(long long)decimal.scale);
    }
    if (length > decimal.scale) {
        return json_sprintf("%s%.*s.%s", sign, length - decimal.scale, digits,
                            digits + length - decimal.scale);
    }
    static const char zeros[] = "0000000000000000000000000000000000000000";
    return json_sprintf("%s0.%.*s%s", sign, decimal.scale - length, zeros, digits);
}
