#include "client/cli/clock_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { NANO_DIGITS = 9 };

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Take exactly `count` digits. */
static bool take_number(struct bytes *text, size_t count, int32_t *number)
{
    if (text->size < count) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_digit(text->data[i])) {
            return false;
        }
        *number = *number * 10 + (text->data[i] - '0');
    }
    *text = bytes_of(text->data + count, text->size - count);
    return true;
}

static bool take_octet(struct bytes *text, char octet)
{
    if (text->size == 0 || text->data[0] != (uint8_t)octet) {
        return false;
    }
    *text = bytes_of(text->data + 1, text->size - 1);
    return true;
}

static int32_t days_in_month(int32_t year, int32_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

static bool take_date(struct bytes *text, struct pof_date *date)
{
    bool shaped = take_number(text, 4, &date->year) && take_octet(text, '-') &&
                  take_number(text, 2, &date->month) && take_octet(text, '-') &&
                  take_number(text, 2, &date->day);
    return shaped && date->month >= 1 && date->month <= 12 && date->day >= 1 &&
           date->day <= days_in_month(date->year, date->month);
}

/* One to nine digits after the point, as nanoseconds. */
static bool take_fraction(struct bytes *text, int32_t *nano)
{
    size_t count = 0;
    while (count < text->size && count < NANO_DIGITS && is_digit(text->data[count])) {
        count++;
    }
    if (count == 0 || !take_number(text, count, nano)) {
        return false;
    }
    for (size_t i = count; i < NANO_DIGITS; i++) {
        *nano *= 10;
    }
    return true;
}

/* The sign is carried by the hour, so what is less than an hour west of Greenwich cannot be said.
 */
static bool take_zone(struct bytes *text, struct pof_time *time)
{
    if (text->size == 0) {
        return true;
    }
    if (take_octet(text, 'Z')) {
        time->zone = POF_ZONE_UTC;
        return true;
    }
    bool west = take_octet(text, '-');
    if (!west && !take_octet(text, '+')) {
        return false;
    }
    time->zone = POF_ZONE_OFFSET;
    bool shaped = take_number(text, 2, &time->zone_hour) && take_octet(text, ':') &&
                  take_number(text, 2, &time->zone_minute);
    bool fits = shaped && time->zone_hour <= 23 && time->zone_minute <= 59 &&
                !(west && time->zone_hour == 0 && time->zone_minute != 0);
    time->zone_hour = west ? -time->zone_hour : time->zone_hour;
    return fits;
}

static bool take_time(struct bytes *text, struct pof_time *time)
{
    *time = (struct pof_time){.zone = POF_ZONE_NONE};
    bool shaped = take_number(text, 2, &time->hour) && take_octet(text, ':') &&
                  take_number(text, 2, &time->minute);
    if (shaped && take_octet(text, ':')) {
        shaped = take_number(text, 2, &time->second);
        if (shaped && take_octet(text, '.')) {
            shaped = take_fraction(text, &time->nano);
        }
    }
    bool leap_second = time->second == 60 && time->nano == 0;
    return shaped && time->hour <= 23 && time->minute <= 59 &&
           (time->second <= 59 || leap_second) && take_zone(text, time);
}

bool clock_date_parse(struct bytes text, struct pof_date *date)
{
    return take_date(&text, date) && text.size == 0;
}

bool clock_time_parse(struct bytes text, struct pof_time *time)
{
    return take_time(&text, time) && text.size == 0;
}

bool clock_datetime_parse(struct bytes text, struct pof_datetime *datetime)
{
    return take_date(&text, &datetime->date) &&
           (take_octet(&text, 'T') || take_octet(&text, ' ')) &&
           take_time(&text, &datetime->time) && text.size == 0;
}

const char *clock_date_print(const struct pof_date *date, char *text)
{
    snprintf(text, CLOCK_TEXT_MAX, "%04d-%02d-%02d", date->year, date->month, date->day);
    return text;
}

/* Nine digits without the zeros at their end; nothing for 0. */
static void print_fraction(int32_t nano, char *text)
{
    char digits[16];
    *text = '\0';
    if (nano != 0) {
        int length = snprintf(digits, sizeof digits, ".%09d", nano);
        while (length > 1 && digits[length - 1] == '0') {
            length--;
        }
        snprintf(text, sizeof digits, "%.*s", length, digits);
    }
}

static void print_zone(const struct pof_time *time, char *text, size_t size)
{
    *text = '\0';
    if (time->zone == POF_ZONE_UTC) {
        snprintf(text, size, "Z");
    } else if (time->zone == POF_ZONE_OFFSET) {
        snprintf(text, size, "%c%02d:%02d", time->zone_hour < 0 ? '-' : '+', abs(time->zone_hour),
                 time->zone_minute);
    }
}

const char *clock_time_print(const struct pof_time *time, char *text)
{
    char fraction[16];
    char zone[32];
    print_fraction(time->nano, fraction);
    print_zone(time, zone, sizeof zone);
    snprintf(text, CLOCK_TEXT_MAX, "%02d:%02d:%02d%s%s", time->hour, time->minute, time->second,
             fraction, zone);
    return text;
}

const char *clock_datetime_print(const struct pof_datetime *datetime, char *text)
{
    char date[CLOCK_TEXT_MAX];
    char time[CLOCK_TEXT_MAX];
    clock_date_print(&datetime->date, date);
    clock_time_print(&datetime->time, time);
    snprintf(text, CLOCK_TEXT_MAX, "%.38sT%.38s", date, time);
    return text;
}
