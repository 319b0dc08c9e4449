/* The columns that objects of a form have in a CSV: the fields of its type, as its view shows them.
 *
 * A row becomes the JSON of a record, and a record a row, cell by cell. Pure; one owner. */
#ifndef QUOIN_CLIENT_CLI_COLUMNS_H
#define QUOIN_CLIENT_CLI_COLUMNS_H

#include "client/cli/form.h"
#include "client/cli/rows.h"
#include "wire/arena.h"

enum { COLUMNS_PROBLEM_MAX = 320 };

struct column {
    struct bytes name;
    struct bytes json; /* the same as it stands in JSON, without the quotes */
    const struct pof_shape *shape;
};

struct columns {
    struct arena memory;
    struct column *list;
    size_t count;
    struct buf cell;   /* the one at hand */
    struct buf cells;  /* of a record, each with a comma before it */
    struct buf places; /* where each column's cell is in `cells` */
};

/* All columns of a form with a type, or that of its key alone. False: no memory. */
bool columns_init(struct columns *columns, const struct form *form, bool key_alone);
void columns_fini(struct columns *columns);

/* The number of a column, looked for from `hint` on, where it mostly is; `count` = there is none.
 */
size_t columns_find(const struct columns *columns, struct bytes name, size_t hint);

/* The known name nearest to one that is none, or NULL. */
const char *columns_suggest(const struct columns *columns, struct bytes name);

/* Append the names, resp. the record `json` as cells, with `delimiter` between them. `*exact`
 * becomes false where the cells do not say all that the record does. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status columns_head(const struct columns *columns, char delimiter,
                                        struct buf *out);
QN_MUST_USE enum qn_status columns_cells(struct columns *columns, struct bytes json, char delimiter,
                                         struct buf *out, bool *exact);

/* Make `json` the record that a row means; a cell that says nothing is no member of it. False:
 * `problem` (COLUMNS_PROBLEM_MAX octets) says why there is none. */
bool columns_record(const struct columns *columns, const struct row *row, struct buf *json,
                    char *problem);

#endif
