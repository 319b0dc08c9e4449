/* Scalars from JSON text. Internal to wire/pof/json. `text` is what stands between the quotes, or
 * the number as it is written. False: it is not that, or does not fit. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_PARSE_H
#define QUOIN_WIRE_POF_JSON_JSON_PARSE_H

#include "wire/bytes.h"
#include "wire/pof/types.h"

/* A number without fraction and exponent. */
bool pjson_parse_int128(struct bytes text, struct pof_int128 *number);
bool pjson_parse_decimal(struct bytes text, struct pof_decimal *decimal);

/* Also "NaN", "Infinity" and "-Infinity". */
bool pjson_parse_float64(struct bytes text, double *number);

/* Append the octets; false also without memory, which `*status` tells then. */
bool pjson_parse_base64(struct bytes text, struct buf *octets, enum qn_status *status);
bool pjson_parse_hex(struct bytes text, uint8_t *octets, size_t size);

/* ISO 8601, as pjson_put_* writes it; a time may leave the seconds out. */
bool pjson_parse_date(struct bytes text, struct pof_date *date);
bool pjson_parse_time(struct bytes text, struct pof_time *time);
bool pjson_parse_datetime(struct bytes text, struct pof_datetime *datetime);
bool pjson_parse_year_month(struct bytes text, struct pof_year_month *interval);
bool pjson_parse_day_time(struct bytes text, struct pof_day_time *interval);

#endif
