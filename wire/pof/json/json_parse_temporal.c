/* Dates, times and intervals from ISO 8601. */
#include "wire/pof/json/json_parse.h"
#include "wire/pof/temporal.h"

/* A text that is being taken apart. */
struct cursor {
    struct bytes text;
    size_t at;
};

static int peek(const struct cursor *c)
{
    return c->at < c->text.size ? c->text.data[c->at] : -1;
}

static bool is_digit(int octet)
{
    return octet >= '0' && octet <= '9';
}

static bool take(struct cursor *c, int octet)
{
    bool there = peek(c) == octet;

    c->at += there ? 1 : 0;
    return there;
}

/* A number of at least `least` and at most `most` digits, with the sign that stood before it. */
static bool take_signed(struct cursor *c, bool negative, size_t least, size_t most, int32_t *number)
{
    size_t count = 0;
    int64_t value = 0;

    for (; count < most && is_digit(peek(c)); count++) {
        value = value * 10 + (peek(c) - '0');
        c->at++;
    }
    value = negative ? -value : value;
    *number = (int32_t)value;
    return count >= least && value >= INT32_MIN && value <= INT32_MAX;
}

static bool take_number(struct cursor *c, size_t least, size_t most, int32_t *number)
{
    return take_signed(c, false, least, most, number);
}

static bool take_date(struct cursor *c, struct pof_date *date)
{
    bool negative = take(c, '-');
    bool with_sign = negative || take(c, '+');

    if (!take_signed(c, negative, 4, with_sign ? 10 : 4, &date->year) || !take(c, '-') ||
        !take_number(c, 2, 2, &date->month) || !take(c, '-') || !take_number(c, 2, 2, &date->day)) {
        return false;
    }
    return pof_date_exists(date);
}

/* Digits behind a point, as nanoseconds. */
static bool take_fraction(struct cursor *c, int32_t *nanos)
{
    size_t begin = c->at;

    if (!take_number(c, 1, 9, nanos)) {
        return false;
    }
    for (size_t digits = c->at - begin; digits < 9; digits++) {
        *nanos *= 10;
    }
    return true;
}

static bool take_zone(struct cursor *c, struct pof_time *time)
{
    if (take(c, 'Z')) {
        time->zone = POF_ZONE_UTC;
        return true;
    }
    bool negative = peek(c) == '-';
    if (!take(c, '-') && !take(c, '+')) {
        return true;
    }
    time->zone = POF_ZONE_OFFSET;
    if (!take_number(c, 2, 2, &time->zone_hour) || !take(c, ':') ||
        !take_number(c, 2, 2, &time->zone_minute)) {
        return false;
    }
    /* The format has the sign of the whole at the hour, so there is no -00:30. */
    bool lost = negative && time->zone_hour == 0 && time->zone_minute > 0;
    time->zone_hour = negative ? -time->zone_hour : time->zone_hour;
    return !lost;
}

static bool take_time(struct cursor *c, struct pof_time *time)
{
    *time = (struct pof_time){.zone = POF_ZONE_NONE};
    if (!take_number(c, 2, 2, &time->hour) || !take(c, ':') ||
        !take_number(c, 2, 2, &time->minute)) {
        return false;
    }
    if (take(c, ':')) {
        if (!take_number(c, 2, 2, &time->second) ||
            (take(c, '.') && !take_fraction(c, &time->nano))) {
            return false;
        }
    }
    return take_zone(c, time) && pof_time_exists(time);
}

static bool ended(const struct cursor *c)
{
    return c->at == c->text.size;
}

bool pjson_parse_date(struct bytes text, struct pof_date *date)
{
    struct cursor c = {.text = text};

    return take_date(&c, date) && ended(&c);
}

bool pjson_parse_time(struct bytes text, struct pof_time *time)
{
    struct cursor c = {.text = text};

    return take_time(&c, time) && ended(&c);
}

bool pjson_parse_datetime(struct bytes text, struct pof_datetime *datetime)
{
    struct cursor c = {.text = text};

    return take_date(&c, &datetime->date) && (take(&c, 'T') || take(&c, ' ')) &&
           take_time(&c, &datetime->time) && ended(&c);
}

/* The next part of an interval, when it ends with `letter`; nothing is taken when it does not. */
static bool take_part(struct cursor *c, char letter, int32_t *number)
{
    struct cursor part = *c;
    bool negative = take(&part, '-');
    int32_t value;

    if (!take_signed(&part, negative, 1, 10, &value) || !take(&part, letter)) {
        return false;
    }
    *number = value;
    *c = part;
    return true;
}

bool pjson_parse_year_month(struct bytes text, struct pof_year_month *interval)
{
    struct cursor c = {.text = text};

    *interval = (struct pof_year_month){0};
    if (!take(&c, 'P')) {
        return false;
    }
    bool years = take_part(&c, 'Y', &interval->years);
    bool months = take_part(&c, 'M', &interval->months);
    return (years || months) && ended(&c) && pof_year_month_exists(interval);
}

/* Seconds with a fraction, whose sign counts for the nanoseconds when there are no whole seconds.
 */
static bool take_seconds(struct cursor *c, struct pof_day_time *interval)
{
    struct cursor part = *c;
    bool negative = take(&part, '-');
    int32_t seconds;
    int32_t nanos = 0;

    if (!take_number(&part, 1, 10, &seconds) ||
        (take(&part, '.') && !take_fraction(&part, &nanos)) || !take(&part, 'S')) {
        return false;
    }
    interval->seconds = negative ? -seconds : seconds;
    interval->nanos = negative && seconds == 0 ? -nanos : nanos;
    *c = part;
    return true;
}

bool pjson_parse_day_time(struct bytes text, struct pof_day_time *interval)
{
    struct cursor c = {.text = text};
    bool any;

    *interval = (struct pof_day_time){0};
    if (!take(&c, 'P')) {
        return false;
    }
    any = take_part(&c, 'D', &interval->days);
    if (take(&c, 'T')) {
        bool hours = take_part(&c, 'H', &interval->hours);
        bool minutes = take_part(&c, 'M', &interval->minutes);
        any = take_seconds(&c, interval) || hours || minutes;
    }
    return any && ended(&c) && pof_day_time_exists(interval);
}
