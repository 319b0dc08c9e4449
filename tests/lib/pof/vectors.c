#define _GNU_SOURCE
#include "tests/lib/pof/vectors.h"

#include <stdio.h>
#include <stdlib.h>

#include "wire/assert.h"

/* Without memory there is nothing to test. */
static void append(struct buf *out, const void *data, size_t size)
{
    enum qn_status status = buf_append(out, data, size);

    qn_assert(status == QN_OK);
}

static unsigned hex_digit(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

void hex_append(struct buf *out, const char *hex)
{
    for (size_t i = 0; hex[i] != 0 && hex[i + 1] != 0; i += 2) {
        uint8_t octet = (uint8_t)(hex_digit(hex[i]) << 4 | hex_digit(hex[i + 1]));
        append(out, &octet, 1);
    }
}

json_t *hex_of(struct bytes octets)
{
    static const char digits[] = "0123456789abcdef";
    struct buf text = {0};

    for (size_t i = 0; i < octets.size; i++) {
        char pair[2] = {digits[octets.data[i] >> 4], digits[octets.data[i] & 15]};
        append(&text, pair, 2);
    }
    json_t *string = json_stringn(text.data ? (const char *)text.data : "", text.size);
    buf_fini(&text);
    return string;
}

const char *vector_text(const json_t *node, const char *key)
{
    const char *text = json_string_value(json_object_get(node, key));

    return text ? text : "";
}

int64_t vector_int(const json_t *node, const char *key)
{
    const json_t *member = json_object_get(node, key);

    return json_is_string(member) ? strtoll(json_string_value(member), NULL, 10)
                                  : json_integer_value(member);
}

bool vector_is_value(const json_t *line)
{
    const char *kind = vector_text(line, "kind");

    return strcmp(kind, "packed_int") != 0 && strcmp(kind, "binary") != 0 &&
           strcmp(kind, "large") != 0;
}

void vector_octets(const json_t *line, struct buf *out)
{
    const json_t *rule = json_object_get(line, "hex_rule");

    if (!rule) {
        hex_append(out, vector_text(line, "hex"));
        return;
    }
    hex_append(out, vector_text(rule, "prefix"));
    for (int64_t i = 0; i < vector_int(rule, "count"); i++) {
        hex_append(out, vector_text(rule, "repeat"));
    }
    hex_append(out, vector_text(rule, "suffix"));
}

/* The UTF-16 unit of an escape \uXXXX at `at`, or 0. */
static unsigned unit_at(const char *at)
{
    unsigned unit = 0;

    if (at[0] != '\\' || at[1] != 'u') {
        return 0;
    }
    for (int i = 2; i < 6 && at[i] != 0; i++) {
        unit = unit << 4 | hex_digit(at[i]);
    }
    return unit;
}

/* Copy a line with every unpaired surrogate replaced. */
static void mark_lone_surrogates(const char *line, struct buf *out)
{
    for (const char *at = line; *at != 0;) {
        unsigned unit = unit_at(at);
        unsigned next = unit ? unit_at(at + 6) : 0;
        size_t size = 1;
        if (*at == '\\' && at[1] != 0) {
            size = unit ? 6 : 2;
        }
        if (unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) {
            size = 12;
        } else if (unit >= 0xd800 && unit <= 0xdfff) {
            unsigned code = LONE + unit;
            uint8_t utf8[4] = {(uint8_t)(0xf0 | code >> 18), (uint8_t)(0x80 | (code >> 12 & 0x3f)),
                               (uint8_t)(0x80 | (code >> 6 & 0x3f)),
                               (uint8_t)(0x80 | (code & 0x3f))};
            append(out, utf8, 4);
            at += size;
            continue;
        }
        append(out, at, size);
        at += size;
    }
}

json_t *vector_parse(const char *line)
{
    struct buf marked = {0};

    mark_lone_surrogates(line, &marked);
    json_t *parsed = json_loadb((const char *)marked.data, marked.size, JSON_ALLOW_NUL, NULL);
    buf_fini(&marked);
    if (!json_is_object(parsed)) {
        json_decref(parsed);
        return NULL;
    }
    return parsed;
}

bool vectors_each(const char *path, void (*each)(json_t *line, size_t number, void *context),
                  void *context)
{
    char *text = NULL;
    size_t capacity = 0;
    FILE *in = fopen(path, "r");

    if (!in) {
        return false;
    }
    for (size_t number = 1; getline(&text, &capacity, in) >= 0; number++) {
        if (text[strspn(text, " \t\r\n")] != 0) {
            json_t *line = vector_parse(text);
            each(line, number, context);
            json_decref(line);
        }
    }
    bool read = !ferror(in);
    free(text);
    fclose(in);
    return read;
}

static struct pof_int128 negate(struct pof_int128 value)
{
    value.low = ~value.low + 1;
    value.high = ~value.high + (value.low == 0 ? 1 : 0);
    return value;
}

struct pof_int128 int128_of(const char *decimal)
{
    uint64_t limbs[4] = {0}; /* 32 bits each, lowest first */
    const char *at = decimal[0] == '-' ? decimal + 1 : decimal;

    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t carry = (uint64_t)(*at - '0');
        for (int i = 0; i < 4; i++) {
            limbs[i] = limbs[i] * 10 + carry;
            carry = limbs[i] >> 32;
            limbs[i] &= UINT32_MAX;
        }
    }
    struct pof_int128 value = {.low = limbs[0] | limbs[1] << 32, .high = limbs[2] | limbs[3] << 32};
    return decimal[0] == '-' ? negate(value) : value;
}

json_t *int128_text(struct pof_int128 value)
{
    bool negative = value.high >> 63 != 0;
    struct pof_int128 rest = negative ? negate(value) : value;
    uint64_t limbs[4] = {rest.low & UINT32_MAX, rest.low >> 32, rest.high & UINT32_MAX,
                         rest.high >> 32};
    char text[48];
    size_t at = sizeof text - 1;

    text[at] = 0;
    do {
        uint64_t remainder = 0;
        for (int i = 3; i >= 0; i--) {
            remainder = remainder << 32 | limbs[i];
            limbs[i] = remainder / 10;
            remainder %= 10;
        }
        text[--at] = (char)('0' + remainder);
    } while ((limbs[0] | limbs[1] | limbs[2] | limbs[3]) != 0);
    if (negative) {
        text[--at] = '-';
    }
    return json_string(text + at);
}

void text_of(const json_t *string, bool mark, struct buf *out)
{
    const uint8_t *text = (const uint8_t *)json_string_value(string);
    size_t size = text ? json_string_length(string) : 0;

    for (size_t i = 0; i < size; i++) {
        /* f4 8d a0..bf: code points 10d800 to 10dfff */
        if (i + 4 <= size && text[i] == 0xf4 && text[i + 1] == 0x8d && text[i + 2] >= 0xa0) {
            append(out, "\xef\xbf\xbd", mark ? 3 : 0);
            i += 3;
        } else {
            append(out, text + i, 1);
        }
    }
}
