/* Tables: rows that are all there before the first is printed. */
#ifndef QUOIN_CLIENT_CLI_TABLE_H
#define QUOIN_CLIENT_CLI_TABLE_H

#include <stdio.h>

#include <jansson.h>

#include "client/cli/output.h"

enum { TABLE_COLUMNS_MAX = 16 };

struct table {
    const char *name;           /* of the array in JSON: "caches" */
    const char *const *columns; /* their names, also in JSON; up to TABLE_COLUMNS_MAX */
    size_t column_count;
    json_t *values; /* row by row; NULL = none yet */
    json_t *shown;  /* the same as strings for people */
    bool no_memory; /* cells are missing */
};

/* Add the next cell of a row. Takes `value`; NULL = no memory. `shown` is what people see; NULL =
 * the value as text. */
void table_cell(struct table *table, json_t *value, const char *shown);
void table_text(struct table *table, const char *text);
void table_number(struct table *table, uint64_t number); /* people see it grouped */

/* Print it: for people in columns, numbers to the right; as one JSON document {name: [{column:
 * value}]}; as CSV with a line of names; raw as the first column, a line each. False: no memory. */
bool table_print(const struct table *table, enum output_form form, FILE *to);
void table_fini(struct table *table);

#endif
