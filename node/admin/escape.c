#include "node/admin/escape.h"

#include "wire/assert.h"

/* Is the code point fit for a line of text? Not: controls, line separators, changes of direction
 * and the byte order mark, since a reader would see something else than what is there. */
static bool is_shown(uint32_t point)
{
    bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    bool layout = (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
                  (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;

    return !control && !layout;
}

/* Octets of the UTF-8 sequence that `lead` begins, 0 if it begins none. */
static size_t sequence_size(uint8_t lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return 2;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
        return 3;
    }
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* Octets of the character at the front if it may be shown as it is, else 0. */
static size_t shown_size(struct bytes text)
{
    static const uint32_t smallest[] = {[1] = 0, [2] = 0x80, [3] = 0x800, [4] = 0x10000};
    size_t size = sequence_size(text.data[0]);

    if (size == 0 || size > text.size) {
        return 0;
    }
    uint32_t point = size == 1 ? text.data[0] : text.data[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text.data[i] & 0xc0) != 0x80) {
            return 0;
        }
        point = point << 6 | (text.data[i] & 0x3fu);
    }
    bool valid = point >= smallest[size] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    return valid && is_shown(point) ? size : 0;
}

static size_t pair(char out[ESCAPE_MAX], char second)
{
    out[0] = '\\';
    out[1] = second;
    return 2;
}

static size_t hex(uint8_t octet, enum escape_style style, char out[ESCAPE_MAX])
{
    static const char digits[] = "0123456789abcdef";
    const char *lead = "\\x";

    if (style == ESCAPE_JSON) {
        lead = octet < 0x80 ? "\\u00" : "\\\\x";
    }
    size_t size = strlen(lead);
    memcpy(out, lead, size);
    out[size] = digits[octet >> 4];
    out[size + 1] = digits[octet & 15];
    return size + 2;
}

/* An octet that must not leave as it is. */
static size_t hidden(uint8_t octet, enum escape_style style, char out[ESCAPE_MAX])
{
    if (octet == '\n') {
        return pair(out, 'n');
    }
    if (style == ESCAPE_LABEL) {
        out[0] = '?';
        return 1;
    }
    if (octet == '\r' || octet == '\t') {
        return pair(out, octet == '\r' ? 'r' : 't');
    }
    return hex(octet, style, out);
}

size_t escape_next(struct bytes *rest, enum escape_style style, char out[ESCAPE_MAX])
{
    qn_assert(rest->size > 0);
    uint8_t first = rest->data[0];
    size_t taken = shown_size(*rest);
    size_t written = taken;

    if (taken == 0) {
        taken = 1;
        written = hidden(first, style, out);
    } else if ((first == '"' || first == '\\') && style != ESCAPE_PLAIN) {
        written = pair(out, (char)first);
    } else {
        memcpy(out, rest->data, taken);
    }
    *rest = bytes_of(rest->data + taken, rest->size - taken);
    return written;
}
