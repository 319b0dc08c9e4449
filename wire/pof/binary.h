/* Binaries: keys and values of a cache, as they travel and are stored.
 *
 * A Binary is octet 15 (hex) and a POF value. Others may put an int decoration (octet 0d) or named
 * decorations (12, 13) around it, which are not part of the value. */
#ifndef QUOIN_WIRE_POF_BINARY_H
#define QUOIN_WIRE_POF_BINARY_H

#include "wire/bytes.h"

/* The octet in front of a POF value. */
enum { POF_BINARY_FORMAT = 0x15 };

/* Append a Binary of one value to `out`. On failure `out` is unchanged: QN_MALFORMED `utf8` is not
 * UTF-8, QN_TOO_LARGE, QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status pof_binary_string(struct buf *out, struct bytes utf8);
QN_MUST_USE enum qn_status pof_binary_int64(struct buf *out, int64_t value);
QN_MUST_USE enum qn_status pof_binary_octets(struct buf *out, struct bytes octets);

/* Read one back. `text` and `octets` point into `binary`; `text` is UTF-8 as pof_text_check takes
 * it. Whole numbers of any width are an int64.
 *
 * QN_WRONG_TYPE   another type, or null
 * QN_MALFORMED, QN_TOO_LARGE, QN_UNSUPPORTED  as pof_binary_value and pof_reader_next */
QN_MUST_USE enum qn_status pof_binary_as_string(struct bytes binary, struct bytes *text);
QN_MUST_USE enum qn_status pof_binary_as_int64(struct bytes binary, int64_t *value);
QN_MUST_USE enum qn_status pof_binary_as_octets(struct bytes binary, struct bytes *octets);

/* The POF value in a Binary, without format octets and decorations, for pof_reader_init.
 *
 * QN_WRONG_TYPE  the value is there, but not POF
 * QN_MALFORMED   cut short, or decorations without a value */
QN_MUST_USE enum qn_status pof_binary_value(struct bytes binary, struct bytes *pof);

/* Append `binary` with `cut`, which lies in its POF value and may be empty, replaced by the `parts`
 * one after the other. Decorations stay. Statuses as pof_binary_value; QN_UNSUPPORTED: decorations
 * nested too deep; QN_MEMORY_FULL. On failure `out` is unchanged. */
QN_MUST_USE enum qn_status pof_binary_splice(struct buf *out, struct bytes binary, struct bytes cut,
                                             const struct bytes *parts, size_t count);

/* Something put beside a value under an id. */
struct pof_decoration {
    uint32_t id; /* 1..62; 0 is the value */
    struct bytes octets;
};

/* Append `binary` with decorations (ascending ids) around it. QN_INVALID: ids not ascending or out
 * of range, no decoration; QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status pof_binary_decorate(struct buf *out, struct bytes binary,
                                               const struct pof_decoration *decorations,
                                               size_t count);

/* Append `binary` with an int decoration in front. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status pof_binary_decorate_int(struct buf *out, struct bytes binary,
                                                   int32_t decoration);

#endif
