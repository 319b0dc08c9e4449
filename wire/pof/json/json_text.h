/* Scalars as JSON text. Internal to wire/pof/json. */
#ifndef QUOIN_WIRE_POF_JSON_JSON_TEXT_H
#define QUOIN_WIRE_POF_JSON_JSON_TEXT_H

#include "wire/bytes.h"
#include "wire/pof/types.h"

/* Text that is being written; the first failure stays. */
struct pjson_out {
    struct buf *buf;
    enum qn_status status;
    bool lossy; /* else what the text could not bring back is QN_UNSUPPORTED */
};

void pjson_put(struct pjson_out *out, const void *text, size_t size);
void pjson_put_text(struct pjson_out *out, const char *text);

/* Fail, unless it is no matter: reading the text would not bring this back. */
void pjson_put_loss(struct pjson_out *out);

/* A string in quotes, of any form that pof_text_check takes. Half a pair of surrogates becomes
 * U+FFFD, which is a loss. */
void pjson_put_string(struct pjson_out *out, struct bytes text);

/* The same without quotes, for names that are made of two. */
void pjson_put_escaped(struct pjson_out *out, struct bytes text);

void pjson_put_integer(struct pjson_out *out, int64_t number);
void pjson_put_int128(struct pjson_out *out, struct pof_int128 number);
void pjson_put_decimal(struct pjson_out *out, const struct pof_decimal *decimal);

/* The shortest decimal that reads back, always with a point or an exponent. */
void pjson_put_float32(struct pjson_out *out, float number);
void pjson_put_float64(struct pjson_out *out, double number);

/* In quotes: base64 and hex. */
void pjson_put_base64(struct pjson_out *out, struct bytes octets);
void pjson_put_hex(struct pjson_out *out, struct bytes octets);

/* In quotes: ISO 8601. */
void pjson_put_date(struct pjson_out *out, const struct pof_date *date);
void pjson_put_time(struct pjson_out *out, const struct pof_time *time);
void pjson_put_datetime(struct pjson_out *out, const struct pof_datetime *datetime);
void pjson_put_year_month(struct pjson_out *out, const struct pof_year_month *interval);
void pjson_put_day_time(struct pjson_out *out, const struct pof_day_time *interval);

#endif
