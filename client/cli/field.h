/* The value of one field: read from text or JSON by the kind that the types file gives it, shown as
 * text.
 *
 * Pure. A mistake is explained in one line that says what would be right. */
#ifndef QUOIN_CLIENT_CLI_FIELD_H
#define QUOIN_CLIENT_CLI_FIELD_H

#include <jansson.h>

#include "client/cli/rows.h"
#include "config/types.h"
#include "wire/arena.h"
#include "wire/pof/types.h"

enum { FIELD_PROBLEM_MAX = 200 };

struct field_value {
    bool present; /* false = null, the rest says nothing */
    enum types_kind kind;
    int64_t number;    /* bool (0, 1), octet, char (UTF-16 code unit), int16 to int64 */
    double real;       /* float32, float64 */
    struct bytes text; /* string, octets; borrowed or in the arena */
    struct pof_date date;
    struct pof_time time;
    struct pof_datetime datetime;
    const struct bytes *items; /* string[]; in the arena */
    size_t item_count;
};

/* Read a cell. An empty CSV cell and a JSON null are absent; an empty CSV cell in quotes is an
 * empty string where the field is a string. What is not borrowed from the cell is taken from
 * `arena`. False: `problem` (FIELD_PROBLEM_MAX octets) says why; it does not name the field. */
bool field_read(const struct cell *cell, enum types_kind kind, struct arena *arena,
                struct field_value *value, char *problem);

/* The same kind and the same content; not a number equals itself. */
bool field_equal(const struct field_value *a, const struct field_value *b);

/* Content as JSON; null when absent. The caller owns it; NULL = no memory. */
json_t *field_json(const struct field_value *value);

#endif
