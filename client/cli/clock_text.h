/* Dates and times of the portable object format as text (ISO 8601), both ways. Pure. */
#ifndef QUOIN_CLIENT_CLI_CLOCK_TEXT_H
#define QUOIN_CLIENT_CLI_CLOCK_TEXT_H

#include <stdbool.h>

#include "wire/bytes.h"
#include "wire/pof/types.h"

enum { CLOCK_TEXT_MAX = 80 };

/* "2024-02-29", "23:59", "23:59:59.123456789", with "Z" or "+01:00" behind a time, and both with
 * 'T' or a space between. False: not that, or no such day or time; the result is then of no use. */
bool clock_date_parse(struct bytes text, struct pof_date *date);
bool clock_time_parse(struct bytes text, struct pof_time *time);
bool clock_datetime_parse(struct bytes text, struct pof_datetime *datetime);

/* Write into `text` (CLOCK_TEXT_MAX octets), which is returned. */
const char *clock_date_print(const struct pof_date *date, char *text);
const char *clock_time_print(const struct pof_time *time, char *text);
const char *clock_datetime_print(const struct pof_datetime *datetime, char *text);

#endif
