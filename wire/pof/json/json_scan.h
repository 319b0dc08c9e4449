/* A look at a whole JSON text before it is read: is it JSON, and what is in its brackets. Internal
 * to wire/pof/json.
 *
 * The object format wants to know counts before elements, and properties in their order, which JSON
 * does not give. So one pass checks the text and notes each bracket's content; the second one
 * writes, and can step over a bracket in one move. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_SCAN_H
#define QUOIN_WIRE_POF_JSON_JSON_SCAN_H

#include "wire/pof/json/json.h"

/* A pair of brackets, in the order in which they open. */
struct pjson_bracket {
    size_t end;     /* of the text, behind the closing one */
    uint32_t count; /* elements, or members */
    uint32_t next;  /* number of the first bracket that opens behind it */
};

/* Check `text`, one JSON value with nothing behind it (RFC 8259), and append its brackets to
 * `brackets`.
 *
 * QN_MALFORMED   it is not; `*at` is the place, `*what` says what was expected there
 * QN_TOO_LARGE   deeper than POF_DEPTH_MAX, or 2^31 brackets and more
 * QN_MEMORY_FULL */
QN_MUST_USE enum qn_status pjson_scan(struct bytes text, struct buf *brackets, size_t *at,
                                      const char **what);

/* The place of the next octet that is no white space, from `at` on. */
size_t pjson_skip_space(struct bytes text, size_t at);

/* The end of the number, string or word at `at`, in a text that was checked. */
size_t pjson_scalar_end(struct bytes text, size_t at);

#endif
