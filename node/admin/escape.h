/* Text from anywhere, one printable character after the other.
 *
 * Log lines and HTTP bodies quote file names, addresses and errors. What could end a line, move a
 * terminal's cursor or turn text around never leaves as it came. No state, no allocation. */
#ifndef QUOIN_NODE_ADMIN_ESCAPE_H
#define QUOIN_NODE_ADMIN_ESCAPE_H

#include "wire/bytes.h"

enum escape_style {
    ESCAPE_PLAIN, /* outside quotes: \n \r \t \xNN; quotes and backslashes stay */
    ESCAPE_TEXT,  /* as PLAIN, and \" and \\ */
    ESCAPE_JSON,  /* inside a JSON string; what is not UTF-8 becomes \\xNN, that is, text */
    ESCAPE_LABEL, /* inside a Prometheus label value; what cannot be shown becomes ? */
};

enum { ESCAPE_MAX = 8 }; /* octets one character can become */

/* Take one character off the front of `rest`, which must not be empty, and write what stands for it
 * to `out` (no NUL). An octet that does not begin a character that may be shown counts as one.
 * Returns the number of octets written, 1 to ESCAPE_MAX. */
size_t escape_next(struct bytes *rest, enum escape_style style, char out[ESCAPE_MAX]);

#endif
