/* Dates, times and intervals as ISO 8601. */
#include <stdio.h>

#include "wire/pof/json/json_text.h"

enum { TEXT_SIZE_MAX = 96 };

/* Years of four digits as they are, others with a sign, as ISO 8601 has it. */
static size_t print_date(char *text, size_t size, const struct pof_date *date)
{
    bool plain = date->year >= 0 && date->year <= 9999;
    int at = plain ? snprintf(text, size, "%04d", date->year)
                   : snprintf(text, size, "%+05d", date->year);

    return (size_t)(at +
                    snprintf(text + at, size - (size_t)at, "-%02d-%02d", date->month, date->day));
}

/* ".5": nanoseconds without zeros at the end; nothing when there are none. */
static size_t print_fraction(char *text, size_t size, int32_t nanos)
{
    int length = snprintf(text, size, ".%09d", nanos);

    while (length > 1 && text[length - 1] == '0') {
        length--;
    }
    length = length > 1 ? length : 0;
    text[length] = 0;
    return (size_t)length;
}

static void print_time(char *text, size_t size, const struct pof_time *time)
{
    size_t at =
        (size_t)snprintf(text, size, "%02d:%02d:%02d", time->hour, time->minute, time->second);

    at += print_fraction(text + at, size - at, time->nano);
    if (time->zone == POF_ZONE_UTC) {
        snprintf(text + at, size - at, "Z");
    } else if (time->zone == POF_ZONE_OFFSET) {
        snprintf(text + at, size - at, "%+03d:%02d", time->zone_hour, time->zone_minute);
    }
}

static void put_quoted(struct pjson_out *out, const char *text)
{
    pjson_put(out, "\"", 1);
    pjson_put_text(out, text);
    pjson_put(out, "\"", 1);
}

void pjson_put_date(struct pjson_out *out, const struct pof_date *date)
{
    char text[TEXT_SIZE_MAX];

    (void)print_date(text, sizeof text, date);
    put_quoted(out, text);
}

void pjson_put_time(struct pjson_out *out, const struct pof_time *time)
{
    char text[TEXT_SIZE_MAX];

    print_time(text, sizeof text, time);
    put_quoted(out, text);
}

void pjson_put_datetime(struct pjson_out *out, const struct pof_datetime *datetime)
{
    char text[TEXT_SIZE_MAX];
    size_t at = print_date(text, sizeof text, &datetime->date);

    text[at++] = 'T';
    print_time(text + at, sizeof text - at, &datetime->time);
    put_quoted(out, text);
}

/* "3H", when there are any. */
static size_t print_part(char *text, size_t size, int32_t number, char letter)
{
    return number == 0 ? 0 : (size_t)snprintf(text, size, "%d%c", number, letter);
}

void pjson_put_year_month(struct pjson_out *out, const struct pof_year_month *interval)
{
    char text[TEXT_SIZE_MAX] = "P";
    size_t at = 1;

    at += print_part(text + at, sizeof text - at, interval->years, 'Y');
    at += print_part(text + at, sizeof text - at, interval->months, 'M');
    put_quoted(out, at > 1 ? text : "P0M");
}

/* Seconds and nanoseconds as one number; the sign of nanoseconds alone stands in front of the zero.
 */
static size_t print_seconds(char *text, size_t size, int32_t seconds, int32_t nanos)
{
    if (seconds == 0 && nanos == 0) {
        return 0;
    }
    size_t at = (size_t)snprintf(text, size, "%s%d", seconds == 0 && nanos < 0 ? "-" : "", seconds);
    at += print_fraction(text + at, size - at, nanos < 0 ? -nanos : nanos);
    return at + (size_t)snprintf(text + at, size - at, "S");
}

void pjson_put_day_time(struct pjson_out *out, const struct pof_day_time *interval)
{
    char text[TEXT_SIZE_MAX] = "P";
    size_t at = 1 + print_part(text + 1, sizeof text - 1, interval->days, 'D');
    size_t days_end = at;

    text[at++] = 'T';
    at += print_part(text + at, sizeof text - at, interval->hours, 'H');
    at += print_part(text + at, sizeof text - at, interval->minutes, 'M');
    at += print_seconds(text + at, sizeof text - at, interval->seconds, interval->nanos);
    if (at == days_end + 1) { /* no T without anything behind it */
        text[days_end] = 0;
    }
    put_quoted(out, days_end == 1 && text[1] == 0 ? "PT0S" : text);
}
