#include "client/property.h"

#include <inttypes.h>
#include <stdio.h>

/* A number with a unit, a plain number when there are no units. */
struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit duration_units[] = {
    {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}, {NULL, 0}};
static const struct unit size_units[] = {
    {"GiB", 1024 * 1024 * 1024}, {"MiB", 1024 * 1024}, {"KiB", 1024}, {"B", 1}, {NULL, 0}};
static const struct unit count_units[] = {{"", 1}, {NULL, 0}};
/* In the order of enum qn_log_level. */
static const char *const log_words[] = {"error", "warn", "info", "debug", "off", NULL};

#define ROW(name_, type_, standard_, minimum_, maximum_, text_)                                    \
    {                                                                                              \
        .size = sizeof(qn_property), .name = (name_), .type = (type_), .standard = (standard_),    \
        .minimum = (minimum_), .maximum = (maximum_), .text = (text_)                              \
    }

static const qn_property properties[PROPERTY_COUNT] = {
    [PROPERTY_URI] = ROW("uri", "text", "quoin://127.0.0.1:7100", NULL, NULL,
                         "address of the cluster: "
                         "quoin://host[:port][,host[:port]...], and behind "
                         "'?' other properties, with '&' between them"),
    [PROPERTY_CONFIG] = ROW("config", "text", "", NULL, NULL,
                            "file with lines `name = value`; not to be given in an address or in a "
                            "file"),
    [PROPERTY_TIMEOUT] = ROW("timeout", "duration", "15s", "1ms", "1h",
                             "the longest that a call takes, retries included, unless the call "
                             "says otherwise"),
    [PROPERTY_IN_FLIGHT] =
        ROW("in_flight", "count", "4096", "1", "1048576",
            "operations that may be under way; beyond that calls wait, and those "
            "that do not wait end with QN_BUSY. Batches and scans have bounds of "
            "their own"),
    [PROPERTY_IN_FLIGHT_BYTES] = ROW("in_flight_bytes", "size", "64MiB", "64KiB", "1024GiB",
                                     "the same for the octets of their keys and values"),
    [PROPERTY_COMPRESS_MIN] =
        ROW("compress_min", "size", "512B", "0B", "16MiB",
            "values of so many octets and more are compressed (LZ4) when that "
            "saves an eighth at least; 0B = never"),
    [PROPERTY_SCAN_BYTES] = ROW("scan_bytes", "size", "256KiB", "4KiB", "4MiB",
                                "entries that a scan fetches in one step"),
    [PROPERTY_SCAN_AHEAD] = ROW("scan_ahead", "count", "2", "0", "8",
                                "partitions from which a scan fetches in advance"),
    [PROPERTY_LOG_LEVEL] =
        ROW("log_level", "text", "warn", NULL, NULL,
            "messages that go to stderr, or where qn_log_to() says: error, warn, "
            "info, debug, off"),
};

const qn_property *property_at(enum property_id id)
{
    return &properties[id];
}

bool property_is_text(enum property_id id)
{
    return id == PROPERTY_URI || id == PROPERTY_CONFIG;
}

void qn_property_list(void (*fn)(void *arg, const qn_property *property), void *arg)
{
    for (size_t i = 0; fn && i < PROPERTY_COUNT; i++) {
        fn(arg, &properties[i]);
    }
}

