/* Binaries: keys and values of a cache, as they travel and are stored.
 *
 * A Binary is octet 15 (hex) and a POF value. Others may put an int decoration (octet 0d) or named
 * decorations (12, 13) around it, which are not part of the value. */
#ifndef QUOIN_WIRE_POF_BINARY_H
#define QUOIN_WIRE_POF_BINARY_H

#include "wire/bytes.h"

QN_PUBLIC_BEGIN

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
 * QN_WRONG_TYPE  the value is there, but not POF, or it has two int decorations
 * QN_MALFORMED   cut short, or decorations without a value */
QN_MUST_USE enum qn_status pof_binary_value(struct bytes binary, struct bytes *pof);

/* Append `binary` with `cut`, which lies in its POF value and may be empty, replaced by the `parts`
 * one after the other. Decorations stay. Nothing may lie in `out`. Statuses as pof_binary_value;
 * QN_UNSUPPORTED: decorations nested too deep; QN_TOO_LARGE, QN_MEMORY_FULL. On failure `out` is
 * unchanged. */
QN_MUST_USE enum qn_status pof_binary_splice(struct buf *out, struct bytes binary, struct bytes cut,
                                             const struct bytes *parts, size_t count);

/* -- decorations --
 *
 * What is put beside a value under an id, without being part of it. All of the following look at
 * the outermost octet alone: a Binary that begins with an int decoration has no other ones for
 * them, and the value of a decorated one may be decorated itself. Octets given out point into
 * `binary`. What is appended must not lie in `out`; on failure `out` is unchanged. */

/* Their ids in the format's reference implementation; others are free. */
enum {
    POF_DECORATION_VALUE = 0,  /* the value itself, complete with its octet 15 */
    POF_DECORATION_EXPIRY = 1, /* 8 octets, milliseconds, big-endian */
    POF_DECORATION_STORE = 2,
    POF_DECORATION_TRANSACTION = 3,
    POF_DECORATION_PUSH = 4,
    POF_DECORATION_BACKUP = 5,
    POF_DECORATION_CUSTOM = 7,
    POF_DECORATION_ID_MAX = 62, /* 63 is read, not written: the reference damages values with it */
};

struct pof_decoration {
    uint32_t id;
    struct bytes octets;
};

/* The decorations of a Binary that are still to come; internal. */
struct pof_decorations {
    struct bytes rest;
    uint64_t ids;
};

/* Begin with the first decoration, of which there may be none. QN_MALFORMED: cut short. */
QN_MUST_USE enum qn_status pof_binary_decorations(struct bytes binary,
                                                  struct pof_decorations *decorations);

/* The next one, ids ascending; the value is among them, under id 0. QN_ABSENT: none is left;
 * QN_MALFORMED: cut short. */
QN_MUST_USE enum qn_status pof_decorations_next(struct pof_decorations *decorations,
                                                struct pof_decoration *decoration);

/* The octets of one. QN_ABSENT: it has none of this id; QN_MALFORMED: cut short before it. */
QN_MUST_USE enum qn_status pof_binary_decoration(struct bytes binary, uint32_t id,
                                                 struct bytes *octets);

/* The value without this layer of decorations; all of a Binary that has none. QN_MALFORMED: cut
 * short, or decorations without a value. */
QN_MUST_USE enum qn_status pof_binary_undecorated(struct bytes binary, struct bytes *value);

/* Append `binary` with these decorations (ascending ids, 1 to POF_DECORATION_ID_MAX) as well; of an
 * id that it has already the octets are replaced. The form is the shortest, but an extended mask
 * stays one.
 *
 * QN_INVALID    ids not ascending or out of range, or no decoration
 * QN_MALFORMED  `binary` is decorated, and cut short or without a value
 * QN_TOO_LARGE, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status pof_binary_decorate(struct buf *out, struct bytes binary,
                                               const struct pof_decoration *decorations,
                                               size_t count);

/* Append `binary` without the decoration `id`, in the shortest form: without the last one it is the
 * value alone.
 *
 * QN_ABSENT     it has none of this id; nothing was appended
 * QN_INVALID    `id` is 0: a value is not removed
 * QN_MALFORMED, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status pof_binary_undecorate(struct buf *out, struct bytes binary, uint32_t id);

/* The int decoration, in keys their partition. QN_ABSENT: there is none; QN_MALFORMED. */
QN_MUST_USE enum qn_status pof_binary_int_decoration(struct bytes binary, int32_t *decoration);

/* `binary` without its int decoration; all of it when it has none. QN_MALFORMED. */
QN_MUST_USE enum qn_status pof_binary_int_undecorated(struct bytes binary, struct bytes *rest);

/* Append `binary` with this int decoration in front, in place of the one that stands there: nobody
 * reads two.
 *
 * QN_INVALID    its value has one within other decorations, which would make two
 * QN_MALFORMED  `binary` has one that is cut short
 * QN_TOO_LARGE, QN_MEMORY_FULL */
QN_MUST_USE enum qn_status pof_binary_decorate_int(struct buf *out, struct bytes binary,
                                                   int32_t decoration);

QN_PUBLIC_END

#endif
