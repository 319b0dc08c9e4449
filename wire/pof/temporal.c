#include "wire/pof/temporal.h"

#include <stddef.h>

static bool is_leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool within(int32_t value, int32_t least, int32_t most)
{
    return value >= least && value <= most;
}

bool pof_date_exists(const struct pof_date *date)
{
    static const int32_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (!within(date->month, 1, 12)) {
        return false;
    }
    int32_t last = days[date->month - 1] + (date->month == 2 && is_leap(date->year) ? 1 : 0);
    return within(date->day, 1, last);
}

bool pof_time_exists(const struct pof_time *time)
{
    if (!within(time->hour, 0, 23) || !within(time->minute, 0, 59) ||
        !within(time->nano, 0, 999999999)) {
        return false;
    }
    if (!within(time->second, 0, 59) && !(time->second == 60 && time->nano == 0)) {
        return false;
    }
    if (time->zone == POF_ZONE_OFFSET) {
        return within(time->zone_hour, -23, 23) && within(time->zone_minute, 0, 59);
    }
    return time->zone == POF_ZONE_NONE || time->zone == POF_ZONE_UTC;
}

bool pof_year_month_exists(const struct pof_year_month *interval)
{
    return interval->years != 0 || within(interval->months, -11, 11);
}

bool pof_day_time_exists(const struct pof_day_time *interval)
{
    const int32_t fields[] = {interval->hours, interval->minutes, interval->seconds,
                              interval->nanos};
    static const int32_t most[] = {23, 59, 59, 999999999};
    bool leading = interval->days == 0; /* nothing but zeros so far: a sign may come */

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!within(fields[i], leading ? -most[i] : 0, most[i])) {
            return false;
        }
        leading = leading && fields[i] == 0;
    }
    return true;
}

/* |value| as two halves; right for the most negative number too. */
static struct pof_int128 magnitude(struct pof_int128 value)
{
    if (value.high >> 63 == 0) {
        return value;
    }
    value.low = ~value.low + 1;
    value.high = ~value.high + (value.low == 0 ? 1 : 0);
    return value;
}

static bool at_most(struct pof_int128 value, struct pof_int128 limit)
{
    return value.high < limit.high || (value.high == limit.high && value.low <= limit.low);
}

int32_t pof_decimal_type(const struct pof_decimal *value)
{
    static const struct {
        int32_t type;
        int32_t scale_min;
        int32_t scale_max;
        struct pof_int128 most; /* 7, 16 and 34 nines */
    } widths[] = {
        {POF_DECIMAL32, -95, 96, {.low = 9999999}},
        {POF_DECIMAL64, -383, 384, {.low = 9999999999999999}},
        {POF_DECIMAL128, -6143, 6144, {.low = 0x378d8e63ffffffff, .high = 0x0001ed09bead87c0}},
    };

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (within(value->scale, widths[i].scale_min, widths[i].scale_max) &&
            at_most(magnitude(value->unscaled), widths[i].most)) {
            return widths[i].type;
        }
    }
    return 0;
}
