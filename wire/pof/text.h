/* Character strings of the portable object format.
 *
 * We write standard UTF-8. Others have written more: NUL as `c0 80`, characters above U+FFFF as two
 * surrogates of three octets each, unpaired surrogates, over-long forms. Readers take them all. */
#ifndef QUOIN_WIRE_POF_TEXT_H
#define QUOIN_WIRE_POF_TEXT_H

#include "wire/bytes.h"

QN_PUBLIC_BEGIN

enum pof_text_form {
    POF_TEXT_STANDARD, /* well-formed UTF-8 */
    POF_TEXT_LEGACY,   /* readable, but not UTF-8: use pof_text_append */
    POF_TEXT_BROKEN,
};

/* Are all octets below 80 (hex)? Then the text is standard. */
bool pof_text_is_ascii(struct bytes text);

enum pof_text_form pof_text_check(struct bytes text);

/* Append `text` to `out` as well-formed UTF-8: pairs of surrogates joined, unpaired ones as U+FFFD,
 * over-long forms shortened. QN_MALFORMED: POF_TEXT_BROKEN; nothing appended. QN_MEMORY_FULL
 * likewise. */
QN_MUST_USE enum qn_status pof_text_append(struct buf *out, struct bytes text);

/* One code unit in the format's encoding of a char: 1 to 3 octets at `at`; returns how many. */
size_t pof_text_put_unit(uint8_t at[3], uint16_t unit);

/* Take a char as written by pof_text_put_unit, or over-long. QN_MALFORMED: cut short or no such
 * form. */
QN_MUST_USE enum qn_status pof_text_take_unit(struct bytes *in, uint16_t *unit);

QN_PUBLIC_END

#endif