/* ---- names ---- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance of two short words, for "did you mean". */
static size_t distance(struct bytes a, const char *b)
{
    size_t row[33];
    size_t b_size = strlen(b);

    if (a.size > 32 || b_size > 32) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b_size; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t above = row[j];
            size_t change = diagonal + (a.data[i - 1] != (uint8_t)b[j - 1]);
            row[j] = least(change, least(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[b_size];
}

static void unknown_explain(struct bytes name, char why[PROPERTY_WHY_MAX])
{
    const char *nearest = NULL;
    size_t best = 4; /* further away is no misspelling */
    int size = (int)least(name.size, 40);

    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        size_t d = distance(name, properties[i].name);
        if (d < best) {
            best = d;
            nearest = properties[i].name;
        }
    }
    int used = snprintf(why, PROPERTY_WHY_MAX, "unknown parameter \"%.*s\"; ", size,
                        (const char *)name.data);
    if (nearest) {
        (void)snprintf(why + used, PROPERTY_WHY_MAX - (size_t)used, "did you mean \"%s\"?",
                       nearest);
    } else {
        (void)snprintf(why + used, PROPERTY_WHY_MAX - (size_t)used,
                       "there are timeout, in_flight and others: docs/client-properties.md");
    }
}

bool property_find(struct bytes name, enum property_id *id, char why[PROPERTY_WHY_MAX])
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        if (bytes_equal(name, bytes_of_text(properties[i].name))) {
            *id = (enum property_id)i;
            return true;
        }
    }
    unknown_explain(name, why);
    return false;
}

/* ---- values ---- */

static const struct unit *units_of(const qn_property *property)
{
    return strcmp(property->type, "duration") == 0 ? duration_units
           : strcmp(property->type, "size") == 0   ? size_units
                                                   : count_units;
}

/* Of a unit that ends the text; 0 = it is none of them. A nought needs none. */
static int64_t factor_of(const struct unit *units, struct bytes unit, int64_t value)
{
    for (; units->name; units++) {
        if (bytes_equal(unit, bytes_of_text(units->name))) {
            return units->factor;
        }
    }
    return unit.size == 0 && value == 0;
}

static bool number_parse(const qn_property *property, struct bytes text, int64_t *number)
{
    int64_t value = 0;
    size_t at = 0;

    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9' && value < INT32_MAX) {
        value = value * 10 + (text.data[at++] - '0');
    }
    struct bytes unit = bytes_of(text.data + at, text.size - at);
    int64_t factor = at > 0 ? factor_of(units_of(property), unit, value) : 0;
    *number = value * factor;
    return factor > 0;
}

static bool in_range(const qn_property *property, int64_t number)
{
    int64_t minimum = 0;
    int64_t maximum = 0;

    return number_parse(property, bytes_of_text(property->minimum), &minimum) &&
           number_parse(property, bytes_of_text(property->maximum), &maximum) &&
           number >= minimum && number <= maximum;
}

static enum qn_status word_parse(const qn_property *property, struct bytes text, int64_t *number,
                                 char why[PROPERTY_WHY_MAX])
{
    for (size_t i = 0; log_words[i]; i++) {
        if (bytes_equal(text, bytes_of_text(log_words[i]))) {
            *number = (int64_t)i;
            return QN_OK;
        }
    }
    (void)snprintf(why, PROPERTY_WHY_MAX, "%s wants one of error, warn, info, debug, off",
                   property->name);
    return QN_INVALID;
}

enum qn_status property_parse(enum property_id id, struct bytes text, int64_t *number,
                              char why[PROPERTY_WHY_MAX])
{
    const qn_property *property = &properties[id];
    int64_t parsed = 0;

    if (!property->minimum) {
        return word_parse(property, text, number, why);
    }
    if (number_parse(property, text, &parsed) && in_range(property, parsed)) {
        *number = parsed;
        return QN_OK;
    }
    (void)snprintf(why, PROPERTY_WHY_MAX, "%s wants a number%s from %s to %s, as in %s=%s",
                   property->name, units_of(property) == count_units ? "" : " with its unit",
                   property->minimum, property->maximum, property->name, property->standard);
    return QN_INVALID;
}

void property_print(enum property_id id, int64_t number, char *out, size_t size)
{
    const qn_property *property = &properties[id];
    const struct unit *unit = units_of(property);

    if (!property->minimum) {
        (void)snprintf(out, size, "%s", log_words[number]);
        return;
    }
    while (unit[1].name && (number == 0 || number % unit->factor != 0)) {
        unit++;
    }
    (void)snprintf(out, size, "%" PRId64 "%s", number / unit->factor, unit->name);
}
