/* Values of the grid as JSON or as text for people. Pure. */
#ifndef QUOIN_CLIENT_CLI_RENDER_H
#define QUOIN_CLIENT_CLI_RENDER_H

#include <jansson.h>
#include <stdio.h>

#include "config/types.h"
#include "wire/bytes.h"

/* A Binary as JSON, into `*json`, which the caller then owns.
 *
 * Strings, numbers, bools and null are what they are in JSON; octets are "0x00ff"; dates and times
 * ISO 8601; arrays and collections arrays; maps objects when all keys are strings, else arrays of
 * pairs; user types objects with the names of `types` (NULL = none), or {"$type": 1001, "0": ...}
 * when it does not know them.
 *
 * QN_MEMORY_FULL, or what pof_reader_next said */
QN_MUST_USE enum qn_status render_json(struct bytes binary, const struct types *types,
                                       json_t **json);

/* Print a Binary on one line: a string as it is, everything else as JSON. A Binary that cannot be
 * read is printed as 0x...; returns what was wrong with it. */
enum qn_status render_print(struct bytes binary, const struct types *types, FILE *to);

#endif
