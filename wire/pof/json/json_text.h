/* Scalars as JSON text. Internal to wire/pof/json. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_TEXT_H
#define QUOIN_WIRE_POF_JSON_JSON_TEXT_H

#include "wire/bytes.h"
#include "wire/pof/types.h"

/* Text that is being written; the first failure stays. */
struct json_out {
    struct buf *buf;
    enum qn_status status;
};

void json_put(struct json_out *out, const void *text, size_t size);
void json_put_text(struct json_out *out, const char *text);

/* A string in quotes, of any form that pof_text_check takes. */
void json_put_string(struct json_out *out, struct bytes text);

/* The same without quotes, for names that are made of two. */
void json_put_escaped(struct json_out *out, struct bytes text);

void json_put_integer(struct json_out *out, int64_t number);
void json_put_int128(struct json_out *out, struct pof_int128 number);
void json_put_decimal(struct json_out *out, const struct pof_decimal *decimal);

/* The shortest decimal that reads back, always with a point or an exponent. */
void json_put_float32(struct json_out *out, float number);
void json_put_float64(struct json_out *out, double number);

/* In quotes: base64 and hex. */
void json_put_base64(struct json_out *out, struct bytes octets);
void json_put_hex(struct json_out *out, struct bytes octets);

/* In quotes: ISO 8601. */
void json_put_date(struct json_out *out, const struct pof_date *date);
void json_put_time(struct json_out *out, const struct pof_time *time);
void json_put_datetime(struct json_out *out, const struct pof_datetime *datetime);
void json_put_year_month(struct json_out *out, const struct pof_year_month *interval);
void json_put_day_time(struct json_out *out, const struct pof_day_time *interval);

#endif
