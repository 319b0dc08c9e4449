/* Values of the grid as text that is only read: by people, and by programs that ask for --json.
 *
 * What import reads back is written by record.h. Pure. */
#ifndef QUOIN_CLIENT_CLI_RENDER_H
#define QUOIN_CLIENT_CLI_RENDER_H

#include "client/cli/form.h"

/* Append a Binary as wire/pof/json/json.h shows it without marks: by the names and the view of the
 * form. Statuses as pof_json_write; on failure `out` is as before. */
QN_MUST_USE enum qn_status render_json(struct buf *out, struct bytes binary,
                                       const struct form *form);

/* Append it for people: a string as it is, octets and what cannot be read as 0x..., everything else
 * as JSON. Returns what was wrong with it; QN_MEMORY_FULL: `out` is as before. */
QN_MUST_USE enum qn_status render_text(struct buf *out, struct bytes binary,
                                       const struct form *form);

/* Append a text as a JSON string; one that is no UTF-8 as its octets, "0x...". QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status render_string(struct buf *out, struct bytes text);

#endif
