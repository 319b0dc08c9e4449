#include "wire/pof/packed.h"

enum { MORE = 0x80, NEGATIVE = 0x40, FIRST_BITS = 6, BITS = 7 };

static const uint64_t SIGN_BIT = (uint64_t)1 << 63;

size_t packed_put(uint8_t *at, int64_t value)
{
    uint64_t magnitude = value < 0 ? ~(uint64_t)value : (uint64_t)value;
    uint8_t octet = (uint8_t)((value < 0 ? NEGATIVE : 0) | (magnitude & 0x3f));
    size_t size = 0;

    magnitude >>= FIRST_BITS;
    while (magnitude != 0) {
        at[size++] = octet | MORE;
        octet = (uint8_t)(magnitude & 0x7f);
        magnitude >>= BITS;
    }
    at[size++] = octet;
    return size;
}

static void shift_down(struct pof_int128 *value, unsigned bits)
{
    value->low = value->low >> bits | value->high << (64 - bits);
    value->high >>= bits;
}

size_t packed_put128(uint8_t *at, struct pof_int128 value)
{
    bool negative = (value.high & SIGN_BIT) != 0;
    struct pof_int128 magnitude = {
        .low = negative ? ~value.low : value.low,
        .high = negative ? ~value.high : value.high,
    };
    uint8_t octet = (uint8_t)((negative ? NEGATIVE : 0) | (magnitude.low & 0x3f));
    size_t size = 0;

    shift_down(&magnitude, FIRST_BITS);
    while ((magnitude.low | magnitude.high) != 0) {
        at[size++] = octet | MORE;
        octet = (uint8_t)(magnitude.low & 0x7f);
        shift_down(&magnitude, BITS);
    }
    at[size++] = octet;
    return size;
}

/* OR `bits` (7 of them at most) into `value` at position `shift`. False: they do not fit into 128.
 */
static bool put_bits(struct pof_int128 *value, uint64_t bits, unsigned shift)
{
    if (shift >= 128) {
        return bits == 0;
    }
    if (shift >= 64) {
        value->high |= bits << (shift - 64);
        return shift - 64 <= 57 || bits >> (128 - shift) == 0;
    }
    value->low |= bits << shift;
    if (shift > 57) {
        value->high |= bits >> (64 - shift);
    }
    return true;
}

/* Take the magnitude and the sign of a number of any width. */
static enum qn_status take(struct bytes *in, struct pof_int128 *magnitude, bool *negative)
{
    struct pof_int128 value = {0};
    unsigned shift = 0;

    for (size_t i = 0; i < in->size && i < PACKED_SIZE_MAX; i++) {
        uint8_t octet = in->data[i];
        unsigned width = i == 0 ? FIRST_BITS : BITS;
        uint64_t bits = octet & ((1u << width) - 1);
        if (!put_bits(&value, bits, shift)) {
            return QN_MALFORMED;
        }
        shift += width;
        if ((octet & MORE) == 0) {
            *magnitude = value;
            *negative = (in->data[0] & NEGATIVE) != 0;
            *in = bytes_of(in->data + i + 1, in->size - i - 1);
            return QN_OK;
        }
    }
    return QN_MALFORMED;
}

/* The octets that a number without padding takes at most, if it fits 63 bits in any case. */
enum { QUICK_SIZE_MAX = 9 };

/* Take a number of up to QUICK_SIZE_MAX octets; 0: it is longer, or cut short. */
static size_t take_quick(struct bytes in, uint64_t *magnitude)
{
    size_t end = in.size < QUICK_SIZE_MAX ? in.size : QUICK_SIZE_MAX;
    unsigned shift = FIRST_BITS;

    if (end == 0) {
        return 0;
    }
    uint64_t value = in.data[0] & 0x3f;
    size_t at = 1;
    for (uint8_t octet = in.data[0]; (octet & MORE) != 0; shift += BITS) {
        if (at == end) {
            return 0;
        }
        octet = in.data[at++];
        value |= (uint64_t)(octet & 0x7f) << shift;
    }
    *magnitude = value;
    return at;
}

/* Take a number whose magnitude is at most `limit`. */
static enum qn_status take_within(struct bytes *in, uint64_t limit, int64_t *value)
{
    struct bytes rest = *in;
    struct pof_int128 magnitude = {0};
    size_t size = take_quick(rest, &magnitude.low);
    bool negative = size > 0 && (in->data[0] & NEGATIVE) != 0;

    if (size > 0) {
        rest = bytes_of(rest.data + size, rest.size - size);
    } else if (take(&rest, &magnitude, &negative) != QN_OK) {
        return QN_MALFORMED;
    }
    if (magnitude.high != 0 || magnitude.low > limit) {
        return QN_MALFORMED;
    }
    *in = rest;
    *value = negative ? -1 - (int64_t)magnitude.low : (int64_t)magnitude.low;
    return QN_OK;
}

enum qn_status packed_take32(struct bytes *in, int32_t *value)
{
    int64_t wide;

    if (in->size > 0 && (in->data[0] & MORE) == 0) { /* nearly all numbers are one octet */
        int32_t bits = in->data[0] & 0x3f;
        *value = (in->data[0] & NEGATIVE) != 0 ? -1 - bits : bits;
        *in = bytes_of(in->data + 1, in->size - 1);
        return QN_OK;
    }
    enum qn_status status = take_within(in, INT32_MAX, &wide);
    if (status == QN_OK) {
        *value = (int32_t)wide;
    }
    return status;
}

enum qn_status packed_take64(struct bytes *in, int64_t *value)
{
    return take_within(in, INT64_MAX, value);
}

enum qn_status packed_take128(struct bytes *in, struct pof_int128 *value)
{
    struct bytes rest = *in;
    struct pof_int128 magnitude;
    bool negative;

    enum qn_status status = take(&rest, &magnitude, &negative);
    if (status != QN_OK) {
        return status;
    }
    if ((magnitude.high & SIGN_BIT) != 0) {
        return QN_MALFORMED;
    }
    *in = rest;
    value->low = negative ? ~magnitude.low : magnitude.low;
    value->high = negative ? ~magnitude.high : magnitude.high;
    return QN_OK;
}
