/* One cell of a CSV as JSON and back, by what its column holds. Pure.
 *
 *     text, octets, dates and the like   as in JSON, without the quotes
 *     bool, numbers                      as in JSON; also yes, +5, 007, .5
 *     everything else                    JSON as it is; what is none is a string
 */
#ifndef QUOIN_CLIENT_CLI_CELL_H
#define QUOIN_CLIENT_CLI_CELL_H

#include "wire/bytes.h"
#include "wire/pof/schema.h"

/* Does the cell say nothing? One that is empty, unless it stands in quotes where an empty text or
 * no octets are something. */
bool cell_is_absent(struct bytes text, bool quoted, const struct pof_shape *shape);

/* Append the cell as JSON. What is not of the shape becomes a string, which reading the record then
 * refuses by name.
 *
 * QN_MALFORMED    text that is not UTF-8
 * QN_MEMORY_FULL  on failure `json` is as before */
QN_MUST_USE enum qn_status cell_to_json(struct bytes text, const struct pof_shape *shape,
                                        struct buf *json);

/* Append what a JSON value is as a cell, without the quotes of CSV. `*exact` becomes false where
 * the cell does not say all: null, and what is not of the shape. QN_MEMORY_FULL. */
QN_MUST_USE enum qn_status cell_of_json(struct bytes json, const struct pof_shape *shape,
                                        struct buf *text, bool *exact);

#endif
