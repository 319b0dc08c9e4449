/* Packed integers: the numbers of the portable object format.
 *
 * The first octet holds 6 bits and the sign, each further octet 7 bits, lowest first; the top bit
 * says that another octet follows. A negative n is stored as the magnitude ~n. All widths share the
 * encoding.
 *
 * Writing gives the shortest form. Reading takes zero padding up to PACKED_SIZE_MAX octets, as
 * other readers do, but no value that does not fit its width. */
#ifndef QUOIN_WIRE_POF_PACKED_H
#define QUOIN_WIRE_POF_PACKED_H

#include "wire/bytes.h"
#include "wire/pof/types.h"

enum {
    PACKED_32_SIZE_MAX = 5,  /* of the shortest form of 32 bits */
    PACKED_64_SIZE_MAX = 10, /* and of 64 */
    PACKED_SIZE_MAX = 19,    /* of 128 bits, and of what is read */
};

/* Write at `at`, which has room for PACKED_64_SIZE_MAX octets. Returns the octets used. */
size_t packed_put(uint8_t *at, int64_t value);

/* Write at `at`, which has room for PACKED_SIZE_MAX octets. Returns the octets used. */
size_t packed_put128(uint8_t *at, struct pof_int128 value);

/* Take a number from the front of `in`.
 *
 * QN_MALFORMED  cut short, longer than PACKED_SIZE_MAX or wider than the type; nothing taken. */
QN_MUST_USE enum qn_status packed_take32(struct bytes *in, int32_t *value);
QN_MUST_USE enum qn_status packed_take64(struct bytes *in, int64_t *value);
QN_MUST_USE enum qn_status packed_take128(struct bytes *in, struct pof_int128 *value);

/* Take a number of two octets. False: it has another size. */
static inline bool packed_take_two(struct bytes *in, int32_t *value)
{
    if (in->size < 2 || in->data[0] < 0x80 || in->data[1] >= 0x80) {
        return false;
    }
    int32_t bits = (in->data[0] & 0x3f) | in->data[1] << 6;
    *value = (in->data[0] & 0x40) != 0 ? ~bits : bits;
    *in = bytes_of(in->data + 2, in->size - 2);
    return true;
}

/* The same as packed_take32, for numbers that nearly always are one octet and not negative:
 * indexes, counts, lengths. */
static inline enum qn_status packed_take_index(struct bytes *in, int32_t *value)
{
    if (in->size == 0 || in->data[0] >= 0x40) {
        return packed_take_two(in, value) ? QN_OK : packed_take32(in, value);
    }
    *value = in->data[0];
    *in = bytes_of(in->data + 1, in->size - 1);
    return QN_OK;
}

/* The same again, for type ids: one octet below zero for all but user types, which are mostly two.
 */
static inline enum qn_status packed_take_type(struct bytes *in, int32_t *value)
{
    if (in->size == 0 || in->data[0] >= 0x80) {
        return packed_take_two(in, value) ? QN_OK : packed_take32(in, value);
    }
    int32_t bits = in->data[0] & 0x3f;
    *value = in->data[0] >= 0x40 ? ~bits : bits;
    *in = bytes_of(in->data + 1, in->size - 1);
    return QN_OK;
}

#endif
