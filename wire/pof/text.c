#include "wire/pof/text.h"

#include "wire/assert.h"

enum { REPLACEMENT = 0xfffd };

/* One sequence of octets, read as leniently as this format asks for. */
struct symbol {
    uint32_t code; /* a surrogate when it stands alone in its three octets */
    size_t size;
    bool over_long;
};

static bool is_surrogate(uint32_t code)
{
    return code >= 0xd800 && code <= 0xdfff;
}

/* How many octets the sequence has that begins with `lead`; 0 when none does. */
static size_t size_by_lead(uint8_t lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xc0) {
        return 0;
    }
    if (lead < 0xe0) {
        return 2;
    }
    return lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

/* The symbol at the front of `in`; false when there is none. */
static bool symbol_at(struct bytes in, struct symbol *symbol)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    static const uint8_t lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};

    if (in.size == 0) {
        return false;
    }
    size_t size = size_by_lead(in.data[0]);
    if (size == 0 || size > in.size) {
        return false;
    }
    uint32_t code = in.data[0] & lead_mask[size];
    for (size_t i = 1; i < size; i++) {
        if ((in.data[i] & 0xc0) != 0x80) {
            return false;
        }
        code = code << 6 | (in.data[i] & 0x3f);
    }
    *symbol = (struct symbol){.code = code, .size = size, .over_long = code < least[size]};
    /* Other readers make garbage of four octets outside their range, so it is nobody's text. */
    return code <= 0x10ffff && !(size == 4 && symbol->over_long);
}

static const uint64_t HIGH_BITS = 0x8080808080808080u;

static uint64_t eight_at(const uint8_t *at)
{
    uint64_t eight;

    memcpy(&eight, at, sizeof eight);
    return eight;
}

/* Fewer than eight octets as a number, in any order. */
static uint64_t few_at(const uint8_t *at, size_t size)
{
    uint32_t first = 0;
    uint32_t last = 0;

    if (size >= 4) {
        memcpy(&first, at, sizeof first);
        memcpy(&last, at + size - 4, sizeof last);
        return first | last;
    }
    for (size_t i = 0; i < size; i++) {
        first |= at[i];
    }
    return first;
}

bool pof_text_is_ascii(struct bytes text)
{
    const uint8_t *at = text.data;
    size_t left = text.size;
    uint64_t all = 0;

    if (left < 8) {
        return ((at ? few_at(at, left) : 0) & HIGH_BITS) == 0;
    }
    for (; left >= 32; left -= 32, at += 32) {
        all |= eight_at(at) | eight_at(at + 8) | eight_at(at + 16) | eight_at(at + 24);
    }
    for (; left >= 8; left -= 8, at += 8) {
        all |= eight_at(at);
    }
    if (left > 0) {
        all |= eight_at(at + left - 8); /* some of them twice */
    }
    return (all & HIGH_BITS) == 0;
}

/* The octets of ASCII at the front, in steps of eight. */
static size_t ascii_prefix(struct bytes text)
{
    size_t at = 0;

    while (text.size - at >= 8 && (eight_at(text.data + at) & HIGH_BITS) == 0) {
        at += 8;
    }
    return at;
}

enum pof_text_form pof_text_check(struct bytes text)
{
    enum pof_text_form form = POF_TEXT_STANDARD;
    struct symbol symbol;

    if (pof_text_is_ascii(text)) {
        return form;
    }
    for (size_t at = ascii_prefix(text); at < text.size; at += symbol.size) {
        if (!symbol_at(bytes_of(text.data + at, text.size - at), &symbol)) {
            return POF_TEXT_BROKEN;
        }
        if (symbol.over_long || is_surrogate(symbol.code)) {
            form = POF_TEXT_LEGACY;
        }
    }
    return form;
}

/* Well-formed UTF-8 of a code that is no surrogate. */
static size_t put_code(uint8_t at[4], uint32_t code)
{
    if (code <= 0xffff) {
        return pof_text_put_unit(at, (uint16_t)code);
    }
    at[0] = (uint8_t)(0xf0 | code >> 18);
    at[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    at[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    at[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}

/* Join a surrogate with the one after it, or replace it. */
static struct symbol resolve(struct symbol first, struct bytes after)
{
    struct symbol second;

    if (!is_surrogate(first.code)) {
        return first;
    }
    if (first.code <= 0xdbff && symbol_at(after, &second) && second.code >= 0xdc00 &&
        second.code <= 0xdfff) {
        return (struct symbol){
            .code = 0x10000 + ((first.code - 0xd800) << 10) + (second.code - 0xdc00),
            .size = first.size + second.size,
        };
    }
    first.code = REPLACEMENT;
    return first;
}

/* Append what pof_text_check calls legacy. No symbol grows, so the room of the input is enough. */
static enum qn_status append_legacy(struct buf *out, struct bytes text)
{
    enum qn_status status = buf_reserve(out, text.size);

    if (status != QN_OK) {
        return status;
    }
    for (size_t at = 0; at < text.size;) {
        struct bytes rest = bytes_of(text.data + at, text.size - at);
        struct symbol symbol;
        bool readable = symbol_at(rest, &symbol);
        qn_assert(readable);
        symbol = resolve(symbol, bytes_of(rest.data + symbol.size, rest.size - symbol.size));
        out->size += put_code(out->data + out->size, symbol.code);
        at += symbol.size;
    }
    return QN_OK;
}

enum qn_status pof_text_append(struct buf *out, struct bytes text)
{
    switch (pof_text_check(text)) {
    case POF_TEXT_STANDARD:
        return buf_append(out, text.data, text.size);
    case POF_TEXT_LEGACY:
        return append_legacy(out, text);
    case POF_TEXT_BROKEN:
        break;
    }
    return QN_MALFORMED;
}

size_t pof_text_put_unit(uint8_t at[3], uint16_t unit)
{
    if (unit < 0x80) {
        at[0] = (uint8_t)unit;
        return 1;
    }
    if (unit < 0x800) {
        at[0] = (uint8_t)(0xc0 | unit >> 6);
        at[1] = (uint8_t)(0x80 | (unit & 0x3f));
        return 2;
    }
    at[0] = (uint8_t)(0xe0 | unit >> 12);
    at[1] = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
    at[2] = (uint8_t)(0x80 | (unit & 0x3f));
    return 3;
}

enum qn_status pof_text_take_unit(struct bytes *in, uint16_t *unit)
{
    struct symbol symbol;

    if (!symbol_at(*in, &symbol) || symbol.size > 3) {
        return QN_MALFORMED;
    }
    *unit = (uint16_t)symbol.code;
    *in = bytes_of(in->data + symbol.size, in->size - symbol.size);
    return QN_OK;
}
