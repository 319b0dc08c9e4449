/* Single values of the portable object format as JSON. Pure.
 *
 * Each result is the caller's; NULL = no memory, which jansson's *_new functions take as it is. */
#ifndef QUOIN_CLIENT_CLI_JSON_VALUE_H
#define QUOIN_CLIENT_CLI_JSON_VALUE_H

#include <jansson.h>

#include "wire/bytes.h"
#include "wire/pof/types.h"

/* A string, made well-formed where it is not; what is no text at all becomes "0x..". */
json_t *json_value_text(struct bytes text);

/* "0x00ff" */
json_t *json_value_octets(struct bytes octets);

/* A string of one UTF-16 code unit. */
json_t *json_value_char(uint16_t unit);

/* A number; JSON has no word for the others: "NaN", "Infinity", "-Infinity". */
json_t *json_value_real(double real);

/* The same for a number of 32 bits: as the shortest decimal that means it, 0.1 and not
 * 0.10000000149. */
json_t *json_value_float32(float real);

/* How many digits jansson must print so that every number with a fraction in `json` is read back as
 * it is: 15 to 17, for JSON_REAL_PRECISION. Fewer are nicer: 0.1 needs 15 and looks bad with 17. */
size_t json_value_digits(json_t *json);

/* A number when it fits 64 bits, else its digits as a string. */
json_t *json_value_int128(struct pof_int128 number);

/* Its digits as a string, so that nothing is rounded: "12.50". */
json_t *json_value_decimal(struct pof_decimal decimal);

#endif
