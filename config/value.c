#include "config/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    int64_t factor;
};

/* Largest first: printing takes the first that divides. */
static const struct unit size_units[] = {
    {"TiB", INT64_C(1) << 40},
    {"GiB", INT64_C(1) << 30},
    {"MiB", INT64_C(1) << 20},
    {"KiB", INT64_C(1) << 10},
    {"B", 1},
};
static const struct unit duration_units[] = {
    {"d", 24 * 3600 * 1000}, {"h", 3600 * 1000}, {"m", 60 * 1000}, {"s", 1000}, {"ms", 1},
};
enum {
    SIZE_UNIT_COUNT = sizeof size_units / sizeof size_units[0],
    DURATION_UNIT_COUNT = sizeof duration_units / sizeof duration_units[0],
};

/* Decimal digits at `*text`, which moves behind them. False when there are none or too many. */
static bool digits_parse(const char **text, int64_t *value)
{
    const char *at = *text;
    int64_t sum = 0;

    if (*at < '0' || *at > '9') {
        return false;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        int64_t digit = *at - '0';
        if (sum > (INT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *text = at;
    *value = sum;
    return true;
}

bool value_count_parse(const char *text, int64_t *value, const char **problem)
{
    bool negative = *text == '-';
    const char *at = text + (negative ? 1 : 0);
    int64_t digits;

    if (!digits_parse(&at, &digits) || *at != '\0') {
        *problem = "is not a whole number";
        return false;
    }
    *value = negative ? -digits : digits;
    return true;
}

static const struct unit *unit_find(const struct unit *units, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(units[i].name, name) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

static bool quantity_parse(const char *text, const struct unit *units, size_t count, int64_t *value)
{
    int64_t digits;

    if (!digits_parse(&text, &digits)) {
        return false;
    }
    const struct unit *unit = unit_find(units, count, text);
    if (!unit || digits > INT64_MAX / unit->factor) {
        return false;
    }
    *value = digits * unit->factor;
    return true;
}

bool value_size_parse(const char *text, int64_t *value, const char **problem)
{
    if (!quantity_parse(text, size_units, SIZE_UNIT_COUNT, value)) {
        *problem = "is not a size: write digits and B, KiB, MiB, GiB or TiB, such as \"64MiB\"";
        return false;
    }
    return true;
}

bool value_duration_parse(const char *text, int64_t *value, const char **problem)
{
    if (!quantity_parse(text, duration_units, DURATION_UNIT_COUNT, value)) {
        *problem = "is not a duration: write digits and ms, s, m, h or d, such as \"250ms\"";
        return false;
    }
    return true;
}

static bool word_in(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool value_bool_parse(const char *text, bool *value, const char **problem)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};

    if (word_in(text, yes, 4)) {
        *value = true;
        return true;
    }
    if (word_in(text, no, 4)) {
        *value = false;
        return true;
    }
    *problem = "is neither true nor false";
    return false;
}

static const char *quantity_print(int64_t value, const struct unit *units, size_t count, char *text)
{
    size_t i = 0;

    /* The last unit is 1 and divides everything; 0 reads best in it too. */
    while (i < count - 1 && (value == 0 || value % units[i].factor != 0)) {
        i++;
    }
    snprintf(text, VALUE_TEXT_MAX, "%" PRId64 "%s", value / units[i].factor, units[i].name);
    return text;
}

const char *value_size_print(int64_t value, char *text)
{
    return quantity_print(value, size_units, SIZE_UNIT_COUNT, text);
}

const char *value_duration_print(int64_t value, char *text)
{
    return quantity_print(value, duration_units, DURATION_UNIT_COUNT, text);
}
