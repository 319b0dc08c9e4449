/* A look at the text of a file before libconfig reads it.
 *
 * libconfig 1.5 loses what is too large for an int without a word (5000000000 becomes 705032704)
 * and says "syntax error" where more can be said. After parsing it is too late, hence this scan: it
 * knows strings, comments, names and numbers, and nothing of the grammar. */
#ifndef QUOIN_CONFIG_SCAN_H
#define QUOIN_CONFIG_SCAN_H

#include "config/cfg_report.h"
#include "wire/bytes.h"

/* Called for each `@include "path"`; `path` is not ended by NUL. */
typedef void scan_include_fn(void *context, struct bytes path, unsigned line);

/* Report each of these in `text`, a file called `name`:
 * integers beyond 2^31-1 without `L` and beyond 2^63-1 with it; a number with a unit but without
 * quotes (10m); a path instead of nested groups (node.id = 1); a string or comment that does not
 * end; a NUL. `include` may be NULL. */
void scan_text(struct bytes text, const char *name, scan_include_fn *include, void *context,
               struct cfg_report *report);

#endif
