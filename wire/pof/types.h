/* Type ids of the portable object format (POF), and the values that C has no type for.
 *
 * Plain data, shared by writer and reader. Ids >= 0 are user types, ids < 0 are the format's own.
 */
#ifndef QUOIN_WIRE_POF_TYPES_H
#define QUOIN_WIRE_POF_TYPES_H

#include <stdint.h>

#include "wire/bytes.h"

QN_PUBLIC_BEGIN

enum pof_type {
    POF_INT16 = -1,
    POF_INT32 = -2,
    POF_INT64 = -3,
    POF_INT128 = -4,
    POF_FLOAT32 = -5,
    POF_FLOAT64 = -6,
    POF_FLOAT128 = -7,
    POF_DECIMAL32 = -8,
    POF_DECIMAL64 = -9,
    POF_DECIMAL128 = -10,
    POF_BOOL = -11,
    POF_OCTET = -12,
    POF_OCTETS = -13,
    POF_CHAR = -14,
    POF_STRING = -15,
    POF_DATE = -16,
    POF_YEAR_MONTH_INTERVAL = -17,
    POF_TIME = -18,
    POF_TIME_INTERVAL = -19,
    POF_DATETIME = -20,
    POF_DAY_TIME_INTERVAL = -21,
    POF_COLLECTION = -22,
    POF_UNIFORM_COLLECTION = -23,
    POF_ARRAY = -24,
    POF_UNIFORM_ARRAY = -25,
    POF_SPARSE_ARRAY = -26,
    POF_UNIFORM_SPARSE_ARRAY = -27,
    POF_MAP = -28,
    POF_UNIFORM_KEYS_MAP = -29,
    POF_UNIFORM_MAP = -30,
    POF_IDENTITY = -31,
    POF_REFERENCE = -32,
    /* From here on the type id is the whole value. */
    POF_SMALL_FALSE = -33,
    POF_SMALL_TRUE = -34,
    POF_SMALL_EMPTY_STRING = -35,
    POF_SMALL_EMPTY_COLLECTION = -36,
    POF_SMALL_NULL = -37,
    POF_SMALL_INFINITY = -38,
    POF_SMALL_MINUS_INFINITY = -39,
    POF_SMALL_NAN = -40,
    POF_SMALL_MINUS_ONE = -41,
    POF_SMALL_ZERO = -42,       /* the integer n in 0..22 has the id -42 - n */
    POF_SMALL_TWENTY_TWO = -64, /* ids below this one do not exist */
};

/* Containers may stand in each other up to this depth, in what is written and in what is read. */
enum { POF_DEPTH_MAX = 256 };

/* A 128-bit integer in two's complement. */
struct pof_int128 {
    uint64_t low;
    uint64_t high; /* the top bit is the sign */
};

/* unscaled * 10^-scale. Trailing zeros count: 1.0 is unscaled 10, scale 1. */
struct pof_decimal {
    struct pof_int128 unscaled;
    int32_t scale;
};

struct pof_date {
    int32_t year;
    int32_t month; /* 1..12 */
    int32_t day;   /* 1..31, by month and year */
};

enum pof_zone {
    POF_ZONE_NONE = 0,
    POF_ZONE_UTC = 1,
    POF_ZONE_OFFSET = 2, /* zone_hour, zone_minute */
};

struct pof_time {
    int32_t hour;   /* 0..23 */
    int32_t minute; /* 0..59 */
    int32_t second; /* 0..59, or 60 when `nano` is 0 */
    int32_t nano;   /* 0..999999999 */
    enum pof_zone zone;
    int32_t zone_hour;   /* -23..23; carries the sign of the whole offset */
    int32_t zone_minute; /* 0..59: -03:30 is (-3, 30) */
};

struct pof_datetime {
    struct pof_date date;
    struct pof_time time;
};

struct pof_year_month {
    int32_t years;
    int32_t months; /* -11..11 when years is 0 */
};

/* An interval of days and time. The most significant field that is not 0 may be negative, the rest
 * must be in clock range. */
struct pof_day_time {
    int32_t days; /* 0 in a time interval */
    int32_t hours;
    int32_t minutes;
    int32_t seconds;
    int32_t nanos;
};

QN_PUBLIC_END

#endif
