/* Which dates, times, intervals and decimals there are; for the writer and the reader alike. */
#ifndef QUOIN_WIRE_POF_TEMPORAL_H
#define QUOIN_WIRE_POF_TEMPORAL_H

#include <stdbool.h>

#include "wire/pof/types.h"

/* A day of the Gregorian calendar, extended to all years. */
bool pof_date_exists(const struct pof_date *date);
bool pof_time_exists(const struct pof_time *time);
bool pof_year_month_exists(const struct pof_year_month *interval);

/* Also for time intervals, whose `days` are 0. */
bool pof_day_time_exists(const struct pof_day_time *interval);

/* The narrowest decimal type that holds `value`, by its digits and its scale; 0 when none does. */
int32_t pof_decimal_type(const struct pof_decimal *value);

#endif
