/* Every setting of a client as one table: name, type, range, default, what it does.
 *
 * The address, the environment, files and qn_config_set all go through it, and the manual is
 * checked against it. Pure functions. */
#ifndef QUOIN_CLIENT_PROPERTY_H
#define QUOIN_CLIENT_PROPERTY_H

#include "client/quoin.h"
#include "wire/bytes.h"

enum property_id {
    PROPERTY_URI,
    PROPERTY_CONFIG,
    PROPERTY_TIMEOUT,
    PROPERTY_IN_FLIGHT,
    PROPERTY_IN_FLIGHT_BYTES,
    PROPERTY_COMPRESS_MIN,
    PROPERTY_SCAN_BYTES,
    PROPERTY_SCAN_AHEAD,
    PROPERTY_LOG_LEVEL,
    PROPERTY_COUNT,
};

enum {
    PROPERTY_TEXT_MAX = 1024, /* octets of a value that is a text, with its NUL */
    PROPERTY_WHY_MAX = 200,   /* octets of an explanation, with its NUL */
};

/* A row of the table, as programs see it. */
const qn_property *property_at(enum property_id id);

/* Is its value a text, and not a number? */
bool property_is_text(enum property_id id);

/* The property of this name. False: there is none, and `why` says so and what may have been meant.
 */
QN_MUST_USE bool property_find(struct bytes name, enum property_id *id, char why[PROPERTY_WHY_MAX]);

/* A value that is a number: milliseconds, octets, a count, or the place of a word in its list.
 * QN_INVALID: `why` says what it should look like. */
QN_MUST_USE enum qn_status property_parse(enum property_id id, struct bytes text, int64_t *number,
                                          char why[PROPERTY_WHY_MAX]);

/* The number as one would write it. */
void property_print(enum property_id id, int64_t number, char *out, size_t size);

#endif
